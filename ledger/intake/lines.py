"""From the bytes of a text file to its lines, and the notes that are taken on the way."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Final

from t2c.ledger.events.record import SourceKind
from t2c.ledger.intake.base import Warning

__all__ = ["Notes", "text_lines"]

_PLACES: Final = 20
"""Line numbers that one warning keeps."""
_WIDE_MARKS: Final = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_UNDECODED: Final = re.compile("[\udc80-\udcff]")


class Notes:
    """The warnings of one file while it is read: one a reason, counted, with its first places."""

    def __init__(self, source: SourceKind, path: str) -> None:
        self._source = source
        self._path = path
        self._found: dict[str, tuple[str, int, list[int]]] = {}

    def add(self, reason: str, detail: str, line: int | None = None, count: int = 1) -> None:
        """Count `count` more of `reason`; the detail of the first stands."""
        detail, total, places = self._found.get(reason, (detail, 0, []))
        if line is not None and len(places) < _PLACES and line not in places:
            places.append(line)
        self._found[reason] = (detail, total + count, places)

    def warnings(self) -> tuple[Warning, ...]:
        """All of them, in the order in which they first came up."""
        return tuple(
            Warning(self._source, self._path, reason, detail, count, tuple(places))
            for reason, (detail, count, places) in self._found.items()
        )


def text_lines(content: bytes, notes: Notes) -> Iterator[str] | None:
    """The lines of a text file without their ends, streamed; None, with a note, if it is binary.

    CRLF and CR end a line like LF and are noted once a file. UTF-16 and UTF-32 are read by their mark, a
    UTF-8 mark is skipped. Bytes that are not UTF-8 become U+FFFD, and each such line is noted.
    """
    for mark, encoding in _WIDE_MARKS:
        if content.startswith(mark):
            notes.add("recoded", f"{encoding.upper()}, read as UTF-8")
            content = content.decode(encoding, "replace").encode()
            break
    if b"\0" in content:
        notes.add("binary_file", "holds zero bytes; nothing was read")
        return None
    if b"\r" in content:
        notes.add("line_endings", f"{_line_ends(content)}, read as LF")
    return _decoded(content, notes)


def _line_ends(content: bytes) -> str:
    """What the lines of a text end in, where that is not the line feed alone."""
    pairs, returns, feeds = content.count(b"\r\n"), content.count(b"\r"), content.count(b"\n")
    found = {"CRLF": pairs, "CR": returns - pairs, "LF": feeds - pairs}
    styles = [style for style, count in found.items() if count]
    return styles[0] if len(styles) == 1 else f"mixed line endings ({', '.join(styles)})"


def _decoded(content: bytes, notes: Notes) -> Iterator[str]:
    raw = io.BytesIO(content)
    raw.seek(3 if content.startswith(b"\xef\xbb\xbf") else 0)
    stream = io.TextIOWrapper(raw, encoding="utf-8", errors="surrogateescape", newline=None)
    for number, line in enumerate(stream, 1):
        if line.isascii() or not _UNDECODED.search(line):
            yield line.rstrip("\n")
        else:
            notes.add("not_utf8", "bytes that are not UTF-8 were replaced by U+FFFD", number)
            yield line.encode("utf-8", "surrogateescape").decode("utf-8", "replace").rstrip("\n")
