"""Reality as Markdown, picture and page: few rows, nothing lost without a count, nothing from outside acts as markup."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html.parser import HTMLParser
from xml.etree import ElementTree

import msgspec
import pytest

from t2c.projections.reality.model import (
    LANES,
    STATUSES,
    Backward,
    ByGrade,
    Grades,
    Ratio,
    Reality,
    Row,
    Shown,
    TopicGrade,
    Totals,
)
from t2c.projections.render.reality_html import MOST_TOPICS, reality_html
from t2c.projections.render.reality_markdown import MOST_ROWS, reality_markdown
from t2c.projections.render.reality_reading import (
    EXCEPTION_WORDS,
    STATUS_WORDS,
    counted,
    escaped,
    plain,
    read,
    share,
    status_words,
)
from t2c.projections.render.reality_svg import reality_svg

GRADES = ("none", "named", "declared", "called", "tested", "green")
HOSTILE = "<script>alert(1)</script> ](javascript:x) |\x1b[31m\u202eevil `**\"'&\ud800"


def row(key: str, status: str = "aligned", *, todo: int = 1, git: int = 1, changelog: int = 0, severity: str = "info",
        label: str | None = None) -> Row:  # fmt: skip
    lanes = {**dict.fromkeys(LANES, 0), "todo": todo, "git": git, "changelog": changelog}
    ids = tuple(f"INT-TODO-{number:020x}" for number in range(todo + git + changelog))
    return Row(key, label or key, lanes, status, severity, ids, (), "code")


def models(
    rows: Sequence[Row], *, backward: Sequence[Backward] = (), text: str = "write it"
) -> tuple[Reality, Grades]:
    by_status = {name: sum(one.status == name for one in rows) for name in STATUSES}
    totals = Totals(
        topics=len(rows), aligned=by_status["aligned"], gaps=len(rows) - by_status["aligned"],
        alignedByEvidence={"code": 0, "configuration": 0, "none": 0}, byStatus=by_status, declaredRecords=len(rows),
        observedRecords=0, declaredTopics=len(rows), observedTopics=0, implementationAlignedTopics=0,
        implementationCoverage=None, plannedCodeCoverage=None, documentedCodeCoverage=None, documentationMeasured=False,
    )  # fmt: skip
    shown = (Shown("INT-TODO-" + "0" * 20, "todo", f"{text}:1", text, "planned, evidence none"),)
    topics = tuple(
        TopicGrade(
            key=one.key, grade="tested" if one.status == "aligned" else "none", plans=2,
            plansShown=2 if one.status == "aligned" else 0, plansOpen=0, plansDone=0, releases=(), members=1, guests=0,
            ambiguous=0, others=(), shown=shown, hidden=3,
        )
        for one in rows
        if one.declared or one.claimed
    )  # fmt: skip
    counts = dict.fromkeys(GRADES, 0)
    grades = Grades(
        schema="t2c.reality-grades/v1", generatedAt="2026-01-05T10:00:00.000Z", realityFingerprint="0" * 64,
        ratios={name: Ratio(1, 3) for name in ("implementationCoverage", "plannedCodeCoverage", "documentedCodeCoverage")},
        byGrade=ByGrade({**counts, "none": 1}, counts, counts), forward=(), backward=tuple(backward),
        exceptions={**dict.fromkeys(EXCEPTION_WORDS, 0), "test": 4}, topics=topics, commitsApart=7,
    )  # fmt: skip
    made = Reality("t2c.reality/v1", "2026-01-05T10:00:00.000Z", "1" * 64, "0" * 64, tuple(rows), totals)
    return made, grades


class Page(HTMLParser):
    """What a browser would see: open tags in balance, and which tags there are."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in ("meta", "br", "!doctype"):
            self.open.append(tag)
        for name, value in attrs:
            assert not name.startswith("on")
            assert not (name == "href" and value and not value.startswith("#"))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_what_asks_for_a_decision_comes_first() -> None:
    order = ["planned_not_implemented", "aligned", "conflicting", "changelog_without_implementation"]
    made, grades = models([row(f"ticket:{name}", name) for name in order])
    assert [topic.row.status for topic in read(made, grades).said] == [
        "conflicting", "planned_not_implemented", "changelog_without_implementation", "aligned",
    ]  # fmt: skip


def test_topics_in_which_nobody_says_anything_are_counted_and_not_listed() -> None:
    made, grades = models(
        [row("ticket:A"), row("path:src/a.py", "implemented_not_planned", todo=0)],
        backward=[Backward("path:src/a.py", None, 5, 9), Backward("path:src/b.py", None, 7, 9)],
    )
    reading = read(made, grades)
    assert [topic.row.key for topic in reading.said] == ["ticket:A"]
    assert [(folder.name, folder.public, len(folder.files)) for folder in reading.folders] == [("src", 12, 2)]


@pytest.mark.parametrize("number", [MOST_ROWS, MOST_ROWS + 1])
def test_the_markdown_table_has_forty_rows_and_counts_the_rest(number: int) -> None:
    text = reality_markdown(*models([row(f"ticket:T{n:03}") for n in range(number)])).decode()
    assert len(re.findall(r"^\| ticket:T", text, re.MULTILINE)) == MOST_ROWS
    assert ("1 more topics are in `reality.json`" in text) == (number > MOST_ROWS)


