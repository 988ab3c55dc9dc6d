#pragma once

#include <QHBoxLayout>
#include <QScrollArea>
#include <QStackedWidget>

#include "views/models/functions_model.h"
#include "views/overview/call_chart.h"
#include "views/overview/finding_card.h"
#include "views/overview/time_bar.h"
#include "views/shared/data_table.h"
#include "views/shared/empty_panel.h"
#include "views/shared/view.h"
#include "views/shared/widgets.h"

namespace retracescope::views {

/// The first page of a session: the verdict in one line, where the time went, one card per
/// finding, the functions, time per call, what is expected, and how far to trust the recording.
class SummaryView : public View {
    Q_OBJECT

public:
    explicit SummaryView(ViewState& state, QWidget* parent = nullptr);

    bool isSettled() const override { return m_chart->isSettled(); }
    QPixmap picture(qreal scale) override; ///< the whole page, not only what is scrolled into sight

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QLayout* makeHead();
    QWidget* makePage();
    QLayout* makeFunctions();
    QLayout* makeSide();
    void onDiagnosisChanged();
    void onSelectionChanged();
    void rebuildCards();
    void rebuildExpected();
    void rebuildTrust();
    void updateHead();
    void fitToSize();

    FunctionsModel* m_model;
    QStackedWidget* m_pages;
    EmptyPanel* m_empty;
    QScrollArea* m_scroll;
    QLabel* m_mark;
    QLabel* m_headline;
    QLabel* m_subline;
    QPushButton* m_showEdits;
    QLabel* m_timeTitle;
    QLabel* m_timeCaption;
    TimeBar* m_timeBar;
    QHBoxLayout* m_cards;
    Link* m_moreFindings;
    QBoxLayout* m_columns;
    DataTable* m_table;
    QLabel* m_tableCaption;
    CallChart* m_chart;
    QLabel* m_chartTitle;
    QLabel* m_chartCaption;
    QFrame* m_expected;
    QFrame* m_trust;
    QList<FindingCard*> m_cardWidgets;
};

} // namespace retracescope::views
