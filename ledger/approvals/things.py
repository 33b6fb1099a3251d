"""What can be approved, found by any of its names, its hash computed anew before anybody is shown it (case 93).

The exact bytes that are shown are in hand from here on: an approval is of these and of nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import msgspec

from t2c.ledger.apply.files import look
from t2c.ledger.approvals.base import Thing
from t2c.ledger.approvals.history import Recorded, recorded
from t2c.ledger.approvals.normalising import MARKDOWN, normalised
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Corrupt, Usage
from t2c.ledger.journal.entry import Entry
from t2c.ledger.kernel.change_ids import patch_hash, patch_id, plan_hash, plan_id
from t2c.ledger.kernel.shown import not_shown

__all__ = ["SHORTEST", "Brief", "entry_named", "file_thing", "find", "matching", "plain_brief", "thing_of"]

Brief = Callable[[Mapping[str, Any]], bytes]
"""Makes the text of a plan that a person is shown."""
SHORTEST: Final = 8
"""Hex digits of a hash that are enough to name something by."""

_EVENT: Final = re.compile(r"EVT-[0-9a-f]{20}\Z")
_SEQ: Final = re.compile(r"[0-9]{1,18}\Z")
_HASH: Final = re.compile(rf"(?:(CPLAN|SPATCH)-)?([0-9a-f]{{{SHORTEST},64}})\Z")
_MOST_LISTED: Final = 6
_WRONG: Final = (KeyError, TypeError, AttributeError, ValueError, msgspec.MsgspecError)
_DAMAGED_REMEDY: Final = "run `t2c ledger verify --level domain`, then render it again"


def plain_brief(plan: Mapping[str, Any]) -> bytes:
    """The text of a plan as JSON, where nobody gives a better one."""
    return msgspec.json.format(msgspec.json.encode(plan, order="sorted"), indent=2) + b"\n"


def find(ledger: Ledger, root: Path, name: str, *, brief: Brief = plain_brief) -> Thing:
    """What `name` means: a SHA-256 or its first digits (8 or more), CPLAN-… or SPATCH-…, EVT-… or the seq of what was
    rendered or planned, a subject such as `patch:todo` (its newest), or `file:PATH` seen from `root`.

    `brief` makes the text of a plan. Raises Usage for a name that means nothing or several things, Corrupt where what
    is recorded is not what its hash promises, Refused for a file behind a link.
    """
    if name.startswith("file:"):
        return file_thing(root, name.removeprefix("file:"))
    name = name.lower() if _HASH.match(name.lower()) else name
    entry = entry_named(ledger, name)
    if entry is not None:
        if entry.type in ("patch.rendered", "change.planned"):
            return thing_of(ledger, entry, brief)
        if not _HASH.match(name):
            raise Usage(
                f"event {name} is {entry.type}: nothing of it can be approved",
                where=f"seq {entry.seq}",
                safe="nothing was approved",
                remedy="`t2c approvals --waiting` lists what can be",
            )
    found = matching(recorded(ledger), name)
    if not found:
        raise Usage(
            f"there is nothing to approve that is named {name!r}",
            safe="nothing was approved",
            remedy=f"`t2c approvals --waiting` lists what can be; a hash takes {SHORTEST} digits or more",
        )
    if len({(one.subject, one.digest) for one in found}) > 1:
        raise Usage(
            f"{name} names several things",
            safe="nothing was approved",
            remedy="write more digits: " + _listed(found),
        )
    newest = ledger_entry(ledger, found[-1].event)
    assert newest is not None
    return thing_of(ledger, newest, brief)


def matching(known: list[Recorded], name: str) -> list[Recorded]:
    """What of this was rendered or planned under a hash, an id or a subject; the newest alone of a subject."""
    shaped = _HASH.match(name)
    if shaped is None:
        return [one for one in known if one.subject == name][-1:]
    prefix, digits = shaped.groups()
    if prefix is not None:
        kind = "plan" if prefix == "CPLAN" else "source"
        return [one for one in known if one.kind == kind and one.digest.startswith(digits)]
    return [one for one in known if one.digest.startswith(digits)] or [
        one for one in known if one.shown is not None and one.shown.startswith(digits)
    ]


def entry_named(ledger: Ledger, name: str) -> Entry | None:
    """The event of this seq or id that was recorded here and whose payload is not withheld; None where there is none."""
    if _EVENT.match(name):
        return _ours(ledger, ledger_entry(ledger, name))
    if not _SEQ.match(name) or not 1 <= (seq := int(name)) <= ledger.head().seq:
        return None
    before = ledger.journal.position(seq - 1) if seq > 1 else None
    return _ours(ledger, next(iter(ledger.entries(before, seq)), None))


def ledger_entry(ledger: Ledger, event: str) -> Entry | None:
    """The event of this id."""
    offset = ledger.index.offset(event)
    return None if offset is None else next(iter(ledger.journal.many([offset])), None)


def _ours(ledger: Ledger, entry: Entry | None) -> Entry | None:
    if entry is None or entry.data_hash is not None:
        return None
    return entry if entry.origin is None or entry.is_ours(str(ledger.id())) else None


def _listed(found: list[Recorded]) -> str:
    each = list({one.digest: f"{one.subject} {one.digest[:20]}" for one in found}.values())
    more = f" and {len(each) - _MOST_LISTED} more" if len(each) > _MOST_LISTED else ""
    return ", ".join(each[:_MOST_LISTED]) + more


def thing_of(ledger: Ledger, entry: Entry, brief: Brief = plain_brief) -> Thing:
    """What an event rendered or planned, after its hash was computed anew. Raises Corrupt if that is another."""
    one = Recorded.of(entry)
    if one is None:
        raise _damaged(entry, "it is not of the shape of its type")
    data: dict[str, Any] = {}
    try:
        data = msgspec.json.decode(entry.data)
        wrong = next(_wrong_plan(data) if one.kind == "plan" else _wrong_patch(one.kind, data), None)
    except _WRONG:
        wrong = "its content is not of the shape that the hash is made of"
    if wrong is not None:
        raise _damaged(entry, wrong)
    if one.kind == "plan":
        try:
            shown = brief(data["plan"])
        except _WRONG:
            raise _damaged(entry, "the plan lacks what its text is made of") from None
    else:
        assert one.shown is not None
        try:
            shown = ledger.objects.get(one.shown)
        except Usage:
            raise _damaged(entry, "the text that was rendered is gone") from None
        if sha256(shown).hexdigest() != one.shown:  # an object of that name which holds something else
            raise _damaged(entry, "the text that was rendered is not the one that is kept")
        try:
            missing = not_shown(one.kind, data["artifact"], shown)
        except _WRONG:
            missing = "what it is of"
        if missing is not None:
            raise _damaged(entry, f"the text that is to be read does not show {missing}")
    return Thing(one.subject, one.digest, shown, one.proposed_by, one.normalised, one.event)


def _wrong_plan(data: Mapping[str, Any]) -> Iterator[str]:
    plan = data["plan"]
    computed = plan_hash(plan)
    if not computed == data["hash"] == plan.get("planHash", data["hash"]):
        yield f"the hash of the plan is {computed}, and not {data['hash']}"
    if not plan_id(computed) == data["id"] == plan.get("id", data["id"]):
        yield f"the id of the plan is {plan_id(computed)}, and not {data['id']}"


def _wrong_patch(kind: str, data: Mapping[str, Any]) -> Iterator[str]:
    artifact, told = data["artifact"], data["hash"]
    if kind == "source":
        computed = patch_hash(artifact)
        if not computed == told == artifact["patchHash"]:
            yield f"the hash of the patch is {computed}, and not {told}"
        if artifact["id"] != patch_id(computed):
            yield f"the id of the patch is {patch_id(computed)}, and not {artifact['id']}"
        return
    if told != data["shown"] or artifact.get("renderedPatchHash", told) != told:
        yield f"the text that is shown has the SHA-256 {data['shown']}, and not {told}"


def _damaged(entry: Entry, why: str) -> Corrupt:
    return Corrupt(
        f"what is recorded is not what its hash promises: {why}",
        where=f"seq {entry.seq}",
        safe="nothing was approved or applied",
        remedy=_DAMAGED_REMEDY,
    )


def file_thing(root: Path, path: str) -> Thing:
    """A text file of the tree. Raises Usage where there is none, or what nobody can read; Refused behind a link."""
    content = look(root, path)
    problem = "is not there" if content is None else None if content else "is empty"
    try:
        path.encode()
        (content or b"").decode()
    except UnicodeError:
        problem = "is no text in UTF-8, so nobody could read what they approve"
    if content is None or problem is not None:
        raise Usage(
            f"{path} {problem}",
            where=path,
            safe="nothing was approved",
            remedy="name a text file below the root",
        )
    same = normalised(content) if path.lower().endswith(MARKDOWN) else None
    return Thing(f"file:{path}", sha256(content).hexdigest(), content, normalised=same)
