"""The languages whose code is read, how a file's language is told, and the count of those that nobody reads."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

from t2c.ledger.intake.base import Warning

__all__ = ["LANGUAGES", "Language", "language_of", "may_be_code", "unread_languages"]


class Language(NamedTuple):
    """One language: `name` is also the module in `lang/`, and its query file unless `queries` says otherwise.

    `endings` are in lower case without the dot, `names` whole file names, `programs` what a first line `#!` may
    call. `package` is the wheel of its grammar, `entry` the function of it that gives the grammar. `version`
    counts changes of how its files are read.
    """

    name: str
    title: str
    package: str
    endings: tuple[str, ...]
    names: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    entry: str = "language"
    queries: tuple[str, ...] = ()
    traits: str = ""
    version: int = 1

    @property
    def query_files(self) -> tuple[str, ...]:
        """The query files, in the order in which they are joined."""
        return self.queries or (f"{self.name}.scm",)

    @property
    def extractor(self) -> str:
        """The name that its records carry."""
        return f"t2c/tree-sitter-{self.name}@{self.version}"


_TABLE: Final = (
    Language("python", "Python", "tree-sitter-python", ("py", "pyi", "pyw"), ("SConstruct", "SConscript"), ("python",), version=2),
    Language("go", "Go", "tree-sitter-go", ("go",)),
    Language("javascript", "JavaScript", "tree-sitter-javascript", ("js", "mjs", "cjs", "jsx"), (), ("node", "bun"), queries=("ecmascript.scm", "jsx.scm", "javascript.scm")),
    Language("typescript", "TypeScript", "tree-sitter-typescript", ("ts", "mts", "cts"), (), ("deno", "ts-node", "tsx"), "language_typescript", ("ecmascript.scm", "typescript.scm")),
    Language("tsx", "TypeScript", "tree-sitter-typescript", ("tsx",), (), (), "language_tsx", ("ecmascript.scm", "jsx.scm", "typescript.scm"), traits="typescript"),
    Language("rust", "Rust", "tree-sitter-rust", ("rs",)),
    Language("java", "Java", "tree-sitter-java", ("java",)),
    Language("php", "PHP", "tree-sitter-php", ("php", "phtml", "php8"), (), ("php",), "language_php"),
    Language("ruby", "Ruby", "tree-sitter-ruby", ("rb", "rake", "gemspec", "ru"), ("Rakefile", "Gemfile", "Guardfile", "Capfile", "Vagrantfile", "Podfile", "Fastfile"), ("ruby", "jruby")),
    Language("c", "C", "tree-sitter-c", ("c",), queries=("c_family.scm", "c.scm")),
    Language("cpp", "C++", "tree-sitter-cpp", ("cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "ipp", "tpp", "inl"), queries=("c_family.scm", "cpp.scm")),
    Language("csharp", "C#", "tree-sitter-c-sharp", ("cs", "csx")),
    Language("kotlin", "Kotlin", "tree-sitter-kotlin", ("kt", "kts")),
    Language("swift", "Swift", "tree-sitter-swift", ("swift",), (), ("swift",)),
    Language("scala", "Scala", "tree-sitter-scala", ("scala", "sc", "sbt"), (), ("scala",)),
    Language("lua", "Lua", "tree-sitter-lua", ("lua", "rockspec"), (), ("lua", "luajit")),
    Language("bash", "Shell", "tree-sitter-bash", ("sh", "bash", "bats", "ksh"), (".bashrc", ".bash_profile", ".profile"), ("bash", "sh", "dash", "ksh", "bats")),
    Language("elixir", "Elixir", "tree-sitter-elixir", ("ex", "exs"), (), ("elixir",)),
)  # fmt: skip
LANGUAGES: Final[Mapping[str, Language]] = {language.name: language for language in _TABLE}
"""Every language that is read, by its name."""

_BY_ENDING: Final = {ending: language for language in LANGUAGES.values() for ending in language.endings}
_BY_NAME: Final = {name: language for language in LANGUAGES.values() for name in language.names}
_BY_PROGRAM: Final = {program: language for language in LANGUAGES.values() for program in language.programs}
_HEADERS: Final = {"c": LANGUAGES["c"], "c++": LANGUAGES["cpp"]}
_ENDINGS: Final = frozenset(_BY_ENDING) | {"h"}
_PLAIN_NAMES: Final = frozenset(
    (
        *(
            "AUTHORS",
            "BUILD",
            "CHANGELOG",
            "CHANGES",
            "CODEOWNERS",
            "CONTRIBUTING",
            "CONTRIBUTORS",
            "COPYING",
        ),
        *(
            "COPYRIGHT",
            "CREDITS",
            "Caddyfile",
            "Containerfile",
            "Dockerfile",
            "GNUmakefile",
            "HISTORY",
            "INSTALL",
        ),
        *(
            "Jenkinsfile",
            "LICENCE",
            "LICENSE",
            "MAINTAINERS",
            "MANIFEST",
            "Makefile",
            "NEWS",
            "NOTICE",
            "PATENTS",
        ),
        *("Procfile", "README", "SECURITY", "THANKS", "TODO", "VERSION", "WORKSPACE", "makefile"),
    )
)
"""Files without an ending that are no scripts: not worth opening to see."""

_SHEBANG: Final = re.compile(
    rb"#![ \t]*(?:\S*/)?(?:env[ \t]+(?:-S[ \t]+)?(?:\w+=\S*[ \t]+)*)?(?:\S*/)?([A-Za-z+-]+)"
)
_CPP_HEADER: Final = re.compile(
    rb"^[ \t]*(?:class[ \t]+\w|namespace\b|template[ \t]*<|using[ \t]+\w|(?:public|private|protected)[ \t]*:)"
    rb"|\bstd::|^[ \t]*#[ \t]*include[ \t]*<(?:string|vector|map|memory|iostream|utility|functional|cstd\w+)>",
    re.MULTILINE,
)

_UNREAD: Final[Mapping[str, str]] = {
    **{ending: language.title for language in _TABLE for ending in language.endings},
    **dict.fromkeys(("fs", "fsx"), "F#"),
    **dict.fromkeys(("m", "mm"), "Objective-C"),
    **dict.fromkeys(("pl", "pm"), "Perl"),
    **dict.fromkeys(("ml", "mli"), "OCaml"),
    "h": "C", "zsh": "Shell", "dart": "Dart", "r": "R", "jl": "Julia", "hs": "Haskell", "clj": "Clojure",
    "zig": "Zig", "nim": "Nim", "vue": "Vue", "svelte": "Svelte", "groovy": "Groovy", "sql": "SQL",
}  # fmt: skip
"""File ending, in lower case, to language."""


def may_be_code(path: str) -> bool:
    """True if the file is in a language that is read, or has no ending and may be a script in one."""
    name = path[path.rfind("/") + 1 :]
    dot = name.rfind(".")
    if dot > 0:
        return name[dot + 1 :].lower() in _ENDINGS
    return name in _BY_NAME or (dot < 0 and name not in _PLAIN_NAMES)


def language_of(path: str, content: bytes) -> Language | None:
    """The language of a file: by its name, by its first line if it has no ending, and `.h` by what it holds."""
    name = path[path.rfind("/") + 1 :]
    if (named := _BY_NAME.get(name)) is not None:
        return named
    dot = name.rfind(".")
    if dot > 0:
        ending = name[dot + 1 :].lower()
        if ending == "h":
            return _HEADERS["c++" if _CPP_HEADER.search(content) else "c"]
        return _BY_ENDING.get(ending)
    called = _SHEBANG.match(content, 0, 200) if dot < 0 else None
    return None if called is None else _BY_PROGRAM.get(called.group(1).decode().rstrip("-"))


def unread_languages(paths: Iterable[str], read: Callable[[str], bool]) -> list[Warning]:
    """One warning that counts the source files which no extractor reads, by language; none if there are none."""
    counts: Counter[str] = Counter()
    for path in paths:
        _, dot, ending = path.rpartition("/")[2].rpartition(".")
        language = _UNREAD.get(ending.lower()) if dot else None
        if language is not None and not read(path):
            counts[language] += 1
    if not counts:
        return []
    named = ", ".join(f"{language} {count:,}" for language, count in sorted(counts.items()))
    total = sum(counts.values())
    return [Warning("ast", None, "unsupported_language", f"files by language: {named}", total)]
