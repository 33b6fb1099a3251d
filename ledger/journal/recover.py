"""Setting an unfinished end aside: saved first, cut second, recorded third (journal-engine §3).

A crash between any two of these steps is finished by the next open: the saved copy is named by its offset, and
a copy at the very end of the journal says that its event is still missing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import sha256
from itertools import takewhile
from pathlib import Path
from typing import Final

from t2c.ledger.errors import Environment
from t2c.ledger.events.draft import EventDraft, draft
from t2c.ledger.events.journal import JournalRepaired
from t2c.ledger.journal.files import sync_folder
from t2c.ledger.journal.tail import TORN_CAUSE, Overhang, torn_cause

__all__ = ["set_aside", "unrecorded_repairs"]

_CHUNK: Final = 1 << 20


def set_aside(fd: int, journal: Path, overhang: Overhang) -> None:
    """Copy the overhang to `<journal>.torn-<offset>`, then cut the journal there. Call under the lock.

    Raises Environment if the copy cannot be made; nothing is cut then.
    """
    try:
        saved = _free_name(journal, overhang.offset)
        temporary = saved.with_name(f".{saved.name}.tmp")
        out = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
        try:
            done = 0
            while done < overhang.length:
                block = os.pread(fd, min(_CHUNK, overhang.length - done), overhang.offset + done)
                done += os.write(out, block)
            os.fsync(out)
        finally:
            os.close(out)
        temporary.rename(saved)
        sync_folder(journal.parent)
        os.ftruncate(fd, overhang.offset)
        os.fsync(fd)
    except OSError as error:
        raise Environment(
            f"the unfinished end of the journal could not be set aside: {error.strerror}",
            where=f"{journal}, byte {overhang.offset}",
            safe="every recorded event",
            remedy="make room or the folder writable, then run the command again",
        ) from error


def unrecorded_repairs(journal: Path, size: int) -> list[EventDraft]:
    """The events that overhangs saved from byte `size`, the end of the journal, still wait for."""
    return [_repaired(saved, size) for saved in takewhile(Path.exists, _names(journal, size))]


def _repaired(saved: Path, offset: int) -> EventDraft:
    digest, length, last, lines = sha256(), 0, b"", False
    with saved.open("rb") as stream:
        while block := stream.read(_CHUNK):
            digest.update(block)
            length += len(block)
            lines = lines or b"\n" in block
            last = block
    cause: TORN_CAUSE = "incomplete_batch" if lines else torn_cause(last)
    return draft(
        JournalRepaired(
            offset=offset, length=length, sha256=digest.hexdigest(), cause=cause, saved_as=saved.name
        )
    )


def _names(journal: Path, offset: int) -> Iterator[Path]:
    first = journal.with_name(f"{journal.name}.torn-{offset}")
    yield first
    for number in range(2, 10):
        yield first.with_name(f"{first.name}-{number}")


def _free_name(journal: Path, offset: int) -> Path:
    for name in _names(journal, offset):
        if not name.exists():
            return name
    raise Environment(
        f"there are too many saved fragments for byte {offset}",
        where=str(journal.parent),
        safe="every recorded event",
        remedy="move the files named journal.ndjson.torn-* elsewhere",
    )
