"""Requests over HTTP to a provider that speaks OpenAI chat completions, as OpenRouter does (intent-evidence §6.5).

What is sent are the bytes that were digested. Certificates are verified; redirections are not followed; no proxy of
the environment is used, only one that is given. The key stands in the header `Authorization` and nowhere else: not in
an error, a story, a detail or the bytes that come back.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from t2c.ledger.errors import Environment, Usage
from t2c.ledger.events.llm import Attempt, Unusable
from t2c.ledger.kernel.clock import Clock, SystemClock, rfc3339
from t2c.ledger.llm.base import Reply, Request
from t2c.ledger.llm.budget import Budget, Exhausted
from t2c.ledger.llm.exchange import Arrived, Exchange, Incoming, TooLong
from t2c.ledger.llm.outcome import Outcome, judge, reply_of, worded
from t2c.ledger.llm.waiting import backoff, time_for, told_to_wait
from t2c.ledger.llm.wire import NOT_METERED, Metered, read
from t2c.ledger.redaction.funnel import Funnel

if TYPE_CHECKING:
    import httpx

__all__ = ["OpenRouter"]

_CONNECT: Final = 10.0
_MODELS: Final = 3.0
_NAMED: Final = 8
_TEXTS: Final = ("content", "served", "provider", "response_id", "finish")
"""What of a response is told to others."""


class OpenRouter:
    """A model behind an address. `key` None: no key is sent. Safe for threads; `close` it when nothing is asked any more.

    `timeout` is in seconds for a small request and grows with it; `attempts` counts the first; `longest_wait` is what
    `Retry-After` may ask for, in seconds, before it is given up. `funnel` masks the words of a provider. `spool` names,
    by the digest of a request, the file in which the body of its answer is kept while it comes, with mode 0600; `key_of`
    makes of that digest the key by which the provider knows a request again, else it is the digest itself.
    """

    def __init__(
        self,
        endpoint: str,
        key: str | None,
        *,
        title: str = "t2c",
        referer: str = "",
        timeout: float = 120.0,
        attempts: int = 3,
        longest_wait: float = 60.0,
        budget: Budget | None = None,
        funnel: Funnel | None = None,
        proxy: str | None = None,
        spool: Callable[[str], Path] | None = None,
        on_attempt: Callable[[Attempt], None] | None = None,
        clock: Clock | None = None,
        ticks: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] | None = None,
    ) -> None:
        """Raises Usage for an address that is none or a key that no header can hold."""
        self.endpoint = _address(endpoint)
        self.spool = spool
        self.key_of: Callable[[str], str] | None = None
        self._headers = _headers(key, title, referer)
        self._timeout, self._attempts, self._longest_wait = timeout, max(1, attempts), longest_wait
        self._budget = budget or Budget()
        self._own = Funnel((key,) if key else (), detect=False)
        self._funnel = funnel or Funnel()
        self._proxy = proxy
        self._on_attempt = on_attempt
        self._clock = clock or SystemClock()
        self._ticks = ticks
        self._abandoned = threading.Event()
        self._sleep = sleep or self._abandoned.wait
        self._under_way: set[Exchange] = set()
        self._lock = threading.Lock()
        self._client: httpx.Client | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def close(self) -> None:
        """Close every connection. A request after that opens new ones."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def abandon(self) -> None:
        """Give up what is under way in any thread, and all that would come: those replies are `interrupted`."""
        self._abandoned.set()
        with self._lock:
            exchanges = tuple(self._under_way)
        for exchange in exchanges:
            exchange.give_up()

    def send(self, request: Request) -> Reply:
        """Answer one request, in as many attempts as it may take, each within the budget."""
        body = request.body
        digest = request.digest
        longest = time_for(request, len(body.decode()), self._timeout)
        made: list[Attempt] = []
        took = NOT_METERED
        outcome, raw, waited = Outcome("interrupted", "it was given up before it was sent"), b"", 0.0
        while not self._abandoned.is_set():
            held = self._budget.reserve(len(body), request.max_tokens)
            if isinstance(held, Exhausted):
                outcome = outcome._replace(failure="budget_exhausted", detail=held.detail)
                break
            if self._abandoned.is_set():
                # It may have waited for another attempt, which was given up.
                self._budget.release(held)
                break
            left = self._budget.seconds_left
            limit = longest if left is None else min(longest, left)
            began = self._ticks()
            try:
                arrived = self._exchanged("POST", "/chat/completions", body, digest, limit)
                raw = self._own.mask_bytes(arrived.body).content
                judged = self._judged(request, arrived, raw, limit)
                outcome = self._clean(judged)
                if outcome.said.content != judged.said.content:
                    # Chunks of a stream hold the key in pieces that nobody would know for one.
                    raw = b""
            except BaseException:
                self._budget.settle(held, None, None)
                raise
            usage = outcome.said.usage
            if outcome.unbilled:
                self._budget.release(held)
            else:
                told_usage = outcome.failure is None or usage.tokens is not None
                self._budget.settle(held, usage.tokens, usage.cost_micros, answered=told_usage)
            took = _summed(took, usage)
            told = told_to_wait(arrived.headers, self._clock.now())
            made.append(self._attempt(len(made) + 1, arrived, outcome, waited, self._ticks() - began, told))
            if self._on_attempt is not None:
                self._on_attempt(made[-1])
            # A payment that is due at a stated time is one that can be waited for.
            if arrived.status == 402 and told is not None:
                outcome = outcome._replace(failure="rate_limited", again=True)
            if outcome.failure is None or not outcome.again or len(made) >= self._attempts:
                break
            waited = backoff(digest, len(made)) if told is None else told
            if (over := self._over(outcome, waited, told is not None)) is not None:
                outcome = over
                break
            self._sleep(waited)
            if self._abandoned.is_set():
                outcome = outcome._replace(failure="interrupted", detail="it was given up while waiting")
        if outcome.failure == "invalid_model":
            outcome = self._clean(outcome._replace(detail=outcome.detail + self._known_models(request.model)))
        return reply_of(request, outcome, raw, made, took)

    def _over(self, outcome: Outcome, wait: float, told: bool) -> Outcome | None:
        """The end of it where the next attempt would be too late, None where it can be waited for."""
        until = rfc3339(self._clock.now() + timedelta(seconds=min(wait, 10**9)))
        if told and wait > self._longest_wait:
            longer = f"longer than the {self._longest_wait:g} s that are waited"
            why = f"it asks to wait until {until} ({wait:.0f} s), {longer}"
            return outcome._replace(detail=f"{outcome.detail}; {why}")
        left = self._budget.seconds_left
        if left is not None and wait >= left:
            why = f"the budget of time ends before the next attempt, at {until}"
            return outcome._replace(failure="budget_exhausted", detail=f"{outcome.detail}; {why}")
        return None

    def _exchanged(self, method: str, path: str, body: bytes, digest: str | None, limit: float) -> Arrived:
        """One exchange, in a thread of its own, so that no name server or slow byte outlasts the limit or Ctrl-C."""
        spool = self.spool(digest) if self.spool is not None and digest is not None else None
        headers = self._headers
        if digest is not None:
            headers = {**headers, "Idempotency-Key": digest if self.key_of is None else self.key_of(digest)}
        client = self._opened()
        # Ours is the limit that counts; theirs ends a thread that nobody waits for any more.
        waits = {"timeout": limit + 1, "connect": min(_CONNECT, limit + 1)}

        def opened() -> AbstractContextManager[Incoming]:
            import httpx

            return client.stream(
                method, self.endpoint + path, content=body, headers=headers, timeout=httpx.Timeout(**waits)
            )

        exchange = Exchange(opened, spool)
        with self._lock:
            self._under_way.add(exchange)
        try:
            if self._abandoned.is_set():
                exchange.give_up()
            exchange.start()
            in_time = exchange.done.wait(limit)
        finally:
            exchange.give_up()
            with self._lock:
                self._under_way.discard(exchange)
        return exchange.arrived(late=not in_time)

    def _judged(self, request: Request, arrived: Arrived, body: bytes, limit: float) -> Outcome:
        error = arrived.error
        if isinstance(error, OSError):
            raise Environment(
                f"what arrives cannot be kept: {error.strerror}",
                where=str(error.filename) if error.filename else None,
                safe="everything that was recorded before",
                remedy="make room, or the folder writable, then ask again",
            ) from error
        if arrived.status is not None and (
            (error is None and not arrived.late and not self._abandoned.is_set()) or read(body).complete
        ):
            return judge(request, arrived.status, body, arrived.headers.get("location"))
        said = read(body)
        if self._abandoned.is_set():
            return Outcome("interrupted", "it was given up while it was under way", said)
        if arrived.late:
            return Outcome("timeout", f"no whole answer within {limit:.3g} s", said)
        if error is None:
            return judge(request, arrived.status or 0, body)
        failure, again, unsent = _broken(error)
        detail = f"{type(error).__name__}: {error}"
        failure = "stream_error" if said.streamed and said.arrived else failure
        return Outcome(failure, detail, said, again, unsent)

    def _clean(self, outcome: Outcome) -> Outcome:
        """The outcome with its words masked, and the answer without the key, however it was cut or escaped."""
        masked = self._funnel.mask(self._own.mask(outcome.detail).text).text
        said = outcome.said
        told = {name: getattr(said, name) for name in _TEXTS}
        without: dict[str, Any] = {
            name: self._own.mask(text).text for name, text in told.items() if text is not None
        }
        said = said._replace(**without)
        if said.error is not None and said.error.provider is not None:
            provider = self._own.mask(said.error.provider).text
            said = said._replace(error=said.error._replace(provider=provider))
        return outcome._replace(detail=worded(masked), said=said)

    def _attempt(
        self, number: int, arrived: Arrived, outcome: Outcome, waited: float, took: float, told: float | None
    ) -> Attempt:
        status = arrived.status if arrived.status is not None and 100 <= arrived.status <= 599 else None
        return Attempt(
            number=number,
            status=status,
            outcome=outcome.failure or "answered",
            waited_ms=round(waited * 1000),
            took_ms=round(max(0.0, took) * 1000),
            retry_after_ms=None if told is None else round(min(told, 1e12) * 1000),
            detail=outcome.detail,
        )

    def _known_models(self, wanted: str) -> str:
        """What the provider lists that is near to a model that it does not know; empty if it lists nothing."""
        from difflib import get_close_matches

        import orjson

        try:
            arrived = self._exchanged("GET", "/models", b"", None, min(_MODELS, self._timeout))
            listed = orjson.loads(arrived.body)["data"] if arrived.status == 200 else []
            known = sorted({one["id"] for one in listed if isinstance(one["id"], str)})
        except (ValueError, TypeError, KeyError):
            return ""
        near = get_close_matches(wanted, known, _NAMED, 0.4) or known[:_NAMED]
        more = f" and {len(known) - len(near)} more" if len(known) > len(near) else ""
        return f"; the provider lists {', '.join(near)}{more}" if near else ""

    def _opened(self) -> httpx.Client:
        with self._lock:
            if self._client is None:
                self._client = _client(self.endpoint, self._proxy)
                weakref.finalize(self, self._client.close)
            return self._client


