#!/usr/bin/env python3
"""Checks every #include against the declared dependencies, and the declarations against ARCHITECTURE.md.

Usage: check_layers.py SOURCE_DIR BUILD_DIR. Reads BUILD_DIR/layers.txt (written by retracescope_library: name, folder,
allowed libraries) and the block between "<!-- arrows -->" markers of ARCHITECTURE.md.
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)
CODE = {".h", ".cpp", ".cu", ".inl"}


def read_layers(build: pathlib.Path) -> dict[str, tuple[str, list[str]]]:
    layers = {}
    for line in (build / "layers.txt").read_text().splitlines():
        name, folder, *allowed = line.split()
        layers[name] = (folder, allowed)
    return layers


def closure(layers, name, seen=None) -> set[str]:
    seen = set() if seen is None else seen
    if name in seen or name not in layers:
        return seen
    seen.add(name)
    for other in layers[name][1]:
        closure(layers, other, seen)
    return seen


def owner(folders: dict[str, str], path: str) -> str | None:
    """The library whose folder holds `path` most closely."""
    best = None
    for folder, name in folders.items():
        if path.startswith(folder + "/") and (best is None or len(folder) > len(best[0])):
            best = (folder, name)
    return best[1] if best else None


def included_path(include: str) -> str:
    """core's headers are spelled retracescope/...; everything else of the project from its root."""
    return "core/" + include[len("retracescope/"):] if include.startswith("retracescope/") else include


def check_includes(source: pathlib.Path, layers) -> list[str]:
    folders = {folder: name for name, (folder, _) in layers.items()}
    problems = []
    for top in ("core", "views"):
        for path in sorted((source / top).rglob("*")):
            if path.suffix not in CODE:
                continue
            own = path.relative_to(source).as_posix()
            library = owner(folders, own)
            if library is None:
                problems.append(f"{own}: lies in no declared library; add it to a retracescope_library")
                continue
            reachable = closure(layers, library)
            for include in INCLUDE.findall(path.read_text(errors="replace")):
                target = included_path(include)
                if top == "core" and (re.match(r"^Q[A-Z]", include) or include.startswith("Qt")):
                    problems.append(f"{own}: core has no Qt, but it includes <{include}>")
                if not target.startswith(("core/", "views/", "app/")):
                    continue
                if target.startswith("app/"):
                    problems.append(f"{own}: a library may not include a program's {include}")
                    continue
                if not (source / target).exists():
                    problems.append(f"{own}: {include} does not exist")
                    continue
                other = owner(folders, target)
                if other not in reachable:
                    problems.append(f"{own}: {library} may not include {other} ({include})")
    for path in sorted((source / "app" / "cli").rglob("*")):
        if path.suffix in CODE and re.search(r"#include\s*[<\"](Q[A-Z]|views/)", path.read_text()):
            problems.append(f"{path.relative_to(source)}: the command line has no Qt")
    return problems


def check_drawing(source: pathlib.Path, layers) -> list[str]:
    text = (source / "ARCHITECTURE.md").read_text()
    match = re.search(r"<!-- arrows -->\s*```\n(.*?)```", text, re.S)
    if not match:
        return ["ARCHITECTURE.md: no block of arrows behind <!-- arrows -->"]
    drawn = {}
    for line in match.group(1).splitlines():
        if line.strip():
            name, _, allowed = line.partition("->")
            drawn[name.strip()] = sorted(allowed.split())
    problems = []
    for name, (_, allowed) in sorted(layers.items()):
        if name not in drawn:
            problems.append(f"ARCHITECTURE.md: {name} is not drawn; add '{name} -> {' '.join(allowed)}'")
        elif drawn[name] != sorted(allowed):
            problems.append(f"ARCHITECTURE.md: {name} is drawn -> {' '.join(drawn[name])}, "
                            f"but declared -> {' '.join(sorted(allowed))}")
    problems += [f"ARCHITECTURE.md: {name} is drawn but not declared" for name in sorted(set(drawn) - set(layers))]
    return problems


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("check_layers.py: expected SOURCE_DIR BUILD_DIR")
    source, build = map(pathlib.Path, sys.argv[1:])
    layers = read_layers(build)
    problems = check_includes(source, layers)
    if (build / "layers.txt").read_text().find("views_") >= 0:  # a build without Qt declares only a part
        problems += check_drawing(source, layers)
    print("\n".join(problems) or f"{len(layers)} libraries include only what they may")
    sys.exit(1 if problems else 0)
