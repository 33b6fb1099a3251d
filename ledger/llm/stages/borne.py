"""Whether a reading says more than the record that it is of: an actor, names, a denial or an approval that stand nowhere.

One that does rejects the answer (decisions D1): a reading that is laid over a record must not put another's ticket on it.
What counts is the text of the record, its excerpt, its headings and what was read of it without a model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from t2c.ledger.llm.completion import completions, of_lifecycle
from t2c.ledger.llm.negation import denials, folded, stems
from t2c.ledger.llm.support import Claim, Ground, Unsupported, named_in, unheld

__all__ = ["ground_of_record", "unborne", "unborne_words"]

_KINDS: Final[dict[str, Claim]] = {
    "paths": "path",
    "symbols": "name",
    "tickets": "ticket",
    "versions": "version",
}
_NAMES: Final[frozenset[Claim]] = frozenset(
    {"id", "path", "version", "ticket", "address", "revision", "number"}
)
_STRUCTURE: Final = ("headingPath", "explicitId", "version", "ticket", "participant", "category", "parent")
_ACTIONS: Final = {
    "approve": re.compile(
        r"\b(?:approv|accept|authori[sz]|sign|zatwierd|zaakcept|akcept|genehmig|freigeb|freigab)"
    ),
    "verify": re.compile(
        r"\b(?:verif|validat|check|test|prov|ensur|confirm|assert|cover|zweryf|weryf|sprawd|przetest|potwierd|upewn"
        r"|verifiz|pruf|uberpruf|bestatig|sicherstell)"
    ),
    "release": re.compile(
        r"\b(?:releas|ship|publish|deploy|tag|wyda|opublik|publik|wdroz|veroffentlich|ausliefer|freigeb|freigab)"
    ),
}
"""What a record must say to be read as an act that closes work: beginnings of words, without accents."""
_WORD: Final = re.compile(r"[^\W_]+")


def ground_of_record(record: Mapping[str, Any]) -> Ground:
    """All that a record says, as what a reading of it must have its ground in."""
    statement, source, metadata = record["statement"], record["source"], record["metadata"]
    texts = [
        statement["text"], statement["object"], statement["subject"], statement["actor"], source["path"],
        source["symbol"], source["rawExcerpt"],
    ]  # fmt: skip
    for names in statement["target"].values():
        texts += names
    for key in _STRUCTURE:
        value = metadata.get(key)
        texts += value if isinstance(value, list) else [value]
    lifecycle = of_lifecycle(record["lifecycle"]["status"])
    said = tuple(text for text in texts if isinstance(text, str) and text)
    return Ground(record["id"], said, statement["polarity"], None, lifecycle)


def unborne(record: Mapping[str, Any], reading: Mapping[str, Any]) -> Iterator[str]:
    """What of a reading the record does not bear, each as the end of a sentence about the reading."""
    ground, statement = ground_of_record(record), record["statement"]
    whole = "\n".join(ground.texts)
    actor = reading["actor"]
    if actor is not None and actor != statement["actor"] and unheld([Unsupported(actor, "name")], [ground]):
        yield f".actor {actor!r} does not stand in the record"
    named = [Unsupported(name, kind) for key, kind in _KINDS.items() for name in reading["target"][key]]
    for name, kind in unheld(named, [ground]):
        yield f".target names the {kind} {name!r}, which the record does not"
    for told in unborne_words(reading["object"], [ground]):
        yield f".object {told}"
    action, found = reading["action"], folded(whole)
    if action != statement["action"] and action in _ACTIONS and not _ACTIONS[action].search(found):
        yield f".action is {action!r}, and no word of the record says so"
    denied = denials(whole)
    if reading["polarity"] == "negative" != statement["polarity"] and not denied:
        yield ".polarity is negative, and the record denies and forbids nothing"
    if reading["polarity"] != "negative" == statement["polarity"] and any(one.forbids for one in denied):
        yield ".polarity is not negative, and the record forbids something"
    said, letters = stems(whole), set(_WORD.findall(found))
    for number, text in enumerate(reading["acceptanceEvidence"]):
        if not stems(text) <= said or any(
            word not in letters for word in _WORD.findall(folded(text)) if word[0].isdigit()
        ):
            yield f".acceptanceEvidence[{number}] is not in the words of the record"


def unborne_words(text: str, grounds: Sequence[Ground]) -> Iterator[str]:
    """What a text names, or calls done, that none of the grounds does."""
    named = [claim for claim in named_in(text) if claim.claim in _NAMES]
    for name, kind in unheld(named, grounds):
        yield f"names the {kind} {name!r}, which the record does not"
    told = {what for ground in grounds for what in ground.done}
    for ground in grounds:
        for one in ground.texts:
            told.update(completions(one))
    for what, word in completions(text).items():
        if what not in told:
            yield f"says {word!r}, which the record does not"
