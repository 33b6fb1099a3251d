"""Reading the sources of a root: every stage of a scan up to the point where something may be recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from t2c.cli.actions.context import Context
from t2c.cli.actions.given import Given
from t2c.cli.actions.hidden import hidden_files
from t2c.cli.actions.history import HistoryRead, history_of, pack_history, unpack_history
from t2c.cli.actions.jobs import Plan, plan_jobs, stamp
from t2c.cli.actions.opening import funnel_of
from t2c.ledger.commands.evidence import EvidenceState, Observation, Observed
from t2c.ledger.errors import Environment, T2cError
from t2c.ledger.events.runs import StageStatus
from t2c.ledger.intake import pool
from t2c.ledger.intake.base import FileExtractor, Warning
from t2c.ledger.intake.given import given_by_hand
from t2c.ledger.intake.inventory import Inventory, take_inventory
from t2c.ledger.intake.kept import Kept, KeptFile, KeptReading, settled
from t2c.ledger.intake.registry import file_extractors
from t2c.ledger.intake.spool import Set, Spool
from t2c.ledger.intake.work import Job, Limits, Read, Reader, ReadFile, decode_file, encode_file
from t2c.ledger.kernel.digests import ZERO

__all__ = ["Sources", "Stage", "read_sources"]

_WORTH: Final = 256 << 10
"""Bytes to read for which a further process is worth its start."""
_MOST: Final = 8
_A_SECOND: Final = 150_000
"""Bytes for which a process may take a second more: of the largest changelog that is read whole, a minute."""


@dataclass(slots=True)
class Stage:
    """One source as it was read: its scopes, what was left out, and how it went.

    `files` counts the files that it wants, `unchanged` those of them that were not read again, of which
    `kept_records` and `kept_omissions` count what stands; `kept_whole` is False if one was read in part.
    """

    name: str
    source: str
    scopes: list[Observed] = field(default_factory=list)
    warnings: list[Warning] = field(default_factory=list)
    failure: T2cError | None = None
    files: int = 0
    unchanged: int = 0
    kept_records: int = 0
    kept_omissions: int = 0
    kept_whole: bool = True
    looked: bool = True
    """False if the stage was not run, so that it says nothing of what is absent."""

    @property
    def status(self) -> StageStatus:
        """failed: nothing of it can be trusted to be whole. partial: some scope was not read completely."""
        if self.failure is not None:
            return "failed"
        whole = self.kept_whole and all(scope.complete for scope in self.scopes)
        return "succeeded" if whole else "partial"

    @property
    def records(self) -> int:
        """How many records its files hold."""
        return self.kept_records + sum(len(scope.records) for scope in self.scopes)

    @property
    def omissions(self) -> int:
        """How much of its files is left out."""
        return self.kept_omissions + sum(warning.count for warning in self.warnings)

    def take(self, read: Read, spool: Spool) -> None:
        """Add one reading, whose records stand in `spool`."""
        records = [
            Observation(item.id, item.digest, item.lines, Set(spool, item.at, item.size))
            for item in read.records
        ]
        self.scopes.append(Observed(read.source, read.path, read.complete, records))
        self.warnings += read.warnings

    def stand(self, reading: KeptReading) -> None:
        """Count a file that was not read again."""
        self.files += 1
        self.unchanged += 1
        self.kept_records += reading.records
        self.kept_omissions += reading.omissions
        self.warnings += reading.elsewhere
        self.kept_whole &= reading.complete


@dataclass(slots=True)
class Sources:
    """Everything that was read. `reachable` are the commits of the history, None if that is not known.

    `unread` are folders that could not be entered: nothing below them is proven absent. `unchanged` are scopes that
    were not read again, because they hold what is recorded of them; `by_hand` those that the caller gave.
    """

    stages: list[Stage]
    inventory: Inventory
    kept: Kept
    unchanged: frozenset[tuple[str, str | None]] = frozenset()
    by_hand: frozenset[tuple[str, str | None]] = frozenset()
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


def read_sources(
    context: Context,
    state: EvidenceState,
    kept: Kept | None = None,
    *,
    given: Sequence[Given] = (),
    only: frozenset[str] | None = None,
    alone: bool = False,
) -> Sources:
    """Read the whole tree and the history. Nothing is recorded; what fails is a stage that says so.

    `kept` is what an earlier scan kept of files that still hold what is recorded. `given` are files that the caller
    names, `only` the stages to run (None: all). `alone` reads the given files and nothing else.
    """
    from t2c.ledger.intake.code.languages import unread_languages
    from t2c.ledger.intake.comments.tags import unread_endings

    settings, progress = context.settings.scan, context.progress
    inventory = take_inventory(context.root, exclude=settings.exclude, progress=progress)
    extractors = {
        name: extractor
        for name, extractor in file_extractors(settings).items()
        if only is None or name in only
    }
    mark = stamp(context, extractors)
    believed = kept if kept is not None and kept.stamp == mark else None
    held = frozenset(
        (live.source, live.path) for live in state.records.values() if given_by_hand(live.extractor)
    )
    plan = plan_jobs(inventory, {} if alone else extractors, believed, given, held)
    first = Stage("inventory", "inventory", warnings=list(inventory.warnings), files=len(inventory.files))
    hidden = hidden_files(context.root, inventory, plan.names, believed)
    first.warnings += hidden.warnings
    stages = [first, *(Stage(name, extractor.source) for name, extractor in extractors.items())]
    sources = Sources(stages, inventory, Kept(mark, (0, ZERO, 0), plan.names, {}, b"", hidden))
    sources.unread = tuple(
        warning.path or "" for warning in inventory.warnings if warning.reason == "unreadable_folder"
    )
    sources.by_hand = frozenset((extractors[item.stage].source, item.path) for item in given)
    past = history_of(context, state, believed) if only is None or "git" in only else None
    _Reading(context, inventory, extractors, plan, sources).run(past)
    if past is not None:
        # What stands is counted already: tags are read anew with the history though their records stand.
        git = sources.stages[-1]
        git.kept_records -= sum(one.id in state.records for scope in git.scopes for one in scope.records)
    if not alone:
        for stage in stages:
            paths = (entry.path for entry in inventory.files)
            if stage.name == "code":
                stage.warnings += unread_languages(paths, extractors["code"].wants)
            elif stage.name == "comments":
                stage.warnings += unread_endings(paths)
    return sources


def _kept(read: Read) -> KeptReading:
    """What to keep of a reading. Warnings about its own file stand while it is not read again."""
    own = sum(warning.count for warning in read.warnings if warning.path == read.path)
    elsewhere = [warning for warning in read.warnings if warning.path != read.path]
    return KeptReading(read.complete, len(read.records), own, elsewhere)


class _Reading:
    """One pass over the files to read and the history, in as many processes as are worth it."""

    def __init__(
        self,
        context: Context,
        inventory: Inventory,
        extractors: Mapping[str, FileExtractor],
        plan: Plan,
        sources: Sources,
    ) -> None:
        settings = context.settings.scan
        self.context = context
        self.plan = plan
        self.sources = sources
        self.stages = {stage.name: stage for stage in sources.stages}
        limits = Limits(settings.max_file_bytes, settings.max_changelog_bytes, settings.max_report_bytes)
        self.reader = Reader(context.root, inventory, extractors, limits, funnel_of(context))
        self.spools: list[Spool] = []
        self.started = 0
        self.resumed = False

    def run(self, past: HistoryRead | None) -> None:
        """Read everything; fills the stages in the order of paths, whatever came first."""
        jobs = self.plan.jobs
        found: dict[int, tuple[ReadFile, Spool]] = {}
        if jobs or (past is not None and past.wanted):
            self._prepare(past is not None and past.wanted)
            stopped = self._read(jobs, past, found)
            self._again(stopped, found)
        for path, file in self.plan.unchanged.items():
            self._stands(path, file)
        for index, job in enumerate(jobs):
            self._take(job, *found[index])
        if past is not None:
            self._history(past)
        self.sources.unchanged = frozenset(
            (self.reader.extractors[name].source, path)
            for path, file in self.sources.kept.files.items()
            if path in self.plan.unchanged
            for name in file.stages
        )

    def _prepare(self, history: bool) -> None:
        folder = self.context.workspace / "cache"
        size = sum(job.size for job in self.plan.jobs)
        most = self.context.settings.scan.processes or min(pool.available_processors(), _MOST)
        number = max(1, min(most, size // _WORTH + history))
        try:
            self.spools = [Spool(folder if folder.is_dir() else None) for _ in range(number)]
        except OSError as error:
            raise Environment(
                f"no temporary file can be made: {error.strerror}",
                safe="nothing was recorded",
                remedy="free some space on the disk, or set TMPDIR to a folder that can be written",
            ) from error
        self.started = self.spools[0].made_at

    def _spool(self, slot: int) -> Spool:
        """The spool that a child writes to, going on after whoever had its slot before."""
        if not self.resumed:
            self.spools[slot].resume()
            self.resumed = True
        return self.spools[slot]

    def _read(
        self, jobs: Sequence[Job], past: HistoryRead | None, found: dict[int, tuple[ReadFile, Spool]]
    ) -> dict[int, pool.Stopped]:
        """Read the files, and the history first where it is wanted; returns what stopped a process."""
        first = int(past is not None and past.wanted)
        stopped: dict[int, pool.Stopped] = {}

        def work(slot: int, index: int) -> bytes:
            spool = self._spool(slot)
            if index < first:
                assert past is not None
                return pack_history(past, self.reader, spool)
            return encode_file(self.reader.read(jobs[index - first], spool))

        answers = pool.run(
            first + len(jobs),
            work,
            processes=len(self.spools),
            unlimited=range(first),
            seconds=lambda index: pool.SECONDS + jobs[index - first].size // _A_SECOND,
        )
        for done, (index, slot, answer) in enumerate(answers, 1):
            self.context.progress("read", done, first + len(jobs))
            if index < first:
                assert past is not None
                if isinstance(answer, pool.Stopped):
                    past.failure = Environment(f"the process that read the history ended: {answer.how}")
                else:
                    unpack_history(past, answer, self.spools[slot])
            elif isinstance(answer, pool.Stopped):
                stopped[index - first] = answer
            else:
                found[index - first] = decode_file(answer), self.spools[slot]
        return stopped

    def _again(self, stopped: Mapping[int, pool.Stopped], found: dict[int, tuple[ReadFile, Spool]]) -> None:
        """Read what stopped a process once more, line by line where it is code, and say so."""
        jobs = {index: self.plan.jobs[index] for index in sorted(stopped)}
        again = [(index, job._replace(careful=True)) for index, job in jobs.items()]
        still: dict[int, pool.Stopped] = {}
        if again:
            parts: dict[int, tuple[ReadFile, Spool]] = {}
            still = self._read([job for _, job in again], None, parts)
            for place, answer in parts.items():
                found[again[place][0]] = answer
        for place, (index, job) in enumerate(again):
            how = stopped[index].how
            if place in still:
                found[index] = self.reader.stopped(job, how), self.spools[0]
            else:
                self.reader.note(found[index][0], job, how)

    def _take(self, job: Job, read: ReadFile, spool: Spool) -> None:
        entry = self.plan.entries.get(job.path)
        if read.unchanged:
            old = self.plan.known[job.path]
            assert entry is not None
            old.stat = settled(entry, self.started)
            self.plan.unchanged[job.path] = old
            self._stands(job.path, old)
            return
        for reading in read.readings:
            stage = self.stages[reading.stage]
            stage.files += 1
            stage.take(reading, spool)
        if entry is not None and read.digest is not None and job.commit is None:
            self.sources.kept.files[job.path] = KeptFile(
                settled(entry, self.started),
                read.digest,
                job.stages,
                tuple(_kept(item) for item in read.readings),
                read.questions,
            )

    def _stands(self, path: str, file: KeptFile) -> None:
        self.sources.kept.files[path] = file
        for name, reading in zip(file.stages, file.readings, strict=True):
            self.stages[name].stand(reading)

    def _history(self, past: HistoryRead) -> None:
        stage = Stage("git", "git", looked=past.wanted)
        self.sources.stages.append(stage)
        for read, spool in past.reads:
            stage.take(read, spool)
        stage.failure = past.failure
        stage.kept_records = past.standing
        if past.failure is not None:
            stage.warnings.append(Warning("git", None, "git_failed", past.failure.what))
        self.sources.revision, self.sources.branch = past.head, past.branch
        self.sources.reachable = past.reachable
        self.sources.kept.history = past.seen
