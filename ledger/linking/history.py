"""What history says of code and of statements: who wrote it, who changed it last, what was taken back or picked.

A commit is older than another if it is its ancestor, and of two that are not, if it was committed before. What a
standing revert took back says nothing any more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from heapq import heapify, heappop, heappush
from typing import Any, Final

from t2c.ledger.kernel.ids import RecordId
from t2c.ledger.linking import reverts
from t2c.ledger.linking.base import Abstention, Hit, Prior, RuleBook
from t2c.ledger.linking.features import Corpus, Record
from t2c.ledger.linking.stances import is_done
from t2c.ledger.linking.symbols import COMMON_NAMES

__all__ = ["BOOK", "MAX_FILES", "history", "oldest_first"]

_WRITTEN: Final = frozenset({"todo", "changelog", "document"})
_NOT_WRITTEN: Final = frozenset({"changelog_release", "comment_marker", "trace_tag"})
_START: Final = 16
"""Letters of the start of a statement by which it is looked up."""
_SHORTEST: Final = 12
"""Letters of the shortest line that is told apart from others."""
_WHOLE_START: Final = 30
"""Letters of a statement that a longer line may begin with."""
_LINK: Final = re.compile(r"\[([^\]\[]{1,200})\]\([^()\s]{1,400}\)|:[a-z:]{2,30}:`|<https?://[^>\s]{1,300}>`")
_SIGNS: Final = re.compile(r"[\W_]+")
_REVISION: Final = re.compile(
    r"\W{0,3}(?=[a-f]{0,39}[0-9])[0-9a-f]{7,40}(?![0-9A-Za-z])(?:`?\]\([^()\s]{1,400}\))?\W{1,3}"
)
"""The revision that some changelogs begin their lines with; a statement is read with or without it."""
_CUT: Final = ("symbolsOmitted", "linesOmitted")
"""What a diff says that changed definitions which it does not name."""
_CODE: Final = ("names", "symbols", "tests")
"""What a diff says that changed in code."""
MAX_FILES: Final = 60
"""Files of a commit beyond which what it ticks is not what it did: an import, a move of everything."""
_BEYOND_ALL: Final = "\U0010ffff"
"""Comes after every path."""
_PICKED: Final = re.compile(r"\(cherry picked from commit ([0-9a-f]{7,64})\)")
_PICKED_KEY: Final = "cherry picked from commit"


def history(corpus: Corpus) -> Iterator[Hit | Abstention]:
    """What the commits of a repository say of its other records, and of each other.

    * `declares`: from the oldest commit that added the first line of a plan, a changelog entry or a requirement to the
      file in which it stands, or in which it stood before that was renamed. A line that several statements of the file
      begin with is `ambiguous_line`.
    * `implements`: from the last commit that ticked a task that is done, if the same commit changed code. A commit that
      starts a history or changes more than MAX_FILES files says nothing so.
    * `modifies`: from the youngest commit that changed a declaration, or a file of code, to it. A file that was renamed
      since is not looked for.
    * `supersedes`: from a revert that stands to what it takes back.
    * `same_as`: from a cherry-picked commit to the one that it says it was picked from.
    * Nothing is declared or modified by a commit that was reverted.
    """
    ordered = oldest_first(corpus.history)
    takebacks = reverts.takebacks(
        reverts.Commit(one.source.revision or "", one.statement.text, one.text, one.takes_back)
        for one in ordered
    )
    ids = {one.source.revision: one.id for one in ordered}
    for found in takebacks:
        signals = (("revision", found.target[:12]),)
        yield Hit(ids[found.revert], ids[found.target], "supersedes", "history", (found.how,), signals)
    yield from _picked(ordered, ids)
    undone = {found.target for found in takebacks}
    standing = [one for one in reversed(ordered) if one.source.revision not in undone]
    yield from _modified(corpus, standing)
    yield from _declared(corpus, standing)


def oldest_first(commits: Sequence[Record]) -> list[Record]:
    """Commits with a revision, each after its ancestors, and else in the order in which they were committed."""
    known = {one.source.revision: one for one in commits if one.source.revision is not None}
    keys = {revision: (_instant(one.metadata.committedAt), revision) for revision, one in known.items()}
    waiting: dict[str, int] = {}
    children: dict[str, list[str]] = {}
    for revision, one in known.items():
        parents = {name for name in _texts(one.metadata.parents) if name in known}
        waiting[revision] = len(parents)
        for parent in parents:
            children.setdefault(parent, []).append(revision)
    ready = [keys[revision] for revision, count in waiting.items() if not count]
    heapify(ready)
    found: list[Record] = []
    while ready:
        _, revision = heappop(ready)
        found.append(known[revision])
        for child in children.get(revision, ()):
            waiting[child] -= 1
            if not waiting[child]:
                heappush(ready, keys[child])
    return found


def _instant(written: object) -> float:
    try:
        return datetime.fromisoformat(written).timestamp() if isinstance(written, str) else 0.0
    except ValueError:
        return 0.0


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _picked(ordered: Sequence[Record], ids: Mapping[str | None, RecordId]) -> Iterator[Hit]:
    revisions = reverts.Revisions(revision for revision in ids if revision is not None)
    for one in ordered:
        written = _PICKED.findall(one.text) if _PICKED_KEY in one.text else []
        for trailer in one.metadata.trailers if isinstance(one.metadata.trailers, list) else ():
            if isinstance(trailer, dict) and trailer.get("key") == _PICKED_KEY:
                written.append(str(trailer.get("value")))
        for origin in sorted({whole for name in written if (whole := revisions.whole(name)) is not None}):
            if origin != one.source.revision:
                yield Hit(
                    one.id, ids[origin], "same_as", "history", ("picked",), (("revision", origin[:12]),)
                )


def _modified(corpus: Corpus, youngest_first: Sequence[Record]) -> Iterator[Hit]:
    """Each symbol and module once, at the first commit that changed it.

    A change of a member is one of its type. Where the definitions of a commit were cut, the symbols in the files that
    it changed are not looked for in older ones: it may be what changed them last. Nor is a file where the list of
    changed files was cut before its name would come.
    """
    named = {commit.id: _definitions(commit) for commit in youngest_first}
    symbols = _Symbols(
        corpus, {definition.partition("::")[0] for one in named.values() for definition in one}
    )
    modules = dict(corpus.modules)
    told: set[RecordId] = set()
    unsure: set[str] = set()
    # Changed files are listed in the order of their names: what comes after the last of a list that was cut is unknown.
    edge = edge_of_symbols = _BEYOND_ALL
    for commit in youngest_first:
        definitions = named[commit.id]
        for definition in definitions:
            path, _, name = definition.partition("::")
            if path in unsure or path > edge_of_symbols:
                continue
            for symbol in symbols.meant(path, name.replace("::", ".")):
                if symbol not in told:
                    told.add(symbol)
                    signals = (("definition", name), ("file", path))
                    yield Hit(commit.id, symbol, "modifies", "history", ("changed_definition",), signals)
        paths = _paths(commit.metadata.changedFiles)
        for path in paths:
            if path <= edge and (module := modules.pop(path, None)) is not None:
                yield Hit(commit.id, module, "modifies", "history", ("changed_module",), (("file", path),))
        is_cut = _is_cut(commit)
        if is_cut:
            start = _unsure_from(commit)
            unsure.update(path for path in paths if path >= start)
        if paths and commit.metadata.pathsOmitted:
            edge = min(edge, paths[-1])
            edge_of_symbols = min(edge_of_symbols, paths[-1]) if is_cut else edge_of_symbols


class _Symbols:
    """Declarations in the given files by file and name, whole or its last part alone."""

    def __init__(self, corpus: Corpus, paths: set[str]) -> None:
        self._named: dict[tuple[str, str], list[str]] = {}
        self._ids: dict[tuple[str, str], RecordId] = {}
        for record in corpus.of("ast"):
            path, name = record.source.path or "", record.source.symbol
            if path not in paths or not name or record.statement.kind != "symbol_fact":
                continue
            if record.metadata.nativeKind != "test":
                self._ids[path, name] = record.id
                for key in {name, name.rpartition(".")[2]}:
                    self._named.setdefault((path, key), []).append(name)

    def meant(self, path: str, name: str) -> Iterator[RecordId]:
        """The one declaration of the file that is so called, and what holds it.

        The last part of a member's name does not say whose it is; it must tell, since its type may have changed.
        """
        found = self._named.get((path, name), ())
        if len(found) != 1:
            return
        whole = found[0]
        if whole != name and (name.lower() in COMMON_NAMES or name.startswith("__")):
            return
        while whole:
            if (path, whole) in self._ids:
                yield self._ids[path, whole]
            whole = whole.rpartition(".")[0]


def _definitions(commit: Record) -> list[str]:
    diff = commit.metadata.diff
    return _texts(diff.get("symbols")) if isinstance(diff, dict) else []


def _is_cut(commit: Record) -> bool:
    diff = commit.metadata.diff
    return isinstance(diff, dict) and any(diff.get(key) for key in _CUT)


def _unsure_from(commit: Record) -> str:
    """The first file of a cut diff in which a definition may have changed that it does not name."""
    diff = commit.metadata.diff
    start = (
        diff.get("linesOmittedFrom") if isinstance(diff, dict) and not diff.get("symbolsOmitted") else None
    )
    return start if isinstance(start, str) else ""


def _paths(changed: Any) -> list[str]:
    return (
        _texts([one.get("path") for one in changed if isinstance(one, dict)])
        if isinstance(changed, list)
        else []
    )


def _declared(corpus: Corpus, youngest_first: Sequence[Record]) -> Iterator[Hit | Abstention]:
    """Each statement once, at the last, and so oldest, commit that added its line."""
    statements = _Statements(corpus)
    now: dict[str, str] = {}
    found: dict[RecordId, tuple[Record, str]] = {}
    latest: dict[RecordId, Record] = {}
    for commit in youngest_first:
        diff = commit.metadata.diff
        for note in diff.get("notes") or () if isinstance(diff, dict) else ():
            path = note.get("path") if isinstance(note, dict) else None
            if not isinstance(path, str):
                continue
            for line in _texts(note.get("lines")):
                for identity in statements.beginning(now.get(path, path), line):
                    found[identity] = (commit, path)
            for line in _texts(note.get("ticked")):
                for identity in statements.beginning(now.get(path, path), line):
                    latest.setdefault(identity, commit)
        _rename(commit.metadata.changedFiles, now)
    for identity, (commit, path) in found.items():
        yield Hit(commit.id, identity, "declares", "history", ("added_line",), (("file", path),))
    yield from _ticked(corpus, latest)
    for identity, path in statements.unsure.items():
        if identity not in found:
            yield Abstention("ambiguous_line", f"{identity} in {path}")


def _ticked(corpus: Corpus, latest: Mapping[RecordId, Record]) -> Iterator[Hit]:
    """A task that is done, from the last commit that ticked it, if that commit changed code and no whole tree."""
    for task in corpus.of("todo"):
        commit = latest.get(task.id)
        if commit is None or not is_done(task) or task.statement.polarity != "positive":
            continue
        diff = commit.metadata.diff
        changed = isinstance(diff, dict) and any(diff.get(key) for key in _CODE)
        if changed and commit.metadata.parents and len(_paths(commit.metadata.changedFiles)) <= MAX_FILES:
            signals = (("file", task.source.path or ""),)
            yield Hit(commit.id, task.id, "implements", "history", ("ticked_with_code",), signals)


def _rename(changed: Any, now: dict[str, str]) -> None:
    """Note, going back in time, what a file is called now that was renamed here."""
    for one in changed if isinstance(changed, list) else ():
        before, path = (one.get("previousPath"), one.get("path")) if isinstance(one, dict) else (None, None)
        if isinstance(before, str) and isinstance(path, str) and str(one.get("status")).startswith("R"):
            now[before] = now.get(path, path)


class _Statements:
    """Statements by their file and the start of their letters."""

    def __init__(self, corpus: Corpus) -> None:
        self._by_start: dict[tuple[str, str], dict[str, list[RecordId]]] = {}
        self.unsure: dict[RecordId, str] = {}
        """Statements that a line may have been meant for, and their file."""
        for record in corpus.of(*sorted(_WRITTEN)):
            path = record.source.path
            if path is None or record.statement.kind in _NOT_WRITTEN:
                continue
            letters = _letters(record.statement.text)
            if len(letters) >= _SHORTEST:
                start = self._by_start.setdefault((path, letters[:_START]), {})
                start.setdefault(letters, []).append(record.id)

    def beginning(self, path: str, line: str) -> Iterator[RecordId]:
        """The statements of a file that a line is the start of, or that start the line."""
        written = _letters(line)
        if len(written) < _SHORTEST:
            return
        known = self._by_start.get((path, written[:_START]))
        if known is None:
            return
        meant = [
            identities
            for letters, identities in known.items()
            if letters.startswith(written) or (len(letters) >= _WHOLE_START and written.startswith(letters))
        ]
        exact = known.get(written)
        if exact is not None:
            meant = [exact]
        if len(meant) == 1 and len(meant[0]) == 1:
            yield meant[0][0]
        else:
            self.unsure.update((identity, path) for same in meant for identity in same)


def _letters(text: str) -> str:
    """The first line of a text by its letters and digits alone: a revision before it, markup and targets of links
    left out."""
    line = text.partition("\n")[0]
    if (revision := _REVISION.match(line)) is not None:
        line = line[revision.end() :]
    if "](" in line or ":`" in line or "<http" in line:
        line = _LINK.sub(r"\1", line)
    return _SIGNS.sub("", line).lower()


BOOK: Final = RuleBook(
    "history",
    history,
    {
        "added_line": Prior(0.97, "The diff of the commit adds the line with which the statement begins."),
        "ticked_with_code": Prior(
            0.75, "One commit ticked the task and changed code; what it changed may have been another task."
        ),
        "changed_definition": Prior(
            0.9, "Git names the definition that a change is in by the nearest line above that looks like one."
        ),
        "changed_module": Prior(0.99, "The diff of the commit changes the file, and no later one does."),
        "by_revision": Prior(0.99, "The revert names the revision that it takes back."),
        "by_subject": Prior(0.93, "The revert quotes the subject of one commit alone."),
        "picked": Prior(0.97, "Git wrote into the message from which commit it was picked."),
    },
    {
        "ambiguous_line": "statements that begin as another one of their file does, so that a commit does not tell which it added"
    },
    {
        "file": "in `{}`",
        "definition": "changed `{}`",
        "revision": "names {}",
        "added_line": "whose diff added it",
        "ticked_with_code": "which ticked it and changed code",
        "changed_definition": "the last to do so",
        "changed_module": "the last to change it",
        "by_revision": "by revision",
        "by_subject": "by its subject",
        "picked": "as a cherry-pick",
    },
    is_structure=True,
)
