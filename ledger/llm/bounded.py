"""The bounded profile: as the strict one, with null, ranges, lengths, patterns and unique items (decisions D2).

A keyword that a provider refuses is left out on the wire, which is recorded, and is still checked on arrival.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

import orjson

from t2c.ledger.llm.base import Shape
from t2c.ledger.llm.derivation import Problem, derived, loose, refuse
from t2c.ledger.llm.parsing import Malformed, parse_answer
from t2c.ledger.llm.profile import BOUNDED, problems_of

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = [
    "Malformed", "bounded_bytes", "bounded_schema", "bounded_schema_problems", "bounded_shape", "parse_answer",
]  # fmt: skip

_NULL: Final = {"type": "null"}


@cache
def bounded_bytes(kind: type[BaseModel]) -> bytes:
    """The bounded schema of a type as the exact bytes that are sent and recorded, the same in every process.

    A member that may be null is of two types, so that a fault in it can be named by its place. Raises Internal, naming
    every problem with its place, if the type gives no such schema.
    """
    found = _with_null(orjson.loads(derived(kind)))
    refuse(kind, [*loose(kind), *bounded_schema_problems(found)])
    return orjson.dumps(found)


def bounded_schema(kind: type[BaseModel]) -> dict[str, Any]:
    """The bounded schema of a type. Raises as `bounded_bytes`."""
    found: dict[str, Any] = orjson.loads(bounded_bytes(kind))
    return found


def bounded_shape(name: str, kind: type[BaseModel]) -> Shape:
    """The bounded schema of a type as what an answer is held to, under a name. Raises as `bounded_bytes`."""
    return Shape(name, bounded_bytes(kind))


def bounded_schema_problems(schema: Any) -> list[Problem]:
    """Everything that the bounded profile does not allow, in the order of the schema."""
    return problems_of(schema, BOUNDED)


def _with_null(node: Any) -> Any:
    """A schema whose choices between one type and null are written as two types."""
    if isinstance(node, list):
        return [_with_null(part) for part in node]
    if not isinstance(node, dict):
        return node
    found = {key: _with_null(part) for key, part in node.items()}
    either = found.get("anyOf")
    if isinstance(either, list) and len(either) == 2 and either[1] == _NULL:
        one = either[0]
        if isinstance(one, dict) and isinstance(one.get("type"), str) and "enum" not in one:
            rest = {key: part for key, part in found.items() if key != "anyOf"}
            return {"type": [one["type"], "null"], **rest, **{k: v for k, v in one.items() if k != "type"}}
    return found
