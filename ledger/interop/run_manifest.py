"""The manifest `t2c.run/v1` of a run folder (intent-evidence §8): what was run, how each stage ended, which files there are."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import ConfigDict, JsonValue

from t2c.ledger.events.base import Count, Hex64, Name, Text, Timestamp, Value

__all__ = ["Failure", "RunManifest", "Runtime", "Stage"]

StageStatus = Literal["succeeded", "partial", "fallback", "failed", "skipped"]

_LONGEST: Final = 1_000
"""Characters of a reason that are kept."""


class Runtime(Value):
    """Which tool did it."""

    name: Name
    version: Name


class Failure(Value):
    """Where a run broke off."""

    stage: Name
    code: Name
    message: str


class Stage(Value):
    """How one stage ended; what it tells beside that is left as it is."""

    model_config = ConfigDict(extra="allow")

    status: StageStatus
    recordCount: Count = 0
    warningCount: Count = 0
    degraded: bool = False

    @property
    def said(self) -> str | None:
        """Why it ended so, as far as the manifest says it: `CODE: message`."""
        reason = (self.model_extra or {}).get("reason")
        if isinstance(reason, dict):
            parts = (reason.get("code"), reason.get("message"))
            return ": ".join(part for part in parts if isinstance(part, str))[:_LONGEST] or None
        return reason[:_LONGEST] if isinstance(reason, str) else None


class RunManifest(Value):
    """The audit of one run. Manifests from before the audit lack status, runtime, stages and what follows them."""

    schemaVersion: Literal["t2c.run/v1"]
    runId: Name
    root: str
    createdAt: Timestamp
    graphFingerprint: Hex64 | None = None
    files: dict[Name, Text]
    warnings: tuple[str, ...] = ()
    status: Literal["succeeded", "degraded", "failed"] | None = None
    failure: Failure | None = None
    runtime: Runtime | None = None
    configuration: dict[str, JsonValue] | None = None
    stages: dict[Name, Stage] | None = None
    llm: dict[str, JsonValue] | None = None
