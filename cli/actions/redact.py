"""`t2c ledger redact`: take the payload of one event, or an object that it cites, out of the ledger, and say so in it.

Announced first, deleted then: whatever is killed in between, `verify` names it and the same command finishes it. The
event's line stays, so chain, root and proofs do (journal-engine §6).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from t2c.cli.actions.context import Context
from t2c.cli.actions.opening import open_ledger
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Conflict, Refused, T2cError, Usage
from t2c.ledger.events.draft import draft
from t2c.ledger.journal.append import Expected
from t2c.ledger.journal.entry import Entry, decode_entry
from t2c.ledger.journal.position import Position

__all__ = ["RedactResult", "redact"]

_ATTEMPTS: Final = 5


@dataclass(frozen=True, slots=True)
class RedactResult:
    """`seq` is the `payload.redacted` event, `target` the event whose payload, or whose `object`, is gone.

    `repeated` says that it had been announced before, `deleted` that there was still something to delete. `commits`
    still hold the object in Git; `notices` say what this command cannot do.
    """

    schema: ClassVar[str] = "t2c.redact/v1"
    seq: int
    event: str
    target: int
    data_hash: str
    repeated: bool
    deleted: bool
    commits: Sequence[str]
    notices: Sequence[str]
    object: str | None = None


def redact(context: Context, ref: str, reason: str | None, cited: str | None = None) -> RedactResult:
    """Announce that the payload of event `ref` (a seq or an id) is deleted, and delete it with its salt.

    With `cited` it is this object, which the event cites, and the event's payload stays.
    Doing it again finishes what was begun and announces nothing a second time; then `reason` may be left out.
    Raises Usage if there is no such event, object or reason, Refused if its payload stands in its line, Conflict if other
    writers keep coming between, Environment if the object cannot be deleted.
    """
    if reason is not None and not reason.strip():
        raise Usage("the reason is empty", remedy="say why, with --reason TEXT")
    with open_ledger(context) as ledger:
        target = _event(ledger, ref)
        digest = target.data_hash if cited is None else _cited(ledger, target, cited)
        if digest is None:
            raise Refused(
                f"the payload of {target.id} stands in its line, which no later event would fit without it",
                where=f"seq {target.seq}",
                safe="nothing was written",
                remedy=f"withhold it from others: t2c ledger export --redact {target.type}; next time append such "
                "statements with --redactable; an object that it cites can be deleted with --object DIGEST",
            )
        seq, repeated = _announced(ledger, target, digest, reason, context.settings.actor)
        deleted = ledger.objects.remove(digest)
        commits, notices = _still_in_git(
            context, ledger.objects.path(digest).relative_to(context.root).as_posix()
        )
        if cited is not None:
            notices = [*_beside(target), *notices]
        return RedactResult(seq, target.id, target.seq, digest, repeated, deleted, commits, notices, cited)


def _cited(ledger: Ledger, target: Entry, digest: str) -> str:
    """The object, if the event cites it, and it is here or an event says that it was."""
    found = _cites(target)
    if digest not in found:
        raise Usage(
            f"{target.id} cites no object {digest}",
            where=f"seq {target.seq}",
            safe="nothing was written",
            remedy=f"it cites {', '.join(dict.fromkeys(found))}" if found else "name an event that cites it",
        )
    place = ledger.journal.position(target.seq)
    assert place is not None
    if not ledger.objects.has(digest) and _known(ledger, place, ledger.head(), digest) is None:
        raise Usage(
            f"there is no object {digest} here: it was never kept, as what is sealed, or it is lost",
            where=f"seq {target.seq}",
            safe="nothing was written",
            remedy="`t2c ledger verify --level domain` says what is lost",
        )
    return digest


def _cites(entry: Entry) -> list[str]:
    from t2c.ledger.transfer.citations import cited_in

    return cited_in(entry.type, entry.data)


def _beside(target: Entry) -> list[str]:
    """What of a deleted object is still told where it stood."""
    import msgspec

    said = [
        "its digest stays in the ledger: whoever can guess the whole of it can find that the guess is right"
    ]
    value = msgspec.json.decode(target.data).get("value")
    if value is not None:
        said.insert(0, f"what it says stands in the line of seq {target.seq} too, which stays")
    return said


def _event(ledger: Ledger, ref: str) -> Entry:
    if re.fullmatch(r"[0-9]{1,18}", ref):
        before = ledger.journal.position(int(ref) - 1) if int(ref) else None
        found = None if before is None else next(iter(ledger.entries(before, int(ref))), None)
    else:
        offset = ledger.index.offset(ref)
        found = None if offset is None else decode_entry(ledger.journal.line_at(offset))
    if found is None:
        raise Usage(f"there is no event {ref}", remedy="give a seq or EVT-…; `t2c ledger log` lists events")
    return found


def _announced(
    ledger: Ledger, target: Entry, digest: str, reason: str | None, asked: str
) -> tuple[int, bool]:
    """The seq of the event that redacts it, and whether that had been there before."""
    from t2c.ledger.events.journal import PayloadRedacted

    place = ledger.journal.position(target.seq)
    assert place is not None
    for _ in range(_ATTEMPTS):
        head = ledger.head()
        known = _known(ledger, place, head, digest)
        if known is not None:
            return known, True
        if reason is None:
            raise Usage(
                f"the payload of seq {target.seq} is not redacted yet",
                safe="nothing was written",
                remedy="say why, with --reason TEXT",
            )
        payload = PayloadRedacted(event=target.id, data_hash=digest, reason=reason, requested_by=asked)
        try:
            (receipt,) = ledger.append(
                [draft(payload, cause=(target.id,))], expected=Expected(head.seq, head.hash)
            )
        except Conflict as conflict:
            if "hash" not in conflict.details:
                raise
            place = head
            continue
        return receipt.seq, False
    raise Conflict(
        "other writers kept changing the ledger",
        safe="nothing was written",
        remedy="run the command again",
    )


def _known(ledger: Ledger, after: Position, head: Position, digest: str) -> int | None:
    """The event after a position that redacts this hash, and after which no event cites it again."""
    named, own, found = f'"data_hash":"{digest}"'.encode(), ledger.journal.ledger(), None
    bare = f'"{digest}"'.encode()
    for entry in ledger.entries(after, head.seq):
        data = bytes(entry.data)
        # What another ledger took out is no decision of this one.
        if entry.type == "payload.redacted" and entry.is_ours(own) and named in data:
            found = found or entry.seq
        elif found is not None and bare in data and digest in _cites(entry):
            found = None
    return found


def _still_in_git(context: Context, path: str) -> tuple[list[str], list[str]]:
    """The commits of every branch, tag and stash that hold the object, and what to do about them."""
    from t2c.ledger.intake.git_command import GitUnusable, open_repository

    everywhere = "copies elsewhere (backups, bundles, clones) are not reached from here"
    try:
        with open_repository(context.root) as repository:
            with repository.output(
                "log", "--all", "--reflog", "--format=%H", "--diff-filter=A", "--", path
            ) as stream:
                commits = stream.read().decode("ascii", "replace").split()
            with repository.output("ls-files", "--cached", "--", path) as stream:
                staged = bool(stream.read())
    except GitUnusable as problem:
        if problem.reason == "not_a_repository":
            return [], [everywhere]
        if "does not have any commits" in problem.detail:
            return [], [everywhere]
        return [], [f"whether Git's history holds the object is not known: {problem.detail}", everywhere]
    except T2cError as error:
        return [], [f"whether Git's history holds the object is not known: {error.what}", everywhere]
    notices = []
    if staged:
        notices.append(f"Git's index still holds the object: commit its deletion (git rm --cached {path})")
    if commits:
        notices.append(
            f"Git's history still holds the object, since commit {commits[-1][:12]}: git filter-repo --invert-paths "
            f"--path {path}; then push by force, and have every clone, fork and host drop the old commits"
        )
    return commits, [*notices, everywhere]
