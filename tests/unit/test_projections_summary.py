"""The summary: a number behind every sentence, and no data where there is none."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from t2c.ledger.kernel.actor import Actor
from t2c.projections.fold import fold
from t2c.projections.registry import ALL
from t2c.projections.render.markdown import percent
from t2c.projections.summary.model import Share


def both(chain: Any) -> tuple[Any, str]:
    """The model as JSON and the Markdown."""
    files = fold(chain.journal, ALL, ["summary"]).artifacts("summary")
    model, text = files["summary.json"], files["summary.md"]
    assert isinstance(model, bytes)
    assert isinstance(text, bytes)
    return orjson.loads(model), text.decode()


def model(chain: Any) -> Any:
    return both(chain)[0]


def text(chain: Any) -> str:
    return both(chain)[1]


def omit(chain: Any, path: str | None, reason: str, count: int, *lines: int) -> None:
    body = {"source": "ast", "path": path, "reason": reason, "count": count, "lines": lines, "detail": ""}
    chain.add("omission.noted", body)


def test_an_empty_ledger_has_no_data_and_no_percentages(chain: Any) -> None:
    found, shown = both(chain)
    assert found["plans"]["done"] == {"what": "TODO items that are done", "numerator": 0, "denominator": 0}
    assert "TODO items done: no data" in shown
    assert "public outside test files: no data" in shown
    assert "No run has been recorded." in shown
    assert "%" not in shown


@pytest.mark.parametrize(
    ("numerator", "denominator", "shown"),
    [
        (0, 0, "no data"),
        (0, 3, "0 of 3 (0 %)"),
        (1, 3, "1 of 3 (33 %)"),
        (2, 3, "2 of 3 (67 %)"),
        (1, 200, "1 of 200 (1 %)"),
        (1234, 1234, "1,234 of 1,234 (100 %)"),
    ],
)
def test_a_share_shows_both_its_numbers(numerator: int, denominator: int, shown: str) -> None:
    assert percent(Share("things", numerator, denominator)) == shown


def test_open_items_are_grouped_by_heading_in_the_order_of_the_file(chain: Any) -> None:
    chain.todo("third", line=9, trail=("Plans", "Later"))
    chain.todo("first", line=3, trail=("Plans", "Now"))
    chain.todo("second", line=5, trail=("Plans", "Now"))
    chain.todo("over", line=1, done=True)
    found, shown = both(chain)
    assert found["plans"]["done"]["numerator"] == 1
    assert found["plans"]["open"] == 3
    assert [group["trail"] for group in found["plans"]["open_first"]] == [
        ["Plans", "Now"],
        ["Plans", "Later"],
    ]
    assert (
        "- Open in TODO.md › Plans › Now:\n"
        "  - “first” (TODO.md:3)\n"
        "  - “second” (TODO.md:5)\n"
        "- Open in TODO.md › Plans › Later:\n"
        "  - “third” (TODO.md:9)\n"
    ) in shown
    assert "TODO items done: 1 of 4 (25 %); open: 3" in shown


def test_open_items_beyond_the_first_are_counted(chain: Any) -> None:
    for number in range(20):
        chain.todo(f"item {number}", line=number + 1)
    found, shown = both(chain)
    assert sum(len(group["items"]) for group in found["plans"]["open_first"]) == 12
    assert found["plans"]["open_not_shown"] == 8
    assert "Open items not shown: 8" in shown


def test_the_changelog_is_counted_by_release_newest_first(chain: Any) -> None:
    chain.entry("a", version="1.0.0", date="2026-01-01", line=9)
    chain.entry("b", version="2.0.0", date="2026-02-01", line=5)
    chain.entry("c", version="2.0.0", date="2026-02-01", line=6)
    chain.entry("d", version="0.9.0", date=None, line=12)
    chain.entry("e", version="Unreleased", date=None, line=2)
    changelog = model(chain)["changelog"]
    assert (changelog["entries"], changelog["releases"], changelog["unreleased_entries"]) == (5, 3, 1)
    assert changelog["latest"] == [
        {"version": "2.0.0", "date": "2026-02-01", "entries": 2},
        {"version": "1.0.0", "date": "2026-01-01", "entries": 1},
        {"version": "0.9.0", "date": None, "entries": 1},
    ]
    assert "Release 2.0.0 (2026-02-01), entries: 2" in text(chain)


def test_commits_are_counted_with_their_authors_and_their_days_in_utc(chain: Any) -> None:
    chain.commit("a" * 40, "one", at="2026-01-01T00:30:00+02:00", author="Ada")
    chain.commit("b" * 40, "two", at="2026-03-01T12:00:00Z", author="Ada")
    chain.commit("c" * 40, "three", at="2026-02-01T12:00:00Z", author="Bo")
    assert model(chain)["commits"] == {
        "commits": 3,
        "authors": 2,
        "first": "2025-12-31",
        "last": "2026-03-01",
    }


def test_code_facts_are_counted_by_file_and_kind(chain: Any) -> None:
    chain.symbol("a.one", path="src/a.py")
    chain.symbol("a.two", path="src/a.py", public=False)
    chain.symbol("b.one", path="src/b.py")
    chain.symbol("b.two", path="src/b.py", metadata={"symbolKind": "class"})
    chain.symbol("t.test_one", path="tests/t.py", metadata={"public": True, "test": True})
    chain.symbol("t.helper", path="tests/t.py", metadata={"public": True, "test": False})
    chain.symbol("t", path="tests/t.py", kind="module_fact", metadata={"test": True})
    found, shown = both(chain)
    assert found["code"] == {
        "files": 3,
        "test_files": 1,
        "symbols": 6,
        "public": {
            "what": "symbols declared outside test files that are public", "numerator": 2, "denominator": 3,
        },
        "tests": 1,
        "facts_by_kind": {"class": 1, "function": 5, "module": 1},
    }  # fmt: skip
    assert "Symbols declared: 6; public outside test files: 2 of 3 (67 %)" in shown


def test_links_are_counted_by_rule_and_told_as_sentences(chain: Any) -> None:
    first, second = chain.entry("Fix the parser", line=4), chain.entry("Other", line=5)
    commit = chain.commit("0123456789abcdef" * 2 + "01234567", "Fix parser (#12)")
    chain.link(first, commit, confidence=0.97)
    chain.link(second, commit, confidence=0.6)
    found, shown = both(chain)
    assert found["links"]["by_rule"] == [{"rule": "number", "type": "releases", "relations": 2}]
    shares = {share["what"]: (share["numerator"], share["denominator"]) for share in found["links"]["linked"]}
    assert shares == {
        "TODO items with a link": (0, 0), "changelog entries with a link": (2, 2), "commits with a link": (1, 1),
    }  # fmt: skip
    assert (
        "- For example: changelog entry “Fix the parser” (CHANGELOG.md:4) — releases → "
        "commit 0123456789ab “Fix parser (#12)”: number #12 (confidence 0.97)\n"
    ) in shown
    assert "  - 2 × releases by the rule number\n" in shown


def test_links_whose_ends_are_gone_count_nowhere(chain: Any) -> None:
    entry, commit = chain.entry("x"), chain.commit("a" * 40, "x")
    chain.link(entry, commit)
    chain.add("record.retracted", {"id": commit, "why": "unreachable", "superseded_by": None})
    links = model(chain)["links"]
    assert (links["relations"], links["examples"]) == (0, [])
    assert links["linked"][1]["numerator"] == 0


def test_what_was_left_out_is_totalled_by_reason_until_it_is_cured(chain: Any) -> None:
    omit(chain, "big.js", "too_large", 1)
    omit(chain, "a.py", "unparsed", 3, 7, 9)
    omit(chain, "b.py", "unparsed", 2)
    omit(chain, "b.py", "unparsed", 4)
    omit(chain, None, "shallow", 1)
    found, shown = both(chain)
    assert found["omissions"]["count"] == 9
    assert [(one["reason"], one["count"], one["places"]) for one in found["omissions"]["by_reason"]] == [
        ("unparsed", 7, 2),
        ("shallow", 1, 1),
        ("too_large", 1, 1),
    ]
    assert (
        "Things left out: 9\n  - 7 × unparsed at 2 places: a.py:7, b.py\n  - 1 × shallow at 1 place: ast\n"
        in shown
    )
    chain.add("omission.cleared", {"source": "ast", "path": "a.py", "reason": "unparsed"})
    assert model(chain)["omissions"]["count"] == 6


def test_the_last_notes_are_shown_with_who_said_them_and_how_far_to_believe(chain: Any) -> None:
    for number in range(7):
        chain.add(
            "observation.noted",
            {"statement": f"note {number}", "subject": "release"},
            actor=Actor("human", "ada"),
            trust="asserted",
        )
    found, shown = both(chain)
    assert found["notes"]["total"] == 7
    assert [note["statement"] for note in found["notes"]["latest"]] == [f"note {n}" for n in (6, 5, 4, 3, 2)]
    assert (
        "  - “note 6” about “release”, said by human:ada (asserted, seq 8, 2026-01-05T10:00:07.000Z)\n"
        in shown
    )
    assert "Earlier notes not shown: 2" in shown


def test_the_last_run_is_told(chain: Any) -> None:
    started = {
        "verb": "scan",
        "requested_by": "human:local",
        "tool": "t2c 0",
        "revision": None,
        "branch": None,
    }
    chain.add("run.started", started, run="r1")
    chain.add(
        "stage.finished", {"stage": "todo", "status": "partial", "counts": {}, "detail": None}, run="r1"
    )
    assert "It has no end and counts as failed" in text(chain)
    chain.add("run.finished", {"status": "partial", "detail": "one file unread"}, run="r1")
    found, shown = both(chain)
    assert (found["last_run"]["id"], found["last_run"]["status"]) == ("r1", "partial")
    assert "had recorded all at 2026-01-05T10:00:03.000Z and counts as partial: one file unread\n" in shown
    assert "Stages: todo partial" in shown


def test_a_record_of_another_shape_is_counted_as_unreadable(chain: Any) -> None:
    chain.todo("sound")
    line = chain.path.read_bytes().splitlines()[-1]
    record = orjson.loads(line)["data"]["record"]
    record["id"] = "INT-TODO-" + "0" * 20
    record["statement"]["text"] = 5
    chain.add("record.observed", {"record": record})
    found, shown = both(chain)
    assert found["records"] == {"total": 2, "by_source": {"todo": 1}, "unreadable": 1}
    assert "could not be read for this summary: 1" in shown


def test_a_summary_of_a_large_ledger_fits_two_screens(chain: Any) -> None:
    for number in range(60):
        chain.todo(f"item {number}", line=number + 1, trail=(f"Heading {number}",))
        chain.entry(f"entry {number}", version=f"1.{number}.0", line=number + 1)
        omit(chain, f"file{number}.py", f"reason_{number % 5}", 1)
        chain.add("observation.noted", {"statement": "x" * 5000, "subject": None})
    shown = text(chain)
    assert shown.count("\n") < 90
    assert max(map(len, shown.splitlines())) < 400
