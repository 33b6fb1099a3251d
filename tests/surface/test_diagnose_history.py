"""Findings that need more than one scan, in a small repository of its own, from the first commit to the answer."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from typing import Any

import pytest

Step = Callable[..., None]

CART = "def total():\n    return 1\n"
OPEN, DONE = (f"- [{box}] Write the parse_order parser\n" for box in " x")
LOG = "# Changelog\n\n"
FIRST = "## [1.0.0] - 2026-01-02\n\n- Cart with a total (#1)\n- PDF invoices (#9)\n"


@pytest.fixture
def step(t2c: Any) -> Step:
    """Write files (None deletes one), commit them a day later under an optional tag, and scan, unless told not to."""
    shutil.rmtree(t2c.root / ".git")
    days = iter(range(1, 28))

    def git(*arguments: str, day: int = 1) -> None:
        names = {f"GIT_{who}_{part}": value for who in ("AUTHOR", "COMMITTER")
                 for part, value in (("NAME", "Ada"), ("EMAIL", "ada@example.org"), ("DATE", f"2026-01-{day:02}T12:00:00Z"))}  # fmt: skip
        environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(t2c.root.parent),
            "GIT_CONFIG_NOSYSTEM": "1",
            **names,
        }
        subprocess.run(["git", *arguments], cwd=t2c.root, env=environ, check=True, capture_output=True)

    def made(
        message: str, files: Mapping[str, str | None], *, tag: str | None = None, scan: bool = True
    ) -> None:
        for name, text in files.items():
            path = t2c.root / name
            path.parent.mkdir(exist_ok=True, parents=True)
            path.unlink() if text is None else path.write_text(text)
        git("add", "-A", ".")
        git("commit", "-q", "-m", message, day=next(days))
        if tag is not None:
            git("tag", tag)
        if scan:
            if not (t2c.root / ".t2c").exists():
                t2c("init")
            t2c("scan")

    git("init", "-q", "-b", "main")
    return made


def found(t2c: Any, code: str) -> list[tuple[str, str, str]]:
    """(severity, title, detail) of the findings of a code."""
    every = t2c("diagnose", "--format", "diagnostics").document["diagnostics"]
    return [(one["severity"], one["title"], one["detail"]) for one in every if one["code"] == code]


def test_a_box_that_is_ticked_without_work_is_told(t2c: Any, step: Step) -> None:
    step("Start", {"TODO.md": OPEN, "cart.py": CART})
    step("Tick the parse_order parser", {"TODO.md": DONE})
    ((severity, title, detail),) = found(t2c, "FALSE_COMPLETION")
    assert (severity, title) == (
        "review_required",
        "Ticked off, and nothing recorded shows the work: Write the parse_order parser",
    )
    assert "None of the commits since (1)" in detail
    step("Read orders", {"orders.py": "def parse_order(text):\n    return text\n"})
    assert not found(t2c, "FALSE_COMPLETION")


def test_a_box_that_is_ticked_together_with_a_change_of_code_is_not(t2c: Any, step: Step) -> None:
    step("Start", {"TODO.md": OPEN, "cart.py": CART})
    step("Go on", {"TODO.md": DONE, "cart.py": CART + "\n\nx = 1\n"})
    assert not found(t2c, "FALSE_COMPLETION")


def test_a_box_that_was_ticked_at_the_first_scan_is_told_only_if_what_it_names_never_was(
    t2c: Any, step: Step
) -> None:
    step("Start", {"TODO.md": OPEN + "- [ ] Keep the basket\n", "cart.py": CART}, scan=False)
    step("Tick the box", {"TODO.md": DONE + "- [x] Keep the basket\n"})
    ((severity, title, _),) = found(t2c, "FALSE_COMPLETION")
    assert (severity, title) == (
        "review_required",
        "Said to be done, and what it names never was there: Write the parse_order parser",
    )


def test_entries_of_a_small_history_of_which_nothing_was_heard_are_told(t2c: Any, step: Step) -> None:
    step("Add the cart (#1)", {"src/cart.py": CART}, scan=False)
    step("Release 1.0.0", {"CHANGELOG.md": LOG + FIRST}, tag="v1.0.0", scan=False)
    step("Discounts (#12)", {"src/cart.py": CART + "\n\ndef discount(x):\n    return x\n"}, scan=False)
    second = "## [1.1.0] - 2026-01-04\n\n- Discounts (#12)\n- Excel import of customers (#31)\n- New `import_customers()` in `src/customers.py`\n\n"
    step("Release 1.1.0", {"CHANGELOG.md": LOG + second + FIRST}, tag="v1.1.0")
    assert sorted(
        title.partition(": ")[2] for _, title, _ in found(t2c, "CHANGELOG_WITHOUT_IMPLEMENTATION")
    ) == [
        "Excel import of customers (#31)",
        "New `import_customers()` in `src/customers.py`",
        "PDF invoices (#9)",
    ]


def test_links_to_what_is_gone_and_tests_that_fail_again_are_told(t2c: Any, step: Step) -> None:
    def ran(at: str, outcome: str = "") -> str:
        case = f'<testcase classname="tests.test_cart" name="test_total" time="0.1">{outcome}</testcase>'
        return f'<testsuites><testsuite name="p" timestamp="{at}" tests="1">{case}</testsuite></testsuites>\n'

    guide = "# Guide\n\nRead the [setup](setup.md) first, and [nothing](never.md).\n"
    step(
        "Start",
        {
            "docs/guide.md": guide, "docs/setup.md": "# Setup\n", "cart.py": CART,
            "reports/junit.xml": ran("2026-01-01T13:00:00+00:00"),
        },
    )  # fmt: skip
    assert not found(t2c, "STALE_DOCUMENTATION")
    failed = ran("2026-01-02T15:00:00+02:00", '<failure message="no">x</failure>')
    step("Clean up", {"docs/setup.md": None, "reports/junit.xml": failed})
    assert [title for _, title, _ in found(t2c, "STALE_DOCUMENTATION")] == [
        "docs/guide.md links to a file that is gone: docs/setup.md"
    ]
    ((_, _, detail),) = found(t2c, "REGRESSION_DETECTED")
    assert "passed in the run of 2026-01-01 13:00 and failed in the run of 2026-01-02 13:00" in detail
