#!/usr/bin/env python3
"""Checks that every path and command named in the documents exists.

Usage: check_docs.py SOURCE_DIR BUILD_DIR. Looks at `code spans` and shell blocks of every Markdown file of the project.
A word in angle brackets or capitals (<name>, FILE) and * stand for anything; build/ and out/ are made by commands and
are checked only as far as a target or a documented file name goes.
"""
import json
import pathlib
import re
import subprocess
import sys

TOOLS = {"cmake", "ctest", "ninja", "git", "clang-format-16", "clang-tidy-16", "apt-get", "python3", "xvfb-run", "sqlite3",
         "cd", "mkdir", "g++", "dot", "QT_QPA_PLATFORM=offscreen", "run-clang-tidy-16"}
GENERATED = ("build/", "out/", "retracescope/")
PATH = re.compile(r"^[A-Za-z0-9_.{},*<>-]+(/[A-Za-z0-9_.{},*<>-]+)+/?$|^[A-Z][A-Za-z]*\.(md|txt|json)$")
EXTENSION = re.compile(r"\.(md|h|cpp|txt|json|py|sh|cmake|svg|png|proto|qrc)$")


def expand(path: str) -> list[str]:
    """a/{b,c}.h -> a/b.h a/c.h"""
    match = re.search(r"\{([^{}]*)\}", path)
    if not match:
        return [path]
    return [p for part in match.group(1).split(",") for p in expand(path[:match.start()] + part + path[match.end():])]


def exists(source: pathlib.Path, path: str) -> bool:
    pattern = re.sub(r"<[^>]*>", "*", path).rstrip("/")
    for root in (source, source / "core"):
        if "*" in pattern and any(root.glob(pattern)):
            return True
        if "*" not in pattern and (root / pattern).exists():
            return True
    return False


def check_spans(source, name, text) -> list[str]:
    problems = []
    prose = re.sub(r"```.*?```", "", text, flags=re.S)
    candidates = re.findall(r"`([^`\n]+)`", prose) + re.findall(r"\]\(([^)#]+)\)", prose)
    for span in candidates:
        span = span.strip()
        if span.startswith(("http:", "https:")) or not PATH.match(span):
            continue
        if "/" in span and not EXTENSION.search(span) and not (source / span.split("/")[0]).exists():
            continue  # not a path of the project: a mime type, x/y in prose
        for path in expand(span):
            if not path.startswith(GENERATED) and not exists(source, path):
                problems.append(f"{name}: `{span}` does not exist")
    return problems


def verbs(build: pathlib.Path) -> set[str]:
    rscope = build / "bin" / "rscope"
    if not rscope.exists():
        return set()
    text = subprocess.run([rscope, "--help"], capture_output=True, text=True, check=False).stdout
    return set(re.findall(r"^  ([a-z]+)\s", text, re.M))


def check_commands(source, build, name, text) -> list[str]:
    problems = []
    presets = {p["name"] for p in json.loads((source / "CMakePresets.json").read_text())["configurePresets"]}
    known_verbs = verbs(build)
    for block in re.findall(r"```(?:sh|bash|console)\n(.*?)```", text, re.S):
        for line in block.replace("\\\n", " ").splitlines():
            words = line.split("#")[0].split()
            while words and re.match(r"^[A-Z_]+=\S*$", words[0]):
                words = words[1:]
            if not words:
                continue
            command = words[0].removeprefix("./")
            program = command.rsplit("/", 1)[-1]
            if program == "rscope":
                verb = words[1] if len(words) > 1 else ""
                if known_verbs and re.match(r"^[a-z]+$", verb) and verb not in known_verbs:
                    problems.append(f"{name}: rscope has no verb '{verb}': {line.strip()}")
            elif program != "retracescope" and command not in TOOLS and not command.startswith("build/") \
                    and not (source / command).exists():
                problems.append(f"{name}: '{command}' is no command of the project: {line.strip()}")
            for flag, value in zip(words, words[1:]):
                if flag == "--preset" and value not in presets:
                    problems.append(f"{name}: no preset '{value}': {line.strip()}")
            for word in words[1:]:
                if EXTENSION.search(word) and "/" in word and not re.search(r"[<>*]|[A-Z]{3,}", word) \
                        and not word.startswith(("/", "-", "~")) and not word.startswith(GENERATED) \
                        and not exists(source, word):
                    problems.append(f"{name}: {word} does not exist: {line.strip()}")
    return problems


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("check_docs.py: expected SOURCE_DIR BUILD_DIR")
    source, build = map(pathlib.Path, sys.argv[1:])
    problems, count = [], 0
    for path in sorted(source.rglob("*.md")):
        name = path.relative_to(source).as_posix()
        if name.startswith(GENERATED) or "/." in "/" + name:
            continue
        count += 1
        text = path.read_text()
        problems += check_spans(source, name, text) + check_commands(source, build, name, text)
    print("\n".join(problems) or f"{count} documents name only what exists")
    sys.exit(1 if problems else 0)
