"""A reply held to everything it must keep: what it came to, and the value where it is an answer."""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

import orjson

from t2c.ledger.events.llm import LlmUnusable, Story
from t2c.ledger.events.runs import DegradationNoted
from t2c.ledger.llm.asking import Asking, Rejected
from t2c.ledger.llm.base import Reply, Request
from t2c.ledger.llm.conversation import judge, lesser
from t2c.ledger.llm.receipts import Settled
from t2c.ledger.redaction.funnel import Funnel

__all__ = ["Weighed", "weigh"]

_LONGEST: Final = 2000
_ENDS: Final = frozenset({"stop", "length", "content_filter", "tool_calls", "function_call", "error"})
_DATED: Final = re.compile(r"[-@][0-9v]")


class Weighed(NamedTuple):
    """`value` is what the stage made of an answer; without one, `settled.reason` says why."""

    settled: Settled
    value: Any = None


def weigh(
    asking: Asking[Any], request: Request, reply: Reply, funnel: Funnel, ruled: LlmUnusable | None = None
) -> Weighed:
    """Judge a reply: what the provider said of it, its JSON, its schema, the rules of the stage, in this order.

    Secrets are masked first, so that a value made now is the one that is made from the record later. `ruled` is how a
    recorded reply was judged when it came, which stands.
    """
    if asking.vault is not None:
        reply = reply._replace(story=_unquoted(reply.story))
    content = None if reply.content is None else funnel.mask(_unicode(reply.content)).text
    if ruled is not None:
        return Weighed(
            Settled(
                ruled.reason,
                ruled.where,
                ruled.detail,
                content,
                reply.raw,
                reply.story,
                None,
                _given_up(asking, request, ruled.reason, ruled.where, ruled.detail),
            )
        )
    if reply.failure is not None or content is None:
        reason = reply.failure or "empty"
        detail = _short(funnel.mask(_unicode(reply.detail)).text) or f"no answer came: {reason}"
        if asking.vault is not None and (reply.raw is not None or content is not None):
            detail = f"no answer came: {reason.replace('_', ' ')}; the words of the provider are sealed, since they may quote it"
        where = reply.refused_keyword if reason == "rejected_request" else None
        notes = _given_up(asking, request, reason, where, detail)
        return Weighed(Settled(reason, where, detail, content, reply.raw, reply.story, None, notes))
    judged = judge(content, request.shape)
    fenced = judged.fenced or reply.fenced
    if judged.reason is None and asking.vault is None:
        masked = _without_escaped(judged.text, funnel)
        if masked is not None:
            content, judged = masked, judge(masked, request.shape)
    fault, where, detail = judged.reason, judged.where, judged.detail
    value: Any = None
    if fault is None:
        try:
            value = asking.check(judged.text)
        except Rejected as error:
            fault, detail = "rule_violation", str(error) or "a rule of the stage is broken"
    if fault is not None:
        detail = _short(funnel.mask(detail).text)
        return Weighed(Settled(fault, where, detail, content, reply.raw, reply.story))
    notes = _lesser(asking, request, reply, fenced=fenced)
    parsed = orjson.loads(judged.text)
    return Weighed(Settled(None, None, "", content, reply.raw, reply.story, parsed, notes), value)


def _unquoted(story: Story) -> Story:
    """How a sealed question went, without words of the provider: they may quote what is sealed."""
    attempts = tuple(
        one if one.status is None else one.model_copy(update={"detail": ""}) for one in story.attempts
    )
    ended = story.finish_reason if story.finish_reason in _ENDS else None
    return story.model_copy(update={"attempts": attempts, "finish_reason": ended})


def _without_escaped(text: bytes, funnel: Funnel) -> str | None:
    """The answer without secrets that only its escapes hid; None if there are none.

    An id is made of what an answer says: were such a secret masked no sooner than in its event, the id would fit nothing.
    """
    if b"\\" not in text:
        return None
    masked, removed = funnel.mask_value(orjson.loads(text))
    return orjson.dumps(masked).decode() if removed else None


def _given_up(
    asking: Asking[Any], request: Request, reason: str, where: str | None, detail: str
) -> tuple[DegradationNoted, ...]:
    less = lesser(request, where) if reason == "rejected_request" else None
    if less is None:
        return ()
    return (DegradationNoted(stage=asking.stage, asked=less.asked, done=less.done, reason=detail),)


def _lesser(
    asking: Asking[Any], request: Request, reply: Reply, *, fenced: bool
) -> tuple[DegradationNoted, ...]:
    """What of an answer was done in a lesser way than asked."""
    found: list[DegradationNoted] = []
    if fenced:
        found.append(
            DegradationNoted(
                stage=asking.stage,
                asked="one JSON document",
                done="JSON taken out of a Markdown fence",
                reason="the model put it into one",
            )
        )
    served = reply.story.served
    if served is not None and not _same(request.model, served):
        found.append(
            DegradationNoted(
                stage=asking.stage,
                asked=f"an answer of {request.model}",
                done=f"an answer of {served}",
                reason="the provider served another model",
            )
        )
    return tuple(found)


def _same(asked: str, served: str) -> bool:
    """True for the model itself, in whatever variant it is routed, and for a dated version of it."""
    asked, served = asked.partition(":")[0], served.partition(":")[0]
    rest = served.removeprefix(asked)
    return served.startswith(asked) and (not rest or _DATED.match(rest) is not None)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _unicode(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
