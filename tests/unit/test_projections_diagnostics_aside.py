"""What is open below an archive, a note of history or a status that ends it is no plan; all else still is."""

from __future__ import annotations

from typing import Any

import pytest

from t2c.ledger.intake.base import Draft
from t2c.projections.base import Inputs
from t2c.projections.diagnostics import findings_of
from t2c.projections.fold import fold
from t2c.projections.registry import ALL


def open_plans(chain: Any) -> set[str]:
    """The files whose plans are told as not implemented."""
    folded = fold(chain.journal, ALL, ["diagnostics"])
    assert not any(folded.faults.values())
    assert folded.ts is not None
    every = findings_of(Inputs(folded.ts, folded.states, folded.made))
    return {one.said["at"].rpartition(":")[0] for one in every if one.code == "PLANNED_NOT_IMPLEMENTED"}


def duplicates(chain: Any) -> int:
    folded = fold(chain.journal, ALL, ["diagnostics"])
    assert folded.ts is not None
    every = findings_of(Inputs(folded.ts, folded.states, folded.made))
    return sum(one.code == "DUPLICATED_INTENT" for one in every)


def state(chain: Any, source: str, kind: str, text: str, path: str, **members: Any) -> str:
    given = {"object": text, "action": "add", "cls": "plan", "status": "planned", "confidence": 0.9,
        "basis": ("made",), "lines": (30, 30), **members}  # fmt: skip
    return str(chain.observe(source, path, Draft(kind=kind, text=text, **given))[0])


def plan(chain: Any, path: str, text: str = "Add retry", *trail: str) -> str:
    return state(chain, "todo", "todo_item", text, path, metadata={"headingPath": list(trail)})


def said(chain: Any, path: str, text: str, *trail: str, line: int = 3, **members: Any) -> str:
    return state(chain, "document", "documentation_statement", text, path, cls="declaration", status="proposed",
        lines=(line, line), metadata={"headingPath": list(trail)}, **members)  # fmt: skip


@pytest.mark.parametrize(
    "path", ["plans/archive/a.md", "work/history/a.md", "old/a.md", "attic/2020/a.md", "x/deprecated/a.md"]
)
def test_a_folder_of_the_past_holds_no_open_plan(chain: Any, path: str) -> None:
    plan(chain, path)
    plan(chain, "plans/now.md", "Add backoff")
    assert open_plans(chain) == {"plans/now.md"}


def test_neither_do_plans_of_an_archive_repeat_each_other(chain: Any) -> None:
    one, other = (plan(chain, f"plans/{place}/a.md") for place in ("archive", "history"))
    chain.link(one, other, "duplicates")
    assert duplicates(chain) == 0
    third, fourth = plan(chain, "plans/a.md"), plan(chain, "plans/b.md")
    chain.link(third, fourth, "duplicates")
    assert duplicates(chain) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Status: transition evidence / beta history.", "**Status:** Superseded by the new roadmap",
        "This folder is the historical record of the beta.", "These plans are not the active roadmap.",
    ],
)  # fmt: skip
def test_an_index_puts_aside_its_folder_and_what_is_below(chain: Any, text: str) -> None:
    for path in ("work/beta/tasks.md", "work/beta/items/1/tasks.md", "work/tasks.md", "work/beta2/tasks.md"):
        plan(chain, path)
    said(chain, "work/beta/README.md", text, "Beta")
    assert open_plans(chain) == {"work/tasks.md", "work/beta2/tasks.md"}


