"""Whether a sentence says more than the records that it rests on (architecture §1: a conclusion is grounded or abstains).

A model that cites a record may still put a name, a figure or a "not" beside it that stands nowhere. Every name in code
style, path, number, version, ticket, address and quotation of a sentence must occur in a record cited, and what the
sentence denies no record may affirm, nor the other way round, and what it calls done, approved, verified or released a
record must. This shows presence, and no entailment: a sentence that
passes may still be wrong, one that fails names the word that has no ground.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple, Protocol

from t2c.ledger.intake.mentions import Mentions, mentions
from t2c.ledger.llm.completion import Completion, completions, of_lifecycle
from t2c.ledger.llm.negation import Denial, denials, folded, stems

__all__ = ["Claim", "Ground", "Recorded", "Unsupported", "ground_of", "named_in", "supported", "unheld"]

Claim = Literal[
    "id",
    "name",
    "path",
    "line",
    "number",
    "version",
    "ticket",
    "address",
    "revision",
    "quotation",
    "polarity",
    "completion",
    "command",
]


class Unsupported(NamedTuple):
    """A word of a sentence that no record holds, and what it is."""

    word: str
    claim: Claim


class Ground(NamedTuple):
    """What something cited says: its texts, and for a record its polarity, its lines and what its lifecycle tells done.

    Give a diagnostic as a ground too, with its code, title and detail: that something is missing stands there, and in
    no record.
    """

    id: str
    texts: tuple[str, ...]
    polarity: Literal["positive", "negative"] | None = None
    lines: tuple[int, int] | None = None
    done: frozenset[Completion] = frozenset()


class Recorded(Protocol):
    """A record as the contract has it (intent-evidence §1), whatever holds it."""

    @property
    def id(self) -> str: ...
    @property
    def statement(self) -> Any: ...
    @property
    def source(self) -> Any: ...
    @property
    def observedAt(self) -> str | None: ...


_CODE: Final = re.compile(r"(?<!`)(`{1,2})(?!`)([^`]+)\1(?!`)")
_QUOTED: Final = re.compile(r'"([^"\n]+)"|„([^”“"\n]+)[”“"]|“([^”\n]+)”|«([^»\n]+)»|»([^«\n]+)«')
_ID: Final = re.compile(r"\b(?:INT-[A-Z]+|DIAG|REL|CONC|TPROP|EVT)-[0-9a-f]{20}\b")
_ADDRESS: Final = re.compile(r"\bhttps?://[^\s<>\"'`)\]]+")
_PLACED: Final = re.compile(
    r"(?<=\w):(\d+)(?:[-–](\d+))?(?![\d.:])"
    r"|\b(?:lines?|linia|linie|linii|liniach|wiersz\w*|Zeilen?)\s+(\d+)(?:\s*(?:[-–]|to|do|bis|and|i|und)\s*(\d+))?",
    re.IGNORECASE,
)
_REVISION: Final = re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b")
_CODE_STYLE: Final = re.compile(
    r"(?<![\w./-])(?:[A-Za-z]\w*_\w+|_\w*[A-Za-z]\w*|[A-Za-z_]\w*(?=\(\))|--?[A-Za-z][\w-]+)(?![\w/-])"
)
_NUMBER: Final = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*")
_ORDINAL: Final = re.compile(r"^\s*\d{1,2}[.)]\s", re.MULTILINE)
_THOUSANDS: Final = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?\Z")
_COUNTS: Final = {
    word: str(value)
    for value, all_words in enumerate(
        (
            "two dwa dwie dwoch zwei", "three trzy trzech drei", "four cztery czterech vier", "five piec pieciu funf",
            "six szesc szesciu sechs", "seven siedem siedmiu sieben", "eight osiem osmiu acht",
            "nine dziewiec dziewieciu neun", "ten dziesiec dziesieciu zehn", "eleven jedenascie elf",
            "twelve dwanascie zwolf",
        ),
        start=2,
    )
    for word in all_words.split()
}  # fmt: skip
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_TOKEN: Final = re.compile(r"[\w./#:\\-]+")
_EDGES: Final = " \t\n.,;:!?…"


def supported(sentence: str, records: Iterable[Recorded | Ground]) -> list[Unsupported]:
    """What of a sentence stands in none of the records that it cites, in the order of kinds; empty if all of it does.

    A number in words may also be how many records or diagnostics are cited. Numbers of lines are looked up only as places
    (`path:12`, "line 12"), so that no line lends its number to a figure.
    """
    grounds = [record if isinstance(record, Ground) else ground_of(record) for record in records]
    read = [_read(ground) for ground in grounds]
    of_records = sum(ground.polarity is not None for ground in grounds)
    counts = {str(count) for count in (len(grounds), of_records, len(grounds) - of_records)}
    found = [
        claim
        for claim in _claims(sentence)
        if not any(_holds(claim, one) for one in read)
        and not (claim.claim == "number" and _COUNTS.get(folded(claim.word)) in counts)
    ]
    found.extend(_polarity(sentence, read))
    told = frozenset().union(*(one.done for one in read))
    found += [
        Unsupported(word, "completion")
        for what, word in completions(_prose(sentence)).items()
        if what not in told
    ]
    return list({claim.word: claim for claim in reversed(found)}.values())[::-1]


def named_in(sentence: str) -> list[Unsupported]:
    """Everything that a sentence names, and what it is."""
    return list(_claims(sentence))


def unheld(claims: Iterable[Unsupported], records: Iterable[Recorded | Ground]) -> list[Unsupported]:
    """Those of the claims that stand in none of the records."""
    read = [_read(record if isinstance(record, Ground) else ground_of(record)) for record in records]
    return [claim for claim in claims if not any(_holds(claim, one) for one in read)]


def ground_of(record: Recorded) -> Ground:
    """What a record says: its statement, where it was found and when."""
    said, source = record.statement, record.source
    target = said.target
    texts = [
        said.text, said.object, said.subject, said.actor, source.path, source.symbol, source.revision, record.observedAt,
        *target.paths, *target.symbols, *target.tickets, *target.versions,
    ]  # fmt: skip
    lines = source.lines
    return Ground(
        record.id,
        tuple(text for text in texts if text),
        said.polarity,
        None if lines is None else (lines.start, lines.end),
        of_lifecycle(getattr(getattr(record, "lifecycle", None), "status", None)),
    )


class _Read(NamedTuple):
    """A ground, read once: its text as compared, its figures, its words, and what it denies."""

    ground: Ground
    text: str
    numbers: frozenset[str]
    stems: frozenset[str]
    denied: frozenset[str]
    denies: bool
    done: frozenset[Completion]


@lru_cache(2048)
def _read(ground: Ground) -> _Read:
    whole = "\n".join(ground.texts)
    text = _flat(whole)
    numbers = {_figure(found) for found in _NUMBER.findall(whole)}
    numbers.update(_COUNTS[folded(word)] for word in _counted(whole))
    words = whole.replace("_", " ")
    found = denials(words)
    if ground.polarity == "negative":
        denied = stems(words)
    else:
        denied = frozenset(stem for denial in found for stem in denial.stems)
    denies = bool(found) or ground.polarity == "negative"
    done = ground.done.union(*(completions(text.replace("_", " ")) for text in ground.texts))
    return _Read(ground, text, frozenset(numbers), stems(words), denied, denies, done)


def _flat(text: str) -> str:
    """A text as it is compared: without case, accents of quotation and runs of spaces."""
    return " ".join(text.casefold().replace("`", "").replace("’", "'").split())


def _claims(sentence: str) -> Iterator[Unsupported]:
    """Everything that a sentence names; what one kind has found is not looked at by the next."""
    rest = sentence

    def take(pattern: re.Pattern[str], claim: Claim) -> list[Unsupported]:
        nonlocal rest
        taken = []
        for match in pattern.finditer(rest):
            word = next(group for group in (*match.groups()[::-1], match.group()) if group)
            taken.append(Unsupported(word.strip(), claim))
        rest = pattern.sub(" ", rest)
        return taken

    quoted = take(_QUOTED, "quotation")
    yield from (claim._replace(word=claim.word.strip(_EDGES)) for claim in quoted if claim.word.strip(_EDGES))
    yield from (claim._replace(word=claim.word.rstrip(_EDGES)) for claim in take(_ADDRESS, "address"))
    yield from take(_ID, "id")
    for match in _PLACED.finditer(rest):
        yield from (Unsupported(number, "line") for number in match.groups() if number)
    rest = _PLACED.sub(" ", rest)
    named = mentions(rest)
    yield from _named(named)
    yield from (claim for claim in take(_CODE, "name") if not any(mentions(f"`{claim.word}`")[:4]))
    known = {word.casefold() for word in (*named.paths, *named.tickets, *named.versions, *named.symbols)}
    rest = _TOKEN.sub(lambda match: " " if _is_named(match[0], known) else match[0], rest)
    yield from take(_REVISION, "revision")
    yield from take(_CODE_STYLE, "name")
    for found in _NUMBER.findall(_ORDINAL.sub(" ", rest)):
        yield Unsupported(found, "number")
    yield from (Unsupported(word, "number") for word in _counted(rest))


def _is_named(token: str, known: AbstractSet[str]) -> bool:
    word = token.strip(_EDGES).casefold()
    return word in known or word.removeprefix("v") in known


def _counted(text: str) -> list[str]:
    """The numbers from two to twelve that are written as words."""
    return [word for word in _LETTERS.findall(text) if folded(word) in _COUNTS]


def _named(named: Mentions) -> Iterator[Unsupported]:
    yield from (Unsupported(word, "path") for word in named.paths)
    yield from (Unsupported(word, "ticket") for word in named.tickets)
    yield from (Unsupported(word, "version") for word in named.versions)
    yield from (Unsupported(word, "name") for word in named.symbols)


def _holds(claim: Unsupported, read: _Read) -> bool:
    """True if a ground has what is claimed."""
    word, kind = claim
    match kind:
        case "number":
            return _COUNTS.get(folded(word), _figure(word)) in read.numbers
        case "line":
            lines = read.ground.lines
            within = lines is not None and lines[0] <= int(word) <= lines[1]
            return within or _stands(f":{word}", read.text, before="", after=r"(?!\d)")
        case "id":
            return word == read.ground.id or word.casefold() in read.text
        case "revision":
            return re.search(rf"\b{word}", read.text) is not None
        case "quotation" | "address":
            return _flat(word) in read.text
        case "version":
            stands = _stands(word, read.text, before=r"(?<![\d.])", after=r"(?!\d|\.\d)")
            return stands or (word.count(".") == 1 and _figure(word) in read.numbers)
    return _stands(word.removesuffix("()"), read.text)


def _stands(word: str, text: str, before: str = r"(?<!\w)", after: str = r"(?!\w)") -> bool:
    flat = _flat(word)
    if flat not in text:
        return False
    return re.search(before + re.escape(flat) + after, text) is not None


def _figure(text: str) -> str:
    """A number as it is compared: without marks of thousands and closing noughts behind the point."""
    if _THOUSANDS.match(text):
        text = text.replace(",", "")
    elif text.count(",") == 1 and "." not in text:
        text = text.replace(",", ".")
    if text.count(".") == 1:
        text = text.rstrip("0").rstrip(".")
    return text


def _polarity(sentence: str, read: Sequence[_Read]) -> Iterator[Unsupported]:
    """Negations of the sentence that no ground has, or all grounds' negation that the sentence leaves out."""
    prose = _prose(sentence)
    denied = denials(prose)
    for denial in denied:
        if not _denied_too(denial, read):
            yield Unsupported(" ".join((denial.word, *_first(denial, prose))), "polarity")
    records = [one for one in read if one.ground.polarity is not None]
    if not denied and records and all(one.ground.polarity == "negative" for one in records):
        said = stems(prose)
        if any(one.stems & said for one in records):
            yield Unsupported("not", "polarity")


def _prose(sentence: str) -> str:
    """A sentence without quotations and code."""
    return _CODE.sub(" ", _QUOTED.sub(" ", sentence))


def _denied_too(denial: Denial, read: Sequence[_Read]) -> bool:
    """True if a ground denies the same.

    That something is not so needs no more than a diagnostic that tells of something not so. A ban needs a ban of the
    same: nothing that is missing makes one.
    """
    of = frozenset(denial.stems)
    if any(of & one.denied for one in read):
        return True
    if not denial.forbids and any(one.denies and one.ground.polarity is None for one in read):
        return True
    return not any(of & one.stems for one in read) and any(one.denies for one in read)


def _first(denial: Denial, prose: str) -> list[str]:
    """The first word denied as the sentence has it, for the message."""
    if not denial.stems:
        return []
    return [word for word in _LETTERS.findall(prose) if denial.stems[0] in stems(word)][:1]
