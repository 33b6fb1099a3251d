"""Family changes: what is meant to be done to files of the user, what t2c does to them, and whether that was it.

Every write is announced before and receipted after (decisions A11). Plans and patches are the published shapes without
their times, which a view puts in (decisions A6).
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from t2c.ledger.events.base import EventRef, FreeForm, Hex64, Name, Payload, RecordRef, Text, Value
from t2c.ledger.kernel.actor import Trust

__all__ = [
    "ApplyAnnounced", "ApplyFailed", "ApplyReceipted", "ChangeClosed", "ChangeEvaluated", "ChangePlanned", "ChangeTried",
    "FileChange", "PatchRendered", "SubjectState", "SubjectVerdict",
]  # fmt: skip

Mode = Annotated[str, Field(pattern=r"^[0-7]{4}$")]
PlanRef = Annotated[str, Field(pattern=r"^CPLAN-[0-9a-f]{20}$")]
DiagnosticRef = Annotated[str, Field(pattern=r"^DIAG-[0-9a-f]{20}$")]
ApplyFailure = Literal["nothing", "undone", "left"]
SubjectState = Literal["cleared", "remaining", "gone", "undecided"]


class FileChange(Value):
    """One file and the SHA-256 of its content before and after; null where there is none.

    The modes are its permissions in octal, null where there is no file or nobody looked.
    """

    path: Text
    before: Hex64 | None
    after: Hex64 | None
    before_mode: Mode | None = None
    after_mode: Mode | None = None


Changes = Annotated[tuple[FileChange, ...], Field(min_length=1, max_length=1000)]


class ApplyAnnounced(Payload):
    """These files are about to be written, for `purpose`. Without an outcome it is not known which of them were.

    `subject` is what is applied and `digest` its SHA-256; `approval` is the event of the approval of exactly that,
    null where the purpose needs none. `requested_by` is who asked for it, `reverts` the receipt that is taken back.
    """

    type: ClassVar[str] = "apply.announced"
    v: ClassVar[int] = 2
    purpose: Name
    files: Changes
    subject: Text | None = None
    digest: Hex64 | None = None
    approval: EventRef | None = None
    requested_by: Text | None = None
    reverts: EventRef | None = None


class ApplyReceipted(Payload):
    """The files that were announced are as they were wanted.

    `how` says whether they were written now (`done`), found finished after a crash (`recovered`), or stood so before
    (`found`). `in_place` are those that could not be replaced in one step and were written over where they are.
    """

    type: ClassVar[str] = "apply.receipted"
    v: ClassVar[int] = 2
    announced: EventRef
    files: Changes
    how: Literal["done", "recovered", "found"] = "done"
    in_place: tuple[Text, ...] = ()


class ApplyFailed(Payload):
    """What was announced did not come about.

    `nothing` was changed, or what was changed is `undone`, or a person decided that the files be `left` as they are:
    then `files` tells what is there in the place of `after`.
    """

    type: ClassVar[str] = "apply.failed"
    announced: EventRef
    outcome: ApplyFailure
    reason: Text
    files: Changes


class ChangePlanned(Payload):
    """A code-change plan of the shape `t2c.code-change-plan/v1`, without `createdAt` (intent-evidence §7.4)."""

    type: ClassVar[str] = "change.planned"
    trust: ClassVar[Trust] = "asserted"
    id: PlanRef
    hash: Hex64
    plan: FreeForm
    proposed_by: tuple[Text, ...]


class PatchRendered(Payload):
    """Exactly what a person is asked to approve. Nothing is changed by it.

    `hash` is the hash that the contract gives the patch, `shown` the object of the text that is shown: a brief and a
    unified diff. `artifact` is the published shape without its times; `plans` are those that it is a patch of.
    `proposed_by` are the actors whose work it is: none of them may approve it where the policy keeps them apart.
    A `revert` takes back what a receipt tells of; the `hash` of one is the SHA-256 of what is shown.
    """

    type: ClassVar[str] = "patch.rendered"
    trust: ClassVar[Trust] = "asserted"
    kind: Literal["todo", "review", "source", "revert"]
    hash: Hex64
    shown: Hex64
    artifact: FreeForm
    plans: tuple[PlanRef, ...]
    proposed_by: tuple[Text, ...]


class ChangeTried(Payload):
    """A patch was applied beside the user's tree, to `revision`, and the gates were run there.

    `applied` is false where the patch does not fit that revision, `detail` says why; then no gate ran. `passed` is true
    if it fits and every gate exited with 0.
    """

    type: ClassVar[str] = "change.tried"
    patch: Hex64
    plans: tuple[PlanRef, ...]
    revision: Text
    dirty: bool
    applied: bool
    gates: tuple[EventRef, ...]
    passed: bool
    detail: str


class SubjectVerdict(Value):
    """What became of one diagnostic of a plan, judged by the condition for the same subject, not by its id.

    `records` are those that stand for the subject now: the plan's own or what became of them. `cleared` needs them to
    stand and the condition to be false; `gone` says that the subject is not there any more, which proves nothing.
    """

    diagnostic: DiagnosticRef
    state: SubjectState
    records: tuple[RecordRef, ...]
    reason: Text


class ChangeEvaluated(Payload):
    """A plan was held against what is there, of the shape `t2c.code-change-acceptance/v1` without its times."""

    type: ClassVar[str] = "change.evaluated"
    plan: PlanRef
    hash: Hex64
    accepted: bool
    subjects: tuple[SubjectVerdict, ...]
    acceptance: FreeForm


class ChangeClosed(Payload):
    """Every one of these plans was accepted by the evaluation that is named; nothing is done by it (intent-evidence §7.5)."""

    type: ClassVar[str] = "change.closed"
    plans: Annotated[tuple[PlanRef, ...], Field(min_length=1)]
    evaluations: Annotated[tuple[EventRef, ...], Field(min_length=1)]
    result: FreeForm
