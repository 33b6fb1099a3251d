"""Why a test can no longer be held out: it was open or shown before, or it would stand in place of the work itself.

What is said of it names its place in the answer and not its path: the refusal may be read by whoever writes the code.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from t2c.ledger.answers.changes import is_test
from t2c.ledger.answers.showing import bare
from t2c.ledger.errors import Refused, Usage
from t2c.ledger.kernel.paths import confine

if TYPE_CHECKING:
    from t2c.ledger.answers.roots.trials import HeldOutFile

__all__ = ["Known", "refuse_known", "refuse_work"]


class Known(NamedTuple):
    """A test that is secret no longer: what it is, the event that sealed it, and `why` it is open."""

    body: bytes
    sealed: str
    why: str


def refuse_known(files: Sequence[HeldOutFile], known: Iterable[Known]) -> None:
    """Raise Refused for a test that was revealed, or was burned by a leak; white space makes no other test of it."""
    bodies = {bare(one.body.decode("utf-8", "replace")): one for one in known}
    for number, file in enumerate(files):
        if (one := bodies.get(bare(file.content))) is not None:
            raise Refused(
                f"files[{number}] is no secret: it is a test that was {one.why}",
                where=f"sealed by {one.sealed}",
                safe="nothing was recorded",
                remedy="seal a new test in its place",
            )


def refuse_work(files: Sequence[HeldOutFile], tree: Path) -> None:
    """Raise Usage for a test that would take the place of something in the tree that is no test."""
    for number, file in enumerate(files):
        try:
            place = confine(tree, file.path)
            stands = place.is_dir() or (place.exists() and not is_test(file.path))
        except OSError:
            continue
        if stands:
            raise Usage(
                f"files[{number}].path: what stands there in the tree is no test, and would be replaced by one",
                safe="nothing was recorded",
                remedy="give the test a path of its own",
            )
