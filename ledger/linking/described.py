"""A changelog entry that cites nothing is related to the commit that it describes, where that is sure enough.

Words, names, changed paths, added changelog text, tags and dates are weighed by a fitted model; see `ranking`. The
confidence of a relation is measured: of relations with confidence 0.9 nine in ten were right on repositories that had
no part in the fit.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from functools import partial
from typing import Final

from t2c.ledger.kernel.ids import RecordId
from t2c.ledger.linking import groups as releases
from t2c.ledger.linking import revisions, rules
from t2c.ledger.linking.base import OBSERVED, Abstention, Hit, Prior, RuleBook
from t2c.ledger.linking.changes import Entry, Page
from t2c.ledger.linking.features import Corpus
from t2c.ledger.linking.groups import Group
from t2c.ledger.linking.matching import FEATURES, Candidate, Window
from t2c.ledger.linking.ranking import Ranking, carrier, parameters, rank
from t2c.ledger.linking.tokens import path_tokens, tokens_of_words

__all__ = ["BOOK", "described", "groups", "score", "undecided"]

MAX_WORDS: Final = 3
"""Common words that a relation names; the most telling ones."""
MAX_NAMES: Final = 3
MAX_FILES: Final = 2
_NOTED: Final = 0.5
"""The share of an entry from which on a change is said to have written it down."""
_DECIDING: Final = frozenset({"number", "revision", "ticket"})
_AT: Final = {name: place for place, name in enumerate(FEATURES)}


def described(corpus: Corpus) -> Iterator[Hit | Abstention]:
    """An entry `releases` the commit that it describes, of the commits that its release can hold.

    * An entry that cites a number, ticket or hash which finds a commit is left to those rules.
    * The release's commits are those between its tag and the tag before; dates stand in for a tag; commits of earlier
      releases are looked at too, for what was previewed and is now promised. Commits that make a release or only
      write its changelog are no answer.
    * A merged pull request is one answer, and of its commits the one that carries the change is related.
    * Only the best commit is related, and only if it is as sure as the parameters ask; if it is less sure than that but
      no mere guess the entry is `described_unsure`. An entry of a release whose commits cannot be told, having
      neither tag nor date, is `described_without_range`.
    """
    window = Window()
    waiting = undecided(corpus)
    for group in _groups(corpus, waiting):
        waiting -= {entry.id for entry in group.entries}
        yield from corpus.memory.group(group.digest, partial(score, group, window))
    for entry_id in sorted(waiting):
        yield Abstention("described_without_range", entry_id)


def undecided(corpus: Corpus) -> set[RecordId]:
    """The entries for which neither number, ticket nor hash finds a commit."""
    decided = {
        found.source
        for book in (*rules.BOOKS, revisions.BOOK)
        if book.name in _DECIDING
        for found in corpus.found(book)
        if isinstance(found, Hit) and found.type == "releases"
    }
    return {entry.id for entry in corpus.entries} - decided


def groups(corpus: Corpus) -> Iterator[Group]:
    """The releases with entries to decide. What `score` says of a group depends on its `digest` alone."""
    yield from _groups(corpus, undecided(corpus))


def _groups(corpus: Corpus, waiting: AbstractSet[RecordId]) -> Iterator[Group]:
    if waiting:
        chosen = [entry.record for entry in corpus.entries if entry.id in waiting]
        yield from releases.groups(corpus, chosen, parameters().version)


def score(group: Group, window: Window | None = None) -> list[Hit | Abstention]:
    """The relations of one release. A window given for several groups saves work and changes nothing."""
    fitted = parameters()
    bound = fitted.accept if group.is_tagged else max(fitted.accept, fitted.accept_dated)
    found: list[Hit | Abstention] = []
    for ranking in rank(group, Window() if window is None else window, fitted):
        if ranking.probability >= bound:
            found.append(_hit(group, ranking))
        elif ranking.probability >= fitted.doubt:
            found.append(Abstention("described_unsure", _case(ranking, bound)))
    return found


def _hit(group: Group, ranking: Ranking) -> Hit:
    best = ranking.candidates[0]
    page = carrier(best, ranking.entry)
    if not best.features[_AT["in_range"]]:
        where = "earlier_release"
    else:
        where = "same_release_range" if group.is_tagged else "days_of_release"
    signals = tuple(sorted(_signals(ranking, best, page)))
    return Hit(
        ranking.entry.record.id,
        page.record.id,
        "releases",
        "described",
        ("described", where),
        signals,
        ranking.probability,
    )


def _signals(ranking: Ranking, best: Candidate, page: Page) -> Iterator[tuple[str, str]]:
    """What was seen, with values, the most telling of each kind."""
    entry, change = ranking.entry, best.change
    spelled: dict[str, str] = {}
    for word, held in tokens_of_words(entry.record.text).items():
        for token in held:
            spelled.setdefault(token, word)
    order = sorted(ranking.weights, key=lambda token: (-ranking.weights[token], token))
    said = change.title | change.body
    words = dict.fromkeys(spelled[token] for token in order if token in said and token in spelled)
    for word in list(words)[:MAX_WORDS]:
        yield "word", word
    for name in sorted(entry.spelled & change.spelled)[:MAX_NAMES]:
        yield "named", name
    for path in _files(page, entry):
        yield "changed", path
    if (noted := best.features[_AT["note_cover"]]) >= _NOTED:
        yield "written_down", f"{noted:.2f}"
    yield "title_likeness", f"{best.features[_AT['title_cosine']]:.2f}"
    yield "share", f"{ranking.shares[0]:.2f}"


def _files(page: Page, entry: Entry) -> list[str]:
    """The changed files whose paths have words of the entry, those with most of them first."""
    paths = page.record.statement.target.paths
    shared = {path: len(entry.tokens.intersection(path_tokens(path))) for path in paths}
    return sorted((path for path in shared if shared[path]), key=lambda path: (-shared[path], path))[
        :MAX_FILES
    ]


def _case(ranking: Ranking, bound: float) -> str:
    return f"{ranking.entry.record.id} at {ranking.probability:.2f} of {bound:.2f}"


BOOK: Final = RuleBook(
    "described",
    described,
    {
        "described": Prior(
            0.95, "Fitted on labelled repositories; the confidence of a relation is its measured probability."
        )
    },
    {
        "described_unsure": "entries whose likeliest commit is too unsure to be related",
        "described_without_range": "entries that cite no commit, of releases whose commits cannot be told",
    },
    {
        "same_release_range": "same release range",
        "days_of_release": "committed in the days of the release",
        "earlier_release": "made for an earlier release",
        "word": "says “{}”",
        "named": "changes `{}`",
        "changed": "changed `{}`",
        "written_down": "added {} of the entry to a changelog",
        "title_likeness": "title alike to {}",
        "share": "{} of the belief among its rivals",
    },
    ignores=OBSERVED,
)
