"""Checkpoints in files: those beside the journal, and the last one that this user signed, in the state folder.

.t2c/checkpoints/<size, 12 digits>-<8 hex of the root>.txt    goes with the journal, so it shows accidents only
<state>/anchors/<ledger id>-<8 hex of the workspace>.txt       stays when the journal is replaced
"""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

from t2c.ledger.anchors.base import Anchor
from t2c.ledger.anchors.found import Found, Remark
from t2c.ledger.anchors.keyring import private_folder
from t2c.ledger.errors import Environment, Usage
from t2c.ledger.journal.files import make_folder, read_regular, write_atomically
from t2c.ledger.journal.note import MAX_NOTE, Checkpoint, SignedNote, parse_checkpoint

__all__ = ["beside", "checkpoint_file", "keep_beside", "keep_local", "local", "read_note"]


def checkpoint_file(folder: Path, checkpoint: Checkpoint) -> Path:
    """Where a checkpoint is kept in the folder of checkpoints: two branches may each have one of the same size."""
    return folder / f"{checkpoint.size:012d}-{checkpoint.root.hex()[:8]}.txt"


def read_note(path: Path) -> SignedNote:
    """The checkpoint in a file. Raises Usage if it is none, OSError if it cannot be read or is no plain file."""
    return parse_checkpoint(read_regular(path, MAX_NOTE + 1), path.name)


def beside(folder: Path, ledger: str) -> Found:
    """The checkpoints of a ledger in the folder beside its journal, the smallest first."""
    anchors: list[Anchor] = []
    remarks: list[Remark] = []
    others: list[str] = []
    for path in sorted(folder.glob("*.txt")) if folder.is_dir() else ():
        try:
            note = read_note(path)
        except Usage as error:
            remarks.append(Remark("unreadable", 1, f"checkpoints/{path.name}: {error.what}"))
        except OSError as error:
            remarks.append(Remark("unreadable", 1, f"checkpoints/{path.name}: {error.strerror}"))
        else:
            if note.checkpoint.ledger == ledger:
                anchors.append(
                    Anchor(f"checkpoints/{path.name}", note.checkpoint, note.note, "beside", str(path))
                )
            else:
                others.append(path.name)
    if others:
        detail = f"checkpoints/{others[0]} is of another ledger"
        remarks.append(Remark("other_ledger", len(others), detail))
    return Found(tuple(sorted(anchors, key=lambda anchor: anchor.checkpoint.size)), tuple(remarks))


def local(state: Path, ledger: str, workspace: Path) -> Found:
    """The last checkpoint of a ledger that this user signed in this workspace.

    Another clone or work tree of the ledger has one of its own: it may stand on another branch.

    Raises Environment if it cannot be read, Usage if it is no checkpoint of this ledger: then something else than
    t2c wrote it.
    """
    path = _local(state, ledger, workspace)
    try:
        note = read_note(path)
    except FileNotFoundError:
        return Found(
            (), (Remark("none", 1, "no checkpoint of this ledger was signed in this workspace by this user"),)
        )
    except OSError as error:
        raise Environment(
            f"the local anchor cannot be read: {error.strerror}",
            where=str(path),
            remedy="put the file back that t2c wrote, or make it readable",
        ) from error
    if note.checkpoint.ledger != ledger:
        raise Usage(
            f"the local anchor is of another ledger: {note.checkpoint.origin}",
            where=str(path),
            remedy="put the file back that t2c wrote",
        )
    return Found(
        (Anchor(f"the local anchor {path.name}", note.checkpoint, note.note, "local", str(path)),), ()
    )


def keep_beside(folder: Path, note: SignedNote) -> Path:
    """Keep a checkpoint beside the journal; the same again changes nothing. Raises Environment."""
    path = checkpoint_file(folder, note.checkpoint)
    content = note.note.encode()
    try:
        make_folder(folder)
        if not path.is_file() or read_regular(path, len(content) + 1) != content:
            write_atomically(path, content)
    except OSError as error:
        raise _not_kept(path, error) from error
    return path


def keep_local(state: Path, note: SignedNote, workspace: Path) -> Path:
    """Keep the last checkpoint of its ledger in a workspace in the state folder. Raises Environment."""
    path = _local(state, note.checkpoint.ledger or "", workspace)
    try:
        private_folder(path.parent)
        write_atomically(path, note.note.encode(), mode=0o600)
    except OSError as error:
        raise _not_kept(path, error) from error
    return path


def _local(state: Path, ledger: str, workspace: Path) -> Path:
    place = sha256(os.fsencode(workspace.resolve())).hexdigest()[:8]
    return state / "anchors" / f"{ledger}-{place}.txt"


def _not_kept(path: Path, error: OSError) -> Environment:
    return Environment(
        f"the checkpoint cannot be kept: {error.strerror}",
        where=str(path),
        safe="the journal, in which it is recorded",
        remedy="make room or the folder writable, then run `t2c ledger checkpoint --sign` again",
    )
