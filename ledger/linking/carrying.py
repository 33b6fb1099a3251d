"""Which commit carries out what is planned or asked: by the explicit id, the number or the ticket that it cites."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from t2c.ledger.linking.alike import said
from t2c.ledger.linking.base import OBSERVED, Abstention, Hit, Prior, RuleBook
from t2c.ledger.linking.citations import Grade
from t2c.ledger.linking.features import Corpus, Record, Statement
from t2c.ledger.linking.identifiers import Identifiers, Place, place_of
from t2c.ledger.linking.stances import asks, forbids, is_own, plans

__all__ = ["BOOK", "MAX_COMMITS", "carried"]

_DONE: Final = re.compile(
    r"\b(?:clos(?:e[sd]?|ing)|complet(?:e[sd]?|ing)|done|finali[sz](?:e[sd]?|ing)|finish(?:e[sd]|ing)?"
    r"|implemented|resolv(?:e[sd]?|ing))\b",
    re.IGNORECASE,
)


MAX_COMMITS: Final = 5
"""Commits of one number or ticket from which on none of them is told as what carries it out."""
SHARED: Final = 2
"""Words that a commit and a statement of its ticket's conversation share at least."""


def carried(corpus: Corpus) -> Iterator[Hit | Abstention]:
    """A commit `implements` the task, requirement or decision whose explicit id it cites.

    * The id stands at the head of the subject (`TASK-12 - …`, `fix(FR-001): …`), in brackets at its end, or
      behind a word that closes it (`Implements FR-001`, a trailer `Task: T012`). One that stands elsewhere in
      the subject is only `related_to` the plan. A body counts only where the subject begins with no id, and
      only what it closes.
    * A commit that changed documentation alone shows nothing. The plan is `claimed_by` it if the commit says
      that it is done ("Finalize …", "Mark as done"), or if the plan is to document; else it wrote the plan
      down and is related to nothing.
    * A reverted commit, and a commit whose id is that of a prohibition, is `related_to` it.
    * It implements a requirement or declared intent that is about a number or ticket (see `is_own`), where
      the commit bears it as its pull request, closes it, or names it in its subject; a key of more than
      MAX_COMMITS commits is `commits_of_key`. It implements a plan or request of the conversation about its
      ticket if they share a path or at least SHARED words: of several commits the nearest. For tasks see the
      rules `number` and `ticket`.
    * An id that several records bear is `commit_of_ambiguous_id`: a commit stands in no folder.

    Not: by the words of the plan, by its files, or because the commit is younger.
    """
    yield from _by_key(corpus)
    identifiers = Identifiers.of(corpus.of("document", "todo"))
    if not identifiers.holders:
        return
    for commit in corpus.commits:
        subject = commit.record.statement.text
        heads = False
        for written, _ in identifiers.cited(subject):
            place = place_of(subject, written)
            heads |= place == "head"
            yield from _cited(commit, written, place, identifiers)
        body = "" if heads else commit.record.text.removeprefix(subject)
        for written, _ in identifiers.cited(body):
            if place_of(body, written) == "closed":
                yield from _cited(commit, written, "closed", identifiers)


def _by_key(corpus: Corpus) -> Iterator[Hit | Abstention]:
    asked = [
        record
        for record in corpus.of("agent_log", "document", "nl")
        if (asks(record) or plans(record)) and record.statement.polarity == "positive" and _keys(record)
    ]
    wanted = {key for record in asked for key in _keys(record)}
    if not wanted:
        return
    citing: dict[str, list[tuple[Statement, Grade]]] = {}
    for commit in corpus.commits:
        if not commit.is_undone and not commit.is_documentation_only:
            for key, grade in (*commit.numbers, *commit.tickets):
                if key in wanted:
                    citing.setdefault(key, []).append((commit, grade))
    for record in asked:
        for key in _keys(record):
            found = citing.get(key, ())
            if record.source.kind == "agent_log":
                yield from _nearest(record, key, found)
                continue
            strong = [commit for commit, grade in found if grade != "in_body"]
            if len(strong) > MAX_COMMITS:
                yield Abstention("commits_of_key", f"{key} of {record.source.path}")
                continue
            for commit in strong:
                name = "number" if key.startswith("#") else "ticket"
                yield Hit(commit.id, record.id, "implements", "carry", (f"carry_{name}",), ((name, key),))


