#include "app/gui/session_search.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include <QCoreApplication>
#include <QRegularExpression>

#include "views/models/graphs_model.h"
#include "views/models/key_components.h"
#include "views/shared/numbers.h"

namespace retracescope::gui {

using views::toQString;

namespace {

constexpr std::size_t kMostHits = 8; ///< shown of each kind

QString translated(const char* text) {
    return QCoreApplication::translate("SessionSearch", text);
}

/// One search over one session; every add function fills one group.
class Search {
public:
    Search(const diagnose::Diagnosis& diagnosis, const SearchQuery& query, const Job& job)
        : m_diagnosis(diagnosis), m_session(*diagnosis.session), m_job(job),
          m_pattern(query.regularExpression ? query.text : QRegularExpression::escape(query.text),
                    query.caseSensitive ? QRegularExpression::NoPatternOption
                                        : QRegularExpression::CaseInsensitiveOption) {}

    SearchResult run() {
        if (!m_pattern.isValid()) {
            m_result.error = translated("Not a regular expression: %1, at letter %2.")
                                 .arg(m_pattern.errorString())
                                 .arg(m_pattern.patternErrorOffset() + 1);
            return std::move(m_result);
        }
        addFunctions();
        addFindings();
        addArguments();
        addNodes();
        addEvents();
        addSource();
        std::erase_if(m_result.groups, [](const SearchGroup& group) { return group.total == 0; });
        return std::move(m_result);
    }

private:
    bool matches(const QString& text) const { return m_pattern.match(text).hasMatch(); }
    bool isCancelled() const { return m_job.cancel.requested(); }
    QString functionName(session::FunctionId id) const { return toQString(m_diagnosis.names[id.value]); }

    SearchGroup& begin(const char* name) {
        m_result.groups.push_back({translated(name), {}, 0});
        return m_result.groups.back();
    }

    static void add(SearchGroup& group, SearchHit hit) {
        ++group.total;
        if (group.hits.size() < kMostHits)
            group.hits.push_back(std::move(hit));
    }

    void addFunctions() {
        SearchGroup& group = begin(QT_TRANSLATE_NOOP("SessionSearch", "Functions"));
        for (std::size_t row = 0; row < m_session.functions.size() && !isCancelled(); ++row) {
            const session::Function& function = m_session.functions[row];
            const QString name = functionName(session::FunctionId(row));
            if (!matches(name) && !matches(toQString(m_session.text(function.parameters))))
                continue;
            SearchHit hit{name,
                          views::placeText(m_session.text(function.file), function.line),
                          QStringLiteral("signatures"),
                          {},
                          {},
                          {},
                          0};
            hit.selection.function = session::FunctionId(row);
            add(group, std::move(hit));
        }
    }

    void addFindings() {
        SearchGroup& group = begin(QT_TRANSLATE_NOOP("SessionSearch", "Findings"));
        for (const diagnose::Finding& finding : m_diagnosis.findings) {
            const QString title = toQString(finding.title);
            const QString cause = toQString(types::missKindName(finding.cause));
            if (!matches(title) && !matches(cause) && !matches(toQString(finding.edit.sentence)))
                continue;
            SearchHit hit{title, toQString(finding.name), QStringLiteral("findings"), {}, {}, {}, 0};
            const session::Miss& miss = m_session[finding.misses.front()];
            hit.selection.function = miss.function;
            hit.selection.miss = finding.misses.front();
            hit.selection.call = miss.call;
            hit.selection.entry = miss.entry;
            add(group, std::move(hit));
        }
    }

    void addArguments() {
        SearchGroup& group = begin(QT_TRANSLATE_NOOP("SessionSearch", "Arguments"));
        for (std::size_t row = 0; row < m_session.functions.size() && !isCancelled(); ++row) {
            const session::FunctionId function(row);
            for (const views::KeyComponent& component : views::keyComponents(m_diagnosis, function, m_job)) {
                const auto value = std::ranges::find_if(
                    component.values, [&](const auto& pair) { return matches(pair.first); });
                const bool isValue = value != component.values.end();
                if (!isValue && !matches(component.label))
                    continue;
                const auto values = static_cast<std::int64_t>(component.values.size());
                SearchHit hit{isValue ? QStringLiteral("%1: %2").arg(component.label, value->first)
                                      : component.label,
                              QStringLiteral("%1 · %2").arg(
                                  functionName(function),
                                  views::pluralText(values, translated("value"), translated("values"))),
                              QStringLiteral("signatures"),
                              {},
                              component.path,
                              {},
                              0};
                hit.selection.function = function;
                add(group, std::move(hit));
            }
        }
    }

