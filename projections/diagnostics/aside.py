"""Plans that are put aside, or closed, by what is written over them: by their folder, its index, or their own head.

A folder of history, an index that calls its folder or the lists in it historical, a status that says superseded or
implemented: what is still open below is no plan any more. Asked of the text alone, whatever the repository.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from t2c.projections.diagnostics.predicates import OPEN, folder, is_put_aside
from t2c.projections.evidence.code import strings
from t2c.projections.facts import Fact

__all__ = ["Aside", "is_put_over"]

_HEAD: Final = 25
"""Lines from the top of a document in which it speaks of itself."""
_INDEX: Final = re.compile(r"(?:readme|index|_index)\.\w{1,8}", re.IGNORECASE)
_GONE: Final = (
    r"(?:histor(?:y|ical)|archived?|superseded|obsolete|abandoned|deprecated|deferred|shelved|withdrawn|rejected"
    r"|(?:historical )?snapshot|outdated)\b"
)
_STATUS: Final = re.compile(r"\W*status\b\W{1,6}(?=\w)", re.IGNORECASE)
_ENDED: Final = re.compile(rf"(?:\w+[ */-]{{1,3}}){{0,4}}{_GONE}", re.IGNORECASE)
"""A status of at most a few words before the one that tells."""
_DONE: Final = re.compile(
    r"(?:fully |all )?(?:implemented|done|completed?|shipped|released|merged|landed|delivered|finished|zrobione|wdrożone)\b",
    re.IGNORECASE,
)
_IN_PART: Final = re.compile(
    r"\b(?:not|partial(?:ly)?|partly|in part|mostly|except|phases?|stages?|steps?|some|but)\b|\d ?%|\d ?/ ?\d",
    re.IGNORECASE,
)
_OF_ITSELF: Final = re.compile(
    r"\W*(?:this|these|the) (?:folder|directory|file|document|doc|page|plan|plans|roadmap|list|notes?|proposal|tasks?)"
    r"(?: (?:here|below))? (?:is|are|was|were|has been|have been|preserves?)(?: (?:now|an?|the|only|kept|preserved|marked|as|for|our|old))*"
    rf" (?:{_GONE}|not (?:the|an) active\b)",
    re.IGNORECASE,
)
_LISTED: Final = re.compile(
    r"\b(?:histor(?:y|ical)|archived?|superseded|obsolete|abandoned|snapshot)\b", re.IGNORECASE
)
_NOT: Final = re.compile(r"\b(?:not|never|no)\b", re.IGNORECASE)
_TITLE: Final = re.compile(
    rf"\W*(?:historical\b|{_GONE}\W*[:–—\]\)-])|.{{1,200}}(?:[(\[]|[:–—] ?| - ){_GONE}[)\]]?\W*$",
    re.IGNORECASE,
)
_NAMED_FIRST: Final = re.compile(r"\W*([\w./@-]{2,120})")


class Aside:
    """The files and folders whose open plans nobody means to carry out any more."""

    def __init__(self, files: Iterable[str], folders: Iterable[str]) -> None:
        self._files = frozenset(files)
        self._folders = tuple(sorted(folders))
        self._known: dict[str, bool] = {}

    @classmethod
    def of(cls, documents: Iterable[Fact], plans: Iterable[Fact]) -> Aside:
        """That of what documents say at their heads; `plans` tell which files hold lists."""
        files: set[str] = set()
        folders: set[str] = set()
        indexes: dict[str, list[Fact]] = {}
        for fact in documents:
            path = fact.source.path
            if path is None:
                continue
            is_index = "/" in path and _INDEX.fullmatch(path.rpartition("/")[2]) is not None
            if is_index:
                indexes.setdefault(folder(path), []).append(fact)
            if _is_ended(fact):
                files.add(path)
                if is_index:
                    folders.add(folder(path))
            elif _is_closed(fact):
                files.add(path)
        held: dict[str, set[str]] = {}
        for fact in plans:
            path = fact.source.path
            if path is None or not is_put_over(fact):
                continue
            if fact.source.kind == "todo":
                held.setdefault(folder(path), set()).add(path)
            if (trail := strings(fact.metadata.headingPath)) and _TITLE.match(trail[0]):
                files.add(path)
        for place, facts in indexes.items():
            listed = {path for fact in facts for path in _called_historical(fact, place)}
            files |= listed
            lists = {path for path in held.get(place, ()) if not _INDEX.fullmatch(path.rpartition("/")[2])}
            if lists and lists <= listed:
                folders.add(place)
        return cls(files, folders)

    def holds(self, path: str | None) -> bool:
        """Whether the open plans of a file are put aside or closed."""
        if path is None:
            return False
        found = self._known.get(path)
        if found is None:
            found = self._known[path] = (
                is_put_aside(path)
                or path in self._files
                or any(path.startswith(f"{place}/") for place in self._folders)
            )
        return found


def is_put_over(fact: Fact) -> bool:
    """An open plan of a list or a document, and no comment in code, which stays where it is."""
    return (
        fact.epistemic.cls == "plan"
        and fact.lifecycle.status in OPEN
        and fact.source.kind in ("todo", "document")
        and fact.statement.kind != "comment_marker"
    )


def _head(fact: Fact) -> Sequence[str] | None:
    """The headings over a statement at the top of its document; None for one further below."""
    if fact.source.lines is None or fact.source.lines.start > _HEAD:
        return None
    return strings(fact.metadata.headingPath)


def _status(fact: Fact) -> str | None:
    """What a document says at its head of its own state."""
    trail = _head(fact)
    if trail is None or len(trail) > 2:
        return None
    if len(trail) <= 1 and (match := _STATUS.match(fact.statement.text)):
        return fact.statement.text[match.end() :]
    return fact.statement.text if trail and trail[-1].strip(" :*").lower() == "status" else None


def _is_ended(fact: Fact) -> bool:
    trail, text = _head(fact), fact.statement.text
    if trail is None:
        return False
    if (status := _status(fact)) is not None:
        ended = _ENDED.match(status)
        return ended is not None and _NOT.search(ended.group()) is None
    return (not trail and _TITLE.match(text) is not None) or (
        len(trail) <= 1 and _OF_ITSELF.match(text) is not None
    )


def _is_closed(fact: Fact) -> bool:
    status = _status(fact)
    if status is None or _DONE.match(status) is None:
        return False
    return _IN_PART.search(status.partition(". ")[0][:200]) is None


def _called_historical(fact: Fact, place: str) -> Iterable[str]:
    """The file of its own folder that a line of an index is about, if the line calls it historical."""
    own = [path for path in fact.statement.target.paths if path.startswith(f"{place}/")]
    text = fact.statement.text
    first = _NAMED_FIRST.match(text)
    if len(own) != 1 or first is None or not own[0].endswith(first[1].strip("./")):
        return ()
    return own if _LISTED.search(text, first.end()) is not None and _NOT.search(text) is None else ()
