"""The labelled cases: their shape, the records in them as extractors make them, and the journal of a case."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any, Final, get_args

import msgspec

from t2c.ledger.events.draft import EventDraft
from t2c.ledger.events.evidence import Relation, RelationLinked, Signal
from t2c.ledger.events.record import RelationType
from t2c.ledger.intake.base import Draft, Reading, Scope, materialise
from t2c.ledger.journal.chain import seal
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.kernel.actor import SCANNER
from t2c.ledger.kernel.canon import canonical
from t2c.ledger.kernel.clock import rfc3339
from t2c.ledger.kernel.digests import ZERO
from t2c.ledger.linking import linker
from t2c.ledger.linking.base import LinkDraft
from t2c.projections.base import Inputs
from t2c.projections.diagnostics import findings_of
from t2c.projections.fold import fold
from t2c.projections.registry import ALL

__all__ = [
    "TYPES",
    "About",
    "DiagnosticsCase",
    "Edge",
    "LinkingCase",
    "bodies",
    "datasets",
    "diagnostics_cases",
    "drawn_between",
    "found_in",
    "linking_cases",
]  # fmt: skip

FOLDER: Final = Path(__file__).resolve().parents[1] / "data" / "gold"
TYPES: Final[tuple[str, ...]] = get_args(RelationType)
SYMMETRIC: Final = frozenset({"contradicts", "duplicates", "same_as"})
GRAPH: Final = "graph"
OF_RUNS: Final = frozenset({"run.started", "stage.finished", "degradation.noted"})
_FIRST: Final = datetime(2026, 6, 1, 10, 0, tzinfo=UTC)

Row = Mapping[str, Any]


class Edge(msgspec.Struct, frozen=True, rename={"source": "from"}, omit_defaults=True):
    """Two labels and a type of relation; no type means any."""

    source: str
    to: str
    type: str | None = None

    @property
    def key(self) -> tuple[str, str, str | None]:
        """The same for both directions where a type has none."""
        ends = sorted((self.source, self.to)) if self.type in SYMMETRIC else (self.source, self.to)
        return ends[0], ends[1], self.type

    def is_between(self, one: str, other: str, kind: str) -> bool:
        """Whether a relation is one of this pair, in either direction."""
        return {self.source, self.to} == {one, other} and self.type in (None, kind)


class About(msgspec.Struct, frozen=True):
    """A code, and the label of the record that it is about."""

    record: str
    code: str


class LinkingCase(msgspec.Struct, frozen=True, omit_defaults=True):
    """Records and the relations between them."""

    id: str
    origin: str
    split: str
    records: tuple[dict[str, Any], ...]
    expected: tuple[Edge, ...] = ()
    forbidden: tuple[Edge, ...] = ()
    allowed: tuple[Edge, ...] = ()
    knownGap: str | None = None


class DiagnosticsCase(msgspec.Struct, frozen=True, omit_defaults=True):
    """Records and what is to be found. `before` are the records of an earlier scan; the rest are events of the run."""

    id: str
    origin: str
    split: str
    records: tuple[dict[str, Any], ...]
    before: tuple[dict[str, Any], ...] = ()
    omissions: tuple[dict[str, Any], ...] = ()
    stages: tuple[dict[str, Any], ...] = ()
    degradations: tuple[dict[str, Any], ...] = ()
    expected: tuple[About, ...] = ()
    forbidden: tuple[About, ...] = ()
    knownGap: str | None = None


class Dataset(msgspec.Struct, frozen=True):
    """One file of cases."""

    name: str
    description: str
    linking: tuple[LinkingCase, ...] = ()
    diagnostics: tuple[DiagnosticsCase, ...] = ()


def datasets(folder: Path = FOLDER) -> tuple[Dataset, ...]:
    """All files of cases, by name."""
    decode = msgspec.json.Decoder(Dataset, strict=True).decode
    return tuple(decode(path.read_bytes()) for path in sorted(folder.glob("*.json")))


def linking_cases() -> tuple[LinkingCase, ...]:
    """All cases of all files."""
    return tuple(case for one in datasets() for case in one.linking)


def diagnostics_cases() -> tuple[DiagnosticsCase, ...]:
    """All cases of all files."""
    return tuple(case for one in datasets() for case in one.diagnostics)


_CLAIM: Final = {"class": "claim", "status": "released", "confidence": 0.92, "modality": "claimed"}
_FACT: Final = {"class": "fact", "status": "implemented", "confidence": 1.0, "modality": "observed"}
_TOLD: Final = {"class": "declaration", "status": "proposed", "confidence": 0.62}
DEFAULTS: Final[Mapping[str, Row]] = {
    "changelog_entry": _CLAIM,
    "changelog_release": {**_CLAIM, "action": "release"},
    "commit_intent_claim": {**_CLAIM, "status": "implemented", "confidence": 0.86},
    "git_tag_fact": {**_FACT, "status": "released", "action": "release"},
    "module_dependency_fact": {**_FACT, "action": "depend_on"},
    "module_fact": {**_FACT, "action": "declare"},
    "symbol_fact": {**_FACT, "action": "declare"},
    "documentation_statement": _TOLD,
    "todo_item": {"class": "plan", "status": "planned", "confidence": 0.9, "modality": "required"},
    "comment_marker": {"class": "plan", "status": "planned", "confidence": 0.9, "modality": "required"},
}
"""What a record of a kind has where its case does not say otherwise."""
FIELDS: Final = tuple(name for name in Draft.__struct_fields__ if name != "kind")


def draft_of(row: Row) -> Draft:
    """The draft that an extractor would make: what the case says, else what is usual for its kind."""
    given = {**DEFAULTS.get(row["kind"], {}), **row}
    given["cls"] = given.pop("class")
    for name in ("label", "sourceKind"):
        given.pop(name)
    given.setdefault("object", given["text"])
    given.setdefault("action", "unknown")
    given.setdefault("basis", ("gold",))
    unknown = given.keys() - set(Draft.__struct_fields__) - {"path"}
    if unknown:
        raise ValueError(f"{row['label']}: a draft has no {', '.join(sorted(unknown))}")
    given.pop("path", None)
    listed = ("basis", "trail", "lines", "paths", "symbols", "tickets", "versions")
    return Draft(
        **{
            name: tuple(value) if name in listed and value is not None else value
            for name, value in given.items()
        }
    )


def bodies(records: Iterable[Row]) -> dict[str, bytes]:
    """Label → canonical record; all records of one file are one reading."""
    found: dict[str, bytes] = {}
    place = lambda row: (row["sourceKind"], row.get("path") or "")
    for (source, path), rows in groupby(sorted(records, key=place), key=place):
        of_file = list(rows)
        reading = Reading(Scope(source, path or None), "t2c/gold@1", tuple(map(draft_of, of_file)))
        for row, made in zip(of_file, materialise(reading), strict=True):
            found[row["label"]] = made.body
    return found


def identities(held: Mapping[str, bytes]) -> dict[str, str]:
    """Record id → label."""
    return {msgspec.json.decode(body)["id"]: label for label, body in held.items()}


def drawn_between(held: Mapping[str, bytes]) -> list[tuple[Edge, LinkDraft]]:
    """What the linker relates."""
    labels = identities(held)
    return [
        (Edge(labels[one.source], labels[one.target], one.type), one)
        for one in linker.link(held.values()).relations
    ]


def found_in(case: DiagnosticsCase) -> set[tuple[str, str]]:
    """(label or `graph`, code) of each finding: fold a journal of the case's records and of the relations drawn."""
    labels = {**identities(bodies(case.before)), **identities(bodies(case.records))}
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "journal.ndjson"
        path.write_bytes(b"".join(line + b"\n" for line in _journal(case)))
        folded = fold(JournalFile(path), ALL, ["diagnostics"])
        findings = findings_of(Inputs(folded.ts or "", folded.states, folded.made))
    if any(folded.faults.values()):
        raise ValueError(f"{case.id}: {folded.faults}")
    return {
        (labels[record] if record != GRAPH else GRAPH, one.code)
        for one in findings
        for record in (one.records or (GRAPH,))
    }


