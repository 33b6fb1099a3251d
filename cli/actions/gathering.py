"""What is to vouch for a journal, gathered from where it is kept and sorted by what it is worth.

With keys given, only what one of them signed is weighed: anybody can write a checkpoint, and whoever can write where
anchors are kept could otherwise outvote the owner.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from t2c.cli.actions.anchor import anchors_from
from t2c.cli.actions.context import Context
from t2c.cli.actions.notes import read_checkpoint, read_keys
from t2c.ledger.anchors.base import Anchor
from t2c.ledger.anchors.files import beside, local
from t2c.ledger.anchors.found import Found
from t2c.ledger.errors import T2cError, Usage
from t2c.ledger.journal.note import ledger_of, origin_of, parse_checkpoint, parse_note
from t2c.ledger.journal.signature import VerifierKey, vouched
from t2c.ledger.journal.verify import Fault

__all__ = ["KINDS", "AnchorKind", "Given", "Vouchers", "anchor_kinds", "gather"]

AnchorKind = Literal["git", "local", "rfc3161"]
KINDS: Final[tuple[AnchorKind, ...]] = ("git", "local", "rfc3161")

_NAMES: Final = {"git": "Git anchor", "local": "local anchor", "rfc3161": "time stamp"}
_REMEDIES: Final = {
    "git": "make one with `t2c ledger anchor git`, or fetch what others hold: "
    "git fetch <remote> refs/notes/t2c:refs/notes/t2c",
    "local": "make one with `t2c ledger checkpoint --sign`",
    "rfc3161": "make one with `t2c ledger anchor rfc3161`",
}
_BRING_BACK: Final = (
    "bring the journal back from Git, a backup or a bundle; a new ledger would be another one"
)


@dataclass(frozen=True, slots=True)
class Given:
    """What the caller gave to verify with: checkpoint files, keys (text or file) and kinds of anchors.

    `state` is the user's state folder, needed for `local`; `ca` a file of certificates for `rfc3161`. `since` trusts
    the events before the greatest of the checkpoints, `full` reads everything and believes no cache.
    """

    checkpoints: Sequence[str] = ()
    keys: Sequence[str] = ()
    kinds: Sequence[AnchorKind] = ()
    state: Path | None = None
    ca: str | None = None
    since: bool = False
    full: bool = False

    @property
    def plain(self) -> bool:
        """True if nothing was given that the journal is to be compared with."""
        return not (self.checkpoints or self.keys or self.kinds)


class Vouchers(NamedTuple):
    """The anchors to weigh, of `ledger`, and the keys of it that were given.

    `notices` tell of what was left aside, `faults` of signatures that are wrong or missing, `doubts` of what anchors
    leave unproven by where they come from. `elsewhere` are those that a key signed and that a commit outside the
    history of HEAD carries.
    """

    ledger: str | None
    anchors: tuple[Anchor, ...]
    keys: tuple[VerifierKey, ...]
    notices: tuple[str, ...]
    faults: tuple[Fault, ...] = ()
    doubts: tuple[str, ...] = ()
    elsewhere: tuple[Anchor, ...] = ()
    signed: Mapping[str, tuple[VerifierKey, ...]] = MappingProxyType({})
    """The texts of checkpoints that given keys signed, and which of them did, there or in another place."""

    def signers(self, anchor: Anchor) -> tuple[VerifierKey, ...]:
        """The given keys that signed what an anchor says."""
        return self.signed.get(parse_note(anchor.note)[0], ())


def anchor_kinds(given: Sequence[str]) -> tuple[AnchorKind, ...]:
    """Kinds of anchors as a caller names them. Raises Usage for one that does not exist."""
    found: list[AnchorKind] = []
    known: dict[str, AnchorKind] = {kind: kind for kind in KINDS}
    for name in given:
        kind = known.get(name)
        if kind is None:
            raise Usage(
                f"{name[:40]!r} is no kind of anchor",
                where="--anchor",
                remedy=f"give one of {', '.join(KINDS)}",
            )
        found.append(kind)
    return tuple(found)


def gather(context: Context, ledger: str | None, given: Given, *, gone: bool = False) -> Vouchers:
    """All anchors of a ledger: those beside the journal, and what was given.

    Without a ledger, whose first event cannot be read, it is the one that the given checkpoints, the given keys or
    the anchors in Git name. Raises Usage for a checkpoint that is none or is of another ledger, for a kind of anchors
    of which there are none, or, if the journal is `gone`, if there is none at all, and what reading anchors raises.
    """
    keys = tuple(read_keys(context.cwd, given.keys))
    files: list[Anchor] = []
    for name in given.checkpoints:
        note = read_checkpoint(context.cwd, name)
        ledger = ledger or note.checkpoint.ledger
        if note.checkpoint.ledger is None or note.checkpoint.ledger != ledger:
            raise Usage(
                f"the checkpoint is of another ledger, {note.checkpoint.origin}, and was not compared",
                where=name,
                remedy=f"this one is {origin_of(ledger or '?')}",
            )
        files.append(Anchor(name, note.checkpoint, note.note, "given"))
    ledger = ledger or _named(context, keys)
    if ledger is None:
        if gone:
            raise Usage("the journal is gone, and nothing tells whose it was", remedy=_BRING_BACK)
        notice = "the id of the ledger cannot be read, so no anchor was looked for"
        return Vouchers(None, (), (), (notice,) if given.kinds else ())
    kept = beside(context.workspace / "checkpoints", ledger)
    found: dict[AnchorKind, Found] = {
        kind: _found(context, kind, ledger, given) for kind in dict.fromkeys(given.kinds)
    }
    if gone and not files and not any(item.anchors for item in found.values()):
        raise Usage(f"the journal is gone, and no anchor of ledger {ledger} was found", remedy=_BRING_BACK)
    for kind, item in found.items():
        if not item.anchors and not gone:
            raise _none(kind, ledger, item)
    notices = [remark.said for item in (kept, *found.values()) for remark in item.remarks]
    doubts = tuple(doubt for item in found.values() for doubt in item.doubts)
    anchors = [*files, *kept.anchors, *(anchor for item in found.values() for anchor in item.anchors)]
    if not keys:
        return Vouchers(ledger, tuple(anchors), (), tuple(notices), (), doubts)
    ours = tuple(key for key in keys if key.name == origin_of(ledger))
    sorting = _Sorting(anchors, ours)
    faults = [*sorting.faults]
    faults += [
        Fault(file.checkpoint.size, "unsigned", f"{file.source} is not signed by a given key")
        for file in files
        if file in sorting.unsigned
    ]
    for kind, item in found.items():
        if item.anchors and sorting.unsigned.issuperset(item.anchors):
            size = max(anchor.checkpoint.size for anchor in item.anchors)
            faults.append(
                Fault(size, "unsigned", f"no {_NAMES[kind]} of this ledger is signed by a given key")
            )
    if not sorting.weighed and not faults:
        faults.append(Fault(1, "unsigned", _nobody(keys, ours, ledger)))
    foreign = sorted({key.name for key in keys if key not in ours})
    if foreign and ours:
        notices.append(f"a given key is of another log and counts for nothing here: {', '.join(foreign)}")
    if sorting.unsigned:
        number = len(sorting.unsigned)
        are = (
            "1 checkpoint or anchor that no given key signed was"
            if number == 1
            else (f"{number:,} checkpoints and anchors that no given key signed were")
        )
        notices.append(f"{are} not weighed")
    elsewhere = tuple(
        anchor
        for item in found.values()
        for anchor in item.elsewhere
        if vouched(parse_checkpoint(anchor.note), ours).good
    )
    return Vouchers(
        ledger, tuple(sorting.weighed), ours, tuple(notices), tuple(faults), doubts, elsewhere, sorting.signed
    )


class _Sorting:
    """Anchors by what the keys say of them: weighed are those that one signed, or whose statement it signed elsewhere."""

    def __init__(self, anchors: Iterable[Anchor], keys: Sequence[VerifierKey]) -> None:
        self.weighed: list[Anchor] = []
        self.unsigned: set[Anchor] = set()
        self.faults: list[Fault] = []
        self.signed: dict[str, tuple[VerifierKey, ...]] = {}
        open: list[tuple[Anchor, str]] = []
        for anchor in anchors:
            note = parse_checkpoint(anchor.note)
            checked = vouched(note, keys)
            if checked.bad:
                detail = f"{anchor.source} holds a wrong signature of key {checked.bad[0].key}"
                self.faults.append(Fault(anchor.checkpoint.size, "signature", detail))
                continue
            if checked.valid:
                before = self.signed.get(note.text, ())
                self.signed[note.text] = tuple(dict.fromkeys((*before, *checked.valid)))
            open.append((anchor, note.text))
        for anchor, text in open:
            if text in self.signed:
                self.weighed.append(anchor)
            else:
                self.unsigned.add(anchor)


def _nobody(keys: Sequence[VerifierKey], ours: Sequence[VerifierKey], ledger: str) -> str:
    if ours:
        return "no checkpoint or anchor of this ledger is signed by a given key"
    names = ", ".join(sorted({key.name for key in keys}))
    return f"no given key is of this ledger, {origin_of(ledger)}: they are of {names}"


def _found(context: Context, kind: AnchorKind, ledger: str, given: Given) -> Found:
    if kind == "local":
        assert given.state is not None
        return local(given.state, ledger, context.workspace)
    return anchors_from(context, kind, ledger, given.ca)


def _none(kind: AnchorKind, ledger: str, found: Found) -> Usage:
    said = [f"there is no {_NAMES[kind]} of ledger {ledger} that this journal could be compared with"]
    for origin, number in sorted(Counter(found.others).items()):
        of = f"ledger {ledger_of(origin)}" if ledger_of(origin) else origin
        said.append(f"{number:,} {'is' if number == 1 else 'are'} of {of}")
    said += [remark.said for remark in found.remarks if remark.reason not in ("other_ledger", "none")]
    return Usage("; ".join(said), where=f"--anchor {kind}", remedy=_REMEDIES[kind])


def _named(context: Context, keys: Iterable[VerifierKey]) -> str | None:
    """The only ledger that keys or, if there are none, anchors in Git are of."""
    names = {name for key in keys if (name := ledger_of(key.name)) is not None} or set(_in_git(context))
    return names.pop() if len(names) == 1 else None


def _in_git(context: Context) -> Iterator[str]:
    try:
        others = anchors_from(context, "git", "").others
    except T2cError:
        return
    yield from (name for origin in others if (name := ledger_of(origin)) is not None)
