#pragma once

#include <QLineEdit>
#include <QListView>
#include <QStackedWidget>

#include "views/findings/finding_page.h"
#include "views/models/findings_model.h"
#include "views/shared/empty_panel.h"
#include "views/shared/view.h"
#include "views/shared/widgets.h"

namespace retracescope::views {

/// Findings, ranked, with the evidence and the edit of the chosen one.
class FindingsView : public View {
    Q_OBJECT

public:
    explicit FindingsView(ViewState& state, QWidget* parent = nullptr);

    bool focusFind() override;
    const FindingsModel& model() const { return *m_model; }

private:
    QWidget* makeList();
    void onDiagnosisChanged();
    void showSelection();
    void choose(int row);
    void updateHidden();

    FindingsModel* m_model;
    QListView* m_list;
    QLineEdit* m_filter;
    QLabel* m_hidden;
    FindingPage* m_page;
    MessagePanel* m_none;
    QStackedWidget* m_detail;
    QStackedWidget* m_pages;
    EmptyPanel* m_empty;
    bool m_updating = false;
};

} // namespace retracescope::views
