"""Claims: the kept tree is the journal's, grows by what is new alone, and damage to it never reaches a proof.

Mutations seen to fail: the place not compared with the journal; lengths not looked at; nodes believed unproven; the
last single node of a level not read again; a remake that leaves the old place standing; the leaf not compared with the
line.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.errors import Corrupt, Environment, Usage
from t2c.ledger.journal import proofs, tree
from t2c.ledger.journal.levels import Growth, level_file
from t2c.ledger.journal.tree import Tree, walked

PLACE = "place.json"


def fill(chain: Any, count: int) -> None:
    while chain.seq < count:
        chain.add("observation.noted", {"n": chain.seq})


def leaves(chain: Any, oracle: Any) -> list[bytes]:
    return [bytes.fromhex(oracle.leaf(line)) for line in chain.path.read_bytes()[:-1].split(b"\n")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "tree"


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(tree, "_AT_ONCE", 4)
    yield


@pytest.mark.usefixtures("small_parts")
def test_its_roots_and_proofs_are_those_of_the_journal(chain: Any, folder: Path, oracle: Any) -> None:
    for size in (1, 2, 3, 7, 8, 13, 32, 37):
        fill(chain, size)
        known = leaves(chain, oracle)
        with Tree.open(folder, chain.journal) as found:
            assert found.position == chain.journal.head()
            assert found.disagreement(oracle.root(known), whole=True) is None
            for at in range(1, size + 1):
                root = oracle.root(known[:at])
                assert found.root(at) == root
                assert proofs.includes(known[0], 0, at, found.inclusion(0, at, known[0]), root)
                assert proofs.extends(at, root, size, found.root(size), found.consistency(at, size))
                covering = found.subtrees(at)
                assert sum(1 << subtree.level for subtree in covering) == at
                assert [found.node(*part[:2]) for part in covering] == [part.node for part in covering]


@settings(max_examples=30)
@given(st.lists(st.integers(1, 40), min_size=1, max_size=6))
def test_it_does_not_matter_in_which_parts_it_grows(
    tmp_path_factory: Any, oracle: Any, parts: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("tree")
    known = [bytes.fromhex(oracle.leaf(b"%d" % number)) for number in range(sum(parts))]
    size = 0
    for part in parts:
        with Growth(folder, size) as growth:
            growth.add(b"".join(known[size : size + part]))
            size = growth.size
    for level in range(size.bit_length()):
        nodes = level_file(folder, level).read_bytes()
        width = 1 << level
        expected = [oracle.root(known[at : at + width]) for at in range(0, size - width + 1, width)]
        assert nodes == b"".join(expected)


def test_only_new_lines_are_read_again(chain: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(chain, 20)
    Tree.open(folder, chain.journal).close()
    fill(chain, 23)
    read = []
    lines = type(chain.journal).lines

    def counted(self: Any, *arguments: Any) -> Any:
        for item in lines(self, *arguments):
            read.append(item[2].seq)
            yield item

    monkeypatch.setattr(type(chain.journal), "lines", counted)
    Tree.open(folder, chain.journal).close()
    Tree.open(folder, chain.journal).close()
    assert read == [21, 22, 23]


def test_losing_it_loses_nothing(chain: Any, folder: Path, oracle: Any) -> None:
    fill(chain, 11)
    leaf = leaves(chain, oracle)[4]
    with Tree.open(folder, chain.journal) as found:
        path = found.inclusion(4, 11, leaf)
    for item in sorted(folder.iterdir()):
        content = item.read_bytes()
        item.unlink()
        with Tree.open(folder, chain.journal) as found:
            assert found.inclusion(4, 11, leaf) == path
        assert item.read_bytes() == content


@pytest.mark.parametrize("name", ["level-00", "level-01", "level-02", "level-03", PLACE])
def test_a_torn_file_is_not_trusted(chain: Any, folder: Path, oracle: Any, name: str) -> None:
    fill(chain, 11)
    Tree.open(folder, chain.journal).close()
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(whole[:-1])
    assert Tree.stored(folder, chain.journal) is None
    with Tree.open(folder, chain.journal) as found:
        assert found.root(11) == oracle.root(leaves(chain, oracle))
    assert (folder / name).read_bytes() == whole


@pytest.mark.parametrize("level", range(4))
def test_a_flipped_bit_never_reaches_a_proof_and_is_named(
    chain: Any, folder: Path, oracle: Any, level: int
) -> None:
    fill(chain, 11)
    Tree.open(folder, chain.journal).close()
    known = leaves(chain, oracle)
    file = level_file(folder, level)
    whole = file.read_bytes()
    for byte in range(0, len(whole), 16):
        file.write_bytes(whole[:byte] + bytes([whole[byte] ^ 0x10]) + whole[byte + 1 :])
        stored = Tree.stored(folder, chain.journal)
        assert stored is not None
        with stored:
            assert stored.disagreement(oracle.root(known), whole=True) is not None
        with Tree.open(folder, chain.journal) as found:
            for index in range(11):
                path = found.inclusion(index, 11, known[index])
                assert proofs.includes(known[index], index, 11, path, oracle.root(known))
        assert file.read_bytes() == whole


def test_nodes_of_a_flipped_bit_do_not_grow_into_new_ones(chain: Any, folder: Path, oracle: Any) -> None:
    fill(chain, 11)
    Tree.open(folder, chain.journal).close()
    for level in range(4):
        file = level_file(folder, level)
        whole = bytearray(file.read_bytes())
        whole[-1] ^= 1
        file.write_bytes(whole)
        fill(chain, chain.seq + 6)
        with Tree.open(folder, chain.journal) as found:
            assert found.root(chain.seq) == oracle.root(leaves(chain, oracle))


def test_a_root_that_was_changed_is_not_believed(chain: Any, folder: Path, oracle: Any) -> None:
    fill(chain, 11)
    Tree.open(folder, chain.journal).close()
    place = json.loads((folder / PLACE).read_bytes())
    (folder / PLACE).write_text(json.dumps({**place, "root": "0" * 64}))
    with Tree.open(folder, chain.journal) as found:
        assert found.root(11) == oracle.root(leaves(chain, oracle))


def test_a_reader_that_may_not_write_says_that_the_nodes_are_wrong(
    chain: Any, folder: Path, oracle: Any
) -> None:
    fill(chain, 8)
    known = leaves(chain, oracle)
    Tree.open(folder, chain.journal).close()
    level_file(folder, 0).write_bytes(bytes(8 * 32))
    stored = Tree.stored(folder, chain.journal)
    assert stored is not None
    with stored, pytest.raises(Corrupt):
        stored.inclusion(1, 8, known[1])
    assert level_file(folder, 0).read_bytes() == bytes(8 * 32)


def test_the_tree_of_another_history_is_made_anew(
    chain: Any, folder: Path, new_journal: Any, tmp_path: Path, oracle: Any
) -> None:
    fill(chain, 11)
    Tree.open(folder, chain.journal).close()
    other = new_journal(tmp_path / "other" / "journal.ndjson")
    while other.seq < 16:
        other.add("observation.noted", {"other": other.seq})
    assert Tree.stored(folder, other.journal) is None
    with Tree.open(folder, other.journal) as found:
        assert found.root(16) == oracle.root(leaves(other, oracle))


def test_a_line_that_breaks_the_chain_gives_no_tree(chain: Any, folder: Path) -> None:
    fill(chain, 4)
    content = chain.path.read_bytes()
    chain.path.write_bytes(content.replace(b'{"n":2}', b'{"n":9}'))
    with pytest.raises(Corrupt) as damage:
        Tree.open(folder, chain.journal)
    assert damage.value.where == "seq 3"
    assert Tree.stored(folder, chain.journal) is None


def test_a_remake_that_did_not_come_to_its_end_leaves_nothing_to_believe(chain: Any, folder: Path) -> None:
    fill(chain, 6)
    Tree.open(folder, chain.journal).close()
    level_file(folder, 2).write_bytes(bytes(32))
    known = walked(chain.journal)
    chain.path.write_bytes(chain.path.read_bytes().replace(b'{"n":3}', b'{"n":9}'))
    with pytest.raises(Corrupt):
        Tree.open(folder, chain.journal, known=known)
    assert not (folder / PLACE).exists()


def test_what_the_journal_does_not_hold_is_refused(chain: Any, folder: Path) -> None:
    fill(chain, 4)
    with Tree.open(folder, chain.journal) as found:
        for ask in (
            lambda: found.root(0),
            lambda: found.root(5),
            lambda: found.inclusion(4, 4, bytes(32)),
            lambda: found.inclusion(0, 5, bytes(32)),
            lambda: found.consistency(3, 5),
            lambda: found.consistency(0, 4),
        ):
            with pytest.raises(Usage):
                ask()


def test_no_proof_is_given_of_another_line_or_to_another_root(chain: Any, folder: Path, oracle: Any) -> None:
    fill(chain, 8)
    known = leaves(chain, oracle)
    with Tree.open(folder, chain.journal) as found, pytest.raises(Corrupt):
        found.inclusion(2, 8, known[3])
    with pytest.raises(Corrupt):
        Tree.open(folder, chain.journal, known=(chain.journal.head(), bytes(32)))
    position = chain.journal.position(5)
    for root, fits in ((oracle.root(known[:5]), True), (oracle.root(known), False)):
        if fits:
            with Tree.open(folder, chain.journal, known=(position, root)) as found:
                assert proofs.includes(known[4], 4, 5, found.inclusion(4, 5, known[4]), root)
        else:
            with pytest.raises(Corrupt):
                Tree.open(folder, chain.journal, known=(position, root))


def test_an_end_that_the_next_append_clears_away_does_not_hinder(
    chain: Any, folder: Path, oracle: Any
) -> None:
    fill(chain, 6)
    known = leaves(chain, oracle)
    with chain.path.open("ab") as stream:
        stream.write(b'{"actor"')
    with Tree.open(folder, chain.journal) as found:
        assert (found.size, found.root(6)) == (6, oracle.root(known))


@pytest.mark.parametrize("name", ["level-00", "level-01", PLACE])
def test_a_pipe_in_place_of_a_file_keeps_nobody_waiting(
    chain: Any, folder: Path, oracle: Any, name: str
) -> None:
    fill(chain, 6)
    Tree.open(folder, chain.journal).close()
    (folder / name).unlink()
    os.mkfifo(folder / name)
    with Tree.open(folder, chain.journal) as found:
        assert found.root(6) == oracle.root(leaves(chain, oracle))


def test_a_folder_that_cannot_be_written_is_named(chain: Any, folder: Path) -> None:
    folder.parent.mkdir()
    folder.write_text("not a folder")
    with pytest.raises(Environment):
        Tree.open(folder, chain.journal)


GROWERS = """
import sys
from hashlib import sha256
from pathlib import Path
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.journal.tree import Tree
journal = JournalFile(Path(sys.argv[1]))
sys.stdin.readline()
for _ in range(40):
    with Tree.open(Path(sys.argv[2]), journal) as tree:
        lines = Path(sys.argv[1]).read_bytes().split(b"\\n")
        for index in range(0, tree.size, 7):
            tree.inclusion(index, tree.size, sha256(b"\\0" + lines[index]).digest())
        print(tree.size, tree.root(tree.size).hex(), flush=True)
"""


def test_processes_that_extend_it_at_once_do_not_mislead_each_other(
    chain: Any, folder: Path, oracle: Any, spawn: Any
) -> None:
    fill(chain, 30)
    growers = [spawn(GROWERS, chain.path, folder) for _ in range(3)]
    for grower in growers:
        grower.stdin.write("go\n")
        grower.stdin.flush()
    while any(grower.poll() is None for grower in growers) and chain.seq < 3000:
        fill(chain, chain.seq + 3)
    known = leaves(chain, oracle)
    for grower in growers:
        said = [line.split() for line in grower.stdout.read().splitlines()]
        assert (grower.wait(), len(said)) == (0, 40)
        for size, root in said:
            assert oracle.root(known[: int(size)]).hex() == root
    with Tree.open(folder, chain.journal) as found:
        assert found.disagreement(oracle.root(known), whole=True) is None
