"""The folder of a run in the shape that readers of `t2c.run/v1` know (intent-evidence §8), folded from the journal.

Relations bear the ids that those readers work out anew, so that their own check of the graph's fingerprint holds
(decisions C6). Everything else in the folder is made of that same graph, which is why it names the same fingerprint.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import msgspec
import orjson

from t2c.ledger.changes.contract import dated, review_document, source_patch_set
from t2c.ledger.kernel.digests import short
from t2c.ledger.llm.synthesis.standing import Syntheses
from t2c.projections.base import Content, Inputs, in_blocks, pretty
from t2c.projections.changeplans import graph_of, published, standing
from t2c.projections.changeplans.model import Changes
from t2c.projections.changeplans.review import brief
from t2c.projections.fold import Folded
from t2c.projections.graph import Graph, Relation, fingerprint
from t2c.projections.manifest import Manifests, Rendered, RunTold
from t2c.projections.manifest.document import manifest_of
from t2c.projections.proposals import envelope
from t2c.projections.records import StandingRecords

__all__ = [
    "FOLDED",
    "FOLDED_FAILED",
    "MANIFEST",
    "Folder",
    "failed_folder",
    "reminted",
    "rendered_todo",
    "run_folder",
    "todo_document",
]

MANIFEST: Final = "manifest.json"
FOLDED: Final = (
    "changeplans",
    "communication",
    "conclusions",
    "diagnostics",
    "event-log",
    "graph",
    "proposals",
    "records",
    "manifest",
)
"""The projections that a folder is made of."""
FOLDED_FAILED: Final = ("event-log", "manifest")
"""Those that the folder of a failed run is made of: nothing of it claims to be whole."""

_KINDS: Final = (
    "nl",
    "git",
    "ast",
    "todo",
    "changelog",
    "document",
    "configuration",
    "runtime",
    "communication",
)
_BY_SOURCE: Final[Mapping[str, str]] = {
    "nl": "nl", "git": "git", "ast": "ast", "todo": "todo", "changelog": "changelog", "document": "document",
    "test": "runtime", "system": "configuration", "agent_log": "communication",
}  # fmt: skip
_BY_EXTRACTOR: Final = {
    "t2c/project-communication": "communication",
    "t2c/autonom-runtime-cycle": "runtime",
    "t2c/configuration-structural": "configuration",
}
_LOGICAL: Final[Mapping[str, str]] = {
    "code-change-plans.json": "codeChangePlans",
    "CODE_CHANGE.review.md": "codeChangeReview",
    "CODE_CHANGE.review.json": "codeChangeReviewAudit",
    "code-change-source-patches.json": "codeChangeSourcePatches",
    "intent.graph.json": "graph",
    "diagnostics.json": "diagnostics",
    "team-summary.md": "summary",
    "summary-conclusions.json": "summaryConclusions",
    "communication-analysis.json": "communicationAnalysis",
    "communication-analysis.md": "communicationAnalysisMarkdown",
    "task-synthesis.json": "taskSynthesis",
    "todo-validation.json": "todoValidation",
    "TODO.patch": "todoPatch",
    "TODO.patch.json": "todoPatchAudit",
    "logs.dsl.txt": "eventLog",
} | {f"{kind}.intent.jsonl": f"{kind}Intent" for kind in _KINDS}
"""File → its logical name in a manifest."""


class Folder(NamedTuple):
    """The files of a run's folder, the manifest last, and what `latest.json` beside it says: None of a failed run."""

    files: Mapping[str, Content]
    manifest: Mapping[str, Any]
    latest: bytes | None


class _Source(msgspec.Struct, frozen=True, gc=False):
    kind: str
    extractor: str


class _Record(msgspec.Struct, frozen=True, gc=False):
    source: _Source


class _Unnamed(msgspec.Struct, frozen=True, gc=False, rename={"source": "from"}):
    """A relation without its id: what the id is made of."""

    basis: tuple[str, ...]
    confidence: int | float
    source: str
    to: str
    type: str


_record = msgspec.json.Decoder(_Record).decode
_encode = msgspec.json.Encoder().encode


