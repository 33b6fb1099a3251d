"""What an anchor is, and what anchors say of a journal (journal-engine §4 and §5).

An anchor is a checkpoint that somebody keeps where the journal's writer cannot change it without being seen. A
journal that does not hold what an anchor vouches for has lost something or was made anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, Literal, NamedTuple

from t2c.ledger.journal.note import Checkpoint
from t2c.ledger.journal.proofs import EMPTY_ROOT

__all__ = ["STRENGTHS", "Anchor", "Judgement", "Verdict", "judge"]

Verdict = Literal["sound", "truncated", "rolled_back", "forked"]

STRENGTHS: Final = ("beside", "local", "given", "git", "witness")
"""The weakest first: a file beside the journal shows accidents only, one in the user's state folder what others
did to the journal, one that was given what its keeper vouches for, and so on."""


class Anchor(NamedTuple):
    """`source` says in words where it was found (a file name, `git note <commit>`), `note` is its exact text.

    `strength` is one of STRENGTHS. `place` is the file that holds it, by its path, if it has one of its own.
    """

    source: str
    checkpoint: Checkpoint
    note: str
    strength: str
    place: str | None = None


class Judgement(NamedTuple):
    """What the anchors show together, and a sentence for each finding, the gravest first.

    `fitting` are the anchors whose root is the journal's, the smallest first; `missing` is the number of events that
    are not there any more. `unjudged` are anchors that say nothing because of faults before their size.
    """

    verdict: Verdict
    sentences: tuple[str, ...]
    fitting: tuple[Anchor, ...]
    missing: int
    unjudged: tuple[Anchor, ...]


def judge(
    anchors: Iterable[Anchor],
    size: int,
    root_at: Callable[[int], bytes],
    *,
    faultless: int | None = None,
    damaged_end: bool = False,
    end: int | None = None,
) -> Judgement:
    """Compare a journal of `size` events with anchors of the same ledger.

    `root_at(m)` is the journal's root over its first m events, asked for 0 < m ≤ size alone. The first `faultless`
    events (all, if not given) have no faults of their own: a root beyond them differs anyway, and what stands
    there is damage that the faults name. `damaged_end` says that complete lines stand unread after the last
    event, so that a greater anchor does not show them missing. The events after `end` (none, if not given) are
    what checkpoints leave behind them.
    """
    faultless = size if faultless is None else faultless
    fitting: list[Anchor] = []
    differing: list[Anchor] = []
    beyond: list[Anchor] = []
    unjudged: list[Anchor] = []
    for anchor in sorted(anchors, key=lambda anchor: (anchor.checkpoint.size, anchor.source)):
        at = anchor.checkpoint.size
        if at > size:
            (unjudged if damaged_end else beyond).append(anchor)
        elif at > faultless:
            unjudged.append(anchor)
        else:
            root = root_at(at) if at else EMPTY_ROOT
            (fitting if root == anchor.checkpoint.root else differing).append(anchor)
    sentences = [_forked(anchor, fitting) for anchor in differing]
    missing = beyond[-1].checkpoint.size - size if beyond else 0
    # Only an end that was once the whole journal, as an anchor witnessed it, shows that an old state came back.
    restored = bool(beyond and fitting) and fitting[-1].checkpoint.size >= max(
        1, size if end is None else end
    )
    if beyond:
        sentences.append(_missing(beyond[-1], missing, fitting[-1] if restored else None))
    verdict: Verdict = "sound"
    if differing:
        verdict = "forked"
    elif beyond:
        verdict = "rolled_back" if restored else "truncated"
    return Judgement(verdict, tuple(sentences), tuple(fitting), missing, tuple(unjudged))


def _forked(anchor: Anchor, fitting: list[Anchor]) -> str:
    at = anchor.checkpoint.size
    before = [good for good in fitting if good.checkpoint.size < at]
    after = ""
    if before:
        after = f" after seq {before[-1].checkpoint.size}, where {before[-1].source} still fits, and"
    return f"the journal is not the one that {anchor.source} vouches for: it differs{after} by seq {at} at the latest"


def _missing(anchor: Anchor, missing: int, restored: Anchor | None) -> str:
    are = "1 event is" if missing == 1 else f"{missing:,} events are"
    said = f"{are} missing at the end: {anchor.source} vouches for {anchor.checkpoint.size:,}"
    if restored is None:
        return said
    return (
        f"{said}, and the journal ends exactly where {restored.source} was made: an older state was put back"
    )
