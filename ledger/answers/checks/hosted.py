"""A planning skill's closing report: its files are there, and what else was written is found (answers §5)."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any, Final

from t2c.ledger.answers.base import Bench, Claim, Found
from t2c.ledger.answers.changes import Changes, Tree, changes
from t2c.ledger.answers.checks import question
from t2c.ledger.answers.paths import path_problem
from t2c.ledger.errors import Environment

__all__ = ["check"]

_MOST: Final = 200
"""Files that were written and not listed, each with a finding of its own; the others are counted in the last."""


def check(claim: Claim, bench: Bench) -> Iterator[Found]:
    """What must follow a skill's report. Raises Usage where a revision names no commit."""
    value: Any = claim.value
    real: Changes | None = None
    try:
        real = changes(bench.tree, bench.base, bench.candidate)
    except Environment as error:
        yield Found("unlisted", "unresolvable", f"nobody can say what else was written: {error.what}")
    tree = Tree(bench.tree, None if real is None else real.candidate)
    for index, path in enumerate(value.files_written):
        yield _written(f"files_written[{index}]", path, tree, real)
    if real is not None:
        yield from _unlisted(frozenset(value.files_written), real)
    yield from question.check(claim, bench)


def _written(item: str, path: str, tree: Tree, real: Changes | None) -> Found:
    if (problem := path_problem(path)) is not None:
        return Found("files_written", "refuted", f"{path}: {problem}", item=item)
    if not tree.has(path):
        return Found("files_written", "refuted", f"{path} is not there", item=item)
    if real is not None and path not in real.paths:
        return Found("files_written", "refuted", f"{path} is as it was before", item=item)
    text = tree.text(path)
    digest = "too large to be hashed here" if text is None else f"SHA-256 {sha256(text.encode()).hexdigest()}"
    return Found("files_written", "supported", f"{path} is there, {digest}", item=item)


def _unlisted(listed: frozenset[str], real: Changes) -> Iterator[Found]:
    other = [change for change in real.files if change.path not in listed and change.previous not in listed]
    for change in other[:_MOST]:
        did = "deleted" if change.gone else "written"
        yield Found("unlisted", "refuted", f"{change.path} was {did} and is not listed", item=change.path)
    if len(other) > _MOST:
        yield Found(
            "unlisted", "refuted", f"{len(other) - _MOST:,} more files were changed and are not listed"
        )
    if not other:
        yield Found("unlisted", "supported", "nothing was changed but what is listed")
