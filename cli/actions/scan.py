"""`t2c scan`: observe the sources, record only the difference, link, project."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import orjson

from t2c.cli.actions.context import Context
from t2c.cli.actions.given import Given
from t2c.cli.actions.keeping import keep_links, keep_read, kept_links_of, kept_of
from t2c.cli.actions.opening import make_ledger, open_ledger, turn_of
from t2c.cli.actions.project import project_all
from t2c.cli.actions.reading import read_sources
from t2c.cli.actions.recording import Recording
from t2c.ledger.commands.evidence import EvidenceState
from t2c.ledger.engine import WORKSPACE, Created, Ledger
from t2c.ledger.errors import Environment, T2cError, Usage
from t2c.ledger.standing import keep, load

if TYPE_CHECKING:
    from t2c.cli.actions.interpreting import StageAudit
    from t2c.ledger.journal.position import Position
    from t2c.ledger.kernel.ids import RunId

__all__ = ["ScanResult", "Scanned", "StageRow", "prepare", "scan", "scanned"]


@dataclass(frozen=True, slots=True)
class StageRow:
    """How one stage went: the files it wants, those of them that were not read again, what stands and what is left
    out of them. The files of `inventory` are all that were found."""

    name: str
    status: str
    files: int
    unchanged: int
    records: int
    omissions: int


@dataclass(frozen=True, slots=True)
class ScanResult:
    """What a scan did. `run` is None when nothing differed: then nothing was appended but ends of older runs, and what
    a model was asked and said of the records, in the run `interpreted_by`.

    `appended` counts the events of both. `records` counts what stands by source, `omissions` what is left out by reason, `stages` says how each went, and
    `interpretation` what a model was asked about the records, where one was.
    """

    schema: ClassVar[str] = "t2c.scan/v1"
    run: str | None
    appended: Mapping[str, int]
    records: Mapping[str, int]
    omissions: Mapping[str, int]
    relations: int
    stages: Mapping[str, str]
    table: Sequence[StageRow]
    ledger: str
    seq: int
    made: bool
    interpretation: Sequence[StageAudit] = ()
    interpreted_by: str | None = None


class Scanned(NamedTuple):
    """A scan's result, what stopped one of its stages while the others went on, and what is left out of the files
    that the caller named."""

    result: ScanResult
    failure: T2cError | None
    notices: tuple[str, ...] = ()


def scan(context: Context, given: Sequence[Given] = (), state: Path | None = None) -> Scanned:
    """Observe the root, and the files that the caller names. A second scan of an unchanged tree appends nothing.

    Where `llm.mode` is not off, a model is asked about the records; `state` is then the user's state folder.

    Makes the ledger if there is none and repairs an unfinished end. Scans of one ledger take turns. Raises what
    the ledger raises; a failing stage does not stop the others and is told in the result.
    """
    created = prepare(context, asks=state is not None)
    with turn_of(context), open_ledger(context, hold=True) as ledger:
        ledger.append(())
        return scanned(context, ledger, created, given, state)


def prepare(context: Context, *, asks: bool) -> Created:
    """Make sure that the root can be scanned, and its ledger. Raises Usage, Environment and what making one raises."""
    inside = {".git", WORKSPACE}.intersection(context.root.parts)
    if inside:
        raise Usage(
            f"the root {context.root} lies inside {min(inside)}",
            safe="nothing was written",
            remedy="give the repository itself as the root",
        )
    if _is_bare(context.root):
        raise Usage(
            f"{context.root} is a bare Git repository, which holds no files to read",
            safe="nothing was written",
            remedy="scan a checkout of it: git clone",
        )
    if asks and context.settings.llm.mode != "off":
        from t2c.cli.actions.model import check_recordings

        check_recordings(context)
    created = make_ledger(context)
    turns = context.workspace / "locks"
    try:
        turns.mkdir(exist_ok=True)
    except OSError as error:
        raise Environment(
            f"the folder of locks cannot be made: {error.strerror}",
            where=str(turns),
            safe="nothing was written",
            remedy=f"move {turns} away, or make its folder writable",
        ) from error
    return created


def scanned(
    context: Context,
    ledger: Ledger,
    created: Created,
    given: Sequence[Given],
    state: Path | None,
    within: RunId | None = None,
) -> Scanned:
    """A scan by somebody whose turn it is; as part of the run `within`, where one has begun."""
    standing = load(ledger)
    kept = kept_of(ledger, standing)
    sources = read_sources(context, standing.state, kept, given=given)
    recording = Recording(context, ledger, sources, kept_links_of(ledger, standing), within)
    standing = recording.record(standing)
    keep(ledger, standing)
    keep_read(ledger, standing, sources.kept)
    if recording.kept is not None:
        keep_links(ledger, standing, recording.kept)
    run = recording.run if recording.appended["run.started"] else None
    stages = {stage.name: str(stage.status) for stage in sources.stages} | {"link": "succeeded"}
    table = [
        StageRow(item.name, item.status, item.files, item.unchanged, item.records, item.omissions)
        for item in sources.stages
    ]
    named = {item.path for item in given}
    notices = tuple(
        f"{warning.path}: {warning.reason}: {warning.detail}"
        for item in sources.stages
        for warning in item.warnings
        if warning.path in named
    )
    failures = [stage.failure for stage in sources.stages if stage.failure is not None]
    appended = dict(sorted(recording.appended.items()))
    revision = sources.revision
    del recording, sources  # what was read is recorded: the views are made from the journal alone
    stood, seq = standing.state, standing.position.seq
    result = ScanResult(
        run=run,
        appended=appended,
        records=dict(sorted(Counter(live.source for live in stood.records.values()).items())),
        omissions=_omissions(stood),
        relations=len(stood.relations),
        stages=stages,
        table=table,
        ledger=created.ledger,
        seq=seq,
        made=created.made,
    )
    del standing, stood
    if state is not None and context.settings.llm.mode != "off":
        before, asking_run = ledger.head(), within or _interpreting_run(context, ledger)
        try:
            audits = _interpreted(context, ledger, state, revision, asking_run, within=within is not None)
            result = replace(result, interpretation=audits)
        except T2cError as failure:
            failures.append(failure)
        result = _with_asked(result, ledger, asking_run, before)
    try:
        if within is None:
            project_all(context, ledger)
    except T2cError as failure:
        failure.safe = f"what the scan recorded is in the journal, up to seq {result.seq}"
        failures.append(failure)
    return Scanned(result, failures[0] if failures else None, notices)


def _interpreting_run(context: Context, ledger: Ledger) -> RunId:
    from t2c.cli.actions.readings import run_of

    return run_of(context, ledger)


def _with_asked(result: ScanResult, ledger: Ledger, run: RunId, before: Position) -> ScanResult:
    """The result with what was recorded of asking a model, whether that went well or not."""
    from t2c.cli.actions.readings import appended_by

    asked = appended_by(ledger, run, before)
    return replace(
        result,
        appended=dict(sorted((asked + Counter(result.appended)).items())),
        interpreted_by=run if asked else None,
        seq=ledger.head().seq,
    )


def _interpreted(
    context: Context, ledger: Ledger, state: Path, revision: str | None, run: RunId, *, within: bool
) -> Sequence[StageAudit]:
    """Ask about the records that stand, as of a revision of Git where there is one."""
    from t2c.cli.actions.interpreting import STAGES, interpret
    from t2c.cli.actions.model import asker_of

    llm = context.settings.llm
    with asker_of(context, ledger, state, run=run) as asker:
        last = None
        if llm.semantic:
            from t2c.cli.actions.semantic import judged

            last = partial(judged, context, ledger, asker, revision)
        return interpret(
            context, ledger, asker, {name: getattr(llm, name) for name in STAGES}, run, last, within
        )


def _is_bare(root: Path) -> bool:
    """True for the folder of a Git repository that has no work tree."""
    return (root / "HEAD").is_file() and (root / "objects").is_dir() and (root / "refs").is_dir()


def _omissions(state: EvidenceState) -> dict[str, int]:
    """What is left out, by reason."""
    counts: Counter[str] = Counter()
    for key, live in state.omissions.items():
        counts[orjson.loads(key)[2]] += live.count
    return dict(sorted(counts.items()))
