"""`t2c ledger export`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import At, Json
from t2c.cli.present.style import Style

if TYPE_CHECKING:
    from t2c.cli.actions.export import ExportResult

__all__ = ["export"]


def export(
    ctx: typer.Context,
    dest: Annotated[
        str,
        typer.Option(
            "--dest", metavar="DIR|FILE.tar.gz", help="Where to: a new or empty folder, or a new file."
        ),
    ],
    range: Annotated[
        str | None,
        typer.Option("--range", metavar="A..B", help="Only these events; either end may be missing."),
    ] = None,
    at: At = None,
    redact: Annotated[
        list[str] | None,
        typer.Option(
            "--redact", metavar="TYPE", help="Withhold the lines of this type; record.* for all of a kind."
        ),
    ] = None,
    record: Annotated[bool, typer.Option("--record", help="Record a bundle.exported.")] = False,
    json: Json = False,
) -> None:
    """Make a bundle that others check without trusting you: events, proofs, objects, schemas and a verifier.

    A withheld line is replaced by its hash, so that chain, root and proofs still hold. The same range gives the
    same bytes; SOURCE_DATE_EPOCH is heeded. Whoever gets the bundle runs `python3 verify.py` in it; its README.md
    shows single files, lines, signatures and a short ledger's root with openssl and sed. Of a part, the newest later
    checkpoint comes along with a proof, so that your key vouches for it.

    Examples:

        t2c ledger export --dest ../handover
        t2c ledger export --dest handover.tar.gz --range 1..500 --record
        t2c ledger export --dest public.tar.gz --redact 'record.*' --at 2026-01-31
    """
    from t2c.cli.actions import export as action

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        request = action.ExportRequest(
            destination=dest,
            range=range,
            at=at,
            withhold=tuple(redact or ()),
            record=record,
            epoch=invocation.environ.get(action.EPOCH_VARIABLE),
        )
        found = action.export_bundle(context, request)
        invocation.output.recorded = f"the bundle at {found.path}"
    invocation.emit(found, lambda style: _text(found, style))
    if (found.partial or found.first > 1) and found.covered < found.last:
        first = max(found.first, found.covered + 1)
        part = f"event {found.last}" if first == found.last else f"events {first} to {found.last}"
        invocation.output.warn(
            f"no signed checkpoint covers {part}: whoever checks the bundle with your key has nothing for them; "
            "run `t2c ledger checkpoint --sign`, then export again"
        )
    for sentence in found.left_out:
        invocation.output.warn(f"not in the bundle: {sentence}")


def _text(found: ExportResult, style: Style) -> str:
    lines = [
        f"events {found.first} to {found.last} of ledger {found.ledger} are in {found.path}",
        f"  root    {found.root}",
        f"  head    {found.head}",
        f"  bundle  {found.sha256}  (SHA-256 of manifest.json)",
    ]
    lines += [f"  withheld  {count:,} of {type}" for type, count in found.withheld.items()]
    sealed = sum(one["reason"] == "sealed" for one in found.missing)
    if len(found.missing) > sealed:
        lines.append(f"  missing   {len(found.missing) - sealed:,} cited objects, listed in manifest.json")
    if sealed:
        lines.append(f"  sealed    {sealed:,} commitments to what models said, of which no object is kept")
    if found.recorded is not None:
        lines.append(f"  recorded  seq {found.recorded}")
    return "\n".join(lines)
