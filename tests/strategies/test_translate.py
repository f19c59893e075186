"""Translation: clues that a random model says are in the graph, whatever graph it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, groupby
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.indexes.trie import TokenTrie
from polyhop.layers.parsekg import gathering
from polyhop.layers.parsekg.graph import MASK, ParseKG
from polyhop.layers.parsekg.layer import decode, encode
from polyhop.layers.parsekg.translation import TranslationIndex, open_or_build
from polyhop.ports import Ints
from polyhop.strategies.translator.strategy import KGTranslator
from polyhop.strategies.translator.translate import INSTRUCTION, TRIPLES_INSTRUCTION, Direction, Translator
from polyhop.types import Passage, Sentence
from tests.worlds.random_model import WORDS, RandomModel, seeds

# A random graph: sentences of words and names, parsed by knowing where the names were put.
names = st.lists(st.sampled_from(WORDS[:5]), min_size=1, max_size=2, unique=True).map(" ".join)
fillers = st.lists(st.sampled_from(WORDS[5:]), min_size=1, max_size=3).map(" ".join)
sentences = st.lists(st.tuples(fillers, names, st.booleans()), min_size=1, max_size=3)
passages = st.lists(st.tuples(st.just("") | names, st.lists(sentences, max_size=3)), min_size=1, max_size=5)


def written(title: str, content: list[list[tuple[str, str, bool]]], number: int) -> tuple[Passage, bytes]:
    """A passage, and its parse as the parsekg layer stores it."""
    text, rows = "", []
    for sentence in content:
        start, entities = len(text), []
        for filler, name, head in sentence:
            text += f"{filler} "
            entities.append([len(text), len(text) + len(name), "PERSON", int(head)])
            text += f"{name} "
        text = f"{text.rstrip()}. "
        rows.append([start, len(text) - 1, entities])
    passage = Passage(id=f"p{number}", document_id="d", ordinal=0, start=0, end=len(text), title=title, text=text)
    return passage, encode(rows)


def graph_of(content: list[tuple[str, list[list[tuple[str, str, bool]]]]], folder: Path, *, titles: bool) -> ParseKG:
    def read(numbers: Ints) -> Iterator[tuple[int, Passage, list[Sentence]]]:
        for number in numbers.tolist():
            title, said = content[number - 1]
            passage, payload = written(title, said, number)
            yield number, passage, decode(payload, passage, titles=titles)

    numbers = np.arange(1, len(content) + 1)
    gathering.write(folder, numbers, read, earlier=ParseKG(folder, ()), runs=folder / "runs", memory=1)
    return ParseKG.open(folder, [folder], numbers)


def translator_of(
    model: RandomModel, index: TranslationIndex, *, alpha: int, beta: int, directed: bool = True, across: bool = False
) -> Translator:
    settings = KGTranslator(
        alpha=alpha, beta=beta, longest=6, directed=directed, spans="across" if across else "between"
    )
    return Translator(model=model, index=index, question="the saw of ann", settings=settings)


@settings(deadline=None, max_examples=30)
@given(
    passages,
    seeds,
    st.booleans(),
    st.sampled_from(("forward", "reverse")),
    st.booleans(),
    st.booleans(),
    st.integers(1, 3),
    st.integers(1, 3),
)
def test_every_clue_is_in_the_graph(
    content: list[tuple[str, list[list[tuple[str, str, bool]]]]],
    seed: int,
    titles: bool,
    direction: Direction,
    directed: bool,
    across: bool,
    alpha: int,
    beta: int,
) -> None:
    """Entities are names that lead a sentence; relations are words of sentences that stand next to their entity."""
    model = RandomModel(seed)
    with TemporaryDirectory() as place:
        graph = graph_of(content, Path(place) / "graph", titles=titles)
        index = open_or_build(graph, model)
        translator = translator_of(model, index, alpha=alpha, beta=beta, directed=directed, across=across)
        begun = translator.begin()
        entities = translator.entities(begun)
        assert bool(entities) == any(len(graph.out.of(entity)) for entity in graph.entities())
        assert len({entity for entity, _ in entities}) == len(entities) <= alpha
        for entity, logprob in entities:
            assert len(graph.out.of(entity)), "only entities that lead a sentence are named"
            assert logprob <= 0
        everyone = [(entity, 0.0) for entity in graph.entities()]
        clues = translator.relations(begun, everyone, direction)
        for clue in clues:
            near = set(index.neighbours(clue.entity, direction if directed else "both").tolist())
            assert len(clue.sentences)
            assert set(clue.sentences.tolist()) <= near
            assert clue.relation
            assert across or MASK not in clue.relation
            assert all(clue.relation in graph.hyperrelation(sentence) for sentence in clue.sentences.tolist())
            assert clue.logprob <= 0
        counts = [len(list(group)) for _, group in groupby(sorted(clue.entity for clue in clues))]
        assert max(counts, default=0) <= beta
        again = translator.relations(translator.begin(), everyone, direction)
        assert [(clue.entity, clue.relation, clue.logprob) for clue in again] == [
            (clue.entity, clue.relation, clue.logprob) for clue in clues
        ]


def test_triples_are_asked_for_in_words_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Appendix M, prompts 1 and 4; and a relation of a triple ends where the separator stands, not the turn."""
    told: list[str] = []
    content = [("", [[("the", "ann", True), ("built", "bo", False)]])]
    model = RandomModel(3)
    index = open_or_build(graph_of(content, tmp_path / "graph", titles=False), model)
    asked = RandomModel.prompt

    def heard(model: RandomModel, instruction: str, question: str) -> list[int]:
        told.append(instruction)
        return asked(model, instruction, question)

    monkeypatch.setattr(RandomModel, "prompt", heard)
    pairs = translator_of(model, index, alpha=3, beta=9)
    triples = replace(pairs, settings=replace(pairs.settings, triples=True))
    ends = []
    for translator in (pairs, triples):
        (clue, *_) = translator.relations(translator.begin(), [(0, 0.0)], "forward")
        ends.append(clue.logprob)
    assert told == [INSTRUCTION, TRIPLES_INSTRUCTION]
    assert ends[0] != ends[1]


