"""Reading a repository's history: one claim for each commit, and which commits stand (intent-evidence §2.2).

A commit claims something; what it changed is the evidence for it. A commit object never changes, so one that is
recorded is never read again, and a history that looks as it was seen before is not listed again. The history is
that of the repository which contains the root. If the root is a folder below the repository's top, paths are
relative to the root, and commits that touch nothing under it (merges and empty commits among them) are left out.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Final, NamedTuple

from msgspec import Struct, field

from t2c.ledger.intake import git_people, git_tags
from t2c.ledger.intake.base import Draft, Progress, Reading, Scope, Warning, no_progress
from t2c.ledger.intake.git_changes import ChangeReader
from t2c.ledger.intake.git_claim import COMMIT_SOURCE, MAX_PATHS, claim
from t2c.ledger.intake.git_command import GitUnusable, Repository, open_repository
from t2c.ledger.intake.git_log import read_commits
from t2c.ledger.intake.git_seen import Seen, digest_of, known_mark, look, stands
from t2c.ledger.redaction.funnel import Funnel

__all__ = ["ALL", "COMMIT_SOURCE", "EXTRACTOR", "History", "Seen", "history_stands", "read_history"]

EXTRACTOR: Final = "t2c/git@5"
SOURCE: Final = "git"
ALL: Final = 0
"""As a limit: the whole history."""
_RULES: Final = f"{EXTRACTOR} {git_tags.EXTRACTOR} {git_people.EXTRACTOR}"


class History(Struct, frozen=True):
    """What was read of a history and what is known of the rest.

    `reading` holds the commits read now; `standing` those of `known` that HEAD still reaches, which need no
    reading. `reachable` are commits that HEAD reaches, all that are known or were read now among them, or None
    where that could not be determined (shallow clone, damage), and then nothing may be retracted. `total` counts
    the commits that are of interest: all reachable ones, or in a subfolder those that touch it.

    `further` are the readings of tags (scope `refs/tags`) and of names (scope `.mailmap`), each complete by
    itself; one that is missing was not read, since it is as it was seen before. `seen` is to be kept for the next
    time; None if something could not be read. `unchanged` says that all was as it was seen: nothing was read.
    """

    reading: Reading
    head: str | None = None
    branch: str | None = None
    reachable: frozenset[str] | None = None
    total: int = 0
    shallow: bool = False
    standing: frozenset[str] = frozenset()
    further: tuple[Reading, ...] = ()
    seen: Seen | None = None
    unchanged: bool = False


def history_stands(root: Path, seen: Seen, known: AbstractSet[str], *, limit: int = ALL) -> bool:
    """True if `read_history` would read nothing: a look at a few files, without Git."""
    return seen.rules == _RULES and seen.limit == _limit(limit) and stands(seen, root, known)


def read_history(
    root: Path,
    *,
    limit: int = ALL,
    known: AbstractSet[str] = frozenset(),
    seen: Seen | None = None,
    progress: Progress = no_progress,
    funnel: Funnel | None = None,
) -> History:
    """Read the `limit` newest commits from HEAD, except those in `known`, which are recorded already.

    `seen` is what the last reading gave, if the ledger still holds what it held then. `funnel` keeps secrets out of
    what is told of patches; without it those are kept out that are told by their looks. Where there is no history
    to read, or not all of it, a warning says so. Raises Environment if Git refuses the repository because another
    user owns it.
    """
    if seen is not None and history_stands(root, seen, known, limit=limit):
        return _as_seen(seen, known)
    looked = look(root)  # before anything is read: what changes meanwhile is noticed the next time
    try:
        with open_repository(root) as repository:
            return _Reader(repository, limit, known, seen, looked, progress, funnel or Funnel()).history()
    except GitUnusable as problem:
        warning = Warning(SOURCE, None, problem.reason, problem.detail)
        return History(_reading((), [warning], complete=False))


def _limit(limit: int) -> int:
    return limit if 0 < limit < sys.maxsize else ALL


def _as_seen(seen: Seen, known: AbstractSet[str]) -> History:
    standing = frozenset(known)
    return History(
        reading=_reading((), seen.warnings, complete=seen.complete),
        head=seen.head,
        branch=seen.branch,
        reachable=None if seen.shallow else standing,
        total=seen.total,
        shallow=seen.shallow,
        standing=standing,
        seen=seen,
        unchanged=True,
    )


def _reading(records: Sequence[Draft], warnings: Sequence[Warning], *, complete: bool) -> Reading:
    return Reading(Scope(SOURCE, None), EXTRACTOR, tuple(records), tuple(warnings), complete)


class _Listing(Struct):
    """Commits newest first: the whole number, the first few, all of them where asked, and how many known."""

    head: str | None = None
    total: int = 0
    first: list[str] = field(default_factory=list)
    all: set[str] = field(default_factory=set)
    known_later: int = 0


class _Found(NamedTuple):
    """Which commits are to be read, and what is known of the others. `reached` as `History.reachable`."""

    head: str | None
    fresh: list[str]
    reached: frozenset[str]
    total: int
    gone: bool = True
    since: str | None = None


class _Reader:
    def __init__(
        self,
        repository: Repository,
        limit: int,
        known: AbstractSet[str],
        seen: Seen | None,
        looked: str | None,
        progress: Progress,
        funnel: Funnel,
    ) -> None:
        self.repository = repository
        self.limit = _limit(limit)
        self.known = known
        self.seen = seen if seen is not None and seen.rules == _RULES else None
        self.looked = looked
        self.progress = progress
        self.funnel = funnel
        self.roots = repository.shallow_roots
        self.warnings: list[Warning] = []
        self.about_commits: list[Warning] = []
        self.damaged = False
        self.unborn = False
        self.edges = ""

    def history(self) -> History:
        tags, tags_mark = self._tags()
        found = self._newer() or self._listed()
        shallow = bool(self.roots)
        if self.repository.partial:
            self._warn(
                "partial_clone", "a partial clone: lines were not counted, only exact renames were found"
            )
        whole = (
            not self.damaged and not shallow
        )  # what HEAD reaches; a commit that cannot be read is reached too
        records = self._read(found.fresh) if found.fresh else []
        people, mailmap, names = self._people(found)
        further = tuple(reading for reading in (tags, people) if reading is not None)
        seen = None
        whole_now = not self.damaged and all(reading.complete for reading in further)
        if whole_now and found.head is not None and self.looked is not None:
            read = {draft.revision for draft in records if draft.revision is not None}
            kept = self.known & found.reached if whole else self.known
            seen = Seen(
                rules=_RULES,
                look=self.looked,
                limit=self.limit,
                known=known_mark(read | kept),
                head=found.head,
                branch=self.repository.branch,
                tags=tags_mark,
                edges=self.edges,
                mailmap=mailmap,
                total=found.total,
                shallow=shallow,
                complete=not shallow,
                warnings=(*self.warnings, *(item for reading in further for item in reading.warnings)),
                aliases=dict(names),
            )
        return History(
            reading=_reading(
                records, [*self.warnings, *self.about_commits], complete=not self.damaged and not shallow
            ),
            head=found.head,
            branch=self.repository.branch,
            reachable=found.reached if whole else None,
            total=found.total,
            shallow=shallow,
            standing=frozenset(self.known & found.reached),
            further=further,
            seen=seen,
        )

    # --- which commits ------------------------------------------------------------------------------------

    def _newer(self) -> _Found | None:
        """What HEAD reaches now and did not when it was seen, and the other way round; None if that says too little."""
        seen = self.seen
        if (
            seen is None
            or (seen.limit, self.limit) != (ALL, ALL)
            or seen.edges != self.edges
            or self.roots
            or not self.repository.at_top
            or seen.known != known_mark(self.known)
        ):
            return None
        new: list[str] = []
        gone: set[str] = set()
        try:
            with self.repository.output("rev-parse", "--verify", "--quiet", "HEAD^{commit}") as stream:
                head = stream.read().decode("ascii", "replace").strip()
            if head != seen.head:
                between = f"{head}...{seen.head}"
                with self.repository.output("rev-list", "--left-right", between, "--") as stream:
                    for line in stream:
                        sha = line[1:-1].decode("ascii")
                        new.append(sha) if line[:1] == b"<" else gone.add(sha)
        except GitUnusable:
            return None
        reached = frozenset((self.known - gone) | set(new))
        fresh = [sha for sha in new if sha not in self.known]
        return _Found(head, fresh, reached, seen.total + len(new) - len(gone), bool(gone), seen.head)

    def _listed(self) -> _Found:
        """All that HEAD reaches, and of it the newest that are to be read."""
        repository = self.repository
        everything, failed = self._list("HEAD", "--")
        if failed and not everything.total and repository.unborn:
            self.unborn = True
            self._warn("no_commits", "the repository has no commit yet")
            return _Found(None, [], frozenset(), 0)
        if failed:
            self._damaged(failed)
        listing = everything
        if not repository.at_top:
            listing, partly = self._list("--full-history", "HEAD", "--", ".")
            if partly:
                self._damaged(partly)
        cut = self.roots & everything.all
        if self.roots:
            self._warn(
                "shallow_history",
                "a shallow clone: the history before these commits is missing, and what they changed cannot be told, "
                "so they are not read; for the whole history run: git fetch --unshallow",
                len(cut) or 1,
            )
        fresh = [sha for sha in listing.first if sha not in self.known and sha not in cut]
        older = listing.total - len(listing.first) - listing.known_later
        if older > 0:
            self._warn("older_commits", f"older than the {self.limit} newest commits; not read", older)
        return _Found(everything.head, fresh, frozenset(everything.all), listing.total)

    def _list(self, *arguments: str) -> tuple[_Listing, str | None]:
        """The commits that `git rev-list` names, and Git's complaint if it broke off."""
        listing = _Listing()
        most = self.limit or sys.maxsize
        try:
            with self.repository.output("rev-list", *arguments) as stream:
                for line in stream:
                    sha = line[:-1].decode("ascii")
                    listing.total += 1
                    listing.all.add(sha)
                    if listing.total <= most:
                        listing.first.append(sha)
                    elif sha in self.known:
                        listing.known_later += 1
        except GitUnusable as problem:
            if problem.reason != "git_failed":
                raise
            return listing, problem.detail
        finally:
            listing.head = listing.first[0] if listing.first else None
        return listing, None

    # --- what they say ------------------------------------------------------------------------------------

    def _read(self, shas: Sequence[str]) -> list[Draft]:
        """Drafts of these commits, newest first; one process reads the objects, others what they changed."""
        reader = ChangeReader(self.repository, MAX_PATHS, self.funnel)
        records: list[Draft] = []
        lost = 0
        self.progress(SOURCE, 0, len(shas))
        try:
            with self.repository.output("cat-file", "--batch", lines=shas) as stream:
                commits = read_commits(stream)
                commit = next(commits, None)
                for done, (sha, changes) in enumerate(reader.read(shas), 1):
                    self.progress(SOURCE, done, len(shas))
                    if commit is None or commit.sha != sha:
                        lost += 1
                        continue
                    if changes is None:
                        lost += 1
                    elif changes.count or changes.submodules or not changes.hidden:
                        records.append(claim(commit, changes, self.about_commits))
                        if changes.additions is None and reader.counted:
                            self._uncounted(sha)
                    commit = next(commits, None)
        except GitUnusable as problem:
            self._damaged(problem.detail)
        if lost:
            self._damaged(reader.complaint or "commits that are listed could not be read", lost)
        return records

    def _uncounted(self, sha: str) -> None:
        detail = "the repository lacks contents of its files: lines were not counted, only exact renames were found"
        self.about_commits.append(Warning(COMMIT_SOURCE, f"commit:{sha}", "lines_not_counted", detail))

    def _tags(self) -> tuple[Reading | None, str]:
        """The tags if they are not as they were seen, and their mark; also how the history's edges are cut."""
        try:
            refs = git_tags.list_refs(self.repository)
        except GitUnusable as problem:
            if problem.reason != "git_failed":
                raise
            warning = Warning(SOURCE, git_tags.PLACE, problem.reason, problem.detail)
            return Reading(Scope(SOURCE, git_tags.PLACE), git_tags.EXTRACTOR, (), (warning,), False), ""
        grafts = self.repository.grafts
        self.edges = digest_of((sorted(self.roots), grafts, refs.replaced, self.repository.partial))
        if refs.replaced:
            detail = "objects that refs/replace gives another form; they were read as they were made"
            self._warn("replace_refs", detail, refs.replaced)
        if grafts:
            detail = "commits to which info/grafts gives other parents; they were read with their own"
            self._warn("grafts", detail, grafts)
        mark = digest_of(refs.tags)
        if self.seen is not None and self.seen.tags == mark:
            self._still(git_tags.PLACE)
            return None, mark
        return git_tags.read_tags(self.repository, refs.tags), mark

    def _people(self, found: _Found) -> tuple[Reading | None, str, git_people.Aliases]:
        """The names, if they may have become others."""
        mark = git_people.mailmap_of(self.repository)
        seen = self.seen
        same = seen is not None and seen.mailmap == mark
        if same and seen is not None and (not mark or seen.head == found.head):
            self._still(git_people.PLACE)
            return None, mark, seen.aliases
        if not mark or found.head is None:
            return git_people.people({}), mark, {}
        known: git_people.Aliases | None = None
        try:
            if same and seen is not None and found.since is not None and not found.gone:
                known = git_people.aliases(self.repository, seen.aliases, (found.head, f"^{found.since}"))
            if known is None:
                known = git_people.aliases(self.repository, {}, ("HEAD",)) or {}
        except GitUnusable as problem:
            return git_people.unread(problem), mark, {}
        return git_people.people(known), mark, known

    # --- what is not well ---------------------------------------------------------------------------------

    def _still(self, place: str) -> None:
        """Warnings about what is not read again, since it is as it was seen."""
        assert self.seen is not None
        self.warnings.extend(item for item in self.seen.warnings if item.path == place)

    def _damaged(self, complaint: str, count: int = 1) -> None:
        self._warn("git_failed", complaint, count)
        self.damaged = True

    def _warn(self, reason: str, detail: str, count: int = 1) -> None:
        self.warnings.append(Warning(SOURCE, None, reason, detail, count))
