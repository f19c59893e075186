"""ParseKG is the same, byte for byte, however little memory it is gathered in, and whoever was killed before."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.errors import SettingError
from polyhop.indexes import run_merging
from polyhop.indexes.adjacency import Adjacency
from polyhop.indexes.csr import offsets
from polyhop.indexes.digests import SEEN
from polyhop.indexes.names import Names, normal
from polyhop.indexes.streamed import FolderWriter, streamed
from polyhop.indexes.texts import Texts
from polyhop.indexing import memory as memory_allowed
from polyhop.indexing.memory import allowed
from polyhop.layers.layer import fingerprint, layer_of
from polyhop.layers.parsekg import gathering, merging
from polyhop.layers.parsekg.graph import ParseKG
from polyhop.layers.parsekg.layer import ParseKGLayer
from polyhop.models.choice import Models
from polyhop.ports import Ints
from polyhop.settings import Indexing, Settings
from polyhop.store.record import Record
from polyhop.types import Passage, Sentence
from tests.worlds.sentences import Said, worlds

MEMORY = 20_000  # bytes: far too few for the index of the tests


def simply(said: Said, writer: FolderWriter) -> None:
    """The same segment with everything in memory: what gathering is compared with."""
    readings: defaultdict[tuple[str, str, str], list[int]] = defaultdict(list)
    pairs: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    places: list[tuple[int, int, int]] = []
    hyperrelations = []
    for row, (passage, sentences) in enumerate(said.values()):
        if title := normal(passage.title):
            pairs["titled"].append((title, row))
            pairs["mentioned"].append((title, row))
            readings[title, shown(passage.title), "TITLE"].append(row)
        for sentence in sentences:
            for mention in sentence.mentions:
                pairs["out" if mention.head else "into"].append((mention.key, len(places)))
                pairs["mentioned"].append((mention.key, row))
                if mention.label != "TITLE":
                    readings[mention.key, shown(mention.name), mention.label].append(row)
            places.append((row, sentence.start, sentence.end))
            hyperrelations.append(sentence.hyperrelation)
    keys = sorted({key for key, _, _ in readings})
    ids = {key: place for place, key in enumerate(keys)}
    writer.keep("names", Names.build(keys, np.arange(len(keys))))
    writer.part("ids").put({"held": np.empty(0, np.int64), "places": np.empty(0, np.int64)})
    texts = Texts.build([f"{spelling}\0{label}" for _, spelling, label in sorted(readings)])
    first = offsets([sum(key == of for of, _, _ in readings) for key in keys])
    writer.part("readings").put({"blob": texts.blob, "bounds": texts.bounds, "first": first})
    rows = [readings[reading] for reading in sorted(readings)]
    rights = np.fromiter(chain.from_iterable(rows), np.int64)
    writer.keep("said", Adjacency(starts=offsets(map(len, rows)), rights=rights))
    writer.keep("hyperrelations", Texts.build(hyperrelations))
    for name in ("out", "into", "mentioned", "titled"):
        found = np.array([(ids[key], right) for key, right in pairs[name]], np.int64).reshape(-1, 2)
        made = Adjacency.build(found, len(keys))
        writer.keep(name, made)
        if name == "mentioned":
            writer.keep("contains", made.reverse(len(said)))
    table = np.array(places, np.int64).reshape(-1, 3)
    counts = [len(places), len(places) - len({place for _, place in pairs["out"]}), len(keys)]
    counts += [len({key for key, _ in pairs["out"]}), len(set(pairs["out"])), len(set(pairs["into"]))]
    arrays = {"sentence_rows": table[:, 0], "sentence_spans": table[:, 1:], "counts": np.array(counts, np.int64)}
    writer.part("places").put({"numbers": np.array(list(said), np.int64), **arrays})


def shown(name: str) -> str:
    return " ".join(name.split()).encode("utf-8", "replace").decode()


def files(folder: Path) -> dict[str, bytes]:
    """All of them but the one that tells when they were read."""
    found = (path for path in folder.rglob("*") if path.is_file() and path.name != SEEN)
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def gathered(said: Said, folder: Path, memory: int, earlier: ParseKG) -> None:
    def read(numbers: Ints) -> Iterator[tuple[int, Passage, Sequence[Sentence]]]:
        return ((number, *said[number]) for number in numbers.tolist())

    numbers = np.array(list(said), np.int64)
    gathering.write(folder, numbers, read, earlier=earlier, runs=folder.with_name("runs"), memory=memory)


@settings(deadline=None, max_examples=60)
@given(worlds(), st.integers(0, 6000), st.integers(1, 9))
def test_gathered_in_runs_of_any_size_it_equals_what_is_gathered_whole(said: Said, memory: int, piece: int) -> None:
    """Also where links, keys and bytes are read and written in small pieces."""
    with TemporaryDirectory() as place, pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_merging, "AT_ONCE", piece)
        for name in ("AT_ONCE", "READINGS", "WRITTEN"):
            patch.setattr(merging, name, 64 * piece if name == "AT_ONCE" else piece)
        with streamed(Path(place) / "simply") as writer:
            simply(said, writer)
        gathered(said, Path(place) / "runwise", memory, ParseKG(Path(place), ()))
        assert files(Path(place) / "runwise") == files(Path(place) / "simply")


def said_in(index: Path, models: Models) -> tuple[Record, ParseKGLayer, str, Ints]:
    record = Record.create_or_open(index)
    layer = layer_of("parsekg", Settings())
    assert isinstance(layer, ParseKGLayer)
    mark = fingerprint(layer, models)
    return record, layer, mark, record.done("parsekg", mark)


def test_a_real_index_gathered_with_hardly_any_memory_is_the_same(fresh_index: Path, models: Models) -> None:
    record, layer, mark, numbers = said_in(fresh_index, models)
    with record:
        current = record.generation("parsekg")
        assert current is not None
        folder = fresh_index / "generations" / "parsekg"
        before = files(folder)
        assert len(numbers) > 20
        shutil.rmtree(folder)
        layer.gather(record, folder, mark, models, memory=MEMORY)
        assert record.generation("parsekg") == current
        assert files(folder) == before


def noted(found: Iterable[gathering.Said], numbers: list[int]) -> Iterator[gathering.Said]:
    """The same, with a note of what was read."""
    for each in found:
        numbers.append(each[0])
        yield each


class Killed(BaseException):
    """Instead of a signal."""


@pytest.mark.parametrize("damage", [False, True])
def test_killed_while_collecting_the_next_one_goes_on_behind_the_runs_that_are_there(
    fresh_index: Path, models: Models, monkeypatch: pytest.MonkeyPatch, damage: bool
) -> None:
    """Finished runs are not made again, unless they are damaged; in the end nothing of them is left."""
    record, layer, mark, numbers = said_in(fresh_index, models)
    folder = fresh_index / "generations" / "parsekg"
    before = files(folder)
    shutil.rmtree(folder)
    read: list[int] = []
    last = int(numbers[2 * len(numbers) // 3])
    said = ParseKGLayer._said

    def dying(self: ParseKGLayer, record: Record, numbers: Ints) -> Iterator[tuple[int, Passage, list[Sentence]]]:
        for each in said(self, record, numbers):
            read.append(each[0])
            if each[0] == last:
                raise Killed
            yield each

    monkeypatch.setattr(ParseKGLayer, "_said", dying)
    with record:
        with pytest.raises(Killed):
            layer.gather(record, folder, mark, models, memory=MEMORY)
        finished = sorted(next(folder.glob(".runs-*")).iterdir(), key=lambda run: int(run.name.partition("-")[2]))
        assert len(finished) > 1
        if damage:
            with (finished[0] / "readings.npy").open("r+b") as file:
                file.seek(-1, 2)
                file.write(b"?")
        read.clear()
        monkeypatch.setattr(ParseKGLayer, "_said", said)
        again = gathering._collected
        monkeypatch.setattr(gathering, "_collected", lambda found, memory: again(noted(found, read), memory))
        layer.gather(record, folder, mark, models, memory=MEMORY)
    assert files(folder) == before
    assert (int(numbers[0]) in read) == damage
    assert len(read) < len(numbers)


def test_memory_is_what_is_set_or_a_quarter_of_what_there_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert allowed(Indexing(memory=64)) == 64 << 20
    assert allowed(Indexing()) >= memory_allowed.LEAST
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(memory_allowed, "_LIMITS", (limit, tmp_path / "none"))
    without = allowed(Indexing())
    limit.write_text("max\n", encoding="ascii")
    assert allowed(Indexing()) == without
    limit.write_text(f"{1 << 29}\n", encoding="ascii")
    assert allowed(Indexing()) == 1 << 27
    with pytest.raises(SettingError, match="at least 64"):
        Settings.from_mapping({"index": {"memory": "8"}})
