"""In which language a statement is written: by function words and telling letters, with its document as context."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from t2c.ledger.linking.language.words import LANGUAGES, Language, written

__all__ = ["FUNCTION", "Seen", "dominant", "language_of", "look"]

_MAX_TEXT: Final = 600
"""Characters of a statement that are looked at; a language does not change after them."""


def _words(*lines: str) -> frozenset[str]:
    return frozenset(word for line in lines for word in line.split())


FUNCTION: Final[Mapping[str, frozenset[str]]] = {
    "en": _words(
        "a an and are as at be been by can do does each for from has have if in into is it its may more must no",
        "not of on only or our over should so than that the their them then there these they this to use used",
        "was were when where which while will with without you your add fix remove update after before all any",
        "plus sans son sin era per non ten ale go pod",
    ),
    "pl": _words(
        "a aby albo ale bez być był była było by co czy dla do gdy go ich i ile im innych jak jako je jednak jego",
        "jej jest jeszcze jeśli jeżeli już ją każda każde każdego każdej każdy która które którego której który",
        "którzy lub ma mają mieć może możliwość można musi muszą na nad nie niż nowa nowe nowy o od ona oraz ich",
        "po pod podczas poza powinien powinna powinno powinny przed przez przy również są się tak także tego tej",
        "ten też to tych tylko tym u w wszystkie wszystkich we z za ze że żeby zamiast po według należy wolno",
        "gdzie umożliwić umożliwia umożliwiać raz razy swój swoje swoich swoim teraz zawsze nigdy bardzo jeden jedna",
        "dwa dwóch trzy trzech pięć siedmiu dziesięć każdym wszystkimi móc został została zostały zostało nadal ani",
    ),
    "de": _words(
        "aber alle allen als am an auch auf aus bei beim bis das dass dem den der des die dies diese dieser durch",
        "ein eine einem einen einer eines er es für gegen gibt haben hat ihre im immer in ist jede jeden jeder",
        "jedes kann können kein keine man mehr mit muss müssen nach nicht noch nur ob oder ohne sein seine sich sie",
        "sind soll sollen sollte sondern über um und unter vom von vor war wenn werden wird wie wir wurde wurden",
        "zu zum zur zwischen neue neuer neues nachdem bevor sobald dürfen darf jetzt nun per immer nie sehr schon",
        "eins zwei drei vier fünf zehn lassen lässt unser unsere automatisch vorher",
    ),
    "fr": _words(
        "afin alors après au aucun aucune aussi autre aux avant avec ce cela celle ces cet cette chaque comme dans",
        "de depuis des doit doivent donc du elle en entre est et être faut fait il ils je la le les leur leurs lors",
        "mais même ne nous on ont ou où par pas peut peuvent plus pour qu quand que qui sa sans se sera ses si son",
        "sont sous sur tous tout toute toutes un une vers vous permettre permet lorsque lorsqu nouvelle nouveau",
        "non chez très toujours jamais deux trois quatre cinq dix fois maintenant selon",
    ),
    "es": _words(
        "al algo ante antes así aunque cada como con cual cuando de debe deben del desde después donde dos el él",
        "ella en entre era es esta está están este esto estos fue ha hacer hacia hasta hay la las lo los más",
        "mientras muy ni no nuestro o otra otro para pero poder por porque puede pueden que qué se sea según ser si",
        "sido sin sobre solo son su sus también tiene tienen todo todos un una unas uno unos y ya permitir nueva",
        "nuevo durante ahora siempre nunca dos tres cuatro cinco diez vez veces menos",
    ),
}
_SIGNS: Final[Mapping[str, frozenset[str]]] = {
    "en": FUNCTION["en"],
    "pl": FUNCTION["pl"]
    | _words(
        "dodaj dodać dodano dodanie usuń usunąć usunięto popraw poprawić poprawiono napraw naprawić naprawiono zmień",
        "zmienić zmieniono zaimplementować wdrożyć obsłużyć sprawdzić sprawdź utworzyć zapisać użytkownik użytkownika",
    ),
    "de": FUNCTION["de"]
    | _words(
        "hinzufügen entfernen beheben hinzugefügt behoben entfernt geändert ändern prüfen löschen erstellen anzeigen",
        "benutzer nutzer speichern umsetzen fehler datei",
    ),
    "fr": FUNCTION["fr"]
    | _words(
        "ajouter ajout ajouté corriger correction supprimer créer afficher utilisateur fichier erreur vérifier"
    ),
    "es": FUNCTION["es"]
    | _words(
        "añadir añadido agregar corregir corregido eliminar eliminado crear mostrar usuario archivo guardar"
    ),
}
"""Function words, and the words of change that short statements begin with."""
_ENGLISH: Final = _SIGNS["en"].difference(*(words for language, words in _SIGNS.items() if language != "en"))
_FOREIGN: Final[Mapping[Language, frozenset[str]]] = {
    language: _SIGNS[language] - _SIGNS["en"] for language in LANGUAGES
}
_ANY: Final = frozenset().union(*_FOREIGN.values())
_LETTERS: Final[Mapping[Language, frozenset[str]]] = {
    "pl": frozenset("ąćęłńśźżó"),
    "de": frozenset("äöüß"),
    "fr": frozenset("àâçèéêëîïôœùû"),
    "es": frozenset("ñáéíóú"),
}
_MAX_LETTERED: Final = 2
"""Words with telling letters that count; more may be a list of names."""


class Seen(NamedTuple):
    """How many signs speak for English and for each other language in one text. What two share with English is none."""

    english: int
    foreign: Mapping[Language, int]


def look(text: str) -> Seen:
    """Count the distinct function words of a text, and the words with telling letters. Cheap where it is English.

    A capital within a sentence is a person's or a thing's name as likely as not, so such a word counts for nothing.
    """
    found = written(text[:_MAX_TEXT])
    words = {word for word in found if word[0].islower()}
    words.update(word.lower() for word in found[:1])
    english = len(words & _ENGLISH)
    if text.isascii() and words.isdisjoint(_ANY):
        return Seen(english, {})
    return Seen(english, _counts(words))


def _counts(words: set[str]) -> dict[Language, int]:
    found: dict[Language, int] = {}
    lettered = [frozenset(word) for word in words if not word.isascii()]
    for language in LANGUAGES:
        count = len(words & _FOREIGN[language])
        letters = _LETTERS[language]
        count += min(_MAX_LETTERED, sum(not letters.isdisjoint(word) for word in lettered))
        if count:
            found[language] = count
    return found


def language_of(seen: Seen, context: Language | None = None) -> Language | None:
    """The language of a text, None for English and for what cannot be told.

    At least two signs must speak for it, more than for English and for any other. In a document that is mostly in one
    language one sign is enough, if English has no more.
    """
    ranked = sorted(seen.foreign.items(), key=lambda item: (-item[1], item[0]))
    if not ranked:
        return None
    if context is not None and seen.foreign.get(context, 0) >= max(1, seen.english, ranked[0][1] - 1):
        return context
    best, count = ranked[0]
    rival = ranked[1][1] if len(ranked) > 1 else 0
    return best if count >= 2 and count > seen.english and count > rival else None


def dominant(seen: Iterable[Seen]) -> Language | None:
    """The language of at least half of the statements of one document that by themselves can be told to be in one."""
    told: Counter[Language] = Counter()
    english = 0
    for one in seen:
        language = language_of(one)
        if language is not None:
            told[language] += 1
        elif one.english > max(one.foreign.values(), default=0):
            english += 1
    ranked: list[tuple[int, Language]] = sorted(
        ((count, language) for language, count in told.items()), reverse=True
    )
    return ranked[0][1] if ranked and 2 * ranked[0][0] >= told.total() + english else None
