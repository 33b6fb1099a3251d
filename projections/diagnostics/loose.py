"""Statements that nothing can be done with: AMBIGUOUS_REQUIREMENT, LOW_CONFIDENCE, UNLINKED_RECORD.

Given tasks are told one by one, since somebody waits for them; the rest is counted by folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from t2c.projections.diagnostics.model import MAX_RECORDS, Finding
from t2c.projections.diagnostics.plans import Plan
from t2c.projections.diagnostics.predicates import (
    DONE,
    few_together,
    folder,
    is_claim,
    is_claimable,
    is_done,
    is_pending,
    is_put_aside,
    is_sample,
    shortened,
)
from t2c.projections.diagnostics.view import View
from t2c.projections.evidence.code import leaf, strings
from t2c.projections.facts import OBSERVED, Fact
from t2c.projections.graph import Link

__all__ = ["ambiguous", "uncertain", "unlinked"]

LOW: Final = 0.5
"""The confidence below which a reading is called uncertain (intent-evidence §4)."""
FEW: Final = 5
"""Statements of a folder below which it is not told by name."""
_WEAK: Final = frozenset({"declares", "duplicates", "related_to"})
"""Relations that bind a statement to no other statement that could show it."""


def ambiguous(view: View) -> Iterator[Finding]:
    """Given tasks that leave a field open, or name what several files declare."""
    for fact in view.of_kind("nl"):
        missing = strings(fact.metadata.missingFields)
        several = sorted(name for name in fact.statement.target.symbols if _is_ambiguous(view, fact, name))
        if not missing and not several:
            continue
        said = {
            "text": shortened(fact.statement.text), "at": fact.where,
            "missing": ", ".join(sorted(missing)), "names": ", ".join(several),
        }  # fmt: skip
        message = (
            "ambiguous.both" if missing and several else "ambiguous.fields" if missing else "ambiguous.names"
        )
        yield Finding(
            "AMBIGUOUS_REQUIREMENT",
            fact.id,
            "review_required",
            message,
            said,
            (fact.id,),
            f"asked:{fact.source.path}",
            60,
            0.7,
        )


def _is_ambiguous(view: View, fact: Fact, name: str) -> bool:
    """Whether several files declare a name, and neither a relation nor a path that the record names chooses one."""
    paths = view.code.files_declaring(name) or view.code.files_declaring(leaf(name))
    if len(paths) < 2 or not paths.isdisjoint(fact.statement.target.paths):
        return False
    return not any(
        other.source.kind == "ast" and leaf(other.source.symbol or "") == leaf(name)
        for _, other in view.facts.neighbours(fact.id)
    )


def uncertain(view: View) -> Iterator[Finding]:
    """What is still to be done or answered and was read with little confidence, by folder and kind of source."""
    found: dict[tuple[str, str], list[Fact]] = {}
    for fact in view.of_kind("nl", "todo", "agent_log"):
        if (
            fact.epistemic.confidence < LOW
            and fact.lifecycle.status not in DONE
            and not view.is_dropped(fact)
            and not is_sample(fact.source.path)
            and not is_put_aside(fact.source.path)
        ):
            found.setdefault((fact.source.kind, folder(fact.source.path)), []).append(fact)
    for (kind, place), facts in sorted(_by_kind(found).items()):
        yield _grouped("LOW_CONFIDENCE", f"{kind}:{place}", "uncertain", facts, kind, place, 5)


def unlinked(view: View, known: Sequence[Plan]) -> Iterator[Finding]:
    """Plans that are done, requirements without a state and entries of changelogs that no relation binds to anything;
    counted by folder. Open plans are not among them: that nothing shows them is told by name."""
    loose: dict[tuple[str, str], list[Fact]] = {}
    totals: dict[tuple[str, str], int] = {}
    for plan in known:
        if not is_pending(plan.head) and not is_done(plan.head):
            continue
        if is_put_aside(plan.head.source.path) or (
            is_pending(plan.head) and not _is_traceable(view, plan.head)
        ):
            continue
        _count(view, plan.head, plan.members, loose, totals)
    for fact in view.of_kind("changelog"):
        if is_claim(fact) and is_claimable(fact) and not is_sample(fact.source.path):
            _count(view, fact, (fact,), loose, totals)
    for (kind, place), facts in sorted(_by_kind(loose).items()):
        of = sum(totals[(kind, one)] for one in {folder(fact.source.path) for fact in facts})
        yield _grouped("UNLINKED_RECORD", f"{kind}:{place}", "unlinked", facts, kind, place, 10, of)


def _is_traceable(view: View, fact: Fact) -> bool:
    """A requirement that others could cite by its id, and that does not say itself if it is done."""
    more = view.details(fact)
    return fact.statement.kind == "requirement" and more.requirementId is not None and more.checked is None


def _by_kind(groups: Mapping[tuple[str, str], list[Fact]]) -> dict[tuple[str, str], list[Fact]]:
    """The groups by kind of source and folder, small folders of one kind together."""
    found: dict[tuple[str, str], list[Fact]] = {}
    for kind in sorted({kind for kind, _ in groups}):
        of_kind = {place: facts for (other, place), facts in groups.items() if other == kind}
        found.update({(kind, place): facts for place, facts in few_together(of_kind, FEW).items()})
    return found


def _count(
    view: View,
    head: Fact,
    members: Sequence[Fact],
    loose: dict[tuple[str, str], list[Fact]],
    totals: dict[tuple[str, str], int],
) -> None:
    key = (head.source.kind, folder(head.source.path))
    totals[key] = totals.get(key, 0) + 1
    if not any(_binds(link, other) for member in members for link, other in view.facts.neighbours(member.id)):
        loose.setdefault(key, []).append(head)


def _binds(link: Link, other: Fact) -> bool:
    """Whether a relation leads to what could show a statement, or only locates it there; not to what wrote it."""
    if link.relation.type not in _WEAK:
        return True
    return link.relation.type != "declares" and other.source.kind in OBSERVED


def _grouped(
    code: str,
    subject: str,
    message: str,
    facts: Sequence[Fact],
    kind: str,
    place: str,
    risk: int,
    of: int = 0,
) -> Finding:
    first = sorted(facts, key=lambda fact: (fact.source.path or "", fact.id))
    said = {
        "count": f"{len(facts):,}", "of": f"{of:,}", "kind": kind, "place": place,
        "first": "; ".join(f"{fact.where}: {shortened(fact.statement.text, 70)}" for fact in first[:3]),
    }  # fmt: skip
    records = tuple(sorted(fact.id for fact in first[:MAX_RECORDS]))
    return Finding(code, subject, "info", message, said, records, f"{message}:{kind}", risk, 0.6)
