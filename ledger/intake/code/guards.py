"""What is not worth, or not safe, to parse; the same for every language (code-facts §5.7).

A parser that runs in this process cannot be stopped at any moment nor given back its memory, so the files that
are known to cost out of proportion are turned away before: large, binary, minified, generated, deeply nested.
"""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterator
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from t2c.ledger.intake.base import Warning

if TYPE_CHECKING:
    from tree_sitter import Parser, Tree

__all__ = [
    "MAX_BYTES",
    "MAX_TREE_DEPTH",
    "OPTIONAL",
    "PARSE_SECONDS",
    "as_text",
    "is_too_deep",
    "parse_within",
    "refusal",
]

MAX_BYTES: Final = 1_000_000
"""Larger files are data more often than code; a parse tree takes up to 100 times their size in memory."""
PARSE_SECONDS: Final = 2.0
"""Processor time that one file may take to parse."""

MAX_TREE_DEPTH: Final = 60_000
"""A query counts depths in 16 bits."""
OPTIONAL: Final = frozenset({"generated_file", "minified_file"})
"""Reasons of `refusal` that a caller may set aside: such files are safe to parse, only seldom worth it."""

_BINARY_HEAD: Final = 8 * 1024
_GENERATED_HEAD: Final = 2 * 1024
_LONG_LINE: Final = 5000
_LONG_AVERAGE: Final = 300
_MAX_DEPTH: Final = 1000
_MAX_ANGLES: Final = 500
_MAX_BAD_BYTES: Final = 32
_MAX_BAD_SHARE: Final = 0.01
_CHUNK: Final = 4096
"""Bytes that the parser gets at a time. A predicate of a query gets as many to see one word."""

_WIDE_MARKS: Final = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_MINIFIED_NAME: Final = re.compile(r"[.-]min\.[a-z]+$")
_GENERATED: Final = re.compile(
    rb"@generated\b|\bgenerated\b[^\n]{0,200}\bdo not (?:edit|modify)\b", re.IGNORECASE
)
_COMMENT_START: Final = (b"#", b"//", b"/*", b"*", b"--", b";", b"<!--", b"<?php", b"%", b"{-", b"(*")
_NOT_BRACKETS: Final = bytes(byte for byte in range(256) if byte not in b"()[]{}")
_STEP: Final = {**dict.fromkeys(b"([{", 1), **dict.fromkeys(b")]}", -1)}


def refusal(source: str, path: str, content: bytes, anyway: Collection[str] = ()) -> Warning | None:
    """Why this file is not parsed, as a warning of `source`, or None if it is.

    Reasons in `anyway` do not count, so far as they are `OPTIONAL`.
    """
    for reason, detail in _objections(path, content):
        if reason not in OPTIONAL or reason not in anyway:
            return Warning(source, path, reason, detail)
    return None


def _objections(path: str, content: bytes) -> Iterator[tuple[str, str]]:
    if len(content) > MAX_BYTES:
        yield "file_too_large", f"{len(content)} bytes; files above {MAX_BYTES} are not parsed"
    if b"\0" in content[:_BINARY_HEAD]:
        yield "binary_file", "a NUL byte near the start: not source text"
    if _MINIFIED_NAME.search(path):
        yield "minified_file", "named as minified"
    elif (longest := _minified(content)) is not None:
        yield (
            "minified_file",
            f"a line of {longest} bytes and lines of more than {_LONG_AVERAGE} bytes on average",
        )
    if _says_generated(content):
        yield "generated_file", "says near its start that it is generated and not to be edited"
    if _depth(content) > _MAX_DEPTH:
        yield "nested_too_deeply", f"brackets nested deeper than {_MAX_DEPTH}"
    if _has_many_angles(content):
        yield "nested_too_deeply", f"more than {_MAX_ANGLES} '<' in one line"
    if (bad := _undecodable(content)) > max(_MAX_BAD_BYTES, _MAX_BAD_SHARE * len(content)):
        yield "undecodable_file", f"{bad} of {len(content)} bytes are not UTF-8"


