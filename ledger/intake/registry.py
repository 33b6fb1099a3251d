"""Every extractor of files by the name of its stage, in the order in which a scan runs them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from t2c.ledger.events.record import SourceKind
from t2c.ledger.intake.base import FileExtractor, Reading, Tree
from t2c.ledger.intake.changelog import ChangelogExtractor
from t2c.ledger.intake.changes.fragments import FragmentExtractor
from t2c.ledger.intake.code.extractor import ANYWAY, CodeExtractor
from t2c.ledger.intake.comments.markers import MarkerExtractor
from t2c.ledger.intake.comments.tags import TagExtractor
from t2c.ledger.intake.communication.extractor import CommunicationExtractor
from t2c.ledger.intake.config.extractor import ConfigExtractor
from t2c.ledger.intake.cycle import CycleExtractor
from t2c.ledger.intake.docs.extractor import DocumentExtractor
from t2c.ledger.intake.nl.extractor import NlExtractor
from t2c.ledger.intake.reports.extractor import TestReportExtractor
from t2c.ledger.intake.tasks.records import TaskRecordExtractor
from t2c.ledger.intake.todo import TodoExtractor

__all__ = ["Choices", "file_extractors", "stamp_of"]


class Choices(Protocol):
    """What of the settings decides how files are read: the words that mark a task in a comment, and the folder in
    which a team writes to one another."""

    @property
    def markers(self) -> tuple[str, ...]: ...

    @property
    def communication(self) -> str: ...

    @property
    def read_generated(self) -> bool: ...


class Family:
    """Extractors of one source that share a stage: a file is read by the first that wants it."""

    def __init__(self, *members: FileExtractor) -> None:
        """The first member also reads what none of them would look for."""
        self._members = members
        self.name = members[0].name
        self.source: SourceKind = members[0].source
        self.stamp = " ".join(map(stamp_of, members))

    def wants(self, path: str) -> bool:
        """True if one of them wants it."""
        return any(member.wants(path) for member in self._members)

    def read(self, path: str, content: bytes, tree: Tree) -> Reading:
        """What the first that wants it reads."""
        reader = next((member for member in self._members if member.wants(path)), self._members[0])
        return reader.read(path, content, tree)


def file_extractors(choices: Choices) -> Mapping[str, FileExtractor]:
    """The extractors, made for these settings."""
    return {
        "nl": NlExtractor(),
        "todo": Family(TodoExtractor(), TaskRecordExtractor()),
        "comments": MarkerExtractor(choices.markers),
        "changelog": Family(ChangelogExtractor(), FragmentExtractor()),
        "docs": DocumentExtractor(),
        "tags": TagExtractor(),
        "code": CodeExtractor(ANYWAY if choices.read_generated else frozenset()),
        "config": ConfigExtractor(),
        "tests": TestReportExtractor(),
        "cycle": CycleExtractor(),
        "communication": CommunicationExtractor(choices.communication),
    }


def stamp_of(extractor: FileExtractor) -> str:
    """A text that changes whenever the same file could be read otherwise."""
    return f"{extractor.name} {getattr(extractor, 'stamp', '')}"
