"""Claims of release notes: what each release says it brought (intent-evidence §2.6).

One pass over the lines; memory grows with the entries and nothing else. Paragraphs under a release are no
entries; they, tables and code are counted. The action is that of the category where it has one, else that of the entry's own words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final

from msgspec import Struct, field

from t2c.ledger.events.record import Action, SourceKind, Status
from t2c.ledger.intake.base import Draft, Tree
from t2c.ledger.intake.inline import plain
from t2c.ledger.intake.lines import Notes
from t2c.ledger.intake.markup import Code, Heading, Item, Paragraph, Row, blocks
from t2c.ledger.intake.mentions import mentions
from t2c.ledger.intake.products import without_product_versions
from t2c.ledger.intake.releases import UNRELEASED, Release, day_of, release_of
from t2c.ledger.intake.text import action_and_object
from t2c.ledger.intake.textfile import TextFileExtractor
from t2c.ledger.intake.vocabulary import words

__all__ = ["ChangelogExtractor"]

_DEFAULT: Final = "Changed"
_LEVELS: Final = 4
"""Headings deeper than this announce no release."""

_CATEGORIES: Final[tuple[tuple[str, Action], ...]] = (
    ("add", "add"), ("feat", "add"), ("new", "add"), ("dodan", "add"), ("nowe", "add"),
    ("fix", "fix"), ("bug", "fix"), ("secur", "fix"), ("napraw", "fix"), ("popraw", "fix"), ("bezpiecz", "fix"),
    ("remov", "remove"), ("deprecat", "remove"), ("usuni", "remove"), ("wycof", "remove"),
    ("doc", "document"), ("dokument", "document"), ("test", "test"), ("refactor", "refactor"), ("perf", "refactor"),
    ("chang", "change"), ("zmian", "change"), ("zmien", "change"),
)  # fmt: skip
"""Beginnings of words of a category heading, in order of weight."""
_CATEGORY_WORD: Final = re.compile(
    r"(?<![^\W\d_])(?:" + "|".join(start for start, _ in _CATEGORIES) + r")", re.IGNORECASE
)
_THANKS: Final = re.compile(
    r"\b(?:contributors?|thanks|acknowledge?ments?|credits|sponsors|backers|podziękowania)\b", re.IGNORECASE
)
_LABEL: Final = re.compile(r"(?:\*\*|__)([^*_]{2,60})(?:\*\*|__):?$|([^\W\d_][^.!?:`*_]{1,50}):$")
_LABEL_WORDS: Final = 4
_LABEL_LEVEL: Final = 9
_LINE: Final = 120
"""Characters of a line that may announce or label."""
_NOT_YET: Final = re.compile(r"\W*(?:unreleased|not (?:yet )?released|tbd|tba)\W*$", re.IGNORECASE)
_DATING: Final = re.compile(r"\W*(?:released?(?: on| date)?\b|date\b|\d{4}-\d\d?-\d\d?\W*$)", re.IGNORECASE)
_LINKS: Final = re.compile(
    r"!?\[(?:[^\[\]]|!?\[[^\[\]]*+\](?:\([^()]*+\))?+)*+\](?:\([^()]*+\)|\[[^\[\]]*+\])?+|<?https?://[^\s<>]++>?"
)
_LETTER: Final = re.compile(r"[^\W_]")
_COMMIT: Final = re.compile(r"/commit/([0-9a-f]{7,40})\b")
_HOME: Final = re.compile(rb"://[\w.-]+/[\w.-]+/([\w.-]+)/(?:-/)?(?:pull|issues|merge_requests|compare)/")
_HOME_BYTES: Final = 1 << 20
"""Bytes from the top in which the project's own repository is looked for."""


