"""A language's grammar and its one combined query, compiled at first use and once a process.

Loading and compiling takes up to a third of a second (code-facts §1): too dear for a command that reads no code
of that language.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, Final, NamedTuple

from t2c.ledger.intake.code.languages import Language

if TYPE_CHECKING:
    from tree_sitter import Parser, Query

__all__ = ["Grammar", "grammar_of", "query_text", "wheel_version"]

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
    folder = files("t2c.ledger.intake.code").joinpath("queries")
    return "\n".join(folder.joinpath(name).read_text("utf-8") for name in language.query_files)


@cache
def wheel_version(language: Language) -> str:
    """The installed version of the grammar's package, since some grammars do not know their own."""
    from importlib.metadata import version

    return version(language.package)
