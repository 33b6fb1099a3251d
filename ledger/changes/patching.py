"""Source patches made from a plan and a diff that somebody wrote: held to the plan, to the tree and to what may be said.

Nothing is changed here. What is recorded is what is approved: the text with every diff byte for byte (intent-evidence
§7.6).
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from t2c.ledger.apply.base import Wanted, digest
from t2c.ledger.apply.files import look
from t2c.ledger.apply.patches import FilePatch, parse_patch, patched, refuse_secrets
from t2c.ledger.changes.backward import backward
from t2c.ledger.changes.brief import Part, made_on_of, plural, source_text
from t2c.ledger.changes.contract import edit_of, source_patch_document
from t2c.ledger.changes.known import Patch, Plan, patch_named, patch_of, patch_rows
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Conflict, Refused, T2cError, Usage
from t2c.ledger.events.draft import draft
from t2c.ledger.kernel.actor import Actor

if TYPE_CHECKING:
    from t2c.ledger.approvals.base import Thing

__all__ = [
    "Rendered", "file_patches", "fitted", "made_on", "not_fitting", "render_source", "size_of", "thing_of_patch",
]  # fmt: skip

_SAFE: Final = "nothing was recorded and nothing was changed"
_MOST: Final = 900_000
"""Bytes of the diffs of one patch: all of it stands in one line of the journal."""
Read = Callable[[str], bytes | None]


class Rendered(NamedTuple):
    """A patch as it is recorded now. `again` is true where it was the last one of its plan before, just so."""

    patch: Patch
    parts: tuple[Part, ...]
    again: bool


def render_source(
    ledger: Ledger, root: Path, plan: Plan, text: str | None, where: str, *, by: Actor
) -> Rendered:
    """Record the patch of a plan; `text` is a diff as `git diff` or `diff -u` give it, None for instructions alone.

    Raises Usage for a diff that is none or is not of just the files of the plan, Refused for a secret in it and for
    files that are no text, Conflict for a file that is not what the diff was made on.
    """
    patches = {} if text is None else _matched(ledger, root, plan, parse_patch(text, where), where)
    try:
        wanted = {one.path: one for one in fitted(lambda path: look(root, path), list(patches.values()))}
    except Conflict as conflict:
        if not all(_is_done(root, one) for one in patches.values()):
            raise
        raise _there_already(plan, list(patches.values()), conflict) from None
    edits, parts = [], []
    for change in sorted(plan.document["changes"], key=lambda one: (one["path"], one["action"])):
        patch = patches.get(change["path"])
        instruction = _instruction(plan.document, change)
        edits.append(edit_of(change, instruction, None if patch is None else patch.diff))
        if patch is None:
            parts.append(Part(change["path"], change["action"], instruction, None))
        else:
            parts.append(
                Part(
                    patch.path, patch.action, instruction, patch.diff, patch.added, patch.removed,
                    patch.mode_before, patch.mode_after, digest(wanted[patch.path].before),
                )
            )  # fmt: skip
    try:
        artifact = source_patch_document(plan.document, edits)
    except ValueError as error:
        raise Usage(f"the diff is no patch of {plan.id}: {error}", where=where, safe=_SAFE) from None
    shown = source_text(plan.document, artifact, parts).encode()
    _check_sayable(ledger, shown, artifact)
    recorded, again = _recorded(ledger, plan, artifact, shown, by)
    return Rendered(recorded, tuple(parts), again)


def _matched(
    ledger: Ledger, root: Path, plan: Plan, patches: Sequence[FilePatch], where: str
) -> dict[str, FilePatch]:
    """The diffs by path, which are of just the planned files."""
    planned = {one["path"]: one["action"] for one in plan.document["changes"]}
    found = {one.path: one for one in patches}
    remedy = f"change the diff, or plan again with all its files: {_again(plan, found)}"
    for path, one in found.items():
        if path not in planned:
            _check_relative(root, path, planned, where)
            raise Usage(f"{path} is not in the plan {plan.id}", where=where, safe=_SAFE, remedy=remedy)
        if one.action != planned[path]:
            raise Usage(
                f"the plan says to {planned[path]} {path}, and the diff would {one.action} it",
                where=where,
                safe=_SAFE,
                remedy=remedy,
            )
    missing = sorted(planned.keys() - found.keys())
    if missing:
        raise Usage(
            f"the diff does not have {', '.join(missing[:5])}, which the plan {plan.id} has",
            where=where,
            safe=_SAFE,
            remedy=remedy,
        )
    if sum(len(one.diff) for one in patches) > _MOST:
        raise Usage(
            f"the diff has more than {_MOST:,} bytes",
            where=where,
            safe=_SAFE,
            remedy="plan and apply it in several parts",
        )
    refuse_secrets(patches, lambda content: ledger.funnel.mask_bytes(content).findings, where)
    return found


def _check_relative(root: Path, path: str, planned: Collection[str], where: str) -> None:
    """Raise Usage for a path that begins where Git's work tree does, and not at the root inside it."""
    top = next((one for one in (root, *root.parents) if (one / ".git").exists()), root)
    folder = "" if top == root else f"{root.relative_to(top).as_posix()}/"
    if folder and path.startswith(folder) and path.removeprefix(folder) in planned:
        raise Usage(
            f"the paths of the diff begin at {top}, and those of the plan at {root}",
            where=where,
            safe=_SAFE,
            remedy=f"make the diff in {folder} with `git diff --relative`",
        )


