"""Whatever the file holds, the patch is at its end, the rest is as it was, and the diff says the same."""

from __future__ import annotations

from hashlib import sha256

from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.apply.patches import parse_patch, patched
from t2c.ledger.changes.todo_patch import appended, inline, is_appended, unified

_TEXT = st.lists(
    st.sampled_from(["a", "- [ ] b", "", "\u2028", "\x0c", "--- x", "zażółć"]), max_size=6
).flatmap(
    lambda rows: st.tuples(*(st.sampled_from([f"{row}\n", f"{row}\r\n", row]) for row in rows)).map("".join)
)


@settings(max_examples=50)
@given(before=st.none() | _TEXT, patch=_TEXT.filter(lambda text: text.strip("\r\n ") != ""))
def test_the_file_ends_with_the_patch_and_begins_as_it_was(before: str | None, patch: str) -> None:
    held = None if before is None else before.encode()
    body = patch.replace("\r", "").rstrip("\n").encode() + b"\n"
    after = appended(held or b"", body)
    assert after.startswith(held or b"")
    assert after[len(held or b"") :].replace(b"\r\n", b"\n").strip(b"\n") == body.strip(b"\n")
    assert is_appended(after, body, sha256(held or b"").hexdigest())
    (parsed,) = parse_patch(unified("TODO.md", held, body), "d")
    assert patched(held, parsed) == after


@settings(max_examples=50)
@given(text=st.text(max_size=60))
def test_any_text_is_one_line_that_shows(text: str) -> None:
    line = inline(text)
    assert line and "\n" not in line and line.isprintable() and "<!--" not in line.replace("\\<", "")
