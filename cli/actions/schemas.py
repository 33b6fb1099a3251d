"""The published JSON Schemas: list and show them, write them from the types, check that both agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final, cast

import orjson

from t2c import schemas
from t2c.cli.actions.context import Context
from t2c.ledger.errors import Environment, Refused, Usage
from t2c.ledger.kernel.paths import repo_path

__all__ = ["Checked", "Listed", "Written", "check", "listed", "show", "write"]

INDEX: Final = "index.json"
SUFFIX: Final = ".schema.json"
_FAMILIES: Final = ("events", "artifacts", "answers")


@dataclass(frozen=True, slots=True)
class Named:
    """One schema of the index: its `$id`, its file, its title."""

    id: str
    file: str
    title: str


@dataclass(frozen=True, slots=True)
class Listed:
    """The index by name, as `index.json` has it. `aliases` leads from names published elsewhere to ours."""

    schema: ClassVar[str] = "t2c.schemas/v1"
    schemas: Mapping[str, Named]
    aliases: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Written:
    """What was done below `folder`; names of files are relative to it."""

    schema: ClassVar[str] = "t2c.schemas.written/v1"
    folder: Path
    written: tuple[str, ...]
    unchanged: int
    removed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Checked:
    """Where files and types disagree. `agree` is True if nowhere."""

    schema: ClassVar[str] = "t2c.schemas.checked/v1"
    agree: bool
    checked: int
    differing: tuple[str, ...]
    missing: tuple[str, ...]
    left_over: tuple[str, ...]


def listed() -> Listed:
    """The schemas that this t2c ships."""
    index = schemas.load(INDEX)
    named = cast(dict[str, dict[str, str]], index["schemas"])
    aliases = cast(dict[str, str], index.get("aliases", {}))
    return Listed({name: Named(**found) for name, found in named.items()}, aliases)


def show(name: str) -> dict[str, object]:
    """One shipped schema by its name, its file, a name published elsewhere, or a name without its version (the newest).

    Raises Usage, with what comes near, if there is none.
    """
    from t2c.cli.actions.old_names import is_published_name

    index = listed()
    known = index.schemas
    ours = index.aliases.get(name) or index.aliases.get(f"{name}{SUFFIX}")
    if ours is None and name not in known and is_published_name(name):
        raise Usage(
            f"{name} is a published name, and this t2c has no schema for it yet",
            remedy="`t2c schemas list` has those that it has",
        )
    name = ours or name
    versions = [key for key in known if ".v" in key and key.rpartition(".v")[0] == name]
    newest = max(versions, key=lambda key: int(key.rpartition(".v")[2]), default=name)
    file = known[newest].file if newest in known else name
    if file not in {found.file for found in known.values()}:
        from difflib import get_close_matches

        named = dict.fromkeys([*known, *(key.rpartition(".v")[0] or key for key in known)])
        near = get_close_matches(name, named, 3)
        hint = f"did you mean {' or '.join(near)}? " if near else ""
        raise Usage(f"no schema is called {name}", remedy=f"{hint}`t2c schemas list` has them all", near=near)
    return schemas.load(file)


def check(context: Context) -> Checked:
    """Compare the shipped files with what the types say now."""
    wanted = _wanted(context)
    folder = _shipped()
    found = _found(folder)
    differing = tuple(
        name for name in sorted(found & wanted.keys()) if (folder / name).read_bytes() != wanted[name]
    )
    missing, left_over = tuple(sorted(wanted.keys() - found)), _left_over(found, wanted)
    return Checked(not (differing or missing or left_over), len(wanted), differing, missing, left_over)


def write(context: Context, dest: str | None = None) -> Written:
    """Write the schemas of all published types, to the checkout that t2c runs from or to `dest`.

    A file that has the right bytes is not touched; a schema whose type is gone is removed. Raises Refused in an
    installed t2c without `dest`, or if `dest` holds files that are not schemas of ours; Environment if the
    folder cannot be written.
    """
    folder = _checkout() if dest is None else _given(context, dest)
    wanted = _wanted(context)
    found = _found(folder)
    stale = [
        name for name in sorted(wanted) if name not in found or (folder / name).read_bytes() != wanted[name]
    ]
    removed = _left_over(found, wanted)
    try:
        for done, name in enumerate(stale):
            context.progress("write", done, len(stale))
            path = folder / name if dest is None else context.path(folder / name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(wanted[name])
        for name in removed:
            (folder / name).unlink()
    except OSError as error:
        raise Environment(
            f"the schemas cannot be written: {error.strerror}",
            where=str(error.filename or folder),
            remedy="make the folder writable, or name another one with --dest",
        ) from error
    return Written(folder, tuple(stale), len(wanted) - len(stale), removed)


def _wanted(context: Context) -> dict[str, bytes]:
    """Every file that the types ask for, the index too, with its bytes."""
    from t2c.cli.actions.contracts import derive, published
    from t2c.cli.actions.old_names import aliases

    contracts = published()
    files: dict[str, bytes] = {}
    for done, contract in enumerate(contracts):
        context.progress("derive", done, len(contracts))
        files[contract.file] = _bytes(derive(contract))
    index = {
        contract.key: {"id": contract.id, "file": contract.file, "title": contract.title}
        for contract in contracts
    }
    files[INDEX] = _bytes({"schema": Listed.schema, "schemas": index, "aliases": aliases(index)})
    return files


def _bytes(document: Mapping[str, object]) -> bytes:
    return orjson.dumps(
        document, option=orjson.OPT_SORT_KEYS | orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    )


def _found(folder: Path) -> set[str]:
    """The names of the schema files and the index below a folder."""
    files = [path for family in _FAMILIES for path in (folder / family).glob(f"*{SUFFIX}")]
    return {repo_path(folder, path) for path in (*files, folder / INDEX) if path.is_file()}


def _left_over(found: set[str], wanted: Mapping[str, bytes]) -> tuple[str, ...]:
    """Files whose type is gone. Older versions of a type that is there stay: old events refer to them."""

    def stem(name: str) -> str:
        found, _, version = name.removesuffix(SUFFIX).rpartition(".v")
        return found or version

    kept = {stem(name) for name in wanted if name != INDEX}
    return tuple(sorted(name for name in found - wanted.keys() if stem(name) not in kept))


def _shipped() -> Path:
    return Path(schemas.__file__).resolve().parent


def _checkout() -> Path:
    """The folder of schemas of the checkout that this code runs from."""
    folder = _shipped()
    marks = (folder.parent / "pyproject.toml", folder.parent / ".src" / "t2c" / "__init__.py")
    if not all(mark.is_file() for mark in marks):
        raise Refused(
            "this t2c is installed, and an installed package does not change itself",
            where=str(folder),
            safe="nothing was written",
            remedy="name a folder with --dest, or run it from a checkout",
        )
    return folder


def _given(context: Context, dest: str) -> Path:
    folder = context.path(dest)
    if folder.is_dir() and any(folder.iterdir()):
        try:
            ours = orjson.loads((folder / INDEX).read_bytes())["schema"] == Listed.schema
        except (OSError, ValueError, KeyError, TypeError):
            ours = False
        if not ours:
            raise Refused(
                f"{dest} holds files that are not schemas of t2c",
                where=str(folder),
                safe="nothing was written",
                remedy="name an empty or a new folder",
            )
    elif folder.exists() and not folder.is_dir():
        raise Usage(f"{dest} is not a folder", where=str(folder), remedy="name an empty or a new folder")
    return folder
