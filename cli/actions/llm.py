"""`t2c llm`: what models were asked, what they said, what that took, and what became of it. The journal alone tells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from t2c.cli.actions.context import Context
from t2c.cli.actions.opening import open_ledger
from t2c.cli.actions.viewing import view
from t2c.ledger.errors import T2cError, Usage

if TYPE_CHECKING:
    from t2c.ledger.engine import Ledger
    from t2c.projections.calls.state import Call

__all__ = [
    "CallList",
    "CallRow",
    "CallShown",
    "CallUse",
    "CostTable",
    "Part",
    "PartName",
    "cost",
    "listed",
    "shown",
]

PartName = Literal["prompt", "answer", "raw", "manifest"]

_SEALED: Final = "sealed: it is kept outside of the workspace until it is revealed"


@dataclass(frozen=True, slots=True)
class CallUse:
    """An event that was made of an answer."""

    type: str
    event: str
    seq: int


@dataclass(frozen=True, slots=True)
class CallRow:
    """One request. `outcome` is `answered`, `open` (nobody knows how it went) or why what came is no answer.

    Money is in millionths of `currency`; null is unknown. `follows` and `followed_by` are the seqs of the request that
    this one corrects or stands in for, and of the one that did so for it. `replayed` names the ledger that the answer
    was taken from, `taken_in` the one that asked, where it was not this one.
    """

    schema: ClassVar[str] = "t2c.call/v1"
    seq: int
    event: str
    ts: str
    run: str | None
    stage: str
    role: str
    requested: str
    served: str | None
    outcome: str
    outcome_event: str | None
    detail: str
    prompt_tokens: int | None
    completion_tokens: int | None
    cost_micros: int | None
    currency: str | None
    milliseconds: int | None
    attempts: int
    replayed: str | None
    follows: int | None
    followed_by: int | None
    uses: Sequence[CallUse]
    taken_in: str | None = None


@dataclass(frozen=True, slots=True)
class CallList:
    """The requests, the oldest first, as of event `seq`; `all` is how many there are without a filter.

    `taken_in` counts by ledger those that came in with another one's events: they were asked and paid there.
    """

    schema: ClassVar[str] = "t2c.call-list/v1"
    seq: int
    all: int
    calls: Sequence[CallRow]
    taken_in: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Part:
    """An object of a request: its text, or why there is none."""

    name: str
    digest: str | None
    text: str | None
    problem: str | None


@dataclass(frozen=True, slots=True)
class CallShown:
    """One request, whole: what was sent, shown and said, read again from objects that fit their digests."""

    schema: ClassVar[str] = "t2c.call-shown/v1"
    seq: int
    call: CallRow
    asked: Mapping[str, Any]
    outcome: Mapping[str, Any] | None
    parts: Sequence[Part]

    def part(self, name: PartName) -> Part:
        """The part of this name."""
        return next(part for part in self.parts if part.name == name)


@dataclass(frozen=True, slots=True)
class CostTable:
    """What calls took, put together by `by`, as of event `seq`; what nobody knows is counted and in no sum.

    `taken_in` counts by ledger the requests of others, which took nothing here.
    """

    schema: ClassVar[str] = "t2c.llm-cost/v1"
    seq: int
    by: str
    groups: Sequence[Mapping[str, Any]]
    total: Mapping[str, Any]
    taken_in: Mapping[str, int]


def listed(
    context: Context,
    *,
    stage: str | None = None,
    role: str | None = None,
    model: str | None = None,
    failed: bool = False,
    at: str | None = None,
) -> CallList:
    """The requests of a stage, a role or a model, or those without an answer.

    Raises Usage for a stage, role or model that none of them has.
    """
    seq, calls, taken = _calls(context, at)
    rows = _rows(calls)
    chosen = _with("stage", stage, rows, lambda row: (row.stage,))
    chosen = _with("role", role, chosen, lambda row: (row.role,))
    chosen = _with("model", model, chosen, lambda row: (row.requested, row.served))
    if failed:
        chosen = [row for row in chosen if row.outcome != "answered"]
    return CallList(seq, len(rows), chosen, _counted(taken))


def shown(context: Context, asked: str, at: str | None = None, part: PartName | None = None) -> CallShown:
    """One request by its seq or event, or by those of its outcome; one of another ledger too, if it was taken in.

    A `part` that is asked for must be there: raises Usage if its object is missing, Corrupt if it is damaged.
    """
    import msgspec

    seq, calls, taken = _calls(context, at)
    calls = [*calls, *(call for _, call in taken)] if asked != "latest" else calls
    place = _found(asked, calls)
    call = calls[place]
    outcome = call.outcome
    digests = {
        "prompt": call.request,
        "answer": None if outcome is None else outcome.content,
        "raw": None if outcome is None else outcome.raw,
        "manifest": call.manifest,
    }
    sealed = ("answer", "raw") if call.sealed else ()
    with open_ledger(context) as ledger:
        if part in sealed:
            raise Usage(f"the {part} of request {call.seq} is {_SEALED}")
        if part is not None and (wanted := digests[part]) is not None:
            ledger.objects.get(wanted)
        parts = [
            Part(name, digest, None, _SEALED)
            if name in sealed and digest is not None
            else _part(ledger.objects.get, name, digest)
            for name, digest in digests.items()
        ]
    if part is not None and digests[part] is None:
        raise Usage(
            f"request {call.seq} has no {part}: {'nobody knows how it went' if outcome is None else outcome.reason}",
            remedy=f"`t2c llm show {call.seq}` shows what there is",
        )
    plain: dict[str, Any] = msgspec.to_builtins(call)
    told = plain.pop("outcome")
    plain.pop("uses")
    row = _rows(calls)[place]
    ledger_of = {other.event: name for name, other in taken}
    return CallShown(seq, replace(row, taken_in=ledger_of.get(call.event)), plain, told, parts)


def cost(context: Context, by: str = "model", at: str | None = None) -> CostTable:
    """What the requests took, by model, stage, run or day."""
    import msgspec

    from t2c.projections.calls.totals import BY, grouped, totals

    if by not in BY:
        raise Usage(f"costs are not put together by {by!r}", remedy=f"give --by {'|'.join(BY)}")
    seq, calls, taken = _calls(context, at)
    groups = [{"name": name, **msgspec.to_builtins(found)} for name, found in grouped(calls, by).items()]
    return CostTable(seq, by, groups, msgspec.to_builtins(totals(calls)), _counted(taken))


def _calls(context: Context, at: str | None) -> tuple[int, list[Call], list[tuple[str, Call]]]:
    """The requests of this ledger, and those that were taken in with the ledgers that asked."""
    import msgspec

    from t2c.projections.calls import Document

    found = view(context, "calls", at)
    own = msgspec.json.decode(found.artifacts["calls.json"], type=Document).calls
    if not found.foreign:
        return found.seq, own, []
    with open_ledger(context) as ledger:
        return found.seq, own, _taken_in(ledger, found.seq)


def _taken_in(ledger: Ledger, until: int) -> list[tuple[str, Call]]:
    """The requests of other ledgers, which stand in no view; what this one made of their answers stands with them."""
    import msgspec

    from t2c.projections.base import Unusable
    from t2c.projections.calls.state import ASKING, HANDLES, Calls, apply

    state, own, names = Calls(), ledger.id(), dict[str, str]()
    for entry in ledger.entries(until=until):
        if entry.type not in HANDLES or entry.v != 1:
            continue
        if entry.is_ours(own):
            if entry.type in ASKING:
                continue
        elif entry.type == "llm.asked" and entry.origin is not None:
            places = entry.origin.places
            names[entry.id] = next(place.ledger for place in places if place.ledger != own)
        with suppress(Unusable, msgspec.DecodeError):  # `verify` names it
            apply(state, entry)
    return [(names[call.event], call) for call in state.calls.values()]


def _counted(taken: Sequence[tuple[str, Call]]) -> dict[str, int]:
    return dict(sorted(Counter(name for name, _ in taken).items()))


def _rows(calls: Sequence[Call]) -> list[CallRow]:
    seqs = {call.event: call.seq for call in calls}
    after: dict[str, int] = {}
    for call in calls:
        for before in (call.corrects, call.instead_of):
            if before is not None:
                after.setdefault(before, call.seq)
    return [
        _row(call, seqs.get(call.corrects or call.instead_of or ""), after.get(call.event)) for call in calls
    ]


def _row(call: Call, follows: int | None, followed_by: int | None) -> CallRow:
    outcome = call.outcome
    story = None if outcome is None else outcome.story
    usage = None if story is None else story.usage
    attempts = () if story is None else story.attempts
    return CallRow(
        seq=call.seq,
        event=call.event,
        ts=call.ts,
        run=call.run,
        stage=call.stage,
        role=call.role,
        requested=call.model,
        served=None if story is None else story.served,
        outcome="open" if outcome is None else outcome.reason or "answered",
        outcome_event=None if outcome is None else outcome.event,
        detail="" if outcome is None else outcome.detail,
        prompt_tokens=None if usage is None else usage.prompt_tokens,
        completion_tokens=None if usage is None else usage.completion_tokens,
        cost_micros=None if usage is None else usage.cost_micros,
        currency=None if usage is None else usage.currency,
        milliseconds=sum(one.took_ms + one.waited_ms for one in attempts) if attempts else None,
        attempts=len(attempts),
        replayed=None if outcome is None or outcome.replayed is None else outcome.replayed.ledger,
        follows=follows,
        followed_by=followed_by,
        uses=[CallUse(one.type, one.event, one.seq) for one in call.uses],
    )


def _with(
    option: str, wanted: str | None, rows: Sequence[CallRow], names: Callable[[CallRow], Sequence[str | None]]
) -> Sequence[CallRow]:
    if wanted is None:
        return rows
    known = sorted({name for row in rows for name in names(row) if name is not None})
    if wanted not in known and known:
        near = get_close_matches(wanted, known, 3) or known[:8]
        raise Usage(
            f"no request has the {option} {wanted!r}",
            remedy=f"there are {', '.join(near)}: `t2c llm log` lists all",
        )
    return [row for row in rows if wanted in names(row)]


def _found(asked: str, calls: Sequence[Call]) -> int:
    """The place of the request that is meant; `latest` is the last one."""
    if asked == "latest" and calls:
        return len(calls) - 1
    for place, call in enumerate(calls):
        outcome = call.outcome
        names = {call.event, str(call.seq)}
        if outcome is not None:
            names |= {outcome.event, str(outcome.seq)}
        if asked in names:
            return place
    raise Usage(
        f"{asked!r} is no request to a model, nor an answer to one",
        remedy="give a seq or an event that `t2c llm log` lists",
    )


def _part(get: Callable[[str], bytes], name: str, digest: str | None) -> Part:
    if digest is None:
        return Part(name, None, None, "nothing came")
    try:
        return Part(name, digest, get(digest).decode("utf-8", "backslashreplace"), None)
    except T2cError as error:
        return Part(name, digest, None, error.what)
