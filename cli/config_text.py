"""The text of a configuration file: TOML, and where in it a key stands."""

from __future__ import annotations

import re
from collections.abc import Mapping

from t2c.ledger.errors import Usage

__all__ = ["line_of", "parse"]


def parse(content: bytes, shown: str) -> Mapping[str, object]:
    """The table of a file that is shown to people as `shown`. Raises Usage, naming the line, if it is no TOML."""
    import tomllib

    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise Usage(
            "the configuration is not UTF-8", where=f"{shown}:{line}", file=shown, line=line
        ) from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        found = re.search(r"at line (\d+)", str(error))
        at = int(found[1]) if found else content.count(b"\n") + 1
        raise Usage(f"the configuration is not TOML: {error}", where=f"{shown}:{at}", file=shown) from None


def line_of(content: bytes, path: tuple[str, ...]) -> int | None:
    """The line on which a TOML file names a key, None if it does so in a form that is not looked for."""
    header: tuple[str, ...] = ()
    for number, line in enumerate(content.decode("utf-8", "replace").split("\n"), 1):
        text = line.strip()
        if text.startswith("["):
            header = named = _dotted(text.lstrip("[").partition("]")[0])
        else:
            named = header + _dotted(text.partition("=")[0])
        if named[: len(path)] == path:
            return number
    return None


def _dotted(text: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in text.split("."))
