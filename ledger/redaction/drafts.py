"""Events on their way into the log: what they say passes the funnel before it is hashed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

import msgspec

from t2c.ledger.errors import Refused
from t2c.ledger.events.draft import EventDraft
from t2c.ledger.redaction.funnel import Funnel

__all__ = ["mask_draft"]

_NOTHING: Mapping[str, int] = {}
_MASKED_BEFORE: Final = {"record.observed", "record.moved", "record.retracted", "record.interpreted"}
"""Their ids rest on their text, so it is masked where it is read."""
_BY_THEIR_TEXT: Final = {"checkpoint.signed", "key.registered"}
"""They hold a signature or a public key, which are nothing any more if a character of them changes."""
_AS_THEY_ARE: Final = frozenset(_MASKED_BEFORE | _BY_THEIR_TEXT)


def mask_draft(item: EventDraft, funnel: Funnel) -> tuple[EventDraft, Mapping[str, int]]:
    """The draft without secrets in its payload, key and run, and what was found, by kind.

    An event that came from elsewhere stays as it is, or its line there could not be made again. Raises Refused if the payload, once
    masked, is none of its type any more.
    """
    if item.origin is not None:
        return item, _NOTHING
    if not funnel.clean_name(item.actor.id) and funnel.mask(item.actor.id).removed:
        raise Refused(
            "a secret stands in the actor's id, where it cannot be masked",
            safe="nothing was written",
            remedy="name the actor otherwise; if it is no secret, allow it: redact.allow in t2c.toml",
        )
    if item.type in _AS_THEY_ARE:
        return item, _NOTHING
    key, run = item.key, item.run
    named = (run is None or funnel.clean_name(run)) and (key is None or funnel.clean(key))
    if named and funnel.clean(item.data.decode()):
        return item, _NOTHING
    content, findings = funnel.mask_json(item.data)
    if not named:
        masked_key, masked_run = funnel.mask(key or ""), funnel.mask(run or "")
        key = None if key is None else masked_key.text
        run = None if run is None else masked_run.text
        found = Counter(findings) + Counter(masked_key.findings) + Counter(masked_run.findings)
        findings = dict(sorted(found.items()))
    if not findings:
        return item, _NOTHING
    if content != item.data:
        _check(item, content)
    return msgspec.structs.replace(item, data=content, key=key, run=run), findings


def _check(item: EventDraft, content: bytes) -> None:
    from pydantic import ValidationError

    from t2c.ledger.events.catalogue import CATALOGUE

    if not CATALOGUE.knows(item.type, item.v) or CATALOGUE.payload(item.type).v != item.v:
        return
    try:
        CATALOGUE.payload(item.type).decode(content)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(str(step) for step in problem["loc"])
        raise Refused(
            f"a secret stands in {place or 'the payload'} of a {item.type} event, where it cannot be masked",
            safe="nothing was written",
            remedy="take the secret out; if it is none, allow it: redact.allow in t2c.toml",
        ) from None
