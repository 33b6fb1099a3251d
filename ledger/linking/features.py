"""What the rules look at: every record read once into typed parts, and sorted by what it can say.

Nothing here decides a relation. Free-form metadata is read as it comes; a value of another type counts as
absent, since records may be imported from elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from heapq import merge
from operator import attrgetter
from typing import Final

from msgspec import Struct, field

from t2c.ledger.kernel.ids import RecordId
from t2c.ledger.linking import citations, reverts
from t2c.ledger.linking.base import Memory, Remembered, RuleBook
from t2c.ledger.linking.citations import Citation, Mention
from t2c.ledger.linking.record import Record, decoded
from t2c.ledger.linking.symbols import Declaration, Names

__all__ = [
    "Corpus",
    "Ranker",
    "Record",
    "Statement",
    "assembled",
    "declarations",
    "decoded",
    "keeps_books",
    "read",
]

Ranker = Callable[[str, Sequence[str]], Sequence[float]]
"""A statement and names → how near each name is in meaning, the nearest the highest."""

_identity = attrgetter("id")
_RELEASING: Final = (
    r"v?\d{1,4}(?:\.\w{1,10}){1,4}(?: release)?(?:\s*\(\S{1,100}\))?\s*\Z",  # 1.2.3, 1.2.3 (#12)
    r"(?:(?:new|cut|tag|make|publish|retry) )?release:? (?:of |version )?(?:[\w-]{1,50} )?v?\d{1,4}\.\d",
    r"(?:new )?release\s*\Z",
    r"prep(?:are|aring)? (?:for )?(?:the )?(?:\S{1,50} ){0,3}release\b",
    r"(?:bump|update|set|increase|increment) (?:the |dev )?version\b",
    r"bump(?:ed|ing)? (?:to )?v?\d{1,4}\.\d",
    r"bump(?:ed|ing)? for (?:the )?release\s*\Z",
    r"version (?:bump\b|v?\d)",
    r"merge (?:pull request \S{1,20} from|branch) \S{0,100}(?:release|bump|prep)[-/_]?v?\d",
)
"""Subjects of commits that make a release, after an optional `chore: `."""
_BOOKKEEPING: Final = re.compile(
    rf"\w{{1,30}}\(release\)!?:|{citations.TYPED}(?:{'|'.join(_RELEASING)})", re.IGNORECASE
)
_CHANGELOG_FILE: Final = re.compile(
    r"(?:.*/)?(?:(?:change[-_]?s|change[-_]?log|history|news|release[-_]?notes)(?:\.\w{1,10})?\Z"
    r"|(?:changes|changelog\.d|newsfragments|\.changes|\.changeset)/)",
    re.IGNORECASE,
)
_CHANGELOG: Final = re.compile(r"\b(?:change[- ]?log|release notes|history|news)\b", re.IGNORECASE)

_NO_COMMITS: Final = frozenset({"git_tag_fact", "git_identity_declaration"})
"""Kinds of statements of Git that are no commits."""
_WORD: Final = re.compile(r"[A-Z][a-z]{3,}|[a-z]{4,}|[A-Z]{4,}")
_EMPTY_WORDS: Final = frozenset(
    word
    for line in (
        "added adds after also authored before branch change changed changes commit documentation docs documented",
        "entry error errors feature file files fixed fixes fixing from have into instead issue issues make merge",
        "more only pull remove removed removes request rename renamed should support supported test tests than that",
        "their them then this update updated updates used user uses using version warning were what when where which",
        "while will with without",
    )
    for word in line.split()
)
"""Words that so many changes share that having one in common says nothing."""


class Statement(Struct, frozen=True):
    """A plan, a changelog entry or a commit, with each key that it cites."""

    record: Record
    numbers: tuple[Citation, ...]
    tickets: tuple[Citation, ...]
    is_undone: bool = False
    """A commit that a later one reverted."""

    @property
    def id(self) -> RecordId:
        return self.record.id

    @property
    def day(self) -> int | None:
        """The day of `observedAt`, counted from the year 1, in the time zone that it was written in."""
        try:
            return date.fromisoformat((self.record.observedAt or "")[:10]).toordinal()
        except ValueError:
            return None

    @property
    def words(self) -> frozenset[str]:
        """Telling words of at least four letters in lower case, those inside names included."""
        found = _WORD.findall(self.record.statement.text + " " + self.record.text)
        return frozenset(word.lower() for word in found) - _EMPTY_WORDS

    @property
    def is_positive_plan(self) -> bool:
        """A plan that asks for something to be there; a prohibition asks for its absence."""
        return self.record.epistemic.cls == "plan" and self.record.statement.polarity == "positive"

    @property
    def is_documentation_only(self) -> bool:
        """A commit that changed documentation alone: a claim, not evidence."""
        return self.record.metadata.docOnly is True


class Corpus(Struct, frozen=True):
    """All that the rules may see; sequences are in the order of record ids.

    `commits` leaves out those that keep the books of a release. `modules` maps a file to its module record,
    `tails` the last two parts of a path to the module files that end in them. `todos` holds the plans, those in the
    roadmap of a changelog included; `releases` are what changelogs announce, `tags` what Git has.
    """

    todos: Sequence[Statement]
    entries: Sequence[Statement]
    commits: Sequence[Statement]
    modules: Mapping[str, RecordId]
    tails: Mapping[str, Sequence[str]]
    names: Names
    unreadable: int
    releases: Sequence[Record] = ()
    tags: Sequence[Record] = ()
    records: Sequence[Record] = ()
    """All records of all sources, dependencies of code included."""
    history: Sequence[Record] = ()
    """All commits, those that keep the books included."""
    ranker: Ranker | None = None
    """Compares meaning, where somebody asked for it; it orders what words justify and proposes nothing."""
    memory: Memory = field(default_factory=Memory)
    """What rules found before."""
    _kinds: dict[str, list[Record]] = field(default_factory=dict)

    def of(self, *sources: str) -> Iterator[Record]:
        """The records of these kinds of source, in the order of their ids."""
        if not self._kinds:
            for record in self.records:
                self._kinds.setdefault(record.source.kind, []).append(record)
        lists = [found for source in dict.fromkeys(sources) if (found := self._kinds.get(source))]
        return iter(lists[0]) if len(lists) == 1 else merge(*lists, key=_identity)

    def found(self, book: RuleBook) -> Remembered:
        """What a rule finds here, worked out once."""
        return self.memory.rule(book, self)  # pyright: ignore[reportArgumentType]


def read(bodies: Iterable[bytes]) -> Corpus:
    """Decode all bodies and sort them into what the rules need.

    A body that is not a record is counted in `unreadable`. Where two bodies claim one id the one of the smaller
    digest stands, so that the order of the input never matters.
    """
    return assembled(*decoded(bodies))


def assembled(
    found: Iterable[Record],
    unreadable: int = 0,
    ranker: Ranker | None = None,
    memory: Memory | None = None,
) -> Corpus:
    """The same of records, each with an id of its own."""
    records = sorted(found, key=lambda record: record.id)
    by_kind: dict[str, list[Record]] = {"todo": [], "changelog": [], "git": [], "ast": []}
    for record in records:
        if (kind := by_kind.get(record.source.kind)) is not None:
            kind.append(record)
    code = [record for record in by_kind["ast"] if record.statement.action == "declare"]
    told = by_kind["changelog"]
    releases = [record for record in told if record.statement.kind == "changelog_release"]
    planned = [record for record in told if record.epistemic.cls == "plan"]
    apart = {record.id for record in (*releases, *planned)}
    entries = [record for record in told if record.id not in apart]
    todos = sorted((*by_kind["todo"], *planned), key=lambda record: record.id)
    tags = [record for record in by_kind["git"] if record.statement.kind == "git_tag_fact"]
    history = [record for record in by_kind["git"] if record.statement.kind not in _NO_COMMITS]
    commits = [commit for commit in history if not keeps_books(commit)]
    undone = reverts.undone(
        reverts.Commit(commit.source.revision, commit.statement.text, commit.text, commit.takes_back)
        for commit in history
        if commit.source.revision is not None
    )
    written = {record.id: _mentions(record) for kind in (todos, entries, commits) for record in kind}
    home = citations.home_of(mention for record in todos + entries for mention in written[record.id])
    modules = {
        record.source.path: record
        for record in code
        if record.statement.kind == "module_fact" and record.source.path is not None
    }
    spoken = [record for record in records if record.source.kind in ("agent_log", "document", "nl")]
    tails: dict[str, list[str]] = {}
    for path in sorted(modules):
        tails.setdefault("/".join(path.split("/")[-2:]), []).append(path)
    names = Names.of(
        (
            name
            for kind in (todos, entries, commits, spoken)
            for record in kind
            for name in record.statement.target.symbols
        ),
        declarations(code, modules),
        (module.source.symbol for module in modules.values() if module.source.symbol),
    )
    return Corpus(
        todos=_statements(todos, written, home),
        entries=_statements(entries, written, home),
        commits=_statements(commits, written, home, undone),
        modules={path: record.id for path, record in modules.items()},
        tails=tails,
        names=names,
        unreadable=unreadable,
        releases=releases,
        tags=tags,
        records=records,
        history=history,
        ranker=ranker,
        memory=Memory() if memory is None else memory,
    )


def keeps_books(commit: Record) -> bool:
    """True for a commit that makes a release or only writes its changelog: it is not what was released."""
    subject, paths = commit.statement.text, commit.statement.target.paths
    if _BOOKKEEPING.match(subject) or (paths and all(map(_CHANGELOG_FILE.match, paths))):
        return True
    return commit.metadata.docOnly is True and _CHANGELOG.search(subject) is not None


def _mentions(record: Record) -> tuple[Mention, ...]:
    if record.mentions is None:
        record.mentions = citations.mentions(*_parts(record), record.statement.target.tickets)
    return record.mentions


def _parts(record: Record) -> tuple[str, str]:
    """Subject and body; only a commit has a subject, which its excerpt repeats."""
    if record.source.kind != "git":
        return "", record.text
    subject = record.statement.text
    return subject, record.text.removeprefix(subject)


def _statements(
    records: Iterable[Record],
    written: Mapping[RecordId, tuple[Mention, ...]],
    home: str | None,
    undone: frozenset[str] = frozenset(),
) -> list[Statement]:
    return [
        Statement(
            record,
            citations.numbers(written[record.id], home),
            citations.tickets(*_parts(record), record.statement.target.tickets),
            record.source.revision in undone,
        )
        for record in records
    ]


def declarations(code: Iterable[Record], modules: Mapping[str, Record]) -> Iterator[Declaration]:
    """What these facts of code declare; `modules` maps a file to its module record."""
    for record in code:
        path, name = record.source.path, record.source.symbol
        if record.statement.kind == "module_fact" or not (path and name):
            continue
        module = modules[path].source.symbol if path in modules else None
        anchor = record.metadata.anchor
        ordinal = anchor.get("ordinal") if isinstance(anchor, dict) else None
        yield Declaration(
            id=record.id,
            path=path,
            name=name,
            dotted=f"{module}.{name}" if module else name,
            ordinal=ordinal if isinstance(ordinal, int) else 0,
        )
