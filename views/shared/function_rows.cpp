#include "views/shared/function_rows.h"

namespace retracescope::views {

void connectFunctionRows(DataTable& table, ViewState& state,
                         std::function<session::FunctionId(int row)> function) {
    const auto selectAndShow = [&state, function](int row, const QString& view) {
        if (!function(row).isValid())
            return; // a row that stands for no function
        state.selectFunction(function(row));
        state.requestView(view);
    };
    QObject::connect(&table, &DataTable::rowChosen, &state, [&state, function](int row) {
        if (function(row).isValid())
            state.selectFunction(function(row));
    });
    QObject::connect(&table, &DataTable::rowActivated, &state,
                     [selectAndShow](int row) { selectAndShow(row, QStringLiteral("signatures")); });
    QObject::connect(&table, &DataTable::placeClicked, &state,
                     [selectAndShow](int row) { selectAndShow(row, QStringLiteral("source")); });
}

} // namespace retracescope::views
