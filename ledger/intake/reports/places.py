"""From what a report calls a file or a class to the files of the repository.

Reports hold absolute paths of the machine that ran, paths relative to some folder, or dotted names. Each is
looked up in the tree; what the tree does not hold is no path of the repository.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote

from t2c.ledger.intake.base import Tree

__all__ = ["Places"]

_STEPS: Final = 12
"""Leading folders of a foreign path that are left off one after the other."""
_CLASS_FILES: Final = (".java", ".kt", ".groovy", ".scala")
_DOTTED: Final = re.compile(r"[\w$]+(?:\.[\w$]+)*\Z")
_LONGEST: Final = 4096
_DRIVE: Final = re.compile(r"[A-Za-z]:/")


class Places:
    """The files of one tree by the names that one report uses; each name is looked up once."""

    def __init__(self, tree: Tree, report: str, roots: tuple[str, ...] = ()) -> None:
        """`report` is the path of the report, whose folders paths may be relative to; so may they be to `roots`."""
        self._tree = tree
        folders = report.split("/")[:-1]
        self._around = [
            "".join(f"{step}/" for step in folders[:upto]) for upto in range(len(folders), -1, -1)
        ]
        self._roots = [_steps(root) for root in roots]
        self._files: dict[str, str | None] = {}
        self._classes: dict[str, tuple[str, str] | None] = {}

    def file(self, written: str) -> str | None:
        """The repository path of a file as a report writes it."""
        if written not in self._files:
            self._files[written] = self._find(written) if len(written) < _LONGEST else None
        return self._files[written]

    def _find(self, written: str) -> str | None:
        steps = _steps(written)
        if not steps or ".." in steps:
            return None
        whole = "/".join(steps)
        for root in self._roots:
            for left_off in range(min(len(root), _STEPS)):
                candidate = "/".join([*root[left_off:], whole])
                if candidate in self._tree:
                    return candidate
        for folder in self._around[:_STEPS]:
            if folder + whole in self._tree:
                return folder + whole
        for left_off in range(1, min(len(steps) - 1, _STEPS)):
            candidate = "/".join(steps[left_off:])
            if candidate in self._tree:
                return candidate
        return None

    def of_class(self, dotted: str) -> tuple[str, str] | None:
        """(file, rest of the name) of a dotted class or module name: `a.b.test_c.TestX`, `org.acme.FooTest`."""
        if dotted not in self._classes:
            self._classes[dotted] = self._of(dotted) if _DOTTED.match(dotted) and len(dotted) < 1000 else None
        return self._classes[dotted]

    def _of(self, dotted: str) -> tuple[str, str] | None:
        steps = dotted.split(".")
        for upto in range(min(len(steps), _STEPS), 0, -1):
            module = "/".join(steps[:upto]) + ".py"
            if module in self._tree:
                return module, ".".join(steps[upto:])
        package, name = steps[:-1], steps[-1].partition("$")[0]
        for ending in _CLASS_FILES:
            inside = "/".join([*package, name + ending])
            found = [
                path
                for path in self._tree.named(name + ending)
                if path == inside or path.endswith("/" + inside)
            ]
            if len(found) == 1:
                return found[0], ""
        return None


def _steps(written: str) -> list[str]:
    """The folders and the name of a path as a machine writes it, without its root."""
    path = written.strip().replace("\\", "/")
    if path.startswith("file:"):
        path = unquote(path[5:].lstrip("/"))
    path = _DRIVE.sub("/", path, count=1)
    return [step for step in path.split("/") if step not in ("", ".")]
