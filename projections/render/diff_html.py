"""File diffs as one HTML page that needs nothing beside itself, light or dark as the reader's screen is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from t2c.projections.diffs.file_diff import SCHEMA, DiffLine, FileDiff
from t2c.projections.render.diff_rows import MARKS, MOST_ROWS, Row, escaped, rows

__all__ = ["file_html"]

_STYLE: Final = """
:root{color-scheme:light dark;--page:#fff;--text:#1f2328;--faint:#656d76;--head:#eef1f4;--gone:#ffebe9;--new:#dafbe1}
@media(prefers-color-scheme:dark){:root{--page:#0d1117;--text:#e6edf3;--faint:#8b949e;--head:#21262d;--gone:#4b1d22;--new:#12351f}}
body{margin:0;padding:1rem;background:var(--page);color:var(--text);font:14px system-ui,sans-serif}
table{border-collapse:collapse;width:100%;table-layout:fixed;font:12px ui-monospace,Menlo,Consolas,monospace}
td,th{padding:1px 6px;vertical-align:top;white-space:pre-wrap;overflow-wrap:anywhere;text-align:left}
th{background:var(--head);padding:6px}col.n{width:4rem}.n{color:var(--faint);text-align:right;user-select:none}
.hunk td{color:var(--faint)}.delete{background:var(--gone)}.insert{background:var(--new)}
"""


def file_html(diffs: Sequence[FileDiff], title: str, most: int = MOST_ROWS) -> str:
    """The page: at most `most` rows (1 to 4000); what is not shown is counted at its end."""
    return "".join(f"{part}\n" for part in _page(diffs, title, min(max(most, 1), MOST_ROWS)))


def _page(diffs: Sequence[FileDiff], title: str, most: int) -> Iterator[str]:
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    yield f'<meta name="generator" content="{SCHEMA}">'
    yield f"<title>{escaped(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{escaped(title)}</h1>"
    yield '<table>\n<colgroup><col class="n"><col><col class="n"><col></colgroup>'
    more = shown = 0
    for row in rows(diffs):
        if shown < most:
            shown += 1
            yield _row(row)
        else:
            more += 1
    yield "</table>"
    if more:
        yield f"<p>… {more:,} more rows</p>"
    if not shown:
        yield "<p>Nothing differs.</p>"
    yield "</body>\n</html>"


def _row(row: Row) -> str:
    if isinstance(row.left, str):
        cell = "th" if row.kind == "file" else "td"
        return f'<tr class="{row.kind}"><{cell} colspan="4">{escaped(row.left)}</{cell}></tr>'
    return f"<tr>{_cells(row.left, False)}{_cells(row.right, True)}</tr>"


def _cells(line: DiffLine | None, after: bool) -> str:
    if line is None:
        return "<td></td><td></td>"
    kind = "" if line.type == "equal" else f' class="{line.type}"'
    number = line.afterLine if after else line.beforeLine
    return f'<td class="n">{number}{MARKS[line.type]}</td><td{kind}>{escaped(line.text)}</td>'
