"""A language's grammar and its one combined query, compiled at first use and once a process.

Loading and compiling takes up to a third of a second (code-facts §1): too dear for a command that reads no code
of that language.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from t2c.ledger.intake.code.languages import Language

if TYPE_CHECKING:
    from tree_sitter import Parser, Query

__all__ = ["Grammar", "grammar_of", "query_text", "wheel_version"]

_QUERIES: Final = Path(__file__).parent / "queries"
_METADATA: Final = ".dist-info"
_ERRORS: Final = "\n(ERROR) @err\n(MISSING) @err\n"


class Grammar(NamedTuple):
    """What reads a language. `wheel` is the version of the grammar's package."""

    parser: Parser
    query: Query
    wheel: str


@cache
def grammar_of(language: Language) -> Grammar:
    """The grammar of a language. The query asks for errors too, so that they cost no walk of their own."""
    import tree_sitter

    module = import_module(language.package.replace("-", "_"))
    grammar = tree_sitter.Language(getattr(module, language.entry)())
    query = tree_sitter.Query(grammar, query_text(language) + _ERRORS)
    return Grammar(tree_sitter.Parser(grammar), query, wheel_version(language))


@cache
def query_text(language: Language) -> str:
    """The text of all query files of a language."""
    return "\n".join((_QUERIES / name).read_text("utf-8") for name in language.query_files)


@cache
def wheel_version(language: Language) -> str:
    """The installed version of the grammar's package, since some grammars do not know their own."""
    found = _installed().get(language.package)
    if found is not None:
        return found
    from importlib.metadata import version

    return version(language.package)


@cache
def _installed() -> Mapping[str, str]:
    """The grammars that are installed as folders, by a look at each place once: asking for one takes a millisecond."""
    found: dict[str, str] = {}
    for place in sys.path:
        try:
            names = os.listdir(place or ".")  # noqa: PTH208 - plain names
        except OSError:
            continue
        for name in names:
            if name.startswith("tree_sitter") and name.endswith(_METADATA):
                package, _, version = name.removesuffix(_METADATA).rpartition("-")
                found.setdefault(package.replace("_", "-"), version)
    return found