def _journal(case: DiagnosticsCase) -> Iterator[bytes]:
    """Lines of a journal: the earlier scan, a month, the scan."""
    opened = {"ledger": "0" * 32, "format": 1, "hash": "sha-256", "tool": "t2c 0", "key": None}
    events: list[tuple[str, Any, int]] = [("journal.opened", opened, 0)]
    standing: dict[str, bytes] = {}
    linked: set[str] = set()
    for day, records in ((0, case.before), (30, case.records)):
        if not records and not day:
            continue
        held = {
            identity: body
            for body in bodies(records).values()
            for identity in [msgspec.json.decode(body)["id"]]
        }
        drawn = {one.id: one for one in linker.link(held.values()).relations}
        for identity in sorted(linked - drawn.keys()):
            events.append(("relation.unlinked", {"id": identity, "why": "signal_gone"}, day))
        for identity in sorted(standing.keys() - held.keys()):
            gone = {"id": identity, "why": "absent", "superseded_by": None}
            events.append(("record.retracted", gone, day))
        for identity in sorted(held):
            if standing.get(identity) != held[identity]:
                events.append(("record.observed", b'{"record":' + held[identity] + b"}", day))
        for identity in sorted(drawn.keys() - linked):
            events.append(("relation.linked", _linked(drawn[identity]), day))
        standing, linked = held, set(drawn)
    for omission in case.omissions:
        events.append(
            ("omission.noted", {"path": None, "count": 1, "lines": [], "detail": "", **omission}, 30)
        )
    run = "20260701T100000Z-00000000" if case.stages or case.degradations else None
    if run:
        start = {"verb": "scan", "requested_by": "helper:scan", "tool": "t2c 0", "options": {}}
        events.append(("run.started", {**start, "revision": None, "branch": None}, 30))
    for stage in case.stages:
        events.append(("stage.finished", {"counts": {}, "detail": None, **stage}, 30))
    for degradation in case.degradations:
        events.append(("degradation.noted", degradation, 30))
    previous = ZERO
    for number, (kind, data, day) in enumerate(events):
        body = data if isinstance(data, bytes) else canonical(data)
        ts = rfc3339(_FIRST + timedelta(days=day, seconds=number))
        draft = EventDraft(kind, 1, body, SCANNER, "observed", run=run if kind in OF_RUNS else None)
        sealed = seal(draft, seq=number + 1, prev=previous, ts=ts, cause=(), batch=None)
        previous = sealed.hash
        yield sealed.line


def _linked(one: LinkDraft) -> bytes:
    body = {
        "id": one.id, "from": one.source, "to": one.target, "type": one.type,
        "confidence": one.confidence, "basis": one.basis,
    }  # fmt: skip
    seen = tuple(Signal(name=name, value=value) for name, value in one.signals)
    return RelationLinked(relation=Relation.model_validate(body), rule=one.rule, signals=seen).encode()
