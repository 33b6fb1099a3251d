"""Claims of release notes: what each release says it brought, and that it came out (intent-evidence §2.6).

One pass over the blocks; memory grows with the entries and nothing else. Paragraphs under a release are no
entries; they, tables and code are counted. The action is that of the category where it has one, else that of the
entry's own words. What stands under a roadmap is planned, not delivered.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final

from msgspec import Struct, field

from t2c.ledger.events.record import SourceKind
from t2c.ledger.intake.base import Draft, Tree
from t2c.ledger.intake.changes import drafts, formats
from t2c.ledger.intake.changes.categories import action_of, is_breaking, is_category, is_plan, is_thanks
from t2c.ledger.intake.changes.drafts import Section
from t2c.ledger.intake.changes.formats import Format
from t2c.ledger.intake.changes.lines import told
from t2c.ledger.intake.changes.nested import Cited, Labels, Title, titled, unindented
from t2c.ledger.intake.conflicts import without_marks
from t2c.ledger.intake.lines import Notes
from t2c.ledger.intake.markup import Block, Code, Heading, Item, Paragraph, Row
from t2c.ledger.intake.releases import (
    UNRELEASED,
    Release,
    day_of,
    implied_release,
    package_of,
    release_of,
    says_unreleased,
    says_yanked,
)
from t2c.ledger.intake.textfile import TextFileExtractor
from t2c.ledger.intake.vocabulary import words

__all__ = ["ChangelogExtractor", "home_of"]

_DEFAULT: Final = "Changed"
_LEVELS: Final = 4
"""Headings deeper than this announce no release."""
_LABEL: Final = re.compile(
    r"(?:\*\*|__)([^*_]{2,60})(?:\*\*|__):?$|([^\W\d_][^.!?:`*_]{1,50}):$|\[([^\W\d_][^\[\]]{1,50})\]:?$"
)
_CHANGESETS: Final = re.compile(r"(?:Major|Minor|Patch) Changes$")
_LABEL_WORDS: Final = 4
_LABEL_LEVEL: Final = 9
_LINE: Final = 120
"""Characters of a line that may announce or label."""
_DATING: Final = re.compile(
    r"[\W_]*(?:released?(?: on| date)?\b|date\b|\d{4}-\d\d?-\d\d?[\W_]*$)", re.IGNORECASE
)
_LINKS: Final = re.compile(
    r"!?\[(?:[^\[\]]|!?\[[^\[\]]*+\](?:\([^()]*+\))?+)*+\](?:\([^()]*+\)|\[[^\[\]]*+\])?+|<?https?://[^\s<>]++>?"
    r"|^\W{0,4}full change ?log\b",
    re.IGNORECASE,
)
_TAGS: Final = re.compile(
    r"</?(?:a|b|big|code|em|i|small|span|strong|sub|sup)(?:\s[^<>]{0,300})?/?>", re.IGNORECASE
)
"""Markup of the size or the weight of a heading, and anchors in it."""
_LETTER: Final = re.compile(r"[^\W_]")
_TEXT: Final = (".md", ".rst", ".txt")
_VERSION_SIGNS: Final = frozenset("v0123456789")
_FIRST_LETTERS: Final = frozenset("cChHnNrR")
"""With which the names begin: looked at first, since every path of a repository is."""
_HOME: Final = re.compile(rb"://[\w.-]+/[\w.-]+/([\w.-]+)/(?:-/)?(?:pull|issues|merge_requests|compare)/")
_HOME_BYTES: Final = 1 << 20
"""Bytes from the top in which the project's own repository is looked for."""


class ChangelogExtractor(TextFileExtractor):
    """Reads CHANGELOG, CHANGES, HISTORY, NEWS, RELEASES and release notes, in any case and any folder.

    Markdown and reStructuredText; `.txt` and files without an ending as what they look like, plain text too. What
    stands after the name and a sign (`CHANGELOG-7.md`) may be a version.
    """

    name = "t2c/keep-a-changelog@4"
    source: SourceKind = "changelog"
    names = re.compile(
        r"(?:change[-_]?logs?|changes|history|news|releases|release[-_ ]?notes)"
        r"(?:[-_.]v?\d[\w.]*?|[-_.](?:old|archive|legacy|history))?(?:\.([A-Za-z]+))?$",
        re.IGNORECASE,
    )
    formats = words("md markdown rst txt")
    unread = words("adoc asciidoc org textile rdoc")
    what = "changelogs"

    def wants(self, path: str) -> bool:
        """True for files of these names, and for those that have a version for a name in a folder of release notes."""
        name = path[path.rfind("/") + 1 :]
        first = name[:1]
        if first in _FIRST_LETTERS:
            return super().wants(path)
        return first in _VERSION_SIGNS and name.endswith(_TEXT) and implied_release(path) is not None

    def lines(self, path: str, content: bytes, notes: Notes) -> Iterator[str] | None:
        """As for any text file; a list of commits by day and the log of a package say nothing of releases."""
        reason = formats.unfit(path, content)
        if reason is not None:
            notes.add("unsupported_format", reason)
            return None
        read = super().lines(path, content, notes)
        return None if read is None else without_marks(read, notes)

    def statements(
        self, path: str, content: bytes, lines: Iterator[str], tree: Tree, notes: Notes
    ) -> Iterator[Draft]:
        """All releases and entries of one file, in its order."""
        written = formats.format_of(path, content)
        folder = path.rpartition("/")[0].rpartition("/")[2]
        entries = _Entries(notes, written, home_of(content), folder, implied_release(path))
        if written == "markdown":
            lines = unindented(lines, entries.inner)
        found = entries.read(formats.blocks_of(written, lines, notes))
        if not entries.seen and content.strip():
            notes.add("no_release_found", "no heading or line of the file announces a release")
        return iter(found)


