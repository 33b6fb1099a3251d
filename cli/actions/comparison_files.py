"""The artefacts of a comparison, below a folder that the caller names (intent-evidence §5.4)."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from t2c import __version__
from t2c.cli.actions.artefacts import place_of_artefact, write_artefact
from t2c.cli.actions.compare import Comparison, Side
from t2c.cli.actions.context import Context
from t2c.ledger.kernel.canon import artifact
from t2c.ledger.kernel.paths import repo_path
from t2c.projections.base import pretty
from t2c.projections.reality.model import Grades, Reality
from t2c.projections.render.diff_svg import graph_svg
from t2c.projections.render.reality_svg import reality_svg
from t2c.projections.render.trend_markdown import trend_markdown

__all__ = ["ComparisonPlace", "place_of_comparisons", "write_comparison"]

_FOLDER: Final = "comparisons"
_VIEWS: Final = (
    ("baseGraph", "base.graph.json", "base", "graph.json"),
    ("workspaceGraph", "workspace.graph.json", "workspace", "graph.json"),
    ("baseRealityMarkdown", "base-reality.md", "base", "reality.md"),
    ("workspaceRealityMarkdown", "workspace-reality.md", "workspace", "reality.md"),
)
"""Key of the artefact, its name, and the view of a side that it is."""
_TOPICS: Final = 100
_MANIFESTS: Final = (("baseManifest", "base.manifest.json"), ("workspaceManifest", "workspace.manifest.json"))


class ComparisonPlace(NamedTuple):
    """Where artefacts go. `left_out` is the repository path that counts for nothing, `shown` what to call it."""

    folder: Path
    left_out: str
    shown: str


def place_of_comparisons(context: Context, given: str) -> ComparisonPlace:
    """The folder for the artefacts of comparisons, proven to lie inside the root. Raises Usage."""
    folder = place_of_artefact(context, str(Path(given) / _FOLDER / "x")).parent
    path = repo_path(context.root, folder)
    return ComparisonPlace(folder, path, path)


def write_comparison(context: Context, place: ComparisonPlace, found: Comparison) -> Mapping[str, Any]:
    """Write the artefacts into a folder of their own; returns the document, which names them. Raises Environment.

    In a folder that is new, Git is told to look at nothing of it, so that no later scan reads it either.
    """
    new = not place.folder.exists()
    sides = {"base": found.base, "workspace": found.workspace}
    made = {
        key: (name, sides[side].views[view]) for key, name, side, view in _VIEWS if view in sides[side].views
    }
    picture = _reality_svg(found.workspace)
    if picture is not None:
        made["workspaceRealitySvg"] = "workspace-reality.svg", picture
    document = dict(found.document)
    for (key, name), side in zip(_MANIFESTS, sides, strict=True):
        graph = made[f"{side}Graph"][0]
        made[key] = name, pretty(_manifest(context, document[side], sides[side], graph))
    title = f"From {document['base']['ref']} to the workspace"
    made["diffSvg"] = "intent-diff.svg", graph_svg(found.diff, title).encode()
    if document["trend"] is not None:
        made["trendMarkdown"] = "trend.md", trend_markdown(document)
    folder = place.folder / found.run
    shown = f"{place.shown}/{found.run}"
    names = {key: name for key, (name, _) in made.items()} | {"comparison": "comparison.json"}
    document["artifacts"] = {key: f"{shown}/{name}" for key, name in sorted(names.items())}
    for name, content in sorted(made.values()):
        write_artefact(folder / name, content)
    write_artefact(folder / "comparison.json", pretty(document))
    if new:
        write_artefact(place.folder / ".gitignore", "*\n")
    return document


def _reality_svg(side: Side) -> bytes | None:
    """The reality of one side as a picture; None if this version makes no view of it."""
    if not {"reality.json", "reality-grades.json"} <= side.views.keys():
        return None
    reality = msgspec.json.decode(side.views["reality.json"], type=Reality)
    grades = msgspec.json.decode(side.views["reality-grades.json"], type=Grades)
    return reality_svg(reality, grades, rows=_TOPICS, title="The workspace")


def _manifest(context: Context, told: Mapping[str, Any], side: Side, graph: str) -> dict[str, Any]:
    """How one side was scanned, as `t2c.run/v1` (intent-evidence §8): without the place, which was a private one."""
    settings = {name: list(value) if isinstance(value, tuple) else value
                for name, value in context.settings.scan._asdict().items()}  # fmt: skip
    whole = all(stage.status == "succeeded" for stage in side.stages)
    return {
        "schemaVersion": "t2c.run/v1",
        "runId": side.run,
        "root": ".",
        "createdAt": side.graph.graph.generatedAt,
        "graphFingerprint": told["graphFingerprint"],
        "files": {"graph": graph},
        "warnings": [] if side.failure is None else [side.failure],
        "status": "succeeded" if whole else "degraded",
        "failure": None,
        "runtime": {"name": "t2c", "version": __version__},
        "configuration": {"fingerprint": sha256(artifact(settings)).hexdigest(), **settings},
        "stages": {
            stage.name: {
                "status": stage.status,
                "recordCount": stage.records,
                "warningCount": stage.omissions,
            }
            for stage in side.stages
        },
        "llm": {},
    }
