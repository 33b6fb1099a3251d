"""Whether a hunk lies in the definition that Git names in its header: the nearest line above that begins one.

A patch without lines of context shows only what changed. So what is added between two definitions seems to lie in the
first: a new definition, and the comments and attributes right above the second, which are about that one.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from msgspec import Struct

from t2c.ledger.intake.code.traits import LinePattern, plain_name

__all__ = ["Holder", "Judgement", "Pattern", "declared", "holder_of"]

_WRITTEN: Final = re.compile(rb"^[+-]([ \t]*+)([^\s].*)$", re.MULTILINE)
"""A changed line that is not blank."""
_ENDS: Final = b"})]#"
"""Signs at the margin that belong to what stands above."""
_ABOVE: Final = re.compile(
    rb"#(?!(?:if|ifdef|ifndef|else|elif|endif|include|define|undef|pragma|region|endregion|error|warning|line)\b)"
    rb"|//|/\*|\*(?:[ \t/]|$)|--[ \t\[]|<!--|@"
)
"""Comments, attributes and decorators: they say something of what comes below them."""
_ATTRIBUTES: Final = (b"@", b"#[")


class Pattern(NamedTuple):
    """A pattern of definitions for a line, and for a text that begins with a newline, which is found faster so."""

    in_line: re.Pattern[bytes]
    in_text: re.Pattern[bytes]
    is_container: bool

    @classmethod
    def of(cls, line: LinePattern) -> Pattern:
        """The same as this one, which begins at the start of a line."""
        pattern = line.pattern
        below = b"\n(?:" + pattern.pattern.removeprefix(b"^") + b")"
        return cls(pattern, re.compile(below, pattern.flags), line.role != "func")


class Holder(NamedTuple):
    """The definition of a header: `is_container` for a type, which may hold others; its indentation, None if unknown."""

    name: str
    is_container: bool
    indent: int | None


def holder_of(patterns: tuple[Pattern, ...], header: bytes, *, is_indented: bool) -> Holder | None:
    """The definition that the header of a hunk names, if it names any.

    `is_indented` says that Git was told to write the line with its indentation, or found it at the margin.
    """
    found = declared(patterns, header)
    if found is None:
        return None
    return Holder(*found, len(header) - len(header.lstrip()) if is_indented else None)


def declared(patterns: tuple[Pattern, ...], line: bytes) -> tuple[str, bool] | None:
    """The name that a line declares, and whether it is that of a type, which may hold other definitions."""
    for pattern in patterns:
        if match := pattern.in_line.match(line):
            return plain_name(match["n"]), pattern.is_container
    return None


class Judgement(Struct):
    """Whether a hunk, given in pieces of whole lines, lies in `holder`: None until it is told.

    The first line decides that is no comment or attribute. Where there is no other line the hunk may be about the next
    definition, so it lies in the holder only if it is indented more than that.
    """

    path: str
    holder: Holder
    patterns: tuple[Pattern, ...]
    verdict: bool | None = None
    _least: int | None = None
    _is_attribute: bool = False

    def read(self, lines: bytes) -> None:
        """Take more lines of the hunk."""
        if self.verdict is not None:
            return
        for match in _WRITTEN.finditer(lines):
            indent, text = len(match[1]), match[2]
            if _ABOVE.match(text):
                self._least = indent if self._least is None else min(self._least, indent)
                self._is_attribute = self._is_attribute or text.startswith(_ATTRIBUTES)
                continue
            self.verdict = self._holds(indent, text, match[1] + text)
            return

    def lies_in(self) -> bool:
        """The verdict once the hunk is over."""
        if self.verdict is not None:
            return self.verdict
        if not self._least:
            return False
        known = self.holder.indent
        if self.holder.is_container:
            return known is None or self._least > known
        return not self._is_attribute and known is not None and self._least > known

    def _holds(self, indent: int, text: bytes, line: bytes) -> bool:
        ends = text[0] in _ENDS
        if not indent and not ends:
            return False
        known = self.holder.indent
        if known is not None and indent <= known and not ends:
            return False
        return self.holder.is_container or declared(self.patterns, line) is None
