"""What is hidden from a grammar keeps every offset and every line, whatever the text."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.intake.code.lang.branches import without_cut_branches
from t2c.ledger.intake.code.lang.macros import without_macros

PIECES = (
    "#if A\n", "#ifdef B // x\n", "#elif 0\n", "#else\n", "#endif\n", "# if a \\\n b\n", "int f(\n", "{\n", "}\n", ";", ",", ")",
    "// a\n", "/* b\n */", "/*", '"', "'", '@"', "\\", "\r\n", "\n", "MACRO\n", "FOO_API ", "class ", "W ", "if ", "FOO_CONSTEXPR (",
    "x GUARDED_BY(y)", "operator const ", "__has_include(<z>)", "ż", "\x00", "else ", "case 1: ",
)  # fmt: skip


@pytest.mark.parametrize("hide", [without_cut_branches, without_macros])
@settings(max_examples=200, deadline=None)
@given(pieces=st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), max_size=60))
def test_nothing_moves(hide: Callable[[bytes], bytes], pieces: list[str]) -> None:
    text = "".join(pieces).encode()
    hidden = hide(text)
    assert len(hidden) == len(text)
    for was, now in zip(text, hidden, strict=True):
        assert now in (was, 0x20, 0x31)
        if was in b"\r\n":
            assert now == was


@pytest.mark.parametrize("hide", [without_cut_branches, without_macros])
@settings(max_examples=100, deadline=None)
@given(content=st.binary(max_size=300))
def test_any_bytes_are_taken(hide: Callable[[bytes], bytes], content: bytes) -> None:
    assert len(hide(content)) == len(content)
