"""What a response means: an answer, or why it is none, and whether another attempt may help. Pure.

A failure is never rounded up: an error inside HTTP 200 is one, a text that was cut off is none of an answer, and
what was billed and empty is told from what was refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import orjson

from t2c.ledger.events.llm import Attempt, Story, Unusable, Usage
from t2c.ledger.llm.base import FORCED_TOOL, Reply, Request
from t2c.ledger.llm.wire import Fault, Metered, Said, read

__all__ = ["Outcome", "judge", "received", "reply_of", "worded"]

_LONGEST_DETAIL: Final = 1000
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]+")
_BEARER: Final = re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{6,}")
_KEY_URL: Final = re.compile(r"(?i)https?://[^\s\"'<>]{0,300}/keys\b[^\s\"'<>]{0,300}")
_CREDENTIAL: Final = re.compile(r"\b(?:user|org|key|cred|proj)_[A-Za-z0-9]{8,}")
_NO_MODEL: Final = re.compile(
    r"(?i)not a valid model|invalid model|unknown model|model_not_found|no endpoints found for"
    r"|\bmodel\b[^.\n]{0,120}(?:does not exist|not found|is not available|is unavailable)"
)
_NO_MODE: Final = re.compile(
    r"(?i)response_format|json_schema|structured.?outputs?|tool_choice|tool use|tool calling|\btools\b"
    r"|requested parameters|require_parameters|'strict'|\"strict\""
)
_DENIED: Final = re.compile(
    r"(?i)not (?:be )?(?:supported|permitted|allowed|recogni[sz]ed|valid|implemented)|unsupported|unknown|invalid"
    r"|unrecogni[sz]ed|unexpected|does(?:n't| not) (?:support|allow)|cannot have|no endpoints found|forbidden|extraneous"
)
_SNAKE: Final = re.compile(r"(?<=[a-z])([A-Z])")
_CUT_OFF: Final = frozenset({"length", "max_tokens", "model_length"})
"""How providers name an end that the number of tokens made."""
_ACCOUNT: Final = {
    401: " (the provider does not take the key)",
    402: " (the provider asks for a payment)",
    403: " (the key may not do this)",
}
_STRUCTURE: Final = frozenset(
    {"type", "properties", "required", "items", "enum", "additionalProperties", "$defs", "$ref"}
)
"""Keywords that a schema cannot do without."""


class Outcome(NamedTuple):
    """What one attempt came to. `failure` is None for an answer, which `said` holds.

    `again` is true where another attempt may help; `unbilled` where nothing can have been generated. `refused` is
    the keyword of the schema, or the mode, that was refused by name.
    """

    failure: Unusable | None
    detail: str
    said: Said = Said()
    again: bool = False
    unbilled: bool = False
    refused: str | None = None


def judge(request: Request, status: int, body: bytes, location: str | None = None) -> Outcome:
    """What a response that was received whole means. `location` is where a redirection leads."""
    if 300 <= status < 400:
        return Outcome(
            "unavailable", f"HTTP {status}: it redirects to {location or 'nowhere'}", unbilled=True
        )
    said = read(body)
    if said.error is not None or status >= 400:
        return _fault(request, status, said)
    if status >= 300 or status < 200:
        return Outcome("unavailable", f"HTTP {status}", said)
    if said.problem is not None and not said.arrived:
        # No provider sent this, or not all of it: a page of a proxy, an answer that was cut off on the way.
        return Outcome("unavailable", f"HTTP {status}: {said.problem}", said, again=said.streamed)
    return _answer(request, said)


def _fault(request: Request, status: int, said: Said) -> Outcome:
    error = said.error or Fault(None, said.problem or "without a message")
    code = status if status >= 400 else _status(error.code)
    who = f" from {error.provider or said.provider}" if error.provider or said.provider else ""
    words = f"{error.message}: {error.raw}" if error.raw and error.raw != error.message else error.message
    place = f"HTTP {status}" if status >= 400 else "an error inside HTTP 200"
    named = "" if error.code is None or error.code == status else f", code {error.code}"
    why = "" if error.flagged else _ACCOUNT.get(code or 0, "")
    detail = f"{place}{named}{who}: {words}{why}"
    if status < 400 and said.arrived:
        return Outcome("stream_error", detail, said)
    failure, again, refused = _class(request, code, error, words)
    unbilled = status >= 400 or (code is not None and code < 500)
    return Outcome(failure, detail, said, again, unbilled, refused)


def _status(code: int | str | None) -> int | None:
    """The status that a code inside a body stands for, None where it stands for none."""
    if isinstance(code, str):
        if "rate_limit" in code:
            return 429
        if "overloaded" in code or "server_error" in code:
            return 503
        code = int(code) if code.isascii() and code.isdigit() and len(code) == 3 else None
    return code if code is not None and 400 <= code < 600 else None


def _class(request: Request, code: int | None, error: Fault, words: str) -> tuple[Unusable, bool, str | None]:
    """The failure that a code means, whether to try again, and what was refused by name."""
    if code is None:
        return "stream_error", False, None
    if code == 429:
        return "rate_limited", True, None
    if code >= 500:
        return "unavailable", True, None
    match code:
        case 408:
            return "timeout", False, None
        case 403 if error.flagged:
            return "refused", False, None
        case 401 | 402 | 403:
            # Nothing that is asked for less of would be answered.
            return "unavailable", False, None
        case 400 | 404 | 422 if _NO_MODEL.search(words) and not _NO_MODE.search(words):
            return "invalid_model", False, None
        case 404 | 405 if not _NO_MODE.search(words):
            return "unavailable", False, None
    return "rejected_request", False, _refused(request, words)


def _refused(request: Request, words: str) -> str | None:
    """The keyword of the schema, or the mode, that an error names as one that is not taken."""
    if not _DENIED.search(words):
        return None
    if request.mode != "json_object":
        known = sorted(set(_keywords(orjson.loads(request.shape.schema))) - _STRUCTURE - set(request.dropped))
        for keyword in known:
            snake = _SNAKE.sub(lambda found: "_" + found[1].lower(), keyword)
            # A word that is also one of prose must stand in quotes to be a keyword.
            names = {keyword, snake} if snake != keyword else {f"'{keyword}'", f'"{keyword}"', f"`{keyword}`"}
            if any(re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", words) for name in names):
                return keyword
    return request.mode if _NO_MODE.search(words) else None


def _keywords(node: Any, *, names: bool = False) -> Iterator[str]:
    if isinstance(node, dict):
        for key, value in node.items():
            if not names:
                yield key
            yield from _keywords(value, names=not names and key in ("properties", "$defs"))
    elif isinstance(node, list):
        for item in node:
            yield from _keywords(item)


def _answer(request: Request, said: Said) -> Outcome:
    blank = not (said.content or "").strip()
    if said.finish == "error":
        return Outcome("stream_error", "the provider ended the answer with an error it does not name", said)
    if said.problem is not None:
        early = said.streamed and said.finish is None
        return Outcome("stream_error" if early else "not_json", said.problem, said, again=early)
    if said.refusal:
        return Outcome("refused", f"the model refuses: {said.refusal}", said)
    if said.finish == "content_filter":
        return Outcome("refused", "a filter of the provider ended the answer", said)
    if said.finish in _CUT_OFF:
        if blank and _all_reasoning(said):
            used = said.usage.reasoning_tokens
            how = f"{used} of {said.usage.completion_tokens} tokens" if used is not None else "all tokens"
            return Outcome(
                "reasoning_used_the_budget", f"{how} went into reasoning, none into an answer", said
            )
        return Outcome("truncated", f"the answer was cut off at {request.max_tokens} tokens", said)
    if request.mode == "forced_tool" and said.called != 1 and not (blank and not said.other_calls):
        what = "answered in text" if said.called == 0 and not said.other_calls else "called something else"
        what = f"called {FORCED_TOOL} {said.called} times" if said.called > 1 else what
        return Outcome("schema_violation", f"the model {what} instead of calling {FORCED_TOOL} once", said)
    if blank:
        called = f"; it called {', '.join(said.other_calls)}" if said.other_calls else ""
        return Outcome("empty", f"the answer holds no text{called}", said)
    return Outcome(None, "", said)


def _all_reasoning(said: Said) -> bool:
    """True if reasoning took all, or nearly all, of what was generated (the rest are marks that end it)."""
    used, whole = said.usage.reasoning_tokens, said.usage.completion_tokens
    if used is None or whole is None:
        return said.reasoning
    return used > 0 and used * 10 >= whole * 9


def reply_of(
    request: Request, outcome: Outcome, raw: bytes | None, attempts: Sequence[Attempt], usage: Metered
) -> Reply:
    """The reply that an outcome makes, after these attempts, which took `usage` together.

    With a failure the content is what there is of an answer, kept as evidence and never used.
    """
    said = outcome.said
    provider = said.provider or (said.error.provider if said.error is not None else None)
    return Reply(
        content=said.content if outcome.failure is None or (said.content or "").strip() else None,
        raw=raw or None,
        story=Story(
            requested=request.model,
            served=said.served,
            provider=provider,
            response_id=said.response_id,
            finish_reason=said.finish,
            attempts=tuple(attempts),
            usage=Usage(**usage._asdict(), currency="USD"),
        ),
        failure=outcome.failure,
        detail=outcome.detail,
        refused_keyword=outcome.refused,
    )


def received(request: Request, body: bytes) -> Reply | None:
    """The reply in bytes that were kept when their receiver was killed; None if they are not all of an answer.

    Nothing is known of the attempts, so none are named.
    """
    if not read(body).complete:
        return None
    outcome = judge(request, 200, body)
    return reply_of(request, outcome, body, (), outcome.said.usage)


def worded(text: str) -> str:
    """Words of a provider for people: one line, no marks that steer a terminal, nothing that opens an account."""
    bare = _CONTROL.sub(" ", text).strip()
    bare = _KEY_URL.sub("[redacted:key_url]", bare)
    bare = _BEARER.sub(lambda found: f"{found[1]} [redacted:token]", bare)
    bare = _CREDENTIAL.sub("[redacted:credential]", bare)
    return bare if len(bare) <= _LONGEST_DETAIL else bare[:_LONGEST_DETAIL] + "…"
