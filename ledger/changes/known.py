"""Plans and patches as the journal holds them: found by name, their hashes worked out again before anything is shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from t2c.ledger.answers.history import decoded, events
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Corrupt, Usage
from t2c.ledger.journal.entry import Entry
from t2c.ledger.kernel.change_ids import patch_hash, patch_id, plan_hash, plan_id
from t2c.ledger.kernel.shown import not_shown

__all__ = ["Patch", "Plan", "patch_named", "patch_of", "patch_rows", "plan_named"]

_SEQ: Final = re.compile(r"[0-9]{1,7}")
_HEX: Final = re.compile(r"[0-9a-f]{8,64}")
_STRANGE: Final = (KeyError, TypeError, AttributeError)
_SAFE: Final = "nothing was changed"


class Plan(NamedTuple):
    """A plan: its event, and the published shape without its times."""

    event: str
    seq: int
    ts: str
    id: str
    hash: str
    document: Mapping[str, Any]
    proposed_by: tuple[str, ...]


class Patch(NamedTuple):
    """A source patch: `shown` is the exact text that is approved, `digest` its SHA-256, `hash` the contract's."""

    event: str
    seq: int
    ts: str
    id: str
    hash: str
    digest: str
    shown: bytes
    artifact: Mapping[str, Any]
    plans: tuple[str, ...]
    proposed_by: tuple[str, ...]


def plan_named(ledger: Ledger, name: str) -> Plan:
    """The plan with this id, hash, event or seq, or the first digits of it.

    Raises Usage where there is not just one, Corrupt where its hash is not that of its content (case 93).
    """
    known = [_Row(entry, data) for entry in events(ledger, "change.planned") if (data := decoded(entry))]
    row = _named(known, name, "plan", "`t2c change plan` makes plans, `t2c change list` shows them")
    entry, said = row.entry, row.data
    found = _hashed(plan_hash, said["plan"])
    if found is None or said["hash"] != found or said["id"] != plan_id(found):
        raise _false(f"plan {said['id']}", entry.seq)
    return Plan(entry.id, entry.seq, entry.ts, said["id"], found, said["plan"], tuple(said["proposed_by"]))


def patch_rows(ledger: Ledger, kind: str) -> Iterator[tuple[Entry, dict[str, Any]]]:
    """The patches of a kind in order, as their events tell of them; nothing of it is proven yet."""
    for entry in events(ledger, "patch.rendered"):
        data = decoded(entry)
        if data["kind"] == kind:
            yield entry, data


def patch_of(ledger: Ledger, entry: Entry, data: Mapping[str, Any]) -> Patch:
    """A source patch. Raises Corrupt where its hash, its id or its text is not what was recorded (case 93), or its text
    is gone."""
    found = _hashed(patch_hash, data["artifact"])
    if found is None or data["hash"] != found or data["artifact"].get("id") != patch_id(found):
        raise _false(f"patch {data['hash'][:12]}", entry.seq)
    try:
        shown = ledger.objects.get(data["shown"])
    except Usage:
        raise Corrupt(
            f"the text of patch {data['hash'][:12]} is gone: its object {data['shown']} is not there",
            where=f"seq {entry.seq}",
            safe="nothing was shown or changed",
            remedy="restore it from a backup or a bundle, or make the patch again",
        ) from None
    if not_shown("source", data["artifact"], shown) is not None:
        raise _false(f"the text of patch {data['hash'][:12]}", entry.seq)
    return Patch(
        entry.id,
        entry.seq,
        entry.ts,
        patch_id(found),
        found,
        data["shown"],
        shown,
        data["artifact"],
        tuple(data["plans"]),
        tuple(data["proposed_by"]),
    )


def patch_named(ledger: Ledger, name: str) -> Patch:
    """The source patch with this id, hash, event or seq, or the first digits of it; of a plan, the last one made.

    One that has instructions alone comes after all that have diffs, since nothing of it can be applied.

    Raises Usage where there is none, and what `patch_of` raises.
    """
    known = [_Row(entry, data) for entry, data in patch_rows(ledger, "source")]
    if name.startswith("CPLAN-"):
        plan = plan_named(ledger, name)
        of = [one for one in known if plan.id in one.data["plans"]]
        if of:
            last = next((one for one in reversed(of) if _has_diffs(one.data["artifact"])), of[-1])
            return patch_of(ledger, last.entry, last.data)
        raise Usage(
            f"plan {plan.id} has no patch",
            safe=_SAFE,
            remedy=f"make one: t2c change patch {plan.id} --diff FILE",
        )
    row = _named(known, name, "patch", "`t2c change patch PLAN --diff FILE` makes one, and says its hash")
    return patch_of(ledger, row.entry, row.data)


def _has_diffs(artifact: Mapping[str, Any]) -> bool:
    try:
        return all(edit["unifiedDiff"] is not None for edit in artifact["edits"])
    except _STRANGE:
        return True  # whether it is damaged is said by who opens it


class _Row(NamedTuple):
    """What can be named, as its event tells of it."""

    entry: Entry
    data: Mapping[str, Any]

    @property
    def hash(self) -> str:
        return str(self.data["hash"])

    @property
    def id(self) -> str:
        return str(self.data["id"]) if "id" in self.data else patch_id(self.hash)

    @property
    def names(self) -> tuple[str, ...]:
        """All that it can be called."""
        return self.id, self.hash, self.entry.id, str(self.entry.seq)


def _named(known: Sequence[_Row], name: str, what: str, remedy: str) -> _Row:
    text = name.strip()
    prefix = text.partition("-")[2] if text[:6] in ("CPLAN-", "SPATCH") else text
    loose = _HEX.fullmatch(prefix) is not None
    if (text and loose) or _SEQ.fullmatch(text) or text.startswith("EVT-"):
        found = {}
        for one in known:  # the same again, made later, takes the place of the earlier one
            exact = text in one.names
            if exact or (loose and (one.id.startswith(text) or one.hash.startswith(text))):
                found[one.hash] = one
        if len(found) == 1:
            return next(iter(found.values()))
        if found:
            several = ", ".join(sorted(one.id for one in found.values())[:5])
            raise Usage(f"several {what}s begin with {name}", safe=_SAFE, remedy=f"say which one: {several}")
    near = ", ".join(dict.fromkeys(one.id for one in reversed(known[-20:])))
    told = f"; there {'is' if len(known) == 1 else 'are'} {near[:300]}" if known else ""
    raise Usage(f"there is no {what} {name!r}", safe=_SAFE, remedy=f"{remedy}{told}")


def _hashed(work: Callable[[Mapping[str, Any]], str], document: Mapping[str, Any]) -> str | None:
    try:
        return work(document)
    except _STRANGE:
        return None


def _false(what: str, seq: int) -> Corrupt:
    return Corrupt(
        f"{what} does not have the hash that it says",
        where=f"seq {seq}",
        safe="nothing was shown or changed",
        remedy="run `t2c ledger verify --level domain`, and make it again",
    )
