"""`t2c run` and `t2c runs`: all stages under one id, a folder that can be made again, and failures that say where."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from t2c.cli.actions.context import Context
from t2c.cli.actions.run import RunRequest, run
from t2c.cli.actions.runs import RunsAsked, listed, shown
from t2c.cli.settings import load
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Environment, Model, T2cError, Usage
from t2c.ledger.interop.run_manifest import RunManifest
from t2c.ledger.kernel.clock import SystemClock
from t2c.projections.manifest.document import FAILURE_STAGES

FILES = {
    "TODO.md": "# TODO\n- [ ] Add export in `src/m.py` for ACME-7\n- [ ] Write `src/gone.py`\n",
    "TASK.md": "# Task\n- System must implement `exportMetrics` in `src/m.py` for ACME-7.\n",
    "src/m.py": "def exportMetrics(a):\n    return 1\n",
    "docs/guide.md": "# Guide\nThe exporter must write metrics through `exportMetrics` in `src/m.py`.\n",
}
REQUIRED = {
    "intent.graph.json", "diagnostics.json", "team-summary.md", "summary-conclusions.json", "manifest.json",
    "code-change-plans.json", "CODE_CHANGE.review.md", "CODE_CHANGE.review.json",
    "code-change-source-patches.json", "logs.dsl.txt", "communication-analysis.json", "communication-analysis.md",
    *(
        f"{kind}.intent.jsonl"
        for kind in ["nl", "git", "ast", "todo", "changelog", "document", "configuration", "runtime", "communication"]
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("template")
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "feat: add exportMetrics for ACME-7"]):
        subprocess.run(
            ["git", "-c", "user.name=Ada", "-c", "user.email=a@b.c", *command], cwd=root, check=True
        )
    return root


@pytest.fixture
def root(template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(template, tmp_path / "repo"))


def context(root: Path, progress: Callable[..., None] = lambda *_: None, **environ: str) -> Context:
    return Context(root, root, load(root, environ), SystemClock(), progress)


def do(root: Path, progress: Callable[..., None] = lambda *_: None, **asked: Any) -> Any:
    environ = asked.pop("environ", {})
    return run(context(root, progress, **environ), RunRequest(**asked), root.parent / "state")


def folders(root: Path) -> list[str]:
    runs = root / ".t2c" / "runs"
    return sorted(name for name in os.listdir(runs) if name != ".gitignore") if runs.exists() else []


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def types(root: Path) -> list[str]:
    with Ledger(root / ".t2c") as ledger:
        return [entry.type for entry in ledger.entries()]


def test_a_run_writes_the_whole_folder_and_names_it_last(root: Path) -> None:
    found = do(root, tasks=["TASK.md"])
    folder = root / found.folder
    made = contents(folder)
    assert made.keys() == REQUIRED
    manifest = json.loads(made["manifest.json"])
    RunManifest.model_validate_json(made["manifest.json"])
    assert sorted(manifest["files"].values()) == sorted(
        f"{found.folder}/{name}" for name in REQUIRED - {"manifest.json"}
    )
    graph = json.loads(made["intent.graph.json"])
    canonical = json.dumps(
        {
            "records": [{**record, "observedAt": None} for record in graph["records"]],
            "relations": graph["relations"],
        },
        sort_keys=True,
        separators=(",", ":"),
        ensure_ascii=False,
    )
    fingerprint = hashlib.sha256(canonical.encode()).hexdigest()
    assert len(graph["relations"]) > 5
    assert fingerprint == graph["fingerprint"] == manifest["graphFingerprint"]
    assert fingerprint == json.loads(made["diagnostics.json"])["graphFingerprint"]
    for relation in graph["relations"]:
        seed = {name: relation[name] for name in ("from", "to", "type", "confidence", "basis")}
        text = json.dumps(seed, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        assert relation["id"] == f"REL-{hashlib.sha256(text.encode()).hexdigest()[:20]}"
    lines = [line for name in made if name.endswith(".jsonl") for line in made[name].splitlines()]
    assert {json.loads(line)["id"] for line in lines} == {record["id"] for record in graph["records"]}
    assert len(lines) == len(graph["records"])
    latest = json.loads((root / ".t2c" / "latest.json").read_bytes())
    assert latest == {
        "runId": found.run,
        "runDirectory": found.folder,
        "graphFingerprint": fingerprint,
        "summary": f"{found.folder}/team-summary.md",
        "summaryConclusions": f"{found.folder}/summary-conclusions.json",
    }


def test_all_stages_are_of_one_run_and_a_second_run_records_only_them(root: Path) -> None:
    first = do(root)
    with Ledger(root / ".t2c") as ledger:
        entries = [entry for entry in ledger.entries() if entry.type != "journal.opened"]
    started = [json.loads(bytes(entry.data))["verb"] for entry in entries if entry.type == "run.started"]
    assert started == ["run", "change plan"], "plans are an act of their own, as syntheses are"
    stages = {
        json.loads(bytes(e.data))["stage"]
        for e in entries
        if e.type == "stage.finished" and e.run == first.run
    }
    assert stages >= {
        "inventory",
        "git",
        "link",
        "diagnostics",
        "codeChangePlanning",
        "summary",
        "persistence",
    }
    assert {entry.run for entry in entries if entry.type == "record.observed"} == {first.run}
    before = len(types(root))
    second = do(root)
    new = types(root)[before:]
    assert set(new) == {"run.started", "stage.finished", "run.finished"}
    assert second.run != first.run
    graphs = [json.loads((root / one.folder / "intent.graph.json").read_bytes()) for one in (first, second)]
    assert graphs[0]["fingerprint"] == graphs[1]["fingerprint"]


def test_a_folder_is_made_again_from_the_journal_whatever_came_later(root: Path) -> None:
    first = do(root)
    kept = contents(root / first.folder)
    (root / "TODO.md").write_text("# TODO\n- [x] Something else for ACME-9\n")
    second = do(root)
    assert contents(root / second.folder)["todo.intent.jsonl"] != kept["todo.intent.jsonl"]
    shutil.rmtree(root / ".t2c" / "runs")
    shutil.rmtree(root / ".t2c" / "cache")
    made = shown(context(root), first.run, "again")
    assert contents(root / "again") == kept
    assert list(made.written) == sorted(kept)
    with pytest.raises(Usage, match="there already"):
        shown(context(root), "latest", "again")
    with pytest.raises(Usage):
        shown(context(root), "latest", "../outside")
    assert shown(context(root), "latest").run == second.run


def test_nothing_of_a_run_is_read_by_the_next_or_tracked(root: Path) -> None:
    do(root, out="build")
    found = do(root, out="build")
    assert "build/runs" not in (root / found.folder / "intent.graph.json").read_text()
    status = ["git", "status", "--porcelain", "--untracked-files=all"]
    told = subprocess.run(status, cwd=root, capture_output=True, text=True, check=True).stdout
    assert told.split() == ["??", "build/latest.json"]


def test_the_folder_can_be_taken_in_by_another_ledger(root: Path, tmp_path: Path) -> None:
    from t2c.cli.actions.import_run import ImportRequest, import_facts
    from t2c.cli.actions.opening import make_ledger

    found = do(root)
    other = tmp_path / "other"
    shutil.copytree(root / found.folder, other / "theirs")
    make_ledger(context(other))
    taken = import_facts(context(other), ImportRequest("theirs"))
    graph = json.loads((root / found.folder / "intent.graph.json").read_bytes())
    assert taken.records == len(graph["records"])
    assert taken.relations == len(graph["relations"])


def swap_runs(root: Path) -> None:
    """Make the folder of runs one that nothing can be written to."""
    runs = root / ".t2c" / "runs"
    shutil.rmtree(runs)
    runs.write_text("a file")


NO_KEY = {"T2C_LLM_MODE": "live"}
FAILURES: dict[str, dict[str, Any]] = {
    "naturalLanguageExtraction": {"tasks": ["missing.md"]},
    "runtimeExtraction": {"reports": ["missing.xml"]},
    "taskSynthesis": {"task_synthesis": "require-llm"},
    "summary": {"summary": "require-llm", "environ": {**NO_KEY, **dict.fromkeys(
        (f"T2C_LLM_{name}" for name in ("NATURAL_LANGUAGE", "MARKDOWN", "COMMUNICATION", "DOCUMENTS")),
        "deterministic",
    )}},
    "markdownExtraction": {"environ": {**NO_KEY, "T2C_LLM_MARKDOWN": "require-llm"}},
    "documentationExtraction": {"environ": {**NO_KEY, "T2C_LLM_DOCUMENTS": "require-llm"}},
}  # fmt: skip
CODES = {"naturalLanguageExtraction": 2, "runtimeExtraction": 2}


@pytest.mark.parametrize("stage", FAILURES)
def test_a_failure_leaves_a_failed_manifest_and_the_latest_run_as_it_was(root: Path, stage: str) -> None:
    whole = do(root)
    latest = (root / ".t2c" / "latest.json").read_bytes()
    with pytest.raises(T2cError) as caught:
        do(root, **FAILURES[stage])
    error = caught.value
    assert error.code == CODES.get(stage, Model.code)
    assert error.details["stage"] == stage
    (failed,) = set(folders(root)) - {whole.run}
    assert error.details["run"] == failed
    folder = root / ".t2c" / "runs" / failed
    assert error.details["manifest"] == f".t2c/runs/{failed}/manifest.json"
    assert sorted(contents(folder)) == ["logs.dsl.txt", "manifest.json"]
    manifest = json.loads((folder / "manifest.json").read_bytes())
    RunManifest.model_validate_json(json.dumps(manifest))
    assert (manifest["status"], manifest["graphFingerprint"]) == ("failed", None)
    assert list(manifest["files"]) == ["eventLog"]
    assert manifest["failure"]["stage"] == stage
    assert manifest["failure"]["message"] == error.what
    assert stage in FAILURE_STAGES
    later = [name for name, audit in manifest["stages"].items() if audit["status"] == "skipped"]
    assert later
    assert {manifest["stages"][name]["reason"]["code"] for name in later} <= {
        "PIPELINE_ABORTED", "STAGE_SKIPPED", "LLM_DISABLED", "NO_COMMUNICATION_RECORDS",
    } | {f"NO_{kind}_RECORDS" for kind in ("NATURAL_LANGUAGE", "DOCUMENT", "DOCUMENTS", "MARKDOWN")}  # fmt: skip
    assert (root / ".t2c" / "latest.json").read_bytes() == latest
    assert types(root)[-1] == "run.finished"
    shown(context(root), failed, "again")
    assert contents(root / "again") == contents(folder)


@pytest.mark.parametrize(("at", "stage"), [("read", "setup"), ("link", "linking"), ("write", "persistence")])
@pytest.mark.parametrize("how", [KeyboardInterrupt, SystemExit(143), MemoryError])
def test_whatever_interrupts_a_run_is_recorded_and_goes_on(root: Path, at: str, stage: str, how: Any) -> None:
    def progress(name: str, done: int, total: int | None) -> None:
        if name == at:
            raise how

    kind = how if isinstance(how, type) else type(how)
    with pytest.raises(kind):
        do(root, progress)
    (failed,) = folders(root)
    manifest = json.loads((root / ".t2c" / "runs" / failed / "manifest.json").read_bytes())
    assert manifest["failure"]["stage"] == stage
    code = "PIPELINE_INTERNAL_ERROR" if kind is MemoryError else "PIPELINE_INTERRUPTED"
    assert manifest["failure"]["code"] == code
    assert not (root / ".t2c" / "latest.json").exists()
    assert do(root).status == "succeeded"


def test_a_folder_that_cannot_be_written_fails_the_run(root: Path) -> None:
    def progress(name: str, done: int, total: int | None) -> None:
        if name == "write":
            swap_runs(root)

    with pytest.raises(Environment) as caught:
        do(root, progress)
    assert (caught.value.details["stage"], caught.value.details["manifest"]) == ("persistence", None)
    (row,) = listed(context(root), RunsAsked(verb="run")).runs
    assert (row.status, row.failed_at) == ("failed", "persistence")
    with pytest.raises(Environment) as caught:
        do(root)
    assert caught.value.details["stage"] == "setup"
    (root / ".t2c" / "runs").unlink()
    assert do(root).status == "succeeded"


def test_a_run_succeeded_only_once_its_folder_is_there(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seen to fail with the end recorded before the folder has its name."""
    rename, append = Path.rename, Ledger.append

    def no_rename(path: Path, target: Any) -> Path:
        if path.parent.name == "runs":
            monkeypatch.setattr(Path, "rename", rename)
            raise OSError(28, "No space left on device")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", no_rename)
    with pytest.raises(Environment):
        do(root)
    (row,) = listed(context(root), RunsAsked(verb="run")).runs
    assert (row.status, row.failed_at) == ("failed", "persistence")

    def no_end(ledger: Ledger, drafts: Any, **more: Any) -> Any:
        if any(one.type == "run.finished" and b'"succeeded"' in one.data for one in drafts):
            raise Environment("the journal cannot be written")
        return append(ledger, drafts, **more)

    monkeypatch.setattr(Ledger, "append", no_end)
    with pytest.raises(Environment):
        do(root)
    for name in folders(root):
        manifest = json.loads((root / ".t2c" / "runs" / name / "manifest.json").read_bytes())
        assert (manifest["status"], manifest["failure"]["stage"]) == ("failed", "persistence")
    assert len(folders(root)) == 2
    assert not (root / ".t2c" / "latest.json").exists()


