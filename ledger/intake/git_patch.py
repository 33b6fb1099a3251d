"""Reading patches: how many lines a commit changed, and the text of those that say what it was about.

Git's patch of a commit without context lines (`-U0`) is read in pieces of any size. Every hunk counts; text is kept
of source files, their tests, and files of notes (changelogs, news fragments, task files), up to a limit a commit.
A hunk's header names the definition that it lies in, as Git sees it.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from itertools import chain
from typing import Final, Literal, NamedTuple

from msgspec import Struct, field

from t2c.ledger.intake.changelog import ChangelogExtractor
from t2c.ledger.intake.changes.fragments import FRAGMENT_FOLDERS, FragmentExtractor
from t2c.ledger.intake.code.languages import language_of
from t2c.ledger.intake.code.traits import Traits, plain_name, traits_of
from t2c.ledger.intake.config.names import is_test_data
from t2c.ledger.intake.git_holder import Holder, Judgement, Pattern, holder_of
from t2c.ledger.intake.inventory import PRUNED
from t2c.ledger.intake.tasks.records import TaskRecordExtractor
from t2c.ledger.intake.todo import TodoExtractor
from t2c.ledger.intake.vocabulary import words

__all__ = [
    "ATTRIBUTES",
    "DRIVERS",
    "MAX_BYTES",
    "MAX_LINE",
    "MAX_LINES",
    "Named",
    "Patch",
    "Places",
    "Role",
    "Written",
]

MAX_LINES: Final = 4_000
"""Changed lines kept of one commit: so many of code, and of notes."""
MAX_BYTES: Final = 512 * 1024
"""Bytes of changed lines kept of one commit: so many of code, and of notes."""
MAX_LINE: Final = 1_000
"""Bytes of the longest line that is kept: longer ones were written by programs."""
MAX_DEFINITIONS: Final = 1_000
"""Definitions looked at in one commit."""

Role = Literal["source", "test", "note", "other"]

DRIVERS: Final = (
    "-c",
    r"diff.t2c-python.xfuncname=^([ \t]*(class|def|async def)[ \t].*)$".replace(r"\t", "\t"),
    "-c",
    r"diff.t2c-ruby.xfuncname=^([ \t]*(class|module|def)[ \t].*)$".replace(r"\t", "\t"),
)
"""Options of Git: which lines begin a definition, where its own patterns for a language cost too much."""
ATTRIBUTES: Final = "\n".join(
    (
        *(f"*.{ending} diff=t2c-python" for ending in ("py", "pyi")),
        *(f"*.{ending} diff=t2c-ruby" for ending in ("rb", "rake")),
        *(f"*.{ending} diff=kotlin" for ending in ("kt", "kts")),
        *(
            f"*.{ending} diff={driver}"
            for ending, driver in (("java", "java"), ("cs", "csharp"), ("php", "php"))
        ),
        "*.rs diff=rust",
        "test/** diff\ntests/** diff\n",
    )
)
"""Attributes for languages whose methods are indented: by default Git names the last line that is not.

What tests lie in is not asked for, and to look for it in their long files is dear.
"""

_FILE: Final = b"\ndiff --git "
_HUNK: Final = re.compile(rb"@@ -(?<=\n@@ -)\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@ ?(.*)\n")
_COUNTS: Final = re.compile(rb"@@ -(?<=\n@@ -)\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
"""A literal is found faster than the start of a line."""
_MOVED: Final = re.compile(rb"^(?:rename|copy) to (.*)$", re.MULTILINE)
_LINK: Final = re.compile(rb"^(?:index .* |(?:new|deleted) file mode )160000$", re.MULTILINE)
_NO_NEWLINE: Final = b"\n\\ No newline at end of file"
_UNINDENTED: Final = words("java csharp php kotlin rust")
"""Languages for which Git's own patterns leave out the indentation of the line that they find."""


class Written(Struct):
    """Changed lines, without the sign in front of each, below an empty one; one text for each place in a patch."""

    added: list[bytes] = field(default_factory=list)
    removed: list[bytes] = field(default_factory=list)


class _Budget(Struct):
    """Lines and bytes that may still be kept of one commit."""

    lines: int = MAX_LINES
    bytes: int = MAX_BYTES


class Named(NamedTuple):
    """A definition that a change touches: declared on a changed line, or the one that a hunk lies in."""

    path: str
    name: str
    declared: bool


