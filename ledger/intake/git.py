"""Reading a repository's history: one claim for each commit, and which commits stand (intent-evidence §2.2).

A commit claims something; what it changed is the evidence for it. A commit object never changes, so one that is
recorded is never read again. The history is that of the repository which contains the root. If the root is a
folder below the repository's top, paths are relative to the root, and commits that touch nothing under it
(merges and empty commits among them) are left out.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, field

from t2c.ledger.intake.base import (
    MAX_EXCERPT,
    Draft,
    Progress,
    Reading,
    Scope,
    Warning,
    no_progress,
    shortened,
)
from t2c.ledger.intake.git_command import GitUnusable, Repository, open_repository
from t2c.ledger.intake.git_log import Changes, Commit, read_changes, read_commits
from t2c.ledger.intake.mentions import mentions
from t2c.ledger.intake.text import action, object_of

__all__ = ["COMMIT_SOURCE", "EXTRACTOR", "History", "read_history"]

EXTRACTOR: Final = "t2c/git@1"
SOURCE: Final = "git"
COMMIT_SOURCE: Final = "git.commit"
"""Source of warnings about what one commit holds; their path is `commit:<sha>`.

A recorded commit is not read again, so its warnings do not come again either: they are never cleared.
"""

MAX_PATHS: Final = 200
"""Changed paths kept of one commit."""
MAX_MESSAGE: Final = 100_000
"""Characters of a commit message that are searched for tickets and versions."""

_KNOWN_ACTION: Final = 0.78
_UNKNOWN_ACTION: Final = 0.45
_CHANGED_PATHS: Final = 0.08
_MAIL: Final = re.compile(r"<[^<>\s@]{1,200}@[^<>\s]{1,200}>")
_UNREADABLE_TARGET: Final = re.compile(r"[/~]|.*://")


class History(Struct, frozen=True):
    """What was read of a history and what is known of the rest.

    `reading` holds the commits read now; `standing` those of `known` that HEAD still reaches, which need no
    reading. `reachable` are all commits that HEAD reaches, or None where that could not be determined (shallow
    clone, damage), and then nothing may be retracted. `total` counts the commits that are of interest: all
    reachable ones, or in a subfolder those that touch it.
    """

    reading: Reading
    head: str | None = None
    branch: str | None = None
    reachable: frozenset[str] | None = None
    total: int = 0
    shallow: bool = False
    standing: frozenset[str] = frozenset()


def read_history(
    root: Path,
    *,
    limit: int = 500,
    known: AbstractSet[str] = frozenset(),
    progress: Progress = no_progress,
) -> History:
    """Read the `limit` newest commits from HEAD, except those in `known`, which are recorded already.

    Where there is no history to read, or not all of it, a warning says so. Raises Environment if Git refuses
    the repository because another user owns it.
    """
    try:
        with open_repository(root) as repository:
            return _Reader(repository, limit, known, progress).history()
    except GitUnusable as problem:
        warning = Warning(SOURCE, None, problem.reason, problem.detail)
        return History(_reading((), [warning], complete=False))


def _reading(records: Sequence[Draft], warnings: Sequence[Warning], *, complete: bool) -> Reading:
    return Reading(Scope(SOURCE, None), EXTRACTOR, tuple(records), tuple(warnings), complete)


class _Listing(Struct):
    """Commits newest first: the whole number, the first few, all of them where asked, and how many known."""

    head: str | None = None
    total: int = 0
    first: list[str] = field(default_factory=list)
    all: set[str] = field(default_factory=set)
    known_later: int = 0


class _Reader:
    def __init__(
        self, repository: Repository, limit: int, known: AbstractSet[str], progress: Progress
    ) -> None:
        self.repository = repository
        self.limit = min(max(limit, 0), sys.maxsize)
        self.known = known
        self.progress = progress
        self.roots = repository.shallow_roots
        self.warnings: list[Warning] = []
        self.complete = True

    def history(self) -> History:
        repository = self.repository
        everything, failed = self._list("HEAD")
        if failed and not everything.total and repository.unborn:
            warning = Warning(SOURCE, None, "no_commits", "the repository has no commit yet")
            return History(_reading((), [warning], complete=True), None, repository.branch, frozenset())
        if failed:
            self._damaged(failed)
        listing = everything
        if not repository.at_top:
            listing, partly = self._list("--full-history", "HEAD", "--", ".")
            if partly:
                self._damaged(partly)
        cut = self.roots & everything.all
        if self.roots:
            self._shallow(len(cut) or 1)
        fresh = [sha for sha in listing.first if sha not in self.known and sha not in cut]
        older = listing.total - len(listing.first) - listing.known_later
        if older > 0:
            self._warn("older_commits", f"older than the {self.limit} newest commits; not read", older)
        records = self._read(fresh) if fresh else []
        whole = not failed and not self.roots
        return History(
            reading=_reading(records, self.warnings, complete=self.complete),
            head=everything.head,
            branch=repository.branch,
            reachable=frozenset(everything.all) if whole else None,
            total=listing.total,
            shallow=bool(self.roots),
            standing=frozenset(self.known & everything.all),
        )

    def _list(self, *arguments: str) -> tuple[_Listing, str | None]:
        """The commits that `git rev-list` names, and Git's complaint if it broke off."""
        listing = _Listing()
        try:
            with self.repository.output(
                "rev-list", *arguments, *(() if "--" in arguments else ("--",))
            ) as stream:
                for line in stream:
                    sha = line[:-1].decode("ascii")
                    listing.head = listing.head or sha
                    listing.total += 1
                    listing.all.add(sha)
                    if len(listing.first) < self.limit:
                        listing.first.append(sha)
                    elif sha in self.known:
                        listing.known_later += 1
        except GitUnusable as problem:
            if problem.reason != "git_failed":
                raise
            return listing, problem.detail
        return listing, None

    def _damaged(self, complaint: str) -> None:
        self._warn("git_failed", complaint)
        self.complete = False

    def _shallow(self, cut: int) -> None:
        self.complete = False
        self._warn(
            "shallow_history",
            "a shallow clone: the history before these commits is missing, and what they changed cannot be told, "
            "so they are not read; for the whole history run: git fetch --unshallow",
            cut,
        )

    def _warn(self, reason: str, detail: str, count: int = 1) -> None:
        self.warnings.append(Warning(SOURCE, None, reason, detail, count))

    def _read(self, shas: Sequence[str]) -> list[Draft]:
        """Drafts of these commits, newest first; one process reads the objects, one what they changed."""
        changes = self._changes(shas)
        records: list[Draft] = []
        self.progress(SOURCE, 0, len(shas))
        try:
            with self.repository.output("cat-file", "--batch", lines=shas) as stream:
                for done, commit in enumerate(read_commits(stream), 1):
                    changed = changes.get(commit.sha)
                    if changed is not None and (changed.count or not changed.hidden):
                        records.append(_draft(commit, changed))
                        self._note(commit, changed)
                    self.progress(SOURCE, done, len(shas))
        except GitUnusable as problem:
            self._damaged(problem.detail)
        return records

    def _changes(self, shas: Sequence[str]) -> Mapping[str, Changes]:
        """What each commit changed. Where Git breaks off, the last commit that it began is left out."""
        options = ["--raw", "--numstat", "-M"]
        partial = self.repository.partial
        if partial:
            options = ["--raw", "-M100%"]  # names only: file contents may be missing
            self._warn(
                "partial_clone", "a partial clone: lines were not counted, only exact renames were found"
            )
        found: dict[str, Changes] = {}
        last = ""
        arguments = [
            "--stdin",
            "-r",
            "--root",
            "-z",
            "--always",
            "-l1000",
            "--no-ext-diff",
            "--no-textconv",
            *options,
        ]
        try:
            with self.repository.output("diff-tree", *arguments, "--relative", lines=shas) as stream:
                for last, changes in read_changes(stream, MAX_PATHS, counted=not partial):
                    found[last] = changes
        except GitUnusable as problem:
            self._damaged(problem.detail)
            found.pop(last, None)
        return found

    def _note(self, commit: Commit, changes: Changes) -> None:
        """Warnings about what one commit holds."""
        place = f"commit:{commit.sha}"
        if (left_out := changes.count - len(changes.files)) > 0:
            detail = f"{changes.count} changed files; the first {MAX_PATHS} in byte order are kept"
            self.warnings.append(Warning(COMMIT_SOURCE, place, "many_paths", detail, left_out))
        if commit.undecodable is not None:
            detail = f"bytes that are not {commit.undecodable} are written as escapes"
            self.warnings.append(Warning(COMMIT_SOURCE, place, "undecodable_message", detail))
        if (left_out := len(commit.message) - MAX_MESSAGE) > 0:
            detail = f"the first {MAX_MESSAGE} characters were searched for tickets and versions"
            self.warnings.append(Warning(COMMIT_SOURCE, place, "long_message", detail, left_out))
        if commit.author.when is None:
            self.warnings.append(
                Warning(COMMIT_SOURCE, place, "unusable_date", "the author date is not a date")
            )


