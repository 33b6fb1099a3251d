"""Configuration: which files are read, what each format declares, and that no value is ever told."""

from __future__ import annotations

import time

import pytest

from t2c.ledger.events.record import Record
from t2c.ledger.intake.base import Draft, Reading, materialise
from t2c.ledger.intake.config.extractor import ConfigExtractor


class Nothing:
    """A tree without files."""

    def __contains__(self, path: str) -> bool:
        return False

    def named(self, name: str) -> tuple[str, ...]:
        return ()

    def content(self, path: str) -> bytes | None:
        return None


def read(path: str, text: str | bytes) -> Reading:
    return ConfigExtractor().read(path, text.encode() if isinstance(text, str) else text, Nothing())


def settings(path: str, text: str) -> list[tuple[str, str]]:
    """(action, object) of every setting."""
    drafts = read(path, text).records
    return [(d.action, d.object) for d in drafts if d.kind == "configuration_declaration"]


def keys(path: str, text: str) -> list[str]:
    return [about for action, about in settings(path, text) if action == "configure"]


def used(path: str, text: str) -> list[str]:
    return [about for action, about in settings(path, text) if action == "depend_on"]


def called(path: str, text: str) -> list[str]:
    return [about for action, about in settings(path, text) if action == "call"]


def noted(reading: Reading) -> dict[str, tuple[int, tuple[int, ...]]]:
    return {warning.reason: (warning.count, warning.lines) for warning in reading.warnings}


def ids(path: str, text: str | bytes) -> list[str]:
    return [found.id for found in materialise(read(path, text))]


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("package.json", True), ("web/package.json", True), ("tsconfig.build.json", True), ("Dockerfile", True),
        ("ci/Dockerfile.test", True), ("src/dockerfile.py", False), ("web.dockerfile", True), ("Containerfile", True), ("compose.prod.yml", True),
        ("docker-compose.yaml", True), (".github/workflows/ci.yml", True), (".gitlab-ci.yml", True),
        ("azure-pipelines-nightly.yml", True), (".circleci/config.yml", True), ("Makefile", True), ("build/rules.mk", True),
        ("justfile", True), ("go.mod", True), (".env.example", True), (".env", False), ("config/app.yaml", True),
        ("src/config/x.json", True), ("jest.config.json", True), ("data/items.json", False), ("docs/a.yaml", False),
        ("requirements-dev.txt", True), ("requirements/base.txt", True), ("notes.txt", False), ("a/b.gemspec", True),
        ("src/App.csproj", True), ("poetry.lock", True), ("package-lock.json", True), ("README.md", False),
        ("tests/docker-compose.yml", True), ("tests/fixtures/package.json", False), ("x/testdata/go.mod", False),
        ("tests/suite/case/in/Cargo.toml", False), ("a/__fixtures__/tsconfig.json", False), ("values.yaml", True), ("config/a.autonom-cycle.json", False),
    ],
)  # fmt: skip
def test_which_files_are_configuration(path: str, wanted: bool) -> None:
    assert ConfigExtractor().wants(path) is wanted


def test_wanting_costs_less_than_three_microseconds() -> None:
    paths = [f"src/module{n}/file{n}.py" for n in range(3000)] + [
        f"fixtures/b{n}/data.json" for n in range(3000)
    ]
    wants = ConfigExtractor().wants
    best = min(_seconds(wants, paths) for _ in range(5))
    assert best / len(paths) < 3e-6


def _seconds(wants: object, paths: list[str]) -> float:
    start = time.process_time()
    for path in paths:
        wants(path)  # type: ignore[operator]
    return time.process_time() - start


