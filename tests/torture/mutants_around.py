"""The second half of the table of mutations: objects, index, segments, proofs, keys, merges and bundles."""

from __future__ import annotations

from mutants import Mutation

__all__ = ["AROUND"]

_SEGMENTS = "tests/unit/test_journal_segments.py::"
_BUNDLE = "tests/surface/test_bundle_verifier.py::"
_POWER = "tests/crash/test_torture.py::test_a_power_failure_loses_nothing_that_was_synced"
_ACTIVE = "ledger/journal/active.py"
_TURN = "ledger/journal/turn.py"

AROUND = (
    # objects and index
    Mutation(
        "an object's bytes are its name's",
        "ledger/journal/objects.py",
        "if digest not in (sha256(content).hexdigest(), payload_hash(content)):",
        "if False:",
        "tests/unit/test_journal_objects.py::test_damage_is_found_and_putting_again_heals_it",
    ),
    Mutation(
        "an object lasts before the event that cites it",
        "ledger/journal/files.py",
        "    if durable:\n        sync_folder(target.parent)",
        "    if False:\n        sync_folder(target.parent)",
        f"{_POWER}[objects]",
    ),
    Mutation(
        "no power failure makes the index forget a key",
        "ledger/journal/index.py",
        'journal_mode = WAL")\n            database.execute("PRAGMA synchronous = NORMAL")',
        'journal_mode = TRUNCATE")\n            database.execute("PRAGMA synchronous = OFF")',
        "tests/crash/test_torture.py::test_a_power_failure_lets_no_key_be_forgotten",
    ),
    Mutation(
        "the index is trusted only for the place it names",
        "ledger/journal/index.py",
        "            and self._journal.holds(Position(*row))\n",
        "",
        "tests/unit/test_journal_index.py::test_it_may_be_of_another_branch_of_the_same_ledger",
    ),
    # segments
    Mutation(
        "a sealing that was cut short is ended by the next append",
        _ACTIVE,
        "            if parts.stale:\n",
        "            if False:\n",
        f"{_SEGMENTS}TestCutShort::test_the_next_append_ends_it",
    ),
    Mutation(
        "an event that stands in both files is read once",
        "ledger/journal/parts.py",
        "segments = [segment for segment in found if first is None or segment.last < first]",
        "segments = found",
        f"{_SEGMENTS}TestCutShort::test_readers_see_each_event_once",
    ),
    Mutation(
        "a segment lasts before the active file loses what it holds",
        "ledger/journal/segments.py",
        "    sync_folder(folder)\n    _drop(",
        "    _drop(",
        f"{_POWER}[seal]",
    ),
    # proofs, checkpoints, keys
    Mutation(
        "an inclusion proof hashes left before right",
        "ledger/journal/proofs.py",
        '            found = sha256(b"\\x01" + found + sibling).digest()',
        '            found = sha256(b"\\x01" + sibling + found).digest()',
        "tests/unit/test_journal_proofs.py::test_every_inclusion_proof_of_sizes_1_to_64_agrees_with_the_definition",
    ),
    Mutation(
        "a consistency proof leads to both roots",
        "ledger/journal/proofs.py",
        "return not last and found_old == old_root and found_new == new_root",
        "return not last and found_new == new_root",
        "tests/unit/test_journal_proofs.py::test_a_proof_that_is_wrong_anywhere_is_refused",
    ),
    Mutation(
        "what a proof is made of are hashes",
        "ledger/journal/proofs.py",
        "or len(leaf) != 32 or not _hashes(path):",
        "or False:",
        "tests/unit/test_journal_proofs.py::test_a_longer_hash_that_borrows_a_byte_of_its_neighbour_is_refused",
    ),
    Mutation(
        "a checkpoint with another root shows a fork",
        "ledger/anchors/base.py",
        "(fitting if root == anchor.checkpoint.root else differing).append(anchor)",
        "fitting.append(anchor)",
        "tests/unit/test_anchors_judge.py::test_the_verdicts",
    ),
    Mutation(
        "a checkpoint of more events shows what is gone",
        "ledger/anchors/base.py",
        'verdict = "rolled_back" if restored else "truncated"',
        'verdict = "sound"',
        "tests/unit/test_anchors_judge.py::test_the_verdicts",
    ),
    Mutation(
        "a fork is told from a loss",
        "ledger/anchors/base.py",
        "    if differing:\n",
        "    if differing and not beyond:\n",
        "tests/property/test_journal_machine.py::test_another_way_from_an_older_state_is_a_fork_however_short",
    ),
    Mutation(
        "an old state that was put back has its own name",
        "ledger/anchors/base.py",
        'verdict = "rolled_back" if restored else "truncated"',
        'verdict = "truncated"',
        "tests/property/test_journal_machine.py::test_another_way_from_an_older_state_is_a_fork_however_short",
    ),
    Mutation(
        "nothing is signed that contradicts what was signed",
        "ledger/anchors/signing.py",
        "    _consistent(ledger, tree, [*known, *signed_beside(ledger)])\n",
        "",
        "tests/unit/test_anchors_signing.py::test_nothing_is_signed_that_contradicts_what_was_signed",
    ),
    Mutation(
        "a key that others may read signs nothing",
        "ledger/anchors/keyring.py",
        "if os.fstat(stream.fileno()).st_mode & _OTHERS:",
        "if False:",
        "tests/unit/test_anchors_signing.py::test_a_key_that_others_may_read_is_not_used",
    ),
    # redactable payloads, merge, export
    Mutation(
        "a payload's object fits its hash",
        "ledger/journal/objects.py",
        "if payload_hash(content) != data_hash or len(content) < SALT_BYTES:",
        "if False:",
        "tests/unit/test_journal_redactable.py::TestObjects::test_a_changed_payload_object_is_corrupt_and_a_missing_one_is_none",
    ),
    Mutation(
        "a payload that no event cites is not kept",
        _TURN,
        "            self._discard(filed)\n",
        "",
        "tests/unit/test_journal_redactable.py::TestNothingIsKeptThatNoEventCites::test_a_refused_draft_takes_the_objects_of_its_request_along",
    ),
    Mutation(
        "events of another ledger are imported at most",
        "ledger/journal/origin.py",
        'lower = lowered and entry.trust == "observed"',
        "lower = False",
        "tests/unit/test_transfer_merge.py::TestOrigins::test_only_what_was_observed_elsewhere_is_lowered",
    ),
    Mutation(
        "a redaction is announced before anything is deleted",
        "cli/actions/redact.py",
        "        seq, repeated = _announced(ledger, target, digest, reason, context.settings.actor)\n"
        "        deleted = ledger.objects.remove(digest)\n",
        "        deleted = ledger.objects.remove(digest)\n"
        "        seq, repeated = _announced(ledger, target, digest, reason, context.settings.actor)\n",
        "tests/crash/test_redact.py::test_a_killed_redaction_is_told_and_finished",
    ),
    Mutation(
        "the bundle's verifier compares every prev",
        "ledger/transfer/verifier/lines.py",
        "if self.head and prev != self.head.hex():",
        "if False:",
        f"{_BUNDLE}test_each_tampered_copy_is_refused_with_the_reason",
    ),
    Mutation(
        "the bundle's verifier compares every file with the manifest",
        "ledger/transfer/verifier/verdict.py",
        'if said["sha256"] != digest.hexdigest() or said["bytes"] != size:',
        "if False:",
        f"{_BUNDLE}test_each_tampered_copy_is_refused_with_the_reason",
    ),
    Mutation(
        "the bundle's verifier compares the root with what was signed or kept",
        "ledger/transfer/verifier/vouching.py",
        "elif root != note.root:",
        "elif False:",
        f"{_BUNDLE}test_a_chain_made_anew_is_seen_by_what_was_signed_or_kept",
    ),
)
