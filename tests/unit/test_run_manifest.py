"""The manifest of a run, folded from its events alone."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.interop.run_manifest import RunManifest
from t2c.projections.fold import fold
from t2c.projections.manifest import Manifests, ManifestsProjection, RunTold
from t2c.projections.manifest.document import AUDITS, FAILURE_STAGES, failure_of, manifest_of, stage_of

RUN = "20260105T100000Z-0123abcd"
CONFIGURATION = {
    "nlMode": "deterministic",
    "markdownMode": "prefer-llm",
    "communicationMode": "deterministic",
    "taskSynthesisMode": "disabled",
    "includeCommunication": True,
    "llm": {"markdownModel": "acme/one", "temperature": "0.5", "baseUrl": "https://example.org"},
}


def started(journal: Any, run: str = RUN, verb: str = "run") -> None:
    options = {"configuration": CONFIGURATION, "documents": "deterministic", "out": ".t2c"}
    payload = {
        "verb": verb,
        "requested_by": "human:ada",
        "tool": "t2c 1.2.3",
        "revision": None,
        "branch": None,
        "options": options,
    }
    journal.add("run.started", payload, run=run)


def stage(
    journal: Any, name: str, status: str = "succeeded", detail: str | None = None, **counts: int
) -> None:
    journal.add(
        "stage.finished", {"stage": name, "status": status, "counts": counts, "detail": detail}, run=RUN
    )


def finished(journal: Any, status: str, detail: str | None = None) -> None:
    journal.add("run.finished", {"status": status, "appended": {}, "detail": detail}, run=RUN)


def told(journal: Any) -> RunTold:
    projection = ManifestsProjection()
    state: Manifests = fold(journal.journal, {"manifest": projection}, ["manifest"]).states["manifest"]
    return state.runs[RUN]


@pytest.fixture
def journal(chain: Any) -> Any:
    started(chain)
    return chain


@pytest.fixture
def whole(journal: Any) -> RunTold:
    for name in ("nl", "todo", "docs", "communication"):
        stage(journal, name, files=1, records=2, omissions=0)
    journal.add("degradation.noted", degraded("markdown", "LLM_TIMEOUT: too slow"), run=RUN)
    stage(journal, "markdown", "fallback", "LLM_TIMEOUT: too slow", records=2)
    for name in ("diagnostics", "summary", "persistence"):
        stage(journal, name)
    finished(journal, "partial")
    return told(journal)


def degraded(name: str, reason: str) -> dict[str, str]:
    return {"stage": name, "asked": "llm", "done": "deterministic", "reason": reason}


def test_a_manifest_has_the_keys_of_its_contract_and_no_others(whole: RunTold) -> None:
    made = manifest_of(RUN, whole, fingerprint="a" * 64, files={"graph": "x.json"}, warnings=["b", "a", "b"])
    assert sorted(made) == sorted(
        [
            "schemaVersion",
            "runId",
            "root",
            "createdAt",
            "graphFingerprint",
            "files",
            "warnings",
            "status",
            "failure",
            "runtime",
            "configuration",
            "stages",
            "llm",
        ]
    )
    assert tuple(made["stages"]) == AUDITS
    assert len(made["llm"]) == 6
    assert made["warnings"] == ["a", "b", "markdown: LLM_TIMEOUT: too slow"]
    assert made["runtime"] == {"name": "t2c", "version": "1.2.3"}
    RunManifest.model_validate_json(json.dumps(made))


def test_the_fingerprint_is_that_of_the_rest_of_the_configuration(whole: RunTold) -> None:
    told_of = manifest_of(RUN, whole, fingerprint=None, files={})["configuration"]
    assert told_of["llm"]["temperature"] == 0.5
    rest = {name: value for name, value in told_of.items() if name != "fingerprint"}
    canonical = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert told_of["fingerprint"] == hashlib.sha256(canonical.encode()).hexdigest()


def test_a_stage_that_fell_back_makes_the_run_degraded(whole: RunTold) -> None:
    made = manifest_of(RUN, whole, fingerprint=None, files={})
    audit = made["stages"]["markdownExtraction"]
    assert (audit["status"], audit["requestedMode"], audit["effectiveMode"]) == (
        "fallback",
        "llm",
        "deterministic",
    )
    assert audit["reason"] == {"code": "LLM_TIMEOUT", "message": "too slow"}
    assert audit["durationMs"] == 3000, "one second to read tasks, and two from communication to the answer"
    assert made["status"] == "degraded"
    assert made["stages"]["taskSynthesis"]["reason"]["code"] == "STAGE_SKIPPED"


def test_the_folder_holds_nothing_of_its_own_writing(journal: Any) -> None:
    stage(journal, "summary")
    seq = journal.seq
    stage(journal, "persistence")
    finished(journal, "succeeded")
    assert told(journal).folded_at == seq


@pytest.mark.parametrize("name", FAILURE_STAGES)
def test_a_run_that_failed_says_at_which_of_the_stages(journal: Any, name: str) -> None:
    stage(journal, name, "failed", "SOME_CODE: it broke")
    finished(journal, "failed", f"{name}: it broke")
    made = manifest_of(
        RUN, told(journal), fingerprint="a" * 64, files={"eventLog": "logs.dsl.txt"}, failed=True
    )
    assert made["failure"] == {"stage": name, "code": "SOME_CODE", "message": "it broke"}
    assert (made["status"], made["graphFingerprint"]) == ("failed", None)
    assert "it broke" in made["warnings"]
    for stage_name, audit in made["stages"].items():
        if stage_name == name:
            assert (audit["status"], audit["reason"]["code"]) == ("failed", "SOME_CODE")
        else:
            assert (audit["status"], audit["reason"]["code"]) == ("skipped", "PIPELINE_ABORTED")
    assert not any(made["llm"].values())
    RunManifest.model_validate_json(json.dumps(made))


def test_a_stage_without_a_code_gets_that_of_its_place(journal: Any) -> None:
    stage(journal, "git", "failed", "fatal: bad object HEAD")
    finished(journal, "failed")
    failure = failure_of(told(journal))
    assert failure == {
        "stage": "gitExtraction",
        "code": "PIPELINE_GIT_EXTRACTION_FAILED",
        "message": "fatal: bad object HEAD",
    }


def test_a_run_that_was_killed_failed_at_the_stage_that_it_finished_last(journal: Any) -> None:
    stage(journal, "link")
    failure = failure_of(told(journal))
    assert failure is not None
    assert (failure["stage"], failure["code"]) == ("linking", "PIPELINE_ABORTED")


def test_runs_of_other_verbs_have_no_manifest(chain: Any) -> None:
    started(chain, verb="scan")
    with pytest.raises(KeyError):
        told(chain)


def test_every_stage_of_ours_belongs_to_one_of_the_contract() -> None:
    from t2c.cli.actions.interpreting import STAGES
    from t2c.cli.sections import ScanSettings
    from t2c.ledger.intake.registry import file_extractors

    names = {*file_extractors(ScanSettings()), *STAGES, "inventory", "git", "link", "semantic"}
    assert len(names) > 14
    unplaced = {name for name in names if stage_of(name) == "setup"} - {"inventory"}
    assert not unplaced


@given(
    st.lists(
        st.tuples(
            st.sampled_from([*FAILURE_STAGES, "nl", "git"]),
            st.sampled_from(["succeeded", "partial", "fallback", "failed", "skipped"]),
        ),
        max_size=12,
    ),
    st.booleans(),
)
@settings(max_examples=50)
def test_whatever_a_run_went_through_its_manifest_keeps_the_contract(
    stages: list[tuple[str, str]], failed: bool
) -> None:
    from t2c.projections.manifest import Passed

    passed = [Passed(name, status, {}, None, seq, 0) for seq, (name, status) in enumerate(stages)]
    run = RunTold("human:ada", "t2c 1.0.0", "2026-01-05T10:00:00.000Z", 9, {}, stages=passed)
    run.status = "failed" if failed else "succeeded"
    made = manifest_of(RUN, run, fingerprint=None, files={}, failed=failed)
    RunManifest.model_validate_json(json.dumps(made))
    assert (made["status"] == "failed") is failed
    assert (made["failure"] is not None) is failed
