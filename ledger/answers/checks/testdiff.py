"""Whether a change weakens tests: assertions that went, skips that came, tests that are gone (answers §5).

Read from the lines of the diff and not from what anybody says of it. It tells less than running the tests, and what it
tells is sure: a line that was removed was removed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

from t2c.ledger.answers.changes import Change, Changes, is_test, squeezed

__all__ = ["Weakening", "weakenings"]

_ASSERTS: Final = re.compile(
    r"\bassert\b|\bassert\w*[!(]|\bassert_\w+|\.assert\w+\(|\bexpect\(|\bshould\b|\braises\(|\brequire\.\w+\("
    r"|\bt\.(?:Error|Fatal|Fail)\w*\(|\bfail\(|\bverify\(|\bASSERT_|\bEXPECT_"
)
_SKIPS: Final = re.compile(
    r"\bskip(?:If|Unless|Test|if)?\b\s*[(\"'.]|\bmark\.(?:skip|skipif|xfail)\b|\bxfail\b|\b(?:it|test|describe)\.(?:skip|only|todo)\b"
    r"|\bx(?:it|describe|test)\(|@(?:Ignore|Disabled)\b|#\[ignore|\bt\.Skip\w*\(|\bpending\("
)
_TRIVIAL: Final = re.compile(
    r"^\s*(?:assert\s*\(?\s*(?:True|true|1)\s*\)?\s*;?\s*(?:#.*)?$|assert!\(true\)|expect\(true\)\.|self\.assertTrue\(True\)|assertTrue\(true\))"
)
_DECLARES: Final = re.compile(
    r"^\s*(?:async\s+)?def\s+(test\w*)|^\s*(?:it|test|describe)\(\s*[\"'`]([^\"'`]{1,200})|^\s*func\s+(Test\w*)"
    r"|^\s*(?:public\s+)?void\s+(test\w*)|^\s*fn\s+(\w*test\w*)"
)


class Weakening(NamedTuple):
    """One way in which a test file asks less than before; `what` says it with the lines."""

    path: str
    what: str


def weakenings(real: Changes) -> Iterator[Weakening]:
    """What the change took from the tests, file by file, each in the order in which it weighs."""
    for change in real.files:
        if is_test(change.previous or change.path) or is_test(change.path):
            yield from (Weakening(change.path, what) for what in _of(change))


def _of(change: Change) -> Iterator[str]:
    if change.gone:
        yield "the test file is deleted"
        return
    added, removed = list(map(squeezed, change.added)), list(map(squeezed, change.removed))
    skips = _more(added, removed, _SKIPS)
    if skips:
        yield f"a test is skipped or set apart: {skips[0][:160]}"
    trivial = [line for line in added if _TRIVIAL.match(line)]
    if trivial:
        yield f"an assertion holds whatever happens: {trivial[0][:160]}"
    gone = _more(removed, added, _ASSERTS)
    came = [line for line in _more(added, removed, _ASSERTS) if not _TRIVIAL.match(line)]
    if len(gone) > len(came):
        yield f"{len(gone)} assertions are gone and {len(came)} came, among them: {gone[0][:160]}"
    tests = sorted(_declared(removed) - _declared(added))
    if tests and len(_declared(added) - _declared(removed)) < len(tests):
        yield f"the test {tests[0]} is gone"


def _more(these: list[str], those: list[str], pattern: re.Pattern[str]) -> list[str]:
    """The lines of a pattern that stand oftener among these than among those: a line that only moved is none."""
    left = Counter(line for line in those if pattern.search(line))
    found = []
    for line in these:
        if pattern.search(line):
            if left[line] > 0:
                left[line] -= 1
            else:
                found.append(line)
    return found


def _declared(lines: list[str]) -> set[str]:
    return {
        next(filter(None, match.groups()))
        for line in lines
        if (match := _DECLARES.match(line)) and any(match.groups())
    }
