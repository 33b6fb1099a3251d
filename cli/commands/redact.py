"""`t2c ledger redact`."""

from __future__ import annotations

from typing import Annotated

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json
from t2c.cli.present.style import Style

__all__ = ["redact"]


def redact(
    ctx: typer.Context,
    ref: Annotated[str, typer.Argument(metavar="SEQ|ID", help="The event: its seq or EVT-…")],
    reason: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Why; it stays in the ledger.", show_default=False)
    ] = None,
    cited: Annotated[
        str | None,
        typer.Option(
            "--object", metavar="DIGEST", help="Not the payload, but this object that the event cites.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
) -> None:  # fmt: skip
    """Delete the payload of an event that was appended with --redactable, and record that it was.

    With --object it is an object that the event cites, such as the text that a model was shown. The line of the event stays, and with it chain, root and proofs. Run it again to finish what was cut off; then no
    reason is needed. What stands in Git's history or in a copy elsewhere is named and not touched.

    Examples:

        t2c ledger append --redactable --statement "Ada was ill in March."
        t2c ledger redact 2 --reason "asked for by Ada"
        t2c ledger redact 7 --object "$(t2c llm show 7 --prompt --json | jq -r .digest)" --reason "asked for by Ada"
    """
    from t2c.cli.actions import redact as action

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.redact(context, ref, reason, cited)

    def text(style: Style) -> str:
        done = "deleted" if found.deleted else "was deleted before"
        again = " (announced before)" if found.repeated else ""
        what = "the payload" if found.object is None else f"object {found.object}"
        return f"seq {found.seq}{again}  {what} of seq {found.target} ({found.event}) {style.good(done)}"

    invocation.emit(found, text)
    for notice in found.notices:
        invocation.output.warn(notice)
