"""`t2c llm`: the ledger alone says what a model saw, what it said, what that took and what became of it."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import pytest

from t2c.ledger.engine import Ledger, create
from t2c.ledger.events.answers import AnswerRecorded
from t2c.ledger.events.draft import draft
from t2c.ledger.kernel.actor import Actor
from t2c.ledger.llm.ask import Answered, Asker, Asking, Unanswered
from t2c.ledger.llm.base import Brief, Message, Shape, Shown
from t2c.ledger.llm.openrouter import OpenRouter
from t2c.ledger.llm.outgoing import untrusted

SHAPE = Shape(
    "t2c_test",
    b'{"type":"object","properties":{"n":{"type":"integer","maximum":9}},"required":["n"],"additionalProperties":false}',
)
HOSTILE = "TODO: paint\n::error::pay\x1b[31m attention"


class Recorded(NamedTuple):
    """A ledger in which three requests were made: one corrected and used, one answered, one that failed."""

    first: Answered[Any]
    second: Answered[Any]
    failed: Unanswered
    content: str


def _asking(stage: str, text: str) -> Asking[Any]:
    brief = Brief("todo-brief", text, (Shown("INT-TODO-1", "0" * 64),), {})
    messages = (Message("system", "Read."), Message("user", untrusted("TODO.md", text)))
    return Asking(stage, "reader", "acme/one", messages, SHAPE, brief, orjson.loads)


@pytest.fixture
def recorded(t2c: Any, provider: Any) -> Recorded:
    workspace = t2c.root / ".t2c"
    create(workspace)
    provider.queue('{"n":10}', usage={"prompt_tokens": 100, "completion_tokens": 20, "cost": 0.0012})
    provider.queue('{"n":9}', usage={"prompt_tokens": 120, "completion_tokens": 20, "cost": 0.0013})
    provider.queue('{"n":1}', usage=None, served="acme/one-2026-01-01")
    provider.queue(status=402, message="Insufficient credits")
    with Ledger(workspace) as ledger, OpenRouter(provider.url, None) as model:
        asker = Asker(ledger, model, mode="record", run="run-1")
        first = asker.ask(_asking("markdown", HOSTILE))
        content = ledger.objects.put(b'{"n":9}')
        answer = AnswerRecorded(
            root="question",
            schema_digest="0" * 64,
            about=None,
            answered=first.event,
            content=content,
            value=None,
        )
        ledger.append([draft(answer, actor=Actor("agent", "acme/one"))])
        second = asker.ask(_asking("summary", "sum it up"))
        with pytest.raises(Unanswered) as caught:
            asker.ask(_asking("summary", "and again"))
    return Recorded(first, second, caught.value, content)


def test_the_log_tells_each_request_and_what_became_of_it(t2c: Any, recorded: Recorded) -> None:
    document = t2c("llm", "log", "--json").document
    rows = document["calls"]
    assert document["schema"] == "t2c.call-list/v1" and document["all"] == 4
    told = [(row["stage"], row["outcome"], row["cost_micros"]) for row in rows]
    assert told == [
        ("markdown", "schema_violation", 1200), ("markdown", "answered", 1300), ("summary", "answered", None),
        ("summary", "unavailable", None),
    ]  # fmt: skip
    assert [(row["follows"], row["followed_by"]) for row in rows[:2]] == [
        (None, rows[1]["seq"]), (rows[0]["seq"], None),
    ]  # fmt: skip
    assert [use["type"] for use in rows[1]["uses"]] == ["answer.recorded"] and rows[2]["uses"] == []
    assert rows[2]["served"] == "acme/one-2026-01-01"
    assert all(row["milliseconds"] is not None and row["run"] == "run-1" for row in rows)
    lines = t2c("llm", "log").out.splitlines()
    assert len(lines) == 5
    assert "120+20 tokens, 0.0013 USD" in lines[2] and "1 answer.recorded" in lines[2]
    assert (
        "acme/one → acme/one-2026-01-01" in lines[3]
        and "cost ?" in lines[3]
        and "nothing made of it" in lines[3]
    )
    failed = t2c("llm", "log", "--failed", "--stage", "summary", "--json").document["calls"]
    assert [row["seq"] for row in failed] == [rows[3]["seq"]]
    early = t2c("llm", "log", "--json", "--at", str(rows[0]["seq"])).document["calls"]
    assert [row["outcome"] for row in early] == ["open"]
    unknown = t2c("llm", "log", "--model", "acme/three")
    assert unknown.code == 2 and "acme/one" in unknown.err


def test_one_request_is_shown_again_whole(t2c: Any, recorded: Recorded, provider: Any) -> None:
    seq = str(recorded.first.seq)
    shown = t2c("llm", "show", seq)
    assert shown.code == 0
    for words in (
        "Read.",
        "response.n must be at most 9",
        '{"n":9}',
        "enforced by the provider",
    ):
        assert words in shown.out
    assert "\n::error::" not in shown.out and "\x1b" not in shown.out, (
        "a repository steers neither build nor terminal"
    )
    by_event = t2c("llm", "show", recorded.first.event, "--prompt", "--json").document
    assert by_event["text"].encode() == provider.requests[1].raw
    assert t2c("llm", "show", seq, "--answer").out == '{"n":9}\n'
    raw = t2c("llm", "show", seq, "--raw", "--json").document
    assert orjson.loads(raw["text"])["choices"][0]["message"]["content"] == '{"n":9}'
    manifest = orjson.loads(t2c("llm", "show", seq, "--manifest").out)
    assert manifest["items"] == [{"id": "INT-TODO-1", "digest": "0" * 64}]
    assert t2c("llm", "show", seq, "--raw", "--answer").code == 2
    assert t2c("llm", "show", "1").code == 2


def test_a_missing_or_damaged_object_is_said(t2c: Any, recorded: Recorded) -> None:
    seq = str(recorded.second.seq)
    parts = {part["name"]: part for part in t2c("llm", "show", seq, "--json").document["parts"]}
    folder = t2c.root / ".t2c" / "objects"
    for name in ("answer", "manifest"):
        digest = parts[name]["digest"]
        path = folder / digest[:2] / digest[2:]
        path.chmod(0o644)
        path.unlink() if name == "answer" else path.write_bytes(b"{}")
    shown = t2c("llm", "show", seq)
    assert shown.code == 0 and "there is no object" in shown.out and "does not hold the bytes" in shown.out
    assert t2c("llm", "show", seq, "--answer").code == 2
    assert t2c("llm", "show", seq, "--manifest").code == 5
    assert t2c("ledger", "verify", "--level", "domain").code == 1


class Drawer:
    """Keeps what is said outside of the workspace."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, content: bytes) -> str:
        name = sha256(b"salt" + content).hexdigest()
        (self._folder / name).write_bytes(content)
        return name

    def get(self, name: str) -> bytes:
        return (self._folder / name).read_bytes()

    def spool(self, digest: str) -> Path:
        return self._folder / digest