def test_a_latest_that_cannot_be_written_is_told_and_the_run_is_whole(root: Path) -> None:
    (root / ".t2c" / "latest.json").mkdir(parents=True)
    with pytest.raises(Environment, match=r"latest\.json"):
        do(root)
    (name,) = folders(root)
    assert contents(root / ".t2c" / "runs" / name).keys() == REQUIRED - {"nothing"}
    (row,) = listed(context(root), RunsAsked(verb="run")).runs
    assert row.status == "succeeded"


def test_where_runs_go_is_inside_the_root_and_not_among_the_ledgers_files(root: Path, tmp_path: Path) -> None:
    (root / "link").symlink_to(tmp_path)
    for out in ("../elsewhere", ".t2c/objects", "link/there", "TODO.md"):
        with pytest.raises(Usage):
            do(root, out=out)
    assert not (root / ".t2c").exists()
    for name, mode in (("summary", "sometimes"), ("task_synthesis", "deterministic")):
        with pytest.raises(Usage):
            do(root, **{name: mode})  # type: ignore[arg-type]
    assert not (root / ".t2c").exists()


def test_runs_are_listed_by_what_stood_at_their_end(root: Path) -> None:
    first = do(root)
    (root / "TODO.md").write_text("# TODO\n- [ ] Write `src/gone.py` for ACME-9\n")
    second = do(root)

    def lists(**asked: Any) -> list[str]:
        return [one.run for one in listed(context(root), RunsAsked(**{"verb": "run", **asked})).runs]

    assert lists() == [second.run, first.run]
    assert lists(limit=1) == [second.run]
    assert listed(context(root), RunsAsked(verb="run", limit=1)).more == 1
    assert lists(verb="scan") == []
    assert lists(status="failed") == []
    assert lists(ticket="ACME-7") == [second.run, first.run], "the commit speaks of it still"
    assert lists(ticket="acme-9") == [second.run]
    assert lists(participant="Nobody") == lists(role="manager") == []
    assert lists(ticket="ACME-8") == []
    assert lists(severity="blocking") == []
    assert lists(severity="info") == [second.run, first.run]
    assert lists(severity="info", ticket="ACME-8") == []
    assert lists(at=str(2)) == [first.run]
    for name in ("severity", "status", "at"):
        with pytest.raises(Usage):
            lists(**{name: "bad"})


