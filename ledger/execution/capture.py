"""What a command writes, kept within bounds: the beginning and the end, and how much was left out between.

Secrets are masked before anything is kept. Where something is left out, a margin is masked with the part beside it and
then cut off, so that no piece of a secret stands at the edge.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from t2c.ledger.redaction.funnel import Funnel

__all__ = ["KEPT", "Capture", "Captured"]

KEPT: Final = 8 << 20
"""Bytes of an output that are kept: one half from its beginning, the other from its end."""
_MARGIN: Final = 64 << 10
"""More than the longest secret has that the funnel knows."""


class Captured(NamedTuple):
    """`content` is what may be recorded; `written` and `kept` count bytes before anything was masked."""

    content: bytes
    written: int
    kept: int
    masked: Mapping[str, int]


class Capture:
    """Takes blocks of an output of any length; holds little more than `limit` bytes."""

    def __init__(self, limit: int = KEPT) -> None:
        self._half = limit // 2
        self._head = bytearray()
        self._tail = bytearray()
        self.written = 0

    def feed(self, block: bytes) -> None:
        """Take the next block."""
        self.written += len(block)
        room = self._half + _MARGIN - len(self._head)
        if room > 0:
            self._head += block[:room]
            block = block[room:]
        self._tail += block
        if len(self._tail) > 2 * (self._half + _MARGIN):
            del self._tail[: -(self._half + _MARGIN)]

    def finish(self, funnel: Funnel) -> Captured:
        """What was kept, without its secrets."""
        if self.written <= 2 * self._half:
            masked = funnel.mask_bytes(bytes(self._head + self._tail))
            return Captured(masked.content, self.written, self.written, masked.findings)
        whole = bytes(self._head + self._tail)
        first = funnel.mask_bytes(whole[: self._half + _MARGIN])
        last = funnel.mask_bytes(whole[-(self._half + _MARGIN) :])
        edge = min(_MARGIN, len(whole) - self._half)
        left_out = self.written - 2 * self._half
        told = f"\n[{left_out} bytes of {self.written} were left out here]\n".encode()
        found = {
            kind: first.findings.get(kind, 0) + last.findings.get(kind, 0)
            for kind in sorted({*first.findings, *last.findings})
        }
        content = first.content[:-edge] + told + last.content[edge:]
        return Captured(content, self.written, 2 * self._half, found)
