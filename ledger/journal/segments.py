"""Sealed parts of a journal: `segments/<first>-<last>.ndjson`, so that no file outgrows a Git host.

The chain runs on over them, and byte offsets count over all of them. Sealing never touches the only copy: the
segment is whole and on disk before the active file loses what it holds, and whoever reads in between sees that the
active file still begins before the segment ends, and leaves the segment aside (journal-engine §7).
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final, NamedTuple

from t2c.ledger.errors import Environment
from t2c.ledger.journal.files import make_folder, sync_folder, write_atomically
from t2c.ledger.journal.tail import damaged

__all__ = ["DEFAULT_RULE", "FOLDER", "SealRule", "Segment", "finish_sealing", "listed", "seal_segment"]

FOLDER: Final = "segments"
_NAME: Final = re.compile(r"([0-9]{12})-([0-9]{12})\.ndjson")
_CHUNK: Final = 1 << 20


class SealRule(NamedTuple):
    """The active file is sealed at the first seq that is a multiple of `events` once it holds `bytes`."""

    bytes: int = 64 << 20
    events: int = 4096


DEFAULT_RULE: Final = SealRule()


class Segment(NamedTuple):
    """One sealed file: events `first` to `last`, as its name says."""

    path: Path
    first: int
    last: int
    size: int


def listed(folder: Path) -> list[Segment]:
    """The segments in a folder, the oldest first; other files are no part of the journal."""
    try:
        entries = list(os.scandir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []
    found = []
    for entry in entries:
        name = _NAME.fullmatch(entry.name)
        if name is not None:
            found.append(Segment(Path(entry.path), int(name[1]), int(name[2]), entry.stat().st_size))
    return sorted(found, key=lambda segment: (segment.first, segment.last))


def seal_segment(journal: Path, fd: int, folder: Path, first: int, last: int, cut: int) -> None:
    """Seal the first `cut` bytes of the active file, which hold events `first` to `last` and are on disk.

    Call under the lock. Raises OSError; the journal is whole whenever that happens.
    """
    make_folder(folder)
    target = folder / f"{first:012d}-{last:012d}.ndjson"
    temporary = target.with_name(f".{target.name}.tmp")
    temporary.unlink(missing_ok=True)
    if cut != os.fstat(fd).st_size or not _linked(journal, temporary):
        _copy(fd, temporary, cut)
    temporary.replace(target)
    sync_folder(folder)
    _drop(journal, fd, cut)


def finish_sealing(journal: Path, fd: int, stale: Segment) -> None:
    """Do the last step of a sealing that a crash cut short: the active file drops what the segment holds.

    Raises Corrupt if the two do not hold the same bytes, OSError from the disk.
    """
    with stale.path.open("rb") as sealed:
        at = 0
        while block := sealed.read(_CHUNK):
            if os.pread(fd, len(block), at) != block:
                raise damaged(
                    f"the segment {stale.path.name} and the journal hold different events", stale.path.name
                )
            at += len(block)
    _drop(journal, fd, at)


def _drop(journal: Path, fd: int, cut: int) -> None:
    rest = os.pread(fd, os.fstat(fd).st_size - cut, cut)
    write_atomically(journal, rest)


def _linked(journal: Path, temporary: Path) -> bool:
    """A second name for the file that is about to be replaced costs no copy, where there are such names."""
    try:
        temporary.hardlink_to(journal)
    except OSError:
        return False
    return True


def _copy(fd: int, target: Path, cut: int) -> None:
    try:
        with target.open("xb") as out:
            at = 0
            while at < cut:
                block = os.pread(fd, min(_CHUNK, cut - at), at)
                if not block:
                    raise Environment("the journal became shorter while it was sealed", where=str(target))
                at += out.write(block)
            out.flush()
            os.fsync(out.fileno())
    except BaseException:
        target.unlink(missing_ok=True)
        raise
