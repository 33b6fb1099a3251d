"""The hunks of a diff of one file: read, and applied exactly where they say, or not at all.

Lines end at LF and nowhere else. A diff none of whose lines carries a CR fits a file with CRLF as well; what it puts in
takes the line end of the lines around it (decisions A11).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from io import BytesIO, StringIO
from typing import Final, NamedTuple

from t2c.ledger.errors import Conflict, Usage

__all__ = ["HEADER", "Hunk", "HunkLine", "apply_hunks", "read_hunks"]

HEADER: Final = re.compile(
    r"@@ -([0-9]{1,9})(?:,([0-9]{1,9}))? \+([0-9]{1,9})(?:,([0-9]{1,9}))? @@(?=[ \r\n]|$)"
)
"""Two ranges; a count that is not given is 1. The heading after it may be anything."""

_MARK: Final = re.compile(r"^\\[^\n]*", re.MULTILINE)
_ENGLISH: Final = r"\\ No newline at end of file"
_AGAIN: Final = "make the patch again from the file as it is now"
_SHOWN: Final = 80


class HunkLine(NamedTuple):
    """`sign` is a blank, `+` or `-`; `content` has its LF unless the file ends here without one; `line` is where it
    stands in the patch."""

    sign: str
    content: bytes
    line: int


class Hunk(NamedTuple):
    """Lines in the place of others. Starts are counted from 0 and are the number of lines before the hunk."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    lines: tuple[HunkLine, ...]
    line: int


def read_hunks(body: str, where: str, first: int) -> tuple[Hunk, ...]:
    """The hunks of a text that holds nothing else; it stands in the patch from line `first` on.

    Raises Usage for hunks that change nothing, that overlap, that are not in order, whose two starts do not fit, and
    for a missing line end that is not at the end of the file.
    """
    from unidiff.errors import UnidiffParseError
    from unidiff.patch import PatchSet

    # The names were read already; those that Git may write are more than unidiff understands. Of the mark for a missing
    # line end it knows the English words alone, and would leave out any other at the end of a hunk.
    marked = _MARK.sub(_ENGLISH, body)
    try:
        patched = PatchSet(StringIO("--- a/x\n+++ b/x\n" + marked))
    except (UnidiffParseError, ValueError) as error:
        raise _malformed(str(error).splitlines()[0], where, first) from None
    offset = first - 3
    hunks: list[Hunk] = []
    drift = at = 0
    for raw in patched[0] if patched else ():
        line = (raw[0].diff_line_no or 0) + offset - 1
        rows = tuple(_rows((one.line_type, one.value, (one.diff_line_no or 0) + offset) for one in raw))
        hunk = Hunk(
            _before(raw.source_start, raw.source_length),
            raw.source_length,
            _before(raw.target_start, raw.target_length),
            raw.target_length,
            rows,
            line,
        )
        _check(hunk, at, drift, where)
        if hunks and any(not row.content.endswith(b"\n") for row in hunks[-1].lines):
            raise _malformed("a hunk follows the end of the file", where, line)
        drift += hunk.new_count - hunk.old_count
        at = hunk.old_start + hunk.old_count
        hunks.append(hunk)
    return tuple(hunks)


def _before(start: int, count: int) -> int:
    """The number of lines before a range; one that is empty names the line before it."""
    return start - 1 if count else start


def _rows(raw: Iterator[tuple[str, str, int]]) -> Iterator[HunkLine]:
    held: HunkLine | None = None
    for sign, value, line in raw:
        if sign == "\\":
            if held is not None:
                yield held._replace(content=held.content[:-1])
            held = None
            continue
        if held is not None:
            yield held
        held = HunkLine(sign, value.encode(), line)
    if held is not None:
        yield held