def test_direction_says_on_which_side_of_a_sentence_an_entity_stands(tmp_path: Path) -> None:
    content = [("", [[("the", "ann", True), ("built", "bo", False)], [("near", "bo", True), ("saw", "cy", False)]])]
    index = open_or_build(graph_of(content, tmp_path / "graph", titles=False), RandomModel(3))
    translator = translator_of(RandomModel(3), index, alpha=3, beta=9)
    (ann, bo, cy) = (index.kg.find(name) for name in ("ann", "bo", "cy"))
    assert (ann, bo, cy) == (0, 1, 2)
    both = [(entity, 0.0) for entity in (0, 1, 2)]

    def said(direction: Direction) -> dict[int, set[str]]:
        clues = translator.relations(translator.begin(), both, direction)
        return {entity: {clue.relation for clue in clues if clue.entity == entity} for entity in (0, 1, 2)}

    assert said("forward") == {0: {"the", "built"}, 1: {"near", "saw"}, 2: set()}
    assert said("reverse") == {0: set(), 1: {"the", "built"}, 2: {"near", "saw"}}


def test_the_index_of_names_is_made_once_and_is_the_same_when_it_is_read_back(tmp_path: Path) -> None:
    content = [("ann", [[("the", "bo", True), ("saw", "cy dee", False)]]), ("eve", [[("of", "ann", True)]])]
    graph = graph_of(content, tmp_path / "graph", titles=True)
    model = RandomModel(5)
    made = open_or_build(graph, model)
    (segment,) = (each.folder for each in graph.segments)
    stamps = {path: path.stat().st_mtime_ns for path in segment.rglob("*.npy")}
    read = open_or_build(graph, model)
    assert {path: path.stat().st_mtime_ns for path in segment.rglob("*.npy")} == stamps
    for (entities, again), (part, opened) in zip(
        zip(made.entities, read.entities, strict=True),
        zip(made.strings.parts, read.strings.parts, strict=True),
        strict=True,
    ):
        assert np.array_equal(entities, again)
        assert np.array_equal(part.text, opened.text)
    spoken = [model.decode(row) for row in all_rows(read.names.tries[0].trie)]
    assert sorted(spoken) == ["ann", "bo", "eve"]


def all_rows(trie: TokenTrie) -> list[list[int]]:
    def below(state: int) -> list[list[int]]:
        here: list[list[int]] = [[]] if trie.complete(state) else []
        steps = trie.allowed(state).tolist()
        return here + list(
            chain.from_iterable([[token, *rest] for rest in below(trie.advance(state, token))] for token in steps)
        )

    return below(trie.root())