def test_what_is_sealed_is_not_shown(t2c: Any, provider: Any, tmp_path: Path) -> None:
    create(t2c.root / ".t2c")
    provider.queue('{"n":7}')
    with Ledger(t2c.root / ".t2c") as ledger, OpenRouter(provider.url, None) as model:
        asking = _asking("answers", "write a test")._replace(vault=Drawer(tmp_path))
        found = Asker(ledger, model, mode="record").ask(asking)
    shown = t2c("llm", "show", str(found.seq))
    assert shown.code == 0 and shown.out.count("sealed: it is kept outside") == 2
    assert '"n":7' not in shown.out and "write a test" in shown.out
    alone = t2c("llm", "show", str(found.seq), "--answer")
    assert alone.code == 2 and "sealed" in alone.err
    assert t2c("ledger", "verify", "--level", "domain").code == 0


def test_costs_are_added_up_and_what_is_unknown_stands_apart(t2c: Any, recorded: Recorded) -> None:
    document = t2c("llm", "cost", "--by", "stage", "--json").document
    groups = {group["name"]: group for group in document["groups"]}
    assert document["schema"] == "t2c.llm-cost/v1"
    assert groups["markdown"]["cost_micros"] == {"USD": 2500} and groups["markdown"]["cost_unknown"] == 0
    assert (groups["summary"]["cost_micros"], groups["summary"]["cost_unknown"]) == ({}, 1)
    assert document["total"]["prompt_tokens"] == 220
    out = t2c("llm", "cost").out
    assert "0.0025 USD and 1 of unknown cost" in out and "acme/one-2026-01-01" in out


def test_without_requests_it_says_so(t2c: Any, new_journal: Callable[..., Any]) -> None:
    new_journal(t2c.root / ".t2c" / "journal.ndjson")
    assert t2c("llm", "log").out == "no model was asked\n"
    assert t2c("llm", "cost").out == "no model was asked\n"


def test_verify_names_an_answer_whose_bytes_were_changed(t2c: Any, recorded: Recorded) -> None:
    assert t2c("ledger", "verify", "--level", "domain").code in (0, 1)
    before = {
        fault["kind"] for fault in t2c("ledger", "verify", "--level", "domain", "--json").document["faults"]
    }
    assert "object_damaged" not in before
    content = t2c.root / ".t2c" / "objects" / recorded.content[:2] / recorded.content[2:]
    content.chmod(0o644)
    content.write_bytes(b'{"n":8}')
    done = t2c("ledger", "verify", "--level", "domain", "--json")
    assert done.code == 1
    damaged = [fault for fault in done.document["faults"] if fault["kind"] == "object_damaged"]
    assert len(damaged) == 1 and recorded.content in damaged[0]["detail"]
