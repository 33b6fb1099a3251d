"""`t2c answers verify`: what must follow an answer, run and recorded; and what a person says of a suspicion."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from t2c.cli.actions.answers_ask import CheckRow
from t2c.cli.actions.context import Context
from t2c.cli.actions.opening import open_ledger
from t2c.ledger.answers.base import Bench
from t2c.ledger.answers.checks.rules import consistency
from t2c.ledger.answers.deciding import judge
from t2c.ledger.answers.history import answer
from t2c.ledger.answers.registry import verify
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Usage
from t2c.ledger.kernel.actor import Actor
from t2c.projections.answers.model import Checked, state_of

__all__ = ["AnswerChecked", "Judged", "VerifyRequest", "bench_of", "judged", "verified"]


@dataclass(frozen=True, slots=True)
class AnswerChecked:
    """What checking an answer showed now. `state` is what these checks make of it; no state says that work is done.

    Checks without an event are of the answer's own rules, which were looked at when it was recorded.
    """

    schema: ClassVar[str] = "t2c.answer-checked/v1"
    event: str
    seq: int
    root: str
    about: str | None
    state: str
    checks: Sequence[CheckRow]


@dataclass(frozen=True, slots=True)
class Judged:
    """What a person said of one suspected shortcut, as event `seq`."""

    schema: ClassVar[str] = "t2c.shortcut-judged/v1"
    answer: str
    item: int
    verdict: Literal["confirmed", "cleared"]
    reason: str
    by: str
    event: str
    seq: int


@dataclass(frozen=True, slots=True)
class VerifyRequest:
    """What an answer is checked against; see `t2c answers verify`. `timeout` is in seconds, for each gate."""

    base: str | None = None
    candidate: str | None = None
    spec: Sequence[str] = ()
    gates: Sequence[str] = ()
    timeout: int = 600


def verified(
    context: Context, name: str, request: VerifyRequest, environ: Mapping[str, str], state: Path
) -> AnswerChecked:
    """Run the checks that must follow an answer and record what each showed.

    Raises Usage for what names no answer, no commit or no command, Environment for what a check cannot read.
    """
    with open_ledger(context, hold=True) as ledger:
        claim = answer(ledger, name)
        bench = bench_of(context, ledger, request, environ, state)
        made = list(verify(claim, bench))
        rows = [CheckRow.of(found) for found in consistency(claim.value)]
        rows += [CheckRow.of(one.found, one.event) for one in made]
        seen = [
            Checked(row.check, row.item, row.result, row.detail, (), row.event or "", index)
            for index, row in enumerate(rows)
        ]
        return AnswerChecked(claim.event, claim.seq, claim.root, claim.about, state_of(seen), rows)


def bench_of(
    context: Context, ledger: Ledger, request: VerifyRequest, environ: Mapping[str, str], state: Path
) -> Bench:
    """What checks work with. Raises Usage for a specification that is not there and for an empty gate."""
    spec = tuple(context.path(given) for given in request.spec)
    for given, path in zip(request.spec, spec, strict=True):
        if not path.exists():
            raise Usage(
                f"there is no specification {given}",
                safe="nothing was checked",
                remedy="name a file or a folder inside the root",
            )
    return Bench(
        ledger,
        context.root,
        context.progress,
        base=request.base,
        candidate=request.candidate,
        spec=spec,
        gates=tuple(_argv(gate) for gate in request.gates),
        timeout=request.timeout,
        environ=environ,
        state=state,
    )


def judged(
    context: Context, name: str, item: int, verdict: Literal["confirmed", "cleared"], reason: str
) -> Judged:
    """Record what a person says of one suspicion of a monitor. Raises Refused for whoever is no person."""
    actor = Actor.parse(context.settings.actor)
    with open_ledger(context) as ledger:
        claim = answer(ledger, name)
        receipt = judge(ledger, claim, item, verdict, reason, actor)
    return Judged(claim.event, item, verdict, reason, str(actor), receipt.id, receipt.seq)


def _argv(gate: str) -> tuple[str, ...]:
    try:
        argv = tuple(shlex.split(gate))
    except ValueError as error:
        raise Usage(f"{gate!r} is no command: {error}", remedy="close its quotation marks") from None
    if not argv or not argv[0]:
        raise Usage(
            "a gate is empty", where="--gate", remedy='write it like --gate "pytest -q tests/test_door.py"'
        )
    return argv
