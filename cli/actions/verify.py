"""`t2c ledger verify`: chain, schema and domain put together; it never writes (journal-engine §4)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

import orjson

from t2c.cli.actions.context import Context
from t2c.cli.actions.gathering import Given, Vouchers, anchor_kinds, gather
from t2c.cli.actions.opening import open_ledger
from t2c.cli.actions.roots import TREE, Roots
from t2c.cli.actions.vouching import weigh
from t2c.ledger.anchors.base import Judgement
from t2c.ledger.approvals.signatures import approval_problem
from t2c.ledger.audit.domain import DomainAudit
from t2c.ledger.audit.payloads import PayloadAudit
from t2c.ledger.audit.schema import SchemaAudit
from t2c.ledger.engine import JOURNAL, Ledger
from t2c.ledger.errors import T2cError, Usage
from t2c.ledger.events.catalogue import CATALOGUE
from t2c.ledger.journal.proofs import EMPTY_ROOT
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.journal.verify import ChainReport, Fault, Prefix, verify_chain
from t2c.projections import store
from t2c.projections.fold import fold
from t2c.projections.registry import ALL

if TYPE_CHECKING:
    from t2c.ledger.audit.published import PublishedAudit

__all__ = ["LEVELS", "Given", "Level", "VerifyResult", "anchor_kinds", "names_event", "verify"]

Level = Literal["chain", "schema", "domain"]
LEVELS: Final = ("chain", "schema", "domain")

_NOT_SCHEMA: Final = "payloads were not checked against their types (--level schema)"
_NOT_DOMAIN: Final = "references between events, objects and projections were not checked (--level domain)"
_PROCESSES: Final = 2


@dataclass(frozen=True, slots=True)
class VerifyResult:
    """`ok` if nothing is wrong. `root` is the Merkle root over all events in their place, `head` the last hash.

    `faults` is complete and in the order of `seq`; `unproven` says in words what was not shown. `verdict` is what
    faults and anchors show together, `reasons` are the sentences of the anchors, the gravest first. Events up to
    `trusted` were not read, since a checkpoint or an earlier verify vouches for them. `notices` tell of what was
    left aside.
    """

    schema: ClassVar[str] = "t2c.verify/v1"
    ok: bool
    verdict: Literal["sound", "faulty", "truncated", "rolled_back", "forked"]
    level: Level
    ledger: str | None
    events: int
    root: str
    head: str
    faults: Sequence[Mapping[str, Any]]
    reasons: Sequence[str]
    anchors: Sequence[Mapping[str, object]]
    trusted: int
    unproven: Sequence[str]
    unknown: Mapping[str, int]
    stale: Sequence[str]
    notices: Sequence[str]


def verify(
    context: Context, level: Level = "chain", published: bool = False, given: Given | None = None
) -> VerifyResult:
    """Check the whole journal at a level; each level holds the ones before it.

    `published` also checks each event against the JSON Schemas that are shipped, from level `schema` on. `given` is
    what the journal is compared with; then no cache is asked, but for the nodes of a checkpoint that is trusted.
    Raises Usage if there is no ledger or a checkpoint is none of this ledger's,
    Environment if something cannot be read.
    """
    given = given or Given()
    if published and level == "chain":
        level = "schema"
    if given.since and (level != "chain" or not given.checkpoints):
        raise Usage(
            "--since-checkpoint trusts a checkpoint for the events before it, at level chain",
            remedy="give --checkpoint FILE, and no other level",
        )
    if (given.checkpoints or given.kinds) and not (context.workspace / JOURNAL).exists():
        return _nothing_there(context, level, given)
    cached = (given.plain or given.since) and not given.full
    with open_ledger(context) as ledger, closing(Roots(ledger, cached=cached)) as roots:
        audit = _Audit(ledger, level, published)
        identity = _ledger_id(ledger)
        vouchers = gather(context, identity, given)
        prefix = _prefix(vouchers, roots) if given.since else None
        report = verify_chain(
            ledger.journal,
            visit=None if level == "chain" else audit.visit,
            progress=lambda done, size: context.progress("verify", done, size),
            sizes=roots.sizes_for(anchor.checkpoint.size for anchor in vouchers.anchors),
            processes=min(_PROCESSES, os.cpu_count() or 1),
            cache=ledger.cache / "sealed" if given.plain and cached else None,
            after=prefix,
        )
        roots.learn(report, whole=level == "domain")
        vouching = weigh(vouchers, report, roots, ledger.journal)
        faults = [*report.faults, *vouchers.faults, *audit.finish(roots)]
        stale: list[str] = []
        if level == "domain":
            found, stale = _projections(context, ledger, report)
            faults += found
        notices = list(vouchers.notices)
        if given.since and prefix is None:
            notices.append("no tree is kept that reaches the checkpoint and fits it, so everything was read")
        if roots.disagreement is not None:
            stale.append(TREE)
            notices.append(
                f"{TREE} is not the tree of this journal: {roots.disagreement}; the next proof makes it anew"
            )
        if audit.unknown:
            audit.unproven.insert(0, _unknown(sum(audit.unknown.values())))
        return VerifyResult(
            ok=not faults and vouching.judgement.verdict == "sound",
            verdict=_verdict(vouching.judgement, faults),
            level=level,
            ledger=identity,
            events=report.events,
            root=report.root,
            head=report.position.hash,
            faults=[
                {"seq": fault.seq, "kind": fault.kind, "detail": fault.detail} for fault in sorted(faults)
            ],
            reasons=vouching.judgement.sentences,
            anchors=vouching.anchors,
            trusted=report.trusted,
            unproven=[*vouching.unproven, *_unread(report, prefix), *_left_out(level), *audit.unproven],
            unknown=dict(sorted(audit.unknown.items())),
            stale=sorted(stale),
            notices=notices,
        )


def _nothing_there(context: Context, level: Level, given: Given) -> VerifyResult:
    """The verdict on a journal that is gone, for somebody who holds a checkpoint of it."""
    vouchers = gather(context, None, given, gone=True)
    report = ChainReport(root=EMPTY_ROOT.hex(), faults=[Fault(1, "empty", "the journal is not there")])
    vouching = weigh(vouchers, report, lambda sizes: {}, None)
    faults = [*report.faults, *vouchers.faults]
    return VerifyResult(
        ok=False,
        verdict=_verdict(vouching.judgement, faults),
        level=level,
        ledger=vouchers.ledger,
        events=0,
        root=report.root,
        head=report.position.hash,
        faults=[{"seq": fault.seq, "kind": fault.kind, "detail": fault.detail} for fault in sorted(faults)],
        reasons=vouching.judgement.sentences,
        anchors=vouching.anchors,
        trusted=0,
        unproven=vouching.unproven,
        unknown={},
        stale=[],
        notices=vouchers.notices,
    )


def _verdict(
    judgement: Judgement, faults: Sequence[Fault]
) -> Literal["sound", "faulty", "truncated", "rolled_back", "forked"]:
    if judgement.verdict != "sound":
        return judgement.verdict
    return "faulty" if faults else "sound"


def _prefix(vouchers: Vouchers, roots: Roots) -> Prefix | None:
    """What the greatest of the given checkpoints vouches for."""
    given = [anchor.checkpoint for anchor in vouchers.anchors if anchor.strength == "given"]
    return roots.prefix(max(given, key=lambda checkpoint: checkpoint.size)) if given else None


def _unread(report: ChainReport, prefix: Prefix | None) -> Iterator[str]:
    if prefix is not None:
        yield f"events up to seq {report.trusted:,} were not read: the checkpoint says what they were, not that they are"
    elif report.trusted:
        yield (
            f"events up to seq {report.trusted:,} were not read again: cache/sealed says that an earlier verify proved"
            " them, and that their files are as they were then (--full reads them)"
        )


def _left_out(level: Level) -> Iterator[str]:
    if level == "chain":
        yield _NOT_SCHEMA
    if level != "domain":
        yield _NOT_DOMAIN


def _unknown(count: int) -> str:
    are = "1 event is of a type" if count == 1 else f"{count} events are of types"
    return f"{are} this version does not know"


class _Audit:
    """Schema and domain over one parse of each line."""

    def __init__(self, ledger: Ledger, level: Level, published: bool) -> None:
        self._schema = SchemaAudit(CATALOGUE)
        self._published = _published() if published else None
        self._payloads = PayloadAudit(ledger.objects.payload)
        objects = ledger.objects
        self._domain = (
            DomainAudit(
                objects.has,
                payloads=self._payloads,
                read=objects.get,
                intact=objects.intact,
                signed=approval_problem,
            )
            if level == "domain"
            else None
        )
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
        if "data_hash" in event and (stored := self._payloads.open(seq, event)) is not None:
            data = self._payloads.parsed(seq, stored)
            if data is not None:
                self._schema.payload(seq, event, data, stored)
                event["data"] = data
        if self._domain is not None:
            self._domain.visit(seq, event)

    def finish(self, roots: Roots) -> list[Fault]:
        faults = [*self._unreadable, *self._schema.faults]
        if self._published is not None:
            faults += self._published.faults
        if self._domain is not None:
            self.unproven = self._domain.finish(roots)
            faults += self._domain.faults
        return [*faults, *self._payloads.faults]


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
