"""Ustalenia po polsku: message → title, detail, suggested action."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

__all__ = ["POLISH"]

_TITLES: Final = {
    "PARTICIPANT_IDENTITY_UNRESOLVED": "Nie wiadomo, kto to napisał",
    "HUMAN_COMMUNICATION_CONFLICT": "Dwie osoby proszą o rzeczy przeciwne",
    "AGENT_COMMUNICATION_CONFLICT": "Dwaj agenci mówią rzeczy przeciwne",
    "HUMAN_AGENT_CONFLICT": "Osoba i agent mówią rzeczy przeciwne",
    "REQUEST_WITHOUT_AGENT_RESPONSE": "Żaden agent nie odpowiedział na prośbę",
    "AGENT_HUMAN_DECISION_CLAIM_UNCONFIRMED": "Agent podaje decyzję, której nikt nie zapisał",
    "AGENT_CLAIM_WITHOUT_EVIDENCE": "Nic zapisanego nie pokazuje tego, co zgłasza agent",
    "AGENT_WORK_OUTSIDE_REQUEST": "Żadna prośba nie obejmuje pracy agenta",
}

POLISH: Final[Mapping[str, tuple[str, str, str]]] = MappingProxyType(
    {
        "planned.nothing": (
            "Zaplanowane i nic nie pokazuje wykonania: {text}",
            "Plan stoi w {at}. Nie wiąże się z nim żaden commit, kod ani test.",
            "Wykonaj to albo podaj ticket, numer lub symbol w commicie, który to wykonał, albo odhacz.",
        ),
        "planned.parts": (
            "Zaplanowane i nic nie pokazuje wykonania: {text}",
            "Plan stoi w {at}. Nie wiąże się z nim ani z jego podzadaniami (liczba: {parts}) żaden commit, kod ani test.",
            "Wykonaj to albo podaj ticket, numer lub symbol w commicie, który to wykonał, albo odhacz.",
        ),
        "planned.located": (
            "Zaplanowane i nic nowszego nie pokazuje wykonania: {text}",
            "Plan stoi w {at} i nazywa to, co już było: {found}. Po nim nie pojawiło się nic, co się liczy.",
            "Wykonaj to albo podaj ticket, numer lub symbol w commicie, który to wykonał.",
        ),
        "planned.claimed": (
            "Zaplanowane, a wykonanie tylko deklarowane: {text}",
            "Plan stoi w {at}. To, co jest z nim związane, nie pokazuje wykonania: {found}.",
            "Wskaż commit albo test, który to pokazuje, lub zostaw plan otwarty.",
        ),
        "planned.comments": (
            "Komentarze w {path} nadal proszą o zmiany: {count}",
            "Na przykład {first}.",
            "Wykonaj je, przenieś do listy zadań albo usuń nieaktualne komentarze.",
        ),
        "done.reverted": (
            "Podane jako wykonane, a commit został wycofany: {text}",
            "{at} podaje wykonanie. To, co je niosło, już nie obowiązuje: {found}.",
            "Otwórz plan ponownie albo wskaż commit, który przywrócił zmianę.",
        ),
        "done.documentation": (
            "Podane jako wykonane, a zmieniła się tylko dokumentacja: {text}",
            "{at} podaje wykonanie. Związane commity zmieniły wyłącznie dokumentację: {found}.",
            "Wskaż commit, który zmienił kod, albo otwórz plan ponownie.",
        ),
        "done.nothing": (
            "Odhaczone, a to, co nazywa, się nie zmieniło: {text}",
            "{at} podaje wykonanie, a dnia {since} było otwarte. Nic, co nazywa, nie zmieniło się po zaplanowaniu.",
            "Wskaż commit, który to wykonał, albo otwórz plan ponownie.",
        ),
        "done.ticked": (
            "Odhaczone, a nic zapisanego nie pokazuje pracy: {text}",
            "{at} podaje wykonanie, a dnia {since} było otwarte. Żaden z późniejszych commitów ({commits}) tego nie wykonuje, nie zmienił kodu razem z listą ani nie ma z tym wspólnych znaczących słów.",
            "Zapisz pracę w commicie i nazwij w nim zadanie albo otwórz plan ponownie.",
        ),
        "done.absent": (
            "Podano wykonanie, a tego, co nazywa, nigdy nie było: {text}",
            "{at} podaje wykonanie. Ani pliki, ani żaden commit całej historii nie zawiera: {names}.",
            "Nazwij to, co powstało zamiast tego, albo otwórz plan ponownie.",
        ),
        "drift": (
            "Ostatnie commity ({commits}) nie dotykają niczego, o czym mówią otwarte plany",
            "Otwarte plany (liczba: {plans}) nazywają kod w plikach (liczba: {targets}); żaden z ostatnich commitów zmieniających kod (liczba: {commits}) nie dotyka żadnego z nich ani nie wskazuje planu.",
            "Zamknij lub odłóż plany, które już nie obowiązują, albo zaplanuj to, co jest robione.",
        ),
        "changelog.unexplained": (
            "Żaden commit wydania {version} nie wyjaśnia wpisu: {text}",
            "{at}. Żaden z commitów wydania (liczba: {commits}) nie ma z wpisem wspólnego numeru, nazwy, ścieżki, rzadkiego słowa ani dwóch znaczących.",
            "Podaj we wpisie commit lub pull request albo popraw wpis.",
        ),
        "changelog.unheard": (
            "Wydanie {version} o tym mówi, a nic innego o tym nie wspomina: {text}",
            "{at}. Żaden z {commits} commitów całej historii ani nic w kodzie nie ma z tym wspólnego numeru, nazwy, ścieżki ani dwóch znaczących słów.",
            "Wskaż we wpisie commit lub pull request albo popraw wpis.",
        ),
        "unplanned": (
            "Publiczne symbole w {place} zmienione bez planu (liczba: {count})",
            "Od czasu pierwszych planów zmieniło się {count} z {of} publicznych symboli w {place}, a żaden plan nie sięga ich plików: {first}.",
            "Powiąż pracę z zadaniem albo zapisz, dlaczego nie jest potrzebne.",
        ),
        "unplanned.rest": (
            "Dalsze publiczne symbole zmienione bez planu (liczba: {count}, katalogów: {folders})",
            "Między innymi {first}.",
            "Powiąż pracę z zadaniem albo zapisz, dlaczego nie jest potrzebne.",
        ),
        "undocumented": (
            "Publiczne symbole w {place} nigdzie nieopisane (liczba: {count})",
            "{count} z {of} publicznych symboli w {place} nie ma własnego opisu i nie nazywa ich żaden dokument ani changelog: {first}.",
            "Opisz te, których potrzebują użytkownicy, a pozostałe ukryj.",
        ),
        "undocumented.rest": (
            "Dalsze publiczne symbole nigdzie nieopisane (liczba: {count}, katalogów: {folders})",
            "Między innymi {first}.",
            "Opisz te, których potrzebują użytkownicy, a pozostałe ukryj.",
        ),
        "stale.path": (
            "{document} nazywa plik, którego nie ma: {name}",
            "{at}: „{text}”. Plik {name} usunięto dnia {when} (commit {commit}).",
            "Popraw tekst albo nazwij plik, który go zastąpił.",
        ),
        "stale.renamed": (
            "{document} nazywa plik dawną nazwą: {name}",
            "{at}: „{text}”. Dnia {when} plik {name} stał się {became} (commit {commit}).",
            "Nazwij zamiast tego {became}.",
        ),
        "stale.link": (
            "{document} odsyła do pliku, którego nie ma: {name}",
            "{at}: “{text}”. {name} usunięto {when} (commit {commit}).",
            "Usuń odsyłacz albo skieruj go do tego, co zajęło miejsce pliku.",
        ),
        "stale.link.renamed": (
            "{document} odsyła do pliku pod dawną nazwą: {name}",
            "{at}: “{text}”. {name} to od {when} {became} (commit {commit}).",
            "Skieruj odsyłacz do {became}.",
        ),
        "stale.name": (
            "{document} nazywa `{name}`, czego nic już nie deklaruje",
            "{at}: „{text}”. Kod deklarował `{name}`; ostatni dotykający go commit to {commit} z dnia {when}.",
            "Nazwij to, co go zastąpiło, albo usuń ten fragment.",
        ),
        "regression.failing": (
            "Test, który przechodził, nie przechodzi: {test}",
            "`{test}` przeszedł w przebiegu z {since}, a w przebiegu z {failed} nie przeszedł: {at}.",
            "Sprawdź, co się zmieniło między tymi przebiegami, napraw i wczytaj następny raport.",
        ),
        "regression.undated": (
            "Test, który przechodził, nie przechodzi: {test}",
            "`{test}` przeszedł według raportu bez czasu przebiegu, wczytanego dnia {since}; {at} podaje niepowodzenie.",
            "Sprawdź, co się od tego czasu zmieniło, napraw i wczytaj następny raport.",
        ),
        "regression.untested": (
            "Żaden test nie sprawdza już symboli z {path} (liczba: {count})",
            "Testy sprawdzały je do dnia {since}: {first}.",
            "Przywróć testy albo zapisz, dlaczego nie są potrzebne.",
        ),
        "regression.unshown": (
            "Nie ma już tego, co to wykonało: {text}",
            "{at}. Commit był z tym związany do dnia {since}; nie zostało nic, co się liczy.",
            "Sprawdź, czy zmianę wycofano lub przepisano historię, i w razie potrzeby otwórz plan ponownie.",
        ),
        "regression.reverted": (
            "Wycofano to, co to wykonało: {text}",
            "{at}. Związane commity zostały wycofane: {found}.",
            "Zaplanuj zmianę na nowo albo usuń to stwierdzenie.",
        ),
        "conflict.statements": (
            "Dwa stwierdzenia przeczą sobie: {one}",
            "{one_at}: „{one}”. {other_at}: „{other}”.",
            "Zdecyduj, które obowiązuje, i zmień drugie.",
        ),
        "conflict.code": (
            "Kod robi to, czego stwierdzenie zabrania: {one}",
            "{one_at}: „{one}”. {other_at}: „{other}”.",
            "Zmień kod albo wycofaj zakaz.",
        ),
        "duplicated": (
            "Otwarte plany mówią to samo (liczba: {count}): {text}",
            "Stoją w {places}.",
            "Zostaw jeden i odwołuj się do niego z pozostałych.",
        ),
        "ambiguous.fields": (
            "Zadanie zostawia coś otwartego: {text}",
            "{at}. Nie powiedziano: {missing}.",
            "Uzupełnij: {missing}.",
        ),
        "ambiguous.names": (
            "Zadanie nazywa to, co deklaruje kilka plików: {text}",
            "{at}. Zadeklarowane więcej niż raz: {names}.",
            "Podaj także plik: {names}.",
        ),
        "ambiguous.both": (
            "Zadanie zostawia coś otwartego i nazywa to, co deklaruje kilka plików: {text}",
            "{at}. Nie powiedziano: {missing}. Zadeklarowane więcej niż raz: {names}.",
            "Uzupełnij ({missing}) i podaj pliki ({names}).",
        ),
        "uncertain": (
            "Stwierdzenia w {place} odczytane z małą pewnością (liczba: {count})",
            "Rodzaj źródła: {kind}. Na przykład {first}.",
            "Napisz, co ma być zrobione, zaczynając od czasownika.",
        ),
        "unlinked": (
            "Stwierdzenia w {place} z niczym niepowiązane: {count} z {of}",
            "Rodzaj źródła: {kind}. Nie wiąże się z nimi żaden kod, test ani commit poza tym, który je zapisał; na przykład {first}.",
            "W tych, które są ważne, podaj numer, ticket lub symbol.",
        ),
        "insufficient.both": (
            "Rejestr nie zawiera jeszcze dowodów",
            "Zapisów o tym, co jest chciane: {declared}; o tym, co jest: {observed}. Werdykt wymaga obu.",
            "Przeskanuj repozytorium: `t2c scan`.",
        ),
        "insufficient.empty": (
            "Skan nie znalazł niczego do oceny",
            "Nie znalazł listy zadań, wymagań ani dokumentów, które mówią, co jest chciane, ani kodu, commitów, testów czy ustawień, które pokazują, co jest. Pominięto: {left}.",
            "Zatwierdź kod w commicie i napisz listę zadań, wymagania lub dokumenty albo przeskanuj katalog, który je zawiera: `t2c --root DIR scan`.",
        ),
        "insufficient.declared": (
            "Nic nie mówi, co jest chciane",
            "Zapisów o tym, co jest chciane: {declared}; o tym, co jest: {observed}. Werdykt wymaga obu.",
            "Dodaj listę zadań, wymagania lub dokumenty i przeskanuj ponownie.",
        ),
        "insufficient.observed": (
            "Nic nie pokazuje, co jest",
            "Zapisów o tym, co jest chciane: {declared}; o tym, co jest: {observed}. Werdykt wymaga obu.",
            "Przeskanuj katalog, który zawiera kod lub jego historię.",
        ),
        "insufficient.plans": (
            "Nic ze znalezionych rzeczy nie pokazuje wykonania żadnego planu",
            "Planów: {plans}; zapisów o tym, co jest: {observed}. Z planem nie wiąże ich nic poza nazwą.",
            "Podawaj numery, tickety lub identyfikatory planów w commitach i testach i przeskanuj ponownie.",
        ),
        "insufficient.bound": (
            "Nic nie mówi, co jest chciane, w sposób dający się sprawdzić",
            "Zapisów o tym, co jest chciane: {declared}, w tym żadnego planu ani deklaracji z dowodem; zapisów o tym, co jest: {observed}.",
            "Dodaj listę zadań, wymagania lub changelog i przeskanuj ponownie.",
        ),
        "source.stage": (
            "Etap {stage} nie powiódł się",
            "Przy ostatnim przebiegu: {why}.",
            "Usuń przyczynę i przeskanuj ponownie; to, co stało wcześniej, zostało zachowane.",
        ),
        "source.omitted": (
            "Nie udało się odczytać całości: {source}",
            "Powód: {reason}, liczba: {count}. To, co od tego zależy, oceniono na podstawie reszty.",
            "Sprawdź środek zaradczy dla `{reason}` na liście pominięć i przeskanuj ponownie.",
        ),
        "model.missing": (
            "Żądano modelu, a żaden nie jest skonfigurowany",
            "Etap {stage} wykonano bez niego.",
            "Skonfiguruj model albo go nie żądaj.",
        ),
        "aligned": (
            "Żadne ustalenie nie wymaga przeglądu",
            "Planów z dowodem: {shown} z {plans}; wpisów changeloga z dowodem: {borne} z {claims}. To nie dowód, że praca jest skończona.",
            "Przejrzyj według własnych zasad, zanim uznasz pracę za skończoną.",
        ),
        **{
            f"communication.{code}": (
                f"{title} ({{ticket}})",
                "{detail}",
                "{action} Odpowiedź należy do: {from} ({role}).",
            )
            for code, title in _TITLES.items()
        },
    }
)
