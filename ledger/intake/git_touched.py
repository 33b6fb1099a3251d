"""What a commit's changed lines are about: the names on them, the definitions they touch, the notes they add.

Kept is what tells commits apart: names whose number changed come before those that only stand on a changed line, and
names made of several words before plain ones. Nothing that looks drawn by a machine is taken for a name, and secrets
are cut out of the text before it is taken apart: a piece of one would not be known for what it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final

from msgspec import Struct

from t2c.ledger.intake.base import shortened
from t2c.ledger.intake.git_patch import Named, Patch, Written
from t2c.ledger.intake.tasks.records import TaskRecordExtractor
from t2c.ledger.intake.vocabulary import words
from t2c.ledger.redaction import entropy
from t2c.ledger.redaction.funnel import Funnel

__all__ = ["MAX_NAMES", "MAX_NOTES", "MAX_SYMBOLS", "MAX_TEST_NAMES", "Touched", "Vocabulary"]

MAX_NAMES: Final = 40
MAX_TEST_NAMES: Final = 20
MAX_SYMBOLS: Final = 64
MAX_NOTES: Final = 40
"""Lines of notes kept of one commit."""
MAX_NOTE: Final = 300
"""Characters kept of a line of notes."""
_MAX_WORDS: Final = 1_000_000

_SHORTEST, _LONGEST = 3, 80
_NO_LETTERS: Final = bytes(
    byte if byte >= 128 or byte == 95 or chr(byte).isalnum() else 32 for byte in range(256)
)
_MARKER: Final = re.compile(r"\[redacted:[^\]]*\]")
_JOINED: Final = re.compile(r"[^_]_+[^_]|[a-z0-9][A-Z]|[A-Z]{2}[a-z]|[A-Za-z]\d")
_HASH: Final = re.compile(r"(?=[0-9a-f]*\d)[0-9a-f]{7,}\Z")
_DIGITS: Final = re.compile(r"\d")
_MOST_DIGITS: Final = 5
_LONG: Final = 16
_SAY_NOTHING: Final = words(
    # what every file of a language is full of; rarer words of a language may be what a change is about
    "and args assert bool break case catch char class const continue def default defer elif else elsif end err except"
    " export extends false False final finally float fmt for from func function get if impl implements import"
    " include instanceof int interface isinstance kwargs len let long mut new nil none None not null nullptr object print"
    " private pub public require return self short static str string String struct super then this throw true True try"
    " typedef undefined unless use using val var void when where while with"
    # and comments
    " are also been but can does has have its may only should than that the there they those was were which will"
    " would you your"
)
_LEAD: Final = re.compile(r"\s*(?:(?:[-*+•>]|#{1,6}|\d{1,3}[.)])\s+)*+(?:\[[ xX]\]\s+)?")
_TASK: Final = re.compile(
    r"\s*(?:[\"']?title[\"']?\s*:\s+|[-*+]\s+\[.\]\s+(?:#\d+\s+)?|#{1,6}\s+(?:sub-?task\s+)?(?=[*`\[]{0,3}T\d{3}))(.*)",
    re.IGNORECASE,
)
_TICKED: Final = re.compile(r"^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+\[[xX]\][ \t]+(\S.*)", re.MULTILINE)
_FOLDED: Final = re.compile(r"[|>][+-]?\d?[+-]?\s*\Z")
_RECORDS: Final = TaskRecordExtractor()
_LETTERS: Final = re.compile(r"[^\W\d_]{2}")


class Touched(Struct):
    """`diff` as a record holds it; `names` and `notes` are how many of them were left out, `lines` changed lines.

    Where `diff` has `symbolsOmitted` or `linesOmitted`, definitions were touched that it does not name: those beyond the
    first, and any on that many lines of source files that were not read, all in `linesOmittedFrom` or behind it.
    """

    diff: dict[str, Any]
    names: int = 0
    notes: int = 0
    lines: int = 0


class Vocabulary(dict[bytes, int]):
    """What each word weighs by its form, 0 if it is no name: asked once, since words come again and again."""

    def __init__(self, funnel: Funnel) -> None:
        super().__init__()
        self.funnel = funnel

    def __missing__(self, word: bytes) -> int:
        if len(self) >= _MAX_WORDS:
            self.clear()
        found = self[word] = _weight(word)
        return found

    def touched(self, patch: Patch) -> Touched | None:
        """What a patch is about; None if it holds nothing that says so."""
        diff: dict[str, Any] = {}
        names, more = self._names(patch.kept["source"], MAX_NAMES)
        tests, more_tests = self._names(patch.kept["test"], MAX_TEST_NAMES)
        symbols, more_symbols = _symbols(patch.named)
        notes, more_notes = self._notes(patch.notes)
        for key, value in (("names", names), ("tests", tests), ("symbols", symbols), ("notes", notes)):
            if value:
                diff[key] = value
        found = Touched(diff, more + more_tests + more_symbols, more_notes, patch.left_out)
        if found.names or found.notes or found.lines:
            diff["partial"] = True
        for key, count in (("symbolsOmitted", more_symbols), ("linesOmitted", patch.unread)):
            if count:
                diff[key] = count
        if patch.unread_from is not None:
            diff["linesOmittedFrom"] = patch.unread_from
        return found if diff else None

    def _names(self, written: Written, most: int) -> tuple[list[str], int]:
        """The most telling names on these lines, and how many others there are."""
        added, removed = self._words(written.added), self._words(written.removed)
        weights: list[tuple[int, bytes]] = []
        for word, count in added.items():
            if weight := self[word]:
                before = removed.get(word, 0)
                weights.append((-weight - _by_number(count, before), word))
        for word, count in removed.items():
            if word not in added and (weight := self[word]):
                weights.append((-weight - _by_number(count, 0), word))
        weights.sort()
        return [word.decode() for _, word in weights[:most]], max(0, len(weights) - most)

    def _words(self, lines: Iterable[bytes]) -> Counter[bytes]:
        text = b"".join(lines)
        if not text:
            return Counter()
        masked = self.funnel.mask(text.decode("utf-8", "replace"))
        if masked.removed:
            text = _MARKER.sub(" ", masked.text).encode()
        return Counter(text.translate(_NO_LETTERS).split())

    def _notes(self, files: dict[str, Written]) -> tuple[list[dict[str, Any]], int]:
        """The lines that were added to each file of notes; those that were only moved are none."""
        gone = {line for path, written in files.items() for line in self._said(path, written.removed)}
        found: list[dict[str, Any]] = []
        count = left_out = 0
        for path, written in sorted(files.items()):
            lines = [line for line in self._said(path, written.added) if line not in gone]
            before = self._ticked(written.removed)
            ticked = [line for line in self._ticked(written.added) if line not in before]
            note: dict[str, Any] = {"path": path}
            for name, texts in (("lines", lines), ("ticked", ticked)):
                kept = texts[: MAX_NOTES - count]
                count += len(kept)
                left_out += len(texts) - len(kept)
                if kept:
                    note[name] = kept
            if len(note) > 1:
                found.append(note)
        return found, left_out

    def _ticked(self, parts: Iterable[bytes]) -> list[str]:
        """The text of each box that is ticked."""
        text = self.funnel.mask(b"".join(parts).decode("utf-8", "replace")).text if parts else ""
        found = (match[1].rstrip(" \t\r\\") for match in _TICKED.finditer(text))
        return [shortened(line, MAX_NOTE) for line in found if _LETTERS.search(line)]

    def _said(self, path: str, parts: Iterable[bytes]) -> list[str]:
        """The text of each line, without what marks it as an item or the like; a secret may stand in several lines.

        Of the file of a task only the lines that are read as tasks.
        """
        lines = self.funnel.mask(b"".join(parts).decode("utf-8", "replace")).text.split("\n")
        if _RECORDS.wants(path):
            lines = list(_tasks(lines))
        texts = (line[_LEAD.match(line).end() :].rstrip(" \t\r\\") for line in lines)  # type: ignore[union-attr]
        return [shortened(text, MAX_NOTE) for text in texts if _LETTERS.search(text)]


def _tasks(lines: list[str]) -> Iterator[str]:
    """The titles of tasks, and the boxes and headings that are tasks, of a file that is the record of one or more."""
    is_title = False
    for line in lines:
        if is_title and line[:1] in " \t" and line.strip():
            yield line.strip()
        match = _TASK.match(line)
        is_title = match is not None and _FOLDED.match(match[1]) is not None
        if match is not None and not is_title:
            yield match[1]


def _by_number(count: int, before: int) -> int:
    """More for a name that stands there more or less often than before than for one that was only there."""
    differs = 0 if count == before else 10 if -2 < count - before < 2 else 20
    total = count + before
    return differs + (2 * total if total < 4 else 8)


def _weight(word: bytes) -> int:
    if not _SHORTEST <= len(word) <= _LONGEST:
        return 0
    try:
        name = word.decode()
    except UnicodeDecodeError:
        return 0
    if name in _SAY_NOTHING or not name.isidentifier() or not _LETTERS.search(name) or _HASH.match(name):
        return 0
    digits = len(_DIGITS.findall(name))
    if digits and len(name) >= _LONG and (digits > _MOST_DIGITS or entropy.random_looking(name)):
        return 0
    return min(len(name), 24) + (12 if _JOINED.search(name) else 0)


def _symbols(named: Iterable[Named]) -> tuple[list[str], int]:
    """Definitions as `path::name`: those declared on changed lines before those around them, if not all are kept."""
    declared: dict[str, bool] = {}
    for item in named:
        if item.name:
            symbol = f"{item.path}::{item.name}"
            declared[symbol] = declared.get(symbol, False) or item.declared
    ranked = sorted(declared, key=lambda symbol: (not declared[symbol], symbol))
    return sorted(ranked[:MAX_SYMBOLS]), max(0, len(ranked) - MAX_SYMBOLS)
