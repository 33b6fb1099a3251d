"""`t2c reality`: what is wanted beside what is there, whole or one topic, and the pictures and pages of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, ClassVar, Final, NamedTuple

import msgspec

from t2c.cli.actions.context import Context
from t2c.cli.actions.viewing import view
from t2c.ledger.errors import Usage
from t2c.projections.reality.model import SCHEMA, Grades, Reality
from t2c.projections.render.reality_reading import Topic, read

__all__ = ["RealityRequest", "RealityView", "TopicsResult", "matching", "reality"]

_NEAR: Final = 3


class RealityRequest(NamedTuple):
    """`topic` narrows to topics of that key, name, release or folder; the rest are files to write and what goes in."""

    topic: str | None = None
    at: str | None = None
    gaps_only: bool = False
    rows: int = 30
    markdown: str | None = None
    svg: str | None = None
    html: str | None = None


@dataclass(frozen=True, slots=True)
class TopicsResult:
    """The topics asked for, each the published row with what it rests on."""

    schema: ClassVar[str] = "t2c.reality-topics/v1"
    seq: int
    topics: Sequence[Mapping[str, Any]]


class RealityView(NamedTuple):
    """`topics` are in the order of reading; `document` and `grades_document` are the bytes of the artifacts."""

    seq: int
    reality: Reality
    grades: Grades
    topics: tuple[Topic, ...]
    document: bytes
    grades_document: bytes
    written: tuple[str, ...]

    def result(self) -> TopicsResult:
        return TopicsResult(
            self.seq,
            [
                {**msgspec.to_builtins(row), "grades": None if grade is None else msgspec.to_builtins(grade)}
                for row, grade in self.topics
            ],
        )


def reality(context: Context, request: RealityRequest) -> RealityView:
    """Make the view as of a moment and write the files asked for; nothing is recorded.

    Raises Usage for a topic or moment that is not there, Refused where a file would be overwritten that is no
    rendering of reality.
    """
    from t2c.cli.actions import artefacts

    files = artefacts.places_of_artefacts(
        context,
        {
            "--markdown": (request.markdown, artefacts.markdown_page(SCHEMA)),
            "--svg": (request.svg, artefacts.svg_picture(SCHEMA)),
            "--html": (request.html, artefacts.html_page(SCHEMA)),
        },
    )
    found = view(context, "reality", request.at)
    document, grades_document = found.artifacts["reality.json"], found.artifacts["reality-grades.json"]
    made = msgspec.json.decode(document, type=Reality)
    grades = msgspec.json.decode(grades_document, type=Grades)
    said = list(read(made, grades).said)
    if request.topic is not None:
        rest = [Topic(row, None) for row in made.rows if row.key not in {topic.row.key for topic in said}]
        said = matching(request.topic, [*said, *rest])
        keys = {topic.row.key for topic in said}
        made = msgspec.structs.replace(made, rows=tuple(row for row in made.rows if row.key in keys))
        grades = _narrowed(grades, keys)
    if request.gaps_only:
        said = [topic for topic in said if topic.row.status != "aligned"]
    for kind, path in files.items():
        artefacts.write_artefact(path, _rendered(kind, made, grades, request))
    return RealityView(
        found.seq,
        made,
        grades,
        tuple(said),
        document,
        grades_document,
        tuple(path.relative_to(context.root).as_posix() for path in files.values()),
    )


def matching(text: str, topics: Sequence[Topic]) -> list[Topic]:
    """The topics that a text names: by key, by name, as a release, else as a folder.

    Raises Usage, with what comes near, if there is none.
    """
    name = text.rstrip("/") or text
    by_key = [topic for topic in topics if topic.row.key == text]
    by_name = [topic for topic in topics if topic.row.key.partition(":")[2] == name]
    released = [topic for topic in topics if topic.grade is not None and text in topic.grade.releases]
    inside = [topic for topic in topics if topic.row.key.partition(":")[2].startswith(f"{name}/")]
    cited = [topic for topic in topics if text in topic.row.recordIds]
    titled = [topic for topic in topics if topic.row.label.split(" ", 1)[0] == text]
    for found in (by_key, by_name, titled, released, cited, inside):
        if found:
            return found
    names = [topic.row.key.partition(":")[2] for topic in topics]
    near = get_close_matches(text, names, _NEAR)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    raise Usage(
        f"no topic is called {text!r}",
        remedy=f"{hint}`t2c reality --json` has all topics",
        near=near,
    )


def _narrowed(grades: Grades, keys: set[str]) -> Grades:
    return msgspec.structs.replace(
        grades,
        forward=tuple(one for one in grades.forward if one.key in keys),
        backward=tuple(one for one in grades.backward if one.key in keys),
        topics=tuple(one for one in grades.topics if one.key in keys),
    )


def _rendered(kind: str, made: Reality, grades: Grades, request: RealityRequest) -> bytes:
    title = "Intent and reality" if request.topic is None else f"Intent and reality: {request.topic}"
    if kind == "--markdown":
        from t2c.projections.render.reality_markdown import reality_markdown

        return reality_markdown(made, grades)
    if kind == "--html":
        from t2c.projections.render.reality_html import reality_html

        return reality_html(made, grades, title)
    from t2c.projections.render.reality_svg import reality_svg

    return reality_svg(made, grades, rows=request.rows, gaps_only=request.gaps_only, title=title)
