"""Which events make the relations that stand those that the linker found, and no others."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Literal

from t2c.ledger.commands.evidence import EvidenceState, digest_of, drafted
from t2c.ledger.events.draft import EventDraft, draft
from t2c.ledger.events.evidence import RelationLinked, RelationUnlinked

__all__ = ["decide_relations"]


def decide_relations(
    state: EvidenceState,
    linked: AbstractSet[str],
    payloads: Mapping[str, bytes],
    standing: AbstractSet[str],
    run: str,
) -> list[EventDraft]:
    """Events that make the live relations those of the ids in `linked`.

    `payloads` (id → canonical payload of `relation.linked`) holds at least those that are not recorded as they are.
    `standing` are the ids of the records that stand afterwards.
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
        drafts.append(draft(RelationUnlinked(id=identity, why=why), run=run))
    return drafts
