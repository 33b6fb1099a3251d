"""What the bytes of a response say: one JSON document, or a stream of server-sent events.

Pure, and never raises: whatever the bytes are, the result says what was read and what was wrong with it. So the bytes
that a killed process had received can be read like those that just came (`complete` says whether they are enough).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import ROUND_CEILING, Decimal
from typing import Any, Final, NamedTuple

from t2c.ledger.kernel.canon import MAX_INT
from t2c.ledger.llm.base import FORCED_TOOL

__all__ = ["NOT_METERED", "Fault", "Metered", "Said", "read"]

_MOST_COST: Final = Decimal(1_000_000_000)
_LONGEST_NAME: Final = 200
_LONGEST_TEXT: Final = 4000


class Fault(NamedTuple):
    """An error as a provider says it. `raw` is what stands in `metadata.raw`: the words of who is behind it."""

    code: int | str | None
    message: str
    provider: str | None = None
    raw: str = ""
    flagged: bool = False
    """True where a moderation turned the request away."""


class Metered(NamedTuple):
    """What was metered; None where it is not said, or not as a count."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    total_tokens: int | None = None
    cost_micros: int | None = None

    @property
    def tokens(self) -> int | None:
        """All tokens, as said or added up."""
        if self.total_tokens is not None:
            return self.total_tokens
        if self.prompt_tokens is None or self.completion_tokens is None:
            return None
        return self.prompt_tokens + self.completion_tokens


NOT_METERED: Final = Metered()


class Said(NamedTuple):
    """What a response says. `content` is the exact text of the answer, also a part of it; None where there is none.

    `problem` says what no provider should send: no JSON, an end too early, a text that is no Unicode. `arrived` is true
    where something was generated. `called` counts calls of the forced tool, whose arguments are the content then.
    """

    content: str | None = None
    refusal: str | None = None
    reasoning: bool = False
    finish: str | None = None
    served: str | None = None
    provider: str | None = None
    response_id: str | None = None
    usage: Metered = NOT_METERED
    error: Fault | None = None
    problem: str | None = None
    called: int = 0
    other_calls: tuple[str, ...] = ()
    streamed: bool = False

    @property
    def arrived(self) -> bool:
        return bool(self.content) or self.reasoning or self.called > 0

    @property
    def complete(self) -> bool:
        """True if the response was received to its end and is no error."""
        return self.problem is None and self.error is None and self.finish not in (None, "error")


def read(body: bytes) -> Said:
    """Read a response: a stream where it begins as one, else a document."""
    start = body.lstrip()[:6]
    return (
        _stream(body) if start.startswith((b":", b"data:", b"event:", b"id:", b"retry:")) else _document(body)
    )


def _document(body: bytes) -> Said:
    value = _parsed(body)
    if not isinstance(value, dict):
        what = "is empty" if not body.strip() else "is no JSON" if value is _NOTHING else "is no JSON object"
        return Said(problem=f"the response {what}")
    answer = _Answer()
    answer.take(value, "message")
    return answer.said(streamed=False, problem=None)


def _stream(body: bytes) -> Said:
    answer, problem, ended = _Answer(), None, False
    for name, data, closed in _events(body):
        if data == b"[DONE]":
            ended = True
            break
        value = _parsed(data)
        if not isinstance(value, dict):
            # What the last bytes began and did not end was never said.
            problem = "a chunk of the stream is no JSON object" if closed else problem
            continue
        answer.take({"error": value} if name == b"error" and "error" not in value else value, "delta")
    if problem is None and answer.error is None and not ended and answer.finish is None:
        problem = "the stream ended early"
    return answer.said(streamed=True, problem=problem)


def _events(body: bytes) -> Iterator[tuple[bytes, bytes, bool]]:
    """The events of a stream: name, data and whether it was closed; comments and empty ones are passed over."""
    name = b""
    data: list[bytes] = []
    for line in body.splitlines():
        if not line:
            if data:
                yield name, b"\n".join(data), True
            name, data = b"", []
            continue
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            data.append(value)
        elif field == b"event":
            name = value
    if data:
        yield name, b"\n".join(data), False


