#pragma once

#include "views/shared/view_state.h"
#include "views/shared/widgets.h"

namespace retracescope::views {

/// What a view shows instead of itself while it has nothing to show: what is missing, what the file holds
/// instead, and one button to the view that shows it.
class EmptyPanel : public MessagePanel {
    Q_OBJECT

public:
    /// `viewId` is the view that this panel stands in for: the button never leads there.
    EmptyPanel(ViewState& state, QString viewId, QWidget* parent = nullptr);

    /// Says that no session is open, or what of the open one is missing. Without a `detail`, what the file
    /// holds.
    void setMissing(const QString& sentence, const QString& detail = {});

private:
    ViewState& m_state;
    QString m_viewId;
    QString m_target; ///< the view that the button leads to
};

} // namespace retracescope::views
