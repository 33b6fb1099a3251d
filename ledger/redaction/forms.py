"""Where a known secret stands in a text, in whatever common form: as it is, in part, encoded, escaped, broken over lines.

Nearly every text holds none, so each is asked a few exact questions first (`met`): a form as a whole, or one of the
short pieces of a secret's long random run. Only where one stands is it looked at closely (`spans`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import pairwise
from typing import Final, NamedTuple

__all__ = ["KnownForms", "Span"]

_LEAST: Final = 16
"""Characters of a random run that are a secret without the rest of it."""
_PIECE: Final = 8
_STRIDE: Final = 16
_LONGEST_GAP: Final = 12
_ALIKE: Final = 4
"""Characters behind a gap that must go on as the secret does."""
_SHORTEST_FORM: Final = 12
"""Characters of an encoded form; a shorter one would be met by accident."""
_RUN: Final = re.compile(r"[A-Za-z0-9]+")
_HEX: Final = re.compile(r"[0-9a-f]+|[0-9A-F]+")
_ESCAPE: Final = re.compile(
    r"\\{1,8}u00([2-7][0-9A-Fa-f])|\\{1,8}x([2-7][0-9A-Fa-f])|%([2-7][0-9A-Fa-f])|&#x([2-7][0-9A-Fa-f]);"
)


class Span(NamedTuple):
    """From where to where, as a slice says it."""

    start: int
    end: int


class KnownForms:
    """The forms of known values. What `marker`, which stands in a text in the place of one, holds itself is none."""

    def __init__(self, values: Iterable[str], marker: str) -> None:
        self._values = tuple(values)
        self._marker = marker

    @cached_property
    def _cores(self) -> tuple[str, ...]:
        found = {core for value in self._values if (core := _core(value)) is not None}
        upper_or_lower = {core.swapcase() for core in found if _HEX.fullmatch(core)}
        return tuple(sorted(found | upper_or_lower, key=lambda core: (-len(core), core)))

    @cached_property
    def _pieces(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(core[at : at + _PIECE] for core in self._cores for at in _places(core)))

    @cached_property
    def _forms(self) -> tuple[str, ...]:
        """What is looked for as a whole, the longest first, so that none hides within another."""
        forms = {form for value in self._values for form in _written(value)}
        for value in self._values:
            core = _core(value)
            forms.update(_in_base64(core or value))
            if core is not None:
                digits = core.encode().hex()
                forms.update((digits, digits.upper()))
        return tuple(
            sorted((form for form in forms if form not in self._marker), key=lambda form: (-len(form), form))
        )

    @cached_property
    def _questions(self) -> tuple[str, ...]:
        """What a text without any secret holds none of."""
        whole = [form for form in self._forms if not any(piece in form for piece in self._pieces)]
        return (*self._pieces, *whole)

    def met(self, text: str) -> bool:
        """True if a known value may stand in the text."""
        if not self._values:
            return False
        for question in self._questions:
            if question in text:
                return True
        return ("\\" in text or "%" in text or "&#" in text) and self._is_met_escaped(text)

    def _is_met_escaped(self, text: str) -> bool:
        if _ESCAPE.search(text) is None:
            return False
        plain, _ = _unescaped(text)
        return any(question in plain for question in self._questions)

    def spans(self, text: str) -> list[Span]:
        """Where known values stand, in order; what overlaps is one."""
        found = list(self._found(text))
        if _ESCAPE.search(text) is not None:
            plain, places = _unescaped(text)
            found += [Span(places[start], places[end]) for start, end in self._found(plain)]
        found.sort()
        joined: list[Span] = []
        for span in found:
            if joined and span.start < joined[-1].end:
                joined[-1] = Span(joined[-1].start, max(span.end, joined[-1].end))
            else:
                joined.append(span)
        return joined

    def _found(self, text: str) -> Iterator[Span]:
        for form in self._forms:
            at = text.find(form)
            while at >= 0:
                yield Span(at, at + len(form))
                at = text.find(form, at + len(form))
        for core in self._cores:
            yield from _parts(text, core)


def _core(value: str) -> str | None:
    """The longest run of letters and digits, if it is long and mixed enough to be a secret by itself."""
    longest = max(_RUN.findall(value), key=len, default="")
    turns = sum(left.isdigit() != right.isdigit() for left, right in pairwise(longest))
    return longest if len(longest) >= _LEAST and turns * 8 >= len(longest) else None


def _places(core: str) -> list[int]:
    """Where the pieces begin of which one stands in each part that is long enough."""
    last = len(core) - _PIECE
    return [*range(0, last, _STRIDE), last]


def _parts(text: str, core: str) -> Iterator[Span]:
    """Where long parts of a secret's random run stand, also with something short between them."""
    done = 0
    for at, place in sorted(_anchors(text, core)):
        if at < done:
            continue
        start, left = _back(text, core, at, place)
        end, right = _on(text, core, at + _PIECE, place + _PIECE)
        if right - left >= _LEAST:
            yield Span(start, end)
            done = end


def _anchors(text: str, core: str) -> Iterator[tuple[int, int]]:
    for place in _places(core):
        piece = core[place : place + _PIECE]
        at = text.find(piece)
        while at >= 0:
            yield at, place
            at = text.find(piece, at + _PIECE)


def _on(text: str, core: str, at: int, place: int) -> tuple[int, int]:
    """Go on in both as long as they agree; the ends. Something short may stand between."""
    end = at
    while place < len(core) and at < len(text):
        if text[at] == core[place]:
            at, place = at + 1, place + 1
            end = at
            continue
        ahead = core[place : place + _ALIKE]
        at = text.find(ahead, at, at + _LONGEST_GAP + len(ahead))
        if at < 0:
            break
    return end, place


def _back(text: str, core: str, at: int, place: int) -> tuple[int, int]:
    start = at
    while place > 0 and at > 0:
        if text[at - 1] == core[place - 1]:
            at, place = at - 1, place - 1
            start = at
            continue
        before = core[max(0, place - _ALIKE) : place]
        found = text.rfind(before, max(0, at - _LONGEST_GAP - len(before)), at)
        if found < 0:
            break
        at = found + len(before)
    return start, place


def _unescaped(text: str) -> tuple[str, list[int]]:
    """The text with escaped ASCII as it is, and for each of its characters, and its end, where that stood."""
    parts: list[str] = []
    places: list[int] = []
    kept = 0
    for match in _ESCAPE.finditer(text):
        parts += text[kept : match.start()], chr(int(match[match.lastindex or 0], 16))
        places += range(kept, match.start() + 1)
        kept = match.end()
    places += range(kept, len(text) + 1)
    return "".join((*parts, text[kept:])), places


def _written(value: str) -> set[str]:
    """A value as it is, as a URL holds it and as JSON holds it."""
    import json
    from urllib.parse import quote, quote_plus

    encodable = value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    forms = {value, quote(encodable, safe=""), quote_plus(encodable), quote(encodable)}
    return forms | {json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}


def _in_base64(value: str) -> Iterator[str]:
    """A value in base64, wherever in a longer text that was encoded it stands."""
    from base64 import b64encode

    content = value.encode("utf-8", "replace")
    forms: list[str] = []
    for before in range(3):
        whole = b64encode(bytes(before) + content).decode().rstrip("=")
        bits = (before + len(content)) * 8
        # What its neighbours have a share in is another in another text.
        sure = whole[-(-before * 8 // 6) : bits // 6]
        forms += sure, sure.replace("+", "-").replace("/", "_")
    return (form for form in forms if len(form) >= _SHORTEST_FORM)
