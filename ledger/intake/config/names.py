"""Which files are configuration, in what format, and what they configure.

Every other JSON, YAML or TOML file is data, and so is a configuration file among test fixtures, which configures
nothing of the project: neither is read. Lock files repeat what a manifest asks for; they are only counted.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from t2c.ledger.intake.code.languages import may_be_code

__all__ = ["LOCK_FILE", "Kind", "is_configuration", "is_test_data", "kind_of"]

LOCK_FILE: Final = "lock"


class Kind(NamedTuple):
    """The format of a file and, if its keys mean more than settings, what it is."""

    format: str
    dialect: str = ""


def _table() -> dict[str, Kind]:
    table: dict[str, Kind] = {}
    for format, dialect, names in (
        ("json", "npm", "package.json"),
        ("json", "composer", "composer.json"),
        ("json", "", ("deno.json deno.jsonc jsconfig.json lerna.json nx.json turbo.json renovate.json vercel.json "
         ".eslintrc .eslintrc.json .prettierrc.json .babelrc .swcrc .stylelintrc.json .mocharc.json .nycrc "
         ".releaserc.json devcontainer.json biome.json global.json appsettings.json nuget.json firebase.json")),
        ("toml", "pyproject", "pyproject.toml"),
        ("toml", "cargo", "cargo.toml"),
        ("toml", "pipfile", "pipfile"),
        ("toml", "gradle-catalog", "libs.versions.toml"),
        ("toml", "", ("ruff.toml .ruff.toml taplo.toml .taplo.toml rustfmt.toml .rustfmt.toml clippy.toml deny.toml "
         "netlify.toml fly.toml wrangler.toml rust-toolchain.toml t2c.toml uv.toml poetry.toml mise.toml "
         "triagebot.toml book.toml")),
        ("yaml", "taskfile", "taskfile.yml taskfile.yaml"),
        ("yaml", "github", "action.yml action.yaml"),
        ("yaml", "pre-commit", ".pre-commit-config.yaml .pre-commit-config.yml"),
        ("yaml", "gitlab", ".gitlab-ci.yml .gitlab-ci.yaml"),
        ("yaml", "azure", "azure-pipelines.yml azure-pipelines.yaml .azure-pipelines.yml"),
        ("yaml", "", ("mkdocs.yml mkdocs.yaml codecov.yml .codecov.yml .readthedocs.yml .readthedocs.yaml .travis.yml "
         "appveyor.yml .appveyor.yml cloudbuild.yaml cloudbuild.yml skaffold.yaml chart.yaml values.yaml "
         "kustomization.yaml kustomization.yml serverless.yml serverless.yaml app.yaml dependabot.yml .golangci.yml "
         ".golangci.yaml .goreleaser.yml .goreleaser.yaml .rubocop.yml .eslintrc.yml .eslintrc.yaml .prettierrc "
         ".prettierrc.yml .prettierrc.yaml .yamllint .markdownlint.yaml .swiftlint.yml pnpm-workspace.yaml "
         "pubspec.yaml netlify.yml labeler.yml")),
        ("ini", "setup.cfg", "setup.cfg"),
        ("ini", "", ("tox.ini pytest.ini mypy.ini .flake8 .pylintrc pylintrc .coveragerc .editorconfig .isort.cfg "
         "alembic.ini .bumpversion.cfg .npmrc")),
        ("dotenv", "", ".env.example .env.sample .env.template .env.dist env.example"),
        ("make", "", "makefile gnumakefile"),
        ("just", "", "justfile .justfile"),
        ("dockerfile", "", "dockerfile containerfile"),
        ("go.mod", "", "go.mod"),
        ("gemfile", "", "gemfile gems.rb"),
        ("maven", "", "pom.xml"),
        ("gradle", "", "build.gradle build.gradle.kts settings.gradle settings.gradle.kts"),
        ("swift", "", "package.swift"),
        ("mix", "", "mix.exs"),
        ("sbt", "", "build.sbt plugins.sbt"),
        (LOCK_FILE, "", ("package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml poetry.lock uv.lock pdm.lock "
         "pipfile.lock cargo.lock composer.lock gemfile.lock go.sum mix.lock package.resolved gradle.lockfile "
         "packages.lock.json flake.lock deno.lock bun.lock bun.lockb .terraform.lock.hcl podfile.lock pubspec.lock")),
    ):  # fmt: skip
        table |= dict.fromkeys(names.split(), Kind(format, dialect))
    return table


_EXACT: Final = _table()
_FORMATS: Final = {"json": "json", "jsonc": "json", "yaml": "yaml", "yml": "yaml", "toml": "toml"}
_ENDINGS: Final = {
    "gemspec": Kind("gemspec"), "csproj": Kind("msbuild"), "fsproj": Kind("msbuild"), "vbproj": Kind("msbuild"),
    "mk": Kind("make"), "dockerfile": Kind("dockerfile"), "containerfile": Kind("dockerfile"),
}  # fmt: skip
_FOLDER: Final = re.compile(r"(?:^|/)(?:config|infra|deploy|deployment)/")
_WORKFLOW: Final = re.compile(r"(?:^|/)\.(?:github|gitea|forgejo)/workflows/[^/]+\Z")
_COMPOSE: Final = re.compile(r"(?:docker-)?compose(?:[.-][\w.-]+)?\.ya?ml\Z")
_REQUIREMENTS: Final = re.compile(
    r"(?:^|[/._-])requirements?(?:[._-][\w.-]+)?\.(?:txt|in)\Z|(?:^|/)requirements/[^/]+\.(?:txt|in)\Z"
)
_DATA: Final = re.compile(
    r"(?:^|/)(?:__?)?(?:fixtures?|testdata|test[-_]data|test[-_]fixtures?|test[-_]cases|snapshots?|"
    r"__snapshots__|golden|cassettes|mocks)(?:__?)?/|(?:^|/)(?:tests?|testsuite|specs?|__tests__)/(?:[^/]+/){2}"
)


def kind_of(path: str) -> Kind | None:
    """What a file of this repository path is; None if it is no configuration of the project."""
    kind = _kind(path)
    return None if kind is None or is_test_data(path) else kind


def is_test_data(path: str) -> bool:
    """True for files below a folder of fixtures, snapshots or samples, or deep below one of tests."""
    return "/" in path and _DATA.search(path) is not None


def is_configuration(path: str) -> bool:
    """True for the files that `kind_of` knows."""
    return kind_of(path) is not None


def _kind(path: str) -> Kind | None:
    name = path.rpartition("/")[2].lower()
    kind = _EXACT.get(name)
    if kind is not None:
        return kind
    stem, dot, ending = name.rpartition(".")
    if not dot:
        return None
    if ending in _FORMATS:
        return _structured(path, stem, _FORMATS[ending])
    kind = _ENDINGS.get(ending)
    if kind is not None:
        return kind
    if name.startswith(("dockerfile.", "containerfile.")) and not may_be_code(name):
        return Kind("dockerfile")
    if ending in ("txt", "in") and "requirement" in path and _REQUIREMENTS.search(path):
        return Kind("requirements")
    return None


def _structured(path: str, stem: str, format: str) -> Kind | None:
    """JSON, YAML and TOML files that are configuration by their folder or the pattern of their name."""
    if format == "yaml":
        name = path.rpartition("/")[2]
        if "/workflows/" in path and _WORKFLOW.search(path):
            return Kind(format, "github")
        if "compose" in name and _COMPOSE.match(name):
            return Kind(format, "compose")
        if stem == "config" and ".circleci/" in path:
            return Kind(format, "circleci")
        if stem.startswith(("azure-pipelines", ".gitlab-ci")):
            return Kind(format, "azure" if "azure" in stem else "gitlab")
    if stem.endswith(".autonom-cycle"):  # what a running system was seen to do, not what it is told to
        return None
    if stem.endswith("config") or (stem.startswith("tsconfig") and format == "json"):
        return Kind(format)
    if (
        "config/" not in path and "deploy" not in path and "infra/" not in path
    ):  # nearly all: no search needed
        return None
    return Kind(format) if _FOLDER.search(path) else None
