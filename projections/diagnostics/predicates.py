"""What the rules ask of a record: is it a plan, a template, a placeholder, a thing that the public sees.

Each is language-neutral and asks the record alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from t2c.projections.facts import Fact

__all__ = [
    "DONE",
    "OPEN",
    "VAGUE",
    "Details",
    "details",
    "few_together",
    "folder",
    "is_apart",
    "is_claim",
    "is_claimable",
    "is_done",
    "is_dropped",
    "is_generated",
    "is_pending",
    "is_prohibition",
    "is_public",
    "is_put_aside",
    "is_reported",
    "is_sample",
    "shortened",
    "telling",
]

OPEN: Final = frozenset({"planned", "in_progress", "blocked", "unknown"})
"""States of a plan that is to be carried out; what is only proposed is not planned yet."""
DONE: Final = frozenset({"implemented", "verified", "released", "completed"})

_SAMPLES: Final = re.compile(
    r"(?:^|/)(?:tests?|__tests__|testdata|test[-_]data|fixtures?|snapshots?|__snapshots__|examples?|samples?|demos?"
    r"|templates?|scaffolds?|skeletons?|boilerplates?|archetypes?|vendor|third[-_]party)/"
    r"|(?:^|/)[^/]*template[^/]*$"
    r"|(?:^|/)(?:issue|pull_request)_template",
    re.IGNORECASE,
)
"""Places of texts that are there to be copied or tried out: nobody plans by them."""
_PUT_ASIDE: Final = re.compile(
    r"(?:^|/)(?:archive[ds]?|attic|drafts?|ideas?|icebox|obsolete|deprecated|rejected|abandoned|wont[-_]?fix|superseded|trash|old)(?:/|\.|$)"
    r"|(?:^|/)(?:history|historical)/",
    re.IGNORECASE,
)
_DROPPED: Final = frozenset(
    word
    for line in (
        "cancelled canceled dropped rejected declined abandoned discarded scrapped withdrawn obsolete superseded wontfix",
        "wontdo notplanned deleted removed anulowane anulowany odrzucone odrzucony porzucone porzucony zarzucone wycofane",
    )
    for word in line.split()
)
"""Names of states, letters alone, in which nobody means to carry a plan out any more."""
_NO_LETTER: Final = re.compile(r"[\W\d_]+")
_STRUCK: Final = re.compile(r"\W*~~[^~]+~~[\W\d]*")
"""A text that is struck out but for its number."""
_APART: Final = re.compile(
    r"(?:^|/)(?:_[^/]+|\.[^/]+|internals?|private|scripts?|tools?|docs?|bin|build|release|ci|hack|bench\w*|fuzz\w*|messages|contrib|compat"
    r"|web-?site|site|docs?[-_](?:site|app|web|website)|www|playgrounds?|storybook|sandbox(?:es)?|e2e)/",
    re.IGNORECASE,
)
"""Folders of code that no user of the code is meant to see."""
_GENERATED: Final = re.compile(
    r"(?:\.(?:toon|toon\.yaml|mmd|lock|min\.js|map)$)|(?:^|/)(?:generated|__generated__|gen|autogen)/"
    r"|^project/(?:analysis|calls|context|duplication|evolution|flow|index|map|project|README)\.\w+$",
    re.IGNORECASE,
)
_PLACEHOLDER: Final = re.compile(
    r"\W*(?:v?\d[\w.-]*|placeholder\b.*|tbd|tba|to be (?:determined|announced|written)|todo|n/?a|none|nothing(?: yet)?|wip"
    r"|no (?:significant |notable |user[- ]facing )?changes?(?: yet)?|no updates?(?: yet)?|@?[\w./-]+@v?\d[\w.-]*"
    r"|(?:and )?\d+ more (?:files?|commits?|changes?)|update \S+\.\w{1,6}|initial (?:public )?(?:release|version|commit|features)"
    r"|first (?:public )?release|maintenance release|release|unreleased|various|misc(?:ellaneous)?(?: \w+)?"
    r"|(?:minor |major |other |breaking |bug |new |internal |site |development )?(?:bug ?fix(?:es)?|fix(?:es)?|additions?|changes?"
    r"|enhancements?|improvements?|features?|deprecations?|removals?|documentation|docs|dependencies|development))\W*",
    re.IGNORECASE,
)
_NO_CHANGE: Final = re.compile(
    r"\W*(?:(?:chore|build|docs)(?:\([^()]{1,50}\))?: ?)?(?:v?\d+(?:\.\d+)+\b|thanks?\b|thank you|see\b|read\b|https?://"
    r"|for (?:more|a|the|full)\b|full (?:changelog|list)|note\b|this (?:release|version)\b|welcome\b|contributors?\b|released?\b"
    r"|requires?\b|compatible\b|upgrade\b|merge\b|bump(?:ed|s)?\b|(?:updated?|upgraded?) (?:dependenc|deps|to)\b"
    r"|updated? dependenc|dependenc(?:y|ies)\b|version\b|known issues?\b)",
    re.IGNORECASE,
)
"""Beginnings of entries that tell of no change of this repository's own code."""
_REPORTED: Final = re.compile(r"\W*[\w./-]{1,200}\.\w{1,10}:\d+\b")
_MAX_PLACEHOLDER: Final = 200
"""Characters beyond which no text is a placeholder."""
_WORD: Final = re.compile(r"[A-Z]?[a-z]{3,}|[A-Z]{3,}|\d{2,}|[^\W\d_a-zA-Z]{3,}")
_HUMPED: Final = re.compile(r"[A-Za-z]+[a-z][A-Z]\w*")
_STOP: Final = frozenset(
    word
    for line in (
        "added adds adding after allow allows also and any are avoid been before behavior behaviour better both bug bugs",
        "but can cannot case cases change changed changes code could correctly does error errors ensure existing feature",
        "files fix fixed fixes fixing for from has have how improve improved improvement improvements into instead issue",
        "issues its make makes more most new not now only option options other otherwise over properly remove removed",
        "removes removing replace same set should some support supported supports than that the their them then there",
        "these they this those through update updated updates updating use used user users uses using via was were what",
        "when where which while will with within without work working works would you your",
    )
    for word in line.split()
)
_ENDINGS: Final = ("ations", "ation", "ings", "ing", "ies", "ied", "ers", "ed", "es", "er", "ly", "s", "e")


