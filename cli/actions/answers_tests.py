"""`t2c answers seal|reveal|leaks|run|frozen`: tests that are sealed, measured and frozen (answers §5.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from t2c.cli.actions.context import Context
from t2c.cli.actions.opening import open_ledger
from t2c.ledger.answers.base import Bench
from t2c.ledger.answers.sealed_store import SealedStore
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Usage
from t2c.ledger.kernel.actor import Actor

if TYPE_CHECKING:
    from t2c.ledger.answers.leaks import Trail

__all__ = [
    "FrozenList", "FrozenRow", "HeldOutResult", "HeldOutRow", "LeakReport", "LeakRow", "LeakSign", "Readable", "RevealResult",
    "RevealedRow", "SealResult", "frozen", "leaks", "reveal", "run", "seal",
]  # fmt: skip

_SOMEWHERE: Final = "under its own path"
"""Where a test lies in the work tree, for whoever may not know its path."""


@dataclass(frozen=True, slots=True)
class Readable:
    """A copy of a sealed test that everybody may read: the number of the test, and where it lies."""

    file: int
    path: str


@dataclass(frozen=True, slots=True)
class SealResult:
    """Tests that were sealed: by event `sealed`, of the answer `answer`. `composed` is false where no test checks the
    scenarios of the story together, `copies` are what can be read of them in the tree all the same, `unfindable` those of which no line could be found in
    a prompt."""

    schema: ClassVar[str] = "t2c.answers.sealed/v1"
    answer: str
    sealed: str
    seq: int
    about: str | None
    files: int
    composed: bool
    copies: Sequence[Readable]
    unfindable: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class RevealedRow:
    """An opened test: its path and the object of its body."""

    file: int
    path: str
    content: str
    scenarios: Sequence[str]


@dataclass(frozen=True, slots=True)
class RevealResult:
    """Tests that event `event` opened."""

    schema: ClassVar[str] = "t2c.answers.revealed/v1"
    sealed: str
    event: str
    files: Sequence[RevealedRow]


@dataclass(frozen=True, slots=True)
class LeakSign:
    """Where a test was shown: the seq of the request, or of the leak that was kept from being sent; and what showed it."""

    seq: int
    how: str
    sent: bool


@dataclass(frozen=True, slots=True)
class LeakRow:
    """A sealed test beside all requests until seq `until`, when it was revealed, or the last one. `opened` says where its bytes were had from: `ledger`, `store`, or null, and
    then `why` says why nothing is proven of it. `lies` is where the work tree holds it. Only a person is told the path
    and scenarios of a test that is not revealed; for others `hidden` is true and `lies` says only that it is there."""

    sealed: str
    file: int
    since: int
    until: int
    about: str | None
    scenarios: Sequence[str]
    path: str | None
    opened: str | None
    why: str | None
    leaks: Sequence[LeakSign]
    lies: str | None
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class LeakReport:
    """All sealed tests beside all `requests` to a role up to event `seq`; those in `unread` are not here any more.

    `ok` is true if nothing was shown and everything could be looked at.
    """

    schema: ClassVar[str] = "t2c.answers.leaks/v1"
    ok: bool
    role: str
    seq: int
    requests: int
    unread: Sequence[int]
    tests: Sequence[LeakRow]


@dataclass(frozen=True, slots=True)
class HeldOutRow:
    """How one sealed test went. `result` is `passed`, `failed` or `not_started`; `counts` is false where it had leaked,
    was revealed or is idle; `unbuilt` is true where it failed before any test of it ran, `idle`
    where its command ended well and ran nothing that is known."""

    file: int
    result: str
    counts: bool
    unbuilt: bool
    scenarios: Sequence[str]
    composition: bool
    event: str | None
    idle: bool = False


@dataclass(frozen=True, slots=True)
class HeldOutResult:
    """A run of sealed tests against a candidate: a `commit`, or the work tree, with its fingerprint.

    `scenarios` says of each scenario if all tests of it passed, which is all that the implementer may be told.
    """

    schema: ClassVar[str] = "t2c.answers.held-out-run/v1"
    sealed: str
    about: str | None
    commit: str | None
    candidate: str
    passed: bool
    scenarios: Mapping[str, bool]
    files: Sequence[HeldOutRow]


@dataclass(frozen=True, slots=True)
class FrozenRow:
    """A frozen file: `state` is `as frozen`, `changed`, `deleted`, `missing` or `changed by approval`; `digest` is the
    SHA-256 that it must have, `found` the one that it has, `approved` the person's approval that took the place of what
    was frozen by `event`."""

    path: str
    state: str
    digest: str
    found: str | None
    about: str | None
    event: str
    seq: int
    approved: str | None = None


@dataclass(frozen=True, slots=True)
class FrozenList:
    """The frozen files by path. `ok` is false if one was changed or is not there. `refused` are those whose change was recorded as refused."""

    schema: ClassVar[str] = "t2c.answers.frozen/v1"
    ok: bool
    files: Sequence[FrozenRow]
    refused: Sequence[str]


def seal(context: Context, state: Path, content: bytes, about: str | None, actor: str | None) -> SealResult:
    """Seal the tests of a `held_out` answer. Raises Usage for what is none, Refused for an actor that is no agent."""
    from t2c.ledger.answers import sealing
    from t2c.ledger.answers.recording import UNNAMED

    mine = Actor.parse(context.settings.actor)
    whose = Actor.parse(actor) if actor is not None else mine if mine.kind == "agent" else UNNAMED
    with open_ledger(context) as ledger:
        done = sealing.seal(
            ledger,
            _store(ledger, state),
            content,
            tree=context.root,
            actor=whose,
            about=about,
            progress=context.progress,
        )
    copies = [Readable(file, path) for file, paths in done.copies.items() for path in paths]
    composed = all(found.result == "supported" for found in done.found)
    return SealResult(
        done.answer, done.sealed, done.seq, about, done.files, composed, copies, done.unfindable
    )


def reveal(context: Context, state: Path, name: str) -> RevealResult:
    """Open sealed tests in the ledger.

    Raises Usage for what names none, Refused for whoever is no person, and what the sealed store raises.
    """
    from hashlib import sha256

    from t2c.ledger.answers import sealing

    with open_ledger(context) as ledger:
        one = sealing.named(ledger, name)
        event, tests = sealing.reveal(ledger, _store(ledger, state), one, Actor.parse(context.settings.actor))
    return RevealResult(
        one.event,
        event,
        [
            RevealedRow(test.file, test.path, sha256(test.body).hexdigest(), one.files[test.file].scenarios)
            for test in tests
        ],
    )


def leaks(context: Context, state: Path | None, role: str) -> LeakReport:
    """Look for every sealed test in every request to a role. `state` is None where there is no state folder."""
    from t2c.ledger.answers.leaks import audit

    if not role.strip():
        raise Usage("the role is blank", where="--role", remedy="name whose requests to look at")
    with open_ledger(context) as ledger:
        store = None if state is None else _store(ledger, state)
        found = audit(ledger, store, role=role, tree=context.root, progress=context.progress)
    person = Actor.parse(context.settings.actor).kind == "human"
    rows = [_leak_row(trail, hidden=not person and trail.opened != "ledger") for trail in found.tests]
    proven = not found.unread and all(row.opened is not None for row in rows)
    ok = proven and not any(row.leaks or row.lies is not None for row in rows)
    return LeakReport(ok, found.role, found.seq, found.requests, found.unread, rows)


def _leak_row(trail: Trail, *, hidden: bool) -> LeakRow:
    return LeakRow(
        trail.sealed,
        trail.file,
        trail.since,
        trail.until,
        trail.about,
        () if hidden else trail.scenarios,
        None if hidden else trail.path,
        trail.opened,
        trail.why,
        [LeakSign(leak.seq, leak.how, leak.sent) for leak in trail.leaks],
        _SOMEWHERE if hidden and trail.lies is not None else trail.lies,
        hidden,
    )


def run(
    context: Context,
    state: Path,
    environ: Mapping[str, str],
    name: str,
    candidate: str | None,
    timeout: int,
) -> HeldOutResult:
    """Run sealed tests against a commit, or the work tree. Raises Usage for what names none, Conflict if the tree changes."""
    from t2c.ledger.answers import sealing
    from t2c.ledger.answers.checks.held_out import run_held_out

    with open_ledger(context, hold=True) as ledger:
        one = sealing.named(ledger, name)
        bench = Bench(
            ledger,
            context.root,
            context.progress,
            candidate=candidate,
            timeout=timeout,
            environ=environ,
            state=state,
        )
        where, runs = run_held_out(bench, one)
    scenarios: dict[str, bool] = {}
    for went in runs:
        for scenario in went.scenarios:
            scenarios[scenario] = scenarios.get(scenario, True) and went.passed
    rows = [
        HeldOutRow(
            went.file,
            "passed" if went.passed else "not_started" if went.event is None else "failed",
            went.counts,
            went.unbuilt,
            went.scenarios,
            went.composition,
            went.event,
            went.idle,
        )
        for went in runs
    ]
    passed = all(went.passed for went in runs)
    return HeldOutResult(
        one.event, one.about, where.commit, where.fingerprint, passed, dict(sorted(scenarios.items())), rows
    )


def frozen(context: Context, about: str | None, refuse: bool) -> FrozenList:
    """The frozen files as they stand in the work tree; `refuse` records a refusal for each that was changed."""
    from t2c.ledger.answers.checks.freezing import BROKEN, frozen_files, refuse_changed, states

    with open_ledger(context) as ledger:
        files = frozen_files(ledger, about)
        stand = states(ledger, context.root, files)
        actor = Actor.parse(context.settings.actor)
        refused = refuse_changed(ledger, context.root, actor, about) if refuse else []
    if about is not None and not files:
        raise Usage(f"nothing is frozen about {about!r}", remedy="`t2c answers frozen` lists all")
    rows = [
        FrozenRow(
            one.path,
            stand[one.path][0],
            one.digest,
            stand[one.path][1],
            one.about,
            one.event,
            one.seq,
            one.approved,
        )
        for one in files
    ]
    return FrozenList(not any(row.state in BROKEN for row in rows), rows, refused)


def _store(ledger: Ledger, state: Path) -> SealedStore:
    return SealedStore(state, str(ledger.id()), ledger.workspace)
