"""Documents that name what is gone: STALE_DOCUMENTATION.

Said only of files and names that the history shows to have been here and that nothing bears now: of those that a text names
only where it does not itself speak of the past, of those that it links to wherever it stands.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple
from urllib.parse import unquote

import msgspec

from t2c.projections.diagnostics.model import MAX_RECORDS, Finding
from t2c.projections.diagnostics.predicates import is_apart, is_generated, is_put_aside, is_sample, shortened
from t2c.projections.diagnostics.view import View
from t2c.projections.evidence.code import leaf, strings
from t2c.projections.facts import Fact

__all__ = ["stale"]

_PAST: Final = re.compile(
    r"\b(?:remov|renam|delet|deprecat|drop(?:ped|s)?\b|former|previous|earlier|older\b|old (?:name|version|file|api|way)|legacy|no longer|used to|moved"
    r"|replac|migrat|upgrad|obsolet|instead of|was (?:called|named|in)|histor|backward|breaking|retired|superseded"
    r"|usuni|przenies|dawn|zast[aą]pi)",
    re.IGNORECASE,
)
_PAST_PLACES: Final = re.compile(
    r"(?:^|/)(?:change[-_ ]?log|changes|history|news|release[-_ ]?notes?|releases?|migrat\w*|upgrad\w*|blogs?|posts?|archives?|adr|adrs"
    r"|decisions?|rfcs?|proposals?|whats[-_ ]?new|legacy|deprecated|completed|plans?|specs?|notes|evidence|work-items|initiatives|tickets?|tasks?|reports?|audits?"
    r"|journals?|logs?)(?:[/.\d_-]|$)"
    r"|\d{4}-\d{2}|[_-]old\b",
    re.IGNORECASE,
)
"""Files that tell of the past, or of a future: what they name need not be there."""
_DISTINCT: Final = re.compile(r"[a-z0-9][A-Z]|_[A-Za-z0-9]|[A-Z][a-z]+[A-Z]")
_MIN_NAME: Final = 8


class _Changed(msgspec.Struct, frozen=True):
    path: str
    status: str
    previousPath: str | None = None


class _Changes(msgspec.Struct, frozen=True):
    changedFiles: tuple[_Changed, ...] = ()


class _Commit(msgspec.Struct, frozen=True):
    metadata: _Changes


class _Links(msgspec.Struct, frozen=True):
    brokenLinks: tuple[str, ...] = ()


class _Linking(msgspec.Struct, frozen=True):
    metadata: _Links


_decode = msgspec.json.Decoder(_Commit).decode
_linking = msgspec.json.Decoder(_Linking).decode


class _Gone(NamedTuple):
    commit: Fact
    became: str | None


def stale(view: View) -> Iterator[Finding]:
    """One finding for each file or name that is gone and each document that still names it."""
    if not view.has_whole_history:
        return
    told = [fact for fact in view.of_kind("document") if _speaks_of_now(fact)]
    yield from _stale_links(view)
    yield from _stale_paths(view, told)
    yield from _stale_names(view, told)


def _speaks_of_now(fact: Fact) -> bool:
    return (
        fact.statement.kind == "documentation_statement"
        and not is_sample(fact.source.path)
        and not is_generated(fact.source.path)
        and _PAST_PLACES.search(fact.source.path or "") is None
        and _PAST.search(fact.statement.text) is None
        and not any(_PAST.search(heading) for heading in strings(fact.metadata.headingPath))
    )


def _stale_paths(view: View, told: Iterable[Fact]) -> Iterator[Finding]:
    here = {fact.source.path for fact in view.facts.records.values() if fact.source.kind != "git"}
    # Where even the folder is gone, or hidden, the text may speak of the repository of its reader.
    folders = {path.partition("/")[0] for path in here if path is not None and "/" in path}
    folders = {name for name in folders if not name.startswith(".") or name == ".github"}
    named: dict[tuple[str, str], list[Fact]] = {}
    for fact in told:
        for path in fact.statement.target.paths:
            if path.partition("/")[0] in folders and "/" in path and path not in here:
                named.setdefault((fact.source.path or "", path), []).append(fact)
    if not named:
        return
    gone = _gone(view, frozenset(path for _, path in named))
    written = _written(view, frozenset(document for document, path in named if path in gone))
    for (document, path), facts in sorted(named.items()):
        # A text that was written when the file was gone already never meant it.
        if (how := gone.get(path)) is not None and _is_older(written.get(document), how.commit):
            message = "stale.renamed" if how.became is not None else "stale.path"
            yield _finding(document, path, facts, message, how)


def _stale_links(view: View) -> Iterator[Finding]:
    """Links of documents to files that were here. A link leads to what is meant to be there, whenever it was written."""
    named: dict[tuple[str, str], list[Fact]] = {}
    for fact in view.of_kind("document"):
        if _may_link(fact):
            for target in _broken(view.raw.get(fact.id)):
                for path in _led_to(target, fact.source.path or ""):
                    named.setdefault((fact.source.path or "", path), []).append(fact)
    gone = _gone(view, frozenset(path for _, path in named)) if named else {}
    for (document, path), facts in sorted(named.items()):
        if (how := gone.get(path)) is not None:
            message = "stale.link.renamed" if how.became is not None else "stale.link"
            yield _finding(document, path, facts, message, how)


def _may_link(fact: Fact) -> bool:
    """Whether its links are meant to be followed; in a sample they may be the reader's."""
    path = fact.source.path
    return not is_sample(path) and not is_generated(path) and not is_put_aside(path)


def _broken(raw: bytes | None) -> tuple[str, ...]:
    try:
        return () if raw is None or b'"brokenLinks"' not in raw else _linking(raw).metadata.brokenLinks
    except msgspec.DecodeError:
        return ()


