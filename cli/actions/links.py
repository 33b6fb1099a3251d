"""`t2c link`: which relations the linker drew, and what people say of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, ClassVar, Literal

import msgspec

from t2c.cli.actions.context import Context
from t2c.cli.actions.graph import called, graph, told
from t2c.cli.actions.opening import open_ledger
from t2c.ledger.errors import Conflict, Usage
from t2c.ledger.events.draft import draft
from t2c.ledger.kernel.actor import Actor
from t2c.ledger.linking.base import Fit
from t2c.ledger.linking.judged import fitted
from t2c.ledger.linking.registry import BOOKS, PRIORS
from t2c.projections.facts import Facts
from t2c.projections.graph import Link

__all__ = ["Calibration", "Grade", "Judged", "LinkList", "LinkRow", "calibration", "judge", "listed", "shown"]


@dataclass(frozen=True, slots=True)
class LinkRow:
    """A relation: both ends in words, why it was drawn, and the last verdict about it."""

    schema: ClassVar[str] = "t2c.link/v1"
    id: str
    type: str
    source: str
    to: str
    from_record: str
    to_record: str
    confidence: float
    rule: str
    basis: Sequence[str]
    signals: Sequence[Sequence[str]]
    sentence: str
    verdict: str | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class LinkList:
    """Relations as of event `seq`, the least sure first; `total` counts those that were not asked to be shown, too."""

    schema: ClassVar[str] = "t2c.links/v1"
    seq: int
    total: int
    links: Sequence[LinkRow]


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict that was recorded as event `seq`."""

    schema: ClassVar[str] = "t2c.judged/v1"
    relation: str
    verdict: Literal["right", "wrong"]
    reason: str
    seq: int
    event: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Grade:
    """How sure a grade of evidence makes: by its prior, or by a model where `prior` is null, and after judgements.

    `history` holds after each judgement the seq of its event, the counts and what the confidence then was.
    """

    rule: str
    grade: str
    why: str
    prior: float | None
    relations: int
    right: int
    wrong: int
    now: float | None
    history: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Calibration:
    """Every grade that some relation has or that somebody judged."""

    schema: ClassVar[str] = "t2c.calibration/v1"
    seq: int
    judged: int
    grades: Sequence[Grade]


class _Verdict(msgspec.Struct):
    relation: str
    verdict: str
    reason: str = ""
    seq: int = 0


class _Linked(msgspec.Struct):
    """What is known of a relation that once stood."""

    relation: Mapping[str, Any]
    rule: str


_verdict = msgspec.json.Decoder(_Verdict).decode
_linked = msgspec.json.Decoder(_Linked).decode


def listed(
    context: Context,
    record: str | None = None,
    *,
    type: str | None = None,
    below: float | None = None,
    at: str | None = None,
) -> LinkList:
    """The relations, or those around a record, file, ticket, commit or name, the least sure first.

    `type` keeps one type, `below` those less sure than that. Raises Usage for what names no record.
    """
    view = graph(context, record, 1, at)
    verdicts = _verdicts(context, view.seq)
    near = view.neighbourhood
    wanted = None if near is None else {relation["id"] for relation in near.relations}
    links = [
        link
        for link in view.facts.relations
        if (wanted is None or link.relation.id in wanted)
        and (type is None or link.relation.type == type)
        and (below is None or link.relation.confidence < below)
    ]
    links.sort(key=lambda link: (link.relation.confidence, link.relation.id))
    rows = [_row(link, view.facts, verdicts.get(link.relation.id)) for link in links]
    return LinkList(view.seq, len(view.facts.relations), rows)


def shown(context: Context, relation: str, at: str | None = None) -> LinkRow:
    """One relation. Raises Usage where none of that id stands."""
    view = graph(context, None, 1, at)
    link = _found(relation, view.facts)
    return _row(link, view.facts, _verdicts(context, view.seq).get(link.relation.id))


def judge(context: Context, relation: str, verdict: Literal["right", "wrong"], reason: str) -> Judged:
    """Record what the actor says of a relation that stands, or that goes no further than a verdict before; the next
    scan draws the consequence.

    Raises Usage where none of that id stands or was judged, Conflict where the same was said already.
    """
    from t2c.ledger.events.statements import RelationJudged

    view = graph(context, None, 1, None)
    verdicts = _verdicts(context, view.seq)
    identity, words = _meant(context, relation, view.facts, verdicts)
    before = verdicts.get(identity)
    if before is not None and (before.verdict, before.reason) == (verdict, reason):
        raise Conflict(
            f"{identity} was judged {verdict} already, by event {before.seq}",
            safe="nothing was recorded",
            remedy="give another verdict or reason, or leave it",
        )
    payload = RelationJudged(relation=identity, verdict=verdict, reason=reason)
    with open_ledger(context) as ledger:
        receipt = ledger.append([draft(payload, actor=Actor.parse(context.settings.actor))])[0]
    return Judged(identity, verdict, reason, receipt.seq, receipt.id, words)


