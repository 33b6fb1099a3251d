"""Taking apart what `git diff-tree --stdin -z` writes: names between NULs, and patches, which may hold NULs too."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import IO, Final

__all__ = ["DiffStream"]

_CHUNK: Final = 1 << 16
_HELD: Final = 1 << 18
"""Bytes of one patch that are held before its first part is passed on."""
_SHA: Final = re.compile(rb"[0-9a-f]+")
_SIZES: Final = (64, 40)


class DiffStream:
    """The output of one process. Takes what there is: to wait for more would hold up whoever shares the work."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._arrived: Callable[[int], bytes] = getattr(stream, "read1", stream.read)
        self._held = b""
        self._at = 0

    def _more(self) -> bool:
        chunk = self._arrived(_CHUNK)
        self._held = self._held[self._at :] + chunk
        self._at = 0
        return bool(chunk)

    def token(self) -> bytes | None:
        """What stands before the next NUL, or before the end; None at the end."""
        while (end := self._held.find(b"\0", self._at)) < 0:
            if not self._more():
                rest, self._held = self._held, b""
                return rest or None
        found = self._held[self._at : end]
        self._at = end + 1
        return found

    def patch(self, take: Callable[[bytes, bool], bytes]) -> bytes | None:
        """Pass on a patch, in parts of whole lines, and return the name of the commit after it; None at the end.

        `take` is given a part and whether it is the last, and returns what it wants to be given again. No line of
        a patch begins as the name of a commit does: each has a sign, or begins with a word, in front.
        """
        rest = b""
        seen = 0  # bytes from `_at` in which no commit begins
        while True:
            end = self._held.find(b"\0", self._at + seen)
            if end >= 0:
                start = self._commit_before(end)
                if start >= 0:
                    take(rest + self._held[self._at : start], True)
                    self._at = end + 1
                    return self._held[start:end]
                seen = end + 1 - self._at
                continue
            seen = len(self._held) - self._at
            if seen > _HELD and (line := self._held.rfind(b"\n", self._at) + 1) > self._at:
                rest = take(rest + self._held[self._at : line], False)
                self._at = line
                seen = len(self._held) - line
            if not self._more():
                take(rest + self._held, True)
                self._held = b""
                return None

    def _commit_before(self, end: int) -> int:
        """Where the name of a commit that ends here begins, or -1."""
        for size in _SIZES:
            start = end - size
            if (
                start >= self._at
                and (start == self._at or self._held[start - 1] == 10)
                and _SHA.fullmatch(self._held, start, end)
            ):
                return start
        return -1
