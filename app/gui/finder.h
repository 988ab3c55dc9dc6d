#pragma once

#include <functional>
#include <vector>

#include <QFrame>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QToolButton>

#include "views/shared/view_state.h"

namespace retracescope::gui {

/// One thing that a Finder offers.
struct FinderRow {
    QString group; ///< rows of one group follow each other below its title; empty for none
    QString title;
    QString detail; ///< at the right: a key, a place
    QString reason; ///< why it cannot be chosen; empty if it can
    std::function<void()> choose;
};

/// A box to type in with a list below, over the upper half of the window: the commands, and Find in the
/// session. Whoever opens it fills it whenever the text changes.
class Finder : public QFrame {
    Q_OBJECT

public:
    explicit Finder(views::ViewState& state, QWidget* window);

    /// `withToggles`: the text may be case-sensitive and a regular expression.
    void open(const QString& placeholder, bool withToggles);

    void setRows(std::vector<FinderRow> rows);
    void setStatus(const QString& text);    ///< "12 of 40 commands", "searching"
    void setError(const QString& sentence); ///< marks the box; empty: none. What is listed stays.
    const std::vector<FinderRow>& rows() const { return m_rows; }

    QString text() const { return m_edit->text(); }
    bool isCaseSensitive() const { return m_case->isChecked(); }
    bool isRegularExpression() const { return m_regex->isChecked(); }
    QLineEdit& edit() { return *m_edit; }
    QString status() const { return m_status->text(); }

Q_SIGNALS:
    void queryChanged();
    void closed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    class RowsModel;

    void place();
    void step(int by);
    void choose(const QModelIndex& index);

    views::ViewState& m_state;
    QLineEdit* m_edit;
    QToolButton* m_case;
    QToolButton* m_regex;
    QListView* m_list;
    QLabel* m_status;
    RowsModel* m_model;
    std::vector<FinderRow> m_rows;
};

/// How well `title` matches letters typed in their order, not necessarily beside each other: higher is
/// better, less than 0 is no match. The start of a word counts more than its middle.
int fuzzyScore(const QString& title, const QString& typed);

} // namespace retracescope::gui
