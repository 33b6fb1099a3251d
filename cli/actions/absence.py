"""What a scan proves absent, and what it merely did not see again (decisions B2)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Final

from t2c.cli.actions.reading import Sources
from t2c.ledger.commands.evidence import EvidenceState, LiveRecord, missing
from t2c.ledger.events.runs import OmissionNoted
from t2c.ledger.intake.given import LASTING, given_by_hand

__all__ = ["gone_records", "unseen_records"]

_NOT_FILES: Final = frozenset({"git", "inventory"})


def gone_records(root: Path, sources: Sources, state: EvidenceState) -> dict[str, str]:
    """Ids of records whose absence this reading proves, each with why.

    What was given by hand stands until it is given again; a task goes with its file.
    """
    stages = sources.stages
    read = {(scope.source, scope.path) for stage in stages for scope in stage.scopes} | sources.unchanged
    of_files = {stage.source for stage in stages if stage.looked} - _NOT_FILES
    vanished = {
        (live.source, live.path)
        for live in state.records.values()
        if live.source in of_files
        and live.path is not None
        and (live.source, live.path) not in read
        and sources.covers(live.path)
        and not _stays(root, live)
    }
    files = (scope for stage in stages for scope in stage.scopes if scope.path is not None)
    gone = {
        identity: why
        for identity, why in missing(state, files, vanished).items()
        if why == "file_gone" or not _left_alone(sources, state.records[identity])
    }
    left_out = {path for _, path in vanished if (root / path).exists()}
    for identity, why in gone.items():
        if why == "file_gone" and state.records[identity].path in left_out:
            gone[identity] = "left_out"
    if sources.reachable is not None:
        for identity, live in state.records.items():
            if live.source == "git" and live.path is None and live.revision not in sources.reachable:
                gone[identity] = "unreachable"
    return gone


def _left_alone(sources: Sources, live: LiveRecord) -> bool:
    """True for what a caller gave before and not now: another reading of the same file says nothing of it."""
    return given_by_hand(live.extractor) and (live.source, live.path) not in sources.by_hand


def _stays(root: Path, live: LiveRecord) -> bool:
    """True for what a caller gave: it may lie where no scan looks, and a report outlives its file."""
    if not given_by_hand(live.extractor):
        return False
    return live.source in LASTING or (root / (live.path or "")).exists()


def unseen_records(sources: Sources, state: EvidenceState) -> list[OmissionNoted]:
    """Records that stand in files which were read in part, and that this reading did not find.

    They are not retracted, because their absence is not proven; that nobody saw them again is told here.
    """
    partial = {
        (scope.source, scope.path)
        for stage in sources.stages
        for scope in stage.scopes
        if not scope.complete and scope.path is not None
    }
    seen: dict[tuple[str, str | None], set[str]] = {place: set() for place in partial}
    for stage in sources.stages:
        for scope in stage.scopes:
            if (place := (scope.source, scope.path)) in seen:
                seen[place].update(record.id for record in scope.records)
    unseen = Counter(
        (live.source, live.path or "")
        for identity, live in state.records.items()
        if identity not in seen.get((live.source, live.path), {identity})
    )
    detail = "records that stood before and were not found in what could be read of the file"
    return [
        OmissionNoted(source=source, path=path, reason="not_seen_again", count=count, lines=(), detail=detail)
        for (source, path), count in sorted(unseen.items())
    ]
