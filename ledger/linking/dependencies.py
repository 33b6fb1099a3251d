"""Which declared dependency an import is of, where it is of no module of the repository."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from t2c.ledger.kernel.ids import RecordId
from t2c.ledger.linking.base import Hit
from t2c.ledger.linking.features import Corpus
from t2c.ledger.linking.modules import Code

__all__ = ["Dependencies"]

_ECOSYSTEMS: Final[Mapping[str, frozenset[str]]] = {
    "python": frozenset({"pypi", "python"}),
    "js": frozenset({"npm"}),
    "rust": frozenset({"cargo", "crates"}),
    "go": frozenset({"go"}),
    "ruby": frozenset({"gem", "rubygems"}),
    "php": frozenset({"composer", "packagist"}),
    "csharp": frozenset({"nuget"}),
    "elixir": frozenset({"hex"}),
    "lua": frozenset({"luarocks"}),
}
"""Where the packages of a language come from; of the others no import names its package."""
_SIGNS: Final = re.compile(r"[^a-z0-9]+")
_STEPS: Final = re.compile(r"[./\\:]+")
_MAX_STEPS: Final = 6


class _Declared(NamedTuple):
    folder: str
    is_aside: bool
    id: RecordId
    name: str


class Dependencies:
    """The declared dependencies, by where they come from and the letters of their names."""

    def __init__(self, corpus: Corpus) -> None:
        self.by_name: dict[tuple[str, str], list[_Declared]] = {}
        for record in corpus.of("system"):
            named, ecosystem = record.metadata.name, record.metadata.ecosystem
            if record.statement.kind != "dependency_declaration" or not record.source.path:
                continue
            if not (isinstance(named, str) and isinstance(ecosystem, str)):
                continue
            folder = record.source.path.rpartition("/")[0]
            declared = _Declared(folder, record.metadata.scope != "runtime", record.id, named)
            self.by_name.setdefault((ecosystem, _letters(named)), []).append(declared)

    def hits(self, code: Code) -> Iterator[Hit]:
        """From each module to the dependencies that its imports are of, each once."""
        for module in code.modules.values():
            found: dict[RecordId, tuple[str, str]] = {}
            for imported in module.external:
                declared = self._of(imported, module.family, module.path)
                if declared is not None:
                    found.setdefault(declared.id, ("dependency", imported))
            for identity, signal in found.items():
                yield Hit(module.id, identity, "depends_on", "structure", ("declared_dependency",), (signal,))

    def _of(self, imported: str, kind: str, path: str) -> _Declared | None:
        """The longest start of an import that is a dependency's name, as the nearest manifest above declares it."""
        steps = _STEPS.split(imported)[:_MAX_STEPS] if kind != "js" else imported.split("/")[:2]
        for count in range(len(steps), 0, -1):
            letters = _letters("".join(steps[:count]))
            near = [
                declared
                for ecosystem in sorted(_ECOSYSTEMS.get(kind, ()))
                for declared in self.by_name.get((ecosystem, letters), ())
                if not declared.folder or path.startswith(declared.folder + "/")
            ]
            if letters and near:
                return min(near, key=lambda one: (-len(one.folder), one.is_aside, one.id))
        return None


def _letters(name: str) -> str:
    return _SIGNS.sub("", name.lower())
