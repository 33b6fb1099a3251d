"""The history of a repository as one piece of the work of a scan: read in a process of its own, carried to this one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import msgspec
from msgspec import Struct

from t2c.cli.actions.context import Context
from t2c.ledger import errors
from t2c.ledger.commands.evidence import EvidenceState
from t2c.ledger.errors import T2cError
from t2c.ledger.intake.base import Warning
from t2c.ledger.intake.git import EXTRACTOR as GIT_EXTRACTOR
from t2c.ledger.intake.kept import Kept
from t2c.ledger.intake.spool import Spool
from t2c.ledger.intake.work import Read, Reader

__all__ = ["HistoryRead", "history_of", "pack_history", "unpack_history"]


@dataclass(slots=True)
class HistoryRead:
    """A history to be read, and what came of it. `wanted` is False if it stands as it was seen before."""

    context: Context
    known: frozenset[str]
    wanted: bool = True
    failure: T2cError | None = None
    reads: list[tuple[Read, Spool]] = field(default_factory=list)
    warnings: list[Warning] = field(default_factory=list)
    head: str | None = None
    branch: str | None = None
    reachable: frozenset[str] | None = None
    seen: bytes = b""

    def fill(self, take: Callable[[Read, Spool], None], warnings: list[Warning]) -> None:
        """Hand over what was read."""
        for read, spool in self.reads:
            take(read, spool)
        warnings += self.warnings


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


def history_of(context: Context, state: EvidenceState, kept: Kept | None) -> HistoryRead:
    """The history of the root, and what of it is recorded already."""
    known = frozenset(
        live.revision
        for live in state.records.values()
        if live.revision is not None and live.extractor == GIT_EXTRACTOR
    )
    return HistoryRead(context, known)


def pack_history(past: HistoryRead, reader: Reader, spool: Spool) -> bytes:
    """Read the history; what it holds stands in the spool afterwards."""
    from t2c.ledger.intake.git import read_history

    context = past.context
    try:
        history = read_history(context.root, limit=context.settings.scan.commits, known=past.known)
    except T2cError as error:
        kind = type(error).__name__
        return _encode(_Carried((kind, error.what, error.where, error.safe, error.remedy)))
    reads = [reader.set_aside("git", history.reading, spool)]
    spool.flush()
    reachable = None if history.reachable is None else sorted(history.reachable)
    return _encode(_Carried(None, reads, history.head, history.branch, reachable))


def unpack_history(past: HistoryRead, carried: bytes, spool: Spool) -> None:
    """Take what another process read."""
    found = _decode(carried)
    if found.failure is not None:
        kind, what, where, safe, remedy = found.failure
        past.failure = getattr(errors, kind)(what, where=where, safe=safe, remedy=remedy)
    past.reads = [(read, spool) for read in found.reads]
    past.head, past.branch, past.seen = found.head, found.branch, found.seen
    past.reachable = None if found.reachable is None else frozenset(found.reachable)
