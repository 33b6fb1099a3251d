"""From one commit and what it changed to its record and the warnings about it (intent-evidence §2.2)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from t2c.ledger.events.targets import is_outside
from t2c.ledger.intake.base import MAX_EXCERPT, Draft, Warning, shortened
from t2c.ledger.intake.git_changes import Changes
from t2c.ledger.intake.git_log import Commit
from t2c.ledger.intake.git_message import MAX_TRAILERS, Trailers, agents, forms, trailers, without_mail
from t2c.ledger.intake.git_patch import MAX_BYTES, MAX_LINE, MAX_LINES
from t2c.ledger.intake.git_touched import MAX_NOTES
from t2c.ledger.intake.mentions import mentions
from t2c.ledger.intake.text import action_and_object

__all__ = ["COMMIT_SOURCE", "MAX_PATHS", "claim"]

COMMIT_SOURCE: Final = "git.commit"
"""Source of warnings about what one commit holds; their path is `commit:<sha>`.

A recorded commit is not read again, so its warnings do not come again either: they are never cleared.
"""

MAX_PATHS: Final = 200
"""Changed paths kept of one commit."""
MAX_SUBMODULES: Final = 200
"""Moved submodules kept of one commit."""
MAX_MESSAGE: Final = 100_000
"""Characters of a commit message that are searched for tickets and versions."""
MAX_VALUE: Final = 200
"""Characters kept of one trailer."""

_KNOWN_ACTION: Final = 0.78
_UNKNOWN_ACTION: Final = 0.45
_CHANGED_PATHS: Final = 0.08
_FOREIGN: Final = re.compile(
    r"^[ \t]{0,8}(?:<details>|#{1,4} Release notes\b|<summary>Release notes|Release notes$)",
    re.IGNORECASE | re.MULTILINE,
)
_MAIL: Final = re.compile(r"<[^<>\s@]{1,200}@[^<>\s]{1,200}>")


def claim(commit: Commit, changes: Changes, warnings: list[Warning]) -> Draft:
    """The record of one commit; what was left out of it is added to `warnings`."""
    subject = commit.subject
    text = commit.message[:MAX_MESSAGE]
    said = trailers(commit.message)
    found = mentions(_own(text))
    verb, about = action_and_object(subject)
    files = changes.files
    confidence = (_UNKNOWN_ACTION if verb == "unknown" else _KNOWN_ACTION) + (_CHANGED_PATHS if files else 0)
    basis = ("heuristic_action_dictionary", "commit_message", *(("changed_files",) if files else ()))
    warnings.extend(_left_out(commit, changes, said))
    excerpt = shortened(commit.message, 2 * MAX_EXCERPT)
    if "@" in excerpt:
        excerpt = _MAIL.sub("<…>", excerpt)
    return Draft(
        kind="commit_intent_claim",
        text=subject,
        object=about or "unspecified",
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
        paths=tuple(file.path for file in files if not is_outside(file.path)),
        symbols=found.symbols if text == subject else mentions(subject).symbols,
        tickets=found.tickets,
        versions=found.versions,
        excerpt=shortened(excerpt, MAX_EXCERPT),
        observed_at=commit.author.when,
        metadata=_metadata(commit, changes, said),
    )


def _own(text: str) -> str:
    """A message without the release notes of a dependency, which bots append: their numbers are not ours."""
    notes = _FOREIGN.search(text) if "elease" in text or "<details>" in text else None
    return text if notes is None else text[: notes.start()]


def _metadata(commit: Commit, changes: Changes, said: Trailers) -> dict[str, Any]:
    listed: list[dict[str, str]] = []
    for file in changes.files:
        listed.append({"status": file.status, "path": file.path})
        if file.previous is not None:
            listed[-1]["previousPath"] = file.previous
    merge = len(commit.parents) > 1
    found: dict[str, Any] = {
        "author": commit.author.name,
        "committer": commit.committer.name,
        "coAuthors": list(commit.co_authors),
        "committedAt": commit.committer.when,
        "parents": list(commit.parents),
        "merge": merge,
        "docOnly": changes.count > 0 and changes.documentation_only and not changes.submodules,
        "changedFiles": listed,
        "filesChanged": changes.count,
        "additions": changes.additions,
        "deletions": changes.deletions,
        "trailers": [
            {"key": key, "value": shortened(without_mail(value), MAX_VALUE)}
            for key, value in said.found[:MAX_TRAILERS]
        ],
        "agents": agents(commit.message, said.found),
        **forms(commit.subject, commit.message[:MAX_MESSAGE], merge=merge),
    }
    if changes.submodules:
        found["submodules"] = [
            {"path": moved.path, "from": moved.before, "to": moved.after}
            for moved in changes.submodules[:MAX_SUBMODULES]
        ]
    for name, count in (
        ("pathsOmitted", changes.count - len(changes.files)),
        ("filesUncounted", changes.uncounted),
        ("trailersUnparsed", said.unparsed),
    ):
        if count > 0:
            found[name] = count
    if commit.undecodable is not None:
        found["undecodable"] = commit.undecodable
    if changes.touched is not None:
        found["diff"] = changes.touched.diff
    return found


def _left_out(commit: Commit, changes: Changes, said: Trailers) -> Iterator[Warning]:
    """What the record of one commit does not hold."""
    place = f"commit:{commit.sha}"

    def warning(reason: str, detail: str, count: int = 1) -> Warning:
        return Warning(COMMIT_SOURCE, place, reason, detail, count)

    if (left_out := changes.count - len(changes.files)) > 0:
        detail = f"{changes.count} changed files; the first {MAX_PATHS} in byte order are kept"
        yield warning("many_paths", detail, left_out)
    if (left_out := len(changes.submodules) - MAX_SUBMODULES) > 0:
        detail = (
            f"{len(changes.submodules)} moved submodules; the first {MAX_SUBMODULES} in byte order are kept"
        )
        yield warning("many_submodules", detail, left_out)
    if (left_out := len(said.found) - MAX_TRAILERS) > 0:
        yield warning(
            "many_trailers", f"{len(said.found)} trailers; the first {MAX_TRAILERS} are kept", left_out
        )
    if said.unparsed:
        yield warning("unparsed_trailers", "lines among the trailers that are none", said.unparsed)
    if commit.undecodable is not None:
        detail = f"bytes that are not {commit.undecodable} are written as escapes"
        yield warning("undecodable_message", detail)
    if (left_out := len(commit.message) - MAX_MESSAGE) > 0:
        detail = f"the first {MAX_MESSAGE} characters were searched for tickets, versions and reverts"
        yield warning("long_message", detail, left_out)
    if (touched := changes.touched) is not None:
        if touched.lines:
            detail = f"changed lines beyond {MAX_LINES:,} or {MAX_BYTES:,} bytes, or longer than {MAX_LINE:,} bytes"
            yield warning("long_patch", detail, touched.lines)
        if touched.names:
            yield warning(
                "many_names", "changed names and definitions, after the most telling", touched.names
            )
        if touched.notes:
            detail = f"lines added to changelogs and task files; the first {MAX_NOTES} are kept"
            yield warning("many_notes", detail, touched.notes)
    if commit.author.when is None:
        yield warning("unusable_date", "the author date is not a date")
