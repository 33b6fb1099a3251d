"""Announce, act, record, for one request to a model (decisions A11): objects first, then the event that cites them."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import orjson

from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Conflict, T2cError
from t2c.ledger.events.draft import draft
from t2c.ledger.events.llm import LlmAnswered, LlmAsked, LlmUnusable, Replayed, Story, Unusable, Usage
from t2c.ledger.events.runs import DegradationNoted
from t2c.ledger.kernel.actor import Actor
from t2c.ledger.kernel.canon import NotCanonical, check
from t2c.ledger.llm.base import Request
from t2c.ledger.redaction.funnel import Funnel

if TYPE_CHECKING:
    from t2c.ledger.journal.turn import Receipt
    from t2c.ledger.llm.asking import Asking, Vault

__all__ = ["Announcement", "Receipts", "Settled", "agent", "guarantee", "nothing_yet"]

_MOST_IN_LINE: Final = 64 << 10
"""Bytes of a value that stand in the line of its event (decisions D3)."""
_LONGEST_DETAIL: Final = 2000
_NO_NAME: Final = re.compile(r"[^A-Za-z0-9._@+/-]+")


class Announcement(NamedTuple):
    """One request of a question. `corrects` and `instead_of` are earlier `llm.asked` of it; `masked` counts secrets."""

    asking: Asking[Any]
    request: Request
    masked: Mapping[str, int]
    corrects: str | None = None
    instead_of: str | None = None


class Settled(NamedTuple):
    """What a request came to, ready to be recorded: `content` and `raw` are what came.

    `reason` is None for an answer; `parsed` is that as JSON, and `lesser` is what was given up for it.
    """

    reason: Unusable | None
    where: str | None
    detail: str
    content: str | None
    raw: bytes | None
    story: Story
    parsed: Any = None
    lesser: Sequence[DegradationNoted] = ()


def agent(story: Story, funnel: Funnel) -> Actor:
    """Who says what a model said: `agent:<served model>`, else the model that was asked for (decisions D4).

    An actor's id cannot be masked, so one that holds what may be a secret is `unnamed`.
    """
    name = _NO_NAME.sub("-", story.served or story.requested).lstrip("._@+/-")[:128]
    return Actor("agent", name if name and not funnel.mask(name).removed else "unnamed")


def guarantee(request: Request, story: Story) -> str:
    """What held the model to the schema, as `llm.answered` says it."""
    if request.mode == "json_object":
        return "checked_here_only"
    sure = request.require_parameters and story.served is not None and not request.dropped
    return "enforced" if sure else "requested"


def nothing_yet(model: str) -> Story:
    """The story of a request of which nothing is known."""
    unknown = Usage(
        prompt_tokens=None,
        completion_tokens=None,
        reasoning_tokens=None,
        total_tokens=None,
        cost_micros=None,
        currency="USD",
    )
    return Story(
        requested=model,
        served=None,
        provider=None,
        response_id=None,
        finish_reason=None,
        attempts=(),
        usage=unknown,
    )


class Receipts:
    """Writes what the boundary records. `run` is the run that it belongs to.

    What is announced is open until it is settled, which happens once: by whoever waits for the answer, or by
    `interrupt`, when nobody does any more.
    """

    def __init__(self, ledger: Ledger, run: str | None) -> None:
        self.ledger = ledger
        self.run = run
        self._guard = threading.Lock()
        self._open: dict[str, Request] = {}
        self._vaults: dict[str, Vault] = {}

    def announce(self, what: Announcement, body: bytes, endpoint: str) -> str:
        """Record that a model is about to be asked; the id of that event. The body lasts before it does."""
        asking, request = what.asking, what.request
        objects, funnel = self.ledger.objects, self.ledger.funnel
        brief = asking.brief._replace(text=funnel.mask(asking.brief.text).text)
        digest = objects.put(body)
        manifest = objects.put(funnel.mask_bytes(brief.manifest()).content)
        shown = objects.put(brief.text.encode("utf-8", "replace"))
        payload = LlmAsked(
            request=digest,
            role=asking.role,
            stage=asking.stage,
            model=request.model,
            mode=request.mode,
            endpoint=endpoint,
            schema_name=request.shape.name,
            schema_digest=objects.put(request.shape.schema),
            brief=brief.name,
            brief_digest=shown,
            manifest=manifest,
            items=len(brief.items),
            body_bytes=len(body),
            masked=dict(what.masked),
            corrects=what.corrects,
            instead_of=what.instead_of,
            sealed=asking.vault is not None,
        )
        cause = tuple(one for one in (what.corrects, what.instead_of) if one is not None)
        event = self.ledger.append([draft(payload, run=self.run, cause=cause)])[0].id
        self.reopen(event, request, asking.vault)
        return event

    def reopen(self, asked: str, request: Request, vault: Vault | None = None) -> None:
        """Take over an announcement of before, which nobody waits for. `vault` takes what comes."""
        with self._guard:
            if vault is not None:
                self._vaults[asked] = vault
            self._open[asked] = request

    def settle(
        self, asked: str, digest: str, request: Request, settled: Settled, replayed: Replayed | None = None
    ) -> Receipt | None:
        """Record how it went, with what was given up for it; None if it is settled already.

        The agent says what it answered; that something came which is no answer is what t2c saw.
        """
        with self._guard:
            if self._open.pop(asked, None) is None:
                return None
        return self._record(asked, digest, request, settled, replayed)

    def interrupt(
        self, detail: str, arrived: Callable[[str], bytes | None] | None = None, *, only: str | None = None
    ) -> None:
        """Record that nobody waits any more for what is open, or for `only` this of it.

        `arrived` tells what has come of an answer, by the digest of its request.
        """
        with self._guard:
            names = list(self._open) if only is None else [only]
            left = {asked: self._open.pop(asked) for asked in names if asked in self._open}
        for asked, request in left.items():
            digest = request.digest
            raw = None if arrived is None else arrived(digest)
            settled = Settled("interrupted", None, detail, None, raw, nothing_yet(request.model))
            self._record(asked, digest, request, settled, None)

    def _record(
        self, asked: str, digest: str, request: Request, settled: Settled, replayed: Replayed | None
    ) -> Receipt | None:
        objects, funnel = self.ledger.objects, self.ledger.funnel
        vault = self._vaults.get(asked)
        put = objects.put if vault is None else vault.put
        content = None if settled.content is None else put(settled.content.encode("utf-8", "replace"))
        raw = None if settled.raw is None else put(funnel.mask_bytes(settled.raw).content)
        detail, where = settled.detail[:_LONGEST_DETAIL] or "nothing is known of why", settled.where
        if vault is not None and content is not None:
            where = None
            detail = "what is wrong with it is sealed, since it quotes what was said"
        # Under one key, so that a request has one outcome whoever else comes to record one.
        key = f"llm:{asked}"
        if settled.reason is None and content is not None:
            answered = LlmAnswered(
                asked=asked,
                request=digest,
                content=content,
                raw=raw or content,
                value=None if vault is not None else _in_line(settled.parsed),
                guarantee=guarantee(request, settled.story),  # type: ignore[arg-type]
                story=settled.story,
                replayed=replayed,
            )
            first = draft(answered, actor=agent(settled.story, funnel), run=self.run, cause=(asked,), key=key)
        else:
            unusable = LlmUnusable(
                asked=asked,
                request=digest,
                reason=settled.reason or "empty",
                where=where,
                detail=detail,
                content=content,
                raw=raw,
                story=settled.story,
                replayed=replayed,
            )
            first = draft(unusable, run=self.run, cause=(asked,), key=key)
        notes = [draft(note, run=self.run, cause=(asked,)) for note in settled.lesser]
        try:
            return self.ledger.append([first, *notes], atomic=bool(notes))[0]
        except Conflict:
            if not self._is_settled(key):
                raise  # it could not be recorded, and nobody else did
            return None

    def _is_settled(self, key: str) -> bool:
        try:
            return self.ledger.index.keyed(key) is not None
        except T2cError:
            return False


def _in_line(value: Any) -> dict[str, Any] | None:
    """The value, if it is an object that can stand in a line; its exact bytes are an object all the same."""
    if not isinstance(value, dict):
        return None
    try:
        check(value)
        return value if len(orjson.dumps(value)) <= _MOST_IN_LINE else None
    except (NotCanonical, TypeError, ValueError, RecursionError):
        return None
