"""Levels schema and domain: each promise broken on purpose in a chain that is otherwise sound."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from t2c.ledger.audit.domain import DomainAudit
from t2c.ledger.audit.schema import SchemaAudit
from t2c.ledger.engine import JOURNAL, Ledger, create
from t2c.ledger.events.base import Payload, Span
from t2c.ledger.events.catalogue import CATALOGUE, Catalogue
from t2c.ledger.events.draft import EventDraft, draft
from t2c.ledger.events.evidence import (
    Move,
    RecordMoved,
    RecordRetracted,
    Relation,
    RelationLinked,
    RelationUnlinked,
)
from t2c.ledger.events.former import FORMER
from t2c.ledger.events.runs import OmissionCleared, OmissionNoted, RunFinished, RunStarted
from t2c.ledger.events.statements import ObservationNoted
from t2c.ledger.intake.base import Draft, Reading, Scope, materialise
from t2c.ledger.kernel.actor import SCANNER, Actor
from t2c.ledger.kernel.canon import canonical
from t2c.ledger.kernel.ids import relation_id

HUMAN = Actor("human", "me")


def record(text: str) -> dict[str, Any]:
    made = Draft(
        kind="todo_item",
        text=text,
        object=text,
        action="add",
        cls="plan",
        status="planned",
        confidence=0.9,
        basis=("markdown_checkbox",),
        lines=(1, 1),
    )
    reading = Reading(Scope("todo", "TODO.md"), "t2c/markdown-todo@1", (made,))
    return orjson.loads(next(iter(materialise(reading))).body)  # type: ignore[no-any-return]


def observed(body: dict[str, Any]) -> EventDraft:
    data = canonical({"record": body})
    return EventDraft("record.observed", 1, data, SCANNER, "observed")


def linked(source: str, to: str, identity: str | None = None) -> EventDraft:
    relation = Relation.model_validate(
        {
            "id": identity or relation_id(source, to, "related_to"),
            "from": source,
            "to": to,
            "type": "related_to",
            "confidence": 0.5,
            "basis": (),
        }
    )
    return draft(RelationLinked(relation=relation, rule="path", signals=()))


def audit(tmp_path: Path, drafts: list[EventDraft], **more: Any) -> tuple[list[str], list[str], list[str]]:
    """Fault kinds at level schema and domain, and what is unproven."""
    workspace = tmp_path / ".t2c"
    create(workspace)
    with Ledger(workspace) as ledger:
        ledger.append(drafts, **more)
    return audit_lines((workspace / JOURNAL).read_bytes().splitlines())


def audit_lines(
    lines: list[bytes], catalogue: Catalogue = CATALOGUE, has: Callable[[str], bool] = lambda digest: False
) -> tuple[list[str], list[str], list[str]]:
    schema, domain = SchemaAudit(catalogue), DomainAudit(has)
    for seq, line in enumerate(lines, 1):
        event = orjson.loads(line)
        schema.visit(seq, line, event)
        domain.visit(seq, event)
    unproven = domain.finish()
    # Lines that are changed here keep their ids, which have a test of their own.
    kinds = [f.kind for f in schema.faults if f.kind != "event_id"]
    return kinds, [f.kind for f in domain.faults], unproven


A, B = record("one"), record("two")


def test_a_sound_chain_has_no_fault(tmp_path: Path) -> None:
    drafts = [
        draft(
            RunStarted(verb="scan", requested_by="me", tool="t", revision=None, branch=None, options={}),
            run="r",
        ),
        observed(A),
        observed(B),
        draft(
            RecordMoved(source="todo", path="TODO.md", moves=(Move(id=A["id"], lines=Span(start=2, end=2)),))
        ),
        linked(A["id"], B["id"]),
        draft(RelationUnlinked(id=relation_id(A["id"], B["id"], "related_to"), why="signal_gone")),
        draft(RecordRetracted(id=A["id"], why="reworded", superseded_by=B["id"])),
        draft(OmissionNoted(source="s", path=None, reason="r", count=1, lines=(), detail="")),
        draft(OmissionCleared(source="s", path=None, reason="r")),
        draft(RunFinished(status="succeeded", appended={}, detail=None), run="r"),
        draft(ObservationNoted(statement="x", about=(A["id"],)), actor=HUMAN),
    ]
    assert audit(tmp_path, drafts) == ([], [], [])


@pytest.mark.parametrize(
    ("kind", "drafts"),
    [
        ("not_standing", [draft(RecordRetracted(id=A["id"], why="absent", superseded_by=None))]),
        (
            "record_unknown",
            [observed(A), draft(RecordRetracted(id=A["id"], why="absent", superseded_by=B["id"]))],
        ),
        (
            "not_standing",
            [
                draft(
                    RecordMoved(
                        source="todo", path="a", moves=(Move(id=A["id"], lines=Span(start=2, end=2)),)
                    )
                )
            ],
        ),
        ("not_standing", [observed(A), linked(A["id"], B["id"])]),
        ("relation_id", [observed(A), observed(B), linked(A["id"], B["id"], "REL-" + "0" * 20)]),
        ("not_standing", [draft(RelationUnlinked(id="REL-" + "0" * 20, why="signal_gone"))]),
        ("not_standing", [draft(OmissionCleared(source="s", path=None, reason="r"))]),
        ("run_unknown", [draft(RunFinished(status="failed", appended={}, detail=None), run="never")]),
        ("record_id", [observed({**A, "id": B["id"]})]),
        ("object_missing", [draft(ObservationNoted(statement="x", objects=("0" * 64,)), actor=HUMAN)]),
    ],
)
def test_a_broken_promise_is_named(tmp_path: Path, kind: str, drafts: list[EventDraft]) -> None:
    schema, domain, _ = audit(tmp_path, drafts)
    assert schema == []
    assert domain == [kind]


def test_an_excerpt_that_its_hash_does_not_fit_is_named_at_both_levels(tmp_path: Path) -> None:
    drafts = [observed({**A, "source": {**A["source"], "contentHash": "0" * 64}})]
    assert audit(tmp_path, drafts)[:2] == (["schema"], ["content_hash"])


def test_what_hands_say_of_unknown_things_is_unproven_and_no_fault(tmp_path: Path) -> None:
    note = draft(ObservationNoted(statement="x", about=(A["id"],)), actor=HUMAN)
    schema, domain, unproven = audit(tmp_path, [note])
    assert (schema, domain) == ([], [])
    assert len(unproven) == 1 and "does not hold" in unproven[0]


def relined(lines: list[bytes], change: Callable[[dict[str, Any]], None]) -> list[bytes]:
    event = orjson.loads(lines[-1])
    change(event)
    return [*lines[:-1], canonical(event)]


def lines_of(tmp_path: Path) -> list[bytes]:
    audit(tmp_path, [draft(ObservationNoted(statement="x"), actor=HUMAN)])
    return (tmp_path / ".t2c" / JOURNAL).read_bytes().splitlines()


@pytest.mark.parametrize(
    ("change", "schema", "domain"),
    [
        (lambda e: e.update(trust="observed"), ["envelope"], ["trust"]),
        (lambda e: e.update(cause=["EVT-" + "0" * 20]), [], ["cause_unknown"]),
        (lambda e: e.update(ts="2001-01-01T00:00:00.000Z"), [], ["time_backwards"]),
        (lambda e: e.update(ts="yesterday"), ["envelope"], []),
        (lambda e: e.update(batch=[2, 3]), [], ["batch"]),
        (lambda e: e.update(batch="x"), ["envelope"], ["unreadable"]),
        (lambda e: e.update(batch=[]), ["envelope"], ["unreadable"]),
        (lambda e: e.update(batch=["a", "b"]), ["envelope"], ["unreadable"]),
        (lambda e: e.update(colour="red"), ["envelope"], []),
        (lambda e: e.pop("data"), ["envelope"], []),
        (lambda e: e["data"].pop("subject"), ["not_canonical"], []),
        (lambda e: e["data"].update(more=1), ["schema"], []),
        (lambda e: e["data"].update(statement=""), ["schema"], []),
    ],
)
def test_a_line_that_breaks_a_rule_is_named(
    tmp_path: Path, change: Callable[[dict[str, Any]], None], schema: list[str], domain: list[str]
) -> None:
    found = audit_lines(relined(lines_of(tmp_path), change))
    assert found[:2] == (schema, domain)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"v":1}', b'"v": 1}'),
        (b'"statement":"x"', b'"statement":"\\u0078"'),
        (b'"v":1}', b'"v":1,"v":1}'),
        (b'"subject":null', b'"subject":null,"subject":null'),
    ],
)
def test_another_spelling_of_the_same_line_is_not_canonical(tmp_path: Path, old: bytes, new: bytes) -> None:
    lines = lines_of(tmp_path)
    assert audit_lines([*lines[:-1], lines[-1].replace(old, new)])[0] == ["not_canonical"]


def test_a_second_genesis_and_a_doubled_id_are_named(tmp_path: Path) -> None:
    lines = lines_of(tmp_path)
    assert {"id_taken", "second_genesis"} <= set(audit_lines([*lines, lines[0]])[1])


def test_unknown_types_and_newer_versions_are_counted_not_faulted(tmp_path: Path) -> None:
    lines = lines_of(tmp_path)
    audit_ = SchemaAudit(CATALOGUE)
    for change in ({"type": "weather.changed"}, {"v": 7}):
        event = {**orjson.loads(lines[-1]), **change}
        audit_.visit(2, canonical(event), event)
    assert {fault.kind for fault in audit_.faults} == {"event_id"}, (
        "the lines were changed and kept their ids"
    )
    assert audit_.unknown == {"weather.changed v1": 1, "observation.noted v7": 1}


def test_the_domain_does_not_look_into_newer_versions_nor_fault_what_may_rest_on_them(tmp_path: Path) -> None:
    retraction = draft(RecordRetracted(id=A["id"], why="absent", superseded_by=None))
    audit(tmp_path, [observed(A), retraction])
    lines = (tmp_path / ".t2c" / JOURNAL).read_bytes().splitlines()
    newer = orjson.loads(lines[1])
    newer.update(v=9, data={"body": 1})
    lines[1] = canonical(newer)
    schema, domain, unproven = audit_lines(lines)
    assert (schema, domain) == ([], [])
    assert unproven == ["1 reference was not found and may rest on events of newer versions"]


class NotedLater(Payload):
    """A later form of observation.noted: `statement` became `text`."""

    type = "observation.noted"
    v = 2
    text: str
    subject: str | None
    about: tuple[str, ...]
    objects: tuple[str, ...]
    metadata: dict[str, Any]


def renamed(data: dict[str, Any]) -> dict[str, Any]:
    return {**{key: value for key, value in data.items() if key != "statement"}, "text": data["statement"]}


def test_an_old_version_is_lifted_while_reading_and_its_bytes_stay(tmp_path: Path) -> None:
    lines = lines_of(tmp_path)
    before = (tmp_path / ".t2c" / JOURNAL).read_bytes()
    later = Catalogue(
        locations={**CATALOGUE.locations, "observation.noted": (__name__, "NotedLater")},
        upcasts={("observation.noted", 1): renamed},
    )
    later._loaded["observation.noted"] = NotedLater
    assert later.lift("observation.noted", 1, orjson.loads(lines[-1])["data"])["text"] == "x"
    assert audit_lines(lines, later)[0] == []
    without = Catalogue(locations=later.locations)
    without._loaded["observation.noted"] = NotedLater
    assert audit_lines(lines, without)[0] == ["schema"]
    assert (tmp_path / ".t2c" / JOURNAL).read_bytes() == before


def test_every_id_is_that_of_its_line(tmp_path: Path, oracle: Any) -> None:
    create(tmp_path / ".t2c")
    with Ledger(tmp_path / ".t2c") as ledger:
        ledger.append([draft(ObservationNoted(statement=text), actor=HUMAN) for text in "abc"])
    events = [orjson.loads(line) for line in (tmp_path / ".t2c" / JOURNAL).read_bytes().splitlines()]
    lines = oracle.mint(events).splitlines()
    schema = SchemaAudit(CATALOGUE)
    for seq, line in enumerate(lines, 1):
        if seq == 3:
            line = line.replace(orjson.loads(line)["id"].encode(), b"EVT-" + b"0" * 20)
        schema.visit(seq, line, orjson.loads(line))
    assert [(fault.seq, fault.kind) for fault in schema.faults] == [(3, "event_id")]


@pytest.mark.parametrize(
    "change",
    [
        {"run": None}, {"key": None}, {"cause": []}, {"origin": None}, {"batch": None}, {"batch": [1, 1]},
        {"ts": "2999-02-30T00:00:00.000Z"}, {"ts": "2999-02-01T25:61:61.000Z"},
    ],
    ids=str,
)  # fmt: skip
def test_an_envelope_says_nothing_empty_and_nothing_impossible(
    tmp_path: Path, oracle: Any, change: dict[str, Any]
) -> None:
    create(tmp_path / ".t2c")
    with Ledger(tmp_path / ".t2c") as ledger:
        ledger.append([draft(ObservationNoted(statement="a"), actor=HUMAN)])
    events = [orjson.loads(line) for line in (tmp_path / ".t2c" / JOURNAL).read_bytes().splitlines()]
    events[1].update(change)
    schema = SchemaAudit(CATALOGUE)
    for seq, line in enumerate(oracle.mint(events).splitlines(), 1):
        schema.visit(seq, line, orjson.loads(line))
    assert [(fault.seq, fault.kind) for fault in schema.faults] == [(2, "envelope")]


@pytest.mark.parametrize("former", FORMER, ids=lambda kind: kind.type)
def test_what_was_written_in_a_former_version_is_lifted_to_the_form_of_today(former: type[Payload]) -> None:
    files = [{"path": "a", "before": None, "after": "a" * 64}]
    said = {
        "apply.announced": {"purpose": "intake", "files": files},
        "apply.receipted": {"announced": "EVT-" + "a" * 20, "files": files},
        "approval.granted": {"subject": "answer:x", "digest": "a" * 64, "statement": "yes"},
    }[former.type]
    stored = former.model_validate_json(canonical(said)).encode()
    lifted = CATALOGUE.lift(former.type, former.v, orjson.loads(stored))
    today = CATALOGUE.payload(former.type)
    assert today.v == former.v + 1
    assert today.decode(canonical(lifted)).encode() == canonical(lifted)
    audit = SchemaAudit(CATALOGUE)
    audit._payload(1, former.type, former.v, orjson.loads(stored))
    assert audit.faults == []
