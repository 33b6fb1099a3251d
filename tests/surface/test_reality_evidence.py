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


def test_what_stands_elsewhere_is_not_there_for_a_file_that_is_missing(t2c: Any, step: Step) -> None:
    guide = "# Shop\n\n`Cart.total` adds the prices, with the tax rate of `config/shop.toml`.\n"
    step("Start", {"shop/cart.py": CART, "docs/guide.md": guide, "TODO.md": "# TODO\n\n- [ ] Read `config/tax.toml` in `Cart.total`\n"})  # fmt: skip
    scan(t2c)
    found = rows(t2c)
    assert "path:config/shop.toml" not in found
    assert found["path:shop/cart.py"]["lanes"]["document"] == 1
    assert found["path:shop/cart.py"]["status"] == "aligned"
    assert found["path:config/tax.toml"]["status"] == "planned_not_implemented"
    assert found["path:config/tax.toml"]["evidence"] == "none"


@pytest.mark.parametrize("gone", ["shop/zones.py", "shop/rates.sh"])
def test_a_commit_alone_is_not_there_for_a_file_that_was_renamed_or_deleted(
    t2c: Any, step: Step, gone: str
) -> None:
    """The commit speaks of this file and no other, so the file is what it is filed under."""
    text = "def zones():\n    return []\n"
    step("Start", {"docs/guide.md": f"# Shop\n\nThe zones of delivery are in `{gone}`.\n"})
    step("Zones", {gone: text})
    scan(t2c)
    assert rows(t2c)[f"path:{gone}"]["lanes"]["git"] == 1
    assert rows(t2c)[f"path:{gone}"]["status"] == "aligned"
    step("Delete", {gone: None})
    scan(t2c)
    found = rows(t2c)[f"path:{gone}"]
    assert (found["lanes"]["git"], found["status"], found["evidence"]) == (0, "unlinked", "none")
    step("Back", {gone: text})
    step("Rename", {gone: None, gone.replace(".", "_of."): text})
    scan(t2c)
    assert rows(t2c)[f"path:{gone}"]["lanes"]["git"] == 0


def test_a_plan_that_was_carried_out_stays_so_when_its_file_is_renamed_or_was_to_be_deleted(
    t2c: Any, step: Step
) -> None:
    text = "def zones():\n    return []\n"
    plans = "# TODO\n\n- [ ] Write `shop/zones.py` (#4)\n- [ ] Remove `shop/cart.py` (#5)\n- [ ] Remove `shop/old.py`\n"
    step("Start", {"shop/cart.py": CART, "shop/old.py": text.replace("zones", "old"), "TODO.md": plans})
    step("Zones (#4)", {"shop/zones.py": text})
    step("Away with it (#5)", {"shop/cart.py": None})
    step("Rename", {"shop/zones.py": None, "shop/areas.py": text})
    scan(t2c)
    found = rows(t2c)
    assert [found[f"ticket:#{number}"]["status"] for number in (4, 5)] == ["aligned", "aligned"]
    assert found["path:shop/old.py"]["status"] == "planned_not_implemented"
