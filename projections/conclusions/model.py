"""What a report says, as values: a page that is worth reading without any model, in whatever language it is told."""

from __future__ import annotations

from msgspec import Struct

from t2c.projections.findings.model import Shown

__all__ = [
    "SCHEMA",
    "Asked",
    "Change",
    "Changes",
    "Concluded",
    "Differing",
    "Portion",
    "Report",
    "Said",
    "There",
]

SCHEMA = "t2c.report/v1"


class Portion(Struct, frozen=True):
    """A part of a whole; of nothing there is no data."""

    part: int
    whole: int


class Said(Struct, frozen=True):
    """A statement, shortened, and where it stands: `path:line` or a commit."""

    text: str
    where: str


class Asked(Struct, frozen=True):
    """What one file, folder, participant or caller asks for: tasks with their sub-tasks count as one each.

    `by` is `person`, `agent`, `given`, `place` or `comments`; `name` is which one. `shown` of the `done` have evidence
    that counts; `first` shows open ones.
    """

    by: str
    name: str
    open: int
    done: int
    shown: int
    first: tuple[Said, ...]


class There(Struct, frozen=True):
    """What was found: files of code without tests, files of tests, public symbols, tests; results of tests that passed.

    `plans` with evidence of all that are to be done or said to be; `claims` of the changelog alike.
    """

    files: int
    test_files: int
    public: int
    tests: int
    results: Portion
    plans: Portion
    claims: Portion
    largest: tuple[tuple[str, int], ...]


class Change(Struct, frozen=True):
    """Commits of one kind, such as fixes, and the newest of them."""

    action: str
    commits: int
    newest: tuple[Said, ...]


class Changes(Struct, frozen=True):
    """What came since a release, or since a day where there is no release; merges are left out of `commits`.

    `day` is that of the release. `bound` of the commits relate to a plan, a claim or a document. `folders` are where most commits changed something.
    """

    since: str | None
    day: str | None
    until: str | None
    commits: int
    authors: int
    bound: int
    by_action: tuple[Change, ...]
    folders: tuple[tuple[str, int], ...]
    unreleased: int


class Differing(Struct, frozen=True):
    """What does not fit in one way: the gravest finding of it, how many there are in how many causes, and others.

    `others` are the gravest findings of further causes.
    """

    lead: Shown
    findings: int
    causes: int
    others: tuple[Said, ...]


class Concluded(Struct, frozen=True):
    """What a model concluded, and where the records stand that it rests on."""

    id: str
    kind: str
    severity: str
    title: str
    detail: str
    places: tuple[Said, ...]


class Report(Struct, frozen=True):
    """`differing` are the gravest ways in which something does not fit, `left` counts those that are not among them.

    `concluded` is what the model `by` concluded, empty where none did; `abstained` counts what it said without ground.
    `counts` are of all findings that are told, by severity; `suppressed` of those that nobody wants to be told.
    """

    schema: str
    generatedAt: str
    revision: str | None
    records: int
    asked: tuple[Asked, ...]
    asked_left: int
    open: int
    done: Portion
    by: str | None
    concluded: tuple[Concluded, ...]
    abstained: int
    there: There
    changes: Changes | None
    differing: tuple[Differing, ...]
    left: int
    counts: dict[str, int]
    suppressed: int
