"""Reading the sources of a root: every stage of a scan up to the point where something may be recorded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from t2c.cli.actions.context import Context
from t2c.cli.actions.opening import funnel_of
from t2c.cli.sections import ScanSettings
from t2c.ledger.commands.evidence import Observation, Observed
from t2c.ledger.errors import T2cError
from t2c.ledger.events.runs import StageStatus
from t2c.ledger.intake.base import FileExtractor, Reading, Scope, Warning, materialise
from t2c.ledger.intake.code.languages import unread_languages
from t2c.ledger.intake.inventory import Inventory, take_inventory
from t2c.ledger.intake.masking import masked
from t2c.ledger.intake.registry import FILE_EXTRACTORS
from t2c.ledger.redaction.funnel import Funnel

__all__ = ["Sources", "Stage", "read_sources"]


@dataclass(slots=True)
class Stage:
    """One source as it was read: its scopes, what was left out, and how it went."""

    name: str
    source: str
    scopes: list[Observed] = field(default_factory=list)
    warnings: list[Warning] = field(default_factory=list)
    failure: T2cError | None = None
    files: int = 0

    @property
    def status(self) -> StageStatus:
        """failed: nothing of it can be trusted to be whole. partial: some scope was not read completely."""
        if self.failure is not None:
            return "failed"
        return "succeeded" if all(scope.complete for scope in self.scopes) else "partial"


@dataclass(slots=True)
class Sources:
    """Everything that was read. `reachable` are the commits of the history, None if that is not known.

    `unread` are folders that could not be entered: nothing below them is proven absent.
    """

    stages: list[Stage]
    inventory: Inventory
    revision: str | None = None
    branch: str | None = None
    reachable: frozenset[str] | None = None
    unread: tuple[str, ...] = ()

    def covers(self, path: str) -> bool:
        """True if the absence of `path` from the inventory means that the file is not there."""
        # A path that is not UTF-8 is quoted as a whole, so the quote at a folder's end is not part of its name.
        return not any(
            folder in ("", ".") or path.startswith(folder.removesuffix('"') + "/") for folder in self.unread
        )


def read_sources(context: Context, known_commits: frozenset[str]) -> Sources:
    """Read the whole tree and the history. Nothing is recorded; what fails is a stage that says so."""
    from t2c.ledger.intake.tracked import tracked_but_ignored

    progress, scan, funnel = context.progress, context.settings.scan, funnel_of(context)
    inventory = take_inventory(context.root, exclude=scan.exclude, progress=progress)
    first = Stage("inventory", "inventory", warnings=list(inventory.warnings), files=len(inventory.files))
    first.warnings += tracked_but_ignored(context.root, inventory)
    sources = Sources([first], inventory)
    sources.unread = tuple(
        warning.path or "" for warning in inventory.warnings if warning.reason == "unreadable_folder"
    )
    for name, extractor in FILE_EXTRACTORS.items():
        wanted = [entry for entry in inventory.files if extractor.wants(entry.path)]
        stage = Stage(name, extractor.source, files=len(wanted))
        limit = _limit(extractor.source, scan)
        for done, entry in enumerate(wanted):
            progress(name, done, len(wanted))
            reading = _read_file(extractor, context.root, inventory, entry.path, entry.size, limit)
            _take(stage, reading, funnel)
        if extractor.source == "ast":
            stage.warnings += unread_languages((entry.path for entry in inventory.files), extractor.wants)
        sources.stages.append(stage)
    sources.stages.append(_history(context, sources, known_commits, funnel))
    return sources


def _limit(source: str, scan: ScanSettings) -> int:
    return scan.max_changelog_bytes if source == "changelog" else scan.max_file_bytes


def _read_file(
    extractor: FileExtractor, root: Path, inventory: Inventory, path: str, size: int, limit: int
) -> Reading:
    scope = Scope(extractor.source, path)
    in_part = size > limit and extractor.source == "changelog"
    if size > limit and not in_part:
        return _nothing(extractor, scope, "too_large", f"{size:,} bytes, above the limit of {limit:,}")
    try:
        with (root / inventory.on_disk(path)).open("rb") as stream:
            content = stream.read(limit if in_part else -1)
    except OSError as error:
        return _nothing(extractor, scope, "unreadable_file", error.strerror or "cannot be read")
    if not in_part:
        return extractor.read(path, content, inventory)
    # The newest releases stand at the top; what was cut off is not proven absent.
    whole = content[: content.rfind(b"\n") + 1]
    detail = f"the first {len(whole):,} of {size:,} bytes were read"
    reading = extractor.read(path, whole, inventory)
    warnings = (*reading.warnings, Warning(scope.source, path, "read_in_part", detail))
    return msgspec.structs.replace(reading, warnings=warnings, complete=False)


def _nothing(extractor: FileExtractor, scope: Scope, reason: str, detail: str) -> Reading:
    warning = Warning(scope.source, scope.path, reason, detail)
    return Reading(scope, extractor.name, (), (warning,), complete=False)


def _take(stage: Stage, reading: Reading, funnel: Funnel) -> None:
    reading = masked(reading, funnel)
    found = materialise(reading)
    records: Sequence[Observation] = [Observation(*record) for record in found]
    stage.scopes.append(Observed(*reading.scope, reading.complete, records))
    stage.warnings += reading.warnings


def _history(context: Context, sources: Sources, known: frozenset[str], funnel: Funnel) -> Stage:
    from t2c.ledger.intake.git import read_history

    stage = Stage("git", "git")
    try:
        history = read_history(
            context.root, limit=context.settings.scan.commits, known=known, progress=context.progress
        )
    except T2cError as failure:
        stage.failure = failure
        stage.warnings.append(Warning("git", None, "git_failed", failure.what))
        return stage
    _take(stage, history.reading, funnel)
    sources.revision, sources.branch, sources.reachable = history.head, history.branch, history.reachable
    return stage