def test_the_records_of_a_file() -> None:
    reading = read("config/app.yaml", "service:\n  port: 80\n  apiToken: hunter2\n")
    records = [Record.model_validate_json(found.body) for found in materialise(reading)]
    assert [(r.statement.kind, r.statement.object) for r in records] == [
        ("configuration_file_fact", "config/app.yaml"),
        ("configuration_declaration", "service"),
        ("configuration_declaration", "service.port"),
        ("configuration_declaration", "service.apiToken"),
    ]
    whole, _, port, token = records
    assert (whole.metadata["declaredKeys"], whole.metadata["capabilities"]) == (3, ["service"])
    assert whole.epistemic.basis == ("configuration_file_aggregate", "deterministic_configuration_structure")
    assert (port.epistemic.cls, port.epistemic.confidence, port.lifecycle.status) == (
        "fact",
        0.98,
        "implemented",
    )
    assert port.epistemic.basis == ("deterministic_configuration_structure", "yaml_key")
    assert port.metadata["value"] == 80
    assert token.statement.target.symbols == ("service.apiToken",)
    assert "value" not in token.metadata
    assert port.id.startswith("INT-SYS-")
    assert reading.complete


SECRETS = {
    "package.json": '{"scripts": {"deploy": "S3CRET"}, "config": {"password": 12345, "n": "S3CRET"}}',
    "config/a.yaml": "password: 12345\nurl: https://u:S3CRET@h/x\nlist:\n- S3CRET\nblock: |\n  S3CRET\n",
    "ruff.toml": 'secret_key = 12345\na = "S3CRET"\nb = ["S3CRET"]\n[t]\nc = """S3CRET"""\n',
    ".env.example": "A=S3CRET\nexport B=S3CRET\n",
    "Dockerfile": "FROM x\nENV TOKEN=S3CRET OTHER=S3CRET\nENV OLD S3CRET\nARG KEY=S3CRET\nLABEL a=S3CRET\n",
    "compose.yml": "services:\n  a:\n    environment:\n    - X=S3CRET\n  b:\n    environment:\n      Y: S3CRET\n",
    ".github/workflows/a.yml": "env:\n  T: S3CRET\njobs:\n  a:\n    steps:\n    - with:\n        token: S3CRET\n      uses: a/b@v1\n",
    "Makefile": "KEY := S3CRET\nall: a b ; S3CRET\n\tS3CRET\n",
    "setup.cfg": "[a]\nb = S3CRET\nc =\n    S3CRET\n",
    "requirements.txt": "--index-url https://u:S3CRET@h/simple\nfoo @ https://u:S3CRET@h/f.zip?S3CRET\n",
    "pom.xml": "<project><properties><k>S3CRET</k></properties></project>",
}  # fmt: skip


@pytest.mark.parametrize("path", SECRETS)
def test_no_value_is_told(path: str) -> None:
    found = list(materialise(read(path, SECRETS[path])))
    assert len(found) > 1
    for record in found:
        assert b"S3CRET" not in record.body
        assert b"12345" not in record.body


def test_keys_of_json_with_comments_and_trailing_commas() -> None:
    text = '{\n  // why\n  "a": {"b": [1, {"c": "// no remark"},],}, /* x\n */ "d.e": null,\n}\n'
    assert keys("tsconfig.json", text) == ["a", "a.b", "a.b[].c", '"d.e"']
    lines = {d.object: d.lines for d in read("tsconfig.json", text).records if d.lines}
    assert lines['"d.e"'] == (4, 4)


@pytest.mark.parametrize(
    ("path", "text", "reason", "line"),
    [
        ("tsconfig.json", '{\n"a": 1,,\n}', "configuration_unparsed", 2),
        ("tsconfig.json", "{\n  a: 'x'\n}", "unsupported_format", 2),
        ("config/a.yaml", "a: 1\nb: [\n", "configuration_unparsed", 3),
        ("config/a.yaml", "a: 1\n{{ if .x }}\nb: 2\n{{ end }}\n", "configuration_template", 3),
        ("ruff.toml", "a = 1\na = 2\n", "configuration_unparsed", 2),
        ("pom.xml", "<project>\n<a></b>\n</project>", "configuration_unparsed", 2),
        ("pom.xml", '<!DOCTYPE a [<!ENTITY x "y">]><project/>', "xml_entities", 1),
        ("config/a.json", "[" * 5000, "configuration_unparsed", 1),
        ("config/a.json", "[" * 500 + "]" * 500, "configuration_too_deep", 1),
        ("config/a.yaml", "a: " + "[" * 5000, "configuration_too_deep", 1),
        (
            "config/a.yaml",
            "".join(" " * depth + "k:\n" for depth in range(150)),
            "configuration_too_deep",
            101,
        ),
        ("config/a.yaml", "a: [" + "1," * 100_000 + "]", "configuration_too_large", 1),
        ("config/a.json", "[" + "1," * 100_000 + "1]", "configuration_too_large", 1),
    ],
)
def test_a_file_that_does_not_parse_gives_its_place_and_nothing_else(
    path: str, text: str, reason: str, line: int
) -> None:
    reading = read(path, text)
    assert reading.records == ()
    assert not reading.complete
    assert noted(reading) == {reason: (1, (line,))}


