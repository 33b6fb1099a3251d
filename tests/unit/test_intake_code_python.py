"""Facts of Python files: right names and places, stable identity, and guards that tell what they turn away."""

from __future__ import annotations

import ast
import itertools
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from t2c.ledger.events.record import Record
from t2c.ledger.intake.base import Draft, Reading, materialise
from t2c.ledger.intake.code import syntax
from t2c.ledger.intake.code.extractor import CodeExtractor
from t2c.ledger.intake.code.grammar import grammar_of
from t2c.ledger.intake.code.guards import MAX_BYTES, parse_within
from t2c.ledger.intake.code.languages import LANGUAGES
from t2c.ledger.intake.code.traits import traits_of
from t2c.ledger.intake.inventory import FileEntry, Inventory

ROOT = Path(__file__).resolve().parents[2]
NO_FILES = Inventory(())
PYTHON = traits_of(LANGUAGES["python"])
GRAMMAR = grammar_of(LANGUAGES["python"])

SAMPLE = '''"""Loads things.

At length.
"""
from __future__ import annotations

import os, sys as system
import a.b.c
from . import sibling
from .near import (one as first,  # why
    two)
from ..far.away import *
import os

__all__ = ["Loader", "LIMIT"]
API_KEY = "s3cret"
LIMIT: int = -30
_TABLE = {"x": 1}
lower = 1


@frozen
@register("loader", key=make())
class Loader(Base, Generic[T], metaclass=Meta):
    # a comment first
    r"""Loads one thing."""

    RETRIES = 3

    @property
    def name(self) -> str:
        return self.source.title().strip(clean(1))

    async def load(
        self,
        path: str = "a",
    ) -> None:
        def report(): log.info("x")
        report()
        LOCAL = 1

    def _private(self): "one line"


if LIMIT:
    DEBUG = True
    def helper(x): return lambda: x.go()(1)[2](3)
else:
    def helper(x): ...

if __name__ == "__main__":
    helper(1)
'''


def read(text: str | bytes, path: str = "src/pkg/sub/loader.py") -> Reading:
    content = text.encode() if isinstance(text, str) else text
    return CodeExtractor().read(path, content, NO_FILES)


def of_kind(reading: Reading, kind: str) -> dict[str, Draft]:
    return {draft.symbol or "": draft for draft in reading.records if draft.kind == kind}


def ids(reading: Reading) -> list[str]:
    return [found.id for found in materialise(reading)]


def reasons(reading: Reading) -> list[str]:
    assert reading.records == ()
    assert not reading.complete
    return [warning.reason for warning in reading.warnings]


def metadata(draft: Draft, *keys: str) -> list[Any]:
    return [draft.metadata.get(key) for key in keys]


def test_it_wants_modules_and_stubs_alone() -> None:
    wanted = [
        path for path in ("a.py", "b/c.pyi", "a.pyc", "a.py.txt", "B.PY") if CodeExtractor().wants(path)
    ]
    assert wanted == ["a.py", "b/c.pyi", "B.PY"]


def test_one_record_for_the_module_then_the_facts_in_the_order_of_the_file() -> None:
    reading = read(SAMPLE)
    module, *facts = reading.records
    assert reading.complete
    assert reading.warnings == ()
    assert (module.kind, module.symbol, module.object, module.action, module.lines) == (
        "module_fact", "pkg.sub.loader", "src/pkg/sub/loader.py", "declare", None,
    )  # fmt: skip
    assert module.text == "module src/pkg/sub/loader.py"
    assert (module.paths, module.symbols) == (("src/pkg/sub/loader.py",), ())
    assert module.metadata["capabilities"] == ["API_KEY", "DEBUG", "LIMIT", "Loader", "_TABLE", "helper"]
    assert module.metadata["imports"] == ["a.b.c", "os", "pkg.far.away", "pkg.sub", "pkg.sub.near", "sys"]
    assert metadata(module, "factCount", "docstring", "entryPoint", "future", "test") == [
        len(facts), "Loads things.", True, ["annotations"], False,
    ]  # fmt: skip
    starts = [draft.lines[0] for draft in facts if draft.lines]
    assert starts == sorted(starts)
    assert len(starts) == len(facts)


def test_every_record_keeps_the_contract() -> None:
    for found in materialise(read(SAMPLE)):
        record = Record.model_validate_json(found.body)
        assert (record.epistemic.cls, record.epistemic.confidence, record.statement.modality) == (
            "fact",
            1,
            "observed",
        )
        assert record.source.extractor == "t2c/tree-sitter-python@2"


