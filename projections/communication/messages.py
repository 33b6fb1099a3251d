"""The words of issues, in English and Polish: facts and what to do next, never guilt (better-than-todo2code §1.10).

One catalogue for both; a test holds the two languages to each other. No wording enters an id.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, Literal

from t2c.projections.communication.model import Issue, Raised

__all__ = ["ACTIONS", "DETAILS", "LANGUAGES", "Language", "joined", "quoted", "told"]

Language = Literal["en", "pl"]
LANGUAGES: Final[tuple[Language, ...]] = ("en", "pl")
_QUOTE: Final = 120
_EXAMPLES: Final = 3


def quoted(text: str, most: int = _QUOTE) -> str:
    """One line of at most so many characters, the last an ellipsis if there were more."""
    line = " ".join(text[: 4 * most].split())
    return line if len(line) <= most and len(text) <= 4 * most else line[: most - 1] + "…"


def joined(quotes: Iterable[str]) -> str:
    """The first few of some quotes, and a mark where there are more."""
    found = list(quotes)
    return "; ".join(found[:_EXAMPLES]) + ("; …" if len(found) > _EXAMPLES else "")


DETAILS: Final[Mapping[Language, Mapping[str, str]]] = MappingProxyType(
    {
        "en": {
            "identity.nobody": "Who wrote is not said. Statements: {count}, in {files}.",
            "identity.role": "Whether {who} is a person or an agent is not said. Statements: {count}, in {files}.",
            "identity.registry": "The registry does not know who {who} is. Statements: {count}, in {files}.",
            "conflict": "{denier} says {denial}. {other} says {said}.",
            "request.unanswered": "{who} asks {text}. No statement of an agent on this ticket speaks of it.",
            "request.no_agent": "{who} asks {text}. No agent has said anything on this ticket.",
            "decision.unconfirmed": "{who} reports {text}. No statement of a person on this ticket says so.",
            "claim": "Reports of {who} without evidence: {count}.",
            "claim.examples": "{examples}.",
            "claim.unshown": "No commit, test or declaration that is recorded shows it.",
            "claim.no_receipt": "No result and no run of tests is recorded: a claim without receipt.",
            "claim.failed": "Tests recorded as failed: {failed}, for example {first}.",
            "claim.absent": "No record and no commit knows the file: {files}.",
            "claim.own": "The evidence is not independent: only this agent wrote the tests that passed ({files}), and the code with them.",
            "claim.ambiguous": "A name that Git may know it by stands for another participant too, so commits by {names} are nobody's.",
            "work.no_request": "{who} plans or reports work on a ticket without a recorded request ({count}): {examples}.",
            "work.outside": "{who} plans or reports work ({count}) that none of the recorded requests of the ticket ({requests}) covers: {examples}.",
        },
        "pl": {
            "identity.nobody": "Nie podano, kto napisał. Wypowiedzi: {count}, w {files}.",
            "identity.role": "Nie podano, czy {who} to człowiek, czy agent. Wypowiedzi: {count}, w {files}.",
            "identity.registry": "Rejestr nie zna uczestnika {who}. Wypowiedzi: {count}, w {files}.",
            "conflict": "{denier} mówi {denial}. {other} mówi {said}.",
            "request.unanswered": "{who} prosi {text}. Żadna wypowiedź agenta w tym tickecie o tym nie mówi.",
            "request.no_agent": "{who} prosi {text}. Żaden agent nie wypowiedział się w tym tickecie.",
            "decision.unconfirmed": "{who} donosi {text}. Żadna wypowiedź człowieka w tym tickecie tego nie mówi.",
            "claim": "Raporty bez dowodu, {who}: {count}.",
            "claim.examples": "{examples}.",
            "claim.unshown": "Nie pokazuje tego żaden zapisany commit, test ani deklaracja.",
            "claim.no_receipt": "Nie zapisano żadnego wyniku ani przebiegu testów: twierdzenie bez pokwitowania.",
            "claim.failed": "Testy zapisane jako nieudane: {failed}, na przykład {first}.",
            "claim.absent": "Żaden zapis ani commit nie zna pliku: {files}.",
            "claim.own": "Dowód nie jest niezależny: testy, które przeszły ({files}), napisał tylko ten agent, razem z kodem.",
            "claim.ambiguous": "Nazwa, pod którą może go znać Git, oznacza też innego uczestnika, więc commity autora {names} są niczyje.",
            "work.no_request": "{who} planuje pracę lub donosi o niej ({count}) w tickecie bez zapisanego polecenia: {examples}.",
            "work.outside": "{who} planuje pracę lub donosi o niej ({count}), a nie obejmuje jej żadne z zapisanych poleceń ticketu ({requests}): {examples}.",
        },
    }
)
"""Language → message → detail, with the names of what an issue says in braces."""

ACTIONS: Final[Mapping[Language, Mapping[str, str]]] = MappingProxyType(
    {
        "en": {
            "identity.nobody": "Name a participant and the role human or agent in the front matter of the file.",
            "identity.role": "Give the role human or agent in the front matter of the file.",
            "identity.registry": "Give a participant-id of the registry in the front matter, or register the participant.",
            "conflict": "Let a person decide on the ticket which of the two holds.",
            "request.unanswered": "Let an agent answer with a plan, or say why not.",
            "request.no_agent": "Assign an agent, or record that nobody will take it up.",
            "decision.unconfirmed": "Record the decision in the person's own words on the ticket, or correct the report.",
            "claim.unshown.action": "Name the ticket in the commit that did it, cite the commit, or correct the report.",
            "claim.no_receipt.action": "Have the test report recorded (t2c scan reads JUnit, TAP and pytest reports), or correct the report.",
            "claim.failed.action": "Run the tests again and have the result recorded, or correct the report.",
            "claim.absent.action": "Commit the file, or correct the report.",
            "claim.own.action": "Let somebody else check the expected values, or add a test that another hand wrote.",
            "work.no_request": "Record on the ticket what was asked for, or stop the work.",
            "work.outside": "Record a decision that widens the ticket, or leave the work out.",
        },
        "pl": {
            "identity.nobody": "Podaj uczestnika i rolę human albo agent na początku pliku (front matter).",
            "identity.role": "Podaj rolę human albo agent na początku pliku (front matter).",
            "identity.registry": "Podaj na początku pliku participant-id z rejestru albo zarejestruj uczestnika.",
            "conflict": "Niech człowiek rozstrzygnie w tickecie, co obowiązuje.",
            "request.unanswered": "Niech agent odpowie planem albo napisze, dlaczego nie.",
            "request.no_agent": "Przydziel agenta albo zapisz, że nikt się tym nie zajmie.",
            "decision.unconfirmed": "Zapisz decyzję w tickecie własnymi słowami człowieka albo popraw raport.",
            "claim.unshown.action": "Podaj ticket w commicie, który to zrobił, wskaż commit albo popraw raport.",
            "claim.no_receipt.action": "Zapisz raport z testów (t2c scan czyta raporty JUnit, TAP i pytest) albo popraw raport.",
            "claim.failed.action": "Uruchom testy ponownie i zapisz wynik albo popraw raport.",
            "claim.absent.action": "Dodaj plik w commicie albo popraw raport.",
            "claim.own.action": "Niech ktoś inny sprawdzi oczekiwane wartości albo dodaj test napisany inną ręką.",
            "work.no_request": "Zapisz w tickecie, o co poproszono, albo wstrzymaj pracę.",
            "work.outside": "Zapisz decyzję, która rozszerza ticket, albo zostaw tę pracę.",
        },
    }
)
"""Language → message → what to do next."""


def told(raised: Raised, language: Language = "en") -> Issue:
    """An issue in words."""
    details, actions = DETAILS[language], ACTIONS[language]
    first = "claim" if raised.parts else raised.message
    sentences = [details[first].format_map(raised.said)]
    sentences.extend(details[name].format_map(said) for name, said in raised.parts)
    return Issue(
        raised.id,
        raised.code,
        raised.severity,
        raised.ticket,
        tuple(sorted(set(raised.participants))),
        tuple(sorted(set(raised.records))),
        raised.role,
        tuple(sorted(set(raised.respondents))),
        " ".join(sentences),
        actions[raised.message],
    )
