"""Which records are one thing told twice, and which say the same although they are two."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from t2c.ledger.linking.alike import Said, key_of, nearest, said, similarity
from t2c.ledger.linking.base import OBSERVED, Abstention, Hit, Prior, RuleBook
from t2c.ledger.linking.features import Corpus, Record
from t2c.ledger.linking.identifiers import id_of, listed, spelled

__all__ = ["BOOK", "MAX_COPIES", "same"]

MAX_COPIES: Final = 30
"""Statements of one wording from which on it is a form that people fill in, not something said twice."""
ALIKE: Final = 0.85
"""Share of words from which on two statements say the same."""
SAME_ID_ALIKE: Final = 0.5
"""Share of words from which on two records of one id are one thing reworded."""
FEWEST: Final = 4
"""Words of the shortest statements that are compared."""
_CODE: Final = re.compile(r"`([^`\n]{1,200})`")
_OF_FILES: Final = frozenset({"doorstop_item", "task_front_matter"})
"""Bases of records whose id is that of their file."""
_OBLIGING: Final = frozenset({"architecture_decision", "declared_intent", "requirement", "todo_item"})
_WHOLE: Final = (("words_shared", "1.00"),)


class _Copy(NamedTuple):
    """A statement that may have been made twice: what tells it apart besides its words."""

    record: Record
    said: Said
    about: tuple[str, ...]


def same(corpus: Corpus) -> Iterator[Hit | Abstention]:
    """Records of one thing are `same_as` each other; statements that repeat each other are `duplicates`.

    * `same_as`: tasks, requirements or decisions that bear one id in two files and say the same, or half of
      it at least; entries of one release with one wording in two changelogs that cite one number, or none and
      stand in line, since packages beside each other count for themselves; a news fragment and the entry that
      was made of it.
    * Records in files of their own that bear one id and say different things are a collision, not a thing
      (`same_id_other_statement`); lists that count from one in each folder are neither.
    * `duplicates`: tasks, requirements, decisions, intents, statements of a conversation and entries of one
      release, of one kind of source and about the same (the same holder, code, symbols, paths, numbers), of
      one polarity, with at least FEWEST words: all the same, or ALIKE of them shared and no word in the place
      of another. What is worded alike more than MAX_COPIES times is a form (`form_repeated`).
    * All are related to the first of them, the nearest to the root, never each to each.

    Not: tasks of two lists of which neither lies in the folder of the other, for each feature has its own
    steps; sections of one document; scenarios; facts of code, commits, tags, samples; marked comments, which
    are about the place where they stand; sentences and examples of documentation, which repeat themselves on
    purpose; entries of different releases.
    """
    yield from _one_id(corpus)
    yield from _one_entry(corpus)
    yield from _fragments(corpus)
    yield from _repeated(corpus)


def _one_id(corpus: Corpus) -> Iterator[Hit | Abstention]:
    holders: dict[tuple[str, str], list[Record]] = {}
    for record in corpus.of("document", "todo"):
        written = id_of(record)
        if written is not None and record.metadata.sample is not True:
            holders.setdefault((record.statement.kind, spelled(written)), []).append(record)
    for (_, key), found in sorted(holders.items()):
        first, *others = sorted(found, key=_place)
        mine = said(first.statement.text).words if others else frozenset[str]()
        for other in others:
            if other.source.path == first.source.path:
                continue
            signals = (("identifier", key),)
            if key_of(other.statement.text) == key_of(first.statement.text):
                yield Hit(other.id, first.id, "same_as", "same", ("same_id_and_words",), signals)
            elif similarity(mine, said(other.statement.text).words) >= SAME_ID_ALIKE:
                yield Hit(other.id, first.id, "same_as", "same", ("same_id_reworded",), signals)
            elif _collide(first, other):
                yield Abstention(
                    "same_id_other_statement", f"{key} in {first.source.path} and {other.source.path}"
                )


def _collide(one: Record, other: Record) -> bool:
    """Whether an id was given twice: one of a whole repository, or the number of a decision within its folder."""
    if one.statement.kind == "architecture_decision":
        return len({(record.source.path or "").rpartition("/")[0] for record in (one, other)}) == 1
    return all(not _OF_FILES.isdisjoint(record.epistemic.basis) for record in (one, other))


def _one_entry(corpus: Corpus) -> Iterator[Hit | Abstention]:
    """Entries that two changelogs share; a changelog mirrors another only if it tells of the same package."""
    holders: dict[tuple[str, str, str], list[Record]] = {}
    for record in corpus.of("changelog"):
        version = record.metadata.version
        if record.statement.kind == "changelog_entry" and isinstance(version, str):
            words = key_of(record.statement.text)
            if words.count(" ") >= FEWEST - 1:
                package = record.metadata.package
                holders.setdefault((version, words, package if isinstance(package, str) else ""), []).append(
                    record
                )
    for (version, _, _), found in sorted(holders.items(), key=lambda item: item[0]):
        if len(found) > 1:
            yield from _mirrored(sorted(found, key=_place), version)


def _mirrored(found: Sequence[Record], version: str) -> Iterator[Hit | Abstention]:
    first = found[0]
    for other in found[1:]:
        signals = (("version", version),)
        if other.source.path == first.source.path:
            if other.statement.target.tickets == first.statement.target.tickets:
                yield Hit(other.id, first.id, "duplicates", "same", ("same_entry_twice",), signals)
        elif _cites_same(other, first) or (
            other.metadata.releaseDate == first.metadata.releaseDate
            and other.statement.target.tickets == first.statement.target.tickets
            and _are_in_line(first, other)
        ):
            yield Hit(other.id, first.id, "same_as", "same", ("same_entry_mirrored",), signals)


def _cites_same(one: Record, other: Record) -> bool:
    return not set(one.statement.target.tickets).isdisjoint(other.statement.target.tickets)


def _fragments(corpus: Corpus) -> Iterator[Hit]:
    entries: dict[str, list[Record]] = {}
    fragments: list[Record] = []
    for record in corpus.of("changelog"):
        if record.statement.kind == "changelog_fragment":
            fragments.append(record)
        elif record.statement.kind == "changelog_entry":
            entries.setdefault(key_of(record.statement.text), []).append(record)
    for fragment in fragments:
        found = entries.get(key_of(fragment.statement.text), ())
        if len(found) == 1 and (
            len(said(fragment.statement.text).words) >= FEWEST or _cites_same(fragment, found[0])
        ):
            yield Hit(fragment.id, found[0].id, "same_as", "same", ("same_fragment",), _WHOLE)


def _repeated(corpus: Corpus) -> Iterator[Hit | Abstention]:
    groups: dict[str, list[_Copy]] = {}
    for record in corpus.records:
        if _may_repeat(record) and len((words := said(record.statement.text)).words) >= FEWEST:
            groups.setdefault(record.source.kind, []).append(_Copy(record, words, _about(record)))
    for kind in sorted(groups):
        alike = _equal(groups[kind])
        yield from _stars(alike)
        lone = [copies[0] for copies in alike]
        yield from _near(lone)


def _may_repeat(record: Record) -> bool:
    kind = record.statement.kind
    if record.metadata.sample is True or record.metadata.form == "scenario" or id_of(record) is not None:
        return False
    return kind in _OBLIGING or record.source.kind == "agent_log"


def _about(record: Record) -> tuple[str, ...]:
    """What two statements must share besides their words to say the same: what they are part of and what they name."""
    metadata, statement = record.metadata, record.statement
    holder: tuple[str, ...] = ()
    if metadata.parent or metadata.parentTask or metadata.requirement:
        holder = (record.source.path or "", *_trail(record))
    elif isinstance(metadata.ticket, str):
        holder = (metadata.ticket,)
    code = sorted(set(_CODE.findall(record.text))) if "`" in record.text else ()
    return (
        *holder,
        statement.kind,
        statement.polarity,
        *code,
        *statement.target.symbols,
        *statement.target.paths,
    )


def _equal(copies: Iterable[_Copy]) -> list[list[_Copy]]:
    found: dict[tuple[str, tuple[str, ...]], list[_Copy]] = {}
    for copy in copies:
        found.setdefault((key_of(copy.record.statement.text), copy.about), []).append(copy)
    return [sorted(found[key], key=lambda copy: _place(copy.record)) for key in sorted(found)]


def _stars(groups: Iterable[Sequence[_Copy]]) -> Iterator[Hit | Abstention]:
    for first, *others in groups:
        if len(others) >= MAX_COPIES:
            yield Abstention("form_repeated", first.record.statement.text[:80])
            continue
        above = [first.record]
        for other in (copy.record for copy in others):
            near = next((one for one in above if not _are_apart(one, other)), None)
            if near is None:
                above.append(other)
            else:
                yield Hit(other.id, near.id, "duplicates", "same", ("same_words",), _WHOLE)


def _are_apart(one: Record, other: Record) -> bool:
    """Whether each of two statements belongs to a matter of its own: a section of one document, a list of a feature."""
    here, there = one.source.path or "", other.source.path or ""
    if here == there:
        return one.statement.kind == "requirement" and _trail(one) != _trail(other)
    if one.statement.kind != "todo_item" and one.metadata.form not in ("checkbox", "section"):
        return False
    return not _are_in_line(one, other)


def _are_in_line(one: Record, other: Record) -> bool:
    """Whether one of the two files stands in the folder of the other, or below it."""
    folders = [(record.source.path or "").rpartition("/")[0] for record in (one, other)]
    return any(f"{upper}/".startswith(f"{lower}/") or not lower for lower, upper in (folders, folders[::-1]))


def _trail(record: Record) -> list[str]:
    anchor = record.metadata.anchor
    return listed(anchor.get("trail")) if isinstance(anchor, dict) else []


def _near(copies: Sequence[_Copy]) -> Iterator[Hit]:
    by_id = {copy.record.id: copy for copy in copies}
    words = {copy.record.id: copy.said for copy in copies}
    for match in nearest(words, words, ALIKE, FEWEST + 2):
        one, other = by_id[match.one], by_id[match.other]
        if (
            one.about != other.about
            or _are_apart(one.record, other.record)
            or _place(other.record) > _place(one.record)
        ):
            continue
        # A word in the place of another is what a statement is about; one word more is a way to say it.
        if one.said.words <= other.said.words or other.said.words <= one.said.words:
            signals = (("words_shared", f"{match.share:.2f}"),)
            yield Hit(match.one, match.other, "duplicates", "same", ("same_nearly",), signals)


def _place(record: Record) -> tuple[int, str, str]:
    """The order of copies: what stands nearer to the root comes first."""
    path = record.source.path or ""
    return path.count("/"), path, record.id


BOOK: Final = RuleBook(
    "same",
    same,
    {
        "same_id_and_words": Prior(0.97, "Two files hold the same id and the same statement."),
        "same_id_reworded": Prior(
            0.85, "Two files hold the same id, and at least half of the words are the same."
        ),
        "same_entry_mirrored": Prior(0.95, "Two changelogs tell of one release in the same words."),
        "same_fragment": Prior(0.95, "One entry of a changelog has the words of the news fragment."),
        "same_entry_twice": Prior(0.95, "One release of one changelog has the same words twice."),
        "same_words": Prior(0.9, "Two statements about the same have the same words."),
        "same_nearly": Prior(0.8, "Two statements about the same share nearly all words and all numbers."),
    },
    {
        "same_id_other_statement": "ids that two files bear, with different statements",
        "form_repeated": f"wordings that more than {MAX_COPIES} statements share",
    },
    {
        "identifier": "bears `{}`",
        "version": "tells of {}",
        "words_shared": "shares {} of its words",
    },
    ignores=OBSERVED,
)
