"""Frozen tests: from `test.frozen` on nobody but a person changes them (answers §5).

A later `test.frozen` of the same path takes the place of an earlier one, and so does a person's approval of the file's
new SHA-256.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final, Literal, NamedTuple

from t2c.ledger.answers.changes import standing
from t2c.ledger.answers.history import decoded, events
from t2c.ledger.answers.recording import note_refusal
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Environment, Refused, Usage
from t2c.ledger.events.draft import draft
from t2c.ledger.kernel.actor import Actor
from t2c.ledger.kernel.paths import confine

__all__ = [
    "BROKEN", "CODE", "Frozen", "State", "Suite", "approved_digests", "digest_of", "freeze", "frozen_files",
    "guard_frozen", "refuse", "refuse_changed", "refused_before", "state_of", "states", "suite_of",
]  # fmt: skip

CODE: Final = "FROZEN_TEST_CHANGED"
"""The code of the refusal to change a frozen test."""
State = Literal["as frozen", "changed", "deleted", "missing", "changed by approval"]
"""`deleted` is gone though the last commit has it; `missing` was never put there."""
BROKEN: Final = frozenset({"changed", "deleted"})
"""What only a person may do."""


class Frozen(NamedTuple):
    """A frozen file: its path, the SHA-256 of its content, and the event that froze it."""

    path: str
    digest: str
    event: str
    seq: int
    about: str | None


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
) -> str:
    """Record that these files may not change any more; their contents become objects. Returns the event.

    The same files under the same answer are frozen once. Raises Refused for a file that holds a secret.
    """
    from t2c.ledger.events.heldout import FrozenFile, TestFrozen

    digests = {path: sha256(content).hexdigest() for path, content in files.items()}
    for entry in events(ledger, "test.frozen"):
        data = decoded(entry)
        if data["answer"] == answer and {one["path"]: one["content"] for one in data["files"]} == digests:
            return entry.id
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


def frozen_files(ledger: Ledger, about: str | None = None) -> list[Frozen]:
    """The files that are frozen, by path; of one subject if it is named."""
    found: dict[str, Frozen] = {}
    for entry in events(ledger, "test.frozen"):
        data = decoded(entry)
        for one in data["files"]:
            found[one["path"]] = Frozen(one["path"], one["content"], entry.id, entry.seq, data["about"])
    return [found[path] for path in sorted(found) if about is None or found[path].about == about]


def suite_of(ledger: Ledger, about: str | None) -> Suite | None:
    """The frozen tests of a subject, or those that are of none in particular; None if there are none."""
    found: Suite | None = None
    for entry in events(ledger, "test.frozen"):
        data = decoded(entry)
        if data["about"] == about and data["argv"]:
            files = tuple(
                Frozen(one["path"], one["content"], entry.id, entry.seq, about) for one in data["files"]
            )
            found = Suite(entry.id, files, tuple(data["argv"]))
    return found


def states(ledger: Ledger, tree: Path, frozen: Sequence[Frozen]) -> dict[str, tuple[State, str | None]]:
    """Path → how the file stands in the work tree, and the SHA-256 of what is there."""
    approved = approved_digests(ledger)
    found: dict[str, tuple[State, str | None]] = {}
    for one in frozen:
        here = digest_of(tree, one.path)
        found[one.path] = state_of(one, here, approved), here
    gone = {path for path, (state, _) in found.items() if state == "missing"}
    for path in gone & _committed(tree) if gone else ():
        found[path] = "deleted", None
    return found


def _committed(tree: Path) -> frozenset[str]:
    try:
        return standing(tree, "HEAD").names()
    except (Environment, Usage):  # no repository, or no commit in it yet
        return frozenset()


def state_of(one: Frozen, here: str | None, approved: frozenset[str]) -> State:
    """How a file stands whose content now has the digest `here`, None where there is none."""
    if here == one.digest:
        return "as frozen"
    if here is None:
        return "missing"
    return "changed by approval" if here in approved else "changed"


def approved_digests(ledger: Ledger) -> frozenset[str]:
    """The digests that a person approved."""
    return frozenset(
        decoded(entry)["digest"]
        for entry in events(ledger, "approval.granted")
        if entry.actor.kind == "human"
    )


def digest_of(tree: Path, path: str) -> str | None:
    """The SHA-256 of a file of the work tree, None where there is none."""
    try:
        place = confine(tree, path)
        return sha256(place.read_bytes()).hexdigest() if place.is_file() else None
    except (Usage, OSError):
        return None


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

    A person may, and so may whoever writes what a person approved by its SHA-256.
    """
    if by.kind == "human":
        return
    approved = approved_digests(ledger)
    for one in frozen_files(ledger):
        if one.path not in writes:
            continue
        content = writes[one.path]
        here = None if content is None else sha256(content).hexdigest()
        if state_of(one, here, approved) in ("changed", "missing"):
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