def calibration(context: Context, at: str | None = None) -> Calibration:
    """How sure each grade is, before and after what people said."""
    view = graph(context, None, 1, at)
    past, grades = _history(context, view.seq)
    counts: dict[str, int] = {}
    for link in view.facts.relations:
        for grade in _grades(link.relation.basis):
            counts[grade] = counts.get(grade, 0) + 1
    rows = [
        _grade(book.name, grade, prior.confidence, prior.why, counts.get(grade, 0), past.get(grade, ()))
        for book in BOOKS
        for grade, prior in book.priors.items()
        if grade in counts or grade in past
    ]
    return Calibration(view.seq, grades, rows)


def _grade(
    rule: str, grade: str, prior: float, why: str, relations: int, verdicts: Sequence[tuple[int, str, str]]
) -> Grade:
    last: dict[str, str] = {}
    history: list[dict[str, Any]] = []
    fit = Fit(0, 0)
    for seq, relation, verdict in verdicts:
        last[relation] = verdict
        said = list(last.values())
        fit = Fit(said.count("right"), said.count("wrong"))
        now = round(fitted(prior, fit), 3)
        history.append({"seq": seq, "right": fit.right, "wrong": fit.wrong, "confidence": now})
    return Grade(
        rule, grade, why, prior, relations, fit.right, fit.wrong, round(fitted(prior, fit), 3), history
    )


def _grades(basis: Sequence[str]) -> Iterator[str]:
    return (token for token in basis if token in PRIORS)


def _row(link: Link, facts: Facts, verdict: _Verdict | None) -> LinkRow:
    relation = link.relation
    source, to = facts.records[relation.source], facts.records[relation.to]
    return LinkRow(
        id=relation.id,
        type=relation.type,
        source=called(source),
        to=called(to),
        from_record=relation.source,
        to_record=relation.to,
        confidence=relation.confidence,
        rule=link.rule,
        basis=relation.basis,
        signals=[[signal.name, signal.value] for signal in link.signals],
        sentence=told(link, facts),
        verdict=None if verdict is None else verdict.verdict,
        reason=None if verdict is None else verdict.reason,
    )


def _meant(
    context: Context, relation: str, facts: Facts, verdicts: Mapping[str, _Verdict]
) -> tuple[str, str]:
    """The id and the words of a relation that stands, or that a verdict took away."""
    try:
        link = _found(relation, facts)
    except Usage:
        gone = [identity for identity in verdicts if identity == relation or _begins(identity, relation)]
        if len(gone) != 1:
            raise
        return gone[0], _former(context, gone[0], facts)
    return link.relation.id, f"{called(facts.records[link.relation.source])} {told(link, facts)}"


def _former(context: Context, identity: str, facts: Facts) -> str:
    """What a relation said that stands no more, as far as its ends are still known."""
    last: _Linked | None = None
    with open_ledger(context) as ledger:
        for entry in ledger.journal.entries():
            if entry.type == "relation.linked":
                linked = _linked(entry.data)
                if linked.relation.get("id") == identity:
                    last = linked
    if last is None:
        return identity
    ends = (str(last.relation.get(name)) for name in ("from", "to"))
    source, to = (called(facts.records[end]) if end in facts.records else end for end in ends)
    return f"{source} {str(last.relation.get('type')).replace('_', ' ')} {to}"


def _begins(identity: str, relation: str) -> bool:
    return len(relation) >= len("REL-") + 4 and identity.startswith(relation)


def _found(relation: str, facts: Facts) -> Link:
    known = {link.relation.id: link for link in facts.relations}
    if relation in known:
        return known[relation]
    begins = [identity for identity in known if _begins(identity, relation)]
    if len(begins) == 1:
        return known[begins[0]]
    near = sorted(begins)[:3] or get_close_matches(relation, known, 3)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    raise Usage(
        f"no relation {relation!r} stands",
        safe="nothing was recorded",
        remedy=f"{hint}`t2c link list` shows them; what was judged wrong stands no more until it is accepted",
        near=near,
    )


def _verdicts(context: Context, until: int) -> dict[str, _Verdict]:
    """The last verdict of this ledger's own about each relation, up to event `until`."""
    return {verdict.relation: verdict for verdict in _judgements(context, until)}


def _judgements(context: Context, until: int) -> list[_Verdict]:
    found: list[_Verdict] = []
    with open_ledger(context) as ledger:
        own = ledger.id()
        for entry in ledger.journal.entries(None, until):
            if entry.type == "relation.judged" and (entry.origin is None or entry.is_ours(own)):
                verdict = _verdict(entry.data)
                verdict.seq = entry.seq
                found.append(verdict)
    return found


def _history(context: Context, until: int) -> tuple[dict[str, list[tuple[int, str, str]]], int]:
    """Verdicts by the grades of what they were about, in their order; and how many there were."""
    judgements = _judgements(context, until)
    about = {verdict.relation for verdict in judgements}
    bases: dict[str, Sequence[str]] = {}
    if about:
        with open_ledger(context) as ledger:
            for entry in ledger.journal.entries(None, until):
                if entry.type == "relation.linked":
                    linked = _linked(entry.data)
                    identity = str(linked.relation.get("id"))
                    if identity in about:
                        bases[identity] = [str(token) for token in linked.relation.get("basis", ())]
    found: dict[str, list[tuple[int, str, str]]] = {}
    for verdict in judgements:
        for grade in _grades(bases.get(verdict.relation, ())):
            found.setdefault(grade, []).append((verdict.seq, verdict.relation, verdict.verdict))
    return found, len(judgements)
