"""Files that a caller names, as against those that a scan finds: told apart by the name of their extractor."""

from __future__ import annotations

from typing import Final

__all__ = ["FOUND_TOO", "LASTING", "given_by_hand", "given_name"]

LASTING: Final = frozenset({"test", "system"})
"""Kinds of source whose hand-given files leave evidence behind even when the file is gone."""
FOUND_TOO: Final = frozenset({"tests", "cycle"})
"""Stages whose files a scan finds by itself too."""
_GIVEN: Final = "t2c/given-"
_ALWAYS: Final = "t2c/nl-"
"""Of a task: no scan ever finds one by itself."""


def given_name(extractor: str) -> str:
    """The name that records of a hand-given file bear, where a scan looks for such files by itself too."""
    return extractor if extractor.startswith(_ALWAYS) else extractor.replace("t2c/", _GIVEN, 1)


def given_by_hand(extractor: str) -> bool:
    """True for the names of hand-given files: what was recorded of them stands until they are given again."""
    return extractor.startswith((_GIVEN, _ALWAYS))
