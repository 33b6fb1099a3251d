"""From the lines of a paragraph to its sentences, each with the lines where it stands.

Wrapped prose is joined. A line break is meant where the next line's first word would still have fitted and
begins like a sentence. A full stop ends a sentence if a sentence begins after it and it belongs to no
abbreviation (`e.g.`, `m.in.`), initial, code or name of a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from t2c.ledger.intake.inline import code_spans
from t2c.ledger.intake.vocabulary import PREPOSITIONS, words

__all__ = ["Numbered", "Sentence", "sentences"]

Numbered = tuple[int, str]
"""A line with its number from 1."""

_WIDTH: Final = 60
"""Columns up to which nobody wraps prose."""
_END: Final = re.compile(r"[.!?…;]++[\"'”’»)\]*_]*+\s++(?=\S)")
_BEGINS: Final = re.compile(r"[\"'“„‚‘«(\[*_]*+(?:[^\W\d_]|\d|[`@#])")
_STARTS_ANEW: Final = re.compile(r"\*\*|__|[A-ZĄĆĘŁŃÓŚŹŻ][\w ]{1,30}: |[-–—•] ")
_BEFORE: Final = re.compile(r"(?:[^\W\d_]\.)*+[^\W\d_]*\Z|\d++\Z")
_GOES_ON: Final = frozenset(",(-–—&/+")
_JOINING: Final = words("and or nor but oraz i lub albo ale a że ze aby żeby") | PREPOSITIONS
_ABBREVIATIONS: Final = words(
    "e.g i.e cf vs viz approx resp fig figs eq sec ch vol ed eds al mr mrs ms dr prof st jr sr dept est incl excl"
    " no nos pp eg ie min max ca tel ext ref refs"
    " np m.in tj tzn tzw zob por ok nr ul al św dr prof mgr inż hab art ust par pkt poz str rys tab wg ww ds dot godz"
    " maks red tłum śp gen płk im pl tys mln mld zł gr"
)
_MAY_END: Final = words("etc itd itp inc ltd co in")
"""Abbreviations after which a capital letter begins a sentence."""


class Sentence(NamedTuple):
    """One sentence, single-spaced, and the first and last line it stands on."""

    text: str
    lines: tuple[int, int]


def sentences(lines: Sequence[Numbered]) -> Iterator[Sentence]:
    """The sentences of one paragraph in order. Lines are given without white space at their ends."""
    for group in _groups(lines):
        text = " ".join(" ".join(body.split()) for _, body in group)
        starts: list[tuple[int, int]] = []
        at = 0
        for number, body in group:
            starts.append((at, number))
            at += len(" ".join(body.split())) + 1
        line = 0
        for start, end in _spans(text):
            while line + 1 < len(starts) and starts[line + 1][0] <= start:
                line += 1
            first = starts[line][1]
            while line + 1 < len(starts) and starts[line + 1][0] < end:
                line += 1
            yield Sentence(text[start:end], (first, starts[line][1]))


def _groups(lines: Sequence[Numbered]) -> Iterator[list[Numbered]]:
    """Lines that were wrapped, together."""
    width = max([_WIDTH, *(len(body) for _, body in lines)])
    group: list[Numbered] = []
    for number, body in lines:
        if group and _meant(group[-1][1], body, width):
            yield [(place, text.rstrip("\\")) for place, text in group]
            group = []
        group.append((number, body))
    if group:
        yield [(place, text.rstrip("\\")) for place, text in group]


def _meant(before: str, after: str, width: int) -> bool:
    """True if the break between two lines was put there on purpose."""
    if not before or not after:
        return False
    if before[-1] == "\\" or _STARTS_ANEW.match(after):
        return True
    if before[-1] in _GOES_ON or before.rpartition(" ")[2].lower() in _JOINING:
        return False
    begins = after.lstrip("\"'“„([`*_")[:1]
    if not (begins.isupper() or begins.isdigit()):
        return False
    return len(before) + 1 + len(after.partition(" ")[0]) <= width


def _spans(text: str) -> Iterator[tuple[int, int]]:
    code = code_spans(text)
    at = inside = 0
    for match in _END.finditer(text):
        while inside < len(code) and code[inside][1] <= match.start():
            inside += 1
        in_code = inside < len(code) and code[inside][0] <= match.start()
        if not in_code and _ends(text, at, match.start(), match.end()):
            yield at, match.start() + len(match[0].rstrip())
            at = match.end()
    if text[at:].strip():
        yield at, len(text.rstrip())


def _ends(text: str, begin: int, sign: int, after: int) -> bool:
    """True if the sign at `sign` ends the sentence that begins at `begin`."""
    next_one = _BEGINS.match(text, after)
    if next_one is None:
        return False
    first = next_one[0][-1]
    if first.isalpha() and not first.isupper():
        return False
    if text[sign] != "." or text[sign + 1 : sign + 2] == ".":
        return True
    before = _BEFORE.search(text, max(begin, sign - 24), sign)
    token = before[0] if before else ""
    if token.isdigit():
        return sign - len(token) > begin
    folded = token.lower()
    if folded in _MAY_END:
        return first.isupper()
    if folded in _ABBREVIATIONS:
        # "No." is an answer unless a number follows it.
        return folded in ("no", "in") and not first.isdigit()
    return not (len(token) == 1 and token.isupper()) and not (len(token) > 1 and token[-2] == ".")
