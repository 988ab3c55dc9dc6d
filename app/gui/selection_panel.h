#pragma once

#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>

#include "views/shared/view_state.h"

namespace retracescope::gui {

/// The Selection dock: what is selected, why it traced, what it cost, and its key beside that of the nearest
/// entry.
class SelectionPanel : public QWidget {
    Q_OBJECT

public:
    explicit SelectionPanel(views::ViewState& state, QWidget* parent = nullptr);

private:
    void rebuild();
    void addHead();
    void addFacts(const std::vector<std::pair<QString, QString>>& facts);
    void addCall();
    void addEvent(const session::EventRef& event);
    void addEntry();
    void addFunction();
    void addMiss();
    void addCost(std::int64_t tracingNs, std::int64_t restNs, bool failed);
    void addComparison();
    void addButtons();
    void addStack();

    views::ViewState& m_state;
    QVBoxLayout* m_content;
};

} // namespace retracescope::gui
