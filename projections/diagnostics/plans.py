"""Plans that nothing shows done: PLANNED_NOT_IMPLEMENTED, DIRECTION_DRIFT.

A task and its sub-tasks, its acceptance criteria among them, are one plan: what shows one of them shows work on all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, NamedTuple

from t2c.projections.diagnostics.model import MAX_RECORDS, Finding, Severity
from t2c.projections.diagnostics.predicates import (
    few_together,
    folder,
    is_pending,
    is_put_aside,
    is_sample,
    shortened,
)
from t2c.projections.diagnostics.view import View
from t2c.projections.evidence import Grade, Item
from t2c.projections.facts import OBSERVED, Fact

__all__ = ["Plan", "causes", "drifting", "grade", "not_implemented", "places", "plans"]

RECENT: Final = 50
"""Commits, merges and documentation left out, that are the recent work."""
MIN_PLANS: Final = 5
"""Open plans with a known target below which their neglect says nothing of a direction."""
MIN_FAMILY: Final = 4
"""Requirements of one family that must be traced before an untraced one stands out."""
MIN_FILES: Final = 3
"""Files of a folder below which that each holds one plan is no custom."""
FEW_COMMENTS: Final = 5
"""Comments of a folder below which it is not told by name."""
_TELLING: Final = 15
"""Characters of a comment below which it is no example of what is asked."""
_DEPTH: Final = 20


class Plan(NamedTuple):
    """A task with its sub-tasks; `members` holds the head too, in the order of ids."""

    head: Fact
    members: tuple[Fact, ...]


def plans(view: View) -> Sequence[Plan]:
    """The plans of task lists, documents and given tasks, comments and what is dropped with its parts apart, by the id
    of their head."""
    wanted = [
        fact
        for fact in view.of_kind("nl", "todo", "document")
        if (fact.epistemic.cls == "plan" or fact.source.kind == "nl")
        and fact.statement.kind != "comment_marker"
        and not is_sample(fact.source.path)
        and view.details(fact).sample is not True
    ]
    by_id: dict[tuple[str | None, str], str] = {}
    by_text: dict[tuple[str | None, str], str] = {}
    for fact in wanted:
        if isinstance(fact.metadata.explicitId, str):
            by_id.setdefault((fact.source.path, fact.metadata.explicitId), fact.id)
        by_text.setdefault((fact.source.path, fact.statement.text), fact.id)
    above: dict[str, str] = {}
    for fact in wanted:
        more = view.details(fact)
        head = None
        if more.parentTask is not None:
            head = by_id.get((fact.source.path, more.parentTask))
        if head is None and more.parent is not None:
            head = by_text.get((fact.source.path, more.parent))
        if head is not None and head != fact.id:
            above[fact.id] = head
    members: dict[str, list[Fact]] = {}
    for fact in wanted:
        members.setdefault(_top(above, fact.id), []).append(fact)
    heads = (view.facts.records[head] for head in sorted(members))
    return [Plan(head, tuple(members[head.id])) for head in heads if not view.is_dropped(head)]


def _top(above: Mapping[str, str], one: str) -> str:
    for _ in range(_DEPTH):
        if one not in above:
            break
        one = above[one]
    return one


def causes(known: Sequence[Plan]) -> Mapping[str, str]:
    """File → what its plans are grouped by: the file, or the folder where most files hold one plan each."""
    held = Counter(plan.head.source.path or "" for plan in known)
    files: dict[str, list[int]] = {}
    for path, count in held.items():
        files.setdefault(folder(path), []).append(count)
    alone = {
        place
        for place, counts in files.items()
        if len(counts) >= MIN_FILES and 2 * counts.count(1) > len(counts)
    }
    return {path: f"plan:{place if (place := folder(path)) in alone else path}" for path in held}


def not_implemented(view: View, known: Sequence[Plan]) -> Iterator[Finding]:
    """Open plans without any evidence that counts, and what comments in the code still ask for.

    A requirement or decision without a state of its own is open only where its family is traced: then the untraced one stands out,
    and elsewhere the lack of a relation says nothing.
    """
    traced, groups = _traced_families(view, known), causes(known)
    for plan in known:
        head = plan.head
        if (
            not is_pending(head)
            or is_put_aside(head.source.path)
            or not (_has_state(view, head) or _is_missed(view, head, traced))
        ):
            continue
        if grade(view, plan.members) is Grade.none:
            yield _unimplemented(view, plan, groups[head.source.path or ""])
    yield from _markers(view)


def _unimplemented(view: View, plan: Plan, cause: str) -> Finding:
    head = plan.head
    items = [item for member in plan.members for item in view.grades[member.id].items]
    located = [item for item in items if item.grade > Grade.none and _shows(view, item)]
    claims = [view.facts.records[item.record] for item in items if item not in located]
    claiming = [other for member in plan.members for other in _claiming(view, member)]
    said = {"text": shortened(head.statement.text), "at": head.where, "parts": f"{len(plan.members) - 1:,}"}
    if claiming:
        message, said["found"] = "planned.claimed", places((*claiming, *claims))
    elif located:
        message, said["found"] = (
            "planned.located",
            places(view.facts.records[item.record] for item in located),
        )
    elif claims:
        message, said["found"] = "planned.claimed", places(claims)
    else:
        message = "planned.parts" if len(plan.members) > 1 else "planned.nothing"
    severity: Severity = "info" if head.lifecycle.status in ("in_progress", "blocked") else "warning"
    risk = 45 if head.lifecycle.status in ("in_progress", "blocked") else 55
    records = (
        head.id,
        *(member.id for member in plan.members if member.id != head.id and view.is_pending(member)),
    )
    return Finding(
        "PLANNED_NOT_IMPLEMENTED",
        head.id,
        severity,
        message,
        said,
        tuple(sorted(records[:MAX_RECORDS])),
        cause,
        risk,
        0.6 if located else 0.8,
    )


def _claiming(view: View, fact: Fact) -> Iterator[Fact]:
    """What says that it is done: entries of changelogs, reports, commits that changed documentation alone."""
    for link, other in view.facts.neighbours(fact.id):
        if link.relation.type == "claimed_by" and link.relation.source == fact.id:
            yield other


def _shows(view: View, item: Item) -> bool:
    """Whether it is code, a commit, a setting or a test, and not one more statement."""
    return view.facts.records[item.record].source.kind in OBSERVED


def _markers(view: View) -> Iterator[Finding]:
    """Comments in the files of one folder that still ask for something: one finding for the folder."""
    found: dict[str, list[Fact]] = {}
    for fact in view.open_plans:
        if fact.statement.kind == "comment_marker" and view.grades[fact.id].grade is Grade.none:
            found.setdefault(folder(fact.source.path), []).append(fact)
    for place, asked in sorted(few_together(found, FEW_COMMENTS).items()):
        asked.sort(key=lambda fact: (len(fact.statement.text) < _TELLING, fact.source.path or "", fact.id))
        said = {
            "count": f"{len(asked):,}", "path": place,
            "first": "; ".join(f"{fact.where}: {shortened(fact.statement.text, 80)}" for fact in asked[:3]),
        }  # fmt: skip
        records = tuple(sorted(fact.id for fact in asked[:MAX_RECORDS]))
        yield Finding(
            "PLANNED_NOT_IMPLEMENTED", f"comments:{place}", "info", "planned.comments", said, records,
            f"comments:{place}", 15, 0.9,
        )  # fmt: skip


def grade(view: View, members: Iterable[Fact]) -> Grade:
    """That of the best of what shows any of them."""
    return max((view.grades[member.id].grade for member in members), default=Grade.none)


def places(facts: Iterable[Fact]) -> str:
    """Where they stand, statements with what they say."""
    named = sorted({_place(fact) for fact in facts})
    return ", ".join(named[:4]) + (f" (+{len(named) - 4})" if len(named) > 4 else "")


def _place(fact: Fact) -> str:
    quoted = fact.source.kind not in OBSERVED
    return f"{fact.where} ({shortened(fact.statement.text, 80)})" if quoted else fact.where


def _has_state(view: View, fact: Fact) -> bool:
    """Whether the plan itself says if it is done."""
    if fact.source.kind != "document":
        return True
    return view.details(fact).checked is not None


def _family(view: View, fact: Fact) -> tuple[str, str] | None:
    """Requirements that are numbered or named alike in one folder; None for one without an id."""
    identity = view.details(fact).requirementId or fact.metadata.explicitId
    if not isinstance(identity, str) or fact.statement.kind != "requirement":
        return None
    for separator in ("~", "-", "_", "."):
        if separator in identity:
            return folder(fact.source.path), identity.partition(separator)[0]
    return folder(fact.source.path), identity.rstrip("0123456789")


def _traced_families(view: View, known: Sequence[Plan]) -> Mapping[tuple[str, str], bool]:
    """Families most of whose members have evidence that counts, and whether their members say what they need."""
    counts: dict[tuple[str, str], list[int]] = {}
    for plan in known:
        if (family := _family(view, plan.head)) is not None:
            of = counts.setdefault(family, [0, 0, 0])
            of[0] += 1
            of[1] += grade(view, plan.members) > Grade.none
            of[2] += bool(view.details(plan.head).needs)
    return {
        family: needing > 0
        for family, (all_of, traced, needing) in counts.items()
        if traced >= MIN_FAMILY and 2 * traced > all_of
    }


def _is_missed(view: View, fact: Fact, traced: Mapping[tuple[str, str], bool]) -> bool:
    """Whether the members of its family are traced and nothing says that this one need not be."""
    family = _family(view, fact)
    return family is not None and family in traced and (bool(view.details(fact).needs) or not traced[family])


def drifting(view: View, known: Sequence[Plan]) -> Iterator[Finding]:
    """The recent commits touch nothing that the open plans are about: one finding for the whole, with its numbers."""
    worked = (
        commit
        for commit in view.commits
        if commit.metadata.merge is not True
        and commit.metadata.docOnly is not True
        and commit.source.commitIndex
    )
    recent = tuple(islice(worked, RECENT))
    aimed: dict[str, set[str]] = {}
    for plan in known:
        if is_pending(plan.head):
            targets = {path for member in plan.members for path in _targets(view, member)}
            if targets:
                aimed[plan.head.id] = targets
    if len(aimed) < MIN_PLANS or len(recent) < RECENT:
        return
    wanted = set().union(*aimed.values())
    members = {member.id for plan in known if plan.head.id in aimed for member in plan.members}
    if any(_serves(view, commit, wanted, members) for commit in recent):
        return
    said = {"commits": f"{len(recent):,}", "plans": f"{len(aimed):,}", "targets": f"{len(wanted):,}"}
    yield Finding(
        "DIRECTION_DRIFT",
        "recent",
        "warning",
        "drift",
        said,
        tuple(sorted(aimed)[:MAX_RECORDS]),
        "drift",
        40,
        0.6,
    )


def _targets(view: View, fact: Fact) -> Iterator[str]:
    for item in view.grades[fact.id].items:
        other = view.facts.records[item.record]
        if other.source.kind == "ast" and other.source.path is not None:
            yield other.source.path


def _serves(view: View, commit: Fact, wanted: set[str], members: set[str]) -> bool:
    if not wanted.isdisjoint(commit.statement.target.paths):
        return True
    return any(other.id in members for _, other in view.facts.neighbours(commit.id))
