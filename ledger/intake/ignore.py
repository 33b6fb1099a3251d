"""Ignore rules as Git understands them, for `.gitignore`, `.dockerignore`, `.intentignore` and `info/exclude`.

Matching is on bytes, as in Git: text is carried as Latin-1, one character a byte. A rule is tried on one entry
at a time (a folder before what it holds), so a file inside an excluded folder cannot come back (intent-evidence
§9.6). Every pattern becomes a regular expression whose wildcards cannot backtrack into one another: hostile
patterns cost no more than honest ones. A pattern that Git holds for invalid matches nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

__all__ = ["Level", "Rule", "as_bytes_text", "decide", "parse_rules"]

_SPECIAL: Final = re.compile(r"[*?\[\\]")
_ANY_NAME: Final = "[^/]*"
_ANY_FOLDERS: Final = "(?:[^/]*/)*"

_CLASSES: Final[dict[str, tuple[tuple[int, int], ...]]] = {
    "alnum": ((48, 57), (65, 90), (97, 122)),
    "alpha": ((65, 90), (97, 122)),
    "blank": ((9, 9), (32, 32)),
    "cntrl": ((0, 31), (127, 127)),
    "digit": ((48, 57),),
    "graph": ((33, 126),),
    "lower": ((97, 122),),
    "print": ((32, 126),),
    "punct": ((33, 47), (58, 64), (91, 96), (123, 126)),
    "space": ((9, 13), (32, 32)),
    "upper": ((65, 90),),
    "xdigit": ((48, 57), (65, 70), (97, 102)),
}


class _NeverMatches(Exception):
    """The pattern is malformed; Git lets it match nothing."""


def as_bytes_text(name: str) -> str:
    """A file name as its bytes, one character each: the form that rules are matched in."""
    return name if name.isascii() else os.fsencode(name).decode("latin-1")


class Rule(Struct, frozen=True):
    """One line of an ignore file. `origin` is the base name of that file.

    `on_name` rules look at the entry's own name, others at its path from the folder of the ignore file.
    """

    origin: str
    negated: bool
    folders_only: bool
    on_name: bool
    literal: str | None
    suffix: str | None
    regex: str | None

    def matches(self, name: str, path: str, is_folder: bool) -> bool:
        """True if this rule speaks of the entry; `path` is from the folder of the ignore file."""
        if self.folders_only and not is_folder:
            return False
        subject = name if self.on_name else path
        if self.literal is not None:
            return subject == self.literal
        if self.suffix is not None:
            return subject.endswith(self.suffix)
        return re.fullmatch(self.regex or "(?!)", subject, re.DOTALL) is not None


def parse_rules(content: bytes, origin: str) -> tuple[Rule, ...]:
    """The rules of one ignore file, in its order. Comments, blank lines and malformed patterns give none."""
    rules = (_rule(line, origin) for line in content.removeprefix(b"\xef\xbb\xbf").split(b"\n"))
    return tuple(rule for rule in rules if rule is not None)


def _rule(line: bytes, origin: str) -> Rule | None:
    text = line.removesuffix(b"\r").decode("latin-1")
    if text.startswith("#"):
        return None
    text = _without_trailing_spaces(text)
    negated = text.startswith("!")
    text = text[1:] if negated else text
    folders_only = text.endswith("/")
    text = text[:-1] if folders_only else text
    if not text:
        return None
    on_name = "/" not in text
    if not on_name:
        text = text.removeprefix("/")
    literal = suffix = regex = None
    if not _SPECIAL.search(text):
        literal = text
    elif on_name and text[0] == "*" and not _SPECIAL.search(text, 1):
        suffix = text[1:]
    else:
        try:
            regex = _translate(text, on_name)
        except _NeverMatches:
            return None
    return Rule(origin, negated, folders_only, on_name, literal, suffix, regex)


def _without_trailing_spaces(text: str) -> str:
    """Git's rule: trailing spaces go unless a backslash quotes them; a lone final backslash stops the search."""
    end: int | None = None
    position = 0
    while position < len(text):
        if text[position] == " ":
            end = position if end is None else end
        else:
            if text[position] == "\\":
                position += 1
                if position == len(text):
                    return text
            end = None
        position += 1
    return text[:end]


def _translate(glob: str, on_name: bool) -> str:
    """The regular expression of a glob, to be used with fullmatch.

    Git compares the part before the first wildcard literally and starts its wildcard matcher after it, so `**`
    right there counts as standing at the start (`a**/b` matches `ab` and `a/x/b`).
    """
    special = _SPECIAL.search(glob)
    start = special.start() if special else len(glob)
    chunks = [[[re.escape(glob[:start])]]]  # chunks between `**/`; each a list of pieces between `*`
    position = start
    while position < len(glob):
        char = glob[position]
        pieces = chunks[-1]
        if char == "*":
            after = position
            while after < len(glob) and glob[after] == "*":
                after += 1
            at_start = position == start or glob[position - 1] == "/"
            spans = after - position > 1 and at_start and not on_name
            if spans and (after == len(glob) or glob.startswith("\\/", after)):
                pieces[-1].append(".*")
            elif spans and glob[after] == "/":
                chunks.append([[]])
                after += 1
            else:
                pieces.append([])
            position = after
            continue
        if char == "[":
            token, position = _bracket(glob, position)
        elif char == "?":
            token, position = "[^/]", position + 1
        else:
            if char == "\\":
                position += 1
                if position == len(glob):
                    raise _NeverMatches
            token, position = re.escape(glob[position]), position + 1
        pieces[-1].append(token)
    first, *others = [_segments(pieces) for pieces in chunks]
    if not others:
        return first
    between = "".join(f"(?>{_ANY_FOLDERS}?{chunk})" for chunk in others[:-1])
    return first + between + _ANY_FOLDERS + others[-1]


