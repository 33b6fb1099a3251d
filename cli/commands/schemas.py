"""`t2c schemas`: the published JSON Schemas."""

from __future__ import annotations

from typing import Annotated

import typer

from t2c.cli.actions import schemas
from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json
from t2c.cli.commands.table import Branch, Entry
from t2c.cli.present.style import Style
from t2c.ledger.errors import Findings

__all__ = ["GROUP", "check", "listing", "show", "write"]

GROUP = Branch(
    "The published contracts: a JSON Schema (draft 2020-12) of each event and artifact, generated from the types.",
    (
        Entry("list", "t2c.cli.commands.schemas:listing", "List the schemas that this t2c ships."),
        Entry("show", "t2c.cli.commands.schemas:show", "Print one schema."),
        Entry(
            "check", "t2c.cli.commands.schemas:check", "Compare the files with the types; 1 if they differ."
        ),
        Entry("write", "t2c.cli.commands.schemas:write", "Write the files from the types."),
    ),
)


def listing(ctx: typer.Context, json: Json = False) -> None:
    """List the schemas that this t2c ships: name, title and file.

    Examples:

        t2c schemas list
        t2c schemas list --json
    """
    found = schemas.listed()

    def text(style: Style) -> str:
        width = max((len(name) for name in found.schemas), default=0)
        return "\n".join(f"{name:<{width}}  {named.file}" for name, named in sorted(found.schemas.items()))

    Invocation.of(ctx).emit(found, text)


def _names(incomplete: str) -> list[str]:
    return [name for name in schemas.listed().schemas if name.startswith(incomplete)]


def show(
    ctx: typer.Context,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A name of `t2c schemas list`.", autocompletion=_names)
    ],
    json: Json = False,
) -> None:
    """Print one schema. It is JSON in any case. Names published elsewhere lead to ours.

    Examples:

        t2c schemas show record.observed
        t2c schemas show intent.v1
        t2c schemas show intent-graph.schema.json
    """
    found = schemas.show(name)
    invocation = Invocation.of(ctx)
    invocation.output.json = True
    invocation.emit(found, lambda style: "")


def check(ctx: typer.Context, json: Json = False) -> None:
    """Compare the shipped files with what the types say; exit with 1 and name them where they differ.

    Examples:

        t2c schemas check
        t2c schemas check --json
    """
    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = schemas.check(context)

    def text(style: Style) -> str:
        if found.agree:
            return f"{found.checked} files agree with the types"
        named = [("differs", found.differing), ("missing", found.missing), ("left over", found.left_over)]
        return "\n".join(f"{style.bad(word)}: {name}" for word, names in named for name in names)

    invocation.emit(found, text)
    if not found.agree:
        invocation.output.say("`t2c schemas write` makes them again")
        raise typer.Exit(Findings.code)


def write(
    ctx: typer.Context,
    dest: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="A new folder, or one written before, inside the root."),
    ] = None,
    json: Json = False,
) -> None:
    """Write the schemas from the types: to the checkout that t2c runs from, or to a folder.

    Examples:

        t2c schemas write
        t2c schemas write --dest build/schemas
    """
    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = schemas.write(context, dest)

    def text(style: Style) -> str:
        lines = [*(f"wrote {name}" for name in found.written), *(f"removed {name}" for name in found.removed)]
        return "\n".join([*lines, f"{found.unchanged} files were right already"])

    invocation.emit(found, text)
