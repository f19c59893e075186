"""Laws of the store under any sequence of changes, checked against a model made of dictionaries."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from polyhop.store.place import place_of
from polyhop.store.record import Record
from tests.worlds.records import derive, document_of, dump

Made = Callable[[], Path]
KEYS = st.sampled_from(["harbour", "mill", "tower"])
TEXTS = st.lists(st.sampled_from(["ash ", "birch ", "cedar ", "elm ", "fir "]), unique=True, max_size=4)
LAYERS = st.sampled_from(["text", "facts"])
FINGERPRINTS = st.sampled_from(["v1", "v2"])


@pytest.fixture
def made(home: Callable[[str], Path]) -> Made:
    """Makes a folder for another index."""
    return lambda: home(secrets.token_hex(8))


class Histories(RuleBasedStateMachine):
    """Puts, drops, rows and failures in any order; the model knows what must be there."""

    def __init__(self, made: Made) -> None:
        super().__init__()
        self.folder = made()
        self.record = Record.create_or_open(self.folder)
        self.reader = Record.open(self.folder)  # all the while
        self.documents: dict[str, tuple[str, ...]] = {}
        self.numbers: dict[tuple[str, str], int] = {}  # document and text: number
        self.ledger: dict[tuple[str, int], tuple[str, bytes | None]] = {}
        self.highest = 0

    @rule(key=KEYS, texts=TEXTS)
    def put(self, key: str, texts: list[str]) -> None:
        """Unchanged passages keep their numbers; new ones get numbers never seen before."""
        before = self.documents.get(key)
        change = self.record.put(*document_of(key, *texts))
        assert change == ("added" if before is None else "unchanged" if before == tuple(texts) else "changed")
        self.documents[key] = tuple(texts)
        self._forget({(key, text) for text in before or ()} - {(key, text) for text in texts})
        passages = document_of(key, *texts)[1]
        known = self.record.numbers_by_id([passage.id for passage in passages])
        for passage in passages:
            number = known[passage.id]
            if (key, passage.text) not in self.numbers:
                assert number > self.highest
            assert self.numbers.setdefault((key, passage.text), number) == number
        self.highest = max([self.highest, *known.values()])

    @rule(keys=st.sets(KEYS))
    def drop(self, keys: set[str]) -> None:
        """Dropping counts the passages that went."""
        gone = {(key, text) for key in keys for text in self.documents.pop(key, ())}
        assert self.record.drop(keys) == len(gone)
        self._forget(gone)

    @rule(layer=LAYERS, fingerprint=FINGERPRINTS, most=st.integers(0, 3))
    def extract(self, layer: str, fingerprint: str, most: int) -> None:
        """A layer works through the first few passages that are pending."""
        work = [pair for pair, _ in zip(self.record.pending(layer, fingerprint), range(most), strict=False)]
        rows = [(number, derive(layer, fingerprint, passage.text)) for number, passage in work]
        assert self.record.record_rows(layer, fingerprint, rows) == len(rows)
        self.ledger.update({(layer, number): (fingerprint, row) for number, row in rows})

    @rule(layer=LAYERS, fingerprint=FINGERPRINTS, number=st.integers(1, 12))
    def fail(self, layer: str, fingerprint: str, number: int) -> None:
        """A failure of a passage that is gone is not noted."""
        noted = self.record.record_failures(layer, fingerprint, [(number, "refused")])
        assert noted == (number in self.numbers.values())
        if noted:
            self.ledger[layer, number] = (fingerprint, None)

    @rule(layer=LAYERS)
    def forget(self, layer: str) -> None:
        """A forgotten layer has done nothing."""
        mine = [entry for entry in self.ledger if entry[0] == layer]
        assert self.record.forget(layer) == len(mine)
        for entry in mine:
            del self.ledger[entry]

    @rule(key=KEYS, layer=LAYERS)
    def undo(self, key: str, layer: str) -> None:
        """What was undone leaves nothing to remember."""
        before = self.record.layers(), self.record.state()
        with suppress(RuntimeError), self.record.transaction():
            self.record.drop([key])
            self.record.set_generation(layer, "never", {})
            assert self.record.state() != before[1]
            raise RuntimeError
        assert (self.record.layers(), self.record.state()) == before

    @precondition(lambda self: self.documents)
    @rule()
    def reopen(self) -> None:
        """Closing and opening changes nothing."""
        before = dump(self.record)
        self.record.close()
        self.record = Record.create_or_open(self.folder)
        assert dump(self.record) == before

    @invariant()
    def holds_exactly_the_documents(self) -> None:
        """Every document reads as it was last put."""
        assert {row.id: row.passages for row in self.record.documents()} == {
            key: len(texts) for key, texts in self.documents.items()
        }
        assert self.record.numbers().tolist() == sorted(self.numbers.values())
        for key, texts in self.documents.items():
            document, passages = document_of(key, *texts)
            assert self.record.document(key) == document
            assert self.record.passages([self.numbers[key, text] for text in texts]) == passages

    @invariant()
    def everybody_is_told_the_same(self) -> None:
        """Whoever writes and whoever has been reading, of layers and of when to look again."""
        assert self.record.layers() == self.reader.layers() == sorted({layer for layer, _ in self.ledger})
        with Record.open(self.folder) as anew:
            assert self.record.state() == self.reader.state() == anew.state()

    @invariant()
    def ledger_is_exact(self) -> None:
        """Pending, status and payloads are what the model says."""
        for layer in ("text", "facts"):
            entries = {number: entry for (name, number), entry in self.ledger.items() if name == layer}
            rows = {number: row for number, (_, row) in sorted(entries.items()) if row is not None}
            assert list(self.record.payloads(layer)) == list(rows.items())
            for fingerprint in ("v1", "v2"):
                self._check_pending(layer, fingerprint, entries)

    def _check_pending(self, layer: str, fingerprint: str, entries: dict[int, tuple[str, bytes | None]]) -> None:
        live = sorted(self.numbers.values())
        for retry in (True, False):
            settled = {
                n for n, (made, row) in entries.items() if made == fingerprint and (row is not None or not retry)
            }
            expected = [number for number in live if number not in settled]
            assert [number for number, _ in self.record.pending(layer, fingerprint, retry)] == expected
            assert self.record.count_pending(layer, fingerprint, retry) == len(expected)
        status = self.record.layer_status(layer, fingerprint)
        assert status.done + status.failed + status.stale + status.missing == len(live)
        assert status.stale == sum(made != fingerprint for made, _ in entries.values())
        assert status.failed == sum(made == fingerprint and row is None for made, row in entries.values())

    def _forget(self, gone: Iterable[tuple[str, str]]) -> None:
        numbers = {self.numbers.pop(key) for key in gone}
        self.ledger = {key: entry for key, entry in self.ledger.items() if key[1] not in numbers}

    def teardown(self) -> None:
        """Whatever happened, the file is sound."""
        self.record.verify()
        self.reader.close()
        self.record.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def test_histories(made: Made) -> None:
    examples = 8 if place_of(made()) else 30  # a database answers more slowly than a file
    few = settings(max_examples=examples, stateful_step_count=25, deadline=None)
    run_state_machine_as_test(cast("type[Histories]", partial(Histories, made)), settings=few)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(kept=st.dictionaries(KEYS, TEXTS, max_size=2), extra=TEXTS, again=st.booleans())
def test_insert_then_delete_equals_never_inserted(
    made: Made, kept: dict[str, list[str]], extra: list[str], again: bool
) -> None:
    """A document that came and went, rows and all, leaves no trace but the numbers it used."""
    histories = []
    for detour in (False, True):
        folder = made()
        with Record.create_or_open(folder) as record:
            for key, texts in kept.items():
                record.put(*document_of(key, *texts))
            for _ in range(1 + again if detour else 0):
                record.put(*document_of("visitor", *extra))
                extract_all(record)
                record.drop(["visitor"])
            extract_all(record)
            histories.append(dump(record))
        shutil.rmtree(folder, ignore_errors=True)
    assert histories[0] == histories[1]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(versions=st.lists(TEXTS, min_size=1, max_size=4))
def test_updating_equals_putting_the_last_version_only(made: Made, versions: list[list[str]]) -> None:
    """However a document got there, its final state and its rows are those of its last version."""
    histories = []
    for history in (versions, versions[-1:]):
        folder = made()
        with Record.create_or_open(folder) as record:
            for texts in history:
                record.put(*document_of("harbour", *texts))
                extract_all(record)
            histories.append(dump(record))
        shutil.rmtree(folder, ignore_errors=True)
    assert histories[0]["passages"] == histories[1]["passages"]
    assert histories[0]["payloads"] == histories[1]["payloads"]


def extract_all(record: Record) -> None:
    """Bring both layers up to date."""
    for layer in ("text", "facts"):
        rows = [(number, derive(layer, "v1", passage.text)) for number, passage in record.pending(layer, "v1")]
        record.record_rows(layer, "v1", rows)
