"""Held-out tests: sealed by commitment, opened for whoever may run them, and revealed (answers §5.1, decisions D8)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import orjson

from t2c.ledger.answers.base import Found
from t2c.ledger.answers.checks.rules import consistency
from t2c.ledger.answers.history import LATEST, decoded, events
from t2c.ledger.answers.known import Known, refuse_known, refuse_work
from t2c.ledger.answers.readable import Readable, readable
from t2c.ledger.answers.recording import UNNAMED, keep_found, note_refusal
from t2c.ledger.answers.sealed_store import SealedStore
from t2c.ledger.answers.showing import Secret, can_be_found
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Refused, T2cError, Usage
from t2c.ledger.events.draft import draft
from t2c.ledger.intake.base import Progress, no_progress
from t2c.ledger.kernel.actor import Actor
from t2c.ledger.kernel.canon import canonical
from t2c.ledger.kernel.ids import fresh_salt

if TYPE_CHECKING:
    from t2c.ledger.answers.roots.trials import HeldOut

__all__ = [
    "COMPOSITION", "ROOT", "OpenTest", "Sealed", "SealedPart", "Sealing", "checked", "named", "open_sealed", "open_test",
    "reveal", "seal", "sealed_tests", "secret", "unopened",
]  # fmt: skip

ROOT: Final = "held_out"
COMPOSITION: Final = "composition"
"""The check that a story's scenarios are tried together, and not only each for itself."""


class SealedPart(NamedTuple):
    """One sealed test as the ledger knows it: commitments, and what may be known of it."""

    path: str
    content: str
    argv: str
    scenarios: tuple[str, ...]
    composition: bool
    common: tuple[int, ...]

    @property
    def marks(self) -> tuple[str, str, str]:
        """The commitments to it."""
        return self.path, self.content, self.argv


class Sealed(NamedTuple):
    """Tests that one event sealed. `burned` are the numbers of those that leaked; `revealed` is the event that opened
    them, with its seq in `until`; None while they are secret."""

    event: str
    seq: int
    answer: str
    about: str | None
    files: tuple[SealedPart, ...]
    burned: frozenset[int] = frozenset()
    revealed: str | None = None
    until: int | None = None

    def counts(self, file: int) -> bool:
        """True if a pass of this test still says something: nobody who wrote the code could know it."""
        return self.revealed is None and file not in self.burned


class OpenTest(NamedTuple):
    """A sealed test, opened."""

    sealed: str
    file: int
    path: str
    body: bytes
    argv: tuple[str, ...]
    salt: bytes
    common: frozenset[int]


class Sealing(NamedTuple):
    """What sealing made: the answer's event, the one that sealed it, what was found, and readable copies by file.

    `unfindable` are the tests that have no line which could be found in a prompt.
    """

    answer: str
    sealed: str
    seq: int
    files: int
    found: tuple[Found, ...]
    copies: Mapping[int, tuple[str, ...]]
    unfindable: tuple[int, ...] = ()


