"""Level `domain`: references exist, ids are what their content makes them, nothing is taken back that never stood.

Checks the chain's events against one another; what only a disk can tell (objects) is asked of the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from typing import Any

from t2c.ledger.audit import applies, approvals, calls, changes, gates, trials
from t2c.ledger.audit.answers import ACTS, HANDLED, AnswerAudit
from t2c.ledger.audit.checkpoints import CheckpointAudit, Roots
from t2c.ledger.audit.origins import OriginAudit
from t2c.ledger.audit.payloads import PayloadAudit
from t2c.ledger.audit.readings import ReadingAudit
from t2c.ledger.events.catalogue import CATALOGUE, Catalogue
from t2c.ledger.journal.verify import Fault
from t2c.ledger.kernel.canon import canonical
from t2c.ledger.kernel.ids import normalised, record_id, relation_id

__all__ = ["DomainAudit"]

Event = Mapping[str, Any]

_ITS_BRANCH_KNEW = frozenset({"not_standing", "record_unknown", "run_unknown"})
"""Kinds of faults that no event which was taken in can have: what it speaks of stood where it came from."""
_RESTS_ON_EARLIER = frozenset(
    {
        "answer_unknown",
        "apply_unknown",
        "approval_unknown",
        "call_unknown",
        "frozen_superseded",
        "gate_unknown",
        "key_unknown",
        "not_standing",
        "record_unknown",
        "run_unknown",
        "object_missing",
        "sealed_unknown",
        "variant_unknown",
    }
)
"""Kinds of faults that an earlier event, could it be read, might explain."""


class DomainAudit:
    """Checks one event after the other against what the events before it made stand."""

    def __init__(
        self,
        has_object: Callable[[str], bool],
        catalogue: Catalogue = CATALOGUE,
        payloads: PayloadAudit | None = None,
        read: trials.Read | None = None,
        intact: Callable[[str], bool] | None = None,
        signed: approvals.SignatureCheck | None = None,
    ) -> None:
        """`has_object` and `intact` say if an object is there, and if its bytes are those of its name; `signed` what is
        wrong with the signature of an approval."""
        self._has_object = has_object
        self._intact = intact
        self._payloads = payloads
        self._catalogue = catalogue
        self._events = OriginAudit(self._fault)
        self._checkpoints = CheckpointAudit(self._fault)
        self._answers = AnswerAudit(self._fault)
        self._readings = ReadingAudit(self._fault)
        self._calls = calls.CallAudit(self._fault)
        self._gates = gates.GateAudit(self._fault)
        self._trials = trials.TrialAudit(self._fault, self._answers.root_of, read)
        self._approvals = approvals.ApprovalAudit(self._fault, signed)
        self._applies = applies.ApplyAudit(self._fault, self._approvals)
        self._changes = changes.ChangeAudit(self._fault, read)
        self._elsewhere = False
        self._records: set[str] = set()
        self._known_records: set[str] = set()
        self._relations: dict[str, tuple[str, str]] = {}
        self._known_relations: set[str] = set()
        self._omissions: set[bytes] = set()
        self._runs: set[str] = set()
        self._redacted: set[str] = set()
        self._cited: set[str] = set()
        self._gone: dict[str, int] = {}
        self._missing_objects: list[tuple[int, str]] = []
        self._batch: tuple[int, int] | None = None
        self._ts = ""
        self._dangling = 0
        self._absent = 0
        self._newer = 0
        self._unexplained = 0
        self.faults: list[Fault] = []

    def visit(self, seq: int, event: Event) -> None:
        """Check one event. Anything that level `schema` would refuse is skipped here.

        Of a type or version that the catalogue does not know only the envelope is checked.
        """
        try:
            self._envelope(seq, event)
            data = event.get("data")
            if data is None:
                return
            if event["type"] == "llm.answered":
                self._readings.answered(event)
            check = _CHECKS.get(event["type"])
            if check is None:
                return
            if self._catalogue.knows(event["type"], event["v"]):
                check(self, seq, data, event)
            else:
                self._newer += 1
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            self._fault(seq, "unreadable", f"its meaning cannot be checked: {type(error).__name__} {error}")

    def finish(self, roots: Roots | None = None) -> list[str]:
        """What is left unproven, in sentences; objects that no redaction explains become faults.

        `roots` gives the journal's roots at the sizes that signed checkpoints name.
        """
        for seq, digest in self._missing_objects:
            if digest not in self._redacted:
                self._fault(seq, "object_missing", f"object {digest} is not there and no event redacts it")
        for digest, seq in self._gone.items():
            if self._has_object(digest):
                self._fault(
                    seq, "redaction_unfinished", f"object {digest} is still there though it is redacted"
                )
        self._elsewhere = False
        self._events.finish()
        unproven = []
        if (uncompared := self._checkpoints.finish(roots)) is not None:
            unproven.append(uncompared)
        if self._events.dangling:
            many = self._events.dangling
            lead = "1 reference leads" if many == 1 else f"{many} references lead"
            unproven.append(f"{lead} from events that were taken in to such that were not sent along")
        if self._absent:
            are = "1 object is" if self._absent == 1 else f"{self._absent} objects are"
            unproven.append(f"{are} cited by events of another ledger and not here")
        if self._dangling:
            speak = (
                "1 hand-made event speaks"
                if self._dangling == 1
                else f"{self._dangling} hand-made events speak"
            )
            unproven.append(f"{speak} of records or relations that this ledger does not hold")
        unproven += self._approvals.finish()
        if self._payloads is not None:
            unproven += self._payloads.finish()
        if self._unexplained:
            are = "1 reference was" if self._unexplained == 1 else f"{self._unexplained} references were"
            unproven.append(f"{are} not found and may rest on events of newer versions")
        return unproven

    def _fault(self, seq: int, kind: str, detail: str) -> None:
        if self._elsewhere and kind in _ITS_BRANCH_KNEW:
            return
        if self._newer and kind in _RESTS_ON_EARLIER:
            self._unexplained += 1
            return
        self.faults.append(Fault(seq, kind, detail))

    def _envelope(self, seq: int, event: Event) -> None:
        self._elsewhere = self._events.visit(seq, event)
        if event["ts"] < self._ts:
            self._fault(seq, "time_backwards", f"{event['ts']} is earlier than the event before it")
        self._ts = event["ts"]
        if event["trust"] == "observed" and event["actor"]["kind"] not in ("helper", "host_adapter"):
            self._fault(seq, "trust", f"{event['actor']['kind']} cannot say observed")
        self._follow_batch(seq, event.get("batch"))
        if event["type"] in ACTS:
            self._answers.acts(seq, event)

    def _follow_batch(self, seq: int, batch: Any) -> None:
        before, self._batch = self._batch, None
        if batch is not None:
            number, size = batch[0], batch[1]
            if not (isinstance(number, int) and isinstance(size, int)):
                raise TypeError(f"batch {batch!r}")
            self._batch = number, size
        open_before = before is not None and before[0] < before[1]
        continues = batch is not None and batch[0] > 1
        fits = before is not None and batch is not None and batch == [before[0] + 1, before[1]]
        if (open_before or continues) and not fits:
            self._fault(seq, "batch", "an atomic batch is broken here")

    def _opened(self, seq: int, data: Event, event: Event) -> None:
        if seq != 1:
            self._fault(seq, "second_genesis", "journal.opened stands inside the chain")
        else:
            self._checkpoints.opened(data)
            self._approvals.opened(data)

    def _registered(self, seq: int, data: Event, event: Event) -> None:
        self._checkpoints.registered(data, event)
        if not self._events.foreign:
            self._approvals.registered(seq, data)

    def _signed(self, seq: int, data: Event, event: Event) -> None:
        self._checkpoints.signed(seq, data, event)

    def _merged(self, seq: int, data: Event, event: Event) -> None:
        self._events.merged(seq, data, here=event.get("origin") is None)

    def _redact(self, seq: int, data: Event, event: Event) -> None:
        digest, cited = data["data_hash"], data["data_hash"] in self._cited
        self._redacted.add(digest)
        if cited and not self._events.foreign:
            self._gone[digest] = seq
        if self._payloads is None:
            return
        if event.get("origin") is not None:
            self._payloads.taken_in(seq, data, not self._events.foreign)
        else:
            self._payloads.redaction(seq, data, data["event"] in self._events, cited)

    def _observed(self, seq: int, data: Event, event: Event) -> None:
        record = data["record"]
        source, anchor = record["source"], record["metadata"].get("anchor")
        self._records.add(record["id"])
        self._known_records.add(record["id"])
        self._readings.observed(record)
        excerpt = source["rawExcerpt"]
        if excerpt is not None and sha256(excerpt.encode()).hexdigest() != source["contentHash"]:
            self._fault(seq, "content_hash", f"{record['id']}: contentHash is not that of rawExcerpt")
        if anchor is None:
            return
        key = source["revision"] or source["symbol"] or normalised(record["statement"]["text"])
        expected = record_id(
            source["kind"],
            source["path"],
            record["statement"]["kind"],
            anchor["trail"],
            key,
            anchor["ordinal"],
        )
        if expected != record["id"]:
            self._fault(seq, "record_id", f"{record['id']} is not the id of its content, {expected}")

    def _moved(self, seq: int, data: Event, event: Event) -> None:
        for move in data["moves"]:
            if move["id"] not in self._records:
                self._fault(seq, "not_standing", f"{move['id']} moved but does not stand")

    def _retracted(self, seq: int, data: Event, event: Event) -> None:
        if data["id"] not in self._records:
            self._fault(seq, "not_standing", f"{data['id']} is retracted but does not stand")
        self._records.discard(data["id"])
        successor = data["superseded_by"]
        if successor is not None and successor not in self._known_records:
            self._fault(seq, "record_unknown", f"successor {successor} is not in this ledger")

    def _interpreted(self, seq: int, data: Event, event: Event) -> None:
        if data["id"] not in self._known_records:
            self._fault(seq, "record_unknown", f"{data['id']} is interpreted but is not in this ledger")
        self._readings.interpreted(seq, data, event)

    def _drawn(self, seq: int, data: Event, event: Event) -> None:
        self._readings.drawn(seq, data, event, self._known_records)

    def _concluded(self, seq: int, data: Event, event: Event) -> None:
        self._readings.concluded(seq, data, event)

    def _linked(self, seq: int, data: Event, event: Event) -> None:
        relation = data["relation"]
        for end in ("from", "to"):
            if relation[end] not in self._records:
                self._fault(
                    seq, "not_standing", f"{relation['id']} ends in {relation[end]}, which does not stand"
                )
        if relation_id(relation["from"], relation["to"], relation["type"]) != relation["id"]:
            self._fault(seq, "relation_id", f"{relation['id']} is not the id of its ends and type")
        self._readings.linked(seq, data, event)
        self._relations[relation["id"]] = (relation["from"], relation["to"])
        self._known_relations.add(relation["id"])

    def _unlinked(self, seq: int, data: Event, event: Event) -> None:
        if self._relations.pop(data["id"], None) is None:
            self._fault(seq, "not_standing", f"{data['id']} is unlinked but does not stand")

    def _judged(self, seq: int, data: Event, event: Event) -> None:
        self._dangling += data["relation"] not in self._known_relations

    def _noted(self, seq: int, data: Event, event: Event) -> None:
        known = self._known_records, self._known_relations
        self._dangling += any(
            not (ref in self._events or ref in known[0] or ref in known[1]) for ref in data["about"]
        )
        self._rests_on(seq, data["objects"])

    def _rests_on(self, seq: int, digests: Iterable[str]) -> None:
        """Objects that an event cites must be there, or an event must say why they are gone."""
        cited = tuple(digests)
        fresh = [digest for digest in dict.fromkeys(cited) if digest not in self._cited]
        self._knows_of(*cited)
        missing = [digest for digest in cited if not self._has_object(digest)]
        for digest in (digest for digest in fresh if digest not in missing):
            if self._intact is not None and not self._intact(digest):
                self._fault(seq, "object_damaged", f"object {digest} does not hold the bytes of its name")
        if self._events.foreign:
            # Its own ledger may never have sent them: the merge said so.
            self._absent += len(missing)
        else:
            self._missing_objects += [(seq, digest) for digest in missing]

    def _knows_of(self, *digests: str) -> None:
        self._cited.update(digests)
        for digest in digests:
            self._gone.pop(digest, None)  # it was filed anew

    def _answer(self, seq: int, data: Event, event: Event) -> None:
        self._rests_on(seq, self._answers.visit(seq, data, event))
        if event["type"] == "approval.granted":
            self._knows_of(data["digest"])  # what was approved may be kept, or under another name
            if not self._events.foreign:
                self._trials.approved(data, event)
                self._approvals.granted(seq, data, event)

    def _approval(self, seq: int, data: Event, event: Event) -> None:
        if not self._events.foreign:  # one of another ledger says nothing about this one's keys and approvals
            self._approvals.visit(seq, data, event)

    def _apply(self, seq: int, data: Event, event: Event) -> None:
        self._applies.visit(seq, data, event)

    def _change(self, seq: int, data: Event, event: Event) -> None:
        self._rests_on(seq, self._changes.visit(seq, data, event))
        if event["type"] in changes.PROPOSING and not self._events.foreign:
            self._approvals.proposed(data)

    def _call(self, seq: int, data: Event, event: Event) -> None:
        self._rests_on(seq, self._calls.visit(seq, data, event))

    def _gate(self, seq: int, data: Event, event: Event) -> None:
        self._rests_on(seq, self._gates.visit(seq, data, event))
        if event["type"] == "gate.ran":
            self._trials.ran(data, event)
            self._changes.ran(data, event)

    def _trial(self, seq: int, data: Event, event: Event) -> None:
        self._rests_on(seq, self._trials.visit(seq, data, event))
        if event["type"] == "test.frozen" and not self._events.foreign:
            self._trials.froze(seq, data)

    def _omitted(self, seq: int, data: Event, event: Event) -> None:
        self._omissions.add(canonical([data["source"], data["path"], data["reason"]]))

    def _cleared(self, seq: int, data: Event, event: Event) -> None:
        key = canonical([data["source"], data["path"], data["reason"]])
        if key not in self._omissions:
            self._fault(seq, "not_standing", f"omission {key.decode()} is cleared but does not stand")
        self._omissions.discard(key)

    def _started(self, seq: int, data: Event, event: Event) -> None:
        self._runs.add(event.get("run") or "")

    def _in_run(self, seq: int, data: Event, event: Event) -> None:
        if event.get("run") not in self._runs:
            self._fault(seq, "run_unknown", f"run {event.get('run')} was never started")


_CHECKS: Mapping[str, Callable[[DomainAudit, int, Event, Event], None]] = {
    "journal.opened": DomainAudit._opened,
    "journal.merged": DomainAudit._merged,
    "bundle.imported": DomainAudit._merged,
    "key.registered": DomainAudit._registered,
    "checkpoint.signed": DomainAudit._signed,
    "payload.redacted": DomainAudit._redact,
    "record.observed": DomainAudit._observed,
    "record.moved": DomainAudit._moved,
    "record.retracted": DomainAudit._retracted,
    "record.interpreted": DomainAudit._interpreted,
    "synthesis.drawn": DomainAudit._drawn,
    "conclusion.drawn": DomainAudit._concluded,
    "proposal.raised": DomainAudit._concluded,
    "relation.linked": DomainAudit._linked,
    "relation.unlinked": DomainAudit._unlinked,
    "relation.judged": DomainAudit._judged,
    "observation.noted": DomainAudit._noted,
    "omission.noted": DomainAudit._omitted,
    "omission.cleared": DomainAudit._cleared,
    "run.started": DomainAudit._started,
    "stage.finished": DomainAudit._in_run,
    "run.finished": DomainAudit._in_run,
    **dict.fromkeys(HANDLED, DomainAudit._answer),
    **dict.fromkeys(calls.HANDLED, DomainAudit._call),
    **dict.fromkeys(gates.HANDLED, DomainAudit._gate),
    **dict.fromkeys(trials.HANDLED, DomainAudit._trial),
    **dict.fromkeys(approvals.HANDLED, DomainAudit._approval),
    **dict.fromkeys(applies.HANDLED, DomainAudit._apply),
    **dict.fromkeys(changes.HANDLED, DomainAudit._change),
}