def _check(hunk: Hunk, at: int, drift: int, where: str) -> None:
    if hunk.old_start < at or hunk.old_start < 0:
        raise _malformed("a hunk begins before the one above it ends", where, hunk.line)
    if hunk.new_start != hunk.old_start + drift:
        raise _malformed("the two places in the head of a hunk do not fit together", where, hunk.line)
    if all(row.sign == " " for row in hunk.lines):
        raise _malformed("a hunk changes nothing", where, hunk.line)
    ended: set[str] = set()
    for sign, content, line in hunk.lines:
        if ended & ({"-", "+"} if sign == " " else {sign}):
            raise _malformed("a line follows the end of the file", where, line)
        if not content.endswith(b"\n"):
            ended |= {"-", "+"} if sign == " " else {sign}


def _malformed(what: str, where: str, line: int) -> Usage:
    return Usage(
        f"the patch is not well formed: {what}",
        where=f"{where}:{line}",
        safe="nothing was changed",
        remedy="make the patch anew with `git diff`, and do not edit it by hand",
    )


def apply_hunks(before: bytes, hunks: Sequence[Hunk], path: str) -> bytes:
    """The content with the hunks in it. Raises Conflict if a line is not what the patch says that it is.

    As with Git, a hunk without a line of context after its change must reach the end of the file.
    """
    lines = BytesIO(before).readlines()
    loose = not any(row.content.endswith((b"\r\n", b"\r")) for hunk in hunks for row in hunk.lines)
    parts: list[bytes] = []
    kept = 0
    for number, hunk in enumerate(hunks, 1):
        parts += lines[kept : hunk.old_start]
        parts += _applied(lines, hunk, loose, path, number)
        kept = hunk.old_start + hunk.old_count
    return b"".join((*parts, *lines[kept:]))


def _applied(lines: Sequence[bytes], hunk: Hunk, loose: bool, path: str, number: int) -> list[bytes]:
    if hunk.old_count == 0 and (lines or hunk.old_start):
        raise _conflict(
            "the hunk holds no line of the file that would show its place", path, number, hunk.old_start
        )
    at = hunk.old_start
    if hunk.lines[-1].sign != " " and at + hunk.old_count < len(lines):
        at += hunk.old_count
        raise _conflict(
            "the file goes on where the hunk, which has no line of context at its end, takes it to end",
            path, number, at, there=lines[at],
        )  # fmt: skip
    out: list[bytes] = []
    waiting: list[int] = []
    crlf: bool | None = None
    for sign, content, line in hunk.lines:
        if sign == "+":
            if crlf is None:
                waiting.append(len(out))
            out.append(_ended(content) if crlf else content)
            continue
        there = lines[at] if at < len(lines) else None
        if there != content and not (loose and there == _ended(content)):
            raise _conflict(
                f"line {line} of the patch is not what is there",
                path,
                number,
                at,
                expected=content,
                there=there,
            )
        at += 1
        assert there is not None
        if there.endswith(b"\n"):
            crlf = there.endswith(b"\r\n") and loose
            if crlf:
                for place in waiting:
                    out[place] = _ended(out[place])
            waiting.clear()
        if sign == " ":
            out.append(there)
    return out


def _ended(content: bytes) -> bytes:
    """A line with CRLF in the place of its LF."""
    return content[:-1] + b"\r\n" if content.endswith(b"\n") else content


def _conflict(
    why: str, path: str, number: int, at: int, *, expected: bytes | None = None, there: bytes | None = None
) -> Conflict:
    told = f"{path} does not fit hunk {number} of its patch: {why}"
    remedy = _AGAIN
    if expected is not None:
        told += f"; expected {_shown(expected)}, found {'the end of the file' if there is None else _shown(there)}"
        if there is not None and expected.rstrip(b"\r\n") == there.rstrip(b"\r\n"):
            told += " (only the line ends differ)"
    elif there is None:
        remedy = "make the patch again with lines of context (`git diff -U3`)"
    return Conflict(
        told,
        where=f"{path}:{at + 1}",
        safe="the file as it is now",
        remedy=remedy,
        path=path,
        hunk=number,
        line=at + 1,
    )


def _shown(content: bytes) -> str:
    text = content.decode("utf-8", "replace")
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...")
