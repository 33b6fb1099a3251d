"""`t2c ledger merge` and `import`: take in what another chain has, from a folder, a journal, a bundle or a commit."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from t2c.cli.actions.context import WORKSPACE, Context
from t2c.cli.actions.opening import open_ledger
from t2c.ledger.engine import JOURNAL
from t2c.ledger.errors import T2cError, Usage
from t2c.ledger.events.draft import EventDraft
from t2c.ledger.journal.objects import Objects
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.transfer.merge import Closing, Merged, carry_out, merged, taking_turns
from t2c.ledger.transfer.plan import Plan, plan
from t2c.ledger.transfer.source import JournalSource, Source

__all__ = ["MergeResult", "import_bundle", "merge"]


@dataclass(frozen=True, slots=True)
class MergeResult:
    """What was taken in, or with `dry_run` would be: `events` new ones, by whom and of which types.

    `known` were here already. `branch` is True for a branch of this ledger, whose events keep their trust; those of
    another ledger are `imported` at most. `first` and `last` are seqs here, 0 if nothing was appended. `missing`
    are cited objects that the other side does not hold either, `left` payloads that it redacted and that are still
    here.
    """

    schema: ClassVar[str] = "t2c.merge/v1"
    source: str
    ledger: str
    branch: bool
    common_seq: int
    seq: int
    hash: str
    events: int
    known: int
    withheld: int
    by_actor: Mapping[str, int]
    by_type: Mapping[str, int]
    aliases: int
    first: int
    last: int
    objects: int
    missing: Sequence[str]
    left: Sequence[str]
    dry_run: bool


def merge(context: Context, other: str, *, dry_run: bool = False) -> MergeResult:
    """Take in the events of `other` that are not here; taking in the same again appends nothing.

    The other side is verified first. Raises Corrupt if it is not sound, Refused if it says that it is of this ledger
    and cannot be shown to be, Usage if there is nothing that can be read.
    """
    return _take_in(context, other, _opened(context, other), dry_run)


def import_bundle(context: Context, other: str, *, dry_run: bool = False) -> MergeResult:
    """Take in the events of a bundle that are not here; lines that were withheld are counted in an omission.

    Raises what `merge` raises.
    """
    from t2c.ledger.transfer.bundled import bundle_source

    return _take_in(context, other, bundle_source(context.cwd / other, other, context.progress), dry_run)


def _take_in(
    context: Context, other: str, opened: AbstractContextManager[Source], dry_run: bool
) -> MergeResult:
    with open_ledger(context, hold=True) as ledger:
        ledger.id()
        with opened as source:
            if dry_run:
                return _result(source, plan(ledger, source, context.progress))
            with taking_turns(ledger):
                ledger.append(())
                found = plan(ledger, source, context.progress)
                closing, also = _ending(source, found)
                done = carry_out(ledger, source, found, closing, context.progress, also)
            return _result(source, found, done)


def _ending(source: Source, found: Plan) -> tuple[Closing, tuple[EventDraft, ...]]:
    if isinstance(source, JournalSource):
        return merged(source, found), ()
    from t2c.ledger.transfer.bundled import BundleSource, imported, withheld

    assert isinstance(source, BundleSource)
    return imported(source, found), withheld(source, found)


def _result(source: Source, found: Plan, done: Merged | None = None) -> MergeResult:
    return MergeResult(
        source=source.name,
        ledger=source.ledger,
        branch=not found.lowered,
        common_seq=found.common,
        seq=source.last,
        hash=source.hash,
        events=found.events,
        known=found.known,
        withheld=found.withheld,
        by_actor=dict(sorted(found.by_actor.items())),
        by_type=dict(sorted(found.by_type.items())),
        aliases=len(found.aliases),
        first=0 if done is None else done.first,
        last=0 if done is None else done.last,
        objects=0 if done is None else done.objects,
        missing=[] if done is None else done.missing,
        left=[] if done is None else done.left,
        dry_run=done is None,
    )


@contextmanager
def _opened(context: Context, other: str) -> Iterator[Source]:
    if other.startswith("git:"):
        from t2c.ledger.transfer.revision import revision_source

        with revision_source(context.root, other.removeprefix("git:"), WORKSPACE, context.progress) as found:
            yield found
        return
    # What is read may lie outside the root: nothing is written there.
    given = context.cwd / other
    if other.endswith((".tar.gz", ".tgz")) or (given / "manifest.json").is_file():
        from t2c.ledger.transfer.bundled import bundle_source

        with bundle_source(given, other, context.progress) as bundle:
            yield bundle
        return
    journal = _journal(given, other)
    with suppress(OSError):
        if journal.samefile(context.workspace / JOURNAL):
            raise Usage(f"{other} is this ledger itself", safe="nothing was written")
    objects = _objects_of(journal.with_name("objects"))
    yield JournalSource(JournalFile(journal), other, objects=objects, progress=context.progress)


def _journal(given: Path, other: str) -> Path:
    if given.is_file():
        return given
    for place in (given / WORKSPACE / JOURNAL, given / JOURNAL):
        if place.exists():
            return place
    raise Usage(
        f"there is no ledger at {other}",
        safe="nothing was written",
        remedy="name a folder with a ledger, a journal, a bundle, or git:REVISION",
    )


def _objects_of(folder: Path) -> Callable[[Collection[str]], Iterator[tuple[str, bytes]]]:
    """Objects of another ledger's folder; those that are damaged are as good as missing."""
    store = Objects(folder)

    def objects(wanted: Collection[str]) -> Iterator[tuple[str, bytes]]:
        for digest in sorted(wanted):
            content = None
            with suppress(T2cError):
                content = store.get(digest)
            if content is not None:
                yield digest, content

    return objects
