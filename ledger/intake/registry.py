"""Every extractor of files by the name of its stage, in the order in which a scan runs them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from t2c.ledger.intake.base import FileExtractor
from t2c.ledger.intake.changelog import ChangelogExtractor
from t2c.ledger.intake.code.python import PythonCode
from t2c.ledger.intake.todo import TodoExtractor

__all__ = ["FILE_EXTRACTORS"]

FILE_EXTRACTORS: Final[Mapping[str, FileExtractor]] = {
    "todo": TodoExtractor(),
    "changelog": ChangelogExtractor(),
    "code": PythonCode(),
}
