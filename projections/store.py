"""Artifacts on disk: written whole or not at all, and only where t2c itself has written before.

`<workspace>/projections/<name>/projection.json` says of which fold the files are and what they hash to. It is
written last. Files are made in a staging folder beside, so that a write that was cut short leaves nothing in
the way of the next one.
"""

from __future__ import annotations

import fcntl
import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Final, Literal, NamedTuple

import msgspec

from t2c.ledger.errors import Environment, Internal, Refused
from t2c.projections.base import Artifacts, Content, Provenance, pretty

__all__ = ["MANIFEST", "Manifest", "Mismatch", "Written", "check", "manifest", "write"]

MANIFEST: Final = "projection.json"
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_READ: Final = 1 << 20


class Manifest(msgspec.Struct, frozen=True):
    """`projection.json`: which fold the files of a folder are of; `files` maps name to SHA-256."""

    name: str
    version: int
    seq: int
    head: str
    inputs: dict[str, int]
    files: dict[str, str]


class Written(NamedTuple):
    """What a write changed: files whose bytes are new, files that are no longer made."""

    folder: Path
    files: tuple[str, ...]
    removed: tuple[str, ...]


class Mismatch(NamedTuple):
    """One way in which a folder is not what the journal makes of it.

    `stale` (made by another version of the projection) is no fault: the folder has to be made again.
    """

    kind: Literal["missing", "differs", "foreign", "manifest", "stale"]
    path: str
    detail: str


def write(workspace: Path, provenance: Provenance, artifacts: Artifacts) -> Written:
    """Bring the folder of one projection up to `artifacts`.

    A file whose bytes are the same already is left alone; one that is no longer made is removed. Raises
    Refused, and changes nothing, if the folder or something in it was not made by t2c or is a symbolic link;
    Environment if the disk does not let it.
    """
    for name in artifacts:
        if not _flat(name):
            raise Internal(f"{name!r} cannot be the name of an artifact")
    parent = workspace / "projections"
    folder = parent / provenance.name
    try:
        _refuse_link(parent)
        parent.mkdir(parents=True, exist_ok=True)
        with _alone(parent):
            staging = parent / f".{provenance.name}.staging"
            _roll_back(staging, folder)
            former = _own(folder, provenance.name)
            return _replace(staging, folder, former, provenance, artifacts)
    except OSError as error:
        raise Environment(
            f"the projection {provenance.name} cannot be written: {error.strerror or error}",
            where=str(error.filename or folder),
            safe="the journal is untouched",
            remedy="make room or give permission, then run `t2c ledger project` again",
        ) from error


def manifest(workspace: Path, name: str) -> Manifest | None:
    """What `projection.json` of a projection says; None if there is none that can be read."""
    return _manifest(workspace / "projections" / name / MANIFEST)


def check(workspace: Path, provenance: Provenance, artifacts: Artifacts) -> list[Mismatch]:
    """Compare a folder with a fold at the `seq` that its `projection.json` names, given as `artifacts`.

    Never writes. The list is complete and in the order of paths; empty means equal.
    """
    folder = workspace / "projections" / provenance.name
    shown = f"projections/{provenance.name}"
    if folder.is_symlink():
        return [Mismatch("foreign", shown, "is a symbolic link")]
    held = manifest(workspace, provenance.name)
    if held is None or held.name != provenance.name:
        return [Mismatch("manifest", f"{shown}/{MANIFEST}", "does not say of which fold the folder is")]
    if (held.version, held.inputs) != (provenance.version, dict(provenance.inputs)):
        return [Mismatch("stale", shown, f"made by version {held.version}, now {provenance.version}")]
    if (held.seq, held.head) != (provenance.seq, provenance.head):
        detail = f"event {held.seq} of this journal does not hash to {held.head}"
        return [Mismatch("manifest", f"{shown}/{MANIFEST}", detail)]
    found: list[Mismatch] = []
    for name, content in artifacts.items():
        digest = _digest(_pieces(content))
        if held.files.get(name) != digest:
            found.append(Mismatch("manifest", f"{shown}/{MANIFEST}", f"gives another hash for {name}"))
        on_disk = _digest_of(folder / name)
        if on_disk is None:
            found.append(Mismatch("missing", f"{shown}/{name}", "is not there, or is no regular file"))
        elif on_disk != digest:
            found.append(Mismatch("differs", f"{shown}/{name}", "is not what the journal makes of it"))
    for entry in os.scandir(folder):
        if entry.name not in artifacts and entry.name != MANIFEST:
            found.append(Mismatch("foreign", f"{shown}/{entry.name}", "is none of the projection's files"))
    return sorted(found, key=lambda mismatch: (mismatch.path, mismatch.kind, mismatch.detail))


