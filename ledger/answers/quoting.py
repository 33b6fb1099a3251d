"""How a text may be quoted within another: as JSON, escaped, in an encoding; and a path spelled in a longer way.

Each is undone for whole texts, not guessed at: what comes out is looked at beside what was there.
"""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import unquote

import orjson

__all__ = ["readings", "straightened", "strings"]

_LEVELS: Final = 3
_CODE_POINT: Final = re.compile(r"\\u([0-9a-fA-F]{4})")
_HALVES: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_ESCAPED: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_MEANT: Final = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_PERCENT: Final = re.compile(r"%[0-9a-fA-F]{2}")
_HEX: Final = re.compile(r"(?:[0-9a-fA-F]{2}){24,}")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]{32,}(?:\s{1,40}[A-Za-z0-9+/_-]{4,})*={0,2}")
_URL_SAFE: Final = str.maketrans("-_", "+/")
_SLASHES: Final = re.compile(r"/(?:\.?/)+")
_THERE_AND_BACK: Final = re.compile(r"(?<![^/\s])(?!\.\./)[^/\s]+/\.\./")


def strings(text: str) -> str:
    """The strings of a JSON text, one after the other; any other text as it is."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
    return "\n".join(_walked(value))


def _walked(value: Any) -> Iterator[str]:
    rest = [value]
    while rest:
        one = rest.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            yield from one
            rest.extend(reversed(list(one.values())))
        elif isinstance(one, list):
            rest.extend(reversed(one))


def readings(text: str) -> Iterator[str]:
    """A text as it is, and as whoever undoes its escapes or encodings reads it, escapes once or more often."""
    yield from _unescaped(text)
    if _PERCENT.search(text):
        plain = unquote(text, errors="replace")
        yield from _unescaped(plain)
        if "+" in text:
            yield unquote(text.replace("+", " "), errors="replace")
    if hidden := "\n".join(_decoded(text)):
        yield from _unescaped(hidden)


def straightened(text: str) -> str:
    """A text whose paths are spelled in the shortest way: with /, without what leads nowhere."""
    text = text.replace("\\", "/") if "\\" in text else text
    if "//" in text or "/./" in text:
        text = _SLASHES.sub("/", text)
    for _ in range(_LEVELS):
        if "/../" not in text:
            break
        text = _THERE_AND_BACK.sub("", text)
    return text


def _decoded(text: str) -> Iterator[str]:
    """What stands in a text as hexadecimal digits or Base64, where it is long enough for a line."""
    for match in _HEX.finditer(text):
        yield bytes.fromhex(match[0]).decode("utf-8", "replace")
    for match in _BASE64.finditer(text):
        digits = "".join(match[0].split()).rstrip("=").translate(_URL_SAFE)
        try:
            yield b64decode(digits + "=" * (-len(digits) % 4)).decode("utf-8", "replace")
        except Error:  # one digit too many: what stands before it is whole
            yield b64decode(digits[: len(digits) // 4 * 4]).decode("utf-8", "replace")


def _unescaped(text: str) -> Iterator[str]:
    yield text
    if _CODE_POINT.search(text):
        yield _paired(_CODE_POINT.sub(lambda match: chr(int(match[1], 16)), text))
    for _ in range(_LEVELS):
        if "\\" not in text:
            return
        plain = _ESCAPED.sub(_plain, text)
        if plain == text:
            return
        text = _paired(plain)
        yield text


def _paired(text: str) -> str:
    """A text in which two halves of a character that were escaped one by one are that character."""
    if text.isascii():
        return text
    return _HALVES.sub(lambda match: match[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)


def _plain(match: re.Match[str]) -> str:
    code, byte, char = match.groups()
    return chr(int(code or byte, 16)) if code or byte else _MEANT.get(char, char)
