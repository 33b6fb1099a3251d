"""The folder of a run on disk: there as a whole or not at all, and made again from the journal at any time."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Environment, Usage
from t2c.ledger.journal.files import make_folder, sync_folder, write_atomically
from t2c.projections.base import Content, Projection
from t2c.projections.fold import Folded, fold
from t2c.projections.interop.run_folder import (
    FOLDED,
    FOLDED_FAILED,
    Folder,
    failed_folder,
    rendered_todo,
    run_folder,
    todo_document,
)
from t2c.projections.manifest import Manifests, ManifestsProjection, RunTold
from t2c.projections.registry import ALL

__all__ = [
    "LATEST",
    "ending_folder",
    "folder_of",
    "prepared",
    "publish",
    "runs_told",
    "stage_folder",
    "write_latest",
]

LATEST: Final = "latest.json"
_PROJECTIONS: Final[Mapping[str, Projection[Any]]] = {**ALL, ManifestsProjection.name: ManifestsProjection()}


def runs_told(ledger: Ledger) -> Mapping[str, RunTold]:
    """What the journal says of each run that has a manifest, by id."""
    manifests: Manifests = _folded(ledger, ("manifest",), None).states["manifest"]
    return manifests.runs


def folder_of(ledger: Ledger, identity: str) -> Folder:
    """The folder of a run that is over, or that was left: the same bytes whenever it is asked for.

    Raises Usage where there is no such run.
    """
    run = runs_told(ledger).get(identity)
    if run is None:
        raise Usage(
            f"there is no run {identity} that has a folder",
            remedy="`t2c runs list --verb run` shows those that do",
        )
    if run.status in (None, "failed"):
        return failed_folder(identity, _folded(ledger, FOLDED_FAILED, run.folded_at))
    return _whole(ledger, identity, run.folded_at)


def ending_folder(ledger: Ledger, identity: str) -> Folder:
    """The folder of a run whose stages are all over but for its being written."""
    run = runs_told(ledger)[identity]
    until = max(one.seq for one in run.stages)
    return _whole(ledger, identity, until)


def _whole(ledger: Ledger, identity: str, until: int) -> Folder:
    folded = _folded(ledger, FOLDED, until)
    manifests: Manifests = folded.states["manifest"]
    patch = rendered_todo(manifests, identity)
    extra: dict[str, Content] = {}
    if patch is not None and ledger.objects.has(patch.shown):
        extra = {"TODO.patch": ledger.objects.get(patch.shown), "TODO.patch.json": todo_document(patch)}
    return run_folder(identity, folded, extra)


def _folded(ledger: Ledger, names: tuple[str, ...], until: int | None) -> Folded:
    return fold(ledger.journal, _PROJECTIONS, names, until=until, cache=ledger.cache / "folds")


def stage_folder(parent: Path, name: str, files: Mapping[str, Content]) -> Path:
    """Write the files of a folder that is to be `name`, under another name beside it, all of them synced.

    Nothing of it is left behind if that fails. Raises Environment.
    """
    staged = parent / f".{name}.{os.getpid()}.tmp"
    try:
        make_folder(parent)
        staged.mkdir(mode=0o755)
        try:
            for file, content in files.items():
                _write(staged / file, content)
            sync_folder(staged)
        except BaseException:
            shutil.rmtree(staged, ignore_errors=True)
            raise
    except OSError as error:
        raise _cannot(error, parent / name) from error
    return staged


def publish(staged: Path, target: Path, *, instead: bool = False) -> None:
    """Give a staged folder its name; `instead` of a folder that bears it, which a run wrote that did not end after all.

    Raises Environment, and Usage where something bears that name already.
    """
    former = staged.with_name(f"{staged.name.removesuffix('.tmp')}.former.tmp")
    try:
        if instead and target.is_dir() and not target.is_symlink():
            target.rename(former)
        if os.path.lexists(target):
            raise Usage(
                f"{target} is there already",
                safe="nothing was written",
                remedy="name a folder that does not exist yet",
            )
        staged.rename(target)
        sync_folder(target.parent)
    except OSError as error:
        raise _cannot(error, target) from error
    finally:
        shutil.rmtree(staged, ignore_errors=True)
        shutil.rmtree(former, ignore_errors=True)


def write_latest(out: Path, content: bytes) -> None:
    """Say which run is the latest one that is whole. Raises Environment."""
    try:
        write_atomically(out / LATEST, content)
    except OSError as error:
        raise _cannot(error, out / LATEST) from error


def prepared(parent: Path) -> None:
    """Make the folder of the folders of runs, which neither Git nor a scan looks into, and remove what killed runs left.

    To be called by nobody but the run whose turn it is. Raises Environment.
    """
    try:
        make_folder(parent)
        ignore = parent / ".gitignore"
        if not os.path.lexists(ignore):
            write_atomically(ignore, b"# made by t2c: every folder here is made again from the journal\n*\n")
    except OSError as error:
        raise _cannot(error, parent) from error
    with suppress(OSError):
        for left in parent.glob(".*.tmp"):
            if left.is_dir() and not left.is_symlink():
                shutil.rmtree(left, ignore_errors=True)


def _write(path: Path, content: Content) -> None:
    with path.open("xb") as stream:
        for piece in (content,) if isinstance(content, bytes) else content:
            stream.write(piece)
        stream.flush()
        os.fsync(stream.fileno())


def _cannot(error: OSError, target: Path) -> Environment:
    return Environment(
        f"{target.name} cannot be written: {error.strerror or error}",
        where=str(error.filename or target),
        safe="everything that was recorded is in the journal",
        remedy="make room or give permission, or name another folder with --out",
    )
