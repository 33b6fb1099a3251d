"""What of a test everybody can read already, in the files of a work tree: lines that it shares with them, and copies."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from t2c.ledger.answers.showing import bare, telling_lines, telling_runs
from t2c.ledger.intake.base import Progress, no_progress

__all__ = ["Readable", "readable", "readable_paths"]

_LARGEST_READ: Final = 1 << 20
_ENOUGH_FOR_A_COPY: Final = 3


class Readable(NamedTuple):
    """What of a test stands where everybody may read: `lines` that it shares with other files, `copies` of it."""

    lines: tuple[int, ...]
    copies: tuple[str, ...]


def readable(tree: Path, bodies: Sequence[bytes], progress: Progress = no_progress) -> list[Readable]:
    """What of each body stands in the readable files of a tree.

    A file that holds most of the lines of a body is a copy of it and excuses none of them.
    """
    from t2c.ledger.intake.inventory import take_inventory

    lines = [dict(telling_lines(body)) for body in bodies]
    runs = [dict(telling_runs(body)) for body in bodies]
    wanted = {line for found in lines for line in found.values()}
    wanted_runs = {run for found in runs for run in found.values()}
    whole = {body: index for index, body in enumerate(bodies)}
    common: list[set[int]] = [set() for _ in bodies]
    copies: list[list[str]] = [[] for _ in bodies]
    inventory = take_inventory(tree)
    for number, entry in enumerate(inventory):
        progress("read", number, len(inventory))
        if entry.size > _LARGEST_READ:
            continue
        content = inventory.content(entry.path)
        if content is None:
            continue
        if (same := whole.get(content)) is not None:
            copies[same].append(entry.path)
            continue
        here = wanted.intersection(map(bare, content.decode("utf-8", "replace").splitlines()))
        here_too = wanted_runs.intersection(run for _, run in telling_runs(content)) if wanted_runs else set()
        for index, found in enumerate(lines):
            if not here and not here_too:
                break
            together = {at for at, run in runs[index].items() if run in here_too}
            shared = {at for at, line in found.items() if line in here}
            if len(shared) >= _ENOUGH_FOR_A_COPY and 2 * len(shared) > len(found):
                copies[index].append(entry.path)
            else:
                common[index] |= shared | together
    return [
        Readable(tuple(sorted(shared)), tuple(found)) for shared, found in zip(common, copies, strict=True)
    ]


def readable_paths(tree: Path) -> tuple[str, ...]:
    """The paths of the readable files of a tree."""
    from t2c.ledger.intake.inventory import take_inventory

    return tuple(entry.path for entry in take_inventory(tree))
