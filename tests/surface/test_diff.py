"""`t2c ledger diff` as people read it."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest


@pytest.fixture
def scanned(t2c: Any) -> tuple[Any, str, str]:
    """A repository scanned twice, and the heads after each scan."""
    (t2c.root / ".git").rmdir()
    subprocess.run(["git", "init", "-q", str(t2c.root)], check=True)
    heads = []
    for todo in (
        "- [ ] write the manual\n- [ ] paint the fence (#4)\n- [ ] gone soon\n",
        "\n- [x] write the manual\n- [ ] paint the garden fence (#4)\n",
    ):
        (t2c.root / "TODO.md").write_text(todo)
        assert t2c("scan").code == 0
        heads.append(str(t2c("ledger", "head", "--json").document["seq"]))
    return t2c, heads[0], heads[1]


def test_what_changed_is_grouped_by_file_and_marked(scanned: tuple[Any, str, str]) -> None:
    t2c, first, second = scanned
    shown = t2c("ledger", "diff", first, second).out.splitlines()
    assert f"from seq {first}" in shown[0] and f"to seq {second}" in shown[0]
    assert any("helper:t2c: " in line and "record.retracted" in line for line in shown)
    assert any(line.strip().startswith("run ") and "scan for human:local" in line for line in shown)
    below = [line.strip() for line in shown[shown.index("TODO.md") + 1 :]]
    assert "- gone soon  (absent)" in below
    assert "~ paint the fence (#4) → paint the garden fence (#4)  (reworded)" in below
    assert any(line.startswith("~ write the manual") and "planned → completed" in line for line in below)
    assert "> write the manual  lines 1 → 2" in below


def test_backwards_it_says_so_and_gives_the_former_texts_back(scanned: tuple[Any, str, str]) -> None:
    t2c, first, second = scanned
    shown = t2c("ledger", "diff", second, first).out
    assert "backwards" in shown.splitlines()[0]
    assert "+ gone soon" in shown
    assert "~ paint the garden fence (#4) → paint the fence (#4)" in shown
    there, back = (
        t2c("ledger", "diff", *ends, "--json").document for ends in ((first, second), (second, first))
    )
    assert (there["reversed"], back["reversed"]) == (False, True)
    for one, other in (("added", "retracted"), ("retracted", "added")):
        assert {row["id"] for row in there["records"][one]} == {row["id"] for row in back["records"][other]}


def test_the_document_is_whole_and_the_text_says_what_it_leaves_out(scanned: tuple[Any, str, str]) -> None:
    t2c, first, second = scanned
    found = t2c("ledger", "diff", first, second, "--json").document
    assert found["schema"] == "t2c.ledger-diff/v1"
    assert (found["a"]["seq"], found["b"]["seq"]) == (int(first), int(second))
    assert set(found["records"]) == {"added", "retracted", "changed", "moved"}
    whole = t2c("ledger", "diff", first, second).out.splitlines()
    cut = t2c("ledger", "diff", first, second, "--limit", "2").out.splitlines()
    assert cut[:-1] == whole[: len(cut) - 1]
    assert cut[-1].startswith(f"… and {len(whole) - len(cut) + 1} more lines")


def test_a_moment_beside_itself_shows_nothing(scanned: tuple[Any, str, str]) -> None:
    t2c, first, _ = scanned
    assert "nothing stands otherwise" in t2c("ledger", "diff", first, first).out
    assert "0 events" in t2c("ledger", "diff", "head").out


def test_relations_and_what_is_left_out_are_shown(t2c: Any) -> None:
    (t2c.root / ".git").rmdir()
    subprocess.run(["git", "init", "-q", str(t2c.root)], check=True)
    (t2c.root / "TODO.md").write_text("- [ ] T-1 write the manual\n")
    (t2c.root / "CHANGELOG.md").write_text(
        "# Changelog\n\n## 1.0.0 - 2026-01-04\n\n### Added\n\n- T-1 the manual\n"
    )
    assert t2c("scan").code == 0
    found = t2c("ledger", "diff", "0", "--json").document
    assert found["omissions"]["noted"]
    shown = t2c("ledger", "diff", "0").out
    assert "left out" in shown
    assert ("relations" in shown.splitlines()) == bool(found["relations"]["linked"])


def test_events_that_say_nothing_here_are_counted(t2c: Any, new_journal: Any) -> None:
    chain = new_journal(t2c.root / ".t2c" / "journal.ndjson")
    chain.add("weather.changed", {"x": 1})
    chain.add("record.observed", {"record": {"id": 5}})
    chain.add("record.retracted", {}, v=9)
    found = t2c("ledger", "diff", "0", "--json").document
    assert found["unknown"] == {"record.retracted v9": 1, "weather.changed v1": 1}
    assert found["unusable"] == {"record.observed": 1}
    assert "unknown types" in t2c("ledger", "diff", "0").out


def test_what_is_no_moment_is_refused(t2c: Any) -> None:
    t2c("ledger", "append", "--statement", "x")
    for ends in (("9",), ("1", "soon"), ("-1",)):
        assert t2c("ledger", "diff", *ends).code == 2


def test_hostile_names_break_no_line_and_reach_no_terminal(t2c: Any, new_journal: Any) -> None:
    chain = new_journal(t2c.root / ".t2c" / "journal.ndjson")
    chain.add("observation.noted", {"statement": "x"}, run="r\n+ false \x1b[2J")
    chain.todo("clear \x1b[2J\n- [ ] false", path="a\nTODO.md")
    for command in (("diff", "0"), ("replay",)):
        shown = t2c("ledger", *command).out
        assert "\x1b" not in shown
        assert not any(
            line.strip().startswith(("+ false", "- [ ]", "TODO.md")) for line in shown.splitlines()
        )
