"""What users of a package can reach where its manifest names its exports: `exports` of `package.json`, and the files
that these hand on.

The manifest names built files; an export is found by its name among the sources, and a package with one that is not found
is not judged. A pattern (`*`) among the exports opens all of the package.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

import msgspec

from t2c.projections.diagnostics.view import View
from t2c.projections.evidence.code import leaf
from t2c.projections.facts import Fact

__all__ = ["Reach"]

_MANIFEST: Final = "package.json"
_EXPORT: Final = re.compile(r'exports\.(?:"(\.[^"]*)"|(\.[\w./-]*))(?:\.|$)')
_SOURCES: Final = ("src/", "lib/", "source/", "")
_ENDINGS: Final = tuple(
    f"{stem}.{ending}" for stem in ("", "/index") for ending in ("ts", "tsx", "mts", "js", "mjs", "jsx")
)
_ALL: Final = "*"


class _Written(msgspec.Struct, frozen=True):
    rawExcerpt: str | None = None


class _Imported(msgspec.Struct, frozen=True):
    names: tuple[str, ...] = ()
    resolvedPath: str | None = None


class _Dependency(msgspec.Struct, frozen=True):
    source: _Written
    metadata: _Imported


_decode = msgspec.json.Decoder(_Dependency).decode


class _Edge(NamedTuple):
    target: str
    names: tuple[str, ...]
    exported: bool


class Reach:
    """`hides` tells of a symbol that no export of its package leads to."""

    def __init__(self, view: View) -> None:
        self._view = view
        exports: dict[str, set[str]] = {}
        roots: set[str] = set()
        for fact in view.of_kind("system"):
            path = fact.source.path
            if path is not None and path.rpartition("/")[2] == _MANIFEST:
                root = path[: -len(_MANIFEST)]
                roots.add(root)
                if (match := _EXPORT.match(fact.statement.object)) is not None:
                    exports.setdefault(root, set()).add(match[1] or match[2])
        self._roots = sorted(roots, key=len, reverse=True)
        self._reached: dict[str, set[tuple[str, str]]] = {}
        if exports:
            edges = self._edges()
            for root, names in exports.items():
                entries = self._entries(root, names)
                if entries and any(edge.exported for entry in entries for edge in edges.get(entry, ())):
                    self._reached[root] = _reached(entries, edges)

    def hides(self, fact: Fact) -> bool:
        """Whether the exports of its package are known and none of them leads to a symbol."""
        path = fact.source.path or ""
        root = next((root for root in self._roots if path.startswith(root)), None)
        if root is None or root not in self._reached or not path.endswith(_ENDINGS[:6]):
            return False
        found = self._reached[root]
        name = (fact.source.symbol or "").partition(".")[0]
        return (path, _ALL) not in found and (path, name) not in found

    def _entries(self, root: str, names: Iterable[str]) -> list[str]:
        """The source files of all exports; none if one of them is not found."""
        entries: list[str] = []
        for name in sorted(names):
            if name == f"./{_MANIFEST}":
                continue
            stem = name[2:].rpartition(".")[0] if re.search(r"\.[mc]?[jt]sx?$", name) else name[2:]
            found = next(iter(self._found(root, stem)), None)
            if found is None:
                return []
            entries.append(found)
        return entries

    def _found(self, root: str, stem: str) -> Iterator[str]:
        for source in _SOURCES:
            for ending in _ENDINGS:
                path = f"{root}{source}{stem}{ending}" if stem else f"{root}{source}index{ending}"
                if path in self._view.code.modules:
                    yield path

    def _edges(self) -> Mapping[str, list[_Edge]]:
        edges: dict[str, list[_Edge]] = {}
        for fact in self._view.of_kind("ast"):
            if fact.statement.kind != "module_dependency_fact" or fact.source.path is None:
                continue
            try:
                read = _decode(self._view.raw.get(fact.id) or b"")
            except msgspec.DecodeError:
                continue
            if read.metadata.resolvedPath is not None:
                is_exported = (read.source.rawExcerpt or "").startswith("export")
                names = tuple(leaf(name) for name in read.metadata.names)
                edges.setdefault(fact.source.path, []).append(
                    _Edge(read.metadata.resolvedPath, names, is_exported)
                )
        return edges


def _reached(entries: Iterable[str], edges: Mapping[str, list[_Edge]]) -> set[tuple[str, str]]:
    """Pairs (file, name), the name `*` for all of a file. A file that hands anything on hands on what it imports by
    name: one statement may stand for an import and an export."""
    open_ones = [(entry, _ALL) for entry in entries]
    found: set[tuple[str, str]] = set()
    while open_ones:
        one = open_ones.pop()
        if one in found:
            continue
        found.add(one)
        path, name = one
        onward = edges.get(path, ())
        if not any(edge.exported for edge in onward):
            continue
        for edge in onward:
            if _ALL in edge.names or not edge.names:
                if edge.exported:
                    open_ones.append((edge.target, name))
            elif name == _ALL:
                open_ones.extend((edge.target, each) for each in edge.names)
            elif name in edge.names:
                open_ones.append((edge.target, name))
    return found
