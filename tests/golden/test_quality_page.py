"""Claim: the page of quality holds two hand-read files for each language that is read, and its sums are right."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from t2c.ledger.intake.code.languages import LANGUAGES

PAGE = (Path(__file__).parents[2] / "docs" / "quality.md").read_text()
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
