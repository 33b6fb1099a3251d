"""What claims that a plan is done and shows nothing; and what evidence the author of a report has for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from t2c.ledger.linking.alike import Said, nearest, said, similarity
from t2c.ledger.linking.base import CODE, Abstention, Hit, Prior, RuleBook
from t2c.ledger.linking.features import Corpus, Record
from t2c.ledger.linking.identifiers import Identifiers, place_of
from t2c.ledger.linking.stances import claims, plans

__all__ = ["BOOK", "claimed"]

ALIKE: Final = 0.6
"""Share of words from which on a claim says that this plan was carried out."""
NEAR: Final = 0.2
"""The same within the conversation about one ticket, where fewer words tell."""
FEWEST: Final = 4
"""Words of the shortest statements that are compared."""
_REPORTS: Final = frozenset({"communication_claim", "communication_report", "communication_result"})


def claimed(corpus: Corpus) -> Iterator[Hit | Abstention]:
    """A plan, requirement or intent is `claimed_by` what says that it is done; a report is `evidenced_by` what shows it.

    * By an explicit id: an entry or a report begins with the id of a task or requirement, ends in it, or says
      to close it.
    * By the ticket of a conversation: the plan and the report that shares most words with it; where none
      does, nothing.
    * By the same statement: a task or requirement and a changelog's entry or a report share at least ALIKE of
      at least FEWEST words and all numbers; of several entries the nearest.
    * A shared number or ticket of a changelog is the rule of that name.
    * A report is `evidenced_by` the commit of the same ticket that changed more than documentation, stands,
      and shares most words or a path with it, and by the result of a test that bears the ticket's key in its
      name. Reports of a ticket without such a commit are `report_without_commit`.

    Not: what denies (polarity negative), what is about a prohibition, a marked comment, which the code itself
    shows done, and what a plan says of itself. A claim shows nothing: the plan is no more done than before.
    """
    planned = [
        record
        for record in corpus.records
        if (plans(record) or record.source.kind == "nl" or _is_requirement(record))
        and record.statement.polarity == "positive"
        and record.statement.kind != "comment_marker"
    ]
    claiming = [
        record for record in corpus.records if claims(record) and record.statement.polarity == "positive"
    ]
    yield from _by_id(corpus, claiming)
    reports = [record for record in claiming if record.statement.kind in _REPORTS]
    yield from _in_conversation(planned, reports)
    yield from _by_statement(planned, claiming)
    yield from _evidenced(corpus, reports)


def _is_requirement(record: Record) -> bool:
    return record.statement.kind == "requirement" and record.metadata.sample is not True


def _by_id(corpus: Corpus, claiming: Iterable[Record]) -> Iterator[Hit | Abstention]:
    identifiers = Identifiers.of(
        record for record in corpus.of("document", "todo") if record.statement.polarity == "positive"
    )
    for claim in claiming:
        for written, _ in identifiers.cited(claim.text):
            found, candidates = identifiers.find(written, claim)
            if place_of(claim.text, written) == "within":
                continue
            if found is not None:
                signals = (("identifier", written),)
                yield Hit(found.id, claim.id, "claimed_by", "claim", ("claim_names_id",), signals)
            elif candidates > 1:
                yield Abstention("claim_of_ambiguous_id", f"{written} in {claim.source.path}")


def _in_conversation(planned: Iterable[Record], reports: Iterable[Record]) -> Iterator[Hit]:
    by_ticket: dict[str, list[tuple[Record, Said]]] = {}
    for report in reports:
        if (ticket := _ticket(report)) is not None:
            by_ticket.setdefault(ticket, []).append((report, said(report.statement.text)))
    for plan in planned:
        ticket = _ticket(plan)
        if ticket is None or ticket not in by_ticket:
            continue
        mine = said(plan.statement.text).words
        share, best = max((similarity(mine, theirs.words), one.id) for one, theirs in by_ticket[ticket])
        if share >= NEAR:
            signals = (("ticket", ticket), ("words_shared", f"{share:.2f}"))
            yield Hit(plan.id, best, "claimed_by", "claim", ("claim_nearest_report",), signals)


def _by_statement(planned: Sequence[Record], claiming: Sequence[Record]) -> Iterator[Hit]:
    mine = {plan.id: said(plan.statement.text) for plan in planned}
    theirs = {one.id: said(one.statement.text) for one in claiming}
    best: dict[str, tuple[float, str]] = {}
    for match in nearest(mine, theirs, ALIKE, FEWEST):
        rival = best.get(match.one)
        if rival is None or (-match.share, match.other) < (-rival[0], rival[1]):
            best[match.one] = (match.share, match.other)
    for plan in planned:
        if plan.id in best:
            share, claim = best[plan.id]
            signals = (("words_shared", f"{share:.2f}"),)
            yield Hit(plan.id, claim, "claimed_by", "claim", ("claim_same_statement",), signals)  # type: ignore[arg-type]


def _evidenced(corpus: Corpus, reports: Sequence[Record]) -> Iterator[Hit | Abstention]:
    tickets = {ticket for report in reports if (ticket := _ticket(report)) is not None}
    if not tickets:
        return
    commits: dict[str, list[tuple[Record, Said]]] = {}
    for commit in corpus.commits:
        if not commit.is_documentation_only and not commit.is_undone:
            for key in tickets.intersection(commit.record.statement.target.tickets):
                commits.setdefault(key, []).append((commit.record, said(commit.record.text)))
    tests: dict[str, list[Record]] = {}
    for result in corpus.of("test"):
        if result.statement.kind == "test_result":
            name = (result.source.symbol or result.statement.text).upper().replace("_", "-")
            for key in tickets:
                at = name.find(key)
                if at >= 0 and not name[at + len(key) : at + len(key) + 1].isdigit():
                    tests.setdefault(key, []).append(result)
    for report in reports:
        ticket = _ticket(report)
        if ticket is None or (ticket not in commits and ticket not in tests):
            continue
        yield from _shown(report, ticket, commits.get(ticket, ()), tests.get(ticket, ()))


def _shown(
    report: Record, ticket: str, commits: Sequence[tuple[Record, Said]], tests: Sequence[Record]
) -> Iterator[Hit | Abstention]:
    mine, paths = said(report.statement.text).words, set(report.statement.target.paths)
    ranked = sorted(
        (
            (not paths.isdisjoint(commit.statement.target.paths), len(mine & theirs.words), commit.id)
            for commit, theirs in commits
        ),
        reverse=True,
    )
    if ranked and (ranked[0][0] or ranked[0][1] >= 2):
        shares_path, words, best = ranked[0]
        signals = (("shared_words", str(words)), ("ticket", ticket))
        basis = ("report_shown_by_commit", *(("same_path",) if shares_path else ()))
        yield Hit(report.id, best, "evidenced_by", "claim", basis, signals)
    elif not tests:
        yield Abstention("report_without_commit", f"{ticket} of {report.id}")
    for result in tests:
        yield Hit(
            report.id, result.id, "evidenced_by", "claim", ("report_shown_by_test",), (("ticket", ticket),)
        )


def _ticket(record: Record) -> str | None:
    ticket = record.metadata.ticket
    return ticket.upper() if isinstance(ticket, str) and record.source.kind == "agent_log" else None


BOOK: Final = RuleBook(
    "claim",
    claimed,
    {
        "claim_names_id": Prior(0.85, "The claim writes the id of the plan, and one record bears it."),
        "claim_nearest_report": Prior(
            0.75, "Of the reports of its ticket this one shares the plan's words most."
        ),
        "claim_same_statement": Prior(0.7, "Plan and claim share most of their words and all numbers."),
        "report_shown_by_commit": Prior(
            0.75, "A commit of the ticket changed code and shares words or a path."
        ),
        "report_shown_by_test": Prior(0.85, "A test bears the key of the ticket in its name."),
    },
    {
        "claim_of_ambiguous_id": "ids cited by claims that several records bear",
        "report_without_commit": "reports of tickets whose commits share neither words nor a path with them",
    },
    {
        "identifier": "names `{}`",
        "same_path": "changes the same file",
        "shared_words": "shares {} words",
        "ticket": "cites {}",
        "words_shared": "shares {} of its words",
    },
    ignores=CODE,
)
