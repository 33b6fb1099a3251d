"""Options that many commands share, each written once."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from t2c.cli.commands.invocation import Invocation

__all__ = ["At", "Json", "Llm"]


def _json(ctx: typer.Context, value: bool) -> bool:
    invocation = ctx.find_root().obj
    if isinstance(invocation, Invocation):
        invocation.output.json = value
    return value


Json = Annotated[
    bool, typer.Option("--json", help="Print JSON: one document, or one a line with --jsonl.", callback=_json)
]
"""`--json`. The output knows by itself that it was given."""

At = Annotated[
    str | None,
    typer.Option(
        "--at",
        metavar="SEQ|TIME|CHECKPOINT",
        help="As of then: a seq, a time, an age (2h), checkpoint:latest or its file.",
    ),
]
"""`--at` of a command that reads: nothing counts that came later."""

Llm = Annotated[
    Literal["off", "replay", "record", "live"] | None,
    typer.Option(
        "--llm",
        metavar="MODE",
        help="off, replay (recorded answers only), record (recorded ones, else ask) or live (llm.mode).",
    ),
]
"""`--llm` of a command that may ask a model; it stands for the setting `llm.mode`."""
