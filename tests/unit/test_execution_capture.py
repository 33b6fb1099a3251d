"""Of an output the beginning and the end are kept, whatever the blocks it comes in, and no part of a secret.

Mutations seen to fail: the two parts masked without a margin; the margin not cut off; the tail not trimmed.
"""

from __future__ import annotations

import sys

from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.execution.capture import Capture
from t2c.ledger.redaction.funnel import Funnel

SECRET = "correct-horse-battery-9"
MARGIN = 64 << 10


def captured(text: bytes, limit: int, block: int = 1 << 16) -> bytes:
    capture = Capture(limit)
    for start in range(0, len(text), block):
        capture.feed(text[start : start + block])
    found = capture.finish(Funnel((SECRET,)))
    assert found.written == len(text)
    assert found.kept == min(len(text), limit)
    return found.content


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 300), st.integers(0, 60), st.integers(1, 400))
def test_what_is_kept_does_not_rest_on_the_blocks(length: int, half: int, block: int) -> None:
    text = bytes(65 + place % 26 for place in range(length))
    told = b"\n[%d bytes of %d were left out here]\n" % (length - 2 * half, length)
    whole = text if length <= 2 * half else text[:half] + told + text[length - half :]
    assert captured(text, 2 * half, block) == whole


def test_no_part_of_a_secret_stands_at_the_edge() -> None:
    limit = 4 * MARGIN
    filler = b"0123456789abcde\n"
    for shift in range(0, len(SECRET), 3):
        for edge in (limit // 2, 10 * MARGIN - limit // 2):
            text = bytearray(filler * (10 * MARGIN // len(filler)))
            start = edge - shift
            text[start : start + len(SECRET)] = SECRET.encode()
            found = captured(bytes(text), limit)
            pieces = {SECRET[cut : cut + 8].encode() for cut in range(len(SECRET) - 7)}
            assert not any(piece in found for piece in pieces)
            assert b"were left out here" in found


def test_a_flood_takes_no_more_memory_than_is_kept() -> None:
    capture = Capture(1 << 20)
    block = b"x" * (1 << 18)
    for _ in range(400):
        capture.feed(block)
        assert sys.getsizeof(capture._head) + sys.getsizeof(capture._tail) < 4 << 20
    assert capture.written == 100 << 20
