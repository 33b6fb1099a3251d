"""The language of a statement is told by itself and its document; English and names of people are not taken for it."""

from __future__ import annotations

import pytest

from t2c.ledger.linking.language.detect import dominant, language_of, look
from t2c.ledger.linking.language.words import Language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Kolejka powinna ponawiać nieudane próby z opóźnieniem", "pl"),
        ("Dokumentacja opisuje, jak uruchomić serwer", "pl"),
        ("Die Rechnung wird nach dem Versand gelöscht", "de"),
        ("Le registre doit vérifier l'identité de chaque participant", "fr"),
        ("El carrito de compra conserva los artículos durante treinta días", "es"),
        ("Los datos se guardan en una copia", "es"),
    ],
)
def test_sentences_are_told(text: str, language: Language) -> None:
    assert language_of(look(text)) == language


@pytest.mark.parametrize(
    "text",
    [
        "The queue must retry failed attempts with a delay",
        "Add a button on the page, so that no user has to do it in vain",
        "Fix: Incorrect object-property-newline behavior (Rafał Ruciński)",
        "Docs: clarification in no-unused-vars (Jan Schär)",
        "feat: convert unsafe autofixes in no-implicit-coercion (Gürgün Dayıoğlu)",
        "Move custom formatters to the API (Percy Ma)",
        "Upgrade: table to version 5 (Rouven Weßling)",
        "Use `für`, `und` and `może` as words",
        "naïve café über-fast",
        "1.2.3",
        "",
        "日本語の説明",
    ],
)
def test_english_and_what_cannot_be_told_is_no_other_language(text: str) -> None:
    assert language_of(look(text)) is None


def test_the_document_decides_where_a_statement_says_little() -> None:
    short = look("Usuwanie kont oraz danych")
    assert language_of(short) is None
    assert language_of(short, "pl") == "pl"
    assert language_of(look("Deleting the accounts and passwords"), "pl") is None
    assert language_of(look("Die Rechnung wird nach dem Versand gelöscht"), "pl") == "de"
    assert language_of(look("2024"), "pl") is None


def test_a_document_is_in_the_language_of_half_of_its_statements() -> None:
    polish = look("Kolejka powinna ponawiać nieudane próby z opóźnieniem")
    english = look("The queue must retry failed attempts with a delay")
    nothing = look("1.2.3")
    assert dominant([polish, english, nothing, nothing]) == "pl"
    assert dominant([polish, english, english]) is None
    assert dominant([nothing]) is None
    assert dominant([]) is None
