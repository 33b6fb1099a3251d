"""`t2c extract`: what a scan would find in one kind of source, printed and not recorded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from t2c import __version__
from t2c.cli.actions.context import Context
from t2c.cli.actions.given import Given
from t2c.cli.actions.opening import funnel_of
from t2c.cli.actions.reading import Sources, Stage, read_sources
from t2c.ledger.commands.evidence import EvidenceState, Observation
from t2c.ledger.errors import T2cError, Usage
from t2c.ledger.intake.base import Warning, materialise
from t2c.ledger.intake.inventory import take_inventory
from t2c.ledger.intake.kinds import KINDS
from t2c.ledger.intake.masking import masked
from t2c.ledger.intake.registry import file_extractors

__all__ = ["ALL", "Extracted", "extract", "extract_text"]

ALL: Final = "all"
_GIT: Final = "git"
_NEEDS_FILES: Final = frozenset({"nl", "cycle"})


@dataclass(frozen=True, slots=True)
class Extracted:
    """Records in the order of the files, what was left out, and how it was made (decisions B4).

    `records` makes the canonical `t2c.intent/v1` records anew at each call, so that none need stay in memory.
    """

    schema: ClassVar[str] = "t2c.extract/v1"
    found: Sequence[Observation]
    warnings: Sequence[Mapping[str, Any]]
    audit: Mapping[str, Any]
    failure: T2cError | None = None

    def records(self) -> Iterator[bytes]:
        """The canonical bytes of each record."""
        for item in self.found:
            yield item.body


def _known(kind: str) -> None:
    """Raises Usage for a kind of source that does not exist."""
    if kind not in KINDS and kind != ALL:
        raise Usage(f"{kind[:40]!r} is no kind of source", remedy=f"give one of {', '.join((*KINDS, ALL))}")


def extract(context: Context, kind: str, files: Sequence[Given] = ()) -> Extracted:
    """Read one kind of source as a scan does, or the given files alone. Nothing is written.

    Raises Usage for a kind that does not exist, or one whose files nobody can guess when none are given.
    """
    _known(kind)
    if kind in _NEEDS_FILES and not files:
        raise Usage(
            f"no file was given, and a file of this kind ({kind}) is not looked for",
            remedy=f"name it: t2c extract {kind} FILE",
        )
    if kind in (_GIT, ALL) and files:
        raise Usage(f"t2c extract {kind} reads no single files", remedy="leave the files out")
    only = None if kind == ALL else frozenset({kind})
    sources = read_sources(context, EvidenceState(), given=files, only=only, alone=bool(files))
    return _extracted(context, kind, sources)


def extract_text(context: Context, kind: str, path: str, content: bytes) -> Extracted:
    """Read a text that is no file, as if it stood at `path`. Raises Usage for a kind that is not read from a text."""
    _known(kind)
    if kind in (_GIT, ALL):
        raise Usage(f"t2c extract {kind} reads no text", remedy="leave the - out, or name another kind")
    extractor = file_extractors(context.settings.scan)[kind]
    inventory = take_inventory(context.root, exclude=context.settings.scan.exclude)
    reading = masked(extractor.read(path, content, inventory), funnel_of(context))
    found = [Observation(*record) for record in materialise(reading)]
    status = "succeeded" if reading.complete else "partial"
    return Extracted(found, _told(reading.warnings), _audit(context, kind, status, len(found)))


def _extracted(context: Context, kind: str, sources: Sources) -> Extracted:
    stages = [stage for stage in sources.stages if kind == ALL or stage.name == kind]
    found = [record for stage in stages for scope in stage.scopes for record in scope.records]
    warnings = [warning for stage in stages for warning in stage.warnings]
    failure = next((stage.failure for stage in stages if stage.failure is not None), None)
    return Extracted(found, _told(warnings), _audit(context, kind, _status(stages), len(found)), failure)


def _status(stages: Sequence[Stage]) -> str:
    found = {str(stage.status) for stage in stages}
    return next((status for status in ("failed", "partial") if status in found), "succeeded")


def _told(warnings: Sequence[Warning]) -> list[Mapping[str, Any]]:
    return [
        {
            "source": item.source,
            "path": item.path,
            "reason": item.reason,
            "detail": item.detail,
            "count": item.count,
            "lines": list(item.lines),
        }
        for item in warnings
    ]


def _audit(context: Context, kind: str, status: str, records: int) -> Mapping[str, Any]:
    scan = context.settings.scan
    return {
        "stage": kind,
        "runtimeVersion": __version__,
        "status": status,
        "requestedMode": "deterministic",
        "effectiveMode": "deterministic",
        "model": None,
        "provider": None,
        "degraded": False,
        "reason": None,
        "responses": [],
        "records": records,
        "configuration": {name: getattr(scan, name) for name in scan._fields if name != "processes"},
    }
