#!/usr/bin/env python3
"""Compares the chapter "Engine" with the programs that it quotes: their text, and what they print; looks for the tests that the
table of features names.

Usage: manual_test.py SOURCE_DIR PROGRAM [--write]. In the chapter, "<!-- program: NAME -->" stands before a block of code
and, behind that, a block with the output. --write puts both in place of what is there.
"""
import pathlib
import re
import subprocess
import sys
import textwrap

QUOTED = re.compile(r"^ *// \[(\w+)\]\n(.*?)^ *// \[end\]", re.M | re.S)
BLOCKS = re.compile(r"<!-- program: (\w+) -->\n```cpp\n(.*?)```\n\n```text\n(.*?)```\n", re.S)

TEST_CLASS = re.compile(r"class (\w+)\s*: public QObject \{(.*?)\n\};", re.S)


def missing_tests(source: pathlib.Path) -> list[str]:
    """Tests "Class::function" that features.md names and no test program has."""
    known = set()
    for path in (source / "tests").rglob("*_test.cpp"):
        for name, body in TEST_CLASS.findall(path.read_text()):
            known.update(f"{name}::{function}" for function in re.findall(r"void (\w+)\(\)", body))
    named = re.findall(r"`(\w+Test::\w+)`", (source / "resources/manual/features.md").read_text())
    return [f"features.md: no test is named {test}" for test in sorted(set(named) - known)]


def main() -> int:
    source = pathlib.Path(sys.argv[1])
    chapter = source / "resources/manual/engine.md"
    programs = {name: textwrap.dedent(text) for name, text in
                QUOTED.findall((source / "resources/manual/engine_examples.cpp").read_text())}
    problems = missing_tests(source)
    seen = set()

    def replace(found: re.Match) -> str:
        name, code, output = found.groups()
        seen.add(name)
        if name not in programs:
            problems.append(f"{name}: engine_examples.cpp has no program of that name")
            return found.group(0)
        run = subprocess.run([sys.argv[2], name], text=True, capture_output=True)
        printed = run.stdout
        if run.returncode != 0:
            problems.append(f"{name}: exit code {run.returncode}: {run.stderr}")
        if code != programs[name]:
            problems.append(f"{name}: the chapter quotes other code than engine_examples.cpp holds")
        if output != printed:
            problems.append(f"{name}: the chapter shows\n{output}but the program prints\n{printed}")
        return f"<!-- program: {name} -->\n```cpp\n{programs[name]}```\n\n```text\n{printed}```\n"

    written = BLOCKS.sub(replace, chapter.read_text())
    for name in sorted(programs.keys() - seen):
        problems.append(f"{name}: not in the chapter")
    if "--write" in sys.argv:
        chapter.write_text(written)
        return 0
    if problems:
        print("\n".join(problems) + "\nresources/manual/engine.md is out of date; run this script with --write")
        return 1
    print(f"{len(seen)} programs of the manual print what it says")
    return 0


if __name__ == "__main__":
    sys.exit(main())
