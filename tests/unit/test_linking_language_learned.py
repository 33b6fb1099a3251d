"""What a repository translates is learned from company that is no accident, and says who shows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from t2c.ledger.kernel.ids import RecordId
from t2c.ledger.linking.features import read
from t2c.ledger.linking.language.learned import MAX_BAG, MIN_SUPPORT, Bags, learn, likelihood
from t2c.ledger.linking.language.parallel import pairs
from t2c.ledger.linking.language.translated import foreign
from t2c.ledger.linking.language.words import english

State = Callable[..., bytes]


def bags(*pairs: tuple[str, str], prefix: str = "INT-DOC-") -> list[Bags]:
    return [
        Bags("pl", frozenset(foreign.split()), frozenset(english.split()), RecordId(f"{prefix}{at}"))
        for at, (foreign, english) in enumerate(pairs)
    ]


OTHERS = [(f"x{at} y{at}", f"p{at} q{at}") for at in range(8)]


def test_likelihood_is_dunnings() -> None:
    # 2 * (10 ln 10 + 90 ln(10/9)): of 100 pairs ten have both, and none has one alone.
    assert likelihood(10, 10, 10, 100) == pytest.approx(65.0166, abs=1e-3)
    assert likelihood(1, 10, 10, 100) == 0.0
    assert likelihood(0, 5, 5, 100) == 0.0
    assert likelihood(2, 2, 2, 50) > likelihood(2, 4, 4, 50)


def test_company_seen_twice_is_an_entry_with_the_first_record_that_shows_it() -> None:
    found = learn(bags(("kartotek zmian", "dossier change"), ("kartotek druk", "dossier print"), *OTHERS))
    (entry,) = found.terms("kartotek", "pl")
    assert (entry.key, entry.support, entry.shown_by) == ("dossier", 2, "INT-DOC-0")
    assert not found.terms("zmian", "pl"), "seen once"
    assert not found.terms("kartotek", "de")


def test_company_seen_once_is_none() -> None:
    assert MIN_SUPPORT == 2
    found = learn(bags(("kartotek", "dossier"), *OTHERS))
    assert not found.entries


def test_the_same_text_again_counts_once() -> None:
    once = bags(("kartotek", "dossier"), prefix="INT-DOC-A")
    again = bags(("kartotek", "dossier"), prefix="INT-DOC-B")
    assert not learn([*once, *again, *bags(*OTHERS)]).entries


def test_a_word_that_is_everywhere_is_the_company_of_none() -> None:
    everywhere = [(f"system {foreign}", f"app {english}") for foreign, english in (*OTHERS, ("a b", "c d"))]
    assert not learn(bags(*everywhere)).terms("system", "pl")


def test_a_long_text_is_no_translation() -> None:
    long = " ".join(f"w{at}" for at in range(MAX_BAG + 1))
    found = learn(bags((f"kartotek {long}", "dossier a"), (f"kartotek {long} z", "dossier b"), *OTHERS))
    assert not found.entries


def test_what_is_learned_does_not_depend_on_the_order() -> None:
    shown = bags(("kartotek zmian", "dossier change"), ("kartotek druk", "dossier print"), *OTHERS)
    mirrored = [one._replace(shown_by=RecordId(f"INT-AST-{at}")) for at, one in enumerate(shown)]
    both = [*shown, *mirrored]
    assert learn(both) == learn(reversed(both))
    assert learn(both).terms("kartotek", "pl")[0].shown_by == "INT-AST-0"


# --- where pairs come from --------------------------------------------------------------------------------


def shown_by(*bodies: bytes) -> list[tuple[str, set[str], set[str]]]:
    corpus = read(bodies)
    found = pairs(corpus, foreign(corpus))
    return sorted((one.language, set(one.foreign), set(one.english)) for one in found)


def test_a_docstring_and_the_name_that_it_documents(stated: State) -> None:
    def fact(doc: str) -> bytes:
        return stated(
            "ast", "symbol_fact", "function", "rent/files.py", action="declare", cls="fact",
            symbol="Archive.print_dossier", metadata={"docstring": doc, "symbolKind": "method"},
        )  # fmt: skip

    ((language, foreign_stems, terms),) = shown_by(fact("Drukuje kartotekę, która jest kompletna."))
    assert language == "pl"
    assert "kartotek" in foreign_stems
    assert terms == {english("print"), english("dossier")}
    assert shown_by(fact("Prints the dossier that is complete.")) == []


def test_two_statements_under_one_number(stated: State) -> None:
    ours = stated(
        "changelog",
        "changelog_entry",
        "Print the dossier of a tenant (#47)",
        "CHANGELOG.md",
        tickets=("#47",),
    )
    theirs = stated(
        "todo",
        "todo_item",
        "Wydruk kartoteki, która jest kompletna #47",
        "TODO.md",
        cls="plan",
        tickets=("#47",),
    )
    ((language, foreign_stems, terms),) = shown_by(ours, theirs)
    assert language == "pl"
    assert "kartotek" in foreign_stems
    assert english("dossier") in terms
    third = stated("changelog", "changelog_entry", "Also the cellar (#47)", "CHANGELOG.md", tickets=("#47",))
    assert shown_by(ours, theirs, third) == [], "which of the two is meant cannot be told"


def test_a_document_and_its_translation_where_they_name_the_same_code(stated: State) -> None:
    def page(text: str, path: str, heading: str, symbol: str = "print_all") -> bytes:
        return stated(
            "document", "documentation_statement", text, path, symbols=(symbol,),
            metadata={"headingPath": [heading]},
        )  # fmt: skip

    here = page("Prints every dossier with `print_all`.", "docs/en/use.md", "Dossiers")
    there = page("Każda kartoteka jest drukowana przez `print_all`.", "docs/pl/use.md", "Kartoteki")
    found = shown_by(here, there)
    assert [language for language, _, _ in found] == ["pl", "pl"]
    assert ("pl", {"kartotek"}, {english("dossiers")}) in found, "the headings above"
    elsewhere = page("Każda kartoteka jest drukowana przez `print_all`.", "docs/pl/other.md", "Kartoteki")
    assert shown_by(here, elsewhere) == []
    other = page(
        "Każda kartoteka jest drukowana przez `print_one`.", "docs/pl/use.md", "Kartoteki", "print_one"
    )
    assert shown_by(here, other) == []


def test_metadata_of_another_kind_is_passed_over(stated: State) -> None:
    odd: dict[str, Any] = {"docstring": 7, "headingPath": "no list"}
    assert (
        shown_by(stated("ast", "symbol_fact", "x", "a.py", action="declare", symbol="a", metadata=odd)) == []
    )
