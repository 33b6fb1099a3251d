"""Claims: the page of quality is what its committed figures and verdicts make, and each part of it adds up.

Mutations seen to fail: a figure changed on the page; a verdict of another word; `share` without its interval.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from t2c.ledger.intake.code.languages import LANGUAGES

TESTS = Path(__file__).parents[1]
DATA = TESTS / "data" / "quality"
WHOLE = (TESTS.parent / "docs" / "quality.md").read_text()
PAGE = WHOLE[WHOLE.index("\n## Extraction of code\n") :]
ROWS = [
    [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.startswith(("| language", "| ---"))
]
TITLES = {language.title for language in LANGUAGES.values()} | {"TSX"}


def counted(row: list[str]) -> tuple[int, int, int, int]:
    found, right, missed, wrong = (int(re.match(r"\d+", row[at])[0]) for at in (4, 5, 6, 7))  # type: ignore[index]
    return found, right, missed, wrong


def test_each_language_has_two_files_of_different_repositories() -> None:
    places: dict[str, set[str]] = {}
    for row in ROWS:
        places.setdefault(row[0].partition(" (")[0], set()).add(row[1])
    assert {title: len(places.get(title, ())) >= 2 for title in TITLES} == dict.fromkeys(TITLES, True)


def test_each_row_adds_up_and_so_do_all() -> None:
    sums: Counter[str] = Counter()
    for row in ROWS:
        found, right, missed, wrong = counted(row)
        assert found == right + missed, row
        sums.update(found=found, right=right, missed=missed, wrong=wrong)
    said = re.search(r"(\S+) symbols, (\S+) found right, (\S+) missed, (\S+) wrong", PAGE)
    assert said is not None
    assert [int(number.rstrip(".,").replace(",", "")) for number in said.groups()] == [
        sums["found"], sums["right"], sums["missed"], sums["wrong"],
    ]  # fmt: skip


def test_each_row_names_a_commit() -> None:
    assert all(re.fullmatch(r"[0-9a-f]{12}", row[3]) for row in ROWS)


@pytest.fixture(scope="module")
def page() -> Iterator[ModuleType]:
    """tests/quality/page.py, which needs the standard library alone."""
    spec = spec_from_file_location("quality_page", TESTS / "quality" / "page.py")
    assert spec is not None
    assert spec.loader is not None
    found = module_from_spec(spec)
    sys.modules["quality_page"] = found
    try:
        spec.loader.exec_module(found)
        yield found
    finally:
        del sys.modules["quality_page"]


def test_the_page_is_what_the_data_make(page: ModuleType) -> None:
    assert page.render() == WHOLE, "run python tests/quality/page.py"


def test_figures_say_when_how_and_of_what_commit_they_are_made() -> None:
    for path in DATA.glob("*.json"):
        stored = json.loads(path.read_text())
        if "made" in stored:
            assert stored["made"].keys() == {"date", "commit", "command"}
            assert all(said in WHOLE for said in stored["made"].values())


def test_each_row_that_was_read_has_a_verdict_and_a_reason(page: ModuleType) -> None:
    for sample in page.samples():
        rows = [*sample["relations"], *sample["findings"]]
        assert all(row["verdict"] in page.VERDICTS for row in rows), sample["repository"]
        assert all(len(row["reason"]) >= 10 for row in rows), sample["repository"]
        assert sample["reader"]
        assert sample["commit"][:12] in WHOLE


def test_intervals_are_those_of_wilson(page: ModuleType) -> None:
    low, high = page.wilson(45, 50)
    assert (round(low, 3), round(high, 3)) == (0.786, 0.957)
    assert page.wilson(0, 0) == (0.0, 1.0)
    assert page.share(50, 50) == "50 of 50 (100 %, 93–100 %)"
    assert page.share(0, 0) == "0 of 0"


def test_shares_of_a_sample_count_what_was_judged(page: ModuleType) -> None:
    rows = [{"verdict": said} for said in ("right", "right", "wrong", "unsure", "")]
    assert page._right(rows).startswith("2 of 4 (50 %")


def test_a_cell_ends_at_no_pipe_of_its_text(page: ModuleType) -> None:
    assert page.table(["a"], [["x | y\nz"], [""]])[2:] == ["| x \\| y z |", "| – |"]
