"""`t2c change patch`: a plan and a diff of it → what a person is asked to approve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from t2c.cli.actions.artefacts import place_of_artefact, write_artefact
from t2c.cli.actions.context import Context
from t2c.cli.actions.opening import open_ledger
from t2c.ledger.changes.contract import dated
from t2c.ledger.changes.known import plan_named
from t2c.ledger.changes.patching import render_source
from t2c.ledger.errors import Usage
from t2c.ledger.kernel.actor import Actor
from t2c.projections.base import pretty

__all__ = ["PatchFile", "PatchMade", "patch"]


@dataclass(frozen=True, slots=True)
class PatchFile:
    """What is done to one file: lines added and removed, 0 where there is only an instruction (`diff` is false)."""

    path: str
    action: str
    diff: bool
    added: int
    removed: int


@dataclass(frozen=True, slots=True)
class PatchMade:
    """A patch as it is recorded: `hash` is what is approved, `shown` the SHA-256 of `text`, which is all of it.

    `patch` is the published shape. `again` is true where it was recorded just so before; `written` are files that were
    asked for.
    """

    schema: ClassVar[str] = "t2c.change-patch/v1"
    id: str
    hash: str
    plan: str
    event: str
    seq: int
    again: bool
    appliable: bool
    shown: str
    text: str
    proposed_by: Sequence[str]
    files: Sequence[PatchFile]
    patch: Mapping[str, Any]
    written: Sequence[str]


def patch(context: Context, name: str, content: bytes | None, where: str, out: str | None) -> PatchMade:
    """Record the patch of a plan. Raises what `render_source` raises, Usage for a diff that is no text."""
    try:
        text = None if content is None else content.decode()
    except UnicodeDecodeError as error:
        assert content is not None
        line = content.count(b"\n", 0, error.start) + 1
        raise Usage(
            "the diff is not UTF-8",
            where=f"{where}:{line}",
            safe="nothing was recorded and nothing was changed",
            remedy="a patch is of files in UTF-8 alone",
        ) from None
    with open_ledger(context) as ledger:
        plan = plan_named(ledger, name)
        names = () if out is None else _places(context, out, plan.id)
        actor = Actor.parse(context.settings.actor)
        made = render_source(ledger, context.root, plan, text, where, by=actor)
    found = made.patch
    document = dated(found.artifact, found.ts)
    written = []
    if out is not None:
        for path, body in zip(names, (pretty(document), found.shown), strict=True):
            write_artefact(path, body)
            written.append(path.relative_to(context.root).as_posix())
    return PatchMade(
        found.id,
        found.hash,
        plan.id,
        found.event,
        found.seq,
        made.again,
        all(part.diff is not None for part in made.parts),
        found.digest,
        found.shown.decode(),
        found.proposed_by,
        [
            PatchFile(part.path, part.action, part.diff is not None, part.added, part.removed)
            for part in made.parts
        ],
        document,
        written,
    )


def _places(context: Context, out: str, plan: str) -> tuple[Path, Path]:
    stem = f"{plan}.source-patch"
    found = [place_of_artefact(context, str(Path(out) / f"{stem}.{end}")) for end in ("json", "md")]
    return found[0], found[1]
