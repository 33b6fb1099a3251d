"""Architecture decisions: what was decided, whether it stands, and what it replaces."""

from __future__ import annotations

import pytest

from t2c.ledger.events.record import Record
from t2c.ledger.intake.base import Draft, materialise
from t2c.ledger.intake.docs.extractor import DocumentExtractor

NYGARD = (
    "# 5. Use SQLite\n\n## Status\n\n{}\n\n## Context\n\nWe MUST keep `src/store.py` small.\n\n## Decision\n\n"
    "We will keep all records in SQLite through `src/store.py`.\n\n## Consequences\n\nOne file.\n"
)


class Files:
    """A tree that is a set of paths."""

    def __init__(self, *held: str) -> None:
        self._held = frozenset(held)

    def __contains__(self, path: str) -> bool:
        return path in self._held

    def named(self, name: str) -> tuple[str, ...]:
        return tuple(sorted(path for path in self._held if path.rpartition("/")[2] == name))

    def content(self, path: str) -> bytes | None:
        return None


def read(text: str, path: str = "docs/adr/0005-use-sqlite.md", *held: str) -> list[Draft]:
    return list(DocumentExtractor().read(path, text.encode(), Files(*held)).records)


def decided(text: str, path: str = "docs/adr/0005-use-sqlite.md", *held: str) -> list[Draft]:
    return [draft for draft in read(text, path, *held) if draft.kind == "architecture_decision"]


def test_the_record_of_an_accepted_decision() -> None:
    reading = DocumentExtractor().read(
        "docs/adr/0005-use-sqlite.md", NYGARD.format("Accepted").encode(), Files("src/store.py")
    )
    records = [Record.model_validate_json(found.body) for found in materialise(reading)]
    (record,) = [record for record in records if record.statement.kind == "architecture_decision"]
    assert record.statement.text == "We will keep all records in SQLite through `src/store.py`."
    assert (record.statement.action, record.statement.object) == ("approve", "Use SQLite")
    assert record.statement.subject == "decision:0005"
    assert record.statement.target.paths == ("src/store.py",)
    assert (record.epistemic.cls, record.lifecycle.status) == ("plan", "planned")
    assert record.metadata["decisionStatus"] == "accepted"
    assert record.metadata["headingPath"] == ["Use SQLite", "Decision"]
    assert not any("We will keep" in r.statement.text for r in records if r is not record)


@pytest.mark.parametrize(
    ("status", "found", "cls", "lifecycle", "action"),
    [
        ("Accepted", "accepted", "plan", "planned", "approve"),
        ("Proposed", "proposed", "declaration", "proposed", "change"),
        ("Draft", "proposed", "declaration", "proposed", "change"),
        ("Rejected", "rejected", "declaration", "unknown", "block"),
        ("Deprecated", "deprecated", "declaration", "unknown", "change"),
        ("Superseded by [9. Use files](0009-use-files.md)", "superseded", "declaration", "unknown", "change"),
        ("Implemented", "implemented", "plan", "implemented", "approve"),
        ("Zaakceptowana", "accepted", "plan", "planned", "approve"),
        ("Whatever", None, "declaration", "unknown", "approve"),
    ],
)
def test_what_each_status_means(
    status: str, found: str | None, cls: str, lifecycle: str, action: str
) -> None:
    (draft,) = decided(NYGARD.format(status))
    assert (draft.metadata["decisionStatus"], draft.cls, draft.status, draft.action) == (
        found,
        cls,
        lifecycle,
        action,
    )


def test_what_replaces_what() -> None:
    text = NYGARD.format("Accepted\n\nSupersedes [3. Use files](0003-use-files.md)\n\nSuperseded by ADR-12")
    (draft,) = decided(text, "docs/adr/0005-use-sqlite.md", "docs/adr/0003-use-files.md")
    assert draft.metadata["decisionStatus"] == "accepted"
    assert draft.metadata["supersedes"] == ["docs/adr/0003-use-files.md"]
    assert draft.metadata["supersededBy"] == ["ADR-12"]
    assert "docs/adr/0003-use-files.md" in draft.paths


@pytest.mark.parametrize(
    ("line", "others"),
    [
        ("Superseded by 0001", ["0001"]),
        ("Superseded by 0001.", ["0001"]),
        ("**Superseded by:** 0001 and 0002", ["0001", "0002"]),
        ("superseded by ADR-0001, ADR-0002, which refines it", ["ADR-0001", "ADR-0002"]),
        ("superseded by [0003](0003-x.md)", ["0003-x.md"]),
        ("superseded by the decision 12 on 2020-01-02", ["12"]),
        ("Replaced by 9. Use files", ["9"]),
        ("Zastąpiona przez 0001", ["0001"]),
        ("Superseded by 12 teams", []),
        ("Superseded by 1.2", []),
        ("Superseded by nothing yet, see 7", []),
    ],
)
def test_by_what_a_decision_is_replaced(line: str, others: list[str]) -> None:
    (draft,) = decided(NYGARD.format(line))
    assert (draft.metadata["supersededBy"], draft.metadata["supersedes"]) == (others, [])


