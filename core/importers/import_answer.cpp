#include <retracescope/importers/import_answer.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <unordered_set>

#include <retracescope/session/query.h>

namespace retracescope::importers {

using Json = nlohmann::ordered_json;

namespace {

Json counts(const std::map<std::string, std::int64_t>& values) {
    Json object = Json::object();
    for (const auto& [key, count] : values)
        object[key] = count;
    return object;
}

std::string_view kindOfPhase(std::string_view phase) {
    static const std::map<std::string_view, std::string_view> kKinds = {{"X", "complete"},
                                                                        {"B", "begin"},
                                                                        {"E", "end"},
                                                                        {"i", "instant"},
                                                                        {"I", "instant"},
                                                                        {"R", "instant"},
                                                                        {"C", "counter"},
                                                                        {"b", "async_begin"},
                                                                        {"n", "async_instant"},
                                                                        {"e", "async_end"},
                                                                        {"S", "old_async_start"},
                                                                        {"T", "old_async_step_into"},
                                                                        {"p", "old_async_step_past"},
                                                                        {"F", "old_async_finish"},
                                                                        {"s", "flow_start"},
                                                                        {"t", "flow_step"},
                                                                        {"f", "flow_end"},
                                                                        {"M", "metadata"},
                                                                        {"N", "object_created"},
                                                                        {"O", "object_snapshot"},
                                                                        {"D", "object_deleted"},
                                                                        {"P", "sample"},
                                                                        {"V", "memory_dump_global"},
                                                                        {"v", "memory_dump_process"},
                                                                        {"c", "clock_sync"},
                                                                        {"(", "context_enter"},
                                                                        {")", "context_leave"}};
    const auto found = kKinds.find(phase);
    return found == kKinds.end() ? "unknown_phase" : found->second;
}

Json byKind(const std::map<std::string, std::int64_t>& byPhase) {
    std::map<std::string, std::int64_t> kinds;
    for (const auto& [phase, count] : byPhase)
        kinds[std::string(kindOfPhase(phase))] += count;
    return counts(kinds);
}

Json timeline(const session::Session& session) {
    const session::ImportFacts& facts = session.imported;
    std::unordered_set<std::uint32_t> lanes;
    for (const session::LaneId lane : session.spans.lane)
        lanes.insert(lane.value);
    for (const session::LaneId lane : session.calls.lane)
        lanes.insert(lane.value);
    const bool hasTimes = facts.lanesWithEvents > 0;
    Json answer;
    answer["events"] = facts.events;
    answer["by_phase"] = counts(facts.byPhase);
    answer["by_kind"] = byKind(facts.byPhase);
    answer["skipped"] = counts(facts.skipped);
    answer["processes"] = facts.processes;
    answer["lanes_with_events"] = facts.lanesWithEvents;
    answer["lanes_with_spans"] = lanes.size();
    answer["first_ns"] = hasTimes ? Json(facts.firstNs) : Json();
    answer["last_ns"] = hasTimes ? Json(facts.lastNs) : Json();
    answer["duration_ns"] = hasTimes ? Json(facts.lastNs - facts.firstNs) : Json();
    // A span that is a call of a traced function lies in the table of calls.
    answer["spans"] = session.spans.size() + session.calls.size();
    answer["begin_end_pairs"] = facts.beginEndPairs;
    return answer;
}

using OpCounts = std::unordered_map<session::StringId, std::int64_t>;

/// [["Const", 6], ["Placeholder", 2], ...]: the most frequent ones, ties by name.
Json topOps(const session::Session& session, const OpCounts& ops) {
    std::vector<std::pair<std::string_view, std::int64_t>> sorted;
    for (const auto& [op, count] : ops)
        sorted.emplace_back(session.text(op), count);
    std::ranges::sort(sorted, [](const auto& a, const auto& b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    constexpr std::size_t kMostOps = 20;
    Json list = Json::array();
    for (std::size_t i = 0; i < std::min(sorted.size(), kMostOps); ++i)
        list.push_back(Json::array({sorted[i].first, sorted[i].second}));
    return list;
}

std::int64_t countEdges(const session::Graph& graph, bool control) {
    return std::ranges::count(graph.inputs, control, &session::GraphEdge::control);
}

Json graph(const session::Session& session) {
    Json answer;
    OpCounts functionOps;
    std::int64_t functions = 0;
    std::int64_t functionNodes = 0;
    std::int64_t functionDataEdges = 0;
    std::int64_t functionControlEdges = 0;
    for (const session::Graph& each : session.graphs) {
        if (!each.isLibraryFunction) {
            OpCounts ops;
            for (const session::GraphNode& node : each.nodes)
                ++ops[node.op];
            answer["nodes"] = each.nodes.size();
            answer["distinct_ops"] = ops.size();
            answer["ops"] = topOps(session, ops);
            answer["data_edges"] = countEdges(each, false);
            answer["control_edges"] = countEdges(each, true);
            answer["dangling_inputs"] = std::ranges::count_if(
                each.inputs, [](const session::GraphEdge& e) { return e.from == Id<void>::kNone; });
            continue;
        }
        ++functions;
        functionNodes += static_cast<std::int64_t>(each.nodes.size());
        functionDataEdges += countEdges(each, false);
        functionControlEdges += countEdges(each, true);
        for (const session::GraphNode& node : each.nodes)
            ++functionOps[node.op];
    }
    answer["functions"] = functions;
    answer["function_nodes"] = functionNodes;
    answer["function_ops"] = topOps(session, functionOps);
    answer["function_data_edges"] = functionDataEdges;
    answer["function_control_edges"] = functionControlEdges;
    return answer;
}

} // namespace

std::string importAnswer(const session::Session& session) {
    Json answer;
    answer["format"] = session.imported.format;
    answer["opens"] = true;
    answer["warnings"] = session.imported.warnings;
    if (session.calls.size() > 0) {
        const auto functions = session::summarizeFunctions(session, session::buildIndex(session));
        const session::CallCounts counts = session::countCalls(functions);
        answer["functions"] = functions.size();
        answer["calls"] = counts.calls;
        answer["hits"] = counts.hits;
        answer["traces"] = counts.traces == session::kNotRecorded ? Json() : Json(counts.traces);
    }
    if (session.imported.format == "graphdef")
        answer["graph"] = graph(session);
    else
        answer["timeline"] = timeline(session);
    return answer.dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace retracescope::importers
