"""`t2c answers record` and `ask`: an answer that somebody brings, or that a model is asked for, as a claim."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from t2c.cli.actions.context import Context
from t2c.cli.actions.opening import open_ledger
from t2c.ledger.answers.asking import Part, answer_brief, ask, asking_of
from t2c.ledger.answers.base import Found
from t2c.ledger.answers.changes import Tree, patch_text
from t2c.ledger.answers.history import SEALED, decoded, event_named
from t2c.ledger.answers.recording import UNNAMED, Recorded, record
from t2c.ledger.answers.roots import ROOTS
from t2c.ledger.errors import Environment, Usage
from t2c.ledger.kernel.actor import Actor
from t2c.ledger.kernel.paths import is_invisible, repo_path

if TYPE_CHECKING:
    from t2c.ledger.llm.ask import Asker
    from t2c.ledger.llm.asking import Asking

__all__ = [
    "AnswerRecorded",
    "AskRequest",
    "CheckRow",
    "Preview",
    "asked",
    "preview",
    "recorded",
    "root_named",
]

_MOST_FILE: Final = 200_000
"""Bytes of one file that is shown; a larger one is left out and counted."""


@dataclass(frozen=True, slots=True)
class CheckRow:
    """What one check of an answer, or of one item of it, showed; `event` is null where it was shown before."""

    check: str
    item: str | None
    result: str
    detail: str
    event: str | None = None
    evidence: Sequence[str] = ()

    @classmethod
    def of(cls, found: Found, event: str | None = None) -> CheckRow:
        return cls(found.check, found.item, found.result, found.detail, event, found.evidence)


@dataclass(frozen=True, slots=True)
class AnswerRecorded:
    """An answer that stands in the ledger as a claim, and what its own rules say of it at once.

    `again` is true where it was recorded before; `questions` are the events of what it asks a person; `omitted`
    counts what the model was not shown.
    """

    schema: ClassVar[str] = "t2c.answer-recorded/v1"
    event: str
    seq: int
    root: str
    about: str | None
    content: str
    again: bool
    checks: Sequence[CheckRow]
    questions: Sequence[str]
    answered: str | None = None
    model: str | None = None
    replayed: bool = False
    omitted: Mapping[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Preview:
    """What would be sent: the exact body, as text. Nothing was asked or recorded."""

    schema: ClassVar[str] = "t2c.answer-preview/v1"
    root: str
    model: str
    body: str
    omitted: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class AskRequest:
    """What is asked for: the kind of answer, what it is about, and what is to be shown for it."""

    root: str
    about: str | None = None
    show: Sequence[str] = ()
    spec: Sequence[str] = ()
    diff: str | None = None
    text: Sequence[str] = ()
    role: str | None = None


def root_named(name: str) -> str:
    """The kind of answer of this name; dashes may stand for underscores. Raises Usage for none."""
    root = name.replace("-", "_")
    if root in ROOTS:
        return root
    near = get_close_matches(root, ROOTS, 1)
    hint = f"did you mean {near[0]}? " if near else ""
    raise Usage(
        f"there is no kind of answer {name!r}",
        safe="nothing was recorded",
        remedy=f"{hint}`t2c answers list` names them",
    )


def recorded(
    context: Context, name: str, content: bytes, about: str | None, actor: str | None
) -> AnswerRecorded:
    """Record an answer that was brought as a file. Raises Usage for what is none, Refused for whom may give none."""
    root = root_named(name)
    mine = Actor.parse(context.settings.actor)
    whose = Actor.parse(actor) if actor is not None else mine if mine.kind == "agent" else UNNAMED
    with open_ledger(context) as ledger:
        return _row(record(ledger, root, content, actor=whose, about=about))


def asked(context: Context, request: AskRequest, state: Path) -> AnswerRecorded:
    """Ask a model for an answer and record it. `state` is the user's state folder.

    Raises Model where no usable answer is to be had, Refused where something may not be shown, Usage for what cannot
    be.
    """
    from t2c.cli.actions.model import asker_of, model_name

    root = root_named(request.root)
    with open_ledger(context, hold=True) as ledger, asker_of(context, ledger, state) as asker:
        brief = answer_brief(root, request.about, *_shown(context, request))
        question = asking_of(
            root,
            brief,
            model=model_name(context, "answer"),
            role=request.role,
            max_tokens=context.settings.llm.max_tokens,
        )
        if root == SEALED:
            return _sealed(context, asker, question, state, request.about, brief.omitted)
        found = ask(asker, question, root, request.about)
        row = _row(found.recorded)
    return AnswerRecorded(
        row.event,
        row.seq,
        row.root,
        row.about,
        row.content,
        row.again,
        row.checks,
        row.questions,
        answered=found.answered,
        model=found.model,
        replayed=found.replayed,
        omitted=found.omitted,
    )


def preview(context: Context, request: AskRequest, state: Path) -> Preview:
    """What asking would send. Nothing is sent or recorded. Raises as `asked` does for what cannot be shown."""
    from t2c.cli.actions.model import asker_of, model_name

    root = root_named(request.root)
    with open_ledger(context) as ledger, asker_of(context, ledger, state, mode="replay") as asker:
        brief = answer_brief(root, request.about, *_shown(context, request))
        model = model_name(context, "answer")
        question = asking_of(
            root, brief, model=model, role=request.role, max_tokens=context.settings.llm.max_tokens
        )
        return Preview(root, model, asker.preview(question).decode(), brief.omitted)


def _sealed(
    context: Context,
    asker: Asker,
    question: Asking[bytes],
    state: Path,
    about: str | None,
    omitted: Mapping[str, int],
) -> AnswerRecorded:
    """Ask for held-out tests: what is said is sealed, and nothing of it shown."""
    from t2c.ledger.answers.sealed_asking import ask_sealed
    from t2c.ledger.answers.sealed_store import SealedStore

    ledger = asker.ledger
    store = SealedStore(state, str(ledger.id()), ledger.workspace)
    done, found = ask_sealed(
        asker, question, store, tree=context.root, about=about, progress=context.progress
    )
    entry = event_named(ledger, done.answer, "answer.recorded")
    return AnswerRecorded(
        entry.id,
        entry.seq,
        SEALED,
        about,
        decoded(entry)["content"],
        not done.found,
        [CheckRow.of(one) for one in done.found],
        (),
        answered=found.event,
        model=found.story.served or found.story.requested,
        replayed=found.replayed,
        omitted=omitted,
    )


def _row(made: Recorded) -> AnswerRecorded:
    return AnswerRecorded(
        made.event,
        made.seq,
        made.root,
        made.about,
        made.content,
        made.again,
        [CheckRow.of(found) for found in made.found],
        made.questions,
    )


def _shown(context: Context, request: AskRequest) -> tuple[list[Part], dict[str, int]]:
    """What is to be shown: what is said, the specification, files, the diff; and how many files are not, by reason."""
    parts = [Part("text", f"text {number}", text) for number, text in enumerate(request.text, 1)]
    left: Counter[str] = Counter()
    kinds: tuple[tuple[Literal["spec", "file"], Sequence[str]], ...] = (
        ("spec", request.spec),
        ("file", request.show),
    )
    for kind, given in kinds:
        for path in _files(context, given):
            text = _text(path)
            if text in ("too_large", "not_text"):
                left[text] += 1
            else:
                parts.append(Part(kind, repo_path(context.root, path), text))
    if request.diff is not None:
        parts.append(Part("diff", f"since {request.diff}", patch_text(context.root, request.diff)))
    return parts, dict(left)


def _text(path: Path) -> str:
    """A file's text; `too_large` or `not_text` where it is not shown."""
    try:
        with path.open("rb") as stream:
            content = stream.read(_MOST_FILE + 1)
        if len(content) > _MOST_FILE:
            return "too_large"
        return "not_text" if b"\0" in content else content.decode("utf-8")
    except UnicodeDecodeError:
        return "not_text"
    except OSError as error:
        raise Environment(f"{path} cannot be read: {error.strerror}", where=str(path)) from error


def _files(context: Context, given: Sequence[str]) -> list[Path]:
    """The files that were named, and those of folders in byte order. Raises Usage for what is not there."""
    found: dict[Path, None] = {}
    for name in given:
        path = context.path(name)
        inside = repo_path(context.root, path)
        if is_invisible(inside) or ".git" in inside.split("/"):
            raise Usage(
                f"{name} lies in a folder of ours or of Git, which is shown to no model",
                safe="nothing was asked",
                remedy="name files of the work itself",
            )
        if path.is_dir():
            below = "" if inside == "." else f"{inside}/"
            names = sorted(one for one in Tree(context.root, None).names() if one.startswith(below))
            found.update((item, None) for one in names if (item := context.root / one).is_file())
        elif path.is_file():
            found[path] = None
        else:
            raise Usage(
                f"there is no file {name}", safe="nothing was asked", remedy="name a file inside the root"
            )
    return list(found)
