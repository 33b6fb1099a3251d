"""Family decisions: what was allowed, what was not, and what somebody no longer wants to be told."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from t2c.ledger.events.base import EventRef, FreeForm, Hex64, Name, Payload, Text, Timestamp, Value
from t2c.ledger.kernel.actor import Trust

__all__ = [
    "ApprovalGranted",
    "ApprovalWithdrawn",
    "ConclusionDrawn",
    "ProposalRaised",
    "RefusalNoted",
    "Signature",
    "SuppressionGranted",
    "SuppressionWithdrawn",
    "SynthesisDrawn",
]


class RefusalNoted(Payload):
    """A rule forbade what somebody asked for. `reference` is the key by which the request can be found again.

    What was asked is not kept: it may be what must not be written down.
    """

    type: ClassVar[str] = "refusal.noted"
    subject: Name
    code: Name
    reason: Text
    requested_by: Text | None
    reference: Text | None


class SuppressionGranted(Payload):
    """Somebody decided not to be told of a finding, or of all findings of one cause, until `expires`; null is for good.

    The finding stays in every view that lists what is suppressed, with the reason.
    """

    type: ClassVar[str] = "suppression.granted"
    trust: ClassVar[Trust] = "asserted"
    finding: Annotated[str, Field(pattern=r"^DIAG-[0-9a-f]{20}$")] | None
    cause: Text | None
    reason: Text
    expires: Timestamp | None

    @model_validator(mode="after")
    def _is_about_one(self) -> Self:
        if (self.finding is None) == (self.cause is None):
            raise ValueError("names either a finding or a cause")
        return self


class SuppressionWithdrawn(Payload):
    """A suppression no longer holds; `suppression` is the id of the event that granted it."""

    type: ClassVar[str] = "suppression.withdrawn"
    trust: ClassVar[Trust] = "asserted"
    suppression: EventRef
    reason: Text


class Signature(Value):
    """A signature over the statement of an approval; `value` is base64 of an Ed25519 one, or an armoured SSH one."""

    key: Text
    algorithm: Literal["ed25519", "ssh"]
    value: Text


class ApprovalGranted(Payload):
    """Somebody approves exactly the bytes that were shown: `digest` is their SHA-256, `subject` what they are of.

    Where what is approved has a hash of its own, `digest` is that and `shown` the object of the text that was read.
    `normalised` is the SHA-256 of the text without what progress changes, such as ticks: it decides whether the approval
    is stale, where it is given. `proposed_by` are those whose work it is, as the approver was told.
    """

    type: ClassVar[str] = "approval.granted"
    v: ClassVar[int] = 2
    trust: ClassVar[Trust] = "asserted"
    subject: Text
    digest: Hex64
    statement: str
    shown: Hex64 | None = None
    normalised: Hex64 | None = None
    proposed_by: tuple[Text, ...] = ()
    expires: Timestamp | None = None
    signature: Signature | None = None


class ApprovalWithdrawn(Payload):
    """An approval no longer holds. What was applied under it stays applied."""

    type: ClassVar[str] = "approval.withdrawn"
    trust: ClassVar[Trust] = "asserted"
    approval: EventRef
    reason: Text


class ConclusionDrawn(Payload):
    """A grounded conclusion of the shape `t2c.conclusion/v1`, without `generatedAt` (intent-evidence §7.1).

    `by` is the `llm.answered` it was read from, null where t2c drew it without a model.
    """

    type: ClassVar[str] = "conclusion.drawn"
    trust: ClassVar[Trust] = "asserted"
    id: Annotated[str, Field(pattern=r"^CONC-[0-9a-f]{20}$")]
    synthesis: Name
    conclusion: FreeForm
    by: EventRef | None


class ProposalRaised(Payload):
    """A proposed task of the shape `t2c.todo-proposal/v1`, without `generatedAt` (intent-evidence §7.2)."""

    type: ClassVar[str] = "proposal.raised"
    trust: ClassVar[Trust] = "asserted"
    id: Annotated[str, Field(pattern=r"^TPROP-[0-9a-f]{20}$")]
    synthesis: Name
    proposal: FreeForm
    by: EventRef | None


class SynthesisDrawn(Payload):
    """What one participant said in one role, in sum, of the shape `t2c.participant-synthesis/v1` (decisions B3).

    `of` is the digest of the statements that were read: it is a synthesis of no others. `by` is the `llm.answered` it
    was read from, `prompt` the version of the fixed part of what was asked.
    """

    type: ClassVar[str] = "synthesis.drawn"
    trust: ClassVar[Trust] = "asserted"
    id: Annotated[str, Field(pattern=r"^COMM-SYN-[0-9a-f]{20}$")]
    participant: Text
    role: Literal["human", "agent", "unknown"]
    of: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
    prompt: Name
    synthesis: FreeForm
    by: EventRef
