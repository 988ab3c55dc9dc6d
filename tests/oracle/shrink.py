#!/usr/bin/env python3
"""Makes the project's small copy of recorded scenarios: shrink.py FOLDER_OF_RECORDINGS OUTPUT_FOLDER.

Keeps what oracle_replay reads: one scenario per line, without the recorded program, without what follows from the
steps, tensors without elements where only their type matters.
"""
import json
import pathlib
import re
import sys

STEP_KEYS = ("do", "fn", "args", "kwargs", "text", "outcome", "traces", "cf", "count", "counts", "bodies", "warnings",
             "request", "error", "events", "said", "output", "value", "inputs", "outputs", "captures")
ECHO = re.compile(r"\s*def \w+\(.*\): return (\w+|\w+, \w+|tf\.constant\(1\))$")


def is_echo(scenario):
    """The bodies only return their arguments: neither results nor elements matter."""
    lines = [line for line in scenario["source"] if line.strip()]
    return lines and all(ECHO.match(line) for line in lines) and not any(
        s.get("events") or s["do"] not in ("call", "get_concrete_function") for s in scenario["steps"])


def without_elements(value):
    if isinstance(value, list):
        return [without_elements(v) for v in value]
    if not isinstance(value, dict):
        return value
    if value.get("kind") in ("tensor", "ndarray") and len(json.dumps(value.get("value"))) > 40:
        value = {k: v for k, v in value.items() if k != "value"}
    return {k: without_elements(v) for k, v in value.items()}


def shrunk(scenario):
    echoes = is_echo(scenario)
    result = {k: scenario[k] for k in ("id", "title", "source", "options")}
    result["steps"] = []
    for step in scenario["steps"]:
        small = {k: step[k] for k in STEP_KEYS if k in step and step[k] not in ([], {})}
        if echoes:
            small = without_elements({k: v for k, v in small.items() if k not in ("output", "bodies", "counts")})
        result["steps"].append(small)
    result["concrete"] = [{k: c[k] for k in ("fn", "index", "signature", "captures") if c.get(k) != []}
                          for c in scenario["concrete"]]
    return result


def main():
    if len(sys.argv) != 3:
        sys.exit("shrink.py: expected FOLDER_OF_RECORDINGS OUTPUT_FOLDER")
    output = pathlib.Path(sys.argv[2])
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.json")):
        whole = json.loads(path.read_text())
        lines = [json.dumps(shrunk(s), ensure_ascii=False, separators=(",", ":"))
                 for s in whole["scenarios"]]
        head = json.dumps({k: whole[k] for k in ("schema", "tensorflow", "section")}, separators=(",", ":"))
        (output / path.name).write_text(head[:-1] + ',"scenarios":[\n' + ",\n".join(lines) + "\n]}\n")


if __name__ == "__main__":
    main()
