"""`t2c runs`: the runs that the journal tells of, and those that another system left in the tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

import orjson

from t2c.cli.actions.context import Context
from t2c.cli.actions.moment import resolve, with_events
from t2c.cli.actions.opening import open_ledger
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Usage
from t2c.ledger.journal.files import read_regular
from t2c.projections.base import Inputs
from t2c.projections.facts import SEVERITIES
from t2c.projections.fold import Folded, fold, fold_at
from t2c.projections.registry import ALL
from t2c.projections.runs import Moment, Run, Started, started

__all__ = ["ForeignRun", "RunRow", "RunsAsked", "RunsList", "ShownRun", "listed", "shown"]

_FOREIGN: Final = ".intent/runs"
_MOST_BYTES: Final = 1 << 24
_MOST_FOREIGN: Final = 10_000


class RunsAsked(NamedTuple):
    """Which runs are asked for. The first four are of what stood when a run ended; `limit` 0 is all of them."""

    participant: str | None = None
    role: str | None = None
    ticket: str | None = None
    severity: str | None = None
    verb: str | None = None
    status: str | None = None
    at: str | None = None
    limit: int = 20

    @property
    def of_content(self) -> bool:
        return any((self.participant, self.role, self.ticket, self.severity))


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run of this ledger. `status` is succeeded, partial or failed; `failed_at` is the stage that it got to last."""

    run: str
    verb: str
    status: str
    failed_at: str | None
    began: str
    seq: int
    requested_by: str
    appended: int
    folder: bool


@dataclass(frozen=True, slots=True)
class ForeignRun:
    """A manifest of another system. `legacy` is true for one from before runs told of their stages."""

    run: str
    path: str
    legacy: bool
    status: str | None
    created: str
    runtime: str | None
    stages: Mapping[str, str] | None


