"""A revert takes back what it names, unless it is taken back itself."""

from t2c.ledger.linking.reverts import Commit, Revisions, Takeback, takebacks, undone

A, B, C, D = (letter * 40 for letter in "abcd")


def commit(revision: str, subject: str, body: str = "") -> Commit:
    return Commit(revision, subject, f"{subject}\n\n{body}")


def test_revert_by_revision() -> None:
    assert undone([commit(A, "Hold"), commit(B, "Drop", f"This reverts commit {A}.")]) == {A}


def test_revert_by_subject_of_one_commit() -> None:
    first, second = commit(A, "Hold (#1)"), commit(B, 'Revert "Hold (#1)" (#2)')
    assert undone([first, second]) == {A}
    assert undone([first, commit(C, "Hold (#1)"), second]) == frozenset()
    assert undone([first, commit(B, "Revert the habit of Hold (#1)")]) == frozenset()


def test_reverted_revert_undoes_nothing() -> None:
    chain = [
        commit(A, "Hold"),
        commit(B, 'Revert "Hold"', f"This reverts commit {A}."),
        commit(C, 'Revert "Revert "Hold""', f"This reverts commit {B}."),
    ]
    assert undone(chain) == {B}
    assert undone([*chain, commit(D, "Drop it again", f"This reverts commit {C}.")]) == {A, C}
    assert undone([*chain, commit(D, "Drop it again", f"This reverts commit {A}.")]) == {A, B}


def test_unknown_and_circular_names_undo_nothing() -> None:
    assert undone([commit(A, "Drop", f"This reverts commit {B}.")]) == frozenset()
    assert undone([commit(A, "Drop", f"This reverts commit {A}.")]) == frozenset()
    circle = [
        commit(A, "Drop", f"This reverts commit {B}."),
        commit(B, "Drop", f"This reverts commit {A}."),
    ]
    assert undone(circle) == frozenset()


def test_long_chain_is_no_recursion() -> None:
    chain = [commit(f"{n:040x}", "Drop", f"This reverts commit {n - 1:040x}.") for n in range(5_000)]
    assert len(undone(chain)) == 2_500


def test_revision_that_the_reader_found_counts_abbreviated_if_one_commit_has_it() -> None:
    named = Commit(C, "Put it back", "Put it back", (A[:9],))
    assert takebacks([commit(A, "Hold"), named]) == [Takeback(C, A, "by_revision")]
    twin = A[:9] + "f" * 31
    assert takebacks([commit(A, "Hold"), commit(twin, "Held"), named]) == []
    assert takebacks([commit(A, "Hold"), Commit(C, "Put it back", "Put it back", ("aaaa",))]) == []


def test_what_a_revert_takes_back_is_told_with_how() -> None:
    first = commit(A, "Hold")
    assert takebacks([first, commit(B, 'Revert "Hold"')]) == [Takeback(B, A, "by_subject")]
    chain = [first, commit(B, 'Revert "Hold"'), commit(C, "Redo", f"This reverts commit {B}.")]
    assert takebacks(chain) == [Takeback(C, B, "by_revision")]


def test_revisions_are_found_by_their_start() -> None:
    known = Revisions([A, B, "abc" + "0" * 37, "abd" + "0" * 37])
    assert known.whole(A) == A
    assert known.whole(B[:7]) == B
    assert known.whole("abc" + "0" * 6) == "abc" + "0" * 37
    assert known.whole("ab") is None
    assert known.whole("f" * 40) is None


def test_of_several_revisions_the_one_is_meant_whose_subject_is_quoted() -> None:
    body = f"* Revert\n\nThis reverts commit {A}.\n\n* Revert\n\nThis reverts commit {B}."
    both = [commit(A, "Hold (#1)"), commit(B, "Drop (#2)")]
    assert takebacks([*both, commit(C, 'Revert "Hold" (#3)', body)]) == [Takeback(C, A, "by_revision")]
    assert {found.target for found in takebacks([*both, commit(C, "Put all back", body)])} == {A, B}
    assert {found.target for found in takebacks([*both, commit(C, 'Revert "All"', body)])} == {A, B}
