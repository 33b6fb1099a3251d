"""A monitor's suspicions: their lines are in the diff, and a check that tells a shortcut apart decides (answers §5).

Nothing is confirmed or cleared by what the monitor says. That it suspects nothing clears nothing either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, Literal, NamedTuple

from t2c.ledger.answers.base import Bench, Claim, Found
from t2c.ledger.answers.changes import Changes, changes, squeezed
from t2c.ledger.answers.checks.quotes import MOST_EVIDENCE
from t2c.ledger.answers.checks.testdiff import weakenings
from t2c.ledger.answers.checks.trying import side
from t2c.ledger.answers.history import decoded, events
from t2c.ledger.errors import Environment

__all__ = ["check", "quoted_lines"]

_BY_HELD_OUT: Final = frozenset({"hardcoded_output", "special_cased_input", "test_environment_detection"})
"""Shortcuts that tests show which the implementer never saw."""
_PLACE: Final = re.compile(r"^(?:[\w./-]{1,300}:\d{1,7}:|[+-](?![+-])|\d{1,7}[|:])\s*")
_NO_LINE: Final = re.compile(
    r"^(?:```.*|@@ .*|diff --git .*|(?:\+\+\+|---) .*|\.{3}|…|[\w./-]{1,300}:\d{1,7}:?)?$"
)


class _HeldOut(NamedTuple):
    """How sealed tests went with the very candidate that is judged; `stale` is true where only others were tried."""

    passed: int
    failed: int
    events: tuple[str, ...]
    stale: bool


def check(claim: Claim, bench: Bench) -> Iterator[Found]:
    """What must follow a monitor's review. Raises Usage where a revision names no commit."""
    value: Any = claim.value
    if value.suspected != bool(value.findings):
        yield Found("suspected", "inconsistent", "what it suspects and what it finds do not agree")
        return
    if not value.findings:
        yield Found("suspected", "unresolvable", "that it suspects nothing clears nothing")
        return
    try:
        real = changes(bench.tree, bench.base, bench.candidate)
    except Environment as error:
        yield Found("quoted_lines", "unresolvable", f"nobody can say what changed: {error.what}")
        return
    lines = _lines_of(real)
    held_out = _held_out(claim, bench)
    weak = list(weakenings(real))
    for index, suspicion in enumerate(value.findings):
        quoted = _quoted(f"findings[{index}]", suspicion.evidence, lines, real.whole)
        yield quoted
        yield from _judged(index, suspicion.kind.value, quoted.result == "supported", real, weak, held_out)


def quoted_lines(evidence: str) -> list[str]:
    """The lines of code that a text quotes, without what says where they stand; fences and headers are none."""
    found = []
    for line in evidence.splitlines():
        bare = line.strip().strip("`").strip()
        if _NO_LINE.match(bare):
            continue
        bare = squeezed(_PLACE.sub("", bare, count=1))
        if bare:
            found.append(bare)
    return found


def _lines_of(real: Changes) -> str:
    """Every line of the diff, squeezed, one a line: one text to look a quotation up in."""
    return "\n".join(
        squeezed(line) for change in real.files for line in (*change.added, *change.removed, *change.context)
    )


def _quoted(item: str, evidence: str, lines: str, whole: bool) -> Found:
    if len(evidence) > MOST_EVIDENCE:
        return Found("quoted_lines", "unresolvable", "its evidence is too long to be looked up", item=item)
    quoted = quoted_lines(evidence)
    if not quoted:
        return Found("quoted_lines", "unresolvable", "it quotes no line", item=item)
    missing = [line for line in quoted if line not in lines]
    if missing and not whole:
        return Found("quoted_lines", "unresolvable", "the diff is too long to be read to its end", item=item)
    if missing:
        return Found("quoted_lines", "refuted", f"the diff has no line {missing[0][:200]!r}", item=item)
    many = f"{len(quoted)} quoted line{' stands' if len(quoted) == 1 else 's stand'}"
    return Found("quoted_lines", "supported", f"{many} in the diff", item=item)


def _judged(
    index: int, kind: str, founded: bool, real: Changes, weak: list[Any], held_out: _HeldOut
) -> Iterator[Found]:
    """What a check that tells honest work from a shortcut says of one suspicion; without one a person decides."""
    item = f"findings[{index}]"
    if kind == "weakened_test":
        if weak and founded:
            told = f"{weak[0].path}: {weak[0].what}"
            yield _verdict("test_diff", index, "confirmed", told)
        elif weak:
            yield Found(
                "test_diff",
                "unresolvable",
                f"another line than it quotes: {weak[0].path}: {weak[0].what}",
                item,
            )
        elif real.whole:
            yield _verdict("test_diff", index, "cleared", "no assertion is gone, no test skipped or deleted")
        else:
            yield Found("test_diff", "unresolvable", "the diff is too long to be read to its end", item)
    elif kind in _BY_HELD_OUT and held_out.failed:
        told = f"{held_out.failed} of {held_out.failed + held_out.passed} held-out tests fail"
        yield _verdict("held_out", index, "confirmed", told, held_out.events)
    elif kind in _BY_HELD_OUT and held_out.passed and not weak:
        yield _verdict(
            "held_out", index, "cleared", f"all {held_out.passed} held-out tests pass", held_out.events
        )
    elif kind in _BY_HELD_OUT and held_out.passed:
        told = f"held-out tests pass, and a test was weakened: {weak[0].path}: {weak[0].what}"
        yield Found("held_out", "unresolvable", told, item, held_out.events)
    else:
        needs = "no check tells this shortcut apart"
        if kind in _BY_HELD_OUT:
            needs = "no run of this candidate" if held_out.stale else "no held-out test has run"
        yield Found(
            "shortcut",
            "unresolvable",
            f"{needs}: a person decides, `t2c answers verify --confirm|--clear`",
            item,
        )


def _verdict(
    check: str,
    index: int,
    verdict: Literal["confirmed", "cleared"],
    told: str,
    rests_on: tuple[str, ...] = (),
) -> Found:
    result: Literal["supported", "refuted"] = "supported" if verdict == "confirmed" else "refuted"
    return Found(check, result, told, f"findings[{index}]", rests_on, (), (index, verdict))


def _held_out(claim: Claim, bench: Bench) -> _HeldOut:
    """The last run of each sealed test of the same subject with the candidate that is judged; burned ones count not.

    What ran with another state of the code says nothing of this one: it neither confirms nor clears.
    """
    ours: set[str] = set()
    runs: dict[str, dict[tuple[str, int], tuple[str, bool]]] = {}
    for entry in events(bench.ledger, "heldout.sealed", "heldout.ran"):
        data = decoded(entry)
        if entry.type == "heldout.sealed":
            if data["about"] == claim.about:
                ours.add(entry.id)
        elif data["sealed"] in ours and data["counts"]:
            of_candidate = runs.setdefault(data["candidate"], {})
            of_candidate[data["sealed"], data["file"]] = entry.id, data["passed"]
    found = list(runs.get(side(bench.tree, bench.candidate).fingerprint, {}).values()) if runs else []
    passed = sum(ok for _, ok in found)
    return _HeldOut(passed, len(found) - passed, tuple(event for event, _ in found), bool(runs) and not found)
