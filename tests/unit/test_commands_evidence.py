"""The evidence decider: only the difference is recorded, and nothing is retracted without proof of absence."""

from __future__ import annotations

from collections.abc import Callable

import orjson

from t2c.ledger.commands.evidence import (
    HANDLED,
    EvidenceState,
    Observation,
    Observed,
    decide_omissions,
    decide_records,
    decide_retractions,
    evolve,
    missing,
)
from t2c.ledger.commands.lineage import lineage
from t2c.ledger.commands.relations import decide_relations
from t2c.ledger.events.draft import EventDraft
from t2c.ledger.events.runs import OmissionNoted
from t2c.ledger.intake.base import Draft, Reading, Scope, materialise
from t2c.ledger.kernel.canon import canonical
from t2c.ledger.kernel.ids import relation_id


def item(text: str, line: int, **more: object) -> Draft:
    fields: dict[str, object] = {
        "kind": "todo_item",
        "text": text,
        "object": text,
        "action": "add",
        "cls": "plan",
        "status": "planned",
        "confidence": 0.9,
        "basis": ("markdown_checkbox",),
        "trail": ("Plans",),
        "lines": (line, line),
        **more,
    }
    return Draft(**fields)  # type: ignore[arg-type]


def read(*drafts: Draft, path: str = "TODO.md", complete: bool = True) -> Observed:
    reading = Reading(Scope("todo", path), "t2c/markdown-todo@1", drafts)
    return Observed("todo", path, complete, [Observation(*found) for found in materialise(reading)])


def apply(state: EvidenceState, drafts: list[EventDraft]) -> None:
    for offset, event in enumerate(drafts):
        assert event.type in HANDLED
        evolve(state, event.type, event.data, offset, event.run)


def standing(*scopes: Observed) -> EvidenceState:
    state = EvidenceState()
    for scope in scopes:
        apply(state, list(decide_records(state, scope, "run")))
    return state


def types(drafts: list[EventDraft]) -> list[str]:
    return [event.type for event in drafts]


def test_the_same_reading_twice_asks_for_nothing() -> None:
    scope = read(item("one", 1), item("two", 2))
    state = standing(scope)
    assert len(state.records) == 2
    assert list(decide_records(state, scope, "run")) == []
    assert missing(state, [scope], []) == {}


def test_other_lines_are_one_move_a_file_and_no_new_id() -> None:
    state = standing(read(item("one", 1), item("two", 2)))
    moved = read(item("one", 4), item("two", 5))
    drafts = list(decide_records(state, moved, "run"))
    assert types(drafts) == ["record.moved"]
    assert len(orjson.loads(drafts[0].data)["moves"]) == 2
    apply(state, drafts)
    assert list(decide_records(state, moved, "run")) == []


def test_other_content_under_the_same_id_is_observed_again() -> None:
    state = standing(read(item("one", 1)))
    done = read(item("one", 1, status="completed"))
    assert types(list(decide_records(state, done, "run"))) == ["record.observed"]
    assert done.records[0].id in state.records


def test_a_record_is_missing_only_from_a_scope_that_was_read_completely() -> None:
    both = read(item("one", 1), item("two", 2))
    state = standing(both)
    gone = both.records[1].id
    assert missing(state, [read(item("one", 1))], []) == {gone: "absent"}
    assert missing(state, [read(item("one", 1), complete=False)], []) == {}
    assert missing(state, [], []) == {}
    assert set(missing(state, [], [("todo", "TODO.md")]).values()) == {"file_gone"}


def test_a_reworded_item_names_its_successor() -> None:
    before = read(item("Add retries to the exporter", 1), item("Write the guide", 2))
    state = standing(before)
    after = read(item("Add retries with backoff to the exporter", 1), item("Write the guide", 2))
    gone = missing(state, [after], [])
    assert list(gone) == [before.records[0].id]
    bodies = {record.id: orjson.loads(record.body) for scope in (before, after) for record in scope.records}
    successors = lineage([bodies[identity] for identity in gone], [bodies[after.records[0].id]])
    drafts = list(decide_records(state, after, "run")) + decide_retractions(gone, successors, "run")
    assert types(drafts) == ["record.observed", "record.retracted"]
    retraction = orjson.loads(drafts[1].data)
    assert retraction == {
        "id": before.records[0].id,
        "why": "reworded",
        "superseded_by": after.records[0].id,
    }