def _keys(record: Record) -> tuple[str, ...]:
    """The numbers and tickets that a statement is about; those of a conversation are about its ticket alone."""
    if record.source.kind == "agent_log":
        ticket = record.metadata.ticket
        return (ticket.upper(),) if isinstance(ticket, str) else ()
    # A single digit counts something within a text far more often than it is a number of the forge.
    tickets = [key for key in record.statement.target.tickets if len(key) > len("#1")]
    return tuple(key for key in tickets if is_own(record, key))


def _nearest(record: Record, key: str, found: Sequence[tuple[Statement, Grade]]) -> Iterator[Hit]:
    mine, paths = said(record.statement.text).words, set(record.statement.target.paths)
    ranked = sorted(
        (
            (
                not paths.isdisjoint(commit.record.statement.target.paths),
                len(mine & said(commit.record.text).words),
                commit.id,
            )
            for commit, _ in found
        ),
        reverse=True,
    )
    if ranked and (ranked[0][0] or ranked[0][1] >= SHARED):
        shares_path, words, best = ranked[0]
        basis = ("carry_conversation", *(("same_path",) if shares_path else ()))
        signals = (("shared_words", str(words)), ("ticket", key))
        yield Hit(best, record.id, "implements", "carry", basis, signals)


def _cited(
    commit: Statement, written: str, place: Place, identifiers: Identifiers
) -> Iterator[Hit | Abstention]:
    found, candidates = identifiers.find(written, commit.record)
    if found is None:
        if candidates > 1:
            yield Abstention("commit_of_ambiguous_id", f"{written} in {commit.record.source.revision}")
        return
    signals = (("identifier", written),)
    if commit.is_documentation_only:
        title = found.statement.text.casefold()
        told = _DONE.findall(commit.record.statement.text)
        says = found.statement.action == "document" or any(word.casefold() not in title for word in told)
        if says and place != "within":
            yield Hit(found.id, commit.id, "claimed_by", "carry", ("carry_documented",), signals)
    elif commit.is_undone or forbids(found) or place == "within":
        basis = (f"carry_{place}", *(("reverted",) if commit.is_undone else ()))
        yield Hit(commit.id, found.id, "related_to", "carry", basis, signals)
    else:
        yield Hit(commit.id, found.id, "implements", "carry", (f"carry_{place}",), signals)


BOOK: Final = RuleBook(
    "carry",
    carried,
    {
        "carry_head": Prior(
            0.95, "The subject begins with the id or ends in it, as trackers and task files ask."
        ),
        "carry_closed": Prior(0.92, "The author says that the commit completes, fixes or implements the id."),
        "carry_within": Prior(0.7, "The subject names the id, but it may only follow it up."),
        "carry_number": Prior(
            0.88, "The commit bears, closes or names the number that the statement is about."
        ),
        "carry_ticket": Prior(0.85, "The commit names the ticket that the statement is about."),
        "carry_conversation": Prior(
            0.75, "Of the commits of its ticket this one shares most words, or a path, with the statement."
        ),
        "carry_documented": Prior(0.85, "The commit says that it is done and changes documentation alone."),
    },
    {
        "commit_of_ambiguous_id": "ids cited by commits that several records bear",
        "commits_of_key": f"numbers and tickets of requirements that more than {MAX_COMMITS} commits carry",
    },
    {
        "identifier": "names `{}`",
        "number": "cites {}",
        "reverted": "was reverted",
        "same_path": "changes the same file",
        "shared_words": "shares {} words",
        "ticket": "cites {}",
    },
    ignores=OBSERVED,
)
