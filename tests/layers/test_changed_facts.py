"""A graph that is made of the one before is, byte for byte, the graph that is gathered whole."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.documents.chunking import cut
from polyhop.documents.loading import file_document
from polyhop.layers.facts.changed_graph import write_changed
from polyhop.layers.facts.gathered import Decoded, GatheredFacts, write_whole
from polyhop.layers.facts.layer import FactsLayer, encode
from polyhop.layers.facts.merges import keep_apart
from polyhop.layers.facts.touched import Before
from polyhop.layers.layer import fingerprint
from polyhop.models.choice import Models
from polyhop.ports import Embedder, Floats
from polyhop.settings import Chunking, Settings
from polyhop.store.record import Record
from polyhop.types import Fact, Passage

# Names that are one entity or another by what other passages say: by titles with brackets, as common nouns, by claims
# of an alias, by acronyms, by how often they are spelled so, and by articles, accents and words that two of them share.
TITLES = ("Korr", "Korr (ship)", "The Korr (film)", "Editor (film)", "Ada Brisk", "Tarn Rowing Club", "町", "…", "TRC")
NAMES = (
    *("Korr", "KORR", "The Korr", "Korr (ship)", "korr (film)", "korr ship", "editor", "the Editor", "Ada Brisk"),
    *("ada  brisk", "Old Patience", "Patience", "TRC", "Trc", "Tarn Rowing Club", "町", "町 (Oar)", "…", "Oar", "Öar"),
)
TEXTS = ("…", "The Tarn Rowing Club (TRC) rows.", "Korr Oar Dam (KOD) and KOD (Korr Oar Dam).", "Old Oar Day (OOD).")
RELATIONS = ("is", "is also known as", "known as", "was born", "lies on", "formerly")
LABELS = ("", "TITLE", "PERSON", "ORG", "DATE")

some_fact = st.builds(
    Fact,
    head=st.sampled_from(NAMES),
    relation=st.sampled_from(RELATIONS),
    tail=st.sampled_from(NAMES),
    start=st.integers(0, 3),
    end=st.integers(4, 9),
    head_label=st.sampled_from(LABELS),
    tail_label=st.sampled_from(LABELS),
    confidence=st.sampled_from([0.5, 1.0]),
)
some_passage = st.tuples(
    st.sampled_from(TITLES),
    st.sampled_from(TEXTS),
    st.lists(some_fact, max_size=4),
    st.dictionaries(st.sampled_from(["head", "evidence"]), st.integers(1, 3), max_size=2),
)
Told = tuple[str, str, list[Fact], dict[str, int]]


def lengths(texts: Sequence[str]) -> Floats:
    """Vectors that differ where the texts do."""
    return np.array([[len(text), sum(map(ord, text))] for text in texts], np.float32).reshape(-1, 2)


def fact(head: str, relation: str, tail: str) -> Fact:
    """A fact whose evidence is the first letter of its passage."""
    return Fact(head=head, relation=relation, tail=tail, start=0, end=1)


def decoded(passages: Mapping[int, Told]) -> Iterator[Decoded]:
    """Passages as they are decoded, by their numbers."""
    for number, (title, text, facts, rejected) in passages.items():
        told = Passage(id=str(number), document_id="d", ordinal=0, start=0, end=len(text), title=title, text=text)
        yield number, told, facts, rejected


def arrays_in(folder: Path) -> dict[str, bytes]:
    """The arrays of a generation, byte for byte."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.npy")}


def whole(folder: Path, passages: Mapping[int, Told], apart: Iterable[tuple[str, str]] = ()) -> dict[str, bytes]:
    """A generation that is gathered whole."""
    write_whole(folder, GatheredFacts.of(decoded(passages)), lengths, apart)
    return arrays_in(folder)


def changed(
    folder: Path, earlier: Path, stay: Iterable[int], new: Mapping[int, Told], apart: Iterable[tuple[str, str]] = ()
) -> dict[str, bytes]:
    """A generation that is made of another one."""
    numbers = np.array(sorted(stay), np.int64)
    write_changed(folder, Before.open(earlier, numbers), GatheredFacts.of(decoded(new)), lengths, apart)
    return arrays_in(folder)


APART = [("korr", "korr (film)"), ("ada brisk", "old patience")]


