"""Asking: what is recorded before, during and after, and what is taken from the record instead of asking."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson
import pytest

from t2c.ledger.engine import Ledger, create
from t2c.ledger.errors import Conflict, Refused
from t2c.ledger.errors import Model as Diverged
from t2c.ledger.events.llm import Attempt, Story, Unusable, Usage
from t2c.ledger.llm.ask import Answered, Asker, Asking, Rejected, Unanswered
from t2c.ledger.llm.base import Brief, Message, Reply, Request, Shape, Shown
from t2c.ledger.llm.outgoing import RULES
from t2c.ledger.redaction.funnel import Funnel

SHAPE = Shape(
    "t2c_test",
    orjson.dumps(
        {
            "type": "object",
            "properties": {
                "records": {
                    "type": "array",
                    "maxItems": 3,
                    "items": {
                        "type": "object",
                        "properties": {"confidence": {"type": "number", "maximum": 0.9}},
                        "required": ["confidence"],
                        "additionalProperties": False,
                    },
                }
            },
            "required": ["records"],
            "additionalProperties": False,
        }
    ),
)
GOOD, HIGH = '{"records":[{"confidence":0.5}]}', '{"records":[{"confidence":0.5},{"confidence":0.95}]}'


def story(served: str | None = "m/one", cost: int | None = 70) -> Story:
    attempt = Attempt(
        number=1, status=200, outcome="answered", waited_ms=0, took_ms=5, retry_after_ms=None, detail=""
    )
    usage = Usage(
        prompt_tokens=10,
        completion_tokens=3,
        reasoning_tokens=None,
        total_tokens=13,
        cost_micros=cost,
        currency="USD",
    )
    return Story(
        requested="m/one",
        served=served,
        provider="P",
        response_id="gen-1",
        finish_reason="stop",
        attempts=(attempt,),
        usage=usage,
    )


def failed(reason: Unusable, detail: str = "no", keyword: str | None = None) -> Reply:
    return Reply(None, b'{"error":1}', story(), reason, detail, refused_keyword=keyword)


class Scripted:
    """A model that answers what it is told to, in this order; an exception is raised."""

    endpoint = "https://models.example/v1"

    def __init__(self, *answers: str | Reply | BaseException) -> None:
        self.answers = list(answers)
        self.asked: list[Request] = []

    def send(self, request: Request) -> Reply:
        self.asked.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return Reply(answer, b"raw", story()) if isinstance(answer, str) else answer


def confidences(text: bytes) -> list[float]:
    return [record["confidence"] for record in orjson.loads(text)["records"]]


def question(
    text: str = "What is in it?", check: Callable[[bytes], Any] = confidences, **more: Any
) -> Asking[Any]:
    brief = Brief("test-brief", text, (Shown("INT-1", "0" * 64),), {"too_long": 2})
    messages = (Message("system", "You read."), Message("user", text))
    return Asking("reading", "reader", "m/one", messages, SHAPE, brief, check, **more)


def events(ledger: Ledger) -> list[tuple[str, dict[str, Any]]]:
    return [(one.type, orjson.loads(bytes(one.data))) for one in ledger.entries() if one.seq > 1]


def types(ledger: Ledger) -> list[str]:
    return [name for name, _ in events(ledger)]


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Ledger]:
    folder = tmp_path / "other" / ".t2c"
    create(folder)
    with Ledger(folder) as opened:
        yield opened


def test_what_is_asked_and_answered_stands_in_the_ledger_with_its_objects(ledger: Ledger) -> None:
    model = Scripted(GOOD)
    found = Asker(ledger, model, mode="record", run="r1").ask(question())
    assert (found.value, found.replayed, found.story.served) == ([0.5], False, "m/one")
    (_, asked), (_, answered) = events(ledger)
    body = ledger.objects.get(asked["request"])
    assert body == model.asked[0].body and sha256(body).hexdigest() == answered["request"]
    assert asked["body_bytes"] == len(body) and asked["endpoint"] == "https://models.example/v1"
    assert ledger.objects.get(asked["brief_digest"]) == b"What is in it?"
    manifest = orjson.loads(ledger.objects.get(asked["manifest"]))
    assert (manifest["items"], manifest["omitted"]) == (
        [{"digest": "0" * 64, "id": "INT-1"}],
        {"too_long": 2},
    )
    assert ledger.objects.get(asked["schema_digest"]) == SHAPE.schema
    assert ledger.objects.get(answered["content"]) == GOOD.encode()
    assert ledger.objects.get(answered["raw"]) == b"raw"
    assert (answered["value"], answered["guarantee"]) == (orjson.loads(GOOD), "enforced")
    first, second = [one for one in ledger.entries() if one.seq > 1]
    assert (str(first.actor), first.trust, first.run) == ("helper:t2c", "observed", "r1")
    assert (str(second.actor), second.trust, second.cause) == ("agent:m/one", "asserted", (first.id,))
    assert found.event == second.id


def test_it_is_announced_before_anything_is_sent(ledger: Ledger) -> None:
    class Looking(Scripted):
        def send(self, request: Request) -> Reply:
            assert types(ledger) == ["llm.asked"]
            assert ledger.objects.get(request.digest) == request.body
            return super().send(request)

    Asker(ledger, Looking(GOOD), mode="live").ask(question())


def test_off_asks_and_looks_up_nothing(ledger: Ledger) -> None:
    with pytest.raises(Unanswered) as caught:
        Asker(ledger, Scripted(), mode="off").ask(question())
    assert caught.value.code == "LLM_DISABLED" and types(ledger) == []


def test_without_a_model_nothing_is_recorded(ledger: Ledger) -> None:
    with pytest.raises(Unanswered) as caught:
        Asker(ledger, None, mode="record").ask(question())
    assert caught.value.code == "LLM_NOT_CONFIGURED" and types(ledger) == []


def test_preview_is_the_very_body_and_leaves_nothing(ledger: Ledger) -> None:
    asker = Asker(ledger, model := Scripted(GOOD), mode="record")
    body = asker.preview(question())
    assert types(ledger) == [] and not model.asked
    asker.ask(question())
    assert model.asked[0].body == body


def test_replay_gives_the_same_without_a_model_and_writes_nothing(ledger: Ledger) -> None:
    first = Asker(ledger, Scripted(HIGH, GOOD), mode="record").ask(question())
    before = types(ledger)
    again = Asker(ledger, None, mode="replay").ask(question())
    assert (again.value, again.event, again.replayed) == (first.value, first.event, True)
    assert types(ledger) == before


def test_a_replay_that_asks_something_new_is_a_divergence(ledger: Ledger) -> None:
    Asker(ledger, Scripted(GOOD), mode="record").ask(question())
    before = types(ledger)
    model = Scripted(GOOD)
    with pytest.raises(Diverged) as caught:
        Asker(ledger, model, mode="replay").ask(question("And in the other?"))
    assert caught.value.code == 7 and not model.asked and types(ledger) == before
    assert set(caught.value.details) == {"request", "stage", "brief"}


def test_replay_gives_recorded_failures_too(ledger: Ledger) -> None:
    with pytest.raises(Unanswered) as first:
        Asker(ledger, Scripted(failed("rate_limited", "try later")), mode="record").ask(question())
    with pytest.raises(Unanswered) as again:
        Asker(ledger, None, mode="replay").ask(question())
    for error in (first.value, again.value):
        assert (error.code, error.reason, error.detail) == ("LLM_RATE_LIMITED", "rate_limited", "try later")


@pytest.mark.parametrize(
    "reason", ["rate_limited", "timeout", "unavailable", "stream_error", "budget_exhausted", "empty"]
)
def test_record_asks_again_what_went_wrong_on_the_way(ledger: Ledger, reason: Unusable) -> None:
    with pytest.raises(Unanswered):
        Asker(ledger, Scripted(failed(reason)), mode="record").ask(question())
    assert Asker(ledger, Scripted(GOOD), mode="record").ask(question()).value == [0.5]
    assert Asker(ledger, None, mode="replay").ask(question()).value == [0.5]


@pytest.mark.parametrize("reason", ["refused", "truncated"])
def test_record_does_not_ask_again_what_a_model_will_not_answer(ledger: Ledger, reason: Unusable) -> None:
    for model in (Scripted(failed(reason)), None):
        with pytest.raises(Unanswered) as caught:
            Asker(ledger, model, mode="record").ask(question())
        assert (caught.value.code, caught.value.reason) == ("LLM_RESPONSE_INVALID", reason)
        told = "no" if model is not None else "no; this is recorded (seq 3): `--llm live` asks again"
        assert caught.value.detail == told


def test_live_asks_what_is_recorded(ledger: Ledger) -> None:
    asker = Asker(ledger, model := Scripted(GOOD, GOOD), mode="live")
    assert asker.ask(question()).event != asker.ask(question()).event
    assert model.asked[0] == model.asked[1]


def test_a_violation_is_quoted_and_corrected_once(ledger: Ledger) -> None:
    found = Asker(ledger, model := Scripted(HIGH, GOOD), mode="record").ask(question())
    assert found.value == [0.5]
    said = model.asked[1].messages[len(model.asked[0].messages) :]
    assert [message.role for message in said] == ["assistant", "user"]
    assert said[0].content == HIGH
    assert "response.records[1].confidence must be at most 0.9" in said[1].content
    (_, first), (_, unusable), (_, second), (_, answered) = events(ledger)
    assert (unusable["reason"], unusable["where"]) == ("schema_violation", "response.records[1].confidence")
    assert unusable["story"]["usage"]["cost_micros"] == 70, "it is metered all the same"
    assert first["corrects"] is None and second["corrects"] == unusable["asked"]
    assert answered["asked"] != unusable["asked"]


def test_a_second_violation_is_the_end(ledger: Ledger) -> None:
    asker = Asker(ledger, model := Scripted(HIGH, HIGH), mode="record")
    with pytest.raises(Unanswered) as caught:
        asker.ask(question())
    assert len(model.asked) == 2 and len(caught.value.stories) == 2
    assert (caught.value.code, caught.value.reason) == ("LLM_RESPONSE_INVALID", "schema_violation")


def test_a_broken_rule_of_the_stage_is_sent_back_in_its_words(ledger: Ledger) -> None:
    def check(text: bytes) -> list[float]:
        if b"0.5" in text:
            raise Rejected("response.records[0] is of a record that was not shown")
        return confidences(text)

    asker = Asker(ledger, model := Scripted(GOOD, '{"records":[]}'), mode="record")
    assert asker.ask(question(check=check, quote_schema=True)).value == []
    said = model.asked[1].messages[-1].content
    assert "response.records[0] is of a record that was not shown" in said
    assert SHAPE.schema.decode() in said
    assert events(ledger)[1][1]["reason"] == "rule_violation"


def test_without_corrections_nothing_is_sent_back(ledger: Ledger) -> None:
    with pytest.raises(Unanswered):
        Asker(ledger, model := Scripted(HIGH), mode="record").ask(question(corrections=0))
    assert len(model.asked) == 1


def test_a_refused_keyword_is_left_out_on_the_wire_and_checked_here(ledger: Ledger) -> None:
    model = Scripted(failed("rejected_request", "maximum is not supported", "maximum"), HIGH, GOOD)
    assert Asker(ledger, model, mode="record").ask(question()).value == [0.5]
    assert [request.dropped for request in model.asked] == [(), ("maximum",), ("maximum",)]
    assert b"maximum" not in model.asked[1].body.replace(b"maximum is", b"")
    assert types(ledger) == [
        "llm.asked", "llm.unusable", "degradation.noted", "llm.asked", "llm.unusable", "llm.asked", "llm.answered",
    ]  # fmt: skip
    (_, asked), _, (_, degraded), (_, instead), (_, unusable), _, (_, answered) = events(ledger)
    assert degraded["asked"] == "schema keyword maximum" and degraded["stage"] == "reading"
    assert instead["instead_of"] is not None and asked["instead_of"] is None
    assert (unusable["reason"], answered["guarantee"]) == ("schema_violation", "requested")
    assert Asker(ledger, None, mode="replay").ask(question()).value == [0.5]


def test_a_provider_without_schemas_is_asked_for_an_object_that_is_checked_here(ledger: Ledger) -> None:
    model = Scripted(failed("rejected_request", "response_format is not supported"), GOOD)
    Asker(ledger, model, mode="record").ask(question())
    second = orjson.loads(model.asked[1].body)
    assert second["response_format"] == {"type": "json_object"} and "provider" not in second
    assert SHAPE.schema.decode() in second["messages"][0]["content"]
    assert second["messages"][0]["content"].startswith(RULES)
    assert events(ledger)[-1][1]["guarantee"] == "checked_here_only"
    assert Asker(ledger, None, mode="replay").ask(question()).value == [0.5]


def test_another_provider_may_take_what_one_refused(ledger: Ledger) -> None:
    Asker(ledger, Scripted(failed("rejected_request"), GOOD), mode="record").ask(question())
    Asker(ledger, model := Scripted(), mode="record").ask(question())
    assert not model.asked, "the same provider would refuse it again"
    other = Scripted(GOOD)
    other.endpoint = "https://other.example/v1"
    Asker(ledger, other, mode="record").ask(question())
    assert [request.mode for request in other.asked] == ["json_schema"]


def test_what_refuses_everything_is_unavailable(ledger: Ledger) -> None:
    refusals = [failed("rejected_request")] * 2
    with pytest.raises(Unanswered) as caught:
        Asker(ledger, model := Scripted(*refusals), mode="record").ask(question())
    assert (caught.value.code, len(model.asked)) == ("LLM_UNAVAILABLE", 2)


def test_reasoning_that_used_the_budget_gets_twice_as_much_once(ledger: Ledger) -> None:
    spent = failed("reasoning_used_the_budget")
    found = Asker(ledger, model := Scripted(spent, GOOD), mode="record").ask(question())
    assert found.value == [0.5]
    assert [request.max_tokens for request in model.asked] == [6000, 12000]
    with pytest.raises(Unanswered) as caught:
        Asker(ledger, Scripted(spent, spent), mode="live").ask(question())
    assert caught.value.reason == "reasoning_used_the_budget"


@pytest.mark.parametrize(
    ("served", "lesser"),
    [("m/one", False), ("m/one-2026-01-01", False), ("m/one:free", False), (None, False), ("m/other", True)],
)
def test_another_model_than_asked_is_a_degradation(ledger: Ledger, served: str | None, lesser: bool) -> None:
    Asker(ledger, Scripted(Reply(GOOD, b"raw", story(served))), mode="record").ask(question())
    assert ("degradation.noted" in types(ledger)) == lesser
    answered = next(one for one in ledger.entries() if one.type == "llm.answered")
    assert answered.actor.id == (served or "m/one").replace(":", "-")


def test_a_fence_is_taken_off_and_said(ledger: Ledger) -> None:
    fenced = f"```json\n{GOOD}\n```"
    assert Asker(ledger, Scripted(fenced), mode="record").ask(question()).value == [0.5]
    assert types(ledger)[-1] == "degradation.noted"
    assert ledger.objects.get(events(ledger)[1][1]["content"]) == fenced.encode()
    assert Asker(ledger, None, mode="replay").ask(question()).value == [0.5]


def test_a_correction_names_the_request_that_was_answered_and_not_one_that_was_refused(
    ledger: Ledger,
) -> None:
    asker = Asker(ledger, Scripted(failed("rejected_request"), HIGH, GOOD), mode="record")
    assert asker.ask(question()).value == [0.5]
    refused, answered, corrected = [one for one in ledger.entries() if one.type == "llm.asked"]
    assert orjson.loads(bytes(answered.data))["instead_of"] == refused.id
    assert orjson.loads(bytes(corrected.data))["corrects"] == answered.id


def test_an_answer_that_cannot_be_recorded_is_an_error_and_not_one_that_nobody_waited_for(
    ledger: Ledger,
) -> None:
    class Away(Scripted):
        def send(self, request: Request) -> Reply:
            ledger.journal.path.rename(ledger.journal.path.with_name("elsewhere"))
            return super().send(request)

    with pytest.raises(Conflict, match="the journal is gone"):
        Asker(ledger, Away(GOOD), mode="record").ask(question())


def test_secrets_are_masked_before_they_are_sent_and_counted(workspace: Path) -> None:
    secret = "hunter2-hunter2-hunter2"
    with Ledger(workspace, funnel=Funnel([secret])) as ledger:
        answer = Reply(GOOD, f'{{"echo":"{secret}"}}'.encode(), story())
        asker = Asker(ledger, model := Scripted(answer), mode="record")
        asker.ask(question(f"the key is {secret}, and {secret}"))
        assert secret.encode() not in model.asked[0].body
        assert events(ledger)[0][1]["masked"] == {"known_secret": 2}
        for path in workspace.rglob("*"):
            assert path.is_dir() or secret.encode() not in path.read_bytes(), path
        assert Asker(ledger, None, mode="replay").ask(question(f"the key is {secret}, and {secret}")).replayed


def test_a_secret_in_an_answer_is_gone_before_anybody_works_with_it(workspace: Path) -> None:
    secret = "hunter2-hunter2-hunter2"
    seen: list[bytes] = []
    with Ledger(workspace, funnel=Funnel([secret])) as ledger:
        shape = Shape("t", b'{"type":"object"}')
        asking = question(check=seen.append)._replace(shape=shape)
        Asker(ledger, Scripted(f'{{"a":"{secret}"}}'), mode="record").ask(asking)
        Asker(ledger, None, mode="replay").ask(asking)
        assert seen == [b'{"a":"[redacted:known_secret]"}'] * 2


def test_a_secret_that_only_escapes_hide_is_gone_before_anybody_works_with_it(workspace: Path) -> None:
    secret = "hunter2-hunter2-hunter2"
    seen: list[bytes] = []
    with Ledger(workspace, funnel=Funnel([secret])) as ledger:
        asking = question(check=seen.append)._replace(shape=Shape("t", b'{"type":"object"}'))
        Asker(ledger, Scripted('{"a":"\\u0068unter2-hunter2-hunter2","b":"\\n"}'), mode="record").ask(asking)
        Asker(ledger, None, mode="replay").ask(asking)
        assert seen == [b'{"a":"[redacted:known_secret]","b":"\\n"}'] * 2
        assert events(ledger)[1][1]["value"] == orjson.loads(seen[0])
        assert ledger.objects.get(events(ledger)[1][1]["content"]) == seen[0]


def test_what_is_wrong_with_a_sealed_answer_is_not_quoted(ledger: Ledger, tmp_path: Path) -> None:
    class Vault:
        kept: dict[str, bytes] = {}  # noqa: RUF012 - one test's own

        def put(self, content: bytes) -> str:
            name = sha256(b"salt" + content).hexdigest()
            self.kept[name] = content
            return name

        def get(self, name: str) -> bytes:
            return self.kept[name]

        def spool(self, digest: str) -> Path:
            return tmp_path / digest

    wrong = '{"records":[],"assert 2 + 2 == 5":1}'
    with pytest.raises(Unanswered):
        Asker(ledger, Scripted(wrong), mode="record").ask(question(vault=Vault()))
    assert wrong.encode() in Vault.kept.values()
    for path in ledger.workspace.rglob("*"):
        assert path.is_dir() or b"assert 2" not in path.read_bytes(), path
    found = Asker(ledger, Scripted(GOOD), mode="record").ask(question("Again?", vault=Vault()))
    replayed = Asker(ledger, None, mode="replay").ask(question("Again?", vault=Vault()))
    assert (found.value, replayed.value) == ([0.5], [0.5])


def test_a_guard_stops_it_before_anything_is_recorded_or_sent(ledger: Ledger) -> None:
    def guard(asking: Asking[Any], body: bytes) -> None:
        assert asking.role == "reader"
        if b"sealed" in body:
            raise Refused("a sealed test stands in the prompt")

    asker = Asker(ledger, model := Scripted(GOOD), mode="record", guards=[guard])
    with pytest.raises(Refused):
        asker.ask(question("the sealed line"))
    assert types(ledger) == [] and not model.asked
    assert asker.ask(question()).value == [0.5]


def test_ctrl_c_is_recorded_and_goes_on(ledger: Ledger) -> None:
    with pytest.raises(KeyboardInterrupt):
        Asker(ledger, Scripted(KeyboardInterrupt()), mode="record").ask(question())
    (_, asked), (_, unusable) = events(ledger)
    assert unusable["reason"] == "interrupted" and unusable["request"] == asked["request"]
    assert Asker(ledger, Scripted(GOOD), mode="record").ask(question()).value == [0.5]


def test_answers_of_another_ledger_are_taken_and_said_to_be(ledger: Ledger, other: Ledger) -> None:
    Asker(other, Scripted(failed("rejected_request"), HIGH, GOOD), mode="record").ask(question())
    there = [name for name, _ in events(other)]
    found = Asker(ledger, None, mode="replay", recordings=[other]).ask(question())
    assert (found.value, found.replayed) == ([0.5], True)
    assert types(ledger) == there
    outcomes = [data for name, data in events(ledger) if name in ("llm.answered", "llm.unusable")]
    elsewhere = {one.id for one in other.entries()}
    assert all(one["replayed"]["ledger"] == str(other.id()) for one in outcomes)
    assert all(one["replayed"]["event"] in elsewhere for one in outcomes)
    assert ledger.objects.get(outcomes[-1]["raw"]) == b"raw"
    assert Asker(ledger, None, mode="replay").ask(question()).event == found.event


def test_a_lost_object_is_said_in_a_replay_and_asked_again_otherwise(ledger: Ledger) -> None:
    Asker(ledger, Scripted(GOOD), mode="record").ask(question())
    content = events(ledger)[1][1]["content"]
    ledger.objects.path(content).unlink()
    with pytest.raises(Diverged, match="not there"):
        Asker(ledger, None, mode="replay").ask(question())
    assert Asker(ledger, Scripted(GOOD), mode="record").ask(question()).value == [0.5]


def test_many_questions_keep_their_order_and_lose_none_to_another(ledger: Ledger) -> None:
    class Picky(Scripted):
        def send(self, request: Request) -> Reply:
            number = int(request.messages[-1].content)
            return failed("timeout") if number == 2 else Reply(GOOD, b"raw", story())

    told: list[tuple[str, int, int | None]] = []
    asker = Asker(ledger, Picky(), mode="record", progress=lambda *said: told.append(said))
    found = asker.ask_many([question(str(number)) for number in range(7)], concurrency=3)
    assert [isinstance(one, Answered) for one in found] == [number != 2 for number in range(7)]
    by_seq = {one.seq: one for one in ledger.entries()}
    for number, one in enumerate(found):
        if isinstance(one, Answered):
            cause = by_seq[one.seq].cause[0]
            asked = next(entry for entry in by_seq.values() if entry.id == cause)
            body = ledger.objects.get(orjson.loads(bytes(asked.data))["request"])
            assert orjson.loads(body)["messages"][-1]["content"] == str(number)
    assert told[-1] == ("reading", 7, 7)


def test_the_same_question_twice_at_once_is_asked_once(ledger: Ledger) -> None:
    class Slow(Scripted):
        def send(self, request: Request) -> Reply:
            threading.Event().wait(0.05)
            return super().send(request)

    asker = Asker(ledger, model := Slow(GOOD), mode="record")
    first, second = asker.ask_many([question(), question()], concurrency=2)
    assert isinstance(first, Answered) and isinstance(second, Answered)
    assert first.event == second.event and len(model.asked) == 1


def test_a_divergence_among_many_stops_them(ledger: Ledger) -> None:
    Asker(ledger, Scripted(GOOD), mode="record").ask(question("0"))
    with pytest.raises(Diverged):
        Asker(ledger, None, mode="replay").ask_many([question(str(number)) for number in range(5)])


def test_ctrl_c_while_many_are_asked_waits_for_none_and_records_each(ledger: Ledger) -> None:
    begun, release, ended = threading.Semaphore(0), threading.Event(), threading.Semaphore(0)

    class Stuck(Scripted):
        def send(self, request: Request) -> Reply:
            begun.release()
            release.wait(5)
            try:
                return Reply(GOOD, b"raw", story())
            finally:
                ended.release()

    askings: Sequence[Asking[Any]] = [question(str(number)) for number in range(5)]
    asker = Asker(ledger, Stuck(), mode="record")

    main = threading.get_ident()

    def interrupt() -> None:
        begun.acquire()
        begun.acquire()
        signal.pthread_kill(main, signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        asker.ask_many(askings, concurrency=2)
    assert sorted(types(ledger)) == ["llm.asked"] * 2 + ["llm.unusable"] * 2
    release.set()
    ended.acquire()
    ended.acquire()
    for thread in threading.enumerate():
        if thread.name.startswith("t2c-ask"):
            thread.join(5)
    assert sorted(types(ledger)) == ["llm.asked"] * 2 + ["llm.unusable"] * 2, "nothing has two outcomes"