def _is_done(root: Path, patch: FilePatch) -> bool:
    """True where the file is as the diff makes it: turned around, the diff fits, and leads back here."""
    try:
        (turned,) = parse_patch(backward(patch.diff), patch.path)
        now = look(root, patch.path)
        return patched(patched(now, turned), patch) == now
    except (T2cError, ValueError):
        return False


def _there_already(plan: Plan, patches: Sequence[FilePatch], conflict: Conflict) -> Conflict:
    new = "-u " if any(one.action == "create" for one in patches) else ""
    paths = shlex.join(one.path for one in patches[:20])
    files = paths if len(patches) <= 20 else f"{paths} …"
    return Conflict(
        "your tree has it already: each file is as the diff makes it, and a patch is made on the files before",
        where=conflict.where,
        safe=_SAFE,
        remedy="keep the diff in a file, set the change aside, and make the patch then: "
        f"git stash push {new}-- {files}; t2c change patch {plan.id} --diff FILE",
    )


def _again(plan: Plan, found: Mapping[str, FilePatch]) -> str:
    finding = plan.document["evidence"]["diagnosticIds"][0]
    paths = " ".join(f"--path {path}:{one.action}" for path, one in sorted(found.items())[:10])
    return f"t2c change plan {finding} {paths}"


def _instruction(plan: Mapping[str, Any], change: Mapping[str, Any]) -> str:
    verb = {"create": "Make the file", "modify": "Change", "delete": "Remove the file"}[change["action"]]
    symbols = sorted(set(change["symbols"]))
    about = f" ({', '.join(symbols)})" if symbols else ""
    return f"{verb} {change['path']}{about}: {' '.join(change['rationale'].split())}"


class Diffs(list[FilePatch]):
    """The diffs of a recorded patch, bound to the files that the approved text says they were made on."""

    def __init__(self, patches: Iterable[FilePatch], made_on: Mapping[str, str | None]) -> None:
        super().__init__(patches)
        self.made_on = made_on


def made_on(patch: Patch) -> dict[str, str | None]:
    """The SHA-256 of each file that the patch was made on, None for no file, as its text says."""
    return made_on_of(patch.shown.decode("utf-8", "replace"), patch.artifact["edits"])