class Place(NamedTuple):
    """What a file is to a patch: `role` decides what is kept, `patterns` find definitions in its language.

    `is_indented` says that the headers of its hunks tell how far in a definition stands.
    """

    path: str
    hidden: bool
    role: Role
    patterns: tuple[Pattern, ...] = ()
    is_indented: bool = True


class Places(dict[bytes, Place]):
    """Files by the name in a patch, each judged once: the same few thousand come again and again in a history.

    `name_of` gives a file's repository path and whether no record speaks of it.
    """

    most = 200_000

    def __init__(
        self, name_of: Callable[[bytes], tuple[str, bool]], documents: Callable[[str], bool]
    ) -> None:
        super().__init__()
        self.name_of = name_of
        self.documents = documents
        self.notes = (ChangelogExtractor(), TodoExtractor(), TaskRecordExtractor())
        self.fragments = FragmentExtractor()
        self.languages: dict[str, tuple[Traits, tuple[Pattern, ...]]] = {}

    def __missing__(self, written: bytes) -> Place:
        if len(self) >= self.most:
            self.clear()
        raw = codecs.escape_decode(written[1:-1])[0] if written.startswith(b'"') else written
        path, hidden = self.name_of(raw[2:])  # without `a/` or `b/`
        found = self[written] = self._place(path, hidden)
        return found

    def _place(self, path: str, hidden: bool) -> Place:
        folders = path.split("/")[:-1]
        if hidden or not PRUNED.isdisjoint(folders):
            return Place(path, hidden, "other")
        if any(kind.wants(path) for kind in self.notes) or (
            folders
            and not FRAGMENT_FOLDERS.isdisjoint(folder.lower() for folder in folders[-2:])
            and self.fragments.wants(path)
        ):
            return Place(path, hidden, "note")
        language = language_of(path, b"")
        if language is None:
            return Place(path, hidden, "other")
        if (known := self.languages.get(language.name)) is None:
            traits = traits_of(language)
            known = self.languages[language.name] = (traits, tuple(map(Pattern.of, traits.line_patterns)))
        traits, patterns = known
        if traits.is_test_file(path):
            return Place(path, hidden, "test")
        if self.documents(path) or is_test_data(path):
            return Place(path, hidden, "other")
        return Place(path, hidden, "source", patterns, is_indented=language.name not in _UNINDENTED)


