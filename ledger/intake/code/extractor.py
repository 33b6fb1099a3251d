"""The extractor of code: any file in a language of the table, to records of its symbols and imports."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from hashlib import sha256
from typing import Final

from t2c.ledger.events.record import SourceKind
from t2c.ledger.intake.base import Reading, Scope, Tree, Warning
from t2c.ledger.intake.code.attributes import said_generated
from t2c.ledger.intake.code.facts import facts_of
from t2c.ledger.intake.code.grammar import query_text, wheel_version
from t2c.ledger.intake.code.languages import LANGUAGES, may_be_code
from t2c.ledger.intake.code.outline import Syntax
from t2c.ledger.intake.code.syntax import syntax_by_lines, syntax_of
from t2c.ledger.intake.code.traits import traits_of

__all__ = ["ANYWAY", "CodeExtractor"]

SOURCE: Final[SourceKind] = "ast"
ANYWAY: Final = frozenset({"generated_file", "minified_file"})
"""Reasons that need not stop a file from being read."""
_MAX_LINES: Final = 20


class CodeExtractor:
    """Reads source files (intent-evidence §2.3). Records carry the name of their language's extractor.

    `read_anyway` are reasons that do not stop a file from being read: `minified_file`, `generated_file`.
    """

    name: str = "t2c/code@1"
    source: SourceKind = SOURCE

    def __init__(self, read_anyway: frozenset[str] = frozenset()) -> None:
        self.read_anyway = read_anyway

    @cached_property
    def stamp(self) -> str:
        """Changes with whatever changes what a file yields: rules, a language's version, its query or its grammar."""
        parts = [self.name, *sorted(self.read_anyway)]
        for language in LANGUAGES.values():
            parts += [language.extractor, wheel_version(language), query_text(language)]
        return sha256("\0".join(parts).encode()).hexdigest()

    def wants(self, path: str) -> bool:
        """True for files in a language that is read, and for those without an ending: they may be scripts."""
        return may_be_code(path)

    def read(self, path: str, content: bytes, tree: Tree) -> Reading:
        """All facts of one file in its order. A file that is refused or partly read is not complete."""
        scope = Scope(SOURCE, path)
        if "generated_file" not in self.read_anyway and said_generated(path, tree):
            said = Warning(
                SOURCE, path, "generated_file", "an attribute in .gitattributes says that it is generated"
            )
            return Reading(scope, self.name, (), (said,), complete=False)
        syntax = syntax_of(path, content, self.read_anyway)
        if syntax is None:
            return Reading(scope, self.name, ())
        return self._reading(scope, path, syntax, tree, whole=syntax.refused is None)

    def read_lines(self, path: str, content: bytes, tree: Tree) -> Reading:
        """What the lines of a file show, without parsing it: the last resort for a file that stops whoever does."""
        scope = Scope(SOURCE, path)
        syntax = syntax_by_lines(path, content)
        if syntax is None:
            return Reading(scope, self.name, (), complete=False)
        return self._reading(scope, path, syntax, tree, whole=False)

    def _reading(self, scope: Scope, path: str, syntax: Syntax, tree: Tree, *, whole: bool) -> Reading:
        language = LANGUAGES[syntax.language]
        records = (
            tuple(facts_of(traits_of(language), path, syntax, tree)) if whole or syntax.definitions else ()
        )
        return Reading(
            scope,
            language.extractor,
            records,
            tuple(_warnings(path, syntax)),
            complete=whole and not syntax.error_lines,
        )


def _warnings(path: str, syntax: Syntax) -> Iterator[Warning]:
    if syntax.refused is not None:
        yield syntax.refused
        if not syntax.definitions:
            return
    yield from syntax.remarks
    if lines := syntax.error_lines:
        title = LANGUAGES[syntax.language].title
        share = f"{100 * syntax.error_share:.1f} % of its bytes"
        detail = f"not {title} as the grammar knows it ({share}); facts around these lines may be missing"
        yield Warning(SOURCE, path, "syntax_errors", detail, len(lines), lines[:_MAX_LINES])
    guessed = [item.lines[0] for item in syntax.definitions if item.approximate]
    if guessed:
        detail = "definitions found by line where the text did not parse; names and ends may be wrong"
        yield Warning(
            SOURCE, path, "approximate_definitions", detail, len(guessed), tuple(guessed[:_MAX_LINES])
        )
    try:
        syntax.text.decode()
    except UnicodeDecodeError as error:
        line = syntax.text.count(b"\n", 0, error.start) + 1
        yield Warning(SOURCE, path, "undecodable_bytes", "bytes that are not UTF-8 were replaced", 1, (line,))
