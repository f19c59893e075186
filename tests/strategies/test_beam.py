"""Beam search and translation: whatever a model wants to say, it can only say what the corpus says.

The models here are random: each prefix has its own random next-token scores, drawn from a seed. So are the names, the
sentences and the graphs. What is left are the laws.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, groupby
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.indexes.substrings import TokenStrings
from polyhop.indexes.trie import TokenTrie
from polyhop.layers.parsekg import gathering
from polyhop.layers.parsekg.graph import MASK, ParseKG
from polyhop.layers.parsekg.layer import decode, encode
from polyhop.layers.parsekg.translation import TranslationIndex, open_or_build
from polyhop.ports import Beams, ConstrainedModel, Floats, Grammar, Ints
from polyhop.strategies.translator.beam import Hypothesis, Start, beam_search
from polyhop.strategies.translator.strategy import KGTranslator
from polyhop.strategies.translator.translate import INSTRUCTION, TRIPLES_INSTRUCTION, Direction, Translator
from polyhop.types import Passage, Sentence

END = 0
WORDS = ("ann", "bo", "cy", "dee", "eve", "of", "saw", "the", "built", "near")
PIECES = ("<end>", MASK, f" {MASK}", "@@", *WORDS, *(f" {word}" for word in WORDS), ".", "<go>")
_PIECE = re.compile(r" ?##|@@| ?[a-z]+|\.")


@dataclass(frozen=True)
class Prefixes:
    """A batch of prefixes, and what a random model would say after each."""

    seed: int
    rows: tuple[tuple[int, ...], ...]
    vocabulary: int

    @cached_property
    def logprobs(self) -> Floats:
        """What each prefix would say next."""
        return np.stack([random_logprobs(self.seed, row, self.vocabulary) for row in self.rows])


@dataclass(frozen=True)
class RandomModel:
    """A language model whose scores depend on the seed and on every token said so far, and on nothing else."""

    seed: int
    vocabulary: int = len(PIECES)
    end: int = END

    @property
    def name(self) -> str:
        """The seed says it all."""
        return f"random-{self.seed}"

    @property
    def tokenizer(self) -> str:
        """Words are tokens."""
        return "words"

    @property
    def cuts_at_spaces(self) -> bool:
        """Its tokens are words."""
        return True

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Whole words, with the space before them."""
        return [[PIECES.index(piece) for piece in _PIECE.findall(text)] for text in texts]

    def encode_spans(self, texts: Sequence[str]) -> list[tuple[list[int], list[tuple[int, int]]]]:
        """The same, with the place of each."""
        return [
            ([PIECES.index(match[0]) for match in found], [match.span() for match in found])
            for found in ([*_PIECE.finditer(text)] for text in texts)
        ]

    def decode(self, tokens: Sequence[int]) -> str:
        """The pieces side by side."""
        return "".join(PIECES[token] for token in tokens)

    def prompt(self, instruction: str, question: str) -> list[int]:
        """The question, behind a mark."""
        return [PIECES.index("<go>"), *self.encode([question])[0]]

    def begin(self, prompt: Sequence[int]) -> Prefixes:
        """One prefix."""
        return Prefixes(self.seed, (tuple(prompt),), self.vocabulary)

    def extend(self, beams: Beams, parents: Ints, tokens: Ints) -> Prefixes:
        """Every parent with as many tokens more."""
        return self.branch(beams, parents, tokens.tolist())

    def branch(self, beams: Beams, parents: Ints, branches: Sequence[Sequence[int]]) -> Prefixes:
        """Every parent with some tokens more."""
        assert isinstance(beams, Prefixes)
        assert all(branches)
        pairs = zip(parents.tolist(), branches, strict=True)
        rows = tuple((*beams.rows[parent], *branch) for parent, branch in pairs)
        return Prefixes(self.seed, rows, self.vocabulary)


def random_logprobs(seed: int, prefix: tuple[int, ...], vocabulary: int) -> Floats:
    logits = np.random.default_rng([seed, len(prefix), *prefix]).normal(0, 3, vocabulary)
    return np.asarray(logits - np.logaddexp.reduce(logits), np.float32)


def logprob_of(model: RandomModel, said: Sequence[int]) -> float:
    """The log-probability of saying exactly this and ending, one token at a time."""
    rows = [random_logprobs(model.seed, tuple(said[:length]), model.vocabulary) for length in range(len(said) + 1)]
    return float(sum(row[token] for row, token in zip(rows, [*said, model.end], strict=True)))


def search(
    grammars: Sequence[Grammar], model: RandomModel, *, width: int, longest: int = 8, penalty: float = 1.0
) -> list[list[Hypothesis]]:
    starts = [Start(grammar, 0) for grammar in grammars]
    return beam_search(model, model.begin([]), starts, width=width, longest=longest, end=END, penalty=penalty)


seeds = st.integers(0, 2**32 - 1)
tokens = st.integers(1, 6)
rows_of_tokens = st.lists(st.lists(tokens, min_size=1, max_size=4), min_size=1, max_size=6)


def substrings(rows: Sequence[Sequence[int]], longest: int) -> set[tuple[int, ...]]:
    """Every stretch of every row, the obvious way."""
    return {
        tuple(row[start:end])
        for row in rows
        for start in range(len(row))
        for end in range(start + 1, min(start + longest, len(row)) + 1)
    }


def test_the_random_model_is_a_constrained_model() -> None:
    model: ConstrainedModel = RandomModel(1)
    assert model.decode(model.encode(["ann saw ## near ##."])[0]) == "ann saw ## near ##."
    assert np.exp(model.begin([3]).logprobs).sum() == pytest.approx(1.0)


