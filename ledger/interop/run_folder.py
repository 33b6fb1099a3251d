"""A run folder, or one of its files: which files hold facts, and reading each once."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from t2c.ledger.audit.schema import first_problem
from t2c.ledger.errors import Environment, T2cError, Usage
from t2c.ledger.interop.event_fact import EVIDENCE
from t2c.ledger.interop.event_log import digest_of, event_line, parse
from t2c.ledger.interop.foreign import Foreign
from t2c.ledger.interop.records import read_graph, read_records

__all__ = ["MAX_BYTES", "read_foreign"]

MAX_BYTES: Final = 1 << 30
"""Bytes of one file at most."""
_LOG: Final = "logs.dsl.txt"
_GRAPHS: Final = ("intent.graph.json", "graph.json")
_MANIFEST: Final = "manifest.json"
_LATEST: Final = "latest.json"

_artifact: Final = re.compile(r"artifact:([A-Za-z0-9][A-Za-z0-9._-]*)").fullmatch

Reader = Callable[[Foreign, str, bytes], None]
Progress = Callable[[str, int, int | None], None]


def read_foreign(path: Path, shown: str, progress: Progress) -> Foreign:
    """Read a run folder, the newest run of a folder of runs, or one file of records, a graph or an event log.

    What is wrong with an item stands in `refused`. Raises Usage if there is nothing that holds facts, Environment if
    a file cannot be read.
    """
    foreign = Foreign()
    if path.is_dir():
        _read_folder(foreign, _run_of(path), shown, progress)
    else:
        reader = _reader(path.name)
        if reader is None:
            raise Usage(
                f"{shown} is no file whose facts can be taken in",
                safe="nothing was written",
                remedy="name a run folder, a file *.jsonl of records, a graph *.json or an event log *.dsl.txt; "
                "a bundle is taken in by `t2c ledger import`",
            )
        _read(foreign, path, reader)
    return foreign


def _run_of(folder: Path) -> Path:
    """The folder of the newest run, where a folder of runs is given; else the folder itself."""
    if (folder / _MANIFEST).exists() or not (folder / "runs").is_dir():
        return folder
    import orjson

    try:
        run = orjson.loads((folder / _LATEST).read_bytes())["runId"]
        found = folder / "runs" / Path(str(run)).name
    except (OSError, ValueError, LookupError, TypeError):
        return folder
    return found if found.is_dir() else folder


def _read_folder(foreign: Foreign, folder: Path, shown: str, progress: Progress) -> None:
    try:
        names = sorted(path.name for path in folder.iterdir())
    except OSError as error:
        raise Environment(f"{shown} cannot be read: {error.strerror}", where=str(folder)) from error
    if _GRAPHS[0] in names:
        names = [name for name in names if name != _GRAPHS[1]]
    # The graph comes first: of two records with one id and equal confidence its own is kept.
    names.sort(key=lambda name: name not in _GRAPHS)
    readers = {name: _reader_in_folder(name) for name in names}
    foreign.not_read = [name for name, reader in readers.items() if reader is None]
    wanted = {name: reader for name, reader in readers.items() if reader is not None}
    if not wanted:
        raise Usage(
            f"{shown} holds neither records nor a graph, an event log or a manifest",
            safe="nothing was written",
            remedy="name a run folder, such as .intent/runs/<run>, or one of its files",
        )
    for done, (name, reader) in enumerate(wanted.items()):
        progress("read", done, len(wanted))
        _read(foreign, folder / name, reader)
    if foreign.log is not None:
        _check_evidence(foreign, folder, frozenset(names))


def _check_evidence(foreign: Foreign, folder: Path, names: frozenset[str]) -> None:
    """Refuse a log that names a file of this folder as evidence which is not there, or has other bytes."""
    assert foreign.log is not None
    for event in foreign.log.events:
        match = _artifact(event.fact.evidence_ref)
        if match is None:
            continue
        if match[1] not in names:
            why = "is not in the folder"
        elif digest_of(_content(folder / match[1])) != event.fact.evidence_digest:
            why = "has other bytes than the log says"
        else:
            continue
        foreign.refuse(_LOG, event_line(event.sequence), f"{EVIDENCE}: {event.fact.evidence_ref} {why}")


def _reader_in_folder(name: str) -> Reader | None:
    if name == _MANIFEST:
        return _read_manifest
    if name in _GRAPHS or name == _LOG or name == "intent.jsonl" or name.endswith(".intent.jsonl"):
        return _reader(name)
    return None


def _reader(name: str) -> Reader | None:
    if name.endswith((".jsonl", ".ndjson")):
        return read_records
    if name.endswith(".dsl.txt"):
        return _read_log
    return read_graph if name.endswith(".json") else None


def _read(foreign: Foreign, path: Path, reader: Reader) -> None:
    content = _content(path)
    foreign.files[path.name] = sha256(content).hexdigest()
    reader(foreign, path.name, content)


def _read_log(foreign: Foreign, name: str, content: bytes) -> None:
    try:
        foreign.log = parse(content, name)
    except T2cError as error:
        line = str(error.where).rpartition(":")[2]
        foreign.refuse(name, int(line) if line.isdigit() else None, error.what)


def _read_manifest(foreign: Foreign, name: str, content: bytes) -> None:
    from t2c.ledger.interop.run_manifest import RunManifest

    try:
        foreign.manifest = RunManifest.model_validate_json(content)
    except ValidationError as error:
        foreign.refuse(name, 1, first_problem(error))


def _content(path: Path) -> bytes:
    try:
        # Without O_NONBLOCK a pipe would be waited for.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as stream:
            state = os.fstat(descriptor)
            if not stat.S_ISREG(state.st_mode):
                raise Usage(f"{path.name} is no plain file", where=str(path), safe="nothing was written")
            if state.st_size > MAX_BYTES:
                raise Usage(
                    f"{path.name} is longer than {MAX_BYTES:,} bytes",
                    where=str(path),
                    safe="nothing was written",
                    remedy="split it by lines if it holds records",
                )
            return stream.read(MAX_BYTES)
    except FileNotFoundError:
        raise Usage(
            f"there is no {path.name}",
            where=str(path),
            safe="nothing was written",
            remedy="name a file that exists",
        ) from None
    except OSError as error:
        raise Environment(f"{path.name} cannot be read: {error.strerror}", where=str(path)) from error