def foreign(root: Path, name: str, content: bytes) -> None:
    (root / ".intent" / "runs" / name).mkdir(parents=True)
    (root / ".intent" / "runs" / name / "manifest.json").write_bytes(content)


def test_manifests_of_another_system_are_shown_and_hostile_ones_counted(root: Path) -> None:
    do(root)
    bare = {"schemaVersion": "t2c.run/v1", "runId": "old", "createdAt": "2020-01-01T00:00:00Z", "files": {}}
    foreign(root, "old", json.dumps(bare).encode())
    whole = {**bare, "runId": "new", "createdAt": "2021-01-01T00:00:00Z", "status": "failed"}
    whole |= {
        "stages": {"summary": {"status": "failed"}, "x": 3},
        "runtime": {"name": "other", "version": "1"},
    }
    foreign(root, "new", json.dumps(whole).encode())
    hostile = [b"", b"[" * 100_000, b"{}", b'{"schemaVersion":"t2c.run/v1","runId":7}', b"\xff\xfe", b"null"]
    for number, content in enumerate(hostile):
        foreign(root, f"bad{number}", content)
    (root / ".intent" / "runs" / "linked").symlink_to(root / "docs")
    (root / ".intent" / "runs" / "pipe").mkdir()
    os.mkfifo(root / ".intent" / "runs" / "pipe" / "manifest.json")
    found = listed(context(root), RunsAsked())
    assert [(one.run, one.legacy, one.status) for one in found.foreign] == [
        ("new", False, "failed"),
        ("old", True, None),
    ]
    assert found.foreign[0].stages == {"summary": "failed"}
    assert len(found.unreadable) == len(hostile) + 1
    assert [one.run for one in listed(context(root), RunsAsked(status="failed")).foreign] == ["new"]
    assert not listed(context(root), RunsAsked(ticket="ACME-7")).foreign


