#!/usr/bin/env python3
"""Counts test functions of the last ctest run: prints "passed failed skipped".

Usage: count_tests.py BUILD_DIR. A QTest program prints one "Totals:" line per class; a test without one (a script, or
a program that died) counts as one test, passed or failed as ctest saw it.
"""
import pathlib
import re
import sys

TOTALS = re.compile(r"^Totals: (\d+) passed, (\d+) failed, (\d+) skipped", re.M)


def count(log: str) -> tuple[int, int, int]:
    passed = failed = skipped = 0
    for block in re.split(r"^-{50,}\n(?=\d+/\d+ Test)|(?=^\d+/\d+ Testing: )", log, flags=re.M):
        if "Testing: " not in block:
            continue
        ok = re.search(r"^Test Passed\.", block, re.M) is not None
        totals = TOTALS.findall(block)
        for good, bad, left in totals:
            passed += int(good)
            failed += int(bad)
            skipped += int(left)
        if not totals:
            passed += ok
            failed += not ok
        elif not ok and not any(int(bad) for _, bad, _ in totals):
            failed += 1  # died after its last class, or was stopped
    return passed, failed, skipped


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("count_tests.py: expected BUILD_DIR, e.g. build/release")
    path = pathlib.Path(sys.argv[1]) / "Testing" / "Temporary" / "LastTest.log"
    print(*count(path.read_text(errors="replace") if path.exists() else ""))