def test_functions_methods_and_classes_are_told_apart() -> None:
    symbols = of_kind(read(SAMPLE), "symbol_fact")
    assert [
        (name, draft.metadata["symbolKind"], draft.metadata["public"])
        for name, draft in symbols.items()
        if draft.metadata["symbolKind"] != "constant"
    ] == [
        ("Loader", "type", True),
        ("Loader.name", "method", True),
        ("Loader.load", "method", True),
        ("Loader.load.report", "function", False),
        ("Loader._private", "method", False),
        ("helper", "function", False),  # not in __all__
    ]
    load = symbols["Loader.load"]
    assert (load.text, load.object, load.action, load.symbols) == (
        "method Loader.load", "Loader.load", "declare", ("Loader.load",),
    )  # fmt: skip
    assert load.trail == ()
    assert load.metadata["async"] is True
    assert load.lines == (34, 40)
    assert load.excerpt == 'async def load(\n        self,\n        path: str = "a",\n    ) -> None:'


def test_headers_bases_decorators_and_docstrings() -> None:
    symbols = of_kind(read(SAMPLE), "symbol_fact")
    loader = symbols["Loader"]
    assert metadata(loader, "decorators", "bases", "docstring") == [
        ["frozen", "register"], ["Base", "Generic[T]"], "Loads one thing.",
    ]  # fmt: skip
    assert (loader.excerpt or "").startswith("class Loader(Base, Generic[T], metaclass=Meta):")
    assert metadata(symbols["Loader.name"], "decorators", "docstring") == [["property"], None]
    assert metadata(symbols["Loader._private"], "decorators", "docstring") == [None, "one line"]


def test_a_call_belongs_to_the_innermost_definition_that_makes_it() -> None:
    reading = read(SAMPLE)
    symbols = of_kind(reading, "symbol_fact")
    assert symbols["Loader.name"].metadata["calls"] == ["clean", "strip", "title"]
    assert symbols["Loader.load"].metadata["calls"] == ["report"]
    assert symbols["Loader.load.report"].metadata["calls"] == ["info"]
    assert "calls" not in symbols["Loader"].metadata
    assert reading.records[0].metadata["calls"] == ["helper", "make", "register"]
    # register, make, title, strip, clean, info, report, go, helper; the results of calls have no name
    assert reading.records[0].metadata["callCount"] == 9


def test_a_name_defined_twice_is_one_record_that_counts_them() -> None:
    (helper,) = [draft for draft in read(SAMPLE).records if draft.symbol == "helper"]
    assert metadata(helper, "declarations", "calls") == [2, ["go"]]
    assert helper.lines == (47, 47)


def test_of_overloads_the_one_that_is_carried_out_stands_for_all() -> None:
    overload = "@overload\ndef f(x: int) -> int: ...\n@typing.overload\ndef f(x: str) -> str: ...\n"
    symbols = of_kind(
        read(overload + 'def f(x):\n    "Works."\n    return g(x)\ndef h(): ...\n'), "symbol_fact"
    )
    assert symbols["f"].lines == (5, 7)
    assert metadata(symbols["f"], "declarations", "docstring", "calls") == [3, "Works.", ["g"]]
    assert symbols["f"].metadata["decorators"] == ["overload", "typing.overload"]
    assert metadata(symbols["h"], "declarations", "decorators") == [None, None]


def test_constants_tell_numbers_and_no_secrets() -> None:
    reading = read(SAMPLE)
    constants = {
        name: draft
        for name, draft in of_kind(reading, "symbol_fact").items()
        if draft.metadata["symbolKind"] == "constant"
    }
    assert {name: draft.excerpt for name, draft in constants.items()} == {
        "API_KEY": "API_KEY",
        "LIMIT": "LIMIT: int = -30",
        "_TABLE": "_TABLE",
        "Loader.RETRIES": "RETRIES = 3",
        "DEBUG": "DEBUG = True",
    }
    assert {name: draft.metadata["public"] for name, draft in constants.items()}["LIMIT"] is True
    assert constants["API_KEY"].metadata["valueKind"] == "string"
    assert all(b"s3cret" not in found.body for found in materialise(reading))


