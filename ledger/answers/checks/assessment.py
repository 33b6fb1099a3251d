"""An assessment of code against the specification: each finding looked up, and what it does not show (answers §5).

A supported finding is a proposal for a task and never a task. No finding is no claim that nothing is missing: the gates
decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from t2c.ledger.answers.base import Bench, Claim, Found
from t2c.ledger.answers.changes import Tree, squeezed, standing
from t2c.ledger.answers.checks.quotes import MOST_EVIDENCE, Text, located, quotes_in, specification
from t2c.ledger.answers.history import decoded, events

__all__ = ["check"]

_REFERENCE: Final = re.compile(r"(?<![\w-])(?:[A-Z]{1,6}-\d{1,5}|(?:US|FR|NFR|SC|AC|R|E|U)\d{1,4})(?![\w-])")
"""How a specification numbers what it asks: `FR-003`, `US1`."""
_TASK: Final = re.compile(r"(?:[-*+] +|\d{1,4}[.)] +)?(?:\[[ ]\] +)?(?:T\d{1,5}\b[:.]? *)?\S.{2,}")
_DONE: Final = re.compile(r"(?:[-*+] +|\d{1,4}[.)] +)?\[[xX]\]")
_SAID: Final = 12


def check(claim: Claim, bench: Bench) -> Iterator[Found]:
    """What must follow an assessment. Raises Usage where the candidate names no commit."""
    value: Any = claim.value
    texts = specification(bench)
    tree = standing(bench.tree, bench.candidate)
    passing = _passing(bench)
    for index, finding in enumerate(value.findings):
        yield _finding(f"findings[{index}]", finding, texts, tree, passing)
    if not value.findings:
        yield Found(
            "convergence", "unresolvable", "no finding is no claim that nothing is missing; the gates decide"
        )
    yield _coverage(value, texts)


def _finding(item: str, finding: Any, texts: Sequence[Text], tree: Tree, passing: dict[str, str]) -> Found:
    """The first of what is wrong with a finding, in the order in which it weighs, else that it is well founded."""
    reference = finding.source_ref.strip()
    if len(finding.evidence) > MOST_EVIDENCE:
        return Found("finding", "unresolvable", "its evidence is too long to be looked up", item=item)
    there, absent = located(finding.evidence, tree)
    quoted = [quote for quote in quotes_in(finding.evidence) if not located(quote, tree)[0]]
    if _DONE.match(finding.task) or "\n" in finding.task.strip() or not _TASK.fullmatch(finding.task.strip()):
        return Found("finding", "inconsistent", "its task is no open task on one line", item=item)
    gate = passing.get(reference)
    if gate is not None and finding.gap_type.value in ("contradicts", "missing"):
        told = f"{finding.gap_type.value}, and the last gate of {reference} passed: a person decides"
        return Found("finding", "inconsistent", told, item=item, evidence=(gate,))
    if absent:
        line = f":{absent[0].line}" if absent[0].line else ""
        return Found("finding", "refuted", f"{absent[0].path}{line} is not there", item=item)
    if not texts:
        return Found("finding", "unresolvable", "no specification was given: add --spec PATH", item=item)
    if reference not in _references(texts) and not _stands(reference, texts):
        return Found("finding", "unresolvable", f"the specification has no {reference[:80]}", item=item)
    if not there:
        return Found("finding", "unresolvable", "its evidence names no place in the code", item=item)
    bodies = [squeezed(tree.text(place.path) or "") for place in there]
    missing = [quote for quote in quoted if not any(squeezed(quote) in body for body in bodies)]
    if missing:
        told = f"{', '.join(place.path for place in there[:3])} does not hold {missing[0][:160]!r}"
        return Found("finding", "refuted", told, item=item)
    return Found("finding", "supported", f"{reference} is asked for, and {there[0].path} is there", item=item)


def _coverage(value: Any, texts: Sequence[Text]) -> Found:
    """Whether what was checked covers every requirement that the specification numbers."""
    if not texts:
        return Found("coverage", "unresolvable", "no specification was given: add --spec PATH")
    asked = sorted(_references(texts))
    looked = {reference for text in value.checked for reference in _REFERENCE.findall(text)}
    looked |= {finding.source_ref.strip() for finding in value.findings} | {
        text.strip() for text in value.checked
    }
    left = [reference for reference in asked if reference not in looked]
    if left:
        more = f" and {len(left) - _SAID} more" if len(left) > _SAID else ""
        return Found("coverage", "refuted", f"not checked: {', '.join(left[:_SAID])}{more}")
    if not asked:
        return Found("coverage", "unresolvable", "the specification numbers no requirement")
    return Found("coverage", "supported", f"all {len(asked)} numbered requirements were looked at")


def _references(texts: Sequence[Text]) -> frozenset[str]:
    return frozenset(reference for text in texts for reference in _REFERENCE.findall(text.body))


def _stands(reference: str, texts: Sequence[Text]) -> bool:
    """Whether a reference that is no number is a line or a heading of the specification, exactly."""
    return any(reference == line.strip().lstrip("#*- ").strip() for text in texts for line in text.lines)


def _passing(bench: Bench) -> dict[str, str]:
    """Each criterion or subject whose last recorded gate passed → the event of that run."""
    about: dict[str, tuple[str, ...]] = {}
    found: dict[str, str] = {}
    for entry in events(bench.ledger, "gate.announced", "gate.ran"):
        data = decoded(entry)
        if entry.type == "gate.announced":
            about[entry.id] = tuple(name for name in (data["criterion"], data["subject"]) if name)
            continue
        for name in about.get(data["announced"], ()):
            if data["outcome"] == "exited" and data["exit_code"] == 0:
                found[name] = entry.id
            else:
                found.pop(name, None)
    return found
