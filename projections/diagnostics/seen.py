"""What commits say and change, as far as words, names and paths go, for rules that look for what shows a statement."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

import msgspec

from t2c.projections.diagnostics.predicates import telling
from t2c.projections.diagnostics.view import View
from t2c.projections.evidence.code import leaf, strings
from t2c.projections.facts import Fact

__all__ = ["NUMBER", "Seen", "SeenCommits"]

NUMBER: Final = re.compile(r"(?:#|\bgh-|/(?:issues|pull|merge_requests)/)(\d{1,7})", re.IGNORECASE)
"""The number of an issue or a pull request."""

_NAME: Final = re.compile(r"[A-Za-z_]\w{3,60}")


class _Source(msgspec.Struct, frozen=True):
    rawExcerpt: str | None


class _Excerpt(msgspec.Struct, frozen=True):
    source: _Source


class Seen(NamedTuple):
    """What one commit shows. `own` are the words of its message, names and paths; `words` those of the task lists and
    changelogs that it wrote as well; `numbers` are those of issues and pull requests that its message cites."""

    words: frozenset[str]
    own: frozenset[str]
    paths: frozenset[str]
    names: frozenset[str]
    numbers: frozenset[str]


_excerpt = msgspec.json.Decoder(_Excerpt).decode


class SeenCommits:
    """What each commit shows, by revision, read when first asked for."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._by_revision = {
            commit.source.revision: commit for commit in view.commits if commit.source.revision
        }
        self._seen: dict[str, Seen] = {}

    def of(self, revision: str) -> Seen:
        """Raises KeyError for a revision that is no commit of the ledger."""
        found = self._seen.get(revision)
        if found is None:
            found = self._seen[revision] = self._read(self._by_revision[revision])
        return found

    def _read(self, commit: Fact) -> Seen:
        text = _text(self._view.raw.get(commit.id)) or commit.statement.text
        diff = commit.metadata.diff if isinstance(commit.metadata.diff, Mapping) else {}
        names = (*strings(diff.get("names")), *strings(diff.get("tests")), *strings(diff.get("symbols")))
        notes = diff.get("notes")
        lines = [
            line
            for note in (notes if isinstance(notes, list) else ())
            if isinstance(note, Mapping)
            for line in strings(note.get("lines"))
        ]
        target = commit.statement.target
        own = telling("\n".join((text, *names, *target.paths)))
        written = (*_NAME.findall(text), *(name.replace("::", ".") for name in names), *target.symbols)
        return Seen(
            own | telling("\n".join(lines)) if lines else own,
            own,
            frozenset(target.paths),
            frozenset(map(leaf, written)),
            frozenset(NUMBER.findall(text)),
        )


def _text(raw: bytes | None) -> str | None:
    try:
        return None if raw is None else _excerpt(raw).source.rawExcerpt
    except msgspec.DecodeError:
        return None
