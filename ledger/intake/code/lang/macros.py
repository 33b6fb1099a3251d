"""C and C++ without the macros that their grammars stumble over: a guess by shape, since nobody expands them.

What is taken out becomes blanks, so that all offsets stay. Definitions of macros are left as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

__all__ = ["without_macros"]

_MAX_LINES: Final = 32
_MAX_LINE: Final = 500
_WORTH: Final = re.compile(rb"[A-Z][A-Z0-9_]{3}|__has_|operator[ \t]+const")
_BEFORE_NAME: Final = re.compile(
    rb"\b(?:class|struct|union|enum)[ \t]+(?P<macro>[A-Z][A-Z0-9_]{2,60}(?:\([^()\n]{0,100}\))?)"
    rb"(?=\s{1,40}[A-Za-z_][\w:<>]{0,120}\s{0,40}(?:final\b|\{|:(?!:)))"
)
"""`class API Name {`"""

_SPECIFIER: Final = re.compile(rb"\b(?P<macro>[A-Z][A-Z0-9_]{2,60})[ \t]+(?=[A-Za-z_:~])")
_SPECIFIERS: Final = frozenset(
    b"API EXPORT EXPORTS INLINE CONSTEXPR CONSTEVAL NODISCARD NORETURN PUBLIC DLL DEPRECATED".split()
)
"""`SOME_API int f();`, `SOME_CONSTEXPR f() {}`: what the name ends with."""

_WORDS_OF_ANNOTATIONS: Final = (
    rb"(?:GUARDED_BY|LOCKS?_REQUIRED|LOCKS_EXCLUDED|LOCK_FUNCTION|EXCLUSIVE_LOCK|ACQUIRED_BEFORE|ACQUIRED_AFTER"
    rb"|THREAD_SAFETY_ANALYSIS|PRINTF_FORMAT|FORMAT_PRINTF|LIFETIME_BOUND|_ATTR)\b"
)
_ANNOTATES: Final = re.compile(_WORDS_OF_ANNOTATIONS)
_ANNOTATION: Final = re.compile(
    rb"(?<=[\w)])\s{1,40}(?P<macro>[A-Z_]{0,40}"
    + _WORDS_OF_ANNOTATIONS
    + rb"(?:\([^()\n]{0,100}\))?)(?=\s{0,40}[;{=,):])"
)
"""`int count GUARDED_BY(mutex);`"""

_CONVERSION: Final = re.compile(rb"\boperator[ \t]{1,8}(?P<macro>const)[ \t]")
"""`operator const T&()`, which the grammar does not know."""

_CONDITION: Final = re.compile(rb"\bif[ \t]+(?P<macro>[A-Z][A-Z0-9_]{0,60}CONSTEXPR\w{0,10})(?=[ \t]*\()")
"""`if SOME_CONSTEXPR (…)`"""

_ALONE: Final = re.compile(rb"^[ \t]*(?P<macro>[A-Z][A-Z0-9_]{3,60})[ \t\r]*$", re.MULTILINE)
_CONTINUES: Final = re.compile(rb"\s{0,200}[^\w\s#/~\[]")
"""`SOME_BEGIN_NAMESPACE`, if what stands before it and after it are whole."""

_QUESTION: Final = re.compile(
    rb"\b(?:__has_|[A-Z_]{0,40}HAS_)\w{1,60}\([ \t]*(?P<macro><[^<>()\n]{1,100}>|\"[^\"\n]{1,100}\"|\w{1,60}::\w{1,60})[ \t]*\)"
)
"""`__has_include(<version>)`: a number is asked of instead."""


def without_macros(text: bytes) -> bytes:
    """The text with blanks for macros before names, of export and locks, and alone in their lines."""
    found = list(_macros(text)) if _WORTH.search(text) else []
    if not found:
        return text
    blanked = bytearray(text)
    for start, end, sign in found:
        blanked[start:end] = sign + b" " * (end - start - len(sign))
    return bytes(blanked)


def _macros(text: bytes) -> Iterator[tuple[int, int, bytes]]:
    for match in _SPECIFIER.finditer(text):
        if _ends_as_specifier(match["macro"]) and not _is_directive(text, match.start()):
            yield *match.span("macro"), b""
    for match in _ANNOTATION.finditer(text) if _ANNOTATES.search(text) else ():
        if not _is_directive(text, match.start("macro")):
            yield *match.span("macro"), b""
    for pattern in (_BEFORE_NAME, _CONVERSION, _CONDITION):
        for match in pattern.finditer(text):
            yield *match.span("macro"), b""
    alone = -1
    for match in _ALONE.finditer(text):
        start, end = match.span("macro")
        follows = alone >= 0 and not text[alone:start].strip()
        if (follows or _ends_statement(text, match.start())) and _CONTINUES.match(text, end) is None:
            alone = end
            yield start, end, b""
    for match in _QUESTION.finditer(text) if b"HAS_" in text or b"__has_" in text else ():
        yield *match.span("macro"), b"1"


def _ends_as_specifier(macro: bytes) -> bool:
    """True for `API`, `SOME_API`, `FORCEINLINE`, `SOME_CONSTEXPR20`."""
    last = macro.rstrip(b"_0123456789").rpartition(b"_")[2]
    return last in _SPECIFIERS or last.endswith(b"INLINE")


def _is_directive(text: bytes, at: int) -> bool:
    """True if the line starts with `#`."""
    start = text.rfind(b"\n", max(0, at - _MAX_LINE), at) + 1
    return text[start:at].lstrip().startswith(b"#")


def _ends_statement(text: bytes, end: int) -> bool:
    """True if what stands on the last line before is whole: a statement, a block, a comment, a directive."""
    for _ in range(_MAX_LINES):
        if not end:
            return True
        start = text.rfind(b"\n", max(0, end - _MAX_LINE), end - 1) + 1 or max(0, end - _MAX_LINE)
        line = text[start:end].strip()
        if line:
            return line.endswith((b";", b"}", b"*/")) or line.startswith((b"//", b"#"))
        end = start
    return False
