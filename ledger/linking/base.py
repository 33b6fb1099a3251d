"""What the linker says: relation drafts, counted abstentions, and the table of priors behind confidences."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from msgspec import Struct

from t2c.ledger.events.record import RelationType
from t2c.ledger.kernel.ids import RecordId, RelationId

__all__ = [
    "PRIORS",
    "Abstention",
    "Hit",
    "LinkDraft",
    "LinkWarning",
    "Links",
    "Prior",
    "Rule",
]

Rule = Literal["number", "ticket", "symbol", "path", "release"]


class LinkDraft(Struct, frozen=True):
    """A relation of `t2c.graph/v1` and why it was drawn.

    `source` is the published `from`. `confidence` is 0..1 with at most three decimals, an integer when it is
    one. `basis` and `signals` are sorted and without repeats; `rule` is the one that speaks strongest.
    """

    id: RelationId
    source: RecordId
    target: RecordId
    type: RelationType
    confidence: float
    basis: tuple[str, ...]
    rule: Rule
    signals: tuple[tuple[str, str], ...]


class LinkWarning(Struct, frozen=True):
    """Relations that were not drawn and why, for the caller to record as an omission.

    `count` counts what `detail` names: citations, names, keys, relations or records.
    """

    reason: str
    detail: str
    count: int


class Links(Struct, frozen=True):
    """All relations in the order of their ids, and one warning for each reason, in the order of reasons."""

    relations: tuple[LinkDraft, ...]
    warnings: tuple[LinkWarning, ...]


class Hit(NamedTuple):
    """One rule's finding before findings are merged. `basis[0]` is the grade, a key of PRIORS."""

    source: RecordId
    target: RecordId
    type: RelationType
    rule: Rule
    basis: tuple[str, ...]
    signals: tuple[tuple[str, str], ...]


class Abstention(NamedTuple):
    """One case in which a rule saw candidates and chose none."""

    reason: str
    case: str


class Prior(NamedTuple):
    """A confidence and the sentence that justifies it."""

    confidence: float
    why: str


PRIORS: Final[Mapping[str, Prior]] = MappingProxyType(
    {
        "number_of_pull_request": Prior(
            0.97, "The forge itself writes the pull request's number at the end of the subject or in a merge."
        ),
        "number_closed": Prior(0.92, "The author says that the commit fixes, closes or resolves the number."),
        "number_in_subject": Prior(0.85, "The subject is about the number, but it may only follow it up."),
        "number_in_body": Prior(
            0.6, "A body cites numbers for many reasons: background, dependency, contrast."
        ),
        "ticket_in_subject": Prior(0.95, "A key at the head of the subject is how trackers bind a commit."),
        "ticket_closed": Prior(0.95, "The author says that the commit fixes, closes or resolves the ticket."),
        "ticket_in_body": Prior(
            0.75, "A key in a trailer binds the commit, a key in prose may only mention it."
        ),
        "shared_number": Prior(0.7, "Two statements cite one number; neither shows that anything was done."),
        "shared_ticket": Prior(0.7, "Two statements cite one ticket; neither shows that anything was done."),
        "symbol_qualified": Prior(0.95, "The whole qualified name is written and one declaration has it."),
        "symbol_tail": Prior(0.9, "The last two parts are written and one declaration ends in them."),
        "symbol_leaf": Prior(
            0.8, "Only the last part is written; one declaration of this repository has it."
        ),
        "symbol_narrowed": Prior(
            0.75, "Several declarations share the name; the named or changed paths leave one."
        ),
        "path_exact": Prior(0.95, "The path is written in full and is one module's file."),
        "path_tail": Prior(
            0.85, "At least two last parts of the path are written and one module's file has them."
        ),
        "release_package": Prior(0.97, "Heading and tag name the same version of the same package."),
        "release_version": Prior(0.95, "Heading and tag name the same version, and neither names a package."),
        "release_one_sided": Prior(
            0.85, "The version is the same, and the package is told by only one of the two or by a folder."
        ),
        "release_equivalent": Prior(0.8, "The versions are the same number, written in two ways."),
    }
)
"""Confidence of each grade of evidence. These are priors, set by judgement and not yet calibrated: no
labelled sample has been fitted, so they order relations and must not be read as measured probabilities."""
