"""`t2c graph`, `reality`, `timeline` and `truth`, as a person or a program meets them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from t2c.ledger.intake.base import Draft

DONE, LATER = "a" * 40, "b" * 40


def planned(chain: Any, ticket: str, text: str) -> str:
    draft = Draft(
        kind="todo_item", text=text, object=text, action="add", cls="plan", status="planned", confidence=0.9,
        basis=("markdown_checkbox",), tickets=(ticket,), lines=(1, 1),
    )  # fmt: skip
    return str(chain.observe("todo", "TODO.md", draft)[0])


@pytest.fixture
def told(t2c: Any, new_journal: Callable[[Path], Any]) -> dict[str, str]:
    """Two plans, one of them done; a changelog entry; code that nobody asked for."""
    chain = new_journal(t2c.root / ".t2c" / "journal.ndjson")
    ids = {"done": planned(chain, "AB-1", "write *it*"), "open": planned(chain, "AB-2", "read it")}
    ids["commit"] = chain.commit(DONE, "AB-1 write it", author="Ada")
    ids["entry"] = chain.entry("Write it", version="1.2.0")
    ids["symbol"] = chain.symbol("app.surplus", path="src/surplus.py")
    chain.link(ids["commit"], ids["done"], "implements", rule="ticket")
    chain.link(ids["entry"], ids["commit"], "releases")
    return ids


def test_reality_says_what_stands_where_and_what_nobody_asked_for(t2c: Any, told: dict[str, str]) -> None:
    ran = t2c("reality")
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert any("AB-1 write *it*" in line and "aligned" in line and "1/1" in line for line in lines)
    assert any(
        "AB-2 read it" in line and "planned, not shown done" in line and "0/1" in line for line in lines
    )
    assert any("nobody asked for 1 file with 1 public symbol: src" in line for line in lines)


def test_reality_as_json_is_the_published_document_and_grades_are_ours(
    t2c: Any, told: dict[str, str]
) -> None:
    document = t2c("reality", "--json").document
    assert document["schemaVersion"] == "t2c.reality/v1"
    assert "schema" not in document
    grades = t2c("reality", "--json", "--grades").document
    assert grades["schema"] == "t2c.reality-grades/v1"
    assert {one["record"]: one["grade"] for one in grades["forward"]} == {
        told["done"]: "named", told["open"]: "none",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "keys"),
    [
        ("AB-1", ["ticket:AB-1"]),
        ("ticket:AB-2", ["ticket:AB-2"]),
        ("src/surplus.py", ["path:src/surplus.py"]),
        ("src", ["path:src/surplus.py"]),
        ("1.2.0", ["source:CHANGELOG.md"]),
    ],
)
def test_a_topic_is_found_by_ticket_key_path_folder_and_release(
    t2c: Any, told: dict[str, str], asked: str, keys: list[str]
) -> None:
    document = t2c("reality", asked, "--json").document
    assert document["schema"] == "t2c.reality-topics/v1"
    assert [topic["key"] for topic in document["topics"]] == keys


def test_one_topic_shows_its_records(t2c: Any, told: dict[str, str]) -> None:
    out = t2c("reality", "AB-1").out
    assert "write *it*" in out
    assert "TODO.md:1" in out
    assert DONE[:12] in out


def test_a_topic_that_is_not_there_is_refused_with_what_comes_near(t2c: Any, told: dict[str, str]) -> None:
    ran = t2c("reality", "src/surplus.pyy")
    assert ran.code == 2
    assert "did you mean src/surplus.py?" in ran.err


def test_an_earlier_moment_shows_what_stood_then(t2c: Any, told: dict[str, str]) -> None:
    rows = t2c("reality", "--json", "--at", "3").document["rows"]
    assert {row["key"]: row["status"] for row in rows} == {
        "ticket:AB-1": "planned_not_implemented", "ticket:AB-2": "planned_not_implemented",
    }  # fmt: skip


def test_pages_and_pictures_are_written_and_written_again(t2c: Any, told: dict[str, str]) -> None:
    names = {"--markdown": "r.md", "--svg": "out/r.svg", "--html": "r.html"}
    for _ in range(2):
        ran = t2c("reality", *(part for pair in names.items() for part in pair))
        assert ran.code == 0, ran.err
    for name in names.values():
        assert f"wrote {name}" in ran.err
        assert b"t2c.reality/v1" in (t2c.root / name).read_bytes()


def test_a_file_of_somebody_else_is_not_overwritten(t2c: Any, told: dict[str, str]) -> None:
    (t2c.root / "README.md").write_text("mine\n")
    ran = t2c("reality", "--markdown", "README.md", "--svg", "r.svg")
    assert ran.code == 3
    assert "README.md is there already" in ran.err
    assert (t2c.root / "README.md").read_text() == "mine\n"
    assert not (t2c.root / "r.svg").exists()
    (t2c.root / "README.md").write_text("what t2c.reality/v1 says\n")
    assert t2c("reality", "--markdown", "README.md").code == 3
    assert t2c("reality", "--svg", "x", "--html", "x").code == 2
    assert t2c("reality", "--svg", "../r.svg").code == 2
    assert t2c("reality", "--svg", ".git/r.svg").code == 2


def test_gaps_only_leaves_out_what_is_aligned(t2c: Any, told: dict[str, str]) -> None:
    out = t2c("reality", "--gaps-only").out
    assert "AB-1" not in out
    assert "AB-2" in out


def test_of_an_empty_ledger_there_is_no_data(t2c: Any) -> None:
    t2c("init")
    assert t2c("reality").out.startswith("no data")
    assert t2c("reality", "--json").document["totals"]["implementationCoverage"] is None
    for verb in ("graph", "timeline", "truth"):
        ran = t2c(verb)
        assert (ran.code, ran.err) == (0, "")


def test_without_a_ledger_it_says_how_to_make_one(t2c: Any) -> None:
    for verb in ("graph", "reality", "timeline", "truth"):
        ran = t2c(verb)
        assert ran.code == 2
        assert "t2c init" in ran.err


def test_the_timeline_says_when_and_by_whom(t2c: Any, told: dict[str, str]) -> None:
    out = t2c("timeline", "AB-1").out
    assert "2026-01-03 11:00  aligned, by Ada" in out
    assert f"implemented by {DONE[:12]} “AB-1 write it”  by Ada" in out
    document = t2c("timeline", "--json").document
    assert document["schema"] == "t2c.timeline/v1"
    only = t2c("timeline", told["open"], "--json").document
    assert [topic["key"] for topic in only["topics"]] == ["ticket:AB-2"]
    assert {event["record"] for topic in only["topics"] for event in topic["events"]} == {told["open"]}
    assert t2c("timeline", "AB-9").code == 2


def test_the_graph_tells_relations_as_sentences_from_both_ends(t2c: Any, told: dict[str, str]) -> None:
    out = t2c("graph", "AB-1").out
    assert f"is implemented by {DONE[:12]} “AB-1 write it”" in out
    from_commit = t2c("graph", DONE[:8]).out
    assert "implements TODO.md:1 “write *it*”" in from_commit
    assert "is released by CHANGELOG.md:1 “Write it”: cites #12  0.97" in from_commit


def test_depth_reaches_further(t2c: Any, told: dict[str, str]) -> None:
    near, far = (t2c("graph", "AB-1", "--depth", depth, "--json").document for depth in ("1", "2"))
    assert {one["id"] for one in near["records"]} == {told["done"], told["commit"]}
    assert {one["id"]: one["distance"] for one in far["records"]} == {
        told["done"]: 0, told["commit"]: 1, told["entry"]: 2,
    }  # fmt: skip
    assert len(far["relations"]) == 2


def test_the_whole_graph_as_json_is_the_published_document(t2c: Any, told: dict[str, str]) -> None:
    document = t2c("graph", "--json").document
    assert document["schemaVersion"] == "t2c.graph/v1"
    assert len(document["relations"]) == 2
    assert "2 relations" in t2c("graph").out


def test_a_neighbourhood_can_be_drawn(t2c: Any, told: dict[str, str]) -> None:
    out = t2c("graph", "AB-1", "--dot").out
    assert out.startswith("digraph {\n")
    assert f'"{told["commit"]}" -> "{told["done"]}" [label="implements"];' in out
    assert t2c("graph", "--dot").code == 2


def test_truth_is_the_map_or_one_assertion(t2c: Any, told: dict[str, str]) -> None:
    document = t2c("truth", "--json").document
    assert document["schemaVersion"] == "t2c.truth-map/v1"
    one = t2c("truth", told["done"], "--json").document
    assert [len(found["recordIds"]) for found in one["assertions"]] == [3]
    assert told["commit"] in t2c("truth", told["done"]).out
    assert t2c("truth", "INT-TODO-" + "0" * 20).code == 2


def test_no_name_begins_a_line_of_its_own(t2c: Any) -> None:
    (t2c.root / "app.py").write_text("def run():\n    return 1\n")
    for name in ("A\n::error::pwned.md", "::error::pwned.md", "B\u2028x.md"):
        (t2c.root / name).write_text(
            "# Tasks\n\n- [x] Make `run` in app.py faster (#12)\n- [ ] `::warning::x` (#13)\n"
        )
    (t2c.root / "C\n::error::pwned.py").write_text("def other():\n    return 1\n")
    assert t2c("init").code == t2c("scan").code == 0
    seen = ""
    for command in (
        ("diagnose", "--all"), ("diagnose", "--format", "markdown", "--all"), ("graph",), ("graph", "app.py"),
        ("graph", "A\n::error::pwned.md"), ("graph", "#12", "--dot"), ("reality",), ("reality", "#12"), ("timeline",),
        ("timeline", "#12"), ("truth",), ("communication",), ("link", "list"),
    ):  # fmt: skip
        ran = t2c(*command)
        lines = ran.out.splitlines()
        assert not [line for line in lines if line.lstrip().startswith("::")], command
        seen += ran.out
    assert "error::pwned.md" in seen


def test_nothing_is_written_by_looking(t2c: Any, told: dict[str, str]) -> None:
    journal = t2c.root / ".t2c" / "journal.ndjson"
    before = journal.read_bytes()
    for verb in ("graph", "reality", "timeline", "truth"):
        t2c(verb)
        t2c(verb, "--json")
    assert journal.read_bytes() == before
    assert not (t2c.root / ".t2c" / "projections").exists()
    assert orjson.loads(before.splitlines()[0])["seq"] == 1


def git(root: Path, *arguments: str, day: int = 1) -> None:
    date = f"2026-01-{day:02}T12:00:00Z"
    names = {f"GIT_{who}_{part}": value for who in ("AUTHOR", "COMMITTER")
             for part, value in (("NAME", "Ada"), ("EMAIL", "ada@example.org"), ("DATE", date))}  # fmt: skip
    environ = {"PATH": os.environ["PATH"], "HOME": str(root.parent), "GIT_CONFIG_NOSYSTEM": "1", **names}
    subprocess.run(["git", *arguments], cwd=root, env=environ, check=True, capture_output=True)


def test_case_33_both_directions_and_a_class_for_intended_exceptions(t2c: Any) -> None:
    """Three plans (one tested, one only coded, one nothing) and one function that no plan names."""
    shutil.rmtree(t2c.root / ".git")
    git(t2c.root, "init", "-q", "-b", "main")
    steps = (
        ("Plan", {"TODO.md": "# TODO\n\n- [ ] AB-1 Parse dates\n- [ ] AB-2 Render pages\n- [ ] AB-3 Cache answers\n"}),
        ("AB-1: parse dates", {
            "src/parse.py": "def parse_dates(text):\n    return text.split()\n",
            "tests/test_parse.py": "from src.parse import parse_dates\n\n\ndef test_parse_dates():\n"
                                   "    assert parse_dates('a') == ['a']\n",
        }),
        ("AB-2: render pages", {"src/render.py": "def render_pages(pages):\n    return ''.join(pages)\n"}),
        ("Tidy up", {"src/surplus.py": "def surplus(value):\n    return value\n"}),
    )  # fmt: skip
    for day, (message, files) in enumerate(steps, 1):
        for name, text in files.items():
            (t2c.root / name).parent.mkdir(exist_ok=True)
            (t2c.root / name).write_text(text)
        git(t2c.root, "add", ".", day=day)
        git(t2c.root, "commit", "-q", "-m", message, day=day)
    assert t2c("init").code == 0
    assert t2c("scan").code == 0
    grades = t2c("reality", "--json", "--grades").document
    forward = {one["text"].split()[0]: one["grade"] for one in grades["forward"]}
    assert forward == {"AB-1": "tested", "AB-2": "declared", "AB-3": "none"}
    backward = {one["key"]: one["exception"] for one in grades["backward"]}
    assert backward["path:src/surplus.py"] is None
    assert backward["path:tests/test_parse.py"] == "test"
    rows = {row["key"]: row["status"] for row in t2c("reality", "--json").document["rows"]}
    assert [rows[f"ticket:AB-{number}"] for number in (1, 2, 3)] == [
        "aligned",
        "aligned",
        "planned_not_implemented",
    ]
    out = t2c("timeline", "AB-1").out
    assert "2026-01-01 12:00  planned, by Ada" in out
    assert "2026-01-02 12:00  aligned, by Ada" in out
