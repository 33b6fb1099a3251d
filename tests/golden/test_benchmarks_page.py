"""Claim: the page of benchmarks says what was measured and nothing else, and a row's verdict is that of its limits.

Mutations seen to fail: a figure changed on the page; `<` for `<=` in a limit; a script left out of the run.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
BENCH = ROOT / "tests" / "bench"
PAGE = ROOT / "docs" / "benchmarks.md"


@pytest.fixture(scope="module")
def page() -> ModuleType:
    """tests/bench/page.py, which needs the standard library alone."""
    spec = spec_from_file_location("bench_page", BENCH / "page.py")
    assert spec is not None
    assert spec.loader is not None
    found = module_from_spec(spec)
    sys.modules["bench_page"] = found
    try:
        spec.loader.exec_module(found)
        return found
    finally:
        del sys.modules["bench_page"]


def test_the_page_is_what_the_run_would_write_of_its_own_figures(page: ModuleType) -> None:
    stored = json.loads(PAGE.with_suffix(".json").read_text())
    assert page.render(stored) == PAGE.read_text()


def test_the_page_says_when_where_and_on_what_commit(page: ModuleType) -> None:
    stored = json.loads(PAGE.with_suffix(".json").read_text())
    assert stored["standard"]["machine"].keys() >= {"date", "commit", "system", "python", "openssl", "load"}
    for part in stored.values():
        for key, said in part["machine"].items():
            assert f"- {key}: {said}" in PAGE.read_text()


@pytest.mark.parametrize(
    ("value", "must", "aim", "verdict"),
    [
        (7.0, "<= 7", "<= 4", "met"),
        (4.0, "<= 7", "<= 4", "aim met"),
        (7.7, "<= 7", "<= 4", "missed by 10 %"),
        (0.85, ">= 0.85", ">= 0.95", "met"),
        (0.95, ">= 0.85", ">= 0.95", "aim met"),
        (0.34, ">= 0.4", ">= 0.55", "missed by 15 %"),
        (1.3, "<= 1.3", "", "met"),
        (1.4, "<= 1.3", "", "missed by 8 %"),
        (2.0, "", "<= 1", "aim missed by 100 %"),
        (2.0, "", "", ""),
        (None, "<= 1", "", ""),
    ],
)
def test_a_verdict_is_that_of_the_limits(
    page: ModuleType, value: float | None, must: str, aim: str, verdict: str
) -> None:
    row = page.Row("row", value=value, must=must, aim=aim)
    assert row.verdict() == verdict
    assert row.missed is verdict.startswith("missed")


def test_what_failed_is_a_miss_and_what_is_not_there_is_none(page: ModuleType) -> None:
    failed = page.Row("row", value=1.0, must="<= 7", note=f"{page.FAILED}it ended with 1")
    assert (failed.verdict(), failed.missed) == ("failed", True)
    assert not page.Row("row", note="not measured: there is no such verb").missed


def test_every_row_stands_on_the_page_with_its_figure_and_verdict(page: ModuleType, tmp_path: Path) -> None:
    rows = {
        "one.py": [
            page.Row(
                "a-row", "what | it is", "a peer", 0.5, must=">= 0.4", ours="5/s", theirs="10/s", load=1.25
            ),
            page.Row("b-row", note="not measured: no peer"),
        ]
    }
    page.store(tmp_path / "page.md", "standard", rows)
    text = (tmp_path / "page.md").read_text()
    assert "### `python tests/bench/one.py`" in text
    assert "| a-row | what \\| it is | a peer | 0.50 × | ≥ 0.4 × | met | 5/s | 10/s |" in text
    assert "| b-row |" in text
    assert "not measured: no peer" in text
    page.store(tmp_path / "page.md", "million", {"two.py": [page.Row("c-row", value=12.0, unit="MB")]})
    text = (tmp_path / "page.md").read_text()
    assert "a-row" in text
    assert "| c-row | 12.0 MB |" in text


def test_the_run_takes_every_script_that_measures() -> None:
    measuring = {path.name for path in BENCH.glob("*.py") if "\nMEASURES" in path.read_text()}
    named = set(re.findall(r'"(\w+\.py)"', (BENCH / "run.py").read_text()))
    assert len(measuring) > 5
    assert measuring == named


@pytest.mark.parametrize(
    "script", sorted(path.name for path in BENCH.glob("*.py") if "\nMEASURES" in path.read_text())
)
def test_each_script_runs_by_itself_and_measures_only_what_is_asked_for(script: str) -> None:
    """Nothing has such a name, so nothing is measured: what a script imports must still be there."""
    command = [sys.executable, str(BENCH / script), "--rows", "no-such-row", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_every_row_of_the_page_is_made_by_the_script_that_it_stands_below() -> None:
    stored: dict[str, Any] = json.loads(PAGE.with_suffix(".json").read_text())
    for part in stored.values():
        for script, rows in part["rows"].items():
            source = (BENCH / script).read_text()
            for row in rows:
                stem, _, rest = row["name"].partition("-")
                if script == "repositories.py":  # a row there begins with the checkout that the run was given
                    assert stem in part["machine"]["run"].split(), row["name"]
                    assert f'{{name}}-{rest}"' in source, row["name"]
                else:
                    assert f'"{stem}' in source, (script, row["name"])
