#!/usr/bin/env python3
"""Checks that the manual's list of names has every name of the front door once, and no other.

Usage: check_names.py SOURCE_DIR. The names are what core/retracescope.h, or a header that it includes, has as types and using
declarations in the namespace retracescope itself, and, as "nn::NAME", what the headers of core/engine/nn declare. The list is the
tables of resources/manual/reference.md, whose rows start with a name or a call: | `conv2d(x, filters, window)` | ... |
"""
import collections
import pathlib
import re
import sys

FRONT_DOOR = "core/retracescope.h"
LIST = "resources/manual/reference.md"
INCLUDED = re.compile(r"#include <retracescope/([^>]+)>")
OWN_NAMESPACE = re.compile(r"^namespace retracescope \{\n(.*?)^\} // namespace retracescope$", re.M | re.S)
USING = re.compile(r"^using (?:\w+::)+(\w+);", re.M)
TYPE = re.compile(r"^(?:class|struct|enum class) (\w+)", re.M)
FUNCTION = re.compile(r"^(?:inline )?[\w:]+(?:<[^()]*>)?[ &*]+(\w+)\(", re.M)
DETAIL = re.compile(r"^namespace detail \{\n.*?^\} // namespace detail$", re.M | re.S)
ROW = re.compile(r"^\| `((?:nn::)?\w+)", re.M)


def front_door_names(source: pathlib.Path) -> set[str]:
    front = (source / FRONT_DOOR).read_text()
    headers = [source / "core" / path for path in INCLUDED.findall(front)]
    names = set()
    for text in [front] + [header.read_text() for header in headers]:
        for block in OWN_NAMESPACE.findall(text):
            names |= set(USING.findall(block)) | set(TYPE.findall(block))
    for header in (source / "core/engine/nn").glob("*.h"):
        text = DETAIL.sub("", header.read_text())
        names |= {"nn::" + name for name in TYPE.findall(text) + FUNCTION.findall(text)}
    return names


def check(source: pathlib.Path) -> list[str]:
    names = front_door_names(source)
    rows = collections.Counter(ROW.findall((source / LIST).read_text()))
    return [f"{LIST}: no row for {name}" for name in sorted(names - rows.keys())] + \
           [f"{LIST}: {name} is no name of the front door" for name in sorted(rows.keys() - names)] + \
           [f"{LIST}: {count} rows for {name}" for name, count in sorted(rows.items()) if count > 1]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("check_names.py: expected SOURCE_DIR")
    problems = check(pathlib.Path(sys.argv[1]))
    print("\n".join(problems) or "the manual lists every name of the front door")
    sys.exit(1 if problems else 0)
