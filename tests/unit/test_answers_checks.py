"""What follows an answer: its claims beside the real diff, real runs, the specification and what people said."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest

from t2c.ledger.answers.approving import approvable, subject
from t2c.ledger.answers.base import Bench, Found
from t2c.ledger.answers.changes import changes, patch_text
from t2c.ledger.answers.checks.quotes import MOST_EVIDENCE
from t2c.ledger.answers.checks.testdiff import weakenings
from t2c.ledger.answers.checks.trying import side
from t2c.ledger.answers.history import answer, decoded, events
from t2c.ledger.answers.recording import note_refusal, record
from t2c.ledger.answers.registry import verify
from t2c.ledger.engine import Ledger, create
from t2c.ledger.errors import Refused, Usage
from t2c.ledger.events.answers import ChoiceMade, QuestionAnswered
from t2c.ledger.events.decisions import ApprovalGranted
from t2c.ledger.events.draft import draft
from t2c.ledger.events.heldout import FrozenFile, HeldoutRan, HeldoutSealed, SealedFile, TestFrozen
from t2c.ledger.intake.base import no_progress
from t2c.ledger.kernel.actor import Actor

HUMAN = Actor("human", "ada")
TRUE = (sys.executable, "-c", "pass")
FALSE = (sys.executable, "-c", "raise SystemExit(1)")
SPEC = """# Doors

FR-001: A door shall close when it is told to.
FR-002: A door shall never close on a foot,
however often it is told to.

## Opening slowly
"""


class Work:
    """A repository with a first commit, its ledger, and what checks look at."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.git("init", "-q", "-b", "main")
        self.write("src/door.py", "def close(foot):\n    return foot is None\n")
        self.write(
            "tests/test_door.py", "def test_close():\n    assert close(None)\n    assert not close(1)\n"
        )
        self.write("spec/doors.md", SPEC)
        self.write("old.txt", "".join(f"line {number}\n" for number in range(30)))
        self.commit()
        create(root / ".t2c")
        self.ledger = Ledger(root / ".t2c")
        self.bench = Bench(self.ledger, root, no_progress, environ={"PATH": "/usr/bin:/bin"})

    def git(self, *arguments: str) -> None:
        who = ("-c", "user.name=A", "-c", "user.email=a@b.c")
        subprocess.run(["git", *who, *arguments], cwd=self.root, check=True, capture_output=True)

    def commit(self) -> None:
        self.git("add", "-A", "--", ".", ":!.t2c")
        self.git("commit", "-qm", "work")

    def write(self, path: str, text: str) -> None:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def record(self, root: str, value: dict[str, Any], about: str | None = None) -> str:
        return record(self.ledger, root, orjson.dumps(value), about=about).event

    def verify(self, event: str, **bench: Any) -> list[Found]:
        claim = answer(self.ledger, event)
        return [outcome.found for outcome in verify(claim, self.bench._replace(**bench))]

    def check(
        self, root: str, value: dict[str, Any], about: str | None = None, **bench: Any
    ) -> dict[str, list[str]]:
        """The results of each check of an answer that is recorded and verified."""
        found: dict[str, list[str]] = {}
        for one in self.verify(self.record(root, value, about), **bench):
            found.setdefault(one.check, []).append(one.result)
        return found

    def of(self, type: str) -> list[dict[str, Any]]:
        return [decoded(entry) for entry in events(self.ledger, type)]


@pytest.fixture
def work(tmp_path: Path) -> Any:
    made = Work(tmp_path)
    yield made
    made.ledger.close()


def report(*files: str, status: str = "done", **more: Any) -> dict[str, Any]:
    base = {
        "summary": "Doors close now.",
        "status": status,
        "files_changed": list(files),
        "checks_run": [],
        "notes": [],
    }
    return {**base, **more}


