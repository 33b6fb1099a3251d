"""The files of a bundle, from a folder or a .tar.gz, in the byte order of their names; nothing is unpacked.

Only plain files with plain relative names are read. An archive is read as a stream, so that whatever it claims,
no more than a block of it is held.
"""

from __future__ import annotations

import gzip
import os
import re
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

__all__ = ["MOST_BYTES", "Reader", "Unreadable", "files", "pieces", "whole"]

MOST_BYTES = 64 << 30
"""Bytes that an archive may unpack to before it is taken for a bomb."""
_MOST_FILES = 4_000_000
_CHUNK = 1 << 18
_FAILURES = (OSError, EOFError, zlib.error)
_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}(?:/[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}){0,7}\Z")


class Unreadable(Exception):
    """A bundle that cannot be read as one: why, in a sentence."""


class Reader(Protocol):
    """What gives the bytes of one file."""

    def read(self, size: int, /) -> bytes:
        """Up to `size` bytes, none at the end."""
        ...


def files(bundle: Path, most: int = MOST_BYTES) -> Iterator[tuple[str, int, Reader]]:
    """(name, bytes, reader) of each file; a reader serves until the next file is asked for. Raises Unreadable."""
    try:
        kind = bundle.stat().st_mode
        if stat.S_ISDIR(kind):
            yield from _folder(bundle)
        elif stat.S_ISREG(kind):
            with gzip.open(bundle, "rb") as stream:
                yield from _archive(stream, most)
        else:
            raise Unreadable("it is neither a folder nor a file")
    except _FAILURES as error:
        raise _unreadable(error) from None


def pieces(reader: Reader) -> Iterator[bytes]:
    """The bytes of a file, piece by piece. Raises Unreadable."""
    while True:
        try:
            piece = reader.read(_CHUNK)
        except _FAILURES as error:
            raise _unreadable(error) from None
        if not piece:
            return
        yield piece


def whole(reader: Reader, size: int, most: int) -> bytes | None:
    """All bytes of a file that says that it holds `size`; None if they are more than `most`. Raises Unreadable."""
    if size > most:
        return None
    found = bytearray()
    for piece in pieces(reader):
        found += piece
        if len(found) > most:
            return None
    return bytes(found)


def _unreadable(error: Exception) -> Unreadable:
    if isinstance(error, FileNotFoundError):
        return Unreadable("there is no such file or folder")
    if isinstance(error, EOFError):
        return Unreadable("the archive is cut off")
    if isinstance(error, OSError) and error.strerror:
        return Unreadable(error.strerror)
    return Unreadable(f"the archive is damaged: {error}")


def _folder(top: Path) -> Iterator[tuple[str, int, Reader]]:
    found: list[str] = []
    folders = [""]
    while folders:
        folder = folders.pop()
        with os.scandir(top / folder) as entries:
            for entry in entries:
                name = folder + entry.name
                if entry.is_dir(follow_symlinks=False):
                    _check_name(name)
                    folders.append(name + "/")
                elif entry.is_file(follow_symlinks=False):
                    found.append(name)
                else:
                    raise Unreadable(f"{name!r} is no plain file: links and devices are not followed")
        if len(found) > _MOST_FILES:
            raise Unreadable(f"it holds more than {_MOST_FILES:,} files")
    for name in sorted(found):
        _check_name(name)
        # Without O_NONBLOCK a pipe put in the file's place meanwhile would be waited for.
        fd = os.open(top / name, os.O_RDONLY | os.O_NONBLOCK | getattr(os, "O_NOFOLLOW", 0))
        with os.fdopen(fd, "rb", buffering=0) as stream:
            state = os.fstat(fd)
            if not stat.S_ISREG(state.st_mode):
                raise Unreadable(f"{name!r} is no plain file: links and devices are not followed")
            yield name, state.st_size, stream


class _Member:
    """The bytes of one file inside an archive."""

    def __init__(self, stream: Reader, size: int) -> None:
        self._stream = stream
        self.left = size

    def read(self, size: int, /) -> bytes:
        piece = self._stream.read(min(size, self.left))
        if not piece and min(size, self.left):
            raise EOFError
        self.left -= len(piece)
        return piece


def _archive(stream: Reader, most: int) -> Iterator[tuple[str, int, Reader]]:
    """The plain files of a POSIX ustar archive whose names ascend, which no name does twice."""
    before, total = "", 0
    while True:
        header = stream.read(512)
        if len(header) < 512:
            raise EOFError
        if not header.strip(b"\0"):
            if stream.read(512).strip(b"\0"):
                raise Unreadable("something stands after the end of the archive")
            break
        name, size = _member(header)
        if name <= before:
            raise Unreadable(f"{name!r} stands twice or out of order in the archive")
        before, total = name, total + size
        if total > most:
            raise Unreadable(f"it unpacks to more than {most:,} bytes")
        member = _Member(stream, size)
        yield name, size, member
        rest = member.left + -size % 512
        while rest:
            skipped = len(stream.read(min(rest, _CHUNK)))
            if not skipped:
                raise EOFError
            rest -= skipped
    rest = 0
    while piece := stream.read(_CHUNK):
        rest += len(piece)
        if piece.strip(b"\0") or rest > 1 << 20:
            raise Unreadable("something stands after the end of the archive")


def _member(header: bytes) -> tuple[str, int]:
    try:
        written, size = _octal(header[148:156]), _octal(header[124:136])
        name = header[:100].rstrip(b"\0").decode("ascii")
    except ValueError:
        raise Unreadable("it is no archive of the kind that bundles are") from None
    if sum(header[:148]) + 8 * 32 + sum(header[156:]) != written or header[257:262] != b"ustar":
        raise Unreadable("it is no archive of the kind that bundles are")
    if header[156:157] not in (b"0", b"\0") or header[345:500].strip(b"\0"):
        raise Unreadable(
            f"{name!r} is no plain file: links, folders and devices are not read from an archive"
        )
    _check_name(name)
    return name, size


def _octal(field: bytes) -> int:
    digits = field.strip(b" \0")
    if not digits.isdigit():
        raise ValueError
    return int(digits, 8)


def _check_name(name: str) -> None:
    if not _NAME.match(name):
        raise Unreadable(f"{name!r} is not a name that a bundle may hold")
