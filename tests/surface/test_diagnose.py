"""`t2c diagnose`: what is told, in which order, to whom, and with which exit code."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.intake.base import Draft

GROUPS, PAGE = 26, 20


def granted(finding: str | None, *, cause: str | None = None, expires: str | None = None) -> dict[str, Any]:
    return {"finding": finding, "cause": cause, "reason": "kept on purpose", "expires": expires}


@pytest.fixture
def chain(t2c: Any, new_journal: Callable[[Path], Any]) -> Any:
    """25 open plans in 23 files, one that was done and taken back, and an entry of a changelog with nothing behind it."""
    chain = new_journal(t2c.root / ".t2c" / "journal.ndjson")
    done = chain.todo("Lock the account", done=True)
    for number in range(3):
        chain.todo(f"Paint fence {number}", line=3 + number)
    for number in range(22):
        chain.todo(f"Build shed {number}", path=f"plans/{number:02}/TODO.md")
    chain.symbol("app.lock")
    commit = chain.commit("a" * 40, "Lock the account", at="2026-01-02T10:00:00Z")
    back = chain.commit("b" * 40, 'Revert "Lock the account"', at="2026-01-03T10:00:00Z")
    chain.link(commit, done, "implements")
    chain.link(back, commit, "supersedes")
    chain.entry("Sing a song (#12)")
    return chain


def groups(t2c: Any, *more: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = t2c("diagnose", "--json", *more).document["groups"]
    return found


def told(t2c: Any, *more: str) -> list[dict[str, Any]]:
    return [finding for group in groups(t2c, *more) for finding in group["findings"]]


def test_one_document_counts_what_it_tells_the_gravest_first(t2c: Any, chain: Any) -> None:
    document = t2c("diagnose", "--json").document
    assert document["schema"] == "t2c.findings/v1"
    assert (document["seq"], document["since"], document["suppressed"]) == (chain.seq, None, [])
    assert document["counts"] == {
        "blocking": 1, "review_required": 0, "warning": 26, "info": 1, "groups": GROUPS, "suppressed": 0,
    }  # fmt: skip
    order = ["blocking", "review_required", "warning", "info"]
    places = [order.index(group["severity"]) for group in document["groups"]]
    assert places == sorted(places) and document["groups"][0]["code"] == "FALSE_COMPLETION"
    assert t2c("diagnose", "--format", "json").stdout == t2c("diagnose", "--json").stdout


def test_findings_of_one_cause_are_one_group_in_the_order_of_reading(t2c: Any, chain: Any) -> None:
    (fences,) = (group for group in groups(t2c) if len(group["findings"]) > 1)
    assert [finding["places"][0]["line"] for finding in fences["findings"]] == [3, 4, 5]
    lines = t2c("diagnose").out.splitlines()
    first, second, third = (
        next(n for n, line in enumerate(lines) if line.endswith(f"Paint fence {number}"))
        for number in range(3)
    )
    assert first < second < third and lines[second].startswith("    also  ")
    assert f"    cause {fences['cause']}" in lines


def test_a_page_is_twenty_groups_and_the_rest_is_counted(t2c: Any, chain: Any) -> None:
    first, second, whole = (t2c("diagnose", *more).out for more in ((), ("--page", "2"), ("--all",)))
    shown = [sum("→" in line for line in text.splitlines()) for text in (first, second, whole)]
    assert shown == [PAGE, GROUPS - PAGE, GROUPS]
    assert f"… and {GROUPS - PAGE} more groups (--page 2" in first and "more group" not in second + whole
    for text in (first, second, whole):
        assert text.startswith(f"1 blocking, 26 warning, 1 info, as of seq {chain.seq}\n")
    ran = t2c("diagnose", "--page", "3")
    assert ran.code == 2 and "there are 2" in ran.err
    assert t2c("diagnose", "--page", "0").code == 2


@pytest.mark.parametrize(
    ("columns", "widest"), [("40", 40), ("60", 60), ("400", 80), ("0", 80), ("x", 80), ("", 80)]
)
def test_text_fits_the_columns_and_ids_stay_whole(t2c: Any, chain: Any, columns: str, widest: int) -> None:
    lines = t2c("diagnose", env={"COLUMNS": columns}).out.splitlines()
    assert max(len(line) for line in lines if "DIAG-" not in line and "cause " not in line) <= widest
    assert all(len(line.split("DIAG-")[1]) == 20 for line in lines if "DIAG-" in line)


def test_code_severity_and_path_narrow_it(t2c: Any, chain: Any) -> None:
    assert {finding["code"] for finding in told(t2c, "--code", "FALSE_COMPLETION")} == {"FALSE_COMPLETION"}
    both = told(t2c, "--code", "FALSE_COMPLETION", "--code", "PLANNED_NOT_IMPLEMENTED")
    assert len(both) == 26
    assert [finding["severity"] for finding in told(t2c, "--severity", "review_required")] == ["blocking"]
    assert len(told(t2c, "TODO.md")) == 4 and len(told(t2c, "plans")) == 22
    assert len(told(t2c, "plans/0?/*.md", "TODO.md")) == 14
    assert len(told(t2c, ".")) == 27, "what stands in no file is in no folder"


def test_paths_are_those_of_the_callers_folder(t2c: Any, chain: Any) -> None:
    (t2c.root / "plans").mkdir()
    for path, count in (
        ("00/TODO.md", 1),
        ("../TODO.md", 4),
        (".", 22),
        (str(t2c.root / "plans/01/TODO.md"), 1),
    ):
        document = t2c("diagnose", path, "--json", cwd=t2c.root / "plans").document
        assert sum(len(group["findings"]) for group in document["groups"]) == count, path
    assert t2c("diagnose", "../..", cwd=t2c.root / "plans").code == 2
    assert t2c("diagnose", "no/such.md").code == 2
    (t2c.root / "empty.md").touch()
    ran = t2c("diagnose", "empty.md")
    assert ran.code == 0 and ran.out.startswith("nothing found")


def test_a_finding_of_many_records_is_found_by_each_of_their_files(
    t2c: Any, new_journal: Callable[[Path], Any]
) -> None:
    """It shows the places of five records, and is about nine."""
    chain = new_journal(t2c.root / ".t2c" / "journal.ndjson")
    for number in range(9):
        marked = Draft(
            kind="comment_marker", text=f"count to {number} some day", object=f"count to {number}", action="add",
            cls="plan", status="planned", confidence=0.9, basis=("comment",), lines=(1, 1),
        )  # fmt: skip
        chain.observe("todo", f"src/part{number}.py", marked)
    (finding,) = (finding for finding in told(t2c) if len(finding["recordIds"]) == 9)
    assert len(finding["places"]) == 5
    for number in range(9):
        assert [one["id"] for one in told(t2c, f"src/part{number}.py")] == [finding["id"]]


def test_what_a_finding_is_about_stands_first(t2c: Any, new_journal: Callable[[Path], Any]) -> None:
    """A task on line 50 whose parts stand above it."""
    chain = new_journal(t2c.root / ".t2c" / "journal.ndjson")

    def task(text: str, line: int, **metadata: str) -> Draft:
        return Draft(
            kind="todo_item", text=text, object=text, action="add", cls="plan", status="planned", confidence=0.9,
            basis=("markdown_checkbox",), lines=(line, line), metadata=metadata,
        )  # fmt: skip

    parts = [task(f"part {n}", n, parentTask="T-1") for n in range(1, 9)]
    chain.observe("todo", "TODO.md", task("Build the shed", 50, explicitId="T-1"), *parts)
    (finding,) = told(t2c, "TODO.md")
    assert [place["line"] for place in finding["places"]] == [50, 1, 2, 3, 4]
    assert len(finding["recordIds"]) == 9
    assert "    TODO.md:50  PLANNED_NOT_IMPLEMENTED" in t2c("diagnose", "TODO.md").out


def test_at_a_moment_what_was_found_then(t2c: Any, chain: Any) -> None:
    then = t2c("diagnose", "--json", "--at", "5").document
    assert then["seq"] == 5 and then["counts"]["blocking"] == 0 and then["counts"]["groups"] < GROUPS
    assert t2c("diagnose", "--at", "5", "--json").stdout == t2c("diagnose", "--json", "--at", "5").stdout
    gone = t2c("diagnose", "--at", str(chain.seq + 1))
    assert gone.code == 2 and f"from 1 to {chain.seq}" in gone.err


def test_new_since_a_baseline_only_what_was_not_found_then(t2c: Any, chain: Any) -> None:
    baseline = chain.seq
    before = {finding["id"] for finding in told(t2c)}
    quiet = t2c("diagnose", "--new-since", "head", "--fail-on", "info")
    assert quiet.code == 0 and quiet.out == f"nothing found, new since seq {baseline}, as of seq {baseline}\n"
    chain.todo("Dig a well", line=9)
    document = t2c("diagnose", "--new-since", str(baseline), "--json", "--fail-on", "warning")
    assert document.code == 1 and document.document["since"] == baseline
    (new,) = (finding for group in document.document["groups"] for finding in group["findings"])
    assert new["title"].endswith("Dig a well") and new["id"] not in before
    backwards = t2c("diagnose", "--new-since", "head", "--at", "5")
    assert backwards.code == 2 and "--at" in backwards.err


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ((), 0),
        (("--fail-on", "blocking"), 1),
        (("--fail-on", "review_required"), 1),
        (("--fail-on", "info"), 1),
        (("--fail-on", "blocking", "plans"), 0),
        (("--fail-on", "warning", "plans"), 1),
        (("--fail-on", "warning", "--code", "UNLINKED_RECORD"), 0),
    ],
)
def test_only_what_is_told_and_severe_enough_fails(
    t2c: Any, chain: Any, more: tuple[str, ...], code: int
) -> None:
    ran = t2c("diagnose", *more)
    assert ran.code == code and ran.out and not ran.err


def test_that_nothing_asks_for_a_review_fails_nothing(t2c: Any, new_journal: Callable[[Path], Any]) -> None:
    chain = new_journal(t2c.root / ".t2c" / "journal.ndjson")
    done = chain.todo("Lock the account", done=True)
    commit = chain.commit("a" * 40, "Lock the account", at="2026-01-02T10:00:00Z")
    chain.link(commit, done, "implements")
    assert [finding["code"] for finding in told(t2c)] == ["ALIGNED"]
    assert t2c("diagnose", "--fail-on", "info").code == 0


def test_what_is_suppressed_is_counted_and_fails_nothing(t2c: Any, chain: Any) -> None:
    false = told(t2c, "--code", "FALSE_COMPLETION")[0]["id"]
    chain.add("suppression.granted", granted(false))
    assert t2c("diagnose", "--fail-on", "blocking").code == 0
    document = t2c("diagnose", "--json").document
    assert document["counts"]["suppressed"] == 1 and document["counts"]["blocking"] == 0
    assert [one["id"] for one in document["suppressed"]] == [false]
    assert "1 suppressed: t2c diagnose --suppressed" in t2c("diagnose").out
    only = t2c("diagnose", "--suppressed").out
    assert only.startswith("1 blocking") and "kept on purpose" in only
    log = json.loads(t2c("diagnose", "--suppressed", "--format", "sarif").out)
    assert len(log["runs"][0]["results"]) == 1
    document = json.loads(t2c("diagnose", "--suppressed", "--format", "diagnostics").out)
    assert [one["id"] for one in document["diagnostics"]] == [false]


def test_a_suppression_holds_until_the_first_event_after_its_end(t2c: Any, chain: Any) -> None:
    """The journal's own time decides, so that an answer about a moment stays the same for ever."""
    (fences,) = (group for group in groups(t2c) if len(group["findings"]) > 1)
    start = chain.seq
    # Each event of this journal is a second after the one before; the first one is of 10:00:00.
    chain.add("suppression.granted", granted(None, cause=fences["cause"], expires="2026-01-05T10:00:40.000Z"))
    assert chain.seq < 40
    seen = {}
    while chain.seq < 42:
        chain.todo(f"Note {chain.seq}", path="notes.md", line=chain.seq)
        seen[chain.seq] = t2c("diagnose", "--json", "--at", str(chain.seq)).document["counts"]["suppressed"]
    assert seen == {seq: 3 if seq <= 40 else 0 for seq in seen} and {0, 3} <= set(seen.values())
    assert t2c("diagnose", "--at", str(start), "--json").document["counts"]["suppressed"] == 0
    assert t2c("diagnose", "--at", str(start + 1), "--json").document["counts"]["suppressed"] == 3
    assert "TODO.md:3" in t2c("diagnose", "--all").out