class Patch:
    """One commit's patch, given in pieces.

    `additions` and `deletions` are lines; `uncounted` are files of which they hold nothing. `kept` holds the
    changed lines by role, `notes` those of each file of notes, `named` the definitions that the change touches in
    source files. `left_out` are changed lines beyond the limits, `unread` those of source files that any definition
    may stand on: all in `unread_from` and the files behind it, since a patch is in the order of paths.
    """

    def __init__(self, places: Places) -> None:
        self.places = places
        self.additions = self.deletions = self.uncounted = 0
        self.left_out = self.unread = 0
        self.unread_from: str | None = None
        self.kept: dict[Role, Written] = {"source": Written(), "test": Written()}
        self.notes: dict[str, Written] = {}
        self.named: dict[Named, None] = {}
        self._code, self._text = _Budget(), _Budget()
        self._now: Place | None = None
        self._judged: Judgement | None = None

    def take(self, text: bytes, last: bool) -> bytes:
        """Read whole lines; what is to be given again, with more behind it, if they end in the header of a file."""
        here, *files = (b"\n" + text).split(_FILE)
        self._hunks(here)
        rest = b""
        if files and not last and b"\n@@ " not in files[-1]:
            rest = _FILE[1:] + files.pop()
        for part in files:
            self._settle()
            self._file(part)
        if last:
            self._settle()
        return rest

    def _file(self, part: bytes) -> None:
        at = part.find(b"\n@@ ")
        head = part if at < 0 else part[:at]
        moved = _MOVED.search(head) if b"\nsimilarity " in head else None
        pair = head.partition(b"\n")[0]
        name = pair[: len(pair) // 2] if moved is None else _prefixed(moved[1])
        place = self.places[name]
        self._now = None if place.hidden or (b"160000" in head and _LINK.search(head)) else place
        if self._now is None:
            return
        if at >= 0:
            self._hunks(part[at:])
        elif b"\nBinary files " in head:
            self.uncounted += 1

    def _hunks(self, text: bytes) -> None:
        """Whole lines of one file, below a newline."""
        place = self._now
        if place is None or len(text) <= 1:
            return
        budget = self._text if place.role == "note" else self._code
        if place.role == "other" or budget.lines <= 0:
            hunks = _COUNTS.findall(text)
            for less, more in hunks:
                self._count(less, more)
            if place.role != "other":
                lines = text.count(b"\n") - text.endswith(b"\n") - len(hunks) - text.count(_NO_NEWLINE)
                self.left_out += lines
                self._leave_unread(place, lines)
            return
        if _NO_NEWLINE in text:
            text = text.replace(_NO_NEWLINE, b"")
        if not text.endswith(b"\n"):
            text += b"\n"
        first, *pieces = _HUNK.split(text)
        added: list[bytes] = []
        removed: list[bytes] = []
        holders: dict[bytes, Holder | None] = {}
        patterns = place.patterns
        if len(first) > 1:  # of a hunk whose header was in an earlier piece
            self._keep(first[1:], added, removed, budget)
            if self._judged is not None:
                self._judged.read(first[1:])
        for at in range(0, len(pieces), 4):
            less, more, context, body = pieces[at : at + 4]
            self._count(less, more)
            self._keep(body, added, removed, budget)
            if not patterns:
                continue
            self._settle()
            if context:
                if context not in holders:
                    holders[context] = holder_of(patterns, context, is_indented=place.is_indented)
                if (holder := holders[context]) is not None:
                    self._judged = Judgement(place.path, holder, patterns)
                    self._judged.read(body)
        held = self.notes.setdefault(place.path, Written()) if place.role == "note" else self.kept[place.role]
        held.added.append(new := _bare(added))
        held.removed.append(old := _bare(removed))
        if len(self.named) < MAX_DEFINITIONS:
            for pattern in patterns:
                for match in chain(pattern.in_text.finditer(new), pattern.in_text.finditer(old)):
                    self.named[Named(place.path, plain_name(match["n"]), True)] = None

    def _settle(self) -> None:
        """The hunk is over: what it lies in is touched by it."""
        judged, self._judged = self._judged, None
        if judged is not None and len(self.named) < MAX_DEFINITIONS and judged.lies_in():
            self.named[Named(judged.path, judged.holder.name, False)] = None

    def _count(self, less: bytes | None, more: bytes | None) -> None:
        self.deletions += int(less) if less else 1
        self.additions += int(more) if more else 1

    def _keep(self, body: bytes, added: list[bytes], removed: list[bytes], budget: _Budget) -> None:
        """The lines of one hunk, as far as the limits go; what is removed stands before what is added."""
        size, lines = len(body), body.count(b"\n")
        if size > MAX_LINE or lines > budget.lines or size > budget.bytes:
            body = self._within(body, lines, budget)
            size, lines = len(body), body.count(b"\n")
        budget.lines -= lines
        budget.bytes -= size
        if body.startswith(b"+"):
            added.append(body)
        elif at := body.find(b"\n+") + 1:
            removed.append(body[:at])
            added.append(body[at:])
        else:
            removed.append(body)

    def _within(self, body: bytes, lines: int, budget: _Budget) -> bytes:
        """The first lines that fit, without those that no person wrote."""
        unread = max(0, lines - budget.lines)
        whole = body.split(b"\n", budget.lines)[: budget.lines] if unread else body.split(b"\n")
        short = [line for line in whole if len(line) <= MAX_LINE and line]
        kept = b"".join(line + b"\n" for line in short)
        if len(kept) > budget.bytes:
            kept = kept[: kept.rfind(b"\n", 0, budget.bytes) + 1]
            unread += len(short) - kept.count(b"\n")
            budget.lines = 0
        self.left_out += lines - kept.count(b"\n")
        self._leave_unread(self._now, unread)
        return kept

    def _leave_unread(self, place: Place | None, lines: int) -> None:
        if lines and place is not None and place.role == "source":
            self.unread += lines
            self.unread_from = self.unread_from or place.path


def _prefixed(name: bytes) -> bytes:
    """The name of a moved file as the first line of its patch writes it."""
    return b'"b/' + name[1:] if name.startswith(b'"') else b"b/" + name


def _bare(parts: list[bytes]) -> bytes:
    """Changed lines without the sign in front of each, below an empty one."""
    text = b"".join(parts)
    return (b"\n" + text).replace(b"\n" + text[:1], b"\n") if text else b""
