"""Whether a plan is fulfilled: each condition that it is about judged again, and nothing blocking that is new.

An acceptance says what was seen. It never says that work is done, and ticks nothing (intent-evidence §7.5).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from t2c.ledger.changes.contract import acceptance_document
from t2c.projections.changeplans.lineage import Lineage
from t2c.projections.changeplans.subjects import Before, Judge, Judged, Now
from t2c.projections.diagnostics.messages import told
from t2c.projections.diagnostics.model import Finding

__all__ = [
    "MOST_IDS",
    "Evaluated",
    "Evaluation",
    "Stance",
    "Standing",
    "evaluated",
    "new_blocking",
    "standing",
]

MOST_IDS: Final = 8_000
"""Findings of one moment that an acceptance names, so that it fits into one event; of more, those that it rests on."""
_TOLD: Final = 5

Stance = Literal["open", "closed", "reopened"]
"""`reopened`: closed, and not accepted any more by the last evaluation since."""


class Evaluated(NamedTuple):
    """What an evaluation found: the published document without its times, and each subject."""

    document: dict[str, Any]
    subjects: tuple[Judged, ...]

    @property
    def accepted(self) -> bool:
        return bool(self.document["accepted"])


class Evaluation(NamedTuple):
    """A recorded evaluation, as far as it matters to whether a plan stands open."""

    seq: int
    accepted: bool


class Standing(NamedTuple):
    """How a plan stands, and the event since which it is closed or open again; None for one that was never closed."""

    stance: Stance
    since: int | None


def evaluated(plan: Mapping[str, Any], before: Before, now: Now) -> Evaluated:
    """A published plan held against what stands now; `before` is what stood when it was recorded."""
    files = frozenset((*(one["path"] for one in plan["changes"]), *plan["target"]["paths"]))
    judge = Judge(before, now, files, plan["evidence"]["recordIds"])
    subjects = tuple(judge.judged(one) for one in sorted(set(plan["evidence"]["diagnosticIds"])))
    blocking = new_blocking(before, now, judge.lineage)
    resting = {one.diagnostic for one in subjects} | {one.id for one in blocking}
    first, first_left = _named(before.findings.values(), resting)
    last, last_left = _named(now.findings, resting)
    reasons = [f"{one.diagnostic} is {one.state}: {one.reason}" for one in subjects]
    reasons += _of_blocking(blocking)
    if first_left or last_left:
        reasons.append(
            f"beforeDiagnosticIds and afterDiagnosticIds leave {first_left:,} and {last_left:,} other findings unnamed"
        )
    document = acceptance_document(
        plan,
        before=before.fingerprint,
        after=now.fingerprint,
        before_ids=first,
        after_ids=last,
        cleared=[one.diagnostic for one in subjects if one.state == "cleared"],
        new_blocking=[one.id for one in blocking],
        reasons=reasons,
    )
    return Evaluated(document, subjects)


def new_blocking(before: Before, now: Now, lineage: Lineage) -> Sequence[Finding]:
    """The blocking findings of subjects that nothing of this code blocked before, whatever their ids are, by id."""
    known: set[tuple[str, object]] = set()
    for one in before.findings.values():
        if one.severity == "blocking":
            known.add((one.code, lineage.subject(one.subject)))
            if one.records:
                known.add((one.code, lineage.records(one.records)))
    found = [
        one
        for one in now.findings
        if one.severity == "blocking"
        and (one.code, one.subject) not in known
        and (one.code, frozenset(one.records)) not in known
    ]
    return sorted(found, key=lambda one: one.id)


def standing(closed: int | None, evaluations: Iterable[Evaluation]) -> Standing:
    """Whether a plan is open, closed by event `closed`, or open again by what was seen since, and since which event."""
    if closed is None:
        return Standing("open", None)
    since: int | None = None
    for one in evaluations:
        if one.seq <= closed or one.accepted:
            since = None
        elif since is None:
            since = one.seq
    return Standing("closed", closed) if since is None else Standing("reopened", since)


def _of_blocking(found: Sequence[Finding]) -> Iterator[str]:
    for one in found[:_TOLD]:
        yield f"{one.id} is new and blocking: {one.code}: {told(one).title}"
    if len(found) > _TOLD:
        yield f"{len(found) - _TOLD} more are new and blocking"


def _named(findings: Collection[Finding], resting: Collection[str]) -> tuple[list[str], int]:
    """The ids of all findings, or of those that the acceptance rests on where they are too many; and how many are left out."""
    if len(findings) <= MOST_IDS:
        return [one.id for one in findings], 0
    named = [one.id for one in findings if one.id in resting or one.severity == "blocking"][:MOST_IDS]
    return named, len(findings) - len(named)
