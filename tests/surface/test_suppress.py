"""`t2c suppress`: a finding is hidden by a decision that has a reason, an actor and, if wanted, an end."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def chain(t2c: Any, new_journal: Callable[[Path], Any]) -> Any:
    """Three open plans of one file and one of another."""
    chain = new_journal(t2c.root / ".t2c" / "journal.ndjson")
    for number in range(3):
        chain.todo(f"Paint fence {number}", line=3 + number)
    chain.todo("Build a shed", path="plans/shed.md")
    return chain


def told(t2c: Any, *more: str) -> dict[str, str]:
    """The plans that are told of: the end of the title → the id."""
    document = t2c("diagnose", "--json", "--code", "PLANNED_NOT_IMPLEMENTED", *more).document
    found = [finding for group in document["groups"] for finding in group["findings"]]
    return {finding["title"].rpartition(": ")[2]: finding["id"] for finding in found}


def cause(t2c: Any) -> str:
    document = t2c("diagnose", "TODO.md", "--json").document
    return str(document["groups"][0]["cause"])


def events(t2c: Any) -> int:
    return int(t2c("ledger", "head", "--json").document["seq"])


def test_it_is_an_event_with_a_reason_and_its_actor(t2c: Any, chain: Any) -> None:
    shed = told(t2c)["Build a shed"]
    ran = t2c("suppress", shed, "--reason", "kept for old clients", "--json", env={"T2C_ACTOR": "human:ada"})
    assert ran.code == 0
    row = ran.document
    assert row["schema"] == "t2c.suppression/v1"
    assert (row["finding"], row["cause"], row["expires"], row["holds"]) == (shed, None, None, True)
    assert (row["reason"], row["by"], row["seq"]) == ("kept for old clients", "human:ada", chain.seq + 1)
    (event,) = t2c("ledger", "log", "--type", "suppression.granted", "--jsonl").lines
    assert (event["id"], event["actor"]) == (row["event"], {"kind": "human", "id": "ada"})
    assert "Build a shed" not in told(t2c) and told(t2c, "--suppressed") == {"Build a shed": shed}
    assert "Build a shed" in told(t2c, "--at", str(chain.seq)), "what was so stays so"


def test_the_first_digits_of_an_id_are_enough_if_they_are_of_one(t2c: Any, chain: Any) -> None:
    ids = sorted(told(t2c).values())
    chosen = ids[0]
    length = next(n for n in range(6, 26) if sum(one.startswith(chosen[:n]) for one in ids) == 1)
    assert t2c("suppress", chosen[: length + 3], "--reason", "no").code == 0
    assert chosen not in told(t2c).values()
    again = t2c("suppress", chosen[: length + 3], "--reason", "no")
    assert again.code == 4 and chosen in again.err and "already, by EVT-" in again.err


def test_of_several_that_begin_so_none_is_taken(t2c: Any, new_journal: Callable[[Path], Any]) -> None:
    """Of 40 findings two begin with the same digit."""
    chain = new_journal(t2c.root / ".t2c" / "journal.ndjson")
    for number in range(40):
        chain.todo(f"Paint fence {number}", line=3 + number)
    ids = sorted(told(t2c).values())
    twice = next(one for one, other in pairwise(ids) if one[:6] == other[:6])
    ran = t2c("suppress", twice[:6], "--reason", "no")
    assert ran.code == 2 and f"several findings begin with {twice[:6]}" in ran.err
    assert "nothing was recorded" in ran.err and twice in ran.err
    for vague in ("DIAG-", "DIAG", "D", ""):
        ran = t2c("suppress", vague, "--reason", "no")
        assert ran.code == 2 and "there is no finding" in ran.err
    assert events(t2c) == chain.seq


def test_a_cause_hides_all_of_it_and_what_comes_later(t2c: Any, chain: Any) -> None:
    whole = cause(t2c)
    ran = t2c("suppress", whole, "--reason", "fences are out of scope", "--json")
    assert ran.code == 0 and (ran.document["finding"], ran.document["cause"]) == (None, whole)
    assert set(told(t2c)) == {"Build a shed"}
    again = t2c("suppress", whole, "--reason", "once more")
    assert again.code == 4 and ran.document["event"] in again.err
    assert t2c("suppress", told(t2c, "--suppressed")["Paint fence 1"], "--reason", "x").code == 4
    (t2c.root / ".git").rmdir()
    (t2c.root / "TODO.md").write_text("- [ ] Paint fence 9\n")
    assert t2c("scan").code == 0
    assert "Paint fence 9" in told(t2c, "--suppressed") and "Paint fence 9" not in told(t2c)


def test_a_cause_of_which_one_finding_is_hidden_can_be_hidden_whole(t2c: Any, chain: Any) -> None:
    one = t2c("suppress", told(t2c)["Paint fence 1"], "--reason", "this one", "--json").document
    whole = t2c("suppress", cause(t2c), "--reason", "all of them", "--json")
    assert whole.code == 0
    assert set(told(t2c, "--suppressed")) == {"Paint fence 0", "Paint fence 1", "Paint fence 2"}
    assert t2c("suppress", "--withdraw", whole.document["event"], "--reason", "not all").code == 0
    assert set(told(t2c, "--suppressed")) == {"Paint fence 1"}
    assert [row["event"] for row in t2c("suppress", "--list", "--json").document["suppressions"]] == [
        one["event"]
    ]


def test_a_cause_that_is_hidden_whole_and_unknown_otherwise_is_refused_as_such(t2c: Any, chain: Any) -> None:
    ran = t2c("suppress", cause(t2c) + "x", "--reason", "no")
    assert ran.code == 2 and f"did you mean {cause(t2c)}" in ran.err and events(t2c) == chain.seq


def test_withdrawn_it_is_told_again(t2c: Any, chain: Any) -> None:
    shed = told(t2c)["Build a shed"]
    granted = t2c("suppress", shed, "--reason", "kept", "--json").document
    unexplained = t2c("suppress", "--withdraw", granted["event"])
    assert unexplained.code == 2 and "a reason is missing" in unexplained.err
    ran = t2c("suppress", "--withdraw", granted["event"], "--reason", "old clients are gone", "--json")
    assert ran.code == 0
    assert (ran.document["event"], ran.document["holds"]) == (granted["event"], False)
    assert told(t2c)["Build a shed"] == shed
    assert t2c("suppress", "--list").out == "nothing is suppressed\n"
    (event,) = t2c("ledger", "log", "--type", "suppression.withdrawn", "--jsonl").lines
    assert "old clients are gone" in str(event)
    twice = t2c("suppress", "--withdraw", granted["event"], "--reason", "again")
    assert twice.code == 2 and "t2c suppress --list" in twice.err
    assert t2c("suppress", shed, "--reason", "after all").code == 0, "it can be hidden once more"


def test_a_mistyped_event_is_refused_with_the_one_that_is_meant(t2c: Any, chain: Any) -> None:
    event = t2c("suppress", told(t2c)["Build a shed"], "--reason", "kept", "--json").document["event"]
    wrong = event[:-1] + ("0" if event[-1] != "0" else "1")
    ran = t2c("suppress", "--withdraw", wrong, "--reason", "no")
    assert ran.code == 2 and f"did you mean {event}?" in ran.err and "nothing was recorded" in ran.err


def test_the_list_says_why_by_whom_until_when_and_if_it_is_over(t2c: Any, chain: Any) -> None:
    ids = told(t2c)
    over = {
        "finding": ids["Paint fence 0"],
        "cause": None,
        "reason": "until the rain",
        "expires": "2026-01-05T11:00:00.000Z",
    }
    chain.add("suppression.granted", over)
    shed = t2c(
        "suppress", ids["Build a shed"], "--reason", "no wood", "--until", "2999-01-31", "--json"
    ).document
    document = t2c("suppress", "--list", "--json").document
    assert document["schema"] == "t2c.suppressions/v1" and document["seq"] == chain.seq + 1
    assert [(row["finding"], row["holds"]) for row in document["suppressions"]] == [
        (ids["Paint fence 0"], False), (ids["Build a shed"], True),
    ]  # fmt: skip
    lines = t2c("suppress", "--list").out.splitlines()
    assert lines[0].startswith("2 suppressions as of ")
    assert f"  {ids['Build a shed']} until 2999-01-31T00:00:00.000Z" in lines and "    no wood" in lines
    assert sum(line.endswith("  over") for line in lines) == 1 and any(
        shed["event"] in line for line in lines
    )
    assert "Paint fence 0" in told(t2c), "it is over from the first event after its end"


@pytest.mark.parametrize(
    ("until", "expires"),
    [
        ("2999-01-31", r"2999-01-31T00:00:00\.000Z"),
        ("2999-01-31T12:00:00+02:00", r"2999-01-31T10:00:00\.000Z"),
        ("30d", r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"),
        ("1w", r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"),
    ],
)
def test_an_end_is_a_date_a_time_or_so_long_from_now(t2c: Any, chain: Any, until: str, expires: str) -> None:
    row = t2c("suppress", told(t2c)["Build a shed"], "--reason", "x", "--until", until, "--json").document
    assert re.fullmatch(expires, row["expires"]) and row["holds"]
    assert f"suppressed until {row['expires']} by " in " ".join(t2c("diagnose", "--suppressed").out.split())


@pytest.mark.parametrize("until", ["2026-01-05", "never", "0s", "-3d", "99999999d", "2999-13-01", ""])
def test_an_end_that_is_over_or_no_time_is_refused(t2c: Any, chain: Any, until: str) -> None:
    ran = t2c("suppress", told(t2c)["Build a shed"], "--reason", "x", f"--until={until}")
    assert ran.code == 2 and "--until" in ran.err and "nothing was recorded" in ran.err
    assert events(t2c) == chain.seq


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        ((), "name a finding"),
        (("--list", "--withdraw", "EVT-" + "0" * 20), "say one thing"),
        (("DIAG-0123", "--list"), "say one thing"),
        (("DIAG-0123",), '--reason "…"'),
        (("DIAG-0123", "--reason", " \t"), '--reason "…"'),
        (("DIAG-01234567890123456789", "--reason", "x"), "t2c diagnose"),
        (("--list", "--until", "3d"), "leave it out"),
        (("--withdraw", "EVT-" + "0" * 20, "--reason", "x"), "t2c suppress --list"),
        (("--withdraw", "EVT-" + "0" * 20, "--reason", "x", "--until", "3d"), "leave it out"),
    ],
)
def test_what_is_not_understood_is_refused_with_a_hint(
    t2c: Any, chain: Any, arguments: tuple[str, ...], hint: str
) -> None:
    ran = t2c("suppress", *arguments)
    assert ran.code == 2 and hint in ran.err and "Traceback" not in ran.err
    error = t2c("suppress", "--json", *arguments)
    assert error.code == 2 and error.document["error"]["class"] == "Usage"
    assert events(t2c) == chain.seq


def test_a_reason_of_any_letters_and_length_is_kept_or_refused_whole(t2c: Any, chain: Any) -> None:
    shed = told(t2c)["Build a shed"]
    assert t2c("suppress", shed, "--reason", "zażółć\x1b[2J").code == 0
    (row,) = t2c("suppress", "--list", "--json").document["suppressions"]
    assert t2c("suppress", "--list").out.startswith("1 suppression as of ")
    assert row["reason"].startswith("zażółć")
    for command in (("suppress", "--list"), ("diagnose", "--suppressed")):
        assert "\x1b" not in t2c(*command).out
    ran = t2c("suppress", told(t2c)["Paint fence 0"], "--reason", "x" * 120_000)
    assert ran.code in (0, 2) and "Traceback" not in ran.err


def test_without_a_ledger_nothing_is_made(t2c: Any) -> None:
    for arguments in (("--list",), ("DIAG-0123456789", "--reason", "x")):
        ran = t2c("suppress", *arguments)
        assert ran.code == 2 and "t2c init" in ran.err
    assert not (t2c.root / ".t2c").exists()


def test_of_an_empty_or_damaged_journal_nothing_is_told_or_recorded(t2c: Any, chain: Any) -> None:
    shed = told(t2c)["Build a shed"]
    content = chain.path.read_bytes()
    for damaged, code in ((b"", 2), (content.replace(b'"seq":3', b'"seq":4'), 5), (content + b'{"x":1\n', 5)):
        chain.path.write_bytes(damaged)
        for arguments in (("--list",), (shed, "--reason", "x"), ("--withdraw", "EVT-0", "--reason", "x")):
            ran = t2c("suppress", *arguments)
            assert ran.code == code and "Traceback" not in ran.err, (arguments, ran.err)
        assert chain.path.read_bytes() == damaged