def test_in_polish_ids_and_order_are_the_same(t2c: Any, chain: Any) -> None:
    english, polish = told(t2c), told(t2c, "--language", "pl")
    same = ("id", "code", "severity", "cause", "places", "recordIds")
    assert [[one[key] for key in same] for one in english] == [[one[key] for key in same] for one in polish]
    assert all(one["title"] != other["title"] for one, other in zip(english, polish, strict=True))
    ran = t2c("diagnose", "--language", "de")
    assert ran.code == 2 and "en, pl" in ran.err


@pytest.mark.parametrize("format", ["json", "markdown", "sarif", "github", "diagnostics"])
def test_each_format_is_written_to_a_file_as_it_is_printed(t2c: Any, chain: Any, format: str) -> None:
    printed = t2c("diagnose", "--format", format)
    written = t2c("diagnose", "--format", format, "--out", "new/report.txt")
    assert written.code == printed.code == 0 and written.out == "" and "new/report.txt" in written.err
    kept = t2c.root / "new" / "report.txt"
    assert kept.read_bytes() == printed.stdout
    if format not in ("markdown", "github"):
        assert printed.document
    again = t2c("diagnose", "--format", format, "--out", "new/report.txt", "--fail-on", "blocking")
    assert again.code == 1 and kept.read_bytes() == printed.stdout
    for held in (
        b"mine\n",
        b'{"schema": "other/v1"}',
        b'{"runs": [{"tool": {"driver": {"name": "other"}}}]}',
    ):
        kept.write_bytes(held)
        refused = t2c("diagnose", "--format", format, "--out", "new/report.txt")
        assert refused.code == 3 and "is there already" in refused.err
        assert kept.read_bytes() == held


