"""Rendering: text from outside is shown and never acts."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from markdown_it import MarkdownIt

from t2c.ledger.kernel.actor import Actor
from t2c.projections.fold import fold
from t2c.projections.registry import ALL
from t2c.projections.render.markdown import inline

HOSTILE = (
    "</li><script>alert(1)</script> ![x](http://evil.example/x.png) [a](javascript:b) `code` **b** _i_ ~~s~~\n"
    "# heading\n- item\n\n```\nfence\x1b[31m\u202e\u0000 <!-- &amp; --> | $x$ \\"
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain snake_case name.py:12", "plain snake_case name.py:12"),
        ("_lead and trail_ __init__.py", "\\_lead and trail\\_ \\_\\_init\\_\\_.py"),
        ("a\tb\r\n  c\u2028d", "a b c d"),
        ("\x1b[31mred\x07", "\ufffd\\[31mred\ufffd"),
        ("a\u202eb\u200bc", "a\ufffdb\ufffdc"),
        ("<b>&amp;", "&lt;b&gt;&amp;amp;"),
        ("zażółć 漢字 👩\u200d💻", "zażółć 漢字 👩\u200d💻"),
        ("", ""),
    ],
)
def test_text_becomes_one_line_that_means_itself(text: str, shown: str) -> None:
    assert inline(text) == shown


def test_long_text_is_cut_before_it_is_escaped() -> None:
    assert inline("*" * 200, 10) == "\\*" * 9 + "…"
    assert inline("a" * 10, 10) == "a" * 10
    assert inline("a" * 11, 10) == "a" * 9 + "…"
    assert inline(" " * 1000 + "a", 10).endswith("…")


def test_hostile_text_in_every_field_makes_no_markup(chain: Any) -> None:
    bad = HOSTILE
    todo = chain.todo(bad, trail=(bad, bad), path=bad)
    entry = chain.entry(bad, version=bad, date=bad)
    commit = chain.commit(bad, bad, author=bad)
    chain.symbol(bad, path=bad)
    chain.link(entry, commit, rule=bad)
    chain.link(commit, todo, "implements", rule=bad)
    omission = {"source": bad, "path": bad, "reason": bad, "count": 1, "lines": [1], "detail": bad}
    chain.add("omission.noted", omission)
    chain.add("observation.noted", {"statement": bad, "subject": bad}, actor=Actor("human", bad))
    started = {"verb": bad, "requested_by": bad, "tool": bad, "revision": bad, "branch": bad}
    chain.add("run.started", started, run=bad)
    chain.add("stage.finished", {"stage": bad, "status": bad, "counts": {}, "detail": bad}, run=bad)
    chain.add("run.finished", {"status": bad, "detail": bad}, run=bad)
    folded = fold(chain.journal, ALL, ["summary"])
    assert not any(folded.faults.values())
    content = folded.artifacts("summary")["summary.md"]
    assert isinstance(content, bytes)
    text = content.decode()
    assert not any(ord(char) < 32 and char != "\n" for char in text)
    assert "\u202e" not in text
    tokens = MarkdownIt("gfm-like", {"html": True, "linkify": False}).parse(text)
    kinds = {child.type for token in tokens for child in token.children or ()} | {
        token.type for token in tokens
    }
    assert kinds == {
        "text", "inline", "heading_open", "heading_close", "paragraph_open", "paragraph_close",
        "bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close",
    }  # fmt: skip
    headings = [after.content for token, after in pairwise(tokens) if token.type == "heading_open"]
    assert headings == [
        "Summary", "Planned", "Claimed", "Found in the code", "Links", "Left out",
        "Noted by people and agents", "Last run",
    ]  # fmt: skip
