"""Every extractor of files by the name of its stage, in the order in which a scan runs them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Protocol

from t2c.ledger.intake.base import FileExtractor
from t2c.ledger.intake.changelog import ChangelogExtractor
from t2c.ledger.intake.code.extractor import CodeExtractor
from t2c.ledger.intake.comments.markers import MarkerExtractor
from t2c.ledger.intake.comments.tags import TagExtractor
from t2c.ledger.intake.communication.extractor import CommunicationExtractor
from t2c.ledger.intake.config.extractor import ConfigExtractor
from t2c.ledger.intake.cycle import CycleExtractor
from t2c.ledger.intake.docs.extractor import DocumentExtractor
from t2c.ledger.intake.nl.extractor import NlExtractor
from t2c.ledger.intake.reports.extractor import TestReportExtractor
from t2c.ledger.intake.todo import TodoExtractor

__all__ = ["GIVEN_SOURCES", "Choices", "file_extractors", "given_by_hand", "stamp_of"]

GIVEN_SOURCES: Final = frozenset({"test", "system"})
"""Kinds of source whose hand-given files leave evidence behind even when the file is gone."""
_BY_HAND: Final = ("t2c/nl-", "t2c/test-report", "t2c/autonom-runtime-cycle")


def given_by_hand(extractor: str) -> bool:
    """True for extractors of files that a caller names: what they recorded stands until it is given again."""
    return extractor.startswith(_BY_HAND)


class Choices(Protocol):
    """What of the settings decides how files are read: the words that mark a task in a comment, and the folder in
    which a team writes to one another."""

    @property
    def markers(self) -> tuple[str, ...]: ...

    @property
    def communication(self) -> str: ...


def file_extractors(choices: Choices) -> Mapping[str, FileExtractor]:
    """The extractors, made for these settings."""
    return {
        "nl": NlExtractor(),
        "todo": TodoExtractor(),
        "comments": MarkerExtractor(choices.markers),
        "changelog": ChangelogExtractor(),
        "docs": DocumentExtractor(),
        "tags": TagExtractor(),
        "code": CodeExtractor(),
        "config": ConfigExtractor(),
        "tests": TestReportExtractor(),
        "cycle": CycleExtractor(),
        "communication": CommunicationExtractor(choices.communication),
    }


def stamp_of(extractor: FileExtractor) -> str:
    """A text that changes whenever the same file could be read otherwise."""
    return f"{extractor.name} {getattr(extractor, 'stamp', '')}"