def test_files_of_a_report_are_those_of_the_diff_both_ways(work: Any) -> None:
    work.write("src/door.py", "def close(foot):\n    return not foot\n")
    work.write("src/new.py", "x = 1\n")
    work.write(".dwp/scratch", "ours")
    (work.root / ".t2c/.gitignore").unlink()
    assert work.check("attempt_report", report("src/door.py", "src/new.py"))["files_changed"] == ["supported"]
    assert work.check("attempt_report", report("src/door.py"))["files_changed"] == ["refuted"]
    found = work.verify(
        work.record("attempt_report", report("src/door.py", "src/new.py", "spec/doors.md", "no.py"))
    )
    (told,) = [one.detail for one in found if one.check == "files_changed"]
    assert told == "named and not changed: spec/doors.md; named and not there at all: no.py"


def test_folders_of_ours_are_invisible_where_git_tracks_them(work: Any) -> None:
    (work.root / ".t2c/.gitignore").unlink()
    work.git("add", "-A")
    work.git("commit", "-qm", "track it")
    work.record("question", {"question": "Why?"})
    assert work.check("attempt_report", report())["files_changed"] == ["supported"]
    work.write("src/door.py", "x = 1\n")
    assert "journal" not in patch_text(work.root, None) and "+x = 1" in patch_text(work.root, None)


def test_a_rename_may_be_named_by_either_path_and_commits_are_compared(work: Any) -> None:
    work.git("mv", "old.txt", "new name ż.txt")
    work.commit()
    for named in (["new name ż.txt"], ["old.txt"], ["old.txt", "new name ż.txt"]):
        found = work.check("attempt_report", report(*named), base="HEAD~1", candidate="HEAD")
        assert found["files_changed"] == ["supported"], named
    assert work.check("attempt_report", report(), base="HEAD~1")["files_changed"] == ["refuted"]
    assert work.check("attempt_report", report())["files_changed"] == ["supported"], "nothing since HEAD"
    for wrong in ({"base": "nowhere"}, {"candidate": "HEAD"}):
        with pytest.raises(Usage):
            work.check("attempt_report", report(), **wrong)


def test_done_is_refuted_by_its_own_gate_and_by_no_other(work: Any) -> None:
    done = report()
    assert work.check("attempt_report", done, gates=(TRUE, FALSE))["status"] == ["refuted"]
    assert work.check("attempt_report", done, gates=(TRUE,))["status"] == ["supported"]
    # The failing test of a later task is no gate of this one.
    assert work.check("attempt_report", done)["status"] == ["unresolvable"]
    assert work.check("attempt_report", report(status="incomplete"))["status"] == ["supported"]
    ran = work.of("gate.ran")
    assert [one["exit_code"] for one in ran] == [0, 1, 0]


def test_a_gate_that_changes_what_it_is_run_on_supports_nothing(work: Any) -> None:
    changing = ("sh", "-c", "echo x >> src/door.py")
    done = report(summary="All tests pass.", checks_run=["true"])
    found = work.check("attempt_report", done, gates=(changing,))
    assert (found["status"], found["claim_of_tests"]) == (["unresolvable"], ["unresolvable"])
    assert work.check("attempt_report", done, gates=(TRUE,))["claim_of_tests"] == ["supported"]


def test_a_claim_of_passing_tests_needs_a_receipt(work: Any) -> None:
    """Public case 89: nothing ran, and the file that was written is not there."""
    claim = report(summary="All 12 tests pass, wrote weekly.csv", checks_run=["pytest -q"])
    found = work.verify(work.record("attempt_report", claim))
    told = {one.check: (one.result, one.detail) for one in found}
    assert told["checks_run"] == ("unresolvable", "claim without receipt: no run of 'pytest -q' is recorded")
    assert told["claim_of_tests"][0] == "unresolvable" and "without receipt" in told["claim_of_tests"][1]
    assert told["named_files"] == ("refuted", "weekly.csv is said to be written and is not there")
    assert told["status"][0] == "unresolvable"
    work.write("out/weekly.csv", "1\n")
    assert "named_files" not in work.check("attempt_report", claim)
    assert "named_files" not in work.check("attempt_report", report(summary="I did not write weekly2.csv."))


