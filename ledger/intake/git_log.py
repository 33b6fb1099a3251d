"""From the raw bytes of commits and of what they changed to values.

Messages are decoded here, by the encoding that the commit declares, from the bytes of the commit object: Git's
own and GitPython's conversions lose letters. Bytes that do not decode are kept, written as `\\xNN`.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import IO, Final, NamedTuple

from msgspec import Struct, field

from t2c.ledger.intake.inventory import repository_name
from t2c.ledger.kernel.paths import is_invisible

__all__ = [
    "Change",
    "Changes",
    "Commit",
    "Ident",
    "is_documentation",
    "parse_commit",
    "read_changes",
    "read_commits",
]

_ESCAPING: Final = frozenset({"unicode-escape", "raw-unicode-escape", "idna", "punycode", "undefined"})
"""Python codecs that are no character sets and would read backslashes or host names."""

_DATE: Final = re.compile(rb"\s*(-?\d{1,15}) ([+-])(\d{2,4})\s*$")
_CO_AUTHOR: Final = re.compile(r"^co-authored-by:[ \t]*([^<\n]*)", re.IGNORECASE | re.MULTILINE)


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


def read_commits(stream: IO[bytes]) -> Iterator[Commit]:
    """The commits in the output of `git cat-file --batch`. Objects that are missing are left out."""
    while header := stream.readline():
        words = header.split()
        if len(words) != 3:
            continue
        size = int(words[2])
        content = stream.read(size)
        stream.read(1)
        if len(content) == size:
            yield parse_commit(words[0].decode("ascii"), content)


def parse_commit(sha: str, content: bytes) -> Commit:
    """Read one commit object. Never raises: what is malformed is empty."""
    head, _, message = content.partition(b"\n\n")
    fields: dict[bytes, bytes] = {}
    parents: list[str] = []
    for line in head.split(b"\n"):
        name, _, value = line.partition(b" ")
        if name == b"parent":
            parents.append(value.decode("ascii", "replace"))
        elif name:  # a continuation line of a signature starts with a space
            fields.setdefault(name, value)
    declared = fields.get(b"encoding", b"UTF-8").decode("ascii", "replace").strip() or "UTF-8"
    text, broken = _decoded(message, declared)
    author, broken_author = _ident(fields.get(b"author", b""), declared)
    committer, broken_committer = _ident(fields.get(b"committer", b""), declared)
    undecodable = declared if broken or broken_author or broken_committer else None
    return Commit(sha, tuple(parents), author, committer, text.replace("\r\n", "\n").strip(), undecodable)


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
        text, broken = raw.decode(codec if known else "utf-8", "backslashreplace"), True
    except (LookupError, ValueError):  # a codec of Python's that is no character set
        text, broken = raw.decode("utf-8", "backslashreplace"), not raw.isascii()
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


class Change(NamedTuple):
    """One changed file: its path now (or before it was deleted), Git's status letter, its former path."""

    path: str
    status: str
    previous: str | None


class Changes(Struct):
    """What one commit changed, our own folders left out. `files` holds the first `limit` paths in byte order.

    `count` is the number of files, `hidden` of those left out. Lines are None where they were not counted.
    """

    limit: int
    files: list[Change] = field(default_factory=list)
    count: int = 0
    hidden: int = 0
    additions: int | None = None
    deletions: int | None = None
    documentation_only: bool = True

    def add(self, change: Change) -> None:
        if is_invisible(change.path):
            self.hidden += 1
            return
        self.count += 1
        self.documentation_only = self.documentation_only and is_documentation(change.path)
        self.files.append(change)
        if len(self.files) >= 2 * self.limit + 100:
            self.trim()

    def add_lines(self, path: str, added: bytes, deleted: bytes) -> None:
        if is_invisible(path):
            return
        self.additions = (self.additions or 0) + (int(added) if added.isdigit() else 0)
        self.deletions = (self.deletions or 0) + (int(deleted) if deleted.isdigit() else 0)

    def trim(self) -> None:
        self.files.sort()
        del self.files[self.limit :]


def read_changes(stream: IO[bytes], limit: int, *, counted: bool) -> Iterator[tuple[str, Changes]]:
    """Each commit's changes from `git diff-tree --stdin -z --raw [--numstat] --always`, as they arrive.

    A commit is given once the next one begins or the stream ends. `counted` says that `--numstat` was asked for.
    """
    tokens = _tokens(stream)
    sha: str | None = None
    lines = 0 if counted else None
    changes = Changes(limit)
    for token in tokens:
        if token.startswith(b":"):
            status = token.rpartition(b" ")[2].decode("ascii", "replace")
            first = repository_name(next(tokens, b""))
            if status[:1] in ("R", "C"):
                changes.add(Change(repository_name(next(tokens, b"")), status, first))
            else:
                changes.add(Change(first, status, None))
        elif b"\t" in token:
            added, deleted, name = token.split(b"\t", 2)
            if not name:
                next(tokens, b"")
                name = next(tokens, b"")
            changes.add_lines(repository_name(name), added, deleted)
        elif token:
            if sha is not None:
                changes.trim()
                yield sha, changes
            sha = token.decode("ascii", "replace")
            changes = Changes(limit, additions=lines, deletions=lines)
    if sha is not None:
        changes.trim()
        yield sha, changes


def _tokens(stream: IO[bytes]) -> Iterator[bytes]:
    rest = b""
    while chunk := stream.read(1 << 16):
        *whole, rest = (rest + chunk).split(b"\0")
        yield from whole
    if rest:
        yield rest


_DOC_FOLDERS: Final = frozenset({"doc", "docs", "documentation"})
_DOC_ENDINGS: Final = (".md", ".mdx", ".rst", ".adoc")
_DOC_NAMES: Final = re.compile(
    r"(readme|changelog|changes|news|todo|contributing|policy|module)(\.txt)?", re.IGNORECASE
)


def is_documentation(path: str) -> bool:
    """True for a file that documents: in a documentation folder, of a prose format, or a README and its like."""
    *folders, name = path.split("/")
    return (
        name.lower().endswith(_DOC_ENDINGS)
        or not _DOC_FOLDERS.isdisjoint(folder.lower() for folder in folders)
        or _DOC_NAMES.fullmatch(name) is not None
    )