def test_no_secret_stands_in_a_run(root: Path) -> None:
    secret = "sk-or-v1-" + "0123456789abcdef" * 4
    found = do(root, environ={"OPENROUTER_API_KEY": secret})
    everything = (
        b"".join(contents(root / found.folder).values()) + (root / ".t2c/journal.ndjson").read_bytes()
    )
    assert secret.encode() not in everything
    assert len(everything) > 10_000


def test_the_command_line(t2c: Any, template: Path) -> None:
    shutil.rmtree(t2c.root)
    shutil.copytree(template, t2c.root)
    ran = t2c("run", "--task", "TASK.md", "--json")
    assert (ran.code, ran.document["schema"]) == (0, "t2c.run-result/v1")
    assert ran.document["manifest"]["status"] == "succeeded"
    text = t2c("runs", "list")
    assert text.code == 0
    assert ran.document["run"] in text.out
    again = t2c("runs", "show", "latest", "--out", "again")
    assert again.code == 0
    assert contents(t2c.root / "again") == contents(t2c.root / ran.document["folder"])
    failed = t2c("run", "--task", "nothing.md", "--json")
    assert (failed.code, failed.document["error"]["details"]["stage"]) == (2, "naturalLanguageExtraction")
    for arguments in (("ledger", "verify", "--level", "domain"), ("doctor",)):
        assert t2c(*arguments).code == 0


