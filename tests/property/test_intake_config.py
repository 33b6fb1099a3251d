"""For any configuration: reading never raises, records are valid and unique, order and layout are no identity."""

from __future__ import annotations

import json
import string

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.events.record import Record
from t2c.ledger.intake.base import materialise
from t2c.ledger.intake.config.extractor import ConfigExtractor

PATHS = (
    "package.json", "tsconfig.json", "pyproject.toml", "Cargo.toml", "config/a.yaml", ".github/workflows/a.yml",
    "compose.yml", ".pre-commit-config.yaml", "Dockerfile", "Makefile", "justfile", ".env.example", "setup.cfg",
    "requirements.txt", "go.mod", "Gemfile", "a.gemspec", "pom.xml", "build.gradle", "a.csproj", "Package.swift",
    "mix.exs", "build.sbt", "composer.json", "Pipfile", "libs.versions.toml", "Taskfile.yml", "tox.ini",
)  # fmt: skip
PIECES = st.sampled_from((
    "a", "b:", " ", "  ", "\n", "\t", "\r\n", "- ", "{", "}", "[", "]", ",", ":", "=", '"', "'", "#", "//", "/*", "*/",
    "<<", "&x", "*x", "|", ">", "---", "\\", "FROM a AS b", "RUN x", "<<EOF", "EOF", "ENV A=1", "uses: a/b@c", "on:",
    "run: x", "jobs:", "steps:", "services:", "image: x:1", "[dependencies]", "[project]", 'dependencies = ["a>1"]',
    "require (", ")", "gem 'a', '1'", "implementation 'a:b:1'", "<project>", "</project>", "<dependency>", "&lt;",
    "<!ENTITY", "<!DOCTYPE a>", '{:a, "1"}', '"a" % "b" % "1"', ".package(url: \"u\")", "all: b", "A := 1", "ż", "\ufeff",
    "\u2028", "1.5", "true", "null", "{{ x }}", "!!python/object:os.system", "? [a]", "install_requires =", "-r x",
))  # fmt: skip
ANY_BYTES = st.one_of(
    st.binary(max_size=120),
    st.lists(st.one_of(PIECES, st.text(max_size=5)), max_size=30).map(
        lambda parts: "".join(parts).encode("utf-8", "replace")
    ),
)
NAMES = st.text(string.ascii_lowercase, min_size=1, max_size=6)
VALUES = st.recursive(
    st.one_of(st.integers(-5, 5), st.booleans(), st.none(), NAMES),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=4)),
    max_leaves=12,
)
TABLES = st.dictionaries(NAMES, VALUES, min_size=1, max_size=5)


class Nothing:
    """A tree without files."""

    def __contains__(self, path: str) -> bool:
        return False

    def named(self, name: str) -> tuple[str, ...]:
        return ()

    def content(self, path: str) -> bytes | None:
        return None


def ids(path: str, content: bytes) -> list[str]:
    return [found.id for found in materialise(ConfigExtractor().read(path, content, Nothing()))]


@given(st.sampled_from(PATHS), ANY_BYTES)
@settings(max_examples=600)
def test_any_bytes_are_read_into_valid_records_with_unique_ids(path: str, content: bytes) -> None:
    reading = ConfigExtractor().read(path, content, Nothing())
    found = list(materialise(reading))
    assert len({record.id for record in found}) == len(found)
    for record in found:
        Record.model_validate_json(record.body)
    for warning in reading.warnings:
        assert warning.count >= 1
    if not reading.complete:
        assert reading.warnings
        assert not found


@given(TABLES, st.randoms(use_true_random=False))
@settings(max_examples=150)
def test_the_same_keys_in_another_order_format_or_layout(table: dict[str, object], chance: object) -> None:
    shuffled = list(table.items())
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    plain = set(ids("config/a.json", json.dumps(table).encode()))
    assert set(ids("config/a.json", json.dumps(dict(shuffled), indent=3).encode())) == plain
    text = yaml.safe_dump(table)
    inner = set(ids("config/a.yaml", text.encode()))
    assert len(inner) == len(plain)
    assert set(ids("config/a.yaml", yaml.safe_dump(dict(shuffled), sort_keys=False).encode())) == inner
    assert ids("config/a.yaml", text.replace("\n", "\r\n").encode()) == ids("config/a.yaml", text.encode())


@given(TABLES, NAMES)
@settings(max_examples=100)
def test_a_neighbour_changes_no_id(table: dict[str, object], name: str) -> None:
    before = set(ids("config/a.json", json.dumps(table).encode()))
    after = set(ids("config/a.json", json.dumps({name + "_new": 1, **table}).encode()))
    assert before < after
