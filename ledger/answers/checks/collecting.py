"""Whether a command runs the very tests that an answer brings, and whether they ran.

A command that fails says nothing of tests that it never ran: because it runs something else, or because what it was to
run was not found, could not be collected or could not be imported (answers §5; plan-records A16).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final, Literal

from t2c.ledger.answers.checks.named_tests import files_ended, telling
from t2c.ledger.answers.checks.trying import Tried, unbuilt

__all__ = ["not_held_to", "not_run", "told_by"]

_COLLECTORS: Final = frozenset(
    {
        "ava", "bats", "busted", "ctest", "jest", "mocha", "nox", "phpunit", "prove", "py.test", "pytest", "rspec", "tox",
        "vitest",
    }
)  # fmt: skip
"""Programs that collect tests by themselves."""
_SUBCOMMANDS: Final[Mapping[str, frozenset[str]]] = {
    "bun": frozenset({"test"}),
    "bundle": _COLLECTORS,
    "cargo": frozenset({"test", "nextest"}),
    "composer": frozenset({"test"}),
    "dart": frozenset({"test"}),
    "deno": frozenset({"test"}),
    "dotnet": frozenset({"test"}),
    "flutter": frozenset({"test"}),
    "go": frozenset({"test"}),
    "gradle": frozenset({"test", "check"}),
    "gradlew": frozenset({"test", "check"}),
    "mix": frozenset({"test"}),
    "mvn": frozenset({"test", "verify"}),
    "mvnw": frozenset({"test", "verify"}),
    "node": frozenset({"--test"}),
    "npm": frozenset({"test", "t"}),
    "npx": _COLLECTORS,
    "pnpm": frozenset({"test", "t"}),
    "rake": frozenset({"test", "spec"}),
    "sbt": frozenset({"test"}),
    "swift": frozenset({"test"}),
    "yarn": frozenset({"test"}),
    "zig": frozenset({"test"}),
}
"""Programs that collect tests by one of these words."""
_ABSENT: Final = re.compile(
    r"no such file|can(?:'|no)t (?:open|find)|could not (?:open|find)|(?:file|module) not found|does not exist",
    re.IGNORECASE,
)
_FAILED: Final = re.compile(
    r"^(?:E +)?(?!ImportError|ModuleNotFoundError|SyntaxError|IndentationError|TabError)"
    r"[A-Za-z_][\w.]*(?:Error|Exception|Failure|Failed)\b(?!.*: error:)|^E +assert\b",
    re.MULTILINE,
)


def not_held_to(argv: tuple[str, ...], paths: Collection[str]) -> str | None:
    """Why a command is not tied to the files of an answer; None if it names one of them, or is known to collect them."""
    if telling(argv) is not None or any(_names(word, path) for word in argv for path in paths):
        return None
    program = argv[0].rpartition("/")[2]
    if program in _COLLECTORS or _SUBCOMMANDS.get(program, frozenset()).intersection(argv[1:4]):
        return None
    return "the command names none of the files, and is no program that is known to collect tests"


def told_by(argv: tuple[str, ...]) -> tuple[str, ...]:
    """The command, made to name each test where it can be."""
    return telling(argv) or argv


def not_run(
    argv: tuple[str, ...], tried: Tried, paths: Collection[str], wanted: Literal["failed", "passed"]
) -> str | None:
    """Why a try says nothing of these files: none of their tests ended as it is said to; None if one did.

    Of a program that does not tell which tests it ran it is only seen whether it could run them at all.
    """
    if telling(argv) is not None:
        ended = files_ended(argv, tried.output.decode("utf-8", "replace"), paths)
        if wanted in ended or (wanted == "failed" and "error" in ended):
            return None
        if tried.label == "PASS" or (why := unbuilt(argv, tried)) is None:
            return f"no test of these files {wanted}"
        return f"{why}; a test that imports what is not there yet when it runs fails as tests do"
    if tried.label == "PASS":
        return None
    if (why := unbuilt(argv, tried)) is not None:
        return why
    output = tried.output.decode("utf-8", "replace")
    if _FAILED.search(output) is not None:
        return None
    if _ABSENT.search(output) is not None:
        return "what it was to run, or needs, was not found"
    if tried.exit_code == 2 and any(_names(word, path) for word in argv[1:] for path in paths):
        return "a program that is used wrongly ends with exit code 2, and nothing says that a test failed"
    return None


def _names(word: str, path: str) -> bool:
    """True if a word of a command is this very path, also behind `--option=`, before `::test`, or as a Python module."""
    given = word.rpartition("=")[2] if word.startswith("-") else word
    given = given.partition("::")[0].removeprefix("./")
    return given == path or (path.endswith(".py") and given == path.removesuffix(".py").replace("/", "."))
