"""`t2c ledger append`: what a person or an agent says becomes an event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from t2c.cli.actions.context import Context
from t2c.cli.actions.opening import make_ledger, open_ledger
from t2c.ledger.commands.hand import by_hand
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Conflict, T2cError, Usage
from t2c.ledger.events.draft import EventDraft
from t2c.ledger.journal.append import Expected, Receipt
from t2c.ledger.kernel import canon
from t2c.ledger.kernel.actor import Actor
from t2c.ledger.redaction.drafts import mask_draft

__all__ = ["AppendRequest", "AppendResult", "append"]


class AppendRequest(NamedTuple):
    """`text` is one JSON body, or with `lines` one body a line. `source` names it in messages."""

    text: bytes
    source: str
    lines: bool = False
    key: str | None = None
    expect_seq: int | None = None
    expect_head: str | None = None
    atomic: bool = False
    per_commit: int = 100
    redactable: bool = False


@dataclass(frozen=True, slots=True)
class AppendResult:
    """One receipt. `hash` is what the next line's `prev` will hold; `repeated` if its key was recorded before.

    `masked` counts, by kind, the secrets in what was given; in the ledger stands a marker for each.
    """

    schema: ClassVar[str] = "t2c.receipt/v1"
    seq: int
    id: str
    hash: str
    durable: bool
    repeated: bool
    masked: Mapping[str, int]

    @classmethod
    def of(cls, receipt: Receipt) -> AppendResult:
        masked = dict(receipt.masked)
        return cls(receipt.seq, receipt.id, receipt.hash, receipt.durable, receipt.repeated, masked)


def append(context: Context, request: AppendRequest) -> list[AppendResult]:
    """Check every body, then record them, one receipt each; a bad one means that nothing is recorded.

    Makes the ledger if there is none. Raises Usage or Refused naming the file and line, Conflict if the head is
    not as expected or a key was used for other content.
    """
    actor = Actor.parse(context.settings.actor)
    drafts = _drafts(request, actor)
    if not (context.workspace / "journal.ndjson").exists():
        if request.expect_seq not in (None, 0) or request.expect_head is not None:
            raise Usage("there is no ledger yet, so it has no head to expect", remedy="run `t2c init` first")
        make_ledger(context)
    with open_ledger(context, hold=len(drafts) > 1) as ledger:
        for item in drafts:
            _objects_exist(item, ledger.objects.has)
        expected = None
        if request.expect_seq is not None or request.expect_head is not None:
            expected = Expected(request.expect_seq, request.expect_head)
        parts = [drafts] if request.atomic else _parts(drafts, request.per_commit)
        if len(parts) > 1:
            _checked_beforehand(drafts, ledger)
        receipts: list[Receipt] = []

        def acknowledge(done: list[Receipt]) -> None:
            receipts.extend(done)
            if len(parts) > 1:
                context.progress("append", len(receipts), len(drafts))

        try:
            if len(parts) > 1 and expected is None:
                ledger.append_all(parts, acknowledge)
            else:
                for part in parts:
                    acknowledge(ledger.append(part, expected=expected, atomic=request.atomic))
                    if expected is not None:
                        expected = Expected(receipts[-1].seq, receipts[-1].hash)
        except T2cError as error:
            if receipts:
                error.safe = (
                    f"the first {len(receipts)} of {len(drafts)} events are recorded, up to seq "
                    f"{receipts[-1].seq}; `t2c ledger head` tells whether any after them is"
                )
            raise
    return [AppendResult.of(receipt) for receipt in receipts]


def _checked_beforehand(drafts: Sequence[EventDraft], ledger: Ledger) -> None:
    """What the writer would refuse in a later commit is refused before the first."""
    keys: dict[str, bytes | None] = {}
    for number, item in enumerate(drafts, 1):
        for ref in item.cause:
            if isinstance(ref, str) and ledger.index.offset(ref) is None:
                raise Usage(
                    f"cause {ref} is no event of this ledger",
                    where=f"event {number} of the input",
                    safe="nothing was written",
                    remedy="find the id with `t2c ledger log --json`",
                )
        if item.key is None and item.type == "observation.noted":
            continue  # its text can be masked wherever a secret stands
        item, _ = mask_draft(item, ledger.funnel)
        if item.key is not None:
            known = ledger.index.keyed(item.key)
            first = keys.setdefault(item.key, item.content() if known is None else known.content)
            if first != item.content():
                raise Conflict(
                    f"key {item.key!r} is used for different content",
                    where=f"event {number} of the input",
                    safe="nothing was written",
                    remedy="take a key for each event, or send the same content to get the first receipt again",
                )


def _parts(drafts: Sequence[EventDraft], size: int) -> list[Sequence[EventDraft]]:
    return [drafts[first : first + size] for first in range(0, len(drafts), max(1, size))]


def _drafts(request: AppendRequest, actor: Actor) -> list[EventDraft]:
    if not request.lines:
        body = _parse(request.text, request.source)
        return [
            by_hand(
                body,
                actor=actor,
                key=request.key,
                redactable=request.redactable,
                where=request.source,
            )
        ]
    if request.key is not None:
        raise Usage("one --key cannot serve many events", remedy='give each line its own "key"')
    text = request.text.removeprefix(b"\xef\xbb\xbf")
    drafts = []
    for number, line in enumerate(text.split(b"\n"), 1):
        if line.strip():
            where = f"{request.source}:{number}"
            body = _parse(line, where)
            drafts.append(by_hand(body, actor=actor, redactable=request.redactable, where=where))
    if not drafts:
        raise Usage(
            "there is no event in the input", where=request.source, remedy="give one JSON body a line"
        )
    return drafts


def _parse(text: bytes, where: str) -> object:
    try:
        return canon.loads(text.removeprefix(b"\xef\xbb\xbf"))
    except canon.NotCanonical as error:
        remedy = "give one JSON object, for example from `t2c ledger types --example observation.noted`"
        if not text.strip():
            raise Usage("the input is empty", where=where, remedy=remedy) from None
        if text.count(b"\n") and b"}\n{" in text.replace(b"\r", b""):
            remedy = "for one body a line, add --jsonl"
        raise Usage(str(error), where=where, remedy=remedy) from None


def _objects_exist(item: EventDraft, has: Any) -> None:
    # Canonical bytes hold these only where a list of objects is not empty: no text can, its quotes being escaped.
    if item.type != "observation.noted" or b'"objects":["' not in item.data:
        return
    import orjson

    for digest in orjson.loads(item.data)["objects"]:
        if not has(digest):
            raise Usage(
                f"object {digest} is not in this ledger",
                safe="nothing was written",
                remedy="leave it out of data.objects",
            )