@pytest.mark.parametrize(
    ("text", "trail", "line"),
    [
        ("Status: active; archive later", ("Beta",), 3), ("Status: " + "-/" * 400, ("Beta",), 3),
        ("Status: active, not deprecated", ("Beta",), 3), ("Status: planned", ("Beta",), 3),
        ("This folder is about deprecated options.", ("Beta",), 3), ("The `old` option is deprecated.", ("Beta",), 3),
        ("Status: Superseded", ("Beta", "Items", "First"), 3), ("Status: Superseded", ("Beta",), 90),
        ("Snapshot tests", (), 1), ("Deferred loading of images", (), 1), ("Deprecated options are removed", (), 1),
    ],
)  # fmt: skip
def test_words_of_the_past_that_are_about_something_else_put_nothing_aside(
    chain: Any, text: str, trail: tuple[str, ...], line: int
) -> None:
    plan(chain, "work/beta/tasks.md")
    said(chain, "work/beta/README.md", text, *trail, line=line)
    assert open_plans(chain) == {"work/beta/tasks.md"}


def test_the_index_of_the_whole_repository_puts_nothing_aside(chain: Any) -> None:
    plan(chain, "TODO.md")
    said(chain, "README.md", "Status: archived", "Project")
    assert open_plans(chain) == {"TODO.md"}


def test_an_index_that_calls_the_lists_of_its_folder_historical_puts_aside_all_below(chain: Any) -> None:
    lists = ("work/beta/tasks.md", "work/beta/more.md")
    for path in (*lists, "work/beta/items/1/tasks.md"):
        plan(chain, path)
    for number, path in enumerate(lists):
        assert "work/beta/items/1/tasks.md" in open_plans(chain)
        text = f"`{path.rpartition('/')[2]}` preserves the historical progress."
        said(chain, "work/beta/README.md", text, "Beta", "Order", line=30 + number, paths=(path,))
    assert not open_plans(chain)


def test_a_line_about_something_else_calls_no_list_historical(chain: Any) -> None:
    plan(chain, "work/beta/tasks.md")
    for text in ("Archived items leave `tasks.md` at once.", "`tasks.md` is not archived."):
        said(chain, "work/beta/README.md", text, "Beta", paths=("work/beta/tasks.md",))
    assert open_plans(chain) == {"work/beta/tasks.md"}


@pytest.mark.parametrize(
    ("text", "trail"),
    [
        ("Status: Implemented", ("Plan",)), ("Status: **Completed** on 2026-01-02", ("Plan",)),
        ("Implemented on `feature/x`; tests pass.", ("Plan", "Status")), ("Status: obsolete", ("Plan",)),
        ("Old plan (archived)", ()), ("[Deprecated] Old plan", ()), ("This document is now superseded.", ("Plan",)),
    ],
)  # fmt: skip
def test_a_status_at_the_head_of_a_file_closes_its_list_alone(
    chain: Any, text: str, trail: tuple[str, ...]
) -> None:
    plan(chain, "work/plan.md")
    plan(chain, "work/other.md")
    said(chain, "work/plan.md", text, *trail)
    assert open_plans(chain) == {"work/other.md"}


@pytest.mark.parametrize(
    "text", ["Status: Implementation not started", "Status: partially implemented", "Status: Implemented in part",
    "Status: done with phase 1", "Status: 80% done", "Status: Done 3/5", "Status: in progress"],
)  # fmt: skip
def test_a_status_that_leaves_something_to_do_closes_nothing(chain: Any, text: str) -> None:
    plan(chain, "work/plan.md")
    said(chain, "work/plan.md", text, "Plan")
    assert open_plans(chain) == {"work/plan.md"}


def test_a_list_without_a_text_is_put_aside_by_its_title(chain: Any) -> None:
    plan(chain, "work/plan.md", "Add retry", "Tasks of the beta (archived)")
    plan(chain, "work/other.md", "Add retry", "Tasks", "Archived")
    assert open_plans(chain) == {"work/other.md"}


def test_a_comment_in_a_folder_that_only_bears_the_name_still_asks(chain: Any) -> None:
    state(chain, "todo", "comment_marker", "Handle empty palettes", "src/archive/zip.py")
    folded = fold(chain.journal, ALL, ["diagnostics"])
    assert folded.ts is not None
    every = findings_of(Inputs(folded.ts, folded.states, folded.made))
    assert any(one.message == "planned.comments" for one in every)
