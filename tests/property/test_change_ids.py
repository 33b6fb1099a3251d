"""A plan's id is of what it means: order, repetition and space at the ends do not change it, anything else does."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.changes.checking import check
from t2c.ledger.changes.contract import Change, Risk, dated, plan_document
from t2c.ledger.kernel.change_ids import plan_hash
from t2c.ledger.llm.synthesis.contract import Target

WORDS = st.text(st.characters(codec="utf-8", categories=("L", "N", "P")), min_size=1, max_size=12)
PARTS = st.from_regex(r"[a-zA-Z_ż][a-z0-9_.]{0,6}[a-z]", fullmatch=True)
PATHS = st.lists(PARTS, min_size=1, max_size=3).map("/".join)


@st.composite
def plans(draw: st.DrawFn) -> dict[str, Any]:
    paths = draw(st.lists(PATHS, min_size=1, max_size=4, unique=True))
    words = st.lists(WORDS, max_size=3)
    return plan_document(
        title=draw(WORDS),
        description=draw(WORDS),
        priority=draw(st.sampled_from(("P0", "P1", "P2", "P3"))),
        target=Target(tuple(paths), tuple(draw(words)), tuple(draw(words)), tuple(draw(words))),
        criteria=draw(st.lists(WORDS, min_size=1, max_size=3)),
        changes=[
            Change(
                path,
                draw(st.sampled_from(("create", "modify", "delete"))),
                tuple(draw(words)),
                draw(WORDS),
            )
            for path in paths
        ],
        risk=Risk("low", (draw(WORDS),)),
        rollback=draw(WORDS),
        graph="a" * 64,
        records=["INT-TODO-" + "b" * 20],
        diagnostics=["DIAG-" + "c" * 20],
        confidence=draw(st.floats(0, 1)),
    )


@settings(max_examples=50, deadline=None)
@given(plans(), st.randoms(use_true_random=False))
def test_what_says_the_same_has_the_same_hash(plan: dict[str, Any], random: Any) -> None:
    other = {**plan, "title": f"  {plan['title']}\t", "confidence": 0}
    for name in ("acceptanceCriteria", "changes"):
        other[name] = random.sample(plan[name], len(plan[name]))
    other["acceptanceCriteria"] = [*other["acceptanceCriteria"], other["acceptanceCriteria"][0]]
    other["target"] = {name: [*values, *values] for name, values in plan["target"].items()}
    assert plan_hash(other) == plan["planHash"]
    assert check(dated(plan, "2026-01-01T00:00:00.000Z")) == plan["schemaVersion"]


@settings(max_examples=50, deadline=None)
@given(plans(), st.data())
def test_what_says_something_else_has_another_hash(plan: dict[str, Any], data: st.DataObject) -> None:
    name = data.draw(
        st.sampled_from(
            ("title", "description", "rollback", "criteria", "path", "action", "rationale", "graph")
        )
    )
    more = "!" + data.draw(WORDS)
    other = {**plan, "changes": [dict(one) for one in plan["changes"]], "evidence": {**plan["evidence"]}}
    change = other["changes"][0]
    match name:
        case "criteria":
            other["acceptanceCriteria"] = [*plan["acceptanceCriteria"], more]
        case "path" | "rationale":
            change[name] += more
        case "action":
            change["action"] = "delete" if change["action"] != "delete" else "modify"
        case "graph":
            other["evidence"]["graphFingerprint"] = "b" * 64
        case _:
            other[name] += more
    if name == "criteria" and more in plan["acceptanceCriteria"]:
        return
    assert plan_hash(other) != plan["planHash"]
