"""Which checks must follow which answer. A check is added here with one row and is imported when it is needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Final, NamedTuple

from t2c.ledger.answers.base import Bench, Check, Claim, Found
from t2c.ledger.answers.history import RECORDED, event_named
from t2c.ledger.answers.recording import complete, keep_found, note_refusal, rounds_of
from t2c.ledger.audit.answers import INERT
from t2c.ledger.errors import Refused, Usage
from t2c.ledger.kernel.actor import SCANNER, Actor

__all__ = ["CHECKS", "WITH_GATES", "Outcome", "checks_of", "verify"]

_CHECKS: Final = "t2c.ledger.answers.checks"

CHECKS: Final[Mapping[str, tuple[str, ...]]] = {
    "attempt_report": (f"{_CHECKS}.attempt:check", f"{_CHECKS}.frozen_tests:check"),
    "proposal": (f"{_CHECKS}.proposal:check",),
    "assessment": (f"{_CHECKS}.assessment:check",),
    "monitoring": (f"{_CHECKS}.monitoring:check",),
    "shaped": (f"{_CHECKS}.shaped:check",),
    "hosted": (f"{_CHECKS}.hosted:check",),
    "explored": (f"{_CHECKS}.explored:check",),
    "blocked": (f"{_CHECKS}.blocked:check",),
    "question": (f"{_CHECKS}.question:check",),
    "near_miss_variants": (f"{_CHECKS}.variants:check",),
    "special_case_variants": (f"{_CHECKS}.variants:check",),
    "acceptance": (f"{_CHECKS}.acceptance:check",),
    "reproductions": (f"{_CHECKS}.reproductions:check",),
    "held_out": (f"{_CHECKS}.held_out:check",),
    "review": (f"{_CHECKS}.review:check",),
}
"""Root → `module:function` of the checks that follow it, in the order in which they run."""

WITH_GATES: Final = frozenset({"attempt_report", "near_miss_variants", "special_case_variants"})
"""Roots for whose checks commands may be given. From a proposal or an exploration none may follow (answers §7.24)."""


class Outcome(NamedTuple):
    """A finding and the `answer.verified` event that it became."""

    event: str
    found: Found


def checks_of(root: str) -> tuple[Check, ...]:
    """The checks of a root, loaded; a root without any has its own rules alone."""
    loaded = []
    for row in CHECKS.get(root, ()):
        module, _, name = row.partition(":")
        loaded.append(getattr(import_module(module), name))
    return tuple(loaded)


def verify(claim: Claim, bench: Bench) -> Iterator[Outcome]:
    """Run what must follow an answer, each finding recorded as soon as it is made.

    What was recorded stays if a later check cannot run. Raises Refused for gates that would follow from an answer which
    is never executed, Usage for gates that nothing would run, and what a check raises.
    """
    _check_gates(claim, bench)
    recorded = event_named(bench.ledger, claim.event, RECORDED)
    actor = Actor(recorded.actor.kind, recorded.actor.id)  # type: ignore[arg-type]
    complete(bench.ledger, claim.event, claim.root, claim.about, claim.value, actor)
    number = rounds_of(bench.ledger, claim.event) + 1
    for check in checks_of(claim.root):
        for one in check(claim, bench):
            yield Outcome(keep_found(bench.ledger, claim.event, [one], number)[0], one)


def _check_gates(claim: Claim, bench: Bench) -> None:
    if not bench.gates or claim.root in WITH_GATES:
        return
    if claim.root in INERT:
        rule = f"nothing that is run may follow from an answer {claim.root}"
        note_refusal(
            bench.ledger,
            subject=claim.event,
            code="inert_cause",
            reason=rule,
            by=SCANNER,
            reference=claim.event,
        )
        raise Refused(
            f"no gate is run: {rule}",
            where=f"seq {claim.seq}",
            safe="nothing was run; the refusal is recorded",
            remedy="give the gate to the report of the attempt that did the work",
        )
    raise Usage(
        f"an answer {claim.root} is checked without gates",
        where=f"seq {claim.seq}",
        safe="nothing was run",
        remedy=f"leave out --gate; it belongs to {', '.join(sorted(WITH_GATES))}",
    )
