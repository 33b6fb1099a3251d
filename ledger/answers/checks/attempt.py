"""An attempt's report: its files beside the real diff, its own gates, and every claim that has no receipt (answers §5).

What the report says was run counts for nothing: only a run that t2c recorded is evidence that a command ran.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from t2c.ledger.answers.base import Bench, Claim, Found
from t2c.ledger.answers.changes import Changes, Tree, changes, is_test
from t2c.ledger.answers.checks.quotes import paths_in
from t2c.ledger.answers.history import decoded, events
from t2c.ledger.answers.running import Ran, run_gates, state_of
from t2c.ledger.errors import Environment
from t2c.ledger.execution.worktrees import commit_of, usable_repository

__all__ = ["check", "compared"]

_SAID: Final = 8
"""Paths that a finding names; the others are counted."""
_SENTENCE: Final = re.compile(r"[^.!?\n]*(?:[.!?](?=\S)[^.!?\n]*)*[.!?\n]?")
_PASSES: Final = re.compile(
    r"\b(?:tests?|checks?|suite|specs?|build|linters?|lint|ci)\b[^.!?\n]{0,80}"
    r"\b(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?|successful(?:ly)?|ok)\b",
    re.IGNORECASE,
)
_MADE: Final = re.compile(
    r"\b(?:wrote|written|writes|creat(?:ed|es)|add(?:ed|s)|generat(?:ed|es)|sav(?:ed|es)|produc(?:ed|es)"
    r"|updat(?:ed|es)|chang(?:ed|es)|export(?:ed|s))\b",
    re.IGNORECASE,
)
_NOT: Final = re.compile(
    r"\b(?:not|no|never|none|without|fail(?:s|ed|ing)?|cannot|n't)\b|n't\b", re.IGNORECASE
)


def check(claim: Claim, bench: Bench) -> Iterator[Found]:
    """What must follow an attempt's report. Raises Usage where a revision names no commit."""
    report: Any = claim.value
    real: Changes | None = None
    try:
        real = changes(bench.tree, bench.base, bench.candidate)
    except Environment as error:
        yield Found("files_changed", "unresolvable", f"nobody can say what changed: {error.what}")
    tree = Tree(bench.tree, None if real is None else real.candidate)
    if real is not None:
        yield from compared("files_changed", report.files_changed, real, tree)
        yield from _independent(real)
    ran = run_gates(bench, claim)
    yield from _status(report, ran)
    yield from _receipts(report, bench, ran)
    yield from _words(report, real, tree, ran)


def compared(check: str, named: Sequence[str], real: Changes, tree: Tree) -> Iterator[Found]:
    """Files that an answer says were changed beside the real ones, both ways; a rename may be named by either path."""
    given = frozenset(named)
    unnamed = sorted(
        change.path for change in real.files if change.path not in given and change.previous not in given
    )
    unchanged = sorted(given - real.paths - real.former)
    absent = [path for path in unchanged if not tree.has(path)]
    there = [path for path in unchanged if path not in absent]
    wrong = (
        ("changed and not named", unnamed),
        ("named and not changed", there),
        ("named and not there at all", absent),
    )
    parts = [f"{what}: {_some(paths)}" for what, paths in wrong if paths]
    if parts:
        yield Found(check, "refuted", "; ".join(parts))
    else:
        many = len(real.files)
        yield Found(
            check, "supported", f"exactly the {many} changed file{'' if many == 1 else 's'} of the diff"
        )


def _independent(real: Changes) -> Iterator[Found]:
    """A test that the attempt wrote itself is no independent evidence of what it did beside it."""
    tests = [change.path for change in real.files if is_test(change.path) and not change.gone]
    code = [change.path for change in real.files if not is_test(change.path)]
    if tests and code:
        yield Found(
            "independence",
            "unresolvable",
            f"evidence not independent: the attempt wrote the tests beside what they test, {_some(tests)}",
        )


def _status(report: Any, ran: Sequence[Ran]) -> Iterator[Found]:
    evidence = tuple(gate.event for gate in ran)
    if report.status.value == "incomplete":
        yield Found("status", "supported", "incomplete: the work stays open; nothing is needed to believe it")
        return
    failed = [gate for gate in ran if not gate.passed]
    if failed:
        told = "; ".join(f"{shlex.join(gate.argv)} {gate.told}" for gate in failed)
        yield Found("status", "refuted", f"it says done, and its own gate fails: {told}", evidence=evidence)
    elif changing := [gate for gate in ran if gate.changed]:
        told = "; ".join(f"{shlex.join(gate.argv)} changed {_some(gate.changed)}" for gate in changing)
        yield Found(
            "status",
            "unresolvable",
            f"its own gates passed, and changed the work tree that they were run on: {told}",
            evidence=evidence,
        )
    elif ran:
        told = "; ".join(shlex.join(gate.argv) for gate in ran)
        yield Found("status", "supported", f"its own gates passed: {told}", evidence=evidence)
    else:
        yield Found(
            "status", "unresolvable", "claim without receipt: it says done, and no gate of its own was run"
        )


