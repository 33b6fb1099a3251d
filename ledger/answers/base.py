"""What a check of an answer gets, and what it gives: findings, each with the events that it rests on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple

from pydantic import BaseModel

from t2c.ledger.engine import Ledger
from t2c.ledger.events.answers import Verdict
from t2c.ledger.intake.base import Progress

__all__ = ["Bench", "Check", "Claim", "Found"]


class Claim(NamedTuple):
    """A recorded answer: its `answer.recorded` event, its root and its value as the root's type."""

    event: str
    seq: int
    root: str
    about: str | None
    value: BaseModel
    ts: str


class Bench(NamedTuple):
    """What a check may look at and work with. `tree` is the user's work tree, which no check ever writes to.

    `base` is the revision before the attempt, `candidate` the one after it, None for the work tree as it is; `spec`
    are the texts of the specification by path; `gates` are commands (argv) to run for the task itself; `timeout` is in
    seconds, for each command. `environ` are the variables of which commands get those that are handed on; `state` is the
    user's state folder, where sealed tests lie, None where they cannot be had.
    """

    ledger: Ledger
    tree: Path
    progress: Progress
    base: str | None = None
    candidate: str | None = None
    spec: tuple[Path, ...] = ()
    gates: tuple[tuple[str, ...], ...] = ()
    timeout: int = 600
    environ: Mapping[str, str] = MappingProxyType({})
    state: Path | None = None


class Found(NamedTuple):
    """What one check showed of an answer, or of one `item` of it.

    `judges` is given only by a check that tells a shortcut from honest work: the number of the suspicion and what is
    to be said of it. The event that says so rests on the one that this finding becomes.
    """

    check: str
    result: Verdict
    detail: str
    item: str | None = None
    evidence: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()
    judges: tuple[int, Literal["confirmed", "cleared"]] | None = None


Check = Callable[[Claim, Bench], Iterator[Found]]
"""A check writes the events of what it does (gates, variants) itself and yields what it found."""
