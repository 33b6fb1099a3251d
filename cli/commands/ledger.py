"""`t2c ledger` and its `append`."""

from __future__ import annotations

import sys
from collections import Counter
from typing import Annotated, BinaryIO, Final, Literal

import typer

from t2c.cli.commands.checkpoint import keep_up
from t2c.cli.commands.init import warn_of_overwriting
from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json
from t2c.cli.commands.table import Branch, Entry
from t2c.ledger.errors import Environment, Usage
from t2c.ledger.journal.chain import MAX_LINE

__all__ = ["GROUP", "append"]

_MOST: Final = 256 << 20
"""Bytes of input that one `append --jsonl` takes: all of it is checked before any of it is recorded."""

GROUP = Branch(
    "The journal: append to it, read it, prove it, make the views from it.",
    (
        Entry("append", "t2c.cli.commands.ledger:append", "Record what somebody says: one event, or many."),
        Entry("log", "t2c.cli.commands.history:log", "List events."),
        Entry("show", "t2c.cli.commands.history:show", "Print one event."),
        Entry("redact", "t2c.cli.commands.redact:redact", "Delete a payload that was kept redactable."),
        Entry("head", "t2c.cli.commands.history:head", "Print the ledger's id and its last event."),
        Entry("diff", "t2c.cli.commands.diff:diff", "Show what changed between two moments."),
        Entry("replay", "t2c.cli.commands.replay:replay", "Tell the story; compare it with what is on disk."),
        Entry("verify", "t2c.cli.commands.verify:verify", "Prove the journal; 1 if anything is wrong."),
        Entry("checkpoint", "t2c.cli.commands.checkpoint:checkpoint", "Print, sign and keep size and root."),
        Entry("key", "t2c.cli.commands.keys:GROUP", "Keys that sign checkpoints."),
        Entry("prove", "t2c.cli.commands.prove:GROUP", "Proofs that can be checked without the ledger."),
        Entry("verify-proof", "t2c.cli.commands.prove:verify_proof", "Check a proof by itself."),
        Entry("anchor", "t2c.cli.commands.anchor:GROUP", "Put a checkpoint outside the journal."),
        Entry("stats", "t2c.cli.commands.stats:stats", "Count what the journal is made of."),
        Entry("import", "t2c.cli.commands.merge:import_bundle", "Take in the events of a bundle."),
        Entry("merge", "t2c.cli.commands.merge:merge", "Take in the events of another chain."),
        Entry("merge-driver", "t2c.cli.commands.merge:merge_driver", "Merge tracked journals, for Git."),
        Entry("project", "t2c.cli.commands.views:project", "Make the views again from the journal."),
        Entry(
            "export", "t2c.cli.commands.transfer:export", "Hand events over so that others can check them."
        ),
        Entry("types", "t2c.cli.commands.types:types", "List the event types."),
    ),
)


