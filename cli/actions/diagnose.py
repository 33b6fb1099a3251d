"""`t2c diagnose`: findings as of a moment, less what is suppressed and what was there before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import msgspec

from t2c.cli.actions import artefacts
from t2c.cli.actions.context import Context
from t2c.cli.actions.moment import resolve, with_events
from t2c.cli.actions.opening import open_ledger
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Usage
from t2c.projections.base import Inputs
from t2c.projections.diagnostics import SCHEMA as DIAGNOSTICS_SCHEMA
from t2c.projections.diagnostics import document as published
from t2c.projections.diagnostics import findings_of
from t2c.projections.diagnostics.messages import LANGUAGES, Language
from t2c.projections.diagnostics.model import CODES, severe
from t2c.projections.facts import SEVERITIES, Fact, Facts
from t2c.projections.findings import read
from t2c.projections.findings.model import Group, Shown, grouped
from t2c.projections.fold import Folded, fold
from t2c.projections.registry import ALL
from t2c.projections.render.findings_markdown import MARK

__all__ = ["Diagnosis", "DiagnosisRequest", "FindingsResult", "diagnose", "keep", "place"]


class DiagnosisRequest(NamedTuple):
    """What is to be told: `codes`, severities from `severity` up, places that `paths` match, and only what is new
    since the moment `since`; `suppressed` tells only those that are."""

    at: str | None = None
    since: str | None = None
    codes: tuple[str, ...] = ()
    severity: str = "info"
    paths: tuple[str, ...] = ()
    suppressed: bool = False
    language: str = "en"


@dataclass(frozen=True, slots=True)
class FindingsResult:
    """Findings grouped by cause, the gravest first; `counts` by severity are of all that are told.

    `since` is the seq that they are new since; `suppressed` are those that somebody does not want to be told.
    """

    schema: ClassVar[str] = "t2c.findings/v1"
    seq: int
    since: int | None
    counts: Mapping[str, int]
    groups: Sequence[Mapping[str, Any]]
    suppressed: Sequence[Mapping[str, Any]]


class Diagnosis(NamedTuple):
    """`document` makes `t2c.diagnostics/v1` of the same findings, which costs a fingerprint of the graph; `revision` is
    the commit that was scanned last."""

    seq: int
    since: int | None
    groups: tuple[Group, ...]
    suppressed: tuple[Shown, ...]
    document: Callable[[], Mapping[str, Any]]
    titles: Mapping[str, str]
    revision: str | None

    @property
    def counts(self) -> dict[str, int]:
        told = Counter(finding.severity for group in self.groups for finding in group.findings)
        return {
            **{severity: told[severity] for severity in SEVERITIES},
            "groups": len(self.groups),
            "suppressed": len(self.suppressed),
        }

    def reaches(self, severity: str) -> bool:
        """Whether something is told that is at least so severe; that nothing asks for a review is no reason to fail."""
        return any(
            group.code != "ALIGNED" and severe(group.severity) >= severe(severity) for group in self.groups
        )

    def result(self) -> FindingsResult:
        return FindingsResult(
            self.seq,
            self.since,
            self.counts,
            [msgspec.to_builtins(group) for group in self.groups],
            [msgspec.to_builtins(one) for one in self.suppressed],
        )


def diagnose(context: Context, request: DiagnosisRequest) -> Diagnosis:
    """The findings that were asked for. Nothing is recorded or written.

    Raises Usage for an unknown code, severity, language or moment, for a baseline after the moment that is looked at,
    and for a path that is neither there nor in any record.
    """
    _check(request)
    with open_ledger(context) as ledger:
        with_events(ledger)
        until = None if request.at is None else resolve(context, ledger, request.at).seq
        before = None if request.since is None else resolve(context, ledger, request.since).seq
        if until is not None and before is not None and before > until:
            raise Usage(
                f"nothing of seq {until} is new since seq {before}",
                remedy="give a baseline before the moment of --at",
            )
        context.progress("fold", 0, None)
        former = frozenset[str]() if before is None else _ids(ledger, before)
        folded = _folded(ledger, until)
    inputs = Inputs(folded.ts or "", folded.states, folded.made)
    facts = Facts.of(inputs)
    places = _places(context, request.paths, facts)
    language: Language = "pl" if request.language == "pl" else "en"
    found = [
        one
        for one in read(folded.states["findings"], inputs, language)
        if one.id not in former and _is_wanted(one, request, places, facts)
    ]
    told = [one for one in found if (one.suppressed is not None) == request.suppressed]
    kept = {one.id for one in told}
    return Diagnosis(
        folded.position.seq,
        before,
        grouped(told),
        tuple(one for one in found if one.suppressed is not None),
        lambda: published([one for one in findings_of(inputs) if one.id in kept], inputs),
        {one.code: one.code.replace("_", " ").capitalize() for one in found},
        next(_newest(facts), None),
    )


def place(context: Context, out: str, format: str) -> Path:
    """Where an answer in this format may be written. Raises Usage, and Refused for a file of somebody else."""
    match format:
        case "sarif":
            kind = artefacts.SARIF
        case "github":
            kind = artefacts.COMMANDS
        case "markdown":
            kind = artefacts.markdown_page(MARK)
        case "diagnostics":
            kind = artefacts.json_document(DIAGNOSTICS_SCHEMA)
        case _:
            kind = artefacts.json_document(FindingsResult.schema)
    return artefacts.places_of_artefacts(context, {"--out": (out, kind)})["--out"]


def keep(context: Context, path: Path, content: bytes) -> str:
    """Write an answer to a file inside the root; its path there. Raises Environment."""
    artefacts.write_artefact(path, content)
    return path.relative_to(context.root).as_posix()


def _newest(facts: Facts) -> Iterator[str]:
    """The commit that the records are of."""
    for fact in facts.of_kind("git"):
        if fact.source.commitIndex == 1 and fact.source.revision is not None:
            yield fact.source.revision


def _check(request: DiagnosisRequest) -> None:
    from difflib import get_close_matches

    for code in request.codes:
        if code not in CODES:
            near = get_close_matches(code.upper(), CODES, 1)
            hint = f"did you mean {near[0]}? " if near else ""
            raise Usage(f"there is no code {code!r}", remedy=f"{hint}there are {', '.join(CODES)}")
    if request.severity not in SEVERITIES:
        raise Usage(f"there is no severity {request.severity!r}", remedy=f"there are {', '.join(SEVERITIES)}")
    if request.language not in LANGUAGES:
        raise Usage(f"there is no language {request.language!r}", remedy=f"there are {', '.join(LANGUAGES)}")


def _folded(ledger: Ledger, until: int | None) -> Folded:
    return fold(ledger.journal, ALL, ["findings"], until=until, cache=ledger.cache / "folds")


def _ids(ledger: Ledger, seq: int | None) -> frozenset[str]:
    """The findings that there were after event `seq`."""
    folded = _folded(ledger, seq)
    return frozenset(one.id for one in findings_of(Inputs(folded.ts or "", folded.states, folded.made)))


def _is_wanted(
    finding: Shown, request: DiagnosisRequest, places: AbstractSet[str] | None, facts: Facts
) -> bool:
    if request.codes and finding.code not in request.codes:
        return False
    if severe(finding.severity) < severe(request.severity):
        return False
    return places is None or any(
        _standing(facts.records[identity]) in places
        for identity in finding.recordIds
        if identity in facts.records
    )


def _places(context: Context, paths: Sequence[str], facts: Facts) -> AbstractSet[str] | None:
    """The files of records that are meant by paths, as seen from the folder of the caller; None for all."""
    if not paths:
        return None
    known = {path for fact in facts.records.values() if (path := _standing(fact)) is not None}
    found: set[str] = set()
    for given in paths:
        if not given.strip():
            raise Usage("a path is empty", remedy="name a file or folder; . is this folder")
        place = context.path(given)
        wanted = place.relative_to(context.root).as_posix()
        meant = {path for path in known if wanted == "." or _below(path, wanted)}
        if not meant and not place.exists():
            raise Usage(
                f"no record stands in {given!r}",
                remedy="give a file or folder of the repository, or a pattern such as 'src/*.py'",
            )
        found |= meant
    return found


def _standing(fact: Fact) -> str | None:
    return fact.source.path if fact.source.kind != "git" else None


def _below(path: str, wanted: str) -> bool:
    return path == wanted or path.startswith(f"{wanted}/") or fnmatchcase(path, wanted)
