"""`t2c import`: take in the facts that another system wrote, a run folder or one of its files."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final, NamedTuple

from t2c.cli.actions.context import Context
from t2c.cli.actions.opening import funnel_of, make_ledger, open_ledger
from t2c.ledger.engine import JOURNAL
from t2c.ledger.errors import Usage
from t2c.ledger.events.draft import EventDraft, draft
from t2c.ledger.events.runs import OmissionNoted
from t2c.ledger.interop.chain import Chain, chain_of, write_chain
from t2c.ledger.interop.foreign import Foreign, Refusal
from t2c.ledger.interop.run_folder import read_foreign
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.transfer.merge import Merged, carry_out, merged, taking_turns
from t2c.ledger.transfer.plan import Plan, plan
from t2c.ledger.transfer.source import JournalSource

__all__ = ["ImportRequest", "ImportResult", "import_facts"]

_SHOWN: Final = 100
_LINES: Final = 20


class ImportRequest(NamedTuple):
    """`path` is a run folder or a file. With `partial` what cannot be taken is counted and the rest taken."""

    path: str
    partial: bool = False
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What was taken in, or with `dry_run` would be: `events` new ones; `known` were here already.

    `ledger` is the id that the facts bear as their origin, made of the `files` (name → SHA-256) alone. `refused` are
    the first items that were not taken, `refused_count` how many there are; of `differing` records that stood in
    several files one was kept; `not_read` are files that hold nothing a ledger takes; `masked` counts secrets. `first`
    and `last` are seqs here, 0 if nothing was appended.
    """

    schema: ClassVar[str] = "t2c.import/v1"
    source: str
    tool: str
    run: str
    ledger: str
    files: Mapping[str, str]
    records: int
    relations: int
    log_events: int
    events: int
    known: int
    by_type: Mapping[str, int]
    asserted: int
    refused: Sequence[Mapping[str, object]]
    refused_count: int
    differing: int
    not_read: Sequence[str]
    masked: Mapping[str, int]
    first: int
    last: int
    dry_run: bool


def import_facts(context: Context, request: ImportRequest) -> ImportResult:
    """Take in the facts of a run folder or file as events of another ledger, `imported` at most.

    The same bytes taken in again append nothing. Makes the ledger if there is none. Raises Usage naming file and line
    if an item cannot be taken and not `partial`, or if there is nothing to take.
    """
    # What is read may lie outside the root: nothing is written there.
    foreign = read_foreign(context.cwd / request.path, request.path, context.progress)
    chain = chain_of(foreign, funnel_of(context))
    if foreign.refused and not request.partial:
        raise _unfit(request.path, foreign.refused)
    if not (foreign.records or foreign.relations or foreign.log or foreign.manifest):
        raise Usage(f"{request.path} holds no facts", safe="nothing was written")
    if not (context.workspace / JOURNAL).exists():
        if request.dry_run:
            return _result(request, foreign, chain, None, None)
        make_ledger(context)
    with (
        open_ledger(context, hold=True) as ledger,
        tempfile.TemporaryDirectory(prefix="t2c-import-") as folder,
    ):
        journal = Path(folder) / JOURNAL
        write_chain(chain, journal)
        source = JournalSource(JournalFile(journal), request.path, progress=context.progress)
        if request.dry_run:
            return _result(request, foreign, chain, plan(ledger, source, context.progress), None)
        with taking_turns(ledger):
            ledger.append(())
            found = plan(ledger, source, context.progress)
            also = _omissions(chain.ledger, foreign.refused)
            done = carry_out(ledger, source, found, merged(source, found), context.progress, also)
        return _result(request, foreign, chain, found, done)


def _unfit(shown: str, refused: Sequence[Refusal]) -> Usage:
    first = refused[0]
    more = "" if len(refused) == 1 else f" (and {len(refused) - 1:,} more)"
    return Usage(
        f"{shown} holds what cannot be taken in: {first.reason}{more}",
        where=first.where,
        safe="nothing was written",
        remedy="mend it, or take in all the rest with --partial",
        refused=_shown(refused),
        refused_count=len(refused),
    )


def _shown(refused: Sequence[Refusal]) -> list[Mapping[str, object]]:
    return [{"file": item.file, "line": item.line, "reason": item.reason} for item in refused[:_SHOWN]]


def _omissions(ledger: str, refused: Sequence[Refusal]) -> tuple[EventDraft, ...]:
    """What was not taken, one event a file."""
    by_file: dict[str, list[Refusal]] = {}
    for item in refused:
        by_file.setdefault(item.file, []).append(item)
    return tuple(
        draft(
            OmissionNoted(
                source=f"import:{ledger}",
                path=file,
                reason="refused",
                count=len(items),
                lines=tuple(sorted({item.line for item in items if item.line is not None})[:_LINES]),
                detail=f"items of an imported file that break their contract; the first: {items[0].reason}",
            )
        )
        for file, items in sorted(by_file.items())
    )


def _result(
    request: ImportRequest, foreign: Foreign, chain: Chain, found: Plan | None, done: Merged | None
) -> ImportResult:
    types = Counter(item.type for item in chain.drafts) if found is None else found.by_type
    return ImportResult(
        source=request.path,
        tool=chain.tool,
        run=chain.run,
        ledger=chain.ledger,
        files=foreign.files,
        records=len(foreign.records),
        relations=len(foreign.relations),
        log_events=0 if foreign.log is None else len(foreign.log.events),
        events=len(chain.drafts) if found is None else found.events,
        known=0 if found is None else found.known,
        by_type=dict(sorted(types.items())),
        asserted=sum(item.trust == "asserted" for item in chain.drafts),
        refused=_shown(foreign.refused),
        refused_count=len(foreign.refused),
        differing=foreign.differing,
        not_read=foreign.not_read,
        masked=dict(sorted(chain.masked.items())),
        first=0 if done is None else done.first,
        last=0 if done is None else done.last,
        dry_run=request.dry_run,
    )
