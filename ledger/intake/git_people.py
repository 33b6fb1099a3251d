"""Whose names are one person's, as `.mailmap` says (gitmailmap(5)).

A commit's record holds its names as they are written, for a commit never changes while `.mailmap` does. What the
file makes of a written name is a record of its own, so an edit of it observes a few of these again and no commit.
Mail addresses decide which name is meant and are not recorded.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Final

from t2c.ledger.intake.base import Draft, Reading, Scope, Warning
from t2c.ledger.intake.git_command import GitUnusable, Repository

__all__ = ["EXTRACTOR", "PLACE", "Aliases", "aliases", "mailmap_of", "people", "unread"]

EXTRACTOR: Final = "t2c/git-mailmap@1"
PLACE: Final = ".mailmap"
MAX_ALIASES: Final = 5000
"""Written names kept that the file gives another form."""

_SOURCE: Final = "git"
_FORM: Final = "--format=%an%x00%aN%x00%cn%x00%cN"
_FILE_ONLY: Final = ("-c", "mailmap.file=", "-c", "mailmap.blob=")
_BARE: Final = ("-c", "mailmap.file=", "-c", "mailmap.blob=HEAD:.mailmap")

Aliases = Mapping[str, tuple[str, ...]]
"""By written name the names that it stands for, in byte order; more than one if its addresses differ."""


def mailmap_of(repository: Repository) -> str:
    """What decides the names: a mark of `.mailmap`, empty if there is none. A bare repository has that of HEAD."""
    if repository.work_tree is None:
        try:
            with repository.output("rev-parse", "--verify", "--quiet", f"HEAD:{PLACE}") as stream:
                return stream.read().decode("ascii", "replace").strip()
        except GitUnusable:
            return ""
    file = repository.work_tree / PLACE
    try:
        if not stat.S_ISREG(file.lstat().st_mode):  # Git follows no link here
            return ""
        return sha256(file.read_bytes()).hexdigest()
    except OSError:
        return ""


def aliases(repository: Repository, known: Aliases, revisions: Sequence[str]) -> Aliases | None:
    """`known` and what the authors and committers of the `revisions` (of `git rev-list`) add to it.

    None if it cannot be told from these commits alone, because a name is given another form that others of the
    history may bear as it is written. Raises GitUnusable.
    """
    found: dict[str, set[str]] = {}
    for written, proper in _names(repository, revisions):
        found.setdefault(written, set()).add(proper)
    whole = "HEAD" in revisions
    merged = dict(known)
    for written, forms in found.items():
        if written in merged:
            merged[written] = tuple(sorted(forms.union(merged[written])))
        elif forms != {written}:
            if not whole:
                return None
            merged[written] = tuple(sorted(forms))
    return merged


def _names(repository: Repository, revisions: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(as written, as the file has it) of each author and committer, each pair of a commit once."""
    options = _BARE if repository.work_tree is None else _FILE_ONLY
    seen: set[bytes] = set()
    with repository.output(*options, "rev-list", "--encoding=UTF-8", _FORM, *revisions, "--") as stream:
        for line in stream:
            if line.startswith(b"commit ") and b"\0" not in line:
                continue
            if line in seen:
                continue
            seen.add(line)
            names = [
                name.decode("utf-8", "backslashreplace").strip() for name in line.rstrip(b"\n").split(b"\0")
            ]
            if len(names) == 4:
                for written, proper in (names[:2], names[2:]):
                    if written and proper:
                        yield written, proper


def people(found: Aliases) -> Reading:
    """One `git_identity_declaration` for each written name that stands for another."""
    records = [_draft(written, found[written]) for written in sorted(found)[:MAX_ALIASES]]
    warnings = []
    if (left_out := len(found) - MAX_ALIASES) > 0:
        detail = f"{len(found)} names have another form; the first {MAX_ALIASES} in byte order are kept"
        warnings.append(Warning(_SOURCE, PLACE, "many_aliases", detail, left_out))
    return Reading(Scope(_SOURCE, PLACE), EXTRACTOR, tuple(records), tuple(warnings))


def unread(problem: GitUnusable) -> Reading:
    """The reading where Git could not tell the names."""
    warning = Warning(_SOURCE, PLACE, problem.reason, problem.detail)
    return Reading(Scope(_SOURCE, PLACE), EXTRACTOR, (), (warning,), complete=False)


def _draft(written: str, proper: tuple[str, ...]) -> Draft:
    canonical = proper[0] if len(proper) == 1 else None
    return Draft(
        kind="git_identity_declaration",
        text=written,
        object=canonical or written,
        action="declare",
        cls="declaration",
        status="unknown",
        confidence=0.98 if canonical else 0.5,
        basis=("mailmap",),
        symbol=written,
        subject=written,
        modality="observed",
        metadata={"written": written, "canonical": canonical, "candidates": list(proper)},
    )
