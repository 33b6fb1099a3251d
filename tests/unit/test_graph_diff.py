"""What a difference of two graphs calls changed, and what it calls the same."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.events.record import Record
from t2c.projections.diffs.contracts import graph_diff_model
from t2c.projections.diffs.graph_diff import Filter, GraphDiff, graph_diff
from t2c.projections.diffs.graph_document import NotAGraph, read_graph
from t2c.projections.fold import fold
from t2c.projections.registry import ALL

KEYS = {
    "schemaVersion", "generatedAt", "fingerprint", "beforeFingerprint", "afterFingerprint", "records", "relations",
    "summary",
}  # fmt: skip

Graph = dict[str, Any]


@pytest.fixture
def graph(tmp_path: Path, new_journal: Any) -> Callable[..., Graph]:
    """The graph of a ledger of its own that `fill` fills."""
    count = 0

    def make(fill: Callable[[Any], object]) -> Graph:
        nonlocal count
        count += 1
        chain = new_journal(tmp_path / str(count) / ".t2c" / "journal.ndjson")
        fill(chain)
        folded = fold(chain.journal, ALL, ["graph"])
        found: Graph = json.loads(b"".join(folded.artifacts("graph")["graph.json"]))
        return found

    return make


def compare(before: Graph, after: Graph, **options: Any) -> GraphDiff:
    return graph_diff(*(read_graph(json.dumps(one).encode()) for one in (before, after)), **options)


def texts(records: Any) -> list[str]:
    return [record["statement"]["text"] for record in records]


def test_a_graph_and_itself_differ_in_nothing(graph: Any) -> None:
    one = graph(
        lambda chain: (chain.todo("write"), chain.link(chain.commit("a" * 40, "fix"), chain.entry("fix it")))
    )
    found = compare(one, one)
    assert (found.summary.recordsUnchanged, found.summary.relationsUnchanged) == (3, 1)
    assert not (found.records.added or found.records.removed or found.records.changed)
    assert found.beforeFingerprint == found.afterFingerprint == one["fingerprint"]


def test_moved_lines_are_no_difference(graph: Any) -> None:
    """The reference calls every record below an inserted line removed and added."""
    first = graph(lambda chain: [chain.todo(f"item {number}", line=number) for number in range(1, 9)])
    second = graph(lambda chain: [chain.todo(f"item {number}", line=number + 1) for number in range(1, 9)])
    assert compare(first, second).summary.recordsUnchanged == 8


def test_a_commit_more_changes_no_former_commit(graph: Any) -> None:
    """Every commit's place in the history moves on by one."""
    first = graph(lambda chain: [chain.commit("a" * 40, "one")])
    second = graph(
        lambda chain: [chain.commit("a" * 40, "one"), chain.commit("b" * 40, "two", parents=("a" * 40,))]
    )
    found = compare(first, second)
    assert (found.summary.recordsUnchanged, texts(found.records.added)) == (1, ["two"])
    assert found.records.changed == ()


def test_a_state_that_changed_under_one_id_is_a_change(graph: Any) -> None:
    first, second = (graph(lambda chain, done=done: chain.todo("write", done=done)) for done in (False, True))
    (change,) = compare(first, second).records.changed
    assert change.changedFields == ("lifecycle.status",)
    assert (change.before["lifecycle"], change.after["lifecycle"]) == (
        {"status": "planned"},
        {"status": "completed"},
    )


def test_a_rewording_and_a_move_are_changes_by_lineage(graph: Any) -> None:
    first = graph(
        lambda chain: (chain.todo("paint the fence green"), chain.todo("mow the lawn", path="A.md"))
    )
    second = graph(lambda chain: (chain.todo("paint the fence red"), chain.todo("mow the lawn", path="B.md")))
    found = compare(first, second)
    assert [(one.before["source"]["path"], one.after["source"]["path"]) for one in found.records.changed] == [
        ("A.md", "B.md"), ("TODO.md", "TODO.md"),
    ]  # fmt: skip
    assert "source.path" in found.records.changed[0].changedFields
    assert "statement.text" in found.records.changed[1].changedFields
    assert found.records.added == found.records.removed == ()


