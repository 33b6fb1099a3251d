"""Manifests that are programs or plain lines: requirements, go.mod, Ruby, Gradle, Swift, Elixir and sbt.

A program is not run, so only dependencies written as literals are found; a line that asks for one in another way
is counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from t2c.ledger.intake.base import Draft
from t2c.ledger.intake.config.entries import Dependency, Entry, Scope, declaration, dependency
from t2c.ledger.intake.config.manifests import requirement_dependency
from t2c.ledger.intake.config.references import safe_constraint
from t2c.ledger.intake.lines import Notes

__all__ = ["LINE_MANIFESTS"]

Reader = Callable[[str, Iterator[str], Notes], Iterator[Draft]]

_DEV_FILE: Final = re.compile(
    r"(?i)(?:^|[/._-])(?:dev|develop|development|tests?|testing|lint|linting|docs?|typing|ci|bench|local)(?:[/._-]|\Z)"
)
_OPTION: Final = re.compile(r"(-r|--requirement|-c|--constraint)[ =]?\s*(\S+)")
_COMMENT: Final = re.compile(r"(?:^|\s)#.*")
_HASHES: Final = re.compile(r"\s--(?:hash|config-settings|global-option)\b.*")


def requirements(path: str, lines: Iterator[str], notes: Notes) -> Iterator[Draft]:
    """requirements*.txt: a name that says development or tests makes all of it that."""
    name = path.rpartition("/")[2]
    scope: Scope = (
        "dev" if _DEV_FILE.search(path.rpartition("/")[0].rpartition("/")[2] + "/" + name) else "runtime"
    )
    for start, end, line in _continued(lines):
        bare = _HASHES.sub("", _COMMENT.sub("", line)).strip()
        if not bare:
            continue
        option = _OPTION.match(bare)
        if option is not None:
            entry = Entry((option[1].lstrip("-")[:1], option[2][:120]), start, end, "text")
            yield declaration(
                entry, "requirements", "requirement_file", action="depend_on", about=option[2][:120]
            )
        elif bare[0] == "-" or bare.startswith((".", "/", "http://", "https://", "git+", "file:")):
            notes.add("requirement_unnamed", "an option, a folder or an address: it names no package", start)
        else:
            yield from requirement_dependency(Entry((bare,), start, end, "text", bare), notes, scope, name)


def _continued(lines: Iterator[str]) -> Iterator[tuple[int, int, str]]:
    held: list[str] = []
    start = number = 0
    for number, line in enumerate(lines, 1):
        start = start if held else number
        held.append(line.removesuffix("\\"))
        if not line.endswith("\\"):
            yield start, number, " ".join(held)
            held = []
    if held:
        yield start, number, " ".join(held)


_GO_LINE: Final = re.compile(
    r"(?:(module|go|toolchain|require|replace|exclude|retract|tool|godebug|ignore)\b)?+\s*+(\(|\S++)?+\s*+(\S++)?+"
)


def go_mod(path: str, lines: Iterator[str], notes: Notes) -> Iterator[Draft]:
    """go.mod: what is required, directly or not; module, language and replacements are settings."""
    block = ""
    for number, raw in enumerate(lines, 1):
        line, _, remark = raw.partition("//")
        bare = line.strip()
        if not bare:
            continue
        if bare == ")":
            block = ""
            continue
        match = _GO_LINE.match(bare)
        verb, first, second = match.groups() if match else (None, None, None)
        if verb and first == "(":
            block = verb
            continue
        if block:
            verb, (first, second) = block, _pair(bare)
        if not verb or not first:
            notes.add("line_not_understood", "a line that is no directive of go.mod", number)
        elif verb == "require":
            extra: dict[str, Any] = {"indirect": True} if "indirect" in remark else {}
            yield _dependency("go", first, second, "runtime", verb, number, "go_mod_directive", extra)
        elif verb in ("module", "go", "toolchain"):
            entry = Entry((verb,), number, number, "text")
            yield declaration(entry, "go.mod", "go_mod_directive", extra={"constraint": first[:200]})
        else:
            yield declaration(
                Entry((verb, first[:200]), number, number, "text"), "go.mod", "go_mod_directive"
            )


def _pair(line: str) -> tuple[str, str | None]:
    parts = line.split()
    return parts[0], parts[1] if len(parts) > 1 else None


_GEM: Final = re.compile(r"""\s*+gem[\s(]++["']([\w.-]++)["']\s*+(?:,\s*+["']([^"'\n]*+)["'])?+""")
_GROUP: Final = re.compile(r"\s*+group[\s(]++([^\n#]*?)\bdo\b")
_GROUPED: Final = re.compile(r"(?:\bgroups?:|:groups?\s*=>)\s*(\[[^\]\n]*\]|:\w+|[\"']\w+[\"'])")
_SYMBOL: Final = re.compile(r"\w+")
_SPEC: Final = re.compile(
    r"""\s*+\w++\.add_(runtime_|development_)?+dependency[\s(]++["']([\w.-]++)["']\s*+(?:,\s*+["']([^"'\n]*+)["'])?+"""
)
_DEV_GEMS: Final = frozenset({"development", "test", "doc", "docs", "lint", "rubocop"})


def gemfile(path: str, lines: Iterator[str], notes: Notes) -> Iterator[Draft]:
    """Gemfile: gems by group; a block of a group ends at the next `end` of the margin."""
    around: list[str] = []
    for number, line in enumerate(lines, 1):
        bare = line.strip()
        group = _GROUP.match(line)
        if group is not None:
            around = _SYMBOL.findall(group[1].partition("optional:")[0])
        elif bare == "end" and not line[0].isspace():
            around = []
        elif bare.startswith("gem"):
            match = _GEM.match(line)
            if match is None:
                notes.add("dependency_not_literal", "a dependency that is not written as a literal", number)
                continue
            own = _GROUPED.search(line, match.end())
            groups = sorted(set(_SYMBOL.findall(own[1])) if own else around)
            scope: Scope = "dev" if groups and _DEV_GEMS.issuperset(groups) else "runtime"
            yield _dependency(
                "rubygems", match[1], match[2], scope, " ".join(groups) or None, number, "manifest_line"
            )


def gemspec(path: str, lines: Iterator[str], notes: Notes) -> Iterator[Draft]:
    """*.gemspec: runtime and development dependencies."""
    for number, line in enumerate(lines, 1):
        if "dependency" not in line or line.lstrip().startswith("#"):
            continue
        match = _SPEC.match(line)
        if match is not None:
            scope: Scope = "dev" if match[1] == "development_" else "runtime"
            yield _dependency("rubygems", match[2], match[3], scope, None, number, "manifest_line")
        elif "add_" in line:
            notes.add("dependency_not_literal", "a dependency that is not written as a literal", number)


_GRADLE: Final = re.compile(
    r"""\s*+(\w*?(?:[iI]mplementation|[aA]pi|[cC]ompileOnly|[rR]untimeOnly|[aA]nnotationProcessor|[cC]lasspath|kapt|ksp|[cC]ompile))"""
    r"""(?:\s++|\s*+\()\s*+(?:(?:enforcedP|p)latform\s*+\(\s*+)?+(?:["']([\w.${}-]++:[\w.${}-]++)(?::([^"':@\n]*+))?+|(libs\.[\w.]++)|project\s*+\(\s*+["']([^"'\n]++)["'])"""
)
_PLUGIN: Final = re.compile(
    r"""\s*+(?:id|kotlin)\s*+\(?\s*+["']([\w.-]++)["']\s*+\)?(?:\s*+version\s*+\(?\s*+["']([^"'\n]++)["'])?+"""
)


def gradle(path: str, lines: Iterator[str], notes: Notes) -> Iterator[Draft]:
    """build.gradle(.kts): literal coordinates, catalogue aliases, projects of the build and plugins."""
    for number, line in enumerate(lines, 1):
        match = _GRADLE.match(line)
        if match is not None:
            where, coordinates, version, alias, project = match.groups()
            lower = where.lower()
            scope: Scope = "runtime"
            if "test" in lower:
                scope = "dev"
            elif "classpath" in lower or "processor" in lower or lower in ("kapt", "ksp"):
                scope = "build"
            name = coordinates or alias or f"project {project}"
            extra = {"alias": True} if alias else {"project": True} if project else {}
            yield _dependency("maven", name, version, scope, where, number, "manifest_line", extra)
            continue
        plugin = _PLUGIN.match(line)
        if plugin is not None:
            yield _dependency(
                "gradle-plugin", plugin[1], plugin[2], "build", "plugins", number, "manifest_line"
            )


_SWIFT: Final = re.compile(
    r"""\.package\(\s*+(?:name:\s*+"[^"\n]*+",\s*+)?+(?:url|path|id):\s*+"([^"\n]++)"([^\n]*+)"""
)
_SWIFT_VERSION: Final = re.compile(r'"([^"\n]+)"')
_MIX: Final = re.compile(r"""\s*+\[?+\s*+\{:(\w++),\s*+(?:"([^"\n]*+)")?+([^\n]*+)""")
_ONLY: Final = re.compile(r"only:\s*(\[[^\]\n]*\]|:\w+)")
_SBT: Final = re.compile(
    r"""["]([\w.-]++)"\s*+(%{1,3})\s*+"([\w.-]++)"\s*+%\s*+(?:"([^"\n]*+)"|([\w.]++))(?:\s*+%\s*+"?+(\w++))?+"""
)


def swift(path: str, lines: Iterator[str], notes: Notes) -> Iterator[Draft]:
    """Package.swift: packages by the last part of their address."""
    for number, line in enumerate(lines, 1):
        for match in _SWIFT.finditer(line) if ".package(" in line else ():
            name = match[1].rstrip("/").rpartition("/")[2].removesuffix(".git")
            version = _SWIFT_VERSION.search(match[2])
            extra = {"location": safe_constraint(match[1])}
            yield _dependency(
                "swift",
                name,
                version[1] if version else None,
                "runtime",
                None,
                number,
                "manifest_line",
                extra,
            )


def mix(path: str, lines: Iterator[str], notes: Notes) -> Iterator[Draft]:
    """mix.exs: tuples of `deps`."""
    within = False
    for number, line in enumerate(lines, 1):
        bare = line.strip()
        if bare.startswith(("defp deps", "def deps")):
            within = True
        elif within and bare == "end":
            within = False
        match = _MIX.match(line) if within and not bare.startswith("#") else None
        if match is not None:
            only = _ONLY.search(match[3])
            names = sorted(set(_SYMBOL.findall(only[1]))) if only else []
            scope: Scope = "dev" if names and "prod" not in names else "runtime"
            yield _dependency(
                "hex", match[1], match[2], scope, " ".join(names) or None, number, "manifest_line"
            )


def sbt(path: str, lines: Iterator[str], notes: Notes) -> Iterator[Draft]:
    """build.sbt: `organisation % name % version`, in the scope of its configuration."""
    for number, line in enumerate(lines, 1):
        code = line.partition("//")[0] if "://" not in line else line
        for match in _SBT.finditer(code) if "%" in code else ():
            group = match[6]
            scope: Scope = "dev" if group and group.lower() in ("test", "it") else "runtime"
            if "addSbtPlugin" in code or "addCompilerPlugin" in code:
                scope = "build"
            name = f"{match[1]}:{match[3]}"
            yield _dependency("maven", name, match[4] or match[5], scope, group, number, "manifest_line")


def _dependency(
    ecosystem: str,
    name: str,
    constraint: str | None,
    scope: Scope,
    group: str | None,
    line: int,
    basis: str,
    extra: dict[str, Any] | None = None,
) -> Draft:
    return dependency(
        Dependency(
            ecosystem=ecosystem,
            name=name[:200],
            constraint=safe_constraint(constraint),
            scope=scope,
            group=group,
            start=line,
            end=line,
            basis=basis,
            extra=extra or {},
        )
    )


LINE_MANIFESTS: Final[dict[str, Reader]] = {
    "requirements": requirements,
    "go.mod": go_mod,
    "gemfile": gemfile,
    "gemspec": gemspec,
    "gradle": gradle,
    "swift": swift,
    "mix": mix,
    "sbt": sbt,
}
