"""From the raw bytes of commit and tag objects to values.

Messages are decoded here, by the encoding that the object declares, from its bytes: Git's own and GitPython's
conversions lose letters. Bytes that do not decode are kept, written as `\\xNN`.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import IO, Final, NamedTuple

from msgspec import Struct

__all__ = ["Commit", "Ident", "Tag", "parse_commit", "parse_tag", "read_commits", "read_objects"]

_ESCAPING: Final = frozenset(
    {"unicode-escape", "raw-unicode-escape", "idna", "punycode", "undefined", "utf-7"}
)
"""Python codecs that are no character sets and would read backslashes or host names."""

_FOREIGN: Final = re.compile("[\udc80-\udcff]")
_DATE: Final = re.compile(rb"\s*(-?\d{1,15}) ([+-])(\d{2,4})\s*$")
_CO_AUTHOR: Final = re.compile(r"^co-authored-by:[ \t]*([^<\n]*)", re.IGNORECASE | re.MULTILINE)
_SIGNATURE: Final = re.compile(rb"^-----BEGIN (?:PGP|SSH|SIGNED) ", re.MULTILINE)


class Ident(NamedTuple):
    """Who, as written, without the mail address; when, in RFC 3339 with the writer's offset, or None."""

    name: str
    when: str | None


class Commit(Struct, frozen=True):
    """One commit object. `undecodable` is the encoding that its bytes broke, or None."""

    sha: str
    parents: tuple[str, ...]
    author: Ident
    committer: Ident
    message: str
    undecodable: str | None

    @property
    def subject(self) -> str:
        """The first line that is not blank."""
        return next((line.strip() for line in self.message.split("\n") if line.strip()), "")

    @property
    def co_authors(self) -> tuple[str, ...]:
        """Names from `Co-authored-by:` lines, in their order."""
        found = (match.group(1).strip() for match in _CO_AUTHOR.finditer(self.message))
        return tuple(dict.fromkeys(name for name in found if name))


class Tag(Struct, frozen=True):
    """One annotated tag object: what it points to, who made it when, its message without a signature."""

    target: str
    tagger: Ident
    message: str
    signed: bool


def read_objects(stream: IO[bytes]) -> Iterator[tuple[str, bytes, bytes] | None]:
    """(name, type, content) of each object in the output of `git cat-file --batch`, None for a missing one."""
    while header := stream.readline():
        words = header.split()
        if len(words) != 3 or not words[2].isdigit():
            yield None
            continue
        size = int(words[2])
        content = stream.read(size)
        stream.read(1)
        if len(content) == size:
            yield words[0].decode("ascii", "replace"), words[1], content


def read_commits(stream: IO[bytes]) -> Iterator[Commit]:
    """The commits in the output of `git cat-file --batch`. Objects that are missing are left out."""
    for found in read_objects(stream):
        if found is not None:
            yield parse_commit(found[0], found[2])


def parse_commit(sha: str, content: bytes) -> Commit:
    """Read one commit object. Never raises: what is malformed is empty."""
    fields, parents, message = _parsed(content)
    declared = _encoding(fields)
    text, broken = _decoded(message, declared)
    author, broken_author = _ident(fields.get(b"author", b""), declared)
    committer, broken_committer = _ident(fields.get(b"committer", b""), declared)
    undecodable = declared if broken or broken_author or broken_committer else None
    return Commit(sha, tuple(parents), author, committer, text.replace("\r\n", "\n").strip(), undecodable)


def parse_tag(content: bytes) -> Tag:
    """Read one tag object. Never raises: what is malformed is empty."""
    fields, _, message = _parsed(content)
    declared = _encoding(fields)
    signature = _SIGNATURE.search(message)
    text, _ = _decoded(message[: signature.start()] if signature else message, declared)
    tagger, _ = _ident(fields.get(b"tagger", b""), declared)
    signed = signature is not None or b"gpgsig" in fields or b"gpgsig-sha256" in fields
    return Tag(
        fields.get(b"object", b"").decode("ascii", "replace"),
        tagger,
        text.replace("\r\n", "\n").strip(),
        signed,
    )


def _parsed(content: bytes) -> tuple[dict[bytes, bytes], list[str], bytes]:
    """The first field of each name, all parents, and the message of a commit or tag object."""
    head, _, message = content.partition(b"\n\n")
    fields: dict[bytes, bytes] = {}
    parents: list[str] = []
    for line in head.split(b"\n"):
        name, _, value = line.partition(b" ")
        if name == b"parent":
            parents.append(value.decode("ascii", "replace"))
        elif name:  # a continuation line of a signature starts with a space
            fields.setdefault(name, value)
    return fields, parents, message


def _encoding(fields: dict[bytes, bytes]) -> str:
    return fields.get(b"encoding", b"UTF-8").decode("ascii", "replace").strip() or "UTF-8"


def _escaped(raw: bytes, codec: str) -> str:
    """The text with `\\xNN` for each byte that does not decode and `\\\\` for a backslash, so that the bytes come back."""
    text = raw.decode(codec, "surrogateescape").replace("\\", "\\\\")
    return _FOREIGN.sub(lambda found: f"\\x{ord(found[0]) - 0xDC00:02x}", text)


def _decoded(raw: bytes, declared: str) -> tuple[str, bool]:
    """The text, and whether bytes had to be written as escapes."""
    try:
        codec = codecs.lookup(declared).name
    except (LookupError, ValueError):
        codec = ""
    known = bool(codec) and codec not in _ESCAPING
    broken = not known and not raw.isascii()
    try:
        text = raw.decode(codec if known else "utf-8")
    except UnicodeDecodeError:
        text, broken = _escaped(raw, codec if known else "utf-8"), True
    except (LookupError, ValueError):  # a codec of Python's that is no character set
        text, broken = _escaped(raw, "utf-8"), not raw.isascii()
    whole = text.encode("utf-8", "backslashreplace").decode()  # some codecs let lone surrogates through
    return whole, broken or whole != text


def _ident(value: bytes, declared: str) -> tuple[Ident, bool]:
    name, broken = _decoded(value.partition(b"<")[0].strip(), declared)
    return Ident(name, _when(value.rpartition(b">")[2])), broken


def _when(text: bytes) -> str | None:
    """RFC 3339 of `<seconds> <offset>`; an impossible offset is read as UTC, an impossible instant as None."""
    found = _DATE.match(text)
    if found is None:
        return None
    digits = found.group(3).decode().zfill(4)
    minutes = int(digits[:-2]) * 60 + int(digits[-2:])
    sign = -1 if found.group(2) == b"-" else 1
    zone = timezone(timedelta(minutes=sign * minutes)) if minutes < 24 * 60 else UTC
    try:
        return (
            (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=int(found.group(1))))
            .astimezone(zone)
            .isoformat()
        )
    except (OverflowError, ValueError):
        return None
