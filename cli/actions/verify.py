"""`t2c ledger verify`: chain, schema and domain put together; it never writes (journal-engine §4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

import orjson

from t2c.cli.actions.context import Context
from t2c.cli.actions.opening import open_ledger
from t2c.ledger.audit.domain import DomainAudit
from t2c.ledger.audit.schema import SchemaAudit
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import T2cError
from t2c.ledger.events.catalogue import CATALOGUE
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.journal.verify import ChainReport, Fault, verify_chain
from t2c.projections import store
from t2c.projections.fold import fold
from t2c.projections.registry import ALL

if TYPE_CHECKING:
    from t2c.ledger.audit.published import PublishedAudit

__all__ = ["LEVELS", "Level", "VerifyResult", "names_event", "verify"]

Level = Literal["chain", "schema", "domain"]
LEVELS: Final = ("chain", "schema", "domain")

_NO_ANCHOR: Final = (
    "no checkpoint or anchor was given: truncation of the tail and a chain made anew cannot be detected"
)
_LAST: Final = "the last event is vouched for by its own id only, which a forger can make anew"
_NOT_SCHEMA: Final = "payloads were not checked against their types (--level schema)"
_NOT_DOMAIN: Final = "references between events, objects and projections were not checked (--level domain)"


@dataclass(frozen=True, slots=True)
class VerifyResult:
    """`ok` if nothing is wrong. `root` is the Merkle root over all events in their place, `head` the last hash.

    `faults` is complete and in the order of `seq`; `unproven` says in words what was not shown.
    """

    schema: ClassVar[str] = "t2c.verify/v1"
    ok: bool
    level: Level
    ledger: str | None
    events: int
    root: str
    head: str
    faults: Sequence[Mapping[str, Any]]
    unproven: Sequence[str]
    unknown: Mapping[str, int]
    stale: Sequence[str]


def verify(context: Context, level: Level = "chain", published: bool = False) -> VerifyResult:
    """Check the whole journal at a level; each level holds the ones before it.

    `published` also checks each event against the JSON Schemas that are shipped, from level `schema` on. Raises Usage if there is no ledger, Environment if it cannot be read.
    """
    with open_ledger(context) as ledger:
        if published and level == "chain":
            level = "schema"
        audit = _Audit(ledger, level, published)
        report = verify_chain(
            ledger.journal.path,
            visit=None if level == "chain" else audit.visit,
            progress=lambda done, size: context.progress("verify", done, size),
        )
        faults = [*report.faults, *audit.finish()]
        unproven = [_NO_ANCHOR, _LAST]
        stale: list[str] = []
        if level == "chain":
            unproven.append(_NOT_SCHEMA)
        if level != "domain":
            unproven.append(_NOT_DOMAIN)
        else:
            found, stale = _projections(context, ledger, report)
            faults += found
        if audit.unknown:
            count = sum(audit.unknown.values())
            are = "1 event is of a type" if count == 1 else f"{count} events are of types"
            unproven.append(f"{are} this version does not know")
        return VerifyResult(
            ok=not faults,
            level=level,
            ledger=_ledger_id(ledger),
            events=report.events,
            root=report.root,
            head=report.position.hash,
            faults=[
                {"seq": fault.seq, "kind": fault.kind, "detail": fault.detail} for fault in sorted(faults)
            ],
            unproven=unproven + audit.unproven,
            unknown=dict(sorted(audit.unknown.items())),
            stale=stale,
        )


class _Audit:
    """Schema and domain over one parse of each line."""

    def __init__(self, ledger: Ledger, level: Level, published: bool) -> None:
        self._schema = SchemaAudit(CATALOGUE)
        self._published = _published() if published else None
        self._domain = DomainAudit(ledger.objects.has) if level == "domain" else None
        self._unreadable: list[Fault] = []
        self.unproven: list[str] = []
        self.unknown = self._schema.unknown

    def visit(self, seq: int, line: bytes) -> None:
        try:
            event = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            self._unreadable.append(Fault(seq, "schema", f"the line is not plain JSON: {error}"))
            return
        self._schema.visit(seq, line, event)
        if self._published is not None:
            self._published.visit(seq, event)
        if self._domain is not None:
            self._domain.visit(seq, event)

    def finish(self) -> list[Fault]:
        faults = [*self._unreadable, *self._schema.faults]
        if self._published is not None:
            faults += self._published.faults
        if self._domain is not None:
            self.unproven = self._domain.finish()
            faults += self._domain.faults
        return faults


def _published() -> PublishedAudit:
    from t2c.ledger.audit.published import PublishedAudit  # jsonschema takes as long to load as all else here

    return PublishedAudit()


def _ledger_id(ledger: Ledger) -> str | None:
    try:
        return ledger.id()
    except T2cError:
        return None


def _projections(context: Context, ledger: Ledger, report: ChainReport) -> tuple[list[Fault], list[str]]:
    """Compare what is on disk with folds at the `seq` each folder names.

    Older views are stale, not faults, and so are those of another history, which a checkout leaves behind.
    """
    faults: list[Fault] = []
    stale: set[str] = set()
    by_seq: dict[int, list[str]] = {}
    for name in ALL:
        manifest = store.manifest(context.workspace, name)
        if manifest is None:
            if (context.workspace / "projections" / name).exists():
                faults.append(Fault(0, "projection", f"projections/{name} has no projection.json of t2c's"))
        elif not 1 <= manifest.seq <= report.position.seq:
            stale.add(name)
        else:
            by_seq.setdefault(manifest.seq, []).append(name)
            if manifest.seq < report.position.seq:
                stale.add(name)
    # In a chain with faults a fold would show the faults again, not whether a view is the journal's.
    for seq, names in () if report.faults else by_seq.items():
        try:
            faults += _differences(context, ledger, seq, names, stale)
        except T2cError as error:
            where = "" if error.where is None else f" ({error.where})"
            detail = f"{', '.join(names)} cannot be compared with the journal: {error.what}{where}"
            faults.append(Fault(0, "projection", detail))
    return faults, sorted(stale)


def _differences(
    context: Context, ledger: Ledger, seq: int, names: Sequence[str], stale: set[str]
) -> list[Fault]:
    """How views that name event `seq` differ from its fold; adds to `stale` those that are not of this journal."""
    ours: list[str] = []
    for name in names:
        manifest = store.manifest(context.workspace, name)
        if manifest is not None and names_event(ledger.journal, manifest):
            ours.append(name)
        else:
            stale.add(name)
    if not ours:
        return []
    faults: list[Fault] = []
    folded = fold(ledger.journal, ALL, ours, until=seq)
    for name in ours:
        for mismatch in store.check(context.workspace, folded.provenance(name), folded.artifacts(name)):
            if mismatch.kind == "stale":
                stale.add(name)
            else:
                faults.append(Fault(seq, "projection", f"{mismatch.path} {mismatch.detail}"))
    return faults


def names_event(journal: JournalFile, manifest: store.Manifest) -> bool:
    """True if `projection.json` names an event of this journal, by seq and by hash. Raises what reading raises."""
    position = journal.position(manifest.seq)
    return position is not None and position.hash == manifest.head
