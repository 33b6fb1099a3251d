"""Differences and their renderings, to the byte: any change is a change that somebody decided on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from t2c.projections.base import pretty
from t2c.projections.diffs.file_diff import file_diff
from t2c.projections.diffs.graph_diff import GraphDiff, ends, graph_diff
from t2c.projections.diffs.graph_document import GraphDocument, read_graph
from t2c.projections.diffs.unified import ABSENT, unified
from t2c.projections.fold import fold
from t2c.projections.registry import ALL
from t2c.projections.render.diff_html import file_html
from t2c.projections.render.diff_markdown import graph_markdown
from t2c.projections.render.diff_svg import file_svg, graph_svg

GOLDEN = Path(__file__).parent / "diffs"

BEFORE = "# Zażółć\n\n<b>bold</b> & `code`\nsame\n\ttab\nold\nlast\n"
AFTER = "# Zażółć\n\n<b>bold</b> & `code`\nsame\n\ttab\nnew\nnewer\nlast\n"


def history(chain: Any) -> tuple[int, int]:
    """Two moments with one of everything between them; returns their seqs."""
    chain.todo("write the *manual* <now>", line=3, trail=("Tasks",))
    chain.todo("paint the fence green", line=4, trail=("Tasks",))
    chain.todo("gone soon", line=5, trail=("Later",))
    linked = chain.commit("a" * 40, "Fix #12"), chain.entry("Fixed #12")
    chain.link(*linked)
    first = int(chain.link(linked[1], linked[0], kind="documents") and chain.seq)
    chain.todo("write the *manual* <now>", line=7, trail=("Tasks",), done=True)
    red = chain.todo("paint the fence red", line=8, trail=("Tasks",))
    for text, successor in (("paint the fence green", red), ("gone soon", None)):
        trail = ("Tasks",) if successor else ("Later",)
        seq = chain.seq
        old = chain.todo(text, trail=trail)
        assert chain.seq == seq + 1
        why = "reworded" if successor else "absent"
        chain.add("record.retracted", {"id": old, "why": why, "superseded_by": successor})
    chain.link(*linked, confidence=0.8)
    chain.symbol("app.run", path="src/ap`p.py")
    return first, chain.seq


def graph(chain: Any, seq: int) -> GraphDocument:
    folded = fold(chain.journal, ALL, ["graph"], until=seq)
    return read_graph(b"".join(folded.artifacts("graph")["graph.json"]))


@pytest.fixture
def made(chain: Any) -> dict[str, bytes]:
    """Each golden file as it is made now."""
    first, second = history(chain)
    sides = graph(chain, first), graph(chain, second)
    found: GraphDiff = graph_diff(*sides)
    files = [
        file_diff(BEFORE, AFTER, "docs/a b.md", "docs/a b.md", context=2),
        file_diff("", "one\ntwo\n", ABSENT, 'new "name".txt'),
    ]
    return {
        "graph-diff.json": pretty(msgspec.to_builtins(found)),
        "graph-diff.md": graph_markdown(found, ends(found, *sides)),
        "graph-diff.svg": graph_svg(found, "Golden").encode(),
        "files.json": pretty(msgspec.to_builtins(files)),
        "files.patch": "".join(map(unified, files)).encode(),
        "files.svg": file_svg(files, "Golden").encode(),
        "files.html": file_html(files, "Golden").encode(),
    }


def test_every_golden_file_is_made_and_no_other(made: dict[str, bytes]) -> None:
    assert sorted(made) == sorted(path.name for path in GOLDEN.iterdir())


@pytest.mark.parametrize("name", sorted(path.name for path in GOLDEN.iterdir()))
def test_what_is_made_is_what_was_decided(made: dict[str, bytes], name: str) -> None:
    assert made[name].decode() == (GOLDEN / name).read_text(encoding="utf-8")
