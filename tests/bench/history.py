"""What a whole history costs: the first reading against Git's own, one more commit, and nothing new.

    python tests/bench/history.py [--quick] [--rounds N] [--rows GLOB]

CPU seconds with children, contenders taking turns. Makes a repository of 20,000 commits below `.bench/`.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from common import BENCH, Asked, Row, alone, alternate, cost, cpu, process

from t2c.ledger.intake.git import History, history_stands, read_history

COMMITS = 20_000
FILES = 400

FIRST = """
import sys
from pathlib import Path
from t2c.ledger.intake.git import read_history
print(len(read_history(Path(sys.argv[1])).reading.records))
"""


def of_a_long_history(asked: Asked) -> Iterator[Row]:
    """The index of a made-up history: first, extended by a commit, and where nothing is new."""
    count = asked.size(COMMITS)
    root = repository(count)
    commits = git(root, "rev-list", "HEAD")

    def plumbing() -> None:
        options = ["--stdin", "-r", "--root", "-z", "--always", "--raw", "--numstat", "-M"]
        subprocess.run(
            ["git", "-C", str(root), "diff-tree", *options],
            input=commits, stdout=subprocess.DEVNULL, check=True,
        )  # fmt: skip

    ours, theirs = alternate(max(3, asked.rounds // 2), lambda: read_history(root), plumbing)
    first = cpu(ours)
    yield Row(
        "history-first",
        f"every commit of {count:,} read into records, CPU",
        "git diff-tree --raw --numstat -M of the same commits",
        first / cpu(theirs),
        ours=f"{first:.2f} s CPU",
        theirs=f"{cpu(theirs):.2f} s CPU",
    )
    spent = process([sys.executable, "-c", FIRST, str(root)])
    yield Row(
        "history-memory",
        f"the same, the most memory of a process ({count:,} commits)",
        value=spent.peak,
        unit="MB",
        must="" if asked.quick else "<= 200",
    )
    yield from _again(root, asked, first)


def _again(root: Path, asked: Asked, first: float) -> Iterator[Row]:
    seen = read_history(root)
    known = _known(seen)
    assert seen.seen is not None
    same = statistics.median(
        cost(lambda: history_stands(root, seen.seen, known)).cpu for _ in range(asked.rounds) if seen.seen
    )
    yield Row(
        "history-again",
        "a look whether anything of it is new, where nothing is, CPU",
        "the first reading",
        same / first,
        must="<= 0.03",
        ours=f"{same * 1000:.1f} ms CPU",
        theirs=f"{first:.2f} s CPU",
    )
    git(root, "commit", "-q", "--allow-empty", "-m", "one more")
    more = statistics.median(
        cost(lambda: read_history(root, known=known, seen=seen.seen)).cpu for _ in range(asked.rounds)
    )
    yield Row(
        "history-more",
        "one more commit read, CPU",
        "the first reading",
        more / first,
        must="" if asked.quick else "<= 0.1",
        ours=f"{more * 1000:.0f} ms CPU",
        theirs=f"{first:.2f} s CPU",
    )


def _known(history: History) -> frozenset[str]:
    return frozenset(draft.revision for draft in history.reading.records if draft.revision)


def git(root: Path, *arguments: str, given: bytes | None = None) -> bytes:
    """What Git prints, by no setting of the user's."""
    people = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    done = subprocess.run(
        ["git", "-C", str(root), *people, *arguments], input=given, stdout=subprocess.PIPE, check=True
    )
    return done.stdout


def repository(count: int) -> Path:
    """A repository of `count` commits, each of which edits one of 400 files of about 4 KB."""
    root = BENCH / "history"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    texts = [[f"line {line} of file {number}\n" for line in range(200)] for number in range(FILES)]
    stream: list[bytes] = []
    for number in range(count):
        text = texts[number * 7 % FILES]
        text[number * 13 % 200] = f"changed by commit {number}\n"
        content = "".join(text).encode()
        message = b"fix(part%d): handle case %d (#%d)\n\nFixes: #%d\nReviewed-by: Bob <b@x>\n" % (
            number % 20, number, number, number,
        )  # fmt: skip
        stream.append(
            b"commit refs/heads/main\ncommitter Ada <a@x> %d +0000\ndata %d\n%bM 100644 inline src/f%d.py\ndata %d\n%b\n"
            % (1_700_000_000 + number * 60, len(message), message, number * 7 % FILES, len(content), content)
        )
    git(root, "fast-import", "--quiet", given=b"".join(stream))
    git(root, "repack", "-q", "-a", "-d")
    return root


MEASURES = {"history": of_a_long_history}

if __name__ == "__main__":
    alone(__doc__, MEASURES)
