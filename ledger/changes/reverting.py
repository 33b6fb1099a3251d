"""An apply taken back: only where every file is just as its receipt left it, and only under an approval of its own.

What the files held before lies in the ledger's own folder on the machine that applied it; elsewhere it is worked out of
the patch, and used only where its SHA-256 is the one that was recorded.
"""

from __future__ import annotations

import stat
from collections.abc import Sequence
from datetime import datetime
from difflib import unified_diff
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

from t2c.ledger.answers.checks.freezing import guard_frozen
from t2c.ledger.answers.history import decoded, event_named
from t2c.ledger.apply.base import Applied, Mandate, Wanted, digest
from t2c.ledger.apply.engine import apply
from t2c.ledger.apply.files import look
from t2c.ledger.apply.history import event_of, history
from t2c.ledger.apply.recovery import kept_before
from t2c.ledger.approvals.base import Policy
from t2c.ledger.approvals.standing import mandate_for
from t2c.ledger.approvals.things import find
from t2c.ledger.changes.applying import reverts_of
from t2c.ledger.changes.backward import reversed_patch
from t2c.ledger.changes.brief import Part, reverting_text
from t2c.ledger.changes.known import Patch, patch_named, patch_of, patch_rows
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Conflict, Refused, T2cError, Usage
from t2c.ledger.events.draft import draft
from t2c.ledger.intake.base import Progress, no_progress
from t2c.ledger.kernel.actor import Actor

__all__ = ["PURPOSE", "Receipt", "Reverting", "prepare", "receipt_named", "render_revert", "revert"]

PURPOSE: Final = "change.revert"
_SCHEMA: Final = "t2c.change-revert/v1"
_SAFE: Final = "nothing was changed"
_PURPOSES: Final = frozenset({"change.apply", "change.revert", "todo.apply"})


class Receipt(NamedTuple):
    """A receipt and what it is of: each file with the SHA-256 before and after, and its permissions in octal as well.

    `reverted` is the receipt that took it back, None while it stands.
    """

    event: str
    seq: int
    ts: str
    announced: str
    purpose: str
    subject: str
    digest: str | None
    files: tuple[tuple[str, str | None, str | None, str | None, str | None], ...]
    reverted: str | None


class Reverting(NamedTuple):
    """What takes a receipt back, worked out and not recorded: the files, the text to approve, the shape to record."""

    receipt: Receipt
    wanted: tuple[Wanted, ...]
    shown: bytes
    artifact: dict[str, Any]

    @property
    def digest(self) -> str:
        """Under which it is approved."""
        return sha256(self.shown).hexdigest()


def receipt_named(ledger: Ledger, name: str) -> Receipt:
    """The receipt with this event or seq, the `latest`, or the last one of a patch, by its id or hash.

    Raises Usage where there is none, or where it is of what cannot be taken back.
    """
    entry = None
    if name.startswith(("SPATCH-", "CPLAN-")):
        patch = patch_named(ledger, name)
        found = history(ledger).receipt_of("change.apply", f"patch:{','.join(patch.plans)}", patch.hash)
        if found is None:
            raise Usage(
                f"{patch.id} was not applied", safe=_SAFE, remedy=f"`t2c change show {patch.plans[0]}`"
            )
        entry = event_of(ledger, found.event)
    if entry is None:
        entry = event_named(ledger, name, "apply.receipted")
    data = decoded(entry)
    announced = event_of(ledger, data["announced"])
    said = {} if announced is None else decoded(announced)
    if announced is None or said.get("purpose") not in _PURPOSES:
        raise Usage(
            f"{entry.id} is no receipt of a patch",
            where=f"seq {entry.seq}",
            safe=_SAFE,
            remedy="name the receipt that `t2c change apply` printed",
        )
    files = tuple(
        (one["path"], one["before"], one["after"], one.get("before_mode"), one.get("after_mode"))
        for one in said["files"]
    )
    return Receipt(
        entry.id, entry.seq, entry.ts, announced.id, said["purpose"], said.get("subject") or said["purpose"],
        said.get("digest"), files, reverts_of(ledger).get(entry.id),
    )  # fmt: skip


def prepare(ledger: Ledger, root: Path, receipt: Receipt) -> Reverting:
    """What takes a receipt back.

    Raises Conflict, naming them, where files are not as the receipt left them; Refused where what they held before is
    not to be had on this machine.
    """
    now = {path: look(root, path) for path, *_ in receipt.files}
    changed = [
        path
        for path, _, after, _, mode in receipt.files
        if digest(now[path]) != after or (after is not None and _runs(root, path, mode) != _runnable(mode))
    ]
    if changed:
        raise Conflict(
            f"{', '.join(changed[:5])} changed since {receipt.event}, which therefore cannot be taken back",
            where=changed[0],
            safe=_SAFE,
            remedy="put these files back to what the receipt left, or write the change back by a plan and patch of its own",
            files={
                path: {"expected": after, "found": digest(now[path])}
                for path, _, after, _, _ in receipt.files
            },
        )
    wanted, parts, told = [], [], []
    for path, before, after, mode, left in receipt.files:
        content = _content_before(ledger, receipt, path, before, now[path])
        action = "delete" if before is None else "create" if after is None else "modify"
        wanted.append(
            Wanted(path, now[path], content, None if mode is None or content is None else int(mode, 8))
        )
        diff = unified(path, now[path], content)
        added, removed = _counts(diff)
        modes = _octal(left), None if before is None else _octal(mode)
        parts.append(Part(path, action, _sentence(path, action), diff, added, removed, *modes, before=after))
        told.append({"path": path, "action": action, "before": after, "after": before, "unifiedDiff": diff})
    paragraphs = (
        f"This takes back `{receipt.event}` (seq {receipt.seq}), the receipt of `{receipt.subject}`"
        + (f" with the hash `{receipt.digest}`." if receipt.digest else "."),
        "Every file is as that receipt left it, and will be as it was before it.",
    )
    shown = reverting_text(f"Take back {receipt.subject}", paragraphs, parts).encode()
    artifact = {"schemaVersion": _SCHEMA, "receipt": receipt.event, "subject": receipt.subject, "files": told}
    return Reverting(receipt, tuple(wanted), shown, artifact)


