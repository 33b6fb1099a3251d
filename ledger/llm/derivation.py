"""The schema of an answer from its type: every reference put in its place, nothing repaired (answers §3.5).

What the schema says beyond that is what the type says: whoever wants another schema changes the type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple, get_args

import orjson
from pydantic import BaseModel

from t2c.ledger.errors import Internal

__all__ = ["Problem", "children", "derived", "loose", "refuse"]

_DROPPED: Final = ("title", "$schema", "$defs", "discriminator")
_FIRST: Final = ("type", "description", "enum", "items", "properties", "required", "additionalProperties")
"""Keywords in the order in which they are written; others follow by name."""
_DEFINITION: Final = "#/$defs/"
_NAMED: Final = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")
_SINGLE: Final = (
    "items", "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else",
    "unevaluatedItems", "unevaluatedProperties",
)  # fmt: skip
_SEVERAL: Final = ("prefixItems", "anyOf", "oneOf", "allOf")


class Problem(NamedTuple):
    """What is wrong with a schema, and where: `#/properties/findings/items`."""

    path: str
    what: str

    def __str__(self) -> str:
        return f"{self.path}: {self.what}"


def refuse(kind: type[BaseModel], problems: Sequence[Problem]) -> None:
    """Raises Internal, naming every problem of a type's schema at once, if there is any."""
    if problems:
        raise Internal(
            f"the type {kind.__name__} gives no schema that a model can be held to: "
            + "; ".join(str(problem) for problem in problems),
            safe="nothing was asked",
            remedy="change the type, never the schema",
            problems=[problem._asdict() for problem in problems],
        )


def children(node: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The schemas directly inside a schema, each with its steps. Names of properties are no keywords."""
    for keyword in _NAMED:
        named = node.get(keyword)
        if isinstance(named, Mapping):
            yield from (((keyword, name), part) for name, part in named.items())
    for keyword in _SINGLE:
        if keyword in node:
            yield (keyword,), node[keyword]
    for keyword in _SEVERAL:
        several = node.get(keyword)
        if isinstance(several, list):
            yield from (((keyword, str(index)), part) for index, part in enumerate(several))


@cache
def derived(kind: type[BaseModel]) -> bytes:
    """The schema of a type, closed as the type is, in the order in which members are declared.

    The description of a member and that of the enum or the object it holds are joined, so that no meaning is lost.
    Raises Internal for a type that contains itself, naming it.
    """
    written = kind.model_json_schema(by_alias=True, mode="validation")
    return orjson.dumps(_placed(written, written.get("$defs", {}), (), kind))


def _placed(node: Any, definitions: Mapping[str, Any], inside: tuple[str, ...], kind: type[BaseModel]) -> Any:
    """A node with what it refers to in its place, and its keywords in their order."""
    if not isinstance(node, dict):
        return node
    found = {key: value for key, value in node.items() if key not in _DROPPED}
    reference = found.pop("$ref", None)
    if reference is not None:
        name = str(reference).removeprefix(_DEFINITION)
        if name in inside:
            refuse(kind, [Problem(name, f"contains itself: {' > '.join((*inside, name))}")])
        whole = _placed(definitions[name], definitions, (*inside, name), kind)
        found = {**whole, **_placed(found, definitions, inside, kind)}
        both = [text for text in (node.get("description"), whole.get("description")) if text]
        if both:
            found["description"] = "\n".join(both)
    else:
        for keyword in _NAMED:
            if isinstance(found.get(keyword), dict):
                found[keyword] = {
                    name: _placed(part, definitions, inside, kind) for name, part in found[keyword].items()
                }
        for keyword in _SINGLE:
            if keyword in found:
                found[keyword] = _placed(found[keyword], definitions, inside, kind)
        for keyword in _SEVERAL:
            if keyword in found:
                found[keyword] = [_placed(part, definitions, inside, kind) for part in found[keyword]]
    order = [*_FIRST, *sorted(found.keys() - set(_FIRST))]
    return {keyword: found[keyword] for keyword in order if keyword in found}


def loose(kind: type[BaseModel]) -> list[Problem]:
    """What makes a type, or one that stands in it, take more than its schema says, or change after it was read."""
    found = []
    for model in _models(kind):
        if not model.model_config.get("strict"):
            found.append(Problem(model.__name__, "coerces: strict is not set"))
        if not model.model_config.get("frozen"):
            found.append(Problem(model.__name__, "can be changed: it is not frozen"))
    return found


def _models(kind: type[BaseModel]) -> Iterator[type[BaseModel]]:
    """A type and all that stand in it, each once."""
    seen = {kind}
    waiting = [kind]
    while waiting:
        model = waiting.pop(0)
        yield model
        for field in model.model_fields.values():
            for part in _parts(field.annotation):
                if part not in seen:
                    seen.add(part)
                    waiting.append(part)


def _parts(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _parts(argument)
