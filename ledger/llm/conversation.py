"""What an answer is held to, and what is said next when it does not hold. Pure: no I/O, no clock.

Nothing is repaired (decisions D1): JSON may be taken out of one Markdown fence, which is a degradation, and anything
else that is not one valid JSON text is no answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import orjson

from t2c.ledger.events.llm import Unusable
from t2c.ledger.kernel.canon import artifact
from t2c.ledger.llm.base import Message, Request, Shape
from t2c.ledger.llm.json_text import ROOT, json_fault, place

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

__all__ = ["CORRECTABLE", "Judged", "Lesser", "bare", "corrected", "judge", "lesser"]

CORRECTABLE: Final[frozenset[Unusable]] = frozenset(
    {"not_json", "duplicate_key", "schema_violation", "rule_violation"}
)
"""What is sent back to the model with the exact violation (intent-evidence §6.3)."""

_TOLD: Final = 8
"""Violations of a schema that are told at once."""
_LONGEST: Final = 2000
_MOST_DROPPED: Final = 6
_FENCE: Final = "```"
_LANGUAGE: Final = re.compile(r"[A-Za-z0-9_-]{0,20}")
_BLANK: Final = " \t\r\n"


class Judged(NamedTuple):
    """The JSON text of an answer, or why it is none: `where` is the place in it, `detail` says it in words."""

    text: bytes
    fenced: bool = False
    reason: Unusable | None = None
    where: str | None = None
    detail: str = ""


def judge(content: str, shape: Shape) -> Judged:
    """Hold an answer to its schema: one JSON text, no name twice in an object, valid by exactly these bytes.

    The whole schema counts, also where a provider was sent less of it; a reference to elsewhere is never followed.
    """
    text, fenced = _unfenced(content)
    fault = json_fault(text)
    if fault is not None:
        return Judged(text, fenced, fault.reason, None, f"{ROOT} is not one JSON document: {fault.detail}")
    value = orjson.loads(text)
    found = _violations(value, shape)
    if not found:
        return Judged(text, fenced)
    told = "; ".join(f"{where} {what}" for where, what in found[:_TOLD])
    if len(found) > _TOLD:
        told += f"; and {len(found) - _TOLD} more"
    return Judged(text, fenced, "schema_violation", found[0][0], told[:_LONGEST])


def _unfenced(content: str) -> tuple[bytes, bool]:
    """The text without blanks around it, and without one fence that holds all of it; True if there was one."""
    text = content.strip(_BLANK)
    fenced = False
    if text.startswith(_FENCE) and text.endswith(_FENCE):
        head, _, rest = text.partition("\n")
        if _LANGUAGE.fullmatch(head.removeprefix(_FENCE).strip(_BLANK)):
            text, fenced = rest.removesuffix(_FENCE).strip(_BLANK), True
    return text.encode("utf-8", "replace"), fenced


@lru_cache(maxsize=64)
def _validator(schema: bytes) -> Draft202012Validator:
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend
    from referencing import Registry

    kind = extend(Draft202012Validator, {"uniqueItems": _unique})  # type: ignore[no-untyped-call]
    found: Draft202012Validator = kind(orjson.loads(schema), registry=Registry())
    return found


def _unique(validator: Any, wanted: bool, value: Any, schema: Any) -> Iterator[ValidationError]:
    """`uniqueItems` in the time that it takes to read the list: the library compares every two items."""
    from jsonschema.exceptions import ValidationError

    if wanted and isinstance(value, list) and len({artifact(item) for item in value}) < len(value):
        yield ValidationError("an item stands twice")


def _violations(value: Any, shape: Shape) -> list[tuple[str, str]]:
    found = _validator(shape.schema).iter_errors(value)
    # A model that answers nonsense may break a rule at each of a million places.
    told = [_told(error) for error, _ in zip(found, range(200), strict=False)]
    return list(dict.fromkeys(told))


def _told(error: ValidationError) -> tuple[str, str]:
    """The place and what is wrong there, such as `response.records[2].confidence`, `must be at most 0.9`."""
    steps = tuple(error.absolute_path)
    at = place(steps)
    limit: Any = error.validator_value
    match error.validator:
        case "required":
            return place((*steps, _missing(error))), "is missing"
        case "additionalProperties":
            known = error.schema.get("properties", {}) if isinstance(error.schema, dict) else {}
            extra = sorted(str(name) for name in _members(error.instance) if name not in known)
            return place((*steps, *extra[:1])), "is not a member that the schema knows"
        case "type":
            wanted = limit if isinstance(limit, str) else " or ".join(map(str, limit))
            return at, f"must be {wanted}"
        case "enum":
            return at, f"must be one of {', '.join(str(one) for one in limit)}"
        case "const":
            return at, f"must be {limit}"
    words = _BOUNDS.get(str(error.validator))
    return at, words.format(limit) if words else f"breaks {error.validator}"


_BOUNDS: Final = {
    "maximum": "must be at most {}",
    "minimum": "must be at least {}",
    "exclusiveMaximum": "must be less than {}",
    "exclusiveMinimum": "must be more than {}",
    "multipleOf": "must be a multiple of {}",
    "minItems": "must have at least {} items",
    "maxItems": "must have at most {} items",
    "uniqueItems": "must not hold an item twice",
    "minLength": "must have at least {} characters",
    "maxLength": "must have at most {} characters",
    "pattern": "must match {}",
}


def _missing(error: ValidationError) -> str:
    """The member that this very error is about: the validator tells it only in its message."""
    return next(
        (name for name in _members(error.validator_value) if error.message.startswith(repr(name))), "?"
    )


def _members(value: Any) -> Iterable[str]:
    return (str(one) for one in value)


def corrected(request: Request, content: str, detail: str, *, quote_schema: bool = False) -> Request:
    """The request that sends an answer back, with exactly what is wrong with it (intent-evidence §6.3)."""
    said = f"Your answer was not accepted: {detail}\nAnswer again with the whole JSON document, corrected."
    if quote_schema:
        said += f"\nIt must be valid by this JSON Schema:\n{request.shape.schema.decode()}"
    return request._replace(
        messages=(*request.messages, Message("assistant", content), Message("user", said))
    )


class Lesser(NamedTuple):
    """A request that asks for less than the refused one; `asked` and `done` say what was given up."""

    request: Request
    asked: str
    done: str


def lesser(request: Request, refused: str | None) -> Lesser | None:
    """What is asked for once a provider refused a request; None if there is nothing less to ask for.

    A keyword of the schema that was refused by name is left out, and still checked on arrival (decisions D2); else the
    schema goes into the system message and any JSON object is asked for.
    """
    if request.mode == "json_object":
        return None
    droppable = (
        refused is not None
        and refused not in (*request.dropped, "type", "properties", "items", "required")
        and len(request.dropped) < _MOST_DROPPED
        and f'"{refused}"'.encode() in request.shape.schema
    )
    if droppable:
        fewer = request._replace(dropped=(*request.dropped, str(refused)))
        return Lesser(
            fewer, f"schema keyword {refused}", f"the schema without {refused}, which is checked here"
        )
    return Lesser(
        bare(request),
        f"an answer held to the schema ({request.mode})",
        "any JSON object, which is checked here",
    )


def bare(request: Request) -> Request:
    """The request for any JSON object, with the schema in its system message."""
    first = request.messages[0]
    told = f"{first.content}\n\nAnswer with JSON only, valid by this JSON Schema:\n{request.shape.schema.decode()}"
    messages = (Message(first.role, told), *request.messages[1:])
    return request._replace(mode="json_object", messages=messages, require_parameters=False, dropped=())
