"""Claims: the state folder follows XDG_STATE_HOME, and what is no absolute path counts as not set."""

from __future__ import annotations

from pathlib import Path

import pytest

from t2c.cli.actions.state import state_dir
from t2c.ledger.errors import Environment


@pytest.mark.parametrize(
    ("environ", "found"),
    [
        ({"XDG_STATE_HOME": "/s", "HOME": "/h"}, "/s/t2c"),
        ({"XDG_STATE_HOME": "", "HOME": "/h"}, "/h/.local/state/t2c"),
        ({"XDG_STATE_HOME": "relative", "HOME": "/h"}, "/h/.local/state/t2c"),
        ({"HOME": "/h"}, "/h/.local/state/t2c"),
    ],
)
def test_where_it_is(environ: dict[str, str], found: str) -> None:
    assert state_dir(environ) == Path(found)


@pytest.mark.parametrize("environ", [{}, {"HOME": ""}, {"HOME": "h", "XDG_STATE_HOME": "s"}])
def test_nowhere_is_said(environ: dict[str, str]) -> None:
    with pytest.raises(Environment, match="XDG_STATE_HOME"):
        state_dir(environ)
