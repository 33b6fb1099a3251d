"""Manifests with keys: what packages a project asks for, in which scope, and the commands it installs.

Reads npm, composer, PEP 621 and Poetry, Cargo, Pipfile and Gradle catalogues from their entries; what is no
dependency stays a setting.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from t2c.ledger.intake.base import Draft
from t2c.ledger.intake.config.entries import EACH, Dependency, Entry, Scope, declaration, dependency
from t2c.ledger.intake.config.references import requirement, safe_constraint
from t2c.ledger.intake.lines import Notes

__all__ = ["MANIFESTS", "requirement_dependency"]

_ENTRY_POINT: Final = re.compile(r"([A-Za-z_][\w.]*+):([A-Za-z_][\w.]*+)", re.ASCII)

Known = Callable[[Entry, "View"], tuple[Draft, ...] | None]
"""What a manifest knows of one entry: drafts in place of its setting, none, or None to leave it a setting."""


class View:
    """The scalar values of a manifest by their place, for entries that are told by several keys."""

    def __init__(self, entries: Sequence[Entry], notes: Notes) -> None:
        self.values = {
            entry.path: entry.value for entry in entries if entry.value is not None and EACH not in entry.path
        }
        self.notes = notes

    def get(self, path: tuple[str, ...], key: str) -> str | None:
        """The text of a scalar below a table."""
        return self.values.get((*path, key))


_NPM: Final[Mapping[str, tuple[Scope, str]]] = {
    "dependencies": ("runtime", "dependencies"),
    "devDependencies": ("dev", "devDependencies"),
    "peerDependencies": ("peer", "peerDependencies"),
    "optionalDependencies": ("optional", "optionalDependencies"),
}
_COMPOSER: Final[Mapping[str, tuple[Scope, str]]] = {
    "require": ("runtime", "require"),
    "require-dev": ("dev", "require-dev"),
}


def npm(entry: Entry, view: View) -> tuple[Draft, ...] | None:
    """package.json: dependencies by kind; the constraint of an engine is shown, texts of scripts are not."""
    path = entry.path
    if path[0] in _NPM and entry.steps == 2:
        scope, group = _NPM[path[0]]
        return _one("npm", path[1], entry, scope, group, "json_top_level_key", entry.value)
    if path[0] in ("bundledDependencies", "bundleDependencies", "peerDependenciesMeta") and entry.steps > 1:
        return ()
    if path[0] == "engines" and entry.steps == 2:
        return (
            declaration(entry, "json", "json_nested_key", extra={"constraint": safe_constraint(entry.value)}),
        )
    return None


def composer(entry: Entry, view: View) -> tuple[Draft, ...] | None:
    """composer.json: `php` and extensions count as packages of the platform."""
    if entry.path[0] in _COMPOSER and entry.steps == 2:
        scope, group = _COMPOSER[entry.path[0]]
        return _one("composer", entry.path[1], entry, scope, group, "json_top_level_key", entry.value)
    return None


def cargo(entry: Entry, view: View) -> tuple[Draft, ...] | None:
    """Cargo.toml: dependencies of the package, of the workspace and of targets; a rename shows its package."""
    place = _cargo_place(entry.path)
    if place is None:
        return None
    at, scope, group = place
    if entry.steps != at:
        return ()
    path = entry.path
    if entry.shape == "text":
        constraint = entry.value
    else:
        constraint = next(
            (found for key in ("version", "git", "path") if (found := view.get(path, key))), None
        )
        if view.get(path, "optional") == "true":
            scope = "optional"
    extra: dict[str, Any] = {}
    package = view.get(path, "package")
    if package:
        extra["package"] = package[:200]
    if view.get(path, "workspace") == "true":
        extra["workspace"] = True
    return _one("cargo", path[-1], entry, scope, group, "toml_key", constraint, extra)


_CARGO: Final[Mapping[str, Scope]] = {
    "dependencies": "runtime",
    "dev-dependencies": "dev",
    "build-dependencies": "build",
}


def _cargo_place(path: tuple[str, ...]) -> tuple[int, Scope, str] | None:
    """(depth of a dependency's path, scope, group) if the path is at or below one."""
    steps = len(path)
    if path[0] in _CARGO and steps > 1:
        return 2, _CARGO[path[0]], path[0]
    if path[0] == "workspace" and steps > 2 and path[1] == "dependencies":
        return 3, "runtime", "workspace.dependencies"
    if path[0] == "target" and steps > 3 and path[2] in _CARGO:
        return 4, _CARGO[path[2]], f"target.{path[1]}.{path[2]}"
    return None


def pipfile(entry: Entry, view: View) -> tuple[Draft, ...] | None:
    """Pipfile: packages and dev-packages."""
    if entry.path[0] not in ("packages", "dev-packages") or entry.steps < 2:
        return None
    if entry.steps > 2:
        return ()
    scope: Scope = "runtime" if entry.path[0] == "packages" else "dev"
    constraint = entry.value or view.get(entry.path, "version") or view.get(entry.path, "git")
    return _one("pypi", entry.path[1], entry, scope, entry.path[0], "toml_key", constraint)


def gradle_catalog(entry: Entry, view: View) -> tuple[Draft, ...] | None:
    """libs.versions.toml: libraries and plugins under their real names."""
    path = entry.path
    if path[0] not in ("libraries", "plugins") or entry.steps < 2:
        return None
    if entry.steps > 2:
        return ()
    module = view.get(path, "module") or view.get(path, "id") or entry.value
    if module is None and view.get(path, "group"):
        module = f"{view.get(path, 'group')}:{view.get(path, 'name')}"
    name, _, written = (module or path[1]).partition("@")
    parts = name.split(":")
    reference = view.get((*path, "version"), "ref")
    constraint = view.get(path, "version") or (
        view.values.get(("versions", reference)) if reference else None
    )
    constraint = constraint or written or (parts[2] if len(parts) > 2 else None)
    scope: Scope = "build" if path[0] == "plugins" else "runtime"
    return _one(
        "maven", ":".join(parts[:2]), entry, scope, path[0], "toml_key", constraint, {"alias": path[1]}
    )


def pyproject(entry: Entry, view: View) -> tuple[Draft, ...] | None:
    """pyproject.toml: PEP 621, dependency groups, build requirements, Poetry, PDM and uv; commands with targets."""
    path = entry.path
    if path[0] in ("project", "dependency-groups", "build-system"):
        return _standard(entry, view)
    if path[0] == "tool" and entry.steps > 3:
        return _poetry(entry, view) if path[1] == "poetry" else _other_tool(entry, view)
    return None


def _standard(entry: Entry, view: View) -> tuple[Draft, ...] | None:
    path = entry.path
    if path == ("project", "dependencies", EACH):
        return requirement_dependency(entry, view.notes, "runtime", "project")
    if path[:2] == ("project", "optional-dependencies") and entry.steps == 4:
        return requirement_dependency(entry, view.notes, "optional", path[2])
    if path[0] == "dependency-groups" and path[-1] == EACH and entry.steps == 3:
        return requirement_dependency(entry, view.notes, "dev", path[1]) if entry.value else ()
    if path == ("build-system", "requires", EACH):
        return requirement_dependency(entry, view.notes, "build", "build-system")
    if path[:2] in (("project", "scripts"), ("project", "gui-scripts")) and entry.steps == 3:
        return (_command(entry),)
    if path[:2] == ("project", "entry-points") and entry.steps == 4:
        return (_command(entry),)
    if path == ("project", "requires-python"):
        return (declaration(entry, "toml", "toml_key", extra={"constraint": safe_constraint(entry.value)}),)
    return () if "include-group" in path else None


def _poetry(entry: Entry, view: View) -> tuple[Draft, ...] | None:
    path = entry.path
    if path[2] in ("scripts", "plugins"):
        return (_command(entry),) if entry.value else None
    if path[2] == "group" and entry.steps > 5 and path[4] == "dependencies":
        at, scope, group = 6, _scope_of(path[3]), path[3]
    elif path[2] in ("dependencies", "dev-dependencies"):
        at, group = 4, path[2]
        scope = "runtime" if path[2] == "dependencies" else "dev"
    else:
        return None
    if entry.steps != at:
        return ()
    constraint = entry.value
    for key in ("version", "git", "path", "url"):
        constraint = constraint or view.get(path, key)
    if view.get(path, "optional") == "true":
        scope = "optional"
    return _one("pypi", path[-1], entry, scope, group, "toml_key", constraint)


def _other_tool(entry: Entry, view: View) -> tuple[Draft, ...] | None:
    path = entry.path
    if path[:3] == ("tool", "uv", "dev-dependencies") and path[-1] == EACH and entry.value:
        return requirement_dependency(entry, view.notes, "dev", "dev-dependencies")
    if path[:3] == ("tool", "pdm", "dev-dependencies") and entry.steps == 5 and entry.value:
        return requirement_dependency(entry, view.notes, "dev", path[3])
    return None


def setup_cfg(entry: Entry, view: View) -> tuple[Draft, ...] | None:
    """setup.cfg: the requirements of setuptools; other lines below an option say nothing of their own."""
    path = entry.path
    listed = path[-1] == EACH or entry.value is not None
    if listed and path[:2] in (("options", "install_requires"), ("options", "setup_requires")):
        scope: Scope = "runtime" if path[1] == "install_requires" else "build"
        return requirement_dependency(entry, view.notes, scope, path[1])
    if path[0] == "options.extras_require" and entry.steps > 1 and listed:
        return requirement_dependency(entry, view.notes, "optional", path[1])
    return () if path[-1] == EACH else None


def _scope_of(group: str) -> Scope:
    return "dev" if group != "main" else "runtime"


def _command(entry: Entry) -> Draft:
    """A command that is installed, with the function behind it, which is a name in the code and no secret."""
    match = _ENTRY_POINT.match(entry.value or "")
    target = f"{match[1]}.{match[2]}" if match else None
    draft = declaration(entry, "toml", "toml_key", extra={"target": target})
    return draft if target is None else msgspec.structs.replace(draft, symbols=(target,))


def requirement_dependency(entry: Entry, notes: Notes, scope: Scope, group: str) -> tuple[Draft, ...]:
    """The dependency that a PEP 508 text asks for; a text that is none is noted."""
    found = requirement(entry.value or "")
    if found is None:
        notes.add("requirement_not_understood", "a requirement that is not of PEP 508", entry.start)
        return ()
    extra: dict[str, Any] = {}
    if found.extras:
        extra["extras"] = list(found.extras)
    if found.marker:
        extra["marker"] = found.marker
    return _one("pypi", found.name, entry, scope, group, "pep508_requirement", found.constraint, extra)


def _one(
    ecosystem: str,
    name: str,
    entry: Entry,
    scope: Scope,
    group: str | None,
    basis: str,
    constraint: str | None,
    extra: Mapping[str, Any] | None = None,
) -> tuple[Draft, ...]:
    if not name.strip():
        return ()
    return (
        dependency(
            Dependency(
                ecosystem=ecosystem,
                name=name[:200],
                constraint=safe_constraint(constraint),
                scope=scope,
                group=group,
                start=entry.start,
                end=entry.end,
                basis=basis,
                extra=extra or {},
            )
        ),
    )


MANIFESTS: Final[dict[str, Known]] = {
    "npm": npm,
    "composer": composer,
    "cargo": cargo,
    "pipfile": pipfile,
    "gradle-catalog": gradle_catalog,
    "pyproject": pyproject,
    "setup.cfg": setup_cfg,
}
