"""The strict profile: a schema that a provider can hold a model to word by word (answers §3.1, §3.5).

It is objects, arrays, texts, true and false, and closed lists of words, and nothing else: no unions, no references,
no defaults, no bounds. A schema that passes goes out as it is; one that does not stops the type, before anybody is asked.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import orjson

from t2c.ledger.llm.base import Shape
from t2c.ledger.llm.derivation import Problem, derived, loose, refuse
from t2c.ledger.llm.parsing import Malformed, parse_answer
from t2c.ledger.llm.profile import STRICT, problems_of

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = [
    "Malformed", "Problem", "parse_answer", "schema_digest", "strict_bytes", "strict_schema",
    "strict_schema_problems", "strict_shape", "tool_form",
]  # fmt: skip


@cache
def strict_bytes(kind: type[BaseModel]) -> bytes:
    """The strict schema of a type as the exact bytes that are sent and recorded, the same in every process.

    Raises Internal, naming every problem with its place, if the type gives no strict schema.
    """
    found = derived(kind)
    refuse(kind, [*loose(kind), *strict_schema_problems(orjson.loads(found))])
    return found


def strict_schema(kind: type[BaseModel]) -> dict[str, Any]:
    """The strict schema of a type. Raises as `strict_bytes`."""
    found: dict[str, Any] = orjson.loads(strict_bytes(kind))
    return found


def strict_shape(name: str, kind: type[BaseModel]) -> Shape:
    """The strict schema of a type as what an answer is held to, under a name. Raises as `strict_bytes`."""
    return Shape(name, strict_bytes(kind))


def schema_digest(kind: type[BaseModel]) -> str:
    """SHA-256 of the strict schema's bytes: the schema's name in the ledger."""
    return sha256(strict_bytes(kind)).hexdigest()


def strict_schema_problems(schema: Any) -> list[Problem]:
    """Everything that keeps a schema from being strict, in the order of the schema; empty if it is strict."""
    return problems_of(schema, STRICT)


def tool_form(name: str, kind: type[BaseModel]) -> dict[str, Any]:
    """The answer as a tool that a model calls: what it is for, and its strict parameters. Raises as `strict_bytes`."""
    schema = strict_schema(kind)
    function = {"name": name, "description": schema["description"], "strict": True, "parameters": schema}
    return {"type": "function", "function": function}
