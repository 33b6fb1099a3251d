"""Which commit carries out the plan whose explicit id it cites."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from t2c.ledger.linking.base import Abstention, Hit, Prior, RuleBook
from t2c.ledger.linking.features import Corpus, Statement
from t2c.ledger.linking.identifiers import Identifiers, Place, place_of
from t2c.ledger.linking.stances import forbids

__all__ = ["BOOK", "carried"]

_DONE: Final = re.compile(
    r"\b(?:clos(?:e[sd]?|ing)|complet(?:e[sd]?|ing)|done|finali[sz](?:e[sd]?|ing)|finish(?:e[sd]|ing)?"
    r"|implemented|resolv(?:e[sd]?|ing))\b",
    re.IGNORECASE,
)


def carried(corpus: Corpus) -> Iterator[Hit | Abstention]:
    """A commit `implements` the task, requirement or decision whose explicit id it cites.

    * The id stands at the head of the subject (`TASK-12 - …`, `fix(FR-001): …`), in brackets at its end, or behind a word that closes it
      (`Implements FR-001`, a trailer `Task: T012`). One that stands elsewhere in the subject is only `related_to` the
      plan. A body counts only where the subject begins with no id, and only what it closes.
    * A commit that changed documentation alone shows nothing. The plan is `claimed_by` it if the commit says that it is
      done ("Finalize …", "Mark as done"), or if the plan is to document; else it wrote the plan down and is related to
      nothing.
    * A reverted commit, and a commit whose id is that of a prohibition, is `related_to` it.
    * An id that several records bear is `commit_of_ambiguous_id`: a commit stands in no folder.

    Not: by the words of the plan, by its files, or because the commit is younger.
    """
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
        "carry_documented": Prior(0.85, "The commit says that it is done and changes documentation alone."),
    },
    {"commit_of_ambiguous_id": "ids cited by commits that several records bear"},
    {"identifier": "names `{}`", "reverted": "was reverted"},
)
