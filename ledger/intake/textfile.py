"""What all extractors of plain text files share: which files they want, and what stops them before the first line."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from t2c.ledger.events.record import SourceKind
from t2c.ledger.intake.base import Draft, Reading, Scope, Tree
from t2c.ledger.intake.lines import Notes, text_lines

__all__ = ["TextFileExtractor"]


class TextFileExtractor(ABC):
    """Reads one kind of text file.

    `names` matches the base names, its first group the ending, if any. Endings in `formats` are read; files with
    one in `unread` are wanted too, so that they are counted as left out. `what` names the kind in a warning.
    """

    name: str
    source: SourceKind
    names: ClassVar[re.Pattern[str]]
    formats: ClassVar[frozenset[str]]
    unread: ClassVar[frozenset[str]]
    what: ClassVar[str]

    def wants(self, path: str) -> bool:
        """True for files of this kind, those in formats that are only counted included."""
        match = self.names.match(path.rpartition("/")[2])
        return match is not None and (match[1] is None or match[1].lower() in self.formats | self.unread)

    def read(self, path: str, content: bytes, tree: Tree) -> Reading:
        """All statements of one file, in its order. Incomplete if the file is binary or of a format not read."""
        notes, scope = Notes(self.source, path), Scope(self.source, path)
        lines = self.lines(path, content, notes)
        if lines is None:
            return Reading(scope, self.name, (), notes.warnings(), complete=False)
        records = tuple(self.statements(path, content, lines, tree, notes))
        return Reading(scope, self.name, records, notes.warnings())

    def lines(self, path: str, content: bytes, notes: Notes) -> Iterator[str] | None:
        """The lines to read; None, with a note, if the file is not to be read."""
        suffix = path.rpartition("/")[2].rpartition(".")[2].lower()
        if suffix in self.unread:
            notes.add("unsupported_format", f".{suffix} {self.what} are not read")
            return None
        return text_lines(content, notes)

    @abstractmethod
    def statements(
        self, path: str, content: bytes, lines: Iterator[str], tree: Tree, notes: Notes
    ) -> Iterator[Draft]:
        """What the lines say, one draft a statement; what is left out goes to the notes."""
