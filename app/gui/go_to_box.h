#pragma once

#include <QCompleter>
#include <QLineEdit>
#include <QStandardItemModel>

#include "views/shared/view_state.h"

namespace retracescope::gui {

/// Go to (Ctrl+P): type part of a function's, finding's or node's name, or `:120` for a call of the shown
/// function.
class GoToBox : public QLineEdit {
    Q_OBJECT

public:
    explicit GoToBox(views::ViewState& state, QWidget* parent = nullptr);

    void activate(); ///< gives it the focus
    QStringList offers() const;

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void refill(const QString& text);
    void offer(const QString& text, const views::Selection& selection, const QString& viewId);
    void go(const QModelIndex& index);

    views::ViewState& m_state;
    QStandardItemModel* m_model;
    QCompleter* m_completer;
    struct Target {
        views::Selection selection;
        QString viewId;
    };
    std::vector<Target> m_targets;
};

} // namespace retracescope::gui
