"""Documents of a repository: guides, specifications, requirements and decisions (intent-evidence §2.7).

Task files, changelogs and messages are documents too, but others read them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, Final

from t2c.ledger.events.record import SourceKind
from t2c.ledger.intake.base import Draft, Reading, Scope, Tree
from t2c.ledger.intake.changelog import ChangelogExtractor
from t2c.ledger.intake.changes.fragments import FRAGMENT_FOLDERS, FragmentExtractor
from t2c.ledger.intake.conflicts import without_marks
from t2c.ledger.intake.docs.decisions import decision_of
from t2c.ledger.intake.docs.doorstop import NAME, doorstop_item
from t2c.ledger.intake.docs.markdown import read_markdown
from t2c.ledger.intake.docs.profile import profile_of
from t2c.ledger.intake.docs.reader import Reader
from t2c.ledger.intake.docs.requirements import binding
from t2c.ledger.intake.docs.rst import read_rst
from t2c.ledger.intake.docs.statements import Statements
from t2c.ledger.intake.docs.strictdoc import nodes
from t2c.ledger.intake.lines import Notes, text_lines
from t2c.ledger.intake.rst import looks_like_rst
from t2c.ledger.intake.tasks.records import TaskRecordExtractor
from t2c.ledger.intake.todo import TodoExtractor
from t2c.ledger.intake.vocabulary import words

__all__ = ["MAX_DOCUMENT", "DocumentExtractor"]

MAX_DOCUMENT: Final = 8 * 1024 * 1024
"""Bytes of the largest document that is read."""
_MARKDOWN: Final = words("md markdown mdx mdown mkd qmd")
_UNREAD: Final = words("adoc asciidoc asc textile rdoc")
_BY_ENDING: Final = _MARKDOWN | _UNREAD | words("rst sdoc")
_ENDINGS: Final = frozenset(form for end in _BY_ENDING for form in (end, end.upper(), end.capitalize()))
_PLAIN: Final = frozenset(
    f"{name}{end}"
    for name in words("README CONTRIBUTING ARCHITECTURE SECURITY DESIGN HACKING readme Readme ReadMe")
    for end in ("", ".txt", ".TXT")
)
_MESSAGE: Final = re.compile(
    r"project/(?:[^/]+/)+(?:(?:user|human|ai|agent)-[^/]+|(?:human|agent|user)\.[^/]+\.[^/]+)\.(?:md|txt)\Z",
    re.IGNORECASE,
)
_ENVELOPE: Final = words("participant participant-id role type ticket")
"""Keys of front matter that make a message of a file below the project folder, whatever its name."""
_OWN: Final = re.compile(r"<!-- t2c\.[a-z][a-z0-9-]*/v[0-9]+[ 0-9a-f]*-->\s*\Z")
"""The first line of a page that t2c wrote: what it says of the repository, it read there."""
_TASKS: Final = TodoExtractor()
_TASK_RECORDS: Final = TaskRecordExtractor()
_CHANGELOGS: Final = ChangelogExtractor()
_FRAGMENTS: Final = FragmentExtractor()


class DocumentExtractor:
    """Reads Markdown, reStructuredText, StrictDoc and the items of Doorstop; AsciiDoc is counted as left out."""

    name: str = "t2c/documentation@3"
    source: SourceKind = "document"

    def wants(self, path: str) -> bool:
        """True for documents that no other extractor reads, those in formats that are only counted included."""
        ending = path[path.rfind(".") + 1 :]
        if ending in _ENDINGS and ending != path:
            return not _read_by_others(path)
        if ending == "yml":
            return NAME.search(path) is not None
        return path[path.rfind("/") + 1 :] in _PLAIN

    def read(self, path: str, content: bytes, tree: Tree) -> Reading:
        """All statements of one document, in its order. Incomplete if it is binary, too large or in no known format."""
        notes, scope = Notes(self.source, path), Scope(self.source, path)
        ending = path.rpartition("/")[2].rpartition(".")[2].lower()
        if ending in _UNREAD:
            notes.add("unsupported_format", f".{ending} documents are not read")
        elif len(content) > MAX_DOCUMENT:
            notes.add("too_large", f"a document above {MAX_DOCUMENT} bytes; it was not read")
        else:
            drafts = self._drafts(path, ending, content, tree, notes)
            if drafts is not None:
                return Reading(scope, self.name, tuple(drafts), notes.warnings())
        return Reading(scope, self.name, (), notes.warnings(), complete=False)

    def _drafts(
        self, path: str, ending: str, content: bytes, tree: Tree, notes: Notes
    ) -> Iterable[Draft] | None:
        profile = profile_of(path)
        if ending == "yml":
            return tuple(doorstop_item(path, content, tree, notes, sample=profile.sample))
        lines = text_lines(content, notes)
        if lines is None:
            return None
        first = next(lines, None)
        if first is not None and _OWN.match(first.removeprefix("\ufeff")):
            notes.add("own_page", "t2c wrote it of what it read elsewhere", 1)
            return ()
        lines = without_marks(lines if first is None else chain((first,), lines), notes)
        if ending == "sdoc":
            return tuple(_required(path, lines, tree, notes, sample=profile.sample))
        if ending == "rst" or (
            ending not in _MARKDOWN and looks_like_rst(content[:20_000].decode("utf-8", "replace"))
        ):
            document = read_rst(lines, notes)
        else:
            document = read_markdown(lines, notes, modules=ending == "mdx")
        if (
            path.count("/") > 1
            and path[:8].lower() == "project/"
            and not _ENVELOPE.isdisjoint(document.front)
        ):
            return ()
        decision = decision_of(path, document, in_folder=profile.kind == "decision")
        structure = f"{document.markup}_structure"
        statements = Statements(path, tree, notes, document.references, structure)
        return tuple(Reader(document, profile, decision, statements).read())


def _read_by_others(path: str) -> bool:
    """True for task files, changelogs, news fragments and messages."""
    if _TASKS.wants(path) or _CHANGELOGS.wants(path) or _TASK_RECORDS.wants(path):
        return True
    if path[:8].lower() == "project/" and _MESSAGE.match(path):
        return True
    # Elsewhere `guide.pl.md` looks like a fragment too and is a document.
    holder = path.rpartition("/")[0].rpartition("/")[2].lower()
    return holder in FRAGMENT_FOLDERS and _FRAGMENTS.wants(path)


def _required(path: str, lines: Iterable[str], tree: Tree, notes: Notes, *, sample: bool) -> Iterator[Draft]:
    """The requirements of a StrictDoc file."""
    statements = Statements(path, tree, notes, {}, "strictdoc_structure")
    for node in nodes(lines, notes):
        block = node.block()
        text = statements.bounded(block.text, node.line)
        if not text:
            continue
        metadata: dict[str, Any] = {
            "form": "identified",
            "requirementId": node.fields.get("UID") or node.fields.get("MID"),
            "requirement": node.fields.get("TITLE"),
            "itemStatus": node.fields.get("STATUS"),
            "relations": [{"type": kind, "value": value} for kind, value in node.relations],
            "sample": sample,
        }
        draft = statements.requirement(
            block, text, (*node.trail, node.fields.get("TITLE", "")) if node.fields.get("TITLE") else node.trail,
            standing=("declaration", "proposed") if sample else ("plan", "planned"), binds=binding(text),
            confidence=0.80, basis=("heuristic_action_dictionary", "planning_form"), metadata=metadata,
        )  # fmt: skip
        yield draft
