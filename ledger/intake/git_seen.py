"""What a history looked like when it was read, so that nothing is read again while it looks the same.

Looking costs about a millisecond and no process: the files by which Git knows HEAD, its tags, its replacements and
the edges of a shallow clone are compared byte by byte. Where they differ (packing refs is enough for that), the
history is asked; where they are equal, so is the history, for a commit never changes.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from hashlib import sha256
from pathlib import Path
from typing import Final

from msgspec import Struct

from t2c.ledger.intake.base import Warning

__all__ = ["Seen", "digest_of", "known_mark", "look", "stands"]

_MAX_LINKS: Final = 5
_MAX_REFS: Final = 200_000
_REF: Final = re.compile(rb"ref:\s*(\S+)")


class Seen(Struct, frozen=True):
    """A history as it was read, small enough to be kept: valid for the ledger that recorded what was read then.

    `rules` are the names and versions of the extractors, `look` the files of refs, `known` the mark of the commits
    that stand recorded after the reading. `head`, `tags`, `edges` and `mailmap` tell, where something differs,
    which part of it does. The warnings are those that still hold.
    """

    rules: str
    look: str
    limit: int
    known: str
    head: str
    branch: str | None
    tags: str
    edges: str
    mailmap: str
    total: int
    shallow: bool
    complete: bool
    warnings: tuple[Warning, ...] = ()
    aliases: dict[str, tuple[str, ...]] = {}


def stands(seen: Seen, root: Path, known: AbstractSet[str]) -> bool:
    """True if the history of `root` is as it was seen, and what was read of it is what is recorded."""
    return seen.look == look(root) and seen.known == known_mark(known)


def known_mark(known: AbstractSet[str]) -> str:
    """A mark of a set of commits that does not depend on their order; as good as 60 bits."""
    mixed = 0
    for sha in known:
        mixed ^= int(sha[:15], 16)
    return f"{len(known)}-{mixed:x}"


def digest_of(values: Iterable[object]) -> str:
    """One digest of a few values."""
    return sha256("\0".join(map(str, values)).encode("utf-8", "backslashreplace")).hexdigest()


def look(root: Path) -> str | None:
    """A digest of the files that say which history the repository of `root` has; None if they cannot be told."""
    try:
        top = root.resolve()
        held = _git_folder(top)
        if held is None:
            return None
        place, own = held
        pointer = _content(own / "commondir")
        common = own / os.fsdecode(pointer.strip()) if pointer else own
        digest = sha256(str(top.relative_to(place)).encode("utf-8", "surrogateescape"))
        for name, content in _files(place, own, common):
            digest.update(
                b"%d %d\n%b%b" % (len(name), -1 if content is None else len(content), name, content or b"")
            )
        return digest.hexdigest()
    except (OSError, ValueError):
        return None


def _git_folder(top: Path) -> tuple[Path, Path] | None:
    """(the folder that holds `.git` or is a bare repository, the folder of Git)."""
    for place in (top, *top.parents):
        dot = place / ".git"
        if dot.is_dir():
            return place, dot
        if (content := _content(dot)) is not None:
            pointer = content.partition(b"gitdir:")[2].strip()
            return (place, place / os.fsdecode(pointer)) if pointer else None
        if (place / "HEAD").is_file() and (place / "objects").is_dir() and (place / "refs").is_dir():
            return place, place
    return None


def _files(place: Path, own: Path, common: Path) -> Iterator[tuple[bytes, bytes | None]]:
    """Names and contents of the files, None for one that is not there."""
    head = _content(own / "HEAD")
    yield b"HEAD", head
    for _ in range(_MAX_LINKS):
        target = _REF.match(head or b"")
        if target is None or b".." in target[1]:
            break
        head = _content(common / os.fsdecode(target[1]))
        yield target[1], head
    for name in ("packed-refs", "shallow", "info/grafts", "config", "reftable/tables.list"):
        yield name.encode(), _content(common / name)
    yield b"config.worktree", _content(own / "config.worktree")
    yield b".mailmap", _content(place / ".mailmap")
    yield from _loose(common, ["refs/tags", "refs/replace"])


def _loose(common: Path, folders: list[str]) -> Iterator[tuple[bytes, bytes | None]]:
    """The files below these folders in an order of their own. Raises ValueError if there are too many."""
    found: list[str] = []
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(common / folder) as entries:
                for entry in entries:
                    is_folder = entry.is_dir(follow_symlinks=False)
                    (folders if is_folder else found).append(f"{folder}/{entry.name}")
        except FileNotFoundError:
            continue
        if len(found) > _MAX_REFS:
            raise ValueError("too many refs that are not packed")
    for name in sorted(found):
        yield os.fsencode(name), _content(common / name)


def _content(file: Path) -> bytes | None:
    """What a regular file holds; None if there is none. Raises OSError if it cannot be read."""
    try:
        if not stat.S_ISREG(file.stat().st_mode):
            return None
        return file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
