"""Whose code no plan asked for and no document tells of: users of a package, where work is planned by task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from t2c.ledger.intake.base import Draft
from t2c.projections.base import Inputs
from t2c.projections.diagnostics import findings_of
from t2c.projections.diagnostics.model import Finding
from t2c.projections.fold import fold
from t2c.projections.registry import ALL


def found(chain: Any, code: str) -> Sequence[Finding]:
    folded = fold(chain.journal, ALL, ["diagnostics"])
    assert not any(folded.faults.values())
    assert folded.ts is not None
    every = findings_of(Inputs(folded.ts, folded.states, folded.made))
    return [one for one in every if one.code == code]


def state(chain: Any, source: str, kind: str, text: str, path: str | None, **members: Any) -> str:
    given = {"object": text, "action": "add", "cls": "fact", "status": "implemented", "confidence": 0.9,
        "basis": ("made",), "lines": (3, 3), **members}  # fmt: skip
    return str(chain.observe(source, path, Draft(kind=kind, text=text, **given))[0])


def commit(chain: Any, number: int, *paths: str) -> str:
    at = f"2026-01-01T10:{number:02d}:00Z"
    metadata = {"committedAt": at, "parents": [], "changedFiles": [], "diff": {}}
    return state(chain, "git", "commit_intent_claim", f"Work {number}", None, cls="claim", revision=f"{number:040x}",
        observed_at=at, metadata=metadata, lines=None, paths=paths)  # fmt: skip


def plan(chain: Any, text: str, path: str = "plans/now/tasks.md", **members: Any) -> str:
    return state(chain, "todo", "todo_item", text, path, cls="plan", status="planned",
        observed_at="2026-01-01T09:00:00Z", **members)  # fmt: skip


def symbols(chain: Any, path: str, *names: str) -> list[str]:
    meta = {"public": True, "symbolKind": "function"}
    return [chain.symbol(name, path=path, kind="symbol_fact", metadata=meta) for name in names]


def planned(chain: Any) -> None:
    """Five plans about code, and the one commit that carried them out."""
    work = commit(chain, 1, "plans/now/tasks.md")
    for number in range(5):
        (part,) = symbols(chain, f"src/part{number}.py", f"part{number}")
        chain.link(plan(chain, f"Plan {number}"), part, "related_to")
        chain.link(work, part, "modifies")


FREE = ("draw", "paint", "erase")


def unplanned(chain: Any, *commits: str, path: str = "src/extra/free.py") -> list[str]:
    for identity in symbols(chain, path, *FREE):
        for one in commits:
            chain.link(one, identity, "modifies")
    return [one.subject for one in found(chain, "IMPLEMENTED_NOT_PLANNED")]


def test_code_of_a_commit_without_a_plan_is_unplanned(chain: Any) -> None:
    planned(chain)
    assert unplanned(chain, commit(chain, 2)) == ["folder:src/extra"]


@pytest.mark.parametrize("path", ["plans/now/tasks.md", "plans/archive/2026-01-09-now/tasks.md"])
def test_code_of_a_commit_that_changed_a_list_of_tasks_is_planned(chain: Any, path: str) -> None:
    planned(chain)
    assert not unplanned(chain, commit(chain, 2, path), commit(chain, 3))


def test_code_of_a_commit_that_a_plan_is_bound_to_is_planned(chain: Any) -> None:
    planned(chain)
    work = commit(chain, 2)
    chain.link(work, plan(chain, "Draw it"), "implements")
    assert not unplanned(chain, work)


@pytest.mark.parametrize("path", ["website/app/page.tsx", "apps/docs/lib/a.ts", "docs-site/a.ts", "scripts/a.mjs",
    "playground/a.ts", "www/a.ts"])  # fmt: skip
def test_code_that_is_no_product_is_never_unplanned(chain: Any, path: str) -> None:
    planned(chain)
    assert not unplanned(chain, commit(chain, 2), path=path)


def test_where_most_work_is_done_without_a_task_no_work_is_unplanned(chain: Any) -> None:
    planned(chain)
    assert unplanned(chain, commit(chain, 2))
    assert not unplanned(chain, commit(chain, 3))


def documented(chain: Any, path: str) -> list[str]:
    """Six functions that a document names and four that none does; how many of them are told."""
    names = [f"draw_shape{number}" for number in range(6)]
    symbols(chain, path, *names, *FREE, "smear")
    for name in names:
        state(chain, "document", "documentation_statement", f"`{name}` draws.", "docs/a.md", cls="declaration",
            status="proposed", symbols=(name,))  # fmt: skip
    return [one.said["count"] for one in found(chain, "IMPLEMENTED_NOT_DOCUMENTED")]


def test_a_name_in_a_task_that_is_done_is_named(chain: Any) -> None:
    assert documented(chain, "src/shapes.ts") == ["4"]
    state(chain, "todo", "todo_item", "Add `erase`", "plans/archive/tasks.md", cls="plan", status="completed",
        symbols=("erase",))  # fmt: skip
    assert documented(chain, "src/shapes.ts") == ["3"]


def package(chain: Any, *exports: str, handed_on: Sequence[str] = ("*",), excerpt: str = "export") -> None:
    """A manifest with exports, and an index that hands on names of src/shapes.ts."""
    for name in exports:
        key = f'exports."{name}"'
        state(chain, "system", "configuration_declaration", f"configure {key}", "package.json", object=key)
    chain.symbol("index", path="src/index.ts", kind="module_fact", metadata={"test": False})
    meta = {"names": list(handed_on), "resolvedPath": "src/shapes.ts"}
    state(chain, "ast", "module_dependency_fact", "depend on shapes", "src/index.ts", action="depend_on",
        symbol="src/shapes", metadata=meta, excerpt=f"{excerpt} … from './shapes.js'")  # fmt: skip


@pytest.mark.parametrize(
    ("exports", "names", "excerpt", "count"),
    [
        (["."], ["*"], "export", ["4"]), (["."], [f"draw_shape{number}" for number in range(6)], "export", []),
        (["."], [*FREE, *(f"draw_shape{number}" for number in range(6))], "export", ["3"]),
        ([".", "./missing"], ["other"], "export", ["4"]), (["./*"], ["other"], "export", ["4"]),
        (["."], ["other"], "import", ["4"]), ([".", "./package.json"], ["other"], "export", []),
    ],
)  # fmt: skip
def test_what_no_export_of_its_package_leads_to_need_not_be_documented(
    chain: Any, exports: list[str], names: list[str], excerpt: str, count: list[str]
) -> None:
    package(chain, *exports, handed_on=names, excerpt=excerpt)
    assert documented(chain, "src/shapes.ts") == count


def test_exports_of_one_package_do_not_hide_another(chain: Any) -> None:
    package(chain, ".", handed_on=["other"])
    state(
        chain,
        "system",
        "configuration_declaration",
        "configure name",
        "packages/b/package.json",
        object="name",
    )
    assert documented(chain, "packages/b/src/shapes.ts") == ["4"]
    assert documented(chain, "src/other.py") == ["4", "4"]
