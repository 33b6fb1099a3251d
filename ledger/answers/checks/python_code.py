"""Whether Python code can be compiled and imported at all: code that cannot shows nothing of what tests tell apart."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Mapping
from typing import Final

__all__ = ["raised_on_import", "uncompilable"]

_ON_IMPORT: Final = re.compile(r'^(?:E )?\s*File "([^"\n]+)", line \d+, in <module>$', re.MULTILINE)


def uncompilable(files: Mapping[str, bytes], before: Mapping[str, bytes | None]) -> str | None:
    """Which file is no Python, in words; None if none is.

    `before` holds what stood at the same paths: where that is no Python to the one which runs t2c either, the project
    is written for another version, and nothing is said.
    """
    for path, content in files.items():
        if not path.endswith(".py"):
            continue
        why = _fault(path, content)
        known = before.get(path)
        if why is not None and (known is None or _fault(path, known) is None):
            version = ".".join(map(str, sys.version_info[:2]))
            return f"{path} is no Python {version}: {why}"
    return None


def _fault(path: str, content: bytes) -> str | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(content, path, "exec", dont_inherit=True)
    except SyntaxError as error:
        return f"{error.msg} (line {error.lineno})"
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        return type(error).__name__
    return None


def raised_on_import(output: bytes, argv: tuple[str, ...], files: Mapping[str, bytes]) -> str | None:
    """Which file raised while it was imported, as a traceback of Python tells; None if none did.

    What the command itself names is run, and not imported.
    """
    text = output.decode("utf-8", "replace")
    raising = {match[1] for match in _ON_IMPORT.finditer(text)}
    for path in files:
        if path not in argv and any(f"/{name}".endswith(f"/{path}") for name in raising):
            return f"{path} raises when it is imported"
    return None
