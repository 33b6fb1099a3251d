"""`t2c ledger anchor`: a checkpoint goes to where the journal's writer cannot take it back unseen (journal-engine §5).

Anchored is the newest checkpoint that is kept and that a key of this ledger signed, if all that was recorded since are checkpoints themselves;
else a checkpoint of the head that nobody signed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from t2c.cli.actions.context import Context
from t2c.cli.actions.moment import with_events
from t2c.cli.actions.opening import open_ledger
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Corrupt, T2cError, Usage
from t2c.ledger.journal.note import Checkpoint, SignedNote, parse_checkpoint

if TYPE_CHECKING:
    from t2c.ledger.anchors.base import Anchor
    from t2c.ledger.anchors.found import Found
    from t2c.ledger.journal.tree import Tree

__all__ = [
    "Anchored",
    "AnchorsRun",
    "GitAnchor",
    "TimeStamp",
    "anchor_git",
    "anchor_rfc3161",
    "anchors_from",
    "certificates",
    "run_anchors",
]

_UNSIGNED: Final = "no signed checkpoint covers the head, so one that nobody signed was anchored"
_BY_ITSELF: Final = frozenset({"checkpoint.signed", "degradation.noted"})
"""What a checkpoint leaves behind it in the journal: it covers the head although these came after it."""


@dataclass(frozen=True, slots=True)
class GitAnchor:
    """The checkpoint is in the note of `commit`, or is `trailer` for the message of the next commit.

    `new` is False if it was there already. `trailer` is None for a note, `commit` for a trailer.
    """

    schema: ClassVar[str] = "t2c.git-anchor/v1"
    ledger: str
    size: int
    root: str
    signed: bool
    ref: str | None
    commit: str | None
    trailer: str | None
    new: bool
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class TimeStamp:
    """An authority stamped the checkpoint at `time`. `proven` is False if no certificate was given to check it.

    `token` is the file that holds the proof, by its path in the workspace; `new` is False if it was there already.
    """

    schema: ClassVar[str] = "t2c.time-stamp/v1"
    ledger: str
    size: int
    root: str
    signed: bool
    token: str
    time: str
    authority: str | None
    proven: bool
    new: bool
    warnings: list[str] = field(default_factory=list)


Anchored = GitAnchor | TimeStamp


@dataclass(frozen=True, slots=True)
class AnchorsRun:
    """What the settings asked for after a checkpoint was signed: what was done, and what could not be."""

    done: list[Anchored] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


class _Chosen(NamedTuple):
    ledger: str
    note: SignedNote
    warnings: list[str]

    @property
    def checkpoint(self) -> Checkpoint:
        return self.note.checkpoint

    @property
    def signed(self) -> bool:
        return bool(self.note.signatures)


def anchor_git(context: Context) -> GitAnchor:
    """Put the checkpoint into the note of HEAD's commit.

    Raises Environment if there is no repository or no commit, Corrupt if the journal does not hold what its newest
    checkpoint vouches for.
    """
    from t2c.ledger.anchors import git

    chosen = _choose(context)
    size, root = chosen.checkpoint.size, chosen.checkpoint.root.hex()
    kept = git.write_note(context.root, chosen.note.note)
    return GitAnchor(
        chosen.ledger, size, root, chosen.signed, git.NOTES_REF, kept.commit, None, kept.new, chosen.warnings
    )


def trailer_for_git(context: Context) -> GitAnchor:
    """The line for the message of the next commit: the head as it is now, since a line holds no signature.

    Raises Corrupt as `anchor_git` does.
    """
    from t2c.ledger.anchors.git import trailer

    chosen = _choose(context, unsigned=True)
    size, root = chosen.checkpoint.size, chosen.checkpoint.root.hex()
    line = trailer(chosen.checkpoint)
    return GitAnchor(chosen.ledger, size, root, False, None, None, line, True, chosen.warnings)


def anchor_rfc3161(context: Context, *, url: str | None = None, ca: str | None = None) -> TimeStamp:
    """Have the checkpoint stamped by the authority at `url`, and keep the token beside the checkpoints.

    A checkpoint that has a token is not stamped again. `ca`, a PEM file below the root, is asked whether the
    authority may be believed; a token that it does not vouch for is not kept. Both default to the settings. Raises
    Usage if no address is known, Environment if the authority gives no token, Corrupt if what it gives proves nothing.
    """
    from t2c.ledger.anchors import rfc3161, tokens

    settings = context.settings.anchor
    url, trusted = url or settings.rfc3161_url, certificates(context, ca)
    chosen = _choose(context)
    folder = context.workspace / "checkpoints"
    token = tokens.kept(folder, chosen.checkpoint)
    if token is None:
        if not url:
            raise Usage(
                "no time-stamp authority is known",
                remedy="give --url, or set anchor.rfc3161_url in t2c.toml",
            )
        content = rfc3161.fetch(url, rfc3161.request(chosen.checkpoint))
        stamp = rfc3161.verify(content, chosen.checkpoint, trusted)
        path = tokens.keep(folder, chosen.checkpoint, content)
    else:
        stamp, path = rfc3161.verify(token.content, chosen.checkpoint, trusted), token.path
    warnings = list(chosen.warnings)
    if not stamp.proven:
        warnings.append("who signed the time stamp was not checked: no certificate was given (--ca)")
    return TimeStamp(
        chosen.ledger,
        chosen.checkpoint.size,
        chosen.checkpoint.root.hex(),
        chosen.signed,
        path.relative_to(context.workspace).as_posix(),
        stamp.time,
        stamp.authority,
        stamp.proven,
        token is None,
        warnings,
    )


def certificates(context: Context, ca: str | None = None) -> Path | None:
    """The file of trusted certificates that was given or is set, confined to the root; None if there is none."""
    given = ca or context.settings.anchor.rfc3161_ca
    if not given:
        return None
    return context.path(given) if ca else context.path(context.root / given)


def anchors_from(context: Context, kind: str, ledger: str, ca: str | None = None) -> Found:
    """The anchors of a ledger that are kept in Git (`git`) or as time stamps (`rfc3161`).

    `ca` is a file of certificates of the caller's own, anywhere; without, those of the settings are asked.
    """
    if kind == "git":
        from t2c.ledger.anchors import git

        return git.read(context.root, ledger)
    from t2c.ledger.anchors import tokens

    folder = context.workspace / "checkpoints"
    if ca is not None:
        return tokens.read(folder, ledger, context.cwd / ca)
    return tokens.read(folder, ledger, certificates(context), own=True)


def run_anchors(context: Context) -> AnchorsRun:
    """Anchor as the settings say, after a checkpoint was signed and kept.

    With `best-effort` a failure is a warning and a `degradation.noted`. With `required` it is raised when all the
    others are done, saying that the checkpoint is kept.
    """
    settings = context.settings.anchor
    run = AnchorsRun()
    failure: T2cError | None = None
    attempts = (("git", settings.git, anchor_git), ("rfc3161", settings.rfc3161, anchor_rfc3161))
    for name, mode, attempt in attempts:
        if mode == "off":
            continue
        try:
            run.done.append(attempt(context))
        except T2cError as error:
            said = f"the checkpoint is not anchored ({name}): {error.what}"
            if mode == "required":
                failure = failure or error
            else:
                _note(context, name, error.what)
            run.warnings.append(said)
    if failure is not None:
        failure.safe = "the signed checkpoint is kept in .t2c/checkpoints and recorded in the journal"
        raise failure
    return run


def _note(context: Context, name: str, reason: str) -> None:
    from t2c.ledger.events.draft import draft
    from t2c.ledger.events.runs import DegradationNoted

    noted = DegradationNoted(
        stage="anchor",
        asked=f"anchor the checkpoint ({name}, best-effort)",
        done="the checkpoint is kept beside the journal alone",
        reason=reason,
    )
    with open_ledger(context) as ledger:
        ledger.append([draft(noted)])


def _choose(context: Context, *, unsigned: bool = False) -> _Chosen:
    from t2c.ledger.anchors.files import beside
    from t2c.ledger.anchors.signing import open_tree, signed_beside, state_of

    with open_ledger(context) as ledger:
        with_events(ledger)
        identity = ledger.id()
        warnings = [remark.said for remark in beside(context.workspace / "checkpoints", identity).remarks]
        signed = signed_beside(ledger)
        with open_tree(ledger) as tree:
            _still_there(signed, tree)
            newest = signed[-1] if signed else None
            if newest is not None and not unsigned and _covers(ledger, newest.checkpoint.size):
                return _Chosen(identity, parse_checkpoint(newest.note), warnings)
            checkpoint = state_of(tree, identity)
    if not unsigned:
        warnings.append(_UNSIGNED)
    return _Chosen(identity, SignedNote.of(checkpoint), warnings)


def _still_there(kept: Sequence[Anchor], tree: Tree) -> None:
    """What anybody could have put beside the journal stops nobody: only what this ledger's keys signed does."""
    from t2c.ledger.anchors.base import judge

    judged = judge(kept, tree.size, tree.root)
    if judged.verdict != "sound":
        raise Corrupt(
            f"nothing was anchored: {judged.sentences[0]}",
            where=f"seq {tree.size}",
            safe="the journal and every anchor that was made before",
            remedy="run `t2c ledger verify`; restore the journal from Git, a backup or a bundle",
        )


def _covers(ledger: Ledger, size: int) -> bool:
    position = ledger.journal.position(size)
    return position is not None and all(entry.type in _BY_ITSELF for entry in ledger.entries(position))