def _led_to(target: str, document: str) -> Iterator[str]:
    """The paths that a link of a document may mean, one without an ending a page of documentation."""
    bare = unquote(target.partition("#")[0].partition("?")[0])
    path = posixpath.normpath(
        posixpath.join("" if bare.startswith("/") else posixpath.dirname(document), bare.lstrip("/"))
    )
    if not bare or path.startswith(".."):
        return
    yield path
    if "." not in path.rpartition("/")[2]:
        yield from (f"{path}.{ending}" for ending in ("md", "rst"))


def _gone(view: View, wanted: frozenset[str]) -> Mapping[str, _Gone]:
    """Of these paths those that the newest commit that speaks of them deleted or renamed."""
    found: dict[str, _Gone] = {}
    settled: set[str] = set()
    for commit in view.commits:
        if wanted.isdisjoint(commit.statement.target.paths) and not _may_speak(
            view.raw.get(commit.id), wanted
        ):
            continue
        for changed in _changes(view.raw.get(commit.id)):
            if changed.path in wanted and changed.path not in settled:
                settled.add(changed.path)
                if changed.status.startswith("D"):
                    found[changed.path] = _Gone(commit, None)
            before = changed.previousPath
            if (
                before is not None
                and before in wanted
                and before not in settled
                and changed.status.startswith("R")
            ):
                settled.add(before)
                found[before] = _Gone(commit, changed.path)
    return found


def _written(view: View, documents: frozenset[str]) -> Mapping[str, Fact]:
    """Document → the oldest commit that changed it under its name."""
    found: dict[str, Fact] = {}
    if documents:
        for commit in reversed(view.commits):
            for path in documents.intersection(commit.statement.target.paths):
                found.setdefault(path, commit)
    return found


def _is_older(one: Fact | None, other: Fact) -> bool:
    return one is not None and (one.source.commitIndex or 0) > (other.source.commitIndex or 0)


def _may_speak(raw: bytes | None, wanted: frozenset[str]) -> bool:
    return raw is not None and (b'"status":"R' in raw or b'"status":"D' in raw or b"previousPath" in raw)


def _changes(raw: bytes | None) -> tuple[_Changed, ...]:
    try:
        return () if raw is None else _decode(raw).metadata.changedFiles
    except msgspec.DecodeError:
        return ()


def _stale_names(view: View, told: Iterable[Fact]) -> Iterator[Finding]:
    named: dict[tuple[str, str], list[Fact]] = {}
    for fact in told:
        for name in fact.statement.target.symbols:
            last = leaf(name)
            if len(last) >= _MIN_NAME and _DISTINCT.search(last):
                named.setdefault((fact.source.path or "", last), []).append(fact)
    wanted = {name for _, name in named} - _alive(view)
    if not wanted:
        return
    once = _once_declared(view, wanted)
    written = _written(view, frozenset(document for document, name in named if name in once))
    for (document, name), facts in sorted(named.items()):
        if name in once and _is_older(written.get(document), once[name]):
            yield _finding(document, name, facts, "stale.name", _Gone(once[name], None))


def _alive(view: View) -> set[str]:
    """Every name that code or settings bear or use now."""
    alive: set[str] = set()
    for fact in view.of_kind("ast", "system"):
        alive.update(map(leaf, fact.statement.target.symbols))
        alive.update(map(leaf, strings(fact.metadata.calls)))
        alive.update(map(leaf, strings(fact.metadata.capabilities)))
        alive.add(leaf(fact.source.symbol or ""))
        alive.add(leaf(fact.statement.object))
        alive.update(re.findall(r"\w{8,}", fact.statement.text))
    for link in view.facts.relations:
        if link.relation.type == "depends_on":
            alive.update(leaf(name) for signal in link.signals for name in re.split(r"[\s,]+", signal.value))
    # A name that went private is still behind the one that documents know, more often than not.
    alive.update(name.lstrip("_") for name in tuple(alive) if name.startswith("_"))
    return alive


def _once_declared(view: View, wanted: set[str]) -> Mapping[str, Fact]:
    """Name → the newest commit that touched its definition in a file of code that is no test, if that commit changed
    the name itself: one that only worked below it, as in an example within a comment, took nothing away."""
    found: dict[str, Fact] = {}
    seen: set[str] = set()
    endings = {path.rpartition(".")[2] for path in view.code.modules}
    for commit in view.commits:
        diff = commit.metadata.diff
        if not isinstance(diff, Mapping):
            continue
        changed = {leaf(name.replace("::", ".")) for name in strings(diff.get("names"))}
        for definition in strings(diff.get("symbols")):
            path, _, name = definition.partition("::")
            last = leaf(name.replace("::", "."))
            if last in wanted and last not in seen and _is_code(path, endings):
                seen.add(last)
                if last in changed:
                    found[last] = commit
    return found


def _is_code(path: str, endings: set[str]) -> bool:
    """A file of code of this repository; what stands in documents and samples is an example."""
    return path.rpartition(".")[2] in endings and not is_sample(path) and not is_apart(path)


def _finding(document: str, name: str, facts: list[Fact], message: str, how: _Gone) -> Finding:
    said = {
        "document": document, "name": name, "at": ", ".join(fact.where for fact in facts[:3]),
        "text": shortened(facts[0].statement.text), "became": how.became or "–", "commit": how.commit.where,
        "when": (how.commit.observedAt or "–")[:10],
    }  # fmt: skip
    records = tuple(sorted({*(fact.id for fact in facts), how.commit.id})[:MAX_RECORDS])
    return Finding(
        "STALE_DOCUMENTATION",
        f"{document}:{name}",
        "warning",
        message,
        said,
        records,
        f"stale:{name}",
        35,
        0.7,
    )
