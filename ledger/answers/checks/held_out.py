"""Held-out tests: sealed, kept from the implementer, run against a frozen candidate (answers §5, §5.1).

Their bodies are not looked at here: what this finds stands in the readable ledger.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from t2c.ledger.answers.base import Bench, Claim, Found
from t2c.ledger.answers.checks.sealed_runs import SealedRun, run_sealed, store_of
from t2c.ledger.answers.checks.trying import Side, side
from t2c.ledger.answers.leaks import audit, burn
from t2c.ledger.answers.sealing import COMPOSITION, Sealed, open_sealed, sealed_tests
from t2c.ledger.errors import Environment
from t2c.ledger.events.draft import draft
from t2c.ledger.events.heldout import HeldoutRan

__all__ = ["SEALED", "SECRET", "HeldOutRun", "check", "run_held_out"]

SEALED: Final = "sealed"
SECRET: Final = "kept_secret"
_PURPOSE: Final = "held_out"


class HeldOutRun(NamedTuple):
    """How one sealed test went: `event` is its `heldout.ran`. A test that could not be started has none.

    `idle` is true where nothing ran that is known: then it counts for nothing.
    """

    file: int
    event: str | None
    passed: bool
    counts: bool
    scenarios: tuple[str, ...]
    composition: bool
    unbuilt: bool
    idle: bool = False


def check(claim: Claim, bench: Bench) -> Iterator[Found]:
    """Check that the tests are sealed, fit their story, and were shown to no implementer."""
    mine = [one for one in sealed_tests(bench.ledger) if one.answer == claim.event]
    if not mine:
        yield Found(SEALED, "unresolvable", "nothing of it is sealed: `t2c answers seal` does that")
        return
    found = audit(bench.ledger, store_of(bench), tree=bench.tree, progress=bench.progress)
    burn(bench.ledger, found)
    for one in mine:
        yield Found(SEALED, "supported", f"{len(one.files)} test(s) are sealed", evidence=(one.event,))
        yield from _composed(one)
    for trail in found.tests:
        if trail.sealed not in {one.event for one in mine}:
            continue
        item = f"files[{trail.file}]"
        if trail.leaks:
            first = trail.leaks[0]
            verb = "was shown in" if first.sent else "was kept from being shown by"
            yield Found(SECRET, "refuted", f"it {verb} seq {first.seq} ({first.how})", item, (trail.sealed,))
        elif trail.opened is None:
            yield Found(SECRET, "unresolvable", f"it cannot be opened: {trail.why}", item)
        elif trail.lies is not None:
            yield Found(SECRET, "refuted", "it lies in the work tree, where the implementer reads", item)
        else:
            told = f"no request to the {found.role} shows it, of {found.requests} up to seq {trail.until}"
            yield Found(SECRET, "unresolvable" if found.unread else "supported", told, item)


def _composed(one: Sealed) -> Iterator[Found]:
    scenarios = {name for part in one.files for name in part.scenarios}
    if len(scenarios) > 1 and not any(part.composition for part in one.files):
        told = f"no test checks the {len(scenarios)} scenarios of the story together"
        yield Found(COMPOSITION, "inconsistent", told, evidence=(one.event,))
    else:
        yield Found(COMPOSITION, "supported", "its scenarios are tried together", evidence=(one.event,))


def run_held_out(bench: Bench, one: Sealed) -> tuple[Side, list[HeldOutRun]]:
    """Run sealed tests against the candidate, each in a copy of it; each run is recorded, and leaks before them.

    Raises Conflict if the work tree changes meanwhile, and what the store raises.
    """
    store = store_of(bench)
    if store is None:
        raise Environment("there is no state folder, and sealed tests lie there")
    where = side(bench.tree, bench.candidate)
    burn(bench.ledger, audit(bench.ledger, store, progress=bench.progress))
    one = next(known for known in sealed_tests(bench.ledger) if known.event == one.event)
    tests = open_sealed(bench.ledger, store, one)
    done = []
    for number, test in enumerate(tests):
        bench.progress("held-out", number, len(tests))
        run = run_sealed(bench, where, {}, test, purpose=_PURPOSE, subject=one.about, cause=(one.event,))
        done.append(_recorded(bench, one, where, run))
    return where, done


def _recorded(bench: Bench, one: Sealed, where: Side, run: SealedRun) -> HeldOutRun:
    part = one.files[run.file]
    event = None
    counts = one.counts(run.file) and not run.idle
    if run.label != "not started":
        payload = HeldoutRan(
            sealed=one.event,
            file=run.file,
            candidate=where.fingerprint,
            passed=run.label == "PASS",
            gate=run.gate,
            counts=counts,
            output=run.output,
        )
        event = bench.ledger.append([draft(payload, cause=(one.event, run.gate))])[0].id
    return HeldOutRun(
        run.file,
        event,
        run.label == "PASS",
        counts,
        part.scenarios,
        part.composition,
        run.unbuilt,
        run.idle,
    )
