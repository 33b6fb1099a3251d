"""What a schema may say so that a model can be held to it: two profiles of one derivation (decisions D2).

The strict one is for the typed answers, the bounded one, with bounds and null, for what the stages ask. A checker names
every problem at once and never rewrites: what is recorded and what is sent must be the same bytes (answers §3.1).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from t2c.ledger.llm.derivation import Problem, children

__all__ = ["BOUNDED", "STRICT", "Profile", "problems_of"]

_TYPES: Final = ("object", "array", "string", "boolean", "integer", "number")
_PLAIN: Final = frozenset(
    ("type", "description", "enum", "items", "properties", "required", "additionalProperties")
)
_BOUNDS: Final = frozenset(
    ("minimum", "maximum", "minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems")
)
_COMPOSED: Final = ("anyOf", "oneOf", "allOf", "$ref", "not", "const")


class Profile(NamedTuple):
    """Which keywords a schema may use, and whether a value may be null besides being of its type."""

    keywords: frozenset[str]
    nullable: bool


STRICT: Final = Profile(_PLAIN, nullable=False)
BOUNDED: Final = Profile(_PLAIN | _BOUNDS, nullable=True)


def problems_of(schema: Any, profile: Profile) -> list[Problem]:
    """Everything that the profile does not allow, in the order of the schema; empty if it allows the schema."""
    problems: list[Problem] = []
    if not isinstance(schema, Mapping) or schema.get("type") != "object":
        problems.append(Problem("#", "an answer as a whole must be an object"))
    waiting: list[tuple[tuple[str, ...], Any]] = [((), schema)]
    while waiting:
        path, node = waiting.pop()
        problems.extend(Problem(_pointer(path), what) for what in _faults(node, profile))
        if isinstance(node, Mapping):
            inner = [((*path, *steps), part) for steps, part in children(node) if not isinstance(part, bool)]
            waiting.extend(reversed(inner))
    return problems


def _pointer(path: tuple[str, ...]) -> str:
    """A place in a schema as a JSON pointer in a fragment."""
    return "#" + "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in path)


def _faults(node: Any, profile: Profile) -> list[str]:
    """What is wrong with one node itself."""
    if not isinstance(node, Mapping):
        return ["is no schema"]
    found = [f"has the keyword {key}" for key in node if key not in profile.keywords]
    kind = _type_of(node, profile)
    if kind is None and ("type" in node or not any(key in node for key in _COMPOSED)):
        found.append("must be of exactly one type" + (", or null besides" if profile.nullable else ""))
    if kind == "object":
        found.extend(_object_faults(node))
    elif kind == "array" and not isinstance(node.get("items"), Mapping):
        found.append("an array must say what its items are")
    if "enum" in node:
        words = node["enum"]
        texts = isinstance(words, list) and words and all(isinstance(word, str) for word in words)
        if not texts or node.get("type") != "string":
            found.append("an enum must be a list of texts, and of type string")
        elif len(set(words)) < len(words):
            found.append("an enum must not have a word twice")
    return found


def _type_of(node: Mapping[str, Any], profile: Profile) -> str | None:
    kind = node.get("type")
    if profile.nullable and isinstance(kind, list) and len(kind) == 2 and kind[1] == "null":
        kind = kind[0]
    return kind if isinstance(kind, str) and kind in _TYPES else None


def _object_faults(node: Mapping[str, Any]) -> list[str]:
    found = []
    if node.get("additionalProperties") is not False:
        found.append("an object must have additionalProperties false")
    properties = node.get("properties", {})
    names = list(properties) if isinstance(properties, Mapping) else []
    required = node.get("required", [])
    listed = required if isinstance(required, list) else []
    optional = [name for name in names if name not in listed]
    if optional:
        found.append(f"{', '.join(optional)} must be required")
    elif listed != names:
        found.append("required must name the properties in their order")
    return found
