"""What prose names, and what only looks like a name."""

from __future__ import annotations

import pytest

from t2c.ledger.intake.mentions import mentions, numbers, paths, resolved, symbols, tickets, versions


class Files:
    """A tree that is a set of paths."""

    def __init__(self, *held: str) -> None:
        self._held = frozenset(held)

    def __contains__(self, path: str) -> bool:
        return path in self._held

    def named(self, name: str) -> tuple[str, ...]:
        return tuple(sorted(path for path in self._held if path.rpartition("/")[2] == name))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fix ACME-7 and T2C-12", ("ACME-7", "T2C-12")),
        ("branch feature/ABC-123-login", ("ABC-123",)),
        ("ticket 77, ticket-078, task-3", ("TASK-3", "TICKET-078", "TICKET-77")),
        ("closes #12, GH-13 and gh-14", ("#12", "#13", "#14")),
        ("utf-8 UTF-8 SHA-256 ISO-8601 RFC-8785 CVE-2024-1234 GPL-3 PEP-8", ()),
        ("step-1 of python-3 on x86-64, A-1, ABC-1.2", ()),
        (
            "sha-256 iso-8601 x86-64 X86-64 Windows-10 WINDOWS-11 h264 H-264 IPv6 LATIN-1 Base-64 AV-1 HTTP-2",
            (),
        ),
        ("kodowanie utf-8, skrót SHA-512, data wg ISO-8601, ale zadanie ACME-8", ("ACME-8",)),
        ("ABC-12. ABC-13, (ABC-14)", ("ABC-12", "ABC-13", "ABC-14")),
    ],
)
def test_tickets(text: str, expected: tuple[str, ...]) -> None:
    assert tickets(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(#12) [#13] PR #14 PR#15", ("#12", "#13", "#14", "#15")),
        ("https://host.example/o/r/pull/16 https://host.example/o/r/-/issues/17", ("#16", "#17")),
        ("pull/18 and issues/19", ("#18", "#19")),
        ("{pr}`20` :issue:`21, 22`", ("#20", "#21", "#22")),
        ("owner/name#23 C#7 &#39; #0 #12a `#333`", ()),
        ("item 5 of 6", ()),
    ],
)
def test_numbers(text: str, expected: tuple[str, ...]) -> None:
    assert numbers(text) == expected


def test_what_links_to_another_repository_is_not_the_projects_own_number() -> None:
    text = "[#1](https://host.example/o/other/pull/1) [#2](https://host.example/o/mine/pull/2) #3"
    assert numbers(text, home="mine") == ("#2", "#3")
    assert numbers(text) == ("#1", "#2", "#3")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Validate the README.md and docs/guide.md", ("README.md", "docs/guide.md")),
        ("see (config/app.yaml), [guide](docs/guide.md).", ("config/app.yaml", "docs/guide.md")),
        ("`./src//a.py` `src\\b.py` `'lib/c.rs'`", ("lib/c.rs", "src/a.py", "src/b.py")),
        ("src/a.py:12 src/b.py:12:5 src/c.py#L3-L9", ("src/a.py", "src/b.py", "src/c.py")),
        ("in src/foo/bar and tests/unit/", ("src/foo/bar", "tests/unit")),
        ("`tests/test_a.py::test_b`", ("tests/test_a.py",)),
        ("docs/**/*.md", ("docs/**/*.md",)),
        ("**fix src/a.py**: and **b.toml**.", ("b.toml", "src/a.py")),
        ("/etc/x.conf ~/a.py ../x.py a/../b.py C:\\x\\y.py $HOME/z.sh \\\\host\\x.txt", ()),
        ("file:///x.py https://a.b/c.py git@host.example:x/y.py example.com/foo.html", ()),
        (
            "`httpx/_redact.py` and http/server.py, not http://a.b/c.py",
            ("http/server.py", "httpx/_redact.py"),
        ),
        ("and/or TCP/IP read/write e.g. i.e. t2c.intent/v1 Node.js 1.2.3", ()),
        ("`a b.py` `x=y.py` `f(x.py)` `console.log` `response.json`", ()),
    ],
)
def test_paths(text: str, expected: tuple[str, ...]) -> None:
    assert paths(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "`os.path` `Foo::bar` `Foo#baz` `max_retries` `MAX_SIZE`",
            ("Foo.bar", "Foo.baz", "MAX_SIZE", "max_retries", "os.path"),
        ),
        ("`retry()` `go(x, y)` `List<Foo>.add()` `@app.route`", ("List.add", "app.route", "go", "retry")),
        ("call validateThing and httpx.AsyncClient", ("httpx.AsyncClient", "validateThing")),
        ("`tests/test_a.py::test_b`", ("test_b",)),
        ("`Client`", ("Client",)),
        ("`example.com` `update` `GET` `True` `--flag` `x == y` `dfef227`", ()),
        ("GitHub TypeScript max_retries by @someBody in src/someThing.py", ()),
        ("fix it (Ian VanSchooten)", ()),
    ],
)
def test_symbols(text: str, expected: tuple[str, ...]) -> None:
    assert symbols(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("v1.2 and 1.2.3, 2.0.0-rc.1 or 2.14.0b1", ("1.2", "1.2.3", "2.0.0-rc.1", "2.14.0b1")),
        ("Drop Python 3.8.", ("3.8",)),
        ("`1.2.0` (1.2.1)", ("1.2.0", "1.2.1")),
        ("127.0.0.1 2.5 MB 1.5x 10.0% 0.3 ms §1.4 `lib==0.7.0` ^1.2.3 a/v1.2.3", ()),
        ("https://host.example/compare/v1.7.8...v1.7.9", ()),
    ],
)
def test_versions(text: str, expected: tuple[str, ...]) -> None:
    assert versions(text) == expected


def test_a_bare_name_is_resolved_by_folder_heading_or_uniqueness() -> None:
    tree = Files("a/util.py", "b/util.py", "b/once.py", "pkg/TODO.md", "pkg/local.py", "Makefile", "root.py")
    found = mentions("`util.py` `once.py` `local.py` `root.py` `new.py` `x/y.py` `Makefile`")
    assert resolved(found, tree, "pkg") == (
        "Makefile", "b/once.py", "new.py", "pkg/local.py", "root.py", "util.py", "x/y.py",
    )  # fmt: skip
    assert "a/util.py" in resolved(found, tree, "pkg", ["Work in `a/`"])
    assert "util.py" in resolved(found, tree, "pkg", ["Work in a/ and b/"])
