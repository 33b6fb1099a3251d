"""How large a schema is, and what a provider takes at most. The figures are settings, not laws (answers §3.3)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from t2c.ledger.llm.derivation import children

__all__ = ["LIMITS", "Limits", "Size", "over_limits", "size_of"]

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")


class Size(NamedTuple):
    """What a schema weighs.

    `properties` and `enum_values` are counted over all of it, `depth` is of objects in objects, `long_enum` the length of
    all words of the longest list that has more than 250, `names` that of all names and words together.
    """

    properties: int
    enum_values: int
    depth: int
    long_enum: int
    names: int


class Limits(NamedTuple):
    """The largest size that a provider takes."""

    properties: int
    enum_values: int
    depth: int
    long_enum: int
    names: int


LIMITS: Final[Mapping[str, Limits]] = MappingProxyType(
    {
        "openai": Limits(properties=5_000, enum_values=1_000, depth=10, long_enum=15_000, names=120_000),
        "openai-earlier": Limits(properties=100, enum_values=500, depth=5, long_enum=7_500, names=15_000),
    }
)
_MANY: Final = 250


def size_of(schema: Mapping[str, Any]) -> Size:
    """The size of a schema without references."""
    properties = enum_values = deepest = long_enum = names = 0
    waiting: list[tuple[Any, int]] = [(schema, 0)]
    while waiting:
        node, depth = waiting.pop()
        if not isinstance(node, Mapping):
            continue
        depth += node.get("type") == "object"
        deepest = max(deepest, depth)
        own = node.get("properties", {})
        words = [str(word) for word in node.get("enum", ())]
        letters = sum(map(len, words))
        properties += len(own)
        enum_values += len(words)
        names += letters + sum(map(len, own))
        if len(words) > _MANY:
            long_enum = max(long_enum, letters)
        waiting.extend((part, depth) for _, part in children(node))
    return Size(properties, enum_values, deepest, long_enum, names)


def over_limits(name: str, schema: Mapping[str, Any], limits: Limits) -> list[str]:
    """What a provider would refuse of a schema sent under a name, in words; empty if nothing."""
    found = []
    if not _NAME.match(name):
        found.append(f"the name {name!r} must be 1 to 64 letters, digits, _ or -")
    if schema.get("type") != "object":
        found.append("the root must be an object")
    for what, is_so, most in zip(Size._fields, size_of(schema), limits, strict=True):
        if is_so > most:
            found.append(f"{what.replace('_', ' ')}: {is_so:,} is more than {most:,}")
    return found
