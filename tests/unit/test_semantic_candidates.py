"""Retrieval: words propose which module a statement may mean, in whatever order, so many at most, and decide nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import orjson

from t2c.ledger.intake.base import Draft, Reading, Scope, materialise
from t2c.ledger.kernel.ids import relation_id
from t2c.ledger.linking.features import Corpus, read
from t2c.ledger.llm.semantic.candidates import retrieve
from t2c.ledger.llm.semantic.contracts import CandidateSet
from t2c.ledger.llm.semantic.rerank import subject

GRAPH = "ab" * 32
AT = "2026-11-01T00:00:00Z"


def body(source: str, path: str, text: str, **more: Any) -> bytes:
    is_code = source == "ast"
    draft = Draft(
        kind=more.pop("kind", "todo_item"),
        text=text,
        object=text,
        action="declare" if is_code else "add",
        cls="fact" if is_code else "plan",
        status="unknown",
        confidence=0.9,
        basis=("made",),
        **more,
    )
    (found,) = materialise(Reading(Scope(source, path), "t2c/made@1", (draft,)))
    return found.body


def module(path: str, docstring: str = "") -> bytes:
    symbol = path.rpartition(".")[0].replace("/", ".")
    metadata = {"docstring": docstring, "test": False}
    return body("ast", path, path, kind="module_fact", symbol=symbol, metadata=metadata)


def corpus(bodies: Sequence[bytes]) -> Corpus:
    return read(bodies)


CODE = [
    module("src/session_expiry.py", "Ends idle sessions."),
    module("src/invoice.py", "Renders invoices as paper."),
    module("src/ledger.py"),
]


def retrieved(bodies: Sequence[bytes], related: frozenset[str] = frozenset(), **more: Any) -> CandidateSet:
    found = retrieve(corpus(bodies), related, (), graph_fingerprint=GRAPH, generated_at=AT, **more)
    return found.candidates


def test_words_propose_modules_in_two_languages_whatever_the_order() -> None:
    plans = [
        body("todo", "PL.md", "Sesje bezczynne mają wygasać"),
        body("todo", "EN.md", "Renders every invoice for paper"),
        body("todo", "NO.md", "Bake bread tomorrow"),
    ]
    found = retrieved([*CODE, *plans])
    ids = [orjson.loads(one)["id"] for one in (*CODE, *plans)]
    best = {one.declarationRecordId: one.moduleRecordId for one in found.candidates if one.rank == 1}
    assert best == {ids[3]: ids[0], ids[4]: ids[1]}
    assert retrieved([*reversed(plans), *reversed(CODE)]) == found
    assert (
        retrieved([*CODE, *plans], frozenset([ids[3]])).candidates
        == retrieved([*CODE, *plans[1:]]).candidates
    )
    wrong = {relation_id(ids[4], ids[1], "evidenced_by")}
    left = retrieve(corpus([*CODE, *plans]), (), wrong, graph_fingerprint=GRAPH, generated_at=AT).candidates
    assert {one.declarationRecordId for one in left.candidates} == {ids[3]}


def test_five_of_a_statement_and_so_many_in_all_are_asked_about_and_the_rest_is_counted() -> None:
    code = [module(f"src/{name}/expiry.py") for name in "abcdefgh"]
    code += [module(f"src/{name * 3}.py") for name in "abcdefghijklmnopqrstuvwxyz"]
    plans = [body("todo", f"{at}.md", f"Expiry of {word}") for at, word in enumerate(("tea", "milk", "jam"))]
    full = retrieve(corpus([*code, *plans]), (), (), graph_fingerprint=GRAPH, generated_at=AT)
    assert Counter(Counter(one.declarationRecordId for one in full.candidates.candidates).values()) == {5: 3}
    assert full.cut == 0
    part = retrieve(corpus([*code, *plans]), (), (), graph_fingerprint=GRAPH, generated_at=AT, most=7)
    counts = Counter(one.declarationRecordId for one in part.candidates.candidates)
    assert sorted(counts.values()) == [2, 5]
    assert part.cut == 8


def test_meaning_orders_what_words_propose_and_proposes_nothing() -> None:
    code = [module(f"src/{name}/expiry.py") for name in ("tea", "milk")] + [module("src/bread.py")]
    plan = body("todo", "P.md", "Expiry of beverages")
    seen: list[str] = []

    def ranker(text: str, names: Sequence[str]) -> list[float]:
        seen.extend(names)
        return [0.91234 if "milk" in name else 0.1 for name in names]

    found = read([*code, plan])
    ordered = type(found)(**{name: getattr(found, name) for name in found.__struct_fields__ if name != "ranker"}, ranker=ranker)  # fmt: skip
    said = retrieve(ordered, (), (), graph_fingerprint=GRAPH, generated_at=AT).candidates
    assert sorted(seen) == ["src/milk/expiry.py", "src/tea/expiry.py"]
    assert [one.score for one in said.candidates] == [0.912, 0.1]
    assert said.retrieval.model == "words-of-code+embeddings"


def test_what_is_shown_of_a_record_is_what_was_found() -> None:
    record = orjson.loads(CODE[0])
    record["metadata"]["capabilities"] = ["expire", 3]
    shown = subject(record)
    assert (shown.is_module, shown.capabilities) == (True, ("expire",))
    assert shown.says("SRC/session") and not shown.says("idle")