def seal(
    ledger: Ledger,
    store: SealedStore,
    content: bytes,
    *,
    tree: Path | None,
    actor: Actor = UNNAMED,
    about: str | None = None,
    answered: str | None = None,
    progress: Progress = no_progress,
) -> Sealing:
    """Seal the tests of a `held_out` answer: the ledger gets commitments, the store the bytes.

    Raises Usage for what is no such answer or breaks a rule for paths and commands, naming the place, and for a test
    that would take the place of the work; Refused for an actor that is no agent, and for a test that was revealed or
    burned before; what the store raises. Nothing is recorded then.
    """
    from t2c.ledger.answers.roots import ROOTS
    from t2c.ledger.events.answers import AnswerRecorded
    from t2c.ledger.events.heldout import HeldoutSealed, SealedFile
    from t2c.ledger.llm.strict import schema_digest

    if actor.kind != "agent":
        raise Refused(
            f"{actor} cannot give an answer: answers are what a model claims",
            safe="nothing was recorded",
            remedy="name the agent whose answer it is: --actor agent:NAME",
        )
    value = checked(content)
    refuse_known(value.files, _known(ledger, store))
    if tree is not None:
        refuse_work(value.files, tree)
    bodies = [file.content.encode() for file in value.files]
    seen = readable(tree, bodies, progress) if tree is not None else [Readable((), ()) for _ in bodies]
    parts = []
    for file, body, known in zip(value.files, bodies, seen, strict=True):
        salt = fresh_salt()
        parts.append(
            SealedFile(
                path=store.put("path", file.path.encode(), salt),
                content=store.put("content", body, salt),
                argv=store.put("argv", canonical(list(file.argv)), salt),
                scenarios=tuple(file.scenarios),
                composition=file.composition,
                common=known.lines,
            )
        )
    recorded = AnswerRecorded(
        root=ROOT,
        schema_digest=schema_digest(ROOTS[ROOT]),
        about=about,
        answered=answered,
        content=store.put("answer", content),
        value=None,
    )
    cause = () if answered is None else (answered,)
    (answer,) = ledger.append([draft(recorded, actor=actor, cause=cause)])
    payload = HeldoutSealed(answer=answer.id, about=about, files=tuple(parts))
    (receipt,) = ledger.append([draft(payload, cause=(answer.id,))])
    found = tuple(_composed(value))
    keep_found(ledger, answer.id, found)
    copies = {index: known.copies for index, known in enumerate(seen) if known.copies}
    blind = tuple(
        index
        for index, (body, known) in enumerate(zip(bodies, seen, strict=True))
        if not can_be_found(body, known.lines)
    )
    return Sealing(answer.id, receipt.id, receipt.seq, len(parts), found, copies, blind)


def _known(ledger: Ledger, store: SealedStore) -> Iterator[Known]:
    """The tests that were revealed, and those that leaked and can be opened here."""
    for one in sealed_tests(ledger):
        if one.revealed is not None:
            with suppress(T2cError):  # withheld or gone: there is nothing to compare with
                yield from (
                    Known(test.body, one.event, "revealed") for test in open_sealed(ledger, store, one)
                )
            continue
        for file in sorted(one.burned):
            with suppress(T2cError):
                yield Known(open_test(store, one, file).body, one.event, "shown in a prompt, and burned")


def checked(content: bytes) -> HeldOut:
    """The tests of a `held_out` answer, if they can be sealed and run. Raises Usage, naming the place, if not."""
    from t2c.ledger.answers.roots import ROOTS
    from t2c.ledger.llm.parsing import parse_answer

    try:
        value: HeldOut = parse_answer(ROOTS[ROOT], content)  # type: ignore[assignment]
    except ValueError as error:
        raise _unsealable(str(error)) from None
    if not value.files:
        raise _unsealable("files: there is no test in it")
    for found in consistency(value):
        if found.result == "inconsistent":
            raise _unsealable(found.detail)
    return value


def _unsealable(why: str) -> Usage:
    return Usage(
        f"this is no {ROOT} answer that can be sealed: {why}",
        safe="nothing was recorded",
        remedy=f"`t2c answers schema {ROOT}` shows what it must be",
    )


def _composed(value: HeldOut) -> Iterator[Found]:
    scenarios = {scenario for file in value.files for scenario in file.scenarios}
    many = len(scenarios)
    if many > 1 and not any(file.composition for file in value.files):
        yield Found(COMPOSITION, "inconsistent", f"no test checks the {many} scenarios of the story together")
    else:
        yield Found(COMPOSITION, "supported", f"what it tries together fits its {many} scenario(s)")


def sealed_tests(ledger: Ledger) -> list[Sealed]:
    """All tests that were sealed in this ledger, the oldest first."""
    found: dict[str, Sealed] = {}
    for entry in events(ledger, "heldout.sealed", "heldout.leaked", "heldout.revealed"):
        data = decoded(entry)
        if entry.type == "heldout.sealed":
            parts = tuple(
                SealedPart(
                    file["path"],
                    file["content"],
                    file["argv"],
                    tuple(file["scenarios"]),
                    file["composition"],
                    tuple(file["common"]),
                )
                for file in data["files"]
            )
            found[entry.id] = Sealed(entry.id, entry.seq, data["answer"], data["about"], parts)
        elif (one := found.get(data["sealed"])) is not None:
            if entry.type == "heldout.leaked":
                found[one.event] = one._replace(burned=one.burned | {data["file"]})
            else:
                found[one.event] = one._replace(revealed=entry.id, until=entry.seq)
    return list(found.values())


