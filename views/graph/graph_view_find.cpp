#include "views/graph/graph_view.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QKeyEvent>

#include <retracescope/base/units.h>

#include "views/graph/graph_canvas.h"
#include "views/graph/graph_search.h"
#include "views/graph/node_panel.h"
#include "views/shared/numbers.h"
#include "views/shared/widgets.h"

namespace retracescope::views {

QWidget* GraphView::makeFindRow() {
    auto* box = new QWidget(m_toolbar);
    auto* row = new QHBoxLayout(box);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(6);
    m_find = new QLineEdit(box);
    m_find->setAccessibleName(tr("Find in the graph"));
    m_find->setClearButtonEnabled(true);
    m_find->installEventFilter(this);
    m_findCount = makeLabel({}, "caption", box);
    row->addWidget(m_findCount);
    row->addWidget(m_find);
    connect(m_find, &QLineEdit::textChanged, this, [this] {
        m_match = 0;
        updateMatches();
    });
    connect(m_find, &QLineEdit::returnPressed, this,
            [this] { stepMatch((QApplication::keyboardModifiers() & Qt::ShiftModifier) != 0 ? -1 : 1); });
    return box;
}

bool GraphView::focusFind() {
    m_find->setFocus(Qt::ShortcutFocusReason);
    m_find->selectAll();
    return true;
}

/// Escape in the find box goes back to the picture.
bool GraphView::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_find && event->type() == QEvent::KeyPress &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        m_canvas->setFocus(Qt::OtherFocusReason);
        return true;
    }
    return View::eventFilter(watched, event);
}

void GraphView::setFind(const QString& text) {
    m_find->setText(text);
}

/// Lights the boxes with matches; what is folded away counts for the box it is in.
void GraphView::updateMatches() {
    const GraphScenePtr& scene = m_canvas->scene();
    m_matches.clear();
    if (scene)
        m_matches = findNodes(*scene->session, scene->graph(), m_find->text().toStdString());
    m_match = m_matches.empty() ? 0 : std::min(m_match, m_matches.size() - 1);
    if (m_find->text().trimmed().isEmpty())
        m_findCount->clear();
    else if (m_matches.empty())
        m_findCount->setText(tr("nothing matches"));
    else
        m_findCount->setText(tr("%1 of %2")
                                 .arg(toQString(formatCount(static_cast<std::int64_t>(m_match + 1))),
                                      toQString(formatCount(static_cast<std::int64_t>(m_matches.size())))));
    std::unordered_map<std::uint32_t, int> boxes;
    for (const std::uint32_t row : m_matches) {
        if (const auto box = scene->boxOf(row))
            ++boxes[*box];
    }
    m_canvas->setMatches(std::move(boxes),
                         m_matches.empty() || !scene ? std::nullopt : scene->boxOf(m_matches[m_match]));
}

void GraphView::stepMatch(int by) {
    if (m_matches.empty())
        return;
    const GraphScenePtr& scene = m_canvas->scene();
    const bool shown =
        scene->boxOf(m_matches[m_match]) && m_canvas->selectedBox() == scene->boxOf(m_matches[m_match]);
    if (shown) // the first Enter goes to the first match
        m_match =
            (m_match + m_matches.size() + static_cast<std::size_t>(by + static_cast<int>(m_matches.size()))) %
            m_matches.size();
    updateMatches();
    selectNode(m_matches[m_match]);
}

/// The first time the selected box is the start; then the one selected since is the end.
void GraphView::onPathWanted() {
    const std::optional<std::uint32_t> box = m_canvas->selectedBox();
    if (!box) {
        m_pathText = tr("Select the box where the path starts, then choose Path to.");
    } else if (m_pathStart && m_pathStart != box) {
        return findPath(*box);
    } else {
        m_pathStart = box;
        m_pathText = tr("Path from %1: click the box where it ends. Esc gives it up.")
                         .arg(toQString(m_canvas->scene()->folded.boxes[*box].title));
        m_canvas->setFocus(Qt::OtherFocusReason);
    }
    updateStatus();
}

void GraphView::findPath(std::uint32_t end) {
    const layout::FoldedGraph& folded = m_canvas->scene()->folded;
    std::uint32_t from = *m_pathStart;
    std::uint32_t to = end;
    selectBox(end); // forgets the start
    auto paths = layout::pathsBetween(folded, from, to);
    if (!paths) {
        std::swap(from, to);
        paths = layout::pathsBetween(folded, from, to);
    }
    const QString first = toQString(folded.boxes[from].title);
    const QString last = toQString(folded.boxes[to].title);
    if (paths) {
        m_canvas->showPath(*paths);
        m_pathText =
            tr("From %1 to %2: %3 on the shortest path, %4 on any")
                .arg(first, last,
                     pluralText(static_cast<std::int64_t>(paths->shortest.size()), tr("box"), tr("boxes")),
                     countText(static_cast<std::int64_t>(paths->onAnyCount)));
    } else {
        m_pathText = tr("No path leads from %1 to %2 or back.").arg(last, first);
    }
    updateStatus();
}

void GraphView::dropPath() {
    if (!m_pathStart && m_pathText.isEmpty())
        return;
    m_pathStart.reset();
    m_pathText.clear();
    updateStatus();
}

} // namespace retracescope::views
