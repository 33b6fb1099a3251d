"""What shows a plan done and a topic there, in a small repository of its own, from the first commit to the view."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from typing import Any

import pytest

Step = Callable[..., str]

CART = "class Cart:\n    def total(self):\n        return 1\n"


@pytest.fixture
def step(t2c: Any) -> Step:
    """Write files, commit them a day later; gives the id of the commit. None as text deletes a file."""
    shutil.rmtree(t2c.root / ".git")
    days = iter(range(1, 28))

    def git(*arguments: str, day: int = 1) -> str:
        date = f"2026-01-{day:02}T12:00:00Z"
        names = {f"GIT_{who}_{part}": value for who in ("AUTHOR", "COMMITTER")
                 for part, value in (("NAME", "Ada"), ("EMAIL", "ada@example.org"), ("DATE", date))}  # fmt: skip
        environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(t2c.root.parent),
            "GIT_CONFIG_NOSYSTEM": "1",
            **names,
        }
        done = subprocess.run(["git", *arguments], cwd=t2c.root, env=environ, check=True, capture_output=True)
        return done.stdout.decode().strip()

    def commit(message: str, files: Mapping[str, str | None]) -> str:
        for name, text in files.items():
            path = t2c.root / name
            path.parent.mkdir(exist_ok=True, parents=True)
            path.unlink() if text is None else path.write_text(text)
        git("add", "-A", ".")
        git("commit", "-q", "-m", message, day=next(days))
        return git("rev-parse", "HEAD")

    git("init", "-q", "-b", "main")
    return commit


def grades(t2c: Any) -> dict[str, str]:
    document = t2c("reality", "--json", "--grades").document
    return {one["text"]: one["grade"] for one in document["forward"]}


def rows(t2c: Any) -> dict[str, dict[str, Any]]:
    return {row["key"]: row for row in t2c("reality", "--json").document["rows"]}


def scan(t2c: Any, *arguments: str) -> None:
    if not (t2c.root / ".t2c").exists():
        assert t2c("init").code == 0
    ran = t2c("scan", *arguments)
    assert ran.code == 0, ran.err


def test_an_unrelated_commit_to_the_same_file_shows_no_plan_done(t2c: Any, step: Step) -> None:
    step("Start", {"cart.py": CART})
    plans = "# TODO\n\n- [ ] Make `total` faster in cart.py\n- [ ] Add `never_written` to cart.py\n- [ ] Tidy up cart.py\n"
    step("Plan", {"TODO.md": plans})
    step("Something else", {"cart.py": CART + "\n\ndef unrelated():\n    return 3\n"})
    scan(t2c)
    assert set(grades(t2c).values()) == {"none"}
    assert rows(t2c)["path:cart.py"]["status"] == "planned_not_implemented"
    step("Quicker", {"cart.py": CART.replace("return 1", "return 2")})
    scan(t2c)
    assert grades(t2c) == {
        "Make `total` faster in cart.py": "declared",
        "Add `never_written` to cart.py": "none",
        "Tidy up cart.py": "none",
    }


TESTED: Mapping[str, str | None] = {
    "shop/coupon.py": "def apply_coupon(cart):\n    return cart\n",
    "tests/test_coupon.py": "from shop.coupon import apply_coupon\n\n\ndef test_apply_coupon():\n"
                            "    assert apply_coupon(1) == 1\n",
}  # fmt: skip


def report(t2c: Any, commit: str, at: str, failure: str = "") -> None:
    """A run of the one test, taken in."""
    (t2c.root / "junit.xml").write_text(
        f'<testsuites><testsuite name="pytest" timestamp="{at}">'
        '<testcase classname="tests.test_coupon" name="test_apply_coupon" file="tests/test_coupon.py" time="0.01">'
        f"{failure}</testcase></testsuite></testsuites>"
    )
    scan(t2c, "--report", "junit.xml", "--commit", commit)


def test_a_run_after_the_last_edit_makes_it_green_and_a_failing_one_breaks_the_topic(
    t2c: Any, step: Step
) -> None:
    guide = "# Shop\n\nThe price is lowered by `apply_coupon` in one place.\n"
    step("Start", {"TODO.md": "# TODO\n\n- [ ] Apply a coupon (#1)\n", "docs/guide.md": guide})
    commit = step("Apply (#1)", TESTED)
    report(t2c, commit, "2026-01-01T18:00:00Z")
    assert grades(t2c) == {"Apply a coupon (#1)": "tested"}, "it ran before the code was there"
    report(t2c, commit, "2026-01-04T10:00:00Z")
    assert grades(t2c) == {"Apply a coupon (#1)": "green"}
    before = rows(t2c)
    assert [before[key]["status"] for key in ("ticket:#1", "path:shop/coupon.py")] == ["aligned", "aligned"]
    report(t2c, commit, "2026-01-05T10:00:00Z", '<failure message="no">no</failure>')
    assert grades(t2c) == {"Apply a coupon (#1)": "tested"}
    after = rows(t2c)
    for key in ("ticket:#1", "path:shop/coupon.py"):
        assert after[key]["status"] == "planned_not_implemented"
        assert after[key]["severity"] == "blocking"
        assert "REGRESSION_DETECTED" in after[key]["diagnosticCodes"]
    report(t2c, commit, "2026-01-06T10:00:00Z")
    assert grades(t2c) == {"Apply a coupon (#1)": "green"}
    assert rows(t2c)["ticket:#1"]["status"] == "aligned"
