"""Break each guarantee on a copy of the repository, and see the one test fail that is there for it.

python tests/torture/mutations.py [--only TEXT] [--workers N]
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from ground import Tally, conclude, scratch
from mutants import CORE, Mutation
from mutants_around import AROUND

__all__ = ["torture"]

MUTATIONS = (*CORE, *AROUND)
ROOT = Path(__file__).parents[2]
_FAILED = 1
"""How pytest ends when tests ran and one failed; any other end is no verdict of a test."""
_LEAST = 40


class Checkout:
    """A copy of the tracked files in which one guarantee at a time is broken."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        listed = subprocess.run(("git", "ls-files", "-z"), cwd=ROOT, capture_output=True, check=True).stdout
        for name in filter(None, listed.decode().split("\0")):
            source, target = ROOT / name, folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_symlink():
                target.symlink_to(source.readlink())
            elif source.exists():
                shutil.copy2(source, target)
        # Some tests ask Git which files there are.
        for command in (("init", "-q"), ("add", "-A")):
            subprocess.run(("git", *command), cwd=folder, check=True, capture_output=True)
        self._moment = int(time.time()) + 10

    def write(self, file: str, text: str) -> None:
        """Write a source so that no compiled form of another moment passes for it."""
        (self.folder / file).write_text(text, encoding="utf-8")
        self._moment += 1
        os.utime(self.folder / file, (self._moment, self._moment))

    def tests(self, *tests: str) -> tuple[int, str]:
        """How pytest ends with these tests, and its last words."""
        command = (sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests)
        environ = {
            **os.environ,
            "PYTHONPATH": str(self.folder / ".src"),
            "HYPOTHESIS_STORAGE_DIRECTORY": "/dev/null",
        }
        environ.pop("PYTHONDONTWRITEBYTECODE", None)
        done = subprocess.run(
            command, cwd=self.folder, env=environ, capture_output=True, text=True, timeout=120, check=False
        )
        return done.returncode, (done.stdout + done.stderr)[-700:]

    def broken(self, mutation: Mutation) -> str | None:
        """What is wrong with a row: its text is gone, or its test does not fail; None if the mutation is caught."""
        path = self.folder / mutation.file
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        count = text.count(mutation.old)
        if count != 1:
            return f"its text stands {count} times in {mutation.file}: move the row along with the code"
        self.write(mutation.file, text.replace(mutation.old, mutation.new))
        try:
            code, said = self.tests(mutation.test)
        finally:
            self.write(mutation.file, text)
        if code == 0:
            return f"it survives {mutation.test}"
        return None if code == _FAILED else f"no verdict of {mutation.test} (pytest ended in {code}): {said}"


def torture(only: str | None = None, workers: int = 2) -> tuple[Tally, int, int]:
    """All rows; gives the tally, how many mutations were caught and how many there are."""
    tally = Tally("mutations")
    rows = [row for row in MUTATIONS if only is None or only in f"{row.guarantee} {row.file} {row.test}"]
    if only is None and len(rows) < _LEAST:
        tally.problems.append(f"there are {len(rows)} rows, and {_LEAST} were promised")
    free: SimpleQueue[Checkout] = SimpleQueue()
    verdicts: list[str | None] = []
    with scratch() as folder, ThreadPoolExecutor(workers) as pool:
        for number in range(workers):
            free.put(Checkout(folder / str(number)))

        def judged(row: Mutation) -> str | None:
            checkout = free.get()
            try:
                return checkout.broken(row)
            except subprocess.TimeoutExpired:
                return f"{row.test} did not end"
            finally:
                free.put(checkout)

        def sound() -> tuple[int, str]:
            checkout = free.get()
            try:
                return checkout.tests(*dict.fromkeys(row.test for row in rows))
            finally:
                free.put(checkout)

        whole = pool.submit(sound)
        for row, verdict in zip(rows, pool.map(judged, rows), strict=True):
            print(f"  {'caught ' if verdict is None else 'MISSED '} {row.guarantee}", flush=True)
            verdicts.append(verdict)
            if verdict is not None:
                tally.problems.append(f"{row.guarantee}: {verdict}")
        code, said = whole.result()
        if code != 0:
            tally.problems.append(f"the tests do not pass on the code as it is: {said}")
    caught = sum(verdict is None for verdict in verdicts)
    tally.notes.append(f"{caught} of {len(rows)} mutations caught")
    return tally, caught, len(rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--only", help="rows whose guarantee, file or test holds this text")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    tally, caught, rows = torture(given.only, given.workers)
    return conclude(tally) or int(caught != rows)


if __name__ == "__main__":
    sys.exit(main())