def test_known_successors_go_before_guesses(graph: Any) -> None:
    first = graph(lambda chain: (chain.todo("alpha one"), chain.todo("beta two")))
    second = graph(lambda chain: (chain.todo("alpha one again"), chain.todo("beta two again")))
    ids = [
        {record["statement"]["text"]: record["id"] for record in one["records"]} for one in (first, second)
    ]
    crossed = {ids[0]["alpha one"]: ids[1]["beta two again"]}
    found = compare(first, second, successors=crossed)
    pairs = {one.before["statement"]["text"]: one.after["statement"]["text"] for one in found.records.changed}
    assert pairs["alpha one"] == "beta two again"


def test_what_stands_in_one_place_is_one_record_unless_that_is_a_guess(graph: Any) -> None:
    here = ("Roadmap",)
    first = graph(lambda chain: chain.todo("zebra", trail=here))
    second = graph(lambda chain: chain.todo("quick", trail=here))
    (change,) = compare(first, second).records.changed
    assert json.loads(change.identity) == {
        "sourceKind": "todo", "path": "TODO.md", "trail": ["Roadmap"], "symbol": None, "statementKind": "todo_item",
        "ordinal": 1,
    }  # fmt: skip
    third = graph(lambda chain: (chain.todo("quick", trail=here), chain.todo("jumpy", trail=here)))
    found = compare(first, third)
    assert (texts(found.records.removed), sorted(texts(found.records.added))) == (
        ["zebra"],
        ["jumpy", "quick"],
    )


def test_a_commit_never_becomes_another(graph: Any) -> None:
    first, second = (
        graph(lambda chain: chain.commit("a" * 40, "one")),
        graph(lambda chain: chain.commit("b" * 40, "one")),
    )
    found = compare(first, second)
    assert (len(found.records.added), len(found.records.removed), found.records.changed) == (1, 1, ())


def test_a_symbol_that_says_something_else_is_one_record(graph: Any) -> None:
    first, second = (
        graph(lambda chain, kind=kind: chain.symbol("run", line=3, metadata={"public": kind}))
        for kind in (True, False)
    )
    (change,) = compare(first, second).records.changed
    assert change.changedFields == ("metadata.public",)


@pytest.mark.parametrize("confidence", [0.5, 0.971])
def test_a_relation_held_otherwise_is_removed_and_added(graph: Any, confidence: float) -> None:
    def fill(chain: Any, value: float) -> None:
        chain.link(chain.commit("a" * 40, "fix #12"), chain.entry("fixed #12"), confidence=value)

    first, second = (graph(lambda chain, value=value: fill(chain, value)) for value in (0.97, confidence))
    found = compare(first, second)
    assert [one["confidence"] for one in found.relations.removed] == [0.97]
    assert [one["confidence"] for one in found.relations.added] == [confidence]
    assert (found.summary.relationsUnchanged, found.summary.recordsUnchanged) == (0, 2)


def test_there_and_back_mirror_each_other(graph: Any) -> None:
    first = graph(lambda chain: (chain.todo("a"), chain.todo("write the guide"), chain.commit("a" * 40, "x")))
    second = graph(lambda chain: (chain.todo("write a guide"), chain.symbol("run")))
    there, back = compare(first, second), compare(second, first)
    assert there.records.added == back.records.removed and there.records.removed == back.records.added
    assert [(one.before, one.after, one.changedFields) for one in there.records.changed] == [
        (one.after, one.before, one.changedFields) for one in back.records.changed
    ]
    assert there.fingerprint != back.fingerprint


