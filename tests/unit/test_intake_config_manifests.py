"""Dependency manifests: what each ecosystem asks for, in which scope; the constraint is no identity."""

from __future__ import annotations

import pytest

from t2c.ledger.intake.base import Reading, materialise
from t2c.ledger.intake.config.extractor import ConfigExtractor
from t2c.ledger.intake.config.references import image_name, requirement, safe_constraint


class Nothing:
    """A tree without files."""

    def __contains__(self, path: str) -> bool:
        return False

    def named(self, name: str) -> tuple[str, ...]:
        return ()

    def content(self, path: str) -> bytes | None:
        return None


def read(path: str, text: str) -> Reading:
    return ConfigExtractor().read(path, text.encode(), Nothing())


def asked(path: str, text: str) -> list[tuple[str, str | None, str, str | None]]:
    """(name, constraint, scope, group) of every dependency."""
    found = [d for d in read(path, text).records if d.kind == "dependency_declaration"]
    assert all(d.action == "depend_on" and d.object == d.metadata["name"] for d in found)
    return [(d.object, d.metadata["constraint"], d.metadata["scope"], d.metadata["group"]) for d in found]


def test_npm() -> None:
    text = (
        '{"name": "x", "dependencies": {"react": "^19", "@a/b": "workspace:*"}, "devDependencies": {"react": "19.1"},'
        '"peerDependencies": {"vue": ">=3"}, "optionalDependencies": {"fsevents": "*"}, "bundledDependencies": ["a"],'
        '"engines": {"node": ">=20"}, "bin": {"x": "cli.js"}, "scripts": {"test": "jest"}, "workspaces": ["packages/*"]}'
    )
    assert asked("package.json", text) == [
        ("react", "^19", "runtime", "dependencies"), ("@a/b", "workspace:*", "runtime", "dependencies"),
        ("react", "19.1", "dev", "devDependencies"), ("vue", ">=3", "peer", "peerDependencies"),
        ("fsevents", "*", "optional", "optionalDependencies"),
    ]  # fmt: skip
    told = {d.object: d.metadata for d in read("package.json", text).records}
    assert told["engines.node"]["constraint"] == ">=20"
    assert {"bin.x", "scripts.test", "workspaces"} <= told.keys()


def test_pyproject() -> None:
    text = """
[build-system]
requires = ["hatchling>=1"]
[project]
requires-python = ">=3.11"
dependencies = [
  "httpx[http2]>=0.28 ; python_version > '3'",
  "foo (>=1,<2)",
]
[project.optional-dependencies]
cli = ["rich"]
[project.scripts]
tool = "pkg.cli:main"
[dependency-groups]
dev = ["pytest>=8", {include-group = "lint"}]
[tool.poetry.dependencies]
python = "^3.11"
bar = {version = "^1", optional = true}
[tool.poetry.group.test.dependencies]
cov = "*"
[tool.uv]
dev-dependencies = ["ruff"]
"""
    assert asked("pyproject.toml", text) == [
        ("hatchling", ">=1", "build", "build-system"), ("httpx", ">=0.28", "runtime", "project"),
        ("foo", ">=1,<2", "runtime", "project"), ("rich", None, "optional", "cli"), ("pytest", ">=8", "dev", "dev"),
        ("python", "^3.11", "runtime", "dependencies"), ("bar", "^1", "optional", "dependencies"),
        ("cov", "*", "dev", "test"), ("ruff", None, "dev", "dev-dependencies"),
    ]  # fmt: skip
    httpx = next(d for d in read("pyproject.toml", text).records if d.object == "httpx")
    assert (httpx.metadata["extras"], httpx.metadata["marker"], httpx.lines) == (
        ["http2"],
        "python_version > '3'",
        (7, 7),
    )
    tool = next(d for d in read("pyproject.toml", text).records if d.object == "project.scripts.tool")
    assert tool.symbols == ("pkg.cli.main",)