def test_one_record_for_each_imported_module() -> None:
    imports = of_kind(read(SAMPLE), "module_dependency_fact")
    assert {name: (draft.lines, draft.metadata["names"], draft.metadata["relative"]) for name, draft in imports.items()} == {
        "os": ((7, 7), [], False),
        "sys": ((7, 7), [], False),
        "a.b.c": ((8, 8), [], False),
        "pkg.sub": ((9, 9), ["sibling"], True),
        "pkg.sub.near": ((10, 11), ["one", "two"], True),
        "pkg.far.away": ((12, 12), ["*"], True),
    }  # fmt: skip
    assert {draft.action for draft in imports.values()} == {"depend_on"}
    assert {name: draft.excerpt for name, draft in imports.items()} == {
        "os": "import os, sys as system",
        "sys": "import os, sys as system",
        "a.b.c": "import a.b.c",
        "pkg.sub": "from . import sibling",
        "pkg.sub.near": "from .near import (one as first,  # why\n    two)",
        "pkg.far.away": "from ..far.away import *",
    }


def test_the_excerpt_of_an_import_is_the_source_text_up_to_a_bound() -> None:
    text = "from a import (\n" + "".join(f"    name{number},\n" for number in range(100)) + ")"
    (draft,) = of_kind(read(text), "module_dependency_fact").values()
    assert (draft.excerpt, draft.text) == (text[:300], "import a")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import a . b as c , d\tas\te", ["a.b", "d"]),
        ("from a.b import c", ["a.b"]),
        ("from.import x", ["pkg"]),
        ("from ..  x \\\n import (y)", ["..x"]),  # above the root: as written
        ("from ... import x", ["..."]),
        ("from ....z import x", ["....z"]),
        ("def f():\n    import inner", ["inner"]),
        ("try:\n    import fast\nexcept ImportError:\n    fast = None", ["fast"]),
        ("from importlib.import_module import x", ["importlib.import_module"]),
    ],
)
def test_forms_of_imports(text: str, expected: list[str]) -> None:
    assert list(of_kind(read(text, "pkg/mod.py"), "module_dependency_fact")) == expected


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a.py", "a"),
        ("a/b.py", "a.b"),
        ("a/__init__.py", "a"),
        ("__init__.py", "__init__"),
        ("src/a/b.pyi", "a.b"),
        ("packages/x/src/a/b.py", "a.b"),
        ("src/src.py", "src"),
        ("src/a/src/__init__.py", "__init__"),  # the folder is taken for a source root
        ("my-scripts/do-it.py", "my-scripts.do-it"),
    ],
)
def test_module_names(path: str, name: str) -> None:
    assert PYTHON.module_name(path, None) == name


def test_relative_imports_of_a_package_start_at_the_package_itself() -> None:
    assert PYTHON.resolve(".x", "a/b/__init__.py") == "a.b.x"
    assert PYTHON.resolve(".x", "a/b/c.py") == "a.b.x"
    assert PYTHON.resolve("..", "a/b/c.py") == "a"


@pytest.mark.parametrize(
    ("text", "files", "found"),
    [
        ("from . import x", ["src/pkg/__init__.py"], "src/pkg/__init__.py"),
        ("from .b import x", ["src/pkg/b.py", "src/pkg/b.pyi"], "src/pkg/b.py"),
        ("from .b import x", ["src/pkg/b/__init__.py"], "src/pkg/b/__init__.py"),
        ("import pkg.c.d", ["src/pkg/c/d.py"], "src/pkg/c/d.py"),
        ("import pkg.c", ["pkg/c.py"], None),
        ("import os", ["src/os.py", "os.py"], None),
        ("from ...b import x", ["b.py"], None),
    ],
)
def test_an_import_names_the_file_that_it_means(text: str, files: list[str], found: str | None) -> None:
    inventory = Inventory(tuple(FileEntry(path, 1) for path in sorted(files)))
    reading = CodeExtractor().read("src/pkg/a.py", text.encode(), inventory)
    (draft,) = [draft for draft in reading.records if draft.kind == "module_dependency_fact"]
    assert draft.metadata.get("resolvedPath") == found


def test_tests_are_marked_in_test_files_only() -> None:
    text = "class TestX:\n    def test_y(self): ...\n    def other(self): ...\ndef test_z(): ...\n"
    for path, marked in (
        ("tests/unit/a.py", True), ("a/test_b.py", True), ("a/b_test.py", True), ("src/a.py", False), ("latest/a.py", False),
    ):  # fmt: skip
        found = {draft.symbol: draft.metadata["test"] for draft in read(text, path).records[1:]}
        assert found == {"TestX": marked, "TestX.test_y": marked, "TestX.other": False, "test_z": marked}, (
            path
        )


