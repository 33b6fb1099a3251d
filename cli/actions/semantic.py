"""Candidates that words propose, judged by a model, once the records are read: behind a setting that nothing shows.

What is retrieved decides nothing; only what the model accepts becomes a relation, as its claim. It is asked about a
clean snapshot of Git alone, so that whoever has the revision has what was shown (intent-evidence §10.1).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

import msgspec
import orjson

from t2c.cli.actions.context import Context
from t2c.cli.actions.readings import Interpreter, Stood, stood
from t2c.cli.actions.stages import Stage, StageAudit, Status
from t2c.ledger.commands.relations import decide_accepted
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Environment
from t2c.ledger.events.draft import draft
from t2c.ledger.events.evidence import RelationLinked
from t2c.ledger.events.interpretation import ACCEPTED
from t2c.ledger.events.runs import OmissionNoted
from t2c.ledger.events.statements import ObservationNoted
from t2c.ledger.execution.fingerprint import fingerprint
from t2c.ledger.intake.git_command import GitUnusable, open_repository
from t2c.ledger.intake.inventory import repository_name
from t2c.ledger.linking.features import Ranker, assembled, decoded
from t2c.ledger.linking.linker import LINKED
from t2c.ledger.llm.ask import Answered, Asker, Unanswered
from t2c.ledger.llm.semantic.candidates import Retrieved, retrieve
from t2c.ledger.llm.semantic.contracts import MOST
from t2c.ledger.llm.semantic.rerank import PROMPT, TOKENS, Subject, asking, relations, reranked, subject
from t2c.ledger.llm.stages.batches import Failure
from t2c.projections.base import Inputs
from t2c.projections.fold import fold
from t2c.projections.graph import fingerprint_as_found, links
from t2c.projections.records import StandingRecords
from t2c.projections.registry import ALL

__all__ = ["judged"]

_CODE: Final = ("INT-AST-", "INT-SYS-")
_NAMED: Final = 3
"""Paths that a refusal names."""


class _Graph(NamedTuple):
    """What is asked about: the records as they were found, and the relations that the linker found between them."""

    generated_at: str
    fingerprint: str
    records: Mapping[str, bytes]
    related: frozenset[str]


class _Source(msgspec.Struct):
    kind: str


class _Head(msgspec.Struct):
    source: _Source


_head = msgspec.json.Decoder(_Head).decode


def judged(
    context: Context, ledger: Ledger, asker: Asker, revision: str | None, interpreter: Interpreter
) -> StageAudit:
    """Let the model judge which module each statement means that has no relation to code; what it accepts is related.

    `revision` is that of Git which was scanned. Without an explicit revision of the model, and unless the work tree is
    as HEAD has it and HEAD is that revision, nothing is asked: the stage is skipped, and a `degradation.noted` says why.
    What is recorded is recorded by `interpreter`. An answer that breaks one rule counts for nothing, and what stood stays. Raises Model (exit 7) for a request that a
    replay does not know.
    """
    return _Semantic(context, asker, interpreter, stood(ledger), ledger, revision).run()


class _Semantic(Stage):
    """The stage; it reads pairs of records and records relations."""

    name = PROMPT.stage
    prompt = PROMPT
    sources = ()
    own_model = "model"
    empty = Failure("STAGE_SKIPPED", "words propose no module for a statement without a relation to code")

    def __init__(
        self,
        context: Context,
        asker: Asker,
        interpreter: Interpreter,
        now: Stood,
        ledger: Ledger,
        revision: str | None,
    ) -> None:
        super().__init__(context, asker, interpreter, now, "prefer-llm")
        self._ledger = ledger
        self._revision = revision
        self._accepted = 0

    def run(self) -> StageAudit:
        if self._asker.mode == "off":
            return self._audit("skipped", "disabled", Failure("LLM_DISABLED", "asking a model is off"))
        began, mark = self._context.clock.now(), self.interpreter.begin()
        refusal, number = self._refusal(), 0
        status: Status = "skipped"
        if refusal is None:
            graph = _graph(self._ledger, self.now)
            found = self._retrieved(graph)
            number = len({one.declarationRecordId for one in found.candidates.candidates})
            refusal = self._untracked(graph, found)
            if refusal is None:
                self._leave_out(found.cut)
                if not number:
                    return self._audit("skipped", "llm", self.empty)
                refusal = self._judge(graph, found)
                status = "fallback" if refusal is not None else "succeeded"
        counts = {"statements": number, "accepted": self._accepted}
        recorded = self.interpreter.end(
            mark, self.name, status, refusal, counts, asked="candidates judged by a model"
        )
        spent = self._context.clock.now() - began
        milliseconds = max(0, round(spent.total_seconds() * 1000)) if self._stories else 0
        audit = self._audit(
            status, "llm", refusal, counts=(number, self._accepted, recorded), milliseconds=milliseconds
        )
        if refusal is not None and status == "skipped":
            told = f"{self.name} was skipped ({refusal.code}): {refusal.message}"
            return replace(audit, warnings=[told], warningCount=1)
        return audit

    def _refusal(self) -> Failure | None:
        """Why nothing is asked at all, by what is set and by Git."""
        if not self.settings.semantic_model_revision.strip():
            return Failure("STAGE_SKIPPED", "llm.semantic_model_revision does not name the model's revision")
        if self._revision is None:
            return Failure("STAGE_SKIPPED", "no revision of Git was scanned")
        try:
            tree = fingerprint(self._context.root)
        except Environment as error:
            return Failure("STAGE_SKIPPED", error.what)
        if tree.changed:
            named = ", ".join(item.path for item in tree.changed[:_NAMED])
            more = ", …" if len(tree.changed) > _NAMED else ""
            return Failure("STAGE_SKIPPED", f"the work tree is not as HEAD has it: {named}{more}")
        if tree.revision != self._revision:
            return Failure("STAGE_SKIPPED", f"HEAD is {tree.revision}, and {self._revision} was scanned")
        return None

    def _untracked(self, graph: _Graph, found: Retrieved) -> Failure | None:
        """A record to be shown stands in a file that Git does not track."""
        paths = {_path(graph.records[identity]) for identity in _subjects(found)} - {None}
        try:
            tracked = _tracked(self._context, sorted(path for path in paths if path is not None))
        except GitUnusable as error:
            return Failure("STAGE_SKIPPED", error.detail)
        missing = sorted(path for path in paths if path is not None and path not in tracked)
        if not missing:
            return None
        named = ", ".join(missing[:_NAMED])
        return Failure("STAGE_SKIPPED", f"Git does not track what would be shown: {named}")

    def _retrieved(self, graph: _Graph) -> Retrieved:
        bodies = (raw for raw in graph.records.values() if _head(raw).source.kind in LINKED)
        corpus = assembled(*decoded(bodies), self._ranker())
        verdicts = self.now.state.verdicts
        return retrieve(
            corpus,
            graph.related,
            {identity for identity, verdict in verdicts.items() if verdict == "wrong"},
            graph_fingerprint=graph.fingerprint,
            generated_at=graph.generated_at,
            most=max(1, min(MOST, self.settings.max_tokens // TOKENS)),
        )

    def _ranker(self) -> Ranker | None:
        if not self._context.settings.scan.embeddings:
            return None
        from t2c.ledger.linking.language.embeddings import ranker

        return ranker()

    def _leave_out(self, cut: int) -> None:
        noted = OmissionNoted(
            source=f"llm.{self.name}",
            path=None,
            reason="candidates_capped",
            count=max(1, cut),
            lines=(),
            detail="pairs of a statement and a module that were not asked about",
        )
        self.interpreter.omissions([noted] if cut else [], lambda of, _: of == noted.source)

    def _judge(self, graph: _Graph, found: Retrieved) -> Failure | None:
        asked = found.candidates
        subjects = {identity: _subject(graph.records[identity]) for identity in _subjects(found)}
        question = asking(asked, subjects, self.model, self.settings.max_tokens, found.cut)
        try:
            answer = self._asker.ask(question)
        except Unanswered as error:
            self._stories += error.stories
            return Failure(error.code, error.detail)
        self._stories.append(answer.story)
        funnel = self._ledger.funnel
        result = reranked(
            asked,
            funnel.mask_value(answer.value)[0],
            question=question,
            story=answer.story,
            model_revision=self.settings.semantic_model_revision.strip(),
            generated_at=graph.generated_at,
        )
        mask = funnel.mask_json
        accepted = [RelationLinked.decode(mask(one.encode()).content) for one in relations(asked, result)]
        self._accepted = len(accepted)
        drafts = decide_accepted(
            self.now.state,
            accepted,
            {(one.declarationRecordId, one.moduleRecordId) for one in asked.candidates},
            actor=self.interpreter.speaker(answer.story),
            answered=answer.event,
        )
        key = f"semantic:{asked.candidateSetHash}:{result.resultHash}"
        if self._ledger.index.keyed(key) is None:
            put = self._ledger.objects.put
            kept = [put(mask(document).content) for document in (asked.document(), result.document())]
            drafts.append(draft(_noted(answer, kept), trust="observed", cause=(answer.event,), key=key))
        self.interpreter.record(drafts)
        return None


def _noted(answer: Answered[Any], kept: list[str]) -> ObservationNoted:
    """The two artifacts, which are objects and no views."""
    return ObservationNoted(
        statement="candidates were judged by a model; both contracts are kept",
        about=(answer.event,),
        objects=tuple(kept),
        metadata={"semantic-candidates.json": kept[0], "semantic-rerank.json": kept[1]},
    )


def _graph(ledger: Ledger, now: Stood) -> _Graph:
    """What another ledger recorded is not asked about: a scan of this one could not tell when it changes."""
    folded = fold(ledger.journal, ALL, ["graph"], cache=ledger.cache / "folds")
    inputs = Inputs(folded.ts or "", folded.states, folded.made)
    standing = StandingRecords.of(inputs)
    related: set[str] = set()
    for link in links(folded.states["graph"], standing):
        ends = link.relation.source, link.relation.to
        if link.rule != ACCEPTED and any(end.startswith(_CODE) for end in ends):
            related.update(ends)
    records = {identity: raw for identity, raw in standing if identity in now.state.records}
    return _Graph(inputs.ts, fingerprint_as_found(inputs), records, frozenset(related))


def _subjects(found: Retrieved) -> Iterator[str]:
    for one in found.candidates.candidates:
        yield one.declarationRecordId
        yield one.moduleRecordId


def _subject(raw: bytes) -> Subject:
    return subject(orjson.loads(raw))


def _path(raw: bytes) -> str | None:
    path: str | None = orjson.loads(raw)["source"]["path"]
    return path


def _tracked(context: Context, paths: list[str]) -> set[str]:
    """Those of the paths that Git tracks."""
    if not paths:
        return set()
    with open_repository(context.root) as repository:
        command = ("--literal-pathspecs", "ls-files", "-z", "--", *paths)
        with repository.output(*command) as stream:
            listed = stream.read().split(b"\0")
    return {repository_name(raw) for raw in listed if raw}
