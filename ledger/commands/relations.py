"""Which events make the relations that stand those that the linker found, and no others.

What a model accepted is no finding of the linker: it stands as long as both of its records say what they said then,
until somebody calls it wrong or the model is asked again.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Literal

from t2c.ledger.commands.evidence import EvidenceState, digest_of, drafted
from t2c.ledger.events.draft import EventDraft, draft
from t2c.ledger.events.evidence import RelationLinked, RelationUnlinked
from t2c.ledger.kernel.actor import Actor

__all__ = ["decide_accepted", "decide_relations"]


def decide_relations(
    state: EvidenceState,
    linked: AbstractSet[str],
    payloads: Mapping[str, bytes],
    standing: AbstractSet[str],
    run: str,
    changed: Container[str] = frozenset(),
) -> list[EventDraft]:
    """Events that make the live relations those of the ids in `linked`.

    `payloads` (id → canonical payload of `relation.linked`) holds at least those that are not recorded as they are.
    `standing` are the ids of the records that stand afterwards, `changed` those of them that then say something else.
    """
    drafts: list[EventDraft] = []
    for identity in sorted(payloads):
        live = state.relations.get(identity)
        if live is None or live.digest != digest_of(payloads[identity]):
            RelationLinked.decode(payloads[identity])
            drafts.append(drafted(RelationLinked, payloads[identity], run))
    for identity in sorted(state.relations.keys() - linked):
        relation = state.relations[identity]
        why: Literal["endpoint_retracted", "signal_gone", "judged_wrong"] = "endpoint_retracted"
        if relation.source in standing and relation.to in standing:
            why = "judged_wrong" if state.verdicts.get(identity) == "wrong" else "signal_gone"
            untouched = relation.source not in changed and relation.to not in changed
            if why == "signal_gone" and untouched and _is_accepted(state, identity):
                continue
        drafts.append(draft(RelationUnlinked(id=identity, why=why), run=run))
    return drafts


def decide_accepted(
    state: EvidenceState,
    accepted: Sequence[RelationLinked],
    decided: AbstractSet[tuple[str, str]],
    *,
    actor: Actor,
    answered: str,
) -> list[EventDraft]:
    """Events that make what a model accepted of `decided` pairs (from, to) stand, and nothing else of these.

    Said by `actor`, because of the event `answered`. What the linker found stays its own, what somebody called wrong is
    not related, and one statement is evidenced by at most one of what was accepted for it, the last.
    """
    drafts: list[EventDraft] = []
    now = {payload.relation.id: payload for payload in accepted}
    chosen = {payload.relation.source for payload in accepted}
    for identity, relation in sorted(state.relations.items()):
        passed = (relation.source, relation.to) in decided or relation.source in chosen
        if relation.of is not None and passed and identity not in now:
            drafts.append(draft(RelationUnlinked(id=identity, why="signal_gone"), cause=(answered,)))
    for identity in sorted(now):
        live = state.relations.get(identity)
        item = draft(now[identity], actor=actor, trust="asserted", cause=(answered,))
        if state.verdicts.get(identity) == "wrong" or (live is not None and live.of is None):
            continue
        if live is None or live.digest != digest_of(item.data) or not _is_accepted(state, identity):
            drafts.append(item)
    return drafts


def _is_accepted(state: EvidenceState, identity: str) -> bool:
    """True if a model accepted the relation, and both records are recorded as they were then."""
    relation = state.relations[identity]
    if relation.of is None:
        return False
    ends = state.records.get(relation.source), state.records.get(relation.to)
    return relation.of == tuple(None if end is None else end.digest for end in ends)
