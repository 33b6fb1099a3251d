"""The published JSON Schemas as a second opinion: each event against the files that others check with.

Slower by far than the types themselves, and independent of them: what the files and the types disagree about shows
here. Most of what events say they say again and again, so a file is taken apart into the schemas of its members, and
what one of these was found to allow is not asked about twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final, cast

import orjson
from jsonschema import Draft202012Validator

from t2c import schemas
from t2c.ledger.journal.verify import Fault

__all__ = ["PublishedAudit", "Subschema"]

_LOCAL: Final = "#/$defs/"
_MEMBERS_TOO: Final = frozenset(
    {"patternProperties", "unevaluatedProperties", "dependentSchemas", "propertyNames"}
)
_ITEMS_TOO: Final = frozenset({"prefixItems", "contains", "uniqueItems", "unevaluatedItems"})
"""Keywords beside which members or items are not judged each by itself."""
_MOST_KNOWN: Final = 1024
"""Values that a subschema remembers, and bytes of the largest of them."""
_MOST_BYTES: Final = 512


class Subschema:
    """A schema, or a part of one below `root`, which answers as the whole validator does.

    What combines schemas is done here: members, items, references, choices and conditions. Whatever else a schema
    asks of a value is asked by the validator.
    """

    def __init__(self, root: Draft202012Validator, schema: Any, *, remember: bool = True) -> None:
        own = dict(schema) if isinstance(schema, dict) else {}
        self._root = root
        self._remember = remember
        self._known: dict[bytes, bool] = {}
        self._shapes: set[tuple[str, ...] | int] = set()
        self._parts: dict[Any, Subschema] = {}
        self._all: list[Any] = own.pop("allOf", [])
        self._any: list[Any] = own.pop("anyOf", [])
        self._one: list[Any] = own.pop("oneOf", [])
        self._none: list[Any] = [own.pop("not")] if "not" in own else []
        self._condition: tuple[Any, Any, Any] | None = None
        if "if" in own:
            self._condition = own.pop("if"), own.pop("then", True), own.pop("else", True)
        if str(own.get("$ref", "")).startswith(_LOCAL):
            definitions = cast("Mapping[str, Any]", root.schema)["$defs"]
            self._all = [*self._all, definitions[own.pop("$ref").removeprefix(_LOCAL)]]
        self._members: dict[str, Any] | None = None
        if (
            "properties" in own
            and not own.keys() & _MEMBERS_TOO
            and isinstance(own.get("additionalProperties", True), bool)
        ):
            self._members = own["properties"]
            own["properties"] = dict.fromkeys(own["properties"], True)
        self._items: Any = None
        if isinstance(own.get("items"), dict) and not own.keys() & _ITEMS_TOO:
            self._items = own["items"]
            own["items"] = True
        self._validator = root.evolve(schema=schema if schema is False else own)

    def allows(self, value: Any) -> bool:
        """True if the value is valid."""
        if not self._remember:
            return self._judge(value)
        try:
            text = orjson.dumps(value)
        except TypeError:  # an integer that no double holds
            return self._judge(value)
        found = self._known.get(text)
        if found is None:
            found = self._judge(value)
            if len(text) <= _MOST_BYTES:
                if len(self._known) >= _MOST_KNOWN:
                    self._known.clear()
                self._known[text] = found
        return found

    def _judge(self, value: Any) -> bool:
        return (
            self._itself(value)
            and all(self._part(part).allows(value) for part in self._all)
            and (not self._any or any(self._part(part).allows(value) for part in self._any))
            and (not self._one or sum(self._part(part).allows(value) for part in self._one) == 1)
            and not any(self._part(part).allows(value) for part in self._none)
            and (self._condition is None or self._conditional(value, *self._condition))
        )

    def _conditional(self, value: Any, condition: Any, then: Any, otherwise: Any) -> bool:
        return self._part(then if self._part(condition).allows(value) else otherwise).allows(value)

    def _itself(self, value: Any) -> bool:
        """What the schema asks of the value without the schemas in it, then of its members or items."""
        if self._members is not None and type(value) is dict:
            members = self._members
            return self._shaped(tuple(value), dict.fromkeys(value)) and all(
                self._part(members[name]).allows(member) for name, member in value.items() if name in members
            )
        if self._items is not None and type(value) is list:
            items = self._part(self._items)
            return self._shaped(len(value), [None] * len(value)) and all(map(items.allows, value))
        return bool(self._validator.is_valid(value))

    def _shaped(self, key: tuple[str, ...] | int, value: Any) -> bool:
        """True if the names of the members, or the number of the items, are allowed."""
        if key in self._shapes:
            return True
        if not self._validator.is_valid(value):
            return False
        if len(self._shapes) >= _MOST_KNOWN:
            self._shapes.clear()
        self._shapes.add(key)
        return True

    def _part(self, schema: Any) -> Subschema:
        found = self._parts.get(id(schema))
        if found is None:
            found = self._parts[id(schema)] = Subschema(self._root, schema)
        return found


@cache
def _published(file: str) -> tuple[Draft202012Validator, Subschema] | None:
    try:
        validator = Draft202012Validator(schemas.load(file))
    except FileNotFoundError:
        return None
    return validator, Subschema(validator, validator.schema, remember=False)


class PublishedAudit:
    """Checks one event after the other; types and versions without a published schema are left to others."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []

    def visit(self, seq: int, event: Mapping[str, Any]) -> None:
        """Check the envelope, and the payload where it stands in the line."""
        self._check(seq, "envelope", event, "events/envelope.v1.schema.json")
        if "data" in event:
            name, version = event.get("type"), event.get("v")
            self._check(seq, str(name), event["data"], f"events/{name}.v{version}.schema.json")

    def _check(self, seq: int, what: str, value: Any, file: str) -> None:
        found = _published(file)
        if found is None or found[1].allows(value):
            return
        for error in found[0].iter_errors(value):
            place = ".".join(str(step) for step in error.absolute_path) or "the whole"
            self.faults.append(Fault(seq, "published", f"{what}: {place}: {error.message[:200]}"))
            return
