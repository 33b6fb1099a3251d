"""Which language a block is in: English, Polish, or one whose words we do not know.

Told by function words, then by the letters that only Polish has, then by a verb of the vocabulary. Words that
both languages write alike ("to", "do", "i") count for neither.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from t2c.ledger.intake.heads import bare, known
from t2c.ledger.intake.vocabulary import words

__all__ = ["Language", "language_of", "tellable"]

Language = Literal["en", "pl"]

_WORD: Final = re.compile(r"(?<![\w./@#\\-])[^\W\d_]++(?:['’][^\W\d_]++)?+(?![\w/\\@]|\.\w)")
_MOST: Final = 200
"""Words that are looked at."""
_ENOUGH: Final = 8
"""Words from which on a text is long enough to tell its language."""
_ENGLISH: Final = words(
    "the a an of and is are was were be been it its in on for with without that this these those from by as at or not"
    " no must should shall may can cannot will would when if then than which who we you they our your their has have"
    " had does did into only every all each any there where while after before until so but per please also via"
    " never them after how what why want need needs i'm don't doesn't it's isn't"
)
_POLISH: Final = words(
    "w we z ze na nie się sie jest są sa oraz że dla przez przy po przed od lub ale jak jako który która które"
    " którzy ktory ktora ktore tylko jeśli jesli jeżeli jezeli gdy kiedy aby żeby zeby musi muszą musza może moze mogą"
    " moga należy nalezy trzeba powinien powinna powinno powinny ma mają maja być byc był była było tego tej tym te ten"
    " co czy bez nad pod za u o już juz także takze też tez można mozna wolno każdy każda każde wszystkie został"
    " została zostało zostały proszę prosze jego jej ich lecz więc wiec albo"
)
_OTHERS: Final[tuple[frozenset[str], ...]] = (
    words(
        "der die das und nicht muss ist sind wird werden mit für ein eine einen dem den des auf im bei auch wenn von"
        " zum zur oder sich kann soll dass nach vor über"
    ),
    words(
        "le la les des et est pour une dans doit sur avec qui que pas du au aux sont être ne ce cette par il elle un"
        " nous vous leur mais ou si plus"
    ),
    words(
        "el la los las que para una debe con es por del en y un se no como más pero su al este esta cuando si son o"
        " hay ser"
    ),
    words(
        "il la le gli che per una deve con è di del della un non si nel sono come più e da al questo essere dei"
    ),
    words("o os as que para uma deve com é do da dos em um não se no na por ao como mais são e esta este"),
    words(
        "de het een en van is niet moet met voor op te dat die zijn wordt aan door als bij naar worden of ook"
    ),
    words("je se na že pro musí být nebo jako při není jsou který která aby bez také už kdy pokud ve od"),
    words("och att det som en är för inte med på av den ska till om har ett kan måste från eller"),
)
_OWN_LETTERS: Final = re.compile("[ąćęłńśźż]", re.IGNORECASE)
_FOREIGN: Final = re.compile("[äöüßéèêëàâçñãõûîïôåøæěščřžýůœ¿¡]", re.IGNORECASE)
_UNSPACED: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")


def language_of(text: str) -> Language | None:
    """`en`, `pl`, or None for another language and for a text that does not tell."""
    found = [match[0].lower() for match, _ in zip(_WORD.finditer(text), range(_MOST), strict=False)]
    if sum(not word[0].isascii() and _other_script(word) for word in found) * 2 > len(found):
        return None
    english = sum(word in _ENGLISH for word in found)
    polish = sum(word in _POLISH for word in found) + bool(_OWN_LETTERS.search(text))
    foreign = max(sum(word in other for word in found) for other in _OTHERS) + bool(_FOREIGN.search(text))
    if foreign > max(english, polish):
        return _by_verb(found) if foreign == 1 else None
    if english != polish:
        return "en" if english > polish else "pl"
    return _by_verb(found)


def _by_verb(found: list[str]) -> Language | None:
    for word in found:
        if (spoken := known(word)) is not None:
            return spoken
    return None


def _other_script(word: str) -> bool:
    """True if a word has no Latin letter at all."""
    return not any("a" <= letter <= "z" for letter in bare(word))


def tellable(text: str) -> bool:
    """True if a text is long enough for its language to show."""
    counted = zip(_WORD.finditer(text), range(_ENOUGH), strict=False)
    return sum(1 for _ in counted) >= _ENOUGH or len(_UNSPACED.findall(text)) > _ENOUGH