def test_long_lists_are_cut_and_counted() -> None:
    calls = "".join(f"    f{number:03}()\n" for number in range(60))
    reading = read("def f():\n" + calls + "".join(f"def g{number:02}(): ...\n" for number in range(30)))
    function = of_kind(reading, "symbol_fact")["f"]
    assert function.metadata["calls"] == [f"f{number:03}" for number in range(50)]
    assert function.metadata["callsOmitted"] == 10
    assert len(reading.records[0].metadata["capabilities"]) == 24
    assert reading.records[0].metadata["capabilitiesOmitted"] == 7


def test_neither_blank_lines_nor_line_ends_change_an_id() -> None:
    plain = ids(read(SAMPLE))
    assert len(set(plain)) == len(plain)
    assert ids(read(SAMPLE.replace("\n\n", "\n\n\n# note\n\n"))) == plain
    assert ids(read(SAMPLE.replace("\n", "\r\n"))) == plain
    assert ids(read(SAMPLE.replace("\n", "\r"))) == plain
    assert ids(read("\ufeff" + SAMPLE)) == plain


def test_a_changed_body_changes_no_record_but_by_its_calls() -> None:
    def digests(text: str) -> dict[str, bytes]:
        return {found.id: found.digest for found in materialise(read(text))}

    assert digests("def f():\n    return 1\n") == digests("def f():\n    return 2 + 3\n")
    before, after = digests("def f():\n    return 1\n"), digests("def f():\n    return g()\n")
    assert before.keys() == after.keys()
    assert before != after


def test_names_and_lines_agree_with_the_standard_parser_on_this_project() -> None:
    checked = files = errors = 0
    for file in sorted(ROOT.glob("ledger/**/*.py")) + sorted(ROOT.glob("tests/**/*.py")):
        content = file.read_bytes()
        reading = read(content, file.relative_to(ROOT).as_posix())
        files += 1
        errors += not reading.complete
        lines = content.decode().splitlines()
        expected: dict[str, tuple[int, int]] = {}
        _collect(ast.parse(content), "", expected)
        found = {
            draft.symbol: _without_comments(draft.lines or (0, 0), lines)
            for draft in reading.records
            if draft.kind == "symbol_fact" and draft.metadata["symbolKind"] != "constant"
        }
        assert found == expected, file
        checked += len(found)
    assert checked > 300
    assert errors < files / 50, "the grammar knows nearly all of the language"


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _collect(node: ast.AST, outer: str, found: dict[str, tuple[int, int]]) -> None:
    """All functions and classes by qualified name; of several of a name the first."""
    for child in ast.iter_child_nodes(node):
        inner = outer
        if isinstance(child, _DEFINITIONS):
            found.setdefault(outer + child.name, (child.lineno, child.end_lineno or 0))
            inner = f"{outer}{child.name}."
        _collect(child, inner, found)


def _without_comments(span: tuple[int, int], lines: list[str]) -> tuple[int, int]:
    """The standard parser does not count comments at the end of a body as a part of it."""
    start, end = span
    while end > start and lines[end - 1].strip().startswith("#"):
        end -= 1
    return start, end


def test_a_file_with_errors_gives_what_is_sound_and_says_where_it_is_not() -> None:
    reading = read("def good(): pass\n\nx = = 1\n\ndef also(): pass\n")
    assert not reading.complete
    (warning,) = reading.warnings
    assert (warning.reason, warning.count, warning.lines) == ("syntax_errors", 1, (3,))
    symbols = of_kind(reading, "symbol_fact")
    assert list(symbols) == ["good", "also"]
    assert symbols["good"].basis == ("tree_sitter_python", "partial_parse")


def test_declared_encodings_are_followed() -> None:
    text = "# -*- coding: latin-1 -*-\ndef caf\xe9(): pass\n"
    reading = read(text.encode("latin-1"))
    assert list(of_kind(reading, "symbol_fact")) == ["café"]
    assert [warning.reason for warning in reading.warnings] == ["recoded"]
    for declared in ("no-such-set", "hex", "undefined"):
        assert read(f"# coding: {declared}\ndef f(): 'é'\n").records