def _segments(pieces: list[list[str]]) -> str:
    """Pieces between `*`. The first place where a piece fits is as good as any later one up to the next `/`.

    So each piece that another `*` of the same path segment follows is matched once and for all (atomic group).
    """
    written = "".join(pieces[0])
    for index, piece in enumerate(pieces[1:], 1):
        last_of_segment = "/" in piece or index == len(pieces) - 1
        written += _ANY_NAME + "".join(piece) if last_of_segment else f"(?>{_ANY_NAME}?{''.join(piece)})"
    return written


def _bracket(glob: str, start: int) -> tuple[str, int]:
    """The character set that opens at `start`, and the position after it. Follows Git's matcher closely."""
    position = start + 1
    negated = glob[position : position + 1] in ("!", "^")
    position += negated
    spans: list[tuple[int, int]] = []
    previous: str | None = None
    first = True
    while True:
        char = glob[position : position + 1]
        if not char:
            raise _NeverMatches
        if char == "]" and not first:
            break
        first = False
        follows = glob[position + 1 : position + 2]
        if char == "\\":
            if not follows:
                raise _NeverMatches
            position += 1
            spans.append((ord(follows), ord(follows)))
            previous = follows
        elif char == "-" and previous is not None and follows not in ("", "]"):
            position += 1
            high = follows
            if high == "\\":
                position += 1
                high = glob[position : position + 1]
                if not high:
                    raise _NeverMatches
            spans.append((ord(previous), ord(high)))
            previous = None
        elif char == "[" and follows == ":" and (end := glob.find("]", position + 2)) >= 0:
            if glob[end - 1] == ":" and end - 1 > position + 1:
                name = glob[position + 2 : end - 1]
                if name not in _CLASSES:
                    raise _NeverMatches
                spans += _CLASSES[name]
                position = end
                previous = None
            else:
                spans.append((ord("["), ord("[")))
                previous = "["
        else:
            spans.append((ord(char), ord(char)))
            previous = char
        position += 1
    body = "".join(f"\\x{low:02x}-\\x{high:02x}" for low, high in spans if low <= high)
    if negated:
        return f"[^/{body}]", position + 1
    return (f"(?!/)[{body}]" if body else "(?!)"), position + 1


class Level:
    """All rules that stand in one folder, with a quick test that most entries fail."""

    __slots__ = ("_base", "_name_regex", "_names", "_path_regex", "_paths", "_rules", "_suffixes")

    def __init__(self, rules: Sequence[Rule], base: str) -> None:
        """`base` is the folder as bytes text, with a final slash; empty for the root."""
        self._base = len(base)
        self._rules = tuple(reversed(rules))
        self._names = frozenset(rule.literal for rule in rules if rule.on_name and rule.literal is not None)
        self._suffixes = tuple({rule.suffix for rule in rules if rule.suffix is not None})
        self._paths = frozenset(
            rule.literal for rule in rules if not rule.on_name and rule.literal is not None
        )
        self._name_regex = _any_of(rule.regex for rule in rules if rule.on_name)
        self._path_regex = _any_of(rule.regex for rule in rules if not rule.on_name)

    def matching(self, name: str, path: str, is_folder: bool) -> Iterable[Rule]:
        """The rules that speak of this entry, the last one of the folder first."""
        below = path[self._base :]
        if (
            name in self._names
            or name.endswith(self._suffixes)
            or below in self._paths
            or (self._name_regex is not None and self._name_regex.fullmatch(name))
            or (self._path_regex is not None and self._path_regex.fullmatch(below))
        ):
            return (rule for rule in self._rules if rule.matches(name, below, is_folder))
        return ()


def _any_of(expressions: Iterable[str | None]) -> re.Pattern[str] | None:
    found = [f"(?:{expression})" for expression in expressions if expression is not None]
    return re.compile("|".join(found), re.DOTALL) if found else None


def decide(levels: Iterable[Level], name: str, path: str, is_folder: bool) -> Rule | None:
    """The rule that excludes this entry, or None if it stays.

    `levels` go from the nearest folder to the root; the last matching rule of the nearest folder decides. Where
    a rule of `.dockerignore` decides but another file's rule would have excluded the entry too, that other rule
    is returned, so that the caller can tell what only a `.dockerignore` hides.
    """
    hidden_by_docker: Rule | None = None
    for level in levels:
        for rule in level.matching(name, path, is_folder):
            if hidden_by_docker is not None and rule.origin == ".dockerignore":
                continue
            if rule.negated:
                return hidden_by_docker
            if rule.origin != ".dockerignore":
                return rule
            hidden_by_docker = rule
    return hidden_by_docker
