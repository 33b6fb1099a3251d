"""The client that settings make: what contradicts itself is told before anything is sent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from t2c.cli.actions.context import Context
from t2c.cli.actions.model import asker_of
from t2c.cli.settings import load
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Usage
from t2c.ledger.kernel.clock import SystemClock


def asks(ledger: Ledger, root: Path, **given: str) -> None:
    options: dict[str, Any] = {"llm.mode": "record", **{f"llm.{name}": text for name, text in given.items()}}
    settings = load(root, {"T2C_LLM_BASE_URL": "http://127.0.0.1:9/v1"}, options)
    with asker_of(Context(root, root, settings, SystemClock(), lambda *_: None), ledger, root / "state"):
        pass


def test_half_a_price_is_told_and_not_passed_over(ledger: Ledger, tmp_path: Path) -> None:
    asks(ledger, tmp_path)
    asks(ledger, tmp_path, price_prompt="0.5", price_completion="1.5")
    with pytest.raises(Usage, match=r"llm\.price_completion is not set"):
        asks(ledger, tmp_path, price_prompt="0.5")
    with pytest.raises(Usage, match=r"llm\.price_prompt is not set"):
        asks(ledger, tmp_path, price_completion="1.5")
