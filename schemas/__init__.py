"""The published contracts: JSON Schemas generated from the types, shipped with the package.

`t2c schemas write` makes the files, `t2c schemas check` compares them with the types; nothing here
imports anything else of ours.
"""

from importlib.resources import files
from importlib.resources.abc import Traversable

import orjson

__all__ = ["load", "root"]


def root() -> Traversable:
    """The folder that holds `index.json`, `events/`, `artifacts/` and `answers/`, in a checkout or an install."""
    return files(__name__)


def load(path: str) -> dict[str, object]:
    """One schema by its path in `index.json`, for example `events/record.observed.v1.schema.json`.

    Raises FileNotFoundError if there is no such schema.
    """
    loaded: dict[str, object] = orjson.loads(root().joinpath(path).read_bytes())
    return loaded
