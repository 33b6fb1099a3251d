"""Which values of an environment are secrets: those whose names say so and that are no plain word, number or path."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

__all__ = ["SHORTEST_KNOWN", "Secrets", "secret_values"]

SHORTEST_KNOWN: Final = 8
"""Characters of a value that is masked because it is known: a shorter one would be met by accident."""

_NAMES: Final = ("KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL")
_PUBLIC: Final = ("GPG", "PGP", "FINGERPRINT", "PUBLIC", "KEYBOARD", "KEYMAP", "KEYRING", "KEYCHAIN")
_PLAIN: Final = re.compile(
    r"[A-Za-z]+(?:[ _.,-][A-Za-z]+)*|[0-9.,:-]+|(?:[~.]{0,2}/|[A-Za-z]:\\).*|[a-z][a-z0-9+.-]*://[^@]*",
    re.DOTALL,
)


class Secrets(tuple[str, ...]):
    """Values that are shown to nobody."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{len(self)} hidden>"


def secret_values(environ: Mapping[str, str]) -> Secrets:
    """The values to be masked wherever they stand, in byte order; at least 8 characters each."""
    return Secrets(sorted(set(_values(environ))))


def _values(environ: Mapping[str, str]) -> Iterator[str]:
    for name, value in environ.items():
        if len(value) < SHORTEST_KNOWN:
            continue
        upper = name.upper()
        if not any(word in upper for word in _NAMES) or any(word in upper for word in _PUBLIC):
            continue
        stripped = value.strip()
        if len(stripped) >= SHORTEST_KNOWN and not _PLAIN.fullmatch(stripped):
            yield stripped
