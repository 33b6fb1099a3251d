"""Switching off the programs that Git would run over files: filters of any configuration, such as those of Git LFS."""

from __future__ import annotations

import re
from typing import Final

from t2c.ledger.errors import Environment
from t2c.ledger.intake.git_command import Repository

__all__ = ["without_filters"]

_FILTER: Final = re.compile(rb"filter\.(.+)\.(?:clean|smudge|process|required)", re.DOTALL)


def without_filters(git: Repository) -> list[str]:
    """Options that make each filter of any configuration do nothing. Raises Environment for one that they cannot name."""
    with git.output("config", "-z", "--name-only", "--list") as out:
        names = {found[1] for key in out.read().split(b"\0") if (found := _FILTER.fullmatch(key))}
    options: list[str] = []
    for name in sorted(names):
        text = name.decode("utf-8", "surrogateescape")
        if "=" in text:
            raise Environment(
                f"the filter {text!r} cannot be switched off, since its name holds an equals sign",
                safe="nothing was changed",
                remedy="rename it in the configuration of Git",
            )
        for value in ("clean=", "smudge=", "process=", "required=false"):
            options += ["-c", f"filter.{text}.{value}"]
    return options
