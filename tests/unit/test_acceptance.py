"""Tests before code: acceptance, reproductions and review, tried on a base and a candidate, then frozen."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.answers.approving import subject
from t2c.ledger.answers.base import Bench, Found
from t2c.ledger.answers.checks.collecting import not_held_to
from t2c.ledger.answers.checks.freezing import (
    CODE,
    frozen_files,
    guard_frozen,
    refuse_changed,
    states,
    suite_of,
)
from t2c.ledger.answers.checks.named_tests import ended, files_ended, telling
from t2c.ledger.answers.checks.scenarios import Spec
from t2c.ledger.answers.checks.trying import Tried, clean, side, unbuilt
from t2c.ledger.answers.history import answer
from t2c.ledger.answers.recording import record
from t2c.ledger.answers.registry import verify
from t2c.ledger.engine import Ledger, create
from t2c.ledger.errors import Refused
from t2c.ledger.events.decisions import ApprovalGranted
from t2c.ledger.events.draft import draft
from t2c.ledger.events.heldout import FrozenFile, TestFrozen
from t2c.ledger.intake.base import no_progress
from t2c.ledger.kernel.actor import Actor

PYTHON = Path(sys.executable).name
BOOT = "import sys; sys.path.insert(0, '.')\nimport code_of\n"
BUGGY = "def half(n):\n    return n // 2\n"
FIXED = "def half(n):\n    return n / 2\n"
ADA = Actor("human", "ada")
AGENT = Actor("agent", "builder")


class Yard:
    """A repository with a buggy module, and what a check needs."""

    def __init__(self, base: Path) -> None:
        self.tree = base / "repo"
        self.tree.mkdir()
        (self.tree / "code_of.py").write_text(BUGGY)
        self.git("init", "-q", "-b", "main")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "base")
        create(self.tree / ".t2c")
        self.ledger = Ledger(self.tree / ".t2c")
        spec = base / "spec.md"
        spec.write_text("# Half\n\nScenario: half of an odd number\nE1: half(3) is 1. U1: half(4) is 2.\n")
        environ = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
        self.bench = Bench(
            self.ledger, self.tree, no_progress, base="HEAD", spec=(spec,), timeout=20, environ=environ
        )

    def git(self, *arguments: str) -> None:
        named = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
        subprocess.run(["git", "-C", str(self.tree), *named, *arguments], check=True, capture_output=True)

    def fix(self) -> None:
        (self.tree / "code_of.py").write_text(FIXED)

    def record(self, root: str, value: dict[str, Any]) -> str:
        return record(self.ledger, root, json.dumps(value).encode()).event

    def verify(self, event: str, **changed: Any) -> dict[tuple[str, str | None], Found]:
        found = verify(answer(self.ledger, event), self.bench._replace(**changed))
        return {(one.found.check, one.found.item): one.found for one in found}

    def approve(self, event: str, digest: str, path: str | None = None, by: Actor = ADA) -> None:
        payload = ApprovalGranted(subject=subject(event, path), digest=digest, statement="")
        self.ledger.append([draft(payload, actor=by)])

    def refusals(self) -> list[dict[str, Any]]:
        return [
            json.loads(bytes(entry.data)) for entry in self.ledger.entries() if entry.type == "refusal.noted"
        ]


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    return Yard(tmp_path)


TEST = BOOT + "assert code_of.half(3) == 1.5\n"
PATH = "tests/test_half.py"


def acceptance(
    content: str = TEST, path: str = PATH, scenario: str = "half of an odd number"
) -> dict[str, Any]:
    return {
        "files": [{"path": path, "content": content, "scenarios": [scenario]}],
        "argv": [PYTHON, path],
        "notes": [],
    }


def test_a_clean_tree_has_the_fingerprint_of_its_commit(yard: Yard) -> None:
    commit = side(yard.tree, "HEAD").commit
    assert commit is not None
    assert side(yard.tree, None).fingerprint == clean(commit) == side(yard.tree, "HEAD").fingerprint


def test_tests_that_fail_on_the_base_are_frozen_and_the_pair_waits_for_the_work(yard: Yard) -> None:
    event = yard.record("acceptance", acceptance())
    found = yard.verify(event)
    assert found["control.base", None].result == "supported"
    assert "base FAIL (exit code 1)" in found["control.base", None].detail
    assert found["control.pair", None].result == "unresolvable"
    assert found["test_paths", PATH].result == "supported"
    assert found["scenarios", "half of an odd number"].result == "supported"
    (frozen,) = frozen_files(yard.ledger)
    assert (frozen.path, frozen.digest) == (PATH, sha256(TEST.encode()).hexdigest())
    yard.fix()
    again = yard.verify(event)["control.pair", None]
    assert again.result == "supported" and "discriminating" in again.detail and len(again.evidence) == 2
    assert [one.event for one in frozen_files(yard.ledger)] == [frozen.event]  # frozen once
    assert not (yard.tree / "tests").exists()


def test_the_tests_themselves_are_no_work(yard: Yard) -> None:
    event = yard.record("acceptance", acceptance())
    (yard.tree / "tests").mkdir()
    (yard.tree / PATH).write_text(TEST)
    assert yard.verify(event)["control.pair", None].result == "unresolvable"


@pytest.mark.parametrize(
    ("content", "fixed", "base", "pair", "told"),
    [
        (BOOT + "assert code_of.half(4) == 2\n", True, "refuted", "refuted", "non-discriminating"),
        (
            BOOT + "assert code_of.half(3) == 7\n",
            True,
            "supported",
            "refuted",
            "does not pass after the work",
        ),
    ],
    ids=["passes on both", "fails on both"],
)
def test_a_pair_that_shows_nothing_is_never_rounded_up(
    yard: Yard, content: str, fixed: bool, base: str, pair: str, told: str
) -> None:
    event = yard.record("acceptance", acceptance(content))
    yard.fix()
    found = yard.verify(event)
    assert (found["control.base", None].result, found["control.pair", None].result) == (base, pair)
    assert told in found["control.pair", None].detail
    assert bool(frozen_files(yard.ledger)) == (base == "supported")


@pytest.mark.parametrize(
    ("path", "result"), [("src/half.py", "refuted"), ("../tests/test_half.py", "inconsistent")]
)
def test_tests_stay_where_tests_are(yard: Yard, path: str, result: str) -> None:
    found = yard.verify(yard.record("acceptance", acceptance(path=path)))
    assert found["test_paths", path].result == result
    assert found["control.base", None].result == "unresolvable"
    assert not frozen_files(yard.ledger)


def test_what_cannot_be_known_is_said_so(yard: Yard) -> None:
    event = yard.record("acceptance", acceptance(scenario="half of an od"))
    found = yard.verify(event, base=None)
    assert found["scenarios", "half of an od"].result == "unresolvable"
    assert found["control.base", None].result == "unresolvable"
    broken = yard.record("acceptance", acceptance("def test_half(:\n"))
    assert "itself is no Python" in yard.verify(broken)["control.base", None].detail
    other = yard.record("acceptance", {**acceptance(), "argv": ["no-such-program-of-ours"]})
    assert yard.verify(other)["control.base", None].result == "unresolvable"
    assert yard.verify(other, spec=())["scenarios", "half of an odd number"].result == "unresolvable"
    assert not frozen_files(yard.ledger)


def test_a_frozen_test_is_changed_by_nobody_but_a_person(yard: Yard) -> None:
    event = yard.record("acceptance", acceptance())
    yard.verify(event)
    (yard.tree / "tests").mkdir()
    target = yard.tree / PATH
    target.write_text(TEST)
    frozen = frozen_files(yard.ledger)
    assert states(yard.ledger, yard.tree, frozen)[PATH][0] == "as frozen"
    assert refuse_changed(yard.ledger, yard.tree, AGENT) == [] == yard.refusals()
    guard_frozen(yard.ledger, {PATH: TEST.encode(), "code_of.py": b""}, AGENT)
    weak = b"assert True\n"
    for content in (weak, None):
        with pytest.raises(Refused, match="only a person changes it"):
            guard_frozen(yard.ledger, {PATH: content}, AGENT)
    assert target.read_text() == TEST
    assert [(one["code"], one["requested_by"]) for one in yard.refusals()] == [(CODE, "agent:builder")] * 2
    guard_frozen(yard.ledger, {PATH: weak}, ADA)
    other = b"assert 1\n"
    target.write_bytes(other)
    for _ in range(2):  # the same change is refused once
        assert refuse_changed(yard.ledger, yard.tree, AGENT) == [PATH]
    assert len(yard.refusals()) == 3 and target.read_bytes() == other
    assert yard.verify(event)["frozen", PATH].result == "refuted"
    yard.approve(event, sha256(other).hexdigest(), PATH, by=AGENT)  # nothing says that this is a person
    assert refuse_changed(yard.ledger, yard.tree, AGENT) == [PATH]
    yard.approve(event, sha256(other).hexdigest(), PATH)
    assert refuse_changed(yard.ledger, yard.tree, AGENT) == []
    guard_frozen(yard.ledger, {PATH: other}, AGENT)


def test_an_attempt_that_changes_a_frozen_test_is_refuted_and_refused(yard: Yard) -> None:
    report = {"summary": "s", "status": "incomplete", "files_changed": [], "checks_run": [], "notes": []}
    attempt = yard.record("attempt_report", report)
    assert not [key for key in yard.verify(attempt) if key[0] == "frozen"]  # nothing is frozen yet
    yard.verify(yard.record("acceptance", acceptance()))
    (yard.tree / "tests").mkdir()
    target = yard.tree / PATH
    target.write_text(TEST)
    assert yard.verify(attempt)["frozen", None].result == "supported"
    yard.git("add", ".")
    yard.git("commit", "-q", "-m", "tests")
    yard.fix()
    assert yard.verify(attempt)["frozen", None].result == "supported"
    target.write_text("assert True\n")
    yard.git("commit", "-q", "-a", "-m", "weaker")
    target.write_text(TEST)
    found = yard.verify(attempt, base="HEAD~2", candidate="HEAD")["frozen", PATH]
    assert found.result == "refuted"
    # What was changed before the base is changed all the same.
    assert yard.verify(attempt, base="HEAD", candidate="HEAD")["frozen", PATH].result == "refuted"
    target.unlink()
    assert yard.verify(attempt)["frozen", PATH].result == "refuted"
    assert states(yard.ledger, yard.tree, frozen_files(yard.ledger))[PATH][0] == "deleted"
    yard.verify(attempt)
    assert [(one["subject"], one["requested_by"]) for one in yard.refusals()] == [(PATH, "agent:unnamed")] * 2


WEAK = BOOT + "assert code_of.half(3) > 1\n"


def test_a_second_answer_freezes_no_other_bytes_without_a_persons_word(yard: Yard) -> None:
    first = yard.record("acceptance", acceptance())
    yard.verify(first)
    honest = frozen_files(yard.ledger)
    weak, digest = yard.record("acceptance", acceptance(WEAK)), sha256(WEAK.encode()).hexdigest()
    for _ in range(2):
        found = yard.verify(weak)
        assert found["control.base", None].result == "supported"
        assert found["frozen", PATH].result == "refuted" and "approve" in found["frozen", PATH].detail
    assert frozen_files(yard.ledger) == honest
    (refusal,) = yard.refusals()
    assert (refusal["code"], refusal["subject"], refusal["reference"]) == (CODE, PATH, digest)
    yard.approve(weak, digest, PATH, by=AGENT)
    yard.approve(weak, digest, "tests/test_other.py")
    yard.approve(weak, digest)
    assert yard.verify(weak)["frozen", PATH].result == "refuted"
    yard.approve(weak, digest, PATH)
    assert yard.verify(weak)["frozen", PATH].result == "unresolvable"  # frozen, and not in the work tree yet
    (one,) = frozen_files(yard.ledger)
    assert (one.digest, one.answers) == (digest, {first, weak})
    # What the first answer brought has no second life: nobody approved it.
    again = yard.record("acceptance", acceptance())
    assert yard.verify(again)["frozen", PATH].result == "refuted"


def test_a_freezing_that_nobody_approved_freezes_nothing(yard: Yard) -> None:
    yard.verify(yard.record("acceptance", acceptance()))
    (honest,) = frozen_files(yard.ledger)
    weak = yard.record("acceptance", acceptance(WEAK))
    files = (FrozenFile(path=PATH, content=yard.ledger.objects.put(WEAK.encode())),)
    payload = TestFrozen(answer=weak, about=None, files=files, argv=(PYTHON, PATH), evidence=())
    yard.ledger.append([draft(payload)])
    assert frozen_files(yard.ledger) == [honest]
    suite = suite_of(yard.ledger, None)
    assert suite is not None and suite.event == honest.event


def test_an_approval_counts_for_the_path_and_the_answer_that_it_was_given_for(yard: Yard) -> None:
    two = acceptance()
    two["files"].append({"path": "tests/test_two.py", "content": TEST + "# two\n", "scenarios": []})
    event, other = yard.record("acceptance", two), yard.record("acceptance", acceptance(TEST + "# other\n"))
    yard.verify(event)
    (yard.tree / "tests").mkdir()
    for path in (PATH, "tests/test_two.py"):
        (yard.tree / path).write_text(WEAK)
    digest = sha256(WEAK.encode()).hexdigest()
    yard.approve(event, digest, "tests/test_two.py")
    yard.approve(other, digest, PATH)
    yard.approve(event, digest)
    stand = states(yard.ledger, yard.tree, frozen_files(yard.ledger))
    assert [stand[path][0] for path in sorted(stand)] == ["changed", "changed by approval"]
    assert refuse_changed(yard.ledger, yard.tree, AGENT) == [PATH]
    with pytest.raises(Refused):
        guard_frozen(yard.ledger, {PATH: WEAK.encode()}, AGENT)
    yard.approve(event, digest, PATH)
    suite = suite_of(yard.ledger, None)
    assert suite is not None and {one.digest for one in suite.files} == {digest}
    # The latest word takes the place of what was there before it.
    (yard.tree / PATH).write_text(TEST)
    assert refuse_changed(yard.ledger, yard.tree, AGENT) == [PATH]


@pytest.mark.parametrize("committed", [True, False], ids=["committed", "not committed"])
def test_a_frozen_test_that_is_gone_is_changed(yard: Yard, committed: bool) -> None:
    report = {"summary": "s", "status": "incomplete", "files_changed": [], "checks_run": [], "notes": []}
    event, attempt = yard.record("acceptance", acceptance()), yard.record("attempt_report", report)
    yard.verify(event)
    (yard.tree / "tests").mkdir()
    (yard.tree / PATH).write_text(TEST)
    if committed:
        yard.git("add", "tests")
        yard.git("commit", "-q", "-m", "tests")
        yard.git("rm", "-q", PATH)
        yard.git("commit", "-q", "-m", "gone")
    else:
        (yard.tree / PATH).unlink()
    state = states(yard.ledger, yard.tree, frozen_files(yard.ledger))[PATH][0]
    assert state == ("deleted" if committed else "missing")
    assert yard.verify(attempt)["frozen", PATH].result == "refuted"
    if committed:
        assert yard.verify(event)["frozen", PATH].result == "refuted"
        assert yard.verify(attempt, base="HEAD", candidate="HEAD")["frozen", PATH].result == "refuted"
    assert refuse_changed(yard.ledger, yard.tree, AGENT) == [PATH]
    assert [one["reference"] for one in yard.refusals()] == ["missing"]


CASES = "import unittest\n\n\nclass Case(unittest.TestCase):\n    def test_it(self):\n        {}\n"


@pytest.mark.parametrize(
    ("content", "argv", "told"),
    [
        (TEST, [PYTHON, "tests/Test_half.py"], "names none of the files"),
        (TEST, [PYTHON, "-c", "raise ValueError"], "names none of the files"),
        (TEST, [PYTHON, "tests/gone.py", "--", PATH], "not found"),
        (TEST, [PYTHON, "--no-such-option", PATH], "exit code 2"),
        (BOOT + "import no_such_thing_of_ours\n", [PYTHON, PATH], "cannot be built or imported"),
        ("import no_such_thing_of_ours\n", [PYTHON, "-m", "unittest", PATH], "when it runs"),
        (
            CASES.format("pass"),
            [PYTHON, "-m", "unittest", PATH, "no_such_module"],
            "cannot be built or imported",
        ),
        (TEST, ["make", "test"], "names none of the files"),
    ],
)
def test_a_command_that_did_not_run_the_tests_shows_nothing_of_them(
    yard: Yard, content: str, argv: list[str], told: str
) -> None:
    found = yard.verify(yard.record("acceptance", {**acceptance(content), "argv": argv}))
    assert found["control.base", None].result == "unresolvable", found["control.base", None]
    assert told in found["control.base", None].detail
    assert not frozen_files(yard.ledger)


def test_a_test_that_ran_and_failed_counts_whatever_it_failed_by(yard: Yard) -> None:
    content = CASES.format("import later; self.assertEqual(later.half(3), 1.5)")
    value = {**acceptance(content), "argv": [PYTHON, "-m", "unittest", PATH]}
    event = yard.record("acceptance", value)
    found = yard.verify(event)
    assert found["control.base", None].result == "supported", found["control.base", None]
    assert frozen_files(yard.ledger)
    (yard.tree / "later.py").write_text(FIXED)
    assert yard.verify(event)["control.pair", None].result == "supported"


def test_a_command_that_passes_without_the_tests_shows_nothing(yard: Yard) -> None:
    content = CASES.format("import code_of; code_of.skips() if hasattr(code_of, 'skips') else self.fail()")
    value = {**acceptance(content), "argv": [PYTHON, "-m", "unittest", PATH]}
    event = yard.record("acceptance", value)
    (yard.tree / "code_of.py").write_text(
        "import unittest\n\ndef skips():\n    raise unittest.SkipTest('no')\n"
    )
    found = yard.verify(event)
    assert found["control.base", None].result == "supported", found["control.base", None]
    assert found["control.pair", None].result == "unresolvable"
    assert "no test of these files passed" in found["control.pair", None].detail


def test_a_path_that_differs_by_case_alone_is_inconsistent(yard: Yard) -> None:
    yard.verify(yard.record("acceptance", acceptance()))
    for path, there in (("tests/Test_half.py", "frozen"), ("tests/test_TWO.py", "in the work tree")):
        (yard.tree / "tests").mkdir(exist_ok=True)
        (yard.tree / "tests/test_two.py").write_text(TEST)
        found = yard.verify(yard.record("acceptance", acceptance(path=path)))
        assert found["test_paths", path].result == "inconsistent", there
        assert found["control.base", None].result == "unresolvable"
    both = acceptance(path="tests/test_a.py")
    both["files"] += acceptance(path="tests/test_A.py")["files"]
    found = yard.verify(yard.record("acceptance", both))
    assert found["test_paths", "tests/test_A.py"].result == "inconsistent"
    assert len(frozen_files(yard.ledger)) == 1


def reproduction(
    statement: str, check: str, test: str = "test_it", path: str | None = None
) -> dict[str, Any]:
    path = path or f"tests/test_{statement.lower()}.py"
    body = f"import code_of\nimport unittest\n\n\nclass Case(unittest.TestCase):\n    def test_it(self):\n        {check}\n"
    argv = [PYTHON, "-m", "unittest", path]
    return {"path": path, "content": body, "statement": statement, "test": test, "argv": argv}


def test_reproductions_fail_and_guard_on_the_base_by_the_test_that_is_named(yard: Yard) -> None:
    good = [
        reproduction("E1", "self.assertEqual(code_of.half(3), 1.5)"),
        reproduction("U1", "self.assertEqual(code_of.half(4), 2)"),
    ]
    event = yard.record("reproductions", {"files": good, "notes": []})
    found = yard.verify(event)
    for name in ("E1", "U1"):
        for check in ("statements", "covered", "on_base", "named_test"):
            assert found[check, name].result == "supported", (check, name, found[check, name])
        assert found["after_fix", name].result == "unresolvable"
    yard.fix()
    found = yard.verify(event)
    assert {found["after_fix", name].result for name in ("E1", "U1")} == {"supported"}


def test_reproductions_that_do_not_reproduce_are_refuted(yard: Yard) -> None:
    files = [
        reproduction("E1", "self.assertEqual(code_of.half(4), 2)"),
        reproduction("U1", "self.assertEqual(code_of.half(3), 1.5)"),
        reproduction("E2", "self.assertEqual(code_of.half(3), 1.5)", test="test_other"),
        reproduction("E3", "import no_such_thing_of_ours"),
    ]
    found = yard.verify(yard.record("reproductions", {"files": files, "notes": []}))
    assert found["on_base", "E1"].result == found["on_base", "U1"].result == "refuted"
    assert found["named_test", "E1"].result == "refuted"
    assert found["named_test", "E2"].result == "refuted" and "did not run" in found["named_test", "E2"].detail
    assert found["covered", "E2"].result == "unresolvable"
    assert found["on_base", "E3"].result == "unresolvable"  # an import that fails reproduces nothing


def test_one_file_for_each_statement(yard: Yard) -> None:
    files = [
        reproduction("E1", "pass", path="tests/test_a.py"),
        reproduction("E1", "pass", path="tests/test_b.py"),
        reproduction("bug", "pass"),
    ]
    found = yard.verify(yard.record("reproductions", {"files": files, "notes": []}))
    assert found["statements", "E1"].result == found["statements", "bug"].result == "inconsistent"
    assert found["covered", "U1"].result == "unresolvable"
    assert not [entry for entry in yard.ledger.entries() if entry.type == "gate.ran"]


def test_a_program_that_names_no_tests_is_said_so(yard: Yard) -> None:
    file = {**reproduction("E1", "pass"), "content": TEST, "argv": [PYTHON, "tests/test_e1.py"]}
    found = yard.verify(yard.record("reproductions", {"files": [file], "notes": []}))
    assert found["on_base", "E1"].result == "supported"
    assert found["named_test", "E1"].result == "unresolvable"


def review(**changed: Any) -> dict[str, Any]:
    value = {
        "files": [
            {"path": PATH, "content": TEST, "scenarios": ["half of an odd number"], "argv": [PYTHON, PATH]}
        ],
        "argv": [PYTHON, PATH],
        "notes": [],
        "expectations": [{"scenario": "half of an odd number", "given": "3", "expect": "one and a half"}],
        "untestable": [],
    }
    return {**value, **changed}


EXPECTED = review()["expectations"]
UNTESTABLE = [{"scenario": "half of an odd number", "why": "nobody can"}]


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"untestable": UNTESTABLE}, "both expected and untestable"),
        ({"expectations": []}, "neither expected nor untestable"),
        ({"expectations": EXPECTED * 2}, "twice"),
        ({"files": []}, "no file is about it"),
        ({"expectations": [], "untestable": UNTESTABLE}, "untestable, and a file is about it"),
    ],
)
def test_each_scenario_stands_in_one_list(yard: Yard, changed: dict[str, Any], told: str) -> None:
    event = yard.record("review", review(**changed))
    found = yard.verify(event)["placed", "half of an odd number"]
    assert found.result == "inconsistent" and told in found.detail
    yard.approve(event, sha256(TEST.encode()).hexdigest(), PATH)
    yard.verify(event)
    assert not frozen_files(yard.ledger)


def test_a_review_is_frozen_once_a_person_signed_each_file_by_its_hash(yard: Yard) -> None:
    event = yard.record("review", review())
    digest = sha256(TEST.encode()).hexdigest()
    unsigned = yard.verify(event)["signoff", PATH]
    assert unsigned.result == "unresolvable" and f"--file {PATH}" in unsigned.detail
    yard.approve(event, "0" * 64, PATH)
    found = yard.verify(event)["signoff", PATH]
    assert found.result == "refuted" and found.detail.startswith("void")
    yard.approve(event, digest, PATH, by=AGENT)
    assert yard.verify(event)["signoff", PATH].result == "refuted" and not frozen_files(yard.ledger)
    yard.approve(event, digest, PATH)
    assert yard.verify(event)["signoff", PATH].result == "supported"
    (frozen,) = frozen_files(yard.ledger)
    assert frozen.digest == digest


def test_a_review_is_not_frozen_with_a_command_that_runs_something_else(yard: Yard) -> None:
    event = yard.record("review", review(argv=[PYTHON, "-c", "pass"]))
    yard.approve(event, sha256(TEST.encode()).hexdigest(), PATH)
    assert yard.verify(event)["command", None].result == "unresolvable"
    assert not frozen_files(yard.ledger)


def test_what_no_test_can_check_is_accepted_by_a_person(yard: Yard) -> None:
    value = review(untestable=[{"scenario": "it feels quick", "why": "a feeling"}])
    event = yard.record("review", value)
    yard.approve(event, sha256(TEST.encode()).hexdigest(), PATH)
    seq = answer(yard.ledger, event).seq
    found = yard.verify(event)["untestable_accepted", "it feels quick"]
    assert found.result == "unresolvable" and found.detail.endswith(f"`t2c answers approve {seq}`")
    assert not frozen_files(yard.ledger)
    yard.approve(event, sha256(json.dumps(value).encode()).hexdigest())
    assert yard.verify(event)["untestable_accepted", "it feels quick"].result == "supported"
    assert len(frozen_files(yard.ledger)) == 1


@pytest.mark.parametrize(
    ("argv", "code", "output", "told"),
    [
        (("python", "t.py"), 1, "Traceback:\nAssertionError: no\n", None),
        (("python", "t.py"), 1, "Traceback:\nModuleNotFoundError: No module named 'x'\n", "cannot be built"),
        (("python", "t.py"), 1, "ImportError: a\nAssertionError: b\n", None),
        (("pytest",), 1, "E   assert 1 == 2\n1 failed", None),
        (("pytest",), 1, "E   ModuleNotFoundError: x\n1 failed", "cannot be built"),
        (("pytest",), 2, "ERROR collecting\nE   NameError: x\n", "could not be collected"),
        (("python", "-m", "pytest"), 4, "usage", "could not run them"),
        (("pytest",), 5, "no tests ran in 0.1s", "no test ran"),
        (("python", "-m", "unittest"), 5, "\nRan 0 tests in 0.0s\n", "no test ran"),
        (
            ("cargo", "test"),
            101,
            "error[E0425]: cannot find\nerror: could not compile `x`",
            "cannot be built",
        ),
        (("cargo", "test"), 101, "test a ... FAILED\n", None),
        (("go", "test"), 1, "FAIL\tx [build failed]\n", "cannot be built"),
        (("go", "test"), 1, "--- FAIL: TestA\nFAIL\n", None),
        (("node", "t.js"), 1, "SyntaxError: Unexpected token\n", "cannot be built"),
        (("make", "test"), 2, "a.c:3:5: error: expected ';'\n", "cannot be built"),
        (("x",), 127, "", "could not be started"),
    ],
)
def test_a_build_that_fails_is_no_failing_test(
    argv: tuple[str, ...], code: int, output: str, told: str | None
) -> None:
    found = unbuilt(argv, Tried("FAIL", "EVT-0", code, False, output.encode()))
    assert (found is None) if told is None else (found is not None and told in found)


PYTEST = ("python", "-m", "pytest", "t.py")
UNITTEST = ("python", "-m", "unittest", "t.py")


@pytest.mark.parametrize(
    ("argv", "output", "test", "how"),
    [
        (PYTEST, "PASSED t.py::test_a\nFAILED t.py::test_b - assert 1\n", "test_a", "passed"),
        (PYTEST, "FAILED t.py::test_b - assert 1\n", "t.py::test_b", "failed"),
        (PYTEST, "FAILED t.py::C::test_b[1-x] - assert 1\n", "C::test_b", "failed"),
        (PYTEST, "PASSED t.py::test_b[1]\nFAILED t.py::test_b[2]\n", "test_b", "failed"),
        (PYTEST, "PASSED t.py::test_bb\n", "test_b", None),
        (PYTEST, "ERROR t.py::test_b - fixture\n", "test_b", "error"),
        (UNITTEST, "test_b (t.C.test_b) ... FAIL\n", "test_b", "failed"),
        (UNITTEST, "test_b (t.C.test_b)\nWhat it is. ... ok\n", "C.test_b", "passed"),
        (UNITTEST, "t (unittest.loader._FailedTest.t) ... ERROR\n", "t", None),
    ],
)
def test_the_test_that_ran_is_found_by_its_name(
    argv: tuple[str, ...], output: str, test: str, how: str | None
) -> None:
    assert ended(argv, output, test) == how


IN_FOLDER = ("pytest", "tests/t.py")
OF_FOLDER = ("python", "-m", "unittest", "discover", "-s", "tests")


@pytest.mark.parametrize(
    ("argv", "output", "ended"),
    [
        (IN_FOLDER, "FAILED tests/t.py::test_a - assert 1\nPASSED tests/u.py::test_b\n", {"failed"}),
        (IN_FOLDER, "PASSED t.py::test_a\nERROR t.py::test_b - no fixture\n", {"passed", "error"}),
        (IN_FOLDER, "FAILED tests/T.py::test_a\nFAILED a/tests/t.py::test_a\n", set()),
        (IN_FOLDER, "ERROR tests/t.py - ImportError\n", set()),
        (OF_FOLDER, "test_b (tests.t.C.test_b) ... FAIL\ntest_b (t.C.test_b) ... ok\n", {"failed", "passed"}),
        (OF_FOLDER, "test_b (tests.tt.C.test_b) ... FAIL\n", set()),
        (("pytest", "other"), "FAILED t.py::test_a - assert 1\n", set()),
        (("pytest", "other"), "FAILED tests/t.py::test_a - assert 1\n", {"failed"}),
        (("python", "-m", "unittest", "discover", "-s", "other"), "test_b (t.C.test_b) ... FAIL\n", set()),
        (("python", "-m", "unittest", "tests.t"), "test_b (tests.t.C.test_b) ... FAIL\n", {"failed"}),
        (OF_FOLDER, "t (unittest.loader._FailedTest.t) ... ERROR\n", set()),
    ],
)
def test_the_tests_of_a_file_are_found_by_its_path(
    argv: tuple[str, ...], output: str, ended: set[str]
) -> None:
    assert files_ended(argv, output, ["tests/t.py"]) == ended


@pytest.mark.parametrize(
    ("argv", "tied"),
    [
        (("node", "tests/t.py"), True),
        (("tool", "--file=./tests/t.py::test_a"), True),
        (("python", "-m", "tests.t"), True),
        (("tests/t.py",), True),
        (("pytest", "-q"), True),
        (("cargo", "test", "--quiet"), True),
        (("npm", "run", "test"), True),
        (("cargo", "build"), False),
        (("python", "tests/T.py"), False),
        (("python", "tests/t.pyc"), False),
        (("true",), False),
    ],
)
def test_a_command_is_tied_to_the_files_or_collects_them(argv: tuple[str, ...], tied: bool) -> None:
    assert (not_held_to(argv, ["tests/t.py"]) is None) == tied


def test_a_command_is_made_to_name_its_tests() -> None:
    assert telling((*PYTEST, "--", "x.py")) == (*PYTEST, "-rA", "--", "x.py")
    assert telling(UNITTEST) == (*UNITTEST, "-v")
    assert telling(("make", "test")) is None


def test_a_scenario_is_found_as_whole_words() -> None:
    spec = Spec(["- US1: Half\n  of it. E1, U2; E12-x, PE3."])
    found = [spec.has(name) for name in ("US1", "Half of it", "S1", "US", "us1", "")]
    assert found == [True, True, False, False, False, False]
    assert spec.statements() == ["E1", "U2"]
