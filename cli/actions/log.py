"""`t2c ledger log`: events by what they are about, and those that come while somebody waits. It never writes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from t2c.cli.actions.context import Context
from t2c.cli.actions.filters import Asked, Filter, near_runs, payload
from t2c.cli.actions.moment import place_of, resolve, since, with_events
from t2c.cli.actions.opening import open_ledger
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Corrupt, Environment, T2cError, Usage
from t2c.ledger.journal.entry import Entry
from t2c.ledger.journal.position import START, Position
from t2c.ledger.kernel.digests import leaf_hash

__all__ = ["LogRequest", "Logged", "follow", "log"]

_REMEMBERED: Final = 1000
"""Places of the journal that a follower remembers, to find what a replaced journal has in common."""


@dataclass(frozen=True, slots=True)
class LogRequest:
    """Which events: from `since` to `at`, each a moment as `moment.FORMS` says, and of these the `last` ones.

    `payloads` asks for payloads that are kept apart from their lines.
    """

    asked: Asked = field(default_factory=Asked)
    since: str | None = None
    at: str | None = None
    last: int | None = None
    payloads: bool = False


class Logged(NamedTuple):
    """An event as it stands in the journal, LF excluded. `kept` is a payload that lies in an object.

    `lost` says why that cannot be read: withheld, or damaged.
    """

    line: bytes
    entry: Entry
    kept: bytes | None
    lost: str | None


def log(context: Context, request: LogRequest) -> Iterator[Logged]:
    """Every event asked for, in order.

    Raises Usage for a moment, type, actor, subject or run that is none here; Corrupt for a damaged journal, also
    for one whose first event is not complete.
    """
    with open_ledger(context) as ledger:
        head = with_events(ledger)
        until = head.seq if request.at is None else resolve(context, ledger, request.at).seq
        after = START if request.since is None else since(context, ledger, request.since)
        yield from _read(ledger, Filter(context, ledger, request.asked), request, after, until)


def follow(
    context: Context, request: LogRequest, wait: Callable[[], None], notice: Callable[[str], None]
) -> Iterator[Logged]:
    """What `log` gives, then each event asked for as it is recorded, until the caller stops asking.

    `wait` is called while there is nothing new; `notice` gets words for people when the journal is gone or was
    replaced. Raises as `log` does, and Usage for a request that ends at a moment.
    """
    if request.at is not None:
        raise Usage("--follow waits for what comes, and --at ends before it", remedy="leave one of them out")
    with open_ledger(context) as ledger:
        head = with_events(ledger)
        after = START if request.since is None else since(context, ledger, request.since, beyond=True)
        wanted = Filter(context, ledger, request.asked)
        yield from _read(ledger, wanted, request, after, head.seq)
        yield from _Follower(ledger, wanted, request.payloads, head, wait, notice).events()


def _read(
    ledger: Ledger, wanted: Filter, request: LogRequest, after: Position, until: int
) -> Iterator[Logged]:
    run, seen = request.asked.run, False
    if request.last is not None and wanted.takes_all:
        after = max(after, place_of(ledger, max(0, until - request.last)))
    kept: deque[Logged] = deque(maxlen=request.last)
    for _, line, entry in ledger.journal.lines(START if wanted.from_start else after, until):
        seen = seen or entry.run == run
        if wanted.fits(line, entry) and entry.seq > after.seq:
            if request.last is None:
                yield _logged(ledger, line, entry, request.payloads)
            else:
                kept.append(Logged(line, entry, None, None))
    if run is not None and not seen and (near := near_runs(ledger, run)) is not None:
        hint = f"did you mean {' or '.join(near)}? " if near else ""
        raise Usage(
            f"there is no run {run!r}", remedy=f"{hint}`t2c ledger log --type run.started` lists runs"
        )
    for found in kept:
        yield _logged(ledger, found.line, found.entry, request.payloads)


def _logged(ledger: Ledger, line: bytes, entry: Entry, payloads: bool) -> Logged:
    body, lost = None, None
    if payloads and entry.data_hash is not None:
        try:
            body = payload(ledger, entry)
            lost = "withheld" if body is None else None
        except (Corrupt, Environment):
            lost = "object damaged"
    return Logged(line.rstrip(b"\n"), entry, body, lost)


class _Follower:
    """Waits for new events by looking at the file's state alone; reads only when that has changed."""

    def __init__(
        self,
        ledger: Ledger,
        wanted: Filter,
        payloads: bool,
        head: Position,
        wait: Callable[[], None],
        notice: Callable[[str], None],
    ) -> None:
        self._ledger = ledger
        self._wanted = wanted
        self._payloads = payloads
        self._at = head
        self._wait = wait
        self._notice = notice
        self._places: deque[Position] = deque(_spaced(ledger, head), maxlen=_REMEMBERED)

    def events(self) -> Iterator[Logged]:
        gone = False
        while True:
            state = self._state()
            if state is None:
                if not gone:
                    self._notice("the journal is gone; waiting for it to come back")
                gone = True
            else:
                gone = False
                try:
                    yield from self._new()
                except T2cError:
                    # A file that is being replaced may be seen half way.
                    if state == self._state():
                        raise
                    continue
            while self._state() == state:
                self._wait()

    def _state(self) -> tuple[int, int, int, int] | None:
        try:
            found = self._ledger.journal.path.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns

    def _new(self) -> Iterator[Logged]:
        journal = self._ledger.journal
        if not journal.holds(self._at):
            former = self._at.seq
            self._at = next((place for place in reversed(self._places) if journal.holds(place)), START)
            self._notice(
                f"the history changed: the journal no longer holds the event {former} that was read; "
                f"going on after seq {self._at.seq}, the last one known to be in both"
            )
            self._places = deque(
                (place for place in self._places if place.seq <= self._at.seq), maxlen=_REMEMBERED
            )
        head = journal.head()
        if head.seq <= self._at.seq:
            return
        last: Position | None = None
        stands = b""
        try:
            for offset, line, entry in journal.lines(self._at, head.seq):
                last = Position(entry.seq, "", offset + len(line))
                stands = line
                if self._wanted.fits(line, entry):
                    yield _logged(self._ledger, line, entry, self._payloads)
        finally:
            if last is not None:
                self._at = last._replace(hash=leaf_hash(stands[:-1]))
        self._places.append(self._at)


def _spaced(ledger: Ledger, head: Position) -> list[Position]:
    """Places before `head`, the further back the wider apart, in order."""
    seqs = {head.seq - (1 << power) for power in range(head.seq.bit_length())} - {0}
    return [place_of(ledger, seq) for seq in sorted(seqs) if seq > 0] + [head]