class _Answer:
    """What the documents of one response add up to."""

    def __init__(self) -> None:
        self.error: Fault | None = None
        self.finish: str | None = None
        self._names: dict[str, str] = {}
        self._texts: list[str] = []
        self._refusals: list[str] = []
        self._calls: dict[int, tuple[str, list[str]]] = {}
        self._no_text: str | None = None
        self._reasoning = False
        self._usage = NOT_METERED

    def take(self, value: dict[str, Any], member: str) -> None:
        for name in ("id", "model", "provider"):
            if isinstance(found := value.get(name), str) and found.strip():
                self._names[name] = _name(found)
        if isinstance(usage := value.get("usage"), dict):
            self._usage = _metered(usage)
        if value.get("error"):
            self.error = self.error or _fault(value["error"])
        choices = value.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, dict) and choice.get("index", 0) in (0, None):
                self._choice(choice, member)

    def _choice(self, choice: dict[str, Any], member: str) -> None:
        if isinstance(finish := choice.get("finish_reason"), str) and finish:
            self.finish = _name(finish)
        if choice.get("error"):
            self.error = self.error or _fault(choice["error"])
        message = choice.get(member)
        if not isinstance(message, dict):
            return
        self._content(message.get("content"))
        if isinstance(refusal := message.get("refusal"), str):
            self._refusals.append(refusal)
        if message.get("reasoning") or message.get("reasoning_content") or message.get("reasoning_details"):
            self._reasoning = True
        calls = message.get("tool_calls")
        for number, call in enumerate(calls if isinstance(calls, list) else ()):
            if isinstance(call, dict) and isinstance(call.get("function"), dict):
                self._call(number, call)

    def _content(self, content: Any) -> None:
        if isinstance(content, str):
            self._texts.append(content)
        elif isinstance(content, list):
            for part in content:
                if isinstance(part, dict) and isinstance(text := part.get("text"), str):
                    self._texts.append(text)
        elif content is not None:
            self._no_text = "the content of the answer is no text"

    def _call(self, number: int, call: dict[str, Any]) -> None:
        index = call.get("index")
        place = index if isinstance(index, int) and not isinstance(index, bool) else number
        name, arguments = call["function"].get("name"), call["function"].get("arguments")
        known, pieces = self._calls.setdefault(place, ("", []))
        if isinstance(name, str) and name:
            self._calls[place] = (known + name if known and known != name else name, pieces)
        if isinstance(arguments, str):
            pieces.append(arguments)
        elif arguments is not None:
            self._no_text = "the arguments of the call are no text"

    def said(self, *, streamed: bool, problem: str | None) -> Said:
        forced = [pieces for name, pieces in self._calls.values() if name == FORCED_TOOL]
        text = "".join(forced[0] if forced else self._texts)
        content, whole = _unicode(text)
        if not whole:
            problem = problem or "the answer holds half of a surrogate pair"
        return Said(
            content=content if forced or self._texts else None,
            refusal=_text("".join(self._refusals)) or None,
            reasoning=self._reasoning or bool(self._usage.reasoning_tokens),
            finish=self.finish,
            served=self._names.get("model"),
            provider=self._names.get("provider"),
            response_id=self._names.get("id"),
            usage=self._usage,
            error=self.error,
            problem=problem or self._no_text,
            called=len(forced),
            other_calls=tuple(_name(name) for name, _ in self._calls.values() if name != FORCED_TOOL),
            streamed=streamed,
        )


_NOTHING: Final = object()


def _no_constant(text: str) -> Any:
    raise ValueError(text)


def _parsed(content: bytes) -> Any:
    """The JSON value of bytes, numbers with a point as decimals; `_NOTHING` where they are none."""
    try:
        return json.loads(content.decode(), parse_float=Decimal, parse_constant=_no_constant)
    except (ValueError, RecursionError, ArithmeticError):
        return _NOTHING


def _fault(error: Any) -> Fault:
    if not isinstance(error, dict):
        return Fault(None, _text(error if isinstance(error, str) else "an error without a message"))
    code, message, metadata = error.get("code"), error.get("message"), error.get("metadata")
    known = metadata if isinstance(metadata, dict) else {}
    raw, provider = known.get("raw"), known.get("provider_name")
    if isinstance(raw, dict | list):
        raw = json.dumps(raw, default=str)
    return Fault(
        _code(code),
        _text(message if isinstance(message, str) and message.strip() else "an error without a message"),
        _name(provider) if isinstance(provider, str) and provider.strip() else None,
        _text(raw) if isinstance(raw, str) else "",
        "flagged_input" in known or bool(known.get("reasons")),
    )


def _code(code: Any) -> int | str | None:
    if isinstance(code, str):
        return _name(code)
    return code if type(code) is int and abs(code) <= MAX_INT else None


def _metered(usage: dict[str, Any]) -> Metered:
    details = usage.get("completion_tokens_details")
    inner = details.get("reasoning_tokens") if isinstance(details, dict) else None
    return Metered(
        _count(usage.get("prompt_tokens")),
        _count(usage.get("completion_tokens")),
        _count(usage.get("reasoning_tokens") if inner is None else inner),
        _count(usage.get("total_tokens")),
        _micros(usage.get("cost")),
    )


def _count(value: Any) -> int | None:
    if isinstance(value, Decimal) and 0 <= value <= MAX_INT and value == int(value):
        return int(value)
    return value if type(value) is int and 0 <= value <= MAX_INT else None


def _micros(value: Any) -> int | None:
    """Money in millionths, rounded up; None for what is no amount."""
    if type(value) is not int and not isinstance(value, Decimal):
        return None
    amount = Decimal(value) if type(value) is not int or abs(value) <= MAX_INT else None
    if amount is None or not 0 <= amount <= _MOST_COST:
        return None
    if 0 < amount < Decimal("1e-6"):
        return 1
    return int((amount * 1_000_000).to_integral_value(ROUND_CEILING))


def _unicode(text: str) -> tuple[str, bool]:
    """A text whose surrogates, as JSON escapes them one by one, are paired; False where one stands alone."""
    try:
        text.encode()
    except UnicodeEncodeError:
        units = text.encode("utf-16-le", "surrogatepass")
        try:
            return units.decode("utf-16-le"), True
        except UnicodeDecodeError:
            return units.decode("utf-16-le", "replace"), False
    return text, True


def _name(text: str) -> str:
    """A name as a provider says it, bounded, without what would steer a terminal."""
    bounded = _unicode(text)[0][:_LONGEST_NAME]
    return "".join(sign if sign.isprintable() else "?" for sign in bounded)


def _text(text: str) -> str:
    return _unicode(text)[0][:_LONGEST_TEXT]