class ChangelogExtractor(TextFileExtractor):
    """Reads CHANGELOG, CHANGES, HISTORY and NEWS in Markdown, in any case and any folder."""

    name = "t2c/keep-a-changelog@1"
    source: SourceKind = "changelog"
    names = re.compile(r"(?:changelog|changes|history|news)(?:\.(\w+))?$", re.IGNORECASE)
    formats = words("md markdown")
    unread = words("rst txt adoc asciidoc org textile rdoc")
    what = "changelogs"

    def statements(
        self, path: str, content: bytes, lines: Iterator[str], tree: Tree, notes: Notes
    ) -> Iterator[Draft]:
        """All entries of one file, in its order."""
        entries = _Entries(notes, _home(content))
        yield from entries.read(lines)
        if entries.release is None and not entries.closed and content.strip():
            notes.add("no_release_found", "no heading or line of the file announces a release")


def _home(content: bytes) -> str | None:
    """The name of the repository that most of the links lead to."""
    names = Counter(match[1].lower() for match in _HOME.finditer(content, 0, _HOME_BYTES))
    best = min(names.items(), key=lambda pair: (-pair[1], pair[0]), default=None)
    return best[0].decode("ascii", "replace") if best else None


class _Section(Struct):
    """What all entries under one heading share; the objects are shared too, which keeps memory small."""

    thanks: bool
    action: Action | None
    other: Action
    status: Status
    basis: tuple[str, ...]
    trail: tuple[str, ...]
    subject: str
    versions: tuple[str, ...]
    observed_at: str | None
    metadata: dict[str, Any]


