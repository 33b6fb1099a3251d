"""A patch tried beside the user's tree: laid over a commit or a copy of the tree, and the given commands run there.

The user's files stay as they are, byte for byte. What is recorded is observed: that the patch fits, and how each
command ended; it says nothing of any other tree.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal, NamedTuple

from t2c.ledger.apply.base import Wanted
from t2c.ledger.apply.files import look
from t2c.ledger.changes.known import Patch
from t2c.ledger.changes.patching import file_patches, fitted, not_fitting
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Environment, T2cError, Usage
from t2c.ledger.events.draft import draft
from t2c.ledger.execution.copies import scratch_copy
from t2c.ledger.execution.fingerprint import Fingerprint, fingerprint
from t2c.ledger.execution.gates import Gate, GateResult, run_gate
from t2c.ledger.execution.overlay import lay_over
from t2c.ledger.execution.worktrees import commit_of, detached, usable_repository
from t2c.ledger.intake.base import Progress, no_progress

__all__ = ["PURPOSE", "Attempt", "Trial", "try_patch"]

PURPOSE: Final = "change.try"
_BASE: Final = "change.try.base"
"""What runs without the patch, to see that a command tells the difference."""
_SAFE: Final = "your files are untouched"


class Attempt(NamedTuple):
    """How one command went with the patch, and without it where that was asked for.

    `tells` is true where the two differ: only then does the command say anything of the patch.
    """

    argv: tuple[str, ...]
    went: GateResult
    base: GateResult | None = None

    @property
    def tells(self) -> bool | None:
        return None if self.base is None else self.base.passed != self.went.passed


class Trial(NamedTuple):
    """A trial as it was recorded by `event`. `changed_meanwhile`: the user's tree is not as it was, by whomever."""

    event: str
    seq: int
    revision: str
    tree: Literal["worktree", "copy"]
    dirty: bool
    applied: bool
    passed: bool
    detail: str
    attempts: tuple[Attempt, ...]
    changed_meanwhile: bool


class _Place(NamedTuple):
    """Where something is tried: the folder, and what it is called."""

    folder: Path
    tree: Literal["worktree", "copy"]
    revision: str


def try_patch(
    ledger: Ledger,
    root: Path,
    patch: Patch,
    checks: Sequence[tuple[str, ...]],
    *,
    environ: Mapping[str, str],
    as_is: bool = False,
    compare: bool = False,
    timeout: int = 600,
    progress: Progress = no_progress,
) -> Trial:
    """Lay a patch over the last commit, or over a copy of the tree `as_is`, run each check there and record how it went.

    With `compare` each check is run on the same files without the patch first. Raises Usage where there is no commit
    and for a check that cannot be run, Environment where the place cannot be made.
    """
    patches = list(file_patches(patch))  # another tree than it was made on: it fits where its lines are
    before = fingerprint(root)
    base: list[GateResult] = []
    if compare:
        with _place(root, before, as_is) as place:
            base = _run(ledger, place, patch, checks, _BASE, timeout, environ, progress)
    went: list[GateResult] = []
    detail = ""
    with _place(root, before, as_is) as place:
        try:
            _lay(place.folder, fitted(lambda path: look(place.folder, path), patches))
        except T2cError as error:
            detail = f"it does not fit: {not_fitting(error)}"
        else:
            went = _run(ledger, place, patch, checks, PURPOSE, timeout, environ, progress)
    applied = not detail
    attempts = tuple(
        Attempt(argv, one, base[number] if base else None)
        for number, (argv, one) in enumerate(zip(checks, went, strict=False))
    )
    passed = applied and all(one.went.passed for one in attempts)
    detail = detail or _told(attempts)
    event, seq = _recorded(
        ledger, patch, place.revision, before, applied, [*base, *went], went, passed, detail
    )
    changed = fingerprint(root).digest != before.digest
    return Trial(
        event, seq, place.revision, place.tree, bool(before.dirty), applied, passed, detail, attempts, changed
    )


@contextmanager
def _place(root: Path, found: Fingerprint, as_is: bool) -> Iterator[_Place]:
    if as_is:
        with scratch_copy(root) as tree:
            yield _Place(tree, "copy", found.revision or f"tree:{found.digest}")
        return
    if found.revision is None:
        raise Usage(
            "there is no commit here to try it on",
            where=str(root),
            safe=_SAFE,
            remedy="commit something first, or try it on a copy of the tree: --as-is",
        )
    with usable_repository(root) as git:
        commit = commit_of(git, "HEAD")
        top = git.work_tree
    below = "." if top is None else os.path.relpath(root.resolve(), Path(top).resolve())
    with detached(root, commit) as worktree:
        folder = worktree.path / below
        if not folder.is_dir():
            raise Usage(
                f"the last commit has no folder {below}",
                where=str(root),
                safe=_SAFE,
                remedy="commit it first, or try it on a copy of the tree: --as-is",
            )
        yield _Place(folder, "worktree", commit)


def _lay(folder: Path, wanted: Sequence[Wanted]) -> None:
    lay_over(folder, {one.path: one.after for one in wanted})
    try:
        for one in wanted:
            if one.mode is not None:
                (folder / one.path).chmod(one.mode & 0o777)
    except OSError as error:
        raise Environment(
            f"{error.filename} cannot be given its permissions: {error.strerror}", safe=_SAFE
        ) from error


def _run(
    ledger: Ledger,
    place: _Place,
    patch: Patch,
    checks: Sequence[tuple[str, ...]],
    purpose: str,
    timeout: int,
    environ: Mapping[str, str],
    progress: Progress,
) -> list[GateResult]:
    found = []
    for argv in checks:
        gate = Gate(
            purpose=purpose,
            argv=argv,
            subject=patch.id,
            tree=place.tree,
            revision=place.revision,
            timeout_seconds=timeout,
        )
        found.append(
            run_gate(
                ledger, place.folder, gate, environ=environ, progress=progress, cause=(patch.event,),
                before=fingerprint(place.folder) if place.tree == "worktree" else None,
            )
        )  # fmt: skip
    return found


def _told(attempts: Sequence[Attempt]) -> str:
    if not attempts:
        return "it fits; nothing was run"
    failed = sum(not one.went.passed for one in attempts)
    said = f"it fits; {len(attempts) - failed} of {len(attempts)} checks passed"
    same = [one for one in attempts if one.tells is False]
    if same:
        said += f"; {len(same)} went the same without the patch"
    return said


def _recorded(
    ledger: Ledger,
    patch: Patch,
    revision: str,
    before: Fingerprint,
    applied: bool,
    ran: Sequence[GateResult],
    went: Sequence[GateResult],
    passed: bool,
    detail: str,
) -> tuple[str, int]:
    from t2c.ledger.events.changes import ChangeTried

    payload = ChangeTried(
        patch=patch.hash,
        plans=patch.plans,
        revision=revision,
        dirty=bool(before.dirty),
        applied=applied,
        gates=tuple(one.ran for one in went),
        passed=passed,
        detail=detail,
    )
    cause = tuple(dict.fromkeys((patch.event, *(one.ran for one in ran))))
    (receipt,) = ledger.append([draft(payload, cause=cause)])
    ledger.sync()
    return receipt.id, receipt.seq
