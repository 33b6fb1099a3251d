"""Models as Markdown: text from outside is shown as it stands and can never act as markup."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Final

from t2c.projections.summary.model import Example, LastRun, Note, RecordRef, Share, Summary, TodoGroup

__all__ = ["inline", "percent", "summary"]

_LIMIT: Final = 100
_SPECIAL: Final = re.compile(r"[\\`*\[\]|~$!]|(?<![^\W_])_|_(?![^\W_])")
_HTML: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_JOINERS: Final = frozenset("\u200c\u200d")
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def inline(text: str, limit: int = _LIMIT) -> str:
    """Text of any origin as part of one line: at most `limit` characters, ended by … if there were more.

    White space becomes a space, any other character that does not show (controls, bidirectional overrides)
    becomes �, and whatever Markdown or HTML would act on is escaped. An underscore inside a word acts on
    nothing and stays, so that names stay readable.
    """
    plain = _plain(text[: 4 * limit])
    if len(plain) > limit or len(text) > 4 * limit:
        plain = plain[: limit - 1] + "…"
    return _SPECIAL.sub(r"\\\g<0>", plain).translate(_HTML)


def _plain(text: str) -> str:
    shown = "".join(" " if char.isspace() else char if _shows(char) else "\ufffd" for char in text)
    return " ".join(shown.split())


def _shows(char: str) -> bool:
    return char in _JOINERS or unicodedata.category(char) not in _UNSEEN


def percent(share: Share) -> str:
    """`7 of 10 (70 %)`, rounded half up; `no data` for none of none."""
    if share.denominator == 0:
        return "no data"
    portion = (200 * share.numerator + share.denominator) // (2 * share.denominator)
    return f"{share.numerator:,} of {share.denominator:,} ({portion} %)"


def summary(model: Summary) -> bytes:
    """`summary.md`: one item a line, a screen or two, nothing at the start of a line that came from outside."""
    return ("\n".join(_summary(model)) + "\n").encode()


def _summary(model: Summary) -> Iterator[str]:
    yield "# Summary"
    yield ""
    yield f"As of {inline(model.generatedAt)}."
    yield ""
    yield f"Records that stand: {model.records.total:,}{_breakdown(model.records.by_source)}."
    if model.records.unreadable:
        yield f"Records that could not be read for this summary: {model.records.unreadable:,}."
    yield from _planned(model)
    yield from _claimed(model)
    yield from _code(model)
    yield from _links(model)
    yield from _omissions(model)
    yield from _notes(model)
    yield from _last_run(model.last_run)


def _section(title: str) -> Iterator[str]:
    yield from ("", f"## {title}", "")


def _breakdown(counts: Mapping[str, int]) -> str:
    if not counts:
        return ""
    order = sorted(counts, key=lambda name: (-counts[name], name))
    return f" ({', '.join(f'{inline(name)} {counts[name]:,}' for name in order)})"


def _planned(model: Summary) -> Iterator[str]:
    plans = model.plans
    yield from _section("Planned")
    yield f"- TODO items done: {percent(plans.done)}; open: {plans.open:,}"
    yield f"- Planning statements in other sources: {plans.elsewhere:,}"
    for group in plans.open_first:
        yield f"- Open in {_trail(group)}:"
        for item in group.items:
            yield f"  - {_quoted(item.text)}{_place(item.path, item.line)}"
    if plans.open_not_shown:
        yield f"- Open items not shown: {plans.open_not_shown:,}"


def _trail(group: TodoGroup) -> str:
    return " › ".join(inline(step) for step in (group.path or "no file", *group.trail))


def _claimed(model: Summary) -> Iterator[str]:
    changelog, commits = model.changelog, model.commits
    yield from _section("Claimed")
    yield (
        f"- Changelog entries: {changelog.entries:,}, of these unreleased: {changelog.unreleased_entries:,};"
        f" releases: {changelog.releases:,}"
    )
    for release in changelog.latest:
        date = "no date" if release.date is None else inline(release.date)
        yield f"  - Release {inline(release.version)} ({date}), entries: {release.entries:,}"
    hidden = changelog.releases - len(changelog.latest)
    if hidden:
        yield f"  - Earlier releases not shown: {hidden:,}"
    span = "" if commits.first is None else f"; from {commits.first} to {commits.last}"
    yield f"- Commits: {commits.commits:,}; authors: {commits.authors:,}{span}"


def _code(model: Summary) -> Iterator[str]:
    code = model.code
    yield from _section("Found in the code")
    yield f"- Files with code facts: {code.files:,}, of these test files: {code.test_files:,}"
    yield f"- Symbols declared: {code.symbols:,}; public outside test files: {percent(code.public)}"
    yield f"- Tests: {code.tests:,}"
    if code.facts_by_kind:
        yield f"- Facts: {sum(code.facts_by_kind.values()):,}{_breakdown(code.facts_by_kind)}"


def _links(model: Summary) -> Iterator[str]:
    links = model.links
    yield from _section("Links")
    yield f"- Relations: {links.relations:,}"
    for count in links.by_rule:
        yield f"  - {count.relations:,} × {inline(count.type)} by the rule {inline(count.rule)}"
    for share in links.linked:
        yield f"- {inline(share.what[:1].upper() + share.what[1:])}: {percent(share)}"
    for example in links.examples:
        yield f"- For example: {_example(example)}"


def _example(example: Example) -> str:
    because = ", ".join(inline(signal) for signal in example.signals) or inline(example.rule)
    ends = (_named(example.source), _named(example.target))
    return f"{ends[0]} — {inline(example.type)} → {ends[1]}: {because} (confidence {example.confidence})"


def _named(record: RecordRef) -> str:
    return f"{inline(record.what)} {_quoted(record.text)}{_place(record.path, record.line)}"


def _omissions(model: Summary) -> Iterator[str]:
    omissions = model.omissions
    yield from _section("Left out")
    yield f"- Things left out: {omissions.count:,}"
    for reason in omissions.by_reason:
        first = ", ".join(inline(place) for place in reason.first)
        more = ", …" if reason.places > len(reason.first) else ""
        places = "1 place" if reason.places == 1 else f"{reason.places:,} places"
        yield f"  - {reason.count:,} × {inline(reason.reason)} at {places}: {first}{more}"


def _notes(model: Summary) -> Iterator[str]:
    notes = model.notes
    yield from _section("Noted by people and agents")
    yield f"- Notes: {notes.total:,}"
    for note in notes.latest:
        yield f"  - {_note(note)}"
    hidden = notes.total - len(notes.latest)
    if hidden:
        yield f"  - Earlier notes not shown: {hidden:,}"


def _note(note: Note) -> str:
    about = "" if note.subject is None else f" about {_quoted(note.subject)}"
    return (
        f"{_quoted(note.statement, 2 * _LIMIT)}{about}, said by {inline(note.actor)} ({inline(note.trust)},"
        f" seq {note.seq}, {inline(note.ts)})"
    )


def _last_run(run: LastRun | None) -> Iterator[str]:
    yield from _section("Last run")
    if run is None:
        yield "- No run has been recorded."
        return
    yield f"- The run {inline(run.verb)}, asked for by {inline(run.requested_by)}, began to record at {inline(run.started)}"
    detail = "" if run.detail is None else f": {inline(run.detail)}"
    ended = "has no end" if run.finished is None else f"had recorded all at {inline(run.finished)}"
    yield f"- It {ended} and counts as {inline(run.status)}{detail}"
    if run.stages:
        yield f"- Stages: {', '.join(f'{inline(name)} {inline(status)}' for name, status in run.stages)}"
    if run.degradations:
        yield f"- Things done in a lesser way than asked: {run.degradations:,}"


def _quoted(text: str, limit: int = _LIMIT) -> str:
    return f"“{inline(text, limit)}”"


def _place(path: str | None, line: int | None) -> str:
    if path is None:
        return ""
    return f" ({inline(path)})" if line is None else f" ({inline(path)}:{line})"
