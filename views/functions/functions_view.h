#pragma once

#include <QLineEdit>
#include <QStackedWidget>

#include "views/models/functions_model.h"
#include "views/shared/data_table.h"
#include "views/shared/empty_panel.h"
#include "views/shared/view.h"
#include "views/shared/widgets.h"

namespace retracescope::views {

/// Every traced function with its counts and times, sortable, with totals. Enter opens
/// Signatures.
class FunctionsView : public View {
    Q_OBJECT

public:
    explicit FunctionsView(ViewState& state, QWidget* parent = nullptr);

    bool focusFind() override;

private:
    QWidget* makeTablePage();
    void onDiagnosisChanged();
    void onSelectionChanged();
    void hideEngineOfAll();
    void updateCaption();
    void applyFilter();

    FunctionsModel* m_model;
    DataTable* m_table;
    QLineEdit* m_filter;
    QLabel* m_caption;
    Link* m_showAll; ///< what filters hide
    QStackedWidget* m_pages;
    EmptyPanel* m_empty;
};

} // namespace retracescope::views
