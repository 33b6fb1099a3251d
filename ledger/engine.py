"""Ledger: the one door to a journal. Everything that is recorded goes through `append`."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple, Self

import msgspec

from t2c import __version__
from t2c.ledger.errors import Environment, Refused, Usage
from t2c.ledger.events.draft import EventDraft, draft
from t2c.ledger.journal.append import Durability, Expected, Receipt, Writer
from t2c.ledger.journal.chain import seal
from t2c.ledger.journal.entry import Entry
from t2c.ledger.journal.files import make_folder, write_atomically
from t2c.ledger.journal.index import EventIndex
from t2c.ledger.journal.lock import HeldLock, OneShotLock, network_filesystem
from t2c.ledger.journal.objects import Objects
from t2c.ledger.journal.position import Position
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.journal.segments import DEFAULT_RULE, FOLDER, SealRule, listed
from t2c.ledger.journal.tail import damaged
from t2c.ledger.kernel.clock import Clock, SystemClock, rfc3339
from t2c.ledger.kernel.digests import ZERO
from t2c.ledger.kernel.ids import LedgerId, fresh_ledger_id
from t2c.ledger.redaction.drafts import mask_draft
from t2c.ledger.redaction.funnel import Funnel

__all__ = ["FORMAT", "JOURNAL", "WORKSPACE", "Created", "Ledger", "create", "write_git_files"]

WORKSPACE: Final = ".t2c"
JOURNAL: Final = "journal.ndjson"
FORMAT: Final = 1

_IGNORE_ALL: Final = "# made by t2c: nothing here is tracked (t2c init --track tracks the record)\n*\n"
_TRACK: Final = (
    "# made by t2c: the record is tracked, what can be made again is not\n"
    "/projections/\n/cache/\n/locks/\n/lock\n/bundles/\n/runs/\n/latest.json\n*.torn-*\n*.tmp\n"
)
_ATTRIBUTES: Final = (
    "# made by t2c: the record is bytes; neither converted nor merged as text\n* -text -merge\n"
)


class Created(NamedTuple):
    """`made` is False if the ledger was there already."""

    ledger: LedgerId
    made: bool


def create(
    workspace: Path,
    *,
    clock: Clock | None = None,
    track: bool = False,
    allow_network: bool = False,
) -> Created:
    """Make a ledger in `workspace` (a folder named `.t2c`), or find the one that is there.

    Safe against others doing the same: the genesis event appears whole or not at all. Raises Environment if
    the folder cannot be written or is on a network file system that was not allowed.
    """
    _refuse_network(workspace.parent, allow_network)
    journal = workspace / JOURNAL
    try:
        if not _begun(journal):
            make_folder(workspace)
            with OneShotLock(workspace / "lock").held():
                if not _begun(journal):
                    write_git_files(workspace, track)
                    ledger = fresh_ledger_id()
                    write_atomically(journal, _genesis(ledger, clock or SystemClock()))
                    return Created(ledger, True)
    except OSError as error:
        raise Environment(
            f"no ledger can be made here: {error.strerror}",
            where=str(error.filename or workspace),
            safe="nothing was written",
            remedy="make the folder writable, or give another --root",
        ) from error
    return Created(_ledger_id(JournalFile(journal)), False)


def _begun(journal: Path) -> bool:
    """True if there is a journal: the genesis event comes with the file, so an empty one is none yet, unless its
    events have been sealed."""
    try:
        return journal.stat().st_size > 0 or bool(listed(journal.with_name(FOLDER)))
    except FileNotFoundError:
        return False


def _genesis(ledger: LedgerId, clock: Clock) -> bytes:
    from t2c.ledger.events.journal import JournalOpened

    payload = JournalOpened(ledger=ledger, format=FORMAT, hash="sha-256", tool=f"t2c {__version__}", key=None)
    opened = seal(draft(payload), seq=1, prev=ZERO, ts=rfc3339(clock.now()), cause=(), batch=None)
    return opened.line + b"\n"


def write_git_files(workspace: Path, track: bool) -> None:
    """Make the files that tell Git what of the ledger it may see; those that are there stay as they are.

    A tracked record is marked as bytes: no line ending is converted, and no merge puts markers into the chain.
    """
    ignore, attributes = workspace / ".gitignore", workspace / ".gitattributes"
    if not ignore.exists():
        write_atomically(ignore, (_TRACK if track else _IGNORE_ALL).encode())
    if track and not attributes.exists():
        write_atomically(attributes, _ATTRIBUTES.encode())


def _refuse_network(folder: Path, allowed: bool) -> None:
    kind = None if allowed else network_filesystem(folder)
    if kind is not None:
        raise Environment(
            f"{folder} is on a network file system ({kind}), where locks and appends are not sure",
            safe="nothing was written",
            remedy="keep the ledger on a local disk, or set allow_network_filesystem = true in t2c.toml",
        )


def _ledger_id(journal: JournalFile) -> LedgerId:
    from pydantic import ValidationError

    from t2c.ledger.events.journal import JournalOpened

    for entry in journal.entries(until=1):
        if entry.type == "journal.opened":
            try:
                return LedgerId(JournalOpened.decode(bytes(entry.data)).ledger)
            except ValidationError:
                raise damaged("the first event of the journal does not name a ledger", "seq 1") from None
        raise Refused(
            "the journal does not start with journal.opened", where="seq 1", remedy="run `t2c ledger verify`"
        )
    if _begun(journal.path):
        raise damaged("the first event of the journal is not complete", "seq 1")
    raise Usage("the journal is empty", where=str(journal.path), remedy="make a ledger with `t2c init`")


Findings = Mapping[int, Mapping[str, int]]


def _told(receipts: list[Receipt], findings: Findings) -> list[Receipt]:
    for place, found in findings.items():
        receipts[place] = msgspec.structs.replace(receipts[place], masked=found)
    return receipts


class Ledger:
    """A journal, its objects and its caches. One writer a process; safe for threads and processes."""

    def __init__(
        self,
        workspace: Path,
        *,
        clock: Clock | None = None,
        durability: Durability = "commit",
        hold: bool = False,
        allow_network: bool = False,
        rule: SealRule = DEFAULT_RULE,
        funnel: Funnel | None = None,
    ) -> None:
        """Open the ledger in `workspace`. `hold` keeps the lock's descriptor, right for many appends.

        `rule` says when the journal's active file is sealed, `funnel` what is masked before it is recorded.

        Nothing is read or written yet. Raises Usage if there is no journal, Environment on a network file system.
        """
        self.workspace = workspace
        self.funnel = Funnel() if funnel is None else funnel
        self.wrote = False
        """True once something was recorded through this object."""
        self.journal = JournalFile(workspace / JOURNAL)
        self.objects = Objects(workspace / "objects")
        if not self.journal.path.exists():
            raise Usage(f"there is no ledger at {workspace}", remedy="make one with `t2c init` or `t2c scan`")
        _refuse_network(workspace, allow_network)
        self.index = EventIndex(self.cache / "index.sqlite", self.journal, self.objects)
        lock = (HeldLock if hold else OneShotLock)(workspace / "lock")
        self._writer = Writer(
            self.journal,
            lock=lock,
            clock=clock or SystemClock(),
            index=self.index,
            objects=self.objects,
            durability=durability,
            rule=rule,
        )

    @property
    def cache(self) -> Path:
        """Where everything lies that is trusted only for the position it names."""
        return self.workspace / "cache"

    def id(self) -> LedgerId:
        """The ledger's own id, from its genesis event."""
        return _ledger_id(self.journal)

    def head(self) -> Position:
        """The position after the last event."""
        return self.journal.head()

    def append(
        self,
        drafts: Sequence[EventDraft],
        *,
        expected: Expected | None = None,
        atomic: bool = False,
    ) -> list[Receipt]:
        """Record drafts without the secrets in them; see `Writer.append` for what it promises and raises.

        What was masked is counted in the receipt. Raises Refused for a secret where it cannot be masked.
        """
        passed, findings = self._masked(drafts)
        receipts = self._writer.append(passed, expected=expected, atomic=atomic)
        self.wrote |= bool(receipts)
        return _told(receipts, findings)

    def append_all(
        self,
        batches: Iterable[Sequence[EventDraft]],
        acknowledge: Callable[[list[Receipt]], object] | None = None,
    ) -> None:
        """Record batch after batch, one synced while the next is made; see `Writer.append_all`."""
        findings: deque[Findings] = deque()

        def passed() -> Iterator[Sequence[EventDraft]]:
            for batch in batches:
                drafts, found = self._masked(batch)
                findings.append(found)
                yield drafts

        def told(receipts: list[Receipt]) -> None:
            found = findings.popleft()
            if acknowledge is not None:
                acknowledge(_told(receipts, found))

        self._writer.append_all(passed(), told)
        self.wrote = True

    def _masked(self, drafts: Sequence[EventDraft]) -> tuple[Sequence[EventDraft], Findings]:
        """The drafts as they may be recorded, and what was found in those that held a secret, by their place."""
        findings: dict[int, Mapping[str, int]] = {}
        passed: list[EventDraft] = []
        for place, item in enumerate(drafts):
            masked, found = mask_draft(item, self.funnel)
            passed.append(masked)
            if found:
                findings[place] = found
        return passed, findings

    def entries(self, after: Position | None = None, until: int | None = None) -> Iterator[Entry]:
        """Events in order, after a position, up to and with seq `until`."""
        return self.journal.entries(after, until)

    def sync(self) -> None:
        """Make everything acknowledged so far durable (durability `batch`)."""
        self._writer.sync()

    def close(self) -> None:
        """Sync what is owed and let go of the files."""
        self._writer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
