"""What events of applies promise: approved before where an approval is asked for, announced before, ended once.

An approval is of one subject and one digest: of hash A it never applies B. Earlier journals, whose announcements name
neither, stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from t2c.ledger.audit.approvals import ApprovalAudit, reached, said_at
from t2c.ledger.audit.origins import names_of
from t2c.ledger.kernel.shown import NEEDS_APPROVAL

__all__ = ["HANDLED", "ApplyAudit"]

Event = Mapping[str, Any]
HANDLED: Final = frozenset({"apply.announced", "apply.receipted", "apply.failed"})


class _Announced(NamedTuple):
    seq: int
    files: Mapping[str, tuple[Any, Any]]
    modes: Mapping[str, tuple[Any, Any]]
    taken_in: bool


class ApplyAudit:
    """Follows applies from their announcements to their outcomes. `fault` is told (seq, kind, detail)."""

    def __init__(self, fault: Callable[[int, str, str], None], approvals: ApprovalAudit) -> None:
        self._fault = fault
        self._approvals = approvals
        self._announced: dict[str, _Announced] = {}
        self._settled: dict[str, int] = {}
        self._receipts: dict[str, tuple[bool, Mapping[str, tuple[Any, Any]] | None]] = {}

    def visit(self, seq: int, data: Event, event: Event) -> tuple[str, ...]:
        """Check one event of a type in HANDLED; it rests on no object."""
        actor, taken_in = event["actor"], event.get("origin") is not None
        if actor["kind"] not in ("helper", "host_adapter") or (event["trust"] != "observed" and not taken_in):
            who = f"{event['trust']} by {actor['kind']}:{actor['id']}"
            self._fault(seq, "trust", f"only t2c's own code says {event['type']}, and not {who}")
        files = {file["path"]: (file["before"], file["after"]) for file in data["files"]}
        if len(files) != len(data["files"]):
            self._fault(seq, "apply_files", "it names a file twice")
        if event["type"] == "apply.announced":
            announced = _Announced(seq, files, _modes(data), taken_in)
            self._announced.update(dict.fromkeys(names_of(event), announced))
            if self._approvals.is_ours(event):
                self._mandate(seq, data, event, taken_in)
        else:
            self._ended(seq, data, files, event, taken_in)
        return ()

    def _mandate(self, seq: int, data: Event, event: Event, taken_in: bool) -> None:
        """What a branch of this ledger applied needs an approval as well; what it rests on may not have come with it."""
        name, reverts = data.get("approval"), data.get("reverts")
        if reverts is not None and reverts not in self._receipts and not taken_in:
            self._fault(
                seq, "apply_unknown", f"{reverts}, which is to be taken back, is no receipt before it"
            )
        if data["purpose"] == "change.revert" and not taken_in and name is not None:
            self._takes_back(seq, data)
        if name is None:
            if data["purpose"] in NEEDS_APPROVAL:
                self._fault(seq, "apply_unapproved", f"{data['purpose']} is announced without an approval")
            return
        allowed = self._approvals.paths(str(data.get("digest")))
        strange = () if allowed is None else sorted({one["path"] for one in data["files"]} - allowed)
        if strange:
            self._fault(seq, "apply_files", f"{strange[0][:200]} is no file of the patch that was approved")
        given = self._approvals.of(name)
        if given is None:
            if taken_in:
                self._approvals.unfounded()
            else:
                self._fault(seq, "approval_unknown", f"{name} is no approval that was given before")
            return
        if given.digest != data.get("digest"):
            detail = (
                f"{name} is of {given.digest[:12]}, and {str(data.get('digest'))[:12]} is applied under it"
            )
            self._fault(seq, "approval_mismatch", detail)
        elif given.subject != data.get("subject"):
            detail = f"{name} is of {given.subject}, and {data.get('subject')} is applied under it"
            self._fault(seq, "approval_mismatch", detail)
        if not given.by_person:
            self._fault(seq, "apply_unapproved", f"{name} was given by {given.actor}, who is no person")
        if given.withdrawn is not None and taken_in:
            self._approvals.unordered()
        elif given.withdrawn is not None:
            self._fault(seq, "approval_withdrawn", f"{name} was withdrawn before, at seq {given.withdrawn}")
        if reached(given.expires, said_at(event)):
            self._fault(seq, "approval_expired", f"{name} had expired at {given.expires}")

    def _takes_back(self, seq: int, data: Event) -> None:
        """What takes a receipt of this ledger back makes its files what they were before it."""
        reverts = data.get("reverts")
        if reverts is None or data.get("subject") != f"revert:{reverts}":
            self._fault(
                seq, "apply_unknown", f"it takes back {reverts}, and was approved as {data.get('subject')}"
            )
            return
        ours, files = self._receipts.get(reverts, (True, None))
        if not ours:
            self._fault(seq, "apply_unknown", f"{reverts}, which is to be taken back, is of another ledger")
        elif files is not None:
            back = {path: (after, before) for path, (before, after) in files.items()}
            if back != {one["path"]: (one["before"], one["after"]) for one in data["files"]}:
                self._fault(seq, "apply_files", f"it does not make the files what they were before {reverts}")

    def _ended(self, seq: int, data: Event, files: Event, event: Event, taken_in: bool) -> None:
        name = data["announced"]
        announced = self._announced.get(name)
        done = event["type"] == "apply.receipted"
        if done:
            made = None if announced is None else announced.files
            told = self._approvals.is_ours(event), made
            self._receipts.update(dict.fromkeys(names_of(event), told))
        if announced is None:
            if not taken_in:
                self._fault(seq, "apply_unknown", f"{name} is no apply that was announced before")
            return
        if taken_in and not announced.taken_in:
            return  # what happened elsewhere changed no file here: that apply is open still
        if name in self._settled and not taken_in:
            self._fault(seq, "apply_settled", f"{name} has an outcome already, seq {self._settled[name]}")
        self._settled.setdefault(name, seq)
        if files.keys() != announced.files.keys():
            self._fault(seq, "apply_files", f"its files are not those that seq {announced.seq} announced")
        elif done and (
            files != announced.files
            or (data.get("how") != "recovered" and not _fits(_modes(data), announced.modes))
        ):
            self._fault(seq, "apply_files", f"a file is not as seq {announced.seq} announced it")
        if done and not set(data.get("in_place", ())) <= files.keys():
            self._fault(seq, "apply_files", "it names a file as written in place that is none of its own")


def _modes(data: Event) -> dict[str, tuple[Any, Any]]:
    return {one["path"]: (one.get("before_mode"), one.get("after_mode")) for one in data["files"]}


def _fits(found: Mapping[str, tuple[Any, Any]], announced: Mapping[str, tuple[Any, Any]]) -> bool:
    """True if the permissions are as announced, where both say them."""
    return all(
        told in (None, wanted) or wanted is None
        for path, modes in found.items()
        for told, wanted in zip(modes, announced[path], strict=True)
    )
