"""The envelope at the top of a message: flat front matter between two lines of three hyphens (intent-evidence §2.10)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain, islice
from typing import Final

import orjson
from msgspec import Struct, field

from t2c.ledger.intake.lines import Notes
from t2c.ledger.kernel.clock import rfc3339

__all__ = ["Envelope", "moment", "opened"]

_KEY: Final = re.compile(r"\s*+([A-Za-z][\w-]*+)\s*+:(?!//)\s*+(.*)\Z", re.ASCII | re.DOTALL)
_ENTRY: Final = re.compile(r"\s*+-\s++(\S.*)\Z", re.DOTALL)
_TIME: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d\d:\d\d)\Z", re.ASCII
)
_EXPLICIT: Final = ("participant", "participant-id", "role", "type", "ticket")
_NAMES: Final = {
    "actor": "participant", "participant_id": "participant-id", "kind": "type", "to": "recipient",
    "created_at": "timestamp", "created-at": "timestamp", "createdat": "timestamp", "git_authors": "git-authors",
    "git_author": "git-authors", "git-author": "git-authors", "a2a_agent_id": "a2a-agent-id",
    "target-paths": "paths", "target_paths": "paths", "target-symbols": "symbols", "target_symbols": "symbols",
}  # fmt: skip
"""Other names of a key. If both are there, the key itself counts."""


class Envelope(Struct):
    """The keys of an envelope, in lower case and under one name each, with the lines they stand on."""

    values: dict[str, str] = field(default_factory=dict)
    lists: dict[str, list[str]] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    closed: bool = True

    def get(self, key: str) -> str | None:
        """The value of a key; None if it is not there or blank."""
        return self.values.get(key) or None

    def many(self, key: str) -> tuple[str, ...]:
        """The values of a key: a JSON array, a list with hyphens, or values between commas."""
        text = self.values.get(key, "")
        found: Sequence[object] = self.lists.get(key, ())
        if text.startswith("["):
            try:
                parsed = orjson.loads(text)
            except orjson.JSONDecodeError:
                parsed = None
            found = (
                parsed if isinstance(parsed, list) else text.removeprefix("[").removesuffix("]").split(",")
            )
        elif text:
            found = text.split(",")
        return tuple(sorted({bare for item in found if isinstance(item, str) and (bare := _unquoted(item))}))

    @property
    def explicit(self) -> bool:
        """True if it says of itself that the file is a message."""
        return any(self.get(key) for key in _EXPLICIT)


def opened(lines: Iterator[str], notes: Notes) -> tuple[Envelope | None, list[str]]:
    """Take the envelope off the lines: it, None if there is none, and the lines to read again.

    Of an envelope that is there, as many empty lines are given back, so that lines keep their numbers. `closed` is
    False if its end is missing: then it holds nothing, and the file cannot be told from its envelope.
    """
    head = list(islice(lines, 2))
    if len(head) < 2 or head[0].rstrip() != "---" or not (head[1].strip() == "---" or _KEY.match(head[1])):
        return None, head  # no hyphens, or a rule at the top of the text
    envelope, last, number = Envelope(closed=False), "", 1
    for number, line in enumerate(chain(head[1:], lines), 2):
        if line.strip() == "---":
            envelope.closed = True
            break
        match = _KEY.match(line)
        entry = _ENTRY.match(line)
        if match:
            last = _put(envelope, match[1].lower(), _unquoted(match[2] or ""), number)
        elif entry and last and not envelope.values[last]:
            envelope.lists.setdefault(last, []).append(entry[1])
        elif line.strip() and not line.lstrip().startswith("#"):
            notes.add("envelope_line", "a line of the envelope that is no `key: value`", number)
    return envelope, [""] * number


def _put(envelope: Envelope, key: str, value: str, line: int) -> str:
    name = _NAMES.get(key, key)
    if name == key or not envelope.values.get(name):
        envelope.values[name] = value
        envelope.lines[name] = line
    return name


def _unquoted(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'`":
        return text[1:-1].strip()
    return text


def moment(text: str) -> str | None:
    """An RFC 3339 time with its offset, in UTC with milliseconds; None if it is none."""
    match = _TIME.match(text)
    if match is None:
        return None
    date, clock, fraction, offset = match.groups()
    leap = clock.endswith(":60")
    clock = clock[:-2] + "59" if leap else clock
    try:
        found = datetime.fromisoformat(f"{date}T{clock}.{(fraction or '0')[:6]:0<6}{offset.upper()}")
        return rfc3339((found + timedelta(seconds=leap)).astimezone(UTC))
    except (ValueError, OverflowError):
        return None
