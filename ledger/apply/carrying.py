"""What comes between the announcement of an apply and its outcome: every step forward, and every step back."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from typing import Final, NoReturn

from t2c.ledger.apply.base import Applied
from t2c.ledger.apply.outcomes import fail, receipt
from t2c.ledger.apply.places import Tree, cannot
from t2c.ledger.apply.preflight import Work
from t2c.ledger.apply.staging import Copies, Staging
from t2c.ledger.apply.writing import (
    MOUNTED,
    Temporary,
    changed_meanwhile,
    remove,
    replace,
    same,
    sweep,
    temporary,
    write_over,
)
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Conflict, Environment, T2cError

__all__ = ["Run"]

_AS_WANTED: Final = "the files, which are as they were wanted; the next command records that"
_AS_BEFORE: Final = "every file is as it was"


class Run:
    """One announced apply, under its locks."""

    def __init__(
        self,
        ledger: Ledger,
        tree: Tree,
        works: Sequence[Work],
        announced: str,
        in_place: bool,
        run: str | None,
        progress: Callable[[str, int, int | None], object],
    ) -> None:
        self.ledger = ledger
        self.tree = tree
        self.works = works
        self.announced = announced
        self.in_place = in_place
        self.run = run
        self.progress = progress
        self.staging = Staging(ledger.workspace, announced)
        self.temporaries: dict[int, Temporary] = {}
        self.over: list[str] = []
        self.removed: set[int] = set()
        self.put: set[int] = set()
        """Files that are as they are wanted."""
        self.begun = -1
        """The last file that may have been touched."""
        self.at = works[0].place.path

    def go(self) -> Applied:
        missing = self._missing()
        try:
            self._stage(missing)
            self._prepare(missing)
            self._put()
        except BaseException as error:  # noqa: BLE001 - an interrupt too must leave no part
            self._end_badly(error, missing)
        files = [work.told for work in self.works]
        try:
            applied = receipt(self.ledger, self.announced, files, "done", tuple(self.over), self.run)
        except OSError as error:
            raise cannot(str(error.filename or "the journal"), error, _AS_WANTED) from error
        except T2cError as error:
            error.safe = _AS_WANTED
            raise
        self.staging.finish()
        return applied

    def _missing(self) -> list[tuple[str, ...]]:
        """Folders that have to be made, those above first."""
        found: dict[tuple[str, ...], None] = {}
        for work in self.works:
            if work.wanted.after is None:
                continue
            parents = work.place.parents
            for depth in range(1, len(parents) + 1):
                if self.tree.folder(parents[:depth]) is None:
                    found[parents[:depth]] = None
        return sorted(found)

    def _stage(self, missing: Sequence[tuple[str, ...]]) -> None:
        copies = [
            Copies(work.wanted.before, work.wanted.after, _Model(self.tree, work)) for work in self.works
        ]
        over = [number for number, work in enumerate(self.works) if work.over]
        self.staging.keep(copies, ["/".join(parts) for parts in missing], over)

    def _prepare(self, missing: Sequence[tuple[str, ...]]) -> None:
        for parts in missing:
            self.at = "/".join(parts)
            self.tree.make(parts)
        for number, work in enumerate(self.works):
            self.at = work.place.path
            self.progress("write", number, len(self.works))
            if work.wanted.after is None or work.over:
                continue
            with _Model(self.tree, work) as file:
                model = None if file is None or work.seen is None else (file, work.seen.status)
                self.temporaries[number] = temporary(
                    self.tree, work.place, self.announced, number, work.wanted.after, work.mode, model
                )
        self.tree.check_unmoved()

    def _put(self) -> None:
        self.staging.begin()
        for number, work in enumerate(self.works):
            self.at = work.place.path
            self.begun = number
            self._put_one(number, work)
            self.put.add(number)
        self._sync()
        self.tree.check_unmoved()
        if self.over:
            sweep(self.tree, self._folders(), self.announced)

    def _folders(self) -> Iterator[tuple[str, ...]]:
        """The folders of all files that are held open."""
        return (
            parts for parts in sorted({work.place.parents for work in self.works}) if self.tree.holds(parts)
        )

    def _sync(self) -> None:
        for parts in self._folders():
            self.at = "/".join(parts) or "."
            if (folder := self.tree.folder(parts)) is not None:
                os.fsync(folder)

    def _put_one(self, number: int, work: Work) -> None:
        expected = None if work.seen is None else work.seen.status
        if work.wanted.after is None:
            if expected is not None:
                self._remove(number, work, expected)
            return
        if not work.over:
            try:
                replace(self.tree, work.place, self.temporaries[number], expected)
                return
            except OSError as error:
                if not self.in_place or expected is None or error.errno not in MOUNTED:
                    raise
        self._write_over(work, work.wanted.after, expected)

    def _remove(self, number: int, work: Work, expected: os.stat_result) -> None:
        self.removed.add(number)
        try:
            remove(self.tree, work.place, expected)
        except Conflict:
            self.removed.discard(number)
            raise

    def _write_over(self, work: Work, after: bytes, expected: os.stat_result | None) -> None:
        self.over.append(work.place.path)
        try:
            write_over(self.tree, work.place, after, work.mode, expected)
        except Conflict:
            self.over.remove(work.place.path)
            raise

    def _end_badly(self, error: BaseException, missing: Sequence[tuple[str, ...]]) -> NoReturn:
        """Take everything back, record it, and raise what went wrong."""
        reason = error.what if isinstance(error, T2cError) else _words(error)
        at = self.at
        try:
            undone = self._take_back(missing)
        except (T2cError, OSError) as second:
            why = second.what if isinstance(second, T2cError) else _words(second)
            raise Environment(
                f"the files could not be written ({reason}), nor all be taken back: {why}",
                where=at,
                safe=f"both contents of each file, in {self.staging.folder}",
                remedy="mend the cause, then see how they stand: t2c change recover",
                announced=self.announced,
            ) from error
        self.staging.clear()
        with suppress(
            T2cError, OSError
        ):  # then the announcement stays open, and recovery finds all as before
            files = [work.told for work in self.works]
            fail(self.ledger, self.announced, "undone" if undone else "nothing", reason, files, self.run)
            self.staging.finish()
        if isinstance(error, OSError):
            raise cannot(at, error, _AS_BEFORE) from error
        if isinstance(error, T2cError):
            error.safe = f"{error.safe}; {_AS_BEFORE}" if isinstance(error, Conflict) else _AS_BEFORE
        raise error

    def _take_back(self, missing: Sequence[tuple[str, ...]]) -> bool:
        """Make every file that was touched as it was; True if there was any. Raises Conflict, after all others are, for
        one that somebody has changed since."""
        undone = False
        theirs: Conflict | None = None
        for number in range(self.begun, -1, -1):
            try:
                undone |= self._take_back_one(number, self.works[number])
            except Conflict as conflict:
                theirs = theirs or conflict
        sweep(self.tree, self._folders(), self.announced)
        self._sync()
        for parts in reversed(missing):
            self.tree.drop(parts)
        if theirs is not None:
            raise theirs
        return undone

    def _take_back_one(self, number: int, work: Work) -> bool:
        now = self.tree.status(work.place)
        if work.place.path in self.over:
            self._back_over(number, work)
            return True
        if not self._is_ours(number, work, now):
            return False
        if now is not None:
            seen = self.tree.look(work.place)
            if seen is None or seen.content != work.wanted.after:
                raise changed_meanwhile(work.place.path)
            now = seen.status
        if work.seen is not None:
            self._restore(number, work, work.seen.content, work.seen.status, now)
        elif now is not None:
            remove(self.tree, work.place, now)
        return True

    def _is_ours(self, number: int, work: Work, now: os.stat_result | None) -> bool:
        """True if what is there was put there by us, False if the step failed. Raises Conflict if it was done, and what
        is there is somebody's by now."""
        made = self.temporaries.get(number)
        ours = None if made is None else made.identity
        if made is None and now is None:
            return number in self.removed
        if now is not None and (now.st_dev, now.st_ino) == ours:
            return True
        before = None if work.seen is None else work.seen.status
        if number not in self.put or now is before or (now is not None and before and same(now, before)):
            return False
        raise changed_meanwhile(work.place.path)

    def _back_over(self, number: int, work: Work) -> None:
        """Write over a file what it held, if it holds what we wrote or a part of that."""
        seen = self.tree.look(work.place)
        before, after = work.wanted.before or b"", work.wanted.after or b""
        if seen is None or not _is_part(seen.content, before, after, whole=number in self.put):
            raise changed_meanwhile(work.place.path)
        mode = None if work.seen is None else stat.S_IMODE(work.seen.status.st_mode)
        write_over(self.tree, work.place, before, mode, seen.status)

    def _restore(
        self, number: int, work: Work, content: bytes, status: os.stat_result, now: os.stat_result | None
    ) -> None:
        model = self.staging.model(number)
        if model is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(self.staging.folder))
        try:
            made = temporary(
                self.tree, work.place, self.announced, number, content, stat.S_IMODE(status.st_mode),
                (model, status),
            )  # fmt: skip
        finally:
            os.close(model)
        replace(self.tree, work.place, made, now)


def _is_part(now: bytes, before: bytes, after: bytes, *, whole: bool) -> bool:
    """True if a content is what a write over another one leaves: wholly, or where it was not `whole` up to some byte."""
    if whole or now == after:
        return now == after
    both = zip(now, after, strict=False)
    alike = next((at for at, (one, other) in enumerate(both) if one != other), min(len(now), len(after)))
    return now[alike:] == before[alike:]


class _Model(AbstractContextManager[int | None]):
    """The file before, held open while its attributes are copied; None where there is none, or another by now."""

    def __init__(self, tree: Tree, work: Work) -> None:
        self._tree, self._work = tree, work
        self._file: int | None = None

    def __enter__(self) -> int | None:
        folder = self._tree.folder(self._work.place.parents)
        if self._work.seen is None or folder is None:
            return None
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        self._file = os.open(self._work.place.name, flags, dir_fd=folder)
        return self._file

    def __exit__(self, *details: object) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _words(error: BaseException) -> str:
    if isinstance(error, OSError):
        return os.strerror(error.errno) if error.errno else str(error)
    return "it was interrupted" if isinstance(error, KeyboardInterrupt) else type(error).__name__
