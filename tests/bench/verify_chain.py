"""What level `chain` of verify costs, against `openssl dgst -sha256` of the same file.

    python tests/bench/verify_chain.py [--events N] [--rounds N]

Prints CPU seconds (user + system) of one process each, contenders alternating, medians and best of the rounds. The
target is 7 ×, the aim 4 × (journal-engine §9).
"""

from __future__ import annotations

import argparse
import subprocess

from common import cpu_of, cpu_of_command, journal, load, median

from t2c.ledger.journal.verify import verify_chain


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--events", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=7)
    asked = parser.parse_args()
    path = journal(asked.events)
    subprocess.run(["cat", str(path)], stdout=subprocess.DEVNULL, check=True)
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(asked.rounds):
        report = None

        def verify() -> None:
            nonlocal report
            report = verify_chain(path)

        ours.append(cpu_of(verify))
        theirs.append(cpu_of_command(["openssl", "dgst", "-sha256", str(path)]))
        if report is None or report.faults or report.events != asked.events:
            raise SystemExit(f"the journal at {path} is not sound")
    size = path.stat().st_size
    print(f"{asked.events:,} events, {size:,} bytes, {size / asked.events:.0f} bytes an event")
    print(f"verify chain  CPU median {median(ours):.3f} s, best {min(ours):.3f} s", end="")
    print(f", {asked.events / median(ours):,.0f} events per CPU second")
    print(f"openssl       CPU median {median(theirs):.3f} s, best {min(theirs):.3f} s")
    print(f"ratio         median {median(ours) / median(theirs):.2f} x, best {min(ours) / min(theirs):.2f} x")
    print(load())


if __name__ == "__main__":
    main()