@pytest.mark.parametrize(
    ("place", "why"),
    [
        (".git/x", "inside .git"), (".t2c/x", "inside .t2c"), ("sub/.git/x", "inside .git"),
        ("../x", "outside the root"), ("/tmp/x.t2c-test", "outside the root"), ("out", "outside the root"),
        (".", "is a folder"), ("folder", "is a folder"), ("file/x", "cannot be written"),
    ],
)  # fmt: skip
def test_a_report_is_written_only_inside_the_root_and_beside_nothing_of_git_or_t2c(
    t2c: Any, chain: Any, place: str, why: str
) -> None:
    (t2c.root / "folder").mkdir()
    (t2c.root / "file").write_text("kept")
    outside = t2c.root.parent / "outside"
    (t2c.root / "out").symlink_to(outside)
    before = sorted(path for path in t2c.root.rglob("*") if "cache" not in path.parts)
    ran = t2c("diagnose", "--format", "sarif", "--out", place)
    assert ran.code in (2, 6) and why in ran.err and "Traceback" not in ran.err
    assert sorted(path for path in t2c.root.rglob("*") if "cache" not in path.parts) == before
    assert not outside.exists() and not Path("/tmp/x.t2c-test").exists()


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("--format", "xml"), "sarif"),
        (("--format", "sarif", "--json"), "JSON already"),
        (("",), "a path is empty"),
        (("--out", "x.txt"), "--format"),
        (("--severity", "bad"), "review_required"),
        (("--fail-on", "bad"), "review_required"),
        (("--code", "PLANED_NOT_IMPLEMENTED"), "did you mean PLANNED_NOT_IMPLEMENTED?"),
        (("--new-since", "never"), "give a seq"),
        (("--at", "never"), "give a seq"),
        (("--pages",), "--page"),
    ],
)
def test_what_is_not_understood_is_refused_with_a_hint(
    t2c: Any, chain: Any, arguments: tuple[str, ...], hint: str
) -> None:
    ran = t2c("diagnose", *arguments)
    assert ran.code == 2 and "Traceback" not in ran.err
    assert hint in ran.err + ran.out, ran.err
    if not {"--json", "--out"} & {*arguments}:
        error = t2c("diagnose", "--json", *arguments)
        assert error.code == 2 and error.document["schema"] == "t2c.error/v1"


