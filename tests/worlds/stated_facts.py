"""Passages that state facts whose names are one entity or another by what other passages say."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from polyhop.documents.chunking import cut
from polyhop.documents.loading import file_document
from polyhop.indexing.run import IndexRun
from polyhop.layers.facts.gathered import Decoded, GatheredFacts, write_whole
from polyhop.layers.facts.layer import FactsLayer, encode
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
        graph = LAYER.open(record, index / "generations" / "facts", MODELS)
        assert graph.alive[graph.rows[graph.facts]].all()
        return arrays_in(index / "generations" / "facts" / current.name)


def merge(index: Path) -> None:
    """Write what changes have made worth writing."""
    IndexRun(path=index, settings=Settings(), models=MODELS, layers=(LAYER.name,)).merge()


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


def merge_and_gather(index: Path) -> dict[str, bytes]:
    """What follows a change that was found; the arrays of the graph."""
    merge(index)
    return gather(index)


def die_while(work: Callable[[Path], object], index: Path, step: int) -> int:
    """Work in a process that is killed when it puts the ``step``-th folder in its place; how it ended."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    steps = count(1)
    sys.addaudithook(lambda event, _: os.kill(os.getpid(), 9) if event == "os.rename" and next(steps) == step else None)
    work(index)
    os._exit(0)


def kill_at_each_step(
    place: Path, generations: int, work: Callable[[Path], dict[str, bytes]] = gather, steps: int = 12
) -> None:
    """For a process of its own, which has no threads: what was killed at any step works as if nothing had been."""
    shutil.copytree(place / "index", place / "undisturbed")
    undisturbed = work(place / "undisturbed")
    for step in count(1):
        index = place / str(step)
        shutil.copytree(place / "index", index)
        if die_while(work, index, step) == 0:
            break
        assert work(index) == undisturbed
        assert len(list((index / "generations" / "facts").iterdir())) == generations
        assert [each.name for each in (index / "generations").iterdir()] == ["facts"]
    assert step > steps


def killed_in_a_process(place: Path, work: Callable[..., None], *given: int) -> None:
    """Let another process do some work in a folder whose index has a change to gather."""
    index = place / "index"
    store(index, DAYS)
    gather(index)
    store(index, NEW)
    drop(index, "Day 7")
    process = get_context("spawn").Process(target=work, args=(place, *given))
    process.start()
    process.join()
    assert process.exitcode == 0
