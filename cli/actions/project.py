"""`t2c ledger project`: make the views again from the journal."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, ClassVar

from t2c.cli.actions.context import Context
from t2c.cli.actions.moment import resolve, with_events
from t2c.cli.actions.opening import open_ledger
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Usage
from t2c.ledger.journal.position import Position
from t2c.projections import store
from t2c.projections.fold import Folded, fold
from t2c.projections.registry import AFTER_SCAN, ALL

__all__ = ["ProjectResult", "project", "project_all"]


@dataclass(frozen=True, slots=True)
class ProjectResult:
    """Which views were made as of event `seq`: for each the files that are new, the others being equal already.

    `faults` are events that a view could not use, `unknown` counts events of types that this version does not
    know, `withheld` those without their payload, `foreign` those of other ledgers, which no view takes in.
    """

    schema: ClassVar[str] = "t2c.project/v1"
    seq: int
    head: str
    projections: Sequence[Mapping[str, Any]]
    faults: Sequence[Mapping[str, Any]]
    unknown: Mapping[str, int]
    withheld: Mapping[str, int]
    foreign: Mapping[str, int]


def project(
    context: Context, names: Sequence[str] = (), at: str | None = None, full: bool = False
) -> ProjectResult:
    """Make the named views (default: all) as of the head, or as of the moment `at`.

    With `full` they are folded from the first event, and the snapshots that are kept are made anew.

    Raises Usage for an unknown name and what is no moment, Refused where a folder holds something that t2c did not make.
    """
    for name in names:
        if name not in ALL:
            close = get_close_matches(name, ALL, 1)
            hint = f"did you mean {close[0]}? " if close else ""
            raise Usage(f"there is no projection {name!r}", remedy=f"{hint}there are {', '.join(ALL)}")
    with open_ledger(context) as ledger:
        with_events(ledger)
        until = None if at is None else resolve(context, ledger, at).seq
        if full:
            shutil.rmtree(ledger.cache / "folds", ignore_errors=True)
        return _write(context, ledger, list(names) or list(ALL), until)


def project_all(context: Context, ledger: Ledger) -> None:
    """Bring the views of a scan up to the head of a ledger that is open already; those that are there stay."""
    head = ledger.head()
    behind = [name for name in AFTER_SCAN if not _stands_at(context, name, head)]
    if behind:
        _write(context, ledger, behind, None)


def _stands_at(context: Context, name: str, head: Position) -> bool:
    """True if a view was made as of `head` by the same code and none of its files is gone."""
    manifest = store.manifest(context.workspace, name)
    if manifest is None or (manifest.seq, manifest.head) != (head.seq, head.hash):
        return False
    made_by = (ALL[name].version, {other: ALL[other].version for other in ALL[name].inputs})
    folder = context.workspace / "projections" / name
    return (manifest.version, manifest.inputs) == made_by and all(
        (folder / file).is_file() for file in manifest.files
    )


def _write(context: Context, ledger: Ledger, names: Sequence[str], until: int | None) -> ProjectResult:
    context.progress("fold", 0, None)
    folded = fold(ledger.journal, ALL, names, until=until, cache=ledger.cache / "folds")
    made = []
    for done, name in enumerate(names):
        context.progress("project", done, len(names))
        written = store.write(context.workspace, folded.provenance(name), folded.artifacts(name))
        made.append(
            {
                "name": name,
                "folder": f".t2c/projections/{name}",
                "written": list(written.files),
                "removed": list(written.removed),
            }
        )
    return ProjectResult(
        seq=folded.position.seq,
        head=folded.position.hash,
        projections=made,
        faults=_faults(folded),
        unknown=folded.unknown,
        withheld=folded.withheld,
        foreign=folded.foreign,
    )


def _faults(folded: Folded) -> list[dict[str, Any]]:
    return [
        {"projection": name, "seq": fault.seq, "detail": fault.detail}
        for name, faults in sorted(folded.faults.items())
        for fault in faults
    ]
