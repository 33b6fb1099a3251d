"""Plans, patches and receipts: the published ids and hashes, exact keys, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any, Final

import pytest

from t2c.ledger.changes import contract
from t2c.ledger.changes.checking import check, check_patch_of, check_path
from t2c.ledger.changes.contract import Change, Edit, Risk, dated
from t2c.ledger.kernel.change_ids import patch_hash, patch_id, plan_hash, plan_id
from t2c.ledger.llm.synthesis.contract import Target

TS: Final = "2026-01-05T10:00:00.000Z"
GRAPH: Final = "a" * 64
FINDING: Final = "DIAG-" + "c" * 20
RAW: Final[tuple[dict[str, Any], ...]] = (
    {
        "title": "  Add `exportMetrics` ",
        "description": "Łączy żółte dane; it is “planned”.",
        "priority": "P1",
        "target": {
            "paths": ["src/metrics.py", "src/metrics.py"],
            "symbols": ["exportMetrics", "b.C"],
            "tickets": ["ACME-7"],
            "versions": [],
        },
        "acceptanceCriteria": ["b is done ", " a is done", "a is done"],
        "changes": [
            {
                "path": "src/metrics.py",
                "action": "modify",
                "symbols": [" z ", "", "exportMetrics"],
                "rationale": " because ",
            }
        ],
        "risk": {"level": "medium", "reasons": ["two", "one", " two"]},
        "rollback": " take it back ",
        "evidence": {
            "graphFingerprint": GRAPH,
            "recordIds": ["INT-TODO-" + "b" * 20, "INT-AST-" + "a" * 20],
            "diagnosticIds": [FINDING],
            "conclusionIds": [],
            "proposalIds": [],
        },
    },
    {
        "title": "Two files",
        "description": "d",
        "priority": "P0",
        "target": {
            "paths": ["tests/test_b.py", "src/a.py"],
            "symbols": [],
            "tickets": [],
            "versions": ["1.2.0"],
        },
        "acceptanceCriteria": ["x"],
        "changes": [
            {"path": "tests/test_b.py", "action": "create", "symbols": [], "rationale": "r2"},
            {"path": "src/a.py", "action": "delete", "symbols": [], "rationale": "r1"},
        ],
        "risk": {"level": "high", "reasons": ["q"]},
        "rollback": "r",
        "evidence": {
            "graphFingerprint": "0123456789abcdef" * 4,
            "recordIds": ["INT-CHANGELOG-" + "d" * 20],
            "diagnosticIds": ["DIAG-" + "e" * 20],
            "conclusionIds": ["CONC-" + "1" * 20],
            "proposalIds": ["TPROP-" + "2" * 20],
        },
    },
)
HASHES: Final = (
    (
        "a3ac44207bc64b688a65f0f721bff9606a645d680fdc1937844835b22f03e70a",
        "b240884e46a7358da0594a5bbbc73204e02624262cd160fcbd0e352f0a81902a",
    ),
    (
        "d5bd04cda55d1f2dfe97c1ee44892beb059bf5536f275b546ba7bd4abd939a4d",
        "e869494c6595f5b2cd03e8f9c3cd0a1f615c326c55d86a4b2e49f5bd39193614",
    ),
)
"""Plan and source patch of each, as the published formula gives them."""
DIFF: Final = "--- a/src/metrics.py\r\n+++ b/src/metrics.py\r\n@@ -1 +1 @@\r\n-a\r\n+ł\r\n"
CONFIGURED: Final = {
    contract.PLAN: "b47f3cb7acfcc10b4e7f1075d004a69b8f2c283f4c043e49263e236b71e7373e",
    contract.PLAN_SET: "830a5e4bac3460c366c6a237e16dfa1bfa9a28fa38366d123252dfe3e241d445",
    contract.REVIEW: "6dc3bdb9fba3740c208a5f6f91cdccaa2b4c10d10d1226b449397dd4d563f07a",
    contract.SOURCE_PATCH: "533b1d53d9382410a05e05b08c10b13cb0ed069336751ded56f7e82e3ccd3d59",
    contract.SOURCE_PATCH_SET: "db678c863f879bfc98c1ea9dfc5fe03a236594592b748bb64a013d04ba95bea8",
    contract.SOURCE_RECEIPT: "35c0750a20d8ff666f1483e1f3683682405ebf8eb254e6e4fcdcf1d636897f00",
    contract.ACCEPTANCE: "86a00412a20015d54668d188df1018bbeacc1eab1eeae39ebc4625d85c0c36c5",
    contract.CLOSE: "0526a56b7fc1d071503d8d4867b5d8909ee6ea5ec605e2c205a287d69af08f9e",
}


def made(raw: dict[str, Any] = RAW[0]) -> dict[str, Any]:
    evidence, target = raw["evidence"], raw["target"]
    return contract.plan_document(
        title=raw["title"],
        description=raw["description"],
        priority=raw["priority"],
        target=Target(**{name: tuple(values) for name, values in target.items()}),
        criteria=raw["acceptanceCriteria"],
        changes=[
            Change(one["path"], one["action"], tuple(one["symbols"]), one["rationale"])
            for one in raw["changes"]
        ],
        risk=Risk(raw["risk"]["level"], tuple(raw["risk"]["reasons"])),
        rollback=raw["rollback"],
        graph=evidence["graphFingerprint"],
        records=evidence["recordIds"],
        diagnostics=evidence["diagnosticIds"],
        conclusions=evidence["conclusionIds"],
        proposals=evidence["proposalIds"],
        confidence=0.8,
    )


def patch_of(plan: dict[str, Any]) -> dict[str, Any]:
    edits = [
        contract.edit_of(one, " do it ", DIFF if one["action"] == "modify" else None)
        for one in plan["changes"]
    ]
    return contract.source_patch_document(plan, edits)


def documents() -> dict[str, dict[str, Any]]:
    """One of each kind, as published."""
    plan = made()
    patch = patch_of(plan)
    acceptance = contract.acceptance_document(
        plan,
        before=GRAPH,
        after="b" * 64,
        before_ids=[FINDING],
        after_ids=[],
        cleared=[FINDING],
        new_blocking=[],
        reasons=["it is there"],
    )
    todo = contract.todo_patch_document(
        path="TODO.md",
        content_hash="c" * 64,
        graph=GRAPH,
        diagnostics="d" * 64,
        selected=["TPROP-" + "2" * 20, "TPROP-" + "1" * 20],
        duplicate=["TPROP-" + "3" * 20],
        duplicates=[
            {
                "proposalId": "TPROP-" + "3" * 20,
                "existingRecordIds": ["INT-TODO-" + "b" * 20],
                "basis": "shared_ticket_and_text",
            }
        ],
        audit={"status": "succeeded"},
        markdown=b"- [ ] x\n",
    )
    found = [
        plan,
        contract.plan_set([plan], GRAPH, 3),
        contract.review_document([plan], GRAPH, b"# brief\n"),
        patch,
        contract.source_patch_set([patch], GRAPH),
        contract.source_receipt(
            patch, approved_by="human:ada", approved_at=TS, files={"src/metrics.py": "e" * 64}
        ),
        acceptance,
        contract.close_document([acceptance], before=GRAPH, after="b" * 64),
        todo,
        contract.todo_receipt(todo, result="f" * 64, approved_by="human:ada", approved_at=TS),
    ]
    return {one["schemaVersion"]: dated(one, TS) for one in found}


@pytest.mark.parametrize("place", [0, 1])
def test_ids_and_hashes_are_those_of_the_published_formula(place: int) -> None:
    raw, (planned, patched) = RAW[place], HASHES[place]
    assert plan_hash(raw) == planned
    plan = made(raw)
    assert (plan["planHash"], plan["id"]) == (planned, f"CPLAN-{planned[:20]}")
    patch = patch_of(plan)
    assert (patch["patchHash"], patch["id"]) == (patched, f"SPATCH-{patched[:20]}")


@pytest.mark.parametrize(("schema", "configured"), CONFIGURED.items())
def test_what_a_document_was_configured_with_has_the_published_fingerprint(
    schema: str, configured: str
) -> None:
    assert contract.generation(schema)["configurationFingerprint"] == configured


def test_every_document_is_what_it_says_and_dated_by_its_event() -> None:
    for schema, document in documents().items():
        assert check(document) == schema
        assert dated(document, "2027-01-01T00:00:00.000Z") == document, "what has a time keeps it"


@pytest.mark.parametrize("schema", list(documents()))
def test_a_key_more_or_less_is_refused_in_every_document(schema: str) -> None:
    document = documents()[schema]
    with pytest.raises(ValueError, match="more"):
        check({**document, "more": 1})
    for key in document:
        with pytest.raises(ValueError, match=r".+"):
            check({name: value for name, value in document.items() if name != key})


def _put(*path: str | int) -> Callable[[dict[str, Any], Any], None]:
    def put(document: dict[str, Any], value: Any) -> None:
        place: Any = document
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value

    return put


def _rehashed(plan: dict[str, Any]) -> None:
    plan["planHash"] = plan_hash(plan)
    plan["id"] = plan_id(plan["planHash"])


REFUSED: Final = [
    (contract.PLAN, ("planHash",), "0" * 64, "content has the hash"),
    (contract.PLAN, ("id",), "CPLAN-" + "0" * 20, "content has the id"),
    (contract.PLAN, ("title",), "Another", "content has the hash"),
    (contract.PLAN, ("status",), "done", "status"),
    (contract.PLAN, ("changes", 0, "path"), "../x.py", "leads elsewhere"),
    (contract.PLAN, ("changes", 0, "path"), "/etc/x.py", "no path relative"),
    (contract.PLAN, ("changes", 0, "path"), "src/other.py", "not in target.paths"),
    (contract.PLAN, ("acceptanceCriteria",), ["a", "a"], "twice"),
    (contract.PLAN, ("generation", "generator"), "t2c/other", "generation.generator"),
    (contract.PLAN, ("generation", "model"), "m", "no model made it"),
    (contract.PLAN, ("generation", "degraded"), True, "degraded"),
    (contract.PLAN, ("generation", "generatedAt"), "2020-01-01T00:00:00Z", "another time"),
    (contract.PLAN_SET, ("graphFingerprint",), "b" * 64, "mixes the graphs"),
    (contract.PLAN_SET, ("plans", 0, "planHash"), "0" * 64, "content has the hash"),
    (contract.REVIEW, ("planHashes",), [], "differ in length"),
    (contract.REVIEW, ("planIds",), ["CPLAN-" + "0" * 20], "not the plan with the hash"),
    (contract.SOURCE_PATCH, ("patchHash",), "0" * 64, "content has the hash"),
    (contract.SOURCE_PATCH, ("edits", 0, "path"), "a/../../x", "leads elsewhere"),
    (contract.SOURCE_PATCH_SET, ("graphFingerprint",), "b" * 64, "mixes the graphs"),
    (contract.SOURCE_RECEIPT, ("fileHashesAfter",), {"b.py": "e" * 64}, "was not applied"),
    (contract.SOURCE_RECEIPT, ("patchId",), "SPATCH-" + "0" * 20, "patchId"),
    (contract.ACCEPTANCE, ("accepted",), False, "accepted is not"),
    (contract.ACCEPTANCE, ("remainingDiagnosticIds",), [FINDING], "both cleared and remaining"),
    (contract.ACCEPTANCE, ("newBlockingDiagnosticIds",), [FINDING], "accepted is not"),
    (contract.CLOSE, ("acceptedCount",), 2, "counts"),
    (contract.CLOSE, ("allAccepted",), False, "counts"),
]


@pytest.mark.parametrize(("schema", "path", "value", "why"), REFUSED)
def test_what_is_not_itself_is_refused(
    schema: str, path: tuple[str | int, ...], value: Any, why: str
) -> None:
    document = deepcopy(documents()[schema])
    _put(*path)(document, value)
    with pytest.raises(ValueError, match=why):
        check(document)


def test_a_change_twice_is_refused_though_the_hash_is_right() -> None:
    plan = deepcopy(documents()[contract.PLAN])
    plan["changes"] = [plan["changes"][0], {**plan["changes"][0], "action": "delete"}]
    _rehashed(plan)
    with pytest.raises(ValueError, match="changed twice"):
        check(plan)


def test_a_document_of_another_graph_is_refused() -> None:
    assert check(documents()[contract.PLAN], graph=GRAPH) == contract.PLAN
    with pytest.raises(ValueError, match="not of"):
        check(documents()[contract.PLAN], graph="b" * 64)


def test_what_is_no_document_is_refused_in_words() -> None:
    for value in (None, [], {}, {"schemaVersion": 7}, {"schemaVersion": "t2c.other/v1"}):
        with pytest.raises(ValueError, match=r"no object|no contract"):
            check(value)


@pytest.mark.parametrize(
    "path", ["", " a", "/a", "C:/a", "http://x", "a//b", "./a", "a/..", "a\\b", "a\0b", "a/"]
)
def test_a_path_that_is_not_written_plainly_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        check_path(path)
    check_path("src/ż ó.py")


def test_a_patch_is_of_exactly_its_plan() -> None:
    plan = made(RAW[1])
    patch = patch_of(plan)
    whole = [contract.edit_of(one, "do") for one in plan["changes"]]
    with pytest.raises(ValueError, match=r"names tests/test_b\.py too"):
        contract.source_patch_document(plan, whole[:1])
    with pytest.raises(ValueError, match="not in plan"):
        contract.source_patch_document(plan, [*whole, Edit("b.py", "modify", (), "do")])
    with pytest.raises(ValueError, match=r"wants to delete src/a\.py"):
        contract.source_patch_document(plan, [whole[0]._replace(action="modify"), whole[1]])
    with pytest.raises(ValueError, match="twice"):
        contract.source_patch_document(plan, [*whole, whole[0]])
    with pytest.raises(ValueError, match="of plan"):
        check_patch_of(patch, made(RAW[0]))
    for name, value in (
        ("recordIds", []),
        ("diagnosticIds", [FINDING]),
        ("acceptanceCriteria", ["y"]),
        ("graphFingerprint", GRAPH),
    ):
        with pytest.raises(ValueError, match=r"not those|another graph"):
            check_patch_of({**patch, name: value}, plan)
    assert (patch_hash(patch), patch_id(patch["patchHash"])) == (patch["patchHash"], patch["id"])


def test_an_acceptance_needs_every_finding_of_its_plan_and_a_reason() -> None:
    plan = made()
    said: dict[str, Any] = {"before": GRAPH, "after": GRAPH, "before_ids": (), "after_ids": ()}
    rest: dict[str, Any] = {**said, "new_blocking": ()}
    none = contract.acceptance_document(plan, cleared=(), reasons=["not there"], **rest)
    assert (none["accepted"], none["remainingDiagnosticIds"]) == (False, [FINDING])
    blocked = contract.acceptance_document(
        plan, cleared=[FINDING], reasons=["r"], **said, new_blocking=["DIAG-" + "9" * 20]
    )
    assert blocked["accepted"] is False
    with pytest.raises(ValueError, match="no finding of plan"):
        contract.acceptance_document(plan, cleared=["DIAG-" + "9" * 20], reasons=["r"], **rest)
    with pytest.raises(ValueError, match="says why"):
        contract.acceptance_document(plan, cleared=(), reasons=[" "], **rest)
    assert contract.close_document([], before=GRAPH, after=GRAPH)["allAccepted"] is False
    assert contract.close_document([none, blocked], before=GRAPH, after=GRAPH)["rejectedCount"] == 2


def test_a_deleted_file_is_applied_and_has_no_hash() -> None:
    patch = patch_of(made(RAW[1]))
    receipt = contract.source_receipt(
        patch, approved_by="human:a", approved_at=TS, files={"src/a.py": None, "tests/test_b.py": "e" * 64}
    )
    assert receipt["appliedPaths"] == ["src/a.py", "tests/test_b.py"]
    assert receipt["fileHashesAfter"] == {"tests/test_b.py": "e" * 64}
    assert check(dated(receipt, TS)) == contract.SOURCE_RECEIPT
