"""One view as of a moment, made in memory: what a command shows is never read from a file that may be behind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from t2c.cli.actions.context import Context
from t2c.cli.actions.moment import resolve, with_events
from t2c.cli.actions.opening import open_ledger
from t2c.projections.fold import fold
from t2c.projections.registry import ALL

__all__ = ["View", "view"]


class View(NamedTuple):
    """The artifacts of a projection as of event `seq`, by file name; `foreign` counts events of other ledgers by theirs."""

    seq: int
    head: str
    artifacts: Mapping[str, bytes]
    foreign: Mapping[str, int]


def view(context: Context, name: str, at: str | None = None) -> View:
    """The view `name` as of the head, or as of the moment `at`; nothing is written.

    Raises Usage where there is no such moment or no ledger.
    """
    with open_ledger(context) as ledger:
        with_events(ledger)
        until = None if at is None else resolve(context, ledger, at).seq
        context.progress("fold", 0, None)
        folded = fold(ledger.journal, ALL, [name], until=until, cache=ledger.cache / "folds")
        made = {
            file: content if isinstance(content, bytes) else b"".join(content)
            for file, content in folded.artifacts(name).items()
        }
        return View(folded.position.seq, folded.position.hash, made, folded.foreign)
