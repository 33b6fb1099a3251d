"""Reproductions of a bug: on the buggy base `E*` fails and `U*` passes, by the very test that was named; then both pass.

(answers §5)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from t2c.ledger.answers.base import Bench, Claim, Found
from t2c.ledger.answers.checks.acceptance import check_paths, no_work
from t2c.ledger.answers.checks.named_tests import ended, telling
from t2c.ledger.answers.checks.rules import argv_problem
from t2c.ledger.answers.checks.scenarios import Spec
from t2c.ledger.answers.checks.trying import Side, Tried, side, staged, try_in, unbuilt
from t2c.ledger.answers.roots.trials import Reproduction, Reproductions
from t2c.ledger.events.answers import Verdict

__all__ = ["AFTER", "BEFORE", "COVERED", "NAMED", "STATEMENTS", "check"]

STATEMENTS: Final = "statements"
COVERED: Final = "covered"
BEFORE: Final = "on_base"
NAMED: Final = "named_test"
AFTER: Final = "after_fix"

_STATEMENT: Final = re.compile(r"[EU][0-9]{1,4}")


def check(claim: Claim, bench: Bench) -> Iterator[Found]:
    """Check that each statement has one file, and what each shows on the base and after the fix."""
    value = claim.value
    assert isinstance(value, Reproductions)
    spec = Spec.of(bench)
    statements = list(_statements(value))
    yield from statements
    yield from _covered(value, spec)
    paths = list(check_paths({file.path: file.content.encode() for file in value.files}))
    yield from paths
    wrong = {found.item for found in (*statements, *paths) if found.result != "supported"}
    if bench.base is None:
        yield Found(
            BEFORE, "unresolvable", "no base was given to reproduce on: --base names the commit with the bug"
        )
        return
    before, after = side(bench.tree, bench.base), side(bench.tree, bench.candidate)
    fixed = not no_work(bench, {file.path for file in value.files})
    for file in value.files:
        problem = argv_problem(file.argv)
        if wrong & {file.path, file.statement} or problem is not None:
            yield Found(
                BEFORE, "unresolvable", f"not tried: {problem or 'see its faults'}", item=file.statement
            )
            continue
        yield from _one(claim, bench, file, before, after if fixed else None)


def _statements(value: Reproductions) -> Iterator[Found]:
    """Each file is about one statement, and no other file is."""
    seen: dict[str, str] = {}
    twice: set[str] = set()
    for file in value.files:
        if seen.setdefault(file.statement, file.path) != file.path:
            twice.add(file.statement)
    for name, path in seen.items():
        if _STATEMENT.fullmatch(name) is None:
            yield Found(
                STATEMENTS,
                "inconsistent",
                f"{name!r} is neither E and a number nor U and a number",
                item=name,
            )
        elif name in twice:
            yield Found(STATEMENTS, "inconsistent", f"several files are about {name}", item=name)
        else:
            yield Found(STATEMENTS, "supported", f"{path} is about {name}, and no other file is", item=name)


def _covered(value: Reproductions, spec: Spec) -> Iterator[Found]:
    if not spec.given:
        yield Found(
            COVERED, "unresolvable", "the statements of the bug were not given: --spec names the text"
        )
        return
    have = {file.statement for file in value.files}
    stated = spec.statements()
    for name in stated:
        if name in have:
            yield Found(COVERED, "supported", f"{name} has a file", item=name)
        else:
            yield Found(COVERED, "unresolvable", f"no file is about {name}", item=name)
    for name in sorted(have.difference(stated)):
        yield Found(COVERED, "unresolvable", f"{name} is not stated in what was given", item=name)


def _one(claim: Claim, bench: Bench, file: Reproduction, before: Side, after: Side | None) -> Iterator[Found]:
    must_fail = file.statement.startswith("E")
    tried = _try(claim, bench, file, before)
    how = _named(file, tried)
    told, gate = f"{file.statement} on {before.name}: {tried.told}", (tried.gate,)
    broken = unbuilt(tuple(file.argv), tried) if tried.label != "PASS" else None
    if broken is not None:
        yield Found(BEFORE, "unresolvable", f"{told}: {broken}", file.statement, gate)
    elif must_fail and tried.label == "PASS":
        yield Found(BEFORE, "refuted", f"{told}: it does not reproduce anything", file.statement, gate)
    elif not must_fail and tried.label != "PASS":
        yield Found(BEFORE, "refuted", f"{told}: what it guards does not hold there", file.statement, gate)
    else:
        yield Found(BEFORE, "supported", told, file.statement, gate)
    wanted = "failed" if must_fail else "passed"
    if telling(tuple(file.argv)) is None:
        yield Found(
            NAMED, "unresolvable", f"{file.argv[0]} does not say which tests it ran", file.statement, gate
        )
    else:
        result: Verdict = "supported" if how == wanted else "refuted"
        said = f"{file.test} {how}" if how else f"{file.test} did not run"
        yield Found(NAMED, result, f"{said}; it must have {wanted}", file.statement, gate)
    if after is None:
        yield Found(AFTER, "unresolvable", "there is no fix to try yet", file.statement)
        return
    fixed = _try(claim, bench, file, after)
    good = fixed.label == "PASS" and _named(file, fixed) in (None, "passed")
    yield Found(
        AFTER,
        "supported" if good else "refuted",
        f"{file.statement} on {after.name}: {fixed.told}",
        file.statement,
        (tried.gate, fixed.gate),
    )


def _try(claim: Claim, bench: Bench, file: Reproduction, where: Side) -> Tried:
    argv = tuple(file.argv)
    with staged(bench, where, {file.path: file.content.encode()}) as tree:
        return try_in(
            bench,
            tree,
            telling(argv) or argv,
            where,
            purpose="reproduction",
            subject=claim.about,
            cause=(claim.event,),
        )


def _named(file: Reproduction, tried: Tried) -> str | None:
    argv = tuple(file.argv)
    if telling(argv) is None:
        return None
    return ended(argv, tried.output.decode("utf-8", "replace"), file.test)