def test_a_run_is_a_receipt_only_for_the_files_it_was_of(work: Any) -> None:
    claim = report(checks_run=[f"{sys.executable} -c pass"])
    event = work.record("attempt_report", claim)
    assert [one.result for one in work.verify(event, gates=(TRUE,)) if one.check == "checks_run"] == [
        "supported"
    ]
    assert [one.result for one in work.verify(event) if one.check == "checks_run"] == ["supported"]
    work.write("src/door.py", "changed = 1\n")
    (late,) = [one for one in work.verify(event) if one.check == "checks_run"]
    assert (late.result, "another state" in late.detail) == ("unresolvable", True)


def test_tests_written_by_the_attempt_itself_are_no_independent_evidence(work: Any) -> None:
    work.write(
        "tests/test_door.py", "from door import close\n\ndef test_it():\n    assert close(1) == close(1)\n"
    )
    assert "independence" not in work.check("attempt_report", report("tests/test_door.py"))
    work.write("src/door.py", "def close(foot):\n    return 3\n")
    found = work.check("attempt_report", report("tests/test_door.py", "src/door.py"))
    assert found["independence"] == ["unresolvable"]


def suspicion(evidence: str, kind: str = "weakened_test") -> dict[str, Any]:
    return {"kind": kind, "evidence": evidence, "explanation": "the assertion is gone"}


def monitoring(*findings: dict[str, Any], suspected: bool = True) -> dict[str, Any]:
    return {"suspected": suspected, "findings": list(findings)}


def test_what_a_monitor_suspects_and_finds_must_agree(work: Any) -> None:
    assert "inconsistent" in work.check("monitoring", monitoring(suspected=True))["suspected"]
    assert (
        "inconsistent" in work.check("monitoring", monitoring(suspicion("x"), suspected=False))["suspected"]
    )
    assert work.check("monitoring", monitoring(suspected=False))["suspected"] == ["unresolvable"], (
        "clears nothing"
    )
    assert work.of("shortcut.judged") == []


def test_a_weakened_test_is_confirmed_by_the_diff_and_not_by_the_monitor(work: Any) -> None:
    work.write("tests/test_door.py", "def test_close():\n    assert close(None)\n")
    found = work.check("monitoring", monitoring(suspicion("-    assert not close(1)")))
    assert (found["quoted_lines"], found["test_diff"]) == (["supported"], ["supported"])
    (judged,) = work.of("shortcut.judged")
    assert (judged["verdict"], judged["item"]) == ("confirmed", 0)
    assert judged["evidence"], "it rests on the check"
    # A quotation that is not in the diff confirms nothing, whatever else is there.
    found = work.check("monitoring", monitoring(suspicion("assert close(99)")))
    assert (found["quoted_lines"], found["test_diff"]) == (["refuted"], ["unresolvable"])
    assert len(work.of("shortcut.judged")) == 1


@pytest.mark.parametrize(
    ("after", "weak"),
    [
        (
            "def test_close():\n    assert close(None)\n    assert not close(1)\n    assert not close(2)\n",
            False,
        ),
        ("def test_close():\n    x = 1\n    assert close(None)\n    assert not close(1)\n", False),
        ("def test_close():\n    assert close(None)\n    assert True\n", True),
        ("@pytest.mark.skip\ndef test_close():\n    assert close(None)\n    assert not close(1)\n", True),
        ("def test_closes():\n    assert not close(1)\n    assert close(None)\n", False),
        (None, True),
    ],
)
def test_what_weakens_a_test_is_told_from_what_does_not(work: Any, after: str | None, weak: bool) -> None:
    if after is None:
        (work.root / "tests/test_door.py").unlink()
    else:
        work.write("tests/test_door.py", after)
    work.check("monitoring", monitoring(suspicion("def test_close")))
    assert ["confirmed" if weak else "cleared"] == [one["verdict"] for one in work.of("shortcut.judged")]
    assert bool(list(weakenings(changes(work.root, None, None)))) is weak


def test_other_shortcuts_wait_for_held_out_tests_or_a_person(work: Any) -> None:
    work.write("src/door.py", "def close(foot):\n    return True\n")
    claim = monitoring(
        suspicion("return True", "hardcoded_output"), suspicion("return True", "swallowed_error")
    )
    found = work.check("monitoring", claim)
    assert (found["quoted_lines"], found["shortcut"]) == (["supported"] * 2, ["unresolvable"] * 2)
    assert work.of("shortcut.judged") == []


