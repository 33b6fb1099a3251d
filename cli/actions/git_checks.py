"""What `t2c doctor` and `t2c init` look at in Git: merges of the journal, and checkouts that would overwrite it."""

from __future__ import annotations

import shlex
import shutil
from typing import Final, NamedTuple

from t2c.cli.actions.check import Check
from t2c.cli.actions.context import Context
from t2c.ledger.engine import JOURNAL
from t2c.ledger.errors import Environment
from t2c.ledger.intake.git_command import GitUnusable, Repository, open_repository

__all__ = ["REMEDY", "Expendable", "expendable", "merges", "tracking", "warning"]

_REFS: Final = 200
_IN_THE_WAY: Final = ("REBASE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD")


class Expendable(NamedTuple):
    """A ref that tracks a ledger where this one, which Git ignores, lies. `unread` if there are refs not looked at."""

    ref: str | None
    unread: bool

    @property
    def sentence(self) -> str:
        """What is at stake; empty if nothing is."""
        if self.ref is None:
            return ""
        return (
            f"Git ignores this ledger, and {self.ref} tracks one at the same place: git switch, checkout or pull of it "
            "would overwrite this journal without asking"
        )


REMEDY: Final = (
    "before that, move this ledger out of the work tree; then take its events in: t2c ledger merge FOLDER"
)


def merges(context: Context) -> Check:
    """Whether a merge of the journal is left undone, and whether Git, if told to merge it with t2c, can."""
    from t2c.cli.actions.git_driver import is_asked_for

    try:
        with open_repository(context.root) as repository:
            undone = _undone(repository, context)
            if undone is not None:
                return undone
            driver = _driver(repository)
    except GitUnusable:
        driver = None
    if not is_asked_for(context.workspace):
        return Check("merges", "ok", "Git leaves journals that both changed to `t2c ledger merge`")
    remedy = "t2c init --git-merge-driver --write"
    if driver is None:
        what = ".gitattributes asks for the merge driver t2c, which this clone does not have: Git would merge as text"
        return Check("merges", "note", what, remedy)
    program = _program(driver)
    if shutil.which(program) is None:
        what = f"the merge driver of this clone cannot be run: {program} is not found; a merge would end in a conflict"
        return Check(
            "merges", "note", what, f"{remedy}, by the path of the program if t2c is not on the PATH"
        )
    return Check("merges", "ok", "Git merges journals with t2c")


def tracking(context: Context) -> Check:
    """Whether a checkout could overwrite the journal."""
    found = expendable(context)
    if found.ref is not None:
        return Check("tracking", "note", found.sentence, REMEDY)
    if found.unread:
        what = f"none of the newest {_REFS} refs tracks a ledger in the place of this ignored one; older ones were not asked"
        return Check("tracking", "ok", what)
    return Check("tracking", "ok", "no other branch tracks a ledger in the place of an ignored one")


def warning(context: Context) -> str | None:
    """What to say where a ledger was made that a checkout would overwrite; None if none would."""
    sentence = expendable(context).sentence
    return f"{sentence}; {REMEDY}" if sentence else None


def expendable(context: Context) -> Expendable:
    """Find a ref whose checkout would overwrite this ledger: Git takes what it ignores for expendable.

    Looks at the newest 200 refs.
    """
    root, inside = context.root, f"{context.workspace.name}/{JOURNAL}"
    if not any((folder / ".git").exists() for folder in (root, *root.parents)):
        return Expendable(None, False)
    try:
        with open_repository(root) as repository:
            if not _said(repository, "ls-files", "-o", "-i", "--exclude-standard", "-z", "--", inside):
                return Expendable(None, False)
            rows = _said(
                repository,
                "for-each-ref",
                f"--count={_REFS + 1}",
                "--sort=-creatordate",
                "--format=%(objectname) %(refname:short)",
            ).splitlines()
            prefix = _said(repository, "rev-parse", "--show-prefix").removesuffix("\n")
            refs = [row.split(" ", 1) for row in rows[:_REFS]]
            wanted = [f"{commit}:{prefix}{inside}" for commit, _ in refs]
            with repository.output("cat-file", "--batch-check", lines=wanted) as out:
                answers = out.read().decode("utf-8", "replace").splitlines()
    except (GitUnusable, Environment):
        return Expendable(None, False)
    for (_, name), answer in zip(refs, answers, strict=False):
        if " blob " in answer and not answer.endswith(" missing"):
            return Expendable(name, len(rows) > _REFS)
    return Expendable(None, len(rows) > _REFS)


def _undone(repository: Repository, context: Context) -> Check | None:
    """A merge of the journal that Git began and that ended in a conflict."""
    folder = context.workspace.name
    inside = f"{folder}/{JOURNAL}"
    if not _said(repository, "ls-files", "-u", "-z", "--", inside):
        return None
    steps = [f"git restore --source=HEAD --staged --worktree {folder}"]
    steps += [f"t2c ledger merge git:{other}" for other in _others(repository)]
    return Check(
        "merges",
        "note",
        "Git did not merge the journal: its index holds the versions of both sides, and what is added now decides "
        "whose events are lost",
        " && ".join([*steps, f"git add {folder}"]),
    )


def _others(repository: Repository) -> list[str]:
    """What is being merged: in an octopus merge several commits."""
    file = repository.root / _said(repository, "rev-parse", "--git-path", "MERGE_HEAD").removesuffix("\n")
    try:
        heads = file.read_text("ascii").split()
    except (OSError, UnicodeDecodeError):
        heads = []
    if len(heads) == 1:
        return ["MERGE_HEAD"]
    if heads:
        return [head[:12] for head in heads]
    for name in _IN_THE_WAY:
        where = _said(repository, "rev-parse", "--git-path", name).removesuffix("\n")
        if (repository.root / where).exists():
            return [name]
    # Nothing under way: what Git could not bring back from the stash stays there.
    stash = _said(repository, "for-each-ref", "refs/stash")
    return ["stash" if stash else "BRANCH"]


def _driver(repository: Repository) -> str | None:
    try:
        return _said(repository, "config", "merge.t2c.driver").strip() or None
    except GitUnusable:
        return None


def _program(driver: str) -> str:
    try:
        words = shlex.split(driver)
    except ValueError:
        words = []
    return words[0].replace("%%", "%") if words else driver


def _said(repository: Repository, *arguments: str) -> str:
    with repository.output(*arguments) as out:
        return out.read().decode("utf-8", "surrogateescape")
