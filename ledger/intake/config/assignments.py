"""Formats of lines that assign: dotenv examples, INI files, Makefile and justfile. Names only, no values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from t2c.ledger.intake.base import Draft
from t2c.ledger.intake.config.entries import Entry, declaration
from t2c.ledger.intake.lines import Notes
from t2c.ledger.intake.vocabulary import words

__all__ = ["dotenv_names", "ini_entries", "just_recipes", "make_targets"]

_DOTENV: Final = re.compile(r"\s*+(?:export\s++)?+([A-Za-z_][\w.-]*+)\s*+[=:]", re.ASCII)
_SECTION: Final = re.compile(r"\s*+\[([^\]\n]++)\]")
_OPTION: Final = re.compile(r"([A-Za-z_@*][^=:\n]*+)[=:]")
_MAKE_VARIABLE: Final = re.compile(
    r"(?:(?:export|override|private)\s++)*+([A-Za-z_][\w.-]*+)\s*+(?:::?:?|\?|\+|!)?+=", re.ASCII
)
_MAKE_TARGET: Final = re.compile(r"([^\s:#=$][^:#=\n]*+)(?:::?)(?!=)([^\n]*+)")
_JUST_VARIABLE: Final = re.compile(r"(?:export\s++)?+([A-Za-z_][\w-]*+)\s*+:=", re.ASCII)
_JUST_RECIPE: Final = re.compile(
    r"@?+([A-Za-z_][\w-]*+)(\s[^:=\n]*+(?:=[^:\n]*+)*+)?+:(?!=)([^\n]*+)", re.ASCII
)
_JUST_ALIAS: Final = re.compile(r"alias\s++([A-Za-z_][\w-]*+)\s*+:=", re.ASCII)
_WORD: Final = re.compile(r"[A-Za-z_][\w./%-]*+", re.ASCII)
_SPECIAL: Final = words(
    ".PHONY .SUFFIXES .DEFAULT .PRECIOUS .INTERMEDIATE .SECONDARY .SECONDEXPANSION .DELETE_ON_ERROR .IGNORE "
    ".LOW_RESOLUTION_TIME .SILENT .EXPORT_ALL_VARIABLES .NOTPARALLEL .ONESHELL .POSIX .DEFAULT_GOAL"
)
_LISTED: Final = 20


def dotenv_names(lines: Iterator[str], notes: Notes) -> Iterator[Draft]:
    """The variables that an example environment names. What is commented out is not declared."""
    for number, line in enumerate(lines, 1):
        match = _DOTENV.match(line)
        if match is not None:
            yield declaration(Entry((match[1],), number, number, "text"), "dotenv", "assignment")
        elif line.strip() and line.lstrip()[0] != "#":
            notes.add("line_not_understood", "a line that assigns nothing", number)


def ini_entries(lines: Iterator[str]) -> Iterator[Entry]:
    """Sections, their options and the indented lines of an option, as members of a list with their text."""
    section: tuple[str, ...] = ()
    option: tuple[str, ...] = ()
    for number, line in enumerate(lines, 1):
        bare = line.strip()
        if not bare or bare[0] in "#;":
            continue
        header = _SECTION.match(line)
        if header is not None and not line[0].isspace():
            section, option = (header[1].strip() or '""',), ()
            yield Entry(section, number, number, "map")
        elif line[0].isspace() and option:
            yield Entry((*option, "[]"), number, number, "text", bare)
        else:
            match = _OPTION.match(bare)
            if match is not None:
                option = (*section, match[1].strip())
                value = bare[match.end() :].strip()
                yield Entry(option, number, number, "text", value or None)


def make_targets(lines: Iterator[str], notes: Notes) -> Iterator[Draft]:
    """Targets with what they need, and variables by name. Recipes are not read."""
    for start, end, line in _joined(lines):
        if line[0] in "\t#" or line.startswith(
            ("define ", "-include", "include ", "ifeq", "ifneq", "ifdef", "else", "endif")
        ):
            continue
        bare = line.strip()
        variable = _MAKE_VARIABLE.match(bare)
        if variable is not None:
            yield declaration(Entry((variable[1],), start, end, "text"), "make", "assignment")
            continue
        target = _MAKE_TARGET.match(bare)
        if target is None or line[0] == " ":
            continue
        needs, _, _ = target[2].partition("#")
        if "=" in needs:  # a variable of one target
            continue
        metadata: dict[str, Any] = {"needs": _WORD.findall(needs.partition(";")[0])[:_LISTED]}
        for name in target[1].split():
            if name not in _SPECIAL and len(name) <= 120 and "$" not in name:
                yield declaration(Entry((name,), start, end, "text"), "make", "make_target", extra=metadata)


def just_recipes(lines: Iterator[str], notes: Notes) -> Iterator[Draft]:
    """Recipes with what they need, aliases, and variables by name. Bodies are not read."""
    for start, end, line in _joined(lines):
        if line[0].isspace() or line[0] in "#[":
            continue
        variable = _JUST_VARIABLE.match(line) or _JUST_ALIAS.match(line)
        if variable is not None:
            yield declaration(Entry((variable[1],), start, end, "text"), "just", "assignment")
            continue
        recipe = _JUST_RECIPE.match(line)
        if recipe is not None and recipe[1] not in ("set", "import", "mod"):
            needs = _WORD.findall(recipe[3].partition("#")[0])[:_LISTED]
            yield declaration(
                Entry((recipe[1],), start, end, "text"), "just", "just_recipe", extra={"needs": needs}
            )


def _joined(lines: Iterator[str]) -> Iterator[tuple[int, int, str]]:
    """Lines that say something, with the lines that a backslash adds."""
    held: list[str] = []
    start = number = 0
    for number, line in enumerate(lines, 1):
        if not held:
            start = number
        if line.endswith("\\"):
            held.append(line[:-1])
            continue
        held.append(line)
        whole = " ".join(held) if len(held) > 1 else line
        held = []
        if whole.strip():
            yield start, number, whole
    if held and "".join(held).strip():
        yield start, number, " ".join(held)
