#include <retracescope/session/table_writer.h>

#include <optional>

#include <retracescope/session/schema.h>

namespace retracescope::session {

using sqlite::Database;
using sqlite::Statement;

namespace {

/// A text as it is bound: NULL if it is not recorded.
struct Text {
    const StringPool& pool;
    StringId id;
};

void bindText(Statement& statement, int index, const Text& text) {
    if (text.id.isValid())
        statement.bind(index, text.pool[text.id]);
    else
        statement.bind(index, nullptr);
}

/// Statement::run that also takes Text.
template <class... Values>
void insert(Statement& statement, const Values&... values) {
    int index = 0;
    const auto bindOne = [&](const auto& value) {
        ++index;
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, Text>)
            bindText(statement, index, value);
        else
            statement.bind(index, value);
    };
    (bindOne(values), ...);
    statement.run();
}

/// Calls `write` for each row of `rows` beyond `written`, with its number, and remembers that it has.
template <class Row, class Write>
void writeRows(const std::vector<Row>& rows, std::size_t& written, Write&& write) {
    for (; written < rows.size(); ++written)
        write(rows[written], written);
}

std::string joinKinds(const std::vector<types::MissKind>& kinds) {
    std::string text;
    for (const types::MissKind kind : kinds) {
        text += text.empty() ? "" : ",";
        text += types::missKindName(kind);
    }
    return text;
}

} // namespace

StringWriter::StringWriter(Database& database) : m_insert(database, "INSERT INTO strings VALUES(?,?)") {}

StringId StringWriter::write(const StringPool& pool, StringId text) {
    if (!text.isValid())
        return text;
    if (text.value >= m_inFile.size())
        m_inFile.resize(pool.size());
    StringId& inFile = m_inFile[text.value];
    if (!inFile.isValid()) {
        inFile = StringId(m_count++);
        m_insert.run(inFile, pool[text]);
    }
    return inFile;
}

void TableWriter::writeNewRows(const Session& session, GraphTables& graphs) {
    writeFunctions(session);
    writeSignatures(session);
    writeEntries(session);
    writeMisses(session);
    writeGraphs(session, graphs);
    writeLanesAndStacks(session);
    writeTexts(session);
    if (!m_written.imported && !session.imported.format.empty()) {
        writeImported(session.imported);
        m_written.imported = true;
    }
}

void TableWriter::writeFunctions(const Session& session) {
    if (m_written.functions == session.functions.size())
        return;
    Statement statement(m_database, "INSERT INTO functions VALUES(?,?,?,?,?,?,?,?,?,?,?,?)");
    const auto text = [&](StringId id) { return Text{session.strings, id}; };
    writeRows(session.functions, m_written.functions, [&](const Function& f, std::size_t row) {
        insert(statement, row, text(f.name), text(f.qualifiedName), text(f.engine), text(f.file), f.line,
               text(f.parameters), text(f.options), text(f.inputSignature), f.parent, f.madeNs, f.bodyRuns);
    });
}

void TableWriter::writeSignatures(const Session& session) {
    if (m_written.signatures == session.signatures.size())
        return;
    Statement statement(m_database, "INSERT INTO signatures VALUES(?,?)");
    Statement component(m_database, "INSERT INTO signature_components VALUES(?,?,?,?,?,?)");
    writeRows(session.signatures, m_written.signatures, [&](const Signature& signature, std::size_t row) {
        insert(statement, row, Text{session.strings, signature.text});
        for (std::size_t i = 0; i < signature.components.size(); ++i) {
            const types::Component& c = signature.components[i];
            component.run(row, i, c.path, types::componentKindName(c.kind), c.value, c.open);
        }
    });
}