def test_cargo() -> None:
    text = (
        '[dependencies]\nserde = "1"\nlog = {version = "0.4", optional = true}\nx = {path = "../x", package = "real-x"}\n'
        "[dev-dependencies]\na.workspace = true\n[build-dependencies.cc]\nversion = '1'\n"
        "[target.'cfg(windows)'.dependencies]\nwin = '0.1'\n[workspace.dependencies]\nw = '2'\n[features]\nfull = []\n"
    )
    assert asked("Cargo.toml", text) == [
        ("serde", "1", "runtime", "dependencies"), ("log", "0.4", "optional", "dependencies"),
        ("x", "../x", "runtime", "dependencies"), ("a", None, "dev", "dev-dependencies"),
        ("cc", "1", "build", "build-dependencies"), ("win", "0.1", "runtime", "target.cfg(windows).dependencies"),
        ("w", "2", "runtime", "workspace.dependencies"),
    ]  # fmt: skip


CASES = {
    "requirements-dev.txt": (
        "# x\nfoo==1.0 \\\n  --hash=sha256:ab\nbar>=2 # why\n-r base.txt\n-e .\ngit+https://h/x\nbaz[x] ; os_name == 'nt'\n",
        [("foo", "==1.0", "dev"), ("bar", ">=2", "dev"), ("baz", None, "dev")],
    ),
    "go.mod": (
        "module m\n\ngo 1.22\n\nrequire a/b v1.2.0 // indirect\nrequire (\n\tc/d v0.1.0\n)\nreplace a/b => ../b\n",
        [("a/b", "v1.2.0", "runtime"), ("c/d", "v0.1.0", "runtime")],
    ),
    "composer.json": (
        '{"require": {"php": ">=8", "a/b": "^1"}, "require-dev": {"phpunit/phpunit": "*"}}',
        [("php", ">=8", "runtime"), ("a/b", "^1", "runtime"), ("phpunit/phpunit", "*", "dev")],
    ),
    "Pipfile": (
        "[packages]\na = '*'\nb = {version = '>=1'}\n[dev-packages]\nc = '*'\n",
        [("a", "*", "runtime"), ("b", ">=1", "runtime"), ("c", "*", "dev")],
    ),
    "setup.cfg": (
        "[options]\ninstall_requires =\n    a>=1\n    b\n[options.extras_require]\ntest =\n    pytest\n",
        [("a", ">=1", "runtime"), ("b", None, "runtime"), ("pytest", None, "optional")],
    ),
    "Gemfile": (
        "gem 'rails', '~> 7'\ngem \"a\", group: :test\ngroup :development, :test do\n  gem 'b'\nend\ngem name\n",
        [("rails", "~> 7", "runtime"), ("a", None, "dev"), ("b", None, "dev")],
    ),
    "x.gemspec": (
        "  s.add_dependency 'a', '~> 1'\n  s.add_runtime_dependency(\"b\")\n  s.add_development_dependency 'c'\n",
        [("a", "~> 1", "runtime"), ("b", None, "runtime"), ("c", None, "dev")],
    ),
    "build.gradle": (
        ("plugins {\n  id 'java'\n  id(\"x.y\") version \"1\"\n}\ndependencies {\n  implementation 'g:a:1.0'\n"
        '  testImplementation(platform("g:bom:2"))\n  api(libs.okio)\n  runtimeOnly project(":core")\n  // api \'no:no:1\'\n}\n'),
        [("java", None, "build"), ("x.y", "1", "build"), ("g:a", "1.0", "runtime"), ("g:bom", "2", "dev"),
         ("libs.okio", None, "runtime"), ("project :core", None, "runtime")],
    ),
    "gradle/libs.versions.toml": (
        ("[versions]\nk = '2.0'\n[libraries]\na = {module = 'g:a', version.ref = 'k'}\nb = 'g:b:1'\n"
        "c = {group = 'g', name = 'c'}\n[plugins]\np = {id = 'x.p', version = '3'}\n"),
        [("g:a", "2.0", "runtime"), ("g:b", "1", "runtime"), ("g:c", None, "runtime"), ("x.p", "3", "build")],
    ),
    "Package.swift": (
        '    .package(url: "https://github.com/apple/swift-nio.git", from: "2.0.0"),\n    .package(path: "../Local"),\n',
        [("swift-nio", "2.0.0", "runtime"), ("Local", None, "runtime")],
    ),
    "mix.exs": (
        '  defp deps do\n    [\n      {:phoenix, "~> 1.7"},\n      {:ex_doc, "~> 0.3", only: :dev}\n    ]\n  end\n  {:no, "x"}\n',
        [("phoenix", "~> 1.7", "runtime"), ("ex_doc", "~> 0.3", "dev")],
    ),
    "build.sbt": (
        'libraryDependencies ++= Seq("o" %% "n" % "1.0", "p" % "q" % v % Test)\n// "x" % "y" % "1"\n',
        [("o:n", "1.0", "runtime"), ("p:q", "v", "dev")],
    ),
    "pom.xml": (
        ("<project><parent><groupId>p</groupId><artifactId>q</artifactId><version>1</version></parent><dependencies>"
        "<dependency><groupId>g</groupId><artifactId>a</artifactId><version>${v}</version><exclusions><exclusion>"
        "<groupId>no</groupId><artifactId>no</artifactId></exclusion></exclusions></dependency><dependency>"
        "<groupId>g</groupId><artifactId>t</artifactId><scope>test</scope></dependency></dependencies></project>"),
        [("p:q", "1", "build"), ("g:a", "${v}", "runtime"), ("g:t", None, "dev")],
    ),
    "App.csproj": (
        ('<Project><ItemGroup><PackageReference Include="A" Version="1"/><PackageReference Include="B"><Version>2'
        '</Version></PackageReference><ProjectReference Include="..\\Core\\Core.csproj"/></ItemGroup></Project>'),
        [("A", "1", "runtime"), ("B", "2", "runtime"), ("../Core/Core.csproj", None, "runtime")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("path", CASES)
def test_what_a_manifest_asks_for(path: str) -> None:
    text, expected = CASES[path]
    assert [(name, constraint, scope) for name, constraint, scope, _ in asked(path, text)] == expected


@pytest.mark.parametrize("path", CASES)
def test_layout_changes_no_id(path: str) -> None:
    text, _ = CASES[path]
    plain = [found.id for found in materialise(read(path, text))]
    assert plain == [found.id for found in materialise(read(path, text.replace("\n", "\r\n")))]
    assert len(set(plain)) == len(plain)


def test_a_new_constraint_is_the_same_dependency() -> None:
    before = [found.id for found in materialise(read("package.json", '{"dependencies": {"a": "1"}}'))]
    after = [
        found.id for found in materialise(read("package.json", '{"dependencies": {"b": "1", "a": "2"}}'))
    ]
    assert set(before) < set(after)


def test_what_names_no_package_is_counted() -> None:
    warnings = read("requirements.txt", "-e .\nhttps://h/x.zip\n???\n").warnings
    assert {w.reason: w.count for w in warnings} == {
        "requirement_unnamed": 2,
        "requirement_not_understood": 1,
    }
    assert [w.reason for w in read("Gemfile", "gem name\n").warnings] == ["dependency_not_literal"]


def test_references() -> None:
    assert image_name("a:5000/b") == ("a:5000/b", None)
    assert image_name("a:5000/b:1") == ("a:5000/b", "1")
    assert image_name("x@sha256:1") == ("x", "sha256:1")
    assert image_name("${R:-d}/x") == ("${R:-d}/x", None)
    assert safe_constraint("git+https://u:p@h/x.git?token=1#v2") == "git+https://h/x.git#v2"
    assert requirement("a b c") is None
    found = requirement("A.b_c[z, y] ~= 1.0")
    assert found is not None
    assert found[:3] == ("A.b_c", "~= 1.0", ("y", "z"))
