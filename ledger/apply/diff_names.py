"""The names of files in a diff: unquoted, freed from their prefixes, and held to what a repository path may be."""

from __future__ import annotations

import re
import unicodedata
from typing import Final, NamedTuple

__all__ = ["ABSENT", "BadName", "Named", "agreed", "header_pair", "plain_name"]

ABSENT: Final = "/dev/null"
"""The name of a side on which there is no file."""

_ESCAPES: Final = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92}
_QUOTED: Final = re.compile(r'"((?:[^"\\\n]|\\[abtnvfr"\\]|\\[0-3][0-7]{2})*)"')
_ESCAPE: Final = re.compile(r'\\([abtnvfr"\\]|[0-7]{3})')
_PREFIX: Final = re.compile(r"[abciow12]/")
_TIMED: Final = re.compile(r" [12][0-9]{3}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}")
_DRIVE: Final = re.compile(r"[A-Za-z]:")
# What HFS+ leaves out of names, so that `.g<ZWNJ>it` is `.git` there.
_IGNORED: Final = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
_OWN: Final = frozenset({".git", "git~1", ".t2c", ".dwp"})
_LONGEST_PART: Final = 255


class BadName(ValueError):
    """Why a name in a diff is not taken; the reader of the diff says where it stands."""


class Named(NamedTuple):
    """The path that both sides of a diff agree on, and whether it was written behind prefixes such as `a/` and `b/`."""

    path: str
    prefixed: bool


def plain_name(text: str) -> tuple[str, str]:
    """A name as it stands after `--- ` or `+++ `, without its quotes, and what stands after the tab behind it."""
    text = text.rstrip("\r\n")
    if text.startswith('"'):
        found = _QUOTED.match(text)
        if found is None:
            raise BadName("the quoted name is broken")
        rest = text[found.end() :]
        if rest and not rest.startswith("\t"):
            raise BadName("something stands behind the quoted name")
        return _unquoted(found[1]), rest[1:]
    name, _, rest = text.partition("\t")
    if not rest and _TIMED.search(name):
        raise BadName("a time stands behind the name without a tab before it")
    return name, rest


def header_pair(text: str) -> tuple[str, str]:
    """Both names of a `diff --git` line, which are equal but for their prefixes; the line says no more than that."""
    text = text.rstrip("\r\n")
    if '"' in text:
        names = _split_quoted(text)
        if names is not None:
            return names
    middle, odd = divmod(len(text), 2)
    if not odd or text[middle] != " ":
        raise BadName("the two names of the diff --git line differ")
    return text[:middle], text[middle + 1 :]


def _split_quoted(text: str) -> tuple[str, str] | None:
    first = _QUOTED.match(text)
    if first is not None:
        rest = text[first.end() :]
        if not rest.startswith(" "):
            raise BadName("the quoted name is broken")
        second = _QUOTED.fullmatch(rest, 1)
        return _unquoted(first[1]), _unquoted(second[1]) if second is not None else rest[1:]
    start = text.find(' "')
    second = None if start < 0 else _QUOTED.fullmatch(text, start + 1)
    return None if second is None else (text[:start], _unquoted(second[1]))


def _unquoted(text: str) -> str:
    """C-quoted text as Git writes it; its octal numbers are bytes of UTF-8."""
    if "\\" not in text:
        return text

    def plain(found: re.Match[bytes]) -> bytes:
        code = found[1].decode("ascii")
        return bytes([_ESCAPES[code] if code in _ESCAPES else int(code, 8)])

    try:
        return re.sub(_ESCAPE.pattern.encode(), plain, text.encode()).decode()
    except UnicodeDecodeError:
        raise BadName("the name is not UTF-8") from None


def agreed(before: str, after: str, *, sure: bool | None = None) -> Named:
    """The path that two names mean, one of which may be ABSENT. Raises BadName if they differ or it may not be touched.

    Prefixes are taken off both sides or off none. `sure` is what the `diff --git` line says of them, None without one.
    """
    if before == ABSENT and after == ABSENT:
        raise BadName("both sides are /dev/null")
    if ABSENT in (before, after):
        name = after if before == ABSENT else before
        usual = "b/" if before == ABSENT else "a/"
        prefixed = name.startswith(usual) if sure is None else sure
        if prefixed and not _PREFIX.match(name):
            raise BadName(f"{_shown(name)} has not the prefix that the diff --git line has")
        named = Named(name[2:] if prefixed else name, prefixed)
    elif before == after:
        if _PREFIX.match(before) and sure is not False:
            raise BadName(
                f"it cannot be told whether {before[:2]} of {_shown(before)} is a folder or a prefix"
            )
        named = Named(before, False)
    elif _PREFIX.match(before) and _PREFIX.match(after) and before[2:] == after[2:]:
        named = Named(before[2:], True)
    else:
        raise BadName(f"the sides name two files, {_shown(before)} and {_shown(after)}")
    if sure is not None and named.prefixed != sure:
        raise BadName("the names have other prefixes than the diff --git line")
    _check(named.path)
    return named


def _shown(name: str) -> str:
    return repr(name if len(name) <= 80 else f"{name[:77]}...")


def _check(path: str) -> None:
    """Raise BadName if no file may be written under this path."""
    if not path:
        raise BadName("the name is empty")
    if path.startswith("/") or _DRIVE.match(path):
        raise BadName(f"{_shown(path)} is absolute")
    if "\\" in path:
        raise BadName(f"{_shown(path)} holds a backslash")
    if path != path.strip():
        raise BadName(f"{_shown(path)} begins or ends with a blank")
    if any(unicodedata.category(char) in ("Cc", "Zl", "Zp") or _IGNORED.match(char) for char in path):
        raise BadName(f"{_shown(path)} holds characters that are not shown")
    for part in path.split("/"):
        if part in ("", ".", ".."):
            raise BadName(f"{_shown(path)} holds an empty part, `.` or `..`")
        if part.split(":")[0].rstrip(" .").casefold() in _OWN:
            raise BadName(f"{_shown(path)} lies in a folder that no patch may touch ({part})")
        if len(part.encode()) > _LONGEST_PART:
            raise BadName(f"{_shown(path)} has a part of more than {_LONGEST_PART} bytes")