VAGUE: Final = frozenset(
    word
    for line in (
        "work great good lot lots write written many several various variou minor small little test doc docs docum document",
        "refactor clean cleanup perform qual general overall internal smal intern code codebas polish tweak adjust reli",
        "stab usab robust maint minim misc miscellan simpl simplif typo lint format version releas packag build user",
    )
    for word in line.split()
)
"""Stems of words that say nothing of which change is meant."""


MAX_GROUPS: Final = 6
"""Folders that are told one by one, those that hold the most."""


class Details(msgspec.Struct, frozen=True):
    """Members of `metadata` that only these rules read; a value of another type counts as absent."""

    parent: str | None = None
    parentTask: str | None = None
    form: str | None = None
    requirementId: str | None = None
    sample: bool | None = None
    checked: bool | None = None
    needs: tuple[str, ...] | None = None
    state: Any = None


class _Carrier(msgspec.Struct, frozen=True):
    metadata: Details


_decode = msgspec.json.Decoder(_Carrier).decode
_NO_DETAILS: Final = Details()


def details(raw: bytes | None) -> Details:
    """Those of a canonical record."""
    try:
        return _NO_DETAILS if raw is None else _decode(raw).metadata
    except msgspec.DecodeError:
        return _NO_DETAILS


def is_pending(fact: Fact) -> bool:
    """A plan that somebody means to carry out and that is not done. A prohibition is kept, never carried out."""
    if fact.statement.polarity != "positive":
        return False
    if fact.source.kind == "nl":
        return fact.lifecycle.status == "proposed" or fact.lifecycle.status in OPEN
    return (
        fact.epistemic.cls == "plan"
        and fact.source.kind in ("todo", "document")
        and fact.lifecycle.status in OPEN
    )


def is_done(fact: Fact) -> bool:
    """A plan that is said to be done."""
    return (
        fact.epistemic.cls == "plan"
        and fact.source.kind in ("todo", "document")
        and fact.lifecycle.status in DONE
    )


