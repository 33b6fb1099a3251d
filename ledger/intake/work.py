"""Reading one file for every extractor that wants it: opened once, hashed once, its secrets masked, its records set
aside."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple, Protocol, runtime_checkable

import msgspec
from msgspec import Struct

from t2c.ledger.intake.base import FileExtractor, Reading, Scope, Tree, Warning, materialise
from t2c.ledger.intake.given import FOUND_TOO, given_name
from t2c.ledger.intake.masking import masked
from t2c.ledger.intake.questions import Question, Watched, digest_of
from t2c.ledger.intake.spool import Spool
from t2c.ledger.redaction.funnel import Funnel

__all__ = [
    "FAILED", "Job", "Limits", "Placed", "Read", "ReadFile", "Reader", "decode_file", "encode_file",
]  # fmt: skip


class Job(NamedTuple):
    """A file to read: its repository path, the name that opens it, its size, and the stages that want it.

    `known` is the digest of what was read of it before, if that reading may be used again; `commit` binds what a
    report says to a commit. `given` are stages that a caller named the file for. `careful` has code read line by
    line, because parsing it stopped a process.
    """

    path: str
    name: str
    size: int
    stages: tuple[str, ...]
    known: bytes | None = None
    commit: str | None = None
    given: tuple[str, ...] = ()
    careful: bool = False


class Limits(NamedTuple):
    """Bytes of a file that are read; of a changelog its top, of any other file nothing if it is larger.

    A JSON file of tasks may be as large as a changelog.
    """

    file: int
    changelog: int
    report: int


@runtime_checkable
class LineReader(Protocol):
    """An extractor that can also read a file line by line, without parsing it."""

    def read_lines(self, path: str, content: bytes, tree: Tree) -> Reading: ...


class Placed(Struct, array_like=True, gc=False):
    """A record and where its `record.observed` payload stands in the spool of the process that read it."""

    id: str
    digest: bytes
    lines: tuple[int, int] | None
    at: int
    size: int


class Read(Struct, array_like=True):
    """What the extractor of one stage found in one scope."""

    stage: str
    source: str
    path: str | None
    extractor: str
    complete: bool
    records: list[Placed]
    warnings: list[Warning]


class ReadFile(Struct, array_like=True):
    """What all extractors found in one file. Nothing if it holds what is `known`; no digest if it cannot be kept."""

    digest: bytes | None
    unchanged: bool
    readings: list[Read]
    questions: list[Question]


encode_file: Final = msgspec.msgpack.Encoder().encode
decode_file: Final = msgspec.msgpack.Decoder(ReadFile).decode

_STOPPED: Final = "reader_stopped"
_BESIDE: Final = frozenset({"comments", "tags"})
"""Stages that read files which are another's first."""
FAILED: Final = "reader_failed"
"""Reason of what is left out because of a fault of this program."""