def render_revert(ledger: Ledger, reverting: Reverting, by: Actor) -> tuple[str, bool]:
    """Record what is to be approved; its event, and whether it was recorded before, just so.

    Raises Refused where it holds a secret.
    """
    from t2c.ledger.events.changes import PatchRendered

    last = None
    for entry, data in patch_rows(ledger, "revert"):
        if data["artifact"].get("receipt") == reverting.receipt.event:
            last = entry.id, data
    if last is not None and last[1]["hash"] == reverting.digest:
        return last[0], True
    if ledger.funnel.mask_bytes(reverting.shown).findings:
        raise Refused(
            "what is taken back holds what looks like a secret, so it cannot be shown and recorded",
            safe=_SAFE,
            remedy="restore the files by hand; if it is none, allow it: redact.allow in t2c.toml",
        )
    payload = PatchRendered(
        kind="revert",
        hash=reverting.digest,
        shown=ledger.objects.put(reverting.shown),
        artifact=reverting.artifact,
        plans=_plans(reverting.receipt),
        proposed_by=(str(by),),
    )
    (receipt,) = ledger.append([draft(payload, actor=by, cause=(reverting.receipt.event,))])
    return receipt.id, False


def revert(
    ledger: Ledger,
    root: Path,
    reverting: Reverting,
    rendered: str,
    policy: Policy,
    *,
    by: Actor,
    now: datetime,
    in_place: bool = False,
    progress: Progress = no_progress,
) -> tuple[Applied, str]:
    """Write the files back under the approval of exactly this; the receipt and the event of the approval.

    Raises Refused without one, and what the apply raises; then every file is as it was.
    """
    thing = find(ledger, root, rendered)
    approval = mandate_for(ledger, thing, policy, now, str(by))
    guard_frozen(ledger, {one.path: one.after for one in reverting.wanted}, by)
    mandate = Mandate(
        PURPOSE, thing.subject, reverting.digest, approval, str(by), reverting.receipt.event, (rendered,)
    )
    return apply(ledger, root, reverting.wanted, mandate, in_place=in_place, progress=progress), approval


def _content_before(
    ledger: Ledger, receipt: Receipt, path: str, before: str | None, now: bytes | None
) -> bytes | None:
    if before is None:
        return None
    found = kept_before(ledger, receipt.announced, path)
    if found is None or digest(found) != before:
        found = reversed_patch(now, _patch_of(ledger, receipt), path)
    if found is None or digest(found) != before:
        raise Refused(
            f"what {path} held before is not on this machine",
            where=path,
            safe=_SAFE,
            remedy=f"it lies in .t2c/applies/{receipt.announced}/before on the machine that applied it: take it back "
            "there, or restore the file by hand; its SHA-256 was " + before,
        )
    return found


def _patch_of(ledger: Ledger, receipt: Receipt) -> Patch | None:
    if receipt.purpose != "change.apply":
        return None
    for entry, data in patch_rows(ledger, "source"):
        if data["hash"] == receipt.digest:
            return patch_of(ledger, entry, data)
    return None


def _plans(receipt: Receipt) -> tuple[str, ...]:
    named = receipt.subject.removeprefix("patch:").split(",")
    return tuple(one for one in named if one.startswith("CPLAN-"))


def _octal(mode: str | None) -> int | None:
    return None if mode is None else int(mode, 8)


def _runnable(mode: str | None) -> bool | None:
    return None if mode is None else bool(int(mode, 8) & stat.S_IXUSR)


def _runs(root: Path, path: str, mode: str | None) -> bool | None:
    """Whether a file can be run, where the receipt says if it could: the other permissions are not the repository's."""
    return None if mode is None else bool((root / path).lstat().st_mode & stat.S_IXUSR)


def _sentence(path: str, action: str) -> str:
    verb = {
        "create": "Bring back the file",
        "modify": "Take back what was changed in",
        "delete": "Remove the file",
    }
    return f"{verb[action]} {path}"


def unified(path: str, before: bytes | None, after: bytes | None) -> str | None:
    """A unified diff of two contents; None where one of them is no text in UTF-8."""
    try:
        lines = [_lines((content or b"").decode()) for content in (before, after)]
    except UnicodeDecodeError:
        return None
    old = "/dev/null" if before is None else f"a/{path}"
    new = "/dev/null" if after is None else f"b/{path}"
    rows: list[str] = []
    for row in unified_diff(lines[0], lines[1], old, new, n=3):
        rows.append(row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n")
    return "".join(rows)


def _lines(text: str) -> Sequence[str]:
    """Lines end at a line feed and nowhere else."""
    parts = text.split("\n")
    return [f"{line}\n" for line in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _counts(diff: str | None) -> tuple[int, int]:
    rows = [] if diff is None else [row for row in diff.split("\n")[2:] if row]
    return sum(row[0] == "+" for row in rows), sum(row[0] == "-" for row in rows)


def state_of(root: Path, receipt: Receipt) -> str:
    """How the files of a receipt that was taken back stand: `as before`, or which are not."""
    wrong = []
    for path, before, _, _, _ in receipt.files:
        try:
            if digest(look(root, path)) != before:
                wrong.append(path)
        except T2cError:
            wrong.append(path)
    return "as before" if not wrong else f"changed since: {', '.join(wrong[:5])}"
