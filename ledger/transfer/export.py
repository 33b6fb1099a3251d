"""Export: a range of a ledger as a bundle that whoever gets it can check without trusting its sender.

Only the destination is written, and it appears as a whole or not at all. The same range of the same ledger gives
the same bytes: nothing in a bundle comes from the clock, the machine or the place it was made in (journal-engine §7).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping
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
from t2c.ledger.journal.note import Checkpoint, SignedNote, origin_of, parse_checkpoint
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
from t2c.ledger.transfer.readme import readme
from t2c.ledger.transfer.staging import place, staged
from t2c.ledger.transfer.verifier import script
from t2c.ledger.transfer.verifier.notes import NoteError, parse_key

__all__ = ["ARCHIVE_SUFFIX", "Exported", "export"]

ARCHIVE_SUFFIX: Final = ".tar.gz"
_BUFFER: Final = 1 << 20

Progress = Callable[[int, int], None]


class Exported(NamedTuple):
    """A bundle that was made. `sha256`, that of its manifest, is its identity; `left_out` says what is not in it."""

    path: Path
    manifest: Manifest
    sha256: str
    left_out: tuple[str, ...]


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
        making = _Making(ledger, folder)
        made = making.make(first, last, withhold, views or {}, progress)
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
    """The files of one bundle as they are written."""

    def __init__(self, ledger: Ledger, folder: Path) -> None:
        self.ledger = ledger
        self.folder = folder
        self.files: dict[str, Listed] = {}
        self.left_out: list[str] = []

    def make(
        self, first: int, last: int, withhold: Collection[str], views: Mapping[str, View], progress: Progress
    ) -> Exported:
        with self._new(JOURNAL) as out:
            found = cut(self.ledger.journal, first, last, withhold, out, progress)
            _sync(out)
        self.files[JOURNAL] = found.journal
        _check_types(withhold, found)
        if first > 1:
            self._write(
                PROOF, _pretty({"schema": "t2c.range-proof/v1", "first": first, "nodes": found.nodes})
            )
        checkpoint = self._checkpoints(found)
        self._keys(found)
        missing = self._objects(found)
        unknown = self._schemas(found)
        self._write(VERIFIER, script(), 0o755)
        manifest = Manifest(
            schema=SCHEMA,
            tool=f"t2c {__version__}",
            ledger=found.ledger or self.ledger.id(),
            first=first,
            last=last,
            head=found.head,
            root=found.root,
            ts=found.ts,
            files=self.files,
            withheld=found.withheld,
            missing=missing,
            projections={name: view for name, view in sorted(views.items()) if view.seq <= last},
            unknown=unknown,
        )
        self._write(README, readme(manifest, self.folder, checkpoint).encode())
        manifest = msgspec.structs.replace(manifest, files=dict(sorted(self.files.items())))
        content = _pretty(msgspec.to_builtins(manifest))
        self._write(MANIFEST, content)
        return Exported(self.folder, manifest, sha256(content).hexdigest(), tuple(self.left_out))

    def _checkpoints(self, found: Cut) -> SignedNote:
        """Write the kept signed checkpoints and the one of the last event; return that one."""
        ledger = found.ledger or self.ledger.id()
        origin = origin_of(ledger)
        kept = {note.note: note for note in [*found.notes, *self._kept()] if note.signatures}
        own = SignedNote.of(Checkpoint(origin, found.last, bytes.fromhex(found.root)))
        for text, note in sorted(kept.items(), key=lambda item: (item[1].checkpoint.size, item[0])):
            size = note.checkpoint.size
            if note.checkpoint.origin != origin:
                self.left_out.append(f"a checkpoint of {note.checkpoint.origin[:60]}, another log")
            elif size > found.last:
                self.left_out.append(f"a checkpoint of {size} events, which end after the range")
            else:
                self._write(f"checkpoints/{size}-{sha256(text.encode()).hexdigest()[:8]}.txt", text.encode())
                if note.checkpoint == own.checkpoint and not own.signatures:
                    own = note
        self._write(CHECKPOINT, own.note.encode())
        return own

    def _kept(self) -> Iterator[SignedNote]:
        """The checkpoints kept beside the journal."""
        folder = self.ledger.workspace / "checkpoints"
        for path in sorted(folder.glob("*.txt")) if folder.is_dir() else ():
            try:
                yield parse_checkpoint(path.read_bytes())
            except Usage as error:
                self.left_out.append(f"checkpoints/{path.name}: {error.what}")
            except OSError as error:
                self.left_out.append(f"checkpoints/{path.name}: {error.strerror}")

    def _keys(self, found: Cut) -> None:
        for text in sorted(set(found.keys)):
            try:
                key = parse_key(text)
            except NoteError as error:
                self.left_out.append(f"a registered key, {text[:60]!r}: {error}")
                continue
            self._write(f"keys/{key.id}.vkey", text.strip().encode() + b"\n")

    def _objects(self, found: Cut) -> list[Missing]:
        """Copy what is cited, checked; return what is not there."""
        missing: list[Missing] = []
        for digest, seq in sorted(found.objects.items()):
            if not self.ledger.objects.has(digest):
                event = found.gone.get(digest)
                reason = "not in the ledger" if event is None else f"redacted by {event}"
                missing.append(Missing(digest, seq, reason))
            else:
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
            _sync(out)
        self.files[name] = Listed(sha256(content).hexdigest(), len(content))

    def _new(self, name: str, mode: int = 0o644) -> BinaryIO:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        return os.fdopen(descriptor, "wb", buffering=_BUFFER)


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


def _sync(out: BinaryIO) -> None:
    out.flush()
    os.fsync(out.fileno())


def _pretty(value: object) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS) + b"\n"
