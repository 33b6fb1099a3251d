"""Plans and patches as the journal holds them: found by name, their hashes worked out again before anything is shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final, NamedTuple, TypeVar

from t2c.ledger.answers.history import decoded, events
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Corrupt, Usage
from t2c.ledger.kernel.change_ids import patch_hash, patch_id, plan_hash, plan_id

__all__ = ["Patch", "Plan", "all_patches", "all_plans", "patch_named", "plan_named"]

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

    @property
    def names(self) -> tuple[str, ...]:
        """All that it can be called."""
        return self.id, self.hash, self.event, str(self.seq)


class Patch(NamedTuple):
    """A rendered patch: `shown` is the exact text that is approved, `digest` its SHA-256, `hash` the contract's."""

    event: str
    seq: int
    ts: str
    kind: str
    id: str
    hash: str
    digest: str
    shown: bytes
    artifact: Mapping[str, Any]
    plans: tuple[str, ...]
    proposed_by: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """All that it can be called."""
        return self.id, self.hash, self.event, str(self.seq)


def all_plans(ledger: Ledger) -> Iterator[Plan]:
    """Every plan of this ledger in order. Raises Corrupt for one whose hash is not that of its content (case 93)."""
    for entry in events(ledger, "change.planned"):
        data = decoded(entry)
        found = _hashed(plan_hash, data["plan"])
        if found is None or data["hash"] != found or data["id"] != plan_id(found):
            raise _false(f"plan {data['id']}", entry.seq)
        yield Plan(entry.id, entry.seq, entry.ts, data["id"], found, data["plan"], tuple(data["proposed_by"]))


def all_patches(ledger: Ledger, *kinds: str) -> Iterator[Patch]:
    """Every patch of these kinds in order. Raises Corrupt for one whose hash or text is not what was recorded."""
    for entry in events(ledger, "patch.rendered"):
        data = decoded(entry)
        if data["kind"] not in kinds:
            continue
        source = data["kind"] == "source"
        found = _hashed(patch_hash, data["artifact"]) if source else data["shown"]
        if data["hash"] != found or (source and data["artifact"].get("id") != patch_id(found)):
            raise _false(f"patch {data['hash'][:12]}", entry.seq)
        shown = ledger.objects.get(data["shown"])
        if sha256(shown).hexdigest() != data["shown"]:
            raise _false(f"the text of patch {data['hash'][:12]}", entry.seq)
        yield Patch(
            entry.id,
            entry.seq,
            entry.ts,
            data["kind"],
            patch_id(found) if source else found,
            found,
            data["shown"],
            shown,
            data["artifact"],
            tuple(data["plans"]),
            tuple(data["proposed_by"]),
        )


def plan_named(ledger: Ledger, name: str) -> Plan:
    """The plan with this id, hash, event or seq, or the first digits of it. Raises Usage where there is not just one."""
    return _named(
        list(all_plans(ledger)), name, "plan", "`t2c change plan` makes plans, `t2c change list` shows them"
    )


def patch_named(ledger: Ledger, name: str) -> Patch:
    """The source patch with this id, hash, event or seq, or the first digits of it; of a plan, the last one made.

    Raises Usage where there is none.
    """
    patches = list(all_patches(ledger, "source"))
    if name.startswith("CPLAN-"):
        plan = plan_named(ledger, name)
        of = [one for one in patches if plan.id in one.plans]
        if of:
            return of[-1]
        raise Usage(
            f"plan {plan.id} has no patch",
            safe=_SAFE,
            remedy=f"make one: t2c change patch {plan.id} --diff FILE",
        )
    return _named(patches, name, "patch", "`t2c change patch PLAN --diff FILE` makes one, and says its hash")


_One = TypeVar("_One", Plan, Patch)


def _named(known: Sequence[_One], name: str, what: str, remedy: str) -> _One:
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