class _Entries(Struct):
    """One pass over the blocks of one file."""

    notes: Notes
    home: str | None
    release: Release | None = None
    closed: bool = False
    _level: int = 0
    _plain: bool = False
    _headings: list[tuple[int, str]] = field(default_factory=list)
    _around: list[str] = field(default_factory=list)
    _section: _Section | None = None

    def read(self, lines: Iterable[str]) -> Iterator[Draft]:
        for block in blocks(lines, self.notes):
            match block:
                case Item():
                    draft = self._item(block)
                    if draft is not None:
                        yield draft
                case Heading():
                    self._heading(block)
                case Paragraph():
                    self._paragraph(block)
                case Row():
                    self._row(block)
                case Code():
                    if self.release is not None:
                        self.notes.add("code_not_read", "code under a release; it is no entry", block.line)

    def _heading(self, heading: Heading) -> None:
        self._around.clear()
        self._section = None
        found = None
        if heading.level <= _LEVELS:
            loose = self.release is None or self._plain or heading.level <= self._level
            found = release_of(heading.text, loose=loose, name=self.release.name if self.release else None)
        if found is not None:
            self._open(found, heading.level, heading.line)
        elif self.release is None:
            pass
        elif heading.level > self._level or _action_of(heading.text):
            while self._headings and self._headings[-1][0] >= heading.level:
                self._headings.pop()
            self._headings.append((heading.level, heading.text))
        else:
            self.release = None
            self.closed = True

    def _open(self, release: Release, level: int, line: int, *, plain_line: bool = False) -> None:
        if release.undated:
            self.notes.add("date_not_understood", "a release whose date was not understood", line)
        self.release = release
        self._level = level
        self._plain = plain_line
        self._headings.clear()
        self._around.clear()
        self._section = None

    def _paragraph(self, paragraph: Paragraph) -> None:
        """A lone line may date the release above, announce one, or label what follows; text is no entry."""
        self._around.clear()
        number, line = paragraph.lines[0]
        if len(paragraph.lines) > 1 or len(line) > _LINE or not self._tells(number, line):
            self._prose(paragraph)

    def _prose(self, paragraph: Paragraph) -> None:
        """Text under a release says something of it that no entry holds; links and pictures alone do not."""
        if self.release is None:
            return
        if any(_LETTER.search(_LINKS.sub(" ", line)) for _, line in paragraph.lines):
            self.notes.add("prose_not_read", "text under a release; it is no entry", paragraph.lines[0][0])

    def _tells(self, number: int, line: str) -> bool:
        """True if a lone line was understood: a date, a release or a label."""
        if self._dates(line):
            return True
        if line[0] in "vV[0123456789":
            found = release_of(line, loose=False)
            if found is not None and (
                found.day or ((self.release is None or self._plain) and line[0] in "vV[")
            ):
                self._open(found, self._level if self.release else 0, number, plain_line=True)
                return True
        label = _LABEL.match(line)
        text = (label[1] or label[2]).rstrip(": ") if label else ""
        if self.release is not None and 0 < len(text.split()) <= _LABEL_WORDS:
            if self._headings and self._headings[-1][0] == _LABEL_LEVEL:
                self._headings.pop()
            self._headings.append((_LABEL_LEVEL, text))
            self._section = None
            return True
        return False

    def _dates(self, line: str) -> bool:
        """True if the line says when the release above came out, or that it has not."""
        if self.release is None or self._section is not None or self._headings:
            return False
        if _NOT_YET.match(line):
            self.release = self.release._replace(unreleased=True, day=None)
            return True
        day = day_of(line) if _DATING.match(line) else None
        if day is not None:
            self.release = self.release._replace(day=day)
        return day is not None

    def _row(self, row: Row) -> None:
        self._around.clear()
        if self.release is not None:
            self.notes.add("table_not_read", "a table under a release; its rows are no entries", row.line)

    def _item(self, item: Item) -> Draft | None:
        text = plain(item.text)
        release = self.release
        if release is None:
            if text:
                self.notes.add("outside_release", "an entry that no release holds", item.start)
            return None
        section = self._section or self._begin(release)
        around = self._around
        del around[item.depth :]
        held = [above for above in around if above] if around else around
        parent = held[-1] if held else None
        trail = (*section.trail, *held) if held else section.trail
        around.append(text)
        if not text:
            return None
        if section.thanks:
            self.notes.add("acknowledgement", "names people, not a change; not read as an entry", item.start)
            return None
        raw = f"{item.text} {item.more}" if item.more else item.text
        found = mentions(without_product_versions(raw, self.home), self.home)
        done, about = action_and_object(text, section.action)
        metadata = section.metadata if parent is None else {**section.metadata, "parent": parent}
        if "/commit/" in raw and (commits := _COMMIT.findall(raw)):
            metadata = {**metadata, "commits": sorted(set(commits))}
        return Draft(
            kind="changelog_entry",
            text=text,
            object=about,
            action=section.other if done == "unknown" else done,
            cls="claim",
            status=section.status,
            confidence=0.92,
            basis=section.basis,
            trail=trail,
            lines=(item.start, item.end),
            subject=section.subject,
            modality="claimed",
            paths=found.paths,
            symbols=found.symbols,
            tickets=found.tickets,
            versions=(*section.versions, *found.versions) if found.versions else section.versions,
            excerpt=item.raw,
            observed_at=section.observed_at,
            metadata=metadata,
        )

    def _begin(self, release: Release) -> _Section:
        headings = [text for _, text in self._headings]
        category = headings[-1] if headings else _DEFAULT
        self._section = _Section(
            thanks=any(_THANKS.search(text) for text in headings),
            action=next((found for text in reversed(headings) if (found := _action_of(text))), None),
            other="release" if headings else "change",
            status=_status(release),
            basis=(
                "plain_release_line" if self._plain else "markdown_release_heading",
                "keep_a_changelog_category" if headings else "heuristic_action_dictionary",
            ),
            trail=(release.version, *(headings or (_DEFAULT,))),
            subject=f"release:{release.version}",
            versions=() if release.version == UNRELEASED else (release.version,),
            observed_at=f"{release.day}T00:00:00Z" if release.day else None,
            metadata={
                "version": release.version,
                "releaseDate": release.day,
                "yanked": release.yanked,
                "category": category,
                "parent": None,
            },
        )
        return self._section


def _status(release: Release) -> Status:
    if release.unreleased:
        return "proposed"
    return "unknown" if release.yanked else "released"


def _action_of(category: str) -> Action | None:
    """The action of a category heading: of its weightiest word (`Bug fixes and new features` fixes… adds)."""
    starts = {match[0].lower() for match in _CATEGORY_WORD.finditer(category)}
    return next((meaning for start, meaning in _CATEGORIES if start in starts), None) if starts else None
