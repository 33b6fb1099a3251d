"""Which programs a command of an answer may name: what interprets code or runs tests, and nothing else (answers §6.2).

A command runs in a copy of the tree, without a shell. It runs code that a model wrote all the same; so this keeps out
what has no business among tests, and guards against no malice.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

__all__ = ["program_problem"]

_ANY: Final = frozenset(
    {
        "pytest", "py.test", "tox", "nox", "trial", "stestr", "node", "jest", "vitest", "mocha", "ava",
        "tap", "mvn", "mvnw", "gradle", "gradlew", "make", "ctest", "ninja", "ruby", "rspec", "rake",
        "minitest", "php", "phpunit", "pest", "perl", "prove", "lua", "busted", "rscript", "julia", "java",
        "kotlin", "scala", "groovy", "elixir", "erl", "racket",
    }
)  # fmt: skip
"""Programs that may be given whatever they take."""
_INTERPRETER: Final = re.compile(r"(?:python|pypy)[0-9]?(?:\.[0-9]{1,2})?|pytest-[0-9](?:\.[0-9]{1,2})?")
_NOT_A_MODULE: Final = frozenset({"t2c", "pip", "ensurepip", "venv", "http"})
_VERBS: Final = {
    "npm": ("test", "t", "run", "run-script"), "pnpm": ("test", "t", "run"), "yarn": ("test", "run"),
    "bun": ("test", "run"), "deno": ("test", "run"), "go": ("test", "run", "vet", "build"),
    "cargo": ("test", "nextest", "run", "check", "build"), "dotnet": ("test", "run", "build"), "swift": ("test", "build"),
    "mix": ("test",), "sbt": ("test",), "lein": ("test",), "dart": ("test", "run"), "flutter": ("test",),
    "bazel": ("test",), "zig": ("test", "build"), "stack": ("test",), "cabal": ("test",), "dune": ("test", "runtest"),
    "coverage": ("run",), "hatch": ("test",),
}  # fmt: skip
"""Programs that do more than run tests, with the words by which they do that."""
_STARTERS: Final = {
    "uv": "run", "poetry": "run", "pipenv": "run", "pdm": "run", "rye": "run", "bundle": "exec",
}  # fmt: skip
"""Programs that start another one in its environment, which must be one of these, too."""


def program_problem(argv: Sequence[str]) -> str | None:
    """Why a command is none that an answer may name, None if it is one: in words that list what may be."""
    words = list(argv)
    name = ""
    for _ in range(2):
        name = words[0].rpartition("/")[2].lower().removesuffix(".exe")
        if (verb := _STARTERS.get(name)) is None:
            break
        if words[1:2] != [verb]:
            return f"{name} may only be followed by {verb}"
        words = words[2:]
        if words[:1] == ["--"]:
            words = words[1:]
        if not words:
            return f"{name} {verb} starts nothing"
        if words[0].endswith(".py"):
            return None
    if _INTERPRETER.fullmatch(name) is not None:
        module = next((then for word, then in pairwise(words) if word == "-m"), None)
        if module is not None and module.partition(".")[0] in _NOT_A_MODULE:
            return f"{name} -m {module} runs no tests"
        return None
    if name in _ANY:
        return None
    if (verbs := _VERBS.get(name)) is not None:
        given = next((word for word in words[1:] if not word.startswith(("-", "+"))), None)
        return None if given in verbs else f"{name} may only be followed by {_either(verbs)}"
    known = sorted({"python", *_ANY, *_VERBS, *_STARTERS})
    return f"{words[0][:80]!r} neither interprets code nor runs tests; a command begins with {_either(known)}"


def _either(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
