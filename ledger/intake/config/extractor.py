"""The extractor of configuration: one record a key, one a dependency, one a file (intent-evidence §2.4).

Values are never recorded, since they may be secrets, except numbers, truth values, image names, action references
and version constraints. A file that does not parse gives nothing but a warning with its line and column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from t2c.ledger.events.record import SourceKind
from t2c.ledger.intake.base import Draft, Reading, Scope, Tree
from t2c.ledger.intake.config.assignments import dotenv_names, ini_entries, just_recipes, make_targets
from t2c.ledger.intake.config.dockerfile import instructions
from t2c.ledger.intake.config.entries import EACH, MAX_KEY, Entry, Fault, declaration, spelled
from t2c.ledger.intake.config.json_text import entries_of_json
from t2c.ledger.intake.config.manifest_lines import LINE_MANIFESTS
from t2c.ledger.intake.config.manifest_xml import maven, msbuild
from t2c.ledger.intake.config.manifests import MANIFESTS, View
from t2c.ledger.intake.config.names import LOCK_FILE, Kind, is_configuration, kind_of
from t2c.ledger.intake.config.pipelines import PIPELINES
from t2c.ledger.intake.config.toml_text import entries_of_toml
from t2c.ledger.intake.config.yaml_text import entries_of_yaml
from t2c.ledger.intake.lines import Notes, text_lines

__all__ = ["ConfigExtractor"]

_MAX_BYTES: Final = 2_000_000
_MAX_RECORDS: Final = 400
_MAX_DEPENDENCIES: Final = 5000
_MAX_CAPABILITIES: Final = 40
_LINES: Final[dict[str, Callable[[Iterator[str], Notes], Iterator[Draft]]]] = {
    "dotenv": dotenv_names,
    "make": make_targets,
    "just": just_recipes,
    "dockerfile": instructions,
}
_XML: Final[dict[str, Callable[[bytes], list[Draft] | Fault]]] = {"maven": maven, "msbuild": msbuild}


class ConfigExtractor:
    """Reads configuration files, pipelines and dependency manifests."""

    name: str = "t2c/configuration-structural@1"
    source: SourceKind = "system"

    def wants(self, path: str) -> bool:
        """True for configuration of the project, lock files included, which are only counted."""
        return is_configuration(path)

    def read(self, path: str, content: bytes, tree: Tree) -> Reading:
        """All declarations of one file in its order, after a record of the file itself.

        Incomplete, and empty, if the file could not be parsed as a whole.
        """
        notes, scope = Notes(self.source, path), Scope(self.source, path)
        kind = kind_of(path) or Kind(_format_of(path))
        if kind.format == LOCK_FILE:
            notes.add("lock_file", f"{path.rpartition('/')[2]} repeats what a manifest asks for; not read")
            return Reading(scope, self.name, (), notes.warnings())
        if len(content) > _MAX_BYTES:
            notes.add("file_too_large", f"{len(content)} bytes; configuration above {_MAX_BYTES} is not read")
            return Reading(scope, self.name, (), notes.warnings(), complete=False)
        found = _drafts(kind, path, content, notes)
        if isinstance(found, Fault):
            place = f" (line {found.line}, column {found.column})" if found.column else ""
            notes.add(found.reason, f"{found.what}{place}; nothing was read", found.line)
            found = None
        if found is None:
            return Reading(scope, self.name, (), notes.warnings(), complete=False)
        kept = _capped(found, notes)
        records = (_file(path, kind, found), *kept)
        return Reading(scope, self.name, records, notes.warnings())


def _format_of(path: str) -> str:
    """The format of a file that was given by hand, by its ending."""
    ending = path.rpartition(".")[2].lower()
    return {"yml": "yaml", "jsonc": "json", "toml": "toml", "yaml": "yaml", "json": "json"}.get(
        ending, "dotenv"
    )


def _drafts(kind: Kind, path: str, content: bytes, notes: Notes) -> list[Draft] | Fault | None:
    """What a file declares; None, with a note, if it is no text."""
    if kind.format in _XML:
        return _XML[kind.format](content)
    lines = text_lines(content, notes)
    if lines is None:
        return None
    if kind.format in _LINES:
        return list(_LINES[kind.format](lines, notes))
    if kind.format in LINE_MANIFESTS:
        return list(LINE_MANIFESTS[kind.format](path, lines, notes))
    entries = _entries(kind.format, lines, notes)
    if isinstance(entries, Fault):
        return entries
    if kind.format == "json" and _is_schema(entries):
        notes.add(
            "json_schema", "a JSON Schema tells what may be configured, not what is; its keys are not read"
        )
        return []
    dialect = PIPELINES.get(kind.dialect)
    if dialect is not None:
        return _unique(dialect(entries))
    return _unique(_settings(kind, entries, notes))


def _is_schema(entries: Sequence[Entry]) -> bool:
    told = next((entry.value for entry in entries if entry.path == ("$schema",)), None)
    return told is not None and "json-schema.org" in told


def _entries(format: str, lines: Iterator[str], notes: Notes) -> Sequence[Entry] | Fault:
    if format == "ini":
        return list(ini_entries(lines))
    text = "\n".join(lines)
    if format == "yaml":
        return entries_of_yaml(text, notes)
    if format == "toml":
        return entries_of_toml(text)
    stripped = text.lstrip()
    if stripped[:1] not in ("{", "[", '"', "/") and stripped:  # `.eslintrc` and the like may be YAML
        return entries_of_yaml(text, notes)
    return entries_of_json(text, notes)


def _settings(kind: Kind, entries: Sequence[Entry], notes: Notes) -> Iterator[Draft]:
    """Every key as a setting, except where the dialect knows better; members of lists are no keys."""
    known = MANIFESTS.get(kind.dialect)
    view = View(entries, notes) if known else None
    for entry in entries:
        drafts = known(entry, view) if known and view else None
        if drafts is not None:
            yield from drafts
        elif entry.path[-1] != EACH:
            if sum(map(len, entry.path)) > MAX_KEY:
                notes.add("key_too_long", f"a key path of more than {MAX_KEY} characters", entry.start)
                continue
            yield declaration(entry, kind.format, _basis(kind.format, entry))


def _basis(format: str, entry: Entry) -> str:
    match format:
        case "json":
            return "json_top_level_key" if len(entry.path) == 1 else "json_nested_key"
        case "toml":
            return "toml_section" if entry.shape == "map" else "toml_key"
        case "yaml":
            return "yaml_key"
        case _:
            return "ini_section" if entry.shape == "map" else "assignment"


def _unique(drafts: Iterator[Draft]) -> list[Draft]:
    """Settings once a key, the first of them; what is used or called as often as it is."""
    seen: set[tuple[tuple[str, ...], str]] = set()
    found = []
    for draft in drafts:
        key = (draft.trail, draft.text)
        if draft.action == "configure" and draft.kind == "configuration_declaration":
            if key in seen:
                continue
            seen.add(key)
        found.append(draft)
    return found


def _capped(found: list[Draft], notes: Notes) -> list[Draft]:
    """At most so many settings of a file, those nearest to its top level first, and so many dependencies."""
    asked = [index for index, draft in enumerate(found) if draft.kind == "dependency_declaration"]
    settings = [index for index, draft in enumerate(found) if draft.kind != "dependency_declaration"]
    if len(asked) <= _MAX_DEPENDENCIES and len(settings) <= _MAX_RECORDS:
        return found
    settings.sort(key=lambda index: (len(found[index].trail), index))
    kept = sorted(settings[:_MAX_RECORDS] + asked[:_MAX_DEPENDENCIES])
    first = min({*range(len(found))}.difference(kept))
    lines = found[first].lines
    notes.add(
        "entries_capped",
        f"a file gives {_MAX_RECORDS} settings at most, those nearest to its top level",
        lines[0] if lines else None,
        len(found) - len(kept),
    )
    return [found[index] for index in kept]


def _file(path: str, kind: Kind, found: Sequence[Draft]) -> Draft:
    """The record of the file itself: what it is and how much it declares."""
    settings = [draft for draft in found if draft.kind != "dependency_declaration"]
    top = sorted({spelled(draft.trail[:1]) if draft.trail else draft.object for draft in settings})
    return Draft(
        kind="configuration_file_fact",
        text=f"configure {path}",
        object=path,
        action="configure",
        cls="fact",
        status="implemented",
        confidence=0.98,
        basis=("configuration_file_aggregate", "deterministic_configuration_structure"),
        modality="observed",
        paths=(path,),
        metadata={
            "format": kind.format,
            "dialect": kind.dialect or None,
            "aggregate": "configuration-file",
            "factGranularity": "file",
            "capabilities": top[:_MAX_CAPABILITIES],
            "declaredKeys": len(settings),
            "declaredDependencies": len(found) - len(settings),
        },
    )
