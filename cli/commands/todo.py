"""`t2c todo`: tasks that a model proposes; a task list gets them only by `t2c todo apply`, once a person approved it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import At, Json, Llm
from t2c.cli.commands.table import Branch, Entry
from t2c.cli.present.style import Style, joined

if TYPE_CHECKING:
    from t2c.cli.actions.proposing import Proposals

__all__ = ["GROUP", "proposals", "propose"]

GROUP = Branch(
    "Tasks that a model proposes from what does not fit. A task list gets them only when a person approved just that.",
    (
        Entry("propose", "t2c.cli.commands.todo:propose", "Ask a model for tasks, and record them."),
        Entry("proposals", "t2c.cli.commands.todo:proposals", "Show the proposed tasks that stand."),
        Entry(
            "render", "t2c.cli.commands.todo_patch:render", "Make a patch of a task file from the new ones."
        ),
        Entry("apply", "t2c.cli.commands.todo_patch:apply", "Append an approved patch to its task file."),
    ),
)


def propose(
    ctx: typer.Context,
    mode: Annotated[
        str | None, typer.Option(metavar="MODE", help="prefer-llm or require-llm (llm.tasks).")
    ] = None,
    llm: Llm = None,
    language: Annotated[str, typer.Option(metavar="LANGUAGE", help="In which language: en or pl.")] = "en",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what a model would be sent; send and record nothing.")
    ] = False,
    json: Json = False,
) -> None:
    """Ask a model for tasks that would settle what does not fit, each with its evidence and how to see that it is done.

    An answer that cites what it was not shown, or a task without an acceptance criterion, rejects the whole. Where no
    answer is to be had, --mode prefer-llm shows what the findings themselves ask for and calls it that; require-llm
    ends with 7. --json prints t2c.task-synthesis/v1.

    Examples:

        t2c todo propose --llm record
        t2c todo propose --llm live --mode require-llm --json
        t2c todo propose --dry-run
    """
    from t2c.cli.actions import proposing as action
    from t2c.cli.actions.state import state_dir
    from t2c.cli.commands.summarize import previewed

    invocation = Invocation.of(ctx)
    with invocation.context({"llm.mode": llm}) as context:
        state = state_dir(invocation.environ)
        if dry_run:
            seen = action.preview_of(context, language, state)
            invocation.emit(seen, lambda style: previewed(seen, style))
            return
        found = action.propose(context, mode, language, state)
    for notice in found.notices:
        invocation.output.warn(notice)
    invocation.emit(found.document, lambda style: joined(_text(found, style)))


def proposals(ctx: typer.Context, at: At = None, json: Json = False) -> None:
    """Show the proposed tasks that stand, in the order in which they can be done, and which a task list has already.

    A proposal stands as long as all findings and records that it cites do. --json prints t2c.task-synthesis/v1.

    Examples:

        t2c todo proposals
        t2c todo proposals --at 2h
        t2c todo proposals --json
    """
    from t2c.cli.actions import proposing as action

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.proposals(context, at)
    invocation.emit(found.document, lambda style: joined(_text(found, style)))


def _text(found: Proposals, style: Style) -> Iterator[str]:
    audit, known = found.document["audit"], {}
    for one in found.document["validation"]["duplicates"]:
        known[one["proposalId"]] = f"{', '.join(one['existingRecordIds'])}: {one['basis']}"
    count = len(found.ordered)
    said = "1 task is proposed" if count == 1 else f"{count:,} tasks are proposed"
    by = "" if audit["model"] is None else f" by {audit['model']}"
    yield f"{said}{by}, as of seq {found.seq}"
    for one in found.ordered:
        yield ""
        yield from _task(one, known.get(one["id"]), style)
    actions = found.document["rawDiagnosticActions"]
    if actions and audit["status"] == "fallback":
        yield ""
        yield style.doubtful("No model answered. What the findings themselves ask for, which is no proposal:")
        for action, times in list(_counted(actions).items())[:10]:
            yield f"  {times:,} × {action}"
        yield style.faint("  t2c diagnose shows them with their places")


def _counted(actions: list[Mapping[str, Any]]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for one in actions:
        counts[one["suggestedAction"]] = counts.get(one["suggestedAction"], 0) + 1
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _task(one: Mapping[str, Any], duplicate: str | None, style: Style) -> Iterator[str]:
    yield f"{one['priority']}  {one['title']}  {style.faint(one['id'])}"
    yield f"    {one['description']}"
    for criterion in one["acceptanceCriteria"]:
        yield f"    [ ] {criterion}"
    targets = [name for kind in ("paths", "symbols", "tickets", "versions") for name in one["target"][kind]]
    if targets:
        yield f"    about {', '.join(targets)}"
    if one["dependencies"]:
        yield f"    after {', '.join(one['dependencies'])}"
    yield style.faint(f"    rests on {', '.join((*one['diagnosticIds'], *one['recordIds'][:4]))}")
    if duplicate is not None:
        yield style.doubtful(f"    a task list has it already: {duplicate}")