@given(rows_of_tokens, seeds, st.integers(1, 4), st.sampled_from([0.0, 0.5, 1.0]))
def test_only_names_are_said_at_most_as_many_as_the_width_and_the_best_first(
    names: list[list[int]], seed: int, width: int, penalty: float
) -> None:
    model = RandomModel(seed)
    (found,) = search([TokenTrie.build(names)], model, width=width, penalty=penalty)
    assert 1 <= len(found) <= width
    assert {hypothesis.tokens for hypothesis in found} <= {tuple(name) for name in names}
    assert len({hypothesis.tokens for hypothesis in found}) == len(found)
    scores = [hypothesis.score(penalty) for hypothesis in found]
    assert scores == sorted(scores, reverse=True)
    for hypothesis in found:
        assert hypothesis.logprob == pytest.approx(logprob_of(model, hypothesis.tokens), abs=1e-4)


@given(rows_of_tokens, seeds, st.sampled_from([0.0, 1.0]))
def test_a_search_that_is_wide_enough_finds_what_trying_everything_finds(
    names: list[list[int]], seed: int, penalty: float
) -> None:
    model = RandomModel(seed)
    (found,) = search([TokenTrie.build(names)], model, width=100, penalty=penalty)
    everything = {tuple(name) for name in names}
    ranked = sorted(everything, key=lambda name: -logprob_of(model, name) / len(name) ** penalty)
    assert [hypothesis.tokens for hypothesis in found] == ranked


@given(rows_of_tokens, seeds, st.integers(1, 4))
def test_of_names_that_mean_the_same_only_the_best_counts(names: list[list[int]], seed: int, width: int) -> None:
    """Two spellings of one thing are one thing found: the other places are for other things."""

    def meaning(name: Sequence[int]) -> int:
        return len(name)

    trie, model = TokenTrie.build(names), RandomModel(seed)
    start = Start(trie, 0, lambda node: meaning(names[trie.rows(node)[0]]))
    (found,) = beam_search(model, model.begin([]), [start], width=100, longest=8, end=END)
    (few,) = beam_search(model, model.begin([]), [start], width=width, longest=8, end=END)
    (every,) = search([trie], model, width=100)
    best = {meaning(one.tokens): one for one in reversed(every)}
    assert found == sorted(best.values(), key=every.index)
    assert len({meaning(one.tokens) for one in few}) == len(few) <= width


@given(rows_of_tokens, seeds, st.integers(1, 4))
def test_only_stretches_of_the_sentences_are_said(rows: list[list[int]], seed: int, longest: int) -> None:
    grammar = TokenStrings.build(rows).grammar(np.arange(len(rows)))
    (found,) = search([grammar], RandomModel(seed), width=1000, longest=longest)
    assert {hypothesis.tokens for hypothesis in found} == substrings(rows, longest)
    for hypothesis in found:
        here = [position for position, row in enumerate(rows) if hypothesis.tokens in substrings([row], longest)]
        assert grammar.rows(hypothesis.state).tolist() == here


@given(rows_of_tokens, st.sets(tokens, max_size=3), seeds, st.integers(1, 3))
def test_forbidden_tokens_are_never_said_nor_stepped_over(
    rows: list[list[int]], forbidden: set[int], seed: int, width: int
) -> None:
    flags = [[token in forbidden for token in row] for row in rows]
    grammar = TokenStrings.build(rows, flags).grammar(np.arange(len(rows)), never=1)
    (found,) = search([grammar], RandomModel(seed), width=width)
    pieces = [list(group) for row in rows for banned, group in groupby(row, forbidden.__contains__) if not banned]
    assert {hypothesis.tokens for hypothesis in found} <= substrings(pieces, 8)
    assert bool(found) == bool(pieces)


@given(rows_of_tokens, seeds)
def test_where_nothing_may_be_said_nothing_is_said(rows: list[list[int]], seed: int) -> None:
    """An empty allowed set ends the beam; it never frees the vocabulary."""
    strings = TokenStrings.build(rows)
    nothing = strings.grammar(np.empty(0, np.int64))
    silent = TokenStrings.build(rows, rows).grammar(np.arange(len(rows)), never=7)
    empty = TokenTrie.build([])
    assert search([nothing, silent, empty], RandomModel(seed), width=3) == [[], [], []]


@given(st.lists(rows_of_tokens, min_size=1, max_size=4), seeds, st.integers(1, 3))
def test_searches_that_run_together_find_what_each_finds_alone(
    groups: list[list[list[int]]], seed: int, width: int
) -> None:
    grammars = [TokenTrie.build(rows) for rows in groups]
    model = RandomModel(seed)
    together = search(grammars, model, width=width)
    alone = [search([grammar], model, width=width)[0] for grammar in grammars]
    assert [[(item.tokens, item.logprob) for item in found] for found in together] == [
        [(item.tokens, item.logprob) for item in found] for found in alone
    ]


@given(rows_of_tokens, seeds, st.integers(1, 4), st.integers(1, 4))
def test_nothing_said_is_longer_than_allowed(rows: list[list[int]], seed: int, width: int, longest: int) -> None:
    grammar = TokenStrings.build(rows).grammar(np.arange(len(rows)))
    (found,) = search([grammar], RandomModel(seed), width=width, longest=longest)
    assert found
    assert all(1 <= len(hypothesis.tokens) <= longest for hypothesis in found)


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


def translator_of(
    model: RandomModel, index: TranslationIndex, *, alpha: int, beta: int, directed: bool = True, across: bool = False
) -> Translator:
    settings = KGTranslator(
        alpha=alpha, beta=beta, longest=6, directed=directed, spans="across" if across else "between"
    )
    return Translator(model=model, index=index, question="the saw of ann", settings=settings)


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
