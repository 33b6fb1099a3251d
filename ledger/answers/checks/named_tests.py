"""Which tests a command ran and how each ended, as pytest and unittest tell it; of other programs nothing is known."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final, Literal

__all__ = ["Ended", "ended", "files_ended", "telling"]

Ended = Literal["passed", "failed", "error", "skipped"]

_PYTEST: Final = re.compile(r"(?:^|/)(?:pytest|py\.test)$")
_SUMMARY: Final = re.compile(
    r"^(PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS) (\S+?::\S.*?)(?: - .*)?$", re.MULTILINE
)
_CASE: Final = re.compile(
    r"^(\w+) \(([\w.]+)\)(?:\n[^\n]*)? \.\.\. (?:[^\n]*?)(ok|FAIL|ERROR|skipped|expected failure|unexpected success)\b",
    re.MULTILINE,
)
_WORDS: Final[Mapping[str, Ended]] = {
    "PASSED": "passed", "XPASS": "passed", "ok": "passed", "unexpected success": "passed",
    "FAILED": "failed", "XFAIL": "failed", "FAIL": "failed", "expected failure": "failed",
    "ERROR": "error", "SKIPPED": "skipped", "skipped": "skipped",
}  # fmt: skip


def telling(argv: tuple[str, ...]) -> tuple[str, ...] | None:
    """The command with what makes it name every test; None for a program that is not known to."""
    more = "-rA" if _is_pytest(argv) else "-v" if _is_unittest(argv) else None
    if more is None:
        return None
    end = argv.index("--") if "--" in argv else len(argv)
    return (*argv[:end], more, *argv[end:])


def ended(argv: tuple[str, ...], output: str, test: str) -> Ended | None:
    """How the test of this name ended; None if it did not run. Of several of the name the worst counts."""
    if _is_pytest(argv):
        found = [_WORDS[match[1]] for match in _SUMMARY.finditer(output) if _is_named(match[2], test)]
    else:
        found = [
            # A test that raises has run; what could not be loaded bears the name of its module.
            "failed" if match[3] == "ERROR" else _WORDS[match[3]]
            for match in _CASE.finditer(output)
            if "_FailedTest" not in match[2] and _is_case(match[1], match[2], test)
        ]
    for worst in ("failed", "error", "passed", "skipped"):
        if worst in found:
            return worst
    return None


def files_ended(argv: tuple[str, ...], output: str, paths: Collection[str]) -> frozenset[Ended]:
    """How the tests of these files ended, as a command says that was made to tell it; empty if none of them ran.

    A runner may name a file from a folder below the root; that is believed where the command names the file or its folder.
    """
    given = {path: path if path not in _led_to(argv, paths) else None for path in paths}
    if _is_pytest(argv):
        found: set[Ended] = set()
        for match in _SUMMARY.finditer(output):
            file = match[2].partition("::")[0]
            if any(_is_file(file, *item) for item in given.items()):
                found.add(_WORDS[match[1]])
        return frozenset(found)
    parts = [(path.rpartition(".")[0].split("/"), whole) for path, whole in given.items()]
    names = tuple(
        f"{'.'.join(words[start:])}." for words, whole in parts for start in range(1 if whole else len(words))
    )
    return frozenset(
        "failed" if match[3] == "ERROR" else _WORDS[match[3]]
        for match in _CASE.finditer(output)
        if "_FailedTest" not in match[2] and f"{match[2]}.".startswith(names)
    )


def _led_to(argv: tuple[str, ...], paths: Collection[str]) -> frozenset[str]:
    """Those of the paths that a command names, or a folder of which it names, as a path or as a module."""
    words = [word.rpartition("=")[2].partition("::")[0].removeprefix("./").rstrip("/") for word in argv[1:]]
    named = {form for word in words if word not in ("", ".") for form in (word, word.replace(".", "/"))}
    return frozenset(
        path
        for path in paths
        if any(f"{path.removesuffix('.py')}/".startswith(f"{word}/") for word in named) or path in named
    )


def _is_file(file: str, path: str, whole: str | None) -> bool:
    """True if pytest means this path; it may run below the root where `whole` is None."""
    return file == path or (whole is None and path.endswith(f"/{file}"))


def _is_pytest(argv: tuple[str, ...]) -> bool:
    return any(_PYTEST.search(word) for word in argv[:4])


def _is_unittest(argv: tuple[str, ...]) -> bool:
    return "unittest" in argv[:4]


def _is_named(node: str, test: str) -> bool:
    """True if a node of pytest is the test: by its whole id, or by its last parts, with its parameters or without."""
    return any(name == test or name.endswith(f"::{test}") for name in (node, node.partition("[")[0]))


def _is_case(name: str, where: str, test: str) -> bool:
    whole = where if where.endswith(f".{name}") else f"{where}.{name}"
    wanted = test.replace("::", ".")
    return whole == wanted or whole.endswith(f".{wanted}")
