"""What came and went is found from what was noted: whatever happened, a generation covers exactly what has rows."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from polyhop.indexes import segment_plan, segments
from polyhop.indexes.segments import read_arrays, write_arrays
from polyhop.layers import covered
from polyhop.ports import Ints
from polyhop.store.ledger import Ledger
from polyhop.store.place import place_of
from polyhop.store.record import Record
from tests.worlds.records import derive, document_of

Made = Callable[[], Path]
KEYS = st.sampled_from(["harbour", "mill", "tower", "bridge"])
TEXTS = st.lists(st.sampled_from(["ash ", "birch ", "cedar ", "elm ", "fir ", "oak "]), unique=True, max_size=6)
FINGERPRINTS = st.sampled_from(["v1", "v1", "v1", "v2"])
LAYER = "text"


@pytest.fixture
def made(home: Callable[[str], Path]) -> Made:
    """Makes a folder for another index."""
    return lambda: home(secrets.token_hex(8))


def gather(record: Record, fingerprint: str) -> None:
    """Bring segments up to date that hold nothing but the numbers of their passages."""
    folder = record.folder / "segments"
    current = record.generation(LAYER)
    kept = current.description["segments"] if current and current.description["fingerprint"] == fingerprint else []
    parts = [read_arrays(folder / name, ("numbers",))["numbers"] for name in kept]
    now = covered.look(record, LAYER, fingerprint, folder, kept, parts)
    names = list(kept[: now.plan.keep])
    if len(now.plan.new):
        names.append(secrets.token_hex(8))
        write_arrays(folder / names[-1], {"numbers": now.plan.new})
    now.settle(record, LAYER, folder, f"{names}{now.digest()}", {"fingerprint": fingerprint, "segments": names})


def searched(record: Record) -> list[int]:
    """The passages that whoever opens the generation now finds."""
    folder = record.folder / "segments"
    current = record.generation(LAYER)
    assert current is not None
    parts = [read_arrays(folder / name, ("numbers",))["numbers"] for name in current.description["segments"]]
    numbers, rows = segments.standing(parts, covered.live_in(record, current, folder))
    assert np.concatenate([np.empty(0, np.int64), *parts])[rows].tolist() == numbers.tolist()
    found: list[int] = numbers.tolist()
    return found


class Comings(RuleBasedStateMachine):
    """Documents come and go, rows are made, fail or are made anew; between any of it the layer is gathered."""

    def __init__(self, made: Made) -> None:
        super().__init__()
        self.folder = made()
        self.record = Record.create_or_open(self.folder)
        self.gathered: set[int] | None = None

    @rule(key=KEYS, texts=TEXTS)
    def put(self, key: str, texts: list[str]) -> None:
        """A document comes, or changes."""
        self.record.put(*document_of(key, *texts))

    @rule(keys=st.sets(KEYS, max_size=2))
    def drop(self, keys: set[str]) -> None:
        """Documents go."""
        self.record.drop(keys)

    @rule(fingerprint=FINGERPRINTS, most=st.integers(0, 8), settle=st.booleans())
    def extract(self, fingerprint: str, most: int, settle: bool) -> None:
        """Some of what is pending is done, under one fingerprint or another."""
        work = [pair for pair, _ in zip(self.record.pending(LAYER, fingerprint), range(most), strict=False)]
        rows = [(number, derive(LAYER, fingerprint, passage.text)) for number, passage in work]
        self.record.record_rows(LAYER, fingerprint, rows)
        if settle:
            self.record.settle(LAYER, fingerprint)

    @rule(fingerprint=FINGERPRINTS, number=st.integers(1, 20))
    def fail(self, fingerprint: str, number: int) -> None:
        """A passage fails, whether it had a row or not."""
        self.record.record_failures(LAYER, fingerprint, [(number, "refused")])

    @rule()
    def forget(self) -> None:
        """The layer is let go of."""
        self.record.forget(LAYER)
        self.gathered = None

    @rule(fingerprint=FINGERPRINTS)
    def gather(self, fingerprint: str) -> None:
        """What is found is what has rows, and stays so until passages go; then it is that without these."""
        gather(self.record, fingerprint)
        done = self.record.done(LAYER, fingerprint).tolist()
        assert searched(self.record) == done
        self.gathered = set(done)

    @rule()
    def look(self) -> None:
        """What went since the last gathering is not found."""
        if self.gathered is not None:
            assert searched(self.record) == sorted(self.gathered & set(self.record.numbers().tolist()))

    def teardown(self) -> None:
        """The index goes."""
        self.record.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def test_whatever_came_and_went_what_has_rows_is_found(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where segments are hardly ever written again, with most of their rows dead."""
    examples = 8 if place_of(made()) else 60  # a database answers more slowly than a file
    few = settings(max_examples=examples, stateful_step_count=30, deadline=None)
    for most_dead, share in ((0.2, 0.25), (1.0, 1.0)):
        monkeypatch.setattr(segment_plan, "MOST_DEAD", most_dead)
        monkeypatch.setattr(segment_plan, "SHARE", share)
        run_state_machine_as_test(cast("type[Comings]", partial(Comings, made)), settings=few)


def test_a_change_reads_no_list_of_all_passages(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither when it is gathered, nor when it is opened, nor to see what is pending."""
    with Record.create_or_open(made()) as record:
        record.put(*document_of("harbour", "ash ", "birch ", "cedar ", "elm "))
        extract(record)
        gather(record, "v1")
        record.put(*document_of("mill", "oak "))
        record.put(*document_of("harbour", "ash ", "birch ", "cedar "))

        def refuse(*_: object) -> Ints:
            raise AssertionError("all passages are listed")

        monkeypatch.setattr(Ledger, "done", refuse)
        monkeypatch.setattr(Ledger, "numbers", refuse)
        assert [passage.text for _, passage in record.pending(LAYER, "v1")] == ["oak "]
        assert record._settled(LAYER, "v1") == 4
        extract(record)
        gather(record, "v1")
        assert searched(record) == [1, 2, 3, 5]


def extract(record: Record) -> None:
    record.record_rows(LAYER, "v1", [(number, b"row") for number, _ in record.pending(LAYER, "v1")])
    record.settle(LAYER, "v1")


def test_an_index_of_an_earlier_version_learns_what_goes_with_its_next_writer(tmp_path: Path) -> None:
    with Record.create_or_open(tmp_path) as record:
        record.put(*document_of("harbour", "ash ", "birch "))
        with record.transaction(), record._writing() as connection:
            connection.execute("DROP TRIGGER passage_removed; DROP TABLE removed")
    with Record.open(tmp_path) as reader:  # before the writer comes
        assert reader.numbers().tolist() == [1, 2]
    with Record.create_or_open(tmp_path) as record:
        extract(record)
        gather(record, "v1")
        record.put(*document_of("harbour", "ash "))
        assert record.gone_since(0).tolist() == [2]
        assert searched(record) == [1]
