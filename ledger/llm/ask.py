"""Asking: announce, send or take from the record, check, record, correct once. The one way to a model's answer.

off       nobody is asked, nothing is looked up
replay    only what is recorded counts; a request that is not is a divergence, never a call (answers §4)
record    what is recorded and would go the same way again is taken; all else is asked, and recorded
live      everything is asked, and recorded
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from hashlib import sha256
from threading import Lock
from typing import Any, Final, NamedTuple, TypeVar

from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Model as NoAnswer
from t2c.ledger.errors import T2cError, Usage
from t2c.ledger.events.llm import AskMode, Replayed, Story, Unusable
from t2c.ledger.llm.asking import CODES, Answered, Asking, Guard, Mode, Rejected, Unanswered, Vault
from t2c.ledger.llm.base import Abandoning, Keyed, Model, Reply, Request, Spooling
from t2c.ledger.llm.conversation import CORRECTABLE, bare, corrected, lesser
from t2c.ledger.llm.many import in_parallel
from t2c.ledger.llm.outcome import received
from t2c.ledger.llm.outgoing import prepared
from t2c.ledger.llm.receipts import Announcement, Receipts
from t2c.ledger.llm.recorded import SETTLED, Outcome, Recorded
from t2c.ledger.llm.spool import Spool
from t2c.ledger.llm.weighing import Weighed, weigh

__all__ = ["Answered", "Asker", "Asking", "Guard", "Mode", "Rejected", "Unanswered"]

V = TypeVar("V")
NOT_CONFIGURED: Final = (
    "no model is configured: set OPENROUTER_API_KEY, or T2C_LLM_BASE_URL to a server of your own"
)


class _Turn(NamedTuple):
    """How one request went, by the events `asked` and `event`; `fresh` is true where a model was asked now."""

    asked: str
    event: str
    seq: int
    fresh: bool
    found: Weighed

    @property
    def story(self) -> Story:
        return self.found.settled.story


class Asker:
    """The boundary: everything that is asked goes through `ask`. Safe for threads.

    `recordings` are other ledgers whose answers may be taken, and are recorded here; `guards` look at every body
    before it is sent. `progress` is told of `ask_many`, which asks no more than `most_at_once` at a time.
    """

    def __init__(
        self,
        ledger: Ledger,
        model: Model | None,
        *,
        mode: Mode,
        run: str | None = None,
        progress: Callable[[str, int, int | None], None] | None = None,
        recordings: Sequence[Ledger] = (),
        guards: Sequence[Guard] = (),
        most_at_once: int | None = None,
        form: AskMode = "json_schema",
        temperature: str = "0",
        require_parameters: bool = True,
        stream: bool = False,
    ) -> None:
        self.ledger = ledger
        self.model = model
        self.mode: Mode = mode
        self._receipts = Receipts(ledger, run)
        self._recorded = Recorded(ledger)
        self._recordings = tuple(Recorded(other) for other in recordings)
        self._guards = tuple(guards)
        self._most_at_once = most_at_once
        self._progress = progress
        self._spool = Spool(ledger.cache)
        if isinstance(model, Spooling):
            model.spool = self._spool.path
        self._keys: dict[str, str] = {}
        """Digest → the announcement that a provider knows the request by."""
        if isinstance(model, Keyed):
            model.key_of = self._key
        self._form: AskMode = form
        self._temperature = temperature
        self._require_parameters = require_parameters
        self._stream = stream
        self.begins: Callable[[], object] | None = None
        """Called once before anything is announced: it records the run that the requests belong to."""
        self._beginning = Lock()

    def preview(self, asking: Asking[V]) -> bytes:
        """The exact body that would be sent first. Nothing is recorded or sent."""
        return self._opening(asking)[0].body

    def is_recorded(self, body: bytes) -> bool:
        """True if how a request goes is known here or in a recording, so that `record` does not send it again."""
        digest = sha256(body).hexdigest()
        known = self._known(self._recorded, digest, None)
        if known is not None and self._stands(known, digest):
            return True
        found = (self._known(recording, digest, None) for recording in self._recordings)
        return any(known is not None and known.settled for known in found)

    def ask(self, asking: Asking[V]) -> Answered[V]:
        """The answer, from the record or from the model. Everything that is asked is recorded, whatever comes of it.

        Raises Unanswered if there is no usable answer, Model (exit 7) for a request that a replay does not know,
        and what a guard raises, before anything is recorded or sent.
        """
        if self.mode == "off":
            raise Unanswered("LLM_DISABLED", "not_configured", "asking a model is off; `--llm record` asks")
        request, masked = self._opening(asking)
        stories: list[Story] = []
        first: str | None = None
        corrects: str | None = None
        instead_of: str | None = None
        corrections, widened = 0 if asking.vault is not None else asking.corrections, False
        while True:
            announcement = Announcement(asking, request, masked, corrects, instead_of)
            try:
                turn = self._turn(announcement)
            except Unanswered as error:
                error.stories = (*stories, *error.stories)
                raise
            stories.append(turn.story)
            settled = turn.found.settled
            reason = settled.reason
            if reason is None:
                return Answered(turn.found.value, turn.event, turn.seq, turn.story, not turn.fresh)
            if reason in CORRECTABLE and corrections > 0 and settled.content is not None:
                corrections -= 1
                first = first or turn.asked
                corrects, instead_of = first, None
                request = corrected(
                    request, settled.content, settled.detail, quote_schema=asking.quote_schema
                )
            elif reason == "rejected_request" and (less := lesser(request, settled.where)) is not None:
                corrects, instead_of, request = None, turn.asked, less.request
            elif reason == "reasoning_used_the_budget" and not widened:
                widened = True
                corrects, instead_of = None, turn.asked
                request = request._replace(max_tokens=request.max_tokens * 2)
            else:
                raise Unanswered(_code(reason), reason, self._told(turn, settled.detail), stories)

    def _told(self, turn: _Turn, detail: str) -> str:
        """Why there is no answer; where nobody was asked now, with what to do so that somebody is."""
        if turn.fresh or self.mode != "record":
            return detail
        return f"{detail}; this is recorded (seq {turn.seq}): `--llm live` asks again"

    def ask_many(self, askings: Sequence[Asking[V]], concurrency: int = 3) -> list[Answered[V] | Unanswered]:
        """The answers to several questions, in their order, `concurrency` asked at a time.

        A question without an answer loses no other. Raises as `ask` does for everything else: then nothing further is
        asked, and what was being asked is waited for and recorded. After Ctrl-C nothing is waited for.
        """

        def one(asking: Asking[V]) -> Answered[V] | Unanswered:
            try:
                return self.ask(asking)
            except Unanswered as error:
                return error

        def done(count: int) -> None:
            if self._progress is not None and askings:
                self._progress(askings[0].stage, count, len(askings))

        if self._most_at_once is not None:
            concurrency = min(concurrency, self._most_at_once)
        return in_parallel(one, askings, concurrency, done=done, abandon=self._abandon)

    def _key(self, digest: str) -> str:
        """Another for each time that the same is asked, or a provider might answer from what it said before."""
        return sha256(f"{digest}{self._keys.get(digest, '')}".encode()).hexdigest()

    def _begin(self) -> None:
        with self._beginning:
            if self.begins is not None:
                self.begins()
                self.begins = None

    def _abandon(self) -> None:
        """After Ctrl-C: what is under way in other threads is given up, and that nobody waits for it is recorded."""
        if isinstance(self.model, Abandoning):
            self.model.abandon()
        self._receipts.interrupt("the work was interrupted", self._spool.arrived)

    def _opening(self, asking: Asking[V]) -> tuple[Request, dict[str, int]]:
        ready = prepared(asking.messages, self.ledger.funnel)
        request = Request(
            asking.model,
            ready.messages,
            asking.shape,
            mode=self._form,
            max_tokens=asking.max_tokens,
            temperature=self._temperature,
            require_parameters=self._require_parameters,
            stream=self._stream,
        )
        return (bare(request) if self._form == "json_object" else request), ready.masked

    def _turn(self, what: Announcement) -> _Turn:
        """One request: from the record where the mode has it so, else from the model."""
        body = what.request.body
        digest = sha256(body).hexdigest()
        if what.asking.vault is not None:
            self._spool.keep_at(digest, what.asking.vault.spool(digest))
        alone = self.mode != "replay" or self._recordings
        with self._spool.held(digest) if alone else nullcontext():
            if self.mode != "live":
                known = self._from_record(what, digest) or self._from_recordings(what, digest)
                if known is not None:
                    if alone:
                        self._spool.clear(digest)
                    return known
                if self.mode == "replay":
                    raise _diverged(what.asking, digest)
            if (left := self._left_behind(what, digest)) is not None:
                return left
            if self.model is None:
                raise Unanswered("LLM_NOT_CONFIGURED", "not_configured", NOT_CONFIGURED)
            for guard in self._guards:
                guard(what.asking, body)
            self._begin()
            asked = self._receipts.announce(what, body, self.model.endpoint)
            self._keys.setdefault(digest, asked)
            try:
                reply = self.model.send(what.request)
            except BaseException as error:
                said = error.what if isinstance(error, T2cError) else type(error).__name__
                self._receipts.interrupt(f"the work was stopped: {said}", self._spool.arrived, only=asked)
                raise
            finally:
                self._keys.pop(digest, None)
            turn = self._settle(what, digest, asked, reply)
            self._spool.clear(digest)
            return turn

    def _settle(
        self, what: Announcement, digest: str, asked: str, reply: Reply, replayed: Replayed | None = None
    ) -> _Turn:
        found = weigh(what.asking, what.request, reply, self.ledger.funnel)
        receipt = self._receipts.settle(asked, digest, what.request, found.settled, replayed)
        if receipt is None:
            raise Unanswered(_code("interrupted"), "interrupted", "nobody waited any more", (reply.story,))
        return _Turn(asked, receipt.id, receipt.seq, replayed is None, found)

    def _from_record(self, what: Announcement, digest: str) -> _Turn | None:
        """How this very request went in this ledger, if that counts in this mode."""
        known = self._known(self._recorded, digest, what.asking.vault)
        if known is None or not (self.mode == "replay" or self._stands(known, digest)):
            return None
        found = weigh(what.asking, what.request, known.reply(), self.ledger.funnel, known.ruled)
        return _Turn(known.asked, known.event, known.seq, False, found)

    def _stands(self, known: Outcome, digest: str) -> bool:
        """True if asking again would go the same way; what one provider does not take another may."""
        if known.ruled is not None and known.ruled.reason == "rejected_request" and self.model is not None:
            return self._recorded.asked(digest).endpoint == self.model.endpoint
        return known.settled

    def _from_recordings(self, what: Announcement, digest: str) -> _Turn | None:
        """How it went elsewhere, recorded here as taken from there."""
        for recording in self._recordings:
            known = self._known(recording, digest, what.asking.vault)
            if known is None or not (known.settled or self.mode == "replay"):
                continue
            asked = self._taken_over(what, digest)
            if asked is None:
                endpoint = recording.asked(digest).endpoint
                self._begin()
                asked = self._receipts.announce(what, what.request.body, endpoint)
            source = Replayed(ledger=str(recording.ledger.id()), event=known.event)
            found = weigh(what.asking, what.request, known.reply(), self.ledger.funnel, known.ruled)
            receipt = self._receipts.settle(asked, digest, what.request, found.settled, source)
            if receipt is not None:
                return _Turn(asked, receipt.id, receipt.seq, False, found)
        return None

    def _known(self, recorded: Recorded, digest: str, vault: Vault | None) -> Outcome | None:
        try:
            return recorded.outcome(digest, vault)
        except Usage as error:
            if self.mode != "replay":
                return None
            raise NoAnswer(
                f"what a model said is recorded, but not there: {error.what}",
                where=error.where,
                safe="nothing was asked or recorded",
                remedy="restore the object from a backup or a bundle, or ask again with `--llm record`",
                request=digest,
            ) from None

    def _taken_over(self, what: Announcement, digest: str) -> str | None:
        """The last announcement of this request that a killed process left without an outcome.

        The lock of the request is held: so whoever made it is gone. Earlier ones are settled as interrupted.
        """
        left = self._recorded.open(digest)
        for asked in left:
            self._receipts.reopen(asked, what.request, what.asking.vault)
        for asked in left[:-1]:
            self._receipts.interrupt("the process that asked was killed", only=asked)
        return left[-1] if left else None

    def _left_behind(self, what: Announcement, digest: str) -> _Turn | None:
        """The answer that a killed process had received whole, unless everything is asked; else that it was killed.

        None if the request is to be sent, for the first time or again.
        """
        asked = self._taken_over(what, digest)
        turn: _Turn | None = None
        if asked is not None:
            arrived = self._spool.arrived(digest) if self.mode == "record" else None
            reply = None if arrived is None else received(what.request, arrived)
            if reply is None:
                self._receipts.interrupt("the process that asked was killed", self._spool.arrived, only=asked)
                # The provider may have answered it, and is not to be paid for that twice.
                self._keys[digest] = asked
            else:
                turn = self._settle(what, digest, asked, reply)
        self._spool.clear(digest)
        again = turn is None or (turn.found.settled.reason not in (None, *SETTLED))
        return None if again else turn


def _code(reason: Unusable) -> str:
    return CODES.get(reason, "LLM_RESPONSE_INVALID")


def _diverged(asking: Asking[Any], digest: str) -> NoAnswer:
    return NoAnswer(
        f"a replay does not know what {asking.stage} asks: no answer to request {digest[:12]} is recorded",
        safe="nothing was sent or recorded",
        remedy="ask with `--llm record`, or replay with the version and settings that made the record",
        request=digest,
        stage=asking.stage,
        brief=asking.brief.digest,
    )
