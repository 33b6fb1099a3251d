"""How the files of an apply without an outcome stand: told from hashes, before anything is decided about them."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from typing import Literal, NamedTuple

from t2c.ledger.apply.base import digest
from t2c.ledger.apply.files import octal
from t2c.ledger.apply.history import FileTold
from t2c.ledger.apply.places import Place, Tree, place_of, refuse_reserved
from t2c.ledger.errors import T2cError

__all__ = ["Stand", "Stood", "mode_of", "place_of_told", "stood", "verdict"]

Stand = Literal["before", "after", "other"]


def place_of_told(path: str) -> Place:
    """The place of a path that an announcement tells. Raises Refused for one outside the root or reserved."""
    place = place_of(path)
    refuse_reserved(place)
    return place


class Stood(NamedTuple):
    """How a file stood when its content was hashed. `error` is why that could not be."""

    stand: Stand
    status: os.stat_result | None
    error: T2cError | None = None


def stood(tree: Tree, file: FileTold) -> Stood:
    """How a file stands. Permissions count only where the content does not tell."""
    try:
        seen = tree.look(place_of_told(file.path))
    except T2cError as error:
        return Stood("other", None, error)
    now = None if seen is None else digest(seen.content)
    status = None if seen is None else seen.status
    mode = mode_of(status)
    if file.before == file.after and now == file.after and file.before_mode != file.after_mode:
        stands: dict[str | None, Stand] = {file.before_mode: "before", file.after_mode: "after"}
        return Stood(stands.get(mode, "other"), status)
    if now == file.after:
        return Stood("after", status)
    return Stood("before" if now == file.before else "other", status)


def mode_of(status: os.stat_result | None) -> str | None:
    """Permissions as events write them, None of no file."""
    return None if status is None else octal(stat.S_IMODE(status.st_mode))


def verdict(stands: Sequence[Stand]) -> Literal["before", "after", "mixed", "undecided"]:
    """What the stands of all files say together."""
    kinds = set(stands)
    if "other" in kinds:
        return "undecided"
    if len(kinds) == 2:
        return "mixed"
    return "after" if kinds == {"after"} else "before"
