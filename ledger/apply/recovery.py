"""What a crash left of an apply: told from hashes, and where they do not tell, decided by a person."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal, NamedTuple

from t2c.ledger.apply.base import Unfinished, digest
from t2c.ledger.apply.history import Announced, FileTold, history
from t2c.ledger.apply.locking import Holder, busy, locked
from t2c.ledger.apply.outcomes import fail, receipt
from t2c.ledger.apply.places import Place, Tree, cannot, place_of, refuse_reserved
from t2c.ledger.apply.staging import FOLDER, Staging, kept_before
from t2c.ledger.apply.writing import replace, sweep, temporary
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Conflict, Environment, Refused, T2cError, Usage
from t2c.ledger.events.changes import ApplyFailure, FileChange

__all__ = ["Decision", "Recovered", "kept_before", "recover", "unfinished"]

Decision = Literal["forward", "back", "leave"]
Stand = Literal["before", "after", "other"]
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
            stands = [_stand(tree, file) for file in one.files]
        files = tuple((file.path, stand) for file, stand in zip(one.files, stands, strict=True))
        verdict = _verdict(stands)
        found.append(Unfinished(one.id, one.seq, one.purpose, one.subject, one.requested_by, verdict, files))
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


def _place(path: str) -> Place:
    place = place_of(path)
    refuse_reserved(place)
    return place


def _stand(tree: Tree, file: FileTold) -> Stand:
    """How a file stands. Permissions count only where the content does not tell."""
    try:
        seen = tree.look(_place(file.path))
    except T2cError:
        return "other"
    now = None if seen is None else digest(seen.content)
    mode = None if seen is None else f"{stat.S_IMODE(seen.status.st_mode):04o}"
    if file.before == file.after and now == file.after and file.before_mode != file.after_mode:
        if mode == file.after_mode:
            return "after"
        return "before" if mode == file.before_mode else "other"
    if now == file.after:
        return "after"
    return "before" if now == file.before else "other"


def _verdict(stands: Sequence[Stand]) -> Literal["before", "after", "mixed", "undecided"]:
    kinds = set(stands)
    if "other" in kinds:
        return "undecided"
    if len(kinds) == 2:
        return "mixed"
    return "after" if kinds == {"after"} else "before"


class _Case:
    """One open apply, under its locks."""

    def __init__(self, ledger: Ledger, tree: Tree, one: Announced) -> None:
        self.ledger = ledger
        self.tree = tree
        self.one = one
        self.staging = Staging(ledger.workspace, one.id)
        self.stands = [_stand(tree, file) for file in one.files]

    def settled(self, decide: Decision | None, reason: str) -> Recovered:
        """Give it an outcome if hashes or a person decide it."""
        if decide is not None:
            act = {"forward": self._forward, "back": self._back, "leave": self._leave}[decide]
            return self._done(act, reason)
        verdict = _verdict(self.stands)
        if verdict == "undecided":
            others = [
                file.path for file, stand in zip(self.one.files, self.stands, strict=True) if stand == "other"
            ]
            return self._undecided(f"{', '.join(others)}: neither as before nor as wanted")
        try:
            if verdict == "after":
                return self._done(self._forward, "")
            return self._done(self._back, "")
        except (Environment, Refused) as error:
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
        for number, file in enumerate(self.one.files):
            if self.stands[number] != "after":
                self._put(number, file, "after", file.after, file.after_mode)
        self._sweep()
        applied = receipt(
            self.ledger,
            self.one.id,
            [_change(file) for file in self.one.files],
            "recovered",
            run=self.one.run,
        )
        self.staging.finish()
        return _told(self.one, "recovered", applied.event, ["after"] * len(self.stands))

    def _back(self, reason: str) -> Recovered:
        touched = [number for number, stand in enumerate(self.stands) if stand != "before"]
        for number in touched:
            file = self.one.files[number]
            if file.before is not None and self.staging.content("before", number, file.before) is None:
                raise self._not_kept(file)
        for number in reversed(touched):
            file = self.one.files[number]
            self._put(number, file, "before", file.before, file.before_mode)
        self._sweep()
        for path in reversed(self.staging.folders()):
            with suppress(T2cError):
                self.tree.drop(_parts(path))
        self.staging.remove()
        if touched:
            return self._fail(
                "undone", reason or "it was interrupted; what was changed is taken back", "before"
            )
        return self._fail("nothing", reason or "it was interrupted before any file was changed", "before")

    def _leave(self, reason: str) -> Recovered:
        self._sweep()
        files = [self._as_it_is(file) for file in self.one.files]
        event = fail(self.ledger, self.one.id, "left", reason, files, self.one.run)
        self.staging.finish()
        return _told(self.one, "left", event, self.stands)

    def _as_it_is(self, file: FileTold) -> FileChange:
        try:
            seen = self.tree.look(_place(file.path))
        except T2cError:
            seen = None
        there = None if seen is None else seen.content
        mode = None if seen is None else f"{stat.S_IMODE(seen.status.st_mode):04o}"
        return _change(file).model_copy(update={"after": digest(there), "after_mode": mode})

    def _fail(self, outcome: ApplyFailure, reason: str, stand: Stand) -> Recovered:
        event = fail(
            self.ledger,
            self.one.id,
            outcome,
            reason,
            [_change(file) for file in self.one.files],
            self.one.run,
        )
        kind: Literal["nothing", "undone"] = "undone" if outcome == "undone" else "nothing"
        return _told(self.one, kind, event, [stand] * len(self.stands))

    def _put(self, number: int, file: FileTold, kind: str, wanted: str | None, mode: str | None) -> None:
        """Make one file as it is kept, whatever is there now."""
        place = _place(file.path)
        now = self.tree.status(place)
        if now is not None and not stat.S_ISREG(now.st_mode):
            raise Refused(f"{file.path} is no plain file", where=file.path, safe="the file as it is now")
        if wanted is None:
            folder = self.tree.folder(place.parents)
            if now is not None and folder is not None:
                os.unlink(place.name, dir_fd=folder)
                os.fsync(folder)
            return
        content = self.staging.content(kind, number, wanted)
        if content is None:
            raise self._not_kept(file)
        for depth in range(1, len(place.parents) + 1):
            self.tree.make(place.parents[:depth])
        permissions = _NEW_MODE if mode is None else int(mode, 8)
        if mode is None and now is not None:
            permissions = stat.S_IMODE(now.st_mode)
        model = self._model(number)
        try:
            status = now if now is not None else None if model is None else os.fstat(model)
            copied = None if model is None else (model, status)
            made = temporary(self.tree, place, self.one.id, number, content, permissions, copied)
        finally:
            if model is not None:
                os.close(model)
        replace(self.tree, place, made, now)
        if (folder := self.tree.folder(place.parents)) is not None:
            os.fsync(folder)

    def _model(self, number: int) -> int | None:
        """The kept file whose attributes the written one is to have."""
        try:
            return os.open(self.staging.path("before", number), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            return None

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
                sweep(self.tree, [_place(file.path).parents], self.one.id)


def _parts(path: str) -> tuple[str, ...]:
    place = _place(path)
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
    """Remove what a process that was killed after its receipt kept of the contents from after."""
    folder = ledger.workspace / FOLDER
    is_open = history(ledger).open
    with suppress(OSError):
        for item in folder.iterdir():
            if item.name.startswith("EVT-") and item.name not in is_open:
                with suppress(AssertionError, OSError):
                    staging = Staging(ledger.workspace, item.name)
                    if not staging.finished:
                        staging.finish()
