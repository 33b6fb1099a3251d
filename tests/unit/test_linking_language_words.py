"""Words of four languages come down to stems, stems to English terms, and kindred words are known as such."""

from __future__ import annotations

from collections import Counter
from importlib.resources import files

import pytest

from t2c.ledger.linking.language import lexicon as module
from t2c.ledger.linking.language.cognates import Cognates
from t2c.ledger.linking.language.lexicon import by_words, content, lexicon
from t2c.ledger.linking.language.words import (
    LANGUAGES,
    Language,
    english,
    fold,
    parts,
    quoted_names,
    reduced,
    spoken,
    stem,
)

LINES = [
    line
    for line in (files(module.__package__) / "lexicon.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]


def test_prose_gives_its_words_and_code_in_it_its_names() -> None:
    text = "L'identité du `UserRole` (voir https://example.org/abc) — Authentifizierungs-Token"
    assert spoken(text) == ["identité", "du", "voir", "authentifizierungs", "token"]
    assert [parts(name) for name in quoted_names(text)] == [("user", "role")]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("retryBackoff_v2", ("retry", "backoff")),
        ("HTTPServer", ("http", "server")),
        ("order-history.ts", ("order", "history", "ts")),
        ("SCREAMING_CASE", ("screaming", "case")),
        ("x", ()),
    ],
)
def test_identifiers_are_parted(name: str, words: tuple[str, ...]) -> None:
    assert parts(name) == words


def test_accents_are_folded() -> None:
    assert [fold(word) for word in ("łódź", "größe", "cœur", "año", "plain")] == [
        "lodz", "grosse", "coeur", "ano", "plain",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("language", "forms"),
    [
        ("pl", "eksport eksportu eksportować eksportowanie eksportuje eksportowany"),
        ("pl", "synchronizacja synchronizować synchronizuje"),
        ("pl", "kolejka kolejki kolejce kolejek"),
        ("pl", "użytkownik użytkownicy użytkowników"),
        ("de", "löschen löschung gelöscht löscht"),
        ("de", "exportieren export exportiert"),
        ("fr", "exporter exportation exporté exportés"),
        ("es", "exportar exportación exportado"),
    ],
)
def test_forms_of_one_word_have_one_root(language: Language, forms: str) -> None:
    assert len({reduced(stem(form, language), language) for form in forms.split()}) == 1


@pytest.mark.parametrize(
    "forms",
    [
        "validate validator validation",
        "expiry expired",
        "scan scanner scanning",
        "retry retries",
        "parse parser",
    ],
)
def test_forms_of_an_english_term_have_one_key(forms: str) -> None:
    assert len({english(form) for form in forms.split()}) == 1


def test_different_english_terms_keep_apart() -> None:
    words = [
        "order",
        "invoice",
        "export",
        "user",
        "role",
        "author",
        "authorize",
        "server",
        "service",
        "factor",
        "factory",
        "state",
        "status",
    ]
    assert Counter(english(word) for word in words)[english("order")] == 1
    assert english("user") != english("use")
    assert english("author") != english("auth")


# --- the lexicon ------------------------------------------------------------------------------------------


