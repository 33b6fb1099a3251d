"""An entry that cites nothing finds the commit that it describes, in the range of its release, or nothing."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import msgspec
import pytest

from t2c.ledger.intake.base import materialise
from t2c.ledger.intake.changelog import ChangelogExtractor
from t2c.ledger.intake.git import read_history
from t2c.ledger.linking.base import Abstention, Hit
from t2c.ledger.linking.described import BOOK, described, groups, score
from t2c.ledger.linking.features import Corpus, read
from t2c.ledger.linking.linker import link
from t2c.ledger.linking.matching import FEATURES, Window
from t2c.ledger.linking.ranking import DECISIVE, parameters
from t2c.ledger.linking.registry import BOOKS
from t2c.ledger.linking.wording import sentence

SHOP = """# Changelog

## 1.1.0

- Carts are exported as CSV by `export_cart`.
- Login locks an account after five failed attempts.

## 1.0.0

- Prices are rounded to whole cents.
- Search finds articles by their colour.
"""


class Shop:
    """A real repository with two tagged releases; each commit is made an hour after the one before."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.hour = 0
        path.mkdir()
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str) -> str:
        when = f"2026-01-{5 + self.hour // 24:02}T{self.hour % 24:02}:00:00+00:00"
        people = {
            "GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org", "GIT_AUTHOR_DATE": when,
            "GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.org", "GIT_COMMITTER_DATE": when,
            "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1",
        }  # fmt: skip
        done = subprocess.run(
            ["git", *arguments], cwd=self.path, env={**os.environ, **people}, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode().strip()

    def commit(self, message: str, **files: str) -> str:
        """Commit; `cart_py="…"` writes cart.py before."""
        for name, text in files.items():
            (self.path / name.replace("_", ".")).write_text(text)
        self.hour += 1
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def bodies(self) -> list[bytes]:
        history = read_history(self.path)
        found = [
            made.body for reading in (history.reading, *history.further) for made in materialise(reading)
        ]
        content = (self.path / "CHANGELOG.md").read_bytes()
        return found + [
            made.body for made in materialise(ChangelogExtractor().read("CHANGELOG.md", content, ()))
        ]

    def corpus(self) -> Corpus:
        return read(self.bodies())

    def told(self) -> dict[str, str]:
        """Entry → subject of the commit that it releases, by this rule."""
        corpus = self.corpus()
        texts = {record.id: record.statement.text for record in corpus.records}
        return {
            texts[found.source]: texts[found.target] for found in described(corpus) if isinstance(found, Hit)
        }


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    made = Shop(tmp_path / "shop")
    made.commit("Round prices to cents", prices_py="def round_price(cents): return round(cents)\n")
    made.commit("Find articles by colour", search_py="def search(colour): return colour\n")
    made.commit("Set up the build", build_py="BUILD = 1\n")
    made.commit("Release 1.0.0", CHANGELOG_md="# Changelog\n")
    made.git("tag", "1.0.0")
    made.commit(
        "Add export_cart, which writes a cart as CSV", cart_py="def export_cart(cart): return 'csv'\n"
    )
    made.commit("Lock accounts after failed logins", login_py="MAX_ATTEMPTS = 5\n")
    made.commit("Speed up tests", test_cart_py="def test_cart(): pass\n")
    made.commit("Release 1.1.0", CHANGELOG_md=SHOP)
    made.git("tag", "1.1.0")
    return made


def test_entries_find_the_commits_that_they_describe(shop: Shop) -> None:
    assert shop.told() == {
        "Carts are exported as CSV by `export_cart`.": "Add export_cart, which writes a cart as CSV",
        "Login locks an account after five failed attempts.": "Lock accounts after failed logins",
        "Prices are rounded to whole cents.": "Round prices to cents",
        "Search finds articles by their colour.": "Find articles by colour",
    }


def test_a_relation_says_what_was_seen(shop: Shop) -> None:
    corpus = shop.corpus()
    texts = {record.id: record.statement.text for record in corpus.records}
    (hit,) = [
        found
        for found in described(corpus)
        if isinstance(found, Hit) and "export_cart" in texts[found.source]
    ]
    assert hit.type == "releases"
    assert hit.basis == ("described", "same_release_range")
    assert hit.confidence is not None
    assert parameters().accept <= hit.confidence < 1
    read_out = sentence(hit.type, "0123456", hit.rule, hit.basis, hit.signals)
    assert read_out.startswith("releases 0123456: changed `cart.py`; changes `export_cart`; ")
    assert "says “CSV, Carts, export_cart”" in read_out
    assert read_out.endswith("same release range")


def test_the_same_words_outside_the_range_count_less(shop: Shop) -> None:
    shop.commit("Carts are exported as CSV by export_cart", cart_py="def export_cart(cart): return 'CSV'\n")
    assert (
        shop.told()["Carts are exported as CSV by `export_cart`."]
        == "Add export_cart, which writes a cart as CSV"
    )


def test_a_release_commit_is_no_answer(shop: Shop) -> None:
    (shop.path / "CHANGELOG.md").write_text(SHOP + "- Release 1.0.0 of the shop, prepared.\n")
    assert "Release 1.0.0 of the shop, prepared." not in shop.told()


def test_what_no_commit_describes_is_related_to_nothing(shop: Shop) -> None:
    odd = "- Vouchers expire at the end of the quarter.\n"
    (shop.path / "CHANGELOG.md").write_text(SHOP.replace("- Login", odd + "- Login"))
    assert "Vouchers expire at the end of the quarter." not in shop.told()


def test_an_entry_whose_number_finds_a_commit_is_left_to_the_number(shop: Shop) -> None:
    shop.commit("Ship parcels abroad (#12)", ship_py="ABROAD = True\n")
    shop.git("tag", "1.2.0")
    (shop.path / "CHANGELOG.md").write_text(
        SHOP.replace("## 1.1.0", "## 1.2.0\n\n- Parcels are shipped abroad (#12)\n\n## 1.1.0")
    )
    assert not any("shipped" in entry for entry in shop.told())
    rules = {draft.rule for draft in link(shop.bodies()).relations if draft.type == "releases"}
    assert rules == {"number", "described"}


def test_of_a_pull_request_the_commit_that_carries_the_change_is_related(shop: Shop) -> None:
    shop.git("checkout", "-q", "-b", "gifts")
    shop.commit("Wrap gifts in paper", gifts_py="def wrap_gift(): return 'paper'\n")
    shop.commit("Fix lint", lint_py="LINT = 1\n")
    shop.git("checkout", "-q", "main")
    shop.hour += 1
    shop.git("merge", "-q", "--no-ff", "-m", "Merge pull request #40 from ada/gifts\n\nGifts", "gifts")
    shop.git("tag", "1.2.0")
    (shop.path / "CHANGELOG.md").write_text(
        SHOP.replace("## 1.1.0", "## 1.2.0\n\n- Gifts are wrapped in paper.\n\n## 1.1.0")
    )
    assert shop.told()["Gifts are wrapped in paper."] == "Wrap gifts in paper"


def test_the_commit_that_wrote_the_entry_down_is_found_without_other_words(shop: Shop) -> None:
    entry = "- Vouchers expire at the end of the quarter.\n"
    shop.commit("Refresh stock nightly", stock_py="NIGHTLY = 1\n")
    shop.commit(
        "Handle edge case",
        vouchers_py="def edge(): return 3\n",
        CHANGELOG_md=SHOP.replace("## 1.1.0", f"## Unreleased\n\n{entry}\n## 1.1.0"),
    )
    shop.commit("Tidy the shelves", shelves_py="TIDY = 1\n")
    assert shop.told()["Vouchers expire at the end of the quarter."] == "Handle edge case"


def test_an_entry_of_a_release_without_bounds_is_counted(shop: Shop) -> None:
    (shop.path / "CHANGELOG.md").write_text(SHOP + "\n## 0.1.0\n\n- The first shop opens.\n")
    (found,) = [
        one
        for one in described(shop.corpus())
        if isinstance(one, Abstention) and one.reason == "described_without_range"
    ]
    assert found.case.startswith("INT-CHANGELOG-")


def test_the_order_of_records_changes_nothing(shop: Shop) -> None:
    bodies = shop.bodies()
    assert link(bodies) == link(reversed(bodies)) == link(sorted(bodies))


def test_what_was_decided_stands_whatever_comes_later(shop: Shop) -> None:
    before = {group.key: (group.digest, score(group)) for group in groups(shop.corpus())}
    shop.commit(
        "Export carts as CSV once more, prices, colour, login", later_py="def export_cart(): return 'csv'\n"
    )
    shop.git("tag", "2.0.0")
    (shop.path / "CHANGELOG.md").write_text(
        SHOP.replace("## 1.1.0", "## 2.0.0\n\n- Carts are exported once more.\n\n## 1.1.0")
    )
    after = {group.key: (group.digest, score(group)) for group in groups(shop.corpus())}
    assert len(after) == 3
    assert {key: after[key] for key in before} == before


def test_another_entry_of_a_release_changes_its_digest_and_no_other(shop: Shop) -> None:
    before = {group.version: group.digest for group in groups(shop.corpus())}
    (shop.path / "CHANGELOG.md").write_text(SHOP.replace("whole cents", "half cents"))
    after = {group.version: group.digest for group in groups(shop.corpus())}
    assert {version for version in before if before[version] != after[version]} == {"1.0.0"}


def test_what_is_known_of_a_commit_is_part_of_the_digest_of_its_release(shop: Shop) -> None:
    bodies = shop.bodies()
    before = {group.version: group.digest for group in groups(read(bodies))}
    changed: list[bytes] = []
    for body in bodies:
        record = msgspec.json.decode(body)
        if record["statement"]["text"] == "Speed up tests":
            record["metadata"]["diff"] = {"names": ["speed"]}
        changed.append(msgspec.json.encode(record))
    after = {group.version: group.digest for group in groups(read(changed))}
    assert {version for version in before if before[version] != after[version]} == {"1.1.0"}


def test_no_candidate_makes_a_release(shop: Shop) -> None:
    (shop.path / "CHANGELOG.md").write_text(
        SHOP + "- Release 1.0.0 of the shop.\n- Release 1.1.0 of the shop.\n"
    )
    window = Window()
    subjects = {
        page.record.statement.text
        for group in groups(shop.corpus())
        for one in window.matches(group)
        for candidate in one.candidates
        for page in candidate.change.pages
    }
    assert len(subjects) > 3
    assert not {"Release 1.0.0", "Release 1.1.0"} & subjects


def test_a_window_answers_the_same_whatever_it_saw_before(shop: Shop) -> None:
    found = list(groups(shop.corpus()))
    shared = Window()
    there = [score(group, shared) for group in found]
    back = [score(group, shared) for group in reversed(found)]
    assert there == [score(group) for group in found] == back[::-1]


def test_where_days_alone_tell_the_range_more_is_asked(shop: Shop) -> None:
    (shop.path / "CHANGELOG.md").write_text(SHOP.replace("- Login", "- Failed carts are locked.\n- Login"))
    asked = parameters()
    found = [one for group in groups(shop.corpus()) for one in score(group)]
    dated = [one for group in groups(shop.corpus()) for one in score(group._replace(is_tagged=False))]
    sure = {
        one.source for one in found if isinstance(one, Hit) and (one.confidence or 0) >= asked.accept_dated
    }
    hits = [one for one in dated if isinstance(one, Hit)]
    assert {one.source for one in hits} == sure
    assert {one.basis[1] for one in hits} == {"days_of_release"}
    assert len(hits) < len([one for one in found if isinstance(one, Hit)])


def test_odd_metadata_is_read_past(shop: Shop) -> None:
    odd: list[bytes] = []
    for body in shop.bodies():
        record = msgspec.json.decode(body)
        record["metadata"]["diff"] = {"names": "x", "notes": [3, {"lines": 4}], "symbols": [None]}
        if record["statement"]["text"] == "Set up the build":
            record["metadata"].update(parents=7, committedAt="yesterday", docOnly="no")
        odd.append(msgspec.json.encode(record))
    assert [one for one in described(read(odd)) if isinstance(one, Hit)]


def test_parameters_name_what_is_measured_and_nothing_else() -> None:
    fitted = parameters()
    assert set(fitted.ranking) == set(FEATURES)
    assert set(fitted.decision) == {"bias", *DECISIVE}
    table = list(fitted.calibration)
    assert table == sorted(table)
    assert [right for _, right in table] == sorted(right for _, right in table)
    assert 0 < fitted.doubt < fitted.accept < 1
    assert BOOK in BOOKS
