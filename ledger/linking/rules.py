"""The rules. Each reads a corpus and yields what it found and where it abstained, one at a time.

No rule relates two code facts: nothing but structure is true between them, and structure is not said here.
Presence only locates: that a name or a file exists evidences no plan. A prohibition is satisfied by absence, so
nothing ever implements it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, Literal

from t2c.ledger.events.record import RelationType
from t2c.ledger.linking.base import OBSERVED, Abstention, Hit, Prior, RuleBook
from t2c.ledger.linking.citations import STRENGTH, Citation, Grade
from t2c.ledger.linking.features import Corpus, Statement
from t2c.ledger.linking.identifiers import Identifiers
from t2c.ledger.linking.stances import is_own

__all__ = [
    "BOOKS",
    "MAX_CANDIDATES",
    "MAX_COMMITS",
    "MAX_ENTRIES",
    "MAX_PAIRS",
    "number",
    "path",
    "symbol",
    "ticket",
]

MAX_COMMITS: Final = 5
"""A number on more commits than this no longer says which of them is meant."""
MAX_ENTRIES: Final = 5
"""A number of more entries than this is a large change, which a mention in some body does not stand for."""
MAX_PAIRS: Final = 200
"""Pairs that one key may make between two kinds of records, so that no key is quadratic."""
MAX_CANDIDATES: Final = 50
"""Files that one end of a path may have before it is not even narrowed."""

DAYS_OF_GRACE: Final = 2
"""Days by which a commit may be younger than its release: time zones, and a tag made the morning after."""

_OWN: Final = frozenset({"closed", "of_pull_request"})
"""How a commit cites a number or ticket that it says to be done with."""

Cited = Sequence[tuple[Statement, Grade]]
Keyed = Literal["number", "ticket"]


def number(corpus: Corpus) -> Iterator[Hit | Abstention]:
    """`#12` binds a changelog entry and a plan to the commits that carry it.

    * From entry to commit it is `releases`, from commit to plan `implements`.
    * Of the commits that cite a number only those of the strongest grade are meant: the pull request's own
      (`… (#12)`, `Merge pull request #12`), else those that close it, else those whose subject names it, else
      those whose body does; and among them, if there are any, those that still stand and change more than
      documentation.
    * A number of another repository is meant only as the pull request's own, which an imported history keeps;
      elsewhere it is a dependency that the commit follows.
    * If more than MAX_COMMITS are still meant, or more than MAX_ENTRIES cite what commits only mention in their
      bodies, each citation by an entry or a plan is `number_too_common`; and so is a number that would make more
      than MAX_PAIRS pairs between two kinds of records.
    * `implements` needs a plan of positive polarity that is about the number (see `is_own`), a commit that still stands and is not documentation only,
      and more than a mention in the body; otherwise the commit is `related_to` the plan.
    * A mention in the body counts only if commit and entry have a telling word in common too; else it is
      `number_without_words`, for a list in a body may have numbers of its own.
    * A commit that was written after the entry's release day cannot be what was released and is not linked
      (`commit_after_release`), unless it is the pull request's own, since a backport may be dated later.
    * A plan is `claimed_by` the entry that shares a number with it, and by a commit that changed documentation alone:
      both say that something was done and show nothing. A prohibition is only `related_to` them.
    """
    commits = _by_key(corpus.commits, _carried)
    entries, plans = _by_key(corpus.entries, _numbers), _by_key(corpus.todos, _numbers)
    for key in sorted(entries.keys() | plans.keys()):
        citing, planned = entries.get(key, ()), plans.get(key, ())
        meant = _meant(commits.get(key, ()))
        if len(meant) > MAX_COMMITS or (len(citing) > MAX_ENTRIES and _only_mentioned(meant)):
            for _ in range(len(citing) + len(planned)):
                yield Abstention(
                    "number_too_common", f"{key} on {len(citing)} entries and {len(meant)} commits"
                )
        else:
            yield from _releases("number", key, citing, meant)
            yield from _implements("number", key, meant, planned)
        yield from _claims("number", key, citing, planned)


def ticket(corpus: Corpus) -> Iterator[Hit | Abstention]:
    """`ABC-12` binds a changelog entry and a plan to all commits that cite it, like a number.

    A ticket is usually worked on in several commits, so no grade drives out another; but where one ticket
    would make more than MAX_PAIRS pairs between two kinds of records it makes none: `ticket_too_common`.
    A mention in the body counts for `implements` too, since trackers are cited in trailers. A key of the
    repository's own numbering is that of the task or requirement that bears it, whoever else names it (see `carrying`).
    """
    commits = _by_key(corpus.commits, _tickets)
    entries, plans = _by_key(corpus.entries, _tickets), _by_key(corpus.todos, _tickets)
    if plans:
        identifiers = Identifiers.of(corpus.of("document", "todo"))
        plans = {key: found for key, found in plans.items() if not identifiers.owns(key)}
    for key in sorted(entries.keys() | plans.keys()):
        citing, planned, meant = entries.get(key, ()), plans.get(key, ()), commits.get(key, ())
        yield from _releases("ticket", key, citing, meant)
        yield from _implements("ticket", key, meant, planned)
        yield from _claims("ticket", key, citing, planned)


def symbol(corpus: Corpus) -> Iterator[Hit | Abstention]:
    """A written name binds a statement to the one declaration that it means (see `symbols`).

    * A plan or entry is `related_to` the declaration. That it exists only locates the statement; it is no
      evidence that the plan is done.
    * A commit `modifies` a declaration that it names in a file that it changed; a declaration elsewhere is
      not related to it. Changed files alone relate nothing.
    * A name with several possible declarations is narrowed by the paths that the statement names or the
      commit changed; if still several are left it is `ambiguous_symbol`.
    """
    for statements, is_commit in ((corpus.entries, False), (corpus.todos, False), (corpus.commits, True)):
        for statement in statements:
            target = statement.record.statement.target
            paths = frozenset(target.paths) if target.symbols else frozenset()
            for name in target.symbols:
                called = f"{name}(" in statement.record.text
                declaration, grade, candidates = corpus.names.resolve(
                    name, paths, called=called, within=is_commit
                )
                if declaration is not None:
                    signals = (("path", declaration.path), ("symbol", name))
                    basis = (f"symbol_{grade}", *(("changed_file",) if is_commit else ()))
                    kind: RelationType = "modifies" if is_commit else "related_to"
                    yield Hit(statement.id, declaration.id, kind, "symbol", basis, signals)
                elif candidates:
                    yield Abstention("ambiguous_symbol", f"{name} declared {candidates} times")


def path(corpus: Corpus) -> Iterator[Hit | Abstention]:
    """A path in a plan or entry relates it to that file's module: `related_to`, which only locates.

    The path is the module's file in full, or its end from the last two parts up if one file alone has that
    end; else `ambiguous_path`. The paths that a commit changed make no relation: they would say that it
    belongs to everything in them.
    """
    for statement in (*corpus.entries, *corpus.todos):
        for written in statement.record.statement.target.paths:
            module, grade, candidates = corpus.modules.get(written), "path_exact", 1
            if module is None and "/" in written:
                ends = corpus.tails.get("/".join(written.split("/")[-2:]), ())
                if len(ends) <= MAX_CANDIDATES:
                    ends = [file for file in ends if file.endswith("/" + written)]
                grade, candidates = "path_tail", len(ends)
                module = corpus.modules[ends[0]] if candidates == 1 else None
            if module is not None:
                yield Hit(statement.id, module, "related_to", "path", (grade,), (("path", written),))
            elif candidates > 1:
                yield Abstention("ambiguous_path", f"{written} in {candidates} places")


def _numbers(statement: Statement) -> tuple[Citation, ...]:
    return statement.numbers


def _carried(commit: Statement) -> tuple[Citation, ...]:
    """The numbers that a commit may stand for: other repositories' only where they are its own."""
    return tuple(
        citation
        for citation in commit.numbers
        if citation.key.startswith("#") or citation.grade == "of_pull_request"
    )


