"""Whatever a graph holds: taking evidence away raises no grade, and neither order nor lines change one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from t2c.ledger.kernel.ids import relation_id
from t2c.projections.evidence import Graded, graded
from t2c.projections.facts import Fact, Facts, Lines
from t2c.projections.graph import Link, Relation, Signal

TIMES = [None, *(f"2026-0{month}-01T10:00:00Z" for month in range(1, 7))]
KINDS = {
    "P": ("todo", "todo_item", "plan"), "M": ("todo", "comment_marker", "plan"),
    "W": ("document", "requirement", "plan"), "D": ("document", "documentation_statement", "declaration"),
    "G": ("document", "trace_tag", "claim"), "E": ("changelog", "changelog_entry", "claim"),
    "C": ("git", "commit_intent_claim", "claim"), "S": ("ast", "symbol_fact", "fact"),
    "F": ("ast", "module_fact", "fact"), "R": ("test", "test_result", "fact"), "Y": ("system", "configuration_declaration", "fact"),
}  # fmt: skip
EVIDENCE = ("implements", "releases", "evidenced_by", "related_to", "documents", "tests", "depends_on", "plans", "same_as")  # fmt: skip
OTHER = ("declares", "modifies", "supersedes", "claimed_by")
SHOWS = frozenset("SFRYG")
"""Records that show something by being there; a commit is also what says when something changed last."""


class World(NamedTuple):
    records: Sequence[Fact]
    links: Sequence[Link]

    def graded(self) -> Mapping[str, Graded]:
        records = {one.id: one for one in self.records}
        links = [one for one in self.links if one.relation.source in records and one.relation.to in records]
        return graded(Facts(records, links), {"P0": "2026-03-01T00:00:00Z"})


@st.composite
def facts(draw: st.DrawFn, identity: str) -> Fact:
    kind, statement, cls = KINDS[identity[0]]
    path = draw(st.sampled_from(["src/a.py", "src/b.py", "tests/test_a.py"]))
    name = draw(st.sampled_from(["one", "two", "Box.one"]))
    metadata: dict[str, Any] = {"test": path.startswith("tests/")}
    if kind == "git":
        symbols = draw(st.lists(st.sampled_from(["src/a.py::one", "src/b.py::two"]), max_size=2))
        metadata = {
            "committedAt": draw(st.sampled_from(TIMES)), "docOnly": draw(st.booleans()), "diff": {"symbols": symbols},
        }  # fmt: skip
    elif identity[0] == "S":
        metadata["calls"] = draw(st.lists(st.sampled_from(["one", "two"]), max_size=2))
    body = {
        "id": identity,
        "statement": {
            "kind": statement, "actor": None, "action": "declare" if kind == "ast" else draw(st.sampled_from(["add", "test"])),
            "subject": None, "object": "it",
            "target": {"paths": [path], "symbols": [name], "tickets": [], "versions": []},
            "modality": "required", "polarity": "positive", "text": "it",
        },
        "lifecycle": {"status": draw(st.sampled_from(["verified", "blocked"])) if kind == "test" else "planned"},
        "source": {
            "kind": kind, "path": None if kind == "git" else path, "lines": {"start": 1, "end": 1},
            "revision": identity if kind == "git" else None, "symbol": name if kind == "ast" else None,
            "commitIndex": None, "extractor": "t2c/x@1",
        },
        "epistemic": {"class": cls, "confidence": 1, "basis": []},
        "observedAt": draw(st.sampled_from(TIMES)),
        "metadata": metadata,
    }  # fmt: skip
    return msgspec.convert(body, Fact)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    names = [f"{kind}{number}" for kind in KINDS for number in range(draw(st.integers(0, 2)))]
    records = [draw(facts(name)) for name in names]
    if not names:
        return World((), ())
    ends = st.tuples(st.sampled_from(names), st.sampled_from(EVIDENCE + OTHER), st.sampled_from(names))
    links: dict[str, Link] = {}
    for source, kind, target in draw(st.lists(ends, max_size=30)):
        identity = relation_id(source, target, kind)  # type: ignore[arg-type]
        signals = (Signal("uses", draw(st.sampled_from(["one", "two"]))),) if kind == "depends_on" else ()
        links[identity] = Link(Relation(("x",), 0.9, source, identity, target, kind), "x", signals)
    return World(records, sorted(links.values(), key=lambda one: one.relation.id))


@given(worlds(), st.data())
def test_taking_evidence_away_raises_no_grade(world: World, data: st.DataObject) -> None:
    gone = data.draw(st.sets(st.sampled_from([one.relation.id for one in world.links])) if world.links else st.just(set()))  # fmt: skip
    shown = [one.id for one in world.records if one.id[0] in SHOWS and one.lifecycle.status != "blocked"]
    lost = data.draw(st.sets(st.sampled_from(shown)) if shown else st.just(set()))
    less = World(
        [one for one in world.records if one.id not in lost],
        [one for one in world.links if one.relation.type not in EVIDENCE or one.relation.id not in gone],
    )
    before, after = world.graded(), less.graded()
    for identity, found in after.items():
        assert found.grade <= before[identity].grade
        assert found.located <= before[identity].located


@given(worlds(), st.randoms(use_true_random=False))
def test_neither_order_nor_lines_change_a_grade(world: World, chance: Any) -> None:
    records, links = list(world.records), list(world.links)
    chance.shuffle(records)
    chance.shuffle(links)
    moved = [
        msgspec.structs.replace(one, source=msgspec.structs.replace(one.source, lines=Lines(7, 9)))
        for one in records
    ]
    assert dict(World(moved, links).graded()) == dict(world.graded())


@given(worlds())
def test_what_counts_is_never_more_than_what_is_located(world: World) -> None:
    for found in world.graded().values():
        assert found.grade <= found.located
        assert found.located == max((item.grade for item in found.items), default=0)
