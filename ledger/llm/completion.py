"""Whether a text tells that something is done, approved, verified or released, in English, Polish and German.

Only what is told as so counts: what must, may or is still to be done, what nothing shows done, and a condition are no
claims. It is used to compare two texts, so what it gets wrong in both it gets right.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from t2c.ledger.intake.vocabulary import words
from t2c.ledger.llm.negation import folded

__all__ = ["Completion", "completions", "of_lifecycle"]

Completion = Literal["done", "approved", "verified", "released"]

_SAID: Final[dict[Completion, frozenset[str]]] = {
    "done": words(
        "done completed finished implemented fulfilled"
        " gotowe gotowy gotowa ukonczone ukonczony ukonczona zakonczone zakonczony zakonczona zrobione zrobiony zrobiona"
        " wykonane wykonany wykonana wdrozone wdrozony wdrozona zaimplementowane zaimplementowany zaimplementowana"
        " fertig erledigt abgeschlossen fertiggestellt umgesetzt implementiert"
    ),
    "approved": words(
        "approved authorised authorized zatwierdzone zatwierdzony zatwierdzona zaakceptowane zaakceptowany"
        " zaakceptowana genehmigt freigegeben"
    ),
    "verified": words(
        "verified validated zweryfikowane zweryfikowany zweryfikowana sprawdzone sprawdzony sprawdzona"
        " verifiziert gepruft"
    ),
    "released": words(
        "released shipped deployed wydane wydany wydana opublikowane opublikowany opublikowana"
        " veroffentlicht ausgeliefert"
    ),
}
_OF_WORD: Final[dict[str, Completion]] = {
    word: completion for completion, all_words in _SAID.items() for word in all_words
}
_WHOLE: Final = "complete"
"""Done where it follows a form of "to be", else what is to be done."""
_IS: Final = words("is are was were been now already fully")
_NOT_SO: Final = words(
    "no not never none nothing nobody neither nor cannot without lacks lacking lack missing"
    " must should shall will would may might can could need needs needed to be before until unless once when if whether"
    " expected planned wanted supposed"
    " nie nigdy nikt nic zaden zadna zadne zadnego zadnej bez brak brakuje musi musza powinno powinna powinien powinny"
    " trzeba nalezy ma maja zanim dopoki dopiero jesli jezeli gdy kiedy czy bedzie beda"
    " nicht kein keine keinen keinem keiner nichts niemand ohne muss mussen soll sollen sollte wird werden bevor bis wenn"
    " falls ob sobald"
)
_GOES_ON: Final = words("that ze iz dass")
"""After a comma they go on with what was said of it."""
_TOKEN: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|[.,;:!?()\n—–]")
_CLAUSE_ENDS: Final = frozenset(".;:!?()\n—–")
_LIFECYCLES: Final[dict[str, frozenset[Completion]]] = {
    "implemented": frozenset({"done"}),
    "completed": frozenset({"done"}),
    "verified": frozenset({"done", "verified"}),
    "released": frozenset({"done", "released"}),
}


def completions(text: str) -> dict[Completion, str]:
    """What the text tells to be so, each with the first word that does."""
    found: dict[Completion, str] = {}
    told_not, is_told, after_comma = False, False, False
    for word in _TOKEN.findall(text):
        if word in _CLAUSE_ENDS:
            told_not = is_told = after_comma = False
            continue
        if word == ",":
            after_comma = True
            continue
        plain = folded(word)
        completion: Completion | None = _OF_WORD.get(plain)
        if plain == _WHOLE and is_told:
            completion = "done"
        if completion is not None:
            if not told_not:
                found.setdefault(completion, word)
            continue
        if after_comma:
            # A new clause begins, unless a list goes on ("verified, complete and released").
            told_not, after_comma = told_not and plain in _GOES_ON, False
        told_not = told_not or plain in _NOT_SO or plain.endswith(("n't", "n’t"))
        is_told = is_told or plain in _IS
    return found


def of_lifecycle(lifecycle: str | None) -> frozenset[Completion]:
    """What a record of this lifecycle tells to be so."""
    return _LIFECYCLES.get(lifecycle or "", frozenset())
