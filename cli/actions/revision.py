"""The commit and branch that the work tree stands at, for runs that read no history."""

from __future__ import annotations

from pathlib import Path

__all__ = ["standing_at"]


def standing_at(root: Path) -> tuple[str | None, str | None]:
    """(commit, branch) at HEAD, as a scan records them; None for what is not there, as without Git or any commit."""
    from t2c.ledger.intake.git_command import GitUnusable, open_repository

    try:
        with open_repository(root) as git:
            branch = git.branch
            try:
                with git.output("rev-parse", "--verify", "--quiet", "HEAD^{commit}") as out:
                    return out.read().decode("ascii", "replace").strip() or None, branch
            except GitUnusable:
                return None, branch
    except GitUnusable:
        return None, None