@dataclass(frozen=True, slots=True)
class RunsList:
    """The newest runs first. `more` counts those that fit and were not looked at by the limit, `unreadable` says of
    manifests that are none why."""

    schema: ClassVar[str] = "t2c.runs-list/v1"
    seq: int
    runs: Sequence[RunRow]
    foreign: Sequence[ForeignRun]
    more: int
    unreadable: Sequence[Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class ShownRun:
    """One run as its events tell it, with its manifest where it has one; `written` are files made now."""

    schema: ClassVar[str] = "t2c.run-shown/v1"
    run: str
    told: Mapping[str, Any]
    manifest: Mapping[str, Any] | None
    written: Sequence[str]


def listed(context: Context, asked: RunsAsked) -> RunsList:
    """The runs that fit. Raises Usage for what is no severity, status or moment, and where there is no ledger."""
    if asked.severity is not None and asked.severity not in SEVERITIES:
        raise Usage(f"there is no severity {asked.severity!r}", remedy=f"there are {', '.join(SEVERITIES)}")
    statuses = ("succeeded", "partial", "degraded", "failed")
    if asked.status is not None and asked.status not in statuses:
        raise Usage(f"there is no status {asked.status!r}", remedy=f"there are {', '.join(statuses)}")
    foreign, unreadable = _foreign(context.root, asked)
    with open_ledger(context) as ledger:
        with_events(ledger)
        until = None if asked.at is None else resolve(context, ledger, asked.at).seq
        context.progress("fold", 0, None)
        folded = fold(ledger.journal, ALL, ["runs"], until=until, cache=ledger.cache / "folds")
        found = [
            one
            for one in reversed(started(folded.states["runs"]))
            if asked.verb in (None, one[2].verb) and _is(one[1].status, asked.status)
        ]
        looked = found if asked.limit == 0 else found[: asked.limit]
        if asked.of_content:
            holds = _holding(ledger, asked, looked, folded.position.seq)
            looked_at = [one for one in looked if one[0] in holds]
        else:
            looked_at = looked
    return RunsList(
        seq=folded.position.seq,
        runs=[_row(*one) for one in looked_at],
        foreign=foreign,
        more=len(found) - len(looked),
        unreadable=unreadable,
    )


def shown(context: Context, name: str, out: str | None = None) -> ShownRun:
    """One run, by its id, the beginning of it, or `latest`: the last one that ended; with `out` its folder, made again.

    Raises Usage for a run that there is not or is not one, for a folder that is there already, and where `out` is
    asked of a run that has no folder.
    """
    from t2c.cli.actions.run_folder import folder_of, publish, runs_told, stage_folder

    with open_ledger(context) as ledger:
        with_events(ledger)
        context.progress("fold", 0, None)
        folded = fold(ledger.journal, ALL, ["runs"], cache=ledger.cache / "folds")
        identity, run, what, began = _named(started(folded.states["runs"]), name)
        manifest, written = None, []
        if identity in runs_told(ledger):
            folder = folder_of(ledger, identity)
            manifest = folder.manifest
            if out is not None:
                target = context.path(out)
                publish(stage_folder(target.parent, target.name, folder.files), target)
                written = sorted(folder.files)
        elif out is not None:
            raise Usage(
                f"run {identity} has no folder: it was t2c {what.verb}",
                remedy="`t2c runs list --verb run` shows those that do",
            )
    told = {
        "verb": what.verb,
        "requestedBy": what.requested_by,
        "tool": what.tool,
        "began": {"seq": began.seq, "ts": began.ts},
        "ended": None if run.ended is None else {"seq": run.ended.seq, "ts": run.ended.ts},
        "status": run.status,
        "failedAt": _failed_at(run),
        "detail": None if run.outcome is None else run.outcome.detail,
        "stages": [
            {"stage": one.name, "status": one.status, "counts": one.counts, "detail": one.detail}
            for one in run.stages
        ],
        "appended": run.appended,
    }
    return ShownRun(identity, told, manifest, written)


_One = tuple[str, Run, Started, Moment]


def _named(runs: Sequence[_One], name: str) -> _One:
    if name == "latest":
        ended = [one for one in runs if one[1].outcome is not None and one[1].status != "failed"]
        whole = [one for one in ended if one[2].verb == "run"] or ended
        if not whole:
            raise Usage("no run came to its end yet", remedy="`t2c run` does every stage")
        return whole[-1]
    found = [one for one in runs if name and one[0].startswith(name)]
    exact = [one for one in found if one[0] == name]
    if len(exact or found) != 1:
        said = "more than one run begins so" if found else "there is no such run"
        raise Usage(f"{said}: {name[:80]}", remedy="`t2c runs list` shows their ids")
    return (exact or found)[0]


def _row(identity: str, run: Run, what: Started, began: Moment) -> RunRow:
    return RunRow(
        run=identity,
        verb=what.verb,
        status=run.status,
        failed_at=_failed_at(run),
        began=began.ts,
        seq=began.seq,
        requested_by=what.requested_by,
        appended=sum(run.appended.values()),
        folder=what.verb == "run",
    )


def _failed_at(run: Run) -> str | None:
    if run.status != "failed":
        return None
    return run.stages[-1].name if run.stages else "started"


def _is(status: str, wanted: str | None) -> bool:
    """True for a status that is asked for: what manifests call degraded is partial in the journal."""
    return wanted is None or status == ("partial" if wanted == "degraded" else wanted)


def _holding(ledger: Ledger, asked: RunsAsked, runs: Sequence[_One], head: int) -> set[str]:
    """Those runs at whose end what is asked for stood: one reading of the journal for all of them."""
    ends: dict[int, list[str]] = {}
    for identity, run, _, began in runs:
        ends.setdefault(min(head, run.ended.seq if run.ended is not None else began.seq), []).append(identity)
    if not ends:
        return set()
    name = "records" if asked.severity is None else "diagnostics"
    holds: set[str] = set()
    for folded in fold_at(ledger.journal, ALL, [name, "records"], ends):
        if _holds(folded, asked):
            holds.update(ends[folded.position.seq])
    return holds


def _holds(folded: Folded, asked: RunsAsked) -> bool:
    from t2c.projections.diagnostics import findings_of
    from t2c.projections.diffs.graph_diff import Filter, has
    from t2c.projections.records import StandingRecords

    inputs = Inputs(folded.ts or "", folded.states)
    cited: frozenset[str] | None = None
    if asked.severity is not None:
        least = SEVERITIES.index(asked.severity)
        found = [one for one in findings_of(inputs) if SEVERITIES.index(one.severity) >= least]
        if not found:
            return False
        if not (asked.participant or asked.role or asked.ticket):
            return True
        cited = frozenset(identity for one in found for identity in one.records)
    wanted = Filter(asked.participant, asked.role, asked.ticket, cited)
    return any(has(wanted, raw) for _, raw in StandingRecords.shown(inputs))


def _foreign(root: Path, asked: RunsAsked) -> tuple[list[ForeignRun], list[dict[str, str]]]:
    """Manifests of another system in the tree, the newest first; read and believed for what they are."""
    if asked.of_content or asked.verb is not None or asked.at is not None:
        return [], []
    found: list[ForeignRun] = []
    unreadable: list[dict[str, str]] = []
    for path in _manifests(root):
        shown = path.relative_to(root).as_posix()
        try:
            found.append(_foreign_run(shown, read_regular(path, _MOST_BYTES)))
        except (OSError, ValueError, RecursionError) as error:
            why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            unreadable.append({"path": shown, "why": why[:300]})
    kept = [
        one
        for one in found
        if asked.status is None or _is(one.status or "", asked.status) or one.status == asked.status
    ]
    kept.sort(key=lambda one: (one.created, one.run), reverse=True)
    return kept, unreadable


def _manifests(root: Path) -> Iterator[Path]:
    folder = root / _FOREIGN
    if folder.is_symlink() or folder.parent.is_symlink() or not folder.is_dir():
        return
    try:
        names = sorted(entry.name for entry in folder.iterdir() if entry.is_dir() and not entry.is_symlink())
    except OSError:
        return
    for name in names[:_MOST_FOREIGN]:
        path = folder / name / "manifest.json"
        if path.is_symlink() or path.exists():
            yield path


def _foreign_run(shown: str, content: bytes) -> ForeignRun:
    """Raises ValueError for what is no manifest."""
    told = orjson.loads(content)
    known = isinstance(told, dict) and told.get("schemaVersion") == "t2c.run/v1"
    if not known or not all(isinstance(told.get(name), str) for name in ("runId", "createdAt")):
        raise ValueError("it is no manifest of t2c.run/v1 that names its run and its time")
    status, stages, runtime = (told.get(name) for name in ("status", "stages", "runtime"))
    return ForeignRun(
        run=told["runId"][:200],
        path=shown,
        legacy=any(value is None for value in (status, stages, runtime)),
        status=status if isinstance(status, str) else None,
        created=told["createdAt"][:40],
        runtime=_runtime(runtime),
        stages=_stages(stages),
    )


def _runtime(told: object) -> str | None:
    if not isinstance(told, dict):
        return None
    return f"{str(told.get('name', ''))[:100]} {str(told.get('version', ''))[:100]}".strip() or None


def _stages(told: object) -> dict[str, str] | None:
    if not isinstance(told, dict):
        return None
    return {
        str(name)[:100]: str(audit.get("status", "unknown"))[:40]
        for name, audit in sorted(told.items())
        if isinstance(audit, dict)
    }
