"""Frozen tests: from `test.frozen` on nobody but a person changes them (answers §5).

Only a person's word takes the place of what was frozen: the approval of the new bytes, by their SHA-256, given for this
very path of an answer that froze it, or of the answer that is to freeze it anew. The latest word decides. A freezing
with other bytes and without such a word is refused, and one that stands in a ledger all the same freezes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from t2c.ledger.answers.approving import file_of
from t2c.ledger.answers.checks.removed import once_committed
from t2c.ledger.answers.history import decoded, events
from t2c.ledger.answers.recording import note_refusal
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Refused, Usage
from t2c.ledger.events.draft import draft
from t2c.ledger.kernel.actor import Actor
from t2c.ledger.kernel.paths import confine

__all__ = [
    "BROKEN", "CODE", "Frozen", "State", "Suite", "digest_of", "freeze", "frozen_files", "guard_frozen", "refuse",
    "refuse_changed", "refused_before", "rewritten", "state_of", "states", "suite_of", "superseded",
]  # fmt: skip

CODE: Final = "FROZEN_TEST_CHANGED"
"""The code of the refusal to change a frozen test."""
State = Literal["as frozen", "changed", "deleted", "missing", "changed by approval"]
"""`deleted` is gone though a commit up to the last one had it; `missing` stands in none of them."""
BROKEN: Final = frozenset({"changed", "deleted", "missing"})
"""What is not as it was frozen, or as a person approved it since."""


class Frozen(NamedTuple):
    """A frozen file: its path, the SHA-256 that it must have, and the event that froze it.

    `approved` is the event of a person's approval that took the place of what was frozen, None where none did.
    `answers` are those whose freezing of this path held, the latest of them `answer`.
    """

    path: str
    digest: str
    event: str
    seq: int
    about: str | None
    answer: str
    answers: frozenset[str]
    approved: str | None = None


class Suite(NamedTuple):
    """What the latest freezing of a subject says: the files, and the command that runs them."""

    event: str
    files: tuple[Frozen, ...]
    argv: tuple[str, ...]


def freeze(
    ledger: Ledger,
    answer: str,
    about: str | None,
    files: Mapping[str, bytes],
    argv: Sequence[str],
    evidence: tuple[str, ...],
) -> str | None:
    """Record that these files may not change any more; their contents become objects. Returns the event.

    The same files under the same answer are frozen once. Where one of them would take the place of what is frozen
    already and no person approved it, nothing is frozen and None is returned. Raises Refused for a file that holds a
    secret.
    """
    from t2c.ledger.events.heldout import FrozenFile, TestFrozen

    digests = {path: sha256(content).hexdigest() for path, content in files.items()}
    for entry in events(ledger, "test.frozen"):
        data = decoded(entry)
        if data["answer"] == answer and {one["path"]: one["content"] for one in data["files"]} == digests:
            return entry.id
    if superseded(ledger, answer, files):
        return None
    for path, content in files.items():
        if ledger.funnel.mask_bytes(content).findings:
            raise Refused(
                f"{path} holds a secret, which would be recorded with it",
                where=path,
                safe="nothing was frozen",
                remedy="take the secret out; if it is none, allow it: redact.allow in t2c.toml",
            )
    payload = TestFrozen(
        answer=answer,
        about=about,
        files=tuple(
            FrozenFile(path=path, content=ledger.objects.put(content))
            for path, content in sorted(files.items())
        ),
        argv=tuple(argv),
        evidence=evidence,
    )
    cause = tuple(dict.fromkeys((answer, *evidence)))
    return ledger.append([draft(payload, cause=cause)])[0].id


def superseded(ledger: Ledger, answer: str, files: Mapping[str, bytes]) -> list[Frozen]:
    """The frozen files that these of an answer would replace by other bytes without a person's word for it."""
    found = _Standing.of(ledger)
    return [
        one
        for path, content in sorted(files.items())
        if (one := found.files.get(path)) is not None
        and answer not in one.answers
        and not found.may(answer, path, sha256(content).hexdigest())
    ]


def frozen_files(ledger: Ledger, about: str | None = None) -> list[Frozen]:
    """The files that are frozen, by path; of one subject if it is named."""
    found = _Standing.of(ledger).files
    return [found[path] for path in sorted(found) if about is None or found[path].about == about]


class _Standing:
    """What is frozen, folded from freezings and people's approvals in the order in which they were recorded."""

    def __init__(self) -> None:
        self.files: dict[str, Frozen] = {}
        self.suites: dict[str | None, tuple[str, tuple[str, ...], tuple[str, ...]]] = {}
        self._said: dict[str, tuple[str, str]] = {}

    @classmethod
    def of(cls, ledger: Ledger) -> _Standing:
        found = cls()
        for entry in events(ledger, "test.frozen", "approval.granted"):
            data = decoded(entry)
            if entry.type == "test.frozen":
                found._froze(entry.id, entry.seq, data)
            elif entry.actor.kind == "human" and (of := file_of(data["subject"])) is not None:
                found._approved(entry.id, *of, data["digest"])
        return found

    def may(self, answer: str, path: str, digest: str) -> bool:
        """True if this answer may freeze a path with these bytes: it is not frozen, has them, or a person said so."""
        one = self.files.get(path)
        return one is None or one.digest == digest or self._said.get(path) == (answer, digest)

    def _froze(self, event: str, seq: int, data: Mapping[str, Any]) -> None:
        answer, about, paths = data["answer"], data["about"], []
        for file in data["files"]:
            path, digest = file["path"], file["content"]
            if not self.may(answer, path, digest):
                continue
            before = self.files.get(path)
            answers = frozenset({answer}) if before is None else before.answers | {answer}
            self.files[path] = Frozen(path, digest, event, seq, about, answer, answers)
            paths.append(path)
        if data["argv"] and len(paths) == len(data["files"]):
            self.suites[about] = event, tuple(paths), tuple(data["argv"])

    def _approved(self, event: str, answer: str, path: str, digest: str) -> None:
        self._said[path] = answer, digest
        one = self.files.get(path)
        if one is not None and answer in one.answers and digest != one.digest:
            self.files[path] = one._replace(digest=digest, approved=event)


