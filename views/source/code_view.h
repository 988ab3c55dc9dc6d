#pragma once

#include <map>

#include <QAbstractScrollArea>

#include "views/models/source_lines.h"
#include "views/shared/view_state.h"

namespace retracescope::views {

/// Text of a file with a gutter: line number, traces and trace time as bar, nodes made. Read only.
class CodeView : public QAbstractScrollArea {
    Q_OBJECT

public:
    explicit CodeView(ViewState& state, QWidget* parent = nullptr);

    void setText(const QString& text); ///< without marks
    void setFacts(std::map<std::uint32_t, LineFacts> facts);
    const std::map<std::uint32_t, LineFacts>& facts() const { return m_facts; }
    void showLine(std::uint32_t line); ///< marks it; scrolls only if it is out of sight
    std::uint32_t markedLine() const { return m_marked; }
    QString lineText(std::uint32_t line) const;

Q_SIGNALS:
    void lineClicked(std::uint32_t line);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void updateBars();
    void paintGutter(QPainter& painter, int top, std::uint32_t line) const;

    ViewState& m_state;
    QStringList m_lines;
    std::map<std::uint32_t, LineFacts> m_facts;
    std::int64_t m_largestNs = 0;
    std::uint32_t m_marked = 0;
};

} // namespace retracescope::views