void TableWriter::writeEntries(const Session& session) {
    if (m_written.entries == session.entries.size())
        return;
    Statement statement(m_database, "INSERT INTO entries VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    const auto text = [&](StringId id) { return Text{session.strings, id}; };
    writeRows(session.entries, m_written.entries, [&](const Entry& e, std::size_t row) {
        insert(statement, row, e.function, e.number, e.signature, e.relaxed, text(e.name), text(e.output),
               text(e.listing), e.graph, e.madeNs, e.traceNs, e.nodeCount, e.captureCount,
               entryStateName(e.state), e.droppedNs);
    });
}

void TableWriter::writeMisses(const Session& session) {
    if (m_written.misses == session.misses.size())
        return;
    Statement statement(m_database, "INSERT INTO misses VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    Statement competing(m_database, "INSERT INTO competing VALUES(?,?,?,?)");
    Statement difference(m_database, "INSERT INTO differences VALUES(?,?,?,?,?,?,?)");
    const auto text = [&](StringId id) { return Text{session.strings, id}; };
    writeRows(session.misses, m_written.misses, [&](const Miss& m, std::size_t row) {
        const std::string kinds = joinKinds(m.otherKinds);
        insert(statement, row, m.function, m.call, m.callNumber, m.timeNs, m.request, m.widened, m.entry,
               text(m.exception), kinds, m.traceNs, m.stack, m.withdrawn, m.entriesBefore);
        for (std::size_t i = 0; i < m.competing.size(); ++i) {
            insert(competing, row, i, m.competing[i].entry, text(m.competing[i].reason));
            for (std::size_t k = 0; k < m.competing[i].differences.size(); ++k) {
                const types::Difference& d = m.competing[i].differences[k];
                difference.run(row, i, k, types::missKindName(d.kind), d.path, d.before, d.after);
            }
        }
    });
}

void TableWriter::writeGraphs(const Session& session, GraphTables& parts) {
    if (m_written.graphs == session.graphs.size())
        return;
    Statement statement(m_database, "INSERT INTO graphs VALUES(?,?,?,?,?,?,?,?)");
    writeRows(session.graphs, m_written.graphs, [&](const Graph& graph, std::size_t row) {
        const GraphExtent extent = appendGraph(graph, parts);
        statement.run(row, m_strings.write(session.strings, graph.name), graph.isLibraryFunction,
                      extent.nodes, extent.inputs, extent.attributes, extent.callees, extent.outputs);
    });
}

void TableWriter::writeLanesAndStacks(const Session& session) {
    const auto text = [&](StringId id) { return Text{session.strings, id}; };
    if (m_written.lanes < session.lanes.size()) {
        Statement statement(m_database, "INSERT INTO lanes VALUES(?,?,?,?,?,?)");
        writeRows(session.lanes, m_written.lanes, [&](const Lane& lane, std::size_t row) {
            insert(statement, row, laneKindName(lane.kind), text(lane.name), text(lane.process),
                   text(lane.processId), text(lane.threadId));
        });
    }
    if (m_written.stacks < session.stacks.size()) {
        Statement statement(m_database, "INSERT INTO stacks VALUES(?)");
        Statement frame(m_database, "INSERT INTO frames VALUES(?,?,?,?,?)");
        writeRows(session.stacks, m_written.stacks, [&](const Stack& stack, std::size_t row) {
            statement.run(row);
            for (std::size_t i = 0; i < stack.frames.size(); ++i)
                insert(frame, row, i, text(stack.frames[i].function), text(stack.frames[i].file),
                       stack.frames[i].line);
        });
    }
}

void TableWriter::writeTexts(const Session& session) {
    const auto text = [&](StringId id) { return Text{session.strings, id}; };
    if (m_written.sources < session.sources.size()) {
        Statement statement(m_database, "INSERT INTO sources VALUES(?,?,?)");
        writeRows(session.sources, m_written.sources, [&](const Source& source, std::size_t row) {
            insert(statement, row, text(source.path), text(source.text));
        });
    }
    if (m_written.marks < session.marks.size()) {
        Statement statement(m_database, "INSERT INTO marks VALUES(?,?,?,?,?,?)");
        writeRows(session.marks, m_written.marks, [&](const Mark& mark, std::size_t row) {
            insert(statement, row, mark.timeNs, text(mark.kind), text(mark.text), mark.function, mark.entry);
        });
    }
    if (m_written.logs < session.logs.size()) {
        Statement statement(m_database, "INSERT INTO logs VALUES(?,?,?,?)");
        writeRows(session.logs, m_written.logs, [&](const LogLine& line, std::size_t row) {
            insert(statement, row, line.timeNs, text(line.channel), text(line.text));
        });
    }
    if (m_written.facts < session.facts.size()) {
        Statement statement(m_database, "INSERT INTO facts VALUES(?,?,?,?)");
        writeRows(session.facts, m_written.facts, [&](const Fact& fact, std::size_t row) {
            statement.run(row, fact.area, fact.key, fact.value);
        });
    }
}

void TableWriter::writeImported(const ImportFacts& facts) {
    Statement statement(m_database, "INSERT INTO imported VALUES(?,?,?,?)");
    std::int64_t row = 0;
    const auto add = [&](std::string_view name, std::string_view key, const auto& value) {
        statement.run(row++, name, key, value);
    };
    add("format", "", facts.format);
    add("source", "", facts.source);
    add("events", "", facts.events);
    add("begin_end_pairs", "", facts.beginEndPairs);
    add("processes", "", facts.processes);
    add("lanes_with_events", "", facts.lanesWithEvents);
    add("first_ns", "", facts.firstNs);
    add("last_ns", "", facts.lastNs);
    for (const auto& [phase, count] : facts.byPhase)
        add("phase", phase, count);
    for (const auto& [reason, count] : facts.skipped)
        add("skipped", reason, count);
    for (const std::string& warning : facts.warnings)
        add("warning", "", warning);
}

void TableWriter::writeChanges(const Session& session, const ChangedRows& changed) {
    const auto update = [&](const char* sql, const auto& ids, std::size_t written, const auto& run) {
        std::optional<Statement> statement;
        for (const auto id : ids) {
            if (id.value >= written)
                continue;
            if (!statement)
                statement.emplace(m_database, sql);
            run(*statement, id);
        }
    };
    update("UPDATE functions SET body_runs=? WHERE id=?", changed.functions, m_written.functions,
           [&](Statement& statement, FunctionId id) { statement.run(session[id].bodyRuns, id); });
    update("UPDATE entries SET trace_ns=?, state=?, dropped_ns=? WHERE id=?", changed.entries,
           m_written.entries, [&](Statement& statement, EntryId id) {
               statement.run(session[id].traceNs, entryStateName(session[id].state), session[id].droppedNs,
                             id);
           });
    update("UPDATE misses SET entry=?, exception=?, trace_ns=?, withdrawn=? WHERE id=?", changed.misses,
           m_written.misses, [&](Statement& statement, MissId id) {
               insert(statement, session[id].entry, Text{session.strings, session[id].exception},
                      session[id].traceNs, session[id].withdrawn, id);
           });
}

} // namespace retracescope::session
