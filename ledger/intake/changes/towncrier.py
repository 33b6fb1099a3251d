"""Where towncrier looks for news fragments, which types it knows, and what the name of a fragment says.

Read from `towncrier.toml` or `[tool.towncrier]` of `pyproject.toml` in the folder of the fragment or one above it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

from t2c.ledger.intake.base import Tree

__all__ = ["DEFAULT_TYPES", "Folder", "Name", "folder_of", "name_of"]

DEFAULT_TYPES: Final[Mapping[str, str]] = {
    "feature": "Features", "bugfix": "Bugfixes", "doc": "Improved Documentation", "removal": "Deprecations and Removals",
    "misc": "Misc",
}  # fmt: skip
_ABOVE: Final = 8
"""Folders above a fragment in which a configuration is looked for."""
_FILES: Final = ("towncrier.toml", "pyproject.toml")
_TICKET: Final = re.compile(r"(?:#|gh-|GH-|issue-|pr-)?(\d{1,9})\Z")
_KEY: Final = re.compile(r"[A-Z][A-Z0-9]{1,19}-\d{1,9}\Z")


class Folder(NamedTuple):
    """A folder of fragments: its types by the part of a name that gives them, and its section, if it has one.

    `is_configured` is False where no configuration names the folder.
    """

    types: Mapping[str, str]
    section: str | None
    is_configured: bool


class Name(NamedTuple):
    """What the name of a fragment says: its type, and the number or key of the ticket, if there is one."""

    type: str
    ticket: str | None


def folder_of(folder: str, tree: Tree) -> Folder | None:
    """The configuration that names a folder, from the nearest one up; None if none does."""
    for base in _upwards(folder):
        for file in _FILES:
            content = tree.content(f"{base}/{file}" if base else file)
            if content is None or b"towncrier" not in content:
                continue
            told = _folders(content, file)
            if told is not None:
                section = told[0].get(folder.removeprefix(f"{base}/") if base else folder, _ABSENT)
                if section is not _ABSENT:
                    return Folder(told[1], section, is_configured=True)
    return None


def name_of(name: str, types: Collection[str]) -> Name | None:
    """Read the base name of a fragment from the right, as towncrier does; None if no part of it is a type.

    `1234.bugfix.1.rst` is of ticket 1234; `+12345.feature.rst`, `fix-1.2.3.bugfix.md` and `+anything.misc` are of
    none: what stands before the type is a ticket only if it is nothing but a number or a key.
    """
    parts = name.split(".")
    for index in range(len(parts) - 1, 0, -1):
        if parts[index] in types:
            before = ".".join(parts[:index]).strip()
            number = _TICKET.match(before)
            if number is not None and number[1].strip("0"):
                return Name(parts[index], f"#{int(number[1])}")
            return Name(parts[index], before if _KEY.match(before) else None)
    return None


_ABSENT: Final = ""
"""No section has this name: an unnamed one is None."""


def _upwards(folder: str) -> Iterator[str]:
    base = folder
    for _ in range(_ABOVE):
        yield base
        if not base:
            return
        base = base.rpartition("/")[0]


@lru_cache(maxsize=16)
def _folders(content: bytes, file: str) -> tuple[Mapping[str, str | None], Mapping[str, str]] | None:
    """Folders with their sections, and the types, that one configuration names; None if it names none.

    It depends on the bytes alone; a project's many fragments share one configuration.
    """
    try:
        document: Any = tomllib.loads(content.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    given = _table(_table(document.get("tool")).get("towncrier"))
    if file == "towncrier.toml" and not given:
        given = _table(document)
    return (_places(given), _types(given)) if given else None


def _places(given: Mapping[str, Any]) -> dict[str, str | None]:
    directory = given.get("directory")
    sections = [_table(section) for section in _list(given.get("section"))] or [{}]
    found: dict[str, str | None] = {}
    for section in sections:
        part, name = _text(section.get("path")), _text(section.get("name"))
        if isinstance(directory, str):
            place = [directory, part]
        else:
            package = _text(given.get("package")).replace(".", "/")
            place = [_text(given.get("package_dir")) if package else "", package, part, "newsfragments"]
        found["/".join(step for step in "/".join(place).split("/") if step not in ("", "."))] = name or None
    return found


def _types(given: Mapping[str, Any]) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for kind in _list(given.get("type")):
        told = _table(kind)
        name = _text(told.get("name"))
        directory = told.get("directory")
        key = directory if isinstance(directory, str) and directory else name.lower()
        if key:
            found[key] = name or key.capitalize()
    for key, told in _table(given.get("fragment")).items():
        found[key.lower()] = _text(_table(told).get("name")) or key.capitalize()
    return found or DEFAULT_TYPES


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
