#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QStackedWidget>
#include <QTreeView>

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

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeTablePage();
    QLayout* makeControls();
    void onDiagnosisChanged();
    void onSelectionChanged();
    void rebuild();
    void fitColumns();
    void foldConstants();
    void fitLastColumn();
    void onArgument();
    void stepDiffering(int by);
    void sort(int column, Qt::SortOrder order);
    void showSelection();
    void select(const QModelIndex& index);
    void updateSentence();
    QString tabSeparated(const QModelIndexList& rows) const; ///< with titles; all top rows if there are none

    SignaturesModel* m_model;
    QTreeView* m_tree;
    SignaturesHeader* m_header;
    SignaturesDelegate* m_delegate;
    FrozenColumns* m_frozen = nullptr;
    QComboBox* m_function;
    QComboBox* m_grouping;
    QCheckBox* m_marking;
    QCheckBox* m_onlyMisses;
    QPushButton* m_constants;
    QLabel* m_sentence;
    QLabel* m_hint;
    QStackedWidget* m_pages;
    EmptyPanel* m_empty;
    session::FunctionId m_shown;
    bool m_unfolded = false;
    bool m_updating = false;
};

} // namespace retracescope::views
