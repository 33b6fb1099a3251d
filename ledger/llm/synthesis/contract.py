"""The shapes of conclusions and proposals, their ids, and the one function that makes each (intent-evidence §7.1, §7.2).

An id is made of what is said and cited, never of the time, the model or the confidence, so the same conclusion drawn
twice is one. `generatedAt` stands in no event: a view puts it in (decisions A6).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any, Final, Literal, NamedTuple, get_args

from t2c import __version__
from t2c.ledger.events.targets import (
    normalised_paths,
    normalised_symbols,
    normalised_tickets,
    normalised_versions,
)
from t2c.ledger.kernel.canon import artifact, decimal3
from t2c.ledger.kernel.digests import short

__all__ = [
    "CONCLUSION", "KINDS", "PRIORITIES", "PROPOSAL", "SEVERITIES", "SUMMARY", "TASKS", "Generation", "Generator", "Kind",
    "Mode", "Priority", "Severity", "Target", "conclusion", "dated", "fingerprint", "proposal",
]  # fmt: skip

CONCLUSION: Final = "t2c.conclusion/v1"
PROPOSAL: Final = "t2c.todo-proposal/v1"

Kind = Literal["finding", "risk", "decision", "recommendation"]
Severity = Literal["info", "warning", "review_required", "blocking"]
Priority = Literal["P0", "P1", "P2", "P3"]
Mode = Literal["deterministic", "prefer-llm", "require-llm"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
SEVERITIES: Final[tuple[Severity, ...]] = get_args(Severity)
PRIORITIES: Final[tuple[Priority, ...]] = get_args(Priority)


class Generator(NamedTuple):
    """What made an artifact, and the version of its rules."""

    name: str
    version: str


SUMMARY: Final = Generator("t2c/grounded-summary", "2")
TASKS: Final = Generator("t2c/task-synthesis", "2")


class Generation(NamedTuple):
    """How an artifact came about (intent-evidence §1.3). Without a model, `model`, `provider` and `response` are None.

    `configuration` is the fingerprint of what the work was configured with; `reason` says why it was done without a
    model though one was preferred. Raises ValueError for what contradicts itself.
    """

    generator: Generator
    requested: Mode
    configuration: str
    model: str | None = None
    provider: str | None = None
    response: str | None = None
    reason: str | None = None

    @property
    def effective(self) -> Literal["deterministic", "llm"]:
        return "deterministic" if self.model is None else "llm"

    def document(self) -> dict[str, object]:
        """Eleven of the twelve keys; the view adds `generatedAt`."""
        by_model = self.model is not None
        if by_model and not (self.requested != "deterministic" and self.provider and self.reason is None):
            raise ValueError(
                "what a model made was asked of one, names its provider and no reason for another way"
            )
        if not by_model and self.requested == "require-llm":
            raise ValueError("a model was required, so nothing else may answer")
        if not by_model and (self.requested == "prefer-llm") != bool(self.reason):
            raise ValueError("a reason says why no model was used though one was preferred, and nothing else")
        return {
            "generator": self.generator.name,
            "generatorVersion": self.generator.version,
            "runtimeVersion": __version__,
            "requestedMode": self.requested,
            "effectiveMode": self.effective,
            "degraded": not by_model and self.requested == "prefer-llm",
            "model": self.model,
            "provider": self.provider,
            "responseId": self.response if by_model else None,
            "configurationFingerprint": self.configuration,
            "reason": self.reason,
        }


class Target(NamedTuple):
    """What a proposal is about, each list in the spelling of records; paths that lead out of the repository are none."""

    paths: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    tickets: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, paths: Iterable[str], symbols: Iterable[str], tickets: Iterable[str], versions: Iterable[str]
    ) -> Target:
        return cls(
            tuple(normalised_paths(list(paths))),
            tuple(normalised_symbols(list(symbols))),
            tuple(normalised_tickets(list(tickets))),
            tuple(normalised_versions(list(versions))),
        )


def fingerprint(configuration: Mapping[str, object]) -> str:
    """SHA-256 of the artifact form of a configuration that holds no secret."""
    return sha256(artifact(dict(configuration))).hexdigest()


def conclusion(
    *,
    kind: Kind,
    title: str,
    detail: str,
    severity: Severity,
    diagnostics: Iterable[str],
    records: Iterable[str],
    confidence: float,
    generation: Generation,
) -> dict[str, Any]:
    """A conclusion without `generatedAt`. Every conclusion is made here and nowhere else (decisions D9)."""
    said = {
        "kind": kind,
        "title": title.strip(),
        "detail": detail.strip(),
        "severity": severity,
        "diagnosticIds": sorted(set(diagnostics)),
        "recordIds": sorted(set(records)),
    }
    return {
        "schemaVersion": CONCLUSION,
        "id": f"CONC-{short(artifact(said))}",
        **said,
        "confidence": decimal3(confidence),
        "generation": generation.document(),
    }


def proposal(
    *,
    title: str,
    description: str,
    priority: Priority,
    target: Target,
    criteria: Iterable[str],
    dependencies: Iterable[str],
    conclusions: Iterable[str],
    diagnostics: Iterable[str],
    records: Iterable[str],
    confidence: float,
    generation: Generation,
) -> dict[str, Any]:
    """A proposed task without `generatedAt`. Every proposal is made here and nowhere else (decisions D9)."""
    said = {
        "title": title.strip(),
        "description": description.strip(),
        "target": {name: list(values) for name, values in target._asdict().items()},
        "acceptanceCriteria": sorted({one.strip() for one in criteria}),
    }
    return {
        "schemaVersion": PROPOSAL,
        "id": f"TPROP-{short(artifact(said))}",
        **said,
        "priority": priority,
        "status": "proposed",
        "dependencies": sorted(set(dependencies)),
        "conclusionIds": sorted(set(conclusions)),
        "diagnosticIds": sorted(set(diagnostics)),
        "recordIds": sorted(set(records)),
        "confidence": decimal3(confidence),
        "generation": generation.document(),
    }


def dated(document: Mapping[str, Any], ts: str) -> dict[str, Any]:
    """The document as published: with the time of the last event folded as `generatedAt`."""
    return {**document, "generation": {**document["generation"], "generatedAt": ts}}