def _fault(error: Exception) -> str:
    """Where a fault of ours lies, for whoever reports it."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "nowhere"
    return f"a fault of t2c, please report it: {type(error).__name__} at {place}"


class Reader:
    """Reads the files of one root."""

    def __init__(
        self,
        root: Path,
        tree: Tree,
        extractors: Mapping[str, FileExtractor],
        limits: Limits,
        funnel: Funnel,
    ) -> None:
        self.root = root
        self.tree = tree
        self.extractors = extractors
        self.limits = limits
        self.funnel = funnel

    def read(self, job: Job, spool: Spool) -> ReadFile:
        """Every reading of one file. Never raises for what the file holds or for what keeps it from being read."""
        try:
            with (self.root / job.name).open("rb") as stream:
                content = stream.read(self._most(job))
        except OSError as error:
            detail = error.strerror or "cannot be read"
            readings = [self._nothing(stage, job, "unreadable_file", detail) for stage in job.stages]
            return ReadFile(None, False, self._kept(job, readings, spool), [])
        digest = self._content_digest(job, content)
        if digest == job.known:
            return ReadFile(digest, True, [], [])
        watched = Watched(self.tree)
        readings = [self._reading(stage, job, content, watched) for stage in job.stages]
        return ReadFile(digest, False, self._kept(job, readings, spool), watched.questions())

    def _limit(self, stage: str, path: str) -> int:
        match stage:
            case "changelog":
                return self.limits.changelog
            case "todo" if path.endswith(".json"):
                # One file holds every task that there ever was: it grows as a changelog does.
                return max(self.limits.file, self.limits.changelog)
            case "tests" | "cycle":
                return self.limits.report
        return self.limits.file

    def _reading(self, stage: str, job: Job, content: bytes, tree: Tree) -> Reading:
        limit, extractor = self._limit(stage, job.path), self.extractors[stage]
        size = max(job.size, len(content))
        if len(content) <= limit:
            try:
                if job.careful and isinstance(extractor, LineReader):
                    return extractor.read_lines(job.path, content, tree)
                return extractor.read(job.path, content, tree)
            except MemoryError:
                raise  # it ends this process, whose limit it met
            except Exception as error:  # noqa: BLE001 - a fault of ours costs this file and not the scan
                return self._nothing(stage, job, FAILED, _fault(error))
        if stage != "changelog":
            detail = f"{size:,} bytes, above the limit of {limit:,}"
            return self._nothing(stage, job, "too_large", detail)
        # The newest releases stand at the top; what was cut off is not proven absent.
        whole = content[: content.rfind(b"\n", 0, limit) + 1]
        reading = extractor.read(job.path, whole, tree)
        detail = f"the first {len(whole):,} of {size:,} bytes were read"
        part = Warning(extractor.source, job.path, "read_in_part", detail)
        return msgspec.structs.replace(reading, warnings=(*reading.warnings, part), complete=False)

    def stopped(self, job: Job, how: str) -> ReadFile:
        """What is known of a file that nobody could read without being stopped."""
        detail = f"reading it took more than a process may take ({how})"
        readings = [self._nothing(stage, job, _STOPPED, detail) for stage in job.stages]
        return ReadFile(self._digest(job), False, self._kept(job, readings, None), [])

    def note(self, read: ReadFile, job: Job, how: str) -> None:
        """Say of a file that its code was read line by line, and why."""
        detail = f"parsing it took more than a process may take ({how}); it was read line by line"
        for reading in read.readings:
            if reading.source == "ast":
                reading.warnings.append(Warning(reading.source, job.path, _STOPPED, detail))
                reading.complete = False

    def _digest(self, job: Job) -> bytes | None:
        try:
            with (self.root / job.name).open("rb") as stream:
                return self._content_digest(job, stream.read(self._most(job)))
        except OSError:
            return None

    def _most(self, job: Job) -> int:
        return max(self._limit(stage, job.path) for stage in job.stages) + 1

    @staticmethod
    def _content_digest(job: Job, content: bytes) -> bytes:
        """Of the whole content; of a file that was not read whole, of what was read and of its size."""
        return digest_of(content + b"%d" % job.size if len(content) < job.size else content)

    def _nothing(self, stage: str, job: Job, reason: str, detail: str) -> Reading:
        """A reading without anything. A file that nobody can read is told of once, by the first stage whose it is."""
        extractor = self.extractors[stage]
        teller = next((name for name in job.stages if name not in _BESIDE), job.stages[0])
        told = (
            (Warning(extractor.source, job.path, reason, detail),)
            if stage == teller or reason == FAILED
            else ()
        )
        return Reading(Scope(extractor.source, job.path), extractor.name, (), told, complete=False)

    def _kept(self, job: Job, readings: list[Reading], spool: Spool | None) -> list[Read]:
        kept = [
            self.set_aside(stage, reading, spool, job)
            for stage, reading in zip(job.stages, readings, strict=True)
        ]
        if spool is not None:
            spool.flush()
        return kept

    def set_aside(self, stage: str, reading: Reading, spool: Spool | None, job: Job | None = None) -> Read:
        """A reading with its secrets masked and its records in the spool, not yet flushed. One without records
        needs no spool."""
        if job is not None and stage in job.given:
            if job.commit is not None and stage == "tests":
                from t2c.ledger.intake.reports.extractor import bound

                reading = bound(reading, job.commit)
            if stage in FOUND_TOO:
                reading = msgspec.structs.replace(reading, extractor=given_name(reading.extractor))
        reading = masked(reading, self.funnel)
        records = [
            Placed(found.id, found.digest, found.lines, spool.put(found.payload), len(found.payload))
            for found in materialise(reading)
            if spool is not None
        ]
        source, path = reading.scope
        return Read(stage, source, path, reading.extractor, reading.complete, records, list(reading.warnings))