def run_folder(identity: str, folded: Folded, extra: Mapping[str, Content] | None = None) -> Folder:
    """The folder of a run that did not fail, from a fold of `FOLDED` up to its `folded_at`.

    `extra` are files that other parts of the run made, with names that a folder may have.
    """
    manifests: Manifests = folded.states["manifest"]
    run = manifests.runs[identity]
    states = {**folded.states, "graph": reminted(folded.states["graph"])}
    folded = msgspec.structs.replace(folded, states=states, made={})
    inputs = Inputs(folded.ts or run.ts, folded.states, folded.made)
    files: dict[str, Content] = {}
    for kind, lines in _records(inputs):
        files[f"{kind}.intent.jsonl"] = lines
    files["intent.graph.json"] = folded.artifacts("graph")["graph.json"]
    files["diagnostics.json"] = folded.artifacts("diagnostics")["diagnostics.json"]
    concluded = folded.artifacts("conclusions")
    files["team-summary.md"] = concluded["team-summary.md"]
    files["summary-conclusions.json"] = concluded["conclusions.json"]
    told = run.options.get("configuration", {})
    if told.get("includeCommunication", True):
        said = folded.artifacts("communication")
        files["communication-analysis.json"] = said["communication.json"]
        files["communication-analysis.md"] = said["communication.md"]
    syntheses: Syntheses = folded.states["conclusions"]
    audits: dict[str, Mapping[str, Any]] = {}
    if told.get("taskSynthesisMode", "disabled") != "disabled":
        found = envelope(syntheses.latest.get("tasks"), inputs)
        audits["taskSynthesis"] = found["audit"]
        proposed = folded.artifacts("proposals")
        files["task-synthesis.json"] = proposed["task-synthesis.json"]
        files["todo-validation.json"] = pretty(
            {name: value for name, value in found["validation"].items() if name != "schema"}
        )
    summary = syntheses.latest.get("summary")
    if summary is not None and run.options.get("summary") != "deterministic":
        audits["summary"] = _summary_audit(summary)
    if any(one.stage == "codeChangePlanning" and one.status != "skipped" for one in run.stages):
        files.update(_planned(folded, inputs, manifests.patches.values()))
    files.update(extra or {})
    files["logs.dsl.txt"] = folded.artifacts("event-log")["logs.dsl.txt"]
    graph = fingerprint(inputs)
    at = place(identity, run)
    manifest = manifest_of(
        identity,
        run,
        fingerprint=graph,
        files=_named(files, at),
        warnings=_left_out(folded.states["diagnostics"].omissions.values()),
        syntheses=audits,
    )
    latest = {
        "runId": identity,
        "runDirectory": at,
        "graphFingerprint": graph,
        "summary": f"{at}/team-summary.md",
        "summaryConclusions": f"{at}/summary-conclusions.json",
    }
    files[MANIFEST] = pretty(manifest)
    return Folder(files, manifest, pretty(latest))


def failed_folder(identity: str, folded: Folded) -> Folder:
    """The folder of a run that failed or never went on: its manifest and the event log, nothing else."""
    manifests: Manifests = folded.states["manifest"]
    run = manifests.runs[identity]
    files: dict[str, Content] = {"logs.dsl.txt": folded.artifacts("event-log")["logs.dsl.txt"]}
    named = _named(files, place(identity, run))
    manifest = manifest_of(identity, run, fingerprint=None, files=named, failed=True)
    files[MANIFEST] = pretty(manifest)
    return Folder(files, manifest, None)


def rendered_todo(manifests: Manifests, identity: str) -> Rendered | None:
    """The patch of the task list that a run rendered, or found rendered already; None where it has none."""
    stages = manifests.runs[identity].stages
    found = (
        one.detail for one in reversed(stages) if one.stage == "todoRendering" and one.status == "succeeded"
    )
    return manifests.patches.get(next(found, None) or "")


def todo_document(patch: Rendered) -> bytes:
    """`t2c.todo-patch/v1` as it is published, with the time at which it was rendered."""
    from t2c.ledger.changes.todo_patch import audit_told

    told = {**patch.artifact, "synthesisAudit": audit_told(patch.artifact["synthesisAudit"])}
    return pretty(dated(told, patch.ts))


