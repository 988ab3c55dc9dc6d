#pragma once

#include <functional>

#include <retracescope/session/session.h>

#include "views/shared/data_table.h"
#include "views/shared/view_state.h"

namespace retracescope::views {

/// Makes the rows of a table stand for functions: choosing one selects it, activating it asks for its
/// signatures, a click on its place for its source. `function` gives the function of a row of the model.
void connectFunctionRows(DataTable& table, ViewState& state,
                         std::function<session::FunctionId(int row)> function);

} // namespace retracescope::views
