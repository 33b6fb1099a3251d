"""Plans from task files: lists, tables, `T001` lines and outlines of every usual format (intent-evidence §2.5).

Identity rests on the path, the headings, the items around and the words: a toggled checkbox, a new owner of
a neighbour or a blank line above change no id. What looks like a task and has no known shape is counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from t2c.ledger.events.record import SourceKind
from t2c.ledger.intake import markup, rst
from t2c.ledger.intake.base import Draft, Tree
from t2c.ledger.intake.conflicts import without_marks
from t2c.ledger.intake.lines import Notes
from t2c.ledger.intake.tasks import asciidoc, org, todotxt
from t2c.ledger.intake.tasks.markdown import Tasks
from t2c.ledger.intake.textfile import TextFileExtractor
from t2c.ledger.intake.vocabulary import words

__all__ = ["TodoExtractor"]


class TodoExtractor(TextFileExtractor):
    """Reads TODO in Markdown, reStructuredText, AsciiDoc, Org and todo.txt, and tasks.md, in any case and folder."""

    name = "t2c/markdown-todo@3"
    source: SourceKind = "todo"
    names = re.compile(r"(?:todos?(?:\.(\w+))?|tasks\.(?:md|org))$", re.IGNORECASE)
    formats = words("md markdown txt rst org adoc asciidoc")
    unread = words("textile")
    what = "task files"

    def lines(self, path: str, content: bytes, notes: Notes) -> Iterator[str] | None:
        """As for any text file; a script that is called `todo` is none."""
        if content.startswith(b"#!"):
            notes.add("executable_script", "a program, not a list of tasks", 1)
            return None
        read = super().lines(path, content, notes)
        return None if read is None else without_marks(read, notes)

    def statements(
        self, path: str, content: bytes, lines: Iterator[str], tree: Tree, notes: Notes
    ) -> Iterator[Draft]:
        """All tasks of one file, in its order."""
        found = False
        for draft in _tasks(path, lines, tree, notes):
            found = True
            yield draft
        if not found and content.strip():
            notes.add("no_tasks_found", "the file holds text and no task")


def _tasks(path: str, lines: Iterator[str], tree: Tree, notes: Notes) -> Iterator[Draft]:
    name = path.rpartition("/")[2]
    match name.rpartition(".")[2].lower() if "." in name else "":
        case "org":
            yield from org.tasks(list(lines), (path, tree), notes)
        case "rst":
            yield from Tasks(path, tree, notes).read(rst.blocks(lines, notes))
        case "adoc" | "asciidoc":
            held = list(lines)
            blocks = markup.blocks(asciidoc.as_markdown(held), notes)
            yield from Tasks(path, tree, notes, source=held).read(blocks)
        case "txt" | "":
            held = list(lines)
            if todotxt.is_todotxt(held):
                yield from todotxt.tasks(held, (path, tree), notes)
            else:
                yield from Tasks(path, tree, notes).read(markup.blocks(held, notes))
        case _:
            yield from Tasks(path, tree, notes).read(markup.blocks(lines, notes))
