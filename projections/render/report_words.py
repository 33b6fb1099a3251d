"""The words of a report, in English and Polish; a test holds the two languages to each other."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

__all__ = ["ACTIONS", "WORDS"]

_ENGLISH: Final = {
    "title": "What is asked, what is there, what differs",
    "as_of": "As of {ts}, commit {revision}; {records} records.",
    "no_commit": "As of {ts}, no commit; {records} records.",
    "short": "In short: {open} tasks are open; of {done} said to be done, {shown} are borne out by something recorded. Findings: {told}.",
    "short.no_tasks": "In short: no task list was read. Findings: {told}.",
    "short.none": "none",
    "concluded": "What follows, in the words of {model}",
    "concluded.claim": "A model's reading of the findings below: it cites them, and decides nothing.",
    "concluded.abstained": "Conclusions left out because something in them has no ground: {count}.",
    "asked": "What is asked, and by whom",
    "asked.none": "Nothing that was read asks for anything: no open task, no request, no requirement.",
    "asked.place": "{name}: {open} open, {done} done",
    "asked.comments": "comments in the code: {open} open",
    "asked.person": "{name} asks for {open} things",
    "asked.agent": "{name} (an agent) plans {open} things",
    "asked.given": "{name} (given by the caller): {open} open, {done} done",
    "asked.shown": ", {shown} of these with evidence",
    "asked.left": "… and {count} more places that ask for something",
    "there": "What is really there",
    "there.code": "{files} files of code and {test_files} of tests; {public} public symbols, {tests} tests.",
    "there.no_code": "No code was read.",
    "there.largest": "Most of what is public stands in {folders}.",
    "there.results": "Results of tests that were read: {share} passed.",
    "there.no_results": "No results of tests were read, so nothing here is known to work (t2c scan reads JUnit reports).",
    "there.plans": "Plans that something recorded bears out: {share}.",
    "there.claims": "Changelog entries that something recorded bears out: {share}.",
    "changes": "What changed since {since}",
    "changes.until": "What changed since {since}, with {until}, the newest release",
    "changes.all": "What changed",
    "changes.none": "No commit was read.",
    "changes.counts": "{commits} commits by {authors} authors; {bound} of them relate to a plan, a claim or a document.",
    "changes.action": "{action}: {commits}",
    "changes.newest": ", for example",
    "changes.folders": "Most commits touch {folders}.",
    "changes.unreleased": "The changelog tells of {count} changes that are not released.",
    "differs": "What does not fit, the gravest first",
    "differs.none": "Nothing was found that does not fit.",
    "differs.suppressed": "Findings that somebody suppressed, and that are not told here: {count}.",
    "differs.many": "{findings} of this kind, of {causes} causes, among them:",
    "differs.left": "… and {count} more kinds: t2c diagnose --all",
    "next": "What to do next",
    "next.many": "{action} ({findings} findings; all: t2c diagnose --code {code} --all)",
    "next.results": "Have the results of the tests recorded: run them with a JUnit report and scan again.",
    "next.none": "Nothing is asked of anybody. That is no proof that all is done: only what was read is judged.",
    "blocking": "blocking", "review_required": "review required", "warning": "warning", "info": "info",
    "no_data": "no data",
}  # fmt: skip

_POLISH: Final = {
    "title": "Czego się chce, co jest i co się nie zgadza",
    "as_of": "Stan na {ts}, commit {revision}; rekordów: {records}.",
    "no_commit": "Stan na {ts}, bez commita; rekordów: {records}.",
    "short": "W skrócie: otwarte zadania: {open}; uznane za zrobione: {done}, z tego potwierdzone: {shown}. Ustalenia: {told}.",
    "short.no_tasks": "W skrócie: nie odczytano żadnej listy zadań. Ustalenia: {told}.",
    "short.none": "brak",
    "concluded": "Co z tego wynika, słowami modelu {model}",
    "concluded.claim": "To, jak model czyta ustalenia poniżej: cytuje je i o niczym nie rozstrzyga.",
    "concluded.abstained": "Wnioski pominięte, bo coś w nich nie ma podstawy: {count}.",
    "asked": "Czego się chce i kto chce",
    "asked.none": "Nic z tego, co odczytano, o nic nie prosi: nie ma otwartego zadania, prośby ani wymagania.",
    "asked.place": "{name}: otwarte {open}, zrobione {done}",
    "asked.comments": "komentarze w kodzie: otwarte {open}",
    "asked.person": "{name} prosi o rzeczy: {open}",
    "asked.agent": "{name} (agent) planuje rzeczy: {open}",
    "asked.given": "{name} (podane przez wywołującego): otwarte {open}, zrobione {done}",
    "asked.shown": ", z tego z dowodem {shown}",
    "asked.left": "… oraz kolejne miejsca, które o coś proszą: {count}",
    "there": "Co naprawdę jest",
    "there.code": "Pliki z kodem: {files}, z testami: {test_files}; symbole publiczne: {public}, testy: {tests}.",
    "there.no_code": "Nie odczytano żadnego kodu.",
    "there.largest": "Najwięcej tego, co publiczne, stoi w {folders}.",
    "there.results": "Odczytane wyniki testów: przeszło {share}.",
    "there.no_results": "Nie odczytano wyników testów, więc o niczym nie wiadomo, że działa (t2c scan czyta raporty JUnit).",
    "there.plans": "Plany, które coś zapisanego potwierdza: {share}.",
    "there.claims": "Wpisy changelogu, które coś zapisanego potwierdza: {share}.",
    "changes": "Co się zmieniło od {since}",
    "changes.until": "Co się zmieniło od {since}, wraz z {until}, najnowszym wydaniem",
    "changes.all": "Co się zmieniło",
    "changes.none": "Nie odczytano żadnego commita.",
    "changes.counts": "Commity: {commits}, autorzy: {authors}; z planem, twierdzeniem lub dokumentem łączy się {bound}.",
    "changes.action": "{action}: {commits}",
    "changes.newest": ", na przykład",
    "changes.folders": "Najwięcej commitów dotyka {folders}.",
    "changes.unreleased": "Changelog mówi o zmianach jeszcze niewydanych: {count}.",
    "differs": "Co się nie zgadza, od najpoważniejszego",
    "differs.none": "Nie znaleziono niczego, co by się nie zgadzało.",
    "differs.suppressed": "Ustalenia, które ktoś wyciszył i których tu nie ma: {count}.",
    "differs.many": "tego rodzaju: {findings}, przyczyny: {causes}, między innymi:",
    "differs.left": "… oraz kolejne rodzaje: {count} (t2c diagnose --all)",
    "next": "Co zrobić teraz",
    "next.many": "{action} (ustalenia: {findings}; wszystkie: t2c diagnose --code {code} --all)",
    "next.results": "Zapisz wyniki testów: uruchom je z raportem JUnit i przeskanuj jeszcze raz.",
    "next.none": "Od nikogo niczego się nie chce. To nie dowód, że wszystko zrobiono: ocenia się tylko to, co odczytano.",
    "blocking": "blokujące", "review_required": "do sprawdzenia", "warning": "ostrzeżenia", "info": "informacje",
    "no_data": "brak danych",
}  # fmt: skip

WORDS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType({"en": _ENGLISH, "pl": _POLISH})
"""Language → message → its sentence."""

ACTIONS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "en": {
            "add": "additions", "fix": "fixes", "remove": "removals", "refactor": "refactorings", "test": "tests",
            "document": "documentation", "configure": "configuration", "change": "other changes",
            "release": "releases", "unknown": "not said what kind",
        },
        "pl": {
            "add": "dodane", "fix": "poprawki", "remove": "usunięcia", "refactor": "refaktoryzacje", "test": "testy",
            "document": "dokumentacja", "configure": "konfiguracja", "change": "inne zmiany",
            "release": "wydania", "unknown": "nie powiedziano, jakie",
        },
    }
)  # fmt: skip
"""Language → action of a commit → what many of them are called; others are called by their name."""
