"""How reality is read: which topics come first, in what words, and what is only counted.

Topics in which somebody wants something lead, then those in which somebody claims something, then those that only
describe. What is there and nobody asked for is listed by folder; what need not be asked for is counted.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from html import escape
from typing import Final, NamedTuple

from t2c.projections.reality.model import Backward, Grades, Ratio, Reality, Row, TopicGrade

__all__ = [
    "EXCEPTION_WORDS",
    "GRADE_WORDS",
    "STATUS_WORDS",
    "Folder",
    "Reading",
    "Topic",
    "counted",
    "escaped",
    "plain",
    "plans_shown",
    "read",
    "share",
    "status_words",
    "tone",
]

STATUS_WORDS: Final[Mapping[str, str]] = {
    "conflicting": "statements conflict",
    "planned_not_implemented": "planned, not shown done",
    "changelog_without_implementation": "claimed, nothing shows it",
    "implemented_not_planned": "there, not planned",
    "implemented_not_documented": "there, not written down",
    "unlinked": "tied to nothing",
    "aligned": "aligned",
}
"""Statuses in the order in which a reader wants them, and what they say."""
GRADE_WORDS: Final[Mapping[str, str]] = {
    "none": "nothing",
    "named": "named",
    "declared": "in the code",
    "called": "used",
    "tested": "tested",
    "green": "tests pass",
}
"""Grades of evidence from the weakest up."""
EXCEPTION_WORDS: Final[Mapping[str, str]] = {
    "claimed": "released as a changelog says",
    "test": "tests",
    "example": "examples and documentation",
    "tooling": "scripts and tools",
    "configuration": "configuration",
    "internal": "internal code",
}

_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


class Topic(NamedTuple):
    """A row and what it rests on; None for a row in which nobody says anything."""

    row: Row
    grade: TopicGrade | None


class Folder(NamedTuple):
    """What of a folder nobody asked for, the files with most public symbols first."""

    name: str
    files: tuple[Backward, ...]

    @property
    def public(self) -> int:
        return sum(file.publicSymbols for file in self.files)


class Reading(NamedTuple):
    """`said` are the topics in which somebody says something, in the order of reading; `folders` the rest that counts."""

    said: tuple[Topic, ...]
    folders: tuple[Folder, ...]
    excused: Mapping[str, int]

    def by_status(self) -> dict[str, list[Topic]]:
        """The topics of each status that there is, in the order of statuses."""
        found: dict[str, list[Topic]] = {name: [] for name in STATUS_WORDS}
        for topic in self.said:
            found[topic.row.status].append(topic)
        return {name: topics for name, topics in found.items() if topics}


def read(reality: Reality, grades: Grades) -> Reading:
    """Put rows and grades into the order of reading."""
    beside = {one.key: one for one in grades.topics}
    said = [Topic(row, beside[row.key]) for row in reality.rows if row.key in beside]
    said.sort(key=_tier)  # stable, so the published order holds within a tier
    return Reading(tuple(said), _folders(grades.backward), grades.exceptions)


def status_words(topic: Topic) -> str:
    """What a status says of this topic: something said to be done or released is not merely tied to nothing."""
    row, grade = topic
    if row.status == "planned_not_implemented" and "PLANNED_NOT_IMPLEMENTED" not in row.diagnosticCodes:
        if "REGRESSION_DETECTED" in row.diagnosticCodes:
            return "shown before, no longer"
        if "FALSE_COMPLETION" in row.diagnosticCodes:
            return "said to be done, not shown"
    if row.status == "unlinked":
        if grade is not None and grade.plansDone:
            return "said to be done, not shown"
        return "claimed, not traced" if row.claimed else STATUS_WORDS[row.status]
    if row.status == "implemented_not_planned" and row.claimed:
        return "claimed and there"
    return STATUS_WORDS[row.status]


def tone(topic: Topic) -> str:
    """What kind of news a topic is: `bad`, `gap`, `well`, or `open` where nothing is known."""
    status = topic.row.status
    if status == "conflicting":
        return "bad"
    if status in ("planned_not_implemented", "changelog_without_implementation"):
        return "gap"
    return "well" if status == "aligned" else "open"


def plans_shown(topic: Topic) -> str:
    """`3 of 14`; empty for a topic without a plan."""
    grade = topic.grade
    return "" if grade is None or not grade.plans else f"{grade.plansShown:,} of {grade.plans:,}"


_LEADING: Final = ("conflicting", "planned_not_implemented", "changelog_without_implementation")


def _tier(topic: Topic) -> int:
    """What asks for a decision, then what is only said, then what is well, then what describes."""
    row = topic.row
    plans = topic.grade is not None and topic.grade.plans > 0
    done = topic.grade is not None and topic.grade.plansDone > 0
    if row.status in _LEADING:
        return _LEADING.index(row.status)
    if row.severity != "info" or row.status == "implemented_not_documented":
        return 3
    if row.status == "unlinked":
        return 4 if done else 5 if row.claimed else 8
    return 6 if plans else 7 if row.claimed else 9


def _folders(backward: Sequence[Backward]) -> tuple[Folder, ...]:
    found: dict[str, list[Backward]] = {}
    for one in backward:
        if one.exception is None:
            name = one.key.partition(":")[2]
            found.setdefault(name.rpartition("/")[0] if one.key.startswith("path:") else "", []).append(one)
    folders = [Folder(name or ".", tuple(files)) for name, files in found.items()]
    return tuple(sorted(folders, key=lambda folder: (-folder.public, folder.name)))


def share(ratio: Ratio) -> str:
    """`7 of 10 (70 %)`, rounded half up; `no data` for none of none."""
    if ratio.denominator == 0:
        return "no data"
    portion = (200 * ratio.numerator + ratio.denominator) // (2 * ratio.denominator)
    return f"{ratio.numerator:,} of {ratio.denominator:,} ({portion} %)"


def counted(number: int, name: str) -> str:
    """`1 file`, `1,200 files`."""
    return f"{number:,} {name}{'' if number == 1 else 's'}"


def plain(text: str, limit: int) -> str:
    """One line of at most `limit` characters, in which nothing that does not show is left."""
    shown = "".join(
        " " if char.isspace() else "\ufffd" if unicodedata.category(char) in _UNSEEN else char
        for char in text[: 4 * limit]
    )
    flat = " ".join(shown.split())
    return flat if len(flat) <= limit and len(text) <= 4 * limit else flat[: limit - 1].rstrip() + "…"


def escaped(text: str, limit: int = 200) -> str:
    """`plain` as text of HTML or SVG, in an attribute too."""
    return escape(plain(text, limit))