def _says_generated(content: bytes) -> bool:
    """Whether the comments that stand before the first line of code say so; a generator may hold such words."""
    if _GENERATED.search(content, 0, _GENERATED_HEAD) is None:
        return False
    in_block = False
    for line in content[:_GENERATED_HEAD].removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        line = line.strip()
        if not (in_block or not line or line.startswith(_COMMENT_START)):
            return False
        if _GENERATED.search(line):
            return True
        if line.startswith((b"/*", b"<!--", b"(*", b"{-")) or in_block:
            in_block = not line.endswith((b"*/", b"-->", b"*)", b"-}"))
    return False


def _minified(content: bytes) -> int | None:
    """The length of the longest line, if it and the average are too long for lines that people write."""
    if len(content) <= _LONG_LINE or len(content) <= _LONG_AVERAGE * (content.count(b"\n") + 1):
        return None
    longest = max(map(len, content.split(b"\n")))
    return longest if longest > _LONG_LINE else None


def _depth(content: bytes) -> int:
    """The deepest nesting of brackets, those in text and comments included."""
    if sum(content.count(bracket) for bracket in (b"(", b"[", b"{")) <= _MAX_DEPTH:
        return 0
    brackets = content.translate(None, _NOT_BRACKETS)
    return max(
        accumulate(map(_STEP.__getitem__, brackets), lambda depth, step: max(depth + step, 0)), default=0
    )


def _has_many_angles(content: bytes) -> bool:
    return content.count(b"<") > _MAX_ANGLES and any(
        line.count(b"<") > _MAX_ANGLES for line in content.split(b"\n")
    )


def _undecodable(content: bytes) -> int:
    try:
        content.decode()
    except UnicodeDecodeError:
        return len(content) - len(content.decode("utf-8", "ignore").encode())
    return 0


def as_text(source: str, path: str, content: bytes) -> tuple[bytes, tuple[Warning, ...]]:
    """The content as the parser can count it, in UTF-8 with line feeds, and remarks on what was changed.

    UTF-16 and UTF-32 are told by their mark. Carriage returns become line feeds where they are the only line ends.
    """
    remarks: list[Warning] = []
    for mark, encoding in _WIDE_MARKS:
        if content.startswith(mark):
            remarks.append(Warning(source, path, "recoded", f"{encoding.upper()}, read as UTF-8"))
            content = content.decode(encoding, "replace").encode()
            break
    if b"\r" in content and b"\n" not in content:
        remarks.append(Warning(source, path, "line_endings", "CR, read as LF"))
        content = content.replace(b"\r", b"\n")
    return content, tuple(remarks)


def parse_within(parser: Parser, content: bytes, seconds: float = PARSE_SECONDS) -> Tree | None:
    """The syntax tree, or None if parsing took longer.

    The limit is processor time of this thread, so that a busy machine does not change what is recorded. After
    a break-off the parser is reset: otherwise it would go on with this file's text in the next.
    """
    deadline = time.thread_time() + seconds

    def more(offset: int, _point: object) -> bytes:
        return content[offset : offset + _CHUNK]

    def late(_offset: int, _has_error: bool) -> bool:
        return time.thread_time() > deadline

    try:
        return parser.parse(more, progress_callback=late)
    except ValueError:
        parser.reset()
        return None


def is_too_deep(tree: Tree) -> bool:
    """Whether the tree is deeper than a query counts, where it would take minutes; `a.b.c…` needs no bracket."""
    if tree.root_node.end_byte < 2 * MAX_TREE_DEPTH:
        return False
    cursor = tree.walk()
    depth = 0
    while True:
        if cursor.goto_first_child():
            depth += 1
            if depth > MAX_TREE_DEPTH:
                return True
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return False
            depth -= 1
