"""`t2c run`: every stage in the contract's order under one run id, and the folder that tells of it (decisions E2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

from t2c import __version__
from t2c.cli.actions.context import Context
from t2c.cli.actions.given import given_files
from t2c.cli.actions.opening import open_ledger, turn_of
from t2c.cli.actions.project import project_all
from t2c.cli.actions.readings import appended_by
from t2c.cli.actions.recording import closed
from t2c.cli.actions.revision import standing_at
from t2c.cli.actions.run_configuration import configuration_of
from t2c.cli.actions.run_folder import (
    ending_folder,
    folder_of,
    prepared,
    publish,
    runs_told,
    stage_folder,
    write_latest,
)
from t2c.cli.actions.scan import prepare, scanned
from t2c.cli.actions.synthesis import chosen_mode, folded_for, inputs_of
from t2c.ledger.engine import Created, Ledger
from t2c.ledger.errors import T2cError, Usage
from t2c.ledger.events.draft import draft
from t2c.ledger.events.runs import RunFinished, RunStarted, StageFinished, StageStatus
from t2c.ledger.journal.position import Position
from t2c.ledger.kernel.clock import rfc3339
from t2c.ledger.kernel.ids import RunId, run_id
from t2c.ledger.kernel.paths import is_invisible, repo_path
from t2c.ledger.standing import load
from t2c.projections.manifest import PERSISTENCE, VERB
from t2c.projections.manifest.document import stage_of

__all__ = ["DISABLED", "RunRequest", "RunResult", "run"]

DISABLED: Final = "disabled"
"""The mode of a synthesis of tasks that is not asked for."""
_FAILED: Final = "failed"
_AT_PROGRESS: Final = {"link": "linking", "interpret": "naturalLanguageExtraction"}
"""What the progress of a scan tells of the stage that it is in."""


class RunRequest(NamedTuple):
    """What a run is asked to do. `out` is the folder for `runs/` and `latest.json`, as the caller wrote it; a mode of
    None is what the settings say, and for tasks that none are asked for."""

    tasks: Sequence[str] = ()
    reports: Sequence[str] = ()
    commit: str | None = None
    cycles: Sequence[str] = ()
    task_synthesis: str | None = None
    summary: str | None = None
    communication: bool = True
    out: str | None = None


@dataclass(frozen=True, slots=True)
class RunResult:
    """A run that came to its end; `folder` is where its files lie, seen from the root, and `manifest` the one of them
    that tells of the others. `appended` counts its events by type."""

    schema: ClassVar[str] = "t2c.run-result/v1"
    run: str
    status: str
    folder: str
    seq: int
    made: bool
    appended: Mapping[str, int]
    manifest: Mapping[str, Any]
    notices: Sequence[str]


def run(context: Context, request: RunRequest, state: Path) -> RunResult:
    """Scan, link, diagnose, synthesise, plan, summarise, and write the folder of the run.

    Whatever goes wrong after it began leaves a failed run in the journal and a failed manifest, and `latest.json` as it
    was; the error is raised as it is, its details name the run, the stage and the manifest. Raises Usage for a mode or a
    folder that is none, and what a scan raises.
    """
    settings = context.settings.llm
    summary = chosen_mode(request.summary, settings.summary, settings.mode)
    tasks = DISABLED
    if request.task_synthesis not in (None, DISABLED):
        tasks = chosen_mode(request.task_synthesis, settings.tasks, "live")
        if tasks == "deterministic":
            raise Usage(
                "without a model no tasks are proposed: what findings ask for is no synthesis",
                remedy=f"give --task-synthesis prefer-llm, require-llm or {DISABLED}",
            )
    out = _out(context, request.out)
    created = prepare(context, asks=True)
    with turn_of(context), open_ledger(context, hold=True) as ledger:
        ledger.append(())
        work = _Work(context, ledger, created, request, state, out, {"tasks": tasks, "summary": summary})
        work.begin()
        try:
            return work.done()
        except BaseException as error:
            work.broke(error)
            raise


class _Work:
    """One run, from the event that begins it to the file that says that it is the latest."""

    def __init__(
        self,
        context: Context,
        ledger: Ledger,
        created: Created,
        request: RunRequest,
        state: Path,
        out: Path,
        modes: Mapping[str, str],
    ) -> None:
        self._context = context
        self._ledger = ledger
        self._created = created
        self._request = request
        self._state = state
        self._out = out
        self._modes = modes
        self._stage = "setup"
        self._run = RunId("")
        self._before: Position = ledger.head()
        self._over = False
        self._notices: list[str] = []

    def begin(self) -> None:
        """Record that the run begins, and that those did not end which were killed; these get their manifests."""
        standing = load(self._ledger)
        self._before = self._ledger.head()
        self._run = run_id(self._before.hash, rfc3339(self._context.clock.now()))
        ends = closed(standing.state)
        llm = self._context.settings.llm
        revision, branch = standing_at(self._context.root)
        started = RunStarted(
            verb=VERB,
            requested_by=self._context.settings.actor,
            tool=f"t2c {__version__}",
            revision=revision,
            branch=branch,
            options={
                "configuration": configuration_of(self._context, self._modes, self._request.communication),
                "documents": "deterministic" if llm.mode == "off" else llm.documents,
                "summary": self._modes["summary"],
                "llm": llm.mode,
                "out": repo_path(self._context.root, self._out),
            },
        )
        self._ledger.append([*ends, draft(started, run=self._run)])
        if ends:
            told = runs_told(self._ledger)
            for identity in sorted({one.run or "" for one in ends} & told.keys()):
                with suppress(T2cError):
                    self._write_failed(identity, Path(str(told[identity].options.get("out", ".t2c"))))

    def done(self) -> RunResult:
        """All stages."""
        context = self._context
        prepared(self._out / "runs")
        self._scan()
        self._at("diagnostics")
        folded = folded_for(self._ledger, "proposals")
        from t2c.projections.diagnostics import findings_of

        found = Counter(finding.severity for finding in findings_of(inputs_of(folded)))
        self._passed("diagnostics", counts=dict(sorted(found.items())))
        del folded
        self._synthesise()
        self._plan()
        self._summarise()
        self._at(PERSISTENCE)
        context.progress("write", 0, None)
        folder = ending_folder(self._ledger, self._run)
        staged = stage_folder(self._out / "runs", self._run, folder.files)
        # Nothing says that the run succeeded before its folder is there as a whole.
        publish(staged, self._out / "runs" / self._run)
        self._passed(PERSISTENCE, counts={"written": len(folder.files)})
        status = folder.manifest["status"]
        appended = appended_by(self._ledger, self._run, self._before)
        finished = RunFinished(
            status="succeeded" if status == "succeeded" else "partial",
            appended=dict(sorted(appended.items())),
            detail=None,
        )
        self._ledger.append([draft(finished, run=self._run)])
        self._over = True
        assert folder.latest is not None
        write_latest(self._out, folder.latest)
        project_all(context, self._ledger)
        return RunResult(
            run=self._run,
            status=status,
            folder=repo_path(context.root, self._out / "runs" / self._run),
            seq=self._ledger.head().seq,
            made=self._created.made,
            appended=dict(sorted(appended.items())),
            manifest=folder.manifest,
            notices=tuple(self._notices),
        )

    def broke(self, error: BaseException) -> None:
        """Record that the run failed and where, and write its manifest; whatever more goes wrong is only told."""
        stage = stage_of(self._stage)
        if isinstance(error, T2cError):
            error.details.setdefault("run", str(self._run))
            error.details.setdefault("stage", stage)
        if self._over:
            return
        code, message = _why(error, stage)
        detail = f"{code}: {message}"
        try:
            appended = appended_by(self._ledger, self._run, self._before)
            appended["stage.finished"] += 1
            ends = [
                StageFinished(stage=stage, status=_FAILED, counts={}, detail=detail),
                RunFinished(
                    status=_FAILED, appended=dict(sorted(appended.items())), detail=f"{stage}: {message}"
                ),
            ]
            self._ledger.append([draft(one, run=self._run) for one in ends])
            self._over = True
            shown = self._write_failed(self._run, Path(repo_path(self._context.root, self._out)))
        except (T2cError, OSError) as second:
            if isinstance(error, T2cError):
                error.details.setdefault("manifest", None)
                error.details.setdefault("unwritten", str(second))
            return
        if isinstance(error, T2cError):
            error.details.setdefault("manifest", shown)

    def _write_failed(self, identity: str, out: Path) -> str:
        parent = self._context.path(self._context.root / out) / "runs"
        folder = folder_of(self._ledger, identity)
        publish(stage_folder(parent, identity, folder.files), parent / identity, instead=True)
        return repo_path(self._context.root, parent / identity / "manifest.json")

    def _scan(self) -> None:
        """Everything that reads sources, links, and asks a model how it reads them."""
        self._at("naturalLanguageExtraction")
        context, asked = self._context, self._request
        given = given_files(context, "nl", asked.tasks)
        self._at("runtimeExtraction")
        given += given_files(context, "tests", asked.reports, asked.commit)
        given += given_files(context, "cycle", asked.cycles)
        self._at("setup")

        def progress(stage: str, done: int, total: int | None) -> None:
            self._at(_AT_PROGRESS.get(stage, self._stage))
            context.progress(stage, done, total)

        found = scanned(
            context._replace(progress=progress), self._ledger, self._created, given, self._state, self._run
        )
        self._notices += found.notices
        self._notices += [text for audit in found.result.interpretation for text in audit.warnings]
        if found.failure is not None:
            audit = found.failure.details.get("audit")
            failed = [name for name, status in found.result.stages.items() if status == _FAILED]
            if failed:
                self._at(failed[0])
            elif isinstance(audit, Mapping):
                self._at(str(audit.get("stage", "")))
            raise found.failure

    def _synthesise(self) -> None:
        self._at("taskSynthesis")
        mode = self._modes["tasks"]
        if mode == DISABLED:
            self._left("taskSynthesis", "no tasks were asked for: --task-synthesis MODE")
            self._left("todoRendering", "there are no tasks to render")
            return
        from t2c.cli.actions.proposing import propose

        found = propose(self._context, mode, "en", self._state)
        self._notices += found.notices
        audit = found.document["audit"]
        counts = {"proposals": len(found.document["proposals"])}
        self._passed("taskSynthesis", audit["status"], counts, _detail(audit))
        self._at("todoRendering")
        from t2c.cli.actions.todo_render import render

        patch = render(self._context, None, None)
        if patch.hash is None:
            self._left("todoRendering", "there is no new task to render")
        else:
            self._passed("todoRendering", detail=patch.hash)

    def _plan(self) -> None:
        self._at("codeChangePlanning")
        from t2c.cli.actions.planning import plan

        found = plan(self._context)
        self._passed(
            "codeChangePlanning",
            counts={"plans": len(found.plans) + len(found.kept), "considered": found.considered},
        )

    def _summarise(self) -> None:
        self._at("summary")
        from t2c.cli.actions.summarize import SummaryRequest, summarize

        found = summarize(self._context, SummaryRequest(self._modes["summary"]), self._state)
        self._notices += found.notices
        counts = {"conclusions": len(found.result.conclusions)}
        audit = found.result.audit
        if audit is None:
            self._passed("summary", counts=counts)
        else:
            self._passed("summary", audit["status"], counts, _detail(audit))

    def _at(self, stage: str) -> None:
        self._stage = stage

    def _left(self, stage: str, why: str) -> None:
        self._passed(stage, "skipped", {}, f"STAGE_SKIPPED: {why}")

    def _passed(
        self,
        stage: str,
        status: StageStatus = "succeeded",
        counts: Mapping[str, int] | None = None,
        detail: str | None = None,
    ) -> None:
        finished = StageFinished(stage=stage, status=status, counts=dict(counts or {}), detail=detail)
        self._ledger.append([draft(finished, run=self._run)])


def _out(context: Context, given: str | None) -> Path:
    """The folder for runs. Raises Usage where it leads outside the root, or among the ledger's own files."""
    if given is None:
        return context.workspace
    path = context.path(given)
    if path == context.workspace:
        return path
    if path.exists() and not path.is_dir():
        raise Usage(
            f"{given} is no folder", where="--out", remedy="name a folder, or one that does not exist yet"
        )
    if path != context.root and is_invisible(repo_path(context.root, path)):
        raise Usage(f"{given} lies among the ledger's own files", where="--out", remedy="name another folder")
    return path


def _detail(audit: Mapping[str, Any]) -> str | None:
    reason = audit["reason"]
    return None if reason is None else f"{reason['code']}: {reason['message']}"


def _why(error: BaseException, stage: str) -> tuple[str, str]:
    """The code and the sentence for what stopped a run."""
    if isinstance(error, T2cError):
        code = error.details.get("code")
        audit = error.details.get("audit")
        if (
            not isinstance(code, str)
            and isinstance(audit, Mapping)
            and isinstance(audit.get("reason"), Mapping)
        ):
            code = audit["reason"].get("code")
        words = "".join(f"_{letter}" if letter.isupper() else letter for letter in stage).upper()
        return (code if isinstance(code, str) else f"PIPELINE_{words}_FAILED"), error.what
    if isinstance(error, KeyboardInterrupt | SystemExit):
        return "PIPELINE_INTERRUPTED", "the run was interrupted"
    return "PIPELINE_INTERNAL_ERROR", f"a fault of t2c itself: {type(error).__name__}"
