"""`t2c ledger export`: a range of the ledger leaves as a bundle; nothing is recorded unless asked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from t2c.cli.actions.context import Context
from t2c.cli.actions.moment import resolve
from t2c.cli.actions.opening import open_ledger
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Refused, T2cError, Usage
from t2c.ledger.events.draft import draft
from t2c.ledger.transfer.export import ARCHIVE_SUFFIX, Exported, export
from t2c.ledger.transfer.layout import View
from t2c.projections import store
from t2c.projections.registry import ALL

__all__ = ["EPOCH_VARIABLE", "ExportRequest", "ExportResult", "export_bundle"]

EPOCH_VARIABLE: Final = "SOURCE_DATE_EPOCH"
"""Seconds since 1970 that stand in an archive as the time of its files (reproducible-builds.org)."""
_RANGE: Final = re.compile(r"([0-9]{0,16})\.\.([0-9]{0,16})")
_OTHER_ARCHIVES: Final = (
    ".tgz", ".tar", ".gz", ".zip", ".7z", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".tar.zst", ".tzst", ".zst", ".rar",
)  # fmt: skip
_EPOCH: Final = re.compile(r"[0-9]{1,10}")


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """`destination` as typed; `range` is `A..B`, either end may be missing; `at` is a moment instead of B.

    `withhold` are types whose lines are replaced by their hashes, `record.*` for all of a kind. `epoch` is what
    SOURCE_DATE_EPOCH says.
    """

    destination: str
    range: str | None = None
    at: str | None = None
    withhold: tuple[str, ...] = ()
    record: bool = False
    epoch: str | None = None


@dataclass(frozen=True, slots=True)
class ExportResult:
    """`sha256`, that of the manifest, is the bundle's identity; `withheld` counts lines by type.

    `partial` is True if the ledger goes on after `last`; `covered` is the last event of the bundle that a signed
    checkpoint in it covers, 0 if none does. `recorded` is the seq of `bundle.exported`, None if it was not asked for.
    """

    schema: ClassVar[str] = "t2c.export/v1"
    path: str
    ledger: str
    first: int
    last: int
    partial: bool
    covered: int
    head: str
    root: str
    sha256: str
    files: int
    bytes: int
    withheld: Mapping[str, int]
    missing: Sequence[Mapping[str, object]]
    left_out: Sequence[str]
    recorded: int | None


def export_bundle(context: Context, request: ExportRequest) -> ExportResult:
    """Make the bundle, then record it if asked.

    The destination may lie outside the root; it must be new, or an empty folder. Raises Usage for a range that is
    not there, Refused for a destination that is, Corrupt for a damaged journal, Environment from the disk.
    """
    moment = _moment(request.epoch)
    destination = _destination(context, request.destination)
    _check_inside(context, destination)
    with open_ledger(context) as ledger:
        if destination.parent == context.workspace / "bundles":
            destination.parent.mkdir(exist_ok=True)
        first, last = _range(context, ledger, request)
        made = export(
            ledger,
            destination,
            first=first,
            last=last,
            withhold=request.withhold,
            views=_views(context),
            moment=moment,
            progress=lambda done, size: context.progress("export", done, size),
        )
        recorded = _record(ledger, made, request) if request.record else None
    return _result(made, recorded)


def _result(made: Exported, recorded: int | None) -> ExportResult:
    manifest = made.manifest
    return ExportResult(
        path=str(made.path),
        ledger=manifest.ledger,
        first=manifest.first,
        last=manifest.last,
        partial=manifest.partial,
        covered=made.covered,
        head=manifest.head,
        root=manifest.root,
        sha256=made.sha256,
        files=len(manifest.files) + 1,
        bytes=sum(item.bytes for item in manifest.files.values()),
        withheld={item.type: sum(b - a + 1 for a, b in item.seqs) for item in manifest.withheld},
        missing=[
            {"object": item.object, "seq": item.seq, "reason": item.reason} for item in manifest.missing
        ],
        left_out=made.left_out,
        recorded=recorded,
    )


def _moment(epoch: str | None) -> int | None:
    """The time of files in an archive, None for that of the last event. An empty variable counts as unset."""
    if not epoch:
        return None
    if not _EPOCH.fullmatch(epoch):
        raise Usage(
            f"{EPOCH_VARIABLE} is {epoch[:40]!r}, which is no number of seconds since 1970",
            where=f"environment {EPOCH_VARIABLE}",
            remedy="set it to a whole number, or unset it",
        )
    return int(epoch)


def _destination(context: Context, given: str) -> Path:
    """The destination with the real path of its parent, so that `..` and links on the way lead where they say."""
    path = context.cwd / given
    if not given or path.name in ("", ".."):
        raise Usage(
            "--dest names no folder or file", where="--dest", remedy="name a new folder or a FILE.tar.gz"
        )
    if path.name.lower().endswith(_OTHER_ARCHIVES) and not path.name.endswith(ARCHIVE_SUFFIX):
        raise Usage(
            f"{path.name} is named like an archive of a kind that bundles are not",
            where="--dest",
            safe="nothing was written",
            remedy=f"name a folder, or a FILE{ARCHIVE_SUFFIX}",
        )
    try:
        return path.parent.resolve() / path.name
    except (OSError, RuntimeError, ValueError) as error:  # a loop of links, a NUL
        raise Usage(f"{given!r} is not a path that can be used: {error}", where="--dest") from None


def _check_inside(context: Context, destination: Path) -> None:
    """Of the ledger's own folder, only `bundles` takes bundles."""
    real = destination.parent
    workspace = context.workspace
    if (real == workspace or workspace in real.parents) and workspace / "bundles" not in (
        real,
        *real.parents,
    ):
        raise Refused(
            "a bundle does not belong inside the ledger itself",
            where=str(destination),
            safe="nothing was written",
            remedy="name a place outside .t2c, or below .t2c/bundles",
        )


def _range(context: Context, ledger: Ledger, request: ExportRequest) -> tuple[int, int | None]:
    found = _RANGE.fullmatch(request.range or "..")
    if found is None:
        raise Usage(
            f"{request.range!r} is no range",
            where="--range",
            remedy="write A..B, A.. or ..B, from seq A to B",
        )
    first = int(found[1] or 1)
    last = int(found[2]) if found[2] else None
    if request.at is None:
        return first, last
    if last is not None:
        raise Usage("--at and the end of --range both say where the bundle ends", remedy="give one of them")
    # The index is kept on disk, and an export writes nowhere but to its destination.
    return first, resolve(context, ledger, request.at, cached=False).seq


def _views(context: Context) -> dict[str, View]:
    """The projections that are on disk, as their own manifests name them."""
    found = {}
    for name in ALL:
        manifest = store.manifest(context.workspace, name)
        if manifest is not None and manifest.name == name:
            found[name] = View(manifest.version, manifest.seq, manifest.head, manifest.files)
    return found


def _record(ledger: Ledger, made: Exported, request: ExportRequest) -> int:
    from t2c.ledger.events.journal import BundleExported

    payload = BundleExported(
        first=made.manifest.first,
        last=made.manifest.last,
        sha256=made.sha256,
        redacted=tuple(sorted(set(request.withhold))),
    )
    try:
        return ledger.append([draft(payload)])[0].seq
    except T2cError as error:
        error.safe = f"the bundle at {made.path}, which is complete; only its record is missing"
        raise
