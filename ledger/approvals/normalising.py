"""What of a text an approval holds on to: everything but what progress changes (case 91).

Only the line ends, blanks at the end of a line and the ticks of Markdown list items are progress. A word, a number, a
path, an item more or less always counts, and so does everything inside a fence. Of a plan it is its content without
the graph that it was drawn from, which every scan draws anew.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

from t2c.ledger.kernel.change_ids import plan_hash

__all__ = ["MARKDOWN", "normalised", "normalised_plan", "without_progress"]

MARKDOWN: Final = (".md", ".markdown", ".mdown", ".mkd", ".mkdn")
"""Ends of the names of files whose ticks are progress; `- [x]` means something else in YAML."""

_BEFORE: Final = rb"[ \t>]*"
_MARK: Final = rb"(?:[-*+]|[0-9]{1,9}[.)])[ \t]+"
_TICK: Final = re.compile(rb"(" + _BEFORE + _MARK + rb"\[)[ xX~-](\](?=[ \t]|\Z))")
_FENCE: Final = re.compile(_BEFORE + rb"(?:" + _MARK + rb")*(?:(`{3,})[^`]*|(~{3,}).*)\Z", re.DOTALL)
_END: Final = re.compile(rb"[ \t>]*(`{3,}|~{3,})[ \t]*\Z")


def normalised(text: bytes) -> str:
    """SHA-256 in hex of a Markdown text without what progress changes."""
    return sha256(without_progress(text)).hexdigest()


def without_progress(text: bytes) -> bytes:
    """A Markdown text with LF, without blanks at the ends of its lines and of itself, and with every task item unticked.

    Inside a fence only the line ends are touched. Doing it twice changes nothing more.
    """
    lines = []
    fence = b""
    for line in text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n"):
        if fence:
            end = _END.match(line)
            if end is not None and end[1][:1] == fence[:1] and len(end[1]) >= len(fence):
                fence = b""
                line = line.rstrip(b" \t")
        else:
            line = _TICK.sub(rb"\1 \2", line.rstrip(b" \t"), count=1) if _TICK.match(line) else line
            line = line.rstrip(b" \t")
            opened = _FENCE.match(line)
            fence = (opened[1] or opened[2]) if opened is not None else b""
        lines.append(line)
    return b"\n".join(lines).rstrip(b"\n")


def normalised_plan(plan: Mapping[str, Any]) -> str:
    """SHA-256 in hex of a plan without the fingerprint of the graph; raises what `plan_hash` raises.

    Two plans that share it say the same, though their ids differ.
    """
    return plan_hash({**plan, "evidence": {**plan["evidence"], "graphFingerprint": ""}})
