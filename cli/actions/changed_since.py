"""Whether the last scan saw what was applied, and what stands in files now: an evaluation rests on scans alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from t2c.cli.actions.context import Context
from t2c.cli.actions.keeping import kept_of
from t2c.ledger.answers.history import decoded, events
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Conflict, Usage
from t2c.ledger.intake.kept import Kept
from t2c.ledger.standing import load

__all__ = ["Looked", "check_scanned", "differing", "looked"]


class Looked(NamedTuple):
    """`seq` is the last event after which a scan is known to have looked at the files, 0 for none.

    A scan that finds no difference records nothing: that it was made is known by what it `kept` for the next one.
    `applied` has the last receipt of a patch of each plan, by the plan's id.
    """

    seq: int
    kept: Kept | None
    applied: Mapping[str, int]


def looked(ledger: Ledger) -> Looked:
    """The last scan of this ledger, and what was applied, in one reading of the journal."""
    recorded, applied = 0, dict[str, int]()
    plans_of: dict[str, tuple[str, ...]] = {}
    announced: dict[str, tuple[str, ...]] = {}
    for entry in events(ledger, "stage.finished", "patch.rendered", "apply.announced", "apply.receipted"):
        data = decoded(entry)
        match entry.type:
            case "stage.finished":
                if data["stage"] == "link":
                    recorded = entry.seq
            case "patch.rendered":
                plans_of[data["hash"]] = tuple(data["plans"])
            case "apply.announced":
                announced[entry.id] = plans_of.get(data["digest"], ())
            case _:
                applied.update(dict.fromkeys(announced.get(data["announced"], ()), entry.seq))
    kept = kept_of(ledger, load(ledger))
    return Looked(recorded if kept is None else max(recorded, kept.position[0]), kept, applied)


def check_scanned(scanned: Looked, plans: Iterable[str]) -> None:
    """Raise Conflict if a patch of one of these plans was applied, or taken back, after the last scan."""
    for plan in plans:
        seq = scanned.applied.get(plan, 0)
        if seq > scanned.seq:
            raise Conflict(
                f"a patch of {plan} was applied or taken back, and nothing was scanned since",
                where=f"seq {seq}",
                safe="nothing was recorded",
                remedy="run `t2c scan` first, then evaluate again",
            )


def differing(context: Context, scanned: Looked, paths: Iterable[str]) -> Iterator[str]:
    """What should be known of files that are not as the last scan read them, as far as that scan left word."""
    from t2c.ledger.intake.questions import digest_of

    if scanned.kept is None:
        return
    for path in sorted(paths):
        known = scanned.kept.files.get(path)
        try:
            place = context.path(context.root / path)
            content = place.read_bytes() if place.is_file() else None
        except (OSError, Usage):
            continue
        if known is not None and (content is None or digest_of(content) != known.digest):
            yield f"{path} is not as the last scan read it: run `t2c scan`, then evaluate again"
        elif known is None and content is not None:
            yield f"{path} was not there, or not read, when the last scan looked: run `t2c scan`"
