"""Requirements of Doorstop: one YAML file an item, with the files that it refers to.

Each reference is a record of its own with the digest of the file as it is, so that a changed file changes only its
own anchor.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any, Final

from t2c.ledger.intake.base import MAX_EXCERPT, Draft, Tree, shortened
from t2c.ledger.intake.docs.requirements import binding
from t2c.ledger.intake.lines import Notes
from t2c.ledger.intake.markup import MAX_STATEMENT
from t2c.ledger.intake.mentions import mentions, resolved
from t2c.ledger.intake.text import action_and_object
from t2c.ledger.intake.vocabulary import EXTENSIONS

__all__ = ["MAX_ITEM", "NAME", "doorstop_item"]

NAME: Final = re.compile(r"(?:\A|/)(?P<uid>[A-Za-z][A-Za-z_-]{0,30}[0-9]{1,6})\.yml\Z")
"""Paths of items; the name of the file is the id of the requirement."""
MAX_ITEM: Final = 256 * 1024
"""Bytes of the largest item that is read."""
_KEYS: Final = frozenset({"active", "derived", "normative", "level", "reviewed", "links", "ref"})
_SIGNS: Final = 3
"""Keys of an item that have to be there, so that no other YAML file is taken for one."""
_MOST: Final = 200
"""References of one item that are read."""
_FOLDERS: Final = frozenset({"folder", "directory", "dir"})
_NULL: Final = frozenset({"", "null", "Null", "NULL", "~"})
_FALSE: Final = frozenset({"false", "no", "off", "n"})
_MARKED: Final = re.compile(rb"^(?:text|header)\s*:", re.MULTILINE)


def doorstop_item(path: str, content: bytes, tree: Tree, notes: Notes, *, sample: bool) -> Iterator[Draft]:
    """The requirement of an item and its anchors; nothing if the file is no item."""
    if not _MARKED.search(content) or not (b"normative" in content or b"reviewed" in content):
        return
    match = NAME.search(path)
    uid = match["uid"] if match else path
    if len(content) > MAX_ITEM:
        notes.add("too_large", f"an item above {MAX_ITEM} bytes; it was not read")
        return
    held = _loaded(content, notes)
    if held is None or len(_KEYS & held.keys()) < _SIGNS:
        return
    text = " ".join(_string(held.get("text")).split()) or " ".join(_string(held.get("header")).split())
    level = _string(held.get("level"))
    links = [
        name for link in _list(held.get("links")) for name in (link if isinstance(link, dict) else [link])
    ]
    if text:
        yield _requirement(path, uid, text, held, level, [str(name) for name in links], tree, notes, sample)
    references = list(_references(held))
    if len(references) > _MOST:
        notes.add("many_references", f"more than {_MOST} references", None, len(references) - _MOST)
    for reference in references[:_MOST]:
        yield _anchor(path, uid, reference, tree)


def _loaded(content: bytes, notes: Notes) -> dict[str, Any] | None:
    import yaml

    try:
        held = yaml.load(content.decode("utf-8-sig", "replace"), Loader=yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        notes.add("invalid_yaml", "an item that is no valid YAML", None if mark is None else mark.line + 1)
        return None
    return held if isinstance(held, dict) else None


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _requirement(
    path: str, uid: str, text: str, held: Mapping[str, Any], level: str, links: list[str], tree: Tree, notes: Notes,
    sample: bool,
) -> Draft:  # fmt: skip
    if len(text) > MAX_STATEMENT:
        notes.add("statement_truncated", f"longer than {MAX_STATEMENT} characters")
        text = shortened(text, MAX_STATEMENT)
    active = _string(held.get("active")).lower() not in _FALSE
    normative = _string(held.get("normative")).lower() not in _FALSE
    plans = active and normative and not sample
    found = mentions(text)
    done, about = action_and_object(text)
    strength, direction = binding(text)
    return Draft(
        kind="requirement",
        text=text,
        object=about,
        action=done,
        cls="plan" if plans else "declaration",
        status="planned" if plans else "proposed" if active else "unknown",
        confidence=0.80,
        basis=("doorstop_item", "heuristic_action_dictionary", "planning_form"),
        trail=(uid,),
        modality=strength,
        polarity=direction,
        paths=resolved(found, tree, path.rpartition("/")[0]),
        symbols=found.symbols,
        tickets=tuple(sorted({*found.tickets, *mentions(uid).tickets})),
        versions=found.versions,
        excerpt=shortened(text, MAX_EXCERPT),
        metadata={
            "headingPath": [], "documentationOrigin": "requirement", "form": "identified", "requirementId": uid,
            "constraint": direction == "negative" and strength in ("required", "recommended"), "links": links,
            "level": level, "active": active, "normative": normative, "sample": sample,
            "reviewed": None if _string(held.get("reviewed")) in _NULL else held["reviewed"],
        },
    )  # fmt: skip


def _references(held: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    for reference in _list(held.get("references")):
        if isinstance(reference, dict) and _string(reference.get("path")):
            yield {str(name): _string(value) for name, value in reference.items()}
    ref = held.get("ref")
    for name in [ref] if isinstance(ref, str) else _list(ref):
        if isinstance(name, str) and name.strip():
            yield {"path": name.strip()}


def _anchor(path: str, uid: str, reference: Mapping[str, str], tree: Tree) -> Draft:
    """One file or folder that a requirement refers to. What differs from the digest that was reviewed is suspect."""
    written = reference["path"].replace("\\", "/").removeprefix("./").rstrip("/")
    beside = f"{path.rpartition('/')[0]}/{written}".lstrip("/")
    place = next((name for name in (written, beside) if name in tree), written)
    kind = reference.get("type") or ("folder" if reference["path"].endswith(("/", "\\")) else "file")
    a_folder = kind in _FOLDERS
    a_word = (
        place not in tree
        and not a_folder
        and "/" not in place
        and place.rpartition(".")[2].lower() not in EXTENSIONS
    )
    content = tree.content(place) if place in tree else None
    actual = sha256(content).hexdigest() if content is not None else None
    reviewed = reference.get("sha") or reference.get("sha256") or None
    inside = not place.startswith("/") and ".." not in place.split("/") and "://" not in place and bool(place)
    missing = not a_word and not a_folder and "." in place.rpartition("/")[2] and place not in tree
    return Draft(
        kind="requirement_anchor",
        text=f"{uid} refers to {written}",
        object=written or uid,
        action="declare",
        cls="declaration",
        status="proposed",
        confidence=0.62,
        basis=("doorstop_item", "explicit_target_reference"),
        trail=(uid,),
        paths=(place,) if inside and not a_word else (),
        metadata={
            "headingPath": [], "documentationOrigin": "requirement", "requirementId": uid,
            "type": "keyword" if a_word else "folder" if a_folder else kind, "keyword": reference.get("keyword") or None,
            "contentSha256": actual, "reviewedSha256": reviewed, "missing": missing,
            "suspect": None if reviewed is None or actual is None else reviewed.lower() != actual,
        },
    )  # fmt: skip