def named(ledger: Ledger, name: str) -> Sealed:
    """The sealed tests that a seq or an event names: of the sealing, or of the answer, or the `latest`. Raises Usage."""
    tests = sealed_tests(ledger)
    if name == LATEST and tests:
        return tests[-1]
    for one in tests:
        if name in (one.event, one.answer, str(one.seq)):
            return one
    raise Usage(
        f"no sealed tests are named {name!r}",
        safe="nothing was recorded",
        remedy="`t2c answers leaks` lists them with their seq",
    )


def open_test(store: SealedStore, one: Sealed, file: int) -> OpenTest:
    """One sealed test, proven to be what was sealed. Raises what the store raises."""
    part = one.files[file]
    path, body, argv = (
        store.get(part.path, "path"),
        store.get(part.content, "content"),
        store.get(part.argv, "argv"),
    )
    return OpenTest(
        one.event,
        file,
        path.content.decode(),
        body.content,
        tuple(orjson.loads(argv.content)),
        body.salt,
        frozenset(part.common),
    )


def open_sealed(ledger: Ledger, store: SealedStore, one: Sealed) -> list[OpenTest]:
    """All tests of a sealing: from the ledger where they were revealed, else from the store."""
    if one.revealed is None:
        return [open_test(store, one, file) for file in range(len(one.files))]
    for entry in events(ledger, "heldout.revealed"):
        if entry.id == one.revealed:
            return [
                OpenTest(
                    one.event,
                    index,
                    opened["path"],
                    ledger.objects.get(opened["content"]),
                    tuple(opened["argv"]),
                    bytes.fromhex(opened["salt"]),
                    frozenset(part.common),
                )
                for index, (opened, part) in enumerate(zip(decoded(entry)["files"], one.files, strict=True))
            ]
    return []


def secret(one: Sealed, test: OpenTest) -> Secret:
    """A test as what must not be shown."""
    return Secret(test.sealed, test.file, test.path, test.body, test.common, one.files[test.file].marks)


def unopened(one: Sealed, file: int) -> Secret:
    """A test that cannot be opened here as what must not be shown: the commitments to it are known to all."""
    return Secret(one.event, file, "", b"", marks=one.files[file].marks)


def reveal(ledger: Ledger, store: SealedStore, one: Sealed, actor: Actor) -> tuple[str, list[OpenTest]]:
    """Open sealed tests in the ledger: their bodies become objects, beside the salts that prove what was sealed.

    Returns the event, which says who asked for it. Tests that were revealed stay as they are. Raises Refused for
    whoever is no person, which is recorded, and where a body holds a secret that must not be recorded; and what the store raises.
    """
    from t2c.ledger.events.heldout import HeldoutRevealed, Revealed

    if actor.kind != "human":
        rule = "sealed tests are revealed by a person"
        note_refusal(
            ledger, subject=one.event, code=HeldoutRevealed.type, reason=rule, by=actor, reference=one.event
        )
        raise Refused(
            f"{actor} cannot do it: {rule}",
            where=one.event,
            safe="they stay sealed; nothing was recorded but this refusal",
            remedy="ask the person whose work it is",
        )
    tests = open_sealed(ledger, store, one)
    if one.revealed is not None:
        return one.revealed, tests
    _without_secrets(ledger, tests)
    payload = HeldoutRevealed(
        sealed=one.event,
        requested_by=str(actor),
        files=tuple(
            Revealed(
                path=test.path,
                argv=test.argv,
                content=ledger.objects.put(test.body),
                salt=test.salt.hex(),
            )
            for test in tests
        ),
    )
    (receipt,) = ledger.append([draft(payload, cause=(one.event,))])
    return receipt.id, tests


def _without_secrets(ledger: Ledger, tests: Iterable[OpenTest]) -> None:
    for test in tests:
        if ledger.funnel.mask_bytes(test.body).findings or ledger.funnel.mask(test.path).removed:
            raise Refused(
                f"test {test.file} holds a secret, which would be recorded with it",
                where=f"{test.sealed}, SHA-256 {sha256(test.body).hexdigest()}",
                safe="nothing was recorded; it stays sealed",
                remedy="if it is no secret, allow it: redact.allow in t2c.toml",
            )
