"""The user's state folder: private keys, and the last checkpoint of each ledger that this user signed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from t2c.ledger.errors import Environment

__all__ = ["state_dir"]


def state_dir(environ: Mapping[str, str]) -> Path:
    """`$XDG_STATE_HOME/t2c`, by default `~/.local/state/t2c`. It need not exist.

    An empty or relative value is as if it were not set. Raises Environment if there is no home folder either.
    """
    for variable, below in (("XDG_STATE_HOME", "t2c"), ("HOME", ".local/state/t2c")):
        base = Path(environ.get(variable, ""))
        if base.is_absolute():
            return base / below
    raise Environment(
        "there is no folder for what only you may read: neither XDG_STATE_HOME nor HOME names one",
        remedy="set XDG_STATE_HOME to an absolute path",
    )
