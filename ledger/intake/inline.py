"""Inline Markdown: code spans, links and comments inside one statement. Linear in its length."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["blanked", "code_spans", "plain"]

_TICKS: Final = re.compile("`+")
_LINK: Final = re.compile(
    r"!?+\[((?:[^\[\]]|\[[^\[\]]*+\])*+)\]"
    r"\([^()\s]*+(?:\([^()\s]*+\)[^()\s]*+)*+(?:\s++\"[^\"]*+\"\s*+)?+\)"
)
_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)

Spans = list[tuple[int, int, int]]


def code_spans(text: str) -> Spans:
    """Inline code as (start, end, width), both ends with their runs of `width` backticks."""
    if "`" not in text:
        return []
    if "``" not in text:
        return _single(text)
    runs = [match.span() for match in _TICKS.finditer(text)]
    partner = [-1] * len(runs)
    latest: dict[int, int] = {}
    for index in range(len(runs) - 1, -1, -1):
        width = runs[index][1] - runs[index][0]
        partner[index] = latest.get(width, -1)
        latest[width] = index
    spans: Spans = []
    index = 0
    while index < len(runs):
        closing = partner[index]
        if closing < 0:
            index += 1
            continue
        spans.append((runs[index][0], runs[closing][1], runs[index][1] - runs[index][0]))
        index = closing + 1
    return spans


def _single(text: str) -> Spans:
    """The spans of a text whose runs are all one backtick wide."""
    spans: Spans = []
    start = text.find("`")
    while start >= 0:
        end = text.find("`", start + 1)
        if end < 0:
            break
        spans.append((start, end + 1, 1))
        start = text.find("`", end + 1)
    return spans


def blanked(text: str) -> str:
    """The text with inline code replaced by as many spaces, so that positions stay."""
    spans = code_spans(text)
    if not spans:
        return text
    parts: list[str] = []
    end = 0
    for start, stop, _ in spans:
        parts += (text[end:start], " " * (stop - start))
        end = stop
    parts.append(text[end:])
    return "".join(parts)


def plain(text: str) -> str:
    """What a line of Markdown says: links by their labels, comments gone, white space single."""
    if "](" in text:
        spans = code_spans(text)
        if spans:
            text = _LINK.sub(lambda link: link[0] if _inside(link.start(), spans) else link[1], text)
        else:
            text = _LINK.sub(r"\1", text)
    if "<!--" in text and "-->" in text:
        text = _COMMENT.sub(" ", text)
    return " ".join(text.split()) if "  " in text or not text.isprintable() else text.strip()


def _inside(position: int, spans: Spans) -> bool:
    return any(start <= position < end for start, end, _ in spans)