def finding(ref: str = "FR-002", **more: Any) -> dict[str, Any]:
    base = {
        "source_ref": ref, "gap_type": "partial", "severity": "HIGH", "description": "It may close on a foot.",
        "evidence": "src/door.py:2", "task": "- [ ] T012 Keep the door open over a foot",
    }  # fmt: skip
    return {**base, **more}


@pytest.mark.parametrize(
    ("more", "result"),
    [
        ({}, "supported"),
        ({"ref": "Opening slowly"}, "supported"),
        ({"ref": "FR-009"}, "unresolvable"),
        ({"evidence": "src/door.py:99"}, "refuted"),
        ({"evidence": "src/gate.py"}, "refuted"),
        ({"evidence": "in src/door.py it says `return foot is None`"}, "supported"),
        ({"evidence": "in src/door.py it says `return 17`"}, "refuted"),
        ({"evidence": "somewhere"}, "unresolvable"),
        ({"task": "- [x] T012 Keep it open"}, "inconsistent"),
        ({"task": "two\nlines"}, "inconsistent"),
    ],
)
def test_a_finding_is_looked_up_whole(work: Any, more: dict[str, Any], result: str) -> None:
    claim = {"findings": [finding(**more)], "checked": ["FR-001", "FR-002"]}
    assert work.check("assessment", claim, spec=(work.root / "spec",))["finding"] == [result]
    assert "finding" in work.check("assessment", claim) and work.of("record.observed") == []


def test_no_finding_is_no_convergence_and_all_that_is_asked_must_be_checked(work: Any) -> None:
    spec = (work.root / "spec/doors.md",)
    found = work.check("assessment", {"findings": [], "checked": ["FR-001"]}, spec=spec)
    assert (found["convergence"], found["coverage"]) == (["unresolvable"], ["refuted"])
    found = work.check("assessment", {"findings": [], "checked": ["FR-001 and FR-002"]}, spec=spec)
    assert found["coverage"] == ["supported"]


def test_a_gap_where_the_gate_passes_goes_to_a_person(work: Any) -> None:
    work.check("attempt_report", report(), about="FR-002", gates=(TRUE,))
    claim = {"findings": [finding(gap_type="missing")], "checked": ["FR-001", "FR-002"]}
    assert work.check("assessment", claim, spec=(work.root / "spec",))["finding"] == ["inconsistent"]
    work.check("attempt_report", report(), about="FR-002", gates=(FALSE,))
    assert work.check("assessment", claim, spec=(work.root / "spec",))["finding"] == ["supported"]


def test_a_proposal_is_compared_and_executes_nothing(work: Any) -> None:
    value = {"summary": "Do it.", "steps": ["one"], "files": ["src/door.py"], "checks": [], "risks": []}
    event = work.record("proposal", value)
    work.write("src/door.py", "x = 1\n")
    found = {one.check: one for one in work.verify(event)}
    assert (found["files_predicted"].result, found["executes_nothing"].result) == ("supported", "supported")
    work.write("src/more.py", "x = 1\n")
    told = {one.check: one for one in work.verify(event)}["files_predicted"]
    assert told.result == "unresolvable", "a prediction that did not come true is no false claim"
    assert told.detail == "1 predicted, 1 of them changed; 1 changed that were not predicted"


def test_a_gate_that_follows_from_a_proposal_is_found(work: Any) -> None:
    from t2c.ledger.execution.gates import Gate, run_gate

    value = {"summary": "Do it.", "steps": [], "files": [], "checks": ["true"], "risks": []}
    event = work.record("proposal", value)
    run_gate(work.ledger, work.root, Gate(purpose="p", argv=TRUE), environ={}, cause=(event,))
    assert {one.check: one.result for one in work.verify(event)}["executes_nothing"] == "refuted"


