"""The funnel: every text on its way into the log, with each secret in it replaced by `[redacted:<kind>]`.

Values that are known to be secret are masked wherever they stand, in every form in which they are written; other
secrets by their format or by the name that they are given. Masking a masked text changes nothing, so it may be done
more than once. The work grows with the length of the text and not faster.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, Final, NamedTuple

from t2c.ledger.errors import Usage
from t2c.ledger.kernel.canon import canonical
from t2c.ledger.redaction.detectors import Detector, folded, holds_a_secret, matches, suspects
from t2c.ledger.redaction.forms import KnownForms
from t2c.ledger.redaction.known import SHORTEST_KNOWN

__all__ = ["KNOWN", "Funnel", "Masked", "MaskedBytes", "check_allowed", "marker", "mask"]

KNOWN: Final = "known_secret"
"""The kind of a value that was known to be secret beforehand."""

_ASSIGNED: Final = "assigned_secret"
_OPEN: Final = "[redacted:"
_ROUNDS: Final = 8


def marker(kind: str) -> str:
    """What stands in a text in place of a secret."""
    return f"{_OPEN}{kind}]"


Removed = tuple[str, str]
"""The kind of a secret and its value, which is never to be kept."""


class Masked(NamedTuple):
    """A text without its secrets, and those, each as often as it stood there."""

    text: str
    removed: tuple[Removed, ...] = ()

    @property
    def findings(self) -> dict[str, int]:
        """How many secrets of each kind."""
        return _by_kind(self.removed)


class MaskedBytes(NamedTuple):
    """Bytes without their secrets; `findings` counts those by kind."""

    content: bytes
    findings: Mapping[str, int]


def _by_kind(removed: Iterable[Removed]) -> dict[str, int]:
    return dict(sorted(Counter(kind for kind, _ in removed).items()))


class Funnel:
    """What is masked: known values, and what the detectors find unless it is allowed.

    `allow` holds exact values or regular expressions that fit a whole value. Without `detect` only known values
    are masked. Raises Usage for an expression that is none.
    """

    def __init__(self, known: Iterable[str] = (), *, allow: Sequence[str] = (), detect: bool = True) -> None:
        self._known = KnownForms((value for value in known if len(value) >= SHORTEST_KNOWN), marker(KNOWN))
        self._detect = detect
        self._allow = tuple(allow)
        for item in allow:
            check_allowed(item)

    @cached_property
    def _allowed(self) -> tuple[re.Pattern[str], ...]:
        return tuple(re.compile(item) for item in self._allow)

    def clean(self, text: str) -> bool:
        """True if nothing in the text can be a secret; False leaves the verdict to `mask`."""
        return not (self._known.met(text) or (self._detect and suspects(text)))

    @cached_property
    def clean_name(self) -> Callable[[str], bool]:
        """`clean` for a text that comes again and again, such as the run that events belong to."""
        return lru_cache(maxsize=64)(self.clean)

    def mask(self, text: str) -> Masked:
        """The text without its secrets."""
        removed: list[Removed] = []
        # What was masked may have hidden the edge of what stands beside it.
        for _ in range(_ROUNDS):
            before = text
            if self._known.met(text):
                text = self._without_known(text, removed)
            if self._detect and (rows := suspects(text)):
                text = self._detected(rows, text, removed)
            if text is before:
                break
        return Masked(text, tuple(removed))

    def _without_known(self, text: str, removed: list[Removed]) -> str:
        parts: list[str] = []
        kept = 0
        for start, end in self._known.spans(text):
            removed.append((KNOWN, text[start:end]))
            parts += text[kept:start], marker(KNOWN)
            kept = end
        return "".join((*parts, text[kept:])) if parts else text

    def _detected(self, rows: Sequence[Detector], text: str, removed: list[Removed]) -> str:
        small: str | None = None
        for row in rows:
            if small is None and row.folded:
                small = folded(text)
            parts: list[str] = []
            kept = 0
            for match in matches(row, text, small or ""):
                value = match[row.secret]
                if _OPEN in value or self._is_allowed(value):
                    continue
                removed.append((row.kind, value))
                start, end = match.span(row.secret)
                parts += text[kept:start], marker(row.kind)
                kept = end
            if parts:
                text, small = "".join((*parts, text[kept:])), None
        return text

    def _is_allowed(self, value: str) -> bool:
        return value in self._allow or any(pattern.fullmatch(value) for pattern in self._allowed)

    def mask_bytes(self, content: bytes) -> MaskedBytes:
        """Bytes from outside, such as the output of a program, without their secrets; they need be no text."""
        masked = self.mask(content.decode("utf-8", "surrogateescape"))
        if not masked.removed:
            return MaskedBytes(content, {})
        return MaskedBytes(masked.text.encode("utf-8", "surrogateescape"), masked.findings)

    def mask_json(self, content: bytes) -> MaskedBytes:
        """A canonical JSON text whose strings, names of members included, are masked; canonical again.

        A member that is named as a secret is one if its value looks drawn. What holds nothing is not parsed.
        """
        if self.clean(content.decode()):
            return MaskedBytes(content, {})
        import orjson

        masked, removed = self.mask_value(orjson.loads(content))
        if not removed:
            return MaskedBytes(content, {})
        return MaskedBytes(canonical(masked), _by_kind(removed))

    def mask_value(self, value: Any) -> tuple[Any, tuple[Removed, ...]]:
        """A JSON value whose strings are masked, and what was found in it."""
        removed: list[Removed] = []
        return self._walked(value, "", removed), tuple(removed)

    def _walked(self, value: Any, name: str, removed: list[Removed]) -> Any:
        match value:
            case str():
                if self._detect and holds_a_secret(name, value) and not self._is_allowed(value):
                    removed.append((_ASSIGNED, value))
                    return marker(_ASSIGNED)
                return self._text(value, removed)
            case list() | tuple():
                return [self._walked(item, name, removed) for item in value]
            case dict():
                walked: dict[str, Any] = {}
                for key in sorted(value):
                    walked[_free(self._text(key, removed), walked)] = self._walked(value[key], key, removed)
                return walked
        return value

    def _text(self, text: str, removed: list[Removed]) -> str:
        masked = self.mask(text)
        removed += masked.removed
        return masked.text


def _free(name: str, taken: Mapping[str, object]) -> str:
    """A name that is not taken yet: two names that were masked alike stay two members."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    return free


def check_allowed(text: str) -> None:
    """Raise Usage if what is to be allowed is no regular expression."""
    try:
        re.compile(text)
    except (re.error, RecursionError, OverflowError) as error:
        raise Usage(
            f"{text!r} is no regular expression: {error}",
            remedy="write the value itself, with a backslash before each of . ^ $ * + ? { } [ ] \\ | ( )",
        ) from None


def mask(text: str, known: Iterable[str] = ()) -> Masked:
    """A text without its secrets: `known` values, and what the detectors find."""
    return Funnel(known).mask(text)
