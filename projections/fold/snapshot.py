"""A folded state on disk: msgpack frames with a checksum, in bounded memory, believed only where it fits.

Layout: frames of a four-byte length and that many bytes; the first is the header, each further one a field
of the state or a piece of a mapping in it; a length of zero ends them, and the CRC-32 of all before follows.
It is a cache: anything unreadable, damaged or foreign counts as not being there, and nothing is synced.
"""

from __future__ import annotations

import os
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, get_type_hints

import msgspec

from t2c.ledger.journal.position import Position
from t2c.projections.base import Projection

__all__ = ["Fault", "Snapshot", "load", "path_of", "save"]

_PIECE: Final = 1024
_LENGTH: Final = 4
_END: Final = bytes(_LENGTH)


class Fault(NamedTuple):
    """An event that a projection could not use, and why."""

    seq: int
    detail: str


class Snapshot(msgspec.Struct, kw_only=True):
    """What is known after event `seq`: everything beside the state that a cold fold would know too.

    `faults` are the first ones and `fault_count` all of this projection's; `unknown`, `withheld` and `foreign` count
    events of the whole journal up to here.
    """

    name: str
    version: int
    seq: int
    head: str
    offset: int
    ts: str
    faults: list[Fault]
    fault_count: int
    unknown: dict[str, int]
    withheld: dict[str, int]
    foreign: dict[str, int]

    @property
    def position(self) -> Position:
        return Position(self.seq, self.head, self.offset)


def path_of(cache: Path, projection: Projection[Any]) -> Path:
    """Where the snapshot of this projection and version is kept."""
    return cache / f"{projection.name}.v{projection.version}.msgpack"


def save(cache: Path, projection: Projection[Any], header: Snapshot, state: msgspec.Struct) -> bool:
    """Put a snapshot in the place of the former one. False if the folder cannot be written to."""
    path = path_of(cache, projection)
    temporary: str | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(prefix=".", dir=path.parent)
        with os.fdopen(descriptor, "wb") as stream:
            _write(stream, header, state)
        Path(temporary).replace(path)
    except OSError:
        if temporary is not None:
            with suppress(OSError):
                Path(temporary).unlink()
        return False
    return True


def load(
    cache: Path, projection: Projection[Any], trusted: Callable[[Position], bool]
) -> tuple[Snapshot, Any] | None:
    """The snapshot of this projection and version, if it is whole and `trusted` accepts its position."""
    try:
        with path_of(cache, projection).open("rb") as stream:
            return _read(stream, projection, trusted)
    except (OSError, ValueError, KeyError, msgspec.MsgspecError, RecursionError):
        return None


def _write(stream: BinaryIO, header: Snapshot, state: msgspec.Struct) -> None:
    checksum = 0
    for frame in _frames(header, state):
        framed = len(frame).to_bytes(_LENGTH) + frame
        checksum = zlib.crc32(framed, checksum)
        stream.write(framed)
    stream.write(_END + zlib.crc32(_END, checksum).to_bytes(_LENGTH))


def _frames(header: Snapshot, state: msgspec.Struct) -> Iterator[bytes]:
    encode = msgspec.msgpack.Encoder().encode
    yield encode(header)
    for field in msgspec.structs.fields(state):
        value = getattr(state, field.name)
        if isinstance(value, dict):
            items = iter(value.items())
            while piece := dict(islice(items, _PIECE)):
                yield encode((field.name, piece))
        else:
            yield encode((field.name, value))


def _read(
    stream: BinaryIO, projection: Projection[Any], trusted: Callable[[Position], bool]
) -> tuple[Snapshot, Any] | None:
    frames = _checked(stream)
    header = msgspec.msgpack.decode(next(frames, b""), type=Snapshot)
    if (header.name, header.version) != (projection.name, projection.version) or not trusted(header.position):
        return None
    state = projection.start()
    hints = get_type_hints(projection.state_type)
    decoders = {name: msgspec.msgpack.Decoder(hint) for name, hint in hints.items()}
    framed = msgspec.msgpack.Decoder(tuple[str, msgspec.Raw])
    for frame in frames:
        name, content = framed.decode(frame)
        value = decoders[name].decode(content)
        if isinstance(value, dict):
            getattr(state, name).update(value)
        else:
            setattr(state, name, value)
    return header, state


def _checked(stream: BinaryIO) -> Iterator[bytes]:
    """The frames of a file; raises ValueError at its end unless it is whole and its checksum right."""
    size = os.fstat(stream.fileno()).st_size
    checksum = 0
    while True:
        prefix = stream.read(_LENGTH)
        checksum = zlib.crc32(prefix, checksum)
        length = int.from_bytes(prefix)
        if length == 0:
            break
        if length > size:
            raise ValueError("a frame is longer than the file")
        frame = stream.read(length)
        checksum = zlib.crc32(frame, checksum)
        yield frame
    if prefix != _END or stream.read() != checksum.to_bytes(_LENGTH):
        raise ValueError("not whole")
