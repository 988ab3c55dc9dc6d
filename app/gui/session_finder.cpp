#include "app/gui/session_finder.h"

#include "views/shared/numbers.h"

namespace retracescope::gui {

namespace {

constexpr int kDelayMs = 80;

} // namespace

SessionFinder::SessionFinder(views::ViewState& state, QWidget* window)
    : QObject(window), m_state(state), m_finder(new Finder(state, window)), m_job(state.jobs()) {
    m_finder->setAccessibleName(tr("Find in the session"));
    m_delay.setSingleShot(true);
    m_delay.setInterval(kDelayMs);
    connect(&m_delay, &QTimer::timeout, this, &SessionFinder::search);
    connect(m_finder, &Finder::queryChanged, &m_delay, qOverload<>(&QTimer::start));
    connect(m_finder, &Finder::closed, this, [this] {
        m_delay.stop();
        m_job.drop();
    });
}

void SessionFinder::open() {
    m_finder->open(tr("Find in the session: functions, arguments, nodes, events, source"), true);
}

void SessionFinder::search() {
    m_job.drop();
    const SearchQuery query{m_finder->text(), m_finder->isCaseSensitive(), m_finder->isRegularExpression()};
    if (query.text.trimmed().isEmpty() || !m_state.diagnosis()) {
        m_finder->setError({});
        m_finder->setRows({});
        m_finder->setStatus({});
        return;
    }
    m_finder->setStatus(tr("Searching"));
    m_job.run(
        tr("Searching"),
        [diagnosis = m_state.diagnosis(), query](const Job& job) {
            return searchSession(*diagnosis, query, job);
        },
        [this](const SearchResult& result) { show(result); });
}

void SessionFinder::show(const SearchResult& result) {
    m_finder->setError(result.error);
    if (!result.error.isEmpty())
        return;
    std::vector<FinderRow> rows;
    std::int64_t total = 0;
    for (const SearchGroup& group : result.groups) {
        total += group.total;
        const auto shown = static_cast<std::int64_t>(group.hits.size());
        const QString title =
            shown == group.total
                ? tr("%1 · %2").arg(group.name, views::countText(group.total))
                : tr("%1 · %2 of %3").arg(group.name, views::countText(shown), views::countText(group.total));
        for (const SearchHit& hit : group.hits)
            rows.push_back({title, hit.title, hit.detail, {}, [this, hit] { go(hit); }});
    }
    m_finder->setRows(std::move(rows));
    m_finder->setStatus(total == 0 ? tr("Nothing in this session matches.")
                                   : views::pluralText(total, tr("match"), tr("matches")));
}

void SessionFinder::go(const SearchHit& hit) {
    if (!hit.file.isEmpty()) {
        m_state.requestPlace(hit.file, hit.line);
        return;
    }
    if (hit.selection.event)
        m_state.selectEvent(*hit.selection.event);
    else
        m_state.setSelection(hit.selection);
    m_state.chooseArgument(hit.argument);
    m_state.requestView(hit.viewId);
}

} // namespace retracescope::gui
