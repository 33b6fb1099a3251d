"""The syntax of one file: language, guards, one parse, one query, one sweep."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from t2c.ledger.intake.base import Warning
from t2c.ledger.intake.code.grammar import grammar_of
from t2c.ledger.intake.code.guards import (
    MAX_TREE_DEPTH,
    PARSE_SECONDS,
    as_text,
    is_too_deep,
    parse_within,
    refusal,
)
from t2c.ledger.intake.code.languages import language_of
from t2c.ledger.intake.code.outline import Comment, Definition, Import, Syntax
from t2c.ledger.intake.code.sweep import sweep, sweep_lines
from t2c.ledger.intake.code.traits import Traits, traits_of

__all__ = ["Comment", "Definition", "Import", "Syntax", "syntax_by_lines", "syntax_of"]

SOURCE: Final = "ast"
_MAX_LINES: Final = 20
_FOREIGN: Final = re.compile("[\udc80-\udcff]")
_BY_LINE: Final = frozenset({"file_too_large", "nested_too_deeply", "parse_timeout"})
"""Reasons not to parse a file that is code all the same: its lines are looked through for definitions."""


def syntax_of(path: str, content: bytes, anyway: frozenset[str] = frozenset()) -> Syntax | None:
    """What a file says, or None if it is in no language that is read.

    The last answer is kept, so that another extractor that reads the same file next needs no second parse.
    `anyway` are reasons of `guards.refusal` that do not stop the parse: `minified_file`, `generated_file`.
    """
    return _syntax_of(path, content, anyway)


@lru_cache(maxsize=1)
def _syntax_of(path: str, content: bytes, anyway: frozenset[str]) -> Syntax | None:
    language = language_of(path, content)
    if language is None:
        return None
    traits = traits_of(language)
    text, remarks = as_text(SOURCE, path, content)
    recoded = traits.recode(text)
    if recoded is not text:
        remarks += (Warning(SOURCE, path, "recoded", "the encoding that it declares, read as UTF-8"),)
    objection = refusal(SOURCE, path, recoded, anyway)
    if objection is not None:
        return _unparsed(traits, recoded, objection)
    grammar = grammar_of(language)
    shown = traits.for_grammar(recoded)
    tree = parse_within(grammar.parser, _decodable(shown))
    if tree is None:
        detail = f"parsing took more than {PARSE_SECONDS:g} seconds of processor time"
        return _unparsed(traits, recoded, Warning(SOURCE, path, "parse_timeout", detail))
    if is_too_deep(tree):
        detail = f"a syntax tree deeper than {MAX_TREE_DEPTH}"
        return Syntax(language.name, recoded, refused=Warning(SOURCE, path, "nested_too_deeply", detail))
    syntax = sweep(traits, recoded, tree.root_node, grammar.query)
    syntax.remarks = remarks
    if shown is not recoded and (lines := _hidden(recoded, shown)):
        detail = "branches of conditional compilation and macros that the grammar fails on; not read"
        syntax.remarks += (Warning(SOURCE, path, "lines_hidden", detail, len(lines), lines[:_MAX_LINES]),)
    return syntax


def _decodable(text: bytes) -> bytes:
    """As many bytes, all of them UTF-8: a query that asks for text it cannot decode ends the process."""
    try:
        text.decode()
    except UnicodeDecodeError:
        return _FOREIGN.sub("_", text.decode("utf-8", "surrogateescape")).encode()
    return text


def _hidden(text: bytes, shown: bytes) -> tuple[int, ...]:
    """Lines of code that were blanked for the grammar; directives are no code."""
    pairs = zip(text.split(b"\n"), shown.split(b"\n"), strict=False)
    return tuple(
        number
        for number, (line, left) in enumerate(pairs, 1)
        if not left.strip() and line.strip() and not line.lstrip().startswith(b"#")
    )


def syntax_by_lines(path: str, content: bytes) -> Syntax | None:
    """What the lines of a file show that is not to be parsed; None if it is in no language that is read."""
    language = language_of(path, content)
    if language is None:
        return None
    traits = traits_of(language)
    text, _ = as_text(SOURCE, path, content)
    return sweep_lines(traits, traits.recode(text))


def _unparsed(traits: Traits, text: bytes, why: Warning) -> Syntax:
    syntax = sweep_lines(traits, text) if why.reason in _BY_LINE else Syntax(traits.language.name, text)
    syntax.refused = why
    return syntax
