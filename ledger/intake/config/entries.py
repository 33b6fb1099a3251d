"""What every reader of a configuration format gives: entries with a key path, a place and a guarded value.

Values may be secrets. An entry carries the text of its value so that a dialect can pick out what it declares (an
image, a constraint, an action reference); a record never holds it, except numbers and truth values of keys that
do not sound like a secret.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

import msgspec

from t2c.ledger.events.record import Action
from t2c.ledger.intake.base import Draft
from t2c.ledger.kernel.canon import MAX_INT

__all__ = [
    "EACH",
    "MAX_KEY",
    "Dependency",
    "Entry",
    "Fault",
    "Scope",
    "declaration",
    "dependency",
    "spelled",
    "symbols_of",
]

EACH: Final = "[]"
"""The step of a key path that stands for every member of a list, so that a reordering changes no path."""
MAX_KEY: Final = 200
"""Characters of a key path; longer ones are data used as keys."""

Shape = Literal["text", "integer", "real", "boolean", "null", "list", "map"]
Scope = Literal["runtime", "dev", "peer", "optional", "build"]


class Entry(NamedTuple):
    """One key: its path (`EACH` for list members), its lines, the shape of its value and, of a scalar, its text.

    A member of a list has a path that ends in `EACH`.
    """

    path: tuple[str, ...]
    start: int
    end: int
    shape: Shape
    value: str | None = None

    @property
    def steps(self) -> int:
        """How deep the key lies: 1 at the top."""
        return len(self.path)


class Fault(NamedTuple):
    """Why a file does not parse, with its line and column from 1 where the parser names them."""

    what: str
    line: int | None = None
    column: int | None = None
    reason: str = "configuration_unparsed"


class Dependency(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One package that a manifest asks for. The constraint may change; the name is what identity rests on."""

    ecosystem: str
    name: str
    constraint: str | None
    scope: Scope
    group: str | None = None
    start: int
    end: int
    basis: str
    extra: Mapping[str, Any] = msgspec.field(default_factory=dict)


_PLAIN: Final = re.compile(r"[^\s.\"\[\]{}]+\Z")
_FLAT: Final = frozenset({"dotenv", "just", "make"})
"""Formats whose names have no structure."""
_IDENTIFIER: Final = re.compile(r"[A-Za-z_]\w*\Z", re.ASCII)
_TELLING: Final = re.compile(r"[a-z0-9][A-Z]|[A-Za-z0-9]_+[A-Za-z0-9]")
_SECRETIVE: Final = re.compile(
    r"(?i:passw|secret|token|credential|(?:api|access|private|signing|encryption)[_-]?key|\bpin\b|\bauth\b|salt\b)"
)


def spelled(path: tuple[str, ...]) -> str:
    """A key path as people write it: steps joined by dots, those that hold a dot, a space or nothing in quotes."""
    text = ".".join(
        step if step == EACH or _PLAIN.match(step) else '"' + step.replace('"', '\\"') + '"' for step in path
    )
    return text.replace("." + EACH, EACH)


def symbols_of(path: tuple[str, ...]) -> tuple[str, ...]:
    """The key as a symbol, if it looks like one of code: `maxRetries`, `T2C_ROOT`; not `name`, not `build:prod`."""
    leaf = path[-1]
    if not _IDENTIFIER.match(leaf) or not _TELLING.search(leaf):
        return ()
    steps = [step for step in path if step != EACH]
    return (".".join(steps),) if all(_IDENTIFIER.match(step) for step in steps) else (leaf,)


def declaration(
    entry: Entry,
    format: str,
    basis: str,
    *,
    action: Action = "configure",
    about: str | None = None,
    extra: Mapping[str, Any] | None = None,
) -> Draft:
    """A `configuration_declaration` of a key. `about` is what a dialect knows its object to be, else the key path."""
    key = entry.path[0] if format in _FLAT else spelled(entry.path)
    metadata: dict[str, Any] = {"format": format, "key": key, "valueType": entry.shape}
    shown = _shown(entry, key)
    if shown is not None:
        metadata["value"] = shown
    if extra:
        metadata |= extra
    return Draft(
        kind="configuration_declaration",
        text=f"{action} {key}" if about is None else f"{action} {about} in {key}",
        object=about or key,
        action=action,
        cls="fact",
        status="implemented",
        confidence=0.98,
        basis=("deterministic_configuration_structure", basis),
        trail=tuple(step or '""' for step in entry.path[:-1]),
        lines=(entry.start, entry.end),
        modality="observed",
        symbols=symbols_of(entry.path) if about is None else (),
        metadata=metadata,
    )


def _shown(entry: Entry, key: str) -> int | str | bool | None:
    """The value of an entry as far as a record may hold it."""
    if entry.value is None or entry.shape not in ("integer", "real", "boolean") or _SECRETIVE.search(key):
        return None
    if entry.shape == "boolean":
        return entry.value == "true"
    if entry.shape == "integer" and len(entry.value) < 20:
        try:
            number = int(entry.value)
        except ValueError:
            return entry.value[:40]
        return number if -MAX_INT <= number <= MAX_INT else entry.value
    return entry.value[:40]


def dependency(found: Dependency) -> Draft:
    """A `dependency_declaration`; the group tells apart the same package asked for in two places."""
    metadata: dict[str, Any] = {
        "ecosystem": found.ecosystem,
        "name": found.name,
        "constraint": found.constraint,
        "scope": found.scope,
        "group": found.group,
    }
    metadata.update(found.extra)
    return Draft(
        kind="dependency_declaration",
        text=f"depend on {found.name}",
        object=found.name,
        action="depend_on",
        cls="fact",
        status="implemented",
        confidence=0.98,
        basis=("deterministic_configuration_structure", found.basis),
        trail=(found.ecosystem, found.group or found.scope),
        lines=(found.start, found.end),
        modality="observed",
        metadata=metadata,
    )
