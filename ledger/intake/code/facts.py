"""From the outline of a file to its records, in one shape for all languages (intent-evidence §2.3).

Symbols are records, calls are attributes of the symbol that makes them (better-than §1.7).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from t2c.ledger.events.record import Action
from t2c.ledger.intake.base import Draft, Tree
from t2c.ledger.intake.code.outline import Definition, Import, Syntax
from t2c.ledger.intake.code.traits import Traits

__all__ = ["facts_of"]

_MAX_LISTED: Final = 50
_MAX_CAPABILITIES: Final = 24
_APPROXIMATE: Final = 0.7
"""Confidence of a definition that a line pattern found where the grammar failed."""


def facts_of(traits: Traits, path: str, syntax: Syntax, tree: Tree) -> Iterator[Draft]:
    """The record of the module, then those of its symbols and imports in the order of the file."""
    facts = _Facts(traits, path, syntax, tree)
    imports = facts.imports()
    placed = [(item.start, 0, facts.symbol(item)) for item in syntax.definitions]
    placed += [(start, 1, draft) for start, draft in imports]
    placed.sort(key=lambda place: place[:2])
    yield facts.module([draft.object for _, draft in imports], len(placed))
    for _, _, draft in placed:
        yield draft


class _Facts:
    def __init__(self, traits: Traits, path: str, syntax: Syntax, tree: Tree) -> None:
        self.traits = traits
        self.path = path
        self.syntax = syntax
        self.tree = tree
        self.in_test_file = traits.is_test_file(path)
        self.language = {"language": traits.language.name}
        self.paths = () if path.startswith("~") else (path,)
        engine = f"tree_sitter_{traits.language.name}"
        self.basis = (engine, "partial_parse") if syntax.error_lines else (engine,)
        self.by_line = ("line_fallback", *self.basis)

    def _draft(
        self,
        kind: str,
        action: Action,
        what: str,
        name: str,
        metadata: dict[str, Any],
        *,
        symbol: str,
        symbols: tuple[str, ...] = (),
        excerpt: str | None = None,
        lines: tuple[int, int] | None = None,
        approximate: bool = False,
    ) -> Draft:
        return Draft(
            kind=kind,
            text=f"{what} {name}",
            object=name,
            action=action,
            cls="fact",
            status="implemented",
            confidence=_APPROXIMATE if approximate else 1,
            basis=self.by_line if approximate else self.basis,
            lines=lines,
            symbol=symbol,
            modality="observed",
            paths=self.paths,
            symbols=symbols,
            excerpt=excerpt,
            metadata={**self.language, **metadata},
        )

    def module(self, imports: list[str], count: int) -> Draft:
        syntax, traits = self.syntax, self.traits
        names = [
            item.qualified for item in syntax.definitions if item.parent is None or not item.parent.is_record
        ]
        metadata: dict[str, Any] = {
            "aggregate": "module",
            "factGranularity": "file",
            "factCount": count,
            "callCount": syntax.call_count,
            "docstring": syntax.docstring,
            "entryPoint": traits.is_entry_point(syntax),
            "test": self.in_test_file,
            **_listed("calls", syntax.calls, _MAX_LISTED),
            **_listed("capabilities", names, _MAX_CAPABILITIES),
            **_listed("imports", imports, 2 * _MAX_LISTED),
            **traits.about_module(syntax),
        }
        if syntax.package:
            metadata["package"] = syntax.package
        symbol = traits.module_name(self.path, syntax.package)
        return self._draft("module_fact", "declare", "module", self.path, metadata, symbol=symbol)

    def imports(self) -> list[tuple[int, Draft]]:
        """One record for each imported module, at its first import."""
        traits, path = self.traits, self.path
        grouped: dict[str, list[Import]] = {}
        for item in self.syntax.imports:
            name = traits.resolve(item.module, path)
            if name and traits.is_dependency(name):
                grouped.setdefault(name, []).append(item)
        found = []
        for name, items in grouped.items():
            first = items[0]
            metadata: dict[str, Any] = {
                "relative": any(traits.is_relative(item.module) for item in items),
                **_listed("names", {taken for item in items for taken in item.names}, _MAX_LISTED),
            }
            imported = next(
                (place for place in traits.candidates(first.module, path) if place in self.tree), None
            )
            if imported is not None:
                metadata["resolvedPath"] = imported
            draft = self._draft(
                "module_dependency_fact",
                "depend_on",
                "import",
                name,
                metadata,
                symbol=name,
                symbols=(name,),
                excerpt=first.raw,
                lines=first.lines,
            )
            found.append((first.start, draft))
        return found

    def symbol(self, item: Definition) -> Draft:
        metadata: dict[str, Any] = {
            "symbolKind": item.kind,
            "nativeKind": item.native,
            "public": item.public,
            "test": self.traits.is_test(item, self.in_test_file),
        }
        metadata |= _said(
            {
                "async": item.is_async,
                "bases": list(item.bases),
                "decorators": list(item.decorators),
                "docstring": item.docstring,
                "valueKind": item.value_kind,
                "declarations": item.declarations if item.declarations > 1 else None,
                "nativeKinds": list(item.natives) if len(item.natives) > 1 else None,
            }
        )
        if item.calls:
            metadata |= _listed("calls", item.calls, _MAX_LISTED)
        return self._draft(
            "symbol_fact",
            "declare",
            item.native,
            item.qualified,
            metadata,
            symbol=item.qualified,
            symbols=() if item.native == "test" else (item.qualified,),  # a title names nothing
            excerpt=item.header,
            lines=item.lines,
            approximate=item.approximate,
        )


def _said(values: Mapping[str, Any]) -> dict[str, Any]:
    """Without what is empty: most symbols have neither bases nor decorators."""
    return {key: value for key, value in values.items() if value}


def _listed(key: str, names: Collection[str], most: int) -> dict[str, Any]:
    """The first names in byte order, and how many more there are."""
    ordered = sorted(set(names))
    return {key: ordered[:most], **({f"{key}Omitted": len(ordered) - most} if len(ordered) > most else {})}
