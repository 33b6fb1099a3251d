"""For any file in any language: reading never raises, ids are unique, and layout is not identity."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.events.record import Record
from t2c.ledger.intake.base import Found, Reading, materialise
from t2c.ledger.intake.code.extractor import CodeExtractor
from t2c.ledger.intake.code.languages import LANGUAGES
from t2c.ledger.intake.code.syntax import syntax_of
from t2c.ledger.intake.inventory import Inventory

FIXTURES = Path(__file__).parents[1] / "unit" / "code_fixtures"
NO_FILES = Inventory(())
NAMES = sorted(LANGUAGES)
SIGNS = "(){}[]<>\"'`;:,.=|&!?@#$%^*/\\-+~ \n\t_aZ0é"


@cache
def source(language: str) -> tuple[str, str]:
    """The path and text of a language's fixture."""
    (file,) = (path for path in FIXTURES.glob(f"{language}.*") if path.suffix != ".json")
    return json.loads((FIXTURES / f"{language}.json").read_text("utf-8"))["path"], file.read_text("utf-8")


def read(path: str, content: bytes) -> Reading:
    return CodeExtractor().read(path, content, NO_FILES)


def checked(path: str, content: bytes) -> list[Found]:
    """All records of a file, each of them valid and none twice."""
    found = list(materialise(read(path, content)))
    for record in found:
        Record.model_validate_json(record.body)
    assert len({record.id for record in found}) == len(found)
    return found


@settings(max_examples=200)
@given(st.sampled_from(NAMES), st.binary(max_size=200))
def test_no_bytes_can_raise(language: str, content: bytes) -> None:
    checked(source(language)[0], content)


@settings(max_examples=200)
@given(st.sampled_from(NAMES), st.text(SIGNS, max_size=200))
def test_no_signs_can_raise(language: str, text: str) -> None:
    checked(source(language)[0], text.encode())


@settings(max_examples=300)
@given(st.data(), st.sampled_from(NAMES))
def test_no_order_of_lines_and_no_cut_can_raise(data: st.DataObject, language: str) -> None:
    path, text = source(language)
    lines = text.splitlines(keepends=True)
    drawn = "".join(data.draw(st.lists(st.sampled_from(lines), max_size=30)))
    checked(path, drawn.encode())
    at = data.draw(st.integers(0, len(text)))
    checked(path, (text[:at] + drawn + text[at:]).encode())


@settings(max_examples=200)
@given(st.data(), st.sampled_from(NAMES))
def test_places_are_of_the_file_and_in_order(data: st.DataObject, language: str) -> None:
    path, text = source(language)
    at = data.draw(st.integers(0, len(text)))
    content = text[at:].encode()
    syntax = syntax_of(path, content)
    assert syntax is not None
    lines = content.count(b"\n") + 1
    for item in syntax.definitions:
        assert 1 <= item.lines[0] <= item.lines[1] <= lines
        assert 0 <= item.start <= item.end <= len(content)
        assert item.qualified.endswith(item.name)
    spans = [(comment.start, comment.end) for comment in syntax.comments]
    assert spans == sorted(spans)
    assert all(1 <= comment.first <= comment.last <= lines for comment in syntax.comments)
    assert 0 <= syntax.error_bytes <= len(content)


@settings(max_examples=100)
@given(st.data(), st.sampled_from(NAMES))
def test_blank_lines_and_new_neighbours_change_no_id(data: st.DataObject, language: str) -> None:
    path, text = source(language)
    lines = text.split("\n")
    # A blank line is no part of any statement where one stands already.
    blanks = [number for number, line in enumerate(lines) if not line]
    spread = list(lines)
    for number in sorted(data.draw(st.lists(st.sampled_from(blanks), max_size=5)), reverse=True):
        spread.insert(number, "")
    plain = [found.id for found in materialise(read(path, text.encode()))]
    assert [found.id for found in materialise(read(path, "\n".join(spread).encode()))] == plain


BLOCKS = {
    "a.py": ["import os\n", "from a import b\n", "LIMIT = 1\n", "class A:\n    def f(self): g()\n", "def f(): ...\n", "def f(): ...\n", "@deco\ndef h(): ...\n"],
    "a.go": ["import \"os\"\n", "const A = 1\n", "type T struct{}\n", "func (t *T) F() {}\n", "func F() { g() }\n", "// F2 does.\nfunc F2() {}\n"],
    "a.ts": ["import a from './a';\n", "export const A = 1;\n", "class C { f() {} }\n", "type C2 = 1;\n", "function f() {}\n", "function f() { g(); }\n", "it('x', () => {});\n"],
}  # fmt: skip


@pytest.mark.parametrize("path", sorted(BLOCKS))
@given(data=st.data())
def test_another_order_and_other_neighbours_change_no_id(path: str, data: st.DataObject) -> None:
    blocks = BLOCKS[path]
    head = "package p\n\n" if path.endswith(".go") else ""
    plain = {found.id for found in materialise(read(path, (head + "\n".join(blocks)).encode()))}
    shuffled = data.draw(st.permutations(blocks))
    assert {found.id for found in materialise(read(path, (head + "\n".join(shuffled)).encode()))} == plain
    fewer = data.draw(st.lists(st.sampled_from(blocks), unique=True))
    assert {found.id for found in materialise(read(path, (head + "\n".join(fewer)).encode()))} <= plain
