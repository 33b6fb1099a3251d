"""Canonical bytes: the one form that is hashed, compared and written.

Two forms (the third, ASCII, comes with plan contracts):

* `canonical` is RFC 8785 within stated limits, so that `orjson` writes it directly: integers within
  ±(2^53−1), decimals with at most three fractional digits and never integral, no NaN or infinity, no
  duplicate keys, no lone surrogates, keys within U+0000..U+D7FF (journal-engine §1).
* `artifact` is the published form of t2c artifacts for ids and fingerprints: sorted keys, raw UTF-8,
  shortest numbers (intent-evidence §0.1).

The limits are held by payload types. `check` walks a free-form value that no type vouches for.
"""

from __future__ import annotations

import math
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import orjson

if TYPE_CHECKING:
    from json import JSONDecoder

__all__ = ["MAX_DEPTH", "MAX_INT", "NotCanonical", "artifact", "canonical", "check", "decimal3", "loads"]

MAX_INT: Final = 2**53 - 1
MAX_DEPTH: Final = 64
_LAST_KEY_CHAR: Final = "\ud7ff"


class NotCanonical(ValueError):
    """A value that has no canonical form; the text says where and why."""


def canonical(value: object) -> bytes:
    """The canonical bytes of a value that keeps the limits (its type or `check` says so)."""
    # A copy: orjson's own result keeps its working buffer, some 4 KB behind the few hundred bytes of an event.
    return b"%b" % orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def artifact(value: object) -> bytes:
    """The published artifact form: as `canonical`, with integral floats written as integers."""
    return orjson.dumps(_shortest(value), option=orjson.OPT_SORT_KEYS)


def _shortest(value: object) -> object:
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) <= MAX_INT else value
    if isinstance(value, dict):
        return {key: _shortest(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_shortest(item) for item in value]
    return value


def decimal3(value: float) -> int | float:
    """A real rounded to three places, as an integer when it is one (`1`, not `1.0`).

    Raises NotCanonical for NaN, infinities and what lies beyond ±(2^53−1).
    """
    if not math.isfinite(value):
        raise NotCanonical(f"{value!r} is not a finite number")
    rounded = round(value, 3)
    if abs(rounded) > MAX_INT:
        raise NotCanonical(f"{value!r} lies beyond ±(2^53−1); write it as a string")
    return int(rounded) if rounded == int(rounded) else rounded


def check(value: object) -> None:
    """Walk a free-form value and raise NotCanonical, naming the place, if it breaks a limit."""
    # Nearly every value keeps the limits: the walk that can name a place is taken only by those that do not.
    if not _keeps(value, 0):
        _explain(value, "$", 0)


def _keeps(value: Any, depth: int) -> bool:
    """True only if the value keeps every limit; False leaves the verdict to `_explain`."""
    kind = type(value)
    if kind is str:
        ascii_only: bool = value.isascii()
        return ascii_only
    if value is None or kind is bool:
        return True
    if kind is int:
        within: bool = -MAX_INT <= value <= MAX_INT
        return within
    if kind is float:
        # A real that its rounding to three places leaves as it is has no more of them in its shortest form.
        short: bool = -MAX_INT < value < MAX_INT and round(value, 3) == value and not value.is_integer()
        return short
    if depth >= MAX_DEPTH:
        return False
    if kind is dict:
        for key in value:
            if type(key) is not str or not key.isascii():
                return False
        items = value.values()
    elif kind is list:
        items = value
    else:
        return False
    for item in items:
        # Most members are short ASCII texts or nothing: looked at here, without a call each.
        if type(item) is str:
            if not item.isascii():
                return False
        elif item is not None and not _keeps(item, depth + 1):
            return False
    return True


def _explain(value: object, where: str, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise NotCanonical(f"{where}: nested deeper than {MAX_DEPTH}")
    match value:
        case None | bool():
            return
        case str():
            _check_text(value, where)
        case int():
            if abs(value) > MAX_INT:
                raise NotCanonical(f"{where}: integer beyond ±(2^53−1); write it as a string")
        case float():
            _check_float(value, where)
        case dict():
            for key, item in value.items():
                if not isinstance(key, str):
                    raise NotCanonical(f"{where}: key {key!r} is not a string")
                _check_text(key, where)
                if key and max(key) > _LAST_KEY_CHAR:
                    raise NotCanonical(f"{where}: key {key!r} has a character above U+D7FF")
                _explain(item, f"{where}.{key}", depth + 1)
        case list() | tuple():
            for index, item in enumerate(value):
                _explain(item, f"{where}[{index}]", depth + 1)
        case _:
            raise NotCanonical(f"{where}: {type(value).__name__} has no JSON form")


def _check_text(text: str, where: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise NotCanonical(f"{where}: lone surrogate") from None


def _check_float(value: float, where: str) -> None:
    if not math.isfinite(value):
        raise NotCanonical(f"{where}: {value!r} is not a finite number")
    if value.is_integer():
        raise NotCanonical(f"{where}: {value!r} must be written as the integer {int(value)}")
    exponent = Decimal(repr(value)).as_tuple().exponent
    if not isinstance(exponent, int) or exponent < -3:
        raise NotCanonical(f"{where}: {value!r} has more than three decimals; write it as a string")


def loads(text: bytes | str) -> object:
    """Parse JSON strictly: duplicate keys, NaN and infinities are refused, unlike in `orjson.loads`.

    For bodies given by hand and files from outside; the journal's own lines are compared with their
    canonical form instead. Raises NotCanonical.
    """
    from json import JSONDecodeError

    if isinstance(text, bytes) and (found := _as_written(text)) is not None:
        return found
    try:
        value: object = _strict().decode(text if isinstance(text, str) else text.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise NotCanonical(f"not UTF-8 at byte {error.start}") from None
    except JSONDecodeError as error:
        raise NotCanonical(f"not JSON: {error.msg} at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise NotCanonical("nested too deeply") from None
    return value


def _as_written(text: bytes) -> dict[str, object] | None:
    """An object whose text is just what orjson writes, but for spaces between members; None for any other text.

    What is written anew has as many members as the text had, so no key stood twice in it, and nobody had
    to look at each member. No number and no text was spelt otherwise either.
    """
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    if type(value) is dict and orjson.dumps(value) == text.strip().replace(b'": ', b'":').replace(
        b', "', b',"'
    ):
        return value
    return None


@cache
def _strict() -> JSONDecoder:
    """One decoder for all calls: to make it takes longer than to parse a short body."""
    from json import JSONDecoder

    return JSONDecoder(
        object_pairs_hook=_distinct, parse_constant=_no_constant, parse_float=_finite, parse_int=_integer
    )


def _distinct(items: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(items)
    if len(found) != len(items):
        seen: set[str] = set()
        for key, _ in items:
            if key in seen:
                raise NotCanonical(f"duplicate key {key!r}")
            seen.add(key)
    return found


def _no_constant(name: str) -> object:
    raise NotCanonical(f"{name} is not JSON")


def _finite(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise NotCanonical(f"the number {digits[:40]} is too large")
    return value


def _integer(digits: str) -> int:
    # Longer ones break every limit, and Python itself refuses to read thousands of digits.
    if len(digits) > 400:
        raise NotCanonical(f"an integer of {len(digits)} digits is too large; write it as a string")
    return int(digits)
