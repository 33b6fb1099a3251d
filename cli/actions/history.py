"""The history of a repository as one piece of the work of a scan: read in a process of its own, carried to this one."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import Final

import msgspec
from msgspec import Struct

from t2c.cli.actions.context import Context
from t2c.ledger import errors
from t2c.ledger.commands.evidence import EvidenceState
from t2c.ledger.errors import T2cError
from t2c.ledger.intake.git_seen import Seen
from t2c.ledger.intake.kept import Kept
from t2c.ledger.intake.spool import Spool
from t2c.ledger.intake.work import Read, Reader

__all__ = ["HistoryRead", "history_of", "pack_history", "unpack_history"]


@dataclass(slots=True)
class HistoryRead:
    """A history to be read, and what came of it. `wanted` is False if it stands as it was seen before.

    `standing` counts what is recorded of it, `seen` is what to keep for the next time.
    """

    context: Context
    known: frozenset[str]
    standing: int = 0
    before: Seen | None = None
    wanted: bool = True
    failure: T2cError | None = None
    reads: list[tuple[Read, Spool]] = field(default_factory=list)
    head: str | None = None
    branch: str | None = None
    reachable: frozenset[str] | None = None
    seen: bytes = b""


class _Carried(Struct, array_like=True):
    """What one process tells the other. `failure` is the class of an error and what it says."""

    failure: tuple[str, str, str | None, str | None, str | None] | None = None
    reads: list[Read] = []
    head: str | None = None
    branch: str | None = None
    reachable: list[str] | None = None
    seen: bytes = b""


_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(_Carried).decode
_decode_seen: Final = msgspec.msgpack.Decoder(Seen).decode


def history_of(context: Context, state: EvidenceState, kept: Kept | None) -> HistoryRead:
    """The history of the root, what of it is recorded already, and whether there is anything new to read."""
    from t2c.ledger.intake.git import EXTRACTOR, history_stands

    known, standing = set(), 0
    for live in state.records.values():
        if live.source == "git":
            standing += 1
            if live.extractor == EXTRACTOR and live.revision is not None:
                known.add(live.revision)
    past = HistoryRead(context, frozenset(known), standing)
    if kept is not None and kept.history:
        with contextlib.suppress(msgspec.DecodeError):
            past.before = _decode_seen(kept.history)
    if past.before is not None and history_stands(
        context.root, past.before, past.known, limit=context.settings.scan.commits
    ):
        past.wanted = False
        past.head, past.branch = past.before.head, past.before.branch
        past.seen = _encode(past.before)
    return past


def pack_history(past: HistoryRead, reader: Reader, spool: Spool) -> bytes:
    """Read the history; what it holds stands in the spool afterwards."""
    from t2c.ledger.intake.git import read_history

    context = past.context
    try:
        history = read_history(
            context.root,
            limit=context.settings.scan.commits,
            known=past.known,
            seen=past.before,
            funnel=reader.funnel,
        )
    except T2cError as error:
        kind = type(error).__name__
        return _encode(_Carried((kind, error.what, error.where, error.safe, error.remedy)))
    reads = [reader.set_aside("git", reading, spool) for reading in (history.reading, *history.further)]
    spool.flush()
    return _encode(
        _Carried(
            None,
            reads,
            history.head,
            history.branch,
            None if history.reachable is None else sorted(history.reachable),
            b"" if history.seen is None else _encode(history.seen),
        )
    )


def unpack_history(past: HistoryRead, carried: bytes, spool: Spool) -> None:
    """Take what another process read."""
    found = _decode(carried)
    if found.failure is not None:
        kind, what, where, safe, remedy = found.failure
        past.failure = getattr(errors, kind)(what, where=where, safe=safe, remedy=remedy)
    past.reads = [(read, spool) for read in found.reads]
    past.head, past.branch, past.seen = found.head, found.branch, found.seen
    past.reachable = None if found.reachable is None else frozenset(found.reachable)