def test_a_template_of_toml_too_deep_to_parse_is_counted() -> None:
    reading = read("ruff.toml", "a = " + "[" * 5000)
    assert (reading.records, reading.complete) == ((), False)
    assert noted(reading) == {"configuration_too_deep": (1, ())}


def test_anchors_are_not_expanded() -> None:
    bomb = "a: &a [x, x]\n" + "".join(
        f"{b}: &{b} [*{a}, *{a}, *{a}]\n" for a, b in zip("abcdefghi", "bcdefghij", strict=True)
    )
    assert keys("config/a.yaml", bomb) == list("abcdefghij")
    assert keys("config/a.yaml", "base: &b\n  x: 1\nuse:\n  <<: *b\n  y: 2\n") == [
        "base",
        "base.x",
        "use",
        "use.<<",
        "use.y",
    ]


def test_documents_of_one_file_and_keys_that_stand_twice() -> None:
    assert keys("config/a.yaml", "a: 1\n---\nb: 2\n---\na: 3\n") == ["a", "b"]
    assert noted(read("config/a.yaml", "a: 1\nb: 2\na: 3\n")) == {"duplicate_key": (1, (3,))}
    assert noted(read("config/a.json", '{"a": 1,\n"a": 2}')) == {"duplicate_key": (1, (2,))}


def test_places_of_toml() -> None:
    text = '# x\na = 1\n\n[t."x.y"]\nb = """\n[no]\nk = 1\n"""\nc = [\n  "p", # ]\n  "q",\n]\n[[l]]\nd.e = {f = 1}\n'
    found = {d.object: d.lines for d in read("ruff.toml", text).records if d.lines}
    assert found == {
        "a": (2, 2), "t": (4, 4), 't."x.y"': (4, 4), 't."x.y".b': (5, 8), 't."x.y".c': (9, 12), "l": (13, 13),
        "l[].d": (14, 14), "l[].d.e": (14, 14), "l[].d.e.f": (14, 14),
    }  # fmt: skip


def test_a_dockerfile() -> None:
    text = (
        "# syntax=docker/dockerfile:1\nFROM --platform=linux/amd64 ghcr.io:443/org/base:1.2@sha256:ab AS build\n"
        "ARG VERSION=1\nRUN --mount=type=cache,target=/x \\\n  # inner remark\n  make all \\\n  && make test\n"
        "RUN <<EOF\n\napt-get update\napt-get install x\nEOF\nFROM python:${TAG:-3.12}-slim\nCOPY --from=build /a /b\n"
        'EXPOSE 80 443\nCMD ["python", "-m", "x"]\nBOGUS y\n'
    )
    assert settings("Dockerfile", text) == [
        ("depend_on", "ghcr.io:443/org/base"), ("configure", "ARG:VERSION"), ("call", "RUN:make all"),
        ("call", "RUN:apt-get update"), ("depend_on", "python"), ("configure", "COPY:/a /b"),
        ("configure", "EXPOSE:80 443"), ("call", 'CMD:["python", "-m", "x"]'),
    ]  # fmt: skip
    records = read("Dockerfile", text).records
    assert records[1].metadata["tag"] == "sha256:ab"
    assert (records[1].metadata["stage"], records[3].trail, records[3].lines) == ("build", ("build",), (4, 7))
    assert records[4].lines == (8, 12)
    assert noted(read("Dockerfile", text)) == {"instruction_unknown": (1, (17,))}


