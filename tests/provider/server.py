"""A provider of models on 127.0.0.1: OpenAI chat completions as OpenRouter speaks them, well or badly.

It answers with what a function makes of the request, else with the least instance of the schema that was sent.
What it does to the next request only is queued as a mapping (`Behaviour` lists the keys). By hand:
`python tests/provider/server.py --port 0 --script answers.json`, where the script is
`{"answers": {"<schema name or *>": <object or text>}, "queue": [<behaviour>, …]}`.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import json
import re
import socket
import struct
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

SERVED = "by"
"""The provider that it says stands behind it."""
_TEXTS = {
    400: "Bad request", 401: "No auth credentials found", 402: "Insufficient credits", 403: "Forbidden",
    404: "No endpoints found", 408: "Request timed out", 413: "Payload too large",
    429: "Rate limit exceeded", 500: "Internal Server Error", 502: "Provider returned error",
    503: "No available model provider",
}  # fmt: skip


class Received(NamedTuple):
    """One request as it came. `headers` have lower-case names."""

    body: dict[str, Any]
    raw: bytes
    headers: dict[str, str]
    path: str


class Behaviour(NamedTuple):
    """What is done to one request; every key may be left out.

    HTTP: `status` (from 400 on an error object is the body), `message`, `code` and `metadata` of that object,
    `headers`, `body` (these very bytes or this text), `location` (a redirection), `gzip`.
    Time, in seconds: `delay` (before the head), `pause` (between head and body), `drip` (between pieces, of `pieces`
    bytes each), `linger` (before a stream that was sent is ended).
    Damage: `cut` (the connection is reset after so many bytes of the body), `end` (a stream ends without [DONE]).
    Answer: `content` (text, null or parts), `finish`, `native` (native_finish_reason), `refusal`, `reasoning`, `served`
    (the model, null: none), `usage` (object, or null: none), `merge` (members laid over the document).
    Stream: `keepalives` (comments before the first chunk), `chunks` (into how many the text is cut), `fail` (an error
    object after the chunks).
    """

    status: int = 200
    message: str | None = None
    code: Any = None
    metadata: Any = None
    headers: Mapping[str, str] = {}
    body: bytes | str | None = None
    location: str | None = None
    gzip: bool = False
    delay: float = 0
    pause: float = 0
    drip: float = 0
    pieces: int = 16
    cut: int | None = None
    end: bool = False
    linger: float = 0
    content: Any = ...
    finish: str | None = "stop"
    native: str | None = None
    refusal: str | None = None
    reasoning: str | None = None
    served: Any = ...
    usage: Any = ...
    merge: Mapping[str, Any] = {}
    keepalives: int = 0
    chunks: int = 3
    fail: Any = None


Answer = Callable[[dict[str, Any]], Any]


class Provider:
    """The server, in threads of this process. `url` is its base, which ends in /v1.

    `requests` holds what was received, oldest first. `models` are the ids that GET /models lists.
    """

    def __init__(self, port: int = 0) -> None:
        self.requests: list[Received] = []
        self.models: list[str] = ["acme/one", "acme/two"]
        self.key: str | None = None
        self._answers: dict[str, Answer] = {}
        self._queue: deque[Behaviour] = deque()
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._server = _Server(("127.0.0.1", port), self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def on(self, schema_name: str, answer: Answer | Any) -> None:
        """Answer requests for this schema with what a function makes of their body: an object, or text as it is.

        `*` answers all others, those without a named schema (a forced tool, json_object) among them. What is no
        function is the answer itself.
        """
        self._answers[schema_name] = answer if callable(answer) else lambda body: answer

    def queue(self, behaviour: Mapping[str, Any] | str | None = None, /, **more: Any) -> None:
        """Do this to the next request only; queued ones come in their order. Text is the `content` of the answer."""
        given = {"content": behaviour} if isinstance(behaviour, str) else dict(behaviour or {})
        with self._lock:
            self._queue.append(Behaviour(**{**given, **more}))

    def stop(self) -> None:
        """Close the port and every connection; nothing answers from now on."""
        if not self._stopped.is_set():
            self._stopped.set()
            self._server.shutdown()
            self._server.server_close()
            self._server.hang_up()

    def received(self, request: Received) -> Behaviour:
        """Keep a request and say what is to be done to it."""
        with self._lock:
            self.requests.append(request)
            return self._queue.popleft() if self._queue else Behaviour()

    def answer(self, body: dict[str, Any]) -> str:
        """The text of the answer to a request."""
        name, schema = _schema(body)
        made = self._answers.get(name) or self._answers.get("*")
        if made is None and not name and len(self._answers) == 1:
            made = next(iter(self._answers.values()))
        if made is None:
            return json.dumps(instance(schema))
        value = made(body)
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

    def wait(self, seconds: float) -> None:
        """Sleep, unless it is stopped before."""
        if seconds:
            self._stopped.wait(seconds)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, address: tuple[str, int], provider: Provider) -> None:
        self.provider = provider
        self._open: set[socket.socket] = set()
        super().__init__(address, _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        for connection in tuple(self._open):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def do_GET(self) -> None:
        provider = self.server.provider
        if not self.path.endswith("/models"):
            return self._send(404, {}, _error(404, Behaviour()))
        return self._send(200, {}, json.dumps({"data": [{"id": name} for name in provider.models]}).encode())

    def do_POST(self) -> None:
        provider = self.server.provider
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        try:
            body = json.loads(raw)
        except ValueError:
            body = {}
        how = provider.received(Received(body, raw, headers, self.path))
        provider.wait(how.delay)
        if how.location is not None:
            return self._send(307 if how.status == 200 else how.status, {"Location": how.location}, b"")
        if how.body is not None:
            content = how.body.encode() if isinstance(how.body, str) else how.body
            return self._send(how.status, how.headers, content, how)
        if provider.key is not None and headers.get("authorization") != f"Bearer {provider.key}":
            return self._send(401, {}, _error(401, Behaviour()))
        if how.status >= 400 or (how.message is not None and how.fail is None):
            return self._send(how.status, how.headers, _error(how.status, how), how)
        text = provider.answer(body) if how.content is ... else how.content
        if body.get("stream"):
            return self._stream(how, _events(body, raw, text, how))
        return self._send(200, how.headers, json.dumps(_document(body, raw, text, how)).encode(), how)

    def _send(
        self, status: int, headers: Mapping[str, str], body: bytes, how: Behaviour | None = None
    ) -> None:
        how = how or Behaviour()
        packed = gzip.compress(body, mtime=0) if how.gzip else body
        self.send_response_only(status)
        for name, value in {
            "Date": self.date_time_string(),
            "Content-Type": "application/json",
            **headers,
        }.items():
            self.send_header(name, value)
        if how.gzip:
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(packed)))
        self.end_headers()
        self._body(packed, how)

    def _stream(self, how: Behaviour, events: Sequence[str]) -> None:
        self.send_response(200)
        for name, value in {"Content-Type": "text/event-stream", **how.headers}.items():
            self.send_header(name, value)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.server.provider.wait(how.pause)
        sent = 0
        for event in events:
            data = event.encode()
            if how.cut is not None and sent + len(data) > how.cut:
                part = data[: how.cut - sent]
                if part:
                    self.wfile.write(b"%x\r\n%b\r\n" % (len(part), part))
                return self._reset()
            self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
            sent += len(data)
            self.server.provider.wait(how.drip)
        self.server.provider.wait(how.linger)
        self.wfile.write(b"0\r\n\r\n")
        return None

    def _body(self, body: bytes, how: Behaviour) -> None:
        self.server.provider.wait(how.pause)
        if how.cut is not None:
            self.wfile.write(body[: how.cut])
            return self._reset()
        size = how.pieces if how.drip else len(body) or 1
        for at in range(0, len(body), size):
            self.wfile.write(body[at : at + size])
            self.server.provider.wait(how.drip)
        return None

    def _reset(self) -> None:
        """Hang up without a farewell, after what was sent has arrived."""
        self.server.provider.wait(0.02)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def log_message(self, *arguments: object) -> None:
        pass


def _error(status: int, how: Behaviour) -> bytes:
    """The error object of OpenRouter."""
    code = (status if status >= 400 else 502) if how.code is None else how.code
    text = _TEXTS.get(code if isinstance(code, int) else 0, "Error") if how.message is None else how.message
    error: dict[str, Any] = {"code": code, "message": text}
    if how.metadata is not None:
        error["metadata"] = how.metadata
    return json.dumps({"error": error, "user_id": "user_1"}).encode()


def _schema(body: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """The name and schema that a request asks for; both empty where it asks for none."""
    form = body.get("response_format", {}).get("json_schema")
    if form:
        return form["name"], form["schema"]
    for tool in body.get("tools", ()):
        return "", tool["function"]["parameters"]
    return "", {"type": "object"}


def _head(body: Mapping[str, Any], raw: bytes, how: Behaviour, kind: str) -> dict[str, Any]:
    found = {
        "id": f"gen-{sha256(raw).hexdigest()[:16]}",
        "provider": SERVED,
        "model": body.get("model") if how.served is ... else how.served,
        "object": kind,
        "created": 1767607200,
    }
    return (
        found
        if how.served is not None
        else {key: found[key] for key in found if key not in ("model", "provider")}
    )


def _usage(raw: bytes, text: Any, how: Behaviour) -> dict[str, Any]:
    if how.usage is not ...:
        return {} if how.usage is None else {"usage": how.usage}
    asked, said = len(raw) // 4 + 1, len(str(text)) // 4 + 1
    return {
        "usage": {
            "prompt_tokens": asked,
            "completion_tokens": said,
            "total_tokens": asked + said,
            "cost": round((asked + 4 * said) * 2.5e-7, 10),
            "completion_tokens_details": {"reasoning_tokens": 0},
        }
    }


def _document(body: Mapping[str, Any], raw: bytes, text: Any, how: Behaviour) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": how.refusal}
    finish = how.finish
    if body.get("tools") and isinstance(text, str) and finish == "stop":
        function = {"name": body["tools"][0]["function"]["name"], "arguments": text}
        message |= {
            "content": None,
            "tool_calls": [{"id": "call_1", "type": "function", "function": function}],
        }
        finish = "tool_calls"
    if how.reasoning is not None:
        message["reasoning"] = how.reasoning
    choice = {
        "index": 0,
        "finish_reason": finish,
        "native_finish_reason": how.native or finish,
        "message": message,
    }
    found = {**_head(body, raw, how, "chat.completion"), "choices": [choice]}
    return {**found, **_usage(raw, text, how), **how.merge}


def _events(body: Mapping[str, Any], raw: bytes, text: Any, how: Behaviour) -> list[str]:
    """The lines of a stream, one event each."""
    head = _head(body, raw, how, "chat.completion.chunk")
    found = [": OPENROUTER PROCESSING\n\n"] * how.keepalives

    def chunk(delta: Mapping[str, Any], **more: Any) -> None:
        choice = {"index": 0, "delta": {"role": "assistant", **delta}, "finish_reason": None, **more}
        found.append(f"data: {json.dumps({**head, 'choices': [choice]})}\n\n")

    said = text if isinstance(text, str) else ""
    finish = how.finish
    tool = body["tools"][0]["function"]["name"] if body.get("tools") and finish == "stop" else None
    if how.reasoning is not None:
        chunk({"content": "", "reasoning": how.reasoning})
    for number, piece in enumerate(_pieces(said, how.chunks)):
        if tool is None:
            chunk({"content": piece})
        else:
            finish = "tool_calls"
            named = {"id": "call_1", "type": "function"} if number == 0 else {}
            function = {"arguments": piece, **({"name": tool} if number == 0 else {})}
            chunk({"content": None, "tool_calls": [{"index": 0, **named, "function": function}]})
    if how.refusal is not None:
        chunk({"refusal": how.refusal})
    if how.fail is not None:
        choices = (
            [{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}]
            if how.finish == "error"
            else []
        )
        found.append(f"data: {json.dumps({**head, 'error': how.fail, 'choices': choices})}\n\n")
        return found
    chunk({"content": ""}, finish_reason=finish, native_finish_reason=how.native or finish)
    if usage := _usage(raw, said, how):
        found.append(f"data: {json.dumps({**head, 'choices': [], **usage, **how.merge})}\n\n")
    if not how.end:
        found.append("data: [DONE]\n\n")
    return found


def _pieces(text: str, number: int) -> Iterator[str]:
    size = -(-len(text) // number) or 1
    for at in range(0, len(text), size):
        yield text[at : at + size]


def instance(schema: Mapping[str, Any], variety: int = 0) -> Any:
    """The least value that is valid by a schema; other values for another `variety`, where there are any."""
    return _instance(schema, schema, variety)


def _instance(schema: Mapping[str, Any], root: Mapping[str, Any], variety: int) -> Any:
    if reference := schema.get("$ref"):
        named = root
        for part in reference.removeprefix("#/").split("/"):
            named = named[part]
        return _instance(named, root, variety)
    if "const" in schema:
        return schema["const"]
    if values := schema.get("enum"):
        return values[variety % len(values)]
    if branches := schema.get("anyOf") or schema.get("oneOf"):
        return _instance(branches[0], root, variety)
    kind = schema.get("type", "object")
    match kind if isinstance(kind, str) else kind[0]:
        case "object":
            wanted = schema.get("required", ())
            return {name: _instance(schema["properties"][name], root, variety) for name in wanted}
        case "array":
            count = schema.get("minItems", 0)
            return [
                _instance(schema.get("items", {"type": "string"}), root, variety + n) for n in range(count)
            ]
        case "string":
            if "pattern" in schema:
                return _matching(re._parser.parse(schema["pattern"]), variety)  # type: ignore[attr-defined]
            text = "x" * max(1, schema.get("minLength", 1))
            return text if not variety else f"{text}{variety}"[-max(2, schema.get("maxLength", 99)) :]
        case "integer" | "number":
            least = schema.get("minimum", 0)
            return min(least + variety, schema.get("maximum", least + variety))
        case "boolean":
            return False
    return None


def _matching(parsed: Any, variety: int) -> str:
    """A text that a plain pattern fits: literals, classes, groups, branches and repetitions."""
    found = ""
    for name, value in parsed:
        match str(name):
            case "LITERAL":
                found += chr(value)
            case "IN":
                low, high = _range(value)
                found += chr(low + variety % (high - low + 1))
            case "MAX_REPEAT" | "MIN_REPEAT":
                found += "".join(_matching(value[2], variety) for _ in range(value[0]))
            case "SUBPATTERN":
                found += _matching(value[3], variety)
            case "BRANCH":
                found += _matching(value[1][variety % len(value[1])], variety)
            case "ANY" | "NOT_LITERAL":
                found += "x"
    return found


def _range(members: Any) -> tuple[int, int]:
    for name, value in members:
        match str(name):
            case "LITERAL":
                return value, value
            case "RANGE":
                return int(value[0]), int(value[1])
            case "CATEGORY":
                return (48, 57) if "DIGIT" in str(value) else (97, 122)
    return 120, 120


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until it is interrupted."""
    parser = argparse.ArgumentParser(description="A provider of models on 127.0.0.1, for trials.")
    parser.add_argument("--port", type=int, default=0, help="0: any that is free")
    parser.add_argument("--script", type=Path, help="answers and behaviours, as JSON")
    options = parser.parse_args(arguments)
    provider = Provider(options.port)
    script = json.loads(options.script.read_text()) if options.script else {}
    for name, answer in script.get("answers", {}).items():
        provider.on(name, answer)
    for behaviour in script.get("queue", ()):
        provider.queue(behaviour)
    print(provider.url, flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        threading.Event().wait()
    provider.stop()


if __name__ == "__main__":
    main()
