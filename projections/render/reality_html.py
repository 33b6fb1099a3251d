"""Reality as one HTML page that needs nothing beside itself: no script, light or dark, to be printed and read by key.

What asks for a decision comes first. Each topic opens to its records; the links at the top show one kind alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from t2c.projections.reality.model import SCHEMA, Grades, Ratio, Reality
from t2c.projections.render.reality_reading import (
    EXCEPTION_WORDS,
    GRADE_WORDS,
    Folder,
    Reading,
    Topic,
    counted,
    escaped,
    plans_shown,
    read,
    share,
    status_words,
    tone,
)
from t2c.projections.render.reality_style import STYLE

__all__ = ["MOST_TOPICS", "reality_html"]

MOST_TOPICS: Final = 200
"""Topics of one kind on the page; the rest is counted, and `reality.json` has all."""
_FOLDERS: Final = 60
_FILES: Final = 40
_LABEL: Final = 110
_GRADES: Final = tuple(GRADE_WORDS)
_BACKWARD: Final = "nobody-asked"
_KINDS: Final = {
    "nl": "request", "todo": "task", "document": "document", "agent_log": "message", "git": "commit", "ast": "code",
    "system": "setting", "test": "test run", "changelog": "changelog",
}  # fmt: skip


def reality_html(reality: Reality, grades: Grades, title: str = "Intent and reality") -> bytes:
    """The page. Nothing from outside can act as markup, and nothing is loaded from anywhere."""
    return ("\n".join(_page(reality, grades, title)) + "\n").encode()


def _page(reality: Reality, grades: Grades, title: str) -> Iterator[str]:
    reading = read(reality, grades)
    kinds = _kinds(reading)
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    yield f'<meta name="generator" content="{SCHEMA} {reality.fingerprint}">'
    yield f"<title>{escaped(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>"
    yield '<a class="skip" href="#topics">Skip to the topics</a>'
    yield f"<header>\n<h1>{escaped(title)}</h1>"
    yield f'<p class="faint">As of {escaped(reality.generatedAt[:16].replace("T", " "))} UTC</p>'
    yield from _figures(reality, grades, reading)
    yield "</header>"
    if not reality.rows:
        yield "<main id=topics><p>No data: nothing that is wanted and nothing that is there was found.</p></main>"
    else:
        yield from _links(reading, kinds)
        yield '<main id="topics">'
        for number, (words, topics) in enumerate(kinds):
            yield from _section(number, words, topics)
        yield from _backward(reading)
        yield "</main>"
    yield from _footer(grades)
    yield "</body>\n</html>"


def _kinds(reading: Reading) -> list[tuple[str, list[Topic]]]:
    """Topics by what is said of them, in the order of reading."""
    found: dict[str, list[Topic]] = {}
    for topic in reading.said:
        found.setdefault(status_words(topic), []).append(topic)
    return list(found.items())


def _figures(reality: Reality, grades: Grades, reading: Reading) -> Iterator[str]:
    plans = sum(one.plans for one in grades.topics)
    shown = sum(one.plansShown for one in grades.topics)
    claims = [topic.row for topic in reading.said if topic.row.claimed]
    traced = sum(row.observed > 0 for row in claims)
    figures = (
        ("Plans that something shows", Ratio(shown, plans)),
        ("Changelog topics that something shows", Ratio(traced, len(claims))),
        ("Wanted or described topics that are there", grades.ratios["implementationCoverage"]),
        ("Topics aligned", Ratio(reality.totals.aligned, reality.totals.topics)),
    )
    yield '<dl class="figures">'
    for name, ratio in figures:
        yield f"<div><dt>{name}</dt><dd>{share(ratio)}</dd></div>"
    yield "</dl>"
    by = {"open": grades.byGrade.openPlans, "said to be done": grades.byGrade.donePlans}
    if any(sum(counts.values()) for counts in by.values()):
        heads = "".join(f'<th scope="col">{words}</th>' for words in GRADE_WORDS.values())
        yield f'<table class="grades"><caption>Plans by what shows them</caption><tr><td></td>{heads}</tr>'
        for name, counts in by.items():
            cells = "".join(f"<td>{counts[grade]:,}</td>" for grade in GRADE_WORDS)
            yield f'<tr><th scope="row">{name}</th>{cells}</tr>'
        yield "</table>"


def _links(reading: Reading, kinds: Sequence[tuple[str, Sequence[Topic]]]) -> Iterator[str]:
    yield '<nav aria-label="Show one kind alone"><a href="#topics">all</a>'
    for number, (words, topics) in enumerate(kinds):
        yield f'<a class="{tone(topics[0])}" href="#kind-{number}">{escaped(words)} <b>{len(topics):,}</b></a>'
    files = sum(len(folder.files) for folder in reading.folders)
    if files:
        yield f'<a class="open" href="#{_BACKWARD}">there, nobody asked <b>{files:,}</b></a>'
    yield "</nav>"


def _section(number: int, words: str, topics: Sequence[Topic]) -> Iterator[str]:
    yield f'<section id="kind-{number}">'
    yield f'<h2 class="{tone(topics[0])}">{escaped(words)} <span>{counted(len(topics), "topic")}</span></h2>'
    planned = any(topic.grade is not None and topic.grade.plans for topic in topics)
    columns = "row" if planned else "row bare"
    yield f'<div class="{columns} head" aria-hidden="true"><span>topic</span>'
    if planned:
        yield "<span>plans shown</span><span>evidence, at least</span>"
    yield '<span class="n">wanted</span><span class="n">there</span><span class="n">claimed</span></div>'
    for topic in topics[:MOST_TOPICS]:
        yield from _topic(topic, columns)
    if len(topics) > MOST_TOPICS:
        yield f'<p class="faint">… and {counted(len(topics) - MOST_TOPICS, "more topic")} in reality.json</p>'
    yield "</section>"


def _topic(topic: Topic, columns: str) -> Iterator[str]:
    row, grade = topic
    loud = (
        "" if row.severity == "info" else f' <em class="{tone(topic)}">{row.severity.replace("_", " ")}</em>'
    )
    yield f'<details>\n<summary class="{columns}">'
    yield f'<span class="name" title="{escaped(row.key)}">{escaped(row.label, _LABEL)}{loud}</span>'
    if columns == "row":
        yield f"<span>{plans_shown(topic)}</span><span>{_pips(topic)}</span>"
    for name, count in (("wanted", row.declared), ("there", row.observed), ("claimed", row.claimed)):
        yield f'<span class="n"><i>{name} </i>{count or "·"}</span>'
    yield "</summary>"
    if grade is not None:
        yield "<ul>"
        for one in grade.shown:
            note = f' <em class="faint">{escaped(one.note)}</em>' if one.note else ""
            yield (
                f"<li><b>{_KINDS.get(one.kind, 'record')}</b> {escaped(one.text, 160)}{note} "
                f"<code>{escaped(one.where, 120)}</code></li>"
            )
        if grade.hidden:
            yield f'<li class="faint">… and {counted(grade.hidden, "more record")}</li>'
        yield "</ul>"
        yield from _beside(topic)
    yield "</details>"


def _beside(topic: Topic) -> Iterator[str]:
    """What the diagnostics say, and how sure it is that these records belong together."""
    row, grade = topic
    told = [code.lower().replace("_", " ") for code in row.diagnosticCodes]
    if grade is not None and grade.ambiguous:
        others = ", ".join(one.partition(":")[2] for one in grade.others)
        told.append(f"{counted(grade.ambiguous, 'record')} may also belong to {others}")
    if told:
        yield f'<p class="faint">{escaped("; ".join(told), 300)}</p>'


def _pips(topic: Topic) -> str:
    grade = topic.grade
    if grade is None or grade.grade is None:
        return ""
    reached = _GRADES.index(grade.grade)
    rest = "○" * (len(_GRADES) - 1 - reached)
    pips = f'<span class="well">{"●" * reached}</span>{rest}'
    return f'<span class="pips" aria-hidden="true">{pips}</span> {GRADE_WORDS[grade.grade]}'


def _backward(reading: Reading) -> Iterator[str]:
    excused = {name: count for name, count in reading.excused.items() if count}
    if not reading.folders and not excused:
        return
    files = sum(len(folder.files) for folder in reading.folders)
    yield f'<section id="{_BACKWARD}"><h2 class="open">there, nobody asked <span>{counted(files, "file")}</span></h2>'
    for folder in reading.folders[:_FOLDERS]:
        yield from _folder(folder)
    rest = reading.folders[_FOLDERS:]
    if rest:
        more = sum(len(folder.files) for folder in rest)
        yield f'<p class="faint">… and {counted(len(rest), "more folder")} with {counted(more, "file")}</p>'
    if excused:
        told = ", ".join(f"{count:,} {EXCEPTION_WORDS[name]}" for name, count in excused.items())
        yield f'<p class="faint">Need not be planned: {escaped(told, 400)}.</p>'
    yield "</section>"


def _folder(folder: Folder) -> Iterator[str]:
    about = f"{counted(len(folder.files), 'file')}, {counted(folder.public, 'public symbol')}"
    yield f'<details><summary><span class="name">{escaped(folder.name)}</span> <span class="faint">{about}</span></summary><ul>'
    for file in folder.files[:_FILES]:
        name = file.key.partition(":")[2].rpartition("/")[2]
        yield f"<li><code>{escaped(name)}</code> {counted(file.publicSymbols, 'public symbol')}</li>"
    if len(folder.files) > _FILES:
        yield f'<li class="faint">… and {counted(len(folder.files) - _FILES, "more file")}</li>'
    yield "</ul></details>"


def _footer(grades: Grades) -> Iterator[str]:
    yield '<footer class="faint">'
    if grades.commitsApart:
        yield f"<p>{counted(grades.commitsApart, 'commit')} relate to no statement and make no topic.</p>"
    steps = " &lt; ".join(words for name, words in GRADE_WORDS.items() if name != "none")
    yield f"<p>Grades of evidence: {steps}. What was there before a plan only locates it and does not count.</p>"
    yield "</footer>"
