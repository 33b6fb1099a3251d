"""What is applied and under what: values that everybody who changes a user's files speaks in."""

from __future__ import annotations

from hashlib import sha256
from typing import Literal, NamedTuple

__all__ = ["Applied", "Mandate", "Unfinished", "Wanted", "digest"]


class Wanted(NamedTuple):
    """A file as it must be now and as it is wanted; None where there is none.

    `mode` is the permissions that it is to have, None to keep those it has (0644 for a new file).
    """

    path: str
    before: bytes | None
    after: bytes | None
    mode: int | None = None


class Mandate(NamedTuple):
    """In whose name something is applied. `approval` is the event of the approval of exactly `digest`, None where the
    purpose needs none; `reverts` the receipt that is taken back; `cause` the events that it follows from."""

    purpose: str
    subject: str
    digest: str | None
    approval: str | None
    requested_by: str
    reverts: str | None = None
    cause: tuple[str, ...] = ()
    run: str | None = None


class Applied(NamedTuple):
    """What was done: `event` is the receipt. `how` is `done`, `recovered` after a crash, or `found` where it was so."""

    announced: str
    event: str
    seq: int
    how: Literal["done", "recovered", "found"]
    paths: tuple[str, ...]
    in_place: tuple[str, ...] = ()


class Unfinished(NamedTuple):
    """An announced apply without an outcome, and how its files stand now.

    `verdict`: all are as before, all are as wanted, some of each, or some file is neither and only a person can say.
    """

    announced: str
    seq: int
    purpose: str
    subject: str | None
    requested_by: str | None
    verdict: Literal["before", "after", "mixed", "undecided"]
    files: tuple[tuple[str, str], ...]
    """Path and `before`, `after` or `other`, each."""


def digest(content: bytes | None) -> str | None:
    """SHA-256 of a content in hex; None of none."""
    return None if content is None else sha256(content).hexdigest()
