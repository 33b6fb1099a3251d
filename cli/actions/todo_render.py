"""`t2c todo render`: the standing proposals as a patch of a task file, recorded for a person to approve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, Final

from t2c.cli.actions.artefacts import PATCH, json_document, markdown_page, places_of_artefacts, write_artefact
from t2c.cli.actions.context import Context
from t2c.cli.actions.moment import with_events
from t2c.cli.actions.opening import open_ledger
from t2c.cli.actions.synthesis import parsed
from t2c.ledger.apply.base import digest
from t2c.ledger.apply.files import look
from t2c.ledger.apply.patches import as_text
from t2c.ledger.changes.contract import TODO_PATCH, dated, todo_patch_document
from t2c.ledger.changes.todo_known import TodoPatch, todo_patches
from t2c.ledger.changes.todo_patch import audit_kept, audit_told, markdown, unified
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Refused, Usage
from t2c.ledger.kernel.actor import Actor
from t2c.ledger.kernel.canon import artifact as canonical_artifact
from t2c.ledger.kernel.paths import repo_path
from t2c.projections.base import pretty
from t2c.projections.fold import fold
from t2c.projections.registry import ALL

__all__ = ["TodoRendered", "render"]

_DEFAULT: Final = "TODO.md"
_EMPTY: Final = sha256(b"").hexdigest()
_MARKDOWN: Final = (".md", ".markdown", ".mdown", ".mkd", ".mkdn")


@dataclass(frozen=True, slots=True)
class TodoRendered:
    """A TODO patch. `artifact` is the published shape, `markdown` what is appended and approved, `diff` the same as a
    unified diff. Without new proposals nothing is recorded: `hash` and `event` are null.

    `repeated` is true where just this was recorded before. `written` are the files of --out.
    """

    schema: ClassVar[str] = "t2c.todo-rendered/v1"
    path: str
    exists: bool
    hash: str | None
    event: str | None
    seq: int | None
    repeated: bool
    proposed_by: Sequence[str]
    artifact: Mapping[str, Any] | None
    markdown: str
    diff: str
    duplicates: int
    written: Sequence[str]


def render(context: Context, todo: str | None, out: str | None) -> TodoRendered:
    """Render and record the patch for the file `todo` as it is now. The file is not changed.

    Raises Usage for a file that is no Markdown or leads outside, Refused for one that is no UTF-8 text.
    """
    places = _places(context, out)
    with open_ledger(context) as ledger:
        with_events(ledger)
        context.progress("fold", 0, None)
        folded = fold(ledger.journal, ALL, ["diagnostics", "proposals"], cache=ledger.cache / "folds")
        synthesis = parsed(folded.artifacts("proposals")["task-synthesis.json"])
        diagnostics = parsed(folded.artifacts("diagnostics")["diagnostics.json"])
        path = target(context, todo)
        before = look(context.root, path)
        if before is not None:
            as_text(before, path)
        checked = synthesis["validation"]
        by_id = {one["id"]: one for one in synthesis["proposals"]}
        chosen = [by_id[one] for one in checked["newProposalIds"]]
        graph = diagnostics["graphFingerprint"]
        text = markdown(chosen, graph, path, digest(before))
        if not chosen:
            known = len(checked["duplicateProposalIds"])
            return TodoRendered(
                path, before is not None, None, None, None, False, (), None, text.decode(), "", known, ()
            )
        if ledger.funnel.mask_bytes(text).findings:
            raise Refused(
                "a proposal holds what looks like a secret, which is not put into a task list",
                safe="nothing was recorded and nothing was changed",
                remedy="let tasks be proposed anew; if it is none, allow it: redact.allow in t2c.toml",
            )
        made = todo_patch_document(
            path=path,
            content_hash=digest(before) or _EMPTY,
            graph=graph,
            diagnostics=diagnostics_fingerprint(diagnostics),
            selected=checked["newProposalIds"],
            duplicate=sorted(checked["duplicateProposalIds"]),
            duplicates=sorted(checked["duplicates"], key=lambda one: str(one["proposalId"])),
            audit=audit_kept(synthesis["audit"]),
            markdown=text,
        )
        patch, repeated = _recorded(ledger, made, text, Actor.parse(context.settings.actor))
    told = {**patch.artifact, "synthesisAudit": audit_told(patch.artifact["synthesisAudit"])}
    document = dated(told, patch.ts)
    diff = unified(path, before, text)
    contents: tuple[str | bytes, ...] = (text, pretty(document), f"# t2c TODO patch {patch.hash}\n{diff}")
    for place, content in zip(places, contents, strict=False):
        write_artefact(place, content)
    return TodoRendered(
        path,
        before is not None,
        patch.hash,
        patch.event,
        patch.seq,
        repeated,
        patch.proposed_by,
        document,
        text.decode(),
        diff,
        len(checked["duplicateProposalIds"]),
        [repo_path(context.root, place) for place in places],
    )


def _places(context: Context, out: str | None) -> list[Path]:
    if out is None:
        return []
    kinds = {
        "TODO.patch": markdown_page(TODO_PATCH),
        "TODO.patch.json": json_document(TODO_PATCH),
        "TODO.diff": PATCH,
    }
    given = {f"--out ({name})": (str(Path(out) / name), kind) for name, kind in kinds.items()}
    return list(places_of_artefacts(context, given).values())


def target(context: Context, todo: str | None) -> str:
    """The repository path of the task file, behind any link inside the root; TODO.md at the root where none is named.

    Raises Usage for what leads outside the root or is no Markdown.
    """
    place = context.root / _DEFAULT if todo is None else context.path(todo)
    path = repo_path(context.root.resolve(), context.path(place).resolve())
    name = path.rpartition("/")[2].lower()
    if "." in name and not name.endswith(_MARKDOWN):
        raise Usage(
            f"{path} is no Markdown, and tasks are written as Markdown",
            safe="nothing was recorded and nothing was changed",
            remedy="name a Markdown file: --todo TODO.md",
        )
    return path


def diagnostics_fingerprint(diagnostics: Mapping[str, Any]) -> str:
    """SHA-256 over what the findings are, and not when they were made (intent-evidence §7.3)."""
    said = {
        "schemaVersion": diagnostics["schemaVersion"],
        "graphFingerprint": diagnostics["graphFingerprint"],
        "diagnostics": sorted(diagnostics["diagnostics"], key=lambda one: str(one["id"])),
        "counts": diagnostics["counts"],
    }
    return sha256(canonical_artifact(said)).hexdigest()


def _recorded(ledger: Ledger, made: Mapping[str, Any], text: bytes, by: Actor) -> tuple[TodoPatch, bool]:
    """The patch as it stands in the journal, and whether it did before."""
    from t2c.ledger.events.changes import PatchRendered
    from t2c.ledger.events.draft import draft

    proposers, events = _proposers(ledger, frozenset(made["selectedProposalIds"]))
    last = next(reversed(todo_patches(ledger)), None)
    same = last is not None and last.hash == made["renderedPatchHash"] and last.proposed_by == proposers
    if last is not None and same and last.artifact["sourceTodo"] == made["sourceTodo"]:
        return last, True
    payload = PatchRendered(
        kind="todo",
        hash=made["renderedPatchHash"],
        shown=ledger.objects.put(text),
        artifact=dict(made),
        plans=(),
        proposed_by=proposers,
    )
    ledger.append([draft(payload, actor=by, cause=events)])
    return todo_patches(ledger)[-1], False


def _proposers(ledger: Ledger, ids: frozenset[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Who proposed these tasks, and the events that say so."""
    from t2c.ledger.answers.history import decoded, events

    who: set[str] = set()
    grounds: dict[str, str] = {}
    for entry in events(ledger, "proposal.raised"):
        identity = decoded(entry)["id"]
        if identity in ids:
            who.add(str(entry.actor))
            grounds[identity] = entry.id
    return tuple(sorted(who)), tuple(sorted(set(grounds.values())))
