"""What a summary says, as values: made from folded states, turned into bytes elsewhere.

Every count is named for what it counts. A share keeps both its numbers, and nothing of nothing is no data.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

__all__ = [
    "SCHEMA",
    "Changelog",
    "Code",
    "Commits",
    "Example",
    "LastRun",
    "Links",
    "Note",
    "Notes",
    "Omissions",
    "Plans",
    "Reason",
    "RecordRef",
    "Records",
    "Release",
    "RuleCount",
    "Share",
    "Summary",
    "TodoGroup",
    "TodoItem",
]

SCHEMA = "t2c.summary/v1"


class Share(Struct, frozen=True):
    """`numerator` of `denominator` are `what`; with a denominator of 0 there is no data."""

    what: str
    numerator: int
    denominator: int


class Records(Struct, frozen=True):
    """The records that stand; `unreadable` ones are in `total` and in nothing else."""

    total: int
    by_source: Mapping[str, int]
    unreadable: int


class TodoItem(Struct, frozen=True):
    text: str
    path: str | None
    line: int | None


class TodoGroup(Struct, frozen=True):
    """Open items under one heading trail of one file, in the order of the file."""

    path: str | None
    trail: tuple[str, ...]
    items: tuple[TodoItem, ...]


class Plans(Struct, frozen=True):
    """`open_first` shows the first open items; `open_not_shown` counts the others.

    `elsewhere` counts statements of class plan in other sources than TODO lists.
    """

    done: Share
    open: int
    open_first: tuple[TodoGroup, ...]
    open_not_shown: int
    elsewhere: int


class Release(Struct, frozen=True):
    version: str
    date: str | None
    entries: int


class Changelog(Struct, frozen=True):
    """`latest` are the newest releases by date."""

    entries: int
    unreleased_entries: int
    releases: int
    latest: tuple[Release, ...]


class Commits(Struct, frozen=True):
    """`first` and `last` are UTC days, None if no commit has a time."""

    commits: int
    authors: int
    first: str | None
    last: str | None


class Code(Struct, frozen=True):
    """`files` that hold code facts, `test_files` among them; `symbols` declared, `public` of those judged.

    `tests` are declarations that are tests; facts are counted by the kind of thing they are about.
    """

    files: int
    test_files: int
    symbols: int
    public: Share
    tests: int
    facts_by_kind: Mapping[str, int]


class RuleCount(Struct, frozen=True):
    """How many relations of one type one rule drew."""

    rule: str
    type: str
    relations: int


class RecordRef(Struct, frozen=True):
    """A record as a person would name it, for example what `commit 1a2b3c4d5e6f`, text its subject."""

    what: str
    text: str
    path: str | None
    line: int | None


class Example(Struct, frozen=True):
    """One relation in words: `source` — `type` → `target`, because of `signals`."""

    source: RecordRef
    type: str
    target: RecordRef
    rule: str
    signals: tuple[str, ...]
    confidence: float


class Links(Struct, frozen=True):
    relations: int
    by_rule: tuple[RuleCount, ...]
    linked: tuple[Share, ...]
    examples: tuple[Example, ...]


class Reason(Struct, frozen=True):
    """`count` things were left out for this reason at `places` places; `first` are some of them."""

    reason: str
    count: int
    places: int
    first: tuple[str, ...]


class Omissions(Struct, frozen=True):
    count: int
    by_reason: tuple[Reason, ...]


class Note(Struct, frozen=True):
    """What somebody said, who, when, and how far to believe it."""

    seq: int
    ts: str
    actor: str
    trust: str
    subject: str | None
    statement: str


class Notes(Struct, frozen=True):
    total: int
    latest: tuple[Note, ...]


class LastRun(Struct, frozen=True):
    """The run that began last; `stages` are name and status of those that are over."""

    id: str
    verb: str
    requested_by: str
    started: str
    finished: str | None
    status: str
    detail: str | None
    stages: tuple[tuple[str, str], ...]
    degradations: int


class Summary(Struct, frozen=True):
    """`summary.json` (t2c.summary/v1)."""

    schema: str
    generatedAt: str
    records: Records
    plans: Plans
    changelog: Changelog
    commits: Commits
    code: Code
    links: Links
    omissions: Omissions
    notes: Notes
    last_run: LastRun | None
