"""Words of passages with their questions (Doc2Query): gathered, grown, and searched as texts made anew are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.engine import Polyhop
from polyhop.errors import IndexCorrupt
from polyhop.indexes import lexical
from polyhop.indexes.lexical import Lexical
from polyhop.indexes.segments import read_arrays
from polyhop.layers.questions import words as question_words
from polyhop.layers.questions.graph import QuestionGraph, write
from polyhop.layers.questions.words import PassageQuestions, expanded_text
from polyhop.ports import Floats
from polyhop.strategies.baselines.d2q import Doc2Query
from polyhop.types import GeneratedQuestion

SAID = ["Ada's mill stands on the quay", "東京の橋 was mended in 1901", "", "The quay, the quays and Ada"]
ASKED = ["Who mends the mill?", "Where is Ada's quay?", "橋はどこですか", "When?"]
QUERIES = ("who mends the mill", "Ada's quays", "東京 橋", "1901 when", "zzz")

pairs = st.lists(
    st.builds(lambda question, answer: made(question, answer), st.sampled_from(ASKED), st.sampled_from(ASKED)),
    max_size=3,
)
corpora = st.dictionaries(st.integers(0, 9), pairs, max_size=6)


def made(question: str, answer: str) -> GeneratedQuestion:
    return GeneratedQuestion(question=question, answer=answer, start=0, end=1)


def vectors(texts: Sequence[str]) -> Floats:
    rows = np.array([[len(text), 1, *text.encode()[:2].ljust(2)] for text in texts], np.float32).reshape(-1, 4)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def gathered(folder: Path, corpus: dict[int, list[GeneratedQuestion]], older: Path | None = None) -> QuestionGraph:
    """The graph of a corpus, whose passage n says SAID[n % 4]."""
    asked = [PassageQuestions(n, f"P{n}", corpus[n], "", SAID[n % 4]) for n in sorted(corpus)]
    write(folder, asked, vectors([each.id for each in asked]), vectors, older)
    return QuestionGraph.open(folder, np.array(sorted(corpus), np.int64), vectors, lambda _: {})


def found(words: Lexical) -> list[list[list[float]]]:
    return [[part.tolist() for part in words.search(query, 9)] for query in QUERIES]


@pytest.mark.slow
@settings(max_examples=25, deadline=None)  # files are synced, which takes its time
@given(corpora, corpora, st.sets(st.integers(0, 9)))
def test_words_that_grew_equal_words_of_the_texts(
    before: dict[int, list[GeneratedQuestion]], after: dict[int, list[GeneratedQuestion]], live: set[int]
) -> None:
    """Bit for bit, on disk and in the rankings; also where a passage has questions only before or only after."""
    before = {n: after[n] if mine and after.get(n) else mine for n, mine in before.items()}  # no others than these
    with TemporaryDirectory() as place:
        gathered(Path(place) / "a", before)
        grown = gathered(Path(place) / "b", after, older=Path(place) / "a")
        gathered(Path(place) / "c", after)
        for name in lexical.ARRAYS:
            files = [Path(place) / side / question_words.PASSAGES / f"{name}.npy" for side in "bc"]
            assert files[0].read_bytes() == files[1].read_bytes()
        numbers = np.array(sorted(live & after.keys()), np.int64)
        texts = [expanded_text(SAID[n % 4], after[n]) for n in numbers.tolist()]
        assert grown.expanded is not None
        anew = Lexical.of([lexical.build(numbers, texts)], numbers)
        assert found(Lexical.of([grown.expanded], numbers)) == found(anew)


def test_words_of_other_passages_are_refused(tmp_path: Path) -> None:
    graph = gathered(tmp_path / "a", {3: [made("Who?", "Ada")]})
    assert graph.expanded is not None
    (tmp_path / "a" / question_words.PASSAGES).rename(tmp_path / "kept")
    assert question_words.expanded(tmp_path / "a", graph.numbers) is None
    gathered(tmp_path / "a", {4: [made("Who?", "Ada")]})
    with pytest.raises(IndexCorrupt):
        question_words.expanded(tmp_path / "a", graph.numbers)
    assert read_arrays(tmp_path / "kept", ("numbers",))["numbers"].tolist() == [3]


def test_doc2query_ranks_by_gathered_words_as_by_texts(harbour_engine: Polyhop, harbour: Path) -> None:
    """Also where the layer lacks some passages, whose texts are read then."""
    harbour_engine.index(harbour, layers=("text", "parsekg", "questions"))
    with harbour_engine.view() as view:
        graph, numbers = view.questions, view.text.vectors.numbers
        assert graph.expanded is not None
        held, texts = Doc2Query()._texts(view)
        reference = Lexical.of([lexical.build(np.array(held), texts)], numbers)
        some = graph.expanded["numbers"][1:]
        fewer = lexical.merged(graph.expanded, np.where(np.isin(graph.numbers, some), graph.numbers, -1), EMPTY)
        for other in (graph, replace(graph, expanded=None), replace(graph, expanded=fewer)):
            over = replace(view, layers={**view.layers, "questions": other}, kept={})
            words = Doc2Query()._words(over)
            assert len(words.segments) == (2 if other.expanded is fewer else 1)
            for query in ("Who built the lighthouse?", "bridge", "Quillmouth Ada Brisk", "where"):
                expected = [part.tolist() for part in reference.search(query, 9)]
                assert [part.tolist() for part in words.search(query, 9)] == expected


EMPTY = lexical.build(np.empty(0, np.int64), [])
