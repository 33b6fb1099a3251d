"""What speaks for a target is enough only if it is of two kinds, says most of the name and is most of the statement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from t2c.ledger.kernel.ids import RecordId
from t2c.ledger.linking.base import Abstention, Hit
from t2c.ledger.linking.features import Record, read
from t2c.ledger.linking.language.reading import Concept, Term, Way
from t2c.ledger.linking.language.targets import Target, Targets
from t2c.ledger.linking.language.translated import decided
from t2c.ledger.linking.language.weighing import EXTRA, MIN_COVERAGE, MIN_SHARE, MIN_SHARE_OF_FULL, Scored

State = Callable[..., bytes]


def concept(key: str, way: Way = "lexicon", *, void: bool = False) -> tuple[Concept, str]:
    return Concept(f"{key}owo", {key: Term(way, key)}, void, void), key


def target(label: str, *, is_module: bool = False) -> Target:
    return Target(RecordId(f"INT-AST-{label}"), label, label.partition("#")[0], ("a", "b"), ("p",), is_module)


def scored(label: str = "x.py", **about: Any) -> Scored:
    enough = {
        "score": 6.0,
        "told": 6.0,
        "needed": 4.0,
        "coverage": 1.0,
        "share": 0.6,
        "target": target(label, is_module="#" not in label),
        "said": (concept("a"), concept("b")),
        "placed": (),
        "context": (),
    }
    return Scored(**(enough | about))


def test_two_words_of_a_name_are_enough() -> None:
    assert scored().is_justified
    assert scored(share=MIN_SHARE_OF_FULL).is_justified
    assert scored(told=4.0).is_justified
    assert scored(share=1.0).is_justified
    assert scored(said=(concept("a"), concept("b"), concept("c")), share=1.0, told=4.0).is_justified


@pytest.mark.parametrize(
    "lacking",
    [
        {"said": (concept("a"),)},
        {"said": (concept("a"), concept("b", void=True))},
        {"said": (), "placed": (concept("p"), concept("q"))},
        {"said": (concept("a", "same_word"), concept("b", "same_word"))},
        {"coverage": MIN_COVERAGE - 0.01},
        {"share": MIN_SHARE_OF_FULL - 0.01},
        {"told": 3.9},
        {"coverage": 0.8, "share": MIN_SHARE - 0.01},
        {"coverage": 0.8, "told": 4.0 + EXTRA - 0.1},
        {"share": 1.0, "told": 4.0 + EXTRA - 0.1},
        {"said": (concept("a"),), "context": ("under_heading", "changed_under_ticket", "in_named_folder")},
    ],
    ids=str,
)
def test_each_lack_keeps_a_target_from_being_meant(lacking: dict[str, Any]) -> None:
    assert not scored(**lacking).is_justified


def test_one_word_and_the_surroundings_are_enough() -> None:
    assert scored(said=(concept("a"),), placed=(concept("p"),), coverage=0.8).is_justified


@pytest.mark.parametrize("way", ["learned", "lexicon", "cognate"])
def test_each_way_of_translation_counts(way: Way) -> None:
    assert scored(said=(concept("a", way), concept("b", "same_word"))).is_justified


@pytest.fixture(scope="module")
def record(stated: State) -> Record:
    (one,) = read([stated("nl", "intent", "Zdanie, które jest krótkie.")]).records
    return one


def decide(
    record: Record, *candidates: Scored, ranks: Sequence[float] | None = None
) -> Hit | Abstention | None:
    found = list(decided(record, "pl", candidates, None if ranks is None else lambda text, names: ranks))
    assert len(found) <= 1
    return found[0] if found else None


def meant(found: Hit | Abstention | None) -> str | None:
    return found.target.removeprefix("INT-AST-") if isinstance(found, Hit) else None


def test_the_best_is_meant_if_no_other_file_comes_near(record: Record) -> None:
    far = scored("y.py", score=3.9)
    assert meant(decide(record, scored("x.py"), far)) == "x.py"
    assert isinstance(decide(record, scored("x.py"), scored("y.py", score=4.1)), Abstention)
    weak = scored("y.py", score=4.9, share=0.0)
    assert meant(decide(record, scored("x.py"), weak)) == "x.py"
    assert isinstance(decide(record, scored("x.py"), weak._replace(score=5.1)), Abstention)


def test_an_unjustified_target_ahead_is_a_rival(record: Record) -> None:
    ahead = scored("y.py", score=9.0, share=0.0)
    assert isinstance(decide(record, ahead, scored("x.py")), Abstention)


def test_within_one_file_the_module_is_meant_where_a_declaration_is_hardly_better(record: Record) -> None:
    function = scored("x.py#f", score=6.5)
    assert meant(decide(record, function, scored("x.py", score=6.0))) == "x.py"
    assert meant(decide(record, function, scored("x.py", score=4.0))) == "x.py#f"
    assert meant(decide(record, function, scored("x.py#g", score=6.0))) == "x.py#f"


def test_a_ranker_chooses_no_target_that_words_do_not_justify(record: Record) -> None:
    best, rival = scored("x.py"), scored("y.py", score=5.5)
    assert meant(decide(record, best, rival, ranks=(0.1, 0.2))) == "y.py"
    assert meant(decide(record, best, rival, ranks=(0.2, 0.2))) == "x.py"
    weak = rival._replace(share=0.0)
    assert isinstance(decide(record, best, weak, ranks=(0.1, 0.2)), Abstention)


def test_nothing_is_counted_where_hardly_a_word_is_shared(record: Record) -> None:
    assert decide(record) is None
    assert decide(record, scored(said=(concept("a"),))) is None
    assert isinstance(decide(record, scored(share=0.0)), Abstention)


# --- targets ----------------------------------------------------------------------------------------------


def test_names_are_made_of_telling_words_and_places_of_the_rest(stated: State) -> None:
    def fact(path: str, symbol: str, kind: str = "module_fact", **metadata: Any) -> bytes:
        return stated(
            "ast", kind, f"{kind} {symbol}", path, action="declare", cls="fact", symbol=symbol,
            metadata=metadata,
        )  # fmt: skip

    bodies = [
        fact("src/orders/__init__.py", "orders"),
        fact("src/orders/history.py", "orders.history"),
        fact("src/orders/history.py", "Ledger.list_open_orders", "symbol_fact", symbolKind="method"),
        fact("src/orders/history.py", "LIMIT", "symbol_fact", symbolKind="constant"),
        fact("tests/test_history.py", "tests.test_history"),
        fact("src/x.py", "src.x"),
    ]
    targets = Targets.of(read(bodies).of("ast"))
    names = {one.label: (one.name, one.place) for one in targets.all}
    assert names == {
        "src/orders/__init__.py": (("order",), ()),
        "src/orders/history.py": (("histor",), ("order",)),
        "Ledger.list_open_orders": (("list", "open", "order"), ("histor", "ledg")),
    }
    assert targets.weights["list"] < targets.weights["ledg"], "a word of the trade tells less"
    assert targets.weights["order"] < targets.weights["ledg"], "a word of two files tells less"
    assert {"LIMIT", "list_open_orders"} <= targets.declared
