"""What is on disk beside the journal, compared with what the journal makes of it at the seq that each names.

Views and caches alike. Nothing here writes; what is of another history or version is stale, which is no difference:
nobody believes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal, NamedTuple

import msgspec

from t2c.cli.actions.context import Context
from t2c.ledger.commands.evidence import EvidenceState
from t2c.ledger.engine import Ledger
from t2c.ledger.journal.position import Position
from t2c.ledger.journal.tree import Tree
from t2c.ledger.standing import kept, snapshot_of
from t2c.projections import store
from t2c.projections.fold import Folded
from t2c.projections.fold.snapshot import Snapshot, load, path_of
from t2c.projections.registry import ALL

__all__ = ["Compared", "OnDisk"]

Status = Literal["equal", "differs", "stale", "skipped"]
_SHOWN: Final = ".t2c"


class Compared(NamedTuple):
    """One thing on disk: `status` is equal, differs, stale (nobody believes it) or skipped; `detail` says why.

    `seq` is the event as of which it was compared, None if it was not.
    """

    file: str
    seq: int | None
    status: Status
    detail: str


class OnDisk:
    """Finds what is there and as of which event, then compares it while the journal is folded past those events."""

    def __init__(self, context: Context, ledger: Ledger, target: Position) -> None:
        self._context = context
        self._ledger = ledger
        self._target = target
        self._folds = ledger.cache / "folds"
        self._views: dict[int, list[str]] = {}
        self._snapshots: dict[int, list[str]] = {}
        self.rows: list[Compared] = []
        self.decided = 0
        """The event as of which the decider's snapshot is compared, 0 if there is none."""
        self._rooted = 0
        for name in ALL:
            self._find_view(name)
            self._find_snapshot(name)
        self._find_decided()
        self._find_tree()
        self._find_others()

    @property
    def seqs(self) -> set[int]:
        """The events after which something is to be compared."""
        return {*self._views, *self._snapshots, self.decided, self._rooted} - {0}

    def compare(self, folded: Folded, state: EvidenceState, root: bytes) -> None:
        """Compare what names the event that was folded last; `root` is the Merkle root up to it."""
        seq = folded.position.seq
        for name in self._views.get(seq, ()):
            self._compare_view(folded, name)
        for name in self._snapshots.get(seq, ()):
            self._compare_snapshot(folded, name)
        if seq == self.decided:
            self._compare_decided(seq, state)
        if seq == self._rooted:
            self._compare_tree(seq, root)

    def _row(self, file: str, seq: int | None, status: Status, detail: str = "") -> None:
        self.rows.append(Compared(f"{_SHOWN}/{file}", seq, status, detail))

    def _stands(self, file: str, position: Position) -> bool:
        """True if `position` is to be compared; else a row says why not."""
        if position.seq > self._target.seq and self._ledger.journal.holds(position):
            self._row(file, None, "skipped", f"as of seq {position.seq}, after the end of this replay")
        elif position.seq < 1 or not self._ledger.journal.holds(position):
            self._row(file, None, "stale", f"as of an event {position.seq} that is not in this journal")
        else:
            return True
        return False

    # views

    def _find_view(self, name: str) -> None:
        file = f"projections/{name}"
        manifest = store.manifest(self._context.workspace, name)
        if manifest is None:
            if (self._context.workspace / file).exists():
                self._row(file, None, "differs", "has no projection.json of t2c's")
            return
        found = self._ledger.journal.position(manifest.seq)
        place = Position(manifest.seq, manifest.head, 0 if found is None else found.offset)
        if self._stands(file, place):
            self._views.setdefault(manifest.seq, []).append(name)

    def _compare_view(self, folded: Folded, name: str) -> None:
        seq = folded.position.seq
        mismatches = store.check(self._context.workspace, folded.provenance(name), folded.artifacts(name))
        for mismatch in mismatches:
            status: Status = "stale" if mismatch.kind == "stale" else "differs"
            self._row(mismatch.path, seq, status, mismatch.detail)
        if not mismatches:
            self._row(f"projections/{name}", seq, "equal")

    # snapshots of folds

    def _find_snapshot(self, name: str) -> None:
        path = path_of(self._folds, ALL[name])
        if not path.exists():
            return
        named: list[Position] = []

        def note(position: Position) -> bool:
            named.append(position)
            return False

        load(self._folds, ALL[name], note)
        file = f"cache/folds/{path.name}"
        if not named:
            self._row(file, None, "differs", "cannot be read as the snapshot of this view and version")
        elif self._stands(file, named[0]):
            self._snapshots.setdefault(named[0].seq, []).append(name)

    def _compare_snapshot(self, folded: Folded, name: str) -> None:
        seq, file = folded.position.seq, f"cache/folds/{path_of(self._folds, ALL[name]).name}"
        found = load(self._folds, ALL[name], lambda _: True)
        if found is None:
            self._row(file, seq, "differs", "is not whole")
            return
        header, state = found
        expected = Snapshot(
            name=name,
            version=ALL[name].version,
            seq=seq,
            head=folded.position.hash,
            offset=folded.position.offset,
            ts=folded.ts or "",
            faults=list(folded.faults[name]),
            fault_count=folded.fault_counts[name],
            unknown=dict(folded.unknown),
            withheld=dict(folded.withheld),
            foreign=dict(folded.foreign),
        )
        differences = [*_differences(header, expected), *_differences(state, folded.states[name])]
        self._told(file, seq, differences)

    def _told(self, file: str, seq: int, differences: list[str]) -> None:
        for difference in differences:
            self._row(file, seq, "differs", difference)
        if not differences:
            self._row(file, seq, "equal")

    # the decider's snapshot

    def _find_decided(self) -> None:
        path = snapshot_of(self._ledger)
        if not path.exists():
            return
        file, standing = f"cache/states/{path.name}", kept(self._ledger)
        if standing is None:
            self._row(file, None, "differs", "cannot be read as the snapshot of what stands")
        elif self._stands(file, standing.position):
            self.decided = standing.position.seq

    def _compare_decided(self, seq: int, state: EvidenceState) -> None:
        file, standing = f"cache/states/{snapshot_of(self._ledger).name}", kept(self._ledger)
        if standing is None or standing.position.seq != seq:
            self._row(file, None, "skipped", "it was replaced meanwhile")
        else:
            self._told(file, seq, _differences(standing.state, state))

    # the tree

    def _find_tree(self) -> None:
        folder = self._ledger.cache / "tree"
        if not folder.is_dir():
            return
        tree = Tree.stored(folder, self._ledger.journal)
        if tree is None:
            self._row(
                "cache/tree", None, "stale", "does not fit this journal, so it is made anew when needed"
            )
            return
        with tree:
            if self._stands("cache/tree", tree.position):
                self._rooted = tree.position.seq

    def _compare_tree(self, seq: int, root: bytes) -> None:
        tree = Tree.stored(self._ledger.cache / "tree", self._ledger.journal)
        if tree is None or tree.position.seq != seq:
            self._row("cache/tree", None, "skipped", "it was replaced meanwhile")
            return
        with tree:
            difference = tree.disagreement(root, whole=True)
        self._told("cache/tree", seq, [] if difference is None else [difference])

    # what no version of this program reads

    def _find_others(self) -> None:
        cache = self._ledger.cache
        read = {path_of(self._folds, projection) for projection in ALL.values()} | {snapshot_of(self._ledger)}
        for folder in (self._folds, cache / "states"):
            for path in sorted(folder.iterdir()) if folder.is_dir() else ():
                if path not in read:
                    self._row(
                        f"cache/{folder.name}/{path.name}", None, "stale", "this version does not read it"
                    )
        views = self._context.workspace / "projections"
        for path in sorted(views.iterdir()) if views.is_dir() else ():
            if path.name not in ALL:
                self._row(f"projections/{path.name}", None, "stale", "this version makes no such view")


def _differences(found: msgspec.Struct, expected: Any) -> list[str]:
    """Each field in which two structs differ, with the first key where it is a mapping."""
    return [
        f"{field.name}{where}"
        for field in msgspec.structs.fields(found)
        for where in _where(getattr(found, field.name), getattr(expected, field.name))
    ]


def _where(found: Any, expected: Any) -> Iterator[str]:
    if found == expected:
        return
    if not isinstance(found, dict) or not isinstance(expected, dict):
        yield " is not what the journal makes of it"
        return
    wrong = [key for key in found.keys() | expected.keys() if found.get(key) != expected.get(key)]
    first = min(wrong, key=str)
    how = (
        "is missing" if first not in found else "should not be there" if first not in expected else "differs"
    )
    more = f", and {len(wrong) - 1:,} more" if len(wrong) > 1 else ""
    yield f": {first} {how}{more}"
