"""Checkpoints as moments: found by name or file, and believed only if the journal has their root."""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec

from t2c.cli.actions.context import Context
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Corrupt, Environment, Usage
from t2c.ledger.journal.merkle import Frontier
from t2c.ledger.journal.note import MAX_NOTE, Checkpoint, parse_checkpoint
from t2c.ledger.journal.position import Position
from t2c.ledger.kernel.digests import leaf_hash

__all__ = ["vouched"]

_NAMED: Final = "checkpoint:"
_SIZE: Final = re.compile(r"[0-9]{1,18}")
_SIGNED: Final = b'"type":"checkpoint.signed"'


class _Signed(msgspec.Struct):
    size: int
    note: str


def vouched(context: Context, ledger: Ledger, head: Position, text: str, forms: str) -> tuple[int, str]:
    """How many events the checkpoint that `text` names vouches for, and its name in words.

    `text` is `checkpoint:latest`, `checkpoint:SIZE` or a file. Raises Usage for what names no checkpoint of this
    ledger, with `forms` as what is accepted; Corrupt if the journal does not hold what it vouches for.
    """
    if text.startswith(_NAMED):
        checkpoint, name = _recorded(ledger, text.removeprefix(_NAMED))
    else:
        checkpoint, name = _read(context, text, forms)
    if checkpoint.ledger != ledger.id():
        raise Usage(
            f"the checkpoint {name} is of another ledger: {checkpoint.origin}",
            remedy=f"this one is t2c/{ledger.id()}",
        )
    if checkpoint.size > head.seq:
        raise Corrupt(
            f"the journal ends at seq {head.seq}, and {name} vouches for {checkpoint.size}: "
            "acknowledged events are missing",
            where=f"seq {head.seq + 1}",
            safe=f"the events up to seq {head.seq}",
            remedy="restore the journal from Git, a backup or a bundle",
        )
    if _root(ledger, checkpoint.size) != checkpoint.root:
        raise Corrupt(
            f"the journal is not the one that {name} vouches for: its root over {checkpoint.size} events differs",
            where=f"seq {checkpoint.size}",
            safe="nothing was changed",
            remedy="run `t2c ledger verify`, then restore the journal from Git, a backup or a bundle",
        )
    if checkpoint.size == 0:
        raise Usage(f"{name} vouches for no event", remedy=f"give {forms}")
    return checkpoint.size, name


def _recorded(ledger: Ledger, which: str) -> tuple[Checkpoint, str]:
    """The latest checkpoint that the journal itself records, or the latest one of a size."""
    if which != "latest" and not _SIZE.fullmatch(which):
        raise Usage(
            f"{_NAMED}{which} names no checkpoint", remedy="write checkpoint:latest or checkpoint:SIZE"
        )
    found: tuple[Checkpoint, str] | None = None
    for _, line, entry in ledger.journal.lines():
        # What was taken in from another chain vouches for that chain and not for this one.
        if _SIGNED in line and entry.type == "checkpoint.signed" and entry.origin is None:
            try:
                signed = msgspec.json.decode(entry.data, type=_Signed)
                if which == "latest" or signed.size == int(which):
                    name = f"the checkpoint of seq {entry.seq}"
                    found = parse_checkpoint(signed.note, name).checkpoint, name
            except (msgspec.DecodeError, Usage):
                continue  # level `schema` names it; it vouches for nothing
    if found is None:
        size = "" if which == "latest" else f" of size {which}"
        raise Usage(
            f"this ledger records no checkpoint{size}", remedy="`t2c ledger log --type checkpoint.signed`"
        )
    return found


def _read(context: Context, text: str, forms: str) -> tuple[Checkpoint, str]:
    """The checkpoint in a file, which may lie outside the root: that is where anchors are kept."""
    path = context.cwd / text
    try:
        found = path.is_file()
    except PermissionError:
        found = True
    except (OSError, ValueError):  # a name too long, a loop of links, a NUL
        found = False
    if not found:
        raise Usage(f"{text!r} names no moment of the ledger", remedy=f"give {forms}")
    try:
        with path.open("rb") as stream:
            content = stream.read(MAX_NOTE + 1)
    except OSError as error:
        raise Environment(f"the checkpoint {text} cannot be read: {error.strerror}", where=text) from error
    return parse_checkpoint(content, text).checkpoint, str(Path(text))


def _root(ledger: Ledger, size: int) -> bytes:
    """The Merkle root over the first `size` events, in bounded memory."""
    tree = Frontier()
    leaves = (bytes.fromhex(leaf_hash(line[:-1])) for _, line, _ in ledger.journal.lines(until=size))
    while block := b"".join(islice(leaves, 4096)):
        tree.extend(block)
    return tree.root()
