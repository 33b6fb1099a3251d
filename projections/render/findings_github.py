"""Findings as workflow commands, which a forge shows beside the lines that they are about.

No more than ten of each kind are shown of one step, so the others are counted in a last line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from t2c.projections.findings.model import Group, Shown

__all__ = ["MOST_OF_A_KIND", "workflow_commands"]

MOST_OF_A_KIND: Final = 10
_KINDS: Final[Mapping[str, str]] = MappingProxyType(
    {"blocking": "error", "review_required": "warning", "warning": "warning", "info": "notice"}
)
_DATA: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def workflow_commands(groups: Sequence[Group]) -> str:
    """One line for each finding that will be shown, the gravest first, and one for those that will not."""
    return "".join(f"{line}\n" for line in _lines(groups))


def _lines(groups: Sequence[Group]) -> Iterator[str]:
    given: Counter[str] = Counter()
    left: Counter[str] = Counter()
    found = [finding for group in groups for finding in group.findings]
    total = Counter(_KINDS[finding.severity] for finding in found)
    for finding in found:
        kind = _KINDS[finding.severity]
        # The last line is one of the ten notices.
        room = MOST_OF_A_KIND - (kind == "notice" and any(n > MOST_OF_A_KIND for n in total.values()))
        if given[kind] < room:
            given[kind] += 1
            yield _command(kind, finding)
        else:
            left[kind] += 1
    if left:
        more = ", ".join(f"{count} more {kind}s" for kind, count in sorted(left.items()))
        yield f"::notice title=t2c::{more}: run `t2c diagnose` to see them all"


def _command(kind: str, finding: Shown) -> str:
    properties = [("title", finding.title)]
    place = next((place for place in finding.places if place.path is not None), None)
    if place is not None:
        where = [("file", str(place.path))]
        if place.line is not None:
            where += [("line", str(place.line)), ("endLine", str(place.end or place.line))]
        properties = where + properties
    named = ",".join(f"{name}={value.translate(_PROPERTY)}" for name, value in properties)
    text = f"{finding.detail} Next: {finding.action} ({finding.code}, {finding.id})"
    return f"::{kind} {named}::{text.translate(_DATA)}"
