"""`t2c todo apply`: an approved TODO patch appended to its task file, once and under an approval of exactly it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, ClassVar, Final

from t2c.cli.actions.approvals import policy_of
from t2c.cli.actions.artefacts import json_document, places_of_artefacts, write_artefact
from t2c.cli.actions.change_recover import FoundUnfinished, settle
from t2c.cli.actions.context import Context
from t2c.cli.actions.opening import open_ledger
from t2c.cli.actions.refusals import recording_refusals
from t2c.ledger.answers.checks.freezing import guard_frozen
from t2c.ledger.answers.history import decoded
from t2c.ledger.apply.base import Mandate, Wanted, digest
from t2c.ledger.apply.engine import apply as carry
from t2c.ledger.apply.files import look
from t2c.ledger.apply.history import Outcome, event_of, history
from t2c.ledger.apply.patches import as_text
from t2c.ledger.approvals.standing import mandate_for
from t2c.ledger.approvals.things import find
from t2c.ledger.changes.applying import reverts_of
from t2c.ledger.changes.contract import TODO_RECEIPT, dated, todo_receipt
from t2c.ledger.changes.todo_known import TodoPatch, todo_patch_named
from t2c.ledger.changes.todo_patch import appended, is_appended
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Conflict
from t2c.ledger.kernel.actor import Actor
from t2c.projections.base import pretty

__all__ = ["TodoApplied", "TodoPreview", "apply", "preview"]

PURPOSE: Final = "todo.apply"
SUBJECT: Final = "patch:todo"
_EMPTY: Final = sha256(b"").hexdigest()


@dataclass(frozen=True, slots=True)
class TodoPreview:
    """What would be appended. Nothing was, and nothing is recorded; whether it is approved was not looked at."""

    schema: ClassVar[str] = "t2c.todo-dry-run/v1"
    hash: str
    path: str
    before: str | None
    after: str
    bytes_appended: int


@dataclass(frozen=True, slots=True)
class TodoApplied:
    """A TODO patch that is in its file: `receipt` is the published shape, `event` what recorded it.

    `how` is `done`, or `found` where the file ended with it already. `again` is true where it was applied before and
    nothing was written. `recovered` is what became of applies that a crash had left without an outcome.
    """

    schema: ClassVar[str] = "t2c.todo-applied/v1"
    hash: str
    path: str
    event: str
    seq: int
    approval: str
    how: str
    again: bool
    in_place: Sequence[str]
    receipt: Mapping[str, Any]
    recovered: Sequence[FoundUnfinished]


def preview(context: Context, name: str | None) -> TodoPreview:
    """What applying would append. Raises what `apply` raises but for approvals; writes nothing."""
    with open_ledger(context) as ledger:
        patch = todo_patch_named(ledger, name)
        wanted = _wanted(context, patch, patch.text(ledger))
    return TodoPreview(
        patch.hash,
        wanted.path,
        digest(wanted.before),
        digest(wanted.after) or _EMPTY,
        len(wanted.after or b"") - len(wanted.before or b""),
    )


def apply(context: Context, name: str | None, *, in_place: bool, receipt: str | None) -> TodoApplied:
    """Append the patch that was rendered last, or the one with this hash.

    Raises Usage where there is none, Refused without an approval that holds or for a place that may not be written (which is recorded), Conflict where the
    file is not the one that it was rendered on, Corrupt where the recorded text is not what its hash promises.
    """
    place = places_of_artefacts(context, {"--receipt": (receipt, json_document(TODO_RECEIPT))}).get(
        "--receipt"
    )
    actor = Actor.parse(context.settings.actor)
    with open_ledger(context) as ledger:
        recovered = settle(context, ledger)
        patch = todo_patch_named(ledger, name)
        with recording_refusals(ledger, SUBJECT, actor, patch.hash):
            done = _done(context, ledger, patch, actor, in_place, recovered)
    if place is not None:
        write_artefact(place, pretty(done.receipt))
    return done


def _done(
    context: Context,
    ledger: Ledger,
    patch: TodoPatch,
    actor: Actor,
    in_place: bool,
    recovered: Sequence[FoundUnfinished],
) -> TodoApplied:
    found = _standing(ledger, patch)
    if found is not None:
        return _again(context, ledger, patch, found, recovered)
    thing = find(ledger, context.root, patch.event)
    approval = mandate_for(ledger, thing, policy_of(context), context.clock.now(), str(actor))
    wanted = _wanted(context, patch, thing.shown)
    guard_frozen(ledger, {wanted.path: wanted.after}, actor)
    mandate = Mandate(PURPOSE, SUBJECT, patch.hash, approval, str(actor), cause=(patch.event,))
    applied = carry(ledger, context.root, [wanted], mandate, in_place=in_place, progress=context.progress)
    made = _receipt(ledger, patch, approval, applied.event, digest(wanted.after) or _EMPTY)
    return TodoApplied(
        patch.hash, wanted.path, applied.event, applied.seq, approval, applied.how, False, applied.in_place,
        made, recovered,
    )  # fmt: skip


def _wanted(context: Context, patch: TodoPatch, text: bytes) -> Wanted:
    """The file with the patch at its end. Raises Conflict if it is not the one that the patch was rendered on."""
    path, source = patch.artifact["sourceTodo"]["path"], patch.artifact["sourceTodo"]["contentHash"]
    now = look(context.root, path)
    if now is not None:
        as_text(now, path)
    if (digest(now) or _EMPTY) == source:
        return Wanted(path, now, appended(now or b"", text))
    if now is not None and is_appended(now, text, source):
        return Wanted(path, now, now)
    raise Conflict(
        f"{path} holds another text than the one that the patch was rendered on",
        where=path,
        safe="nothing was changed",
        remedy="render it again and approve it anew: t2c todo render",
        path=path,
        expected=source,
        found=digest(now),
    )


def _standing(ledger: Ledger, patch: TodoPatch) -> Outcome | None:
    """The receipt of this patch on this source that nothing took back since."""
    found = history(ledger).receipt_of(PURPOSE, SUBJECT, patch.hash)
    if found is None or found.event in reverts_of(ledger):
        return None
    (file,) = found.announced.files
    source = patch.artifact["sourceTodo"]
    same = file.path == source["path"] and source["contentHash"] in (file.before or _EMPTY, file.after)
    return found if same or found.seq > patch.seq else None


def _again(
    context: Context,
    ledger: Ledger,
    patch: TodoPatch,
    found: Outcome,
    recovered: Sequence[FoundUnfinished],
) -> TodoApplied:
    """Nothing to do where the file still is what the patch made it. Raises Conflict where it is not any more."""
    (file,) = found.announced.files
    if digest(look(context.root, file.path)) != file.after:
        raise Conflict(
            f"the patch was applied to {file.path} already, and the file was changed since",
            where=f"seq {found.seq}",
            safe="nothing was changed",
            remedy="render what is still new: t2c scan, then t2c todo render",
        )
    entry = event_of(ledger, found.announced.id)
    approval = "" if entry is None else decoded(entry).get("approval") or ""
    made = _receipt(ledger, patch, approval, found.event, file.after or _EMPTY)
    return TodoApplied(
        patch.hash, file.path, found.event, found.seq, approval, "found", True, (), made, recovered
    )


def _receipt(ledger: Ledger, patch: TodoPatch, approval: str, receipt: str, result: str) -> dict[str, Any]:
    granted, done = event_of(ledger, approval), event_of(ledger, receipt)
    made = todo_receipt(
        patch.artifact,
        result=result,
        approved_by="unknown" if granted is None else str(granted.actor),
        approved_at=patch.ts if granted is None else granted.ts,
    )
    return dated(made, patch.ts if done is None else done.ts)