def test_a_few_foreign_bytes_are_told_and_many_are_turned_away() -> None:
    reading = read(b"x = 1\n# caf\xe9\ndef f(): pass\n")
    assert list(of_kind(reading, "symbol_fact")) == ["f"]
    (warning,) = reading.warnings
    assert (warning.reason, warning.lines) == ("undecodable_bytes", (2,))
    assert reasons(read(b"# " + b"\xe9" * 33 + b"\ndef f(): pass\n")) == ["undecodable_file"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"X = [\n" + b"1,\n" * (MAX_BYTES // 3) + b"]", "file_too_large"),
        (b"def f(): pass\n\0", "binary_file"),
        ("def f(): pass".encode("utf-16")[2:], "binary_file"),
        (b"a=1;" * 2000, "minified_file"),
        (b"# Generated by the protocol buffer compiler.  DO NOT EDIT!\nA = 1\n", "generated_file"),
        (b"# @generated by hand\nA = 1\n", "generated_file"),
        (b"x = " + b"[\n" * 1001 + b"]\n" * 1001, "nested_too_deeply"),
        (b"a" + b"<b" * 501 + b"\n", "nested_too_deeply"),
    ],
)
def test_what_costs_out_of_proportion_is_turned_away_and_told(content: bytes, reason: str) -> None:
    assert reasons(read(content)) == [reason]


def test_guards_let_honest_files_pass() -> None:
    honest = {
        "long line": b"X = '" + b"a" * 6000 + b"'\n" + b"y = 1\n" * 200,
        "brackets": b"x = [[], [()], {}]\n" * 2000,
        "mention": b'"""Edits files that say: generated, do not edit."""\ndef f(): pass\n',
        "comparison": b"assert a < b\n" * 600,
        "text": "# zażółć gęślą jaźń\n".encode() * 100,
    }
    for name, content in honest.items():
        assert read(content).records, name
        assert read(content).warnings == (), name
    assert reasons(read(b"x = 1\n", "static/jquery.min.py")) == ["minified_file"]


def test_after_a_parse_that_took_too_long_the_next_file_is_read_right() -> None:
    parser = GRAMMAR.parser
    assert parse_within(parser, b"def a(): pass\n" * 20000, seconds=-1.0) is None
    tree = parse_within(parser, b"def b(): pass\n")
    assert tree is not None
    assert tree.root_node.end_byte == len(b"def b(): pass\n")
    assert list(of_kind(read("def b(): pass\n"), "symbol_fact")) == ["b"]


def test_the_parse_limit_does_not_count_the_time_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine hours may pass on the wall for a moment of this thread's work."""
    hours = itertools.count(step=3600)
    monkeypatch.setattr(time, "monotonic", lambda: next(hours))
    assert parse_within(GRAMMAR.parser, b"def a(): pass\n" * 2000, seconds=60) is not None


def test_a_parse_that_takes_too_long_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syntax, "parse_within", lambda parser, source: None)
    reading = read("def f(): pass\n")
    assert [warning.reason for warning in reading.warnings] == ["parse_timeout", "approximate_definitions"]
    assert not reading.complete


def test_a_chain_of_calls_as_long_as_the_file_is_not_slow() -> None:
    """A pattern that waits for the end of the chain would take a thousand times longer."""
    content = b"x = (a\n" + b".b()\n" * 20000 + b")\ndef f(): pass\n"
    started = time.monotonic()
    reading = read(content)
    assert time.monotonic() - started < 5
    assert reading.records[0].metadata["callCount"] == 20000


def test_the_grammar_is_the_one_that_the_query_was_written_for() -> None:
    assert (version("tree-sitter"), GRAMMAR.wheel) == ("0.26.1", "0.25.0")


@given(st.lists(st.sampled_from(SAMPLE.splitlines(keepends=True)), max_size=30).map("".join))
def test_no_order_of_lines_can_raise(text: str) -> None:
    for found in materialise(read(text)):
        Record.model_validate_json(found.body)


@given(st.binary(max_size=200))
def test_no_bytes_can_raise(content: bytes) -> None:
    for found in materialise(read(content)):
        Record.model_validate_json(found.body)


def test_members_of_an_enumeration_are_constants_however_they_are_written() -> None:
    text = "class A(str, enum.Enum):\n    one = auto()\n    Two: int = 2\n    note: str\n    _ignore_ = []\n    def f(self):\n        x = 1\n"
    text += "class B(Base):\n    one = 1\n    TWO = 2\n"
    found = [draft for draft in read(text).records if draft.metadata.get("symbolKind") == "constant"]
    assert [draft.symbol for draft in found] == ["A.one", "A.Two", "B.TWO"]
