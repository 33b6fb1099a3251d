"""`t2c answers reply`, `choose` and `approve`: what only a person can say, and what it settles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from t2c.cli.actions.answers_ask import CheckRow
from t2c.cli.actions.context import Context
from t2c.cli.actions.opening import open_ledger
from t2c.ledger.answers.approving import Approvable, approvable, subject
from t2c.ledger.answers.base import Bench, Claim
from t2c.ledger.answers.deciding import approve, choose, open_question, reply, settled
from t2c.ledger.answers.history import answer, content_of, decoded, event_named
from t2c.ledger.answers.paths import named_paths
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Conflict, Environment, Usage
from t2c.ledger.kernel.actor import Actor

__all__ = ["Approved", "Chosen", "Replied", "approved", "chosen", "replied"]


@dataclass(frozen=True, slots=True)
class Replied:
    """A question and what a person said to it; `answer` is null where it was waived. `checks` say what that settled."""

    schema: ClassVar[str] = "t2c.question-answered/v1"
    question: str
    asked: str
    answer: str | None
    reason: str
    by: str
    event: str
    seq: int
    checks: Sequence[CheckRow]


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which approach a person chose; `title` is null where none was."""

    schema: ClassVar[str] = "t2c.choice-made/v1"
    answer: str
    title: str | None
    digest: str | None
    reason: str
    by: str
    event: str
    seq: int
    checks: Sequence[CheckRow]


@dataclass(frozen=True, slots=True)
class Approved:
    """What was shown, and that a person approved exactly these bytes: `digest` is their SHA-256.

    Without an `event` it was shown and not approved. `replaces` is the SHA-256 of the frozen file whose place it takes:
    then the bytes are those of the work tree, and not those of the answer.
    """

    schema: ClassVar[str] = "t2c.answer-approved/v1"
    answer: str
    subject: str
    path: str | None
    digest: str
    text: str
    by: str
    event: str | None
    seq: int | None
    checks: Sequence[CheckRow]
    replaces: str | None = None


def replied(context: Context, name: str, text: str | None, reason: str) -> Replied:
    """Answer a question of a model, or waive it where `text` is None. Raises Refused for whoever is no person."""
    actor = Actor.parse(context.settings.actor)
    with open_ledger(context) as ledger:
        entry = open_question(ledger, name)
        data = decoded(entry)
        receipt = reply(ledger, entry, text, reason, actor)
        checks = _settled(context, ledger, data["answer"])
    return Replied(entry.id, data["question"], text, reason, str(actor), receipt.id, receipt.seq, checks)


def chosen(context: Context, name: str, title: str | None, reason: str) -> Chosen:
    """Choose an approach of an exploration, or none. Raises Refused for whoever is no person."""
    actor = Actor.parse(context.settings.actor)
    with open_ledger(context) as ledger:
        claim = answer(ledger, name)
        receipt = choose(ledger, claim, title, reason, actor)
        digest = decoded(event_named(ledger, receipt.id, "choice.made"))["digest"]
        checks = _settled(context, ledger, claim.event)
    return Chosen(claim.event, title, digest, reason, str(actor), receipt.id, receipt.seq, checks)


def approved(
    context: Context,
    name: str,
    path: str | None = None,
    *,
    digest: str | None = None,
    statement: str = "",
    show: bool = False,
) -> Approved:
    """Show what there is to approve of an answer, and approve exactly that unless it is only to be shown.

    Of a frozen file that was changed since, it is what stands in the work tree. `digest` is the SHA-256 of what the
    person was shown before. Raises Conflict if that is not what is there now,
    Refused for whoever is no person, Usage where there is no such file.
    """
    actor = Actor.parse(context.settings.actor)
    with open_ledger(context) as ledger:
        claim = answer(ledger, name)
        given, replaces = _given(context, ledger, claim, path)
        if digest is not None and digest.lower() != given.digest:
            raise Conflict(
                "what is there now is not what was shown: the approval would be stale",
                where=given.subject,
                safe="nothing was approved",
                remedy="look at it again with --show, and approve its new SHA-256",
                shown=digest,
                now=given.digest,
            )
        text = ledger.funnel.mask_bytes(given.text).content.decode("utf-8", "replace")
        if show:
            return Approved(
                claim.event, given.subject, path, given.digest, text, str(actor), None, None, (), replaces
            )
        receipt = approve(ledger, claim, given, statement, actor)
        checks = _settled(context, ledger, claim.event)
    return Approved(
        claim.event,
        given.subject,
        path,
        given.digest,
        text,
        str(actor),
        receipt.id,
        receipt.seq,
        checks,
        replaces,
    )


def _given(context: Context, ledger: Ledger, claim: Claim, path: str | None) -> tuple[Approvable, str | None]:
    """The bytes to approve, and the SHA-256 that was frozen where they are of a frozen file that was changed since."""
    from t2c.ledger.answers.checks.freezing import rewritten

    if path is not None and (found := rewritten(ledger, context.root, claim.event, path)) is not None:
        frozen, content = found
        return Approvable(subject(claim.event, path), content), frozen.digest
    return _named(context, ledger, claim, path), None


def _named(context: Context, ledger: Ledger, claim: Claim, path: str | None) -> Approvable:
    """The bytes of the answer itself, or of a file in the tree that the answer names without its content."""
    content = content_of(ledger, event_named(ledger, claim.event, "answer.recorded"))
    if path is None or not any(
        named.path == path and named.content is None for named in named_paths(claim.value)
    ):
        return approvable(claim, content, path)
    place = context.path(context.root / path)
    try:
        return Approvable(subject(claim.event, path), place.read_bytes())
    except FileNotFoundError:
        raise Usage(
            f"{path} is named by the answer and is not there",
            where=f"seq {claim.seq}",
            safe="nothing was approved",
            remedy="`t2c answers verify` says what became of its files",
        ) from None
    except OSError as error:
        raise Environment(f"{path} cannot be read: {error.strerror}", where=path) from error


def _settled(context: Context, ledger: Ledger, about: str | None) -> list[CheckRow]:
    bench = Bench(ledger, context.root, context.progress)
    return [CheckRow.of(one.found, one.event) for one in settled(ledger, about, bench)]
