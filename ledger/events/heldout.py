"""Family answers, the part about tests: sealed tests, variants that measure tests, tests that may not change."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from t2c.ledger.events.base import EventRef, Hex64, Name, Payload, Text, Value

__all__ = [
    "FrozenFile", "HeldoutLeaked", "HeldoutRan", "HeldoutRevealed", "HeldoutSealed", "Revealed", "SealedFile",
    "TestFrozen", "VariantAnnounced", "VariantFile", "VariantOutcome", "VariantRan",
]  # fmt: skip

VariantOutcome = Literal[
    "killed", "survived", "accepted", "overconstrained", "blind", "told_apart", "invalid"
]


class SealedFile(Value):
    """A test that the implementer may not see: commitments to its path, content and command, salted (answers §5.1).

    `common` are the numbers of its lines, from 1, that stood in files everybody could read when it was sealed: to show
    those shows nothing of the test.
    """

    path: Hex64
    content: Hex64
    argv: Hex64
    scenarios: tuple[Text, ...]
    composition: bool
    common: tuple[Annotated[int, Field(ge=1)], ...]


class HeldoutSealed(Payload):
    """Tests were sealed: their bodies lie outside the workspace until they are revealed (decisions D8)."""

    type: ClassVar[str] = "heldout.sealed"
    answer: EventRef
    about: Text | None
    files: Annotated[tuple[SealedFile, ...], Field(min_length=1)]


class HeldoutRan(Payload):
    """A sealed test ran against a frozen candidate. `candidate` is the fingerprint of what it ran against.

    `counts` is false where the test had leaked or was revealed before, so that whoever wrote the code could know it,
    or where its command ran nothing that is known.
    `output` commits to what the test wrote, which may quote it and so lies with it.
    """

    type: ClassVar[str] = "heldout.ran"
    sealed: EventRef
    file: Annotated[int, Field(ge=0)]
    candidate: Hex64
    passed: bool
    gate: EventRef
    counts: bool
    output: Hex64 | None


class HeldoutLeaked(Payload):
    """A sealed test was shown to whom it must not be: it is burned, and its later passes count for nothing."""

    type: ClassVar[str] = "heldout.leaked"
    sealed: EventRef
    file: Annotated[int, Field(ge=0)]
    how: Literal["hash", "path", "line"]
    role: Name
    request: Hex64
    sent: bool


class Revealed(Value):
    """What opens the commitments of one sealed file: its path, its command, the object of its body, the salt in hex."""

    path: Text
    argv: tuple[Text, ...]
    content: Hex64
    salt: Hex64


class HeldoutRevealed(Payload):
    """Sealed tests were opened; whoever has the ledger can prove that they are those which were sealed.

    From here on they are secret no longer, and a pass counts for nothing. The helper opens them; `requested_by` says
    who asked for it.
    """

    type: ClassVar[str] = "heldout.revealed"
    sealed: EventRef
    files: Annotated[tuple[Revealed, ...], Field(min_length=1)]
    requested_by: Name | None = None


class VariantFile(Value):
    path: Text
    content: Hex64


class VariantAnnounced(Payload):
    """A variant of the code is about to be tried in a copy, never in the work tree. `base` is what it is a copy of."""

    type: ClassVar[str] = "variant.announced"
    answer: EventRef
    item: Annotated[int, Field(ge=0)]
    kind: Literal["wrong", "permitted", "special_case"]
    scenario: str
    base: Text
    files: tuple[VariantFile, ...]


class VariantRan(Payload):
    """What trying a variant showed; `gates` are the runs it rests on."""

    type: ClassVar[str] = "variant.ran"
    announced: EventRef
    outcome: VariantOutcome
    detail: Text
    gates: tuple[EventRef, ...]


class FrozenFile(Value):
    path: Text
    content: Hex64


class TestFrozen(Payload):
    """Tests that nobody but a person may change from here on, by the SHA-256 of their content."""

    __test__: ClassVar[bool] = False
    type: ClassVar[str] = "test.frozen"
    answer: EventRef
    about: Text | None
    files: Annotated[tuple[FrozenFile, ...], Field(min_length=1)]
    argv: tuple[Text, ...]
    evidence: tuple[EventRef, ...]
