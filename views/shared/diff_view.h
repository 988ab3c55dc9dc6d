#pragma once

#include <vector>

#include <QWidget>

#include <retracescope/diagnose/findings.h>

#include "views/shared/view_state.h"

namespace retracescope::views {

/// An edit as a diff: sign column, tinted lines, no wrapping; long lines are cut with an ellipsis and shown
/// in full as tooltip.
class DiffView : public QWidget {
    Q_OBJECT

public:
    explicit DiffView(ViewState& state, QWidget* parent = nullptr);

    /// `place` ("train.py:41") becomes the first, muted line; empty for none.
    void setEdit(const diagnose::Edit& edit, const QString& place);
    void setMostRows(int rows); ///< the rest is told as "and 3 more"; 0 = all
    QString plainText() const;  ///< what Copy edit puts on the clipboard

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Row {
        char sign;
        QString text;
        bool isFirst; ///< of its line
    };

    std::vector<Row> wrapped(int width) const;
    int heightFor(int width) const;

    ViewState& m_state;
    std::vector<diagnose::EditLine> m_lines;
    QString m_place;
    int m_mostRows = 0;
};

/// The edit as text: sign and line, or its sentence where it has no lines.
QString editText(const diagnose::Edit& edit);

/// All edits of a finding as text.
QString editText(const diagnose::Finding& finding);

} // namespace retracescope::views
