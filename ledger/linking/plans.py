"""Which requirement, request or decision a plan is meant to fulfil."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from t2c.ledger.linking.alike import Said, nearest, said, similarity
from t2c.ledger.linking.base import OBSERVED, Abstention, Hit, Prior, RuleBook
from t2c.ledger.linking.features import Corpus, Record
from t2c.ledger.linking.identifiers import Identifiers, listed
from t2c.ledger.linking.stances import asks, forbids, is_own, plans

__all__ = ["BOOK", "MAX_ASKED", "fulfils"]

MAX_ASKED: Final = 5
"""Requests under one ticket or number from which on it no longer says which of them a plan is for."""
ALIKE: Final = 0.8
"""Share of words from which on a plan and a request are the same statement."""
NEAR: Final = 0.2
"""Share of words from which on a plan answers one request of a ticket rather than another."""
FEWEST: Final = 4
"""Words of the shortest statements that are compared."""


def fulfils(corpus: Corpus) -> Iterator[Hit | Abstention]:
    """A plan `plans` what it is meant to fulfil.

    Plans are tasks, marked comments, items of a roadmap and plans written down for a ticket; what they are
    for are requirements, requests, decisions and declared intents. It is drawn

    * by an explicit id: the plan cites the id of a requirement or a decision (see `identifiers`), or a
      requirement says itself which one it covers, links to or has as parent;
    * by a ticket or number that the plan is about (see `is_own`) and the other cites, unless more than
      MAX_ASKED cite it (`plan_of_many`);
    * in the conversation about a ticket from a plan to the request or decision that shares most words with
      it, else to the only request; a plan that is near to none of several is `plan_without_request`;
    * by a link or path to the file of a decision;
    * by the same statement: at least FEWEST words, ALIKE of them shared, the same numbers, the same polarity.

    Not: because both stand in one folder, name one symbol or share a word. That a plan is meant for a
    requirement says nothing about whether either is done.
    """
    planned = [record for record in corpus.records if plans(record)]
    asked = [record for record in corpus.records if asks(record)]
    yield from _by_id(corpus, planned)
    yield from _by_key(planned, asked)
    yield from _in_conversation(planned, asked)
    yield from _by_link(planned, asked)
    yield from _by_statement(planned, asked)


def _by_id(corpus: Corpus, planned: Sequence[Record]) -> Iterator[Hit | Abstention]:
    identifiers = Identifiers.of(
        record
        for record in corpus.of("document")
        if record.statement.kind in ("architecture_decision", "requirement")
    )
    for plan in planned:
        for written, _ in identifiers.cited(plan.text):
            yield from _resolved(identifiers, plan, written, "plan_names_id")
    for record in corpus.of("document"):
        if record.statement.kind == "requirement":
            for written in _related(record, "Parent"):
                yield from _resolved(identifiers, record, written, "requirement_covers")
            for written in _related(record, "Child"):
                found, candidates = identifiers.find(written, record)
                if found is not None:
                    signals = (("identifier", written),)
                    yield Hit(found.id, record.id, "plans", "plan", ("requirement_covers",), signals)
                elif candidates > 1:
                    yield Abstention("plan_of_ambiguous_id", f"{written} in {record.source.path}")


def _resolved(identifiers: Identifiers, plan: Record, written: str, grade: str) -> Iterator[Hit | Abstention]:
    found, candidates = identifiers.find(written, plan)
    if found is not None:
        yield Hit(plan.id, found.id, "plans", "plan", (grade,), (("identifier", written),))
    elif candidates > 1:
        yield Abstention("plan_of_ambiguous_id", f"{written} in {plan.source.path}")


def _related(requirement: Record, role: str) -> list[str]:
    """The requirements that one says itself to be derived from (`Parent`), or to be the source of (`Child`)."""
    metadata = requirement.metadata
    related = metadata.relations if isinstance(metadata.relations, list) else ()
    named = listed([one.get("value") for one in related if isinstance(one, dict) and one.get("type") == role])
    if role == "Parent":
        named = [*listed(metadata.covers), *listed(metadata.links), *named]
    return list(dict.fromkeys(named))


def _by_key(planned: Sequence[Record], asked: Sequence[Record]) -> Iterator[Hit | Abstention]:
    """By a ticket or number; a conversation, which is all about one ticket, is looked at apart."""
    holders: dict[str, list[Record]] = {}
    for one in asked:
        if one.source.kind != "agent_log":
            for key in one.statement.target.tickets:
                holders.setdefault(key, []).append(one)
    for plan in planned:
        for key in plan.statement.target.tickets:
            found = holders.get(key, ()) if is_own(plan, key) else ()
            if len(found) > MAX_ASKED:
                yield Abstention("plan_of_many", f"{key} of {plan.id}")
                continue
            for one in found:
                yield Hit(plan.id, one.id, "plans", "plan", ("plan_shares_ticket",), (("ticket", key),))


def _in_conversation(planned: Sequence[Record], asked: Sequence[Record]) -> Iterator[Hit | Abstention]:
    requests: dict[str, list[tuple[Record, Said]]] = {}
    for one in asked:
        ticket = one.metadata.ticket
        # A prohibition is satisfied by absence: no plan is meant to carry it out.
        is_wanted = one.statement.polarity == "positive" and not forbids(one)
        if one.source.kind == "agent_log" and isinstance(ticket, str) and is_wanted:
            requests.setdefault(ticket.upper(), []).append((one, said(one.statement.text)))
    for plan in planned:
        tickets = {plan.metadata.ticket.upper()} if isinstance(plan.metadata.ticket, str) else set()
        if plan.source.kind != "agent_log":
            tickets = set(plan.statement.target.tickets)
        if plan.statement.polarity != "positive":
            continue
        for ticket in sorted(tickets & requests.keys()):
            yield from _nearest_request(plan, ticket, requests[ticket])


def _nearest_request(
    plan: Record, ticket: str, requests: Sequence[tuple[Record, Said]]
) -> Iterator[Hit | Abstention]:
    mine = said(plan.statement.text).words
    ranked = sorted(((similarity(mine, theirs.words), one.id) for one, theirs in requests), reverse=True)
    share, nearest_id = ranked[0]
    signals = (("ticket", ticket), ("words_shared", f"{share:.2f}"))
    if share >= NEAR:
        yield Hit(plan.id, nearest_id, "plans", "plan", ("plan_nearest_request",), signals)
        return
    wanted = [one for one, _ in requests if one.statement.kind == "communication_request"]
    if len(wanted) == 1:
        yield Hit(plan.id, wanted[0].id, "plans", "plan", ("plan_only_request",), signals[:1])
    else:
        yield Abstention("plan_without_request", f"{ticket} of {plan.id}")


def _by_link(planned: Sequence[Record], asked: Sequence[Record]) -> Iterator[Hit | Abstention]:
    decisions = {
        one.source.path: one
        for one in asked
        if one.statement.kind == "architecture_decision" and one.source.path is not None
    }
    for plan in planned:
        for path in plan.statement.target.paths:
            if path in decisions and path != plan.source.path:
                yield Hit(plan.id, decisions[path].id, "plans", "plan", ("plan_links",), (("path", path),))


def _by_statement(planned: Sequence[Record], asked: Sequence[Record]) -> Iterator[Hit | Abstention]:
    polarity = {one.id: one.statement.polarity for one in (*planned, *asked)}
    best: dict[str, tuple[float, Hit]] = {}
    mine = {plan.id: said(plan.statement.text) for plan in planned}
    theirs = {one.id: said(one.statement.text) for one in asked}
    for match in nearest(mine, theirs, ALIKE, FEWEST):
        if polarity[match.one] != polarity[match.other]:
            continue
        signals = (("words_shared", f"{match.share:.2f}"),)
        hit = Hit(match.one, match.other, "plans", "plan", ("plan_same_statement",), signals)
        rival = best.get(match.one)
        if rival is None or (-match.share, match.other) < (-rival[0], rival[1].target):
            best[match.one] = (match.share, hit)
    for plan in sorted(best):
        yield best[plan][1]


BOOK: Final = RuleBook(
    "plan",
    fulfils,
    {
        "plan_names_id": Prior(0.95, "The plan writes the id of what it is for, and one record bears it."),
        "requirement_covers": Prior(0.97, "The requirement itself says which one it is derived from."),
        "plan_links": Prior(0.85, "The plan links to the file of one decision."),
        "plan_same_statement": Prior(0.85, "Plan and request say the same in nearly the same words."),
        "plan_shares_ticket": Prior(0.85, "Both cite one ticket, which few requests do."),
        "plan_nearest_request": Prior(
            0.8, "Of the requests of its ticket this one shares the plan's words most."
        ),
        "plan_only_request": Prior(
            0.7, "The ticket has one request; the plan may also go beyond what it asks."
        ),
    },
    {
        "plan_of_ambiguous_id": "ids cited by plans that several records bear, none nearer than the others",
        "plan_of_many": f"tickets and numbers of plans that more than {MAX_ASKED} requests cite",
        "plan_without_request": "plans of a ticket with several requests that are near to none of them",
    },
    {
        "identifier": "names `{}`",
        "path": "links to `{}`",
        "ticket": "cites {}",
        "words_shared": "shares {} of its words",
    },
    ignores=OBSERVED,
)
