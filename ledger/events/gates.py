"""Family gates: commands that t2c runs itself, announced before and recorded after (decisions A11)."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from t2c.ledger.events.base import Count, EventRef, Hex64, Name, Payload, Text

__all__ = ["GateAnnounced", "GateOutcome", "GateRan"]

GateOutcome = Literal["exited", "timed_out", "signalled", "not_started", "interrupted"]


class GateAnnounced(Payload):
    """A command is about to run. Either `argv` is given and no shell is between, or `command` for a shell.

    `cwd` is relative to the tree it runs in; `environment` are the variables it gets beside those of the
    list that t2c hands on. `purpose` says what it is run for, `subject` what it is about, `tree` where: the work tree,
    or a commit checked out beside it, or a copy. `criterion` and `task` are those of a plan. Runs with one
    `equivalence` ran the same command in equal surroundings on equal trees (plan-records D5); null where that cannot
    be told.
    """

    type: ClassVar[str] = "gate.announced"
    purpose: Name
    subject: Text | None
    argv: Annotated[tuple[str, ...], Field(min_length=1)] | None
    command: Text | None
    cwd: Text
    environment: dict[Name, str]
    timeout_seconds: Annotated[int, Field(ge=1)]
    tree: Literal["work_tree", "worktree", "copy"]
    revision: Text | None
    fingerprint: Hex64 | None
    contract: Text | None
    task: Text | None
    criterion: Text | None
    equivalence: Hex64 | None = None


class GateRan(Payload):
    """How a command ended. Only t2c's own runner writes it; nothing else is evidence that a command ran.

    `exit_code` is the program's own where it exited, 124 after its time was over, 127 where it was not found and 126
    where it could not be started, 128 + n after signal n, 130 where whoever ran it was interrupted. `output` is the
    object of what it wrote, in which secrets are masked; `output_bytes` counts what it wrote, `kept_bytes` what was
    kept of it, both before anything was masked.
    """

    type: ClassVar[str] = "gate.ran"
    announced: EventRef
    outcome: GateOutcome
    exit_code: int
    duration_ms: Count
    output: Hex64
    output_bytes: Count
    kept_bytes: Count
    masked: dict[Name, Count]
    detail: str