def _receipts(report: Any, bench: Bench, ran: Sequence[Ran]) -> Iterator[Found]:
    """Each command that the report says was run, beside the runs that are recorded of the tree as it is now."""
    if not report.checks_run:
        return
    now = {gate.argv: _Run(gate.event, gate.passed, gate.told, not gate.changed) for gate in ran}
    runs = {**_recorded_runs(bench), **now}
    for index, command in enumerate(report.checks_run):
        item = f"checks_run[{index}]"
        said = repr(command[:200])
        run = runs.get(_words_of(command))
        if run is None:
            told = f"claim without receipt: no run of {said} is recorded"
            yield Found("checks_run", "unresolvable", told, item=item)
        elif not run.same:
            told = f"claim without receipt: the last run of {said} was of another state of the files"
            yield Found("checks_run", "unresolvable", told, item, (run.event,))
        else:
            told = f"the last recorded run of {said} {run.told}"
            yield Found("checks_run", "supported" if run.passed else "refuted", told, item, (run.event,))


class _Run(NamedTuple):
    """The last recorded run of a command; `same` is true if it was of the tree that is looked at."""

    event: str
    passed: bool
    told: str
    same: bool


def _recorded_runs(bench: Bench) -> dict[tuple[str, ...], _Run]:
    announced: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {}
    found: dict[tuple[str, ...], tuple[str, dict[str, Any], dict[str, Any]]] = {}
    for entry in events(bench.ledger, "gate.announced", "gate.ran"):
        data = decoded(entry)
        if entry.type == "gate.announced":
            words = tuple(data["argv"]) if data["argv"] else _words_of(data["command"] or "")
            announced[entry.id] = words, data
        elif (known := announced.get(data["announced"])) is not None:
            found[known[0]] = entry.id, known[1], data
    if not found:
        return {}
    state, commit = _looked_at(bench)
    return {
        words: _Run(
            event,
            ended["outcome"] == "exited" and ended["exit_code"] == 0,
            f"ended with exit code {ended['exit_code']}",
            (state is not None and gate["fingerprint"] == state)
            or (commit is not None and gate["revision"] == commit and gate["tree"] != "work_tree"),
        )
        for words, (event, gate, ended) in found.items()
    }


def _looked_at(bench: Bench) -> tuple[str | None, str | None]:
    """The fingerprint of the work tree, or the commit that is the candidate."""
    if bench.candidate is None:
        return state_of(bench.tree), None
    with usable_repository(bench.tree) as git:
        return None, commit_of(git, bench.candidate)


def _words_of(command: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(command))
    except ValueError:
        return tuple(command.split())


def _words(report: Any, real: Changes | None, tree: Tree, ran: Sequence[Ran]) -> Iterator[Found]:
    """What the report says in prose: that tests pass, and that files were written."""
    gone = frozenset(change.path for change in real.files if change.gone) if real is not None else frozenset()
    prose = [("summary", report.summary), *((f"notes[{i}]", note) for i, note in enumerate(report.notes))]
    for place, text in prose:
        for sentence in filter(None, _SENTENCE.findall(text)):
            if _NOT.search(sentence):
                continue
            if _PASSES.search(sentence):
                yield _claim_of_tests(place, sentence, ran)
            if _MADE.search(sentence):
                yield from _named_files(place, sentence, tree, gone)


def _claim_of_tests(place: str, sentence: str, ran: Sequence[Ran]) -> Found:
    said = " ".join(sentence.split())[:200]
    evidence = tuple(gate.event for gate in ran)
    if not ran:
        return Found("claim_of_tests", "unresolvable", f"claim without receipt: {said!r}", item=place)
    if all(gate.passed for gate in ran):
        if any(gate.changed for gate in ran):
            told = f"a gate changed the work tree that it was run on: {said!r}"
            return Found("claim_of_tests", "unresolvable", told, place, evidence)
        return Found("claim_of_tests", "supported", f"the gates run now passed: {said!r}", place, evidence)
    return Found("claim_of_tests", "refuted", f"a gate run now fails: {said!r}", place, evidence)


def _named_files(place: str, sentence: str, tree: Tree, gone: frozenset[str]) -> Iterator[Found]:
    names = [location.path for location in paths_in(sentence) if _looks_like_file(location.path)]
    if not names:
        return
    last_parts: frozenset[str] | None = None
    for name in names:
        if tree.has(name) or name in gone:
            continue
        if "/" not in name:
            if last_parts is None:
                last_parts = _last_parts(tree, gone)
            if name in last_parts:
                continue
        yield Found("named_files", "refuted", f"{name} is said to be written and is not there", item=place)


def _last_parts(tree: Tree, gone: frozenset[str]) -> frozenset[str]:
    try:
        return frozenset(name.rpartition("/")[2] for name in (*tree.names(), *gone))
    except Environment:
        return frozenset()


def _looks_like_file(name: str) -> bool:
    """A name with the ending of a file that work leaves behind; a version, a domain or a method is none."""
    return name.rpartition(".")[2].lower() in _ENDINGS


_ENDINGS: Final = frozenset(
    [
        "c",
        "cc",
        "cfg",
        "cpp",
        "cs",
        "css",
        "csv",
        "env",
        "go",
        "h",
        "hpp",
        "html",
        "ini",
        "ipynb",
        "java",
        "js",
        "json",
        "jsx",
        "kt",
        "lock",
        "lua",
        "md",
        "mjs",
        "parquet",
        "pdf",
        "php",
        "png",
        "proto",
        "py",
        "rb",
        "rs",
        "rst",
        "sh",
        "sql",
        "svg",
        "swift",
        "toml",
        "ts",
        "tsv",
        "tsx",
        "txt",
        "xlsx",
        "xml",
        "yaml",
        "yml",
        "zip",
    ]
)


def _some(paths: Sequence[str]) -> str:
    more = len(paths) - _SAID
    return ", ".join(paths[:_SAID]) + (f" and {more:,} more" if more > 0 else "")
