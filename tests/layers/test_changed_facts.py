"""A graph that is made of the one before is, byte for byte, the graph that is gathered whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.layers.facts.changed_graph import write_changed
from polyhop.layers.facts.gathered import Decoded, GatheredFacts, write_whole
from polyhop.layers.facts.touched import Before
from polyhop.ports import Floats
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


@settings(max_examples=300)
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


@settings(max_examples=60)
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


@settings(max_examples=60)
@given(st.dictionaries(st.integers(1, 9), some_passage), st.dictionaries(st.integers(10, 14), some_passage, max_size=3))
def test_passages_that_come_and_go_leave_no_trace(there: dict[int, Told], come: dict[int, Told]) -> None:
    with TemporaryDirectory() as place:
        before = whole(Path(place) / "before", dict(sorted(there.items())))
        changed(Path(place) / "more", Path(place) / "before", there, come)
        assert changed(Path(place) / "less", Path(place) / "more", there, {}) == before
