"""`t2c diff graph BEFORE AFTER`: what two graphs say otherwise, each a document, a moment, or another folder's ledger."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

import msgspec

from t2c.cli.actions.context import Context
from t2c.cli.actions.moment import FORMS, resolve
from t2c.cli.actions.opening import open_ledger
from t2c.ledger.engine import JOURNAL, WORKSPACE
from t2c.ledger.errors import Environment, Usage
from t2c.ledger.journal.files import read_regular
from t2c.projections.base import Content
from t2c.projections.diffs.graph_diff import SCHEMA, Filter, GraphDiff, ends, graph_diff
from t2c.projections.diffs.graph_document import GraphDocument, NotAGraph, read_graph
from t2c.projections.facts import SEVERITIES
from t2c.projections.fold import fold
from t2c.projections.registry import ALL

__all__ = [
    "GraphDifference",
    "GraphSide",
    "compared",
    "document",
    "graph_diff_of",
    "graph_of_ledger",
    "whole",
]

_LARGEST: Final = 1 << 30
_DIAGNOSTICS: Final = "diagnostics"


class GraphSide(NamedTuple):
    """One side: its graph, what is known to have become of records, and the findings, None if nobody knows them.

    `seq` is the moment of this ledger, None for a graph from elsewhere.
    """

    graph: GraphDocument
    successors: Mapping[str, str]
    diagnostics: Mapping[str, Any] | None
    seq: int | None


@dataclass(frozen=True, slots=True)
class GraphDifference:
    """What differs, and the records at the ends of relations that do, by id; `document` is the published form."""

    schema: ClassVar[str] = SCHEMA
    diff: GraphDiff
    ends: Mapping[str, dict[str, Any]]

    @property
    def document(self) -> dict[str, Any]:
        return document(self.diff)


def graph_diff_of(
    context: Context,
    before: str,
    after: str,
    *,
    participant: str | None = None,
    role: str | None = None,
    ticket: str | None = None,
    severity: str | None = None,
) -> GraphDifference:
    """Compare two graphs; the filters show only what has them on either side.

    `severity` shows records that a finding of at least that severity cites. Raises Usage for what is neither a graph
    nor a moment, and for a severity where no findings are known.
    """
    sides = [_side(context, text, severity is not None) for text in (before, after)]
    cited = None if severity is None else _cited(sides, (before, after), severity)
    diff = compared(sides, Filter(participant, role, ticket, cited))
    return GraphDifference(diff, ends(diff, *(side.graph for side in sides)))


def compared(sides: Sequence[GraphSide], wanted: Filter | None = None) -> GraphDiff:
    """The difference of two sides. Raises Usage if one of them holds a record of another shape."""
    try:
        return graph_diff(sides[0].graph, sides[1].graph, successors=_successors(sides), wanted=wanted)
    except NotAGraph as error:
        raise Usage(
            f"the graphs cannot be compared: {error}", remedy="give documents that t2c made"
        ) from None


def document(diff: GraphDiff) -> dict[str, Any]:
    """The published form."""
    found: dict[str, Any] = msgspec.to_builtins(diff)
    return found


def _successors(sides: Sequence[GraphSide]) -> Mapping[str, str]:
    """What became of records between two moments of one ledger, told from the first side to the second."""
    first, second = sides
    if first.seq is None or second.seq is None:
        return {}
    if first.seq <= second.seq:
        return second.successors
    return {end: old for old, end in sorted(first.successors.items(), reverse=True)}


def _cited(sides: Sequence[GraphSide], names: Sequence[str], severity: str) -> Collection[str]:
    if severity not in SEVERITIES:
        raise Usage(f"there is no severity {severity!r}", remedy=f"give one of {', '.join(SEVERITIES)}")
    level = SEVERITIES[SEVERITIES.index(severity) :]
    cited: set[str] = set()
    for side, name in zip(sides, names, strict=True):
        if side.diagnostics is None:
            raise Usage(
                f"no findings are known of {name}",
                remedy="leave --severity out, or put the diagnostics.json of that graph beside it",
            )
        for finding in side.diagnostics.get("diagnostics", ()):
            if finding.get("severity") in level:
                cited.update(finding.get("recordIds", ()))
    return cited


def _side(context: Context, text: str, findings: bool) -> GraphSide:
    path = context.cwd / text
    try:
        found = "folder" if path.is_dir() else "file" if path.is_file() else None
    except (OSError, ValueError):
        found = None
    if found == "folder":
        folder = context.path(text)
        if not (folder / WORKSPACE / JOURNAL).exists():
            raise Usage(f"the folder {text} holds no ledger", remedy=f"give a graph.json or {FORMS}")
        return graph_of_ledger(context._replace(root=folder), "head", findings, cached=False)._replace(
            seq=None
        )
    if found == "file":
        content = _read(context.path(text))
        if content.lstrip()[:1] == b"{":
            return _document_side(path, content, findings)
    return graph_of_ledger(context, "head" if text == "now" else text, findings)


def _read(path: Path) -> bytes:
    try:
        return read_regular(path, _LARGEST)
    except OSError as error:
        raise Environment(f"{path} cannot be read: {error.strerror}", where=str(path)) from error


def _document_side(path: Path, content: bytes, findings: bool) -> GraphSide:
    try:
        graph = read_graph(content)
    except NotAGraph as error:
        raise Usage(
            f"{path.name} is no graph: {error}", where=str(path), remedy=f"give a graph.json or {FORMS}"
        ) from None
    diagnostics = None
    name = f"{_DIAGNOSTICS}.json"
    beside = path.with_name(name)
    place = beside if beside.is_file() else path.parent.parent / _DIAGNOSTICS / name
    if findings and place.is_file():
        diagnostics = _mapping(_read(place))
    return GraphSide(graph, {}, diagnostics, None)


def graph_of_ledger(context: Context, at: str, findings: bool, *, cached: bool = True) -> GraphSide:
    """The graph of the context's ledger at a moment. Raises Usage for what is no moment.

    With `cached` the snapshots that are kept with the ledger are used, and renewed.
    """
    with open_ledger(context) as ledger:
        moment = resolve(context, ledger, at)
        names = ["graph", "records", *([_DIAGNOSTICS] if findings and _DIAGNOSTICS in ALL else [])]
        head = ledger.head().seq
        until = None if moment.seq == head else moment.seq
        cache = ledger.cache / "folds" if cached else None
        folded = fold(ledger.journal, ALL, names, until=until, cache=cache)
        graph = read_graph(whole(folded.artifacts("graph")["graph.json"]))
        lineage = _mapping(whole(folded.artifacts("records")["lineage.json"])) or {}
        diagnostics = None
        if _DIAGNOSTICS in names:
            diagnostics = _mapping(whole(folded.artifacts(_DIAGNOSTICS)[f"{_DIAGNOSTICS}.json"]))
        return GraphSide(graph, lineage.get("successors", {}), diagnostics, moment.seq)


def whole(content: Content) -> bytes:
    """The bytes of an artifact."""
    return content if isinstance(content, bytes) else b"".join(content)


def _mapping(content: bytes) -> Mapping[str, Any] | None:
    try:
        return msgspec.json.decode(content, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
