"""A schema without some keywords, for a provider that refuses them (decisions D2)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import orjson

__all__ = ["without"]


def without(schema: bytes, keywords: Collection[str]) -> bytes:
    """The schema without these keywords, at every depth; names of properties are left alone."""
    return orjson.dumps(_stripped(orjson.loads(schema), frozenset(keywords)))


def _stripped(node: Any, keywords: frozenset[str], *, names: bool = False) -> Any:
    if isinstance(node, dict):
        return {
            key: _stripped(value, keywords, names=not names and key in ("properties", "$defs"))
            for key, value in node.items()
            if names or key not in keywords
        }
    if isinstance(node, list):
        return [_stripped(item, keywords) for item in node]
    return node
