"""Signed checkpoints and public keys as a bundle holds them, and what is left out because no verifier would take it."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from t2c.ledger.errors import Usage
from t2c.ledger.journal.note import SignedNote, parse_checkpoint
from t2c.ledger.transfer.onward import own_keys, signed_by_own
from t2c.ledger.transfer.verifier.notes import (
    MOST_KEY,
    MOST_NOTE,
    MOST_NOTES,
    Key,
    NoteError,
    parse_key,
    read_note,
)

__all__ = ["PLAIN", "KeyFile", "beside", "key_files", "note_files", "shown"]

PLAIN: Final = re.compile(r"[A-Za-z0-9._/+=-]+")
"""What of a journal's or a checkpoint's words may stand in a page whose lines somebody runs."""
_ROOM_OF_NOTES: Final = 12 << 20
_ROOM_OF_KEYS: Final = 3 << 20
"""Bytes of all of them: together they keep below what the verifier reads."""
_SHOWN: Final = 60


class KeyFile(NamedTuple):
    """A registered key and its file in the bundle."""

    name: str
    key: Key
    text: str


def shown(text: str) -> str:
    """A foreign word for a sentence: quoted and short, nothing in it that a terminal obeys."""
    return repr(text[:_SHOWN])


def beside(folder: Path, left_out: list[str]) -> Iterator[SignedNote]:
    """The checkpoints kept in a folder. What is none is named in `left_out`."""
    for path in sorted(folder.glob("*.txt")) if folder.is_dir() else ():
        label = path.name if PLAIN.fullmatch(path.name) else shown(path.name)
        try:
            # Without O_NONBLOCK a pipe would be waited for.
            descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            with os.fdopen(descriptor, "rb") as stream:
                if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                    left_out.append(f"checkpoints/{label}: it is no plain file")
                    continue
                content = stream.read(MOST_NOTE + 1)
            if len(content) > MOST_NOTE:
                left_out.append(f"checkpoints/{label}: it is longer than {MOST_NOTE:,} bytes")
                continue
            yield parse_checkpoint(content)
        except Usage as error:
            left_out.append(f"checkpoints/{label}: {error.what}")
        except OSError as error:
            left_out.append(f"checkpoints/{label}: {error.strerror}")


def note_files(
    notes: Iterable[SignedNote], origin: str, last: int, keys: Iterable[str], left_out: list[str]
) -> dict[str, SignedNote]:
    """The signed checkpoints of this ledger up to event `last` by the names of their files, the newest first.

    No two have one name. One that no registered key signed, or that bears a signature in the name of one which
    does not fit, is left out: it says nothing, and a bundle that held it would be called faulty.
    """
    known = own_keys(keys, origin)
    found: dict[str, SignedNote] = {}
    room, full, later = _ROOM_OF_NOTES, 0, 0
    signed = {note.note: note for note in notes if note.signatures}
    for text, note in sorted(signed.items(), key=lambda item: (-item[1].checkpoint.size, item[0])):
        size, named = note.checkpoint.size, note.checkpoint.origin
        content = text.encode()
        if named != origin:
            left_out.append(
                f"a checkpoint of {named if PLAIN.fullmatch(named) else shown(named)}, another log"
            )
        elif size > last:
            later += 1
        elif not signed_by_own(note, origin, known):
            left_out.append(f"a checkpoint of {size} events that no key registered up to there signed")
        elif not _readable(content):
            left_out.append(f"a checkpoint of {size} events that verifiers do not read")
        elif len(found) >= MOST_NOTES - 2 or len(content) > room:
            full += 1
        else:
            room -= len(content)
            found[_free(f"checkpoints/{size}-{sha256(content).hexdigest()[:8]}", ".txt", found)] = note
    if later:
        checkpoints = "a checkpoint" if later == 1 else f"{later:,} checkpoints"
        left_out.append(f"{checkpoints} of more events than the range ends with")
    if full:
        left_out.append(f"{full:,} older checkpoints: a bundle holds no more of them")
    return found


def _readable(content: bytes) -> bool:
    try:
        read_note(content)
    except NoteError:
        return False
    return len(content) <= MOST_NOTE


def key_files(texts: Iterable[str], left_out: list[str]) -> list[KeyFile]:
    """The registered keys, each once, with the names of their files, of which no two are alike."""
    found: dict[str, KeyFile] = {}
    known: set[tuple[str, bytes]] = set()
    room, full = _ROOM_OF_KEYS, 0
    for text in sorted({text.strip() for text in texts}):
        try:
            key = parse_key(text)
            if len(text.encode()) >= MOST_KEY:
                raise NoteError("it is too long")
        except (NoteError, UnicodeError) as error:
            left_out.append(f"a registered key, {shown(text)}: {error}")
            continue
        if (key.name, key.public) in known:
            continue
        if len(found) >= MOST_NOTES or len(text.encode()) > room:
            full += 1
            continue
        room -= len(text.encode()) + 1
        known.add((key.name, key.public))
        if not PLAIN.fullmatch(key.name):
            left_out.append(f"the name of key {key.id} in README.md: {shown(key.name)} is no plain name")
        name = _free(f"keys/{key.id}", ".vkey", found)
        found[name] = KeyFile(name, key, text)
    if full:
        left_out.append(f"{full:,} registered keys: a bundle holds no more of them")
    return list(found.values())


def _free(stem: str, suffix: str, taken: Iterable[str]) -> str:
    """A name that is not taken: that of the stem, or the first free number behind it."""
    name, number = stem + suffix, 1
    while name in taken:
        number += 1
        name = f"{stem}-{number}{suffix}"
    return name
