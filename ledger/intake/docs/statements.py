"""From what a document says to drafts: the fields that all of its statements share."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from t2c.ledger.events.record import Action, EpistemicClass, Modality, Polarity, Status
from t2c.ledger.intake.base import MAX_EXCERPT, Draft, Tree, shortened
from t2c.ledger.intake.docs.blocks import Code, Text
from t2c.ledger.intake.docs.references import Links, links, located
from t2c.ledger.intake.inline import code_spans, plain
from t2c.ledger.intake.lines import Notes
from t2c.ledger.intake.markup import MAX_STATEMENT
from t2c.ledger.intake.mentions import Mentions, mentions, resolved
from t2c.ledger.intake.text import action_and_object, modality, polarity

__all__ = ["Statements"]

_LEAST: Final = 24
"""Characters below which a sentence that names something is too short to be a statement."""
_STEP: Final = 300
"""Characters of a heading that stand in the trails of the statements below it."""
_LINE: Final = 120
"""Characters of the code line that tells one example from another."""
_HOST: Final = re.compile(r"(?:www|docs|api)\..*|.*\.(?:dev|localhost|internal|example)|example\.\w+")
_UNTELLING: Final = re.compile(
    r"(?:import|from|use|using|package|require|include|#|//|/\*|\*|--|<!|<\?|\.\.\.|[\[\](){}\s,;]*$|['\"]use strict|@?echo off"
    r"|(?:const|let|var)\b[^=]*=\s*(?:await\s+)?(?:require|import)\b)",
    re.IGNORECASE,
)


class Statements(Struct):
    """Makes the drafts of one document; `structure` is the basis that names its markup."""

    path: str
    tree: Tree
    notes: Notes
    references: Mapping[str, str]
    structure: str

    @property
    def folder(self) -> str:
        """The folder of the document."""
        return self.path.rpartition("/")[0]

    def heading(self, text: str, line: int, trail: tuple[str, ...], level: int) -> Draft:
        """A heading: what the text below it is about."""
        return self._statement(
            text, text, (line, line), trail, mentions(text), _NO_LINKS, 0.55, ("heading_context",), "heading",
            {"level": level},
        )  # fmt: skip

    def reference(self, block: Text, text: str, trail: tuple[str, ...]) -> Draft | None:
        """A paragraph, item or row that names a file, a ticket or an identifier in code; None if it names nothing."""
        if len(text) < _LEAST:
            return None
        found, leads = self.named(block, text)
        if not (found.paths or found.tickets or leads.paths or leads.broken or _in_code(text, found)):
            return None
        context = ("explicit_target_reference", *(("heading_context",) if trail else ()))
        return self._statement(
            text, block.raw, (block.start, block.end), trail, found, leads, 0.62, context, "reference", {}
        )

    def named(self, block: Text, text: str) -> tuple[Mentions, Links]:
        """What a block names in words, and where its links lead."""
        written = block.raw if self.structure == "rst_structure" else block.text
        leads = links(written, self.references, self.folder, self.tree)
        return mentions(f"{text} {block.more}" if block.more else text), leads

    def example(self, code: Code, trail: tuple[str, ...]) -> Draft:
        """A block of code in a named language; its first line that tells anything keeps examples apart."""
        line = next((row.strip() for row in code.lines if not _UNTELLING.match(row.strip())), "")
        paths: tuple[str, ...] = ()
        metadata: dict[str, Any] = {}
        if code.includes is not None:
            line = code.includes
            path, missing = located(line, self.folder, self.tree)
            paths = (path,) if path is not None else ()
            metadata = {"brokenLinks": [line]} if missing else {}
        subject = f"{code.language} example"
        return Draft(
            kind="documentation_example",
            text=f"{subject}: {shortened(line, _LINE)}" if line else subject,
            object=subject,
            action="document",
            cls="declaration",
            status="proposed",
            confidence=0.50,
            basis=(self.structure, "fenced_code_block"),
            trail=trail,
            lines=(code.start, code.end),
            paths=paths,
            excerpt=self._excerpt("\n".join(code.lines), code.start) or line,
            metadata={
                "headingPath": list(trail),
                "documentationOrigin": "code_block",
                "language": code.language,
            }
            | metadata,
        )

    def requirement(
        self,
        block: Text,
        text: str,
        trail: tuple[str, ...],
        *,
        standing: tuple[EpistemicClass, Status],
        binds: tuple[Modality, Polarity],
        confidence: float,
        basis: tuple[str, ...],
        metadata: dict[str, Any],
        action: Action | None = None,
    ) -> Draft:
        """A sentence that plans; `metadata.constraint` says that it forbids, so that absence satisfies it."""
        found, leads = self.named(block, text)
        strength, direction = binds
        constraint = direction == "negative" and strength in ("required", "recommended")
        done, about = action_and_object(text, action)
        return self.draft(
            "requirement", text, block.raw, (block.start, block.end), trail,
            found=found, leads=leads, action=done, about=about, standing=standing, binds=binds,
            confidence=confidence, basis=basis,
            metadata={"documentationOrigin": "requirement", "constraint": constraint, **metadata},
        )  # fmt: skip

    def draft(
        self,
        kind: str,
        text: str,
        raw: str,
        lines: tuple[int, int],
        trail: tuple[str, ...],
        *,
        found: Mentions,
        leads: Links,
        action: Action,
        about: str,
        standing: tuple[EpistemicClass, Status],
        binds: tuple[Modality, Polarity],
        confidence: float,
        basis: tuple[str, ...],
        metadata: dict[str, Any],
        subject: str | None = None,
    ) -> Draft:
        """A draft of any kind, its paths resolved and its hosts taken out of the symbols."""
        if leads.broken:
            metadata = {**metadata, "brokenLinks": list(leads.broken)}
        return Draft(
            kind=kind,
            text=text,
            object=about,
            action=action,
            cls=standing[0],
            status=standing[1],
            confidence=confidence,
            basis=(self.structure, *basis),
            trail=trail,
            lines=lines,
            subject=subject,
            modality=binds[0],
            polarity=binds[1],
            paths=tuple(sorted({*resolved(found, self.tree, self.folder), *leads.paths})),
            symbols=tuple(name for name in found.symbols if not _HOST.fullmatch(name)),
            tickets=found.tickets,
            versions=found.versions,
            excerpt=self._excerpt(raw, lines[0]),
            metadata={"headingPath": list(trail), **metadata},
        )

    def _statement(
        self,
        text: str,
        raw: str,
        lines: tuple[int, int],
        trail: tuple[str, ...],
        found: Mentions,
        leads: Links,
        confidence: float,
        basis: tuple[str, ...],
        origin: str,
        metadata: dict[str, Any],
    ) -> Draft:
        done, about = action_and_object(text)
        return self.draft(
            "documentation_statement", text, raw, lines, trail,
            found=found, leads=leads, action=done, about=about, standing=("declaration", "proposed"),
            binds=(modality(text), polarity(text)), confidence=confidence, basis=basis,
            metadata={"documentationOrigin": origin, **metadata},
        )  # fmt: skip

    def bounded(self, text: str, line: int) -> str:
        """What a piece of Markdown says, cut where it is longer than a statement may be."""
        if len(text) > 2 * MAX_STATEMENT:
            text = text[: 2 * MAX_STATEMENT]
        text = plain(text)
        if len(text) <= MAX_STATEMENT:
            return text
        self.notes.add("statement_truncated", f"longer than {MAX_STATEMENT} characters", line)
        return shortened(text, MAX_STATEMENT)

    def _excerpt(self, raw: str, line: int) -> str:
        if len(raw) <= MAX_EXCERPT:
            return raw
        self.notes.add("excerpt_truncated", f"longer than {MAX_EXCERPT} characters", line)
        return shortened(raw, MAX_EXCERPT)

    @staticmethod
    def step(heading: str) -> str:
        """A heading as a step of a trail."""
        return shortened(heading, _STEP)


_NO_LINKS: Final = Links((), ())


def _in_code(text: str, found: Mentions) -> bool:
    """True if one of the symbols found stands in code."""
    if not found.symbols or "`" not in text:
        return False
    spans = [text[start:end].replace("::", ".").replace("#", ".") for start, end, _ in code_spans(text)]
    return any(name in span for span in spans for name in found.symbols)
