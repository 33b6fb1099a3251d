"""AsciiDoc, as far as lists, headings and tables go, put into Markdown line by line.

A line becomes one line, so that numbers stay. Delimited blocks, attributes and comments become blank lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

__all__ = ["as_markdown"]

_TITLE: Final = re.compile(r"(={1,6})\s++(\S.*)$")
_ITEM: Final = re.compile(r"\s*+(?:(\*{1,6}|-)|(\.{1,6})|\d{1,9}\.)\s++(.*)$")
_CHECKED: Final = re.compile(r"\[\*\](?=\s)")
_DELIMITER: Final = re.compile(r"(-{4,}|\.{4,}|\+{4,}|/{4,}|`{3,})\w*$")
_OMITTED: Final = re.compile(r"//|\[[^\]]*\]$|:!?[\w-]+!?:(?:\s|$)|\+$|\|===|(?:include|image|toc)::")
_CELL: Final = re.compile(r"\s*+(?<!\\)\|\s*+")


def as_markdown(lines: Iterable[str]) -> Iterator[str]:
    """Each line as Markdown would write it."""
    closing = ""
    for line in lines:
        body = line.strip()
        if closing:
            closing = "" if body == closing else closing
            yield ""
        elif match := _DELIMITER.match(body):
            closing = match[1]
            yield ""
        elif _OMITTED.match(body):
            yield ""
        elif match := _TITLE.match(line):
            yield f"{'#' * len(match[1])} {match[2]}"
        elif match := _ITEM.match(line):
            depth = len(match[1] or match[2] or ".") - 1
            yield f"{'  ' * depth}- {_CHECKED.sub('[x]', match[3], count=1)}"
        elif body[:1] == "|" and body.count("|") > 1:
            yield f"| {' | '.join(part for part in _CELL.split(body)[1:])} |"
        else:
            yield line
