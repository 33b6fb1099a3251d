"""What a file held before a patch, worked out of the patch itself where the kept copy is not there."""

from __future__ import annotations

import re
from typing import Final

from t2c.ledger.apply.patches import parse_patch, patched
from t2c.ledger.changes.known import Patch
from t2c.ledger.errors import T2cError

__all__ = ["backward", "reversed_patch"]

_HUNK: Final = re.compile(r"@@ -([0-9]+(?:,[0-9]+)?) \+([0-9]+(?:,[0-9]+)?) @@(.*)", re.DOTALL)
_TURNED: Final = {"+": "-", "-": "+"}


def reversed_patch(now: bytes | None, patch: Patch | None, path: str) -> bytes | None:
    """The content before the patch, None where it does not follow from it. Whoever asks compares its SHA-256."""
    edit = None
    if patch is not None:
        edit = next((one for one in patch.artifact["edits"] if one["path"] == path), None)
    if edit is None or edit["unifiedDiff"] is None:
        return None
    try:
        (turned,) = parse_patch(backward(edit["unifiedDiff"]), path)
        return patched(now, turned)
    except (T2cError, ValueError):
        return None


def backward(diff: str) -> str:
    """A diff of one file turned around; what Git says before it is left out."""
    heads: list[str] = []
    body: list[str] = []
    for row in diff.split("\n"):
        hunk = _HUNK.fullmatch(row)
        if hunk is not None:
            body.append(f"@@ -{hunk[2]} +{hunk[1]} @@{hunk[3]}")
        elif body:
            body.append(_TURNED.get(row[:1], row[:1]) + row[1:])
        elif row.startswith(("--- ", "+++ ")):
            heads.append(row[4:])
    if len(heads) != 2:
        return ""
    old, new = (re.sub(r"^[ab]/", "", head) for head in heads)
    told = [f"--- {_named(new, 'a')}", f"+++ {_named(old, 'b')}"]
    return "\n".join([*told, *_deletions_first(body)])


def _named(head: str, prefix: str) -> str:
    return head if head.startswith(("/dev/null", '"')) else f"{prefix}/{head}"


def _deletions_first(rows: list[str]) -> list[str]:
    """Within a run of changes, what is removed stands before what is added, each with its missing final newline."""
    found: list[str] = []
    removed: list[str] = []
    added: list[str] = []
    last: list[str] | None = None
    for row in rows:
        if row.startswith("\\") and last is not None:
            last.append(row)
        elif row[:1] in ("-", "+"):
            last = removed if row[0] == "-" else added
            last.append(row)
        else:
            found += removed + added
            removed, added, last = [], [], None
            found.append(row)
            last = found
    return found + removed + added