def test_workflows_tell_triggers_jobs_actions_and_commands() -> None:
    text = (
        "name: CI\non: [push, pull_request]\nenv:\n  DEBUG_LEVEL: 1\njobs:\n  build:\n    runs-on: ubuntu-latest\n"
        "    container: node:22\n    services:\n      db:\n        image: postgres:16\n    steps:\n"
        "      - uses: actions/checkout@v4\n      - name: x\n        run: |\n          set -e\n          # why\n          npm ci\n"
        "          npm test\n      - uses: ./local\n"
    )
    path = ".github/workflows/ci.yml"
    assert used(path, text) == ["node", "postgres", "actions/checkout", "./local"]
    assert called(path, text) == ["npm ci"]
    assert keys(path, text) == [
        "name", "on", "on.push", "on.pull_request", "env", "env.DEBUG_LEVEL", "jobs", "jobs.build",
        "jobs.build.runs-on", "jobs.build.services",
    ]  # fmt: skip
    as_map = text.replace("on: [push, pull_request]", "on:\n  push:\n  pull_request:")
    assert set(ids(path, text)) == set(ids(path, as_map))
    newer = text.replace("checkout@v4", "checkout@v5").replace("postgres:16", "postgres:17")
    assert ids(path, text) == ids(path, newer)


def test_other_pipelines() -> None:
    gitlab = (
        "image: python:3.12\ninclude: /templates/a.yml\nunit:\n  script:\n    - pytest -q\n    - ruff check\n"
    )
    assert used(".gitlab-ci.yml", gitlab) == ["python", "/templates/a.yml"]
    assert called(".gitlab-ci.yml", gitlab) == ["pytest -q", "ruff check"]
    azure = (
        "trigger: [main]\njobs:\n- job: a\n  steps:\n  - task: UsePythonVersion@0\n  - bash: |\n      make\n"
    )
    assert (used("azure-pipelines.yml", azure), called("azure-pipelines.yml", azure)) == (
        ["UsePythonVersion"],
        ["make"],
    )
    circle = "orbs:\n  node: circleci/node@5.1\njobs:\n  t:\n    docker:\n    - image: cimg/base:1\n    steps:\n    - run: a b\n    - run:\n        command: c d\n"
    assert used(".circleci/config.yml", circle) == ["circleci/node", "cimg/base"]
    assert called(".circleci/config.yml", circle) == ["a b", "c d"]


def test_compose() -> None:
    text = (
        "services:\n  web:\n    image: ghcr.io/x/web:1\n    ports: ['8080:80']\n    depends_on: [db]\n"
        "    environment:\n      - DB_URL=x\n  db:\n    image: postgres\n"
    )
    assert used("compose.yml", text) == ["ghcr.io/x/web", "db", "postgres"]
    assert "services.web.environment.DB_URL" in keys("compose.yml", text)
    ports = [d.metadata["ports"] for d in read("compose.yml", text).records if "ports" in d.metadata]
    assert ports == [["8080:80"]]


def test_makefile_and_justfile() -> None:
    make = "X ?= 1\n.PHONY: all\nall: a \\\n  b # why\n\techo\na b: ; true\n%.o: %.c\n\tcc\nobj: X = 2\nifdef Y\n"
    assert keys("Makefile", make) == ["X", "all", "a", "b", "%.o"]
    whole = read("Makefile", make).records[2]
    assert (whole.metadata["needs"], whole.lines) == (["a", "b"], (3, 4))
    just = "set shell := ['x']\nv := '1'\n# doc\n@build target='a': clean\n    echo\nalias b := build\n[private]\nclean:\n"
    assert keys("justfile", just) == ["v", "build", "b", "clean"]


