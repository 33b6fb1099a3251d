"""Tests that a person reads before any code: each scenario is expected or untestable, each file signed by its hash.

(answers §5)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from shlex import quote
from typing import Final

from t2c.ledger.answers.approving import approvals_of
from t2c.ledger.answers.base import Bench, Claim, Found
from t2c.ledger.answers.checks.acceptance import check_frozen, check_paths, standing_paths
from t2c.ledger.answers.checks.collecting import not_held_to
from t2c.ledger.answers.checks.freezing import freeze
from t2c.ledger.answers.checks.rules import argv_problem
from t2c.ledger.answers.checks.scenarios import Spec, check_scenarios
from t2c.ledger.answers.roots.trials import Review
from t2c.ledger.engine import Ledger

__all__ = ["ACCEPTED", "COMMAND", "PLACED", "SIGNED", "check"]

PLACED: Final = "placed"
SIGNED: Final = "signoff"
COMMAND: Final = "command"
ACCEPTED: Final = "untestable_accepted"


def check(claim: Claim, bench: Bench) -> Iterator[Found]:
    """Check the scenarios and the sign-offs; freeze the files once every one of them is signed."""
    value = claim.value
    assert isinstance(value, Review)
    files = {file.path: file.content.encode() for file in value.files}
    placed = list(_placed(value))
    yield from placed
    yield from check_scenarios(Spec.of(bench), _scenarios(value))
    paths = list(check_paths(files, standing_paths(bench)))
    yield from paths
    signed = list(_signed(bench.ledger, claim, files))
    yield from signed
    accepted = list(_accepted(bench.ledger, claim, value))
    yield from accepted
    whole = (*placed, *paths, *signed, *accepted)
    problem = argv_problem(value.argv) or not_held_to(tuple(value.argv), files)
    if files and problem is not None:
        yield Found(COMMAND, "unresolvable", f"not frozen with this command: {problem}")
    elif files and all(found.result == "supported" for found in whole):
        evidence = tuple(dict.fromkeys(event for found in (*signed, *accepted) for event in found.evidence))
        freeze(bench.ledger, claim.event, claim.about, files, value.argv, evidence)
    yield from check_frozen(claim, bench)


def _scenarios(value: Review) -> list[str]:
    named = (
        *(name for file in value.files for name in file.scenarios),
        *(one.scenario for one in value.expectations),
        *(one.scenario for one in value.untestable),
    )
    return list(dict.fromkeys(named))


def _placed(value: Review) -> Iterator[Found]:
    """Each scenario stands once in exactly one of the two lists, and in a file if it is expected."""
    expected = Counter(one.scenario for one in value.expectations)
    untestable = Counter(one.scenario for one in value.untestable)
    tested = {name for file in value.files for name in file.scenarios}
    for name in _scenarios(value):
        if expected[name] and untestable[name]:
            what = "it is both expected and untestable"
        elif not expected[name] and not untestable[name]:
            what = "a file is about it, and it is neither expected nor untestable"
        elif expected[name] + untestable[name] > 1:
            what = "it stands twice in its list"
        elif expected[name] and name not in tested:
            what = "it is expected, and no file is about it"
        elif untestable[name] and name in tested:
            what = "it is untestable, and a file is about it"
        else:
            yield Found(PLACED, "supported", f"{name!r} stands in one list", item=name)
            continue
        yield Found(PLACED, "inconsistent", f"{name!r}: {what}", item=name)


def _signed(ledger: Ledger, claim: Claim, files: dict[str, bytes]) -> Iterator[Found]:
    """Each file is signed by a person, by the SHA-256 of what it holds; a signature of another is void."""
    for path, content in files.items():
        digest = sha256(content).hexdigest()
        approvals = approvals_of(ledger, claim.event, path)
        fitting = [entry.id for entry, approved in approvals if approved == digest]
        if fitting:
            yield Found(SIGNED, "supported", f"{path} is signed, SHA-256 {digest}", path, tuple(fitting[-1:]))
        elif approvals:
            entry, other = approvals[-1]
            detail = f"void: what was signed of {path} has the SHA-256 {other}, and not {digest}"
            yield Found(SIGNED, "refuted", detail, path, (entry.id,))
        else:
            command = f"t2c answers approve {claim.seq} --file {quote(path)}"
            detail = f"nobody has signed {path}, SHA-256 {digest}: a person does by `{command}`"
            yield Found(SIGNED, "unresolvable", detail, path)


def _accepted(ledger: Ledger, claim: Claim, value: Review) -> Iterator[Found]:
    """What no test can check is accepted by a person who approves the answer as a whole, never by a gate."""
    if not value.untestable:
        return
    from t2c.ledger.answers.history import content_of, event_named

    whole = sha256(content_of(ledger, event_named(ledger, claim.event, "answer.recorded"))).hexdigest()
    fitting = [entry.id for entry, digest in approvals_of(ledger, claim.event) if digest == whole]
    for one in value.untestable:
        if fitting:
            yield Found(
                ACCEPTED,
                "supported",
                f"a person accepts that {one.scenario!r} has no test",
                one.scenario,
                tuple(fitting[-1:]),
            )
        else:
            yield Found(
                ACCEPTED,
                "unresolvable",
                f"nobody has accepted that {one.scenario!r} has no test: beside its files a person approves the answer "
                f"as a whole by `t2c answers approve {claim.seq}`",
                one.scenario,
            )
