"""Variants of the code that measure what tests tell apart: each tried in a scratch copy, never in the work tree.

A wrong variant must fail the tests (`killed`, else `survived`), a permitted one must pass them (`accepted`, else
`overconstrained`); one that only knows the tests' inputs must pass the visible tests and fail the held-out ones
(`told_apart`, else `blind`). What cannot be built or imported, or is the code as it stands, is `invalid` and never
counts as killed (answers §5).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

from t2c.ledger.answers.base import Bench, Claim, Found
from t2c.ledger.answers.checks.freezing import suite_of
from t2c.ledger.answers.checks.python_code import raised_on_import, uncompilable
from t2c.ledger.answers.checks.rules import argv_problem
from t2c.ledger.answers.checks.sealed_runs import SealedRun, run_sealed, to_run
from t2c.ledger.answers.checks.trying import Side, Tried, nothing_ran, side, staged, try_in, unbuilt
from t2c.ledger.answers.paths import MOST_BYTES, path_problem
from t2c.ledger.answers.sealing import OpenTest
from t2c.ledger.errors import T2cError
from t2c.ledger.events.answers import Verdict
from t2c.ledger.events.draft import draft
from t2c.ledger.events.heldout import VariantAnnounced, VariantFile, VariantOutcome, VariantRan
from t2c.ledger.execution.overlay import overlay_problem

__all__ = ["CHECK", "check"]

CHECK: Final = "variant"
_BASE: Final = "variant.base"
_PURPOSE: Final = "variant"

_VERDICTS: Final[Mapping[VariantOutcome, Verdict]] = {
    "killed": "supported",
    "accepted": "supported",
    "told_apart": "supported",
    "survived": "refuted",
    "overconstrained": "refuted",
    "blind": "refuted",
    "invalid": "inconsistent",
}


class _Suite(NamedTuple):
    """The tests that variants are held to: commands, and frozen files that are laid over each copy."""

    commands: tuple[tuple[str, ...], ...]
    files: Mapping[str, bytes]
    evidence: tuple[str, ...]


class _Went(NamedTuple):
    outcome: VariantOutcome
    detail: str
    gates: tuple[str, ...]


def check(claim: Claim, bench: Bench) -> Iterator[Found]:
    """Try every variant; the base first, on which the tests must pass."""
    value: Any = claim.value
    if not value.variants:
        yield Found(_BASE, "unresolvable", "there is no variant to try")
        return
    suite = _suite(claim, bench)
    if suite is None:
        yield Found(
            _BASE,
            "unresolvable",
            "there are no tests to try variants with: freeze some, or give the command with --gate",
        )
        return
    where = side(bench.tree, bench.candidate)
    sealed: list[OpenTest] | None = None
    if claim.root == "special_case_variants":
        sealed, why = to_run(claim, bench)
        if not sealed:
            yield Found(_BASE, "unresolvable", f"there is no held-out test to tell it apart: {why}")
            return
    gates, fault = _sound(claim, bench, suite, where, sealed)
    if fault is not None:
        yield Found(_BASE, "unresolvable", fault, evidence=gates)
        return
    yield Found(_BASE, "supported", f"the tests pass on {where.name}", evidence=(*suite.evidence, *gates))
    for index, variant in enumerate(value.variants):
        yield _tried(claim, bench, suite, where, index, variant, sealed)


def _suite(claim: Claim, bench: Bench) -> _Suite | None:
    frozen = suite_of(bench.ledger, claim.about)
    files: dict[str, bytes] = {}
    if frozen is not None:
        for one in frozen.files:
            if bench.ledger.objects.has(one.digest):
                files[one.path] = bench.ledger.objects.get(one.digest)
    # What a person gives may be any program; what a model wrote may not.
    usable = frozen is not None and argv_problem(frozen.argv) is None
    commands = bench.gates or ((frozen.argv,) if frozen is not None and usable else ())
    if not commands:
        return None
    return _Suite(commands, files, () if frozen is None else (frozen.event,))


def _sound(
    claim: Claim, bench: Bench, suite: _Suite, where: Side, sealed: list[OpenTest] | None
) -> tuple[tuple[str, ...], str | None]:
    """The runs on the unchanged code, and why nothing can be measured with these tests."""
    with staged(bench, where, suite.files) as tree:
        runs = _run(claim, bench, suite, where, tree, (claim.event,))
        gates = tuple(run.gate for run in runs)
        bad = next((run for run in runs if run.label != "PASS"), None)
        if bad is not None:
            return gates, f"the tests do not pass on {where.name} itself: {bad.told}"
        if any(nothing_ran(argv, run) for argv, run in zip(suite.commands, runs, strict=True)):
            return gates, f"no test runs on {where.name}"
    held = _run_held(claim, bench, where, suite.files, sealed, (claim.event,))
    gates += tuple(run.gate for run in held)
    if any(run.label != "PASS" for run in held):
        return gates, f"a held-out test does not pass on {where.name} itself"
    return gates, None


def _tried(
    claim: Claim,
    bench: Bench,
    suite: _Suite,
    where: Side,
    index: int,
    variant: Any,
    sealed: list[OpenTest] | None,
) -> Found:
    kind: str = variant.kind.value
    overlay = {file.path: file.content.encode() for file in variant.files}
    announced = bench.ledger.append(
        [
            draft(
                VariantAnnounced(
                    answer=claim.event,
                    item=index,
                    kind=kind,  # type: ignore[arg-type]
                    scenario=variant.scenario,
                    base=where.commit or where.fingerprint,
                    files=tuple(
                        VariantFile(path=path or "?", content=sha256(content).hexdigest())
                        for path, content in overlay.items()
                    ),
                ),
                cause=(claim.event,),
            )
        ]
    )[0].id
    bench.ledger.sync()
    went = _went(claim, bench, suite, where, kind, variant, overlay, sealed, announced)
    ran = VariantRan(announced=announced, outcome=went.outcome, detail=went.detail, gates=went.gates)
    event = bench.ledger.append([draft(ran, cause=(announced, *went.gates))])[0].id
    return Found(
        CHECK,
        _VERDICTS[went.outcome],
        f"{kind} is {went.outcome}: {went.detail}",
        item=f"variants[{index}]",
        evidence=(event,),
    )


def _went(
    claim: Claim,
    bench: Bench,
    suite: _Suite,
    where: Side,
    kind: str,
    variant: Any,
    overlay: Mapping[str, bytes],
    sealed: list[OpenTest] | None,
    announced: str,
) -> _Went:
    problem = _problem(variant, suite)
    if problem is not None:
        return _Went("invalid", problem, ())
    try:
        with staged(bench, where, {}) as tree:
            before = {path: _content(tree, path) for path in overlay}
            if before == overlay:
                return _Went("invalid", "it is the code as it stands", ())
        with staged(bench, where, {**overlay, **suite.files}) as tree:
            runs = _run(claim, bench, suite, where, tree, (announced,), first_failure=True)
            gates = tuple(run.gate for run in runs)
            last, argv = runs[-1], suite.commands[len(runs) - 1]
            if last.label != "PASS":
                broken = (
                    unbuilt(argv, last)
                    or raised_on_import(last.output, argv, overlay)
                    or uncompilable(overlay, before)
                )
                if broken is not None:
                    return _Went("invalid", broken, gates)
            elif nothing_ran(argv, last):
                return _Went("invalid", "no test ran on it", gates)
            if kind == "wrong":
                return _Went(*_WRONG[last.label == "PASS"], gates)
            if kind == "permitted":
                return _Went(*_PERMITTED[last.label == "PASS"], gates)
            if last.label != "PASS":
                return _Went("invalid", f"it does not pass the visible tests: {last.told}", gates)
        held = _run_held(claim, bench, where, {**overlay, **suite.files}, sealed, (announced,))
    except T2cError as error:
        if error.code != 2:
            raise
        return _Went("invalid", error.what, ())
    gates += tuple(run.gate for run in held)
    failed = [run for run in held if run.label == "FAIL"]
    if failed and all(run.unbuilt for run in failed):
        return _Went("invalid", "it cannot be built or imported by the held-out tests", gates)
    if failed:
        return _Went("told_apart", f"{len(failed)} of {len(held)} held-out tests fail on it", gates)
    return _Went("blind", "all held-out tests pass on it, so they add nothing", gates)


_WRONG: Final[Mapping[bool, tuple[VariantOutcome, str]]] = {
    False: ("killed", "the tests fail on it, as they must"),
    True: ("survived", "the tests pass on it: they are too weak"),
}
_PERMITTED: Final[Mapping[bool, tuple[VariantOutcome, str]]] = {
    True: ("accepted", "the tests pass on it, as they must"),
    False: ("overconstrained", "the tests fail on it: they ask for more than the specification"),
}


def _problem(variant: Any, suite: _Suite) -> str | None:
    """Why a variant is none before anything is run."""
    if not variant.files:
        return "it replaces no file"
    paths = [file.path for file in variant.files]
    for file in variant.files:
        problem = path_problem(file.path) or overlay_problem(file.path)
        if problem is not None:
            return f"{file.path!r}: {problem}"
        if file.path in suite.files:
            return f"it changes {file.path}, a frozen test"
        if len(file.content.encode()) > MOST_BYTES:
            return f"{file.path} is larger than {MOST_BYTES:,} bytes"
    if len(set(paths)) != len(paths):
        return "it names a file twice"
    return None


def _content(tree: Path, path: str) -> bytes | None:
    try:
        place = tree / path
        return None if place.is_symlink() else place.read_bytes()
    except OSError:
        return None


def _run(
    claim: Claim,
    bench: Bench,
    suite: _Suite,
    where: Side,
    tree: Path,
    cause: tuple[str, ...],
    *,
    first_failure: bool = False,
) -> list[Tried]:
    """Run the commands of the suite, up to the first that fails where that is all that is asked."""
    runs: list[Tried] = []
    for argv in suite.commands:
        runs.append(try_in(bench, tree, argv, where, purpose=_PURPOSE, subject=claim.about, cause=cause))
        if first_failure and runs[-1].label != "PASS":
            break
    return runs


def _run_held(
    claim: Claim,
    bench: Bench,
    where: Side,
    overlay: Mapping[str, bytes | None],
    sealed: list[OpenTest] | None,
    cause: tuple[str, ...],
) -> list[SealedRun]:
    return [
        run_sealed(bench, where, overlay, test, purpose=_PURPOSE, subject=claim.about, cause=cause)
        for test in sealed or ()
    ]
