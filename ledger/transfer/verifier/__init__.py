"""The verifier that a bundle ships as `verify.py`: one file, the standard library alone, Python 3.8 or later.

It is kept as modules that import nothing else of ours, which `script` joins into that file.
"""

from __future__ import annotations

import ast
from importlib.resources import files
from typing import Final

__all__ = ["PARTS", "script"]

PARTS: Final = (
    "ed25519", "tree", "notes", "container", "citing", "findings", "approving", "lines", "manifest", "vouching", "verdict", "against", "main",
)  # fmt: skip
"""The modules in the order in which they stand in the file: each uses only what stands before it."""

_HEAD: Final = '''#!/usr/bin/env python3
"""Check a bundle of a t2c ledger without trusting whoever sent it: python3 verify.py --help

One file, the standard library alone, Python 3.8 or later; the same bytes in every bundle of one t2c version.
It reads, prints and writes nothing. Licence: Apache-2.0.
"""

from __future__ import annotations

'''
_TAIL: Final = """

if __name__ == "__main__":
    sys.exit(main())
"""


def script() -> bytes:
    """The file's bytes."""
    imports: set[str] = set()
    bodies: list[str] = []
    for part in PARTS:
        body, found = _body(files(__name__).joinpath(f"{part}.py").read_text("utf-8"))
        bodies.append(body)
        imports |= found
    lines = sorted(imports, key=lambda line: (line.startswith("from"), line))
    return (_HEAD + "\n".join(lines) + "\n\n\n" + "\n\n\n".join(bodies) + _TAIL).encode()


def _body(source: str) -> tuple[str, set[str]]:
    """A module without its imports and `__all__`, its docstring as a comment; and what it imports from outside."""
    lines = source.splitlines()
    imports: set[str] = set()
    drop: set[int] = set()
    title = ""
    for node in ast.parse(source).body:
        span = range(node.lineno - 1, (node.end_lineno or node.lineno))
        if isinstance(node, ast.Import | ast.ImportFrom):
            drop.update(span)
            module = node.module if isinstance(node, ast.ImportFrom) else None
            if module != "__future__" and not (module or "").startswith("t2c."):
                imports |= _each(node)
        elif isinstance(node, ast.Expr) and not title and isinstance(node.value, ast.Constant):
            title = str(node.value.value).splitlines()[0]
            drop.update(span)
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            drop.update(span)
    kept = "\n".join(line for number, line in enumerate(lines) if number not in drop)
    return f"# {title}\n\n{kept.strip()}", imports


def _each(node: ast.Import | ast.ImportFrom) -> set[str]:
    """One statement a name, so that those of several modules can be joined."""
    if isinstance(node, ast.ImportFrom):
        return {
            f"from {node.module} import {alias.name}" + (f" as {alias.asname}" if alias.asname else "")
            for alias in node.names
        }
    return {f"import {alias.name}" for alias in node.names}
