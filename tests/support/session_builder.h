#pragma once

#include <string>
#include <vector>

#include <retracescope/session/session.h>

/// Builds sessions in memory for tests, call by call, with the rules of a small cache: a call whose
/// components equal a stored key hits it, every other one misses and traces. No engine, no file.
namespace retracescope::test {

/// Components of one tensor argument: type, dtype, rank, one per axis (-1 = open).
std::vector<types::Component> tensorArgument(const std::string& name, const std::string& dtype,
                                             const std::vector<int>& shape);

/// Components of one host value, e.g. literalArgument("flag", "bool", "False").
std::vector<types::Component> literalArgument(const std::string& name, const std::string& type,
                                              const std::string& value);

std::vector<types::Component> operator+(std::vector<types::Component> left,
                                        const std::vector<types::Component>& right);

class SessionBuilder {
public:
    SessionBuilder();

    session::FunctionId function(const std::string& name, const std::string& parameters,
                                 const std::string& file = "example.cpp", std::uint32_t line = 10);

    /// One call at the present time; a miss costs `traceNs` before `executeNs`. Returns the call.
    session::CallId call(session::FunctionId function, const std::vector<types::Component>& request,
                         std::int64_t traceNs = 2'000'000, std::int64_t executeNs = 100'000);

    void wait(std::int64_t ns) { m_nowNs += ns; }

    /// A chain of `nodes` nodes in scopes of ten, as graph of every later entry of `function`; 0 = small
    /// default.
    void graphSize(int nodes) { m_graphNodes = nodes; }

    /// For whatever the calls above cannot make.
    session::Session& session() { return *m_session; }

    /// What the miss was compared with, as a recorder writes it that lists all of it.
    std::vector<session::Competing>& listCompared(std::size_t miss);

    session::SessionPtr finish();

private:
    session::SignatureId signature(const std::vector<types::Component>& components);
    session::EntryId findEntry(session::FunctionId function, session::SignatureId signature) const;
    session::EntryId addEntry(session::FunctionId function, session::SignatureId signature,
                              std::int64_t traceNs);
    session::GraphId addGraph(const std::string& name);
    void addMiss(session::FunctionId function, session::CallId call, session::SignatureId request,
                 std::int64_t traceNs);

    std::shared_ptr<session::Session> m_session = std::make_shared<session::Session>();
    std::int64_t m_nowNs = 1'000'000'000;
    int m_graphNodes = 0;
};

/// The five calls of the process_data lesson: trace, trace, hit, trace, trace.
session::SessionPtr processDataSession();

} // namespace retracescope::test