@pytest.mark.parametrize(
    ("line", "others"),
    [
        (
            "> Superseded on 2026-04-19 by\n> `0007-files.md`.\n> Keep this for its history.",
            ["docs/adr/0007-files.md"],
        ),
        ("**Superseded by:** `old/adr/0007-files.md`", ["docs/adr/0007-files.md"]),
        ("* Superseded by: [Files](0007-files.md)", ["docs/adr/0007-files.md"]),
        ("Superseded by 0007", ["0007"]),
        ("Superseded by whatever comes, see [Files](0007-files.md)", []),
        ("The files were superseded by [Files](0007-files.md)", []),
    ],
)
def test_a_paragraph_of_its_own_tells_what_replaces_it(line: str, others: list[str]) -> None:
    text = NYGARD.format("Superseded").replace("One file.", line)
    (draft,) = decided(text, "docs/adr/0005-use-sqlite.md", "docs/adr/0007-files.md")
    assert draft.metadata["supersededBy"] == others


@pytest.mark.parametrize(
    ("path", "is_sample"),
    [
        ("docs/adr/0005-use-sqlite.md", False),
        ("examples/adr/0005-use-sqlite.md", True),
        ("packages/core/tests/fixtures/adr/0005-use-sqlite.md", True),
        ("docs/adr/0005-example.md", True),
    ],
)
def test_a_decision_of_an_example_says_so(path: str, *, is_sample: bool) -> None:
    (draft,) = decided(NYGARD.format("Accepted"), path)
    assert draft.metadata["sample"] is is_sample
    assert draft.cls == ("declaration" if is_sample else "plan")


def test_the_object_of_one_verb_is_not_that_of_the_next() -> None:
    (draft,) = decided(NYGARD.format("Supersedes 0001 and 0002, superseded by [7](0007-x.md)"))
    assert draft.metadata["supersedes"] == ["0001", "0002"]
    assert draft.metadata["supersededBy"] == ["0007-x.md"]


def test_what_is_amended_still_stands() -> None:
    text = NYGARD.format("Accepted\n\nAmends [3. Use files](0003-use-files.md)\n\nAmended by ADR-12")
    (draft,) = decided(text, "docs/adr/0005-use-sqlite.md", "docs/adr/0003-use-files.md")
    assert (draft.metadata["supersedes"], draft.metadata["supersededBy"]) == ([], [])
    assert (draft.metadata["amends"], draft.metadata["amendedBy"]) == (
        ["docs/adr/0003-use-files.md"],
        ["ADR-12"],
    )
    assert (draft.metadata["decisionStatus"], draft.status) == ("accepted", "planned")
    assert "docs/adr/0003-use-files.md" in draft.paths


def test_madr_with_front_matter_and_items_that_the_sentence_announces() -> None:
    text = (
        '---\nstatus: "superseded by ADR-0007"\ndate: 2024-01-01\n---\n\n# Use dashes\n\n## Context and Problem Statement\n\nNames.\n\n'
        "## Decision Outcome\n\nChosen option: dashes, because\n\n* they are common\n* they are short\n\n### Consequences\n\n* Good\n"
    )
    (draft,) = decided(text, "docs/decisions/0005-use-dashes.md")
    assert draft.text == "Chosen option: dashes, because they are common they are short"
    assert draft.lines == (14, 17)
    assert (draft.metadata["decisionStatus"], draft.metadata["supersededBy"]) == ("superseded", ["ADR-0007"])


@pytest.mark.parametrize(
    "line",
    [
        "* Status: accepted",
        "Status: accepted",
        "**Status:** Accepted",
        "| Status | Accepted |\n|---|---|\n| Status | Accepted |",
    ],
)
def test_a_line_at_the_top_tells_the_status(line: str) -> None:
    text = f"# Use dashes\n\n{line}\n\n## Context\n\nNames.\n\n## Decision\n\nWe use dashes in names.\n"
    (draft,) = decided(text, "doc/notes/names.md")
    assert draft.metadata["decisionStatus"] == "accepted"


def test_decisions_in_rst_and_in_polish() -> None:
    text = "Nazwy\n=====\n\nStatus\n------\n\nPrzyjęta\n\nKontekst\n--------\n\nNazwy plików.\n\nDecyzja\n-------\n\nUżywamy myślników.\n"
    (draft,) = decided(text, "docs/decyzje/0001-nazwy.rst")
    assert (draft.text, draft.status) == ("Używamy myślników.", "planned")


@pytest.mark.parametrize(
    ("text", "path"),
    [
        (NYGARD.format("proposed | accepted | rejected"), "docs/adr/0000-template.md"),
        (NYGARD.format("Accepted").replace("## Decision", "## Thoughts"), "docs/adr/0005-a.md"),
        ("# Guide\n\n## Decision\n\nTake the left road.\n", "docs/guide.md"),
        ("# Index\n\n* [5. Use SQLite](0005-use-sqlite.md)\n", "docs/adr/README.md"),
    ],
)
def test_what_is_no_decision(text: str, path: str) -> None:
    assert decided(text, path) == []


def test_what_an_accepted_decision_demands_besides_is_a_plan() -> None:
    text = NYGARD.format("{}").replace("One file.", "One file.\n")
    more = text.replace(
        "## Consequences", "Every writer must take the lock.\n\nIt is a small file.\n\n## Consequences"
    )
    demands = [draft for draft in read(more.format("Accepted")) if draft.kind == "requirement"]
    assert [(draft.text, draft.cls) for draft in demands] == [("Every writer must take the lock.", "plan")]
    assert [draft for draft in read(more.format("Proposed")) if draft.kind == "requirement"] == []


def test_a_changed_status_changes_no_id() -> None:
    ids = {
        next(found.id for found in materialise(DocumentExtractor().read("adr/1-a.md", NYGARD.format(status).encode(), Files()))
             if b"architecture_decision" in found.body)
        for status in ("Proposed", "Accepted", "Deprecated")
    }  # fmt: skip
    assert len(ids) == 1