CLUB: Told = ("…", TEXTS[1], [fact("Tarn Rowing Club", "is", "Oar")], {})
SHIP: Told = ("Korr (ship)", "…", [fact("Korr (ship)", "is", "Oar"), fact("Korr", "lies on", "Oar")], {})
ALIAS: Told = ("…", "…", [fact("Ada Brisk", "is also known as", "Old Patience")], {})
REACHED: dict[str, tuple[list[Told], Told]] = {
    "a name and its acronym": ([CLUB], ("…", "…", [fact("TRC", "is", "Oar")], {})),
    "an acronym and its name": ([("…", "…", [*CLUB[2], fact("TRC", "is", "Oar")], {})], ("…", TEXTS[1], [], {})),
    "an alias that another claims": ([ALIAS], ("…", "…", [fact("Korr", "is also known as", "Old Patience")], {})),
    "an alias that says who it is": ([("…", "…", [fact("Ada Brisk", "is", "Patience")], {})], ALIAS),
    "what a title tells apart": ([SHIP, ("…", "…", [fact("Korr", "is", "Oar")], {})], ("Korr (film)", "…", [], {})),
    "what other titles tell apart": (
        [SHIP, ("The Korr", "…", [], {})],
        ("…", "…", [fact("KORR (ship)", "is", "Oar")], {}),
    ),
    "a title and a common noun": (
        [("Editor (film)", "…", [fact("Editor (film)", "is", "Oar"), fact("The Editor", "is", "Oar")], {})],
        ("…", "…", [fact("an editor", "is", "Oar")], {}),
    ),
    "a title within a longer one": (
        [("Editor (film)", "…", [fact("Editor (film)", "is", "Oar")], {})],
        ("The editors of Oar", "…", [fact("editor", "is", "Oar")], {}),
    ),
    "how an entity is spelled": (
        [("…", "…", [fact("KORR", "is", "Oar")], {})],
        ("…", "…", [fact("Korr", "is", "Öar")], {}),
    ),
    "a name within another": (
        [("…", "…", [fact("Ada", "is", "Ada Brisk")], {})],
        ("…", "…", [fact("Ada B", "is", "Oar")], {}),
    ),
}


@pytest.mark.parametrize("reached", REACHED)
def test_a_change_reaches_what_it_decides(reached: str, tmp_path: Path) -> None:
    """One passage comes, and goes again."""
    others, one = REACHED[reached]
    for at in (0, 9):  # before the others, and behind them
        place, there = tmp_path / str(at), dict(enumerate(others, 1))
        both = dict(sorted({**there, at: one}.items()))
        without, within = whole(place / "without", there), whole(place / "with", both)
        assert changed(place / "come", place / "without", there, {at: one}) == within
        assert changed(place / "gone", place / "with", there, {}) == without


@settings(max_examples=60)  # of three generations each
@given(
    st.dictionaries(st.integers(1, 9), some_passage),
    st.dictionaries(st.integers(1, 12), some_passage, max_size=4),
    st.sets(st.integers(1, 9)),
    st.sampled_from([(), APART]),
)
def test_changed_is_whole(
    there: dict[int, Told], come: dict[int, Told], gone: set[int], apart: Sequence[tuple[str, str]]
) -> None:
    stay = {number: told for number, told in there.items() if number not in gone}
    new = {number: told for number, told in come.items() if number not in there}
    with TemporaryDirectory() as place:
        whole(Path(place) / "before", there, apart)
        now = changed(Path(place) / "now", Path(place) / "before", stay, new, apart)
        assert now == whole(Path(place) / "whole", dict(sorted({**stay, **new}.items())), apart)


@settings(max_examples=20)
@given(st.lists(st.tuples(some_passage, st.sets(st.integers(0, 8))), min_size=1, max_size=6))
def test_what_comes_and_goes_again_was_never_there(changes: list[tuple[Told, set[int]]]) -> None:
    """One passage comes with each change, and some go; in the end those that are left are all there is."""
    with TemporaryDirectory() as place:
        folders = (Path(place) / str(step) for step in count())
        earlier, there = next(folders), dict[int, Told]()
        whole(earlier, there)
        for number, (told, gone) in enumerate(changes, 1):
            there = {one: each for one, each in there.items() if one not in gone}
            folder = next(folders)
            changed(folder, earlier, there, {number: told})
            earlier, there = folder, {**there, number: told}
        assert arrays_in(earlier) == whole(next(folders), there)


@settings(max_examples=20)
@given(st.dictionaries(st.integers(1, 9), some_passage), st.dictionaries(st.integers(10, 14), some_passage, max_size=3))
def test_passages_that_come_and_go_leave_no_trace(there: dict[int, Told], come: dict[int, Told]) -> None:
    with TemporaryDirectory() as place:
        before = whole(Path(place) / "before", dict(sorted(there.items())))
        changed(Path(place) / "more", Path(place) / "before", there, come)
        assert changed(Path(place) / "less", Path(place) / "more", there, {}) == before


# The layer: which way it takes, and what a kill leaves.


@dataclass(frozen=True)
class MadeUp:
    """Vectors of texts that no model has to read."""

    name: str = "made-up"
    dimensions: int = 2

    def embed_passages(self, texts: Sequence[str]) -> Floats:
        """Some vectors."""
        return lengths(texts)

    def embed_questions(self, texts: Sequence[str]) -> Floats:
        """The same."""
        return lengths(texts)


class WithoutModel(Models):
    """The default models, with such vectors."""

    @property
    def embedder(self) -> Embedder:
        """The made-up one."""
        return MadeUp()


