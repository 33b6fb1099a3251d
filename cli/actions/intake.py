"""`t2c intake command`: one command of governed intake, from its bytes to its result.

Decided on the stream, recorded in the journal together with the announcement of the files it changes, then the files
are written and receipted. Whatever is killed in between, the message is in the journal, and sending the same command
again or RebuildProjection mends the files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from t2c.cli.actions.context import Context
from t2c.cli.actions.intake_files import Place, registry_change, role_changes
from t2c.cli.actions.intake_result import IntakeResult, accepted, rejected
from t2c.cli.actions.intake_stream import Stream, load
from t2c.cli.actions.opening import funnel_of, make_ledger, open_ledger
from t2c.ledger.apply.base import Wanted
from t2c.ledger.apply.engine import carry_out
from t2c.ledger.apply.files import announcement, told
from t2c.ledger.apply.recovery import recover
from t2c.ledger.commands.intake import Decision, decide, repeated
from t2c.ledger.commands.intake_contract import (
    CODES,
    CaptureMessage,
    CommandEnvelope,
    Rejection,
    VerifyEventStream,
    command_of,
    value_of,
)
from t2c.ledger.commands.intake_stream import PURPOSE, STREAM, Done, IntakeState, fits_its_hash
from t2c.ledger.engine import JOURNAL, Ledger
from t2c.ledger.errors import Conflict, Corrupt, Environment, Refused, T2cError, Usage
from t2c.ledger.events.decisions import RefusalNoted
from t2c.ledger.events.draft import draft
from t2c.ledger.intake.governed.files import Message
from t2c.ledger.journal.append import Expected, Receipt
from t2c.ledger.journal.files import make_folder
from t2c.ledger.journal.lock import OneShotLock
from t2c.ledger.journal.verify import verify_chain
from t2c.ledger.kernel.digests import ZERO

__all__ = ["command"]

_ATTEMPTS: Final = 5
_FORBIDDEN: Final = 3
"""The exit code of what a rule forbids, which is recorded."""


def command(context: Context, content: bytes, folder: str = "project") -> IntakeResult:
    """Handle one command in its envelope. Whatever is wrong with it or with the disk is told in the result.

    `folder` is the project folder, inside the root. The ledger is made by the first participant.
    """
    value: dict[str, Any] = {}
    try:
        value = value_of(content)
        envelope = command_of(value)
        value = _without_secrets(context, value)
    except Rejection as rejection:
        return rejected(value, rejection, 0)
    try:
        if not (context.workspace / JOURNAL).exists():
            decide(IntakeState(), envelope, ZERO)  # only a first participant gets past it
            make_ledger(context)
        turns = context.workspace / "locks"
        make_folder(turns)
        with OneShotLock(turns / "intake").held(), open_ledger(context) as ledger:
            recover(ledger, context.root)
            return _Command(Place(context.root, folder), ledger, envelope, value).handle()
    except Rejection as rejection:
        return rejected(value, rejection, 0)
    except (T2cError, OSError) as error:
        return rejected(value, _translated(error), 0)


def _without_secrets(context: Context, value: Mapping[str, Any]) -> dict[str, Any]:
    """The envelope as it may be shown. Raises Rejection SECRET-INPUT if that is not the envelope itself."""
    shown, removed = funnel_of(context).mask_value(value)
    if removed:
        kinds = ", ".join(sorted({kind for kind, _ in removed}))
        raise Rejection(
            "T2C-INTAKE-SECRET-INPUT", f"the command holds a secret ({kinds}); nothing of it was written"
        )
    return dict(shown)


class _Command:
    """One command, under the lock of intake."""

    def __init__(
        self, place: Place, ledger: Ledger, envelope: CommandEnvelope, value: Mapping[str, Any]
    ) -> None:
        self.place = place
        self.ledger = ledger
        self.envelope = envelope
        self.value = value
        self.version = 0

    def handle(self) -> IntakeResult:
        stream: Stream | None = None
        try:
            for _ in range(_ATTEMPTS):
                stream = load(self.ledger, stream)
                self.version = stream.state.version
                done = repeated(stream.state, self.envelope)
                if done is not None:
                    return self._again(stream, done)
                result = self._once(stream)
                if result is not None:
                    return result
            raise Rejection("T2C-INTAKE-VERSION-CONFLICT", "other writers kept changing the ledger")
        except Rejection as rejection:
            self._refuse(rejection)
            return rejected(self.value, rejection, self.version)
        except (T2cError, OSError) as error:
            return rejected(self.value, _translated(error), self.version)

    def _once(self, stream: Stream) -> IntakeResult | None:
        """Decide and record; None if somebody else wrote in between."""
        state, head = stream.state, stream.position
        decision = decide(state, self.envelope, head.hash)
        if isinstance(self.envelope.payload, VerifyEventStream):
            self._prove()
        changes = self._beforehand(state, decision)
        drafts = [decision.draft]
        if changes:
            drafts.append(announcement(PURPOSE, changes, (0,)))
        try:
            receipts = self.ledger.append(
                drafts, expected=Expected(head.seq, head.hash), atomic=len(drafts) > 1
            )
        except Conflict as conflict:
            if "hash" not in conflict.details:
                raise
            return None
        self.version += 1
        done = Done(
            self.envelope.payloadHash, self.version, decision.draft.type, receipts[0].id, receipts[0].seq
        )
        trouble = self._write(changes, receipts[1]) if changes else None
        return accepted(self.envelope, self.version, _data(done, changes, duplicate=False), trouble)

    def _beforehand(self, state: IntakeState, decision: Decision) -> list[Wanted]:
        """The files that the event will change. Raises Rejection if one of them is not ours to write."""
        changes: list[Wanted] = []
        if decision.registry:
            changes.append(registry_change(self.place, self._after(state, decision)))
        if decision.changes is not None:
            payload = self.envelope.payload
            more = (
                (Message(state.version + 1, payload.message),) if isinstance(payload, CaptureMessage) else ()
            )
            changes += role_changes(self.place, state, self.ledger, *decision.changes, more)
        return _differing(changes)

    def _after(self, state: IntakeState, decision: Decision) -> IntakeState:
        """The state that the event will make, without changing the present one."""
        import msgspec

        from t2c.ledger.commands.intake_stream import evolve

        copy = msgspec.msgpack.decode(msgspec.msgpack.encode(state), type=IntakeState)
        evolve(copy, decision.draft.type, decision.draft.data, Receipt(0, "", "", False), 0)
        return copy

    def _again(self, stream: Stream, done: Done) -> IntakeResult:
        """The command was accepted before; its files may still be owed."""
        state, changes = stream.state, list[Wanted]()
        if done.type in ("message.captured", "projection.rebuilt"):
            payload = self.envelope.payload
            identity, ticket = getattr(payload, "participantId", ""), getattr(payload, "ticketId", "")
            changes = role_changes(self.place, state, self.ledger, identity, ticket)
        elif done.type != "stream.verified":
            changes = [registry_change(self.place, state)]
        changes = _differing(changes)
        trouble = None
        if changes:
            (announced,) = self.ledger.append([announcement(PURPOSE, changes, (done.event,))])
            trouble = self._write(changes, announced)
        return accepted(self.envelope, self.version, _data(done, changes, duplicate=True), trouble)

    def _write(self, changes: Sequence[Wanted], announced: Receipt) -> Rejection | None:
        """Do what was announced; what goes wrong then is told, for the event itself is recorded."""
        try:
            carry_out(self.ledger, self.place.root, changes, announced, PURPOSE)
        except (T2cError, OSError) as error:
            what = error.what if isinstance(error, T2cError) else str(error.strerror)
            changed = isinstance(error, Conflict | Refused)
            return Rejection(
                "T2C-INTAKE-PROJECTION-DRIFT" if changed else "T2C-INTAKE-STORAGE-FAILURE",
                f"recorded as version {self.version}, but its file was not written: {what}",
                "mend the cause, then send the same command again or RebuildProjection",
            )
        return None

    def _prove(self) -> None:
        report = verify_chain(self.ledger.journal)
        if report.faults:
            first = min(report.faults)
            what = f"{len(report.faults)} faults, the first at seq {first.seq}: {first.kind}"
            raise Rejection("T2C-INTAKE-BROKEN-CHAIN", what)
        own = self.ledger.journal.ledger()
        for entry in self.ledger.entries():
            if (
                entry.type in STREAM
                and entry.is_ours(own)
                and not fits_its_hash(entry.type, bytes(entry.data))
            ):
                what = f"seq {entry.seq}: the event does not say what the command said whose hash it keeps"
                raise Rejection("T2C-INTAKE-BROKEN-CHAIN", what)

    def _refuse(self, rejection: Rejection) -> None:
        """Record that a rule forbade it."""
        if CODES[rejection.code].exit != _FORBIDDEN:
            return
        noted = RefusalNoted(
            subject=f"intake.{self.envelope.payload.type}",
            code=rejection.code,
            reason=rejection.message,
            requested_by=self.envelope.authenticatedPrincipal,
            reference=self.envelope.idempotencyKey,
        )
        self.ledger.append([draft(noted)])


def _differing(changes: Sequence[Wanted]) -> list[Wanted]:
    return [change for change in changes if change.before != change.after]


def _data(done: Done, changes: Sequence[Wanted], *, duplicate: bool) -> dict[str, object]:
    return {
        "duplicate": duplicate,
        "event": {"version": done.version, "type": done.type, "id": done.event, "seq": done.seq},
        "files": [told(change).model_dump(mode="json") for change in changes],
    }


def _translated(error: T2cError | OSError) -> Rejection:
    """What the ledger or the disk raises, as intake says it."""
    match error:
        case Corrupt():
            return Rejection("T2C-INTAKE-BROKEN-CHAIN", error.what, error.remedy)
        case Conflict():
            return Rejection("T2C-INTAKE-VERSION-CONFLICT", error.what, error.remedy)
        case Refused():
            return Rejection("T2C-INTAKE-SECRET-INPUT", error.what, error.remedy)
        case Usage():
            return Rejection("T2C-INTAKE-INVALID-SCHEMA", error.what, error.remedy)
        case Environment():
            return Rejection("T2C-INTAKE-STORAGE-FAILURE", error.what, error.remedy)
        case T2cError():
            return Rejection("T2C-INTAKE-STORAGE-FAILURE", error.what, error.remedy)
        case _:
            return Rejection("T2C-INTAKE-STORAGE-FAILURE", f"{error.filename}: {error.strerror}")