def append(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="A JSON body, or - for standard input.")] = "-",
    statement: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Append this statement as an observation.noted.")
    ] = None,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="The input holds one body a line.")] = False,
    actor: Annotated[
        str | None, typer.Option(metavar="KIND:ID", help="Who says it (default: the setting `actor`).")
    ] = None,
    key: Annotated[
        str | None, typer.Option(metavar="KEY", help="Idempotency key: a retry gets the first receipt.")
    ] = None,
    expect_seq: Annotated[
        int | None, typer.Option(metavar="N", help="Only if the head is at this seq; else exit 4.", min=0)
    ] = None,
    expect_head: Annotated[
        str | None, typer.Option(metavar="HASH", help="Only if the head has this hash; else exit 4.")
    ] = None,
    redactable: Annotated[
        bool, typer.Option("--redactable", help="Keep the payload in an object that `redact` can delete.")
    ] = False,
    atomic: Annotated[bool, typer.Option("--atomic", help="Readers see all of the events or none.")] = False,
    per_commit: Annotated[
        int, typer.Option(metavar="N", help="Events behind one sync with --jsonl.", min=1, max=10_000)
    ] = 100,
    durability: Annotated[
        Literal["commit", "batch", "none"] | None,
        typer.Option(metavar="LEVEL", help="commit, batch or none."),
    ] = None,
    json: Json = False,
) -> None:
    """Record what somebody says. It is `asserted`, whoever says it; the receipt is printed.

    A body is {"type", "data"} and may hold v, actor, cause, run, key and redactable. With --jsonl, a receipt a
    line is printed, and a bad line means that nothing is recorded. Secrets are masked before they are recorded.

    Examples:

        t2c ledger append --statement "Release 1.4 was checked on staging."
        echo '{"type":"observation.noted","data":{"statement":"checked"}}' | t2c ledger append
        t2c ledger append notes.jsonl --jsonl --actor agent:reviewer
        t2c ledger types --example observation.noted > body.json
    """
    from t2c.cli.actions import append as action

    invocation = Invocation.of(ctx)
    if statement is not None and (file != "-" or jsonl):
        raise Usage("--statement is the whole body; give no file beside it")
    with invocation.context({"durability": durability, "actor": actor}) as context:
        request = action.AppendRequest(
            text=_body(file, statement, _MOST if jsonl else 2 * MAX_LINE),
            source="--statement" if statement is not None else "standard input" if file == "-" else file,
            lines=jsonl,
            key=key,
            expect_seq=expect_seq,
            expect_head=expect_head,
            atomic=atomic,
            per_commit=per_commit,
            redactable=redactable,
        )
        made = not (context.workspace / "journal.ndjson").exists()
        receipts = action.append(context, request)
        invocation.output.recorded = f"what was given is recorded, up to seq {receipts[-1].seq}"
        keep_up(invocation, context)
        if made:
            invocation.output.say(f"made ledger in {context.workspace}")
            warn_of_overwriting(invocation, context)
    masked = Counter[str]()
    for receipt in receipts:
        masked.update(receipt.masked)
    if masked:
        said = ", ".join(f"{count} {kind}" for kind, count in sorted(masked.items()))
        invocation.output.warn(f"secrets were masked before they were recorded: {said}")
    if jsonl and json:
        invocation.output.lines(receipts)
    elif jsonl:
        invocation.output.text("\n".join(_receipt(receipt) for receipt in receipts))
    else:
        invocation.emit(receipts[0], lambda style: _receipt(receipts[0]))


def _body(file: str, statement: str | None, most: int) -> bytes:
    if statement is not None:
        import orjson

        try:
            return orjson.dumps({"type": "observation.noted", "data": {"statement": statement}})
        except orjson.JSONEncodeError:
            raise Usage("the statement is not UTF-8", where="--statement") from None
    if file == "-":
        if sys.stdin is None or sys.stdin.isatty():
            raise Usage("no body was given", remedy="name a file, pipe JSON in, or use --statement 'TEXT'")
        return _read(sys.stdin.buffer, "standard input", most)
    try:
        with open(file, "rb") as stream:  # noqa: PTH123 - a path as typed, read only
            return _read(stream, file, most)
    except FileNotFoundError:
        raise Usage(
            f"there is no file {file}", remedy="name a file with a JSON body, or - for stdin"
        ) from None
    except OSError as error:
        raise Environment(f"{file} cannot be read: {error.strerror}", where=file) from error


def _read(stream: BinaryIO, source: str, most: int) -> bytes:
    content = stream.read(most + 1)
    if len(content) > most:
        raise Usage(
            f"the input is longer than {most:,} bytes",
            where=source,
            safe="nothing was written",
            remedy="split it; one event is at most 1 MiB, and many are given with --jsonl",
        )
    return content


def _receipt(receipt: object) -> str:
    from t2c.cli.actions.append import AppendResult

    assert isinstance(receipt, AppendResult)
    level = "durable" if receipt.durable else "not synced yet"
    again = ", recorded before" if receipt.repeated else ""
    return f"seq {receipt.seq}  {receipt.id}  {receipt.hash}  ({level}{again})"
