"""Claim: what help and completion name as kinds of source is what a scan reads."""

from __future__ import annotations

from t2c.cli.sections import ScanSettings
from t2c.ledger.intake.kinds import KINDS
from t2c.ledger.intake.registry import file_extractors


def test_the_kinds_are_the_stages_of_a_scan_in_its_order() -> None:
    assert list(KINDS) == [*file_extractors(ScanSettings()), "git"]