    /// A node that several entries of a function have counts once.
    void addNodes() {
        SearchGroup& group = begin(QT_TRANSLATE_NOOP("SessionSearch", "Graph nodes"));
        std::set<std::pair<session::FunctionId, session::StringId>> seen;
        for (std::size_t row = 0; row < m_session.entries.size() && !isCancelled(); ++row) {
            const session::Entry& entry = m_session.entries[row];
            if (!entry.graph.isValid())
                continue;
            addNodesOf(group, entry.graph, session::EntryId(row),
                       [&](session::StringId name) { return seen.emplace(entry.function, name).second; });
        }
        for (const session::GraphId graph : session::graphsWithoutEntry(m_session)) {
            if (isCancelled())
                return;
            addNodesOf(group, graph, {}, [](session::StringId) { return true; });
        }
    }

    void addNodesOf(SearchGroup& group, session::GraphId id, session::EntryId entry, const auto& isNew) {
        const session::Graph& graph = m_session[id];
        for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
            if (node % 4096 == 0 && isCancelled())
                return;
            const QString name = toQString(m_session.text(graph.nodes[node].name));
            const QString op = toQString(m_session.text(graph.nodes[node].op));
            if ((!matches(name) && !matches(op)) || !isNew(graph.nodes[node].name))
                continue;
            SearchHit hit{name,
                          QStringLiteral("%1 · %2").arg(op, views::graphTitle(m_session, id)),
                          QStringLiteral("graph"),
                          {},
                          {},
                          {},
                          0};
            hit.selection.entry = entry;
            if (entry.isValid())
                hit.selection.function = m_session[entry].function;
            else
                hit.selection.graph = id;
            hit.selection.node = static_cast<std::uint32_t>(node);
            add(group, std::move(hit));
        }
    }

    /// Spans and kernels by name; a hit leads to the first of that name.
    void addEvents() {
        struct Named {
            std::int64_t count = 0;
            std::int64_t startNs = 0;
            session::EventRef first;
        };
        std::unordered_map<session::StringId, bool> isWanted;
        std::unordered_map<session::StringId, Named> found;
        const auto collect = [&](const auto& table, session::EventKind kind) {
            for (std::size_t row = 0; row < table.size(); ++row) {
                if (row % 65'536 == 0 && isCancelled())
                    return;
                const session::StringId name = table.name[row];
                const auto [wanted, isNew] = isWanted.try_emplace(name, false);
                if (isNew)
                    wanted->second = name.isValid() && matches(toQString(m_session.text(name)));
                if (!wanted->second)
                    continue;
                Named& named = found[name];
                if (named.count++ == 0 || table.startNs[row] < named.startNs) {
                    named.startNs = table.startNs[row];
                    named.first = {static_cast<std::uint32_t>(row), kind};
                }
            }
        };
        collect(m_session.spans, session::EventKind::Span);
        collect(m_session.kernels, session::EventKind::Kernel);
        std::vector<std::pair<session::StringId, Named>> order(found.begin(), found.end());
        std::ranges::sort(order, [](const auto& a, const auto& b) {
            return a.second.count != b.second.count ? a.second.count > b.second.count : a.first < b.first;
        });
        SearchGroup& group = begin(QT_TRANSLATE_NOOP("SessionSearch", "Events by name"));
        for (const auto& [name, named] : order) {
            SearchHit hit{toQString(m_session.text(name)),
                          views::pluralText(named.count, translated("event"), translated("events")),
                          QStringLiteral("timeline"),
                          {},
                          {},
                          {},
                          0};
            hit.selection.event = named.first;
            add(group, std::move(hit));
        }
    }

    void addSource() {
        SearchGroup& group = begin(QT_TRANSLATE_NOOP("SessionSearch", "Source lines"));
        for (const session::Source& source : m_session.sources) {
            const QStringList lines = toQString(m_session.text(source.text)).split(QLatin1Char('\n'));
            for (qsizetype i = 0; i < lines.size() && !isCancelled(); ++i) {
                if (!matches(lines[i]))
                    continue;
                const auto line = static_cast<std::uint32_t>(i + 1);
                add(group, {lines[i].trimmed(),
                            views::placeText(m_session.text(source.path), line),
                            QStringLiteral("source"),
                            {},
                            {},
                            toQString(m_session.text(source.path)),
                            line});
            }
        }
    }

    const diagnose::Diagnosis& m_diagnosis;
    const session::Session& m_session;
    const Job& m_job;
    QRegularExpression m_pattern;
    SearchResult m_result;
};

} // namespace

SearchResult searchSession(const diagnose::Diagnosis& diagnosis, const SearchQuery& query, const Job& job) {
    return Search(diagnosis, query, job).run();
}

} // namespace retracescope::gui
