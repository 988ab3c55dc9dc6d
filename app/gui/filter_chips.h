#pragma once

#include <vector>

#include <QHBoxLayout>
#include <QToolButton>

#include "views/shared/view_state.h"

namespace retracescope::gui {

/// The parts of the filter as chips: a click, Enter, Space or Delete takes one away.
class FilterChips : public QWidget {
    Q_OBJECT

public:
    explicit FilterChips(views::ViewState& state, QWidget* parent = nullptr);

    QStringList texts() const; ///< of the chips, in the order in which they were added
    void dropLast();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    enum class Part { Outcome, Function };

    void follow();
    QString textOf(Part part) const;
    void drop(Part part);

    views::ViewState& m_state;
    QHBoxLayout* m_row;
    std::vector<Part> m_parts;         ///< in the order in which they were added
    std::vector<QToolButton*> m_chips; ///< of the parts
};

} // namespace retracescope::gui
