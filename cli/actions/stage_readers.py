"""The four stages that read records with a model, each its own way of asking (intent-evidence §6.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Final

from t2c.cli.actions.stages import WAVES, Stage, Status
from t2c.ledger.events.runs import OmissionNoted
from t2c.ledger.llm.ask import Asking, Unanswered
from t2c.ledger.llm.stages import communication, documents, markdown, natural_language
from t2c.ledger.llm.stages.batches import Failure, batches, enriched
from t2c.ledger.llm.stages.passages import Matched, Passage, passages
from t2c.ledger.llm.stages.prompts import COMMUNICATION, DOCUMENTS, MARKDOWN, NATURAL_LANGUAGE
from t2c.ledger.llm.stages.reading import Generator, Readable

__all__ = ["READERS"]

_PLACES: Final = 20
"""Lines that an omission names at most."""


class MarkdownStage(Stage):
    """Items of task lists and changelogs, in batches; what has a reading already is not asked about."""

    name = "markdown"
    prompt = MARKDOWN
    sources = ("todo", "changelog")
    own_model = "markdown_model"
    empty = Failure("NO_MARKDOWN_RECORDS", "no item of a task list or changelog stands")

    def wanted(self, record: Mapping[str, Any]) -> bool:
        return markdown.wanted(record)

    def asking(self, batch: Sequence[Readable]) -> Asking[markdown.Enriched]:
        """The question about one batch."""
        return markdown.asking(batch, self.model, self.settings.max_tokens)

    def questions_about(self, records: Sequence[Readable]) -> list[Asking[markdown.Enriched]]:
        return [self.asking(batch) for batch in batches(self._unread(records))]

    def read(self, records: Sequence[Readable]) -> Failure | None:
        pending = self._unread(records)
        about = {one.id: one for one in pending}
        return enriched(
            pending,
            self.asking,
            self.ask_many,
            lambda answer: self.take(answer, answer.value.readings, about, markdown.generator_of),
            at_once=WAVES * self.settings.concurrency,
        )

    def _unread(self, records: Sequence[Readable]) -> list[Readable]:
        return [one for one in records if not self.is_read(one)]


class ProseStage(Stage):
    """Passages of prose, whose statements are matched with the records that they are of.

    A text is asked about whole as long as one of its statements has no reading, so that what is said beside its records
    is counted whole. It is the same question each time, and is answered from the record.
    """

    generator: ClassVar[Generator]

    def asking(self, passage: Passage) -> Asking[Matched]:
        """The question about one passage."""
        raise NotImplementedError

    def passages_of(self, records: Sequence[Readable]) -> Sequence[Passage]:
        """The passages of these records that are asked about, should they have no reading."""
        return passages(records)

    def questions_about(self, records: Sequence[Readable]) -> list[Asking[Matched]]:
        return [self.asking(passage) for passage in self._unread(self.passages_of(records))]

    def read_passages(self, chosen: Sequence[Passage]) -> Failure | None:
        """Ask about passages and record the readings of their statements; the first failure, or None."""
        asked = self._unread(chosen)
        failure: Failure | None = None
        settled = {passage.path for passage in asked}
        others: Counter[str] = Counter()
        places: dict[str, set[int]] = {}
        at_once = WAVES * self.settings.concurrency
        for first in range(0, len(asked), at_once):
            part = asked[first : first + at_once]
            outcomes = self.ask_many([self.asking(passage) for passage in part])
            for passage, outcome in zip(part, outcomes, strict=True):
                if isinstance(outcome, Unanswered):
                    failure = failure or Failure(outcome.code, f"{passage.path}: {outcome.detail}")
                    settled.discard(passage.path)
                    continue
                found = outcome.value
                about = {one.id: one for one in passage.records}
                self.take(outcome, found.readings, about, lambda _: self.generator)
                others[passage.path] += found.others
                places.setdefault(passage.path, set()).update(found.at)
        self._leave_out(chosen, settled, others, places)
        return failure

    def _unread(self, chosen: Sequence[Passage]) -> list[Passage]:
        unread = {passage.path for passage in chosen if any(not self.is_read(one) for one in passage.records)}
        return [passage for passage in chosen if passage.path in unread]

    def _leave_out(
        self,
        chosen: Sequence[Passage],
        settled: set[str],
        others: Mapping[str, int],
        places: Mapping[str, set[int]],
    ) -> None:
        """Note what a model says beside the records, path by path; of a path that is gone nothing stays noted."""
        source = f"llm.{self.name}"
        noted = [
            OmissionNoted(
                source=source,
                path=path or None,
                reason="statement_of_model",
                count=count,
                lines=tuple(sorted(places[path])[:_PLACES]),
                detail="what a model says beside the statements that are recorded is no record",
            )
            for path, count in sorted(others.items())
            if count and path in settled
        ]
        there = {passage.path for passage in chosen}
        self.interpreter.omissions(
            noted, lambda of, path: of == source and ((path or "") in settled or (path or "") not in there)
        )


class NaturalLanguageStage(ProseStage):
    """Tasks and tickets."""

    name = "natural_language"
    prompt = NATURAL_LANGUAGE
    sources = ("nl",)
    own_model = "natural_language_model"
    empty = Failure("STAGE_SKIPPED", "no statement of a task or ticket stands")
    generator = natural_language.GENERATOR

    def wanted(self, record: Mapping[str, Any]) -> bool:
        return natural_language.wanted(record)

    def asking(self, passage: Passage) -> Asking[Matched]:
        return natural_language.asking(passage, self.model, self.settings.max_tokens)

    def read(self, records: Sequence[Readable]) -> Failure | None:
        return self.read_passages(self.passages_of(records))


class DocumentStage(ProseStage):
    """Documentation, the weightiest passages first, so many at most; a passage that fails loses no other."""

    name = "documents"
    prompt = DOCUMENTS
    sources = ("document",)
    own_model = "document_model"
    empty = Failure("STAGE_SKIPPED", "no statement of a document stands")
    generator = documents.GENERATOR

    def wanted(self, record: Mapping[str, Any]) -> bool:
        return documents.wanted(record)

    def when_failed(self) -> Status:
        return "partial" if self.answered else "fallback"

    def asking(self, passage: Passage) -> Asking[Matched]:
        return documents.asking(passage, self.model, self.settings.max_tokens)

    def passages_of(self, records: Sequence[Readable]) -> Sequence[Passage]:
        return self._chosen(records).passages

    def read(self, records: Sequence[Readable]) -> Failure | None:
        found = self._chosen(records)
        source = f"llm.{self.name}.budget"
        noted = [
            OmissionNoted(
                source=source,
                path=path or None,
                reason="passage_budget",
                count=count,
                lines=(),
                detail=f"passages beyond llm.document_chunks = {self.settings.document_chunks}",
            )
            for path, count in found.left_out.items()
        ]
        self.interpreter.omissions(noted, lambda of, _: of == source)
        if noted:
            read = len(found.passages)
            self.notices.append(
                f"DOC_CHUNK_BUDGET: analyzed {read:,} of {read + sum(found.left_out.values()):,} passages of documents, "
                f"the weightiest (llm.document_chunks = {self.settings.document_chunks})"
            )
        return self.read_passages(found.passages)

    def _chosen(self, records: Sequence[Readable]) -> documents.Chosen:
        named = documents.hints(self.now.of(("nl", "todo", "changelog"), lambda _: True))
        return documents.chosen(passages(records), named, self.settings.document_chunks)


class CommunicationStage(Stage):
    """What people and agents said: whole groups, each statement read and each participant summed up."""

    name = "communication"
    prompt = COMMUNICATION
    sources = ("agent_log",)
    own_model = "communication_model"
    empty = Failure("NO_COMMUNICATION_RECORDS", "nobody said anything about a ticket")

    def wanted(self, record: Mapping[str, Any]) -> bool:
        return communication.wanted(record)

    def questions_about(self, records: Sequence[Readable]) -> list[Asking[communication.Read]]:
        return [self.asking(pack) for pack in self._unread(records)]

    def asking(self, pack: Sequence[communication.Group]) -> Asking[communication.Read]:
        """The question about some groups."""
        return communication.asking(pack, self.model, self.settings.max_tokens)

    def read(self, records: Sequence[Readable]) -> Failure | None:
        name = self.prompt.name
        packs = self._unread(records)
        outcomes = self.ask_many([self.asking(pack) for pack in packs])
        failure: Failure | None = None
        for pack, outcome in zip(packs, outcomes, strict=True):
            if isinstance(outcome, Unanswered):
                failure = failure or Failure(outcome.code, outcome.detail)
                continue
            found = outcome.value
            drawn = [communication.drawn(one, name, outcome.story, outcome.event) for one in found.syntheses]
            self.interpreter.syntheses(drawn, outcome.story)
            about = {one.id: one for group in pack for one in group.records}
            self.take(outcome, found.readings, about, lambda _: communication.GENERATOR)
        return failure

    def _unread(self, records: Sequence[Readable]) -> list[list[communication.Group]]:
        name = self.prompt.name
        return [
            pack
            for pack in communication.requests(communication.groups(records))
            if any(
                self.anew
                or not self.now.is_summed(group.key, group.digest, name)
                or any(not self.is_read(one) for one in group.records)
                for group in pack
            )
        ]


READERS: Final[Mapping[str, type[Stage]]] = MappingProxyType(
    {kind.name: kind for kind in (NaturalLanguageStage, MarkdownStage, DocumentStage, CommunicationStage)}
)
"""The stages by name, in the order in which they are done."""
