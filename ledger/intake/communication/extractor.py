"""What people and agents say about a ticket, from the files of a project folder (intent-evidence §2.10).

What somebody says stays a declaration, a plan or a claim, whatever it claims to have done (decisions A12). The text
stays in the record; its kind comes from the envelope, from the name of the file or from the heading above it, never
from how it is worded.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, Final

from t2c.ledger.events.record import EpistemicClass, SourceKind, Status
from t2c.ledger.intake.base import MAX_EXCERPT, Draft, Reading, Scope, Tree, Warning, shortened
from t2c.ledger.intake.communication.attribution import Attribution, attributed
from t2c.ledger.intake.communication.envelope import Envelope, opened
from t2c.ledger.intake.communication.names import FileName, is_evidence, is_ticket, said_by_name
from t2c.ledger.intake.communication.registry import InvalidRegistry, Registry, read_registry
from t2c.ledger.intake.communication.sections import excludes
from t2c.ledger.intake.communication.statements import Reader, Said
from t2c.ledger.intake.lines import Notes, text_lines
from t2c.ledger.intake.mentions import mentions, resolved
from t2c.ledger.intake.text import action_and_object, modality, polarity

__all__ = ["CommunicationExtractor", "projection_hash"]

_FORMATS: Final = (".md", ".txt", ".MD", ".TXT")
_CALL: Final = re.compile(r"\([^()]*+\)$")
_GENERIC: Final = re.compile(r"<[^<>]*+>")
_SLASHES: Final = re.compile(r"/{2,}")
_REPORTING: Final = frozenset({"report", "result", "claim"})
_NO_ENVELOPE: Final = Envelope()
_EVIDENCE: Final = "evidence beside a conversation, not read as messages; an envelope makes a file a message"
_UNSIGNED: Final = (
    "neither the name of the file nor an envelope says who speaks: a document, not read as a message"
)


class CommunicationExtractor:
    """Reads `.md` and `.txt` files below `<folder>/<ticket>/`; those in the folder itself are never messages."""

    name = "t2c/project-communication@1"
    source: SourceKind = "agent_log"

    def __init__(self, folder: str = "project") -> None:
        """`folder` is a repository path."""
        self.stamp = self._folder = folder.strip("/")
        self._prefix = self._folder + "/"

    def wants(self, path: str) -> bool:
        """True for text files in a folder of the project folder; whether they are messages their content says."""
        prefix = self._prefix
        return path.startswith(prefix) and path.endswith(_FORMATS) and "/" in path[len(prefix) :]

    def read(self, path: str, content: bytes, tree: Tree) -> Reading:
        """All statements of one file, in its order.

        Incomplete, without records, if the file is binary, its envelope has no end, or the registry of the folder is
        not valid. What is no message yields nothing.
        """
        scope, notes = Scope(self.source, path), Notes(self.source, path)
        inside = path[len(self._prefix) :]
        registry, said = read_registry(self._folder, tree), said_by_name(inside)
        lines = text_lines(content, notes)
        envelope, head = (None, []) if lines is None else opened(lines, notes)
        closed = envelope is None or envelope.closed
        explicit = closed and envelope is not None and envelope.explicit
        if not (explicit or registry or said.role != "unknown" or is_ticket(inside.partition("/")[0])):
            return Reading(scope, self.name, ())
        if closed and not explicit and is_evidence(inside.rpartition("/")[2]):
            passed = () if _is_document(path) else (self._warning(self._folder, "evidence_file", _EVIDENCE),)
            return Reading(scope, self.name, (), passed)
        if isinstance(registry, InvalidRegistry):
            warning = self._warning(registry.path, "invalid_registry", registry.detail, (registry.line,))
            return Reading(scope, self.name, (), (warning,), complete=False)
        if not closed:
            notes.add("envelope_unclosed", "the envelope opens here and never ends; nothing was read", 1)
        if lines is None or not closed:
            return Reading(scope, self.name, (), notes.warnings(), complete=False)
        if not explicit and said.role == "unknown" and said.participant is said.type is None:
            if not _is_document(path):
                notes.add("role_unknown", _UNSIGNED, 1)
                notes.add("participant_missing", _UNSIGNED, 1)
            return Reading(scope, self.name, (), notes.warnings())
        message = _Message(path, inside, said, envelope or _NO_ENVELOPE, registry, tree, notes)
        records = tuple(message.drafts(itertools.chain(head, lines)))
        if message.by.managed:
            _check_projection(content, message.envelope, notes)
        return Reading(scope, self.name, records, notes.warnings())

    def _warning(self, path: str, reason: str, detail: str, lines: tuple[int, ...] = ()) -> Warning:
        """One of many files that are passed over for one reason: counted at the place of the reason."""
        return Warning(self.source, path, reason, detail, 1, lines)


def _is_document(path: str) -> bool:
    """True if what is no message here is read as a document, a task list or a changelog instead."""
    return path.lower().endswith(".md")


class _Message:
    """One file that is a message, or the file of one participant."""

    def __init__(
        self,
        path: str,
        inside: str,
        said: FileName,
        envelope: Envelope,
        registry: Registry | None,
        tree: Tree,
        notes: Notes,
    ) -> None:
        self.path = path
        self.said = said
        self.envelope = envelope
        self.registry = registry
        self.tree = tree
        self.notes = notes
        self.by: Attribution = attributed(inside, said, envelope, registry, notes)
        self.paths = self._paths()
        self.symbols = tuple(sorted({name for text in envelope.many("symbols") if (name := _symbol(text))}))
        self.shared = self._shared()

    def drafts(self, lines: Iterator[str]) -> Iterator[Draft]:
        by = self.by
        governed = self.said.governed and not by.typed
        reader = Reader(
            self.notes,
            by.role,
            None if governed else by.type,
            sections=governed or by.managed,
            projected=by.managed,
        )
        found = False
        for said in reader.read(lines):
            found = True
            yield self._draft(said)
        if found or not reader.text_seen:
            return
        if governed:
            who = f"{by.role}:{by.participant.removeprefix(by.role + ':')}"
            self.notes.add(
                "no_recognised_section",
                f"no heading says what kind of statements these are; {who} must classify them, by a known heading or "
                "by a type in front matter",
            )
        else:
            self.notes.add("no_statements_found", "the file holds text and no statement")

    def _draft(self, said: Said) -> Draft:
        by = self.by
        action, about = action_and_object(said.text)
        if said.type == "decision" and action == "unknown":
            action = "approve"
        found = mentions(said.text)
        status, cls = _semantics(said.type, by)
        basis = ["heuristic_action_dictionary"]
        if by.ticket is not None:
            basis.append("project_ticket_path")
        if self.envelope.explicit:
            basis.append("communication_front_matter")
        if said.section:
            basis.append("heading_context")
        places = resolved(found, self.tree, self.path.rpartition("/")[0], said.headings)
        return Draft(
            kind=f"communication_{said.type}",
            text=said.text,
            object=about,
            action=action,
            cls=cls,
            status=status,
            confidence=0.88 if by.resolved else 0.55,
            basis=tuple(basis),
            trail=said.trail,
            lines=said.lines,
            actor=by.participant,
            subject=f"to:{by.recipient}" if by.recipient else f"ticket:{by.ticket}" if by.ticket else None,
            modality="claimed" if said.type in _REPORTING else modality(said.text),
            polarity="negative" if any(map(excludes, said.headings)) else polarity(said.text),
            paths=(*self.paths, *places),
            symbols=(*self.symbols, *found.symbols),
            tickets=(by.ticket, *found.tickets) if by.ticket else found.tickets,
            versions=found.versions,
            excerpt=shortened(said.raw, MAX_EXCERPT),
            observed_at=by.timestamp,
            metadata={**self.shared, "messageType": said.type, "headingPath": list(said.headings)},
        )

    def _shared(self) -> dict[str, Any]:
        by = self.by
        return {
            "participant": by.participant,
            "participantId": by.person.id if by.person else None,
            "displayName": by.display_name,
            "participantRole": by.role,
            "ticket": by.ticket,
            "recipient": by.recipient,
            "gitAuthors": list(by.git_authors),
            "a2aAgentIds": list(by.person.a2a_agent_ids) if by.person else [],
            "humanAliases": list(by.person.human_aliases) if by.person else [],
            "identityResolved": by.resolved,
            "identitySource": by.source,
            "participantRegistry": self.registry.path if self.registry else None,
            "llmUsed": False,
        }

    def _paths(self) -> tuple[str, ...]:
        found: set[str] = set()
        for text in self.envelope.many("paths"):
            path = _SLASHES.sub("/", text.replace("\\", "/")).removeprefix("./").rstrip("/")
            if not path or path[0] in "/~" or ":/" in path or ".." in path.split("/"):
                self.notes.add(
                    "unusable_path",
                    "a path of the envelope leads out of the repository",
                    self.envelope.lines["paths"],
                )
            else:
                found.add(path)
        return tuple(sorted(found))


def _symbol(text: str) -> str:
    """A symbol as it is compared: dots for every separator, without arguments and generics."""
    bare = _GENERIC.sub("", _CALL.sub("", text.strip("`\"' "))).replace("::", ".").replace("#", ".")
    return bare.strip(". ")


def _semantics(kind: str, by: Attribution) -> tuple[Status, EpistemicClass]:
    """How far a statement goes: what was asked or decided is a declaration, what is said to be done a claim."""
    match kind:
        case "plan":
            return "planned", "plan"
        case "report" | "result" | "claim":
            return "implemented", "claim"
        case "decision":
            return "completed", "declaration"
    return "proposed", "declaration" if by.role == "human" else "claim"


def projection_hash(text: str) -> str:
    """The hash that a projected file names: over what follows its envelope, line ends as LF."""
    return sha256(text.encode()).hexdigest()


def _check_projection(content: bytes, envelope: Envelope, notes: Notes) -> None:
    """Note that a file which governed intake wrote was changed by somebody else."""
    text = content.decode("utf-8", "replace").replace("\r\n", "\n")
    body = text.partition("\n---\n")[2]
    if envelope.get("projection-hash") != projection_hash(body):
        notes.add(
            "projection_drift",
            "the file was changed after intake wrote it; `t2c intake command` can rebuild it",
        )