def _tickets(statement: Statement) -> tuple[Citation, ...]:
    return statement.tickets


def _by_key(
    statements: Iterable[Statement], cited: Callable[[Statement], tuple[Citation, ...]]
) -> dict[str, list[tuple[Statement, Grade]]]:
    found: dict[str, list[tuple[Statement, Grade]]] = {}
    for statement in statements:
        for key, grade in cited(statement):
            found.setdefault(key, []).append((statement, grade))
    return found


def _meant(commits: Cited) -> Cited:
    """The commits of the strongest grade; without the reverted and the documentation-only, if others are left."""
    strongest = max((STRENGTH[grade] for _, grade in commits), default=0)
    chosen = [pair for pair in commits if STRENGTH[pair[1]] == strongest]
    return [pair for pair in chosen if not _weakness(pair[0])] or chosen


def _only_mentioned(commits: Cited) -> bool:
    return any(grade == "in_body" for _, grade in commits)


def _releases(rule: Keyed, key: str, entries: Cited, commits: Cited) -> Iterator[Hit | Abstention]:
    if len(entries) * len(commits) > MAX_PAIRS:
        yield _too_common(rule, key, len(entries), "entries", len(commits), "commits")
        return
    for entry, _ in entries:
        for commit, grade in commits:
            if grade != "of_pull_request" and _is_later(commit, entry):
                yield Abstention("commit_after_release", f"{key} of {entry.id}")
            elif (rule, grade) == ("number", "in_body") and not entry.words & commit.words:
                yield Abstention("number_without_words", f"{key} of {entry.id}")
            else:
                yield Hit(entry.id, commit.id, "releases", rule, (f"{rule}_{grade}",), ((rule, key),))


def _weakness(commit: Statement) -> tuple[str, ...]:
    """Why a commit is no evidence of anything done, as tokens of a basis."""
    return (("documentation_only",) if commit.is_documentation_only else ()) + (
        ("reverted",) if commit.is_undone else ()
    )


