"""Reality as an SVG picture: three lanes and the grade of evidence, a topic a row, light or dark as the screen is.

Three lanes instead of eight, and few rows, so that it can be read where it is shown; a topic, a ticket or a release makes
a picture of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from t2c.projections.reality.model import SCHEMA, Grades, Reality
from t2c.projections.render.reality_reading import (
    GRADE_WORDS,
    Topic,
    counted,
    escaped,
    plans_shown,
    read,
    status_words,
    tone,
)

__all__ = ["DEFAULT_ROWS", "MOST_ROWS", "reality_svg"]

DEFAULT_ROWS: Final = 30
MOST_ROWS: Final = 500

_WIDTH: Final = 1180
_ROW: Final = 26
_TOP: Final = 112
_LABEL: Final = 54
_LANES: Final = (("wanted", 440), ("there", 560), ("claimed", 680))
_EVIDENCE: Final = 790
_STATUS: Final = 950
_BAR: Final = 96
_GRADES: Final = tuple(GRADE_WORDS)
_STYLE: Final = """
text{font:13px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#1f2328}
.title{font-size:20px;font-weight:600}.faint{fill:#59636e}.head{font-size:12px;fill:#59636e}
.page{fill:#fff}.even{fill:#f6f8fa}.rule{stroke:#d1d9e0}
.number{font-size:12px;text-anchor:end}.bar{fill:#b6c3d1}.off{fill:none;stroke:#c3ccd5}
.gap{fill:#bc4c00}.bad{fill:#cf222e}.well{fill:#1a7f37}.open{fill:#59636e}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.faint,.head,.open{fill:#9198a1}.page{fill:#0d1117}.even{fill:#151b23}
.rule{stroke:#3d444d}.bar{fill:#4a5665}.off{stroke:#4a5665}.gap{fill:#f0883e}.bad{fill:#f85149}.well{fill:#3fb950}}
"""


def reality_svg(
    reality: Reality,
    grades: Grades,
    *,
    rows: int = DEFAULT_ROWS,
    gaps_only: bool = False,
    title: str = "Intent and reality",
) -> bytes:
    """The picture of the first `rows` topics (1 to 500) in the order of reading, or of those that are not aligned."""
    reading = read(reality, grades)
    topics = [topic for topic in reading.said if not (gaps_only and topic.row.status == "aligned")]
    drawn = topics[: min(max(rows, 1), MOST_ROWS)]
    body = list(_body(reality, drawn, len(topics) - len(drawn), title))
    height = _TOP + _ROW * (len(drawn) + 1) + 22
    told = f"{counted(len(topics), 'topic')}, as of {reality.generatedAt}"
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" '
        f'viewBox="0 0 {_WIDTH} {height}" role="img" aria-labelledby="title about">'
    )
    parts = [
        opening,
        f'<title id="title">{escaped(title)}</title>',
        f'<desc id="about">{escaped(told)}; {SCHEMA} {reality.fingerprint}</desc>',
        f"<style>{_STYLE}</style>",
        f'<rect class="page" width="{_WIDTH}" height="{height}"/>',
        *body,
        "</svg>",
    ]
    return ("\n".join(parts) + "\n").encode()


def _body(reality: Reality, drawn: Sequence[Topic], more: int, title: str) -> Iterator[str]:
    totals = reality.totals
    yield _text(24, 40, escaped(title, 80), "title")
    summary = f"{totals.aligned:,} of {totals.topics:,} topics aligned · as of {reality.generatedAt[:16].replace('T', ' ')} UTC"
    yield _text(24, 64, escaped(summary), "faint")
    yield _text(24, _TOP - 12, "topic", "head")
    for name, left in _LANES:
        yield _text(left, _TOP - 12, name, "head")
    yield _text(_EVIDENCE, _TOP - 12, "plans shown", "head")
    yield _text(_EVIDENCE + 82, _TOP - 12, "at least ¹", "head")
    yield _text(_STATUS, _TOP - 12, "status", "head")
    yield f'<path class="rule" d="M16 {_TOP - 4}H{_WIDTH - 16}"/>'
    for number, topic in enumerate(drawn):
        yield from _row(number, topic)
    bottom = _TOP + _ROW * len(drawn) + 18
    if not drawn:
        yield _text(24, bottom, "no topic in which anybody says anything", "faint")
    elif more:
        yield _text(24, bottom, f"… and {counted(more, 'more topic')}", "faint")
    steps = ", ".join(words for name, words in GRADE_WORDS.items() if name != "none")
    yield _text(_LANES[1][1], bottom, escaped(f"¹ the least shown of its plans is: {steps}"), "faint")


def _row(number: int, topic: Topic) -> Iterator[str]:
    row, grade = topic
    top = _TOP + _ROW * number
    if number % 2:
        yield f'<rect class="even" x="16" y="{top}" width="{_WIDTH - 32}" height="{_ROW}"/>'
    base = top + 17
    yield "<g>"
    yield f"<title>{escaped(row.key)}</title>"
    yield _text(24, base, escaped(row.label, _LABEL), "")
    for (_, left), count in zip(_LANES, (row.declared, row.observed, row.claimed), strict=True):
        if count:
            yield f'<rect class="bar" x="{left}" y="{top + 9}" width="{_length(count)}" height="8" rx="2"/>'
            yield _text(left + _length(count) + 6, base, f"{count:,}", "faint")
    if grade is not None and grade.grade is not None:
        yield _text(_EVIDENCE, base, plans_shown(topic), "")
        reached = _GRADES.index(grade.grade)
        for step in range(1, len(_GRADES)):
            kind = "well" if step <= reached else "off"
            yield f'<circle class="{kind}" cx="{_EVIDENCE + 74 + 14 * step}" cy="{top + 13}" r="4.5"/>'
    yield _text(_STATUS, base, status_words(topic), tone(topic))
    yield "</g>"


def _length(count: int) -> int:
    """Length of a bar: doubling the count adds the same, so that one and a thousand both can be seen."""
    return min(6 + 9 * (count.bit_length() - 1), _BAR - 28)


def _text(left: int, base: int, text: str, kind: str) -> str:
    """`text` is safe already."""
    named = f' class="{kind}"' if kind else ""
    return f'<text{named} x="{left}" y="{base}">{text}</text>'
