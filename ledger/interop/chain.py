"""Foreign facts as a chain of their own, so that they can be taken in as the events of another ledger are.

What another system wrote has no chain. It is given one that is made of the bytes read and of nothing else: the ledger's
id, the times, the lines. So the same bytes are the same chain; taking them in twice appends nothing; whoever has the
bytes can make the chain again and compare it with the closing `journal.merged`. Its events bear an origin, so no scan
retracts a foreign record, none of ours is confused with one, and no view counts it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
import orjson

from t2c.ledger.events.base import Payload
from t2c.ledger.events.draft import MAX_RUN, EventDraft
from t2c.ledger.events.evidence import RecordObserved, RelationLinked
from t2c.ledger.events.journal import JournalOpened
from t2c.ledger.events.runs import RunFinished, RunStarted, StageFinished
from t2c.ledger.events.statements import ObservationNoted
from t2c.ledger.interop.event_log import Event, EventLog
from t2c.ledger.interop.foreign import MAX_PAYLOAD, Foreign, ForeignRecord
from t2c.ledger.journal.chain import seal
from t2c.ledger.kernel.actor import Actor, Trust
from t2c.ledger.kernel.canon import canonical
from t2c.ledger.kernel.clock import rfc3339
from t2c.ledger.kernel.digests import ZERO
from t2c.ledger.redaction.funnel import Funnel

__all__ = ["Chain", "chain_of", "write_chain"]

_EPOCH: Final = "1970-01-01T00:00:00.000Z"
_FORM: Final = 1
"""Raised when the same bytes make another chain than before."""
_WARNINGS: Final = 100
_LONGEST: Final = 1_000
"""Warnings of a manifest that are kept, and characters of each."""
_UNKNOWN: Final = "unknown"
_unfit: Final = re.compile(r"[^A-Za-z0-9._@+/-]")
_STATUS: Final = {"succeeded": "succeeded", "degraded": "partial", "failed": "failed", None: "succeeded"}


class Chain(NamedTuple):
    """A chain before it is written: the id of its ledger, its one moment, its events behind the first.

    `masked` counts, by kind, the secrets that stood in what was read.
    """

    ledger: str
    tool: str
    run: str
    ts: str
    drafts: Sequence[EventDraft]
    masked: Counter[str]


def chain_of(foreign: Foreign, funnel: Funnel) -> Chain:
    """Everything that was read as events, without the secrets in it.

    A record in which a secret cannot be masked is refused (`foreign.refused`).
    """
    seed = canonical({"files": foreign.files, "form": _FORM})
    ledger = sha256(b"t2c foreign facts\x00" + seed).hexdigest()[:32]
    runtime = None if foreign.manifest is None else foreign.manifest.runtime
    tool = _UNKNOWN if runtime is None else f"{runtime.name} {runtime.version}"
    run = f"import-{ledger[:16]}" if foreign.manifest is None else foreign.manifest.runId
    maker = _Maker(foreign, funnel, _actor("helper", _UNKNOWN if runtime is None else runtime.name), run)
    return Chain(ledger, tool, run, _moment(foreign), tuple(maker.drafts(tool)), maker.masked)


def write_chain(chain: Chain, path: Path) -> None:
    """Write the lines of a chain to a new file, the genesis event first."""
    opened = JournalOpened(ledger=chain.ledger, format=1, hash="sha-256", tool=chain.tool[:200], key=None)
    first = EventDraft(opened.type, opened.v, opened.encode(), _actor("helper", chain.tool), "imported")
    prev = ZERO
    with path.open("xb") as stream:
        for seq, draft in enumerate((first, *chain.drafts), 1):
            made = seal(draft, seq=seq, prev=prev, ts=chain.ts, cause=(), batch=None)
            stream.write(made.line + b"\n")
            prev = made.hash


class _Maker:
    def __init__(self, foreign: Foreign, funnel: Funnel, tool: Actor, run: str) -> None:
        self._foreign = foreign
        self._funnel = funnel
        self._tool = tool
        self._run = funnel.mask(run).text[:MAX_RUN]
        self.masked: Counter[str] = Counter()

    def drafts(self, tool: str) -> Iterator[EventDraft]:
        foreign = self._foreign
        appended: Counter[str] = Counter()
        for item in self._facts(tool):
            appended[item.type] += 1
            yield item
        manifest = foreign.manifest
        if manifest is not None:
            for name, stage in sorted((manifest.stages or {}).items()):
                counts = {"records": stage.recordCount, "warnings": stage.warningCount}
                yield self._draft(
                    StageFinished(stage=name, status=stage.status, counts=counts, detail=stage.said)
                )
        status = None if manifest is None else manifest.status
        failure = None if manifest is None else manifest.failure
        detail = None if failure is None else f"{failure.stage}: {failure.code}: {failure.message[:_LONGEST]}"
        ended = RunFinished(status=_STATUS[status], appended=dict(appended), detail=detail)  # type: ignore[arg-type]
        yield self._draft(ended)

    def _facts(self, tool: str) -> Iterator[EventDraft]:
        foreign = self._foreign
        manifest = foreign.manifest
        options: dict[str, object] = {"files": foreign.files, "fingerprint": foreign.fingerprint}
        if manifest is not None:
            options |= {
                "createdAt": manifest.createdAt,
                "status": manifest.status,
                "warnings": [text[:_LONGEST] for text in manifest.warnings[:_WARNINGS]],
                "moreWarnings": max(0, len(manifest.warnings) - _WARNINGS),
            }
        started = {
            "verb": "import", "requested_by": str(self._tool), "tool": tool[:200], "revision": None, "branch": None,
            "options": options,
        }  # fmt: skip
        yield self._draft(RunStarted.model_validate_json(canonical(started)))
        for identity in sorted(foreign.records):
            record = foreign.records[identity]
            payload = self._record(record)
            if payload is not None:
                by = self._tool if record.model is None else _actor("agent", record.model)
                yield self._event(RecordObserved, payload, by, "asserted" if record.said else "imported")
        for payload in foreign.relations:
            yield self._event(RelationLinked, self._clean(payload), self._tool, "imported")
        if foreign.log is not None:
            for event in foreign.log.events:
                yield self._noted(foreign.log, event)

    def _noted(self, log: EventLog, event: Event) -> EventDraft:
        fact = event.fact
        told = {
            "streamId": log.stream_id,
            "sequence": event.sequence,
            **msgspec.structs.asdict(fact),
            "event_digest": event.event_digest,
        }
        noted = {
            "statement": f"{fact.type}: {fact.outcome}",
            "subject": fact.subject_id,
            "metadata": {"eventLog": told},
        }
        kind, trust = _SPEAKERS[fact.trust_class]
        payload = ObservationNoted.model_validate_json(canonical(noted)).encode()
        return self._event(ObservationNoted, self._clean(payload), _actor(kind, fact.actor_id), trust)

    def _record(self, record: ForeignRecord) -> bytes | None:
        """The payload without secrets, its excerpt and the hash of that in step; None, and a refusal, if none is left."""
        payload = self._clean(record.payload)
        if payload is record.payload:
            return payload
        body = orjson.loads(payload)
        source = body["record"]["source"]
        if source["rawExcerpt"] is not None:
            source["contentHash"] = sha256(source["rawExcerpt"].encode()).hexdigest()
        with suppress(ValueError):
            payload = RecordObserved.decode(canonical(body)).encode()
            if len(payload) <= MAX_PAYLOAD:
                return payload
        self._foreign.refuse(record.file, record.line, "a secret stands where it cannot be masked")
        return None

    def _draft(self, payload: Payload) -> EventDraft:
        return self._event(type(payload), self._clean(payload.encode()), self._tool, "imported")

    def _event(self, kind: type[Payload], payload: bytes, by: Actor, trust: Trust) -> EventDraft:
        return EventDraft(kind.type, kind.v, payload, by, trust, run=self._run)

    def _clean(self, payload: bytes) -> bytes:
        if self._funnel.clean(payload.decode()):
            return payload
        content, findings = self._funnel.mask_json(payload)
        if not findings:
            return payload
        self.masked.update(findings)
        return content


_SPEAKERS: Final[dict[str, tuple[str, Trust]]] = {
    "SYSTEM_FACT": ("helper", "imported"),
    "HUMAN_DECISION": ("human", "imported"),
    "TRUSTED_ATTESTATION": ("host_adapter", "imported"),
    "ADVISORY_INFERENCE": ("agent", "asserted"),
}
"""Who speaks in an event of each trust class, and how far it is trusted here (decisions A12)."""


def _actor(kind: str, name: str) -> Actor:
    """An actor whose id is the name, as far as ids can hold it."""
    plain = _unfit.sub("-", name).lstrip("._@+/-")[:128]
    return Actor(kind, plain or _UNKNOWN)  # type: ignore[arg-type]


def _moment(foreign: Foreign) -> str:
    """When it was made, as the files say; the first moment of 1970 if none says it."""
    said = [
        None if foreign.manifest is None else foreign.manifest.createdAt,
        foreign.generated_at,
        None if foreign.log is None else foreign.log.generated_at,
    ]
    for text in said:
        if text is not None:
            try:
                return rfc3339(datetime.fromisoformat(text))
            except (ValueError, OverflowError):
                continue
    return _EPOCH
