"""Acceptance tests: inside the tests, about scenarios that exist, failing before the work and passing after it.

(answers §5; plan-records A12–A16)
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from shlex import quote
from typing import Final, NamedTuple
from unicodedata import normalize

from t2c.ledger.answers.base import Bench, Claim, Found
from t2c.ledger.answers.changes import Tree, changes, is_test, standing
from t2c.ledger.answers.checks.collecting import not_held_to, not_run, told_by
from t2c.ledger.answers.checks.freezing import (
    Frozen,
    State,
    freeze,
    frozen_files,
    refuse,
    refused_before,
    states,
    superseded,
)
from t2c.ledger.answers.checks.rules import argv_problem
from t2c.ledger.answers.checks.scenarios import Spec, check_scenarios
from t2c.ledger.answers.checks.trying import Side, Tried, side, staged, try_in, unreadable
from t2c.ledger.answers.history import RECORDED, event_named
from t2c.ledger.answers.paths import path_problem
from t2c.ledger.answers.roots.trials import Acceptance
from t2c.ledger.errors import Environment
from t2c.ledger.events.answers import Verdict
from t2c.ledger.kernel.actor import Actor

__all__ = [
    "BASE",
    "FROZEN",
    "PAIR",
    "PATHS",
    "Leg",
    "check",
    "check_frozen",
    "check_paths",
    "leg",
    "no_work",
    "standing_paths",
]

PATHS: Final = "test_paths"
BASE: Final = "control.base"
PAIR: Final = "control.pair"
FROZEN: Final = "frozen"


class Leg(NamedTuple):
    """One leg of a control pair; `where` is what it was tried on."""

    where: Side
    tried: Tried


def check(claim: Claim, bench: Bench) -> Iterator[Found]:
    """Check the paths, the scenarios and the control pair; freeze what failed before the work."""
    value = claim.value
    assert isinstance(value, Acceptance)
    spec = Spec.of(bench)
    files = {file.path: file.content.encode() for file in value.files}
    paths = list(check_paths(files, standing_paths(bench)))
    yield from paths
    yield from check_scenarios(spec, (name for file in value.files for name in file.scenarios))
    problem = argv_problem(value.argv) or not_held_to(tuple(value.argv), files)
    if not files:
        problem = "there is no file"
    elif any(found.result != "supported" for found in paths):
        problem = "a path is none of a test"
    if problem is not None:
        yield Found(BASE, "unresolvable", f"not tried: {problem}")
    else:
        yield from _pair(claim, bench, files, tuple(value.argv))
    yield from check_frozen(claim, bench)


def check_paths(files: Mapping[str, bytes], there: Collection[str] = ()) -> Iterator[Found]:
    """One finding for each file: its path is one of a test, and it can be laid over a tree.

    A path that differs from another of these or from one that is `there` by its case alone is two files on one
    machine and one on another.
    """
    spelled: dict[str, str] = {}
    for path in (*sorted(there), *files):
        spelled.setdefault(_folded(path), path)
    for path in files:
        if (problem := path_problem(path)) is not None:
            yield Found(PATHS, "inconsistent", f"{path!r}: {problem}", item=path)
        elif path not in there and spelled[_folded(path)] != path:
            twin = spelled[_folded(path)]
            yield Found(PATHS, "inconsistent", f"{path} is {twin} but for the case of its letters", item=path)
        elif not is_test(path):
            yield Found(PATHS, "refuted", f"{path} is not where tests are, nor named as one", item=path)
        else:
            yield Found(PATHS, "supported", f"{path} is the path of a test", item=path)


def standing_paths(bench: Bench) -> frozenset[str]:
    """The paths of the work tree, of the base and of all frozen tests; without a repository only the last."""
    found = {one.path for one in frozen_files(bench.ledger)}
    with suppress(Environment):
        found |= Tree(bench.tree, None).names()
        if bench.base is not None:
            found |= standing(bench.tree, bench.base).names()
    return frozenset(found)


def _folded(path: str) -> str:
    return normalize("NFC", normalize("NFC", path).casefold())


def _pair(claim: Claim, bench: Bench, files: Mapping[str, bytes], argv: tuple[str, ...]) -> Iterator[Found]:
    if bench.base is None:
        yield Found(
            BASE, "unresolvable", "no base was given to fail on: --base names the commit before the work"
        )
        return
    before = leg(claim, bench, side(bench.tree, bench.base), files, argv)
    told, gate = f"base {before.tried.told} on {before.where.name}", (before.tried.gate,)
    if before.tried.label == "not started":
        yield Found(BASE, "unresolvable", "the command could not be started on the base", evidence=gate)
        return
    if before.tried.label == "FAIL":
        broken = unreadable(before.tried, files)
        why = f"{broken} itself is no Python" if broken else not_run(argv, before.tried, files, "failed")
        if why is not None:
            yield Found(BASE, "unresolvable", f"{told}: {why}", evidence=gate)
            return
    failed = before.tried.label == "FAIL"
    if failed:
        yield Found(BASE, "supported", f"{told}: it fails before the work", evidence=gate)
        freeze(bench.ledger, claim.event, claim.about, files, argv, gate)
    else:
        yield Found(BASE, "refuted", f"{told}: it passes before any work", evidence=gate)
    after = side(bench.tree, bench.candidate)
    if no_work(bench, files):
        yield Found(PAIR, "unresolvable", f"there is no work to try yet: {after.name} is the base")
        return
    done = leg(claim, bench, after, files, argv)
    both = f"base {before.tried.label}, candidate {done.tried.told} on {after.name}"
    evidence = (before.tried.gate, done.tried.gate)
    if done.tried.label == "not started":
        yield Found(PAIR, "unresolvable", f"{both}: nothing is shown", evidence=evidence)
    elif done.tried.label == "PASS" and (why := not_run(argv, done.tried, files, "passed")) is not None:
        yield Found(PAIR, "unresolvable", f"{both}: {why}", evidence=evidence)
    elif done.tried.label == "PASS" and failed:
        yield Found(PAIR, "supported", f"{both}: discriminating", evidence=evidence)
    elif done.tried.label == "PASS":
        yield Found(PAIR, "refuted", f"{both}: non-discriminating, so it shows nothing", evidence=evidence)
    else:
        yield Found(PAIR, "refuted", f"{both}: it does not pass after the work", evidence=evidence)


def no_work(bench: Bench, tests: Collection[str]) -> bool:
    """True if nothing but these tests differs between the base and the candidate."""
    return changes(bench.tree, bench.base, bench.candidate).paths.issubset(tests)


def leg(claim: Claim, bench: Bench, where: Side, files: Mapping[str, bytes], argv: tuple[str, ...]) -> Leg:
    """Try tests on one side."""
    with staged(bench, where, files) as tree:
        tried = try_in(
            bench,
            tree,
            told_by(argv),
            where,
            purpose="control",
            subject=claim.about,
            cause=(claim.event,),
        )
    return Leg(where, tried)


def check_frozen(claim: Claim, bench: Bench) -> Iterator[Found]:
    """One finding for each file of this answer that is frozen: it stands as it was, or it was changed.

    A file that would take the place of a frozen one with other bytes is refuted, and that is recorded as refused: only
    a person's approval of the new bytes lets it (answers §5).
    """
    files = {file.path: file.content.encode() for file in getattr(claim.value, "files", ())}
    frozen = [one for one in frozen_files(bench.ledger) if one.path in files]
    unfit = {one.path for one in superseded(bench.ledger, claim.event, files)}
    stand = states(bench.ledger, bench.tree, frozen)
    for one in frozen:
        if one.path in unfit:
            yield _refused(claim, bench, one, files[one.path])
        else:
            yield _standing(one, *stand[one.path])


def _refused(claim: Claim, bench: Bench, one: Frozen, content: bytes) -> Found:
    digest = sha256(content).hexdigest()
    by = Actor.parse(str(event_named(bench.ledger, claim.event, RECORDED).actor))
    refuse(bench.ledger, one, digest, by, refused_before(bench.ledger))
    detail = (
        f"{one.path} is frozen as {one.digest[:12]}, and this answer brings {digest[:12]}: not frozen anew. Only a "
        f"person lets it, by `t2c answers approve {claim.seq} --file {quote(one.path)}`, and then it is verified again"
    )
    return Found(FROZEN, "refuted", detail, item=one.path, evidence=(one.event,))


def _standing(one: Frozen, state: State, here: str | None) -> Found:
    result: Verdict = "refuted"
    if state in ("as frozen", "changed by approval"):
        result, detail = "supported", f"{one.path} stands {state}"
    elif state == "missing":
        result, detail = "unresolvable", f"{one.path} is not in the work tree: put it there, as it is frozen"
    elif state == "deleted":
        detail = f"{one.path} is deleted"
    else:
        detail = f"{one.path} was frozen as {one.digest[:12]} and has {str(here)[:12]} now"
    return Found(FROZEN, result, detail, item=one.path, evidence=(one.event,))