def test_each_line_has_a_concept_in_five_languages() -> None:
    for line in LINES:
        columns = line.removeprefix("~").removeprefix("+").split("|")
        assert len(columns) == 5, line
        assert all(column.split() for column in columns), line
        assert columns[0].isascii(), line
    assert len(set(LINES)) == len(LINES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_lexicon_of_each_language_is_of_use(language: Language) -> None:
    assert len(lexicon(language).roots) >= 400


@pytest.mark.parametrize(
    ("language", "word", "term"),
    [
        ("pl", "faktur", "invoice"),
        ("pl", "użytkownikom", "user"),
        ("pl", "uzytkownik", "user"),  # typed without accents
        ("pl", "haseł", "password"),
        ("pl", "usunięto", "delete"),
        ("de", "gelöschte", "delete"),
        ("de", "passwörter", "password"),
        ("de", "geladen", "load"),
        ("fr", "commandes", "order"),
        ("fr", "supprimés", "delete"),
        ("es", "contraseñas", "password"),
        ("es", "eliminado", "delete"),
    ],
)
def test_inflected_words_are_known(language: Language, word: str, term: str) -> None:
    assert english(term) in lexicon(language).terms(word)


@pytest.mark.parametrize(
    ("language", "word", "right", "false_friend"),
    [
        ("pl", "data", "date", "data"),
        ("pl", "fabryka", "factory", "fabric"),
        ("pl", "aktualny", "current", "actual"),
        ("fr", "file", "queue", "file"),
        ("fr", "librairie", "bookstore", "library"),
        ("fr", "location", "rental", "location"),
        ("es", "carpeta", "folder", "carpet"),
        ("es", "actual", "current", "actual"),
        ("de", "aktuell", "current", "actual"),
    ],
)
def test_false_friends_are_no_friends(language: Language, word: str, right: str, false_friend: str) -> None:
    terms = lexicon(language).terms(word)
    assert english(right) in terms
    assert english(false_friend) not in terms


def test_words_that_differ_by_an_accent_keep_apart() -> None:
    assert english("task") in lexicon("pl").terms("zadania")
    assert english("request") not in lexicon("pl").terms("zadania")
    assert english("request") in lexicon("pl").terms("żądania")


def test_phrases_are_known_with_and_without_their_small_words() -> None:
    assert english("timeout") in lexicon("pl").phrase("limitu", "czasu")
    assert english("backup") in lexicon("es").phrase("copias", "seguridad")
    assert not lexicon("pl").phrase("czasu", "limitu")


def test_german_compounds_are_parted_at_a_known_word() -> None:
    german = lexicon("de")
    assert ("rechnungs", "nummer") in set(german.compound("rechnungsnummer")) or (
        "rechnung", "nummer",
    ) in set(german.compound("rechnungsnummer"))  # fmt: skip
    assert not list(lexicon("fr").compound("rechnungsnummer"))


def test_short_texts_are_told_by_their_words() -> None:
    assert by_words("Eksport faktur", ["pl"]) == "pl"
    assert by_words("Invoice export", ["pl", "de", "fr", "es"]) is None
    assert by_words("Benutzerverwaltung Passwort Konto", ["de", "pl"]) == "de"
    assert by_words("Faktury", ["pl"]) is None
    assert by_words("Faktury", ["pl"], "pl") == "pl"


def test_function_words_are_no_content() -> None:
    assert content(spoken("Der Benutzer muss das Passwort und das Konto sehen"), "de") == [
        "benutzer", "passwort", "konto", "sehen",
    ]  # fmt: skip


# --- kindred words ----------------------------------------------------------------------------------------

CODE = [
    "authorization",
    "synchronize",
    "validation",
    "telemetry",
    "identifier",
    "certificate",
    "calendar",
    "archive",
    "catalog",
]


@pytest.mark.parametrize(
    ("language", "word", "found"),
    [
        ("pl", "autoryzacja", "authorization"),
        ("pl", "synchronizować", "synchronize"),
        ("pl", "walidacji", "validation"),
        ("pl", "identyfikator", "identifier"),
        ("de", "autorisierung", "authorization"),
        ("de", "zertifikat", "certificate"),
        ("de", "archiv", "archive"),
        ("fr", "télémétrie", "telemetry"),
        ("es", "sincronización", "synchronize"),
        ("es", "identificador", "identifier"),
    ],
)
def test_kindred_words_are_found(language: Language, word: str, found: str) -> None:
    assert Cognates.of(CODE).find(word, language) == found


@pytest.mark.parametrize(
    ("language", "word"), [("pl", "drzwi"), ("de", "wetter"), ("fr", "arbre"), ("es", "cal")]
)
def test_other_words_are_not(language: Language, word: str) -> None:
    assert Cognates.of(CODE).find(word, language) is None


def test_kindred_words_do_not_depend_on_the_order_of_names() -> None:
    one, other = Cognates.of(CODE), Cognates.of(reversed(CODE))
    assert one == other
