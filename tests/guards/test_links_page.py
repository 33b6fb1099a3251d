"""The page of relations tells every type that is drawn, and with the confidence that the rules give."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, get_args

from t2c.ledger.events.record import RelationType
from t2c.ledger.linking.registry import BOOKS, PRIORS

ROOT = Path(__file__).parents[2]
PAGE: Final = (ROOT / "docs" / "links.md").read_text(encoding="utf-8")
TYPES: Final = frozenset(get_args(RelationType))
OWN: Final = ("plan", "order", "same", "trace", "carry", "claim", "opposed", "document", "located")
"""Books all of whose grades stand on the page."""


def quoted(pattern: str) -> set[str]:
    """The types that stand in quotes in these files, that of the words left out, which names them all."""
    texts = [path.read_text(encoding="utf-8") for path in ROOT.glob(pattern) if "wording" not in path.name]
    return {name for text in texts for name in re.findall(r"\"(\w+)\"", text)} & TYPES


def test_page_has_a_section_for_every_type_and_no_other() -> None:
    sections = re.findall(r"^## `(\w+)`$", PAGE, re.MULTILINE)
    assert sorted(sections) == sorted(TYPES)


def test_every_type_is_drawn_by_a_rule_and_made_by_a_test() -> None:
    assert quoted("ledger/linking/*.py") == TYPES
    assert quoted("tests/unit/test_linking_*.py") == TYPES


def test_each_section_tells_what_it_does_not_say() -> None:
    for section in PAGE.split("\n## ")[1:]:
        name = section.partition("\n")[0]
        for part in ("**Drawn**", "**Signals**", "**Does not say**"):
            assert section.count(part) == 1 or (part == "**Drawn**" and "evidenced_by" in name), (name, part)


def test_confidences_are_those_of_the_rules() -> None:
    told = re.findall(r"`(\w+)`\s+(\d\.\d+)", PAGE)
    assert len(told) > 40
    for grade, confidence in told:
        assert PRIORS[grade].confidence == float(confidence), grade


def test_grades_of_these_rules_are_told() -> None:
    for book in BOOKS:
        if book.name in OWN:
            missing = [grade for grade in book.priors if f"`{grade}`" not in PAGE]
            assert not missing, book.name