def is_dropped(fact: Fact, more: Details) -> bool:
    """A plan that is not done and that its text or the sign in its box marks as dropped.

    `[-]` has the status unknown, since some tools call so what is half done; most call so what is cancelled.
    """
    status = fact.lifecycle.status
    if fact.epistemic.cls != "plan" or status not in OPEN:
        return False
    if status == "unknown" and isinstance(more.state, str):
        return _NO_LETTER.sub("", more.state.lower()) in _DROPPED
    return _STRUCK.fullmatch(fact.statement.text) is not None


def is_prohibition(fact: Fact) -> bool:
    """It says what must not be: satisfied by absence."""
    return fact.statement.polarity == "negative" and fact.statement.modality == "required"


def is_sample(path: str | None) -> bool:
    """A file that is there to be copied or tried out, or is test data."""
    return path is not None and _SAMPLES.search(path) is not None


def is_put_aside(path: str | None) -> bool:
    """A file in a folder of what is not planned, or not any more: an archive, drafts, ideas."""
    return path is not None and _PUT_ASIDE.search(path) is not None


def is_apart(path: str | None) -> bool:
    """A file of code that its users are not meant to see: scripts, tools, internals."""
    return path is not None and _APART.search(path) is not None


def is_reported(text: str) -> bool:
    """A line that a tool wrote about a place in the code, as in `src/a.py:8 - unused import`: nobody's intent."""
    return _REPORTED.match(text) is not None


def is_generated(path: str | None) -> bool:
    """A file that a tool writes."""
    return path is not None and _GENERATED.search(path) is not None


def is_public(fact: Fact) -> bool:
    """A declaration that users of the code can see, whatever its language; no test, and nothing in a sample."""
    return (
        fact.source.kind == "ast"
        and fact.statement.kind != "module_fact"
        and fact.statement.action == "declare"
        and fact.metadata.public is True
        and fact.metadata.test is not True
        and not is_sample(fact.source.path)
        and not is_generated(fact.source.path)
    )


def is_claim(fact: Fact) -> bool:
    """An entry of a changelog that says what was changed."""
    return fact.epistemic.cls == "claim" and fact.statement.kind in ("changelog_entry", "changelog_fragment")


def is_claimable(fact: Fact) -> bool:
    """A changelog entry that tells of a change: no placeholder, thanks, link, bump of a dependency or generated file."""
    text, paths = fact.statement.text, fact.statement.target.paths
    if (len(text) <= _MAX_PLACEHOLDER and _PLACEHOLDER.fullmatch(text)) or _NO_CHANGE.match(
        text[:_MAX_PLACEHOLDER]
    ):
        return False
    return not (paths and all(is_generated(path) for path in paths))


def telling(text: str) -> frozenset[str]:
    """The words that tell one change from another, those inside names and the whole names included, by their stems."""
    return frozenset(_stems((*_WORD.findall(text), *_HUMPED.findall(text))))


def _stems(words: Iterable[str]) -> Iterable[str]:
    for word in words:
        lower = word.lower()
        if lower not in _STOP:
            yield _stem(lower)


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 4 and word[-1] == word[-2] else word


def folder(path: str | None) -> str:
    """The folder of a file, `./` for the root."""
    return (path or "").rpartition("/")[0] or "./"


def few_together(groups: Mapping[str, Iterable[Fact]], few: int) -> dict[str, list[Fact]]:
    """The facts of each folder; beyond the MAX_GROUPS largest, and below `few` facts, in one group, called `…`."""
    every = {place: list(facts) for place, facts in groups.items()}
    order = sorted(every, key=lambda place: (-len(every[place]), place))
    told = order if len(order) == 1 else [place for place in order[:MAX_GROUPS] if len(every[place]) >= few]
    found: dict[str, list[Fact]] = {}
    for place in sorted(every):
        found.setdefault(place if place in told else "…", []).extend(every[place])
    return found


def shortened(text: str, most: int = 120) -> str:
    """One line of at most so many characters, the last an ellipsis if there were more."""
    line = " ".join(text[: 4 * most].split())
    return line if len(line) <= most and len(text) <= 4 * most else line[: most - 1] + "…"