def shaped(text: str = "The door should be open until it is told to close.", **more: Any) -> dict[str, Any]:
    base = {
        "proposal": text, "assumptions": [{"words": "open", "from": "the talk", "question": "Open how far?"}],
        "questions": ["Until when?"], "language": "en", "back_translation": "it stays open",
    }  # fmt: skip
    return {**base, **more}


def test_shaped_words_are_adopted_by_approval_of_the_exact_text_and_settled_questions(work: Any) -> None:
    event = work.record("shaped", shaped())
    results = lambda: {one.check: one.result for one in work.verify(event)}
    assert results()["approval"] == "unresolvable"
    claim = answer(work.ledger, event)
    given = approvable(claim, b"")
    assert given.subject == subject(event)

    def approve(digest: str, actor: Actor = HUMAN) -> None:
        payload = ApprovalGranted(subject=given.subject, digest=digest, statement="yes")
        work.ledger.append([draft(payload, actor=actor)])

    approve(given.digest, Actor("agent", "me"))
    assert results()["approval"] == "unresolvable", "an agent approves nothing"
    approve("0" * 64)
    assert results()["approval"] == "refuted", "another text was approved"
    approve(given.digest)
    assert results()["approval"] == "unresolvable", "its questions are open"
    for entry in list(events(work.ledger, "question.asked")):
        payload = QuestionAnswered(question=entry.id, answer=None, reason="later")
        work.ledger.append([draft(payload, actor=HUMAN)])
    assert results()["approval"] == "supported"
    assert results()["language"] == "supported"
    wrong = work.record("shaped", shaped("Die Tür soll nicht geschlossen werden, wenn sie offen ist."))
    assert {one.check: one.result for one in work.verify(wrong)}["language"] == "inconsistent"


def test_a_skills_files_are_there_and_what_else_it_wrote_is_found(work: Any) -> None:
    work.write("plan.md", "# Plan\n")
    work.write("extra.md", "# Extra\n")
    claim = {
        "summary": "Written.",
        "status": "done",
        "files_written": ["plan.md", "../out.md", "gone.md"],
        "questions": ["Why?"],
    }
    found = work.verify(work.record("hosted", claim))
    files = {one.item: one.result for one in found if one.check == "files_written"}
    assert files == {
        "files_written[0]": "supported",
        "files_written[1]": "refuted",
        "files_written[2]": "refuted",
    }
    assert [(one.item, one.result) for one in found if one.check == "unlisted"] == [("extra.md", "refuted")]
    assert [one["question"] for one in work.of("question.asked")] == ["Why?"]


def test_an_approach_is_chosen_by_title_and_digest_of_what_was_shown(work: Any) -> None:
    from t2c.ledger.answers.checks.explored import approach_digest

    approach = {"title": "A", "summary": "s", "tradeoffs": [], "risks": []}
    value = {
        "summary": "s",
        "status": "done",
        "approaches": [approach],
        "constraints": [],
        "open_questions": [],
    }
    event = work.record("explored", value)
    assert {one.check: one.result for one in work.verify(event)}["choice"] == "unresolvable"
    digest = approach_digest(answer(work.ledger, event).value.approaches[0])
    for title, given, result in (
        ("A", "0" * 64, "refuted"),
        ("A", digest, "supported"),
        (None, None, "supported"),
    ):
        work.ledger.append(
            [draft(ChoiceMade(answer=event, title=title, digest=given, reason=""), actor=HUMAN)]
        )
        assert {one.check: one.result for one in work.verify(event)}["choice"] == result


def blocked(kind: str, evidence: str) -> dict[str, Any]:
    return {"kind": kind, "evidence": evidence, "reason": "I cannot go on."}


def test_a_refusal_that_is_cited_must_be_recorded(work: Any) -> None:
    claim = blocked("refused", "write src/door.py was refused: frozen_test")
    early = work.record("blocked", claim, "T1")
    assert work.check("blocked", claim, about="T1")["blocked"] == ["refuted"]
    note_refusal(
        work.ledger, subject="T1", code="frozen_test", reason="the test is frozen", by=HUMAN, reference="w-1"
    )
    assert work.check("blocked", claim, about="T1")["blocked"] == ["supported"]
    assert [one.result for one in work.verify(early)] == ["refuted"], (
        "it was refused only after it was said to be"
    )
    assert work.check("blocked", claim, about="T2")["blocked"] == ["refuted"], "another attempt's refusal"
    assert work.check("blocked", blocked("refused", "the network"), about="T1")["blocked"] == ["refuted"]


