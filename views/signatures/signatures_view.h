#pragma once

#include <array>

#include <QCheckBox>
#include <QComboBox>
#include <QStackedWidget>
#include <QTreeView>

#include "views/shared/busy_strip.h"
#include "views/shared/empty_panel.h"
#include "views/shared/view.h"
#include "views/shared/widgets.h"
#include "views/signatures/frozen_columns.h"

namespace retracescope::views {

/// Calls of one function against the components of the cache key: which entry served what, and
/// which component kept the nearest entry from serving.
class SignaturesView : public View {
    Q_OBJECT

public:
    explicit SignaturesView(ViewState& state, QWidget* parent = nullptr);

    bool focusFind() override;
    bool isSettled() const override { return !m_job.isRunning() && !m_copying.isRunning(); }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeTablePage();
    QLayout* makeControls();
    void onDiagnosisChanged();
    void onSelectionChanged();
    void startAgain();
    void build();
    void present(SignatureRowsPtr content);
    void onCancelled();
    void fitColumns();
    void fitControls();
    void foldConstants();
    void fitLastColumn();
    void onArgument();
    void stepDiffering(int by);
    void sort(int column, Qt::SortOrder order);
    void showSelection();
    void select(const QModelIndex& index);
    void updateSentence();
    void copy(std::vector<SignatureRows::Row> rows);

    SignaturesModel* m_model;
    QTreeView* m_tree;
    SignaturesHeader* m_header;
    SignaturesDelegate* m_delegate;
    FrozenColumns* m_frozen = nullptr;
    QComboBox* m_function;
    QComboBox* m_grouping;
    QCheckBox* m_marking;
    QCheckBox* m_onlyMisses;
    std::array<QLabel*, 2> m_captions{}; ///< of the two boxes
    QPushButton* m_constants;
    QLabel* m_sentence;
    Link* m_showAll;      ///< what the filter hides
    QPushButton* m_again; ///< after reading was cancelled
    QLabel* m_hint;
    QStackedWidget* m_pages;
    EmptyPanel* m_empty;
    LatestJob m_job;     ///< the rows
    LatestJob m_copying; ///< all rows as text
    BusyStrip* m_busy;
    session::FunctionId m_shown;
    bool m_unfolded = false;
    bool m_updating = false;
};

} // namespace retracescope::views
