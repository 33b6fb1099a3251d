"""The table of mutations, first half: a guarantee, what in the code keeps it, how to break it, and the one test that must notice.

A row whose text is no longer in its file exactly once fails loudly: whoever changes the code moves the row along.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["CORE", "Mutation"]


class Mutation(NamedTuple):
    """`old` stands in `file` once and becomes `new`; `test` is the id of the test that then fails."""

    guarantee: str
    file: str
    old: str
    new: str
    test: str


_APPEND = "tests/unit/test_journal_append.py::"
_READ = "tests/unit/test_journal_read.py::"
_VERIFY = "tests/unit/test_journal_verify.py::"
_LINE = "tests/unit/test_journal_line.py::"
_SEGMENTS = "tests/unit/test_journal_segments.py::"
_FAULTS = "tests/crash/test_faults.py::"
_REPLACED = "tests/crash/test_replaced.py::"
_LOCKS = "tests/contract/test_locks.py::"
_POWER = "tests/crash/test_torture.py::test_a_power_failure_loses_nothing_that_was_synced"
_ACTIVE = "ledger/journal/active.py"
_TURN = "ledger/journal/turn.py"
_TAIL = "ledger/journal/tail.py"
_WALK = "ledger/journal/walk.py"
_DIGESTS = "ledger/kernel/digests.py"
_CANON = "ledger/kernel/canon.py"

CORE = (
    # append
    Mutation(
        "acknowledged means synced",
        _ACTIVE,
        "            os.fdatasync(self._fd)\n",
        "            pass\n",
        f"{_POWER}[appends]",
    ),
    Mutation(
        "a repeated event is synced before it is called durable",
        "ledger/journal/append.py",
        "if turn.lines or (turn.repeated and (self._owed or self._file.others)):",
        "if turn.lines:",
        f"{_APPEND}TestDurability::test_a_repeated_event_is_synced_before_it_is_called_durable",
    ),
    Mutation(
        "a writer that failed writes no more",
        _ACTIVE,
        "        if self.dead is not None:\n            raise",
        "        if False:\n            raise",
        f"{_FAULTS}test_a_writer_that_cannot_take_back_stops_and_says_so",
    ),
    Mutation(
        "a short write is taken back",
        _ACTIVE,
        "        self._take_back()\n        raise",
        "        raise",
        f"{_FAULTS}test_a_short_write_is_taken_back_and_the_writer_goes_on",
    ),
    Mutation(
        "a journal that was replaced is opened again",
        _ACTIVE,
        "if self._fd is None or self._inode != (there.st_dev, there.st_ino):",
        "if self._fd is None:",
        f"{_REPLACED}TestCheckout::test_the_next_append_goes_to_the_branch_that_is_there",
    ),
    Mutation(
        "a journal replaced in place by one of its length is seen",
        _ACTIVE,
        " and self._still_ends():",
        ":",
        f"{_REPLACED}TestReplaced::test_in_place_by_another_of_the_same_length",
    ),
    Mutation(
        "nothing is linked onto a changed last line",
        _ACTIVE,
        "        check_last(tail, name)\n",
        "",
        f"{_APPEND}TestRefusal::test_a_changed_last_line_is_not_linked_onto",
    ),
    Mutation(
        "time never goes back",
        "ledger/journal/append.py",
        "ts = max(self._file.ts, rfc3339(self._clock.now()))",
        "ts = rfc3339(self._clock.now())",
        f"{_APPEND}TestTime::test_ts_never_goes_backwards_when_the_clock_does",
    ),
    Mutation(
        "the head is read under the lock",
        "ledger/journal/append.py",
        "            with self._lock.held():\n                self._write(group)",
        "            if True:\n                self._write(group)",
        "tests/contract/test_writers.py::test_writers_released_at_one_moment[16 processes-whole]",
    ),
    Mutation(
        "an expected head that moved is a conflict",
        _TURN,
        "if expected.seq not in (None, head.seq) or expected.hash not in (None, head.hash):",
        "if False:",
        f"{_APPEND}test_an_expected_head_that_moved_is_a_conflict",
    ),
    Mutation(
        "a key is bound to its content",
        _TURN,
        "if known.content != item.content():",
        "if False:",
        f"{_APPEND}TestIdempotency::test_other_content_is_a_conflict",
    ),
    Mutation(
        "one that is refused leaves no line behind",
        _TURN,
        "            del self.lines[kept:]\n",
        "",
        f"{_APPEND}TestGroupCommit::test_one_that_is_refused_harms_no_other_of_its_group",
    ),
    Mutation(
        "a cause is an event of this ledger",
        _TURN,
        "if item.origin is None and self._index.offset(ref, self._before) is None:",
        "if False:",
        f"{_APPEND}test_a_cause_that_is_not_there_is_refused",
    ),
    Mutation(
        "an atomic batch says so in every line",
        _TURN,
        "(part, len(drafts)) if atomic else None",
        "None",
        f"{_APPEND}test_an_atomic_batch_is_numbered_and_a_batch_of_one_is_none",
    ),
    Mutation(
        "a stream acknowledges nothing before its sync",
        "ledger/journal/append.py",
        "        self._file.end_sync(syncing)\n        if request is not None and acknowledge is not None:\n"
        "            acknowledge(request.receipts)\n",
        "        if request is not None and acknowledge is not None:\n"
        "            acknowledge(request.receipts)\n        self._file.end_sync(syncing)\n",
        f"{_SEGMENTS}TestAppendAll::test_nothing_is_acknowledged_before_its_sync",
    ),
    # lock
    Mutation(
        "a lock file that was removed excludes nobody",
        "ledger/journal/lock.py",
        "if self._is_current(self._fd):",
        "if True:",
        f"{_LOCKS}test_a_lock_file_that_was_removed_is_made_again_and_locked",
    ),
    Mutation(
        "a forked child does not share the lock",
        "ledger/journal/lock.py",
        "if self._pid != os.getpid():",
        "if False:",
        f"{_LOCKS}test_a_forked_child_does_not_share_a_held_lock",
    ),
    # tail and recovery
    Mutation(
        "a torn end is kept before it is cut",
        "ledger/journal/recover.py",
        "            _save(fd, overhang, base, _free_name(journal, overhang.offset))\n",
        "            pass\n",
        f"{_READ}TestUnfinishedEnd::test_the_next_append_sets_it_aside_keeps_it_and_says_so",
    ),
    Mutation(
        "the name of a kept fragment lasts before the journal is cut",
        "ledger/journal/recover.py",
        "        sync_folder(journal.parent)\n",
        "",
        f"{_POWER}[appends]",
    ),
    Mutation(
        "a repair that a crash cut short is recorded",
        _ACTIVE,
        "repairs = unrecorded_repairs(self._path, tail.position.offset)",
        "repairs = []",
        f"{_READ}TestCrashDuringRepair::test_cut_but_not_recorded",
    ),
    Mutation(
        "an incomplete batch counts for nothing",
        _TAIL,
        "return part.batch is not None and part.batch[0] < part.batch[1]",
        "return False",
        f"{_READ}TestUnfinishedEnd::test_an_incomplete_batch_counts_for_nothing",
    ),
    Mutation(
        "one changed member does not make the writer cut acknowledged events",
        _TAIL,
        "if part.batch is None or not own_id_fits(line):",
        "if part.batch is None:",
        f"{_READ}TestUnfinishedEnd::test_the_word_of_a_last_line_alone_cuts_nothing",
    ),
    Mutation(
        "converted line ends stop the writer",
        _TAIL,
        'if line.endswith(b"\\r") and len(line) > 1:',
        "if False:",
        f"{_APPEND}TestRefusal::test_a_journal_with_windows_line_ends_is_named",
    ),
    Mutation(
        "a file that does not begin as a journal is left alone",
        _TAIL,
        "if first and not first.startswith(_FIRST[: len(first)]):",
        "if False:",
        f"{_APPEND}TestRefusal::test_a_journal_that_does_not_begin_as_one_is_left_alone",
    ),
    # verify
    Mutation(
        "every prev is compared",
        _WALK,
        'if "".join([link.prev for link in links]) != self.last.hash + hashes[:-64]:',
        "if False:",
        f"{_VERIFY}TestVerdicts::test_an_edited_event",
    ),
    Mutation(
        "every seq is compared",
        _WALK,
        "if [link.seq for link in links] != list(range(first, first + len(lines))):",
        "if False:",
        f"{_VERIFY}TestVerdicts::test_wrong_numbers_in_a_chain_that_is_linked_right",
    ),
    Mutation(
        "a line is UTF-8",
        _WALK,
        " or not is_utf8(block):",
        ":",
        f"{_VERIFY}TestVerdicts::test_a_line_that_is_linked_right_but_is_no_utf_8",
    ),
    Mutation(
        "the last line fits its own id",
        "ledger/journal/verify.py",
        "walk.faults.last_line(walk.last.seq, walk.line)",
        "pass",
        f"{_VERIFY}TestVerdicts::test_the_last_event_is_vouched_for_by_its_own_id",
    ),
    Mutation(
        "an empty journal is a fault",
        "ledger/journal/verify.py",
        "walk.faults.empty()",
        "pass",
        f"{_VERIFY}TestVerdicts::test_an_empty_journal_is_a_fault",
    ),
    Mutation(
        "an unfinished end is named",
        "ledger/journal/verify.py",
        "walk.faults.unfinished(walk.last.seq + 1, overhang)",
        "pass",
        f"{_READ}TestUnfinishedEnd::test_reading_stops_before_it_and_verify_names_it_and_neither_writes",
    ),
    # chain and canonical form
    Mutation(
        "a leaf has its domain byte",
        _DIGESTS,
        'leaf_state: Final = sha256(b"\\x00").copy',
        "leaf_state: Final = sha256().copy",
        f"{_LINE}test_openssl_and_sed_are_enough_to_check_a_link",
    ),
    Mutation(
        "a node has its domain byte",
        _DIGESTS,
        'node_state: Final = sha256(b"\\x01").copy',
        'node_state: Final = sha256(b"\\x00").copy',
        f"{_VERIFY}test_a_sound_journal_has_no_fault_and_the_root_of_its_lines",
    ),
    Mutation(
        "an id has its domain byte",
        _DIGESTS,
        'id_state: Final = sha256(b"\\x02").copy',
        'id_state: Final = sha256(b"\\x00").copy',
        f"{_LINE}test_every_rule_of_the_format_holds_for_what_is_written",
    ),
    Mutation(
        "a payload's hash has its domain byte",
        _DIGESTS,
        '_payload_state: Final = sha256(b"\\x03").copy',
        '_payload_state: Final = sha256(b"\\x00").copy',
        "tests/unit/test_journal_redactable.py::test_the_hash_can_be_checked_by_hand",
    ),
    Mutation(
        "a line is a mebibyte with its end, and no byte more",
        "ledger/journal/chain.py",
        "    if len(line) >= MAX_LINE:",
        "    if len(line) > MAX_LINE:",
        f"{_LINE}test_a_line_may_hold_a_mebibyte_with_its_end_and_no_byte_more",
    ),
    Mutation(
        "an id is that of the line's own bytes",
        "ledger/journal/chain.py",
        "event_id(line[:at], line[rest:]) == claimed",
        "True",
        f"{_VERIFY}TestVerdicts::test_the_last_event_is_vouched_for_by_its_own_id",
    ),
    Mutation(
        "duplicate keys are refused",
        _CANON,
        "if len(found) != len(items):",
        "if False:",
        "tests/unit/test_kernel_canon.py::test_loads_is_strict",
    ),
    Mutation(
        "numbers without a double are refused",
        _CANON,
        "    if math.isinf(value):\n",
        "    if False:\n",
        "tests/unit/test_kernel_canon.py::test_loads_is_strict",
    ),
    Mutation(
        "NaN is refused",
        _CANON,
        "parse_constant=_no_constant, ",
        "",
        "tests/unit/test_kernel_canon.py::test_loads_is_strict",
    ),
    Mutation(
        "integers stay within ±(2^53−1)",
        _CANON,
        "within: bool = -MAX_INT <= value <= MAX_INT",
        "within: bool = True",
        "tests/unit/test_kernel_canon.py::test_what_breaks_a_limit_is_named_with_its_place",
    ),
    # catalogue
    Mutation(
        "only t2c's own code and host adapters observe",
        "ledger/events/draft.py",
        'if level == "observed" and actor.kind not in ("helper", "host_adapter"):',
        "if False:",
        f"{_LINE}test_only_t2c_and_host_adapters_observe",
    ),
    Mutation(
        "a stored event that no such actor could observe is a fault",
        "ledger/events/envelope.py",
        'if self.trust == "observed" and self.actor.kind not in ("helper", "host_adapter"):',
        "if False:",
        f"{_LINE}test_an_envelope_refuses_what_the_writer_never_writes",
    ),
    Mutation(
        "types with a verb of their own are closed to hands",
        "ledger/commands/hand.py",
        "if not payload.by_hand:",
        "if False:",
        "tests/unit/test_commands_hand.py::test_every_other_type_is_refused_by_name",
    ),
    Mutation(
        "what hands append is asserted",
        "ledger/commands/hand.py",
        'if body.get("trust", "asserted") != "asserted":',
        "if False:",
        "tests/unit/test_commands_hand.py::test_no_other_trust_than_asserted",
    ),
    Mutation(
        "another spelling of a line is a fault",
        "ledger/audit/schema.py",
        "if canon.canonical(event) != line:",
        "if False:",
        "tests/unit/test_audit.py::test_another_spelling_of_the_same_line_is_not_canonical",
    ),
    Mutation(
        "unknown types and newer versions are counted",
        "ledger/audit/schema.py",
        'self.unknown[f"{name} v{version}"] += 1',
        "pass",
        "tests/unit/test_audit.py::test_unknown_types_and_newer_versions_are_counted_not_faulted",
    ),
)
