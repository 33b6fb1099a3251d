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
_BY_THEIR_TEXT: Final = frozenset({"checkpoint.signed", "key.registered"})
"""Types that hold a signature or a public key, which are nothing any more if a character of them changes."""


def mask_draft(item: EventDraft, funnel: Funnel) -> tuple[EventDraft, Mapping[str, int]]:
    """The draft without secrets in its payload, key and run, and what was found, by kind.

    Records are masked where they are read, since their ids rest on their text. Signatures stay whole, and so does an
    event that came from elsewhere, whose line there could not be made again. Raises Refused if the payload, once
    masked, is none of its type any more.
    """
    if item.type.startswith("record.") or item.type in _BY_THEIR_TEXT or item.origin is not None:
        return item, _NOTHING
    content, findings = funnel.mask_json(item.data)
    key, run = item.key, item.run
    if not ((key is None or funnel.clean(key)) and (run is None or funnel.clean(run))):
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