def test_every_status_has_words() -> None:
    assert set(STATUS_WORDS) == set(STATUSES)
    text = reality_markdown(*models([row(f"ticket:{name}", name) for name in STATUSES])).decode()
    for words in STATUS_WORDS.values():
        assert f"| {words} | 1 |" in text


@pytest.mark.parametrize(
    ("codes", "words"),
    [
        ((), "planned, not shown done"),
        (("REGRESSION_DETECTED",), "shown before, no longer"),
        (("FALSE_COMPLETION",), "said to be done, not shown"),
        (("PLANNED_NOT_IMPLEMENTED", "REGRESSION_DETECTED"), "planned, not shown done"),
    ],
)
def test_words_follow_what_the_diagnostics_say(codes: tuple[str, ...], words: str) -> None:
    one = msgspec.structs.replace(row("ticket:A", "planned_not_implemented"), diagnosticCodes=codes)
    assert status_words(read(*models([one])).said[0]) == words


def test_nothing_of_nothing_is_no_data() -> None:
    made, grades = models([])
    assert "No data" in reality_markdown(made, grades).decode()
    assert "No data" in Page(reality_html(made, grades).decode()).text
    assert "no topic" in reality_svg(made, grades).decode()
    assert share(Ratio(0, 0)) == "no data"
    assert share(Ratio(1, 8)) == "1 of 8 (13 %)"


def test_text_of_others_is_inert_everywhere() -> None:
    made, grades = models([row(f"ticket:{HOSTILE}", "conflicting", label=HOSTILE)], text=HOSTILE)
    page = Page(reality_html(made, grades, HOSTILE).decode())
    assert page.open == []
    assert "script" not in page.tags
    assert "alert(1)" in page.text
    ElementTree.fromstring(reality_svg(made, grades, title=HOSTILE))
    line = next(one for one in reality_markdown(made, grades).decode().splitlines() if "alert" in one)
    assert "<script>" not in line
    assert line.count(" | ") == 6
    for body in (reality_html(made, grades), reality_svg(made, grades), reality_markdown(made, grades)):
        assert not re.search("[\x00-\x08\x1b\u202e]", body.decode())


@pytest.mark.parametrize(("asked", "drawn"), [(1, 1), (30, 30), (500, 40), (0, 1), (9999, 40)])
def test_the_picture_has_as_many_rows_as_asked_and_counts_the_rest(asked: int, drawn: int) -> None:
    made, grades = models([row(f"ticket:T{n}") for n in range(40)])
    svg = reality_svg(made, grades, rows=asked).decode()
    assert svg.count("<title>ticket:") == drawn
    assert (f"… and {counted(40 - drawn, 'more topic')}" in svg) == (drawn < 40)


def test_the_picture_can_show_gaps_alone() -> None:
    made, grades = models([row("ticket:A"), row("ticket:B", "planned_not_implemented")])
    svg = reality_svg(made, grades, gaps_only=True).decode()
    assert "<title>ticket:B" in svg
    assert "<title>ticket:A" not in svg


def test_the_picture_names_its_fingerprint_and_shows_the_grade_reached() -> None:
    made, grades = models([row("ticket:A")])
    svg = reality_svg(made, grades).decode()
    assert f"t2c.reality/v1 {'0' * 64}" in svg
    assert svg.count('<circle class="well"') == GRADES.index("tested")
    assert svg.count('<circle class="off"') == len(GRADES) - 1 - GRADES.index("tested")


def test_the_page_needs_nothing_beside_itself() -> None:
    made, grades = models([row("ticket:A"), row("ticket:B", "conflicting")])
    text = reality_html(made, grades).decode()
    page = Page(text)
    assert not {"script", "img", "link", "iframe"} & set(page.tags)
    assert "url(" not in text
    assert "default-src 'none'" in text
    assert page.tags.count("details") == page.tags.count("summary") == 2
    targets = re.findall(r'href="#([\w-]+)"', text)
    assert targets
    assert {target for target in targets if f'id="{target}"' not in text} == set()
    assert "prefers-color-scheme:dark" in text
    assert "@media print" in text


def test_the_page_counts_what_it_leaves_out() -> None:
    made, grades = models([row(f"ticket:T{n}") for n in range(MOST_TOPICS + 5)])
    text = Page(reality_html(made, grades).decode()).text
    assert "… and 5 more topics in reality.json" in text
    assert "… and 3 more records" in text
    assert "7 commits relate to no statement" in text


def test_plain_keeps_one_line_and_says_that_it_cut() -> None:
    assert plain("a\n b\tc", 10) == "a b c"
    assert plain("x" * 11, 10) == "x" * 9 + "…"
    assert plain("x" * 10, 10) == "x" * 10
    assert escaped("<a & 'b'>") == "&lt;a &amp; &#x27;b&#x27;&gt;"
    assert counted(1, "file") == "1 file"
    assert counted(1200, "file") == "1,200 files"
