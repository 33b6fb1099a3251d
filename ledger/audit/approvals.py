"""What approvals promise: a person gave them, for exactly one digest, and a signature is one of a key of that person.

Who proposed something may approve it where the user's policy lets them: that is told, and no fault.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

from t2c.ledger.audit.origins import names_of

__all__ = ["HANDLED", "ApprovalAudit", "Given", "SignatureCheck", "reached", "said_at"]

Event = Mapping[str, Any]
SignatureCheck = Callable[[str, Event, str, str, str], str | None]
"""(ledger id, the approval's payload, its actor, algorithm and public half of the key) → what is wrong, None if good."""

HANDLED: Final = frozenset({"approval.withdrawn", "key.revoked"})
"""The types of events that nobody else looks at; approvals, keys and what is proposed are told by their own methods."""


class Given(NamedTuple):
    """An approval that was given. `withdrawn` is the seq of the event that took it back."""

    seq: int
    subject: str
    digest: str
    actor: str
    by_person: bool
    expires: str | None
    withdrawn: int | None


class _Key(NamedTuple):
    seq: int
    algorithm: str
    public: str
    participant: str | None
    expires: str | None


class ApprovalAudit:
    """Follows keys, approvals and withdrawals. `fault` is told (seq, kind, detail)."""

    def __init__(self, fault: Callable[[int, str, str], None], check: SignatureCheck | None = None) -> None:
        self._fault = fault
        self._check = check
        self._ledger = ""
        self._keys: dict[str, _Key] = {}
        self._revoked: dict[str, int] = {}
        self._given: dict[str, Given] = {}
        self._proposed: dict[str, set[str]] = {}
        self._paths: dict[str, frozenset[str]] = {}
        self._unchecked = 0
        self._own_work = 0
        self._unordered = 0
        self._unfounded = 0

    def opened(self, data: Event) -> None:
        """The genesis event names the ledger that signatures have to be of."""
        self._ledger = data["ledger"]

    def registered(self, seq: int, data: Event) -> None:
        """Take a `key.registered` of this ledger; the first of an id counts."""
        key = _Key(seq, data["algorithm"], data["public"], data["participant"], data["expires"])
        self._keys.setdefault(data["key"], key)

    def proposed(self, data: Event) -> None:
        """Take a `patch.rendered` or `change.planned` of this ledger: whose work it is."""
        self._proposed.setdefault(data["hash"], set()).update(data["proposed_by"])
        if (paths := _paths_of(data)) is not None:
            self._paths.setdefault(data["hash"], paths)

    def paths(self, digest: str) -> frozenset[str] | None:
        """The files that the patch of this hash changes; None where no event says so."""
        return self._paths.get(digest)

    def is_ours(self, event: Event) -> bool:
        """True if it was recorded in this ledger or in a branch of it."""
        return all(place["ledger"] == self._ledger for place in _places(event))

    def unordered(self) -> None:
        """Count an event of a branch of which is not known if it was before or after what speaks against it."""
        self._unordered += 1

    def granted(self, seq: int, data: Event, event: Event) -> None:
        """Take an `approval.granted` of this ledger, by all its ids."""
        actor = f"{event['actor']['kind']}:{event['actor']['id']}"
        given = Given(
            seq,
            data["subject"],
            data["digest"],
            actor,
            event["actor"]["kind"] == "human",
            data.get("expires"),
            None,
        )
        for name in names_of(event):
            self._given[name] = given
        if not data["subject"].startswith("answer:"):
            proposers = self._proposed.get(data["digest"], set()).union(data.get("proposed_by", ()))
            self._own_work += actor.casefold() in {one.casefold() for one in proposers}
        if data.get("signature") is not None:
            self._signed(seq, data, event, actor)

    def visit(self, seq: int, data: Event, event: Event) -> tuple[str, ...]:
        """Check one event of a type in HANDLED; it rests on no object."""
        if event["type"] == "key.revoked":
            self._revokes(seq, data, event)
            return ()
        name = data["approval"]
        given = self._given.get(name)
        if event["actor"]["kind"] != "human" or event["trust"] == "observed":
            who = f"{event['actor']['kind']}:{event['actor']['id']}"
            self._fault(seq, "trust", f"only a person withdraws an approval, and not {who}")
        elif given is None:
            if event.get("origin") is None:
                self._fault(seq, "approval_unknown", f"{name} is no approval that was given before")
        elif given.withdrawn is not None:
            if event.get("origin") is None:
                self._fault(
                    seq, "approval_withdrawn", f"{name} was withdrawn already, at seq {given.withdrawn}"
                )
        else:
            taken = given._replace(withdrawn=seq)
            self._given.update({other: taken for other, one in self._given.items() if one is given})
        return ()

    def of(self, name: str) -> Given | None:
        """The approval of an id, None if none was given before."""
        return self._given.get(name)

    def unfounded(self) -> None:
        """Count an apply of a branch whose approval is not among the events here."""
        self._unfounded += 1

    def finish(self) -> list[str]:
        """What is left unproven, in sentences."""
        found = []
        if self._own_work:
            were = "1 approval was" if self._own_work == 1 else f"{self._own_work} approvals were"
            found.append(f"{were} given by who proposed it, which the policy of that time may have allowed")
        if self._unfounded:
            were = "1 apply" if self._unfounded == 1 else f"{self._unfounded} applies"
            found.append(f"{were} of a branch went under approvals that were not taken in with them")
        if self._unordered:
            were = "1 event" if self._unordered == 1 else f"{self._unordered} events"
            found.append(
                f"{were} of a branch may have come after a key was revoked or an approval withdrawn, or before it"
            )
        if self._unchecked:
            were = "1 signature" if self._unchecked == 1 else f"{self._unchecked} signatures"
            found.append(f"{were} of approvals were not checked")
        return found

    def _revokes(self, seq: int, data: Event, event: Event) -> None:
        if data["key"] not in self._keys:
            if event.get("origin") is None:
                self._fault(seq, "key_unknown", f"{data['key'][:80]} is no key of this ledger")
            return
        self._revoked.setdefault(data["key"], seq)

    def _signed(self, seq: int, data: Event, event: Event, actor: str) -> None:
        name = data["signature"]["key"]
        key = self._keys.get(name)
        why: str | None = None
        if key is None:
            why = f"key {name[:80]} was not registered before"
        elif key.participant is None or key.participant not in (actor, actor.partition(":")[2]):
            why = f"key {name[:80]} is registered for {key.participant or 'nobody'}, not for {actor}"
        elif name in self._revoked and event.get("origin") is None:
            why = f"key {name[:80]} was revoked before, at seq {self._revoked[name]}"
        elif reached(key.expires, said_at(event)):
            why = f"key {name[:80]} had expired at {key.expires}"
        elif self._check is None:
            self._unchecked += 1
        else:
            why = self._check(self._ledger, data, actor, key.algorithm, key.public)
        if why is None and name in self._revoked:
            self.unordered()
        if why is not None:
            self._fault(
                seq, "signature_bad", f"the signature of the approval by {actor} does not hold: {why}"
            )


def _places(event: Event) -> tuple[Event, ...]:
    origin = event.get("origin")
    return () if origin is None else (origin, *origin.get("former", ()))


def said_at(event: Event) -> str:
    """When it was said: an event that was taken in was so where it was recorded first."""
    places = _places(event)
    return str(places[-1]["ts"] if places else event["ts"])


def _paths_of(data: Event) -> frozenset[str] | None:
    """The files of a `patch.rendered`; None for what changes none, and for another shape, which is told elsewhere."""
    try:
        match data.get("kind"):
            case "source":
                found = [one["path"] for one in data["artifact"]["edits"]]
            case "revert":
                found = [one["path"] for one in data["artifact"]["files"]]
            case "todo":
                found = [data["artifact"]["sourceTodo"]["path"]]
            case _:
                return None
        return frozenset(path.strip().replace("\\", "/") for path in found)
    except (LookupError, TypeError, AttributeError):
        return None


def reached(end: str | None, ts: str) -> bool:
    """True if `ts` is not before the end."""
    return end is not None and datetime.fromisoformat(end) <= datetime.fromisoformat(ts)
