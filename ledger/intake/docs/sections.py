"""What a heading says of the text under it: whether it plans, in English and Polish.

A strong name (`Roadmap`, `Acceptance criteria`) plans in any document. A weak one (`Requirements`) or a loose one
(`Next steps`) plans in specifications, plans and designs; in a guide it more often lists what readers need or may
read next, so that there only what a weak one says the system must do is a plan.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal

from t2c.ledger.intake.inline import plain
from t2c.ledger.intake.text import fold

__all__ = ["Section", "heading_text", "number_of", "recurs", "section_of"]

Section = Literal["strong", "weak", "loose", "goals", "done", "closed", "delta"]
"""`loose` ones plan in no guide, `goals` plan in their items alone, `done` lists what was done, `closed` stops what an outer heading plans, `delta` heads OpenSpec requirements."""

_NUMBER: Final = re.compile(r"(?:§ ?)?(\d{1,3}(?:\.\d{1,3}){0,5}[.)]|[IVX]{1,5}[.)])\s+(?=\S)")
_ASIDE: Final = re.compile(r"\s*\*?\([^()]{0,60}\)\*?$")
_ANCHOR: Final = re.compile(r"\s*\{[#:.][^{}]*\}\s*$")
_TAG: Final = re.compile(r"</?[A-Za-z][^<>]{0,300}>")
_DELTA: Final = re.compile(r"(?:added|modified|removed|renamed) requirements$")
_CLOSED: Final = re.compile(
    r"(?:non-?goals?|non goals?|out of scope|not (?:planned|in scope)|non-?requirements|rejected.{0,30}"
    r"|won'?t (?:do|fix|have)|(?:rejected |considered )?alternatives(?: considered)?|considered options"
    r"|pros and cons.{0,40}|rationale|background|context.{0,30}|motivation|references|see also|notes?(?: .{1,30})?|examples?(?: .{1,30})?|benefits?(?: .{1,40})?|why .{1,40}|faq"
    r"|glossary|introduction|overview|history|changelog|installation|usage|poza zakresem|uzasadnienie|kontekst"
    r"|do not .{1,40}|not (?:yet|now|doing).{0,30}|.{0,40}change ?log|(?:open )?questions?|risks?|known .{1,20}"
    r"|assumptions|dependencies|risks .{1,30}|lessons .{1,20}|tlo|przyklady?|wstep|wprowadzenie|slownik|terms and .{0,20})$"
)
_DONE: Final = re.compile(
    r"(?:(?:already )?(?:done|completed|finished|shipped|released|implemented|delivered)(?: (?:features|items|work))?"
    r"|zrobione|gotowe|ukonczone|wykonane|zakonczone|zrealizowane)$"
)
_STRONG: Final = re.compile(
    r"(?:acceptance (?:criteria|tests?)|definition of done|milestones?(?: [\dmv].{0,40})?|action items|success criteria"
    r"|future (?:work|plans?|improvements?|enhancements?|features?|directions?|development|releases?)|planned"
    r"|planned (?:features?|work|changes|improvements|enhancements|additions|releases?)|to-?dos?|to do(?: list)?"
    r"|user stories|(?:non-?)?functional requirements|non functional requirements|coming soon|remaining work"
    r"|upcoming (?:features|changes|work|releases?)|implementation plan|work plan|plan of work|deliverables|open tasks"
    r"|(?:[\w.-]{1,30} ){0,5}roadmap(?: (?:for|to|of|and|v?\d|q\d)[\w .-]{0,30})?"
    r"|kryteria (?:akceptacji|sukcesu|odbioru)|kamienie milowe|mapa drogowa|plan (?:prac|rozwoju|wdrozenia|dzialan)"
    r"|planowane(?: .{1,30})?|do zrobienia|dalsze prace|przyszle prace|plany(?: .{1,30})?|historyjki uzytkownika"
    r"|(?:wymagania|wymogi) (?:poza)?funkcjonalne|(?:wymagania|wymogi) niefunkcjonalne)$"
)
_GOALS: Final = re.compile(r"(?:(?:project |main |key |primary )?(?:goals?|objectives)|cele(?: projektu)?)$")
_WEAK: Final = re.compile(
    r"(?:requirements?|(?:system|software|hardware|technical|product|project|user|security|performance|business|quality"
    r"|interface|design|data|core|general|key) requirements|(?:wymagania|wymogi)(?: .{1,30})?)$"
)
_LOOSE: Final = re.compile(
    r"(?:next steps?|what'?s next|plan|tasks?|constraints|nastepne kroki|kolejne kroki|zadania|ograniczenia"
    r"|(?:phase|etap|faza) \d.{0,40})$"
)
_OCCASION: Final = r"(?:pull[- ]requests?|merge[- ]requests?|prs?|mrs?|code reviews?|review(?:er)?s?|submissions?|contribut(?:ions?|ors?|ing))"
_BEFORE: Final = r"before (?:you |we |each |every |any |an? |your )*"
_EACH_TIME: Final = re.compile(
    rf"\b{_BEFORE}(?:submi(?:t\b|ts\b|tting|ssion)|{_OCCASION}\b)|\W*{_BEFORE}(?:committing|commits?|merging|pushing)\W*$"
    rf"|\b{_BEFORE}(?:[\w-]{{1,20}} ){{1,4}}{_OCCASION}\b"
    rf"|\b{_OCCASION} (?:\w{{1,20}} )?(?:check ?-?list|guide ?lines?|template|etiquette)\b"
    rf"|\bcheck ?-?list (?:for|before|of) (?:an? |the |your |each |every |all )*{_OCCASION}\b"
    r"|\bprzed (?:wyslaniem|zgloszeniem|scaleniem|otwarciem|zatwierdzeniem|commitem)\b"
)
_STANDING: Final = re.compile(
    r"\bcheck ?-?lists?\b|\bdefinition of (?:done|ready)\b|\bdefinicja (?:ukonczenia|gotowosci|zrobionego)\b"
    rf"|\b{_BEFORE}(?:releas|publish|deploy|tagg?)"
    r"|\bprzed (?:wydaniem|publikacja|wdrozeniem)\b"
    rf"|\b(?:{_OCCASION}|releas(?:e|ing)|publish(?:ing)?|deploy(?:ment|ing)?)"
    r" (?:process|procedure|steps?|requirements?|workflow)\b"
)


def number_of(text: str) -> str | None:
    """The number that a heading carries (`3.2.`); it moves with its neighbours, so it is no part of identity."""
    match = _NUMBER.match(text)
    return match[1] if match else None


def heading_text(text: str) -> str:
    """What a heading says: without its number, its anchor and its tags."""
    bare = _ANCHOR.sub("", text) if text.endswith("}") else text
    bare = _TAG.sub(" ", bare) if "<" in bare else bare
    bare = plain(bare)
    return _NUMBER.sub("", bare, count=1) or bare


@lru_cache(maxsize=4096)
def section_of(heading: str) -> Section | None:
    """What a heading makes of the text under it; None if it says nothing, so that the heading above stands."""
    name = fold(_ASIDE.sub("", heading).rstrip(" :.*_")).strip(" -_#.*/")
    if not name or len(name) > 80:
        return None
    if _DELTA.match(name):
        return "delta"
    if _CLOSED.match(name):
        return "closed"
    if _DONE.match(name):
        return "done"
    if _STRONG.match(name):
        return "strong"
    if _GOALS.match(name):
        return "goals"
    if _WEAK.match(name):
        return "weak"
    return "loose" if _LOOSE.match(name) else None


@lru_cache(maxsize=4096)
def recurs(said: str, *, in_guide: bool) -> bool:
    """Whether a heading, or the sentence before a list, says that what follows is gone through again each time.

    Such a list is never done. Before each pull request, wherever it stands; a guide has other such lists too, where
    a plan would mean to do them once.
    """
    name = fold(said)[:200]
    return _EACH_TIME.search(name) is not None or (in_guide and _STANDING.search(name) is not None)
