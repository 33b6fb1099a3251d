"""The word lists of the text vocabulary: actions in English and Polish, and what a name may or may not be.

After intent-evidence §1.4, with the faults of its stems mended.
English verbs are inflected here, once, at import; Polish words are known by their stem without accents. The
lists are wider than the published ones and never narrower.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from t2c.ledger.events.record import Action

__all__ = [
    "EXTENSIONS",
    "GERUNDS",
    "LITERALS",
    "NOT_KEYS",
    "NOT_VERBS",
    "NOUNS",
    "OPENERS",
    "PHRASES",
    "PREPOSITIONS",
    "PRODUCTS",
    "PRODUCT_FILES",
    "RECEIVERS",
    "ROOTS",
    "STEMS",
    "THINGS",
    "TLDS",
    "VERBS",
    "Word",
    "words",
]


def words(text: str) -> frozenset[str]:
    """The words of a list written as one line."""
    return frozenset(text.split())


Kind = Literal["verb", "both", "noun", "light"]


class Word(NamedTuple):
    """What a word stands for. `both` may be a verb or a noun, as its place tells; `light` leaves the action
    to the noun it governs ("write a test" tests)."""

    action: Action
    kind: Kind


_ENGLISH: Final[dict[Action, str]] = {
    "remove": "remove delete drop(p) deprecate eliminate purge strip(p) uninstall revert undo prune",
    "fix": "fix* repair correct resolve patch* bugfix* hotfix*",
    "refactor": "refactor restructure reorganize reorganise rewrite simplify rename decouple optimize optimise deduplicate",
    "test": "test*",
    "document": "document* describe",
    "configure": "configure setup* enable disable",
    "validate": "validate verify check* ensure assert",
    "analyze": "analyze analyse inspect scan(n)* compare investigate examine audit* review* research* benchmark* measure*",
    "block": "block* deny prevent forbid(d) reject refuse prohibit disallow",
    "approve": "approve accept",
    "add": "add create implement introduce build* support* allow expose provide develop generate",
    "change": "change* update* modify replace improve extend upgrade* downgrade* bump* migrate move* adjust",
    "preserve": "preserve keep maintain retain",
}
"""`*` marks verbs that are nouns too, `(x)` the doubled letter."""
_IRREGULAR: Final[dict[str, Action]] = {
    "built": "add", "kept": "preserve", "forbidden": "block", "forbade": "block", "rewrote": "refactor", "rewritten": "refactor",
    "undid": "remove", "undoes": "remove", "undone": "remove",
}  # fmt: skip
_NOUNS: Final[dict[Action, str]] = {
    "fix": "bug bugs regression regressions typo typos",
    "test": "spec specs coverage testy testow",
    "document": "documentation docs",
    "configure": "configuration konfiguracja",
    "analyze": "analysis analyses analiza analizy analize",
    "change": "zmiana zmiany",
}


def _inflected(base: str, doubled: str) -> dict[str, bool]:
    """Forms of a verb; True for those that only a verb has."""
    stem = base + doubled
    if base.endswith("e"):
        past, going = base + "d", base[:-1] + "ing"
    elif base.endswith("y") and base[-2] not in "aeiou":
        past, going = base[:-1] + "ied", base + "ing"
    else:
        past, going = stem + "ed", stem + "ing"
    if base.endswith(("x", "ch", "sh", "s")):
        third = base + "es"
    elif base.endswith("y") and base[-2] not in "aeiou":
        third = base[:-1] + "ies"
    else:
        third = base + "s"
    return {base: False, third: False, going: False, past: True}


def _verbs() -> dict[str, Word]:
    found: dict[str, Word] = {}
    for action, entries in _ENGLISH.items():
        for entry in entries.split():
            noun_too = entry.endswith("*")
            base, _, doubled = entry.rstrip("*").rstrip(")").partition("(")
            for form, only_verb in _inflected(base, doubled).items():
                found[form] = Word(action, "both" if noun_too and not only_verb else "verb")
    found.update({form: Word(action, "verb") for form, action in _IRREGULAR.items()})
    found.update({form: Word("add", "light") for form in words("write writes writing wrote written")})
    return found


VERBS: Final = _verbs()
THINGS: Final = words("build builds document documents block blocks")
"""Verbs that name a thing, not a deed, where they are nouns: "the build is green" adds nothing."""
NOUNS: Final = {word: Word(action, "noun") for action, forms in _NOUNS.items() for word in forms.split()}

_PHRASES: Final[tuple[tuple[str, str, Action], ...]] = (
    ("set sets setting", "up", "configure"),
    ("clean cleans cleaned cleaning", "up", "refactor"),
    ("get gets got getting", "rid", "remove"),
    ("make makes made making", "sure", "validate"),
    ("speed speeds sped speeding", "up", "refactor"),
    ("look looks looked looking", "into", "analyze"),
)
PHRASES: Final = {
    word: (particle, Word(action, "verb")) for forms, particle, action in _PHRASES for word in forms.split()
}
"""Verbs that mean an action only with their particle."""

_POLISH: Final[dict[Action, str]] = {
    "remove": "usun usuw wycof zlikwid likwid skasow skasuj kasow kasuj wyrzuc odinstal",
    "fix": "napraw popraw",
    "refactor": "przebud refaktor zrefaktor uprosc uproszcz upraszcz zoptymaliz optymaliz przyspiesz uporzadk porzadkuj porzadkow",
    "test": "przetest testowa testuj",
    "document": "udokument dokumentow dokumentuj dokumentacj opisac opisa opisz opisuj opisyw",
    "configure": "skonfigur konfigur ustaw wlacz wylacz",
    "validate": "zwalid walid sprawdz zweryfik weryfik upewni zapewni",
    "analyze": "analiz przeanaliz porown zbada bada zmierz mierz",
    "block": "zablok blokuj blokow zabron odrzuc zapobie",
    "approve": "zatwierdz zaakcept akcept",
    "add": "dodac dodaj dodan dodal dodawa utworz stworz zaimplement implementuj implementow zbuduj zbudow budowac buduj wprowadz tworz obslugiw obsluguj obsluz wygenerow wygeneruj generow generuj umozliw",
    "change": "zmieni zmien zaktualiz aktualiz zmodyf modyfik zastap zastep przenie przenos przenios rozszerz ulepsz zmigr migrow migruj podmien",
    "preserve": "zachow utrzym",
}
STEMS: Final[dict[str, tuple[tuple[str, Word], ...]]] = {}
"""First four letters → (stem, meaning), longest stem first."""
for _action, _words in _POLISH.items():
    for _stem in _words.split():
        _known = (*STEMS.get(_stem[:4], ()), (_stem, Word(_action, "verb")))
        STEMS[_stem[:4]] = tuple(sorted(_known, key=lambda pair: (-len(pair[0]), pair[0])))

NOT_VERBS: Final = (
    "naprawd",
    "poprawn",
    "ustawieni",
    "zachowani",
    "zmienn",
    "aktualn",
    "wlaczni",
    "badacz",
    "badawcz",
    "tworzyw",
)
"""Words that begin like a stem and mean something else (really, correct, settings, behaviour, variable, plastic)."""
GERUNDS: Final = ("nie", "nia", "niu", "niem", "cie", "cia", "ciu", "ciem", "cja", "cji", "cje", "cjom")
"""Endings of Polish nouns made of verbs: verbs where a clause begins, nouns elsewhere."""

OPENERS: Final = words(
    "must shall should may might can could will would to not never please also now then and or but we you they it"
    " i has have had is are was were be been being do does did don't don’t doesn't doesn’t didn't didn’t can't"
    " can’t cannot always just first finally let's let properly ought"
    " musi muszą musza należy nalezy trzeba powinien powinna powinno powinny może moze mogą moga można mozna nie"
    " wolno aby żeby zeby oraz i proszę prosze ma mają maja będzie bedzie został została zostało zostały jest są"
)
"""Words after which a verb is the head of its clause."""
PREPOSITIONS: Final = words(
    "for of in on at by with from into onto without within after before during when if while via per against"
    " between through under over as than about until unless that which who where because since"
    " the a an this that these those its our your their each every all any some no"
    " dla do z ze w we na przy po przed przez od bez pod nad o u za gdy jeśli jesli jeżeli jezeli który która"
    " które ktory ktora ktore"
)
"""Words that make what follows a noun or part of a subordinate clause."""

EXTENSIONS: Final = words(
    "adoc astro bash bat bib c cabal cc cfg cjs clj cmake conf cpp cs css csv cts cxx dart diff el env erl ex exs fs"
    " gif go gradle graphql h hh hpp hs htm html hxx ico ini ipynb java jpg js json jsonl jsx kt kts less lock log"
    " lua markdown md mdx mjs mk ml mm mts nix patch php plist png po pot properties proto ps1 pxd py pyi pyx rb rs"
    " rst sass scala scss sh sql svelte svg swift tex tf toml tpl ts tsx txt vim vue whl xml yaml yml zig zip zsh"
)
"""Endings of names that are files wherever they stand."""
ROOTS: Final = words(
    "app apps bin config docs examples infra lib packages project public scripts sdk src test tests tools"
)
"""First folders by which a path without such an ending is known."""
TLDS: Final = words(
    "ai biz cc cloud co com cz de edu es eu fr gov info int io it me mil name net nl online org pl ru site sk tech tv"
    " ua uk us xyz"
)
NOT_KEYS: Final = words(
    # encodings
    "UTF UCS EUC EBCDIC KOI CP WINDOWS LATIN BASE BIG GB JIS TR UTR UTS UAX BOM"
    # hashes and ciphers
    " SHA MD CRC AES RSA DES ED EC SECP BLAKE HMAC PBKDF XXH ARGON"
    # standards
    " ISO IEC IEEE RFC ANSI ECMA EN DIN PN BCP STD PEP JEP JSR KEP NIST FIPS SP ITU ETSI WCAG PCI SOC OWASP ASVS"
    # advisories
    " CVE CWE GHSA RUSTSEC PYSEC OSV DSA USN CAPEC GO"
    # licences
    " GPL LGPL AGPL MPL EPL EUPL APACHE BSD MIT CC CDDL"
    # protocols, languages, devices
    " HTTP HTML CSS XML XHTML SQL SSL TLS SSH SMB FTP DNS IPV IP USB DDR PCIE SATA MP GPT COVID ARM AMD MIPS RS HDMI"
    " UTC GMT PY ES X86 VP AV"
)
"""Prefixes of what looks like the key of a ticket and is the name of something else."""
PRODUCTS: Final = words(
    "github gitlab gitea youtube linkedin javascript typescript coffeescript actionscript postscript macos ios ipados"
    " tvos watchos icloud iphone ipad pypi pypy cpython postgresql mysql mariadb mongodb graphql openssl openssh"
    " openapi opensearch openstack powershell webassembly webpack websocket websockets webgl opengl opencl devops"
    " jquery fastapi numpy scipy openai chatgpt deepmind intellij pycharm wordpress bitbucket stackoverflow freebsd"
    " openbsd netbsd archlinux centos redhat mkdocs nodejs readthedocs sqlite latex dockerhub protobuf hashicorp"
    " circleci travisci appveyor jsdoc bibtex xcode mathml mathjax oauth saas paas iaas"
)
"""Names in camelCase that are no symbols."""
PRODUCT_FILES: Final = frozenset(
    f"{name}.js"
    for name in words(
        "node vue next nuxt react angular express three d3 p5 ember backbone moment chart alpine require discord"
        " underscore solid svelte knockout babylon handlebars socket raphael"
    )
)
"""Names that end like files and are none."""
LITERALS: Final = words(
    "true false null none nil nan undefined self this string object array number integer boolean float list dict tuple"
    " set any unknown default python bash docker makefile dockerfile readme changelog todo fixme"
)
"""Capitalised words of code that name no symbol (unless called)."""
RECEIVERS: Final = words(
    "console res req response request logger log math process self this app ctx context obj json"
)
"""Objects whose members (`console.log`, `response.json`) end like files."""
