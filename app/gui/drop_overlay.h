#pragma once

#include <QWidget>

#include "views/shared/view_state.h"

namespace retracescope::gui {

/// Covers the window while files are dragged over it and says what dropping them will do.
class DropOverlay : public QWidget {
    Q_OBJECT

public:
    DropOverlay(views::ViewState& state, QWidget* window);

    void showFor(const QStringList& files);
    const QString& text() const { return m_text; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    views::ViewState& m_state;
    QString m_text;
};

} // namespace retracescope::gui
