#!/usr/bin/env python3
"""Installs the engine's package into an empty folder, builds an outside program against it, runs it, reads its session.

Usage: package_test.py BUILD_DIR
"""
import json
import pathlib
import subprocess
import sys
import tempfile


def run(*command, **more):
    result = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nexit code {result.returncode}\n{result.stdout}")
    return result.stdout


def main() -> int:
    build = pathlib.Path(sys.argv[1]).resolve()
    outside = pathlib.Path(__file__).resolve().parent / "outside"
    with tempfile.TemporaryDirectory() as folder:
        prefix = pathlib.Path(folder) / "prefix"
        run("cmake", "--install", build, "--component", "Engine", "--prefix", prefix)
        headers = prefix / "include/retracescope"
        if not (headers / "retracescope.h").is_file():
            sys.exit("the front door, include/retracescope/retracescope.h, was not installed")
        run("cmake", "-S", outside, "-B", f"{folder}/build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
            f"-DCMAKE_PREFIX_PATH={prefix}")
        flags = (pathlib.Path(folder) / "build/build.ninja").read_text()
        source = str(build.parent.parent)
        if f"-I{source}" in flags or f"-isystem {source}" in flags:
            sys.exit("the installed package leads back into the source tree")
        run("cmake", "--build", f"{folder}/build")
        session = f"{folder}/outside.retrace"
        said = run(f"{folder}/build/outside", session)
        answer = json.loads(run(build / "bin/rscope", "functions", session, "--json"))
        row = answer["functions"][0]
        if (row["name"], row["calls"], row["traces"], row["hits"]) != ("scale", 3, 2, 1):
            sys.exit(f"the session does not hold what the program did ({said.strip()}): {row}")
    print("1 passed: an outside program builds against the installed package and is recorded")
    return 0


if __name__ == "__main__":
    sys.exit(main())
