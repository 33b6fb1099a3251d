"""A report as a page or as text for a terminal: the same sentences, in English or Polish."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from t2c.projections.conclusions.model import Asked, Changes, Differing, Portion, Report, There
from t2c.projections.findings.model import shortened
from t2c.projections.render.markdown import inline
from t2c.projections.render.report_words import ACTIONS, WORDS

__all__ = ["MARK", "Line", "lines", "report_markdown"]

MARK: Final = "t2c.report/v1"
"""What a comment on the page says, by which it is known again."""

Rank = Literal["title", "section", "text", "item", "part", "place"]
_SEVEREST_FIRST: Final = ("blocking", "review_required", "warning", "info")
_PLACES: Final = 3
_NEXT: Final = 5
_LONG: Final = 400
_TITLE: Final = 80


class Line(NamedTuple):
    """One line: what it is on the page, what it says, and where that stands. `mark` is a severity, if it tells one."""

    rank: Rank
    text: str
    where: str = ""
    mark: str = ""


def report_markdown(report: Report, language: str = "en") -> bytes:
    """The page; whatever a repository says can act neither as markup nor as a command of a build service."""
    return ("\n".join(_page(lines(report, language))) + "\n").encode()


def _page(found: Iterator[Line]) -> Iterator[str]:
    last: Rank | None = None
    for line in found:
        text, where = inline(line.text, _LONG), f" ({inline(line.where, _LONG)})" if line.where else ""
        mark = f"**{inline(line.mark)}** " if line.mark else ""
        match line.rank:
            case "title":
                yield from (f"# {text}", "", f"<!-- {MARK} -->", "")
            case "section":
                yield from ("", f"## {text}", "")
            case "text":
                if last == "text":
                    yield ""
                yield f"{mark}{text}{where}"
            case _:
                if last == "text":
                    yield ""
                depth = {"item": "", "part": "  "}.get(line.rank, "    ")
                yield f"{depth}- {mark}{text}{where}"
        last = line.rank


def lines(report: Report, language: str = "en") -> Iterator[Line]:
    """The whole report, line by line."""
    words = WORDS.get(language, WORDS["en"])
    yield Line("title", words["title"])
    stand = {"ts": report.generatedAt, "records": f"{report.records:,}"}
    if report.revision is None:
        yield Line("text", words["no_commit"].format(**stand))
    else:
        yield Line("text", words["as_of"].format(revision=report.revision[:12], **stand))
    yield Line("text", _short(report, language))
    yield from _concluded(report, language)
    yield Line("section", words["asked"])
    yield from _asked(report, language)
    yield Line("section", words["there"])
    yield from _there(report.there, language)
    yield from _changes(report.changes, language)
    yield Line("section", words["differs"])
    yield from _differs(report, language)
    yield Line("section", words["next"])
    yield from _next(report, language)


def _short(report: Report, language: str) -> str:
    words = WORDS[language]
    told = ", ".join(
        f"{words[name]} {report.counts[name]:,}" for name in _SEVEREST_FIRST if report.counts.get(name)
    )
    tasks = report.open or report.done.whole
    return words["short" if tasks else "short.no_tasks"].format(
        open=f"{report.open:,}",
        done=f"{report.done.whole:,}",
        shown=f"{report.done.part:,}",
        told=told or words["short.none"],
    )


def _concluded(report: Report, language: str) -> Iterator[Line]:
    """What a model concluded: its words, marked as such."""
    words = WORDS[language]
    if not report.concluded:
        return
    yield Line("section", words["concluded"].format(model=report.by))
    yield Line("text", words["concluded.claim"])
    for one in report.concluded:
        yield Line("item", one.title, mark=words[one.severity])
        yield Line("part", one.detail)
        for place in one.places:
            yield Line("place", f"“{place.text}”", place.where)
    if report.abstained:
        yield Line("text", words["concluded.abstained"].format(count=f"{report.abstained:,}"))


def _asked(report: Report, language: str) -> Iterator[Line]:
    words = WORDS[language]
    if not report.asked:
        yield Line("text", words["asked.none"])
    for one in report.asked:
        yield Line("item", _asker(one, language))
        for said in one.first:
            yield Line("part", f"“{said.text}”", said.where)
    if report.asked_left:
        yield Line("item", words["asked.left"].format(count=f"{report.asked_left:,}"))


def _asker(one: Asked, language: str) -> str:
    words = WORDS[language]
    told = words[f"asked.{one.by}"].format(name=one.name, open=f"{one.open:,}", done=f"{one.done:,}")
    shown = words["asked.shown"].format(shown=f"{one.shown:,}")
    return told + shown if one.done and one.by in ("place", "given") else told


def _there(there: There, language: str) -> Iterator[Line]:
    words = WORDS[language]
    if there.files or there.test_files:
        counts = {name: f"{getattr(there, name):,}" for name in ("files", "test_files", "public", "tests")}
        yield Line("item", words["there.code"].format(**counts))
        if there.largest:
            yield Line("item", words["there.largest"].format(folders=_folders(there.largest)))
    else:
        yield Line("item", words["there.no_code"])
    if there.results.whole:
        yield Line("item", words["there.results"].format(share=_share(there.results, language)))
    else:
        yield Line("item", words["there.no_results"])
    yield Line("item", words["there.plans"].format(share=_share(there.plans, language)))
    yield Line("item", words["there.claims"].format(share=_share(there.claims, language)))


def _share(portion: Portion, language: str) -> str:
    if not portion.whole:
        return WORDS[language]["no_data"]
    percent = (200 * portion.part + portion.whole) // (2 * portion.whole)
    return f"{portion.part:,} / {portion.whole:,} ({percent} %)"


def _folders(found: tuple[tuple[str, int], ...]) -> str:
    return ", ".join(f"{name} ({count:,})" for name, count in found)


def _changes(changes: Changes | None, language: str) -> Iterator[Line]:
    words = WORDS[language]
    if changes is None:
        yield Line("section", words["changes.all"])
        yield Line("text", words["changes.none"])
        return
    since = f"{changes.since} ({changes.day})" if changes.day else changes.since
    said = {"since": since, "until": changes.until}
    title = "changes.all" if changes.since is None else "changes.until" if changes.until else "changes"
    yield Line("section", words[title].format(**said))
    counts = {name: f"{getattr(changes, name):,}" for name in ("commits", "authors", "bound")}
    yield Line("item", words["changes.counts"].format(**counts))
    for change in changes.by_action:
        name = ACTIONS[language].get(change.action, change.action)
        told = words["changes.action"].format(action=name, commits=f"{change.commits:,}")
        yield Line("item", told + (words["changes.newest"] if change.newest else ""))
        for newest in change.newest:
            yield Line("part", f"“{newest.text}”", newest.where)
    if changes.folders:
        yield Line("item", words["changes.folders"].format(folders=_folders(changes.folders)))
    if changes.unreleased:
        yield Line("item", words["changes.unreleased"].format(count=f"{changes.unreleased:,}"))


def _differs(report: Report, language: str) -> Iterator[Line]:
    words = WORDS[language]
    if not report.differing:
        yield Line("text", words["differs.none"])
    for differing in report.differing:
        yield from _differing(differing, language)
    if report.left:
        yield Line("item", words["differs.left"].format(count=f"{report.left:,}"))
    if report.suppressed:
        yield Line("text", words["differs.suppressed"].format(count=f"{report.suppressed:,}"))


def _differing(one: Differing, language: str) -> Iterator[Line]:
    words, lead = WORDS[language], one.lead
    yield Line("item", lead.title, mark=words[lead.severity])
    yield Line("part", lead.detail)
    for place in lead.places[:_PLACES]:
        if str(place) not in lead.detail:
            yield Line("place", place.text, str(place))
    if one.others:
        many = {"findings": f"{one.findings:,}", "causes": f"{one.causes:,}"}
        yield Line("part", words["differs.many"].format(**many))
    for other in one.others:
        yield Line("place", other.text, other.where)


def _next(report: Report, language: str) -> Iterator[Line]:
    """What the gravest findings ask for, each kind of action once, with the first place to begin at."""
    words = WORDS[language]
    there = report.there
    if there.tests and not there.results.whole:
        yield Line("item", words["next.results"])
    elif not report.differing:
        yield Line("text", words["next.none"])
    for one in report.differing[:_NEXT]:
        lead = one.lead
        action = lead.action
        if one.findings > 1:
            action = words["next.many"].format(action=action, findings=f"{one.findings:,}", code=lead.code)
        place = str(lead.places[0]) if lead.places else ""
        action = f"{shortened(lead.title, _TITLE)} → {action}"
        yield Line("item", action, f"{place}, {lead.id}" if place else lead.id)
