"""What a crash left of an apply: told from hashes, and where they do not tell, decided by a person."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal, NamedTuple

from t2c.ledger.apply.base import Unfinished, digest
from t2c.ledger.apply.folders import opened
from t2c.ledger.apply.history import Announced, FileTold, history
from t2c.ledger.apply.locking import Holder, busy, locked
from t2c.ledger.apply.outcomes import fail, receipt
from t2c.ledger.apply.places import Place, Tree, cannot
from t2c.ledger.apply.staging import FOLDER, Staging, kept_before
from t2c.ledger.apply.stands import Stand, mode_of, place_of_told, stood, verdict
from t2c.ledger.apply.writing import (
    MOUNTED,
    changed_meanwhile,
    remove,
    replace,
    same,
    sweep,
    temporary,
    write_over,
)
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Conflict, Environment, Refused, T2cError, Usage
from t2c.ledger.events.changes import FileChange

__all__ = ["Decision", "Recovered", "kept_before", "recover", "unfinished"]

Decision = Literal["forward", "back", "leave"]
_NEW_MODE: Final = 0o644


class Recovered(NamedTuple):
    """What became of an announced apply that had no outcome. `event` is the one that says so now.

    `running`: somebody holds its locks. `undecided`: only a person can say, `why` tells what is in the way; both have
    no event.
    """

    announced: str
    seq: int
    purpose: str
    subject: str | None
    requested_by: str | None
    outcome: Literal["recovered", "nothing", "undone", "left", "undecided", "running"]
    event: str | None
    files: tuple[tuple[str, str], ...]
    why: str = ""


def unfinished(ledger: Ledger, root: Path) -> list[Unfinished]:
    """Announced applies without an outcome that nobody is at, in order, and how their files stand. Writes nothing."""
    found = []
    for one in history(ledger).open.values():
        if busy(ledger.workspace, root, [file.path for file in one.files]):
            continue
        with Tree(root) as tree:
            stands: list[Stand] = [stood(tree, file).stand for file in one.files]
        files = tuple((file.path, stand) for file, stand in zip(one.files, stands, strict=True))
        told = verdict(stands)
        found.append(Unfinished(one.id, one.seq, one.purpose, one.subject, one.requested_by, told, files))
    return found


def recover(
    ledger: Ledger,
    root: Path,
    *,
    announced: str | None = None,
    decide: Decision | None = None,
    reason: str = "",
) -> list[Recovered]:
    """Give every open apply its outcome, as far as hashes decide it; `announced` names the only one.

    All as wanted: receipted. All as before, or some of each and their contents from before kept: taken back and failed.
    Anything else stays open until `decide` says for the one that is named to write what is missing (`forward`), to take
    back what is there (`back`), or to `leave` it, and `reason` why.

    Raises Usage if the named one is not open or a decision names none, Conflict if it is under way, Environment if what
    was decided cannot be done.
    """
    if decide is not None and (announced is None or not reason.strip()):
        raise Usage("a decision names one apply and says why", remedy="give its event and a reason")
    known = history(ledger)
    if announced is not None and announced not in known.open:
        raise Usage(
            f"{announced} is no apply without an outcome", remedy="`t2c doctor` lists those that are open"
        )
    chosen = list(known.open.values()) if announced is None else [known.open[announced]]
    results = []
    for one in chosen:
        result = _recovered(ledger, root, one, decide, reason)
        if result is not None:
            results.append(result)
    _tidy(ledger)
    return results


def _recovered(
    ledger: Ledger, root: Path, one: Announced, decide: Decision | None, reason: str
) -> Recovered | None:
    paths = [file.path for file in one.files]
    holder = Holder("recover", None, one.subject, one.id)
    try:
        with locked(ledger.workspace, root, paths, holder, 0 if decide is None else 1), Tree(root) as tree:
            if one.id not in history(ledger).open:
                return None  # whoever was at it has ended it
            return _Case(ledger, tree, one).settled(decide, reason)
    except Conflict as conflict:
        if decide is not None:
            raise
        return _told(one, "running", None, (), conflict.what)


def _told(
    one: Announced,
    outcome: Literal["recovered", "nothing", "undone", "left", "undecided", "running"],
    event: str | None,
    stands: Sequence[Stand],
    why: str = "",
) -> Recovered:
    files = tuple((file.path, stand) for file, stand in zip(one.files, stands, strict=False))
    return Recovered(one.id, one.seq, one.purpose, one.subject, one.requested_by, outcome, event, files, why)


class _Case:
    """One open apply, under its locks."""

    def __init__(self, ledger: Ledger, tree: Tree, one: Announced) -> None:
        self.ledger = ledger
        self.tree = tree
        self.one = one
        self.staging = Staging(ledger.workspace, one.id)
        self.stood = [stood(tree, file) for file in one.files]
        self.over = set(self.staging.over())
        self.others: list[str] = []
        """What is said of contents that a decision wrote over."""

    @property
    def stands(self) -> list[Stand]:
        return [one.stand for one in self.stood]

    def settled(self, decide: Decision | None, reason: str) -> Recovered:
        """Give it an outcome if hashes or a person decide it."""
        if decide is not None:
            act = {"forward": self._forward, "back": self._back, "leave": self._leave}[decide]
            return self._done(act, reason)._replace(why="; ".join(self.others))
        told = verdict(self.stands)
        if told == "undecided":
            others = [
                file.path for file, stand in zip(self.one.files, self.stands, strict=True) if stand == "other"
            ]
            return self._undecided(f"{', '.join(others)}: neither as before nor as wanted")
        try:
            act = self._forward if told == "after" else self._back
            return self._done(act, "")._replace(why="; ".join(self.others))
        except (Conflict, Environment, Refused) as error:
            self.stood = [stood(self.tree, file) for file in self.one.files]
            return self._undecided(error.what)

    def _undecided(self, why: str) -> Recovered:
        with suppress(OSError):  # what was about to be put is kept elsewhere
            self._sweep()
        return _told(self.one, "undecided", None, self.stands, why)

    def _done(self, act: Callable[[str], Recovered], reason: str) -> Recovered:
        try:
            return act(reason)
        except OSError as error:
            raise cannot(
                str(error.filename or self.one.files[0].path), error, "both contents of each file, where kept"
            ) from error

    def _forward(self, reason: str) -> Recovered:
        touched = self._touched("after")
        for number in touched:
            file = self.one.files[number]
            self._put(number, file, "after", file.after, file.after_mode)
        self._sweep()
        files = [
            _change(file).model_copy(
                update={"after_mode": mode_of(self.tree.status(place_of_told(file.path)))}
            )
            for file in self.one.files
        ]
        over = tuple(file.path for number, file in enumerate(self.one.files) if number in self.over)
        applied = receipt(self.ledger, self.one.id, files, "recovered", over, self.one.run)
        self.staging.finish()
        after: list[Stand] = ["after" for _ in self.stood]
        return _told(self.one, "recovered", applied.event, after)

    def _back(self, reason: str) -> Recovered:
        touched = self._touched("before")
        for number in reversed(touched):
            file = self.one.files[number]
            self._put(number, file, "before", file.before, file.before_mode)
        self._sweep()
        for path in reversed(self.staging.folders()):
            with suppress(T2cError):
                self.tree.drop(_parts(path))
        self.staging.clear()
        if touched:
            failed = self._fail("undone", reason or "it was interrupted; what was changed is taken back")
        elif self.staging.begun:
            failed = self._fail(
                "undone",
                reason or "it was interrupted; every file is as before, or was taken back before this",
            )
        else:
            failed = self._fail("nothing", reason or "it was interrupted; every file is as before")
        self.staging.finish()
        return failed

    def _touched(self, kind: Literal["before", "after"]) -> list[int]:
        """The files that have to be made so. Raises, before any is, what keeps one from it."""
        touched = [number for number, stand in enumerate(self.stands) if stand != kind]
        for number in touched:
            file, stood = self.one.files[number], self.stood[number]
            if stood.error is not None:
                stood.error.safe = "every file as it is now"
                raise stood.error
            wanted = file.before if kind == "before" else file.after
            if wanted is not None and self.staging.content(kind, number, wanted) is None:
                raise self._not_kept(file)
        return touched

    def _leave(self, reason: str) -> Recovered:
        self._sweep()
        files = [self._as_it_is(file) for file in self.one.files]
        event = fail(self.ledger, self.one.id, "left", reason, files, self.one.run)
        self.staging.finish()
        return _told(self.one, "left", event, self.stands)

    def _as_it_is(self, file: FileTold) -> FileChange:
        try:
            seen = self.tree.look(place_of_told(file.path))
        except T2cError:
            seen = None
        there = None if seen is None else seen.content
        mode = mode_of(None if seen is None else seen.status)
        return _change(file).model_copy(update={"after": digest(there), "after_mode": mode})

    def _fail(self, outcome: Literal["nothing", "undone"], reason: str) -> Recovered:
        event = fail(
            self.ledger,
            self.one.id,
            outcome,
            reason,
            [_change(file) for file in self.one.files],
            self.one.run,
        )
        before: list[Stand] = ["before" for _ in self.stood]
        return _told(self.one, outcome, event, before)

    def _put(
        self,
        number: int,
        file: FileTold,
        kind: Literal["before", "after"],
        wanted: str | None,
        mode: str | None,
    ) -> None:
        """Make one file as it is kept. Raises Conflict if it is not as it stood when it was hashed."""
        place = place_of_told(file.path)
        now = self.stood[number].status
        content = None if wanted is None else self.staging.content(kind, number, wanted)
        if wanted is not None and content is None:
            raise self._not_kept(file)
        if now is not None:
            self._keep_other(number, file, place, now)
        if content is not None:
            for depth in range(1, len(place.parents) + 1):
                self.tree.make(place.parents[:depth])
            self._write(number, place, content, now, mode)
        elif now is not None:
            remove(self.tree, place, now)
        if (folder := self.tree.folder(place.parents)) is not None:
            os.fsync(folder)

    def _write(
        self, number: int, place: Place, content: bytes, now: os.stat_result | None, mode: str | None
    ) -> None:
        permissions = _NEW_MODE if mode is None else int(mode, 8)
        if mode is None and now is not None:
            permissions = stat.S_IMODE(now.st_mode)
        if now is None or (number not in self.over and now.st_nlink == 1):
            model = self.staging.model(number)
            try:
                status = now if now is not None else None if model is None else os.fstat(model)
                copied = None if model is None else (model, status)
                made = temporary(self.tree, place, self.one.id, number, content, permissions, copied)
            finally:
                if model is not None:
                    os.close(model)
            try:
                replace(self.tree, place, made, now)
                return
            except OSError as error:
                if now is None or error.errno not in MOUNTED:
                    raise
        self.over.add(number)
        write_over(self.tree, place, content, permissions, now)

    def _keep_other(self, number: int, file: FileTold, place: Place, now: os.stat_result) -> None:
        """Keep what is about to be lost unless it is kept already. Raises Conflict if it is another by now."""
        stand = self.stood[number].stand
        told = file.before if stand == "before" else file.after
        if stand != "other" and self.staging.content(stand, number, told) is not None:
            return
        seen = self.tree.look(place)
        if seen is None or not same(seen.status, now):
            raise changed_meanwhile(file.path)
        kept = self.staging.keep_other(number, seen.content)
        self.others.append(f"what {file.path} held is kept in {kept}")

    def _not_kept(self, file: FileTold) -> Environment:
        return Environment(
            f"what {file.path} is to hold is not kept in {self.staging.folder}",
            where=file.path,
            safe="every file as it is now",
            remedy="put the file right by hand, then decide: leave",
        )

    def _sweep(self) -> None:
        for file in self.one.files:
            with suppress(T2cError):
                sweep(self.tree, [place_of_told(file.path).parents], self.one.id)


def _parts(path: str) -> tuple[str, ...]:
    place = place_of_told(path)
    return (*place.parents, place.name)


def _change(file: FileTold) -> FileChange:
    return FileChange(
        path=file.path,
        before=file.before,
        after=file.after,
        before_mode=file.before_mode,
        after_mode=file.after_mode,
    )


def _tidy(ledger: Ledger) -> None:
    """Remove what a process that was killed after its outcome kept of the contents that nobody needs then."""
    is_open = history(ledger).open
    with suppress(OSError, Refused):
        with opened(ledger.workspace, FOLDER) as folder:
            names = os.listdir(folder)  # noqa: PTH208 - of a descriptor
        for name in names:
            if name.startswith("EVT-") and name not in is_open:
                with suppress(AssertionError, OSError):
                    staging = Staging(ledger.workspace, name)
                    if not staging.finished:
                        staging.finish()
