"""What a record is about, as its contract has it: each list in one spelling, and what may stand in none of them.

`target.paths` holds paths of the repository and nothing else: no route of a web interface, no path of a host, no way
out through `..`. Names of hosts are no symbols (intent-evidence §1; decisions A7).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

__all__ = [
    "HOST",
    "OUTSIDE",
    "is_host",
    "is_outside",
    "normalised_paths",
    "normalised_symbols",
    "normalised_tickets",
    "normalised_versions",
]

OUTSIDE: Final = (
    r"^~?[/\\]"  # /api/users, /var/run/x, \\server\share, ~/x
    r"|^~(?![\s\S])"
    r"|^[A-Za-z]:[/\\]"
    r"|^(?:\$HOME|\$\{HOME\}|%[A-Za-z_]+%)(?![^/\\])"
    r"|^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE|CONNECT)[ \t]+/"
    r"|://"
    r"|(?:^|[/\\])\.\.(?![^/\\])"
    r"|\x00"
)
"""What a path of the repository never looks like, in words that Python and JSON Schema read alike."""

HOST: Final = (
    r"^(?:[a-z0-9-]+\.)+(?:biz|com|edu|gov|mil|org|xyz)(?![\s\S])"
    r"|^(?:[a-z0-9-]+\.){2,}(?:ai|cc|cloud|co|cz|de|dev|es|eu|fr|io|net|nl|online|pl|ru|site|sk|tech|tv|ua|uk|us)(?![\s\S])"
    r"|^(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?![\s\S])"
)
"""Names of hosts and IPv4 addresses. Endings that attributes of a program bear as well (`name`, `info`) tell nothing,
and those that modules bear (`io`, `net`) tell something only behind two more labels."""

_outside: Final = re.compile(OUTSIDE).search
_host: Final = re.compile(HOST).search
_plain_path: Final = re.compile(r"[A-Za-z0-9_@+-][A-Za-z0-9_@+.-]*+(?:/[A-Za-z0-9_@+.()\[\]-]++)*+").fullmatch
_plain_symbol: Final = re.compile(r"[^\W\d][\w$]*+(?:\.[\w$]++)*+").fullmatch
_plain_ticket: Final = re.compile(r"[A-Z0-9#_-]++").fullmatch
_slashes: Final = re.compile(r"/{2,}")
_dots: Final = re.compile(r"\.{2,}")
_call: Final = re.compile(r"\([^)]*+\)\Z")
_generic: Final = re.compile(r"<[^<>]*+>")
_LEADS_OUT: Final = "/\\~$%"
_QUOTES: Final = "'\"`"


def is_outside(path: str) -> bool:
    """True if this can be no path of the repository: absolute, of a host, a route, a URL, or through `..`."""
    # Nearly every path shows none of the signs, and a search by the whole pattern takes ten times as long.
    if path[:1] in _LEADS_OUT or ".." in path or ":" in path or " " in path or "\t" in path or "\x00" in path:
        return _outside(path) is not None
    return False


def is_host(symbol: str) -> bool:
    """True for `api.example.com` and `10.0.0.1`."""
    return "." in symbol and _host(symbol) is not None


def normalised_paths(paths: Iterable[str]) -> list[str]:
    """Paths of the repository, each once, in byte order: no quotes, `/` for `\\`, no `./`, no doubled or last `/`.

    What `is_outside` is left out; whoever has to count it asks before.
    """
    if not paths:
        return []
    # A doubled slash is one less once it is normalised, so a URL is looked for before.
    found = {_path(path) for path in paths if "://" not in path}
    return sorted(path for path in found if path and not is_outside(path))


def normalised_symbols(symbols: Iterable[str], *, of_code: bool = False) -> list[str]:
    """Qualified names, each once, in byte order: no quotes, dots for `::` and `#`, no arguments, no generics.

    What `is_host` is left out, unless a parser found the names (`of_code`): a module may be called as a host is.
    """
    if not symbols:
        return []
    return sorted({name for name in map(_symbol, symbols) if name and (of_code or not is_host(name))})


def normalised_tickets(tickets: Iterable[str]) -> list[str]:
    """Keys in capitals, each once, in byte order; `-` for white space."""
    return sorted({key for key in map(_ticket, tickets) if key}) if tickets else []


def normalised_versions(versions: Iterable[str]) -> list[str]:
    """Versions without white space around them, each once, in byte order."""
    return sorted({version for version in map(str.strip, versions) if version}) if versions else []


def _path(path: str) -> str:
    if _plain_path(path):
        return path
    path = _slashes.sub("/", _unquoted(path).replace("\\", "/"))
    while path.startswith("./"):
        path = path[2:]
    return path[:-1] if len(path) > 1 and path.endswith("/") else path


def _symbol(symbol: str) -> str:
    if _plain_symbol(symbol):
        return symbol
    symbol = _unquoted(symbol).replace("::", ".").replace("#", ".")
    symbol = _generic.sub("", _call.sub("", symbol))
    return _dots.sub(".", symbol.strip(".").strip())


def _ticket(ticket: str) -> str:
    return ticket if _plain_ticket(ticket) else "-".join(ticket.split()).upper()


def _unquoted(text: str) -> str:
    """Without white space around it, and without one quote at each end."""
    text = text.strip()
    if text[:1] in _QUOTES:
        text = text[1:]
    return text[:-1].strip() if text[-1:] in _QUOTES and text else text