def _draft(commit: Commit, changes: Changes) -> Draft:
    subject = commit.subject
    message = mentions(commit.message[:MAX_MESSAGE])
    verb = action(subject)
    files = changes.files
    confidence = (_UNKNOWN_ACTION if verb == "unknown" else _KNOWN_ACTION) + (_CHANGED_PATHS if files else 0)
    basis = ("heuristic_action_dictionary", "commit_message", *(("changed_files",) if files else ()))
    return Draft(
        kind="commit_intent_claim",
        text=subject,
        object=object_of(subject, verb) or "unspecified",
        action=verb,
        cls="claim",
        status="implemented",
        confidence=confidence,
        basis=basis,
        revision=commit.sha,
        actor=commit.author.name or None,
        subject=f"commit:{commit.sha}",
        modality="claimed",
        polarity="positive",
        paths=tuple(file.path for file in files if not _UNREADABLE_TARGET.match(file.path)),
        symbols=mentions(subject).symbols,
        tickets=message.tickets,
        versions=message.versions,
        excerpt=shortened(_MAIL.sub("<…>", shortened(commit.message, 2 * MAX_EXCERPT)), MAX_EXCERPT),
        observed_at=commit.author.when,
        metadata=_metadata(commit, changes),
    )


def _metadata(commit: Commit, changes: Changes) -> dict[str, Any]:
    listed: list[dict[str, str]] = []
    for file in changes.files:
        listed.append({"status": file.status, "path": file.path})
        if file.previous is not None:
            listed[-1]["previousPath"] = file.previous
    found: dict[str, Any] = {
        "author": commit.author.name,
        "committer": commit.committer.name,
        "coAuthors": list(commit.co_authors),
        "committedAt": commit.committer.when,
        "parents": list(commit.parents),
        "merge": len(commit.parents) > 1,
        "docOnly": changes.count > 0 and changes.documentation_only,
        "changedFiles": listed,
        "filesChanged": changes.count,
        "additions": changes.additions,
        "deletions": changes.deletions,
    }
    if changes.count > len(changes.files):
        found["pathsOmitted"] = changes.count - len(changes.files)
    if commit.undecodable is not None:
        found["undecodable"] = commit.undecodable
    return found