def home_of(content: bytes) -> str | None:
    """The name of the repository that most of the links lead to."""
    names = Counter(match[1].lower() for match in _HOME.finditer(content, 0, _HOME_BYTES))
    best = min(names.items(), key=lambda pair: (-pair[1], pair[0]), default=None)
    return best[0].decode("ascii", "replace") if best else None


class _Entries(Struct):
    """One pass over the blocks of one file."""

    notes: Notes
    written: Format
    home: str | None
    folder: str
    implied: Release | None = None
    seen: bool = False
    release: Release | None = None
    package: str | None = None
    _found: list[Draft] = field(default_factory=list)
    _at: int | None = None
    _level: int = 0
    _plain: bool = False
    _planned: bool = False
    _headings: list[tuple[int, str]] = field(default_factory=list)
    _around: list[str] = field(default_factory=list)
    _section: Section | None = None
    _labels: Labels = field(default_factory=Labels)
    inner: dict[int, int] = field(default_factory=dict)
    """Lines of headings inside items, and their indentation."""

    def read(self, given: Iterable[Block]) -> list[Draft]:
        for block in given:
            match block:
                case Item():
                    self._item(block)
                case Heading():
                    self._heading(block)
                case Paragraph():
                    self._paragraph(block)
                case Row():
                    self._around.clear()
                    if self.release is not None:
                        self.notes.add(
                            "table_not_read", "a table under a release; its rows are no entries", block.line
                        )
                case Code():
                    if self.release is not None:
                        self.notes.add("code_not_read", "code under a release; it is no entry", block.line)
        self._settle()
        return self._found

    def _heading(self, heading: Heading) -> None:
        if "<" in heading.text:
            heading = heading._replace(text=_TAGS.sub("", heading.text).strip() or heading.text)
        self._around.clear()
        self._section = None
        if heading.line in self.inner:
            self._labels.head(self.inner[heading.line], Title(heading.level, heading.text.rstrip(": ")))
            return
        self._labels.clear()
        deeper = heading.level > self._level
        found = None
        if heading.level <= _LEVELS and not (self._planned and deeper):
            loose = self.release is None or self._plain or not deeper
            found = release_of(heading.text, loose=loose, name=self.release.name if self.release else None)
        if found is None and self.implied is not None:
            found = self.implied
        if found is not None:
            self._open(found, heading.level, heading.line, heading.text)
        elif (self.release is None or not deeper) and is_plan(heading.text):
            self._plan(heading)
        elif self.release is None:
            if heading.level == 1 and not self.seen:
                self.package = package_of(heading.text, self.folder)
        elif deeper or (is_category(heading.text) and not self._planned):
            while self._headings and self._headings[-1][0] >= heading.level:
                self._headings.pop()
            self._headings.append((heading.level, heading.text.rstrip(": ") or heading.text))
        else:
            self._settle()

    def _open(self, release: Release, level: int, line: int, raw: str, *, plain_line: bool = False) -> None:
        self._settle()
        self.implied = None
        if release.undated:
            self.notes.add("date_not_understood", "a release whose date was not understood", line)
        if release.package is None and self.package is not None:
            release = release._replace(package=self.package)
        self.release, self.seen = release, True
        self._level, self._plain, self._planned = level, plain_line, False
        self._headings.clear()
        self._around.clear()
        self._section = None
        self._at = len(self._found)
        self._found.append(drafts.release(release, line, raw, self._basis()))

    def _plan(self, heading: Heading) -> None:
        """A roadmap where a release might stand: what follows is no part of the release above."""
        self._settle()
        self.release = Release(UNRELEASED, None, yanked=False, unreleased=True)
        self.seen, self._planned = True, True
        self._level, self._plain = heading.level, False
        self._headings.append((heading.level, heading.text))

    def _settle(self) -> None:
        """The release is over: what was learnt of it on the way goes into its record."""
        if self.release is not None and self._at is not None:
            draft = self._found[self._at]
            self._found[self._at] = drafts.settled(draft, self.release, len(self._found) - self._at - 1)
        self.release = self._at = self._section = None
        self._planned = False
        self._headings.clear()

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
        if self._is_fresh and says_yanked(paragraph.lines[0][1]):
            self.release = self.release._replace(yanked=True)
        if any(_LETTER.search(_LINKS.sub(" ", line)) for _, line in paragraph.lines):
            self.notes.add("prose_not_read", "text under a release; it is no entry", paragraph.lines[0][0])

    @property
    def _is_fresh(self) -> bool:
        """True while nothing but text stands between the heading of a release and here."""
        return self.release is not None and self._section is None and not self._headings and not self._planned

    def _tells(self, number: int, line: str) -> bool:
        """True if a lone line was understood: a date, a release or a label."""
        if self._is_fresh and self._dates(line):
            return True
        if line[0] in "vV[0123456789":
            found = release_of(line, loose=False)
            if found is not None and (
                found.day or ((self.release is None or self._plain) and line[0] in "vV[")
            ):
                self._open(found, self._level if self.release else 0, number, line, plain_line=True)
                return True
        label = _LABEL.match(line)
        text = (label[1] or label[2] or label[3]).rstrip(": ") if label else ""
        if self.release is not None and 0 < len(text.split()) <= _LABEL_WORDS:
            if self._headings and self._headings[-1][0] == _LABEL_LEVEL:
                self._headings.pop()
            self._headings.append((_LABEL_LEVEL, text))
            self._section = None
            return True
        return False

    def _dates(self, line: str) -> bool:
        """True if the line says when the release above came out, that it has not, or that it was withdrawn."""
        if self.release is None:
            return False
        if says_unreleased(line):
            self.release = self.release._replace(unreleased=True, day=None)
            return True
        day = day_of(line) if _DATING.match(line) else None
        yanked = says_yanked(line)
        if day is not None or yanked:
            self.release = self.release._replace(
                day=self.release.day if yanked else day, yanked=yanked or self.release.yanked
            )
        return day is not None or yanked

    def _item(self, item: Item) -> None:
        if self.implied is not None:
            self._open(self.implied, 0, item.start, self.implied.version)
        release = self.release
        if self._labels.leave(item):
            self._section = None
        entry = told(item.text, item.more, by_commit=self._is_by_commit)
        if release is None:
            if entry.text:
                self.notes.add("outside_release", "an entry that no release holds", item.start)
            return
        if self.written == "markdown" and (parts := titled(item, entry)) is not None:
            self._labels.begin(item, parts[0], entry)
            self._section, item = None, parts[1]
            entry = told(item.text)
        around = self._around
        del around[item.depth :]
        held = [above for above in around if above] if around else []
        around.append(entry.text)
        if not entry.text:
            return
        section = self._section or self._begin(release)
        if section.thanks:
            self.notes.add("acknowledgement", "names people, not a change; not read as an entry", item.start)
            return
        item, entry = self._labels.led(item, entry)
        cited = self._labels.cited
        draft = drafts.entry(item, entry, section, held, self.home, cited)
        self._found.append(draft)
        if (draft.tickets or entry.commits) and "inherited" not in draft.metadata:
            self._labels.cite(item, Cited(draft.tickets, entry.commits))

    @property
    def _is_by_commit(self) -> bool:
        """Below the categories that only changesets write, whose entries begin with a commit."""
        return bool(self._headings) and _CHANGESETS.match(self._headings[-1][1]) is not None

    def _begin(self, release: Release) -> Section:
        headings = [*(text for _, text in self._headings), *self._labels.texts]
        category = headings[-1] if headings else _DEFAULT
        planned = self._planned or any(map(is_plan, headings))
        status = "proposed" if planned else drafts.status_of(release)
        metadata: dict[str, Any] = {
            "version": release.version,
            "releaseDate": release.day,
            "yanked": release.yanked,
            "category": category,
            "parent": None,
        }
        if release.package:
            metadata["package"] = release.package
        if any(map(is_breaking, headings)):
            metadata["breaking"] = True
        self._section = Section(
            thanks=any(map(is_thanks, headings)),
            action=next((found for text in reversed(headings) if (found := action_of(text))), None),
            other="release" if headings and not planned else "change",
            cls="plan" if planned else "claim",
            status=status,
            basis=(
                "roadmap_heading" if planned else self._basis(),
                "keep_a_changelog_category" if headings else "heuristic_action_dictionary",
            ),
            trail=(release.version, *(headings or (_DEFAULT,))),
            subject=f"release:{release.version}",
            versions=() if release.version == UNRELEASED else (release.version,),
            observed_at=drafts.observed_at(release),
            metadata=metadata,
        )
        return self._section

    def _basis(self) -> str:
        return "plain_release_line" if self._plain else f"{self.written}_release_heading"
