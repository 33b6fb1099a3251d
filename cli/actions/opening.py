"""Opening the ledger of a context, made on first use where a verb may make one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import TracebackType

from t2c.cli.actions.context import Context
from t2c.ledger.engine import Created, Ledger, create
from t2c.ledger.errors import Conflict, T2cError
from t2c.ledger.journal.lock import OneShotLock
from t2c.ledger.redaction.funnel import Funnel

__all__ = ["funnel_of", "make_ledger", "open_ledger", "turn_of"]


class _ClosingLedger(Ledger):
    """A ledger that, where something was recorded through it, also records the ends of runs that were killed.

    It does so when it is let go of, so that nobody's expected head is moved in between (decisions E2).
    """

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        mark = self.workspace / "locks" / "scan.running"
        if kind is None and self.wrote and mark.exists():
            with suppress(T2cError, OSError):
                self._close_stopped()
        super().__exit__(kind, error, trace)

    def _close_stopped(self) -> None:
        """Nothing is recorded while somebody's turn lasts: what is open then may be under way."""
        from t2c.cli.actions.recording import closed
        from t2c.ledger.journal.append import Expected
        from t2c.ledger.standing import load

        locks = self.workspace / "locks"
        with suppress(Conflict), OneShotLock(locks / "scan", timeout=0).held():
            standing = load(self)
            ends = closed(standing.state)
            if ends:
                head = standing.position
                self.append(ends, expected=Expected(head.seq, head.hash), atomic=True)
            (locks / "scan.running").unlink(missing_ok=True)


@contextmanager
def turn_of(context: Context) -> Iterator[None]:
    """What whoever scans holds until it is done: a run that is open while nobody holds it was killed.

    A mark is left where the turn did not end well, so that the next command that records something looks for such runs.
    """
    locks = context.workspace / "locks"
    with OneShotLock(locks / "scan", timeout=600).held():
        mark = locks / "scan.running"
        mark.touch()
        yield
        mark.unlink(missing_ok=True)


def open_ledger(context: Context, *, hold: bool = False) -> Ledger:
    """The ledger at the context's root. Raises Usage, naming how to make one, if there is none."""
    settings = context.settings
    return _ClosingLedger(
        context.workspace,
        clock=context.clock,
        durability=settings.durability,
        hold=hold,
        allow_network=settings.allow_network_filesystem,
        funnel=funnel_of(context),
    )


def funnel_of(context: Context) -> Funnel:
    """What the settings say about secrets: known values of the environment, and what is detected or allowed."""
    redact = context.settings.redact
    return Funnel(context.settings.secrets, allow=redact.allow, detect=redact.detect)


def make_ledger(context: Context, *, track: bool = False) -> Created:
    """Make a ledger at the context's root, or find the one that is there."""
    return create(
        context.workspace,
        clock=context.clock,
        track=track,
        allow_network=context.settings.allow_network_filesystem,
    )
