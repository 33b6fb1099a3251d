"""Which variables a command gets: those of a list that t2c hands on, those declared for it, and who it is. No others.

What steers Git, Python or a test runner, proxies with their passwords and keys of providers stay out, so that a run
depends on what is recorded of it. Places of tool chains are handed on, since without them most do not start.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

from t2c.ledger.errors import Refused, Usage
from t2c.ledger.execution.ancestry import GATE_ACTOR, GATE_VARIABLE
from t2c.ledger.redaction.funnel import KNOWN, Funnel

__all__ = ["HANDED_ON", "check_declared", "effective"]

HANDED_ON: Final = frozenset(
    {
        "HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "TMPDIR", "TZ", "USER",
        "ANDROID_HOME", "CARGO_HOME", "CONDA_PREFIX", "DOTNET_ROOT", "GEM_HOME", "GOPATH", "GOROOT", "JAVA_HOME",
        "LD_LIBRARY_PATH", "NVM_DIR", "PYENV_ROOT", "RBENV_ROOT", "RUSTUP_HOME", "VIRTUAL_ENV",
    }
)  # fmt: skip
"""Besides these, every `LC_…`."""
_SET: Final = {"TERM": "dumb"}
_OURS: Final = {"T2C_ACTOR": GATE_ACTOR, GATE_VARIABLE: "1"}
"""What runs in a gate is a program, whoever ran the gate; no declaration makes a person of it."""


def effective(environ: Mapping[str, str], declared: Mapping[str, str], funnel: Funnel) -> dict[str, str]:
    """All variables of a command. A value that holds a known secret is not handed on.

    Raises Usage for a declared name or value that no variable can have, Refused for a name that t2c sets itself and for
    a declared value that holds a known secret: it would be in the open to whatever the command runs, and masked in the
    record.
    """
    check_declared(declared)
    for name, value in declared.items():
        if _holds_known(funnel, value):
            raise Refused(
                f"the variable {name} that is declared for a command holds a known secret",
                safe="nothing was run and nothing was written",
                remedy="leave it out of the declaration, or give the command a value made for the test",
            )
    handed = {
        name: value
        for name, value in environ.items()
        if (name in HANDED_ON or name.startswith("LC_")) and not _holds_known(funnel, value)
    }
    merged = {"PATH": os.defpath, **handed, **_SET, **declared, **_OURS}
    return {name: merged[name] for name in sorted(merged)}


def _holds_known(funnel: Funnel, value: str) -> bool:
    return KNOWN in funnel.mask(value).findings


def check_declared(declared: Mapping[str, str]) -> None:
    """Raise Usage for a name or value that no variable can have, Refused for a name that t2c sets itself."""
    for name, value in declared.items():
        if not name or len(name) > 200 or "=" in name or "\0" in name or "\0" in value:
            raise Usage(
                f"{name!r} cannot be given to a command as a variable",
                safe="nothing was run",
                remedy="declare names without an equals sign, and values without a NUL",
            )
        if name in _OURS:
            raise Refused(
                f"the variable {name} cannot be declared for a command: t2c sets it itself",
                safe="nothing was run and nothing was written",
                remedy="leave it out of the declaration; what runs in a gate speaks as an agent",
            )
