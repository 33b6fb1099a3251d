"""In which order things stand to each other: what waits for what, what depends on what, what replaced what."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Final

from t2c.ledger.events.record import RelationType
from t2c.ledger.linking.base import OBSERVED, Abstention, Hit, Prior, RuleBook
from t2c.ledger.linking.features import Corpus, Record
from t2c.ledger.linking.identifiers import Identifiers, listed, spelled

__all__ = ["BOOK", "ordered"]

_KINDS: Final = frozenset({"comment_marker", "communication_plan", "requirement", "todo_item"})
_NAME: Final = (
    r"(?:#\d{1,9}|[a-z]{2,12}~[\w.-]{1,100}~\d{1,6}"
    r"|[A-Za-z][A-Za-z0-9]{0,15}(?:[-_][A-Za-z][A-Za-z0-9]{0,15}){0,3}?[-_ ]?\d{1,8}(?:\.\d{1,4}){0,3})"
)
_LIST: Final = rf"(?:tasks? |zada\w{{1,4}} )?\[?({_NAME}(?:\]?\s{{0,2}}(?:,|;|&|and|i|oraz|, and)\s{{1,2}}\[?{_NAME}){{0,20}})"
_NEEDS: Final = re.compile(
    r"(?:\b(?:depend(?:s|ent|ing)? (?:up)?on|depends:|dependencies:|needs|requires|zależy od|wymaga)"
    r"|(?:^|[(\[;–—-]\s{0,2}|\b(?:do|start|only|then|right|tuż) )(?:after|po))\s{1,3}" + _LIST,
    re.IGNORECASE | re.MULTILINE,
)
_WAITS: Final = re.compile(
    r"\b(?:blocked (?:by|on)|waits? (?:for|on)|waiting (?:for|on)|zablokowan\w{1,3} przez|czeka na):?\s{1,3}"
    + _LIST,
    re.IGNORECASE,
)
_BLOCKS: Final = re.compile(r"\b(?:blocks|is blocking|blokuje):?\s{1,3}" + _LIST, re.IGNORECASE)
_SPLIT: Final = re.compile(_NAME)
_REVISED: Final = re.compile(r"([a-z]{2,12}~[\w.-]{1,100})~(\d{1,6})\Z")
_SIGNS: Final = (
    "depend",
    "need",
    "require",
    "after",
    "block",
    "wait",
    "zale",
    "wymaga",
    "czeka",
    "po ",
    "blok",
)


def ordered(corpus: Corpus) -> Iterator[Hit | Abstention]:
    """What records say themselves about their order.

    * A task or requirement `depends_on` each other one that it names as its dependency: in the fields of its
      own file or object, or in its words ("depends on T002", "after #3", "requires TASK-4").
    * What a task waits for `blocks` it ("blocked by T002", "waits for #3"), and it blocks what it says to
      block.
    * A decision `supersedes` the one that it says to replace, or that says to be replaced by it; a
      requirement with a revision supersedes the same requirement of the revision before, where both stand.
    * An id means the nearest record that bears it (see `identifiers`); an id that several bear equally near
      is `dependency_ambiguous`. `#3` means the one other task that cites the number and no relation is drawn
      where several do. What is named and borne by no record is not related and no omission: it lies
      elsewhere.

    Not: because one task stands above another, has a smaller number or was done earlier.
    """
    records = [
        record
        for record in corpus.records
        if record.statement.kind in _KINDS and record.source.kind in ("agent_log", "document", "todo")
    ]
    identifiers = Identifiers.of(corpus.records)
    numbered = _numbered(corpus)
    for record in records:
        if record.statement.kind == "todo_item":
            yield from _fields(record, identifiers)
        text = record.text
        lower = text.lower()
        if any(sign in lower for sign in _SIGNS):
            for pattern, kind, turned in (
                (_WAITS, "blocks", True), (_BLOCKS, "blocks", False), (_NEEDS, "depends_on", False),
            ):  # fmt: skip
                yield from _worded(record, text, pattern, kind, turned, identifiers, numbered)  # type: ignore[arg-type]
    yield from _replaced(corpus)
    yield from _revised(corpus)


def _fields(task: Record, identifiers: Identifiers) -> Iterator[Hit | Abstention]:
    """What a task waits for and what waits for it, as its own fields say."""
    fields: tuple[tuple[Any, RelationType, bool], ...] = (
        (task.metadata.dependencies, "depends_on", False),
        (task.metadata.blockedBy, "blocks", True),
        (task.metadata.blocks, "blocks", False),
    )
    for named, kind, turned in fields:
        for written in listed(named):
            for spelling in _spellings(task, written):
                found, candidates = identifiers.find(spelling, task)
                if found is not None and found.source.kind == "todo":
                    source, target = (found.id, task.id) if turned else (task.id, found.id)
                    if source != target:
                        signals = (("identifier", written),)
                        yield Hit(source, target, kind, "order", ("order_field",), signals)
                elif candidates > 1:
                    yield Abstention("dependency_ambiguous", f"{written} of {task.source.path}")
                else:
                    continue
                break


def _spellings(task: Record, written: str) -> tuple[str, ...]:
    """How a dependency may be spelled as an id: among the parts of the same task, of the same list, or as it is."""
    own, tag = task.metadata.explicitId, task.metadata.tag
    ways: list[str] = []
    if isinstance(own, str) and written.isdigit() and "." in own:
        ways.append(f"{own.rpartition('.')[0]}.{written}")
    if isinstance(tag, str) and tag:
        ways.append(f"{tag}:{written}")
    return (*ways, written)


def _worded(
    record: Record,
    text: str,
    pattern: re.Pattern[str],
    kind: RelationType,
    turned: bool,
    identifiers: Identifiers,
    numbered: dict[str, list[Record]],
) -> Iterator[Hit | Abstention]:
    for match in pattern.finditer(text):
        for written in _SPLIT.findall(match[1]):
            if written.startswith("#"):
                others = [one for one in numbered.get(written, ()) if one.id != record.id]
                found, candidates = (others[0], 1) if len(others) == 1 else (None, len(others))
                grade = "order_number"
            else:
                found, candidates = identifiers.find(written, record)
                grade = "order_words"
            if found is not None and found.statement.kind in _KINDS:
                source, target = (found, record) if turned else (record, found)
                yield Hit(source.id, target.id, kind, "order", (grade,), (("identifier", written),))
            elif candidates > 1:
                yield Abstention("dependency_ambiguous", f"{written} of {record.source.path}")


def _numbered(corpus: Corpus) -> dict[str, list[Record]]:
    """Tasks by the numbers that they cite, those left out that only name the number as their dependency."""
    found: dict[str, list[Record]] = {}
    for todo in corpus.todos:
        waits = {
            written
            for pattern in (_NEEDS, _WAITS, _BLOCKS)
            for match in (pattern.finditer(todo.record.text) if "#" in todo.record.text else ())
            for written in _SPLIT.findall(match[1])
        }
        for citation in todo.numbers:
            if citation.key not in waits:
                found.setdefault(citation.key, []).append(todo.record)
    return found


def _replaced(corpus: Corpus) -> Iterator[Hit | Abstention]:
    decisions = [one for one in corpus.of("document") if one.statement.kind == "architecture_decision"]
    by_path = {one.source.path: one for one in decisions if one.source.path is not None}
    identifiers = Identifiers.of(decisions)
    for decision in decisions:
        metadata = decision.metadata
        for names, turned in ((metadata.supersedes, False), (metadata.supersededBy, True)):
            for written in listed(names):
                other = by_path.get(written)
                candidates = 1 if other is not None else 0
                if other is None:
                    number = written.lstrip("#").strip()
                    name = f"ADR-{number}" if number.isdigit() else written
                    other, candidates = identifiers.find(name, decision)
                if other is not None and other.id != decision.id:
                    newer, older = (other, decision) if turned else (decision, other)
                    signals = (("identifier", written),)
                    yield Hit(newer.id, older.id, "supersedes", "order", ("order_replaced",), signals)
                elif candidates > 1:
                    yield Abstention("dependency_ambiguous", f"{written} of {decision.source.path}")


def _revised(corpus: Corpus) -> Iterator[Hit]:
    """Each requirement that stands in several revisions: every revision supersedes the one before."""
    revisions: dict[tuple[str, bool], dict[int, Record]] = {}
    for one in corpus.of("document"):
        written: Any = one.metadata.requirementId
        match = (
            _REVISED.match(written)
            if one.statement.kind == "requirement" and isinstance(written, str)
            else None
        )
        if match:
            key = (spelled(match[1]), one.metadata.sample is True)
            revisions.setdefault(key, {}).setdefault(int(match[2]), one)
    for (name, is_sample), found in sorted(revisions.items()):
        numbers: Sequence[int] = sorted(found)
        for older, newer in pairwise(numbers):
            if not is_sample:
                signals = (("identifier", f"{name}~{newer}"),)
                yield Hit(
                    found[newer].id, found[older].id, "supersedes", "order", ("order_revision",), signals
                )


BOOK: Final = RuleBook(
    "order",
    ordered,
    {
        "order_field": Prior(0.97, "A field of the task itself names the other by its id."),
        "order_words": Prior(
            0.9, "The statement names the other by its id, with words of dependence before it."
        ),
        "order_number": Prior(
            0.75, "The statement names a number with words of dependence, and one other task cites it."
        ),
        "order_replaced": Prior(
            0.97, "One of the two decisions says that it replaces, or is replaced by, the other."
        ),
        "order_revision": Prior(
            0.95, "The same requirement stands in two revisions; the number says which is newer."
        ),
    },
    {
        "dependency_ambiguous": "ids named as a dependency or successor that several records bear, equally near"
    },
    {"identifier": "names `{}`"},
    ignores=OBSERVED,
)
