#pragma once

#include <retracescope/diagnose/overview.h>

#include "views/shared/theme_style.h"
#include "views/shared/view_state.h"

namespace retracescope::test {

/// A ViewState with an open session, themed like the program, for tests of views.
struct OpenState {
    explicit OpenState(session::SessionPtr session) {
        views::applyTheme(state.theme());
        QObject::connect(&state, &views::ViewState::themeChanged, &state,
                         [this] { views::applyTheme(state.theme()); });
        state.setDiagnosis(diagnose::diagnose(std::move(session)));
    }

    views::ViewState state;
};

} // namespace retracescope::test
