#pragma once

#include <cmath>

#include <retracescope/diagnose/overview.h>

#include "tests/support/session_builder.h"

namespace retracescope::test {

/// A training run: `steps` calls of train_one_step that trace for every new length, an eval_step that traces
/// each time, process_data with one new shape; trace and optimise spans, a worker thread, a stream, a
/// counter, two marks.
inline session::SessionPtr trainingSession(int steps = 120) {
    SessionBuilder builder;
    session::Session& s = builder.session();
    const auto lane = [&](session::LaneKind kind, const char* name) {
        session::Lane row;
        row.kind = kind;
        row.name = s.strings.intern(name);
        s.lanes.push_back(row);
        return session::LaneId(s.lanes.size() - 1);
    };
    const session::LaneId main(std::uint32_t{0});
    const session::LaneId worker = lane(session::LaneKind::Thread, "data worker 1");
    const session::LaneId stream = lane(session::LaneKind::Stream, "stream 7 · kernels");
    const session::LaneId memory = lane(session::LaneKind::Counter, "memory in use");
    lane(session::LaneKind::Thread, "idle thread");
    const auto span = [&](session::LaneId on, std::int64_t start, std::int64_t length, const char* name,
                          const char* kind, session::FunctionId function = {}) {
        s.spans.startNs.push_back(start);
        s.spans.durationNs.push_back(length);
        s.spans.lane.push_back(on);
        s.spans.name.push_back(s.strings.intern(name));
        s.spans.category.push_back(s.strings.intern(kind));
        s.spans.function.push_back(function);
        s.spans.entry.push_back({});
        s.spans.args.push_back(s.strings.intern(""));
        s.spans.row.push_back(0);
    };
    const auto train = builder.function("train_one_step", "x, y", "train.py", 41);
    const auto eval = builder.function("eval_step", "x", "train.py", 86);
    const auto prepare = builder.function("process_data", "x, use_extra_feature", "data.py", 12);
    const auto called = [&](session::FunctionId f, const std::vector<types::Component>& request,
                            std::int64_t traceNs, std::int64_t executeNs) {
        const session::CallId call = builder.call(f, request, traceNs, executeNs);
        const std::int64_t start = s.calls.startNs[call.value];
        const std::int64_t trace = s.calls.traceNs[call.value];
        if (trace > 0) {
            span(main, start, trace * 7 / 10, "python", "trace", f);
            span(main, start + trace * 7 / 10, trace * 3 / 10, "grappler", "optimise", f);
        }
        span(main, start + trace, executeNs, "execute", "execute", f);
        for (int k = 0; k < 4; ++k) {
            s.kernels.startNs.push_back(start + trace + k * executeNs / 5);
            s.kernels.durationNs.push_back(executeNs / 6);
            s.kernels.lane.push_back(stream);
            s.kernels.name.push_back(s.strings.intern(k == 3       ? "Memcpy HtoD"
                                                      : k % 2 == 0 ? "matmul_128x64_tn"
                                                                   : "softmax_warp"));
            s.kernels.entry.push_back(s.calls.entry[call.value]);
            s.kernels.node.push_back(Id<void>::kNone);
        }
        s.counters.timeNs.push_back(start);
        s.counters.lane.push_back(memory);
        s.counters.value.push_back(2e9 + 4e8 * std::sin(static_cast<double>(call.value) / 9));
        return call;
    };
    for (int i = 0; i < steps; ++i) {
        if (i % 4 == 0)
            called(prepare, tensorArgument("x", "float32", {i == 60 ? 3 : 2}), 40'000'000, 4'000'000);
        called(train, tensorArgument("x", "int32", {i % 20 == 19 ? 17 : 32, 38 + i / 9}), 420'000'000,
               22'000'000);
        span(worker, s.calls.startNs.back() + 2'000'000, 9'000'000, "decode", "");
        if (i % 40 == 39) {
            for (int k = 0; k < 12; ++k)
                called(eval, literalArgument("step", "int", std::to_string(i * 100 + k)), 120'000'000,
                       20'000'000);
            s.marks.push_back({s.calls.startNs.back(),
                               s.strings.intern("user"),
                               s.strings.intern("epoch " + std::to_string(i / 40 + 1)),
                               {},
                               {}});
            builder.wait(180'000'000);
        }
    }
    return builder.finish();
}

} // namespace retracescope::test
