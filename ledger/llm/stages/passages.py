"""Passages of prose as a model is shown them: what was taken out of one text, its lines numbered from 1.

The numbers are those of the passage and not of the file, so that what only moved is the same question. A model is shown
what is recorded and nothing else of the file; what it says is matched with the record that it is said of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final, NamedTuple

from t2c.ledger.kernel.ids import normalised
from t2c.ledger.llm.ask import Rejected
from t2c.ledger.llm.base import Brief, Shown
from t2c.ledger.llm.stages.reading import Generator, Readable, Said, said

__all__ = ["LONGEST", "MOST", "Matched", "Passage", "brief_of", "matched", "passages", "tokens_of"]

LONGEST: Final = 8000
"""Characters of a passage; a longer text is cut between its statements (intent-evidence §2.8)."""
MOST: Final = 60
"""Statements of a passage: half of what an answer may hold, since a model may see two in one."""
_TOKENS_EACH: Final = 130
"""What the answer needs for a statement beside its words."""
_CHARACTERS_A_TOKEN: Final = 2
"""Of the passage: its words come back twice, as text and as object, at four characters a token."""
_EXCERPT: Final = 2000
"""Characters of one statement that are shown."""
_PLACEHOLDERS: Final = frozenset(
    {"unknown", "unspecified", "none", "null", "n/a", "na", "-", "brak", "nieznany", "nieokreślony"}
)
"""By which a model says that it does not know the object."""
_OBJECT_KEPT: Final = "runtime_object_backfill"
_ACTION_KEPT: Final = "runtime_action_backfill"
_MODALITY_KEPT: Final = "runtime_modality_backfill"
_TARGET_KEPT: Final = "runtime_target_backfill"


class Passage(NamedTuple):
    """Statements of one text in their order, each on the numbered lines `spans` has for it (both ends counted)."""

    path: str
    records: tuple[Readable, ...]
    spans: tuple[tuple[int, int], ...]
    text: str
    lines: int


class Matched(NamedTuple):
    """What an answer says of the statements of a passage; `others` counts what it says beside, `at` the first of the
    lines of the file on which that stands."""

    passage: Passage
    readings: tuple[Said, ...]
    others: int
    at: tuple[int, ...]


def passages(records: Sequence[Readable]) -> list[Passage]:
    """The statements of each text by its headings, in the order of paths and lines, packed up to LONGEST characters and
    MOST statements."""
    by_path: dict[str, list[Readable]] = {}
    for one in records:
        by_path.setdefault(str(one.record["source"]["path"] or ""), []).append(one)
    return [
        _passage(path, part)
        for path, theirs in sorted(by_path.items())
        for part in _packed(sorted(theirs, key=_place))
    ]


def tokens_of(passage: Passage, max_tokens: int) -> int:
    """The tokens that a whole answer may take: as set, and more where a passage that is dense needs more."""
    return max(max_tokens, _TOKENS_EACH * len(passage.records) + len(passage.text) // _CHARACTERS_A_TOKEN)


def brief_of(name: str, passage: Passage, omitted: Mapping[str, int]) -> Brief:
    """The passage as `llm.asked` names it."""
    items = tuple(Shown(one.id, sha256(_excerpt(one).encode()).hexdigest()) for one in passage.records)
    return Brief(name, passage.text, items, omitted)


def matched(passage: Passage, items: Sequence[Mapping[str, Any]], generator: Generator) -> Matched:
    """Whose statement each item is: of the record on the same lines, or of the one with the same words.

    An item that is neither, or the second of one record, is no reading of a record. Raises Rejected for lines that the
    passage does not have, and for what can be no record of the contract.
    """
    on_lines: dict[tuple[int, int], list[int]] = {}
    by_words: dict[str, list[int]] = {}
    for place, (one, span) in enumerate(zip(passage.records, passage.spans, strict=True)):
        on_lines.setdefault(span, []).append(place)
        for words in {_words(one.statement["text"]), _words(_excerpt(one))}:
            by_words.setdefault(words, []).append(place)
    found: dict[int, Said] = {}
    others, at = 0, set[int]()
    for number, item in enumerate(items):
        where = f"response.records[{number}]"
        start, end = item["sourceLines"]["start"], item["sourceLines"]["end"]
        if not start <= end <= passage.lines:
            raise Rejected(
                f"{where}.sourceLines must lie within 1 and {passage.lines}, and not end before they start"
            )
        meant = _meant(on_lines.get((start, end), []), by_words.get(_words(item["text"]), []))
        if meant is None or meant in found:
            others += 1
            at.update(_in_file(passage, start))
        else:
            found[meant] = _said(passage.records[meant], where, item, generator)
    return Matched(passage, tuple(found[place] for place in sorted(found)), others, tuple(sorted(at)))


def _meant(same_lines: Sequence[int], same_words: Sequence[int]) -> int | None:
    """The one statement on these lines, or of these words; of several on the lines, that of these words."""
    if len(same_lines) == 1:
        return same_lines[0]
    both = [place for place in same_words if not same_lines or place in same_lines]
    return both[0] if len(both) == 1 else None


def _said(about: Readable, where: str, item: Mapping[str, Any], generator: Generator) -> Said:
    """What the item says; by what a model does not know, that which was found stays (intent-evidence §2.8)."""
    flags: list[str] = []
    kept: dict[str, Any] = {}
    statement = about.statement
    if item["object"].strip().casefold() in _PLACEHOLDERS:
        kept["object"] = statement["object"]
        flags.append(_OBJECT_KEPT)
    if item["action"] == "unknown" != statement["action"]:
        kept["action"] = statement["action"]
        flags.append(_ACTION_KEPT)
    if item["modality"] == "unknown" != statement["modality"]:
        kept["modality"] = statement["modality"]
        flags.append(_MODALITY_KEPT)
    if not any(item["target"].values()) and any(statement["target"].values()):
        flags.append(_TARGET_KEPT)
    return said(about, where, item, generator, flags=flags, **kept)


def _packed(records: Sequence[Readable]) -> Iterator[list[Readable]]:
    """Whole sections as far as they fit together; a section that does not is cut between its statements."""
    held: list[Readable] = []
    size = 0
    for section in _sections(records):
        length = sum(_size(one) for one in section)
        if held and (size + length > LONGEST or len(held) + len(section) > MOST):
            yield held
            held, size = [], 0
        for one in section:
            if held and (size + _size(one) > LONGEST or len(held) == MOST):
                yield held
                held, size = [], 0
            held.append(one)
            size += _size(one)
    if held:
        yield held


def _sections(records: Sequence[Readable]) -> Iterator[list[Readable]]:
    held: list[Readable] = []
    for one in records:
        if held and _trail(one) != _trail(held[0]):
            yield held
            held = []
        held.append(one)
    if held:
        yield held


def _passage(path: str, records: Sequence[Readable]) -> Passage:
    rows = [f"path: {_flat(path)}"]
    spans: list[tuple[int, int]] = []
    number, trail = 0, None
    for one in records:
        if _trail(one) != trail and (trail := _trail(one)):
            rows.append("# " + " > ".join(map(_flat, trail)))
        first = number + 1
        for line in _excerpt(one).splitlines() or [""]:
            number += 1
            rows.append(f"{number}\t{line}")
        spans.append((first, number))
    return Passage(path, tuple(records), tuple(spans), "\n".join(rows), number)


def _flat(text: str) -> str:
    """In one line: a name of a file may hold a line feed, and only statements have numbered lines."""
    return " ".join(text.split())


def _excerpt(about: Readable) -> str:
    text = about.record["source"]["rawExcerpt"] or about.statement["text"]
    return str(text).strip("\n")[:_EXCERPT]


def _size(about: Readable) -> int:
    return len(_excerpt(about)) + 8


def _trail(about: Readable) -> list[str]:
    found = about.record["metadata"].get("headingPath")
    return [str(step) for step in found] if isinstance(found, list) else []


def _place(about: Readable) -> tuple[int, str]:
    lines = about.record["source"]["lines"]
    return (lines["start"] if lines else 0), about.id


def _in_file(passage: Passage, line: int) -> Iterator[int]:
    """Where in the file the statement on a line of the passage stands."""
    for one, (first, last) in zip(passage.records, passage.spans, strict=True):
        lines = one.record["source"]["lines"]
        if first <= line <= last and lines:
            yield lines["start"]


def _words(text: str) -> str:
    return normalised(text)
