"""Conditional compilation that cuts a construct in two, which no grammar can parse: one branch of it is kept.

Directives between whole statements or members stay as they are, and so do all their branches: the grammars know
them. Where a branch holds half of something (`#if A … void F(int a) #else … void F(long a) #endif {`) the
directives become blanks and so does the code of all branches but the first that may be compiled. Comments stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

__all__ = ["without_cut_branches"]

_DIRECTIVE: Final = re.compile(
    rb"^[ \t]*#[ \t]*(?P<word>if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b(?:[^\n\\]|\\\r?\n|\\.)*",
    re.MULTILINE,
)
_NEVER: Final = re.compile(rb"if[ \t]*\(?[ \t]*(?:0|false)[ \t]*\)?[ \t\r]*(?:/|$)")
_TOKEN: Final = re.compile(
    rb"(?P<comment>//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)"
    rb"|@\$?\"(?:[^\"]|\"\")*\"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n]){1,8}'"
    rb"|(?P<line>^[ \t]*#[^\n]*)|(?P<open>[{(\[])|(?P<close>[})\]])|(?P<other>[^\s/@\"'{}()\[\]#]+|.)",
    re.MULTILINE,
)
_GOES_ON: Final = re.compile(rb"\s*(?:(?:else|case|default|catch|finally)\b|[{;:,)=.&|?+])")
"""What a branch starts with that goes on with the statement before it."""

_LABEL: Final = re.compile(rb"(?:public|protected|private|default|case\b[^\n]{0,100})\s*:\Z")
_NOT_SPACE: Final = re.compile(rb"[^\r\n\t ]")
_MAX_GROUP: Final = 6000
"""Bytes of a group that is looked into; longer ones are guards around whole files more often than cuts."""
_MAX_BEFORE: Final = 2000
_PAIRS: Final = {b"}": b"{", b")": b"(", b"]": b"["}


class _Group(NamedTuple):
    """The directives of one `#if` to its `#endif`."""

    marks: list[re.Match[bytes]]

    def branches(self) -> Iterator[tuple[int, int]]:
        """The places of the code between."""
        for mark, following in zip(self.marks, self.marks[1:], strict=False):
            yield mark.end(), following.start()


def without_cut_branches(text: bytes) -> bytes:
    """The text with blanks for directives that cut a construct, and for all branches of it but one."""
    if b"#" not in text:
        return text
    cut = [group for group in _groups(text) if _cuts(text, group)]
    if not cut:
        return text
    blanked = bytearray(text)
    for group in cut:
        for mark in group.marks:
            _blank(blanked, text, mark.start(), mark.end())
        branches = list(group.branches())
        kept = next((at for at, mark in enumerate(group.marks[:-1]) if not _NEVER.match(_said(mark))), 0)
        for at, (start, end) in enumerate(branches):
            if at != kept:
                _blank(blanked, text, start, end)
    return bytes(blanked)


def _groups(text: bytes) -> Iterator[_Group]:
    """Every group that is closed, the inner ones first."""
    open_groups: list[_Group] = []
    for mark in _DIRECTIVE.finditer(text):
        word = mark["word"]
        if word.startswith(b"if"):
            open_groups.append(_Group([mark]))
        elif open_groups:
            open_groups[-1].marks.append(mark)
            if word == b"endif":
                yield open_groups.pop()


def _said(mark: re.Match[bytes]) -> bytes:
    return mark[0].lstrip(b" \t#")


def _cuts(text: bytes, group: _Group) -> bool:
    """True if a construct goes on over the start of the group or over the end of a branch."""
    start, end = group.marks[0].start(), group.marks[-1].end()
    if end - start > _MAX_GROUP:
        return False
    states = [_state(text[first:last]) for first, last in group.branches()]
    if not all(whole for whole, _ in states):
        return True
    before = _before(text, start)
    if not before or before.endswith((b";", b"{", b"}")) or _LABEL.search(before):
        return False
    # After a macro of its own, or the head of a loop: what holds blocks is whole by itself.
    return not (before.endswith(b")") and any(has_block for _, has_block in states))


def _state(code: bytes) -> tuple[bool, bool]:
    """Whether a branch is whole in itself, and whether it holds a block."""
    open_brackets: list[bytes] = []
    last, has_block = b"", False
    if _GOES_ON.match(code):
        return False, has_block
    for token in _TOKEN.finditer(code):
        kind = token.lastgroup
        if kind in ("comment", "line") or (kind == "other" and not token[0].strip()):
            continue
        last = token[0]
        if kind == "open":
            open_brackets.append(last)
            has_block = has_block or last == b"{"
        elif kind == "close" and (not open_brackets or open_brackets.pop() != _PAIRS[last]):
            return False, has_block
    return not open_brackets and (not last or last.endswith((b";", b"}"))), has_block


def _before(text: bytes, end: int) -> bytes:
    """The last line of code before a place, without its comments; empty if there is none near."""
    floor = max(0, end - _MAX_BEFORE)
    while end > floor:
        start = text.rfind(b"\n", floor, end - 1) + 1 or floor
        if text[start:end].rstrip().endswith(b"*/"):
            start = max(floor, text.rfind(b"/*", floor, end))
            end = start
            continue
        line = b"".join(token[0] for token in _TOKEN.finditer(text[start:end]) if _is_code(token)).strip()
        if line:
            return line
        end = start
    return b""


def _is_code(token: re.Match[bytes]) -> bool:
    return token.lastgroup not in ("comment", "line")


def _blank(blanked: bytearray, text: bytes, start: int, end: int) -> None:
    """Blanks for code; comments and the ends of lines stay."""
    at = start
    for token in _TOKEN.finditer(text, start, end):
        if token.lastgroup == "comment":
            blanked[at : token.start()] = _NOT_SPACE.sub(b" ", text[at : token.start()])
            at = token.end()
    blanked[at:end] = _NOT_SPACE.sub(b" ", text[at:end])
