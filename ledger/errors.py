"""Every error that this package raises on purpose, and what it means to the caller.

    T2cError
    ├── Findings      1   it ran, and found something at or above the asked level
    ├── Usage         2   the command or its input is wrong
    ├── Refused       3   a rule forbids it; the refusal is recorded where a ledger is at hand
    ├── Conflict      4   another writer, a stale expected head, a changed source
    ├── Corrupt       5   the journal, an object or a bundle is damaged
    ├── Environment   6   a missing tool, permission, disk, network
    ├── Model         7   a required model answer was not to be had
    └── Internal     70   our own bug

Library code raises these; only the command line turns them into text and an exit code.
"""

from typing import ClassVar

__all__ = [
    "Conflict",
    "Corrupt",
    "Environment",
    "Findings",
    "Internal",
    "Model",
    "Refused",
    "T2cError",
    "Usage",
]


class T2cError(Exception):
    """What happened, where, what is still safe and what to do next.

    `what` is one sentence; `where` is `file:line` or `seq N`; `safe` says what was not harmed;
    `remedy` says what to type or change next; `details` holds values for machines.
    """

    code: ClassVar[int] = 70

    def __init__(
        self,
        what: str,
        *,
        where: str | None = None,
        safe: str | None = None,
        remedy: str | None = None,
        **details: object,
    ) -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.safe = safe
        self.remedy = remedy
        self.details = details


class Findings(T2cError):
    """The work was done and found something at or above the level asked for."""

    code = 1


class Usage(T2cError):
    """The command or its input is wrong."""

    code = 2


class Refused(T2cError):
    """A rule forbids it."""

    code = 3


class Conflict(T2cError):
    """Somebody else changed what this command was based on."""

    code = 4


class Corrupt(T2cError):
    """Recorded bytes are damaged: where, since when, what is still good, how to recover."""

    code = 5


class Environment(T2cError):
    """A tool, a permission, a disk or a network is missing."""

    code = 6


class Model(T2cError):
    """A required model answer was not to be had."""

    code = 7


class Internal(T2cError):
    """A fault of t2c itself."""

    code = 70
