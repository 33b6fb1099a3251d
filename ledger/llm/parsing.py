"""An answer's bytes as a value of its type: never coerced, every fault with its exact place (intent-evidence §6.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

from t2c.ledger.llm.json_text import json_fault, place

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

__all__ = ["Malformed", "parse_answer"]

M = TypeVar("M", bound="BaseModel")
Reason = Literal["empty", "not_json", "duplicate_key", "schema_violation"]

_TOLD: Final = 8
"""So many faults of one answer are told in words; the others are counted."""

_WORDS: Final[Mapping[str, str]] = {
    "missing": "is missing",
    "extra_forbidden": "is not a member that the schema knows",
    "string_type": "must be a string",
    "bool_type": "must be true or false",
    "int_type": "must be an integer",
    "int_from_float": "must be an integer",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "list_type": "must be an array",
    "tuple_type": "must be an array",
    "model_type": "must be an object",
    "none_required": "must be null",
    "less_than_equal": "must be at most {le}",
    "less_than": "must be less than {lt}",
    "greater_than_equal": "must be at least {ge}",
    "greater_than": "must be more than {gt}",
    "string_pattern_mismatch": "must match {pattern}",
    "enum": "must be one of {expected}",
    "literal_error": "must be one of {expected}",
    "value_error": "{error}",
}
_COUNTED: Final[Mapping[str, tuple[str, str]]] = {
    "too_short": ("least", "item"),
    "too_long": ("most", "item"),
    "string_too_short": ("least", "character"),
    "string_too_long": ("most", "character"),
}


class Malformed(ValueError):
    """A text that is no answer of its type; `reason` is one of `llm.unusable`, the text says where and what."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason: Reason = reason
        self.detail = detail


def parse_answer(kind: type[M], text: bytes) -> M:
    """The answer that the bytes are. Raises Malformed.

    Refused first is what is not one JSON value with one reading, then what the type does not take: every fault with
    its place, as `response.records[2].confidence must be at most 0.9`.
    """
    from pydantic import ValidationError

    fault = json_fault(text)
    if fault is not None:
        raise Malformed(fault.reason, fault.detail)
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        raise Malformed("schema_violation", _told(error)) from None


def _told(error: ValidationError) -> str:
    faults = error.errors(include_url=False, include_input=False)
    told = dict.fromkeys(f"{place(fault['loc'])} {_words(fault)}" for fault in faults)
    more = f"; and {len(told) - _TOLD} more" if len(told) > _TOLD else ""
    return "; ".join(list(told)[:_TOLD]) + more


def _words(fault: Any) -> str:
    context = {
        name: int(value) if isinstance(value, float) and value.is_integer() else value
        for name, value in fault.get("ctx", {}).items()
    }
    kind = fault["type"]
    if kind in _COUNTED:
        bound, thing = _COUNTED[kind]
        count = context["min_length" if bound == "least" else "max_length"]
        return f"must have at {bound} {count} {thing}{'' if count == 1 else 's'}"
    words = _WORDS.get(kind)
    return words.format(**context) if words is not None else str(fault["msg"]).lower()
