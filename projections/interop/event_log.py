"""The journal as `logs.dsl.txt` (t2c.event-log/v1), and beside it what of the journal that format has no word for.

Eighteen types are all that the format knows. What the journal tells of a run, of a commit and of a person's verdict on
a link has one of them; every other event is counted in `event-log.json`, none is left out unsaid (intent-evidence §10.3).
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from t2c.ledger.interop.event_fact import Fact, instant, objection
from t2c.ledger.interop.event_log import MAX_EVENTS, digest_of, written
from t2c.ledger.journal.entry import Entry
from t2c.projections.base import Artifacts, Inputs, pretty

__all__ = ["SCHEMA", "Log", "LogProjection"]

SCHEMA: Final = "t2c.event-log-summary/v1"
_SLACK: Final = 1_000
"""Facts above the most that a log holds which are kept before the oldest are let go, so that this is seldom done."""
_SOURCE: Final = "t2c-journal"
_EPOCH: Final = "1970-01-01T00:00:00.000Z"
_OF_COMMIT: Final = b'"id":"INT-GIT-'
_COMMIT: Final = "commit_intent_claim"
_OUTCOMES: Final = {
    "succeeded": "PASSED", "partial": "DEGRADED", "failed": "FAILED", "right": "PASSED", "wrong": "FAILED",
    "unsure": "SKIPPED",
}  # fmt: skip
_ledger_id: Final = re.compile(r"[0-9a-f]{32}").fullmatch
_sha: Final = re.compile(r"[0-9a-f]{40}").fullmatch


class Log(msgspec.Struct):
    """The newest facts, a few more than a log holds, and what was counted on the way.

    `told` counts our own events by type, `mapped` those that have a fact, `unfit` those whose values the format
    refuses; `again` are observations of a commit that has its fact already, `earlier` facts that no longer fit in.
    """

    ledger: str = ""
    facts: list[Fact] = []
    commits: set[str] = set()
    told: dict[str, int] = {}
    mapped: dict[str, int] = {}
    unfit: dict[str, int] = {}
    again: int = 0
    earlier: int = 0
    foreign: int = 0


class Opened(msgspec.Struct, frozen=True):
    ledger: str


class Ended(msgspec.Struct, frozen=True):
    status: str


class Judged(msgspec.Struct, frozen=True):
    relation: str
    verdict: str


class Target(msgspec.Struct, frozen=True):
    tickets: list[str]


class Statement(msgspec.Struct, frozen=True):
    kind: str
    target: Target


class Source(msgspec.Struct, frozen=True):
    revision: str | None


class History(msgspec.Struct, frozen=True):
    parents: list[str] = []


class Commit(msgspec.Struct, frozen=True):
    statement: Statement
    source: Source
    observed_at: str | None = msgspec.field(name="observedAt")
    metadata: History = History()


class Observed(msgspec.Struct, frozen=True):
    record: Commit


_opened = msgspec.json.Decoder(Opened).decode
_ended = msgspec.json.Decoder(Ended).decode
_judged = msgspec.json.Decoder(Judged).decode
_observed = msgspec.json.Decoder(Observed).decode


class LogProjection:
    """`logs.dsl.txt`, the newest 10,000 facts in the order in which they were recorded, and `event-log.json`."""

    name = "event-log"
    version = 1
    inputs: tuple[str, ...] = ()
    handles = frozenset({"journal.opened", "record.observed", "relation.judged", "run.finished"})
    state_type = Log

    def start(self) -> Log:
        return Log()

    def note(self, state: Log, entry: Entry) -> None:
        """Count the event; those of other ledgers are told apart and never stand in the log."""
        if entry.origin is not None and not entry.is_ours(state.ledger):
            state.foreign += 1
        else:
            state.told[entry.type] = state.told.get(entry.type, 0) + 1

    def step(self, state: Log, entry: Entry) -> None:
        """Add the fact of an event, if it has one that fits."""
        data = bytes(entry.data)
        if entry.type == "record.observed":
            if _OF_COMMIT in data:
                _add_commit(state, entry, data)
        elif entry.type == "run.finished":
            outcome = _OUTCOMES.get(_ended(data).status, "")
            _add(state, entry, _fact(state, entry, data, "analysis.completed", f"run:{entry.run}", outcome))
        elif entry.type == "relation.judged":
            judged = _judged(data)
            outcome = _OUTCOMES.get(judged.verdict, "")
            _add(state, entry, _fact(state, entry, data, "evaluation.generated", judged.relation, outcome))
        elif entry.seq == 1:
            state.ledger = _opened(data).ledger

    def finish(self, state: Log, inputs: Inputs) -> Artifacts:
        kept = {fact.event_id: fact for fact in state.facts[-MAX_EVENTS:]}
        known = _ledger_id(state.ledger)
        stream = f"t2c-ledger:{state.ledger}" if known else "t2c-ledger"
        generated = inputs.ts if instant("GENERATED_AT", inputs.ts) is None else _EPOCH
        text, stream_digest = written(kept.values(), stream, generated)
        left_out = {
            name: count - state.mapped.get(name, 0) - state.unfit.get(name, 0)
            for name, count in state.told.items()
        }
        summary = {
            "schema": SCHEMA,
            "events": len(kept),
            "streamDigest": stream_digest,
            "mapped": state.mapped,
            "withoutType": {name: count for name, count in left_out.items() if count},
            "unfit": state.unfit,
            "observedAgain": state.again,
            "earlier": state.earlier + len(state.facts) - len(kept),
            "otherLedgers": state.foreign,
        }
        return {"logs.dsl.txt": text, "event-log.json": pretty(summary)}


def _add_commit(state: Log, entry: Entry, data: bytes) -> None:
    record = _observed(data).record
    revision = record.source.revision
    if record.statement.kind != _COMMIT or revision is None:
        return
    if revision in state.commits:
        state.mapped[entry.type] = state.mapped.get(entry.type, 0) + 1
        state.again += 1
        return
    fact = _fact(state, entry, data, "git.commit.created", f"commit:{revision}", "CREATED")
    tickets = record.statement.target.tickets
    parent = record.metadata.parents[0] if record.metadata.parents else ""
    _add(
        state,
        entry,
        msgspec.structs.replace(
            fact,
            occurred_at=record.observed_at or entry.ts,
            ticket_id=tickets[0] if len(tickets) == 1 else None,
            base_sha=parent if _sha(parent) else None,
            head_sha=revision,
        ),
    )
    state.commits.add(revision)


def _fact(state: Log, entry: Entry, data: bytes, type: str, subject: str, outcome: str) -> Fact:
    """The fact of an event; the evidence is the event's payload, found in the journal by the event's id."""
    repository = state.ledger if _ledger_id(state.ledger) else "0" * 32
    return Fact(
        event_id=entry.id,
        type=type,
        trust_class=_trust(entry),
        occurred_at=entry.ts,
        recorded_at=entry.ts,
        actor_id=str(entry.actor),
        subject_id=subject,
        source=_SOURCE,
        outcome=outcome,
        repository=f"local/{repository[:24]}",
        ticket_id=None,
        correlation_id=entry.run or entry.id,
        base_sha=None,
        head_sha=None,
        evidence_kind=entry.type,
        evidence_ref=f"journal:{entry.id}",
        evidence_digest=digest_of(data),
    )


def _trust(entry: Entry) -> str:
    if entry.trust == "observed":
        return "SYSTEM_FACT"
    if entry.trust == "imported":
        return "TRUSTED_ATTESTATION"
    return "HUMAN_DECISION" if entry.actor.kind == "human" else "ADVISORY_INFERENCE"


def _add(state: Log, entry: Entry, fact: Fact) -> None:
    counts = state.mapped if objection(fact) is None else state.unfit
    counts[entry.type] = counts.get(entry.type, 0) + 1
    if counts is state.unfit:
        return
    state.facts.append(fact)
    if len(state.facts) >= MAX_EVENTS + _SLACK:
        state.earlier += len(state.facts) - MAX_EVENTS
        del state.facts[:-MAX_EVENTS]
