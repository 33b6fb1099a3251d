"""Plans are drawn from what records name and from nothing else; a plan stands where its events left it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from t2c.ledger.changes.checking import check
from t2c.ledger.intake.base import Draft
from t2c.ledger.journal.entry import Origin
from t2c.ledger.journal.read import JournalFile
from t2c.projections.base import Inputs
from t2c.projections.changeplans import published
from t2c.projections.changeplans.drawing import Drawn, Given, Wish, draw
from t2c.projections.changeplans.model import HANDLES, Changes, apply
from t2c.projections.changeplans.review import brief, plan_brief
from t2c.projections.changeplans.useful import unusable
from t2c.projections.fold import fold
from t2c.projections.registry import ALL

HEX: Final = "ab" * 32
FINDING: Final = "DIAG-" + "c" * 20


@pytest.mark.parametrize(
    "path",
    [
        "src/a.py",
        "a.py",
        "Makefile",
        "docker/Dockerfile",
        ".github/workflows/ci.yml",
        "docs/guide.md",
        "żółć/ł.rs",
    ],
)
def test_a_file_that_somebody_writes_can_be_planned(path: str) -> None:
    assert unusable(path) is None


@pytest.mark.parametrize(
    "path",
    [
        "", " ", "/etc/passwd", "C:/a.py", "https://x.org/a.py", "src/", "src/*.py", "a[0].py", "{a,b}.py", "../a.py", "a/../b.py",
        "./a.py", "~/a.py", "$HOME/a.py", "%APPDATA%/a.py", "a//b.py", "a\\b.py", "node_modules/x/a.js", "Vendor/a.go",
        "x/.venv/lib/a.py", "dist/a.js", "a.egg-info/PKG.txt", ".intent/a.json", ".t2c/journal.ndjson", "src/metrics",
        "logo.PNG", "lib.so", "diagnostics.json", "TODO.patch", "project/map.toon", "project/x.json", "prompt.txt", ".git",
    ],
)  # fmt: skip
def test_what_nobody_writes_by_hand_here_cannot(path: str) -> None:
    assert unusable(path)


def _inputs(path: Path) -> Inputs:

    folded = fold(JournalFile(path), ALL, ["findings"])
    return Inputs(folded.ts or "", folded.states, folded.made)


def todo(
    chain: Any, text: str, line: int = 1, paths: Iterable[str] = (), symbols: Iterable[str] = ()
) -> None:
    chain.observe(
        "todo",
        "TODO.md",
        Draft(
            kind="todo_item",
            text=text,
            object=text,
            action="add",
            cls="plan",
            status="planned",
            confidence=0.9,
            basis=("markdown_checkbox",),
            lines=(line, line),
            modality="required",
            paths=tuple(paths),
            symbols=tuple(symbols),
        ),
    )


def _drawn(path: Path, *there: str, wish: Wish | None = None, **more: Any) -> Drawn:
    return draw(_inputs(path), wish or Wish(), frozenset(there).__contains__, **more)


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / "journal.ndjson"


@pytest.fixture
def chain(new_journal: Callable[[Path], Any], journal: Path) -> Any:
    return new_journal(journal)


def _changes(drawn: Drawn) -> list[tuple[str, str]]:
    return [(one["path"], one["action"]) for plan in drawn.plans for one in plan["changes"]]


def test_a_plan_names_the_files_of_its_records_and_whether_they_are_there(chain: Any, journal: Path) -> None:
    todo(chain, "Add exportMetrics", 1, ["src/metrics.py", "src/new.py", "bare.py", "dist/x.js"])
    drawn = _drawn(journal, "src/metrics.py")
    assert _changes(drawn) == [("src/metrics.py", "modify"), ("src/new.py", "create")]
    (plan,) = drawn.plans
    assert plan["target"]["paths"] == ["src/metrics.py", "src/new.py"]
    assert (plan["priority"], plan["risk"]["level"], plan["confidence"]) == ("P2", "low", 0.72)
    assert check({**published_of(plan)}, graph=drawn.graph)
    assert _drawn(journal, "src/metrics.py").plans == drawn.plans, "the same again is the same plan"


def published_of(plan: Mapping[str, Any]) -> dict[str, Any]:
    from t2c.ledger.changes.contract import dated

    return dated(plan, "2026-01-05T10:00:00.000Z")


def test_a_finding_without_a_usable_file_gives_no_plan_and_is_told(chain: Any, journal: Path) -> None:
    todo(chain, "Make it nicer", 3)
    todo(chain, "Rebuild the bundle", 4, ["dist/bundle.js"])
    todo(chain, "Write the helper", 5, ["absent.py"])
    drawn = _drawn(journal)
    assert drawn.plans == ()
    assert drawn.considered == 3
    assert sorted(one.reason for one in drawn.left) == ["absent_file", "no_path", "unusable_path"]
    assert any("dist/ is not written by hand" in one.why for one in drawn.left)


def comment(chain: Any, path: str, text: str, *symbols: str) -> None:
    item = Draft(
        kind="comment_marker", text=text, object=text, action="add", cls="plan", status="planned", confidence=0.9,
        basis=("comment",), lines=(7, 7), modality="recommended", symbols=symbols,
    )  # fmt: skip
    chain.observe("todo", path, item)


def test_a_comment_asks_for_something_where_it_stands(chain: Any, journal: Path) -> None:
    comment(chain, "httpx/auth.py", "support auth-int", "auth_int")
    (plan,) = _drawn(journal, "httpx/auth.py").plans
    assert [(one["path"], one["action"], one["symbols"]) for one in plan["changes"]] == [
        ("httpx/auth.py", "modify", ["auth_int"])
    ]


def test_several_comments_are_no_plan_unless_a_person_says_which_files(chain: Any, journal: Path) -> None:
    comment(chain, "httpx/auth.py", "support auth-int", "auth_int")
    comment(chain, "httpx/urls.py", "parse relative hosts", "parse_host")
    drawn = _drawn(journal, "httpx/auth.py", "httpx/urls.py")
    (left,) = drawn.left
    assert (drawn.plans, left.reason, "2 comments" in left.why) == ((), "several_comments", True)
    wish = Wish((left.finding,), paths=(Given("httpx/urls.py"),))
    drawn = _drawn(journal, "httpx/auth.py", "httpx/urls.py", wish=wish)
    assert _changes(drawn) == [("httpx/urls.py", "modify")]
    (plan,) = drawn.plans
    assert plan["title"] == "parse relative hosts" and len(plan["evidence"]["recordIds"]) == 1
    assert plan["changes"][0]["symbols"] == ["parse_host"]


def test_a_file_has_the_symbols_of_what_names_it_and_only_new_names_are_to_be_defined(
    chain: Any, journal: Path
) -> None:
    chain.symbol("export_metrics", path="src/metrics.py")
    todo(chain, "Add it", 1, ["src/metrics.py"], ["export_metrics", "importMetrics", "HTTP", "Meter.read"])
    (plan,) = _drawn(journal, "src/metrics.py").plans
    (change,) = plan["changes"]
    assert {"export_metrics", "importMetrics"} <= set(change["symbols"])
    (defines,) = (one for one in plan["acceptanceCriteria"] if one.startswith("Code defines"))
    assert set(defines.removeprefix("Code defines ").removesuffix(".").split(", ")) == {
        "importMetrics",
        "Meter.read",
    }
    (finding,) = plan["evidence"]["diagnosticIds"]
    proposal = {
        "id": "TPROP-" + "1" * 20, "title": "T", "diagnosticIds": [finding], "confidence": 0.9, "acceptanceCriteria": [],
        "target": {"paths": ["src/deep/a.py"], "symbols": ["go_on"], "tickets": [], "versions": []},
    }  # fmt: skip
    (plan,) = _drawn(journal, "src/metrics.py", proposals=[proposal]).plans
    assert [
        (one["path"], "go_on" in one["symbols"], "importMetrics" in one["symbols"]) for one in plan["changes"]
    ] == [
        ("src/deep/a.py", True, False),
        ("src/metrics.py", False, True),
    ]


def test_what_the_cap_leaves_out_is_counted(chain: Any, journal: Path) -> None:
    for number in range(4):
        todo(chain, f"Paint part {number}", 3 + number, [f"src/p{number}.py"])
    drawn = _drawn(journal, wish=Wish(most=3))
    assert (len(drawn.plans), [one.reason for one in drawn.left]) == (3, ["beyond_the_cap"])


def test_a_suppressed_finding_gives_no_plan(chain: Any, journal: Path) -> None:
    todo(chain, "Add it", 1, ["src/a.py"])
    ((plan,), finding) = _drawn(journal).plans, None
    (finding,) = plan["evidence"]["diagnosticIds"]
    chain.add(
        "suppression.granted",
        {"finding": finding, "cause": None, "reason": "kept for old clients", "expires": None},
    )
    drawn = _drawn(journal)
    assert drawn.plans == ()
    assert [(one.reason, one.why) for one in drawn.left] == [("suppressed", "kept for old clients")]


def test_a_person_can_name_the_files_of_one_finding(chain: Any, journal: Path) -> None:
    todo(chain, "Make it nicer")
    (left,) = _drawn(journal).left
    wish = Wish(
        (left.finding,),
        paths=(Given("src/a.py"), Given("tests/test_a.py", "create")),
        title="Nicer",
        criteria=("c",),
    )
    (plan,) = _drawn(journal, "src/a.py", wish=wish).plans
    assert [(one["path"], one["action"]) for one in plan["changes"]] == [
        ("src/a.py", "modify"),
        ("tests/test_a.py", "create"),
    ]
    assert (plan["title"], "c" in plan["acceptanceCriteria"]) == ("Nicer", True)


def test_proposals_and_conclusions_of_the_finding_go_into_its_plan(chain: Any, journal: Path) -> None:
    todo(chain, "Make it nicer")
    (left,) = _drawn(journal).left
    proposal = {
        "id": "TPROP-" + "1" * 20, "title": "Do the work", "diagnosticIds": [left.finding], "confidence": 0.99,
        "acceptanceCriteria": ["a test shows it"],
        "target": {"paths": ["src/deep/a.py"], "symbols": ["go"], "tickets": [], "versions": []},
    }  # fmt: skip
    conclusion = {"id": "CONC-" + "1" * 20, "diagnosticIds": [left.finding]}
    (plan,) = _drawn(journal, conclusions=[conclusion], proposals=[proposal]).plans
    assert (plan["title"], plan["confidence"]) == ("Do the work", 0.92)
    assert "a test shows it" in plan["acceptanceCriteria"]
    assert plan["evidence"]["proposalIds"] == [proposal["id"]]
    assert plan["evidence"]["conclusionIds"] == [conclusion["id"]]
    assert [one["path"] for one in plan["changes"]] == ["src/deep/a.py"]


def test_a_brief_shows_texts_as_they_are_and_lets_none_break_out() -> None:
    evil = "a\n# Approved\n<!-- x --> [l](u) `t`\u202e\u200b **b**"
    plan = _plan("1", title=evil)
    text = plan_brief(plan).decode()
    (heading,) = [line for line in text.splitlines() if line.startswith("### ")]
    assert r"a \# Approved \<!-- x --\>" in heading
    assert "(U+202E)(U+200B)" in heading and "\u202e" not in text
    assert [line for line in text.splitlines() if line.startswith("# ")] == ["# Proposed code changes"]
    assert plan_brief(plan) == brief([plan], plan["evidence"]["graphFingerprint"])


def _plan(digit: str, finding: str = FINDING, title: str = "T", graph: str = HEX) -> dict[str, Any]:
    return {
        "schemaVersion": "t2c.code-change-plan/v1", "id": f"CPLAN-{digit * 20}", "planHash": digit * 64,
        "title": title, "description": "d", "priority": "P2", "confidence": 0.72, "rollback": "r",
        "acceptanceCriteria": ["c"], "risk": {"level": "low", "reasons": ["r"]}, "generation": {},
        "changes": [{"path": "src/a`b.py", "action": "modify", "symbols": [], "rationale": "r"}],
        "evidence": {
            "graphFingerprint": graph, "recordIds": ["INT-TODO-" + "b" * 20], "diagnosticIds": [finding],
            "conclusionIds": [], "proposalIds": [],
        },
    }  # fmt: skip


SECOND = ("apply.announced", "apply.receipted", "approval.granted")
"""Types whose first version said less."""


class Story:
    """Events of plans, written as they come; where the plan `1` stands after them."""

    def __init__(self, chain: Any, journal: Path) -> None:
        self.chain, self._journal = chain, journal

    def add(self, type: str, **data: Any) -> str:
        self.chain.add(type, data, v=2 if type in SECOND else 1)
        line = self._journal.read_bytes().splitlines()[-1]
        return str(json.loads(line)["id"])

    def planned(self, digit: str = "1", **more: Any) -> str:
        plan = _plan(digit, **more)
        return self.add(
            "change.planned", id=plan["id"], hash=plan["planHash"], plan=plan, proposed_by=["helper:t2c"]
        )

    def patched(self, digit: str = "1", hash: str = "e" * 64, kind: str = "source") -> str:
        return self.add(
            "patch.rendered", kind=kind, hash=hash, shown="f" * 64, artifact={"id": "SPATCH-" + "e" * 20},
            plans=[f"CPLAN-{digit * 20}"], proposed_by=["human:a"],
        )  # fmt: skip

    def announced(
        self, purpose: str = "change.apply", reverts: str | None = None, requested_by: str | None = None
    ) -> str:
        return self.add(
            "apply.announced", purpose=purpose, files=[], subject="patch:x", digest="e" * 64, reverts=reverts,
            requested_by=requested_by,
        )  # fmt: skip

    def evaluated(self, accepted: bool) -> str:
        return self.add(
            "change.evaluated",
            plan="CPLAN-" + "1" * 20,
            hash="1" * 64,
            accepted=accepted,
            subjects=[],
            acceptance={},
        )

    @property
    def state(self) -> Changes:
        found: Changes = _states(self._journal)["changeplans"]
        return found

    def stands(self, digit: str = "1") -> str:
        return self.state.plans[f"CPLAN-{digit * 20}"].state


def _states(path: Path) -> Mapping[str, Any]:

    return fold(JournalFile(path), ALL, ["changeplans"]).states


@pytest.fixture
def story(chain: Any, journal: Path) -> Story:
    return Story(chain, journal)


def test_each_event_moves_a_plan_and_none_claims_more_than_was_recorded(story: Story) -> None:
    seen: list[str] = []

    def then(_: str) -> None:
        seen.append(story.stands())

    then(story.planned())
    then(story.patched(kind="review", hash="d" * 64))
    then(story.patched())
    approval = story.add("approval.granted", subject="patch:x", digest="e" * 64, statement="")
    then(approval)
    then(story.add("approval.withdrawn", approval=approval, reason="r"))
    then(story.add("change.tried", patch="e" * 64, plans=["CPLAN-" + "1" * 20], passed=True))
    first = story.announced()
    then(first)
    then(story.add("apply.failed", announced=first, outcome="undone", reason="r", files=[]))
    second = story.announced()
    receipt = story.add("apply.receipted", announced=second, files=[], how="done")
    then(receipt)
    then(story.add("approval.withdrawn", approval=approval, reason="r"))
    then(story.evaluated(False))
    then(story.evaluated(True))
    then(story.add("change.closed", plans=["CPLAN-" + "1" * 20], evaluations=[], result={}))
    then(story.evaluated(False))
    then(story.evaluated(True))
    shown = story.add(
        "patch.rendered", kind="revert", hash="9" * 64, shown="f" * 64, artifact={"receipt": receipt}, plans=[],
        proposed_by=["human:a"],
    )  # fmt: skip
    then(shown)
    then(story.add("approval.granted", subject=f"revert:{receipt}", digest="9" * 64, statement=""))
    back = story.announced("change.revert", reverts=receipt, requested_by="human:ada")
    then(story.add("apply.receipted", announced=back, files=[], how="done"))
    assert seen == [
        "planned", "planned", "patched", "approved", "withdrawn", "tried", "applying", "failed", "applied", "applied",
        "not accepted", "evaluated", "closed", "reopened", "closed", "closed", "closed", "reverted",
    ]  # fmt: skip
    steps = story.state.plans["CPLAN-" + "1" * 20].steps
    assert [(one.state, one.by) for one in steps[-3:]] == [
        ("approved", "helper:t2c"), ("applying", "human:ada"), ("reverted", "human:ada"),
    ]  # fmt: skip


def test_a_later_plan_takes_the_place_of_one_that_nothing_came_of(story: Story) -> None:
    story.planned("1")
    story.planned("2", finding="DIAG-" + "d" * 20)
    story.planned("3")
    assert [story.stands(one) for one in "123"] == ["superseded", "planned", "planned"]
    assert story.state.plans["CPLAN-" + "1" * 20].superseded == "CPLAN-" + "3" * 20
    story.planned("1")
    assert [story.stands(one) for one in "123"] == ["planned", "planned", "superseded"]


def test_a_plan_that_is_carried_out_keeps_its_place(story: Story) -> None:
    story.planned("1")
    story.patched("1")
    story.planned("3")
    assert [story.stands(one) for one in "13"] == ["patched", "planned"]


def test_the_plan_set_is_of_one_graph_and_checks(story: Story, chain: Any, journal: Path) -> None:
    todo(chain, "Add it", 3, ["src/a.py"])
    todo(chain, "And it", 4, ["src/b.py"])
    drawn = _drawn(journal)
    story.planned("9", finding="DIAG-" + "9" * 20)
    for plan in drawn.plans:
        story.add(
            "change.planned", id=plan["id"], hash=plan["planHash"], plan=plan, proposed_by=["helper:t2c"]
        )

    made = fold(JournalFile(journal), ALL, ["changeplans"]).artifacts("changeplans")
    found = json.loads(_bytes(made["code-change-plans.json"]))
    assert check(found, graph=drawn.graph) == "t2c.code-change-plan-set/v1"
    assert [one["id"] for one in found["plans"]] == sorted(one["id"] for one in drawn.plans)
    assert found["sourceDiagnosticCount"] == 2
    whole = json.loads(_bytes(made["changes.json"]))
    assert len(whole["plans"]) == 3, "a plan of another graph is in the list of all"


def _bytes(content: bytes | Iterable[bytes]) -> bytes:
    return content if isinstance(content, bytes) else b"".join(content)


def test_an_event_of_another_shape_changes_nothing(story: Story) -> None:
    story.planned("1")
    story.add("change.planned", id="CPLAN-" + "2" * 20, hash="2" * 64, plan={"evidence": 7}, proposed_by=[])
    story.add("patch.rendered", kind="source", plans=7)
    assert list(story.state.plans) == ["CPLAN-" + "1" * 20]
    assert published(story.state.plans["CPLAN-" + "1" * 20])["createdAt"]


def test_a_plan_is_followed_through_a_merge_by_the_ids_of_there(story: Story, journal: Path) -> None:
    story.planned()
    story.patched()
    approval = story.add("approval.granted", subject="patch:x", digest="e" * 64, statement="")
    announced = story.announced()
    receipt = story.add("apply.receipted", announced=announced, files=[])
    back = story.add(
        "apply.announced",
        purpose="change.revert",
        files=[],
        subject="revert:x",
        digest="d" * 64,
        reverts=receipt,
    )
    story.add("apply.receipted", announced=back, files=[])
    story.add("approval.withdrawn", approval=approval, reason="no")

    def state(*merged: str) -> list[str]:
        """The steps where the events of these types came from a branch."""
        found = Changes()
        for entry in JournalFile(journal).entries():
            if entry.type in merged:
                place = Origin("0" * 32, entry.seq, "0" * 64, "0" * 64, entry.id, entry.ts)
                entry = msgspec.structs.replace(entry, id=f"EVT-{entry.seq:020d}", origin=place)
            if entry.type in HANDLES:
                apply(found, entry)
        (plan,) = found.plans.values()
        return [step.state for step in plan.steps]

    everything = [entry.type for entry in JournalFile(journal).entries()]
    assert state(*everything) == state()
    assert state()[-2:] == ["reverted", "withdrawn"]
    assert "applied" not in state("apply.receipted"), "what happened elsewhere changed no file here"