def test_nothing_is_recorded_by_looking(t2c: Any, chain: Any) -> None:
    before = chain.path.read_bytes()
    for more in ((), ("--json",), ("--format", "sarif"), ("--new-since", "5"), ("--at", "5")):
        assert t2c("diagnose", *more).code == 0
    assert chain.path.read_bytes() == before


def test_text_of_others_does_not_steer_the_terminal(t2c: Any, new_journal: Callable[[Path], Any]) -> None:
    chain = new_journal(t2c.root / ".t2c" / "journal.ndjson")
    chain.todo("Paint \x1b[2J\x9b31m the fence %0A::error::owned\u202e")
    for format in ("text", "markdown", "github"):
        out = t2c("diagnose", "--format", format).out
        assert "Paint" in out and not set(out) & {"\x1b", "\x9b", "\u202e"}, format
    lines = t2c("diagnose", "--format", "github").out.splitlines()
    assert all(line.startswith(("::warning ", "::notice ", "::error ")) for line in lines)


def test_without_a_ledger_or_evidence_it_says_what_to_do(t2c: Any) -> None:
    ran = t2c("diagnose")
    assert ran.code == 2 and "t2c init" in ran.err
    assert t2c("init").code == 0
    ran = t2c("diagnose")
    assert ran.code == 0 and "INSUFFICIENT_EVIDENCE" in ran.out and "t2c scan" in ran.out
    (note,) = json.loads(t2c("diagnose", "--format", "sarif").out)["runs"][0]["invocations"]
    assert "no evidence" in note["toolExecutionNotifications"][0]["message"]["text"]


