"""Who did it. Ids are pseudonymous: no personal data beyond what a registry holds."""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple, get_args

from t2c.ledger.errors import Usage

__all__ = ["SCANNER", "Actor", "ActorKind", "Trust"]

ActorKind = Literal["human", "agent", "helper", "host_adapter"]
Trust = Literal["observed", "imported", "asserted"]

ACTOR_ID: Final = r"^[A-Za-z0-9][A-Za-z0-9._@+/-]{0,127}$"


class Actor(NamedTuple):
    """`kind:id`, for example `human:local` or `agent:reviewer-2`."""

    kind: ActorKind
    id: str

    @classmethod
    def parse(cls, text: str) -> Actor:
        """Read `kind:id`. Raises Usage if the kind is unknown or the id is not a plain name."""
        kind, _, name = text.partition(":")
        if kind not in get_args(ActorKind) or not re.fullmatch(ACTOR_ID, name):
            kinds = ", ".join(get_args(ActorKind))
            raise Usage(
                f"{text!r} is not an actor",
                remedy=f"write KIND:ID, with KIND one of {kinds}, for example human:local or agent:reviewer",
            )
        return cls(kind, name)  # type: ignore[arg-type]

    def __str__(self) -> str:
        return f"{self.kind}:{self.id}"


SCANNER: Final = Actor("helper", "t2c")
"""t2c's own code, which alone (with host adapters) may say `observed` (decisions A12)."""
