"""Whether a text that a person reads shows what is done under its approval: only that makes the approval one of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

__all__ = ["NEEDS_APPROVAL", "not_shown"]

NEEDS_APPROVAL: Final = frozenset({"todo.apply", "change.apply", "change.revert"})
"""Purposes for which nothing is written without an approval of exactly what is applied."""

_PLAIN: Final = re.compile(r"[\w./ -]+\Z")
"""A path that a text shows as it is."""
_NOTHING: Final = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
"""SHA-256 of no bytes."""


def not_shown(kind: str, artifact: Mapping[str, Any], text: bytes) -> str | None:
    """What of a patch its text leaves out; None where it shows all that matters.

    Of a source patch these are its hash and every diff byte for byte, of a TODO patch the file and the content that it
    was written for; the text itself is what is appended. Raises LookupError, TypeError or AttributeError for what has
    not the shape of a patch.
    """
    if kind == "source":
        if f"`{artifact['patchHash']}`".encode() not in text:
            return "the hash of the patch"
        for edit in artifact["edits"]:
            diff = edit["unifiedDiff"]
            if diff is not None and b"diff\n" + diff.encode() not in text:
                return f"the diff of {edit['path']}"
    elif kind == "todo":
        source = artifact.get("sourceTodo")
        if source is None:
            return None  # nothing can be done under it
        lines = [line for line in text.splitlines() if line.startswith(b"Written for ")]
        line = lines[0].decode("utf-8", "replace") if lines else ""
        if source["contentHash"] not in line and source["contentHash"] != _NOTHING:
            return "the content that it was written for"
        if _PLAIN.match(source["path"]) and f"`{source['path']}`" not in line:
            return "the file that it was written for"
    return None