def suite_of(ledger: Ledger, about: str | None) -> Suite | None:
    """The frozen tests of a subject, or those that are of none in particular; None if there are none."""
    found = _Standing.of(ledger)
    if about not in found.suites:
        return None
    event, paths, argv = found.suites[about]
    return Suite(event, tuple(found.files[path] for path in paths), argv)


def states(ledger: Ledger, tree: Path, frozen: Sequence[Frozen]) -> dict[str, tuple[State, str | None]]:
    """Path → how the file stands in the work tree, and the SHA-256 of what is there."""
    found: dict[str, tuple[State, str | None]] = {}
    for one in frozen:
        here = digest_of(tree, one.path)
        found[one.path] = state_of(one, here), here
    missing = [path for path, (state, _) in found.items() if state == "missing"]
    for path in once_committed(tree, missing):
        found[path] = "deleted", None
    return found


def state_of(one: Frozen, here: str | None) -> State:
    """How a file stands whose content now has the digest `here`, None where there is none."""
    if here is None:
        return "missing"
    if here != one.digest:
        return "changed"
    return "as frozen" if one.approved is None else "changed by approval"


def digest_of(tree: Path, path: str) -> str | None:
    """The SHA-256 of a file of the work tree, None where there is none."""
    try:
        place = confine(tree, path)
        return sha256(place.read_bytes()).hexdigest() if place.is_file() else None
    except (Usage, OSError):
        return None


def rewritten(ledger: Ledger, tree: Path, answer: str, path: str) -> tuple[Frozen, bytes] | None:
    """A file that this answer froze and the bytes that stand in the work tree instead; None where it stands as frozen,
    is not there, or was not frozen by this answer."""
    one = _Standing.of(ledger).files.get(path)
    if one is None or answer not in one.answers:
        return None
    try:
        place = confine(tree, path)
        content = place.read_bytes() if place.is_file() else None
    except (Usage, OSError):
        return None
    if content is None or sha256(content).hexdigest() == one.digest:
        return None
    return one, content


def refuse_changed(ledger: Ledger, tree: Path, by: Actor, about: str | None = None) -> list[str]:
    """Record a refusal for each frozen file that does not stand as it was frozen; their paths.

    Nothing is put back: the work tree is the user's. The same change is refused once.
    """
    known = refused_before(ledger)
    frozen = frozen_files(ledger, about)
    found = []
    for one, (state, here) in zip(frozen, states(ledger, tree, frozen).values(), strict=True):
        if state not in BROKEN:
            continue
        found.append(one.path)
        refuse(ledger, one, here, by, known)
    return found


def refused_before(ledger: Ledger) -> set[tuple[str, str]]:
    """What was refused already: subject and reference of each refusal."""
    return {
        (data["subject"], data["reference"])
        for entry in events(ledger, "refusal.noted")
        if (data := decoded(entry))["code"] == CODE
    }


def refuse(ledger: Ledger, one: Frozen, here: str | None, by: Actor, known: set[tuple[str, str]]) -> None:
    """Record that a change of a frozen file is refused, unless it is `known` to have been."""
    key = _subject(one.path), here or "missing"
    if key not in known:
        known.add(key)
        _note(ledger, one, here, by)


def guard_frozen(ledger: Ledger, writes: Mapping[str, bytes | None], by: Actor) -> None:
    """Raise Refused, and record it, if a set of writes would change a frozen test; None is a removal.

    A person may, and so may whoever writes what a person approved for this path by its SHA-256.
    """
    if by.kind == "human":
        return
    for one in frozen_files(ledger):
        if one.path not in writes:
            continue
        content = writes[one.path]
        here = None if content is None else sha256(content).hexdigest()
        if state_of(one, here) in BROKEN:
            _note(ledger, one, here, by)
            raise Refused(
                f"{one.path} is a frozen test, and only a person changes it",
                where=f"frozen by {one.event}, seq {one.seq}",
                safe="nothing was written; the refusal is recorded",
                remedy="leave the test as it is; where it is wrong, report it as blocked (wrong_test)",
            )


def _subject(path: str) -> str:
    return path if len(path) <= 200 else sha256(path.encode()).hexdigest()


def _note(ledger: Ledger, one: Frozen, here: str | None, by: Actor) -> None:
    now = "is gone" if here is None else f"has the SHA-256 {here}"
    note_refusal(
        ledger,
        subject=_subject(one.path),
        code=CODE,
        reason=f"{one.path} was frozen with the SHA-256 {one.digest} and {now}",
        by=by,
        reference=here or "missing",
    )
