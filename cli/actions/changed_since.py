"""Whether the last scan saw what was applied, and what stands in files now: an evaluation rests on scans alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from t2c.cli.actions.context import Context
from t2c.cli.actions.keeping import kept_of
from t2c.ledger.answers.history import decoded, events
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Conflict, Usage
from t2c.ledger.standing import load

__all__ = ["Looked", "check_scanned", "differing", "looked"]


class Looked(NamedTuple):
    """`seq` is the last event after which a scan is known to have looked at the files, 0 for none.

    A scan that finds no difference records nothing: that it was made is known by what it kept for the next one.
    """

    seq: int


def looked(ledger: Ledger) -> Looked:
    """The last scan of this ledger."""
    recorded = 0
    for entry in events(ledger, "stage.finished"):
        if decoded(entry)["stage"] == "link":
            recorded = entry.seq
    kept = kept_of(ledger, load(ledger))
    return Looked(recorded if kept is None else max(recorded, kept.position[0]))


def check_scanned(ledger: Ledger, scanned: Looked, plans: AbstractSet[str]) -> None:
    """Raise Conflict if a patch of one of these plans was applied, or taken back, after the last scan."""
    patches = {
        data["hash"]
        for entry in events(ledger, "patch.rendered")
        if not plans.isdisjoint((data := decoded(entry))["plans"])
    }
    announced: set[str] = set()
    for entry in events(ledger, "apply.announced", "apply.receipted"):
        data = decoded(entry)
        if entry.type == "apply.announced":
            if data["digest"] in patches:
                announced.add(entry.id)
        elif data["announced"] in announced and entry.seq > scanned.seq:
            raise Conflict(
                "a patch of the plan was applied, and nothing was scanned since",
                where=f"seq {entry.seq}",
                safe="nothing was recorded",
                remedy="run `t2c scan` first, then evaluate again",
            )


def differing(context: Context, ledger: Ledger, paths: Iterable[str]) -> Iterator[str]:
    """What should be known of files that are not as the last scan read them, as far as that scan left word."""
    from t2c.ledger.intake.questions import digest_of

    kept = kept_of(ledger, load(ledger))
    if kept is None:
        return
    for path in sorted(paths):
        known = kept.files.get(path)
        try:
            place = context.path(context.root / path)
            content = place.read_bytes() if place.is_file() else None
        except (OSError, Usage):
            continue
        if known is not None and (content is None or digest_of(content) != known.digest):
            yield f"{path} is not as the last scan read it: run `t2c scan`, then evaluate again"
        elif known is None and content is not None:
            yield f"{path} was not there, or not read, when the last scan looked: run `t2c scan`"
