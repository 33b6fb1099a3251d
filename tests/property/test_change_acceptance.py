"""Whatever is done to the lists and never to the code, no plan is accepted by it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from t2c.cli.actions.context import Context
from t2c.cli.actions.evaluating import close, evaluate
from t2c.cli.actions.opening import open_ledger
from t2c.cli.actions.scan import scan
from t2c.cli.sections import ScanSettings
from t2c.cli.settings import Settings
from t2c.ledger.changes.contract import Change, Risk, plan_document
from t2c.ledger.events.changes import ChangePlanned
from t2c.ledger.events.draft import draft
from t2c.ledger.intake.base import no_progress
from t2c.ledger.llm.synthesis.contract import Target
from t2c.projections.base import Inputs
from t2c.projections.diagnostics import findings_of
from t2c.projections.fold import fold
from t2c.projections.graph import fingerprint
from t2c.projections.registry import ALL

TODO = """\
# Tasks

- [ ] Add `refund_order` in src/orders.py
- [ ] Add cancelling of orders (#4)

## Done

- [x] Place an order with `place_order` (#1)
"""
LINES = (
    "", "## Later", "- [x] Place an order with `place_order` (#1)", "- [ ] Rename `count_items` in src/orders.py (#2)",
    "  - [ ] Cite `place_order` here (#1)", "Some words on orders.", "<!--", "```",
)  # fmt: skip
WORDS = (
    ("refund_order", "place_order"), ("Add", "Do not add"), ("src/orders.py", "src/orders.py (#1)"), ("#4", "#1"),
    ("cancelling", "placing"), ("[ ]", "[x]"), ("[ ]", "[-]"), ("- [ ] ", "- "), ("Add `", "Please add `"),
)  # fmt: skip
EDIT = st.one_of(
    st.tuples(st.just("insert"), st.integers(0, 9), st.sampled_from(range(len(LINES)))),
    st.tuples(st.just("delete"), st.integers(0, 9), st.just(0)),
    st.tuples(st.just("swap"), st.integers(0, 9), st.integers(0, 9)),
    st.tuples(st.just("indent"), st.integers(0, 9), st.just(0)),
    st.tuples(st.just("word"), st.just(0), st.sampled_from(range(len(WORDS)))),
    st.tuples(st.just("move"), st.integers(0, 9), st.just(0)),
)


class Clock:
    """One that goes on with each look at it."""

    def __init__(self) -> None:
        self.at = datetime(2026, 3, 1, tzinfo=UTC)

    def now(self) -> datetime:
        self.at += timedelta(seconds=1)
        return self.at


def context(root: Path, clock: Clock) -> Context:
    chosen = Settings(scan=ScanSettings(processes=1), durability="none")
    return Context(root, root, chosen, clock, no_progress)


def git(root: Path, clock: Clock, *arguments: str) -> None:
    at = clock.now().isoformat()
    who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in (
        ("NAME", "Ada"), ("EMAIL", "ada@example.org"), ("DATE", at))}  # fmt: skip
    environ = {"PATH": os.environ["PATH"], "HOME": str(root), "GIT_CONFIG_NOSYSTEM": "1", **who}
    subprocess.run(["git", *arguments], cwd=root, env=environ, check=True, capture_output=True)


def commit(root: Path, clock: Clock, message: str) -> None:
    git(root, clock, "add", "-A")
    git(root, clock, "commit", "-q", "--allow-empty", "-m", message)


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A repository with some work done and a plan for each task that is open, made once."""
    root = tmp_path_factory.mktemp("acceptance") / "repo"
    (root / "src").mkdir(parents=True)
    clock = Clock()
    git(root, clock, "init", "-q")
    (root / ".gitignore").write_text(".t2c\n")
    (root / "TODO.md").write_text(TODO)
    commit(root, clock, "List the tasks")
    (root / "src/orders.py").write_text(
        "def place_order(items):\n    return len(items)\n\n\ndef count_items(items):\n    return 1\n"
    )
    commit(root, clock, "Place an order with place_order (#1)")
    scan(context(root, clock))
    with open_ledger(context(root, clock)) as ledger:
        folded = fold(ledger.journal, ALL, ["findings"])
        inputs = Inputs(folded.ts or "", folded.states, folded.made)
        plans = [
            plan_document(
                title="t", description="d", priority="P2", target=Target(("src/orders.py",), (), (), ()),
                criteria=["c"], changes=[Change("src/orders.py", "modify", (), "r")], risk=Risk("low", ("r",)),
                rollback="r", graph=fingerprint(inputs), records=one.records, diagnostics=[one.id], confidence=0.7,
            )
            for one in findings_of(inputs)
            if one.code == "PLANNED_NOT_IMPLEMENTED"
        ]  # fmt: skip
        assert len(plans) == 2
        for plan in plans:
            event = ChangePlanned(
                id=plan["id"], hash=plan["planHash"], plan=plan, proposed_by=("helper:t2c",)
            )
            ledger.append([draft(event)])
    return root, [plan["id"] for plan in plans]


def edited(root: Path, kind: str, first: int, second: int) -> None:
    file = root / "TODO.md"
    lines = file.read_text().split("\n") if file.exists() else []
    at = first % len(lines) if lines else 0
    match kind:
        case "insert":
            lines.insert(at, LINES[second])
        case "delete":
            del lines[at : at + 1]
        case "swap" if lines:
            other = second % len(lines)
            lines[at], lines[other] = lines[other], lines[at]
        case "indent" if lines:
            lines[at] = f"  {lines[at]}"
        case "word":
            old, new = WORDS[second]
            lines = "\n".join(lines).replace(old, new, 1).split("\n")
        case "move" if lines:
            with (root / "TASKS.md").open("a") as stream:
                stream.write(lines.pop(at) + "\n")
        case _:
            pass
    file.write_text("\n".join(lines))


@settings(
    max_examples=30,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    print_blob=True,
)
@example(steps=[[("word", 0, 2)]], said=True)
@given(steps=st.lists(st.lists(EDIT, min_size=1, max_size=4), min_size=1, max_size=2), said=st.booleans())
def test_no_edit_of_the_lists_alone_is_accepted(
    planned: tuple[Path, list[str]], steps: list[list[tuple[str, int, int]]], said: bool
) -> None:
    original, plans = planned
    with tempfile.TemporaryDirectory() as folder:
        root = Path(shutil.copytree(original, Path(folder).resolve() / "repo", symlinks=True))
        clock = Clock()
        clock.at += timedelta(days=1)
        for step in steps:
            for kind, first, second in step:
                edited(root, kind, first, second)
            if said:
                commit(root, clock, "Add refund_order in src/orders.py, cancel orders (#4)")
            scan(context(root, clock))
        found = [evaluate(context(root, clock), plan) for plan in plans]
        told = [(one.accepted, [subject.reason for subject in one.subjects]) for one in found]
        assert not any(accepted for accepted, _ in told), told
        assert not close(context(root, clock), plans).closed