def _replace(
    staging: Path, folder: Path, former: Manifest | None, provenance: Provenance, artifacts: Artifacts
) -> Written:
    """Stage every file, then put the changed ones in place, the manifest last."""
    staging.mkdir()
    try:
        staged = [
            (name, *_stage(staging / name, content, folder / name)) for name, content in artifacts.items()
        ]
        digests = {name: digest for name, digest, _ in sorted(staged)}
        changed = [name for name, _, is_new in sorted(staged) if is_new]
        removed = sorted(set(former.files if former else ()) - digests.keys())
        current = Manifest(
            name=provenance.name,
            version=provenance.version,
            seq=provenance.seq,
            head=provenance.head,
            inputs=dict(provenance.inputs),
            files=digests,
        )
        if current != former or changed:
            _stage(staging / MANIFEST, pretty(msgspec.structs.asdict(current)), None)
            folder.mkdir(exist_ok=True)
            for name in changed:
                (staging / name).replace(folder / name)
            for name in removed:
                (folder / name).unlink(missing_ok=True)
            _sync(folder)
            (staging / MANIFEST).replace(folder / MANIFEST)
            _sync(folder)
    finally:
        # After a failure a rename may have been done already: the staged manifest stays, for `_roll_back`.
        _clear(staging, keep_manifest=True)
    return Written(folder, tuple(changed), tuple(removed))


def _stage(path: Path, content: Content, beside: Path | None) -> tuple[str, bool]:
    """Write and sync a file and return its SHA-256; not kept (False) if `beside` has the same bytes."""
    digest, size = sha256(), 0
    with path.open("xb") as stream:
        for piece in _pieces(content):
            digest.update(piece)
            size += stream.write(piece)
        stream.flush()
        found = digest.hexdigest()
        if beside is None or _digest_of(beside, size) != found:
            os.fsync(stream.fileno())
            return found, True
    path.unlink()
    return found, False


def _roll_back(staging: Path, folder: Path) -> None:
    """Undo what a write that was cut short left behind: its staged files, and files put in place unlisted."""
    _refuse_link(staging)
    if not staging.exists():
        return
    staged, current = _manifest(staging / MANIFEST), _manifest(folder / MANIFEST)
    for name, digest in staged.files.items() if staged else ():
        unlisted = current is None or name not in current.files
        if unlisted and _digest_of(folder / name) == digest:
            (folder / name).unlink()
    _clear(staging)


def _clear(staging: Path, *, keep_manifest: bool = False) -> None:
    held = (staging / MANIFEST).exists()
    for entry in sorted(os.scandir(staging), key=lambda entry: entry.name == MANIFEST):
        if not (keep_manifest and entry.name == MANIFEST):
            Path(entry.path).unlink()
    if not (keep_manifest and held):
        staging.rmdir()


def _own(folder: Path, name: str) -> Manifest | None:
    """The manifest of a folder that t2c made, None if there is no folder or an empty one. Raises Refused."""
    _refuse_link(folder)
    if not folder.exists():
        return None
    entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    if not entries:
        return None
    found = _manifest(folder / MANIFEST)
    if found is None or found.name != name:
        raise _foreign(folder, f"has no {MANIFEST} that t2c wrote for it")
    for entry in entries:
        if entry.is_symlink() or not entry.is_file():
            raise _foreign(Path(entry.path), "is no regular file")
        if entry.name not in found.files and entry.name != MANIFEST:
            raise _foreign(Path(entry.path), f"is not listed in {MANIFEST}")
    return found


def _foreign(path: Path, why: str) -> Refused:
    return Refused(
        f"{path} {why}, so t2c did not make it",
        where=str(path),
        safe="nothing was changed",
        remedy=f"move {path} away, or delete it; what t2c writes there is made again from the journal",
    )


def _refuse_link(path: Path) -> None:
    if path.is_symlink() or (path.exists() and not path.is_dir()):
        raise _foreign(path, "is no folder of its own")


def _flat(name: str) -> bool:
    return name != MANIFEST and _NAME.fullmatch(name) is not None


def _manifest(path: Path) -> Manifest | None:
    try:
        with _opened(path) as descriptor:
            found = msgspec.json.decode(os.read(descriptor, _READ), type=Manifest)
        return found if all(_flat(name) for name in found.files) else None
    except (OSError, ValueError, msgspec.MsgspecError, RecursionError):
        return None


def _digest_of(path: Path, size: int | None = None) -> str | None:
    """SHA-256 of a regular file; None if it is none, or has another size than expected."""
    try:
        with _opened(path) as descriptor:
            if size is not None and os.fstat(descriptor).st_size != size:
                return None
            digest = sha256()
            while block := os.read(descriptor, _READ):
                digest.update(block)
            return digest.hexdigest()
    except OSError:
        return None


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    """A descriptor of a regular file that is no symbolic link. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(f"{path} is no regular file")
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def _alone(parent: Path) -> Iterator[None]:
    """Keep other writers of projections out until the end; the lock dies with the process."""
    descriptor = os.open(parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _pieces(content: Content) -> Iterable[bytes]:
    return (content,) if isinstance(content, bytes) else content


def _digest(pieces: Iterable[bytes]) -> str:
    digest = sha256()
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()