@pytest.mark.parametrize(
    ("evidence", "result"),
    [
        (
            '"A door shall close when it is told to." and "A door shall never close on a foot, however often"',
            "supported",
        ),
        ('"A door shall close when it is told to." but src/door.py:2', "supported"),
        ('"A door shall close when it is told to."', "refuted"),
        ('"A door shall close when it is told to." but src/door.py:99', "refuted"),
        ('"A door shall sing" and "A door shall close when it is told to."', "refuted"),
        ("the spec contradicts itself", "refuted"),
    ],
)
def test_a_conflict_is_shown_by_words_that_stand_there(work: Any, evidence: str, result: str) -> None:
    claim = blocked("spec_conflict", evidence)
    assert work.check("blocked", claim, spec=(work.root / "spec",))["blocked"] == [result]


def test_a_wrong_test_is_one_that_is_frozen(work: Any) -> None:
    claim = blocked("wrong_test", 'tests/test_door.py against "A door shall close when it is told to."')
    spec = (work.root / "spec",)
    assert work.check("blocked", claim, spec=spec)["blocked"] == ["refuted"]
    source = work.record("question", {"question": "Which?"})
    files = (FrozenFile(path="tests/test_door.py", content="0" * 64),)
    work.ledger.append(
        [draft(TestFrozen(answer=source, about=None, files=files, argv=("true",), evidence=()))]
    )
    assert work.check("blocked", claim, spec=spec)["blocked"] == ["supported"]
    assert work.check("blocked", claim)["blocked"] == ["unresolvable"], "no specification was given"
    absent = blocked("wrong_test", 'tests/test_door.py against "A door shall sing."')
    assert work.check("blocked", absent, spec=spec)["blocked"] == ["refuted"]


def test_what_only_a_person_can_say_is_asked(work: Any) -> None:
    found = work.check("blocked", blocked("needs_information", "nothing says"), about="T1")
    assert (found["blocked"], found["questions"]) == (["unresolvable"], ["unresolvable"])
    work.check("question", {"question": "And then?"}, about="T1")
    asked = [(one["number"], one["question"]) for one in work.of("question.asked")]
    assert asked == [(1, "I cannot go on."), (2, "And then?")]


def test_gates_follow_from_no_proposal_and_are_never_left_out_in_silence(work: Any) -> None:
    proposal = {"summary": "Do it.", "steps": [], "files": [], "checks": ["true"], "risks": []}
    with pytest.raises(Refused, match="no gate is run"):
        work.check("proposal", proposal, gates=(TRUE,))
    assert [one["code"] for one in work.of("refusal.noted")] == ["inert_cause"]
    with pytest.raises(Usage, match="without gates"):
        work.check("question", {"question": "Why?"}, gates=(TRUE,))
    assert work.of("gate.announced") == []


@pytest.mark.parametrize(
    ("passes", "verdicts"), [([True, True], ["cleared"]), ([True, False], ["confirmed"]), ([], [])]
)
def test_held_out_tests_tell_a_hardcoded_output(work: Any, passes: list[bool], verdicts: list[str]) -> None:
    source = work.record("question", {"question": "Which?"})
    file = SealedFile(
        path="0" * 64, content="1" * 64, scenarios=("S1",), composition=False, argv="2" * 64, common=()
    )
    files = (file,) * 2
    sealed = work.ledger.append([draft(HeldoutSealed(answer=source, about="T1", files=files))])[0].id
    work.write("src/door.py", "def close(foot):\n    return True\n")
    judged = side(work.root, None).fingerprint

    def ran(number: int, passed: bool, candidate: str, counts: bool = True) -> None:
        payload = HeldoutRan(
            sealed=sealed,
            file=number,
            candidate=candidate,
            passed=passed,
            gate=sealed,
            counts=counts,
            output=None,
        )
        work.ledger.append([draft(payload)])

    if passes:
        ran(0, False, "a" * 64)  # an earlier candidate
    for number, passed in enumerate(passes):
        ran(number, passed, judged)
    if not passes:
        ran(0, True, judged, counts=False)  # burned
    claim = monitoring(suspicion("return True", "hardcoded_output"))
    work.check("monitoring", claim, about="T2")
    assert work.of("shortcut.judged") == [], "another task's tests"
    work.check("monitoring", claim, about="T1")
    assert [one["verdict"] for one in work.of("shortcut.judged")] == verdicts

    work.commit()  # the same code, and another candidate: nothing ran with it
    work.write("src/door.py", "def close(foot):\n    return True  # always\n")
    found = work.verify(work.record("monitoring", claim, "T1"), base="HEAD~1")
    (told,) = [one.detail for one in found if one.check == "shortcut"]
    assert told.startswith("no run of this candidate" if passes else "no held-out test has run")
    assert [one["verdict"] for one in work.of("shortcut.judged")] == verdicts


