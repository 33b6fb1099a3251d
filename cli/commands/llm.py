"""`t2c llm`: log, show, cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import At, Json
from t2c.cli.commands.table import Branch, Entry
from t2c.cli.present.style import Style, joined

if TYPE_CHECKING:
    from t2c.cli.actions.llm import CallList, CallRow, CallShown, CostTable, Part, PartName

__all__ = ["GROUP", "cost", "log", "show"]

GROUP = Branch(
    "Look at what models were asked, what they said, what it took and what became of it. Nothing is asked.",
    (
        Entry("log", "t2c.cli.commands.llm:log", "List the requests to models, the oldest first."),
        Entry("show", "t2c.cli.commands.llm:show", "Show one request: what was sent and what came back."),
        Entry("cost", "t2c.cli.commands.llm:cost", "Show what requests took: tokens, money and time."),
    ),
)


def log(
    ctx: typer.Context,
    stage: Annotated[str | None, typer.Option(metavar="STAGE", help="Only of this stage.")] = None,
    role: Annotated[str | None, typer.Option(metavar="ROLE", help="Only in this role.")] = None,
    model: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Only asked of this model, or answered by it.")
    ] = None,
    failed: Annotated[bool, typer.Option("--failed", help="Only those without an answer.")] = False,
    limit: Annotated[
        int, typer.Option(metavar="N", help="Show the last N at most; --json has all.", min=1)
    ] = 40,
    at: At = None,
    json: Json = False,
) -> None:
    """List the requests to models: who was asked and who answered, what that took, and what was made of it.

    A request that is `open` was announced and has no outcome: the process that asked was killed. Cost is what the
    provider said; `?` is what nobody knows.

    Examples:

        t2c llm log
        t2c llm log --stage markdown --failed
        t2c llm log --model acme/one --json
    """
    from t2c.cli.actions import llm as action

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.listed(context, stage=stage, role=role, model=model, failed=failed, at=at)
    invocation.emit(found, lambda style: joined(_log(found, style, limit)))


def show(
    ctx: typer.Context,
    asked: Annotated[str, typer.Argument(metavar="SEQ|EVENT|latest", help="The request, or its outcome.")],
    prompt: Annotated[bool, typer.Option("--prompt", help="Only what was sent.")] = False,
    answer: Annotated[bool, typer.Option("--answer", help="Only the text of the answer.")] = False,
    raw: Annotated[
        bool, typer.Option("--raw", help="Only the response as it came, its secrets masked.")
    ] = False,
    manifest: Annotated[
        bool, typer.Option("--manifest", help="Only the list of everything that was shown.")
    ] = False,
    at: At = None,
    json: Json = False,
) -> None:
    """Show one request to a model, from the ledger: what it was shown, what it said, what that took.

    Every object is held to its digest; what is missing or damaged is said.

    Examples:

        t2c llm show 42
        t2c llm show 42 --prompt
        t2c llm show EVT-0123456789abcdef0123 --answer --json
    """
    from t2c.cli.actions import llm as action
    from t2c.ledger.errors import Usage

    given: dict[PartName, bool] = {"prompt": prompt, "answer": answer, "raw": raw, "manifest": manifest}
    wanted: list[PartName] = [name for name, chosen in given.items() if chosen]
    if len(wanted) > 1:
        raise Usage("only one part can be shown alone", remedy=f"give one of --{' --'.join(wanted)}")
    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.shown(context, asked, at, wanted[0] if wanted else None)
    if not wanted:
        invocation.emit(found, lambda style: "\n".join(_shown(found, style)))
        return
    part = found.part(wanted[0])
    document = {"schema": "t2c.call-part/v1", "seq": found.seq, "call": found.call.seq, "part": part.name}
    invocation.emit(
        {**document, "digest": part.digest, "text": part.text}, lambda style: "\n".join(_text(part, style))
    )


def cost(
    ctx: typer.Context,
    by: Annotated[
        Literal["model", "stage", "run", "day"], typer.Option(help="Put together by this.")
    ] = "model",
    at: At = None,
    json: Json = False,
) -> None:
    """Show what requests took: tokens, money as the provider said it, and time.

    What was taken from a record took nothing here. Requests whose cost nobody knows are counted apart.

    Examples:

        t2c llm cost
        t2c llm cost --by day
        t2c llm cost --by run --json
    """
    from t2c.cli.actions import llm as action

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.cost(context, by, at)
    invocation.emit(found, lambda style: joined(_costs(found, style)))


def _log(found: CallList, style: Style, limit: int) -> Iterator[str]:
    if not found.calls:
        yield "no model was asked" if not found.all else f"none of {found.all:,} requests is of this kind"
        yield from _others(found.taken_in)
        return
    count = len(found.calls)
    yield f"{count:,} request{'' if count == 1 else 's'} as of seq {found.seq}"
    if count > limit:
        yield style.faint(f"  … {count - limit:,} earlier; --limit shows more")
    for row in found.calls[-limit:]:
        yield f"  {_line(row, style)}"
    yield from _others(found.taken_in)


def _others(taken_in: Mapping[str, int]) -> Iterator[str]:
    """What was asked elsewhere and is not counted here."""
    for ledger, count in taken_in.items():
        many = "1 request" if count == 1 else f"{count:,} requests"
        yield f"not counted: {many} that ledger {ledger} asked and paid for, taken in with its events;"
        yield "  `t2c ledger log --type llm.asked` lists them, `t2c llm show SEQ` shows one"


def _line(row: CallRow, style: Style) -> str:
    outcome = style.good(row.outcome) if row.outcome == "answered" else style.bad(row.outcome)
    took = f"{_tokens(row)}, {_money(row)}, {_seconds(row.milliseconds)}"
    if row.replayed is not None:
        took = f"from ledger {row.replayed[:8]}"
    return f"{row.seq:>6}  {row.stage}  {_who(row)}  {outcome}  {took}  {_became(row, style)}".rstrip()


def _who(row: CallRow) -> str:
    return row.requested if row.served in (None, row.requested) else f"{row.requested} → {row.served}"


def _tokens(row: CallRow) -> str:
    if row.prompt_tokens is None and row.completion_tokens is None:
        return "? tokens"
    return f"{row.prompt_tokens or 0:,}+{row.completion_tokens or 0:,} tokens"


def _money(row: CallRow) -> str:
    return "cost ?" if row.cost_micros is None else _amount(row.cost_micros, row.currency or "")


def _amount(micros: int, currency: str) -> str:
    whole, rest = divmod(micros, 1_000_000)
    digits = f"{rest:06}".rstrip("0")
    return f"{whole:,}.{digits:<02} {currency}".rstrip()


def _seconds(milliseconds: int | None) -> str:
    return "? s" if milliseconds is None else f"{milliseconds / 1000:.1f} s"


def _became(row: CallRow, style: Style) -> str:
    counts: dict[str, int] = {}
    for use in row.uses:
        counts[use.type] = counts.get(use.type, 0) + 1
    told = [f"{count:,} {name}" for name, count in sorted(counts.items())]
    if row.followed_by is not None:
        told.append(f"asked again at {row.followed_by}")
    if not told and row.outcome == "answered":
        told.append(style.faint("nothing made of it"))
    return ", ".join(told)


def _shown(found: CallShown, style: Style) -> Iterator[str]:
    row, asked = found.call, found.asked
    yield joined(_head(row, asked, found.outcome, style))
    for part in found.parts:
        size = "" if part.text is None else f", {len(part.text):,} characters"
        yield joined(["", style.faint(f"{part.name}: {part.digest or 'none'}{size}")])
        if part.name in ("prompt", "answer"):
            yield from _text(part, style)
        elif part.problem is not None:
            yield f"  {style.bad(part.problem) if part.digest else part.problem}"


def _head(
    row: CallRow, asked: Mapping[str, Any], outcome: Mapping[str, Any] | None, style: Style
) -> Iterator[str]:
    yield f"request {row.seq}, {row.ts}: stage {row.stage}, role {row.role}"
    yield f"  model     {_who(row)}, at {asked['endpoint']}"
    yield f"  held to   {asked['schema_name']}, {asked['mode']}"
    masked = ", ".join(f"{count:,} {kind}" for kind, count in sorted(asked["masked"].items()))
    shown = f"  shown     {asked['brief']}: {asked['items']:,} items, {asked['body_bytes']:,} bytes"
    yield shown + (f", masked: {masked}" if masked else "")
    if row.taken_in is not None:
        yield f"  asked by  ledger {row.taken_in}, whose events were taken in"
    if row.follows is not None:
        yield f"  follows   the request at {row.follows}"
    if outcome is None:
        yield f"  outcome   {style.bad('open')}: nobody knows how it went"
        return
    by = f"seq {outcome['seq']}, by {outcome['by']}"
    if row.outcome == "answered":
        yield f"  outcome   {style.good('answered')}, {by}; the schema was {_held(outcome['guarantee'])}"
    else:
        where = f" at {outcome['where']}" if outcome["where"] else ""
        yield f"  outcome   {style.bad(row.outcome)}{where}, {by}"
        yield f"            {row.detail}"
    if row.replayed is not None:
        yield f"  taken     from ledger {row.replayed}, {outcome['replayed']['event']}"
    else:
        tries = f"{row.attempts} attempt{'' if row.attempts == 1 else 's'}"
        yield f"  took      {_tokens(row)}, {_money(row)}, {_seconds(row.milliseconds)}, {tries}"
    yield f"  became    {_became(row, style) or 'nothing'}"
    for use in row.uses[:20]:
        yield style.faint(f"            {use.seq} {use.type} {use.event}")
    if len(row.uses) > 20:
        yield style.faint(f"            … {len(row.uses) - 20:,} more; --json has all")


def _held(guarantee: str) -> str:
    words = {"enforced": "enforced by the provider", "requested": "asked for, and checked here"}
    return words.get(guarantee, "checked here only")


def _text(part: Part, style: Style) -> Iterator[str]:
    """The text of a part; a prompt message by message."""
    if part.text is None:
        yield f"  {part.problem}"
    elif part.name == "prompt":
        yield from _messages(part.text, style)
    else:
        yield joined(part.text.split("\n"))


def _messages(body: str, style: Style) -> Iterator[str]:
    import orjson

    try:
        messages = orjson.loads(body)["messages"]
        told = [(str(message["role"]), str(message["content"])) for message in messages]
    except (orjson.JSONDecodeError, LookupError, TypeError):
        told = [("body", body)]
    for role, content in told:
        yield style.faint(f"── {role} ──")
        yield joined(content.split("\n"))


def _costs(found: CostTable, style: Style) -> Iterator[str]:
    if not found.total["calls"]:
        yield "no model was asked"
        yield from _others(found.taken_in)
        return
    for group in found.groups:
        yield group["name"] or f"without a {found.by}"
        yield from _sums(group, style)
    yield "in all"
    yield from _sums(found.total, style)
    yield from _others(found.taken_in)


def _sums(sums: Mapping[str, Any], style: Style) -> Iterator[str]:
    parts = [
        f"{sums['calls']:,} request{'' if sums['calls'] == 1 else 's'}",
        f"{sums['answered']:,} answered",
    ]
    parts += [f"{sums[name]:,} {name}" for name in ("unusable", "open", "replayed") if sums[name]]
    yield f"  {', '.join(parts)}"
    money = [_amount(micros, currency) for currency, micros in sorted(sums["cost_micros"].items())]
    if sums["cost_unknown"]:
        money.append(style.doubtful(f"and {sums['cost_unknown']:,} of unknown cost"))
    tokens = f"{sums['prompt_tokens']:,}+{sums['completion_tokens']:,} tokens"
    if sums["tokens_unknown"]:
        tokens += style.doubtful(f" and {sums['tokens_unknown']:,} of unknown tokens")
    yield f"  {' '.join(money) or 'no cost'}, {tokens}, {_seconds(sums['milliseconds'])}"
