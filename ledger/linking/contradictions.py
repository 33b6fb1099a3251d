"""Which statements cannot both hold: said and forbidden of the same, and code that does what must not be done."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from t2c.ledger.linking.alike import Said, said, similarity
from t2c.ledger.linking.base import Abstention, Hit, Prior, RuleBook
from t2c.ledger.linking.features import Corpus, Record
from t2c.ledger.linking.stances import forbids, is_done

__all__ = ["BOOK", "MAX_OPPOSED", "opposed"]

ALIKE: Final = 0.45
"""Share of words from which on two statements are about the same."""
SAME_CONDITION: Final = 0.8
"""The same for statements that hold under a condition, which must then be the same."""
FEWEST: Final = 2
"""Words that two statements about the same must share at least."""
MAX_OPPOSED: Final = 100
"""Statements under one target, on either side, from which on it is a subject of its own and no target."""
_KINDS: Final = frozenset(
    {
        "architecture_decision", "communication_decision", "communication_message", "communication_plan",
        "communication_report", "communication_request", "communication_result", "declared_intent", "requirement",
        "todo_item",
    }
)  # fmt: skip
_ACTIONS: Final = (("add", "remove"), ("approve", "block"))
_PAIRS: Final = tuple(
    (re.compile(rf"\b(?:{one})\b", re.IGNORECASE), re.compile(rf"\b(?:{other})\b", re.IGNORECASE))
    for one, other in (
        (r"allow(?:s|ed)?|permit(?:s|ted)?|zezwala\w{0,3}", r"forbid(?:s|den)?|den(?:y|ies|ied)|prohibit(?:s|ed)?|zabrania\w{0,3}"),
        (r"enabl(?:e|es|ed)|włącz\w{0,4}", r"disabl(?:e|es|ed)|wyłącz\w{0,4}"),
        (r"keep(?:s)?|preserve(?:s|d)?|zachowa\w{0,4}", r"drop(?:s|ped)?|remove(?:s|d)?|delete(?:s|d)?|usu[nńw]\w{0,5}"),
        (r"require(?:s|d)?", r"optional"),
    )
)  # fmt: skip
_CALL: Final = re.compile(
    r"\b(?:call|calls|use|uses|using|invoke|invokes|import|imports|execute|wolac|wołać|używać|używaj|wywoływać|importować)"
    r"\s{1,3}(?:the |any |a |an )?(?:\w{1,20} )?`([A-Za-z_][\w.:]{1,80})(?:\(\))?`"
    r"|\b(?:call|calls|invoke|invokes|import|imports|wołać|wywoływać)\s{1,3}([A-Za-z_]\w{0,40}(?:(?:\.|::)\w{1,40}){0,5})(?:\(\))?(?=[\s.,;]|$)",
    re.IGNORECASE,
)
_EXCEPT: Final = re.compile(
    r"\b(?:except|outside|unless|other than|besides|beyond|only|directly|poza|oprócz|chyba|tylko)\b",
    re.IGNORECASE,
)
_CONDITION: Final = re.compile(
    r"\b(?:when|if|unless|while|once|given|gdy|jeśli|jeżeli|kiedy|chyba)\b", re.IGNORECASE
)
_WORDS: Final = frozenset(
    (
        "code",
        "it",
        "them",
        "this",
        "that",
        "these",
        "those",
        "any",
        "other",
        "external",
        "functions",
        "methods",
        "private",
        "internal",
        "more",
        "into",
        "from",
    )
)


class _Stated(NamedTuple):
    """A statement and how it is meant: on which side of each pair of opposites it is."""

    record: Record
    said: Said
    sides: tuple[int, ...]
    is_conditional: bool


def opposed(corpus: Corpus) -> Iterator[Hit | Abstention]:
    """Two statements `contradicts` each other; the relation goes from the smaller id.

    * Both oblige, plan, decide, request or report, are about one path, symbol, ticket or number, and share at
      least ALIKE of their words, function words and the name of what they are about left out, and all
      numbers; where a condition is named, SAME_CONDITION of them. One denies what the other says, or they ask
      for opposite actions (add and remove, allow and forbid, enable and disable, keep and drop, required and
      optional).
    * A prohibition that names what must not be called (`must not call eval`, never use `os.system`)
      contradicts each fact of code that calls or imports it, tests left out; where the prohibition names
      files, only in those. One with an exception ("outside …", "except …") is not applied:
      `prohibition_with_exception`.
    * A target with more than MAX_OPPOSED statements on a side is `target_too_common`.

    Not: a plan and its own done state, or what is done already against what is planned; entries of a
    changelog, since removed in 2.0 and added in 1.0 is history; comments and explanations of documentation,
    which are of their own version; samples; parts of one list of options.
    """
    by_target: dict[str, list[_Stated]] = {}
    for record in corpus.records:
        if record.statement.kind in _KINDS and record.metadata.sample is not True:
            targets = _targets(record)
            stated = _stated(record) if targets else None
            for target in targets:
                if stated is not None:
                    by_target.setdefault(target, []).append(stated)
    seen: set[tuple[str, str]] = set()
    for target in sorted(by_target):
        for found in _under(target, by_target[target]):
            if isinstance(found, Abstention):
                yield found
            elif (found.source, found.target) not in seen:
                seen.add((found.source, found.target))
                yield found
    yield from _violated(corpus)


def _stated(record: Record) -> _Stated:
    text = record.statement.text
    action = record.statement.action if record.statement.kind != "requirement" else ""
    sides = [1 if action == one else -1 if action == other else 0 for one, other in _ACTIONS]
    for one, other in _PAIRS:
        for_one, for_other = one.search(text) is not None, other.search(text) is not None
        sides.append(for_one - for_other)
    return _Stated(record, said(text), tuple(sides), _CONDITION.search(text) is not None)


def _targets(record: Record) -> tuple[str, ...]:
    target, ticket = record.statement.target, record.metadata.ticket
    of_ticket = (ticket.upper(),) if isinstance(ticket, str) else ()
    return tuple(dict.fromkeys((*target.paths, *target.symbols, *target.tickets, *of_ticket)))


def _under(target: str, stated: Sequence[_Stated]) -> Iterator[Hit | Abstention]:
    named = said(target).words
    denying = [one for one in stated if one.record.statement.polarity == "negative"]
    saying = [one for one in stated if one.record.statement.polarity == "positive"]
    sided = [one for one in saying if any(one.sides)]
    if (denying and max(len(denying), len(saying)) > MAX_OPPOSED) or len(sided) > MAX_OPPOSED:
        yield Abstention("target_too_common", f"{target} of {len(stated)} statements")
        return
    for one in denying:
        for other in saying:
            if one.said.denials != other.said.denials:
                yield from _pair(one, other, target, named, "opposite_polarity")
    for position, one in enumerate(sided):
        for other in sided[position + 1 :]:
            if any(mine * theirs < 0 for mine, theirs in zip(one.sides, other.sides, strict=True)):
                yield from _pair(one, other, target, named, "opposite_action")


def _pair(one: _Stated, other: _Stated, target: str, named: frozenset[str], grade: str) -> Iterator[Hit]:
    # What both are about is in the words of both: it is what they say of it that has to be the same.
    mine, theirs = one.said.words - named, other.said.words - named
    share = similarity(mine, theirs)
    is_conditional = one.is_conditional or other.is_conditional
    if share < (SAME_CONDITION if is_conditional else ALIKE) or one.said.numbers != other.said.numbers:
        return
    spoken = "agent_log" in (one.record.source.kind, other.record.source.kind)
    if len(mine & theirs) < FEWEST or (is_done(one.record) != is_done(other.record) and not spoken):
        return
    source, to = sorted((one.record.id, other.record.id))
    signals = (("about", target), ("words_shared", f"{share:.2f}"))
    yield Hit(source, to, "contradicts", "opposed", (grade,), signals)


def _violated(corpus: Corpus) -> Iterator[Hit | Abstention]:
    wanted: dict[str, list[Record]] = {}
    for record in corpus.records:
        if record.statement.kind not in _KINDS or not forbids(record) or record.metadata.sample is True:
            continue
        names = _forbidden(record.text)
        if not names:
            continue
        if _EXCEPT.search(record.statement.text):
            yield Abstention("prohibition_with_exception", record.statement.text[:80])
            continue
        for name in names:
            wanted.setdefault(name, []).append(record)
    if not wanted:
        return
    for fact in corpus.of("ast"):
        metadata, path = fact.metadata, fact.source.path or ""
        if metadata.test is True or fact.statement.kind not in ("symbol_fact", "module_fact"):
            continue
        used = [
            *((name, "calls") for name in _texts(metadata.calls)),
            *((name, "imports") for name in _texts(metadata.imports) if fact.statement.kind == "module_fact"),
        ]
        for name, how in dict.fromkeys(used):
            for record in wanted.get(name, ()):
                places = record.statement.target.paths
                if places and not any(path == place or path.startswith(f"{place}/") for place in places):
                    continue
                source, to = sorted((record.id, fact.id))
                yield Hit(
                    source, to, "contradicts", "opposed", ("does_forbidden",), ((how, name), ("path", path))
                )


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _forbidden(text: str) -> tuple[str, ...]:
    """The names that a prohibition says must not be called, used or imported."""
    found = [(first or second).replace("::", ".") for first, second in _CALL.findall(text)]
    return tuple(dict.fromkeys(name for name in found if name.lower() not in _WORDS))


BOOK: Final = RuleBook(
    "opposed",
    opposed,
    {
        "opposite_polarity": Prior(
            0.75, "One denies what the other says in nearly the same words of the same."
        ),
        "opposite_action": Prior(0.7, "They ask for opposite actions in nearly the same words of the same."),
        "does_forbidden": Prior(0.8, "The code calls or imports what the prohibition names."),
    },
    {
        "prohibition_with_exception": "prohibitions that allow what they forbid somewhere, which no rule can place",
        "target_too_common": f"targets of more than {MAX_OPPOSED} statements on one side",
    },
    {
        "about": "both about `{}`",
        "calls": "calls `{}`",
        "imports": "imports `{}`",
        "path": "in `{}`",
        "words_shared": "shares {} of its words",
    },
)