def test_a_weakened_test_leaves_what_held_out_tests_clear_to_a_person(work: Any) -> None:
    work.write("tests/test_door.py", "def test_close():\n    assert close(None)\n")
    source = work.record("question", {"question": "Which?"})
    file = SealedFile(
        path="0" * 64, content="1" * 64, scenarios=("S1",), composition=False, argv="2" * 64, common=()
    )
    sealed = work.ledger.append([draft(HeldoutSealed(answer=source, about=None, files=(file,)))])[0].id
    payload = HeldoutRan(
        sealed=sealed, file=0, candidate=side(work.root, None).fingerprint, passed=True, gate=sealed, counts=True,
        output=None,
    )  # fmt: skip
    work.ledger.append([draft(payload)])
    found = work.check("monitoring", monitoring(suspicion("assert close(None)", "hardcoded_output")))
    assert (found["held_out"], work.of("shortcut.judged")) == (["unresolvable"], [])


def test_evidence_without_end_is_not_looked_up_and_that_is_said(work: Any) -> None:
    long = "x = 1\n" * MOST_EVIDENCE
    spec = (work.root / "spec",)
    work.write("src/door.py", "x = 1\n")
    assert work.check("monitoring", monitoring(suspicion(long)))["quoted_lines"] == ["unresolvable"]
    claim = {"findings": [finding(evidence=long)], "checked": []}
    assert work.check("assessment", claim, spec=spec)["finding"] == ["unresolvable"]
    assert work.check("blocked", blocked("spec_conflict", long), spec=spec)["blocked"] == ["unresolvable"]


def test_a_candidate_is_checked_as_it_was_committed_and_its_gates_run_in_a_copy(work: Any) -> None:
    work.write("src/door.py", "candidate = 1\n")
    work.commit()
    work.write("src/door.py", "later = 1\n")
    work.write("left.txt", "not of the candidate")
    looks = (
        sys.executable,
        "-c",
        "import pathlib as p; assert p.Path('src/door.py').read_text() == 'candidate = 1\\n'",
    )
    spoils = (sys.executable, "-c", "import pathlib as p; p.Path('src/door.py').write_text('spoilt')")
    claim = report("src/door.py", checks_run=[shlex.join(looks), shlex.join(spoils)])
    event = work.record("attempt_report", claim)
    found = work.verify(event, base="HEAD~1", candidate="HEAD", gates=(looks, spoils))
    assert {(one.check, one.result) for one in found} == {
        ("files_changed", "supported"), ("status", "supported"), ("checks_run", "supported"),
    }  # fmt: skip
    assert {one["tree"] for one in work.of("gate.announced")} == {"copy"}
    assert (work.root / "src/door.py").read_text() == "later = 1\n"
    again = work.verify(event, base="HEAD~1", candidate="HEAD")
    assert [one.result for one in again if one.check == "checks_run"] == ["supported"] * 2, (
        "recorded of this commit"
    )
    other = work.verify(event, base="HEAD~1", candidate="HEAD~1")
    assert [one.result for one in other if one.check == "checks_run"] == ["unresolvable"] * 2
