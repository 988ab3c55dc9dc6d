#!/usr/bin/env python3
"""Compares the chapter "Engine" with the programs that it quotes: their text, and what they print.

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


def main() -> int:
    source = pathlib.Path(sys.argv[1])
    chapter = source / "resources/manual/engine.md"
    programs = {name: textwrap.dedent(text) for name, text in
                QUOTED.findall((source / "resources/manual/engine_examples.cpp").read_text())}
    problems = []
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
