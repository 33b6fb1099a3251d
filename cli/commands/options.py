"""Options that many commands share, each written once."""

from __future__ import annotations

from typing import Annotated

import typer

from t2c.cli.commands.invocation import Invocation

__all__ = ["Json"]


def _json(ctx: typer.Context, value: bool) -> bool:
    invocation = ctx.find_root().obj
    if isinstance(invocation, Invocation):
        invocation.output.json = value
    return value


Json = Annotated[
    bool, typer.Option("--json", help="Print JSON: one document, or one a line with --jsonl.", callback=_json)
]
"""`--json`. The output knows by itself that it was given."""
