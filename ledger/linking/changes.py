"""What a change says of itself and what it touched, and what an entry says, as sets of tokens.

A change is one commit, or a merged pull request with its commits. Its fields are kept apart, because a word in a
subject tells more than the same word among the names on changed lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from t2c.ledger.linking.features import Record, keeps_books
from t2c.ledger.linking.tokens import code_names, name_tokens, path_tokens, tokens

__all__ = ["Change", "Entry", "Page", "entry_of", "is_chore", "merged", "page_of"]

MAX_TITLES: Final = 12
"""Subjects of one pull request that are compared one by one."""
MAX_PAGE_FILES: Final = 60
"""Changed files whose paths are read; a commit of more is no evidence of where it belongs."""
_TRAILER: Final = re.compile(
    r"(?:[A-Za-z]+-){1,4}(?:by|to|for|id)\s*:|\(cherry picked|co-authored", re.IGNORECASE
)
_LINK: Final = re.compile(r"\b[a-z]{2,10}://\S{1,400}")
_ASIDE: Final = re.compile(
    r"\b[a-z]{2,10}://[^\s)>]{1,400}|(?<![\w/@])@[\w-]{1,40}(?![\w/-])"
    r"|(?<![\w/.-])(?=[0-9a-f]{0,39}\d)(?=\d{0,39}[a-f])[0-9a-f]{7,40}(?![\w-])"
)
"""Links, people and hashes in an entry: who and where, not what."""
_MERGE_TITLE: Final = re.compile(r"merge pull request\b(?: #\d+)?(?: from \S{1,200})?\s*\Z", re.IGNORECASE)
_MERGE_BRANCH: Final = re.compile(r" from (?:[\w.-]{1,100}/)?(\S{1,200})")
_TYPED: Final = re.compile(r"([a-z]{2,12})(?:\(([^()]{1,60})\))?!?: ", re.IGNORECASE)
_DEPENDENCY: Final = re.compile(
    r"(?:[a-z]{2,12}(?:\([^()]{1,60}\))?: )?(?:bump|update|upgrade)s? \S{1,100}(?: requirement)? from \S{1,60} to"
    r"|build\(deps|chore\(deps|\[pre-commit|(?:[a-z]{2,12}: )?(?:pre-commit|weekly) ?(?:autoupdate|auto-update)",
    re.IGNORECASE,
)
_REVERT: Final = re.compile(
    r"(?:[a-z]{2,12}(?:\([^()]{1,60}\))?: )?(?:revert|reapply|reland)\b", re.IGNORECASE
)
_CHORES: Final = frozenset(
    {"chore", "ci", "build", "test", "tests", "style", "docs", "doc", "refactor", "release"}
)
_TEST_PATH: Final = re.compile(
    r"(?:^|/)(?:tests?|testing|testdata|__tests__|specs?)/|(?:^|/)test_[^/]*\Z|_test\.\w{1,5}\Z|\.(?:test|spec)\.\w{1,5}\Z",
    re.IGNORECASE,
)


class Page(NamedTuple):
    """The fields of one commit."""

    record: Record
    title: tuple[str, ...]
    body: frozenset[str]
    paths: frozenset[str]
    names: frozenset[str]
    tests: frozenset[str]
    spelled: frozenset[str]
    notes: tuple[frozenset[str], ...]
    kind: str
    is_dependency: bool
    is_documentation: bool
    is_test: bool
    is_revert: bool
    is_merge: bool
    keeps_books: bool


class Change(NamedTuple):
    """The fields of a commit or of a pull request; `pages` begin with the merge if there is one.

    `titles` are the tokens of each subject; `spelled` are whole names in lower case on changed lines and in paths;
    `notes` are the lines that it added to changelogs and news fragments.
    """

    pages: tuple[Page, ...]
    place: int
    titles: tuple[tuple[str, ...], ...]
    title: frozenset[str]
    body: frozenset[str]
    paths: frozenset[str]
    names: frozenset[str]
    tests: frozenset[str]
    spelled: frozenset[str]
    notes: tuple[frozenset[str], ...]
    noted: frozenset[str]

    @property
    def keeps_books(self) -> bool:
        """Whether it makes a release or only writes its changelog, and so is not what was released."""
        return all(page.keeps_books for page in self.pages)

    @property
    def said(self) -> frozenset[str]:
        """The tokens of everything written about it."""
        return self.title | self.body | self.noted

    @property
    def touched(self) -> frozenset[str]:
        """The tokens of everything it changed."""
        return self.names | self.paths | self.tests


class Entry(NamedTuple):
    """An entry of a changelog: its tokens in order, the names that it spells as code, and its kind of change."""

    record: Record
    order: tuple[str, ...]
    tokens: frozenset[str]
    spelled: frozenset[str]
    action: str


def entry_of(record: Record) -> Entry:
    """Read an entry's own words, and those of its heading's scope if the entry names one."""
    text = _ASIDE.sub(" ", record.text)
    found = tuple(tokens(text))
    return Entry(record, found, frozenset(found), code_names(text), record.statement.action)


def page_of(record: Record) -> Page:
    """Read one commit. Metadata is read as it comes; a value of another type counts as absent."""
    subject = record.statement.text
    body = "\n".join(_body(record.text.removeprefix(subject)))
    first, _, rest = body.partition("\n")
    if _MERGE_TITLE.match(subject):
        branch = _MERGE_BRANCH.search(subject)
        subject, body = first, (branch[1] if branch else "") + "\n" + rest
    files = record.statement.target.paths[:MAX_PAGE_FILES]
    diff = record.metadata.diff if isinstance(record.metadata.diff, dict) else {}
    names, tests = _strings(diff.get("names")), _strings(diff.get("tests"))
    symbols = [symbol.rpartition("::")[2] for symbol in _strings(diff.get("symbols"))]
    spelled = {name.lower() for name in (*names, *tests)}
    spelled.update(part.lower() for symbol in symbols for part in symbol.split("."))
    spelled.update(path.rpartition("/")[2].partition(".")[0].lower().replace("-", "_") for path in files)
    typed = _TYPED.match(subject)
    return Page(
        record=record,
        title=tuple(tokens(subject)),
        body=frozenset(tokens(body)),
        paths=frozenset(token for path in files for token in path_tokens(path)),
        names=name_tokens((*names, *(part for symbol in symbols for part in symbol.split(".")))),
        tests=name_tokens(tests),
        spelled=frozenset(spelled),
        notes=tuple(_notes(diff.get("notes"))),
        kind=typed[1].lower() if typed else "",
        is_dependency=_DEPENDENCY.match(subject) is not None,
        is_documentation=record.metadata.docOnly is True,
        is_test=bool(files) and all(map(_TEST_PATH.search, files)),
        is_revert=_REVERT.match(subject) is not None,
        is_merge=len(_strings(record.metadata.parents)) > 1,
        keeps_books=keeps_books(record),
    )


def merged(pages: Sequence[Page], place: int) -> Change:
    """One change of the pages of its commits, of which one at least is no bookkeeping."""
    shown = pages if len(pages) == 1 else [page for page in pages if not page.keeps_books] or list(pages)
    titles = [page.title for page in shown if page.title][:MAX_TITLES]
    notes = tuple(dict.fromkeys(line for page in shown for line in page.notes))
    return Change(
        pages=tuple(shown),
        place=place,
        titles=tuple(titles),
        title=frozenset(token for title in titles for token in title),
        body=frozenset().union(*(page.body for page in shown)),
        paths=frozenset().union(*(page.paths for page in shown)),
        names=frozenset().union(*(page.names for page in shown)),
        tests=frozenset().union(*(page.tests for page in shown)),
        spelled=frozenset().union(*(page.spelled for page in shown)),
        notes=notes,
        noted=frozenset().union(*notes),
    )


def is_chore(page: Page) -> bool:
    """Whether a commit says itself that users need not know of it."""
    return page.kind in _CHORES or page.is_dependency


def _body(text: str) -> Iterator[str]:
    """The lines of a message below its subject, without trailers and links."""
    for line in text.split("\n"):
        stripped = line.strip()
        if stripped and not _TRAILER.match(stripped):
            yield _LINK.sub(" ", stripped) if "://" in stripped else stripped


def _strings(value: Any) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _notes(value: Any) -> Iterator[frozenset[str]]:
    for note in value if isinstance(value, list) else ():
        for line in _strings(note.get("lines")) if isinstance(note, dict) else ():
            found = frozenset(tokens(line))
            if len(found) > 1:
                yield found