def test_settings_above_the_cap_are_counted_and_the_top_level_stays() -> None:
    text = "deep:\n" + "".join(f"  k{n}: 1\n" for n in range(500)) + "last: 1\n"
    reading = read("config/a.yaml", text)
    assert len(reading.records) == 401
    assert noted(reading) == {"entries_capped": (102, (400,))}
    assert "last" in [d.object for d in reading.records]


def test_a_schema_of_configuration_is_none() -> None:
    reading = read(
        "schemas/config.json", '{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object"}'
    )
    assert [d.kind for d in reading.records] == ["configuration_file_fact"]
    assert noted(reading) == {"json_schema": (1, ())}
    assert keys("biome.json", '{"$schema": "https://biomejs.dev/schema.json", "a": 1}') == ["$schema", "a"]


def test_lock_files_are_counted_by_name_and_not_read() -> None:
    reading = read("web/package-lock.json", b"\xff\x00 no json")
    assert (reading.records, reading.complete) == ((), True)
    assert noted(reading) == {"lock_file": (1, ())}


def test_a_file_above_the_size_limit_is_counted() -> None:
    reading = read("config/a.json", b"[" + b"1," * 1_100_000 + b"1]")
    assert (reading.records, reading.complete, list(noted(reading))) == ((), False, ["file_too_large"])


HOSTILE = {
    "strings that never end": ("tsconfig.json", '"\\' * 400_000),
    "comments that never end": ("tsconfig.json", "/*" * 400_000),
    "numbers in one line": ("config/a.json", "[" + "1," * 90_000 + "1]"),
    "a megabyte of spaces": ("setup.cfg", "a" + " " * 1_000_000),
    "a megabyte of colons": ("Makefile", "a:" * 500_000),
    "a megabyte of quotes": ("ruff.toml", "a = " + '"' * 1_000_000),
    "flags without end": ("Dockerfile", "RUN " + "--a=b " * 150_000),
    "a requirement of dots": ("requirements.txt", "a." * 500_000),
    "gems": ("Gemfile", "gem 'a'" + ",'" * 300_000),
    "gradle": ("build.gradle", "implementation(" * 60_000),
    "brackets of yaml": ("config/a.yaml", "[{" * 300_000),
    "aliases": ("config/a.yaml", "a: &a 1\nb: [" + "*a," * 30_000 + "]\n"),
    "elements": ("pom.xml", "<a>" * 300_000),
    "a just recipe": ("justfile", "a " + "b=" * 400_000),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_files_end_soon(what: str) -> None:
    path, text = HOSTILE[what]
    start = time.process_time()
    read(path, text)
    assert time.process_time() - start < 15


def test_bytes_that_are_no_text() -> None:
    assert noted(read("config/a.yaml", b"a: 1\0")) == {"binary_file": (1, ())}
    assert keys("config/a.json", '{"ż": 1}') == ["ż"]
    reading = read("config/a.yaml", b"a\xff: 1\n")
    assert [d.object for d in reading.records[1:]] == ["a\ufffd"]
    assert noted(reading) == {"not_utf8": (1, (1,))}
    wide = read("config/a.json", '{"a": 1}'.encode("utf-16"))
    assert [d.object for d in wide.records[1:]] == ["a"]


def test_ids_survive_blank_lines_reordering_and_line_ends() -> None:
    text = "a: 1\nb:\n  c: x\n"
    assert ids("config/a.yaml", text) == ids("config/a.yaml", "\n\na: 2\n\nb:\n\n  c: y\n")
    assert set(ids("config/a.yaml", text)) == set(ids("config/a.yaml", "b:\n  c: x\na: 1\n"))
    assert ids("config/a.yaml", text) == ids("config/a.yaml", text.replace("\n", "\r\n"))


def test_every_draft_names_lines_that_exist() -> None:
    for path, text in SECRETS.items():
        count = text.count("\n") + 1
        drafts: tuple[Draft, ...] = read(path, text).records
        for draft in drafts[1:]:
            assert draft.lines is not None
            assert 1 <= draft.lines[0] <= draft.lines[1] <= count
