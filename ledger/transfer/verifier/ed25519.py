"""Ed25519 signatures checked in plain Python (RFC 8032 §5.1): slow and short, for public values only."""

from __future__ import annotations

from hashlib import sha512

__all__ = ["signature_fits"]

_P = 2**255 - 19
_L = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, _P - 2, _P) % _P
_ROOT_OF_MINUS_ONE = pow(2, (_P - 1) // 4, _P)
_BASE_Y = 4 * pow(5, _P - 2, _P) % _P


def signature_fits(public: bytes, message: bytes, signature: bytes) -> bool:
    """True if `signature` (64 bytes) is that of `message` by the key `public` (32 bytes)."""
    if len(public) != 32 or len(signature) != 64:
        return False
    key = _point(public)
    scalar = int.from_bytes(signature[32:], "little")
    if key is None or scalar >= _L:
        return False
    digest = sha512(signature[:32] + public + message).digest()
    challenge = int.from_bytes(digest, "little") % _L
    x, y, z, t = key
    minus_key = (_P - x, y, z, _P - t)
    found = _sum(_multiple(scalar, _BASE), _multiple(challenge, minus_key))
    return _encoded(found) == signature[:32]


def _point(encoded: bytes) -> tuple[int, int, int, int] | None:
    """The point in extended coordinates (X, Y, Z, T); None for bytes that are no point of the curve."""
    number = int.from_bytes(encoded, "little")
    sign, y = number >> 255, number & ((1 << 255) - 1)
    if y >= _P:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, _P - 2, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P:
        x = x * _ROOT_OF_MINUS_ONE % _P
    if (x * x - square) % _P or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = _P - x
    return x, y, 1, x * y % _P


def _sum(one: tuple[int, int, int, int], two: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    a = (one[1] - one[0]) * (two[1] - two[0]) % _P
    b = (one[1] + one[0]) * (two[1] + two[0]) % _P
    c = 2 * one[3] * two[3] * _D % _P
    d = 2 * one[2] * two[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _multiple(scalar: int, point: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    found = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            found = _sum(found, point)
        point = _sum(point, point)
        scalar >>= 1
    return found


def _encoded(point: tuple[int, int, int, int]) -> bytes:
    inverse = pow(point[2], _P - 2, _P)
    x, y = point[0] * inverse % _P, point[1] * inverse % _P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _base() -> tuple[int, int, int, int]:
    found = _point(_BASE_Y.to_bytes(32, "little"))
    assert found is not None
    return found


_BASE = _base()