def _broken(error: Exception) -> tuple[Unusable, bool, bool]:
    """What a connection that failed means: the failure, whether to try again, and that nothing was sent.

    Raises the error where it is none of the connection.
    """
    import ssl

    import httpx

    if isinstance(error, TooLong | httpx.InvalidURL | httpx.LocalProtocolError | httpx.DecodingError):
        return "unavailable", False, False
    if not isinstance(error, httpx.HTTPError):
        raise error
    if isinstance(error, httpx.ConnectTimeout | httpx.PoolTimeout):
        return "timeout", True, True
    if isinstance(error, httpx.TimeoutException):
        return "timeout", False, False
    cause: BaseException | None = error
    while cause is not None:
        # No patience makes a certificate valid.
        if isinstance(cause, ssl.SSLCertVerificationError):
            return "unavailable", False, True
        cause = cause.__cause__ or cause.__context__
    return "unavailable", True, isinstance(error, httpx.ConnectError | httpx.ProxyError)


def _summed(so_far: Metered, more: Metered) -> Metered:
    pairs = zip(so_far, more, strict=True)
    return Metered(*(b if a is None else a if b is None else a + b for a, b in pairs))


def _address(endpoint: str) -> str:
    """Where requests go, without credentials, query or closing slash."""
    import httpx

    try:
        url = httpx.URL(endpoint.strip())
    except (httpx.InvalidURL, TypeError, ValueError):
        url = httpx.URL("")
    if url.scheme not in ("http", "https") or not url.host:
        raise Usage(
            "the address of the provider is none",
            remedy="write http:// or https://, a host and a path, such as https://openrouter.ai/api/v1",
        )
    return str(url.copy_with(username=None, password=None, query=None, fragment=None)).rstrip("/")


def _headers(key: str | None, title: str, referer: str) -> dict[str, str]:
    found = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}
    if key:
        if not (key.isascii() and key.isprintable() and " " not in key):
            # The words of the library would hold the value.
            raise Usage(
                "the key of the provider holds characters that no header can",
                remedy="set it again, without spaces, quotes or line ends",
            )
        found["Authorization"] = f"Bearer {key}"
    for name, value in (("X-OpenRouter-Title", title), ("X-Title", title), ("HTTP-Referer", referer)):
        plain = (
            "".join(sign for sign in value if sign.isprintable()).encode("ascii", "replace").decode().strip()
        )
        if plain:
            found[name] = plain
    return found


def _client(endpoint: str, proxy: str | None) -> httpx.Client:
    import ssl

    import httpx

    # Without TLS no certificate is read: loading them takes longer than many an answer, and none is trusted then.
    verify: ssl.SSLContext | bool = (
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if endpoint.startswith("http:") and proxy is None else True
    )
    return httpx.Client(trust_env=False, follow_redirects=False, proxy=proxy, verify=verify)
