"""Findings as a Markdown page: the gravest groups whole, the others counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from t2c.projections.findings.model import Group, Shown

__all__ = ["PAGE", "page", "page_of"]

PAGE: Final = 20
"""Groups that a page holds."""
_MEMBERS: Final = 3
_ESCAPED: Final = str.maketrans({char: f"\\{char}" for char in "\\`*_[]<>#|"})


def page(groups: Sequence[Group], counts: Mapping[str, int]) -> str:
    """The first page."""
    return page_of(groups, counts, 0, PAGE)


def page_of(groups: Sequence[Group], counts: Mapping[str, int], first: int, most: int) -> str:
    """`most` groups from the group `first` on."""
    return "\n".join(_lines(groups, counts, first, most)) + "\n"


def _lines(groups: Sequence[Group], counts: Mapping[str, int], first: int, most: int) -> Iterator[str]:
    yield "# Findings"
    yield ""
    told = ", ".join(
        f"{counts[name]:,} {name.replace('_', ' ')}"
        for name in ("blocking", "review_required", "warning", "info")
        if counts.get(name)
    )
    yield (told or "Nothing was found") + f"; {counts.get('suppressed', 0):,} suppressed."
    for group in groups[first : first + most]:
        lead, *others = group.findings
        yield ""
        yield f"## {lead.title.translate(_ESCAPED)}"
        yield ""
        yield f"{group.severity.replace('_', ' ')} · `{group.code}` · `{lead.id}`"
        yield ""
        yield from _told(lead)
        for other in others[: _MEMBERS - 1]:
            yield f"- {other.title.translate(_ESCAPED)} ({_where(other)}, `{other.id}`)"
        if len(others) >= _MEMBERS:
            yield f"- … and {len(others) - _MEMBERS + 1:,} more of the same cause"
    left = len(groups) - first - most
    if left > 0:
        yield ""
        yield f"… and {left:,} more groups."


def _told(finding: Shown) -> Iterator[str]:
    yield finding.detail.translate(_ESCAPED)
    yield ""
    yield f"*Next:* {finding.action.translate(_ESCAPED)}"
    yield ""
    for place in finding.places:
        yield f"- `{place}` {place.text.translate(_ESCAPED)}"


def _where(finding: Shown) -> str:
    return ", ".join(f"`{place}`" for place in finding.places[:2]) or "no place"
