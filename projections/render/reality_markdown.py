"""Reality as Markdown: a screen of numbers, forty topics, and both directions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from t2c.projections.reality.model import SCHEMA, Grades, Reality
from t2c.projections.render.markdown import inline
from t2c.projections.render.reality_reading import (
    EXCEPTION_WORDS,
    GRADE_WORDS,
    STATUS_WORDS,
    Reading,
    Topic,
    counted,
    plans_shown,
    read,
    share,
    status_words,
)

__all__ = ["MOST_ROWS", "reality_markdown"]

MOST_ROWS: Final = 40
"""Topics in the table (intent-evidence §5.1)."""
_FOLDERS: Final = 12
_FILES: Final = 4
_LABEL: Final = 80


def reality_markdown(reality: Reality, grades: Grades) -> bytes:
    """`reality.md`. Nothing from outside can act as markup."""
    return ("\n".join(_page(reality, grades)) + "\n").encode()


def _page(reality: Reality, grades: Grades) -> Iterator[str]:
    reading = read(reality, grades)
    totals = reality.totals
    yield "# Intent and reality"
    yield ""
    yield f"As of {inline(reality.generatedAt)}."
    yield ""
    if not reality.rows:
        yield "No data: nothing that is wanted and nothing that is there was found."
        yield ""
        yield f"<!-- {SCHEMA} {reality.fingerprint} -->"
        return
    yield f"- Topics: {totals.topics:,}, of which {totals.aligned:,} are aligned"
    yield f"- Wanted or described, and there: {share(grades.ratios['implementationCoverage'])} topics"
    yield f"- There, and wanted or described: {share(grades.ratios['plannedCodeCoverage'])} topics"
    written = share(grades.ratios["documentedCodeCoverage"])
    yield f"- There, and documented: {f'{written} topics' if totals.documentationMeasured else 'no data'}"
    yield from _grades(grades)
    yield from _statuses(reality)
    yield from _topics(reading)
    yield from _backward(reading)
    yield ""
    if grades.commitsApart:
        yield f"Commits that no statement relates to, and that make no topic: {grades.commitsApart:,}."
        yield ""
    yield f"<!-- {SCHEMA} {reality.fingerprint} -->"


def _grades(grades: Grades) -> Iterator[str]:
    plans = {"open": grades.byGrade.openPlans, "said to be done": grades.byGrade.donePlans}
    if not any(sum(counts.values()) for counts in plans.values()):
        return
    yield ""
    yield "## Plans and what shows them"
    yield ""
    yield f"| Plans | {' | '.join(GRADE_WORDS.values())} |"
    yield f"| --- |{' --: |' * len(GRADE_WORDS)}"
    for name, counts in plans.items():
        yield f"| {name} | {_cells(counts)} |"


def _cells(counts: Mapping[str, int]) -> str:
    return " | ".join(f"{counts[grade]:,}" for grade in GRADE_WORDS)


def _statuses(reality: Reality) -> Iterator[str]:
    yield ""
    yield "## Topics by status"
    yield ""
    yield "| Status | Topics | of them wanted or claimed |"
    yield "| --- | --: | --: |"
    said = [row for row in reality.rows if row.declared or row.claimed]
    for status, words in STATUS_WORDS.items():
        count = reality.totals.byStatus[status]
        if count:
            yield f"| {words} | {count:,} | {sum(row.status == status for row in said):,} |"


def _topics(reading: Reading) -> Iterator[str]:
    if not reading.said:
        return
    yield ""
    yield "## What is wanted, what is there, what is claimed"
    yield ""
    yield "| Topic | Status | Plans shown | Evidence at least | Wanted | There | Claimed |"
    yield "| --- | --- | --- | --- | --: | --: | --: |"
    for topic in reading.said[:MOST_ROWS]:
        yield _row(topic)
    more = len(reading.said) - MOST_ROWS
    if more > 0:
        yield ""
        yield f"{more:,} more topics are in `reality.json`."


def _row(topic: Topic) -> str:
    row, grade = topic
    weakest = "" if grade is None or grade.grade is None else GRADE_WORDS[grade.grade]
    words = status_words(topic)
    told = f"**{words}** ({row.severity.replace('_', ' ')})" if row.severity != "info" else words
    return (
        f"| {inline(row.label, _LABEL)} | {told} | {plans_shown(topic)} | {weakest}"
        f" | {row.declared:,} | {row.observed:,} | {row.claimed:,} |"
    )


def _backward(reading: Reading) -> Iterator[str]:
    excused = {name: count for name, count in reading.excused.items() if count}
    if not reading.folders and not excused:
        return
    yield ""
    yield "## What is there and nobody asked for"
    yield ""
    for folder in reading.folders[:_FOLDERS]:
        names = ", ".join(inline(_name(file.key), 60) for file in folder.files[:_FILES])
        more = f" and {len(folder.files) - _FILES:,} more" if len(folder.files) > _FILES else ""
        yield (
            f"- {inline(folder.name, _LABEL)}: {counted(len(folder.files), 'file')}, {counted(folder.public, 'public symbol')}"
            f" ({names}{more})"
        )
    rest = reading.folders[_FOLDERS:]
    if rest:
        files, public = sum(len(one.files) for one in rest), sum(one.public for one in rest)
        yield f"- {counted(len(rest), 'more folder')}: {counted(files, 'file')}, {counted(public, 'public symbol')}"
    if excused:
        told = ", ".join(f"{count:,} {EXCEPTION_WORDS[name]}" for name, count in excused.items())
        yield f"- Need not be planned: {told}"


def _name(key: str) -> str:
    return key.partition(":")[2].rpartition("/")[2]
