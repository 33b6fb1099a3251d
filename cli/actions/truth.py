"""`t2c truth`: the truth map, whole or the assertion of one record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, NamedTuple

import orjson

from t2c.cli.actions.context import Context
from t2c.cli.actions.viewing import view
from t2c.ledger.errors import Usage

__all__ = ["TruthResult", "TruthView", "truth"]

_FIRST: Final = ("conflicted", "supported", "mixed")
"""What a reader wants to see first."""


@dataclass(frozen=True, slots=True)
class TruthResult:
    """Assertions as the map has them: of one record, or all of more than one record, the telling ones first."""

    schema: ClassVar[str] = "t2c.truth-assertions/v1"
    seq: int
    assertions: Sequence[Mapping[str, Any]]


class TruthView(NamedTuple):
    """`document` is the whole map as bytes; `of` is the record asked for."""

    document: bytes
    result: TruthResult
    total: int
    by_status: Mapping[str, int]
    of: str | None


def truth(context: Context, record: str | None = None, at: str | None = None) -> TruthView:
    """Make the map as of a moment. Raises Usage for a record that does not stand then."""
    found = view(context, "truth-map", at)
    document = found.artifacts["truth-map.json"]
    body = orjson.loads(document)
    if record is None:
        several = [one for one in body["assertions"] if len(one["recordIds"]) > 1]
        chosen = sorted(several, key=lambda one: (_place(one["status"]), -len(one["recordIds"]), one["id"]))
    elif (assertion := body["recordToAssertion"].get(record)) is not None:
        chosen = [one for one in body["assertions"] if one["id"] == assertion]
    else:
        raise Usage(
            f"no record {record} stands",
            remedy="`t2c graph` finds records by path, ticket or name; `t2c ledger log --subject` tells what became of one",
        )
    stats = body["stats"]
    return TruthView(document, TruthResult(found.seq, chosen), stats["assertions"], stats["byStatus"], record)


def _place(status: str) -> int:
    return _FIRST.index(status) if status in _FIRST else len(_FIRST)
