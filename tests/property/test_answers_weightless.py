"""Claims carry no weight: whatever models say, what is verified, settled or closed comes from checks and people (§7.27)."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from enum import Enum
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, get_args

import orjson
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from t2c.ledger.answers.roots import ROOTS
from t2c.ledger.kernel.actor import Actor
from t2c.projections.fold import fold
from t2c.projections.registry import ALL

AGENT, HUMAN = Actor("agent", "m"), Actor("human", "ada")
TEXT = st.sampled_from(["", "done", "verified", "approved", "T1", "src/a.py", "all tests pass", "ż"])
RESULTS = ("supported", "refuted", "unresolvable", "inconsistent")
SHOWN = {"event-log", "timeline"}
"""Views that list the events themselves, whose ids come from what they say."""
_NUMBERS = itertools.count()


@cache
def documents(annotation: Any) -> st.SearchStrategy[Any]:
    """JSON values of a type."""
    if annotation is str:
        return TEXT
    if annotation is bool:
        return st.booleans()
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return st.sampled_from([member.value for member in annotation])
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        members = annotation.model_fields.items()
        return st.fixed_dictionaries({one.alias or name: documents(one.annotation) for name, one in members})
    return st.lists(documents(get_args(annotation)[0]), max_size=2)


class Claimed(NamedTuple):
    """An answer with two values, either of which a model might have given."""

    root: str
    about: str | None
    values: tuple[Any, Any]


@st.composite
def claims(draw: st.DrawFn) -> Claimed:
    root = draw(st.sampled_from(list(ROOTS)))
    value = documents(ROOTS[root])
    return Claimed(root, draw(st.sampled_from([None, "T1"])), (draw(value), draw(value)))


class Weighs(NamedTuple):
    """What is no claim: a check of answer `of`, a gate, a judgement, a choice, an approval, a reply."""

    kind: str
    of: int
    result: int


WEIGHS = st.builds(
    Weighs,
    st.sampled_from(["verified", "gate", "judged", "choice", "approval", "reply"]),
    st.integers(0, 3),
    st.integers(0, 3),
)


def built(chain: Any, answers: list[Claimed], which: int, weights: list[Weighs]) -> dict[str, str]:
    """Write the journal with one of the two values of each answer; event ids of the answers → neutral names."""
    todo = chain.todo("Build a shed")
    chain.entry("Built a shed")
    chain.symbol("app.shed")
    names: dict[str, str] = {}
    events: list[str] = []
    questions: list[str] = []

    def last() -> str:
        return str(list(chain.journal.entries())[-1].id)

    for number, one in enumerate(answers):
        value = one.values[which]
        content = sha256(orjson.dumps(value)).hexdigest()
        data = {"root": one.root, "schema_digest": "0" * 64, "about": one.about, "answered": None}
        chain.add(
            "answer.recorded", {**data, "content": content, "value": value}, actor=AGENT, trust="asserted"
        )
        events.append(last())
        names[events[-1]], names[content] = f"answer {number}", f"content {number}"
        asked = {"answer": events[-1], "number": number + 1, "about": one.about, "question": "Why?"}
        chain.add("question.asked", asked, actor=AGENT, trust="asserted")
        questions.append(last())
        names[questions[-1]] = f"question {number}"
    for number, weight in enumerate(weights):
        answer, result = events[weight.of % len(events)], RESULTS[weight.result]
        if weight.kind == "verified":
            found = {"answer": answer, "check": "status", "item": None, "result": result, "detail": "d"}
            chain.add("answer.verified", {**found, "evidence": [], "objects": [], "round": number + 1})
        elif weight.kind == "gate":
            ran = {"announced": answer, "outcome": "exited", "exit_code": weight.result, "duration_ms": 1}
            kept = {"output": "0" * 64, "output_bytes": 0, "kept_bytes": 0, "masked": {}, "detail": ""}
            chain.add("gate.ran", {**ran, **kept})
        elif weight.kind == "judged":
            judged = {
                "answer": answer,
                "item": weight.result,
                "verdict": "cleared",
                "reason": "r",
                "evidence": [],
            }
            chain.add("shortcut.judged", judged, actor=HUMAN, trust="asserted")
        elif weight.kind == "choice":
            choice = {"answer": answer, "title": "A", "digest": "1" * 64, "reason": ""}
            chain.add("choice.made", choice, actor=HUMAN, trust="asserted")
        elif weight.kind == "approval":
            approval = {"subject": f"answer:{answer}", "digest": "2" * 64, "statement": ""}
            chain.add("approval.granted", approval, actor=HUMAN, trust="asserted")
        else:
            reply = {"question": questions[weight.of % len(questions)], "answer": "Because.", "reason": ""}
            chain.add("question.answered", reply, actor=HUMAN, trust="asserted")
        names[last()] = f"weight {number}"
    assert todo
    return names


def views(chain: Any, names: dict[str, str]) -> dict[str, bytes]:
    """Every view, with the events of this test under neutral names; of answers all but what they claim."""
    folded = fold(chain.journal, ALL, list(ALL))
    found: dict[str, bytes] = {}
    for name in ALL:
        if name in SHOWN:
            continue
        for file, content in folded.artifacts(name).items():
            body = content if isinstance(content, bytes) else b"".join(content)
            if file == "answers.json":
                document = orjson.loads(body)
                for answer in document["answers"]:
                    del answer["claim"]
                body = orjson.dumps(document)
            pattern = re.compile("|".join(map(re.escape, names)) or "$^")
            found[f"{name}/{file}"] = pattern.sub(lambda hit: names[hit[0]], body.decode()).encode()
    return found


FEW = settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@FEW
@given(answers=st.lists(claims(), min_size=1, max_size=4), weights=st.lists(WEIGHS, max_size=6))
def test_other_claims_change_nothing_that_is_verified_settled_or_closed(
    answers: list[Claimed], weights: list[Weighs], new_journal: Callable[[Path], Any], tmp_path: Path
) -> None:
    seen = []
    for which in (0, 1):
        chain = new_journal(tmp_path / str(next(_NUMBERS)) / "journal.ndjson")
        seen.append(views(chain, built(chain, answers, which, weights)))
    assert len(seen[0]) >= 10
    assert seen[0] == seen[1]


@FEW
@given(answers=st.lists(claims(), min_size=1, max_size=4))
def test_without_checks_and_people_everything_is_open(
    answers: list[Claimed], new_journal: Callable[[Path], Any], tmp_path: Path
) -> None:
    chain = new_journal(tmp_path / str(next(_NUMBERS)) / "journal.ndjson")
    built(chain, answers, 0, [])
    document = orjson.loads(fold(chain.journal, ALL, ["answers"]).artifacts("answers")["answers.json"])  # type: ignore[arg-type]
    assert {answer["state"] for answer in document["answers"]} == {"claimed"}
    assert document["counts"]["openQuestions"] == len(answers)
    decided = [answer[key] for answer in document["answers"] for key in ("shortcuts", "approvals", "checks")]
    assert not any(decided) and all(answer["choice"] is None for answer in document["answers"])