def tasks(body: dict[str, Any]) -> dict[str, Any]:
    """One task from the first finding that is shown."""
    spans = re.findall(
        r"<<<DATA ([0-9a-f]{16}) (\w+)[^\n]*\n(.*?)\n\1 DATA>>>", body["messages"][1]["content"], re.DOTALL
    )
    first = json.loads({label: lines for _, label, lines in spans}["diagnostics"].splitlines()[0])
    grounds = {"diagnosticIds": [first["id"]], "recordIds": first["records"][:1], "confidence": 0.8}
    task = {
        "key": "a",
        "title": "Say why it waits",
        "description": "Say in the list what stops it.",
        "priority": "P2",
        "target": {"paths": ["TODO.md"], "symbols": [], "tickets": [], "versions": []},
        "acceptanceCriteria": ["The list says what stops it."],
        "dependencyKeys": [],
        "conclusionKeys": ["c"],
    }
    said = {"key": "c", "kind": "finding", "title": "A plan stands alone", "severity": "warning"}
    drawn = {**said, "detail": "Nothing recorded shows it done."}
    return {"conclusions": [{**drawn, **grounds}], "proposals": [{**task, **grounds}]}


def test_with_a_model_tasks_are_proposed_and_rendered_and_what_fell_back_is_told(
    root: Path, provider: Any
) -> None:
    provider.on("t2c_grounded_task_synthesis", tasks)
    environ = {
        "T2C_LLM_MODE": "live",
        "T2C_LLM_BASE_URL": provider.url,
        "T2C_LLM_MODEL": "acme/one",
        "T2C_LLM_ATTEMPTS": "1",
    }
    found = do(root, task_synthesis="require-llm", summary="deterministic", environ=environ)
    made = contents(root / found.folder)
    assert made.keys() == REQUIRED | {
        "task-synthesis.json",
        "todo-validation.json",
        "TODO.patch",
        "TODO.patch.json",
    }
    proposals = json.loads(made["task-synthesis.json"])["proposals"]
    patch = json.loads(made["TODO.patch.json"])
    assert [one["title"] for one in proposals] == ["Say why it waits"]
    assert patch["selectedProposalIds"] == [one["id"] for one in proposals]
    assert patch["renderedPatchHash"] == hashlib.sha256(made["TODO.patch"]).hexdigest()
    stages = found.manifest["stages"]
    assert (stages["taskSynthesis"]["status"], stages["taskSynthesis"]["model"]) == ("succeeded", "acme/one")
    assert found.manifest["llm"]["taskSynthesis"] is True
    assert stages["markdownExtraction"]["status"] == "fallback"
    assert found.manifest["status"] == "degraded"
    assert (root / "TODO.md").read_text() == FILES["TODO.md"], "a run changes no file of the user"
    shown(context(root), found.run, "again")
    assert contents(root / "again") == made
