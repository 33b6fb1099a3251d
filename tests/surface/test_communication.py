"""`t2c communication`, as a person or a program meets it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

ISSUES = {
    "project/ticket-1/user-ada.md": "# Ada\n\n## Request\n\n- Store the password in plain text.\n- Print the invoice.\n",
    "project/ticket-1/user-bob.md": "# Bob\n\n## Request\n\nDo not store the password in plain text.\n",
    "project/ticket-1/ai-codex.md": "# Codex\n\n## Results\n\n- All 12 tests pass, wrote weekly.csv.\n- The owner approved the plan.\n",
    "project/ticket-2/ai-codex.md": "# Codex\n\n## Plan\n\nRemove the \u001b[31mnewsletter.\n",
}


@pytest.fixture
def scanned(t2c: Any) -> Any:
    for name, text in ISSUES.items():
        path: Path = t2c.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert t2c("init").code == 0
    assert t2c("scan").code == 0
    return t2c


def test_issues_are_told_by_code_with_who_must_respond(scanned: Any) -> None:
    ran = scanned("communication")
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert lines[0].startswith("3 participants, 2 tickets, ")
    conflict = lines.index("HUMAN_COMMUNICATION_CONFLICT  1")
    assert "TICKET-1  bob says “Do not store the password in plain text.”" in lines[conflict + 1]
    assert lines[conflict + 2].strip().startswith("→ ada, bob: Let a person decide")
    assert any("a claim without receipt" in line and "weekly.csv" in line for line in lines)
    assert "\x1b" not in ran.out
    assert any(line.split()[:3] == ["codex", "agent", "3"] for line in lines)


def test_json_is_the_published_document(scanned: Any) -> None:
    document = scanned("communication", "--json").document
    assert document["schemaVersion"] == "t2c.communication-analysis/v1"
    assert set(document) == {
        "schemaVersion", "generatedAt", "graphFingerprint", "tickets", "participants", "syntheses", "issues", "counts",
    }  # fmt: skip
    assert scanned("ledger", "project", "communication").code == 0
    stored = (scanned.root / ".t2c/projections/communication/communication.json").read_text()
    assert scanned("communication", "--json").out == stored


def test_a_ticket_and_a_participant_narrow_it(scanned: Any) -> None:
    document = scanned("communication", "--ticket", "Ticket-2", "--json").document
    assert document["tickets"] == ["TICKET-2"]
    assert [row["participant"] for row in document["participants"]] == ["codex"]
    assert [issue["code"] for issue in document["issues"]] == ["AGENT_WORK_OUTSIDE_REQUEST"]
    assert document["counts"] == {"info": 0, "warning": 1, "review_required": 0, "blocking": 0}
    assert document["participants"][0]["issueIds"] == [document["issues"][0]["id"]]
    asked = scanned("communication", "--participant", "BOB", "--json").document
    assert {"HUMAN_COMMUNICATION_CONFLICT"} < {issue["code"] for issue in asked["issues"]}
    assert all("bob" in (*one["participantIds"], *one["responseRequiredFrom"]) for one in asked["issues"])


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--ticket", "ticket-11"), "did you mean TICKET-1"),
        (("--participant", "coda"), "did you mean codex"),
        (("--language", "de"), "en, pl"),
        (("--at", "9999"), "9999"),
    ],
)
def test_what_is_not_there_is_said_with_what_comes_near(
    scanned: Any, options: tuple[str, ...], told: str
) -> None:
    ran = scanned("communication", *options)
    assert ran.code == 2
    assert told in ran.err


def test_it_speaks_polish_under_the_same_ids(scanned: Any) -> None:
    english, polish = (
        scanned("communication", "--json", "--language", name).document for name in ("en", "pl")
    )
    assert [one["id"] for one in english["issues"]] == [one["id"] for one in polish["issues"]]
    assert any("twierdzenie bez pokwitowania" in one["detail"] for one in polish["issues"])


def test_a_moment_before_it_was_said_has_nothing(scanned: Any) -> None:
    ran = scanned("communication", "--at", "1")
    assert ran.code == 0, ran.err
    assert ran.out == "no data: nobody speaks about a ticket in the project folder\n"


def test_a_limit_counts_what_it_leaves_out(scanned: Any) -> None:
    assert "… and 1 more" in scanned("communication", "--limit", "0").out


def test_issues_are_diagnostics_too(scanned: Any) -> None:
    document = scanned("diagnose", "--format", "diagnostics").document
    codes = {one["code"] for one in document["diagnostics"]}
    assert {"HUMAN_COMMUNICATION_CONFLICT", "AGENT_CLAIM_WITHOUT_EVIDENCE"} <= codes
    assert "ALIGNED" not in codes


def test_what_is_answered_and_shown_is_no_issue_any_more(scanned: Any) -> None:
    (scanned.root / "project/ticket-1/user-bob.md").write_text("# Bob\n\n## Request\n\nRest.\n")
    before = {one["code"] for one in scanned("communication", "--json").document["issues"]}
    assert scanned("scan").code == 0
    after = {one["code"] for one in scanned("communication", "--json").document["issues"]}
    assert before - after == {"HUMAN_COMMUNICATION_CONFLICT"}
