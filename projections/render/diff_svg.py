"""Diffs as SVG pictures, light or dark as the reader's screen is. No fingerprint covers them (decisions C2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final

from t2c.projections.diffs.file_diff import SCHEMA as FILES_SCHEMA
from t2c.projections.diffs.file_diff import DiffLine, FileDiff
from t2c.projections.diffs.graph_diff import SCHEMA as GRAPH_SCHEMA
from t2c.projections.diffs.graph_diff import GraphDiff
from t2c.projections.render.diff_rows import DEFAULT_ROWS, MARKS, MOST_ROWS, Row, escaped, rows

__all__ = ["COLUMNS", "DEFAULT_ITEMS", "MOST_ITEMS", "file_svg", "graph_svg"]

COLUMNS: Final = 88
"""Characters of a line that are shown on each side."""
DEFAULT_ITEMS: Final = 18
MOST_ITEMS: Final = 100

_LINE: Final = 18
_CHAR: Final = 7.3
_GUTTER: Final = 56
_SIDE: Final = round(COLUMNS * _CHAR) + _GUTTER + 12
_WIDTH: Final = 1200
_STYLE: Final = """
text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:#1f2328;white-space:pre}
.page{fill:#fff}.head{fill:#eef1f4}.bold{font-weight:700}.faint{fill:#656d76}
.delete{fill:#ffebe9}.insert{fill:#dafbe1}.added{fill:#1a7f37}.removed{fill:#cf222e}.changed{fill:#9a6700}
@media(prefers-color-scheme:dark){
text{fill:#e6edf3}.page{fill:#0d1117}.head{fill:#21262d}.faint{fill:#8b949e}
.delete{fill:#4b1d22}.insert{fill:#12351f}.added{fill:#3fb950}.removed{fill:#f85149}.changed{fill:#d29922}}
"""


def file_svg(diffs: Sequence[FileDiff], title: str, most: int = DEFAULT_ROWS) -> str:
    """File diffs side by side: at most `most` rows (1 to 4000); what is not drawn is counted in the last one."""
    most = min(max(most, 1), MOST_ROWS)
    found = rows(diffs)
    drawn = list(islice(found, most))
    more = sum(1 for _ in found)
    body = [part for number, row in enumerate(drawn) for part in _row(row, _top(number))]
    if more:
        body.append(_text(12, _top(len(drawn)) + 13, f"… {more} more rows", "faint"))
    if not drawn:
        body.append(_text(12, _top(0) + 13, "nothing differs", "faint"))
    height = _top(max(len(drawn), 1) + bool(more)) + 12
    added, removed = (sum(getattr(diff.summary, name) for diff in diffs) for name in ("added", "removed"))
    about = f"{len(diffs)} files, {added} lines added, {removed} removed"
    return _picture(title, f"{about}; {FILES_SCHEMA}", 2 * _SIDE, height, body)


def _top(number: int) -> int:
    return 44 + number * _LINE


def _row(row: Row, top: int) -> Iterator[str]:
    if isinstance(row.left, str):
        if row.kind == "file":
            yield _box(0, top, 2 * _SIDE, "head")
        yield _text(12, top + 13, row.left, "bold" if row.kind == "file" else "faint", 2 * COLUMNS)
        return
    for at, line in enumerate((row.left, row.right)):
        if line is not None:
            yield from _half(line, at, top)


def _half(line: DiffLine, side: int, top: int) -> Iterator[str]:
    left = side * _SIDE
    if line.type != "equal":
        yield _box(left, top, _SIDE, line.type)
    number = line.afterLine if side else line.beforeLine
    yield _text(left + 8, top + 13, f"{number}{MARKS[line.type]}", "faint")
    if line.text:
        yield _text(left + _GUTTER, top + 13, line.text, "", COLUMNS)


def graph_svg(diff: GraphDiff, title: str, most: int = DEFAULT_ITEMS) -> str:
    """A graph diff: counts, and at most `most` records of each kind (1 to 100); the others are counted."""
    most = min(max(most, 1), MOST_ITEMS)
    summary = diff.summary
    body = [_text(24, 62, f"{diff.beforeFingerprint[:16]} → {diff.afterFingerprint[:16]}", "faint")]
    counts = (
        (summary.recordsAdded, "records added", "added"),
        (summary.recordsRemoved, "records removed", "removed"),
        (summary.recordsChanged, "records changed", "changed"),
        (summary.relationsAdded, "relations added", "added"),
        (summary.relationsRemoved, "relations removed", "removed"),
    )
    for number, (count, what, kind) in enumerate(counts):
        left = 24 + number * 232
        body += [f'<rect class="head" x="{left}" y="80" width="220" height="52" rx="6"/>']
        body += [_text(left + 12, 102, f"{count:,}", f"bold {kind}"), _text(left + 12, 121, what, "faint")]
    at = 168
    for heading, kind, items in (
        ("Added", "added", [_record(record) for record in diff.records.added]),
        ("Removed", "removed", [_record(record) for record in diff.records.removed]),
        ("Changed", "changed", [_change(change) for change in diff.records.changed]),
    ):
        if not items:
            continue
        body.append(_text(24, at, f"{heading} ({len(items):,})", f"bold {kind}"))
        lines = items[:most]
        for number, item in enumerate(lines, 1):
            body.append(_text(40, at + number * _LINE, item, "", 155))
        if len(items) > most:
            lines.append("")
            body.append(_text(40, at + len(lines) * _LINE, f"… {len(items) - most:,} more", "faint"))
        at += (len(lines) + 2) * _LINE
    about = ", ".join(f"{count} {what}" for count, what, _ in counts)
    return _picture(title, f"{about}; {GRAPH_SCHEMA}", _WIDTH, at, body)


def _record(record: dict[str, Any]) -> str:
    source = record["source"]
    path, lines = source.get("path"), source.get("lines")
    place = f"  {path}" + (f":{lines['start']}" if lines else "") if path else ""
    return f"{source['kind']}: {record['statement']['text']}{place}"


def _change(change: Any) -> str:
    return f"{_record(change.after)}  ({', '.join(change.changedFields)})"


def _box(left: int, top: int, width: int, kind: str) -> str:
    return f'<rect class="{kind}" x="{left}" y="{top}" width="{width}" height="{_LINE}"/>'


def _text(left: float, base: float, text: str, kind: str = "", most: int | None = None) -> str:
    marked = f' class="{kind}"' if kind else ""
    return f'<text x="{left}" y="{base}"{marked} xml:space="preserve">{escaped(text, most)}</text>'


def _picture(title: str, about: str, width: int, height: int, body: Sequence[str]) -> str:
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}>',
        f"<title>{escaped(title)}</title>",
        f"<desc>{escaped(about)}</desc>",
        f"<style>{_STYLE}</style>",
        '<rect class="page" width="100%" height="100%"/>',
        _text(12, 26, title, "bold", 120),
        *body,
        "</svg>",
    ]
    return "\n".join(parts) + "\n"
