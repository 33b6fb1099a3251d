"""A graph diff accounts for every record and relation of both sides once, whatever the graphs are."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.intake.base import Draft, Reading, Scope, materialise
from t2c.ledger.kernel.ids import relation_id
from t2c.projections.diffs.graph_diff import Filter, GraphDiff, graph_diff
from t2c.projections.diffs.graph_document import GraphDocument, read_graph

WORDS = ("write the manual", "write a manual", "paint it", "zebra", "quick")

statements = st.tuples(
    st.sampled_from(WORDS),
    st.sampled_from([(), ("Tasks",), ("Tasks", "Later")]),
    st.sampled_from(["A.md", "B.md"]),
    st.sampled_from(["planned", "completed"]),
    st.integers(1, 9),
    st.sampled_from([None, "a" * 40, "b" * 40]),
)
links = st.tuples(st.integers(0, 9), st.integers(0, 9), st.sampled_from([0.5, 0.9, 1]))
graphs = st.tuples(st.lists(statements, max_size=8), st.lists(links, max_size=4))


def record(said: tuple[Any, ...]) -> tuple[str, Draft]:
    text, trail, path, status, line, revision = said
    source = "git" if revision else "todo"
    return source if revision else path, Draft(
        kind="commit_intent_claim" if revision else "todo_item", text=text, object=text, action="add", cls="plan",
        status=status, confidence=0.9, basis=("x",), trail=() if revision else trail, lines=None if revision else (line, line),
        revision=revision, tickets=("#1",) if text == "zebra" else (),
    )  # fmt: skip


def document(content: tuple[list[tuple[Any, ...]], list[tuple[int, int, float]]]) -> GraphDocument:
    said, linked = content
    readings: dict[str, list[Draft]] = {}
    for place, draft in map(record, said):
        readings.setdefault(place, []).append(draft)
    records: dict[str, Any] = {}
    for place, drafts in sorted(readings.items()):
        scope = Scope("git", None) if place == "git" else Scope("todo", place)
        for found in materialise(Reading(scope, f"t2c/{scope.source}@1", tuple(drafts))):
            records[found.id] = json.loads(found.body)
    names = sorted(records)
    relations: dict[str, Any] = {}
    for one, other, confidence in linked:
        if one < len(names) and other < len(names):
            name = relation_id(names[one], names[other], "related_to")
            relations[name] = {
                "id": name, "from": names[one], "to": names[other], "type": "related_to", "confidence": confidence,
                "basis": ["x"],
            }  # fmt: skip
    graph = {
        "schemaVersion": "t2c.graph/v1", "fingerprint": "0" * 64,
        "generatedAt": "2026-01-01T00:00:00.000Z", "records": list(records.values()), "relations": list(relations.values()),
    }  # fmt: skip
    return read_graph(json.dumps(graph).encode())


def ids(diff: GraphDiff, side: str) -> list[str]:
    """The ids of the records that the diff tells of one side."""
    alone = diff.records.removed if side == "before" else diff.records.added
    return [one["id"] for one in alone] + [getattr(one, side)["id"] for one in diff.records.changed]


@settings(max_examples=300)
@given(graphs, graphs)
def test_every_record_and_relation_is_accounted_for_once(first: Any, second: Any) -> None:
    before, after = document(first), document(second)
    diff = graph_diff(before, after)
    for side, graph in (("before", before), ("after", after)):
        told = ids(diff, side)
        assert len(told) == len(set(told)) and set(told) <= graph.records.keys()
        assert len(told) + diff.summary.recordsUnchanged == len(graph.records)
    assert diff.summary.relationsAdded + diff.summary.relationsUnchanged == len(after.relations)
    assert diff.summary.relationsRemoved + diff.summary.relationsUnchanged == len(before.relations)
    for change in diff.records.changed:
        assert change.changedFields
        assert change.before["source"]["kind"] == change.after["source"]["kind"]
        assert change.before["source"]["revision"] == change.after["source"]["revision"]


@settings(max_examples=200)
@given(graphs, graphs)
def test_there_and_back_tell_the_same(first: Any, second: Any) -> None:
    before, after = document(first), document(second)
    there, back = graph_diff(before, after), graph_diff(after, before)
    assert ids(there, "before") == ids(back, "after") or sorted(ids(there, "before")) == sorted(
        ids(back, "after")
    )
    assert there.records.added == back.records.removed
    assert there.relations.added == back.relations.removed
    assert {(one.before["id"], one.after["id"], one.changedFields) for one in there.records.changed} == {
        (one.after["id"], one.before["id"], one.changedFields) for one in back.records.changed
    }


@given(graphs)
def test_the_order_of_a_document_decides_nothing(content: Any) -> None:
    graph = document(content)
    shuffled = GraphDocument(
        graph.fingerprint,
        graph.generatedAt,
        dict(reversed(graph.records.items())),
        dict(reversed(graph.relations.items())),
    )
    other = document(([("quick", (), "A.md", "planned", 1, None)], []))
    assert graph_diff(graph, other) == graph_diff(shuffled, other)
    assert graph_diff(other, graph) == graph_diff(other, shuffled)
    assert graph_diff(graph, shuffled).summary.recordsUnchanged == len(graph.records)


@settings(max_examples=200)
@given(graphs, graphs)
def test_a_filter_and_its_absence_agree_on_what_it_lets_through(first: Any, second: Any) -> None:
    before, after = document(first), document(second)
    whole, some = graph_diff(before, after), graph_diff(before, after, wanted=Filter(ticket="#1"))
    names = {name for side in (before, after) for name, raw in side.records.items() if b'"#1"' in raw}
    assert [one for one in whole.records.added if one["id"] in names] == list(some.records.added)
    assert [one for one in whole.records.changed if {one.before["id"], one.after["id"]} & names] == list(
        some.records.changed
    )
    assert (
        graph_diff(before, after, wanted=Filter(cited=before.records.keys() | after.records.keys())).records
        == whole.records
    )
