"""TODO patches as the journal holds them: found by hash, their text proven before it is shown or applied."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final, NamedTuple

from t2c.ledger.changes.known import patch_rows
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Corrupt, Usage
from t2c.ledger.kernel.shown import not_shown

__all__ = ["TodoPatch", "todo_patch_named", "todo_patches"]

_SHORTEST: Final = 8
"""Digits of a hash that are enough to name a patch by."""


class TodoPatch(NamedTuple):
    """A rendered TODO patch: `hash` is the SHA-256 of its Markdown, `artifact` the published shape without its time."""

    event: str
    seq: int
    ts: str
    hash: str
    artifact: Mapping[str, Any]
    proposed_by: tuple[str, ...]

    def text(self, ledger: Ledger) -> bytes:
        """The Markdown that is approved and appended. Raises Corrupt where it is not the one that was rendered."""
        found = ledger.objects.get(self.hash)
        if (
            sha256(found).hexdigest() != self.hash
            or self.artifact.get("renderedPatchHash") != self.hash
            or not_shown("todo", self.artifact, found) is not None
        ):
            raise Corrupt(
                f"the text of TODO patch {self.hash[:12]} is not the one that was rendered",
                where=f"seq {self.seq}",
                safe="nothing was changed",
                remedy="run `t2c ledger verify --level domain`, and render it again",
            )
        return found


def todo_patches(ledger: Ledger) -> list[TodoPatch]:
    """All TODO patches of this ledger in order; nothing of them is proven yet."""
    return [
        TodoPatch(entry.id, entry.seq, entry.ts, data["hash"], data["artifact"], tuple(data["proposed_by"]))
        for entry, data in patch_rows(ledger, "todo")
    ]


def todo_patch_named(ledger: Ledger, name: str | None) -> TodoPatch:
    """The patch with this hash or its first digits, the one rendered last without a name. Raises Usage for none."""
    patches = todo_patches(ledger)
    if not patches:
        raise Usage(
            "there is no TODO patch", safe="nothing was changed", remedy="render one: t2c todo render"
        )
    if name is None:
        return patches[-1]
    text = name.strip().lower()
    found = {one.hash: one for one in patches if len(text) >= _SHORTEST and one.hash.startswith(text)}
    if len(found) == 1:
        return next(iter(found.values()))
    raise Usage(
        f"several TODO patches begin with {name}" if found else f"there is no TODO patch {name!r}",
        safe="nothing was changed",
        remedy=f"the one rendered last is {patches[-1].hash}",
    )
