"""The whole torture with one closing table: `make torture`.

Power failures, mutations, faults in system calls and kills share the time. It ends with 1 if anything acknowledged was
lost, any promise broken or any mutation survived, and with 2 if a part could not run here: that is no pass.

    python tests/torture/run.py [--seconds N]
"""

from __future__ import annotations

import argparse
import sys
import time

import kills
import mutations
import power
import syscalls
from ground import Tally, conclude

_LEAST = 90
"""Seconds; with less, no part comes to anything."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=540)
    given = parser.parse_args()
    if given.seconds < _LEAST:
        parser.error(f"give at least {_LEAST} seconds")
    began = time.monotonic()

    def left() -> float:
        return max(1.0, float(given.seconds) - (time.monotonic() - began))

    print("mutations: each guarantee broken once")
    mutated, caught, rows = mutations.torture()
    tallies = [mutated]
    print("power failures, kills, system calls", flush=True)
    tallies.append(power.torture(left() * 0.25))
    tallies.append(kills.torture(left() * 0.3))
    tallies.append(syscalls.torture(left()))
    codes = [conclude(tally) for tally in tallies]
    print()
    _table(tallies, caught, rows, time.monotonic() - began)
    if any(code == 1 for code in codes) or caught != rows:
        return 1
    return max(codes)


def _table(tallies: list[Tally], caught: int, rows: int, seconds: float) -> None:
    """One line a part, and the sum."""
    print(f"{'':<16}{'faults':>8}{'kills':>8}{'states':>9}{'acknowledged':>14}{'lost':>6}{'problems':>10}")
    total = Tally("all")
    for tally in tallies:
        total.faults += tally.faults
        total.kills += tally.kills
        total.states += tally.states
        total.acknowledged += tally.acknowledged
        total.lost += tally.lost
        total.problems += tally.problems
    for tally in (*tallies, total):
        why = "  could not run" if tally.could_not_run is not None else ""
        print(
            f"{tally.name:<16}{tally.faults:>8,}{tally.kills:>8,}{tally.states:>9,}{tally.acknowledged:>14,}"
            f"{tally.lost:>6}{len(tally.problems):>10}{why}"
        )
    print(f"mutations caught {caught}/{rows}, {seconds:.0f} s")


if __name__ == "__main__":
    sys.exit(main())
