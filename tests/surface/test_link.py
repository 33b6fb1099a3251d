"""`t2c link`: relations as people judge them, and what a scan makes of it."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest


@pytest.fixture
def scanned(t2c: Any) -> Any:
    """Three plans, each with an entry that claims it done."""
    (t2c.root / ".git").rmdir()
    subprocess.run(["git", "init", "-q", str(t2c.root)], check=True)
    numbers = (11, 12, 13)
    names = {11: "apples", 12: "pears", 13: "plums"}
    (t2c.root / "TODO.md").write_text("".join(f"- [ ] Export {names[n]} #{n}\n" for n in numbers))
    entries = "".join(f"- Export {names[n]} (#{n})\n" for n in numbers)
    (t2c.root / "CHANGELOG.md").write_text(
        f"# Changelog\n\n## [1.0.0] - 2026-01-05\n\n### Added\n\n{entries}"
    )
    assert t2c("scan").code == 0
    return t2c


def links(t2c: Any, *more: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = t2c("link", "list", "--json", *more).document["links"]
    return found


def test_they_are_listed_as_sentences_the_least_sure_first(scanned: Any) -> None:
    found = links(scanned)
    assert len(found) == 3 and {link["type"] for link in found} == {"claimed_by"}
    assert [link["confidence"] for link in found] == sorted(link["confidence"] for link in found)
    shown = scanned("link", "list").out
    assert "3 of 3 relations" in shown and all(link["sentence"] in shown for link in found)
    assert links(scanned, "--type", "tests") == [] and links(scanned, "--below", "0.1") == []
    wrong = scanned("link", "list", "--type", "nonsense")
    assert wrong.code == 2 and "claimed_by" in wrong.err


def test_around_a_file_only_its_own_are_listed(scanned: Any) -> None:
    assert {link["id"] for link in links(scanned, "#12")} < {link["id"] for link in links(scanned)}
    missing = scanned("link", "list", "nowhere.md")
    assert missing.code == 2 and "nowhere.md" in missing.err


def test_a_rejected_one_goes_and_others_are_less_sure(scanned: Any) -> None:
    first, second, _ = links(scanned)
    ran = scanned("link", "reject", first["id"][:12], "--reason", "another export", "--json")
    assert ran.code == 0 and ran.document["verdict"] == "wrong"
    assert scanned("link", "show", first["id"]).out.endswith("judged wrong: another export\n")
    assert scanned("scan").code == 0
    left = {link["id"]: link for link in links(scanned)}
    assert first["id"] not in left and left[second["id"]]["confidence"] < second["confidence"]
    gone = scanned("link", "show", first["id"])
    assert gone.code == 2 and "judged wrong stands no more" in gone.err
    assert "judged_wrong" in scanned("ledger", "log", "--type", "relation.unlinked", "--json").out
    assert "1 judged_wrong" in scanned("scan").out
    seq = scanned("ledger", "head", "--json").document["seq"]
    assert scanned("scan").code == 0 and scanned("ledger", "head", "--json").document["seq"] == seq


def test_an_accepted_one_says_so_and_others_are_surer(scanned: Any) -> None:
    first, second, _ = links(scanned)
    assert scanned("link", "accept", first["id"]).code == 0
    assert scanned("scan").code == 0
    left = {link["id"]: link for link in links(scanned)}
    assert "judged_right" in left[first["id"]]["basis"] and left[first["id"]]["confidence"] >= 0.99
    assert left[second["id"]]["confidence"] > second["confidence"]
    again = scanned("link", "accept", first["id"])
    assert again.code == 4 and "already" in again.err


def test_who_changes_their_mind_is_believed(scanned: Any) -> None:
    first = links(scanned)[0]
    for verb, more in (("reject", ("--reason", "no")), ("accept", ())):
        assert scanned("link", verb, first["id"], *more).code == 0
    assert scanned("scan").code == 0
    assert first["id"] in {link["id"] for link in links(scanned)}


def test_a_rejection_can_be_taken_back_when_the_relation_is_gone(scanned: Any) -> None:
    first = links(scanned)[0]
    assert scanned("link", "reject", first["id"], "--reason", "no").code == 0
    assert scanned("scan").code == 0
    assert first["id"] not in {link["id"] for link in links(scanned)}
    again = scanned("link", "reject", first["id"], "--reason", "no")
    assert again.code == 4 and "already" in again.err
    ran = scanned("link", "accept", first["id"][:14], "--json")
    assert ran.code == 0 and ran.document["relation"] == first["id"]
    assert "claimed by" in ran.document["sentence"] and "TODO.md" in ran.document["sentence"]
    assert scanned("scan").code == 0
    (back,) = (link for link in links(scanned) if link["id"] == first["id"])
    assert back["verdict"] == "right"


def test_calibration_shows_how_sure_and_how_it_came(scanned: Any) -> None:
    before = scanned("link", "calibration", "--json").document
    assert before["judged"] == 0 and all(row["now"] == row["prior"] for row in before["grades"])
    for link in links(scanned)[:2]:
        assert scanned("link", "reject", link["id"], "--reason", "no").code == 0
    after = scanned("link", "calibration", "--json").document
    (row,) = (row for row in after["grades"] if row["wrong"])
    assert (row["right"], row["wrong"], after["judged"]) == (0, 2, 2)
    assert [step["wrong"] for step in row["history"]] == [1, 2]
    assert row["history"][0]["confidence"] > row["history"][1]["confidence"] == row["now"] < row["prior"]
    assert scanned("link", "calibration", "--at", str(after["seq"] - 2), "--json").document == before


def test_a_relation_that_is_not_there_is_refused_with_a_hint(scanned: Any) -> None:
    ran = scanned("link", "accept", "REL-00000000000000000000")
    assert ran.code == 2 and "t2c link list" in ran.err
    assert scanned("link", "reject", links(scanned)[0]["id"]).code == 2
