"""A patch applied to the user's tree: under an approval of exactly it, all files or none, with a receipt (decisions E1)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from t2c.ledger.answers.checks.freezing import guard_frozen
from t2c.ledger.answers.history import decoded
from t2c.ledger.apply.base import Applied, Mandate, Wanted, digest
from t2c.ledger.apply.engine import apply
from t2c.ledger.apply.files import look
from t2c.ledger.apply.history import Outcome, event_of, history
from t2c.ledger.apply.patches import FilePatch
from t2c.ledger.approvals.base import Policy
from t2c.ledger.approvals.history import history as approvals_history
from t2c.ledger.approvals.standing import mandate_for
from t2c.ledger.changes.contract import dated, source_receipt
from t2c.ledger.changes.known import Patch
from t2c.ledger.changes.patching import file_patches, fitted, made_on, thing_of_patch
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Conflict, T2cError
from t2c.ledger.intake.base import Progress, no_progress
from t2c.ledger.kernel.actor import Actor

__all__ = ["PURPOSE", "Done", "apply_patch", "dry_run", "reverts_of"]

PURPOSE: Final = "change.apply"


class Done(NamedTuple):
    """An applied patch. `again` is true where it was applied before: then nothing was written.

    `receipt` is the published shape. `changed` are files that are not as the patch left them any more.
    """

    applied: Applied
    approval: str
    receipt: dict[str, Any]
    again: bool
    changed: tuple[str, ...] = ()


def apply_patch(
    ledger: Ledger,
    root: Path,
    patch: Patch,
    policy: Policy,
    *,
    by: Actor,
    now: datetime,
    in_place: bool = False,
    progress: Progress = no_progress,
) -> Done:
    """Apply a patch; one that was applied already is looked after and not applied again.

    Raises Usage for a patch without diffs, Refused without an approval that holds, for a frozen test and for places that
    are not to be written, Conflict where a file is not what the patch was made on, Environment for the disk. Then every
    file is as it was.
    """
    patches = file_patches(patch)
    thing = thing_of_patch(ledger, root, patch)
    earlier = _standing(ledger, thing.subject, patch.hash)
    if earlier is not None:
        return _again(ledger, root, patch, earlier)
    approval = mandate_for(ledger, thing, policy, now, str(by))
    wanted = _fitted(ledger, root, patch, patches)
    guard_frozen(ledger, {one.path: one.after for one in wanted}, by)
    mandate = Mandate(PURPOSE, thing.subject, patch.hash, approval, str(by), cause=(patch.event,))
    applied = apply(ledger, root, wanted, mandate, in_place=in_place, progress=progress)
    files = {one.path: digest(one.after) for one in wanted}
    return Done(applied, approval, _document(ledger, patch, approval, applied.event, files), again=False)


def dry_run(ledger: Ledger, root: Path, patch: Patch) -> list[Wanted]:
    """What would be written, looked at as the apply looks at it. Nothing is recorded. Raises what it would raise."""
    return _fitted(ledger, root, patch, file_patches(patch))


def _standing(ledger: Ledger, subject: str, hash: str) -> Outcome | None:
    """The receipt of the patch that nothing took back since."""
    found = history(ledger).receipt_of(PURPOSE, subject, hash)
    return None if found is None or found.event in reverts_of(ledger) else found


def reverts_of(ledger: Ledger) -> dict[str, str]:
    """The receipts that were taken back and still are, and the receipt that did it."""
    return approvals_history(ledger).reverted


def _again(ledger: Ledger, root: Path, patch: Patch, earlier: Outcome) -> Done:
    entry = event_of(ledger, earlier.announced.id)
    approval = "" if entry is None else decoded(entry).get("approval") or ""
    files = earlier.announced.after
    changed = tuple(path for path, after in files.items() if _now(root, path) != after)
    applied = Applied(earlier.announced.id, earlier.event, earlier.seq, "found", tuple(files))
    return Done(applied, approval, _document(ledger, patch, approval, earlier.event, files), True, changed)


def _now(root: Path, path: str) -> str | None:
    try:
        return digest(look(root, path))
    except T2cError:
        return ""


def _document(
    ledger: Ledger, patch: Patch, approval: str, receipt: str, files: dict[str, str | None]
) -> dict[str, Any]:
    granted, done = event_of(ledger, approval), event_of(ledger, receipt)
    made = source_receipt(
        patch.artifact,
        approved_by="unknown" if granted is None else str(granted.actor),
        approved_at=patch.ts if granted is None else granted.ts,
        files=files,
    )
    return dated(made, patch.ts if done is None else done.ts)


def _fitted(ledger: Ledger, root: Path, patch: Patch, patches: Sequence[FilePatch]) -> list[Wanted]:
    """The files as the patch makes them. Raises Conflict that says what a file was, is, and who made it so."""
    try:
        return fitted(lambda path: look(root, path), patches)
    except Conflict as conflict:
        path = next((one.path for one in patches if (conflict.where or "").startswith(one.path)), None)
        if path is None:
            raise
        raise _stale(ledger, root, patch, path, conflict) from None


def _stale(ledger: Ledger, root: Path, patch: Patch, path: str, conflict: Conflict) -> Conflict:
    expected, found = made_on(patch).get(path), digest(look(root, path))
    told = conflict.what
    if expected != found:
        told += f"; the patch was made on {_hash(expected)}, and there is {_hash(found)} now"
    known = history(ledger)
    remedy = f"make the diff again on the file as it is: t2c change patch {patch.plans[0]} --diff FILE"
    cut_off = next((one for one in known.open.values() if path in one.after), None)
    if cut_off is not None:
        told = f"an apply of {path} was announced, seq {cut_off.seq}, and it is not known how it went; {told}"
        remedy = f"say first what becomes of it: t2c change recover; then {remedy}"
    winner = known.writer_of(path, found)
    if winner is not None:
        who = winner.announced.requested_by or "somebody"
        told += (
            f", written by {winner.announced.subject or winner.announced.purpose} for {who}, seq {winner.seq}"
        )
    return Conflict(
        told,
        where=conflict.where,
        safe="nothing was changed",
        remedy=remedy,
        path=path,
        expected=expected,
        found=found,
        winner=None if winner is None else winner.event,
    )


def _hash(found: str | None) -> str:
    return "no file" if found is None else f"SHA-256 {found}"
