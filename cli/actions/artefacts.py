"""Files that a caller asks for by name: an answer as a document, a picture or a page."""

from __future__ import annotations

from pathlib import Path

from t2c.cli.actions.context import Context
from t2c.ledger.errors import Environment, Usage
from t2c.ledger.journal.files import write_atomically
from t2c.ledger.kernel.paths import INVISIBLE

__all__ = ["place_of_artefact", "write_artefact"]


def place_of_artefact(context: Context, given: str) -> Path:
    """Where an artefact may be written: inside the root, and not where Git or t2c keep their own. Raises Usage."""
    path = context.path(given)
    own = {".git", *INVISIBLE}.intersection(path.relative_to(context.root).parts)
    if own or path == context.root or path.is_dir():
        why = f"lies inside {min(own)}" if own else "is a folder"
        raise Usage(f"{given} {why}", safe="nothing was written", remedy="give the name of a file for it")
    return path


def write_artefact(path: Path, content: str | bytes) -> None:
    """Put it there as a whole, in the place of what was there. Raises Environment."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(
            path, content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape")
        )
    except OSError as error:
        raise Environment(
            f"{path} cannot be written: {error.strerror}",
            where=str(path),
            safe="what was there before is untouched",
            remedy="give another name, or make room or permission for it",
        ) from error
