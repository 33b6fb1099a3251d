"""`t2c init`: make a ledger."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from t2c.cli.actions.context import Context
from t2c.cli.actions.git_checks import expendable
from t2c.cli.actions.opening import make_ledger
from t2c.ledger.engine import write_git_files
from t2c.ledger.errors import Usage

__all__ = ["InitResult", "init"]


@dataclass(frozen=True, slots=True)
class InitResult:
    """`made` is False if the ledger was there already.

    `expendable` says which branch's checkout would overwrite it, null if none would.
    """

    schema: ClassVar[str] = "t2c.init/v1"
    ledger: str
    workspace: str
    made: bool
    tracked: bool
    expendable: str | None


def init(context: Context, *, track: bool = False) -> InitResult:
    """Make the ledger of the root; an existing one is left as it is.

    Raises Usage if `track` is asked of a ledger that was made without it, Environment if the folder cannot be
    written.
    """
    created = make_ledger(context, track=track)
    write_git_files(context.workspace, track)
    ignore = context.workspace / ".gitignore"
    tracked = "*" not in ignore.read_text(encoding="utf-8", errors="replace").splitlines()
    if track and not tracked:
        raise Usage(
            "this ledger is not tracked by Git",
            where=str(ignore),
            remedy=f"delete {ignore} and run `t2c init --track` again",
        )
    return InitResult(
        created.ledger, context.workspace.name, created.made, tracked, expendable(context).sentence or None
    )
