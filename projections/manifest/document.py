"""The manifest `t2c.run/v1` of a run, made of its events (intent-evidence §8).

It says of each of the seven stages that the contract knows how it went, and where a run failed, at which of sixteen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

from t2c.ledger.kernel.canon import artifact
from t2c.projections.manifest import PERSISTENCE, Passed, RunTold

__all__ = ["FAILURE_STAGES", "SCHEMA", "configuration_of", "failure_of", "manifest_of", "stage_of"]

SCHEMA: Final = "t2c.run/v1"
ROOT: Final = "."
"""`root` of each manifest: what is in a journal holds wherever the repository lies."""

FAILURE_STAGES: Final = (
    "setup", "naturalLanguageExtraction", "gitExtraction", "astExtraction", "markdownExtraction",
    "documentationExtraction", "configurationExtraction", "runtimeExtraction", "communicationAnalysis", "linking",
    "diagnostics", "taskSynthesis", "todoRendering", "codeChangePlanning", "summary", PERSISTENCE,
)  # fmt: skip
_STAGES: Final[Mapping[str, str]] = {
    "inventory": "setup", "nl": "naturalLanguageExtraction", "natural_language": "naturalLanguageExtraction",
    "git": "gitExtraction", "code": "astExtraction", "comments": "astExtraction", "tags": "astExtraction",
    "todo": "markdownExtraction", "changelog": "markdownExtraction", "markdown": "markdownExtraction",
    "docs": "documentationExtraction", "documents": "documentationExtraction", "config": "configurationExtraction",
    "tests": "runtimeExtraction", "cycle": "runtimeExtraction", "communication": "communicationAnalysis",
    "link": "linking", "semantic": "linking",
}  # fmt: skip
_EXTRACTIONS: Final[Mapping[str, tuple[str, str, str]]] = {
    "naturalLanguageExtraction": ("nlMode", "nlModel", "natural_language"),
    "markdownExtraction": ("markdownMode", "markdownModel", "markdown"),
    "documentationExtraction": ("documents", "documentModel", "documents"),
    "communicationAnalysis": ("communicationMode", "communicationModel", "communication"),
}
"""Audit → the mode and the model as the run was configured, and the stage that asks."""
_LATER: Final = ("taskSynthesis", "codeChangePlanning", "summary")
AUDITS: Final = (*_EXTRACTIONS, *_LATER)


def stage_of(name: str) -> str:
    """The stage of the contract that a stage of ours belongs to."""
    return name if name in FAILURE_STAGES else _STAGES.get(name, "setup")


def configuration_of(run: RunTold) -> dict[str, Any]:
    """The safe configuration with its fingerprint, the SHA-256 of the canonical JSON of the rest."""
    told = run.options.get("configuration")
    rest = dict(told) if isinstance(told, dict) else {}
    llm = rest.get("llm")
    if isinstance(llm, dict) and isinstance(llm.get("temperature"), str):
        rest["llm"] = {**llm, "temperature": _number(llm["temperature"])}
    return {"fingerprint": sha256(artifact(rest)).hexdigest(), **rest}


def failure_of(run: RunTold) -> dict[str, str] | None:
    """Where a run broke off, why in one word and in a sentence; None for one that did not.

    One of which nothing more was heard broke off at the stage that it finished last.
    """
    if run.status not in (None, "failed"):
        return None
    broke = run.broke_at
    if broke is None:
        stage = stage_of(run.stages[-1].stage) if run.stages else "setup"
        return {
            "stage": stage,
            "code": "PIPELINE_ABORTED",
            "message": run.detail or "stopped, and never went on",
        }
    stage = stage_of(broke.stage)
    code, colon, message = (broke.detail or "").partition(": ")
    if not colon or not code.replace("_", "").isalnum() or not code.isupper():
        code, message = _failed_code(stage), broke.detail or run.detail or "failed"
    return {"stage": stage, "code": code, "message": message}


def manifest_of(
    identity: str,
    run: RunTold,
    *,
    fingerprint: str | None,
    files: Mapping[str, str],
    warnings: Iterable[str] = (),
    syntheses: Mapping[str, Mapping[str, Any]] | None = None,
    failed: bool = False,
) -> dict[str, Any]:
    """The manifest. `files` maps logical names to paths, `syntheses` the stages `taskSynthesis` and `summary` to the
    audits of what stands of them; `failed` leaves out what a failed run has none of."""
    failure = failure_of(run) if failed else None
    stages = _audits(run, syntheses or {}, failure)
    told = [f"{stage}: {reason}" for stage, reason in run.degradations]
    degraded = any(audit["degraded"] for audit in stages.values())
    partial = any(one.of_scan and one.status != "succeeded" for one in run.stages)
    return {
        "schemaVersion": SCHEMA,
        "runId": identity,
        "root": ROOT,
        "createdAt": run.ts,
        "graphFingerprint": None if failed else fingerprint,
        "files": dict(files),
        "warnings": sorted({*told, *warnings, *([failure["message"]] if failure else [])}),
        "status": "failed" if failed else "degraded" if degraded or partial else "succeeded",
        "failure": failure,
        "runtime": {"name": "t2c", "version": run.tool.rpartition(" ")[2]},
        "configuration": configuration_of(run),
        "stages": stages,
        "llm": {
            "naturalLanguageExtraction": _by_model(stages["naturalLanguageExtraction"]),
            "markdownExtraction": _by_model(stages["markdownExtraction"]),
            "communicationEnrichment": _by_model(stages["communicationAnalysis"]),
            "documentationExtraction": _by_model(stages["documentationExtraction"]),
            "taskSynthesis": _by_model(stages["taskSynthesis"]),
            "summary": _by_model(stages["summary"]),
        },
    }


def _audits(
    run: RunTold, syntheses: Mapping[str, Mapping[str, Any]], failure: Mapping[str, str] | None
) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for name in AUDITS:
        mine = [one for one in run.stages if stage_of(one.stage) == name]
        if failure is not None and failure["stage"] == name:
            found[name] = _failed(run, name, mine, failure)
        elif not mine and failure is not None:
            reason = {"code": "PIPELINE_ABORTED", "message": f"the run broke off before {name}"}
            found[name] = _audit(run, "skipped", "disabled", "none", reason=reason)
        elif name in _EXTRACTIONS:
            found[name] = _extraction(run, name, mine)
        elif name in syntheses and mine and mine[-1].status != "skipped":
            audit = syntheses[name]
            found[name] = {**audit, "durationMs": audit.get("durationMs") or sum(one.took for one in mine)}
        else:
            found[name] = _made(run, mine)
    return found


def _extraction(run: RunTold, name: str, mine: Sequence[Passed]) -> dict[str, Any]:
    """What was read of a kind of source, and what a model was asked about it, where one was."""
    mode, model, asking = _EXTRACTIONS[name]
    read = [one for one in mine if one.of_scan]
    asked = next((one for one in reversed(mine) if not one.of_scan and one.stage == asking), None)
    records = sum(one.counts.get("records", 0) for one in read)
    left = sum(one.counts.get("omissions", 0) for one in read)
    spent = sum(one.took for one in mine)
    partial = next((one for one in read if one.status != "succeeded"), None)
    told = _configured(run)
    if asked is not None and told.get(mode) != "deterministic":
        effective = {"succeeded": "llm", "partial": "llm", "fallback": "deterministic"}.get(
            asked.status, "none"
        )
        responses = run.responses.get(asking, [])
        served = responses[-1]["model"] if responses else told.get("llm", {}).get(model)
        return _audit(
            run, asked.status, "llm", effective, records=records, left=left, model=served, spent=spent,
            reason=_reason(asked), responses=responses,
        )  # fmt: skip
    if partial is not None:
        reason = _reason(partial) or {
            "code": "SOURCE_PARTIAL",
            "message": f"{partial.stage} was read in part",
        }
        return _audit(
            run, partial.status, "deterministic", "deterministic", records=records, left=left, spent=spent,
            reason=reason,
        )  # fmt: skip
    return _audit(run, "succeeded", "deterministic", "deterministic", records=records, left=left, spent=spent)


def _made(run: RunTold, mine: Sequence[Passed]) -> dict[str, Any]:
    """A stage in which no model had a part, or that was left out."""
    if not mine or mine[-1].status == "skipped":
        reason = _reason(mine[-1]) if mine else None
        reason = reason or {"code": "STAGE_SKIPPED", "message": "this stage was not asked for"}
        return _audit(run, "skipped", "disabled", "none", reason=reason)
    last = mine[-1]
    records = sum(last.counts.values())
    spent = sum(one.took for one in mine)
    return _audit(
        run, last.status, "deterministic", "deterministic", records=records, spent=spent, reason=_reason(last)
    )


def _failed(run: RunTold, name: str, mine: Sequence[Passed], failure: Mapping[str, str]) -> dict[str, Any]:
    mode, model, asking = _EXTRACTIONS.get(name, ("", "", ""))
    told = _configured(run)
    modes = {"taskSynthesis": told.get("taskSynthesisMode"), "summary": told.get("summary")}
    asked = modes.get(name, told.get(mode)) in ("prefer-llm", "require-llm")
    return _audit(
        run, "failed", "llm" if asked else "deterministic", "none",
        records=sum(one.counts.get("records", 0) for one in mine if one.of_scan), left=1,
        model=told.get("llm", {}).get(model) if asked else None, spent=sum(one.took for one in mine),
        reason={"code": failure["code"], "message": failure["message"]}, responses=run.responses.get(asking, []),
    )  # fmt: skip


def _configured(run: RunTold) -> dict[str, Any]:
    """What the run was configured with, whether the contract has a name for it or not."""
    return {**run.options, **run.options.get("configuration", {})}


def _audit(
    run: RunTold,
    status: str,
    requested: str,
    effective: str,
    *,
    records: int = 0,
    left: int = 0,
    model: str | None = None,
    spent: int = 0,
    reason: Mapping[str, str] | None = None,
    responses: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    return {
        "runtimeVersion": run.tool.rpartition(" ")[2],
        "configuration": {} if model is None else {"model": model},
        "status": status,
        "requestedMode": requested,
        "effectiveMode": effective,
        "degraded": status in ("partial", "fallback", "failed"),
        "recordCount": records,
        "warningCount": left,
        "model": model,
        "durationMs": spent,
        "reason": None if reason is None else dict(reason),
        "responses": [dict(one) for one in responses],
    }


def _reason(stage: Passed) -> dict[str, str] | None:
    if stage.detail is None:
        return None
    code, colon, message = stage.detail.partition(": ")
    if colon and code.isupper():
        return {"code": code, "message": message}
    return {"code": _failed_code(stage_of(stage.stage)), "message": stage.detail}


def _failed_code(stage: str) -> str:
    words = "".join(f"_{letter}" if letter.isupper() else letter for letter in stage)
    return f"PIPELINE_{words.upper()}_FAILED"


def _by_model(audit: Mapping[str, Any]) -> bool:
    return bool(audit["effectiveMode"] == "llm")


def _number(numeral: str) -> int | float:
    try:
        value = float(numeral)
    except ValueError:
        return 0
    return int(value) if value.is_integer() else value
