"""Which types of events exist, where each is defined, and how an old version is read.

Names and versions are data: the table is written out so that one type can be loaded without the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:  # whoever only reads a journal needs no pydantic
    from t2c.ledger.events.base import Payload

__all__ = ["CATALOGUE", "RESERVED", "Catalogue", "Upcast"]

Upcast = Callable[[dict[str, Any]], dict[str, Any]]
"""A pure function from the `data` of version n to the `data` of version n+1."""

_MODULES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "journal": (
        "journal",
        (
            "JournalOpened", "JournalRepaired", "JournalMerged", "CheckpointSigned", "BundleExported",
            "BundleImported", "PayloadRedacted", "KeyRegistered", "KeyRevoked",
            "ParticipantRegistered",
        ),
    ),
    "runs": (
        "runs",
        (
            "RunStarted", "StageFinished", "DegradationNoted", "OmissionNoted", "OmissionCleared",
            "RunFinished",
        ),
    ),
    "evidence": (
        "evidence",
        (
            "RecordObserved", "RecordMoved", "RecordRetracted", "RecordInterpreted", "RelationLinked",
            "RelationUnlinked",
        ),
    ),
    "statements": ("evidence", ("RelationJudged", "ObservationNoted")),
    "decisions": (
        "decisions",
        (
            "RefusalNoted", "SuppressionGranted", "SuppressionWithdrawn", "ApprovalGranted", "ApprovalWithdrawn",
            "ConclusionDrawn", "ProposalRaised", "SynthesisDrawn",
        ),
    ),
    "llm": ("llm", ("LlmAsked", "LlmAnswered", "LlmUnusable")),
    "answers": (
        "answers",
        (
            "AnswerRecorded", "AnswerVerified", "ShortcutJudged", "ChoiceMade", "QuestionAsked",
            "QuestionAnswered",
        ),
    ),
    "heldout": (
        "answers",
        (
            "HeldoutSealed", "HeldoutRan", "HeldoutLeaked", "HeldoutRevealed", "VariantAnnounced",
            "VariantRan", "TestFrozen",
        ),
    ),
    "gates": ("plans", ("GateAnnounced", "GateRan")),
    "changes": (
        "changes",
        (
            "ApplyAnnounced", "ApplyReceipted", "ApplyFailed", "ChangePlanned", "PatchRendered", "ChangeTried",
            "ChangeEvaluated", "ChangeClosed",
        ),
    ),
    "intake": (
        "intake",
        (
            "ParticipantAdmitted", "IdentityBound", "RoleAssigned", "MessageCaptured", "ProjectionRebuilt",
            "StreamVerified",
        ),
    ),
}  # fmt: skip
"""Module → its family and its classes. What hands append stands apart, so that an append loads little."""


def _dotted(class_name: str) -> str:
    """`RecordObserved` → `record.observed`: a class is named as its type is."""
    words = "".join(f".{char.lower()}" if char.isupper() else char for char in class_name)
    return words.removeprefix(".")


class Catalogue:
    """Types by name, loaded when first asked for, and the upcasts of old versions.

    `locations` maps a type to the module and class that define it; `upcasts` maps (type, version) to the
    step that lifts that version by one.
    """

    def __init__(
        self,
        locations: Mapping[str, tuple[str, str]],
        families: Mapping[str, str] = MappingProxyType({}),
        upcasts: Mapping[tuple[str, int], Upcast] = MappingProxyType({}),
    ) -> None:
        self.locations = locations
        self.families = families
        self.upcasts = upcasts

    @cached_property
    def _loaded(self) -> dict[str, type[Payload]]:
        return {}

    def types(self) -> list[str]:
        """All type names, in byte order."""
        return sorted(self.locations)

    def knows(self, name: str, version: int) -> bool:
        """True if events of this type and version can be read."""
        return name in self.locations and 1 <= version <= self.payload(name).v

    def payload(self, name: str) -> type[Payload]:
        """The current payload class of a type. Raises KeyError for an unknown name."""
        found = self._loaded.get(name)
        if found is None:
            module, class_name = self.locations[name]
            loaded: type[Payload] = getattr(import_module(module), class_name)
            found = self._loaded[name] = loaded
        return found

    def lift(self, name: str, version: int, data: dict[str, Any]) -> dict[str, Any]:
        """`data` of an old version as the current version has it; stored bytes never change."""
        while (step := self.upcasts.get((name, version))) is not None:
            data, version = step(data), version + 1
        return data


def _announced(data: dict[str, Any]) -> dict[str, Any]:
    unsaid = dict.fromkeys(("subject", "digest", "approval", "requested_by", "reverts"))
    return {**data, **unsaid, "files": _without_modes(data["files"])}


def _receipted(data: dict[str, Any]) -> dict[str, Any]:
    return {**data, "files": _without_modes(data["files"]), "how": "done", "in_place": []}


def _granted(data: dict[str, Any]) -> dict[str, Any]:
    unsaid = dict.fromkeys(("shown", "normalised", "expires", "signature"))
    return {**data, **unsaid, "proposed_by": []}


def _without_modes(files: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**one, "before_mode": None, "after_mode": None} for one in files]


CATALOGUE = Catalogue(
    locations={
        _dotted(name): (f"t2c.ledger.events.{module}", name)
        for module, (_, names) in _MODULES.items()
        for name in names
    },
    families={_dotted(name): family for family, names in _MODULES.values() for name in names},
    upcasts={
        ("apply.announced", 1): _announced,
        ("apply.receipted", 1): _receipted,
        ("approval.granted", 1): _granted,
    },
)

RESERVED: Final[frozenset[str]] = frozenset()
"""Types whose shape is fixed, so that a reader knows them, and which nothing of this version writes."""
