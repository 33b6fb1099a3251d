"""The question that every text is asked on its way into the log, and nearly every one answers with no.

It looks for what the formats need, the rarest first: a character, then the literal that holds it. Written out, since a
loop over a table costs as much as all that it asks; a test holds it to the table of detectors.
"""

from __future__ import annotations

from typing import Final

__all__ = ["nothing_in"]

_FEW: Final = 5
"""Up to so many signs it is cheaper to look at each than for the literals."""
_DASHED: Final = frozenset({"sk", "at", "pi", "", *(f"x{letter}" for letter in "abeoprs")})
_JOINED: Final = frozenset({"at", "pm", "hf", "ve", "st", *(f"h{letter}" for letter in "opsur")})
"""The two characters before the sign in the literals that hold one; none between two signs."""

_KEYS: Final = ("_key", "-key", "ikey", "skey", "ekey", "hkey")
"""How the names of secret keys end: api key, access key, private key, auth key."""
_APART: Final = 60
"""Where signs stand closer than this it is cheaper to look for the words than at each sign."""
_FROM: Final = 9
_TO: Final = 17
"""Characters behind a sign that are the value's in any case: at most 8 may stand between, and 16 are the least."""


def nothing_in(text: str) -> bool:
    """True if no detector can find anything in the text; False if one has to look."""
    return not (
        ("-" in text and _ends(text, "-", _DASHED))
        or ("_" in text and _ends(text, "_", _JOINED))
        or ("J" in text and "eyJ" in text)
        or ("I" in text and ("KIA" in text or "SIA" in text or "AIz" in text))
        or ("G" in text and "SG." in text)
        or ("9" in text and "ya29." in text)
        or ("@" in text and "://" in text)
        or ("z" in text and "uthorization" in text)
        or ((_assigns(text, ":") or _assigns(text, "=")) and _names(text.lower()))
    )


def _ends(text: str, sign: str, tails: frozenset[str]) -> bool:
    """False if none of the literals that hold the sign can stand in the text, by what stands before it."""
    if text.count(sign) <= _FEW:
        return not tails.isdisjoint([piece[-2:] for piece in text.split(sign)])
    if sign == "-":
        return "sk-" in text or "xox" in text or "-BEGIN " in text or "glpat-" in text or "pypi-A" in text
    return (
        ("gh" in text and any(f"gh{letter}_" in text for letter in "opsur"))
        or "npm_" in text
        or "hf_" in text
        or "_pat_" in text
        or "_live_" in text
        or "_test_" in text
    )


def _names(lowered: str) -> bool:
    return (
        ("key" in lowered and any(ending in lowered for ending in _KEYS))
        or "token" in lowered
        or "secret" in lowered
        or ("pass" in lowered and ("passw" in lowered or "passphrase" in lowered))
        or "credential" in lowered
    )


def _assigns(text: str, sign: str) -> bool:
    """True if a value without a space or a quote, long enough to be a secret, may stand behind one of these signs."""
    at = text.find(sign)
    if at < 0:
        return False
    if text.count(sign) * _APART > len(text):
        return True
    while at >= 0:
        window = text[at + _FROM : at + _TO]
        if " " not in window and '"' not in window and len(window) == _TO - _FROM:
            return True
        at = text.find(sign, at + 1)
    return False
