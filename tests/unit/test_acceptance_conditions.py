"""What makes a plan accepted: its condition judged again for the same statement, never that an id is gone."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from t2c.cli.actions.context import Context
from t2c.cli.actions.evaluating import close, evaluate
from t2c.cli.actions.opening import open_ledger
from t2c.cli.actions.scan import scan
from t2c.cli.settings import Settings, load
from t2c.ledger.changes.contract import Change, Risk, plan_document
from t2c.ledger.errors import Conflict, Usage
from t2c.ledger.events.changes import ApplyAnnounced, ApplyReceipted, ChangePlanned, FileChange, PatchRendered
from t2c.ledger.events.decisions import SuppressionGranted
from t2c.ledger.events.draft import EventDraft, draft
from t2c.ledger.intake.base import no_progress
from t2c.ledger.kernel.actor import Actor
from t2c.ledger.llm.synthesis.contract import Target
from t2c.projections.base import Inputs
from t2c.projections.changeplans.acceptance import Evaluation, standing
from t2c.projections.changeplans.subjects import IN_PART
from t2c.projections.diagnostics import findings_of
from t2c.projections.diagnostics.model import Finding
from t2c.projections.fold import fold
from t2c.projections.graph import fingerprint
from t2c.projections.registry import ALL

TODO = """\
# Tasks

## Orders

- [ ] Add `refund_order` in src/orders.py
- [ ] Add `cancel_order` in src/orders.py
  - [ ] Tell the customer with `tell_customer`

## Later

- [ ] Paint the fence of the garden
"""
ORDERS = "def place_order(items):\n    return len(items)\n"
REFUND = "\n\ndef refund_order(order):\n    return -order\n"
TEXT = "- [ ] Add `refund_order` in src/orders.py"
CHANGELOG = """\
# Changelog

## [1.0.0] - 2026-01-04

