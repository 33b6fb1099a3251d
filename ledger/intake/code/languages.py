"""Source files of languages that no extractor reads yet: left out, and counted as left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from t2c.ledger.intake.base import Warning

__all__ = ["LANGUAGES", "unread_languages"]

LANGUAGES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("py", "pyi"), "Python"),
    **dict.fromkeys(("js", "mjs", "cjs", "jsx"), "JavaScript"),
    **dict.fromkeys(("ts", "mts", "cts", "tsx"), "TypeScript"),
    **dict.fromkeys(("c", "h"), "C"),
    **dict.fromkeys(("cc", "cpp", "cxx", "hh", "hpp", "hxx"), "C++"),
    **dict.fromkeys(("kt", "kts"), "Kotlin"),
    **dict.fromkeys(("ex", "exs"), "Elixir"),
    **dict.fromkeys(("fs", "fsx"), "F#"),
    **dict.fromkeys(("sh", "bash", "zsh"), "Shell"),
    **dict.fromkeys(("m", "mm"), "Objective-C"),
    **dict.fromkeys(("pl", "pm"), "Perl"),
    **dict.fromkeys(("ml", "mli"), "OCaml"),
    "go": "Go", "rs": "Rust", "java": "Java", "php": "PHP", "rb": "Ruby", "cs": "C#", "swift": "Swift",
    "scala": "Scala", "lua": "Lua", "dart": "Dart", "r": "R", "jl": "Julia", "hs": "Haskell", "clj": "Clojure",
    "zig": "Zig", "nim": "Nim", "vue": "Vue", "svelte": "Svelte", "groovy": "Groovy", "sql": "SQL",
}  # fmt: skip
"""File ending, in lower case, to language."""


def unread_languages(paths: Iterable[str], read: Callable[[str], bool]) -> list[Warning]:
    """One warning that counts the source files which no extractor reads, by language; none if there are none."""
    counts: Counter[str] = Counter()
    for path in paths:
        _, dot, ending = path.rpartition("/")[2].rpartition(".")
        language = LANGUAGES.get(ending.lower()) if dot else None
        if language is not None and not read(path):
            counts[language] += 1
    if not counts:
        return []
    named = ", ".join(f"{language} {count:,}" for language, count in sorted(counts.items()))
    total = sum(counts.values())
    return [Warning("ast", None, "unsupported_language", f"files by language: {named}", total)]