def test_of_a_damaged_journal_nothing_is_told(t2c: Any, chain: Any) -> None:
    content = chain.path.read_bytes()
    chain.path.write_bytes(content.replace(b'"seq":9', b'"seq":8'))
    ran = t2c("diagnose", "--json")
    assert ran.code == 5 and ran.document["schema"] == "t2c.error/v1" and "Traceback" not in ran.err


def test_whoever_stops_reading_ends_it_quietly(t2c: Any, chain: Any) -> None:
    process = t2c.start("diagnose", "--all", "--json", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    assert process.wait(timeout=60) == 141
    assert process.stderr.read() == b""
    process.stderr.close()


@pytest.mark.skipif(os.name != "posix", reason="a terminal of its own")
def test_on_a_terminal_it_fits_the_columns(t2c: Any, chain: Any) -> None:
    import fcntl
    import pty
    import struct
    import termios

    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 50, 0, 0))
    process = t2c.start(
        "diagnose", "plans/00/TODO.md", stdout=follower, stderr=subprocess.DEVNULL, env={"NO_COLOR": "1"}
    )
    os.close(follower)
    content = b""
    while True:
        try:
            read = os.read(leader, 4096)
        except OSError:
            break
        if not read:
            break
        content += read
    os.close(leader)
    assert process.wait(timeout=60) == 0
    lines = content.decode().splitlines()
    assert len(lines) > 5 and max(len(line) for line in lines if "DIAG-" not in line) <= 50
