"""What may be appended by hand: bodies of open types, always `asserted` (decisions A16)."""

from __future__ import annotations

from typing import Any, Final

from pydantic import ValidationError

from t2c.ledger.errors import Refused, Usage
from t2c.ledger.events.catalogue import CATALOGUE
from t2c.ledger.events.draft import EventDraft, check_redactable
from t2c.ledger.kernel import canon
from t2c.ledger.kernel.actor import Actor

__all__ = ["MEMBERS", "by_hand"]

MEMBERS: Final = ("type", "data", "v", "actor", "trust", "cause", "run", "key", "redactable")
"""What a body may hold; only `type` and `data` must be there."""
_KNOWN: Final = frozenset(MEMBERS)


def by_hand(
    body: object,
    *,
    actor: Actor,
    key: str | None = None,
    redactable: bool = False,
    where: str | None = None,
) -> EventDraft:
    """Make a draft of a body that somebody wrote.

    `actor`, `key` and `redactable` stand in for what the body leaves out. Raises Usage for a malformed body,
    Refused for a type that has a verb of its own, a trust above `asserted`, a payload that cannot be kept apart from
    its line, or an actor who is no agent where `actor` is one.
    """
    if not isinstance(body, dict):
        raise Usage("an event body is a JSON object", where=where, remedy=_example("observation.noted"))
    if not body.keys() <= _KNOWN:
        raise Usage(
            f"unknown member {min(body.keys() - _KNOWN)!r} in the event body",
            where=where,
            remedy=f"a body holds {', '.join(MEMBERS)}",
        )
    name = body.get("type")
    payload = _open_type(name, where)
    if body.get("trust", "asserted") != "asserted":
        raise Refused(
            f"what is appended by hand is 'asserted', not {body['trust']!r}",
            where=where,
            remedy="leave trust out; only t2c's own code observes",
        )
    if type(body.get("v", payload.v)) is not int or body.get("v", payload.v) != payload.v:
        raise Usage(f"{name} is at version {payload.v}, not {body['v']!r}", where=where)
    cause = body.get("cause", [])
    if not isinstance(cause, list) or (cause and not all(isinstance(ref, str) for ref in cause)):
        raise Usage("cause is a list of event ids", where=where)
    run, own_key = body.get("run"), body.get("key")
    for member, given in (("run", run), ("key", own_key)):
        if given is not None and not isinstance(given, str):
            raise Usage(f"{member} is a string", where=where)
    apart = body.get("redactable", redactable)
    if not isinstance(apart, bool):
        raise Usage("redactable is true or false", where=where)
    if apart:
        check_redactable(payload)
    try:
        data = body.get("data")
        canon.check(data)
        encoded = payload.decode(canon.canonical(data)).encode()
    except canon.NotCanonical as error:
        raise Usage(f"{name}: {error}", where=where, remedy=_example(payload.type)) from None
    except ValidationError as error:
        raise Usage(_problem(payload.type, error), where=where, remedy=_example(payload.type)) from None
    return EventDraft(
        payload.type,
        payload.v,
        encoded,
        _actor(body.get("actor"), actor, where),
        "asserted",
        tuple(cause),
        run,
        own_key or key,
        redactable=apart,
    )


def _open_type(name: Any, where: str | None) -> Any:
    if not isinstance(name, str):
        raise Usage("an event body needs a type", where=where, remedy=_example("observation.noted"))
    if name not in CATALOGUE.locations:
        from difflib import get_close_matches

        close = get_close_matches(name, CATALOGUE.types(), 1)
        hint = f"did you mean {close[0]}? " if close else ""
        raise Usage(
            f"there is no event type {name!r}", where=where, remedy=hint + "`t2c ledger types` lists them"
        )
    payload = CATALOGUE.payload(name)
    if not payload.by_hand:
        raise Refused(
            f"{name} is not appended by hand: t2c writes it itself when it happens",
            where=where,
            safe="nothing was written",
            remedy="`t2c ledger types` lists what is open to hands; state it as an observation.noted",
        )
    return payload


def _actor(given: Any, default: Actor, where: str | None) -> Actor:
    if given is None:
        return default
    if isinstance(given, dict) and given.keys() == {"kind", "id"}:
        given = f"{given['kind']}:{given['id']}"
    if not isinstance(given, str):
        raise Usage("actor is KIND:ID or an object with kind and id", where=where)
    found = Actor.parse(given)
    if default.kind == "agent" and found.kind != "agent":
        raise Refused(
            f"{default} cannot speak as {found}: an agent stays one",
            where=where,
            safe="nothing was written",
            remedy="leave actor out or name an agent; a person sets T2C_ACTOR",
        )
    return found


def _example(name: str) -> str:
    return f"start from `t2c ledger types --example {name}`"


def _problem(name: str, error: ValidationError) -> str:
    problem = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(str(step) for step in problem["loc"])
    said = problem["msg"].removeprefix("Value error, ")
    return f"{name}: data.{place}: {said}" if place else f"{name}: data: {said}"