def _is_later(commit: Statement, entry: Statement) -> bool:
    """Whether the commit is younger than the entry's release; false if either day is unknown."""
    written, released = commit.day, entry.day
    return written is not None and released is not None and written > released + DAYS_OF_GRACE


def _implements(rule: Keyed, key: str, commits: Cited, plans: Cited) -> Iterator[Hit | Abstention]:
    if len(commits) * len(plans) > MAX_PAIRS:
        yield _too_common(rule, key, len(commits), "commits", len(plans), "plans")
        return
    for commit, grade in commits:
        for plan, _ in plans:
            weakness = _weakness(commit)
            is_shown = not weakness and (rule, grade) != ("number", "in_body")
            is_meant = plan.is_positive_plan and is_own(plan.record, key)
            kind: RelationType = "implements" if is_shown and is_meant else "related_to"
            source, target = commit.id, plan.id
            if weakness == ("documentation_only",) and is_meant and grade in _OWN:
                kind, source, target = "claimed_by", plan.id, commit.id
            yield Hit(source, target, kind, rule, (f"{rule}_{grade}", *weakness), ((rule, key),))


def _claims(rule: Keyed, key: str, entries: Cited, plans: Cited) -> Iterator[Hit | Abstention]:
    if len(entries) * len(plans) > MAX_PAIRS:
        yield _too_common(rule, key, len(entries), "entries", len(plans), "plans")
        return
    for entry, _ in entries:
        for plan, _ in plans:
            signals = ((rule, key),)
            is_claim = entry.record.epistemic.cls == "claim"
            if is_claim and plan.is_positive_plan and is_own(plan.record, key):
                yield Hit(plan.id, entry.id, "claimed_by", rule, (f"shared_{rule}",), signals)
            else:
                yield Hit(entry.id, plan.id, "related_to", rule, (f"shared_{rule}",), signals)


def _too_common(rule: Keyed, key: str, left: int, of: str, right: int, by: str) -> Abstention:
    return Abstention(f"{rule}_too_common", f"{key} on {left} {of} and {right} {by}")


_WEAK: Final = {"documentation_only": "changes documentation only", "reverted": "was reverted"}

BOOKS: Final = (
    RuleBook(
        "number",
        number,
        {
            "number_of_pull_request": Prior(
                0.97,
                "The forge itself writes the pull request's number at the end of the subject or in a merge.",
            ),
            "number_closed": Prior(
                0.92, "The author says that the commit fixes, closes or resolves the number."
            ),
            "number_in_subject": Prior(
                0.85, "The subject is about the number, but it may only follow it up."
            ),
            "number_in_body": Prior(
                0.6, "A body cites numbers for many reasons: background, dependency, contrast."
            ),
            "shared_number": Prior(
                0.7, "Two statements cite one number; neither shows that anything was done."
            ),
        },
        {
            "commit_after_release": "commits that cite what an entry cites but are younger than its release",
            "number_too_common": "citations or pairings under a number that too many records share",
            "number_without_words": "commits whose body cites what an entry cites, without a word in common",
        },
        {"number": "cites {}", **_WEAK},
        ignores=OBSERVED,
    ),
    RuleBook(
        "ticket",
        ticket,
        {
            "ticket_in_subject": Prior(
                0.95, "A key at the head of the subject is how trackers bind a commit."
            ),
            "ticket_closed": Prior(
                0.95, "The author says that the commit fixes, closes or resolves the ticket."
            ),
            "ticket_in_body": Prior(
                0.75, "A key in a trailer binds the commit, a key in prose may only mention it."
            ),
            "shared_ticket": Prior(
                0.7, "Two statements cite one ticket; neither shows that anything was done."
            ),
        },
        {"ticket_too_common": "pairings under a ticket that too many records share"},
        {"ticket": "cites {}", **_WEAK},
        ignores=OBSERVED,
    ),
    RuleBook(
        "symbol",
        symbol,
        {
            "symbol_qualified": Prior(
                0.95, "The whole qualified name is written and one declaration has it."
            ),
            "symbol_tail": Prior(0.9, "The last two parts are written and one declaration ends in them."),
            "symbol_leaf": Prior(
                0.8, "Only the last part is written; one declaration of this repository has it."
            ),
            "symbol_narrowed": Prior(
                0.75, "Several declarations share the name; the named or changed paths leave one."
            ),
        },
        {"ambiguous_symbol": "names with several declarations"},
        {"symbol": "names `{}`", "path": "declared in `{}`", "changed_file": "which the commit changed"},
    ),
    RuleBook(
        "path",
        path,
        {
            "path_exact": Prior(0.95, "The path is written in full and is one module's file."),
            "path_tail": Prior(
                0.85, "At least two last parts of the path are written and one module's file has them."
            ),
        },
        {"ambiguous_path": "paths that several files end in"},
        {"path": "names `{}`"},
    ),
)