def place(identity: str, run: RunTold) -> str:
    """Where the folder of a run was to lie, seen from the root."""
    out = str(run.options.get("out", ".t2c"))
    return f"runs/{identity}" if out in ("", ".") else f"{out}/runs/{identity}"


def reminted(state: Graph) -> Graph:
    """The same relations under the ids that a reader works out from all of their other members."""
    links: dict[str, bytes] = {}
    for data in state.links.values():
        told = orjson.loads(data)
        relation = msgspec.convert(told["relation"], Relation)
        unnamed = _Unnamed(
            relation.basis, _shortest(relation.confidence), relation.source, relation.to, relation.type
        )
        identity = f"REL-{short(_encode(unnamed))}"
        told["relation"]["id"] = identity
        links[identity] = orjson.dumps(told, option=orjson.OPT_SORT_KEYS)
    return Graph(links)


def _shortest(number: float) -> int | float:
    return int(number) if number == int(number) else number


def _records(inputs: Inputs) -> Iterator[tuple[str, Content]]:
    """A file of records for each kind; those of the code, which are the most, are gone through while they are written."""
    standing = StandingRecords.shown(inputs)
    found: dict[str, list[bytes]] = {kind: [] for kind in _KINDS}
    for identity, raw in standing:
        if not identity.startswith("INT-AST-"):
            found[_kind_of(raw)].append(bytes(raw))
    for kind in _KINDS:
        yield kind, in_blocks(_code(standing) if kind == "ast" else (line + b"\n" for line in found[kind]))


def _code(standing: StandingRecords) -> Iterator[bytes]:
    for identity, raw in standing:
        if identity.startswith("INT-AST-"):
            yield bytes(raw) + b"\n"


def _kind_of(raw: bytes) -> str:
    source = _record(raw).source
    extractor = source.extractor.rpartition("@")[0] or source.extractor
    return _BY_EXTRACTOR.get(extractor, _BY_SOURCE.get(source.kind, "document"))


def _planned(folded: Folded, inputs: Inputs, patches: Iterable[Rendered]) -> Iterator[tuple[str, Content]]:
    """The plans that stand, the brief that people approve, and what patches there are of these plans.

    They name the graph that they were drawn from, as their hashes do, which an approval may rest on already.
    """
    state: Changes = folded.states["changeplans"]
    graph = graph_of(state) or fingerprint(inputs)
    plans = [published(one) for one in standing(state, graph)]
    markdown = brief(plans, graph)
    ids = {one["id"] for one in plans}
    mine = [
        dated(one.artifact, one.ts)
        for one in patches
        if one.kind == "source" and one.artifact.get("planId") in ids
    ]
    yield "code-change-plans.json", folded.artifacts("changeplans")["code-change-plans.json"]
    yield "CODE_CHANGE.review.md", markdown
    yield "CODE_CHANGE.review.json", pretty(dated(review_document(plans, graph, markdown), inputs.ts))
    yield "code-change-source-patches.json", pretty(dated(source_patch_set(mine, graph), inputs.ts))


def _named(files: Iterable[str], at: str) -> dict[str, str]:
    return {_LOGICAL.get(name, name): f"{at}/{name}" for name in files}


def _left_out(omissions: Iterable[Any]) -> list[str]:
    """What is left out, summed by source and reason: `docs/omissions.md` says what each reason means."""
    counts: Counter[tuple[str, str]] = Counter()
    for one in omissions:
        counts[one.source, one.reason] += one.count
    return [f"{source}: {reason}: {count}" for (source, reason), count in counts.items()]


def _summary_audit(made: Any) -> Mapping[str, Any]:
    from t2c.ledger.llm.synthesis.audit import audit

    code, _, message = (made.detail or "").partition(": ")
    return audit(
        status=made.status,
        requested=made.asked.get("mode", "prefer-llm"),
        configuration=made.asked.get("configuration", {}),
        told=made.asked.get("responses", ()),
        records=len(made.conclusions),
        warnings=made.counts.get("abstained", 0) + (made.detail is not None),
        reason=None if made.detail is None else (code, message),
    )
