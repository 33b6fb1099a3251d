"""`t2c change plan|list|show|review` and `ledger log --subject PLAN`, as they are typed."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.changes.checking import check


@pytest.fixture
def repo(t2c: Any, new_journal: Any) -> Any:
    """A ledger of three open tasks: of a file that is there, of one that is not, and of none."""
    t2c.chain = new_journal(t2c.root / ".t2c" / "journal.ndjson")
    _todo(t2c.chain, "Add exportMetrics", 3, "src/metrics.py")
    _todo(t2c.chain, "Build the importer", 4, "src/importer.py")
    _todo(t2c.chain, "Make it nicer", 5)
    (t2c.root / "src").mkdir()
    (t2c.root / "src" / "metrics.py").write_text("LIMIT = 5\n")
    return t2c


def _todo(chain: Any, text: str, line: int, *paths: str) -> None:
    from t2c.ledger.intake.base import Draft

    item = Draft(
        kind="todo_item", text=text, object=text, action="add", cls="plan", status="planned", confidence=0.9,
        basis=("markdown_checkbox",), lines=(line, line), modality="required", paths=paths,
    )  # fmt: skip
    chain.observe("todo", "TODO.md", item)


def _events(t2c: Any, *more: str) -> list[Any]:
    return list(t2c("ledger", "log", "--jsonl", *more).lines)


def test_plans_are_recorded_once_and_what_gives_none_is_told(repo: Any) -> None:
    before = {path: path.read_bytes() for path in repo.root.rglob("*.py")}
    first = repo("change", "plan", "--json").document
    assert (first["schema"], first["considered"], first["reasons"]) == (
        "t2c.change-plans/v1",
        3,
        {"no_path": 1},
    )
    plans = {row["plan"]["changes"][0]["path"]: row["plan"] for row in first["plans"]}
    assert {path: one["changes"][0]["action"] for path, one in plans.items()} == {
        "src/metrics.py": "modify",
        "src/importer.py": "create",
    }
    assert all(check(one, graph=first["graph"]) for one in plans.values())
    again = repo("change", "plan", "--json").document
    assert (again["appended"], [row["new"] for row in again["plans"]]) == (0, [False, False])
    assert [row["plan"] for row in again["plans"]] == [row["plan"] for row in first["plans"]]
    told = repo("change", "plan").out
    assert "No plan for 1: no path 1" in told and "TODO.md:5" in told
    assert "2 plans stand as before: t2c change list" in told and "t2c change patch CPLAN-" not in told
    named = repo("change", "plan", first["plans"][0]["plan"]["evidence"]["diagnosticIds"][0]).out
    assert "t2c change patch CPLAN-" in named and "as before" not in named
    recorded = _events(repo, "--type", "change.planned")
    assert [one["data"]["proposed_by"] for one in recorded] == [["helper:t2c"]] * 2
    assert all("createdAt" not in one["data"]["plan"] for one in recorded)
    assert before == {path: path.read_bytes() for path in repo.root.rglob("*.py")}


def test_a_person_names_the_files_of_one_finding(repo: Any) -> None:
    (left,) = repo("change", "plan", "--json").document["left"]
    finding = left["finding"]
    made = repo(
        "change", "plan", finding[:15], "--path", "src/metrics.py", "--path", "tests/test_m.py:create", "--title", "Nicer", "--json"
    ).document  # fmt: skip
    (row,) = made["plans"]
    assert [(one["path"], one["action"]) for one in row["plan"]["changes"]] == [
        ("src/metrics.py", "modify"),
        ("tests/test_m.py", "create"),
    ]
    newest = _events(repo, "--type", "change.planned")[-1]
    assert newest["data"]["proposed_by"] == ["helper:t2c", "human:local"], (
        "who names files cannot approve them"
    )
    head = repo("ledger", "head", "--json").document["seq"]
    for arguments in (
        ("--path", "src/a.py"),
        (finding, "--path", "../a.py"),
        (finding, "--path", "src/none.py:modify"),
        (finding, "--path", "src/metrics.py:create"),
        (finding, "--path", "src/a.py", "--path", "./src/a.py"),
        ("DIAG-nonsense",),
        ("--max", "0"),
        (finding, "--path", "src/a\udcff.py"),
        (finding, "--path", "src/metrics.py", "--title", "a\udcff"),
        (finding, "--path", "src/metrics.py", "--criterion", " "),
    ):
        ran = repo("change", "plan", *arguments)
        assert (ran.code, ran.out) == (2, ""), arguments
        assert "next:" in ran.err and "Traceback" not in ran.err
    assert repo("ledger", "head", "--json").document["seq"] == head


def test_a_review_is_exactly_the_bytes_that_are_hashed_and_recorded_once(repo: Any) -> None:
    assert repo("change", "review").code == 2, "there is no plan yet"
    repo("change", "plan")
    made = repo("change", "review", "--out", "out", "--json").document
    shown = Path(repo.root / "out" / "CODE_CHANGE.review.md").read_bytes()
    assert made["markdown"].encode() == shown
    assert made["review"]["renderedPatchHash"] == sha256(shown).hexdigest()
    assert check(made["review"]) == "t2c.code-change-review/v1"
    again = repo("change", "review", "--json").document
    assert (made["new"], again["new"], again["review"]) == (True, False, made["review"])
    (event,) = _events(repo, "--type", "patch.rendered")
    assert (event["data"]["kind"], event["data"]["hash"]) == ("review", sha256(shown).hexdigest())
    (repo.root / "mine").mkdir()
    (repo.root / "mine" / "CODE_CHANGE.review.md").write_text("# my own\n")
    refused = repo("change", "review", "--out", "mine")
    assert refused.code != 0 and (repo.root / "mine" / "CODE_CHANGE.review.md").read_text() == "# my own\n"


def test_a_plan_tells_its_whole_story(repo: Any) -> None:
    made = repo("change", "plan", "--json").document
    ids = {row["plan"]["changes"][0]["path"]: row["plan"]["id"] for row in made["plans"]}
    one, other = ids["src/metrics.py"], ids["src/importer.py"]
    planned = made["seq"]
    diff = b"--- a/src/metrics.py\n+++ b/src/metrics.py\n@@ -1 +1,2 @@\n LIMIT = 5\n+exportMetrics = print\n"
    patch = repo("change", "patch", one, "--diff", "-", "--json", input=diff)
    assert patch.code == 0, patch.err
    (rendered,) = _events(repo, "--type", "patch.rendered")
    hash, name = rendered["data"]["hash"], rendered["data"]["artifact"]["id"]
    assert repo("approve", hash, "--yes", env={"T2C_ACTOR": "human:bob"}).code == 0
    assert repo("change", "apply", name).code == 0
    found = repo("change", "show", one[:14], "--json").document
    assert (found["schema"], found["state"]) == ("t2c.change/v1", "applied")
    assert [step["state"] for step in found["steps"]] == ["patched", "approved", "applying", "applied"]
    assert repo("change", "show", one, "--at", str(planned), "--json").document["state"] == "planned"
    story = [event["type"] for event in _events(repo, "--subject", one)]
    assert story == [
        "change.planned",
        "patch.rendered",
        "approval.granted",
        "apply.announced",
        "apply.receipted",
    ]
    assert [event["type"] for event in _events(repo, "--subject", other)] == ["change.planned"]
    told = repo("ledger", "log", "--subject", one).out.splitlines()
    assert len(told) == 5 and "SPATCH-" in told[1] and "src/metrics.py" in told[3]
    listed = repo("change", "list", "--json").document
    assert {row["id"]: row["state"] for row in listed["plans"]} == {one: "applied", other: "planned"}
    kept = repo("change", "plan", "--json").document
    assert kept["kept"] == [one] and [row["plan"]["id"] for row in kept["plans"]] == [other]
    assert repo("change", "show", "CPLAN-ffffff").code == 2
