"""Which record an explicit id means: `FR-001`, `task-12`, `req~login-lock~1`, `ADR-4`.

An id belongs to where it is given: every feature may have its own `T001`. So a citation means the record that
bears the id in the same file, else in the same folder, else in the nearest folder above or below; from
elsewhere it means something only if one record of the whole repository bears the id. Samples of documentation
and tests are meant only from their own folder. The plain words task, ticket and issue stand for the prefix
that most tasks of the repository have.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Literal, NamedTuple

from msgspec import Struct

from t2c.ledger.linking.features import Record

__all__ = ["Found", "Identifiers", "Place", "id_of", "listed", "place_of", "spelled"]

_ID: Final = re.compile(
    r"(?<![\w.~/#@-])(?:[a-z]{2,12}~[\w.-]{1,100}~\d{1,6}(?![\w~])"
    r"|[A-Za-z][A-Za-z0-9]{0,15}(?:[-_][A-Za-z][A-Za-z0-9]{0,15}){0,3}?[-_ ]?\d{1,8}(?:\.\d{1,4}){0,3}(?![\w~]|-\w|\.\d))"
)
_HEAD: Final = re.compile(r"(?:\w{1,30}(?:\([^)]{0,50}\))?!?: )?[\[(*`]{0,3}\Z|\w{1,30}\(\Z")
_CLOSES: Final = re.compile(
    r"(?:\b(?:clos(?:e[sd]?|ing)|complet(?:e[sd]?|ing)|finish(?:e[sd]|ing)?|fix(?:e[sd]|ing)?|implement(?:s|ed|ing)?"
    r"|resolv(?:e[sd]?|ing))[:\s]{1,3}|^(?:task|ticket|issue|covers|requirement):\s{0,3})[\[(]?\Z",
    re.IGNORECASE | re.MULTILINE,
)
_END: Final = re.compile(r"[)\]](?:\s?\(#\d{1,9}\))?[\s.]*\Z")
_GENERIC: Final = frozenset({"TASK", "TICKET", "ISSUE"})
_NUMBERED: Final = re.compile(r"(.*?)[-_ ]?(\d{1,8}(?:\.\d{1,4}){0,3})\Z")
_DIGIT: Final = re.compile(r"\d")
_MARKS: Final = 4
"""Characters of marks that may stand before an id at the head of a statement."""
_DAY: Final = 8
"""Digits of a day, by which decisions are named too: it is no number of theirs."""
_MOST: Final = 40
"""Ids that one text may cite; more is a list of contents."""


Place = Literal["head", "closed", "within"]


class Found(NamedTuple):
    """The record that is meant, or none and how many may be."""

    record: Record | None
    candidates: int


class Identifiers(Struct, frozen=True):
    """Records by the normal form of the id that they bear; `prefix` is that of most tasks."""

    holders: dict[str, tuple[Record, ...]]
    prefix: str | None

    @classmethod
    def of(cls, records: Iterable[Record]) -> Identifiers:
        """Index every record that bears an id."""
        holders: dict[str, list[Record]] = {}
        prefixes: Counter[str] = Counter()
        for record in records:
            written = id_of(record)
            if written is None:
                continue
            key = spelled(written)
            holders.setdefault(key, []).append(record)
            match = _NUMBERED.match(key)
            if match and match[1] and record.statement.kind == "todo_item":
                prefixes[match[1]] += 1
        name, count = max(prefixes.items(), key=lambda pair: (pair[1], pair[0]), default=(None, 0))
        usual = name if count * 2 > prefixes.total() else None
        return cls({key: tuple(found) for key, found in holders.items()}, usual)

    def cited(self, text: str) -> Iterator[tuple[str, str]]:
        """(as written, normal form) of each id in a text that some record bears, in the order of the text."""
        if not self.holders or not _DIGIT.search(text):
            return
        seen: set[str] = set()
        for match in _ID.finditer(text):
            key = self._borne(spelled(match[0]))
            if key is not None and key not in seen:
                seen.add(key)
                yield match[0], key
                if len(seen) == _MOST:
                    return

    def owns(self, written: str) -> bool:
        """Whether an id is of the repository's own numbering: some record bears it, or its tasks have such ids."""
        key = spelled(written)
        match = _NUMBERED.match(key)
        is_generic = match is not None and match[1] in _GENERIC
        return self._borne(key) is not None or (is_generic and self.prefix is not None)

    def find(self, written: str, citing: Record) -> Found:
        """The record that an id means where `citing` writes it; never `citing` itself."""
        key = self._borne(spelled(written))
        if key is None:
            return Found(None, 0)
        others = [one for one in self.holders[key] if one.id != citing.id]
        return _nearest(others, citing)

    def _borne(self, key: str) -> str | None:
        if key in self.holders:
            return key
        match = _NUMBERED.match(key)
        if match and self.prefix is not None and match[1] in _GENERIC:
            usual = spelled(f"{self.prefix}-{match[2]}")
            return usual if usual in self.holders else None
        return None


def id_of(record: Record) -> str | None:
    """The id that a record bears: of a task, a requirement or a decision (`ADR-4`)."""
    metadata, kind = record.metadata, record.statement.kind
    if kind == "todo_item":
        written, text = _text(metadata.explicitId), record.statement.text
        # An id within the words is one that the task is about.
        return written if written is None or written not in text or text.find(written) < _MARKS else None
    if kind == "requirement":
        return _text(metadata.requirementId)
    if kind == "architecture_decision" and (number := _text(metadata.decisionId)) and len(number) < _DAY:
        return f"ADR-{number}"
    return None


def spelled(written: str) -> str:
    """The normal form of an id: capitals, one kind of hyphen, and `ADR-4` for `adr-0004`."""
    if "~" in written:
        return written
    key = written.strip().upper().replace("_", "-").replace(" ", "-")
    match = _NUMBERED.match(key)
    if match and match[1] in _GENERIC | {"ADR"}:
        number = match[2].lstrip("0") or "0"
        return f"{match[1]}-{number}"
    return key


def place_of(text: str, written: str) -> Place:
    """Where an id stands: at the head of a text or in brackets at its end, behind a word that closes it, or within."""
    at = max(text.find(written), 0)
    before = text[:at]
    if _HEAD.fullmatch(before) or (before[-1:] in ("(", "[") and _END.match(text, at + len(written))):
        return "head"
    return "closed" if _CLOSES.search(before[-100:]) else "within"


def listed(value: Any) -> list[str]:
    """The texts of a list of metadata; anything else counts as absent."""
    return [one for one in value if isinstance(one, str) and one] if isinstance(value, list) else []


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _nearest(others: Sequence[Record], citing: Record) -> Found:
    """Of the records that bear an id the one that is nearest to who cites it, if there is one."""
    here = citing.source.path or ""
    folder = here.rpartition("/")[0]
    is_sample = citing.metadata.sample is True
    outside = [] if is_sample else [one for one in others if one.metadata.sample is not True]
    for pool in (
        [one for one in others if one.source.path == here],
        [one for one in others if _folder(one) == folder and folder],
        [one for one in others if _in_line(_folder(one), folder)],
        outside,
    ):
        if len(pool) == 1:
            return Found(pool[0], 1)
    return Found(None, len(outside))


def _folder(record: Record) -> str:
    return (record.source.path or "").rpartition("/")[0]


def _in_line(one: str, other: str) -> bool:
    """Whether one folder lies in the other; the root, in which everything lies, does not count."""
    if not one or not other:
        return False
    return one == other or one.startswith(f"{other}/") or other.startswith(f"{one}/")
