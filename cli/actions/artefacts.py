"""Files that a caller asks for by name: an answer as a document, a picture or a page.

A file that is there is replaced only if it is empty or bears the mark of the same kind of answer, so that no file of
somebody else is ever lost to a mistyped name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from t2c.cli.actions.context import Context
from t2c.ledger.errors import Environment, Refused, Usage
from t2c.ledger.journal.files import read_regular, write_atomically
from t2c.ledger.kernel.paths import INVISIBLE

__all__ = [
    "COMMANDS",
    "PATCH",
    "SARIF",
    "Kind",
    "html_page",
    "json_document",
    "markdown_page",
    "place_of_artefact",
    "places_of_artefacts",
    "svg_picture",
    "write_artefact",
]

_LARGEST: Final = 1 << 28
"""Bytes of a file that is looked at: one that is larger is nobody's to replace."""
_HEAD: Final = 1 << 14
_COMMAND: Final = re.compile(rb"::(?:error|warning|notice) [^\r\n]*")


class Kind(NamedTuple):
    """A kind of answer in words, and how an earlier one of it is known by its bytes."""

    words: str
    is_ours: Callable[[bytes], bool]


def json_document(*schemas: str) -> Kind:
    """A JSON document with one of these schemas."""
    return Kind(f"{schemas[0]} document", lambda held: _schema(_mapping(held)) in schemas)


def markdown_page(schema: str) -> Kind:
    """A Markdown page that names the schema in a comment of its own line."""
    mark = re.compile(rb"^<!-- %s[ 0-9a-f]*-->\r?$" % re.escape(schema.encode()), re.MULTILINE)
    return Kind(f"Markdown page of {schema}", lambda held: mark.search(held[:_HEAD]) is not None)


def html_page(schema: str) -> Kind:
    """An HTML page whose generator is the schema."""
    mark = b'<meta name="generator" content="' + schema.encode()
    return Kind(f"HTML page of {schema}", lambda held: mark in held[:_HEAD])


def svg_picture(schema: str) -> Kind:
    """A picture whose description ends in the schema and, of some, a fingerprint."""
    mark = re.compile(rb"<desc[^<>]*>[^<]*; %s[ 0-9a-f]*</desc>" % re.escape(schema.encode()))
    return Kind(f"picture of {schema}", lambda held: mark.search(held[:_HEAD]) is not None)


def _sarif(held: bytes) -> bool:
    runs = _mapping(held).get("runs")
    try:
        return [run["tool"]["driver"]["name"] for run in runs or ()] == ["t2c"]
    except (KeyError, TypeError):
        return False


SARIF: Final = Kind("SARIF log of t2c", _sarif)
PATCH: Final = Kind("patch of t2c", lambda held: held.startswith(b"# t2c"))
COMMANDS: Final = Kind(
    "list of workflow commands", lambda held: all(map(_COMMAND.fullmatch, held.splitlines()))
)


def place_of_artefact(context: Context, given: str) -> Path:
    """Where an artefact may be written: inside the root, and not where Git or t2c keep their own. Raises Usage."""
    path = context.path(given)
    own = {".git", *INVISIBLE}.intersection(path.relative_to(context.root).parts)
    if own or path == context.root or path.is_dir():
        why = f"lies inside {min(own)}" if own else "is a folder"
        raise Usage(f"{given} {why}", safe="nothing was written", remedy="give the name of a file for it")
    return path


def places_of_artefacts(context: Context, given: Mapping[str, tuple[str | None, Kind]]) -> dict[str, Path]:
    """The place of each artefact that is asked for, by option.

    Raises Usage for a place that none may have or that two have, Refused for a file of another kind that is there.
    """
    places: dict[str, Path] = {}
    options: dict[Path, str] = {}
    for option, (name, _) in given.items():
        if name is None:
            continue
        path = places[option] = place_of_artefact(context, name)
        other = options.setdefault(path, option)
        if other != option:
            raise Usage(
                f"{other} and {option} name the same file, {name}",
                safe="nothing was written",
                remedy="give each a file of its own",
            )
    for option, path in places.items():
        _check_ours(context, path, given[option][1])
    return places


def write_artefact(path: Path, content: str | bytes) -> None:
    """Put it there as a whole, in the place of what was there. Raises Environment."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(
            path, content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape")
        )
    except OSError as error:
        raise Environment(
            f"{path} cannot be written: {error.strerror}",
            where=str(path),
            safe="what was there before is untouched",
            remedy="give another name, or make room or permission for it",
        ) from error


def _check_ours(context: Context, path: Path, kind: Kind) -> None:
    try:
        held = read_regular(path, _LARGEST)
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError:
        held = None
    if held is None or (held and not kind.is_ours(held)):
        raise Refused(
            f"{path.relative_to(context.root).as_posix()} is there already and is no {kind.words}",
            where=str(path),
            safe="nothing was written",
            remedy="give another name, or move the file away",
        )


def _mapping(held: bytes) -> Mapping[str, Any]:
    """A JSON object; an empty one for whatever else."""
    import orjson

    try:
        found = orjson.loads(held)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _schema(found: Mapping[str, Any]) -> object:
    return found.get("schema", found.get("schemaVersion"))
