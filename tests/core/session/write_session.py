#!/usr/bin/env python3
"""Writes a session file with the standard library alone, as core/session/FORMAT.md says.

usage: write_session.py FILE

One function is called three times: a trace, a hit, a trace because the length of x changed.
"""
import sqlite3
import struct
import sys

NONE = 0xFFFFFFFF
CALLS = "start_ns:i64 duration_ns:i64 lane:u32 function:u32 entry:u32 outcome:u8 number:u32 trace_ns:i64 stack:u32"
INSTANTS = "time_ns:i64 lane:u32 name:u32"
LETTERS = {"i64": "q", "u32": "I", "u8": "B", "f64": "d"}


def chunk(columns, rows):
    """The blob of a chunk: codec 0, length and values of each column."""
    data = b""
    for column, name in enumerate(columns.split()):
        letter = LETTERS[name.split(":")[1]]
        values = struct.pack("<%d%s" % (len(rows), letter), *[row[column] for row in rows])
        data += struct.pack("<BI", 0, len(values)) + values
    return data


def add(db, table, *rows):
    for row in rows:
        db.execute("INSERT INTO %s VALUES(%s)" % (table, ",".join("?" * len(row))), row)


def write(path):
    db = sqlite3.connect(path)
    db.execute("PRAGMA application_id=0x52545243")
    db.execute("PRAGMA user_version=1001")
    for table in (
        "meta(key, value)", "facts(id, area, key, value)",
        "functions(id INTEGER PRIMARY KEY, name, engine, parameters, file, line)",
        "signatures(id INTEGER PRIMARY KEY, text)",
        "signature_components(signature, position, path, kind, value)",
        "entries(id INTEGER PRIMARY KEY, function, number, signature, name, graph, trace_ns)",
        "misses(id INTEGER PRIMARY KEY, function, call_number, time_ns, request, entry, entries_before, other_kinds, "
        "trace_ns)",
        "lanes(id INTEGER PRIMARY KEY, kind, name)",
        "strings(id INTEGER PRIMARY KEY, text)",
        "graphs(id INTEGER PRIMARY KEY, name, library)",
        "graph_nodes(graph, node, name, op)", "graph_inputs(graph, node, position, source)",
        "streams(id INTEGER PRIMARY KEY, name, columns)",
        "chunks(id INTEGER PRIMARY KEY, stream, rows, data)",
    ):
        db.execute("CREATE TABLE " + table)

    add(db, "facts", (0, "machine", "engine", "python"))
    add(db, "functions", (0, "step", "jax", "x", "train.py", 12))
    add(db, "lanes", (0, "thread", "main"))
    for number, length in enumerate((2, 3)):
        add(db, "signatures", (number, "f32[%d]" % length))
        add(db, "signature_components", (number, 0, "x.dtype", "dtype", "float32"),
            (number, 1, "x.shape[0]", "dimension", str(length)))
    add(db, "strings", (0, "step"), (1, "x"), (2, "parameter"), (3, "double"), (4, "add"), (5, "epoch"))
    add(db, "graphs", (0, 0, 0))
    add(db, "graph_nodes", (0, 0, 1, 2), (0, 1, 3, 4))
    add(db, "graph_inputs", (0, 1, 0, 0), (0, 1, 1, 0))
    add(db, "entries", (0, 0, 1, 0, "step_1", 0, 900), (1, 0, 2, 1, "step_2", None, 800))
    add(db, "misses", (0, 0, 1, 1000, 0, 0, 0, "first_call", 900), (1, 0, 3, 4000, 1, 1, 1, "", 800))

    add(db, "streams", (0, "calls", CALLS), (1, "instants", INSTANTS))
    calls = [(1000, 1000, 0, 0, 0, 1, 1, 900, NONE), (3000, 100, 0, 0, 0, 0, 2, 0, NONE),
             (4000, 900, 0, 0, 1, 1, 3, 800, NONE)]
    instants = [(3500, 0, 5)]
    add(db, "chunks", (0, 0, len(calls), chunk(CALLS, calls)), (1, 1, len(instants), chunk(INSTANTS, instants)))
    add(db, "meta", ("closed", "1"), ("writer", "write_session.py"))
    db.commit()
    db.close()


if __name__ == "__main__":
    write(sys.argv[1])
