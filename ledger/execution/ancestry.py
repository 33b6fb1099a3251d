"""Whether this process was begun by a gate: a person sits at a terminal and not in a test.

A variable says so, but whatever runs in a gate may have dropped it. On Linux the processes above this one are looked at,
too: one of them is the warden of the gate, also above what left its session, since orphans fall to the warden.
"""

from __future__ import annotations

import os
import sys
from typing import Final

from t2c.ledger.execution.warden import NAME

__all__ = ["GATE_ACTOR", "GATE_VARIABLE", "inside_gate"]

GATE_ACTOR: Final = "agent:gate"
"""Who speaks in a gate if nobody says."""
GATE_VARIABLE: Final = "T2C_GATE"
_MOST: Final = 1000
"""Processes above one another that are looked at."""


def inside_gate() -> bool:
    """True if a warden stands above this process. Costs a read for each process above; False where none can be read."""
    process = os.getppid()
    for _ in range(_MOST if sys.platform == "linux" else 0):
        if process <= 0:
            break
        try:
            with open(f"/proc/{process}/stat", "rb") as file:  # noqa: PTH123 - as cheap as can be
                before, _, after = file.read().rpartition(b")")
            process = int(after.split(None, 2)[1])
        except (OSError, ValueError, IndexError):
            break
        if before.partition(b"(")[2] == NAME:
            return True
    return False
