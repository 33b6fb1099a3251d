"""`t2c compare [BASE]`: the user's files as they are beside a commit, both scanned into private ledgers.

Nothing is written below the root, not even a folder of ours, unless a place for artefacts is asked for; and what is
dirty is noted before anything else is done.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

import msgspec

from t2c.cli.actions.context import WORKSPACE, Context
from t2c.cli.actions.graph_diff import GraphSide, compared, document, whole
from t2c.cli.actions.opening import open_ledger
from t2c.cli.actions.scan import Scanned, StageRow, scan
from t2c.ledger.errors import Usage
from t2c.ledger.execution.fingerprint import fingerprint
from t2c.ledger.execution.private import private_folder
from t2c.ledger.execution.worktrees import commit_of, detached, usable_repository
from t2c.ledger.intake.git_command import GitUnusable, Repository
from t2c.ledger.kernel.ids import run_id
from t2c.projections.diffs.graph_diff import GraphDiff
from t2c.projections.diffs.graph_document import read_graph
from t2c.projections.diffs.trend import Coverage, coverage, trend
from t2c.projections.fold import fold
from t2c.projections.registry import ALL

__all__ = ["SCHEMA", "Comparison", "Side", "compare"]

SCHEMA: Final = "t2c.workspace-comparison/v1"
_BASES: Final = ("origin/main", "origin/master", "main")
_HEAD: Final = "HEAD"


class Side(NamedTuple):
    """One side as it was scanned: its graph, its coverage, and its views by file name if they are kept."""

    graph: GraphSide
    coverage: Coverage | None
    views: Mapping[str, bytes]
    run: str
    stages: Sequence[StageRow]
    failure: str | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """`document` is the published form; `diff` and the sides are what artefacts are made of. `notices` say what made
    a side incomplete. `run` names this comparison."""

    schema: ClassVar[str] = SCHEMA
    document: Mapping[str, Any]
    diff: GraphDiff
    base: Side
    workspace: Side
    notices: Sequence[str]
    run: str


class _Apart(Context):
    """A context whose ledger lies elsewhere than below its root."""

    apart: Path

    @property
    def workspace(self) -> Path:
        return self.apart


class _Start(NamedTuple):
    """What is so before anything is done. `prefix` leads from the top of the repository to the root."""

    ref: str
    commit: str
    head: str
    changed: tuple[str, ...]
    ahead: int
    behind: int
    prefix: str


def compare(
    context: Context, base: str | None = None, *, leave_out: str | None = None, keep: bool = False
) -> Comparison:
    """Scan the root and a commit with the same settings, and compare what comes out.

    `base` is a branch, tag or commit; without it the upstream of the branch, origin/main, origin/master or main.
    `leave_out` is a folder below the root that counts for nothing; `keep` keeps the views of both sides. Raises Usage if there is no such commit, or the root
    is not in it; Environment where there is no repository.
    """
    start = _start(context, base, leave_out)
    with detached(context.root, start.commit) as tree, private_folder() as folder:
        root = tree.path / start.prefix
        if not root.is_dir():
            raise Usage(
                f"{start.ref} has no folder {start.prefix}",
                safe="nothing was changed",
                remedy="compare with a commit that has it, or give another --root",
            )
        context.progress(f"scan {start.ref}", 0, None)
        former = _scanned(_apart(context, root, folder / "base", leave_out), keep)
        context.progress("scan workspace", 0, None)
        present = _scanned(_apart(context, context.root, folder / "workspace", leave_out), keep)
    diff = compared((former.graph, present.graph))
    times = [side.graph.graph.generatedAt for side in (former, present)]
    found = {
        "schemaVersion": SCHEMA,
        "generatedAt": max(times),
        "base": {"ref": start.ref, "commit": start.commit, **_told(former)},
        "workspace": {
            "headCommit": start.head,
            "dirty": bool(start.changed),
            "changedFiles": list(start.changed),
            "ahead": start.ahead,
            "behind": start.behind,
            **_told(present),
        },
        "trend": _trend(former, present),
        "diff": document(diff),
        "artifacts": {},
    }
    run = run_id(diff.fingerprint, max(times))
    return Comparison(found, diff, former, present, list(_notices(start, former, present)), run)


def _start(context: Context, base: str | None, leave_out: str | None) -> _Start:
    changed = [item.path for item in fingerprint(context.root).changed if item.told]
    if leave_out is not None:
        changed = [path for path in changed if not f"{path}/".startswith(f"{leave_out}/")]
    with usable_repository(context.root) as git:
        head = _head(git)
        ref = base if base is not None else _default(git)
        commit = commit_of(git, ref)
        prefix = _said(git, "rev-parse", "--show-prefix").removesuffix("\n").removesuffix("/")
        counts = _said(git, "rev-list", "--left-right", "--count", f"{commit}...{head}").split()
    behind, ahead = (int(count) for count in counts)
    return _Start(ref, commit, head, tuple(changed), ahead, behind, prefix)


def _head(git: Repository) -> str:
    try:
        return commit_of(git, _HEAD)
    except Usage:
        raise Usage(
            "this repository has no commit yet, so there is nothing to compare with",
            safe="nothing was changed",
            remedy="commit something first",
        ) from None


def _default(git: Repository) -> str:
    """What a workspace is compared with if nobody says. Raises Usage, naming how to say it."""
    upstream = _said(git, "rev-parse", "--symbolic-full-name", "--abbrev-ref", "@{upstream}").strip()
    for name in (upstream, *_BASES):
        if name and _said(git, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}"):
            return name
    raise Usage(
        f"nothing to compare with: the branch has no upstream, and there is no {', '.join(_BASES[:-1])} or {_BASES[-1]}",
        safe="nothing was changed",
        remedy="name it: t2c compare BRANCH, or a tag or commit; HEAD compares with the last commit",
    )


def _said(git: Repository, *arguments: str) -> str:
    """What Git says; empty if it fails."""
    try:
        with git.output(*arguments) as out:
            return out.read().decode("utf-8", "surrogateescape")
    except GitUnusable:
        return ""


def _apart(context: Context, root: Path, folder: Path, leave_out: str | None) -> Context:
    """The same surroundings at another root, with a ledger that nobody keeps."""
    exclude = context.settings.scan.exclude + ((f"/{leave_out}/",) if leave_out is not None else ())
    settings = context.settings._replace(
        durability="none", scan=context.settings.scan._replace(exclude=exclude)
    )
    folder.mkdir()
    made = _Apart(*context._replace(root=root.resolve(), settings=settings))
    made.apart = folder / WORKSPACE
    return made


def _scanned(context: Context, keep: bool) -> Side:
    scanned: Scanned = scan(context)
    names = [name for name in ("graph", "reality", "diagnostics", "runs") if name in ALL]
    with open_ledger(context) as ledger:
        folded = fold(ledger.journal, ALL, names)
        views = {file: whole(content) for name in names for file, content in folded.artifacts(name).items()}
    graph = GraphSide(read_graph(views["graph.json"]), {}, None, None)
    result = scanned.result
    failure = None if scanned.failure is None else scanned.failure.what
    return Side(graph, _coverage(views), views if keep else {}, result.run or "", result.table, failure)


def _coverage(views: Mapping[str, bytes]) -> Coverage | None:
    """The coverage that the views of one side show; None if this version makes no view of reality."""
    if "reality.json" not in views:
        return None
    totals = msgspec.json.decode(views["reality.json"], type=dict[str, Any])["totals"]
    counts = None
    if "diagnostics.json" in views:
        counts = msgspec.json.decode(views["diagnostics.json"], type=dict[str, Any])["counts"]
    return coverage(totals, counts)


def _told(side: Side) -> dict[str, Any]:
    shown = None if side.coverage is None else side.coverage.document()
    return {"graphFingerprint": side.graph.graph.fingerprint, "coverage": shown}


def _trend(base: Side, workspace: Side) -> dict[str, Any] | None:
    if base.coverage is None or workspace.coverage is None:
        return None
    found: dict[str, Any] = msgspec.to_builtins(trend(base.coverage, workspace.coverage))
    return found


def _notices(start: _Start, base: Side, workspace: Side) -> Iterator[str]:
    for name, side in ((start.ref, base), ("the workspace", workspace)):
        if side.failure is not None:
            yield f"{name} was not read whole: {side.failure}"
