"""Export: a range of a ledger as a bundle that whoever gets it can check without trusting its sender.

Only the destination is written, and it appears as a whole or not at all. The same range of the same ledger gives
the same bytes: nothing in a bundle comes from the clock, the machine or the place it was made in (journal-engine §7).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

import msgspec
import orjson

from t2c import __version__, schemas
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Usage
from t2c.ledger.events.catalogue import CATALOGUE
from t2c.ledger.journal.note import Checkpoint, SignedNote, origin_of
from t2c.ledger.journal.tail import damaged
from t2c.ledger.transfer.archive import pack
from t2c.ledger.transfer.cut import Cut, cut, matches
from t2c.ledger.transfer.layout import (
    CHECKPOINT,
    JOURNAL,
    MANIFEST,
    PROOF,
    README,
    SCHEMA,
    VERIFIER,
    Listed,
    Manifest,
    Missing,
    View,
    object_name,
)
from t2c.ledger.transfer.onward import onward
from t2c.ledger.transfer.readme import readme
from t2c.ledger.transfer.staging import place, staged
from t2c.ledger.transfer.verifier import script
from t2c.ledger.transfer.verifier.citing import CITING, FROM_THE_START, SEALED
from t2c.ledger.transfer.vouchers import beside, key_files, note_files

__all__ = ["ARCHIVE_SUFFIX", "Exported", "export"]

ARCHIVE_SUFFIX: Final = ".tar.gz"
_BUFFER: Final = 1 << 20
_LEDGER: Final = re.compile(r"[0-9a-f]{32}")

Progress = Callable[[int, int], None]


class Exported(NamedTuple):
    """A bundle that was made. `sha256`, that of its manifest, is its identity; `left_out` says what is not in it.

    `covered` is the last of its events that a signed checkpoint in it covers, 0 if none does.
    """

    path: Path
    manifest: Manifest
    sha256: str
    left_out: tuple[str, ...]
    covered: int


def export(
    ledger: Ledger,
    destination: Path,
    *,
    first: int = 1,
    last: int | None = None,
    withhold: Collection[str] = (),
    views: Mapping[str, View] | None = None,
    moment: int | None = None,
    progress: Progress = lambda done, size: None,
) -> Exported:
    """Make a bundle of events `first` to `last` (the head, if not given) at `destination`, a new or empty folder or
    a new file that ends in `.tar.gz`.

    Lines of the types in `withhold` (`record.*` for all of a kind) are replaced by their hashes, and what they cite
    is left out. `views` are the projections on disk. `moment` is the time of files in an archive, in seconds since
    1970; that of the last event if not given. Raises Usage for a range or a type that is not there, Refused for a
    destination that is, Corrupt for a damaged journal or object, Environment from the disk.
    """
    tail = ledger.journal.tail()
    head = tail.position
    last = head.seq if last is None else last
    if not 1 <= first <= last <= head.seq:
        raise Usage(
            f"events {first} to {last} are no range of this ledger, which ends at seq {head.seq}",
            safe="nothing was written",
            remedy=f"give --range A..B with 1 <= A <= B <= {head.seq}",
        )
    archive = destination.name.endswith(ARCHIVE_SUFFIX)
    with staged(destination, archive=archive) as staging:
        folder = staging / "bundle"
        folder.mkdir()
        making = _Making(ledger, folder, durable=not archive)
        made = making.make(first, last, head.seq, withhold, views or {}, progress)
        if archive:
            packed = staging / "archive"
            seconds = _seconds(made.manifest.ts) if moment is None else moment
            pack(folder, [*made.manifest.files, MANIFEST], packed, seconds, VERIFIER)
            with packed.open("rb") as content:
                os.fsync(content.fileno())
            place(packed, destination)
        else:
            place(folder, destination)
    left_out = made.left_out
    if tail.overhang is not None and last == head.seq:
        left_out += (f"an unfinished end of {tail.overhang.length} bytes, which was never acknowledged",)
    return made._replace(path=destination, left_out=left_out)


def _seconds(ts: str) -> int:
    return int(datetime.fromisoformat(ts).timestamp())


class _Making:
    """The files of one bundle as they are written. What becomes an archive need not reach the disk before it does."""

    def __init__(self, ledger: Ledger, folder: Path, *, durable: bool) -> None:
        self.ledger = ledger
        self.folder = folder
        self.durable = durable
        self.files: dict[str, Listed] = {}
        self.left_out: list[str] = []

    def make(
        self,
        first: int,
        last: int,
        head: int,
        withhold: Collection[str],
        views: Mapping[str, View],
        progress: Progress,
    ) -> Exported:
        with self._new(JOURNAL) as out:
            found = cut(self.ledger.journal, first, last, withhold, out, progress)
            self._sync(out)
        self.files[JOURNAL] = found.journal
        _check_types(withhold, found)
        ledger = found.ledger or self.ledger.id()
        if not _LEDGER.fullmatch(ledger):
            raise damaged("the first event does not say which ledger it opens", "seq 1")
        keys = key_files(found.keys, self.left_out)
        notes = self._checkpoints(found, head, origin_of(ledger))
        for key in keys:
            self._write(key.name, key.text.encode() + b"\n")
        missing = self._objects(found)
        unknown = self._schemas(found)
        self._write(VERIFIER, script(), 0o755)
        manifest = Manifest(
            schema=SCHEMA,
            tool=f"t2c {__version__}",
            ledger=ledger,
            first=first,
            last=last,
            head=found.end.hash,
            root=found.root,
            ts=found.ts,
            files=self.files,
            withheld=found.withheld,
            missing=missing,
            projections={name: view for name, view in sorted(views.items()) if view.seq <= last},
            unknown=unknown,
            partial=last < head,
            citing=sorted(FROM_THE_START | {kind for kind, _ in found.types if kind in CITING}),
        )
        self._write(README, readme(manifest, self.folder, notes, keys).encode())
        manifest = msgspec.structs.replace(manifest, files=dict(sorted(self.files.items())))
        said = msgspec.to_builtins(manifest)
        if manifest.citing == sorted(FROM_THE_START):
            del said["citing"]
        content = _pretty(said)
        self._write(MANIFEST, content)
        covered = max((note.checkpoint.size for note in notes.values() if note.signatures), default=0)
        return Exported(
            self.folder, manifest, sha256(content).hexdigest(), tuple(self.left_out), min(covered, last)
        )

    def _checkpoints(self, found: Cut, head: int, origin: str) -> dict[str, SignedNote]:
        """Write the checkpoints of the bundle and the proofs; return the checkpoints by their files' names."""
        kept = list(beside(self.ledger.workspace / "checkpoints", self.left_out))
        notes = note_files([*found.notes, *kept], origin, found.last, found.keys, self.left_out)
        own = SignedNote.of(Checkpoint(origin, found.last, bytes.fromhex(found.root)))
        own = next((note for note in notes.values() if note.checkpoint == own.checkpoint), own)
        proof: dict[str, object] = {
            "schema": "t2c.range-proof/v1",
            "first": found.first,
            "nodes": found.nodes,
        }
        later = None
        if found.last < head:
            with (self.folder.parent / "hashes").open("x+b") as spool:
                later = onward(self.ledger.journal, found, head, origin, kept, spool)
        if later is not None:
            size = later.note.checkpoint.size
            notes[f"checkpoints/{size}-later.txt"] = later.note
            proof["consistency"] = {"size": size, "nodes": [node.hex() for node in later.path]}
        if found.first > 1 or later is not None:
            self._write(PROOF, _pretty(proof))
        for name, note in sorted(notes.items()):
            self._write(name, note.note.encode())
        self._write(CHECKPOINT, own.note.encode())
        return {**notes, CHECKPOINT: own}

    def _objects(self, found: Cut) -> list[Missing]:
        """Copy what is cited, checked; return what is not there."""
        missing: list[Missing] = []
        for digest, seq in sorted(found.objects.items()):
            if not self.ledger.objects.has(digest):
                missing.append(Missing(digest, seq, _why(found, digest)))
            else:
                self._write(object_name(digest), self.ledger.objects.get(digest))
        for digest in sorted(found.offered - found.objects.keys()):
            if self.ledger.objects.has(digest):
                self._write(object_name(digest), self.ledger.objects.get(digest))
        return missing

    def _schemas(self, found: Cut) -> list[str]:
        """Copy the schemas of the types that occur; return the types that have none."""
        unknown = []
        top = schemas.root()
        for name in ["envelope.v1", *sorted(f"{type}.v{v}" for type, v in found.types)]:
            source = top.joinpath(f"events/{name}.schema.json")
            if source.is_file():
                self._write(f"schemas/events/{name}.schema.json", source.read_bytes())
            else:
                unknown.append(name)
        return unknown

    def _write(self, name: str, content: bytes, mode: int = 0o644) -> None:
        with self._new(name, mode) as out:
            out.write(content)
            self._sync(out)
        self.files[name] = Listed(sha256(content).hexdigest(), len(content))

    def _sync(self, out: BinaryIO) -> None:
        out.flush()
        if self.durable:
            os.fsync(out.fileno())

    def _new(self, name: str, mode: int = 0o644) -> BinaryIO:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        return os.fdopen(descriptor, "wb", buffering=_BUFFER)


def _why(found: Cut, digest: str) -> str:
    """Why a cited object is missing."""
    if found.told.get(digest) in found.sealed:
        return SEALED
    event = found.gone.get(digest)
    return "not in the ledger" if event is None else f"redacted by {event}"


def _check_types(withhold: Collection[str], found: Cut) -> None:
    """A misspelt type would hand over what was to be withheld. Raises Usage."""
    here = found.met | set(CATALOGUE.types())
    for pattern in sorted(withhold):
        if not any(matches(name, (pattern,)) for name in here):
            raise Usage(
                f"no event is of the type {pattern}, so nothing can be withheld by it",
                safe="nothing was written",
                remedy="take a type from `t2c ledger types`, or record.* for all of a kind",
            )


def _pretty(value: object) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS) + b"\n"
