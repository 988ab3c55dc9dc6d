#!/usr/bin/env python3
"""The checks themselves find what they are there to find: planted faults in a small made-up project."""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import check_docs  # noqa: E402
import check_layers  # noqa: E402
import check_names  # noqa: E402
import count_tests  # noqa: E402

FAILURES = []


def expect(what: str, actual, wanted) -> None:
    if actual != wanted:
        FAILURES.append(f"{what}: expected {wanted!r}, got {actual!r}")


def layers_find_a_forbidden_include(root: pathlib.Path) -> None:
    (root / "core/low").mkdir(parents=True)
    (root / "core/high").mkdir(parents=True)
    (root / "core/low/a.h").write_text("#include <retracescope/high/b.h>\n")
    (root / "core/high/b.h").write_text("#include <retracescope/low/a.h>\n#include <QString>\n")
    layers = {"core_low": ("core/low", []), "core_high": ("core/high", ["core_low"])}
    found = check_layers.check_includes(root, layers)
    expect("layers", sorted(found), ["core/high/b.h: core has no Qt, but it includes <QString>",
                                     "core/low/a.h: core_low may not include core_high (retracescope/high/b.h)"])


def drawing_must_equal_the_declarations(root: pathlib.Path) -> None:
    (root / "ARCHITECTURE.md").write_text("<!-- arrows -->\n```\na -> b\nc ->\n```\n")
    found = check_layers.check_drawing(root, {"a": ("core/a", ["b", "c"]), "b": ("core/b", [])})
    expect("drawing", len(found), 3)


def docs_find_a_missing_path_and_verb(root: pathlib.Path) -> None:
    (root / "CMakePresets.json").write_text('{"configurePresets": [{"name": "release"}]}')
    text = "See `core/low/a.h` and `core/low/gone.h`.\n```sh\ncmake --preset fast\nfrobnicate now\n```\n"
    found = check_docs.check_spans(root, "X.md", text) + check_docs.check_commands(root, root, "X.md", text)
    expect("docs", found, ["X.md: `core/low/gone.h` does not exist", "X.md: no preset 'fast': cmake --preset fast",
                           "X.md: 'frobnicate' is no command of the project: frobnicate now"])


def names_find_what_is_missing_unknown_or_twice(root: pathlib.Path) -> None:
    for folder in ("core/engine/nn", "core/base", "resources/manual"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    (root / "core/retracescope.h").write_text("#include <retracescope/base/error.h>\nnamespace retracescope {\n"
                                              "using trace::add;\nusing trace::cos;\n} // namespace retracescope\n")
    (root / "core/base/error.h").write_text("namespace retracescope {\nclass Error {\n};\n} // namespace retracescope\n"
                                            "namespace retracescope::base {\nclass Inner {\n};\n}\n")
    (root / "core/engine/nn/dense.h").write_text(
        "namespace retracescope::nn {\nnamespace detail {\nvoid hidden(int x);\n} // namespace detail\nclass Dense {\n"
        "    int inside(int x);\n};\nstd::vector<Variable> variables(int x);\n} // namespace retracescope::nn\n")
    rows = ["add(a, b)", "add(x)", "sin(x)", "nn::Dense"]
    (root / "resources/manual/reference.md").write_text("".join(f"| `{row}` | |\n" for row in rows))
    expect("names", [line.removeprefix("resources/manual/reference.md: ") for line in check_names.check(root)],
           ["no row for Error", "no row for cos", "no row for nn::variables", "sin is no name of the front door",
            "2 rows for add"])


def counting_sees_passes_failures_and_deaths() -> None:
    log = ("1/3 Testing: a\nTotals: 5 passed, 1 failed, 2 skipped, 0 blacklisted\nTest Failed.\n"
           "2/3 Testing: b\nsome text\nTest Passed.\n"
           "3/3 Testing: c\nTotals: 4 passed, 0 failed, 0 skipped, 0 blacklisted\nSegmentation fault\nTest Failed.\n")
    expect("count", count_tests.count(log), (10, 2, 2))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        layers_find_a_forbidden_include(pathlib.Path(folder))
        drawing_must_equal_the_declarations(pathlib.Path(folder))
        docs_find_a_missing_path_and_verb(pathlib.Path(folder))
        names_find_what_is_missing_unknown_or_twice(pathlib.Path(folder))
    counting_sees_passes_failures_and_deaths()
    print("\n".join(FAILURES) or "the checks find what they should")
    sys.exit(1 if FAILURES else 0)