def fitted(read: Read, patches: Sequence[FilePatch]) -> list[Wanted]:
    """The files as they are and as the patch makes them, where every line that it names is there.

    `Diffs` fit only the very files that they were made on, lines that they do not touch included; other diffs whatever
    holds their lines. Raises Conflict, naming file and line, where a file is not so; Refused for what is no text.
    """
    wanted = []
    for patch in patches:
        before = read(patch.path)
        after = patched(before, patch)
        if isinstance(patches, Diffs):
            _check_made_on(patch.path, before, patches)
        wanted.append(Wanted(patch.path, before, after, None if after is None else patch.mode_after))
    return wanted


def _check_made_on(path: str, before: bytes | None, diffs: Diffs) -> None:
    if path not in diffs.made_on:
        what = f"the approved text does not say what {path} was when the patch was made"
    elif diffs.made_on[path] != digest(before):
        what = f"{path} changed since the patch was made"
    else:
        return
    raise Conflict(what, where=path, safe="nothing was changed", remedy="make the patch again")


def file_patches(patch: Patch) -> Diffs:
    """The diffs of a recorded patch. Raises Usage if it has instructions alone."""
    found: list[FilePatch] = []
    for edit in patch.artifact["edits"]:
        if edit["unifiedDiff"] is None:
            raise Usage(
                f"{patch.id} only has instructions for {edit['path']}, and no diff",
                safe="nothing was changed",
                remedy=f"write the change, then: t2c change patch {patch.plans[0]} --diff FILE",
            )
        parsed = parse_patch(edit["unifiedDiff"], f"{patch.id}, {edit['path']}")
        if [(one.path, one.action) for one in parsed] != [(edit["path"], edit["action"])]:
            raise Refused(
                f"the diff of {edit['path']} in {patch.id} is of another file or does another thing",
                safe="nothing was changed",
                remedy="make the patch again from its plan",
            )
        found += parsed
    return Diffs(found, made_on(patch))


def _check_sayable(ledger: Ledger, shown: bytes, artifact: Mapping[str, Any]) -> None:
    """Lines that the diff leaves as they are can hold what must not be recorded, too."""
    if ledger.funnel.mask_bytes(shown).findings:
        raise Refused(
            "the diff holds what looks like a secret, also in lines that it leaves or removes",
            safe=_SAFE,
            remedy="make the diff with fewer lines around it (git diff -U1); if it is none, allow it: "
            "redact.allow in t2c.toml",
        )


def _recorded(
    ledger: Ledger, plan: Plan, artifact: Mapping[str, Any], shown: bytes, by: Actor
) -> tuple[Patch, bool]:
    from t2c.ledger.events.changes import PatchRendered

    text = ledger.objects.put(shown)
    last = None
    for entry, data in patch_rows(ledger, "source"):
        if plan.id in data["plans"]:
            last = entry, data
    # Where another came after it, it is recorded again: the last one is the one that waits.
    same = last is not None and (last[1]["hash"], last[1]["shown"]) == (artifact["patchHash"], text)
    if last is not None and same and str(by) in last[1]["proposed_by"]:
        return patch_of(ledger, *last), True
    payload = PatchRendered(
        kind="source",
        hash=artifact["patchHash"],
        shown=text,
        artifact=dict(artifact),
        plans=(plan.id,),
        proposed_by=(str(by),),
    )
    (receipt,) = ledger.append([draft(payload, actor=by, cause=(plan.event,))])
    return patch_named(ledger, receipt.id), False


def thing_of_patch(ledger: Ledger, root: Path, patch: Patch) -> Thing:
    """What is approved of a patch, found as `t2c approve` finds it."""
    from t2c.ledger.approvals.things import find

    return find(ledger, root, patch.event)


def not_fitting(error: T2cError) -> str:
    """Why a patch does not fit, in one sentence with its place."""
    place = f" ({error.where})" if error.where and error.where not in error.what else ""
    return f"{error.what}{place}"


def size_of(parts: Sequence[Part]) -> str:
    """`3 files, 10 lines added, 2 removed`."""
    added, removed = sum(part.added for part in parts), sum(part.removed for part in parts)
    return f"{plural(len(parts), 'file')}, {plural(added, 'line')} added, {removed:,} removed"
