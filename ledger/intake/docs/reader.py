"""One pass over the blocks of a document: which say what is, and which plan.

A sentence plans only in a section that plans or in a form that plans; all else is advice or description, and
stays a declaration.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from t2c.ledger.events.record import Action, EpistemicClass, Status
from t2c.ledger.intake.base import Draft
from t2c.ledger.intake.docs.blocks import Code, Document, Heading, Text
from t2c.ledger.intake.docs.decisions import Decision, action_of, standing_of
from t2c.ledger.intake.docs.openspec import DELTAS, UnknownSections, near_sections, renaming
from t2c.ledger.intake.docs.pending import Scenario, Specified
from t2c.ledger.intake.docs.place import Above, Place
from t2c.ledger.intake.docs.profile import Profile, with_title
from t2c.ledger.intake.docs.references import located
from t2c.ledger.intake.docs.requirements import (
    BOX,
    Named,
    advises,
    binding,
    form_of,
    identifier_of,
    keyword_of,
    named,
    obliges,
    specification_item,
    tells_of_plans,
)
from t2c.ledger.intake.docs.sections import heading_text
from t2c.ledger.intake.docs.statements import Statements
from t2c.ledger.intake.text import fold, modality, polarity

__all__ = ["Reader"]

_LEVELS: Final = 4
"""Headings deeper than this are no statements of their own."""
_CONFIDENCE: Final = {
    "checkbox": 0.75, "identified": 0.80, "heading": 0.80, "story": 0.70, "scenario": 0.70, "keyword": 0.70,
    "section": 0.60, "decision": 0.60,
}  # fmt: skip
_NOT_THE_STATEMENT: Final = re.compile(r"\*\*[^*]{1,40}(?:\*\*\s*:|:\s*\*\*)")
_LINK_ALONE: Final = re.compile(r"\W{0,4}\[[^\[\]]*\]\([^()]*\)\W{0,3}$|<?https?://\S+$")
_TICKED: Final = re.compile(
    r"\W{0,4}(?:✅|☑|✔|✓|:white_check_mark:|:heavy_check_mark:|~~.+~~\W*$)|.*(?:✅|☑|✔|✓)\W*$"
)
_UNDER_WAY: Final = re.compile(
    r"🚧|⏳|:construction:|\((?:in progress|wip|w toku|w trakcie)\)", re.IGNORECASE
)
_STATEMENT_COLUMNS: Final = re.compile(
    r"(?:requirement|description|statement|title|text|summary|wymaganie|opis|tre[sś][cć])s?$", re.IGNORECASE
)
_WORD: Final = re.compile(r"[^\W\d_]{2}")


class _Open(NamedTuple):
    """A requirement that a heading names and whose statement is still to come."""

    sign: Named
    block: Text


class Reader:
    """Reads one document; `read` gives its drafts in the order of the file."""

    def __init__(
        self, document: Document, profile: Profile, decision: Decision | None, statements: Statements
    ) -> None:
        self._document = document
        self._profile = profile
        self._decision = decision
        self._make = statements
        self._place = Place(decision is not None and decision.status == "accepted")
        self._open: _Open | None = None
        self._scenario: Scenario | None = None
        self._specified: Specified | None = None
        self._renamed: str | None = None
        self._unknown = UnknownSections()

    def read(self) -> Iterator[Draft]:
        """All statements of the document."""
        decision = self._decision
        for at, block in enumerate(self._document.blocks):
            if decision is not None:
                if at == decision.at:
                    yield self._decided(decision)
                if at in decision.used:
                    continue
            match block:
                case Heading():
                    yield from self._heading(block)
                case Text():
                    yield from self._text(block)
                case Code():
                    yield self._make.example(block, self._place.trail)
        yield from self._flush()
        self._unknown.tell(self._make.notes)

    # --- headings -------------------------------------------------------------------------------------

    def _heading(self, heading: Heading) -> Iterator[Draft]:
        yield from self._flush()
        text = self._make.bounded(heading_text(heading.text), heading.line)
        if not text:
            return
        outer = self._place.leave(heading.level)
        if heading.level == 1:
            self._profile = with_title(self._profile, fold(text))
        parent = self._place.innermost
        sign = named(text) or self._identified(text)
        plan = self._profile.kind == "plan"
        self._place.enter(Above(heading.level, self._make.step(text), heading.line), in_plan=plan)
        if sign is None:
            if heading.level <= _LEVELS:
                yield self._make.heading(text, heading.line, outer, heading.level)
            return
        block = Text("paragraph", (text,), heading.line, heading.line, raw=heading.text)
        if sign.scenario:
            self._scenario = Scenario(sign.name, block)
            return
        if parent is not None:
            self._check_section(parent)
        self._place.under = sign
        self._open = _Open(sign, block)

    def _identified(self, heading: str) -> Named | None:
        identifier = identifier_of(heading, specified=self._plans_in_forms)
        return Named(False, heading, identifier) if identifier else None

    def _check_section(self, parent: Above) -> None:
        """Note a section of requirements whose name is no known one; its requirements are read all the same."""
        near = near_sections(parent.text, strictly=self._profile.delta is None)
        if near is not None and (near or self._profile.delta is not None):
            self._unknown.add(parent.line, parent.text, near)

    # --- text -----------------------------------------------------------------------------------------

    def _text(self, block: Text) -> Iterator[Draft]:
        self._place.follow(block)
        if self._scenario is not None and not block.quoted:
            self._scenario.steps.append(block)
            return
        at = next((at for at, line in enumerate(block.lines[:3]) if specification_item(line)), None)
        if at is not None and block.kind != "row" and not (self._specified and self._specified.covering):
            yield from self._flush()
            yield from self._specification(block, at)
            return
        if self._specified is not None and self._specified.take(block):
            return
        if self._specified is not None and self._specified.draft is None:
            yield self._specified_draft(block)
            return
        if self._place.delta == "renamed" and (half := renaming(block.text)):
            if half.side == "to" and half.name:
                yield self._requirement(block, half.name, "heading", extra={"renamedFrom": self._renamed})
            self._renamed = half.name if half.side == "from" else None
            return
        text = self._make.bounded(self._told(block), block.start)
        if not text:
            return
        if self._open is not None and not block.quoted and block.kind != "row":
            taken = self._body(block, text)
            if taken is not None:
                yield taken
                return
        draft = self._planned(block, text)
        draft = draft or self._make.reference(block, text, self._place.trail)
        if draft is not None:
            yield draft

    def _told(self, block: Text) -> str:
        return " | ".join(block.lines) if block.kind == "row" else block.text

    def _body(self, block: Text, text: str) -> Draft | None:
        """The statement of the requirement that the heading above names: its first paragraph."""
        opened = self._open
        if opened is None or self._place.delta == "removed":
            return None
        if _NOT_THE_STATEMENT.match(text) and not form_of(text, specified=True, planning=True):
            return None
        self._open = None
        return self._requirement(
            block, text, "heading", identifier=opened.sign.identifier, binds_too=opened.sign.name
        )

    def _planned(self, block: Text, text: str) -> Draft | None:
        """The requirement that a block states, if it has a form or a place that plans."""
        if block.quoted:
            return None
        if block.kind == "row":
            return self._row(block)
        form = form_of(text, specified=self._plans_in_forms, planning=self._place.section == "strong")
        if form is not None and form.name == "checkbox":
            if self._checklist():
                return None
            box = BOX.match(text)
            return self._requirement(
                block,
                text[box.end() :] if box else text,
                "checkbox",
                identifier=form.identifier,
                checked=form.checked,
            )
        if form is not None:
            return self._requirement(block, text, form.name, identifier=form.identifier)
        if self._profile.kind == "specification" and keyword_of(text):
            return self._requirement(block, text, "keyword")
        if self._place.deciding and modality(text) in ("required", "recommended"):
            return self._requirement(block, text, "decision")
        detail = self._place.detail or self._specified is not None
        if not detail and not self._profile.sample and self._in_section(block, text):
            return self._requirement(block, text, "section")
        return None

    def _checklist(self) -> bool:
        """True where checkboxes are for readers to tick: in templates, in guides on how to work, each time anew."""
        if self._profile.sample or self._profile.addressed:
            return True
        return self._place.recurs(in_guide=self._profile.kind == "guide")

    def _in_section(self, block: Text, text: str) -> bool:
        """True if the section makes a plan of this text."""
        section = self._place.section
        if section is None or section == "delta" or len(text) < 8 or len(_WORD.findall(text)) < 2:
            return False
        if text.rstrip("*_").endswith(":"):
            return False
        if block.kind == "paragraph" and (section == "goals" or not tells_of_plans(text)):
            return False
        if self._profile.kind == "guide" and self._place.recurs(in_guide=True):
            return False
        if self._profile.kind != "guide":
            return not _LINK_ALONE.match(block.text)
        if (
            section in ("goals", "loose")
            or _LINK_ALONE.match(block.text)
            or advises(text, strictly=section == "weak")
        ):
            return False
        return section == "strong" or obliges(text)

    def _row(self, block: Text) -> Draft | None:
        """A row whose first cell is the id of a requirement, with the cell that states it."""
        first = block.cells[0] if block.cells else ""
        identifier = identifier_of(f"**{first.strip('*`[] ')}**", specified=self._plans_in_forms)
        if identifier is None or len(block.cells) < 2:
            return None
        named_cell = next(
            (
                cell
                for name, cell in zip(block.header, block.cells, strict=False)
                if _STATEMENT_COLUMNS.match(name)
            ),
            "",
        )
        told = named_cell or next((cell for cell in block.cells[1:] if cell), "")
        text = self._make.bounded(f"{identifier}: {told}", block.start)
        columns = dict(zip(block.header, block.cells, strict=False))
        return self._requirement(block, text, "identified", identifier=identifier, extra={"columns": columns})

    # --- what takes more than one block ----------------------------------------------------------------

    def _specification(self, block: Text, at: int) -> Iterator[Draft]:
        identifier = specification_item(block.lines[at])
        title = block.lines[at - 1] if at else (self._place.above[-1].text if self._place.above else "")
        rest = block.lines[at + 1 :]
        self._specified = Specified(identifier or "", title, block)
        if rest:
            yield self._specified_draft(
                Text("paragraph", rest, block.start + at + 1, block.end, raw=block.raw)
            )

    def _specified_draft(self, block: Text) -> Draft:
        held = self._specified
        text = self._make.bounded(block.text, block.start)
        identifier = held.identifier if held else None
        draft = self._requirement(
            block, text or (held.title if held else "") or str(identifier), "identified",
            identifier=identifier, extra=dict(held.metadata) if held else {},
        )  # fmt: skip
        if held is not None:
            held.settle(draft)
        return draft

    def _flush(self) -> Iterator[Draft]:
        """What a heading or the end of the file completes."""
        opened, scenario, specified = self._open, self._scenario, self._specified
        self._open = self._scenario = None
        if opened is not None:
            yield self._requirement(
                opened.block, opened.sign.name, "heading", identifier=opened.sign.identifier
            )
        if scenario is not None and (self._place.under is not None or self._plans_in_forms):
            block = scenario.block_of()
            text = self._make.bounded(block.text, block.start)
            yield self._requirement(
                block, text or scenario.name, "scenario", extra={"scenario": scenario.name}
            )
        elif scenario is not None:
            for step in scenario.steps:
                draft = self._make.reference(
                    step, self._make.bounded(step.text, step.start), self._place.trail
                )
                if draft is not None:
                    yield draft
        if specified is not None and specified.draft is None:
            yield self._specified_draft(Text("paragraph", (specified.title,), specified.block.start, specified.block.end,
                                             raw=specified.block.raw))  # fmt: skip
        self._specified = None

    # --- drafts ---------------------------------------------------------------------------------------

    @property
    def _plans_in_forms(self) -> bool:
        return self._profile.kind != "guide"

    def _requirement(
        self,
        block: Text,
        text: str,
        form: str,
        *,
        identifier: str | None = None,
        checked: bool | None = None,
        binds_too: str = "",
        extra: dict[str, Any] | None = None,
    ) -> Draft:
        told = text if keyword_of(text) or not binds_too or not keyword_of(binds_too) else binds_too
        keyword = keyword_of(told)
        strong = "planning_section" if form in ("section", "decision") else "planning_form"
        basis = ["heuristic_action_dictionary", strong]
        if keyword:
            basis.append("rfc2119_keyword")
        if self._place.trail:
            basis.append("heading_context")
        under = self._place.under.name if self._place.under else None
        metadata: dict[str, Any] = {
            "form": form, "requirementId": identifier, "requirement": under, "checked": checked, "delta": self._place.delta,
            "sample": self._profile.sample, **(extra or {}),
        }  # fmt: skip
        delta: Action | None = DELTAS.get(self._place.delta) if self._place.delta else None
        return self._make.requirement(
            block, text, self._place.trail, standing=self._standing(text, checked), binds=binding(told),
            confidence=_CONFIDENCE[form], basis=tuple(basis), metadata=metadata, action=delta,
        )  # fmt: skip

    def _standing(self, text: str, checked: bool | None) -> tuple[EpistemicClass, Status]:
        cls, status = self._profile.standing
        if self._profile.sample:
            return cls, status
        if checked or self._place.done or _TICKED.match(text[:200]):
            return cls, "completed"
        if _UNDER_WAY.search(text[:400]):
            return cls, "in_progress"
        return cls, status

    def _decided(self, decision: Decision) -> Draft:
        """The decision itself, about what its title says."""
        block = Text("paragraph", (decision.text,), *decision.lines, raw=decision.raw)
        text = self._make.bounded(decision.text, decision.lines[0])
        done = action_of(decision.status)
        found, leads = self._make.named(block, text)
        others = [[self._other(name) for name in names] for names in decision.others]
        supersedes, superseded_by, amends, amended_by = others
        kept = tuple(name for names in others for name in names if name in self._make.tree)
        cls, status = standing_of(decision.status)
        return self._make.draft(
            "architecture_decision", text, decision.raw, decision.lines, decision.trail,
            found=found, leads=leads._replace(paths=(*leads.paths, *kept)), action=done,
            about=decision.title or text,
            standing=("declaration", "proposed") if self._profile.sample else (cls, status),
            binds=(modality(text), polarity(text)), confidence=0.75,
            basis=("decision_record", "heuristic_action_dictionary", "heading_context"),
            metadata={
                "documentationOrigin": "decision",
                "decisionStatus": decision.status,
                "decisionId": decision.identifier,
                "title": decision.title,
                "sample": self._profile.sample,
                "supersedes": supersedes,
                "supersededBy": superseded_by,
                **({"amends": amends} if amends else {}),
                **({"amendedBy": amended_by} if amended_by else {}),
            },
            subject=f"decision:{decision.identifier or decision.title}",
        )  # fmt: skip

    def _other(self, target: str) -> str:
        """The file of another decision, if it is to be found; else its name as it is written."""
        make = self._make
        found = located(target, make.folder, make.tree)[0]
        if found is None and "." in target:
            alike = make.tree.named(target.rpartition("/")[2])
            found = alike[0] if len(alike) == 1 else None
        return found or target
