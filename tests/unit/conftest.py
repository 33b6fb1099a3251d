"""What tests of the linker share: canonical bodies of records, and the relations between labelled ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from t2c.ledger.intake.base import Draft, Reading, Scope, materialise
from t2c.ledger.linking.base import LinkDraft
from t2c.ledger.linking.linker import link
from t2c.ledger.linking.registry import BOOKS

STATEMENTS = frozenset({"plan", "order", "same", "trace", "carry", "claim", "opposed", "document", "located"})
"""Rule books that relate statements."""
_REASONS = {reason for book in BOOKS if book.name in STATEMENTS for reason in book.omitted}


class Drawn:
    """The links between labelled bodies, with labels for ids."""

    def __init__(self, bodies: dict[str, bytes]) -> None:
        self.labels = {msgspec.json.decode(content)["id"]: label for label, content in bodies.items()}
        assert len(self.labels) == len(bodies), "two labels for one record"
        self.links = link(bodies.values())
        assert self.links == link(reversed(bodies.values())), "the order of the records matters"

    def __iter__(self) -> Iterator[tuple[str, str, str]]:
        return iter(
            sorted(
                (self.labels[one.source], one.type, self.labels[one.target]) for one in self.links.relations
            )
        )

    def only(self) -> LinkDraft:
        """The one relation."""
        (draft,) = self.links.relations
        return draft

    def counted(self) -> dict[str, int]:
        """How often each reason kept a rule from relating statements."""
        return {one.reason: one.count for one in self.links.warnings if one.reason in _REASONS}


def _stated(source: str, kind: str, text: str, path: str | None = None, **about: Any) -> bytes:
    draft = Draft(
        kind=kind,
        text=text,
        object=text,
        action="unknown",
        cls="declaration",
        status="proposed",
        confidence=0.9,
        basis=("made",),
    )
    (found,) = materialise(Reading(Scope(source, path), "t2c/made@1", (replace(draft, **about),)))
    return found.body


@pytest.fixture(scope="session")
def stated() -> Callable[..., bytes]:
    """stated(source, kind, text, path, **fields of the draft): the canonical body of a record."""
    return _stated


@pytest.fixture(scope="session")
def drawn() -> Callable[..., Drawn]:
    """drawn(label=body, …): the relations between them, the same in any order."""
    return lambda **bodies: Drawn(bodies)
