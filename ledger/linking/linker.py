"""From records to relations: run the rules, merge what they found, keep the strongest, count the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from msgspec.structs import replace

from t2c.ledger.events.record import RelationType
from t2c.ledger.kernel.canon import decimal3
from t2c.ledger.kernel.ids import RecordId, relation_id
from t2c.ledger.linking.base import Abstention, Fit, Hit, LinkDraft, Links, LinkWarning, Rule
from t2c.ledger.linking.features import Corpus, read
from t2c.ledger.linking.judged import Verdict, fitted, refit
from t2c.ledger.linking.registry import BOOKS, OMITTED, PRIORS

__all__ = ["LINKED", "MAX_RELATIONS", "link", "relate"]

LINKED: Final = frozenset(
    {"agent_log", "ast", "changelog", "document", "git", "nl", "system", "test", "todo"}
)
"""Kinds of source that a rule reads; records of any other need not be given to `link`."""
MAX_RELATIONS: Final = 8
"""Relations that one rule may draw from one record; more is a list, not evidence."""
_EXAMPLES: Final = 3
_JUDGED: Final = 0.99
"""How sure a relation is that a person called right: people err too."""
_UNCUT: Final = frozenset(book.name for book in BOOKS if book.is_structure)
_OMITTED: Final = {
    "judged_wrong": "relations that somebody called wrong",
    "relations_capped": f"relations beyond the {MAX_RELATIONS} strongest of one rule from one record",
    "unreadable_record": "bodies that are not records",
}
"""What the count of each reason counts that is no rule's own."""
_TOLD: Final = {**OMITTED, **_OMITTED}


def link(bodies: Iterable[bytes], verdicts: Mapping[str, Verdict] = MappingProxyType({})) -> Links:
    """Relations between canonical `t2c.intent/v1` records, and what was seen but not related.

    The result depends on the set of bodies alone, not on their order, and on `verdicts`: relation id → what was said
    of it last. Records of sources that no rule reads are neither input nor omission.
    """
    return relate(read(bodies), verdicts)


def relate(corpus: Corpus, verdicts: Mapping[str, Verdict] = MappingProxyType({})) -> Links:
    """The same of a corpus that was read already.

    What was judged wrong is not related any more and counted as `judged_wrong`; what was judged right says so in its
    basis, and is as sure as judgements are.
    """
    hits: list[Hit] = []
    omitted: dict[str, list[str]] = {}
    for book in BOOKS:
        for found in corpus.found(book):
            if isinstance(found, Abstention):
                omitted.setdefault(found.reason, []).append(found.case)
            else:
                hits.append(found)
    fits = refit(hits, verdicts)
    drafts, wrong = _judged(_merged(hits, fits, corpus.memory.drafts), verdicts)
    kept, capped = _strongest(drafts)
    if wrong:
        omitted["judged_wrong"] = wrong
    if capped:
        omitted["relations_capped"] = capped
    if corpus.unreadable:
        omitted["unreadable_record"] = [""] * corpus.unreadable
    kept.sort(key=lambda draft: draft.id)
    return Links(tuple(kept), tuple(_warning(reason, omitted[reason]) for reason in sorted(omitted)), fits)


Ends = tuple[RecordId, RecordId, RelationType]


def _merged(hits: Iterable[Hit], fits: Mapping[str, Fit], known: Mapping[Ends, LinkDraft]) -> list[LinkDraft]:
    """One draft for each (from, to, type); `related_to` yields to a more specific type between the same two."""
    groups: dict[tuple[RecordId, RecordId], Hit | list[Hit]] = {}
    for hit in hits:
        ends = hit.source, hit.target
        others = groups.get(ends)
        if others is None:
            groups[ends] = hit
        elif isinstance(others, list):
            others.append(hit)
        else:
            groups[ends] = [others, hit]
    drafts: list[LinkDraft] = []
    for found in groups.values():
        if isinstance(found, list):
            types: dict[RelationType, list[Hit]] = {}
            for hit in found:
                types.setdefault(hit.type, []).append(hit)
            if len(types) > 1:
                types.pop("related_to", None)
            drafts += [_draft(same, fits, known) for same in types.values()]
        else:
            drafts.append(_draft([found], fits, known))
    return drafts


def _draft(hits: list[Hit], fits: Mapping[str, Fit], known: Mapping[Ends, LinkDraft]) -> LinkDraft:
    source, target, kind, rule, basis, signals, _ = hits[0]
    if len(hits) > 1:
        strongest = max(hits, key=lambda hit: (_confidence(hit, fits), hit.rule))
        rule = strongest.rule
        basis = tuple(token for hit in hits for token in hit.basis)
        signals = tuple(signal for hit in hits for signal in hit.signals)
    else:
        strongest = hits[0]
    confidence = decimal3(_confidence(strongest, fits))
    basis = tuple(sorted(set(basis))) if len(basis) > 1 else basis
    signals = tuple(sorted(set(signals))) if len(signals) > 1 else signals
    former = known.get((source, target, kind))
    if former is not None:
        if (former.rule, former.confidence, former.basis, former.signals) == (
            rule,
            confidence,
            basis,
            signals,
        ):
            return former
        identity = former.id
    else:
        identity = relation_id(source, target, kind)
    return LinkDraft(
        id=identity,
        source=source,
        target=target,
        type=kind,
        confidence=confidence,
        basis=basis,
        rule=rule,
        signals=signals,
    )


def _judged(
    drafts: Iterable[LinkDraft], verdicts: Mapping[str, Verdict]
) -> tuple[list[LinkDraft], list[str]]:
    """The drafts that nobody called wrong, and the ids of the others."""
    if not verdicts:
        return list(drafts), []
    kept: list[LinkDraft] = []
    wrong: list[str] = []
    for draft in drafts:
        verdict = verdicts.get(draft.id)
        if verdict == "wrong":
            wrong.append(draft.id)
        elif verdict == "right":
            basis = tuple(sorted({*draft.basis, "judged_right"}))
            kept.append(replace(draft, confidence=max(draft.confidence, _JUDGED), basis=basis))
        else:
            kept.append(draft)
    return kept, wrong


def _confidence(hit: Hit, fits: Mapping[str, Fit]) -> float:
    before = PRIORS[hit.basis[0]].confidence if hit.confidence is None else hit.confidence
    return fitted(before, fits.get(hit.basis[0])) if fits else before


def _strongest(drafts: Iterable[LinkDraft]) -> tuple[list[LinkDraft], list[str]]:
    """The strongest drafts of each rule from each record, ties by id; and the sources of those left out."""
    groups: dict[tuple[RecordId, Rule], list[LinkDraft]] = {}
    for draft in drafts:
        groups.setdefault((draft.source, draft.rule), []).append(draft)
    kept: list[LinkDraft] = []
    capped: list[str] = []
    for (source, rule), group in groups.items():
        if rule in _UNCUT:
            kept += group
            continue
        if len(group) > MAX_RELATIONS:
            group.sort(key=lambda draft: (-draft.confidence, draft.id))
            capped += [f"{source} by {rule}"] * (len(group) - MAX_RELATIONS)
        kept += group[:MAX_RELATIONS]
    return kept, capped


def _warning(reason: str, cases: list[str]) -> LinkWarning:
    examples = sorted(set(cases) - {""})
    shown = "; ".join(examples[:_EXAMPLES]) + ("; …" if len(examples) > _EXAMPLES else "")
    return LinkWarning(reason, _TOLD[reason] + (f": {shown}" if shown else ""), len(cases))
