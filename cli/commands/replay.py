"""`t2c ledger replay`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json
from t2c.cli.present.style import Style

if TYPE_CHECKING:
    from t2c.cli.actions.replay import ReplayResult
    from t2c.cli.actions.story import Chapter

__all__ = ["replay"]

_SHOWN: Final = 20
"""Notable events of one chapter that the text tells; --json has more of them."""


def replay(
    ctx: typer.Context,
    to: Annotated[
        str, typer.Option("--to", metavar="SEQ|TIME|CHECKPOINT", help="Up to this moment and not further.")
    ] = "head",
    check: Annotated[
        bool, typer.Option("--check", help="End with 1 if anything on disk differs from the journal.")
    ] = False,
    json: Json = False,
) -> None:
    """Go through the journal from its first event, tell the story, and compare it with what is on disk.

    No cache is believed and nothing is written. Views, snapshots, the index and the tree are compared as of the
    event that each names; what is of another history or version is stale, and no difference.

    Examples:

        t2c ledger replay
        t2c ledger replay --check
        t2c ledger replay --to 2026-01-05 --json
    """
    from t2c.cli.actions import replay as action

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.replay(context, to)
    invocation.emit(found, lambda style: "\n".join(_text(found, style)))
    if check and not found.ok:
        raise typer.Exit(1)


def _text(found: ReplayResult, style: Style) -> Iterator[str]:
    yield f"ledger {found.ledger}, {found.seq:,} events up to {found.ts}"
    yield f"  root  {found.root}"
    yield f"  head  {found.hash}"
    for chapter in found.story:
        yield from _chapter(chapter, style)
    for words, counts in (("unknown", found.unknown), ("withheld", found.withheld)):
        if counts:
            yield f"{style.doubtful(words)}: {_counts(counts)}"
    for fault in found.faults:
        yield f"{style.bad('fault')} {fault['projection']} at seq {fault['seq']}: {fault['detail']}"
    if found.unfinished:
        yield f"{style.doubtful('unfinished')} end ({found.unfinished}), of which nothing was acknowledged"
    yield _verdict(found, style)
    yield from (_row(row, style) for row in found.compared)


def _chapter(chapter: Chapter, style: Style) -> Iterator[str]:
    if chapter.run is None:
        title = f"{chapter.began[:10]} outside any run"
    else:
        asked = f" for {chapter.requested_by}" if chapter.requested_by else ""
        title = f"{chapter.began[:19].replace('T', ' ')} run {chapter.run}: {chapter.verb or 'events'}{asked}"
        if chapter.verb:
            title += f", {chapter.status or 'no end was recorded'}"
    place = f"seq {chapter.first}" + (f"–{chapter.last}" if chapter.last > chapter.first else "")
    yield f"{' '.join(title.split())}  {style.faint(place)}"
    for actor, types in sorted(chapter.actors.items()):
        yield f"  {actor}: {_counts(types)}"
    if chapter.retracted:
        yield f"  gone: {_counts(chapter.retracted)}"
    for notable in chapter.notable[:_SHOWN]:
        yield f"  seq {notable.seq}  {notable.type}: {' '.join(notable.what.split())}"
    more = len(chapter.notable[_SHOWN:]) + chapter.more
    if more:
        yield style.faint(f"  … and {more:,} more of this kind (t2c ledger log --since {chapter.first})")


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in sorted(counts.items()))


def _verdict(found: ReplayResult, style: Style) -> str:
    if not found.compared:
        return "on disk there is nothing beside the journal to compare"
    if found.ok:
        return f"on disk: {style.good('no difference')}"
    some = "1 difference" if found.differences == 1 else f"{found.differences:,} differences"
    return f"on disk: {style.bad(some)} (t2c ledger project --full makes views anew; a cache may be deleted)"


def _row(row: Mapping[str, Any], style: Style) -> str:
    mark = {"equal": style.good, "differs": style.bad}.get(row["status"], style.doubtful)
    as_of = "" if row["seq"] is None else f"  as of seq {row['seq']}"
    detail = f"  {row['detail']}" if row["detail"] else ""
    return f"  {mark(row['status'])}  {row['file']}{as_of}{detail}"