LAYER, MODELS = FactsLayer(), WithoutModel(Settings())


DAYS: list[Told] = [(f"Day {day}", "…", [fact(f"Day {day}", "follows", f"Day {day - 1}")], {}) for day in range(1, 13)]
NEW: list[Told] = [
    ("Korr (ship)", TEXTS[1], [fact("Korr", "is also known as", "Old Oar"), fact("TRC", "has", "KORR")], {}),
    ("Korr", TEXTS[2], [fact("Korr", "is", "day 3"), fact("Oar", "lies on", "Korr")], {"head": 2}),
]


def gather(index: Path) -> dict[str, bytes]:
    """Bring the graph of an index up to date, and read its arrays."""
    with Record.create_or_open(index) as record:
        LAYER.gather(record, index / "generations" / "facts", fingerprint(LAYER, MODELS), MODELS)
        current = record.generation("facts")
        assert current is not None
        assert LAYER.open(record, index / "generations" / "facts", MODELS).alive.all()
        return arrays_in(index / "generations" / "facts" / current.name)


def store(index: Path, passages: Sequence[Told]) -> None:
    """Put in documents, with what they state."""
    with Record.create_or_open(index) as record:
        for title, text, facts, rejected in passages:
            document = file_document(f"/{title}.txt", text, "text/plain", title=title)
            cuts = cut(document, Chunking())
            record.put(document, cuts)
            numbers = record.numbers_by_id([one.id for one in cuts]).values()
            rows = [(number, encode(facts, rejected)) for number in numbers]
            record.record_rows("facts", fingerprint(LAYER, MODELS), rows)


def drop(index: Path, *titles: str) -> None:
    """Take out documents."""
    with Record.create_or_open(index) as record:
        record.drop([row.id for row in record.documents() if row.title in titles])


def at_once(index: Path) -> dict[str, bytes]:
    """The arrays that the same record has where nothing was gathered before."""
    copy = index.with_name(f"{index.name}-whole")
    shutil.copytree(index, copy, ignore=shutil.ignore_patterns("generations"))
    return gather(copy)


def test_a_change_gives_what_gathering_at_once_gives(tmp_path: Path) -> None:
    store(tmp_path / "index", DAYS)
    before = gather(tmp_path / "index")
    store(tmp_path / "index", NEW)
    drop(tmp_path / "index", "Day 7")
    assert gather(tmp_path / "index") == at_once(tmp_path / "index") != before


@pytest.mark.parametrize("damage", ["of an earlier version", "damaged"])
def test_a_generation_that_cannot_be_built_upon_is_gathered_again(tmp_path: Path, damage: str) -> None:
    """One of an earlier version does not say what a change touches; facts are not extracted again for it."""
    store(tmp_path / "index", DAYS)
    gather(tmp_path / "index")
    (folder,) = (tmp_path / "index" / "generations" / "facts").iterdir()
    if damage == "damaged":
        (folder / "gathered/names" / "claims.npy").write_bytes(b"")
    else:
        shutil.rmtree(folder / "gathered/names")
    store(tmp_path / "index", NEW)
    assert "gathered/names/claims.npy" in (now := gather(tmp_path / "index"))
    assert now == at_once(tmp_path / "index")


def test_what_was_kept_apart_is_kept_apart_in_changes(tmp_path: Path) -> None:
    index = tmp_path / "index"
    store(index, [*DAYS, *NEW])
    together = gather(index)
    with Record.create_or_open(index) as record:
        graph = LAYER.open(record, index / "generations" / "facts", MODELS)
        assert keep_apart(record, graph, ["Old Oar"])
    assert gather(index) != together
    drop(index, "Day 2")
    assert gather(index) == at_once(index)


def gather_and_die(index: Path, step: int) -> int:
    """Gather in a process that is killed when it puts the ``step``-th folder in its place; how it ended."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    steps = count(1)
    sys.addaudithook(lambda event, _: os.kill(os.getpid(), 9) if event == "os.rename" and next(steps) == step else None)
    gather(index)
    os._exit(0)


def kill_at_each_step(place: Path) -> None:
    """For a process of its own, which has no threads: what was killed at any step gathers as if nothing had been."""
    shutil.copytree(place / "index", place / "undisturbed")
    undisturbed = gather(place / "undisturbed")
    for step in count(1):
        index = place / str(step)
        shutil.copytree(place / "index", index)
        if gather_and_die(index, step) == 0:
            break
        assert gather(index) == undisturbed
        assert len(list((index / "generations" / "facts").iterdir())) == 1
    assert step > 12


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")
def test_killed_at_any_step_and_resumed_is_never_killed(tmp_path: Path) -> None:
    store(tmp_path / "index", DAYS)
    gather(tmp_path / "index")
    store(tmp_path / "index", NEW)
    drop(tmp_path / "index", "Day 7")
    process = get_context("spawn").Process(target=kill_at_each_step, args=(tmp_path,))
    process.start()
    process.join()
    assert process.exitcode == 0