def test_the_fingerprint_is_that_of_the_contract_and_leaves_the_time_out(graph: Any) -> None:
    first, second = (
        graph(lambda chain: chain.todo("a")),
        graph(lambda chain: (chain.todo("a"), chain.symbol("run"))),
    )
    found = compare(first, second)
    seed = {
        "beforeFingerprint": first["fingerprint"],
        "afterFingerprint": second["fingerprint"],
        "added": [record["id"] for record in found.records.added],
        "removed": [],
        "changed": [],
        "relationsAdded": [],
        "relationsRemoved": [],
    }
    text = json.dumps(seed, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert found.fingerprint == sha256(text.encode()).hexdigest()
    later = copy.deepcopy(second)
    later["generatedAt"] = "2031-01-01T00:00:00.000Z"
    assert compare(first, later).fingerprint == found.fingerprint
    assert compare(first, later).generatedAt == "2031-01-01T00:00:00.000Z"


def test_the_document_has_the_keys_of_the_contract(graph: Any) -> None:
    import msgspec

    first, second = (graph(lambda chain, done=done: chain.todo("a", done=done)) for done in (True, False))
    found = msgspec.to_builtins(compare(first, second))
    assert set(found) == KEYS
    assert set(found["records"]) == {"added", "removed", "changed", "unchanged"}
    assert set(found["records"]["changed"][0]) == {"identity", "before", "after", "changedFields"}
    assert set(found["relations"]) == {"added", "removed", "unchanged"}
    graph_diff_model().model_validate_json(json.dumps(found))
    for record in (found["records"]["changed"][0][side] for side in ("before", "after")):
        Record.model_validate_json(json.dumps(record))


def test_filters_show_what_has_it_on_either_side(graph: Any) -> None:
    def note(chain: Any, text: str, who: str, role: str, ticket: str, status: str) -> str:
        from t2c.ledger.intake.base import Draft

        (identity,) = chain.observe(
            "agent_log", "project/x.md",
            Draft(kind="communication_plan", text=text, object=text, action="add", cls="plan", status=status,
                  confidence=0.8, basis=("x",), actor=who, tickets=(ticket,),
                  metadata={"participant": who, "participantRole": role, "ticket": ticket}),
        )  # fmt: skip
        return str(identity)

    def fill(chain: Any, status: str) -> None:
        own = note(chain, "alpha plan", "ada", "developer", "T-1", status)
        note(chain, "some other", "bob", "reviewer", "T-2", status)
        chain.link(
            own, chain.entry("fixed"), kind="related_to", confidence=0.9 if status == "planned" else 0.8
        )

    first, second = (
        graph(lambda chain, status=status: fill(chain, status)) for status in ("planned", "completed")
    )
    whole = compare(first, second)
    assert whole.summary.recordsChanged == 2
    names = {one.before["statement"]["text"]: one.before["id"] for one in whole.records.changed}
    for wanted, shown in (
        (Filter(participant="Ada"), "alpha plan"),
        (Filter(role="reviewer"), "some other"),
        (Filter(ticket="t-1"), "alpha plan"),
        (Filter(ticket="T-1", role="reviewer"), None),
        (Filter(cited={names["some other"]}), "some other"),
        (Filter(cited=()), None),
    ):
        found = compare(first, second, wanted=wanted)
        assert [one.before["statement"]["text"] for one in found.records.changed] == (
            [shown] if shown else []
        )
        assert found.summary.recordsUnchanged == 0
        assert found.summary.relationsAdded == (1 if shown == "alpha plan" else 0)


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"{}", b"\xff", b'{"schemaVersion":"t2c.graph/v2","fingerprint":"","generatedAt":"","records":[],"relations":[]}',
     b'{"schemaVersion":"t2c.graph/v1","fingerprint":"","generatedAt":"","records":[{"id":"a"},{"id":"a"}],"relations":[]}',
     b'{"schemaVersion":"t2c.graph/v1","fingerprint":"","generatedAt":"","records":[5],"relations":[]}',
     b"[" * 100_000],
)  # fmt: skip
def test_what_is_no_graph_is_refused(content: bytes) -> None:
    with pytest.raises(NotAGraph):
        read_graph(content)


@pytest.mark.parametrize(
    "record", [{"id": "a"}, {"id": "a", "source": 5}, {"id": "a", "source": {"kind": "ast"}}]
)
def test_a_record_of_another_shape_is_refused(graph: Any, record: Any) -> None:
    broken = {**graph(lambda chain: chain.todo("a")), "records": [record]}
    with pytest.raises(NotAGraph):
        compare(graph(lambda chain: chain.todo("a")), broken)
    with pytest.raises(NotAGraph):
        compare({**broken, "records": [{**record, "x": 1}]}, broken)


def test_graphs_of_others_without_anchors_are_compared_too(graph: Any) -> None:
    first, second = (
        graph(lambda chain: chain.todo("write it")),
        graph(lambda chain: chain.todo("write it all")),
    )
    for one in (first, second):
        for record in one["records"]:
            record["metadata"] = {}
    assert compare(first, second).summary.recordsChanged == 1
