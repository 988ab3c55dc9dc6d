#pragma once

#include <QScrollArea>

#include "views/shared/view_state.h"

namespace retracescope::gui {

/// The right column of the Welcome page: the lesson that "Open the example" runs, told before it is run.
class ExampleStory : public QWidget {
    Q_OBJECT

public:
    explicit ExampleStory(views::ViewState& state, QWidget* parent = nullptr);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    views::ViewState& m_state;
};

} // namespace retracescope::gui
