"""Trying tests on a tree: always in a scratch copy with files laid over it, always through the gate runner.

PASS is a command that ran to its end with exit code 0; any other end, that of its time included, is FAIL, and one that
never started is neither (plan-records A16).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Final, Literal, NamedTuple

from t2c.ledger.answers.base import Bench
from t2c.ledger.errors import Conflict
from t2c.ledger.execution.copies import scratch_copy
from t2c.ledger.execution.fingerprint import fingerprint
from t2c.ledger.execution.gates import Gate, GateResult, run_gate
from t2c.ledger.execution.worktrees import commit_of, usable_repository

__all__ = [
    "Label",
    "Side",
    "Tried",
    "clean",
    "nothing_ran",
    "side",
    "staged",
    "try_in",
    "unbuilt",
    "unreadable",
]

Label = Literal["PASS", "FAIL", "not started"]


class Side(NamedTuple):
    """What something is tried on: a commit, or the work tree as it is (then `commit` is None).

    `fingerprint` is what the runs name, and equal for equal trees on one commit.
    """

    commit: str | None
    fingerprint: str

    @property
    def name(self) -> str:
        """How it is called in sentences."""
        return "the work tree" if self.commit is None else f"commit {self.commit[:12]}"


class Tried(NamedTuple):
    """How one command went: `gate` is its `gate.ran`."""

    label: Label
    gate: str
    exit_code: int
    timed_out: bool
    output: bytes

    @property
    def told(self) -> str:
        """The label and how it came to it."""
        if self.label == "not started":
            return "not started"
        return f"{self.label} ({'time was over' if self.timed_out else f'exit code {self.exit_code}'})"


def clean(commit: str) -> str:
    """The fingerprint of a commit, checked out and unchanged."""
    return sha256(b"t2c.fingerprint/v1\0" + commit.encode()).hexdigest()


def side(tree: Path, revision: str | None) -> Side:
    """The commit that a revision names, or the work tree. Raises Usage for what names no commit."""
    if revision is None:
        found = fingerprint(tree)
        return Side(None, found.digest)
    with usable_repository(tree) as git:
        commit = commit_of(git, revision)
    return Side(commit, clean(commit))


@contextmanager
def staged(bench: Bench, where: Side, overlay: Mapping[str, bytes | None]) -> Iterator[Path]:
    """A scratch copy of a side with an overlay.

    Raises Conflict if the work tree was changed meanwhile, by whomever: then nothing is known of what was tried.
    """
    source = bench.tree if where.commit is None else (bench.tree, where.commit)
    with scratch_copy(source, overlay) as tree:
        yield tree
    if where.commit is None and fingerprint(bench.tree).digest != where.fingerprint:
        raise Conflict(
            "the work tree was changed while a copy of it was tried",
            where=str(bench.tree),
            safe="what was recorded names the tree as it was before",
            remedy="run it again when nobody writes to the tree, or name a commit with --candidate",
        )


def try_in(
    bench: Bench,
    tree: Path,
    argv: tuple[str, ...],
    where: Side,
    *,
    purpose: str,
    subject: str | None,
    cause: tuple[str, ...],
) -> Tried:
    """Run a command in a copy of a side; it is announced and recorded."""
    gate = Gate(
        purpose=purpose,
        argv=argv,
        subject=subject,
        tree="copy",
        revision=where.commit,
        fingerprint=where.fingerprint,
        timeout_seconds=bench.timeout,
    )
    result = run_gate(bench.ledger, tree, gate, environ=bench.environ, progress=bench.progress, cause=cause)
    return Tried(
        _label(result),
        result.ran,
        result.exit_code,
        result.outcome == "timed_out",
        bench.ledger.objects.get(result.output),
    )


def _label(result: GateResult) -> Label:
    if result.outcome == "not_started":
        return "not started"
    return "PASS" if result.passed else "FAIL"


_PYTEST: Final = re.compile(r"(?:^|/)(?:pytest|py\.test)$")
_NOTHING: Final = re.compile(
    r"^(?:Ran 0 tests|no tests ran|=+ no tests ran|collected 0 items|0 tests? (?:run|passed|executed))",
    re.MULTILINE,
)
_IMPORT: Final = re.compile(
    r"^(?:E +)?(?:ImportError|ModuleNotFoundError|SyntaxError|IndentationError|TabError)\b[^\n]*",
    re.MULTILINE,
)
_OTHER: Final = re.compile(
    r"^(?:E +)?(?!ImportError|ModuleNotFoundError|SyntaxError|IndentationError|TabError)"
    r"[A-Za-z_][\w.]*(?:Error|Exception|Failure|Failed|Exit|Interrupt)\b(?!.*: error:)|^E +assert\b",
    re.MULTILINE,
)
_NO_PYTHON: Final = re.compile(
    r"^(?:E )?\s*File \"([^\"\n]+)\", line \d+\n(?:[^\n]*\n){0,3}?(?:E +)?(?:SyntaxError|IndentationError|TabError)\b",
    re.MULTILINE,
)
_BUILD: Final = re.compile(
    r"^error: could not compile|^error\[E\d+\]|\[(?:build|setup) failed\]|\berror TS\d+:|\berror CS\d+:|"
    r"COMPILATION ERROR|Compilation failed|BUILD FAILED|^[^\n:]{1,200}:\d+(?::\d+)?: (?:fatal )?error:|"
    r"^(?:Uncaught )?SyntaxError:|Cannot find module|ERR_MODULE_NOT_FOUND|^Parse error:|^PHP Parse error:|"
    r"^== Compilation error|make(?:\[\d+\])?: \*\*\* No rule",
    re.MULTILINE,
)


def _is_pytest(argv: tuple[str, ...]) -> bool:
    return any(_PYTEST.search(word) for word in argv[:4])


def nothing_ran(argv: tuple[str, ...], tried: Tried) -> bool:
    """True if the command says itself that there was no test to run."""
    if _is_pytest(argv) and tried.exit_code == 5:
        return True
    return _NOTHING.search(tried.output.decode("utf-8", "replace")) is not None


def unbuilt(argv: tuple[str, ...], tried: Tried) -> str | None:
    """Why a command that failed shows nothing of behaviour: the code could not be built or imported, or nothing ran.

    None if a test failed as tests do. Where some tests failed so and others could not be imported, tests failed.
    """
    if tried.label == "not started" or tried.exit_code in (126, 127):
        return "the command could not be started"
    if nothing_ran(argv, tried):
        return "no test ran"
    output = tried.output.decode("utf-8", "replace")
    if _is_pytest(argv) and tried.exit_code in (3, 4):
        return "pytest could not run them"
    if (found := _IMPORT.search(output)) is not None and _OTHER.search(output) is None:
        return _told(found[0])
    if _is_pytest(argv) and tried.exit_code == 2:
        return "the tests could not be collected"
    if (found := _BUILD.search(output)) is not None:
        return _told(found[0])
    return None


def unreadable(tried: Tried, paths: Iterable[str]) -> str | None:
    """The path of these at which Python itself says that it is no Python; None if none is."""
    output = tried.output.decode("utf-8", "replace")
    if _NO_PYTHON.search(output) is None:
        return None
    named = {match[1] for match in _NO_PYTHON.finditer(output)}
    return next((path for path in paths if any(f"/{name}".endswith(f"/{path}") for name in named)), None)


def _told(line: str) -> str:
    text = " ".join(line.removeprefix("E ").split())
    return f"it cannot be built or imported: {text[:160]}"