- Export invoices of customers as spreadsheets
- Place orders of items
"""


class Clock:
    """A clock that a test sets."""

    hour = 0

    def now(self) -> datetime:
        return datetime(2026, 2, 1 + self.hour // 24, self.hour % 24, tzinfo=UTC)


class Repository:
    """A repository and its ledger, worked on as a user does."""

    def __init__(self, root: Path, clock: Clock) -> None:
        self.root = root
        self.clock = clock

    @property
    def context(self) -> Context:
        settings = load(self.root, {})
        chosen = Settings(scan=settings.scan, durability="none")
        return Context(self.root, self.root, chosen, self.clock, no_progress)

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def change(self, path: str, old: str, new: str) -> None:
        text = (self.root / path).read_text()
        assert old in text
        self.write(path, text.replace(old, new, 1))

    def git(self, *arguments: str) -> None:
        self.clock.hour += 1
        at = f"2026-02-{1 + self.clock.hour // 24:02}T{self.clock.hour % 24:02}:30:00Z"
        who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in (
            ("NAME", "Ada"), ("EMAIL", "ada@example.org"), ("DATE", at))}  # fmt: skip
        environ = {"PATH": os.environ["PATH"], "HOME": str(self.root), "GIT_CONFIG_NOSYSTEM": "1", **who}
        subprocess.run(["git", *arguments], cwd=self.root, env=environ, check=True, capture_output=True)

    def commit(self, message: str) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)

    def scan(self) -> None:
        self.clock.hour += 1
        scan(self.context)

    def findings(self) -> list[Finding]:
        with open_ledger(self.context) as ledger:
            folded = fold(ledger.journal, ALL, ["findings"])
        inputs = Inputs(folded.ts or "", folded.states, folded.made)
        return list(findings_of(inputs))

    def append(self, *drafts: EventDraft) -> list[str]:
        with open_ledger(self.context) as ledger:
            return [receipt.id for receipt in ledger.append(drafts)]

    def plan(
        self,
        code: str,
        text: str,
        *,
        ids: tuple[str, ...] = (),
        path: str = "src/orders.py",
        most: int | None = None,
    ) -> str:
        """Record a plan for the finding of this code that speaks of a text; the id of the plan."""
        with open_ledger(self.context) as ledger:
            folded = fold(ledger.journal, ALL, ["findings"])
            inputs = Inputs(folded.ts or "", folded.states, folded.made)
            (found,) = (one for one in findings_of(inputs) if one.code == code and text in str(one.said))
            document = plan_document(
                title=text,
                description=text,
                priority="P2",
                target=Target((path,), (), (), ()),
                criteria=["it is there"],
                changes=[Change(path, "modify", (), "it is planned")],
                risk=Risk("low", ("one file",)),
                rollback="git revert",
                graph=fingerprint(inputs),
                records=found.records[:most],
                diagnostics=(found.id, *ids),
                confidence=0.7,
            )
            planned = ChangePlanned(
                id=document["id"], hash=document["planHash"], plan=document, proposed_by=("helper:t2c",)
            )
            ledger.append([draft(planned)])
        return str(document["id"])

    def state(self, plan: str) -> tuple[str, bool]:
        """The state of a plan's one subject, and whether the plan is accepted."""
        found = evaluate(self.context, plan)
        (one,) = found.subjects
        return one.state, found.accepted

    def events(self, type: str) -> int:
        with open_ledger(self.context) as ledger:
            return sum(entry.type == type for entry in ledger.entries())


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A scanned repository with a plan for the refund, made once."""
    root = tmp_path_factory.mktemp("acceptance") / "repo"
    root.mkdir()
    made = Repository(root, Clock())
    made.git("init", "-q")
    made.write("TODO.md", TODO)
    made.write("src/orders.py", ORDERS)
    made.write(".gitignore", ".t2c\n")
    made.commit("Begin")
    made.scan()
    return root, made.plan("PLANNED_NOT_IMPLEMENTED", "refund_order")


@pytest.fixture
def repository(planned: tuple[Path, str], tmp_path: Path) -> Repository:
    clock = Clock()
    clock.hour = 10
    shutil.copytree(planned[0], tmp_path / "repo", symlinks=True)
    return Repository((tmp_path / "repo").resolve(), clock)


@pytest.fixture
def plan(planned: tuple[Path, str]) -> str:
    return planned[1]


def blank(one: Repository) -> None:
    one.change("TODO.md", "## Orders\n", "## Orders\n\n")


def reworded(one: Repository) -> None:
    one.change(
        "TODO.md", "Add `refund_order` in src/orders.py", "Add a `refund_order` with tests in src/orders.py"
    )


def under_another_heading(one: Repository) -> None:
    one.change("TODO.md", TEXT + "\n", "")
    one.change("TODO.md", "## Later\n", f"## Later\n\n{TEXT}")


def in_another_file(one: Repository) -> None:
    one.change("TODO.md", TEXT + "\n", "")
    one.write("plans/TODO.md", f"# Money\n\n{TEXT}\n")


def renamed(one: Repository) -> None:
    (one.root / "plans").mkdir()
    (one.root / "TODO.md").rename(one.root / "plans" / "TODO.md")


def nested_under_another(one: Repository) -> None:
    one.change("TODO.md", TEXT + "\n", "")
    one.change("TODO.md", "  - [ ] Tell", f"  {TEXT}\n  - [ ] Tell")


def ticked(one: Repository) -> None:
    one.change("TODO.md", TEXT, TEXT.replace("[ ]", "[x]"))


def located_only(one: Repository) -> None:
    one.change("TODO.md", "in src/orders.py", "in src/orders.py, see `place_order`")


def only_in_comment(one: Repository) -> None:
    one.write("src/orders.py", ORDERS + "# refund_order comes here one day\nNAME = 'refund_order'\n")


def other_code(one: Repository) -> None:
    one.write("src/orders.py", ORDERS + "\n\ndef count_orders(orders):\n    return len(orders)\n")


def struck_out(one: Repository) -> None:
    one.change("TODO.md", TEXT, "- [ ] ~~Add `refund_order` in src/orders.py~~")


@pytest.mark.parametrize(
    "edit",
    [blank, reworded, under_another_heading, in_another_file, renamed, nested_under_another, ticked, located_only,
     only_in_comment, other_code, struck_out],
)  # fmt: skip
def test_no_edit_without_the_work_is_accepted(
    repository: Repository, plan: str, edit: Callable[[Repository], None]
) -> None:
    edit(repository)
    repository.commit("Edit the list of tasks")
    repository.scan()
    state, accepted = repository.state(plan)
    assert (state in ("remaining", "gone"), accepted) == (True, False), state
    if edit in (blank, reworded, under_another_heading, in_another_file, ticked, nested_under_another):
        assert state == "remaining"


@pytest.mark.parametrize("how", ["deleted", "file", "excluded", "emptied"])
def test_a_statement_that_is_gone_proves_nothing(repository: Repository, plan: str, how: str) -> None:
    match how:
        case "deleted":
            repository.change("TODO.md", TEXT + "\n", "")
        case "file":
            (repository.root / "TODO.md").unlink()
        case "excluded":
            repository.write("t2c.toml", '[scan]\nexclude = ["TODO.md"]\n')
        case _:
            repository.write("TODO.md", "")
    repository.scan()
    assert repository.state(plan) == ("gone", False)
    # The work itself does not help either: nothing says any more what it is the work of.
    repository.write("src/orders.py", ORDERS + REFUND)
    repository.commit("Refund orders with refund_order")
    repository.scan()
    assert repository.state(plan) == ("gone", False)


def test_what_was_put_back_is_the_same_statement(repository: Repository, plan: str) -> None:
    repository.change("TODO.md", TEXT + "\n", "")
    repository.scan()
    repository.write("TODO.md", TODO)
    repository.scan()
    assert repository.state(plan) == ("remaining", False)


def work(one: Repository) -> None:
    one.write("src/orders.py", ORDERS + REFUND)
    one.commit("Refund orders with refund_order")


@pytest.mark.parametrize("edit", [None, blank, reworded, under_another_heading, in_another_file, ticked])
def test_the_work_is_accepted_wherever_the_statement_stands_then(
    repository: Repository, plan: str, edit: Callable[[Repository], None] | None
) -> None:
    if edit is not None:
        edit(repository)
        repository.scan()
    work(repository)
    repository.scan()
    found = evaluate(repository.context, plan)
    assert [one.state for one in found.subjects] == ["cleared"] and found.accepted
    assert "src/orders.py:5 refund_order (declared)" in found.subjects[0].reason
    acceptance = found.acceptance
    assert acceptance["clearedDiagnosticIds"] == [one.diagnostic for one in found.subjects]
    assert acceptance["remainingDiagnosticIds"] == acceptance["newBlockingDiagnosticIds"] == []
    assert (repository.root / "TODO.md").read_text().count("[x]") == (edit is ticked)


def test_the_grade_is_told_so_that_an_empty_function_is_seen(repository: Repository, plan: str) -> None:
    repository.write("src/orders.py", ORDERS + "\n\ndef refund_order(order):\n    pass\n")
    repository.commit("Add refund_order")
    repository.scan()
    (one,) = evaluate(repository.context, plan).subjects
    assert (one.state, "(declared)" in one.reason) == ("cleared", True)
    repository.write(
        "tests/test_orders.py",
        "from src.orders import refund_order\n\n\ndef test_refund():\n    assert refund_order(1) == -1\n",
    )
    repository.commit("Test it")
    repository.scan()
    (one,) = evaluate(repository.context, plan).subjects
    assert "(tested)" in one.reason


@pytest.mark.parametrize("edit", [None, ticked])
def test_code_that_is_not_committed_is_no_evidence_yet_and_is_told(
    repository: Repository, plan: str, edit: Callable[[Repository], None] | None
) -> None:
    repository.write("src/orders.py", ORDERS + REFUND)
    if edit is not None:
        edit(repository)
    repository.scan()
    (one,) = evaluate(repository.context, plan).subjects
    assert one.state == "remaining"
    assert (
        "src/orders.py:5 was written since the plan and is not committed: commit it, then scan" in one.reason
    )
    assert "already" not in one.reason
    repository.commit("Refund")
    repository.scan()
    assert repository.state(plan) == ("cleared", True)


def test_a_change_that_is_not_committed_is_told_and_a_move_is_none(repository: Repository) -> None:
    repository.write("TODO.md", TODO + "- [ ] Let `place_order` in src/orders.py log\n")
    repository.commit("Ask for a log")
    repository.scan()
    plan = repository.plan("PLANNED_NOT_IMPLEMENTED", "place_order")
    for text, is_told in ((f"import os\n\n\n{ORDERS}", False), (f"{ORDERS}    print(items)\n", True)):
        repository.write("src/orders.py", text)
        repository.scan()
        (one,) = evaluate(repository.context, plan).subjects
        assert (one.state, "is not committed: commit it" in one.reason) == ("remaining", is_told)
        assert ("was there already" in one.reason) is not is_told


@pytest.mark.parametrize(
    ("path", "text", "told"),
    [
        ("src/orders.pyi", "def refund_order(order: int) -> int: ...\n", "is a stub"),
        ("src/elsewhere.py", REFUND, "lies outside of the files of the plan (src/orders.py)"),
    ],
)
def test_work_in_files_that_the_plan_does_not_name_is_not_enough(
    repository: Repository, plan: str, path: str, text: str, told: str
) -> None:
    repository.write(path, text)
    repository.commit("Add refund_order")
    repository.scan()
    (one,) = evaluate(repository.context, plan).subjects
    assert one.state == "remaining" and path in one.reason and told in one.reason
    repository.write("src/orders.py", "from src.elsewhere import refund_order as refund_order\n" + ORDERS)
    if path.endswith(".py"):
        repository.change(path, "-order", "-order or 0")
    repository.commit("Refund orders with refund_order, also from the orders")
    repository.scan()
    assert repository.state(plan)[1] is path.endswith(".py"), (
        "a commit that changed a file of the plan counts"
    )


def test_a_file_that_was_renamed_is_not_taken_for_none_of_the_plan(repository: Repository, plan: str) -> None:
    repository.write("src/money.py", ORDERS)
    (repository.root / "src" / "orders.py").unlink()
    repository.commit("Call it money")
    repository.write("src/money.py", ORDERS + REFUND)
    repository.commit("Add refund_order")
    repository.scan()
    (one,) = evaluate(repository.context, plan).subjects
    assert one.state == "undecided" and "src/orders.py, which is gone" in one.reason


def test_a_commit_that_says_so_and_changes_no_code_is_a_claim(repository: Repository, plan: str) -> None:
    repository.change("TODO.md", TEXT, TEXT + " (#12)")
    repository.commit("Ask for it in #12")
    repository.commit("Add refund_order in src/orders.py (#12)")
    repository.write("notes.md", "# Notes\n\nrefund_order is done.\n")
    repository.commit("Implement #12: add refund_order in src/orders.py")
    repository.scan()
    assert repository.state(plan)[1] is False


def test_a_subject_that_was_turned_into_another_is_not_accepted_by_the_work_on_that(
    repository: Repository, plan: str
) -> None:
    repository.change("TODO.md", "Add `refund_order`", "Add `count_orders`")
    repository.commit("Count instead")
    repository.scan()
    other_code(repository)
    repository.commit("Count orders with count_orders")
    repository.scan()
    found = evaluate(repository.context, plan)
    (one,) = found.subjects
    assert one.state == "undecided" and not found.accepted
    assert "does not name refund_order any more" in one.reason


def test_old_evidence_that_a_rewording_binds_is_no_work(repository: Repository) -> None:
    repository.write("src/garden.py", "def paint_fence(colour):\n    return colour\n")
    repository.commit("Prepare the garden (#7)")
    repository.scan()
    plan = repository.plan("PLANNED_NOT_IMPLEMENTED", "Paint the fence")
    repository.change(
        "TODO.md", "- [ ] Paint the fence of the garden", "- [ ] Paint the fence of the garden (#7)"
    )
    repository.scan()
    assert not any(
        "Paint the fence" in str(one.said) and one.code == "PLANNED_NOT_IMPLEMENTED"
        for one in repository.findings()
    )
    found = evaluate(repository.context, plan)
    assert [one.state for one in found.subjects] == ["remaining"] and not found.accepted
    assert "before the plan" in found.subjects[0].reason


def test_a_rebase_makes_no_new_work_of_old_commits(repository: Repository) -> None:
    repository.write("src/garden.py", "def paint_fence(colour):\n    return colour\n")
    repository.commit("Prepare the garden (#7)")
    repository.scan()
    plan = repository.plan("PLANNED_NOT_IMPLEMENTED", "Paint the fence")
    repository.change(
        "TODO.md", "- [ ] Paint the fence of the garden", "- [ ] Paint the fence of the garden (#7)"
    )
    repository.git("commit", "-q", "--amend", "--no-edit", "--only")
    repository.scan()
    assert repository.state(plan) == ("remaining", False)


def test_a_suppressed_finding_remains(repository: Repository, plan: str) -> None:
    (found,) = (
        one
        for one in repository.findings()
        if "refund_order" in str(one.said) and one.code == "PLANNED_NOT_IMPLEMENTED"
    )
    granted = SuppressionGranted(finding=found.id, cause=None, reason="not now", expires=None)
    repository.append(draft(granted, actor=Actor("human", "ada")))
    repository.scan()
    (one,) = evaluate(repository.context, plan).subjects
    assert one.state == "remaining" and "suppressed" in one.reason


def test_a_file_that_was_not_read_whole_decides_nothing(repository: Repository, plan: str) -> None:
    work(repository)
    with (repository.root / "TODO.md").open("ab") as stream:
        stream.write(b"\0")
    repository.scan()
    found = evaluate(repository.context, plan)
    (one,) = found.subjects
    assert one.state == "undecided" and "binary_file" in one.reason and not found.accepted


def test_without_a_scan_since_the_plan_nothing_is_decided(repository: Repository, plan: str) -> None:
    (one,) = evaluate(repository.context, plan).subjects
    assert one.state == "undecided" and "t2c scan" in one.reason
    repository.scan()  # it finds no difference and records nothing
    assert repository.state(plan) == ("remaining", False)


def test_a_finding_that_never_stood_is_never_cleared(repository: Repository) -> None:
    plan = repository.plan("PLANNED_NOT_IMPLEMENTED", "refund_order", ids=("DIAG-" + "0" * 20,))
    work(repository)
    repository.scan()
    found = evaluate(repository.context, plan)
    assert sorted(one.state for one in found.subjects) == ["cleared", "undecided"] and not found.accepted
    assert found.acceptance["remainingDiagnosticIds"] == ["DIAG-" + "0" * 20]


def test_work_that_raises_something_blocking_is_not_accepted(repository: Repository, plan: str) -> None:
    repository.change("TODO.md", "- [ ] Paint", "- [x] Mow the lawn with `mow_lawn` (#5)\n- [ ] Paint")
    repository.commit("List the garden")
    repository.write("src/garden.py", "def mow_lawn():\n    return 1\n")
    repository.commit("Mow the lawn with mow_lawn (#5)")
    work(repository)
    repository.git("revert", "--no-edit", "HEAD~1")
    repository.scan()
    found = evaluate(repository.context, plan)
    assert [one.state for one in found.subjects] == ["cleared"]
    blocking = found.acceptance["newBlockingDiagnosticIds"]
    assert len(blocking) == 1 and not found.accepted
    assert any(blocking[0] in reason for reason in found.acceptance["reasons"])
    # What blocked when a plan was recorded is not new to it, also where its statement moves.
    other = repository.plan("PLANNED_NOT_IMPLEMENTED", "cancel_order")
    repository.change("TODO.md", "- [x] Mow the lawn with `mow_lawn` (#5)\n", "")
    repository.write("plans/TODO.md", "# Garden\n\n- [x] Mow the lawn with `mow_lawn` (#5)\n")
    repository.scan()
    assert evaluate(repository.context, other).acceptance["newBlockingDiagnosticIds"] == []


def test_the_work_is_evaluated_once_and_an_applied_patch_only_after_a_scan(
    repository: Repository, plan: str
) -> None:
    work(repository)
    repository.scan()
    first, again = (evaluate(repository.context, plan) for _ in range(2))
    assert (first.again, again.again) == (False, True) and first.event == again.event
    assert repository.events("change.evaluated") == 1
    hash = "a" * 64
    patch = PatchRendered(kind="source", hash=hash, shown=hash, artifact={}, plans=(plan,), proposed_by=())
    files = (FileChange(path="src/orders.py", before=None, after=hash),)
    announced = ApplyAnnounced(purpose="change.apply", files=files, subject=f"patch:{plan}", digest=hash)
    (_, event) = repository.append(draft(patch), draft(announced))
    repository.append(draft(ApplyReceipted(announced=event, files=files)))
    with pytest.raises(Conflict) as refused:
        evaluate(repository.context, plan)
    assert "t2c scan" in (refused.value.remedy or "")
    with pytest.raises(Conflict):
        close(repository.context, [plan])
    repository.scan()  # nothing differs, and it was looked
    assert evaluate(repository.context, plan).accepted


def test_a_file_that_changed_since_the_scan_is_told(repository: Repository, plan: str) -> None:
    work(repository)
    repository.scan()
    assert evaluate(repository.context, plan).notices == ()
    repository.write("src/orders.py", ORDERS)
    (notice,) = evaluate(repository.context, plan).notices
    assert "src/orders.py" in notice and "t2c scan" in notice


def test_plans_are_closed_all_together_or_not_at_all_and_only_once(repository: Repository, plan: str) -> None:
    other = repository.plan("PLANNED_NOT_IMPLEMENTED", "cancel_order")
    work(repository)
    repository.scan()
    found = close(repository.context, (), every=True)
    assert not found.closed and found.event is None and repository.events("change.closed") == 0
    result = found.result
    assert result is not None
    assert (result["planCount"], result["acceptedCount"], result["allAccepted"]) == (2, 1, False)
    found = close(repository.context, [plan])
    assert found.closed and found.result is not None and found.result["allAccepted"] is True
    assert [one.stance for one in found.evaluations] == ["closed"]
    before = repository.events("change.evaluated"), repository.events("change.closed")
    again = close(repository.context, [plan])
    assert again.closed and again.already == [plan] and again.evaluations == () and again.event is None
    assert (repository.events("change.evaluated"), repository.events("change.closed")) == before
    assert [one.plan for one in close(repository.context, (), every=True).evaluations] == [other]


def test_a_closed_plan_opens_again_where_its_condition_is_true_again(
    repository: Repository, plan: str
) -> None:
    work(repository)
    repository.scan()
    assert close(repository.context, [plan]).closed
    repository.git("revert", "--no-edit", "HEAD")
    repository.scan()
    found = evaluate(repository.context, plan)
    assert (found.stance, found.since, found.accepted) == ("reopened", found.seq, False)
    assert found.closed is not None and found.closed < found.seq
    assert not close(repository.context, [plan]).closed
    # Once it is seen to hold again, it is closed as it was.
    assert standing(5, [Evaluation(4, True), Evaluation(7, False), Evaluation(9, True)]).stance == "closed"


def test_a_plan_whose_place_another_took_is_not_closed_with_all(repository: Repository, plan: str) -> None:
    repository.change("TODO.md", "## Later", "## Some day")
    repository.scan()
    newer = repository.plan("PLANNED_NOT_IMPLEMENTED", "refund_order")
    assert newer != plan
    work(repository)
    repository.scan()
    found = close(repository.context, (), every=True)
    assert found.closed and [one.plan for one in found.evaluations] == [newer]


@pytest.mark.parametrize("how", ["taken out", "said in other words", "no release", "elsewhere", "work"])
def test_an_entry_of_a_changelog_needs_work_that_explains_it(tmp_path: Path, how: str) -> None:
    root = tmp_path / "repo"
    root.mkdir()
    one = Repository(root.resolve(), Clock())
    one.git("init", "-q")
    one.write("src/orders.py", ORDERS)
    one.write(".gitignore", ".t2c\n")
    one.commit("Place orders of items")
    one.write("CHANGELOG.md", CHANGELOG)
    one.commit("Release 1.0.0")
    one.git("tag", "v1.0.0")
    one.scan()
    plan = one.plan("CHANGELOG_WITHOUT_IMPLEMENTATION", "invoices", path="src/invoices.py")
    match how:
        case "taken out":
            one.change("CHANGELOG.md", "- Export invoices of customers as spreadsheets\n", "")
        case "said in other words":
            one.change(
                "CHANGELOG.md",
                "Export invoices of customers as spreadsheets",
                "Export invoices as spreadsheets (#9)",
            )
        case "no release":
            one.change("CHANGELOG.md", "## [1.0.0] - 2026-01-04", "## [Unreleased]")
        case _:
            one.write(
                "src/elsewhere.py" if how == "elsewhere" else "src/invoices.py",
                "def export_invoices(customers):\n    return [c for c in customers]\n",
            )
    done = how in ("work", "elsewhere")
    one.commit("Export invoices of customers as spreadsheets" if done else "Tidy up")
    if done:
        one.git("tag", "-f", "v1.0.0")
    one.scan()
    state, accepted = one.state(plan)
    assert accepted == (how == "work") == (state == "cleared"), state


def test_a_comment_that_is_taken_out_proves_nothing(repository: Repository) -> None:
    repository.write(
        "src/stock.py", "def stock():\n    # TODO: count what is reserved as well\n    return 1\n"
    )
    repository.commit("Count the stock")
    repository.scan()
    plan = repository.plan("PLANNED_NOT_IMPLEMENTED", "what is reserved")
    repository.write("src/stock.py", "def stock():\n    return 1\n")
    repository.commit("Take the comment out")
    repository.scan()
    assert repository.state(plan) == ("gone", False)


def test_a_plan_of_one_of_several_comments_is_judged_by_that_one(repository: Repository) -> None:
    repository.write(
        "src/stock.py", "# TODO: count what is reserved\nA = 1\n# TODO: count what is broken\nB = 2\n"
    )
    repository.commit("Count the stock")
    repository.scan()
    both = repository.plan("PLANNED_NOT_IMPLEMENTED", "what is reserved")
    one = repository.plan("PLANNED_NOT_IMPLEMENTED", "what is reserved", most=1)
    repository.write("src/stock.py", (repository.root / "src" / "stock.py").read_text() + "C = 3\n")
    repository.scan()
    (of_both,), (of_one,) = (evaluate(repository.context, name).subjects for name in (both, one))
    assert of_both.reason.startswith("2 of 2 statements") and "statements" not in of_one.reason
    assert len(of_both.records) == 2 and len(of_one.records) == 1


def test_a_plan_that_is_not_there_is_refused_by_name(repository: Repository) -> None:
    for name in ("CPLAN-00000000", "", "x", "99999"):
        with pytest.raises(Usage):
            evaluate(repository.context, name)


def test_every_reason_for_reading_in_part_is_known_here() -> None:
    text = (Path(__file__).parents[2] / "docs" / "omissions.md").read_text()
    told = {
        reason
        for line in text.splitlines()
        if line.startswith("| `") and "*in part*" in line
        for reason in re.findall(r"`([a-z_0-9]+)`", line.split("|")[1])
    }
    history = {"git_missing", "git_failed", "shallow_history"}
    assert len(told) > 20 and told - history <= IN_PART
