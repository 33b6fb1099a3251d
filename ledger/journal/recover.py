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
from t2c.ledger.journal.files import sync_folder
from t2c.ledger.journal.tail import TORN_CAUSE, Overhang, torn_cause

__all__ = ["set_aside", "unrecorded_repairs"]

_CHUNK: Final = 1 << 20


def set_aside(fd: int, journal: Path, overhang: Overhang, base: int) -> None:
    """Copy the overhang to `<journal>.torn-<offset>`, then cut the journal there. Call under the lock.

    `base` is the offset of the first byte of the file behind `fd`.

    Raises Environment if the copy cannot be made; nothing is cut then.
    """
    try:
        # A crash after the copy and before the cut leaves a copy that serves as well as a new one.
        there = takewhile(Path.exists, _names(journal, overhang.offset))
        if not any(_same(fd, overhang, base, saved) for saved in there):
            _save(fd, overhang, base, _free_name(journal, overhang.offset))
        sync_folder(journal.parent)
        os.ftruncate(fd, overhang.offset - base)
        os.fsync(fd)
    except OSError as error:
        raise Environment(
            f"the unfinished end of the journal could not be set aside: {error.strerror}",
            where=f"{journal}, byte {overhang.offset}",
            safe="every recorded event",
            remedy="make room or the folder writable, then run the command again",
        ) from error


def _blocks(fd: int, overhang: Overhang, base: int) -> Iterator[bytes]:
    done = 0
    while done < overhang.length:
        block = os.pread(fd, min(_CHUNK, overhang.length - done), overhang.offset - base + done)
        if not block:
            return
        done += len(block)
        yield block


def _same(fd: int, overhang: Overhang, base: int, saved: Path) -> bool:
    if saved.stat().st_size != overhang.length:
        return False
    with saved.open("rb") as stream:
        return all(stream.read(len(block)) == block for block in _blocks(fd, overhang, base))


def _save(fd: int, overhang: Overhang, base: int, saved: Path) -> None:
    temporary = saved.with_name(f".{saved.name}.tmp")
    try:
        with temporary.open("wb") as out:
            for block in _blocks(fd, overhang, base):
                out.write(block)
            out.flush()
            os.fsync(out.fileno())
        temporary.rename(saved)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def unrecorded_repairs(journal: Path, size: int) -> list[EventDraft]:
    """The events that overhangs saved from byte `size`, the end of the journal, still wait for.

    Raises Environment if a saved copy cannot be read.
    """
    try:
        saved = [_repaired(name, size) for name in takewhile(Path.exists, _names(journal, size))]
    except OSError as error:
        raise Environment(
            f"a saved fragment of the journal cannot be read: {error.strerror}",
            where=str(error.filename),
            safe="every recorded event",
            remedy="make it readable, or move the files named journal.ndjson.torn-* elsewhere",
        ) from error
    return [repair for repair in saved if repair is not None]


def _repaired(saved: Path, offset: int) -> EventDraft | None:
    from t2c.ledger.events.journal import JournalRepaired  # an append loads no family that it does not write

    digest, length, last, lines = sha256(), 0, b"", False
    with saved.open("rb") as stream:
        while block := stream.read(_CHUNK):
            digest.update(block)
            length += len(block)
            lines = lines or b"\n" in block
            last = block
    if not length:
        return None
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
