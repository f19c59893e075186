"""ParseKG is the same, byte for byte, however little memory it is gathered in, and whoever was killed before."""

from __future__ import annotations

import shutil
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.engine import Polyhop
from polyhop.errors import SettingError
from polyhop.indexes import run_merging
from polyhop.indexes.adjacency import Adjacency
from polyhop.indexes.names import Names, normal
from polyhop.indexes.segments import read_arrays, write_arrays
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
from polyhop.types import Mention, Passage, Sentence

Said = dict[int, tuple[Passage, list[Sentence]]]
NAMES = ("Ada Brisk", "ada  brisk", "Čapek", "Fennick", "The Fennick", "Quill\u00a0mouth", "霧島", "Oar \udcff", "1841")
MEMORY = 20_000  # bytes: far too few for the index of the tests
LABELS = ("PERSON", "GPE", "DATE")


def simply(said: Said, folder: Path) -> dict[str, int]:
    """The same graph with everything in memory: what gathering is compared with."""
    spellings: defaultdict[str, Counter[str]] = defaultdict(Counter)
    labels: defaultdict[str, Counter[str]] = defaultdict(Counter)
    pairs: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    places: list[tuple[int, int, int]] = []
    hyperrelations = []
    for row, (passage, sentences) in enumerate(said.values()):
        if title := normal(passage.title):
            pairs["titled"].append((title, row))
            spellings[title][passage.title] += 1
            labels[title]["TITLE"] += 1
        for sentence in sentences:
            for mention in sentence.mentions:
                pairs["out" if mention.head else "into"].append((mention.key, len(places)))
                pairs["mentioned"].append((mention.key, row))
                if mention.label != "TITLE":
                    spellings[mention.key][mention.name] += 1
                    labels[mention.key][mention.label] += 1
            places.append((row, sentence.start, sentence.end))
            hyperrelations.append(sentence.hyperrelation)
    keys = sorted(spellings)
    ids = {key: place for place, key in enumerate(keys)}
    often = [sorted(spellings[key].items(), key=lambda item: (-item[1], item[0])) for key in keys]
    Names.build(keys, np.arange(len(keys))).save(folder / "names")
    Texts.build(["\n".join(" ".join(name.split()) for name, _ in each) for each in often]).save(folder / "aliases")
    Texts.build([min(labels[key].items(), key=lambda item: (-item[1], item[0]))[0] for key in keys]).save(
        folder / "labels"
    )
    Texts.build(hyperrelations).save(folder / "hyperrelations")
    for name in ("out", "into", "mentioned", "titled"):
        found = np.array([(ids[key], right) for key, right in pairs[name]], np.int64).reshape(-1, 2)
        made = Adjacency.build(found, len(keys))
        made.save(folder / name)
        if name == "mentioned":
            made.reverse(len(said)).save(folder / "contains")
    table = np.array(places, np.int64).reshape(-1, 3)
    numbers = np.array(list(said), np.int64)
    write_arrays(folder / "places", {"numbers": numbers, "sentence_rows": table[:, 0], "sentence_spans": table[:, 1:]})
    return {
        "hyperrelations": len(places),
        "headless": len(places) - len({place for _, place in pairs["out"]}),
        "entities": len(keys),
        "entry entities": len({key for key, _ in pairs["out"]}),
        "head links": len(set(pairs["out"])),
        "tail links": len(set(pairs["into"])),
    }


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@st.composite
def sentences(draw: st.DrawFn, title: str) -> Sentence:
    mentions = draw(st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(LABELS), st.booleans()), max_size=4))
    found = [
        Mention(name=name, key=normal(name), label=label, start=1, end=2, head=head) for name, label, head in mentions
    ]
    if normal(title):
        found.insert(0, Mention(name=title, key=normal(title), label="TITLE", start=0, end=0, head=True))
    start = draw(st.integers(0, 9))
    said = draw(st.text(st.sampled_from("a#é \udcff"), max_size=6))
    return Sentence(start=start, end=start + len(said), hyperrelation=said, mentions=tuple(found))


@st.composite
def worlds(draw: st.DrawFn) -> Said:
    """Passages by number, with what they say."""
    numbers = sorted(draw(st.sets(st.integers(1, 40), max_size=7)))
    found: Said = {}
    for number in numbers:
        title = draw(st.sampled_from(["", "***", *NAMES]))
        passage = Passage(id=str(number), document_id="d", ordinal=0, start=0, end=3, title=title, text="any")
        found[number] = passage, draw(st.lists(sentences(title), max_size=3))
    return found


def gathered(said: Said, folder: Path, memory: int) -> dict[str, int]:
    def read(numbers: Ints) -> Iterator[tuple[int, Passage, Sequence[Sentence]]]:
        return ((number, *said[number]) for number in numbers.tolist())

    return gathering.write(folder, np.array(list(said), np.int64), read, runs=folder.with_name("runs"), memory=memory)


@settings(deadline=None, max_examples=60)
@given(worlds(), st.integers(0, 6000), st.integers(1, 9))
def test_gathered_in_runs_of_any_size_it_equals_what_is_gathered_whole(said: Said, memory: int, piece: int) -> None:
    """Also where links, keys and bytes are read and written in small pieces."""
    with TemporaryDirectory() as place, pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_merging, "AT_ONCE", piece)
        for name in ("AT_ONCE", "ENTITIES", "WRITTEN"):
            patch.setattr(merging, name, 64 * piece if name == "AT_ONCE" else piece)
        expected = simply(said, Path(place) / "simply")
        assert gathered(said, Path(place) / "runwise", memory) == expected
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
        before = files(folder / current.name)
        assert len(numbers) > 20
        shutil.rmtree(folder / current.name)
        layer.gather(record, folder, mark, models, memory=MEMORY)
        assert record.generation("parsekg") == current
        assert files(folder) == {f"{current.name}/{name}": content for name, content in before.items()}


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
            with (finished[0] / "keys.npy").open("r+b") as file:
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


def test_opening_finds_what_was_gathered(fresh_index: Path, models: Models) -> None:
    """The arrays are those that the graph reads."""
    with Polyhop(fresh_index) as engine:
        assert engine.status().entities
    with Record.open(fresh_index) as record:
        current = record.generation("parsekg")
        assert current is not None
        folder = fresh_index / "generations" / "parsekg" / current.name
        graph = ParseKG.open(folder, record.numbers())
        assert len(graph) == current.description["entities"]
        assert read_arrays(folder / "names", ("values",))["values"].tolist() == list(range(len(graph)))


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