def test_an_item_that_says_something_else_has_no_successor() -> None:
    before, after = read(item("Add retries to the exporter", 1)), read(item("Drop Windows", 1))
    bodies = [orjson.loads(scope.records[0].body) for scope in (before, after)]
    assert lineage([bodies[0]], [bodies[1]]) == {}


def test_a_moved_file_relocates_its_records() -> None:
    before, after = read(item("one", 1)), read(item("one", 1), path="docs/TODO.md")
    bodies = [orjson.loads(scope.records[0].body) for scope in (before, after)]
    found = lineage([bodies[0]], [bodies[1]])
    assert found == {before.records[0].id: (after.records[0].id, "relocated")}


def test_an_explicit_id_outlives_any_wording() -> None:
    before = read(item("one", 1, metadata={"explicitId": "T001"}))
    after = read(item("quite another text", 9, metadata={"explicitId": "T001"}))
    bodies = [orjson.loads(scope.records[0].body) for scope in (before, after)]
    assert lineage([bodies[0]], [bodies[1]])[before.records[0].id].id == after.records[0].id


def test_two_candidates_are_no_lineage() -> None:
    before = read(item("one", 1))
    after = [read(item("one", 1), path=path) for path in ("a/TODO.md", "b/TODO.md")]
    added = [orjson.loads(scope.records[0].body) for scope in after]
    assert lineage([orjson.loads(before.records[0].body)], added) == {}


def omission(count: int, path: str | None = "a.py") -> OmissionNoted:
    return OmissionNoted(source="ast", path=path, reason="too_large", count=count, lines=(), detail="d")


def of(name: str) -> Callable[[str, str | None], bool]:
    return lambda source, path: source == name


def test_omissions_are_live_evidence() -> None:
    state = EvidenceState()
    first = decide_omissions(state, [omission(1), omission(1, None)], of("ast"), "run")
    assert types(first) == ["omission.noted", "omission.noted"]
    apply(state, first)
    assert decide_omissions(state, [omission(1), omission(1, None)], of("ast"), "run") == []
    assert types(decide_omissions(state, [omission(2), omission(1, None)], of("ast"), "run")) == [
        "omission.noted"
    ]
    cleared = decide_omissions(state, [omission(1)], of("ast"), "run")
    assert types(cleared) == ["omission.cleared"]
    assert orjson.loads(cleared[0].data)["path"] is None
    apply(state, cleared)
    assert len(state.omissions) == 1


def test_an_omission_of_a_source_that_was_not_read_stays() -> None:
    state = EvidenceState()
    apply(state, decide_omissions(state, [omission(1)], of("ast"), "run"))
    assert decide_omissions(state, [], of("todo"), "run") == []


def relation(source: str, to: str, confidence: float = 0.9) -> tuple[str, bytes]:
    identity = relation_id(source, to, "related_to")
    body = {
        "id": identity,
        "from": source,
        "to": to,
        "type": "related_to",
        "confidence": confidence,
        "basis": [],
    }
    return identity, canonical({"relation": body, "rule": "path", "signals": []})


def related(state: EvidenceState, linked: dict[str, bytes], standing: set[str]) -> list[EventDraft]:
    return decide_relations(state, linked.keys(), linked, standing, "run")


def test_relations_follow_what_the_linker_says() -> None:
    a, b = (scope.records[0].id for scope in (read(item("one", 1)), read(item("two", 1))))
    state = EvidenceState()
    first = related(state, dict([relation(a, b)]), {a, b})
    assert types(first) == ["relation.linked"]
    apply(state, first)
    assert related(state, dict([relation(a, b)]), {a, b}) == []
    assert types(related(state, dict([relation(a, b, 0.5)]), {a, b})) == ["relation.linked"]
    for left, why in (({a, b}, "signal_gone"), ({a}, "endpoint_retracted")):
        unlinked = related(state, {}, left)
        assert [orjson.loads(event.data)["why"] for event in unlinked] == [why]


def test_a_run_is_open_until_it_is_finished() -> None:
    state = EvidenceState()
    evolve(state, "run.started", b"{}", 0, "r1")
    evolve(state, "stage.finished", b'{"stage":"todo"}', 1, "r1")
    assert state.runs == {"r1": "todo"}
    evolve(state, "run.finished", b"{}", 2, "r1")
    assert state.runs == {}
