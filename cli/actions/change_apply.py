"""`t2c change apply`: an approved patch written into the work tree, all of it or nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from t2c.cli.actions.approvals import policy_of
from t2c.cli.actions.artefacts import json_document, places_of_artefacts, write_artefact
from t2c.cli.actions.change_recover import FoundUnfinished, settle
from t2c.cli.actions.context import Context
from t2c.cli.actions.opening import open_ledger
from t2c.cli.actions.refusals import recording_refusals
from t2c.ledger.apply.base import digest
from t2c.ledger.changes.applying import apply_patch, dry_run
from t2c.ledger.changes.known import patch_named
from t2c.ledger.kernel.actor import Actor
from t2c.projections.base import pretty

__all__ = ["DryRun", "FileToWrite", "PatchApplied", "apply", "preview"]

_RECEIPT = "t2c.code-change-source-apply-receipt/v1"


@dataclass(frozen=True, slots=True)
class FileToWrite:
    """A file and the SHA-256 of its content before and after; null where there is none."""

    path: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class DryRun:
    """What would be written. Nothing was, and nothing is recorded; whether it is approved was not looked at."""

    schema: ClassVar[str] = "t2c.change-dry-run/v1"
    subject: str
    hash: str
    files: Sequence[FileToWrite]


@dataclass(frozen=True, slots=True)
class PatchApplied:
    """A patch that is in the work tree: `receipt` is the published shape, `event` what recorded it.

    `again` is true where it was applied before; then nothing was written, and `changed` are the files that are not as
    it left them. `recovered` is what became of applies that a crash had left without an outcome.
    """

    schema: ClassVar[str] = "t2c.change-applied/v1"
    patch: str
    hash: str
    plan: str
    event: str
    seq: int
    announced: str
    approval: str
    how: str
    again: bool
    changed: Sequence[str]
    in_place: Sequence[str]
    receipt: Mapping[str, Any]
    recovered: Sequence[FoundUnfinished]


def apply(context: Context, name: str, *, in_place: bool, out: str | None) -> PatchApplied:
    """Apply a patch under the approval of exactly it. Raises what `apply_patch` raises; each refusal is recorded."""
    place = places_of_artefacts(context, {"--out": (out, json_document(_RECEIPT))}).get("--out")
    actor = Actor.parse(context.settings.actor)
    with open_ledger(context) as ledger:
        recovered = settle(context, ledger)
        patch = patch_named(ledger, name)
        with recording_refusals(ledger, f"patch:{','.join(patch.plans)}", actor, patch.hash):
            done = apply_patch(
                ledger,
                context.root,
                patch,
                policy_of(context),
                by=actor,
                now=context.clock.now(),
                in_place=in_place,
                progress=context.progress,
            )
    if place is not None:
        write_artefact(place, pretty(done.receipt))
    return PatchApplied(
        patch.id,
        patch.hash,
        done.receipt["planId"],
        done.applied.event,
        done.applied.seq,
        done.applied.announced,
        done.approval,
        done.applied.how,
        done.again,
        done.changed,
        done.applied.in_place,
        done.receipt,
        recovered,
    )


def preview(context: Context, name: str) -> DryRun:
    """What applying would write. Raises what it would raise but for approvals; writes nothing."""
    with open_ledger(context) as ledger:
        patch = patch_named(ledger, name)
        wanted = dry_run(ledger, context.root, patch)
    files = [FileToWrite(one.path, digest(one.before), digest(one.after)) for one in wanted]
    return DryRun(patch.id, patch.hash, files)
