"""Code that is not parsed is looked through by lines: approximate, told of, and never whole (case 45)."""

from __future__ import annotations

from pathlib import Path

import pytest

from t2c.ledger.intake.base import Reading
from t2c.ledger.intake.code.extractor import ANYWAY, CodeExtractor
from t2c.ledger.intake.inventory import Inventory, take_inventory

TREE = Inventory(())
CODE = b"class Store:\n    def load(self):\n        return 1\n\n\ndef main():\n    pass\n"


def symbols(reading: Reading) -> set[str]:
    return {draft.symbol or "" for draft in reading.records if draft.kind == "symbol_fact"}


def test_a_file_too_large_to_parse_still_names_its_definitions() -> None:
    content = CODE + b"# " + b"filling " * 9 + b"\n"
    reading = CodeExtractor().read("a.py", content + b"# more filling, line by line\n" * 40_000, TREE)
    assert {"Store", "Store.load", "main"} <= symbols(reading)
    assert [warning.reason for warning in reading.warnings] == ["file_too_large", "approximate_definitions"]
    assert not reading.complete
    assert {draft.confidence for draft in reading.records if draft.kind == "symbol_fact"} == {0.7}


def test_a_file_nested_too_deeply_still_names_its_definitions() -> None:
    reading = CodeExtractor().read("a.py", CODE + b"x = " + b"[" * 2000 + b"]" * 2000 + b"\n", TREE)
    assert {"Store", "main"} <= symbols(reading)
    assert "nested_too_deeply" in {warning.reason for warning in reading.warnings}


def test_what_stopped_a_process_is_read_by_lines() -> None:
    parsed, by_lines = (
        CodeExtractor().read("a.py", CODE, TREE),
        CodeExtractor().read_lines("a.py", CODE, TREE),
    )
    assert symbols(by_lines) == symbols(parsed) == {"Store", "Store.load", "main"}
    assert parsed.complete
    assert not by_lines.complete


@pytest.mark.parametrize(
    ("path", "content"),
    [("lib.min.js", b"function a(){}\n"), ("a.py", b"# @generated\n" + CODE), ("a.py", b"\0" + CODE)],
)
def test_what_is_no_code_of_anybody_is_not_looked_through(path: str, content: bytes) -> None:
    reading = CodeExtractor().read(path, content, TREE)
    assert reading.records == ()
    assert len(reading.warnings) == 1
    assert not reading.complete


def test_branches_that_are_hidden_from_the_grammar_are_counted_with_their_lines() -> None:
    content = b"class A\n#if NET\n  : B<int\n#else\n  : C<int\n#endif\n> {\n  public void F() { }\n}\n"
    reading = CodeExtractor().read("a.cs", content, TREE)
    assert {"A", "A.F"} <= symbols(reading)
    assert [(item.reason, item.count, item.lines) for item in reading.warnings] == [("lines_hidden", 1, (5,))]


@pytest.mark.parametrize(
    "path", ["a.js", "a.ts", "a.tsx", "a.c", "a.cpp", "a.sh", "a.ex", "a.py", "a.rb", "a.kt"]
)
def test_bytes_that_are_no_text_end_no_process(path: str) -> None:
    content = b'"caf\xe9".x = {a: 1};\ncaf\xe9 = 1\n@caf\xe9 "x"\n#define CAF\xe9 1\nclass Caf\xe9 { }\n'
    assert CodeExtractor().read(path, content, TREE).scope.path == path


def test_a_decorator_of_something_else_reaches_over_no_code() -> None:
    content = b"@old\nx = call()\n\n\n# Says what it does.\ndef f():\n    pass\n\n\n@new\n# Why.\ndef g():\n    pass\n"
    found = {draft.symbol: draft.metadata for draft in CodeExtractor().read("a.py", content, TREE).records}
    assert "decorators" not in found["f"]
    assert found["g"]["decorators"] == ["new"]


def test_no_value_gets_into_what_a_line_shows() -> None:
    content = (
        b'class A {\n  fun key() = "hush-hush"\n  fun other(a: Int = 1): Int { return "hush-hush" }\n}\n'
    )
    reading = CodeExtractor().read_lines("a.kt", content, TREE)
    assert "A.key" in symbols(reading)
    assert "hush" not in repr(reading.records)


@pytest.mark.parametrize(
    ("attributes", "path", "read"),
    [
        ("dist/*.py linguist-generated\n", "dist/a.py", False),
        ("dist/*.py linguist-generated\n", "src/a.py", True),
        ("*.py linguist-generated=true\nkeep.py -linguist-generated\n", "keep.py", True),
        ("vendor/** linguist-vendored text\n", "vendor/x/a.py", False),
        ("*.py text eol=lf\n", "a.py", True),
        ("# *.py linguist-generated\n", "a.py", True),
    ],
)
def test_attributes_say_what_is_generated(attributes: str, path: str, read: bool, tmp_path: Path) -> None:
    (tmp_path / ".gitattributes").write_text(attributes)
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_bytes(CODE)
    tree = take_inventory(tmp_path)
    reading = CodeExtractor().read(path, CODE, tree)
    assert bool(reading.records) is read
    assert [item.reason for item in reading.warnings] == ([] if read else ["generated_file"])
    assert CodeExtractor(ANYWAY).read(path, CODE, tree).records
