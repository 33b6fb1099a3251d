"""TypeScript and TSX: JavaScript with types, which are symbols too."""

from __future__ import annotations

from t2c.ledger.intake.code.lang.javascript import EcmaTraits
from t2c.ledger.intake.code.outline import Found

__all__ = ["TRAITS"]


class TypeScriptTraits(EcmaTraits):
    """TypeScript source and declaration files."""

    def name(self, found: Found) -> str:
        """`declare module "x"` names a module by its text; `declare global` names none."""
        if found.role == "module":
            return found.written.decode("utf-8", "replace").strip("\"'").replace("/", ".")[:160]
        return super().name(found)


TRAITS = TypeScriptTraits
