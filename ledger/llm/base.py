"""What goes to a model and what comes back, as values; and the one thing that a model must be able to do.

A request is the bytes that are sent: its digest names it in the ledger, so the same request can be answered again
without a network (answers §4). Nothing here does I/O.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, Protocol, runtime_checkable

import orjson

from t2c.ledger.events.llm import AskMode, Story, Unusable

__all__ = [
    "CORRECTED", "FORCED_TOOL", "Abandoning", "Brief", "Keyed", "Message", "Model", "Reply", "Request", "Role", "Shape", "Shown", "Spooling",
]  # fmt: skip

FORCED_TOOL: Final = "t2c_respond"
"""The name of the only tool where a schema is asked for by a forced call."""
CORRECTED: Final = 1
"""How often an answer that breaks a rule is sent back with the exact violation (intent-evidence §6.3)."""

Role = Literal["system", "user", "assistant"]


class Message(NamedTuple):
    """One message of a conversation."""

    role: Role
    content: str


class Shape(NamedTuple):
    """The schema that an answer is held to: `schema` are its exact bytes, in the order in which members are wanted."""

    name: str
    schema: bytes

    @property
    def digest(self) -> str:
        return sha256(self.schema).hexdigest()


class Shown(NamedTuple):
    """Something that a model is shown: its id or path, and the SHA-256 of what is shown of it."""

    id: str
    digest: str


class Brief(NamedTuple):
    """What a model is shown: a projection, bounded and named, and what of it was left out, counted by reason."""

    name: str
    text: str
    items: tuple[Shown, ...]
    omitted: Mapping[str, int]

    @property
    def digest(self) -> str:
        """SHA-256 of the text."""
        return sha256(self.text.encode()).hexdigest()

    def manifest(self) -> bytes:
        """The list of everything shown, as the object that `llm.asked` names."""
        return orjson.dumps(
            {
                "schema": "t2c.brief/v1",
                "name": self.name,
                "digest": self.digest,
                "items": [{"id": item.id, "digest": item.digest} for item in self.items],
                "omitted": dict(sorted(self.omitted.items())),
            }
        )


class _Request(NamedTuple):
    model: str
    messages: tuple[Message, ...]
    shape: Shape
    mode: AskMode = "json_schema"
    max_tokens: int = 6000
    temperature: str = "0"
    require_parameters: bool = True
    stream: bool = False
    dropped: tuple[str, ...] = ()
    """Keywords of the schema that the provider refused; they are left out on the wire and checked here."""


class Request(_Request):
    """One request, as a model is sent it. `temperature` is a decimal numeral, `max_tokens` counts the answer's."""

    __slots__ = ()

    @property
    def body(self) -> bytes:
        """The exact bytes of the HTTP body: the same values give the same bytes in every process."""
        return orjson.dumps(self._document())

    @property
    def digest(self) -> str:
        """SHA-256 of the body: the request's name in the ledger."""
        return sha256(self.body).hexdigest()

    def _document(self) -> dict[str, Any]:
        from t2c.ledger.llm.keywords import without

        schema = orjson.Fragment(
            without(self.shape.schema, self.dropped) if self.dropped else self.shape.schema
        )
        found: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": message.role, "content": message.content} for message in self.messages],
            "temperature": orjson.Fragment(self.temperature.encode()),
            "max_tokens": self.max_tokens,
        }
        if self.mode == "json_schema":
            form = {"name": self.shape.name, "strict": True, "schema": schema}
            found["response_format"] = {"type": "json_schema", "json_schema": form}
        elif self.mode == "json_object":
            found["response_format"] = {"type": "json_object"}
        else:
            function = {"name": FORCED_TOOL, "strict": True, "parameters": schema}
            found["tools"] = [{"type": "function", "function": function}]
            found["tool_choice"] = {"type": "function", "function": {"name": FORCED_TOOL}}
        if self.require_parameters:
            found["provider"] = {"require_parameters": True}
        if self.stream:
            found["stream"] = True
            found["stream_options"] = {"include_usage": True}
        return found


class Reply(NamedTuple):
    """What came back for one request after all attempts.

    `content` is the text of the answer, None where there is none; then `failure` says why and `detail` in words.
    `raw` are the bytes as they arrived (of the last attempt), None where nothing did. `fenced` is true where the JSON
    stood in a fence of Markdown and was taken out.
    """

    content: str | None
    raw: bytes | None
    story: Story
    failure: Unusable | None = None
    detail: str = ""
    fenced: bool = False
    refused_keyword: str | None = None
    """A keyword of the schema or a mode that the provider refused by name, where its error says so."""


class Model(Protocol):
    """Something that answers requests: a provider over HTTP, or a record of answers."""

    @property
    def endpoint(self) -> str:
        """Where requests go, without credentials."""
        ...

    def send(self, request: Request) -> Reply:
        """Answer one request. Never raises for what a provider does: that is a reply with a `failure`.

        Raises what stops the work: KeyboardInterrupt, MemoryError, an error of ours.
        """
        ...


@runtime_checkable
class Spooling(Protocol):
    """A model that puts the body of a response of status 200 into a file as it comes, so that none is paid for twice.

    `spool` names the file by the digest of the request; whoever asks sets it, and deletes the file.
    """

    spool: Callable[[str], Path] | None


@runtime_checkable
class Keyed(Protocol):
    """A model that sends a key with each request, by which a provider knows one that it has answered already.

    `key_of` makes it of the digest of the request; whoever asks sets it.
    """

    key_of: Callable[[str], str] | None


@runtime_checkable
class Abandoning(Protocol):
    """A model that can give up what is under way in any thread."""

    def abandon(self) -> None:
        """Give up all that is under way, and all that would come."""
        ...
