"""Whatever the text: one line, one item, and nothing but text in it."""

from __future__ import annotations

import html

from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from t2c.projections.render.markdown import inline

PARSER = MarkdownIt("gfm-like", {"html": True, "linkify": False, "typographer": False})

TEXT = st.one_of(
    st.text(st.characters(), max_size=60),
    st.text(" \t\n\\`*_[]()<>#+-.!|~&:;@$\"'a1ą\u200d\u202e\x00\x1b", max_size=60),
)


@settings(max_examples=400, deadline=None)
@example("_a_ __b__ a_b _")
@example("&#42;a&#42; &lt;b&gt; &copy")
@example("http://a.example/_x_ <http://b.example> [c]: d")
@given(TEXT)
def test_text_is_read_as_text_alone(text: str) -> None:
    shown = inline(text, 1000)
    assert "\n" not in shown
    tokens = PARSER.parse(f"- “{shown}”")
    assert [token.type for token in tokens] == [
        "bullet_list_open", "list_item_open", "paragraph_open", "inline", "paragraph_close", "list_item_close",
        "bullet_list_close",
    ]  # fmt: skip
    children = tokens[3].children or []
    assert {child.type for child in children} <= {"text"}
    read = "".join(child.content for child in children)
    assert read.startswith("“")
    assert read.endswith("”")
    plain = read[1:-1]
    # What is read is what was meant: the visible characters in order, and no other.
    visible = [char for char in text if not char.isspace()]
    assert len([char for char in plain if not char.isspace()]) == len(visible)
    assert all(
        one in (other, "\ufffd")
        for one, other in zip((c for c in plain if not c.isspace()), visible, strict=True)
    )


@given(st.text(st.characters(), max_size=300), st.integers(1, 50))
def test_no_more_is_shown_than_allowed(text: str, limit: int) -> None:
    shown = PARSER.renderInline(inline(text, limit))
    assert len(html.unescape(shown)) <= limit
