"""Words and paths as the baselines see them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

__all__ = ["SOURCES", "is_source", "path_tokens", "tokens"]

SOURCES = frozenset(
    [
        ".py",
        ".pyi",
        ".pyx",
        ".go",
        ".rs",
        ".js",
        ".mjs",
        ".cjs",
        ".ts",
        ".tsx",
        ".jsx",
        ".php",
        ".java",
        ".kt",
        ".kts",
        ".c",
        ".h",
        ".cc",
        ".cpp",
        ".rb",
        ".scala",
        ".swift",
        ".cs",
        ".vue",
    ]
)
_NO_SOURCE = re.compile(
    r"(^|/)(tests?|testing|testdata|testsuite|__tests__|spec|specs|docs?|documentation|docs_src|examples?|bench"
    r"|benches|benchmarks?|playground|fixtures|scripts|tools|ci|\.github|changelog(\.d)?|newsfragments?|news|CHANGES"
    r"|node_modules|vendor|_vendor|profiling_scripts|ecosystem)(/|$)"
    r"|(^|/)(test_[^/]*|[^/]*_test\.\w+|[^/]*\.(test|spec)\.\w+|conftest\.py|setup\.py|noxfile\.py|tests\.rs)$",
    re.IGNORECASE,
)
_STOP = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "to",
        "in",
        "on",
        "for",
        "and",
        "or",
        "with",
        "by",
        "from",
        "is",
        "are",
        "was",
        "be",
        "been",
        "it",
        "its",
        "this",
        "that",
        "as",
        "at",
        "not",
        "no",
        "when",
        "if",
        "now",
        "than",
        "then",
        "into",
        "via",
        "can",
        "also",
        "will",
        "only",
        "which",
        "has",
        "have",
        "had",
        "do",
        "does",
        "did",
        "so",
        "we",
        "you",
        "your",
        "their",
        "they",
        "our",
        "but",
    ]
)
_SUFFIXES = ("ations", "ation", "ings", "ing", "edly", "ies", "ied", "ed", "es", "s", "ly", "e")


def is_source(path: str) -> bool:
    """True for a file of code that is the product itself."""
    return os.path.splitext(path)[1].lower() in SOURCES and not _NO_SOURCE.search(path)


def _parts(word: str) -> list[str]:
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", word.replace("_", " ").replace("-", " "))
    return [part.lower() for part in spaced.split() if len(part) > 1]


def _stem(word: str) -> str:
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            return word[: -len(suffix)]
    return word


def tokens(text: str) -> list[str]:
    """Stems of words, and names whole and by parts."""
    found: list[str] = []
    for word in re.findall(r"[A-Za-z_][\w]*(?:-[A-Za-z]\w*)*|\d+(?:\.\d+)+", text):
        lower, parts = word.lower(), _parts(word)
        if len(parts) > 1:
            found += ["=" + lower, *(_stem(part) for part in parts if part not in _STOP)]
        elif lower not in _STOP and len(lower) > 1:
            found.append(_stem(lower))
    return found


def path_tokens(paths: Iterable[str]) -> list[str]:
    """Stems of the parts of changed paths, documentation left out."""
    found: list[str] = []
    for path in paths:
        if _NO_SOURCE.search(path) and "test" not in path:
            continue
        for part in re.split(r"[/.]", path):
            found += [_stem(one) for one in _parts(part) if one not in _STOP]
        base = os.path.splitext(os.path.basename(path))[0].lower()
        if "_" in base or "-" in base:
            found.append("=" + base)
    return found
