"""Findings as a Markdown page: the gravest groups whole, the others counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from t2c.projections.findings.model import Group, Shown

__all__ = ["MARK", "PAGE", "page", "page_of"]

MARK: Final = "t2c.findings/v1"
"""What a comment on the page says, by which it is known again."""

PAGE: Final = 20
"""Groups that a page holds."""
_MEMBERS: Final = 3
_CONTROL: Final = dict.fromkeys("\t\n\r", " ") | {
    chr(code): "\ufffd"
    for code in (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029)
    if code not in (9, 10, 13)
}
"""Characters that could end a line or steer what shows it."""
_ESCAPED: Final = str.maketrans(_CONTROL | {char: f"\\{char}" for char in "\\`*_[]<>#|"})
_FLAT: Final = str.maketrans(_CONTROL)


def page(groups: Sequence[Group], counts: Mapping[str, int]) -> str:
    """The first page."""
    return page_of(groups, counts, 0, PAGE)


def page_of(
    groups: Sequence[Group], counts: Mapping[str, int], first: int, most: int, *, whole: bool = False
) -> str:
    """`most` groups from the group `first` on, and with `whole` each with all of its findings."""
    return "\n".join(_lines(groups, counts, first, most, whole)) + "\n"


def _lines(
    groups: Sequence[Group], counts: Mapping[str, int], first: int, most: int, whole: bool
) -> Iterator[str]:
    yield "# Findings"
    yield ""
    yield f"<!-- {MARK} -->"
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
        yield from _told(lead)
        yield from _others(others, whole)
    left = len(groups) - first - most
    if left > 0:
        yield ""
        yield "… and 1 more group." if left == 1 else f"… and {left:,} more groups."


def _told(finding: Shown) -> Iterator[str]:
    yield ""
    detail = finding.detail.translate(_ESCAPED)
    # Build services take a line that begins so for a command.
    yield f"\\{detail}" if detail.lstrip().startswith("::") else detail
    yield ""
    yield f"*Next:* {finding.action.translate(_ESCAPED)}"
    granted = finding.suppressed
    if granted is not None:
        until = "" if granted.expires is None else f" until {granted.expires}"
        yield ""
        yield f"*Suppressed*{until} by `{granted.by}`: {granted.reason.translate(_ESCAPED)} (`{granted.event}`)"
    if finding.places:
        yield ""
    for place in finding.places:
        yield f"- {_code(str(place))} {place.text.translate(_ESCAPED)}"


def _others(others: Sequence[Shown], whole: bool) -> Iterator[str]:
    """The other findings of the same cause."""
    if not others:
        return
    shown = others if whole else others[: _MEMBERS - 1]
    yield ""
    yield "Of the same cause:"
    yield ""
    for other in shown:
        yield f"- {other.title.translate(_ESCAPED)} ({_where(other)}, `{other.id}`)"
    if len(others) > len(shown):
        yield f"- … and {len(others) - len(shown):,} more"


def _where(finding: Shown) -> str:
    return ", ".join(_code(str(place)) for place in finding.places[:2]) or "no place"


def _code(text: str) -> str:
    flat = text.translate(_FLAT)
    return f"`` {flat} ``" if "`" in flat else f"`{flat}`"
