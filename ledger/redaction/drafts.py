"""Events on their way into the log: what they say passes the funnel before it is hashed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import msgspec

from t2c.ledger.errors import Refused
from t2c.ledger.events.draft import EventDraft
from t2c.ledger.redaction.funnel import Funnel

__all__ = ["mask_draft"]

_NOTHING: Mapping[str, int] = {}


def mask_draft(item: EventDraft, funnel: Funnel) -> tuple[EventDraft, Mapping[str, int]]:
    """The draft without secrets in its payload, key and run, and what was found, by kind.

    Records are masked where they are read, since their ids rest on their text. An event that came from elsewhere
    stays as it is: its line there could not be made again. Raises Refused if the payload, once masked, is none of
    its type any more.
    """
    if item.type.startswith("record.") or item.origin is not None:
        return item, _NOTHING
    content, findings = funnel.mask_json(item.data)
    key, run = item.key, item.run
    if key is not None or run is not None:
        found = Counter(findings)
        if key is not None and not funnel.clean(key):
            masked = funnel.mask(key)
            key = masked.text
            found.update(masked.findings)
        if run is not None and not funnel.clean(run):
            masked = funnel.mask(run)
            run = masked.text
            found.update(masked.findings)
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
