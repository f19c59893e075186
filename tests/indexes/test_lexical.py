"""BM25 equals its formula, and adding, removing and rebuilding leave no trace in it."""

import math
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from polyhop.errors import ModelMismatch
from polyhop.indexes import lexical, postings
from polyhop.indexes.folding import tokens
from polyhop.indexes.lexical import Lexical, build
from polyhop.indexes.segments import write_arrays
from polyhop.ports import Ints

WORLD = [
    "The lighthouse of Vellmar was built by Ossian Brandt.",
    "Ossian Brandt kept bees on the island of Korr.",
    "Korr has a lighthouse, a harbour and two hundred bees' hives.",
    "The harbour of Vellmar freezes in winter.",
    "Łucja Würm painted the harbour, the harbour and again the harbour.",
    "",
]


def opened(folder: Path, parts: list[Ints], texts: list[str], live: Ints) -> Lexical:
    """An index of some texts, one segment a part."""
    for i, part in enumerate(parts):
        write_arrays(folder / str(i), build(part, [texts[number] for number in part]))
    return Lexical.open([folder / str(i) for i in range(len(parts))], live)


def naive(question: str, texts: dict[int, str]) -> dict[int, float]:
    """The formula, passage by passage and term by term."""
    said = {number: Counter(tokens(text)) for number, text in texts.items()}
    average = sum(sum(counts.values()) for counts in said.values()) / max(1, len(said))
    scores: dict[int, float] = {}
    for number, counts in said.items():
        for term in tokens(question):
            if counts[term]:
                holding = sum(1 for other in said.values() if other[term])
                rarity = math.log(1 + (len(said) - holding + 0.5) / (holding + 0.5))
                norm = 1.2 * (1 - 0.75 + 0.75 * sum(counts.values()) / average)
                scores[number] = scores.get(number, 0.0) + rarity * counts[term] * 2.2 / (counts[term] + norm)
    return scores


word = st.sampled_from(["bee", "hive", "isle", "korr", "sea", "the", "of", "brandt"])
text = st.lists(word, max_size=12).map(" ".join)


@settings(max_examples=40, deadline=None)
@given(st.lists(text, min_size=1, max_size=20), text, st.integers(1, 4), st.data())
def test_scores_equal_the_formula_over_the_live_passages(
    texts: list[str], question: str, cuts: int, data: st.DataObject
) -> None:
    live = np.array(sorted(data.draw(st.sets(st.integers(0, len(texts) - 1)))), np.int64)
    expected = naive(question, {number: texts[number] for number in live.tolist()})
    with TemporaryDirectory() as folder:
        index = opened(Path(folder), np.array_split(np.arange(len(texts)), cuts), texts, live)
        numbers, scores = index.search(question, len(texts))
        del index
    assert set(numbers.tolist()) == set(expected)
    np.testing.assert_allclose(scores, [expected[number] for number in numbers.tolist()], rtol=1e-6)
    ranked = list(zip((-scores).tolist(), numbers.tolist(), strict=True))
    assert ranked == sorted(ranked)


@settings(max_examples=40, deadline=None)
@given(st.lists(text, min_size=2, max_size=20), text, st.integers(2, 5), st.data())
def test_an_index_that_grew_and_shrank_equals_one_built_at_once(
    texts: list[str], question: str, cuts: int, data: st.DataObject
) -> None:
    """Insert then delete equals never inserted, bit for bit, and the order of insertion does not matter."""
    order = np.array(data.draw(st.permutations(range(len(texts)))))
    live = np.array(sorted(data.draw(st.sets(st.integers(0, len(texts) - 1)))), np.int64)
    with TemporaryDirectory() as folder:
        grown = opened(Path(folder) / "grown", np.array_split(order, cuts), texts, live)
        fresh = opened(Path(folder) / "fresh", [live], texts, live)
        for k in (1, 3, len(texts)):
            ours, theirs = grown.search(question, k), fresh.search(question, k)
            assert ours[0].tolist() == theirs[0].tolist()
            assert ours[1].tobytes() == theirs[1].tobytes()
        del grown, fresh


def zipfian(count: int, longest: int, seed: int) -> list[str]:
    """Texts of words that are as unequally frequent as those of a language, and some that are in nearly every text."""
    random = np.random.default_rng(seed)
    share = (np.arange(1, 801) + 1.5) ** -1.1
    words = [f"w{i}" for i in range(800)]
    return [" ".join(random.choice(words, random.integers(0, longest), p=share / share.sum())) for _ in range(count)]


def is_what_adding_up_all_gives(index: Lexical, question: str, k: int) -> bool:
    """A search among all passages adds up everything that any of them has."""
    found, every = index.search(question, k), index.search(question, k, index.numbers)
    return found[0].tolist() == every[0].tolist() and found[1].tobytes() == every[1].tobytes()


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 120), st.integers(1, 4), st.integers(1, 12), st.sampled_from([0, 1, 8]), st.integers(0, 9999))
def test_what_is_left_out_of_a_search_never_changes_it(count: int, cuts: int, k: int, dense: int, seed: int) -> None:
    """However early it is asked what can be left out, in all ways to look at a posting list, bit for bit."""
    random = np.random.default_rng(seed)
    texts = zipfian(count, 12, seed)
    live = np.flatnonzero(random.random(count) < 0.8)
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(lexical, "_LONG", 0.0)
        patch.setattr(lexical, "_FEW", 0)
        patch.setattr(postings, "_DENSE", dense)
        index = opened(Path(folder), np.array_split(random.permutation(count), cuts), texts, live)
        for question in zipfian(5, 14, seed + 1):
            assert is_what_adding_up_all_gives(index, question, k)
        del index


def test_a_search_of_many_passages_leaves_nothing_out(tmp_path: Path) -> None:
    texts = zipfian(6000, 30, 1)
    everyone = np.arange(len(texts))
    for place, live in enumerate((everyone, np.delete(everyone, slice(0, None, 7)))):
        index = opened(tmp_path / str(place), np.array_split(everyone, 2), texts, live)
        for question in [*zipfian(20, 16, 2), "w0", "w0 w1 w2", "w700 w0", "w0 w0 w3 w790 w790"]:
            for k in (1, 100, 6000):
                assert is_what_adding_up_all_gives(index, question, k)


class Lucene(BM25Okapi):  # type: ignore[misc]
    """rank-bm25 with the same inverse document frequency as ours."""

    def _calc_idf(self, nd: dict[str, int]) -> None:
        self.idf = {term: math.log(1 + (self.corpus_size - df + 0.5) / (df + 0.5)) for term, df in nd.items()}


def test_ranking_equals_rank_bm25(tmp_path: Path) -> None:
    """An independent implementation gives the same scores on 400 passages of zipfian words."""
    random = np.random.default_rng(4)
    share = 1 / np.arange(1, 801)
    words = [f"w{i}" for i in range(800)]
    texts = [" ".join(random.choice(words, random.integers(5, 90), p=share / share.sum())) for _ in range(400)]
    index = opened(tmp_path, np.array_split(np.arange(400), 3), texts, np.arange(400))
    reference = Lucene([tokens(passage) for passage in texts], k1=1.2, b=0.75)
    for _ in range(20):
        question = " ".join(random.choice(words, 12, p=share / share.sum()))
        expected = reference.get_scores(tokens(question))
        numbers, scores = index.search(question, 400)
        assert set(numbers.tolist()) == set(np.flatnonzero(expected).tolist())
        np.testing.assert_allclose(scores, expected[numbers], rtol=1e-5)
        np.testing.assert_allclose(scores[:10], np.sort(expected)[::-1][:10], rtol=1e-5)


def test_search_finds_the_passage_that_says_it(tmp_path: Path) -> None:
    index = opened(tmp_path, [np.arange(len(WORLD))], WORLD, np.arange(len(WORLD)))
    assert index.search("Who painted the harbour?", 1)[0].tolist() == [4]
    assert index.search("LUCJA WURM", 5)[0].tolist() == [4]
    assert index.search("bees", 5)[0].tolist() == [1, 2]


def test_among_restricts_the_answer_but_not_the_scores(tmp_path: Path) -> None:
    index = opened(tmp_path, [np.arange(len(WORLD))], WORLD, np.arange(len(WORLD)))
    everything = dict(zip(*(found.tolist() for found in index.search("the harbour of Korr", 9)), strict=True))
    numbers, scores = index.search("the harbour of Korr", 9, np.array([2, 3, 5, 77]))
    assert dict(zip(numbers.tolist(), scores.tolist(), strict=True)) == {n: everything[n] for n in (2, 3)}


@pytest.mark.parametrize("question", ["", "?!", "   ", "zzzz", "\ud800"])
def test_a_question_without_known_words_finds_nothing(tmp_path: Path, question: str) -> None:
    index = opened(tmp_path, [np.arange(len(WORLD))], WORLD, np.arange(len(WORLD)))
    assert index.search(question, 5)[0].tolist() == []


def test_an_empty_index_finds_nothing(tmp_path: Path) -> None:
    write_arrays(tmp_path / "0", build(np.empty(0, np.int64), []))
    for folders in ([], [tmp_path / "0"]):
        index = Lexical.open(folders, np.arange(3))
        assert len(index) == 0
        assert index.search("harbour", 5)[0].tolist() == []


def test_segments_stemmed_differently_are_refused(tmp_path: Path) -> None:
    write_arrays(tmp_path / "0", build(np.array([0]), ["hives"]))
    write_arrays(tmp_path / "1", build(np.array([1]), ["hives"], stem="s"))
    assert Lexical.open([tmp_path / "1"], np.arange(2)).search("hive", 1)[0].tolist() == [1]
    with pytest.raises(ModelMismatch):
        Lexical.open([tmp_path / "0", tmp_path / "1"], np.arange(2))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Stanisław Ulam's ﬁrst", ["stanislaw", "ulam", "first"]),
        ("Ossian’s bees' hives: it's 1,204!", ["ossian", "bees", "hives", "it", "1", "204"]),
        ("snake_case-word", ["snake", "case", "word"]),
        ("東京タワー", ["東京", "京タ", "タワ", "ワー"]),
        ("山", ["山"]),
        ("서울 Seoul", ["서울", "seoul"]),
        ("ไทย", ["ไท", "ทย"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("ガ", ["ガ"]),
        ("שָׁלוֹם", ["שלום"]),
        ("Ёлка й", ["елка", "и"]),
        ("co\u00adoperate", ["cooperate"]),
    ],
)
def test_tokens_of_many_scripts(text: str, expected: list[str]) -> None:
    """Accents and points fall away; scripts without spaces become pairs of characters; Indic vowels stay."""
    assert tokens(text) == expected


@given(st.text())
def test_tokens_survive_any_text_and_are_stable(text: str) -> None:
    once = tokens(text)
    assert all(once)
    if text.isascii():
        assert tokens(" ".join(once)) == once


def test_plurals_fold_on_request() -> None:
    assert tokens("Cities bees glasses bus boss ponies' is heroes", "s") == [
        "city", "bees", "glasse", "bus", "boss", "pony", "is", "heroes",
    ]  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(st.lists(text, min_size=1, max_size=12), text, st.integers(1, 3), st.data())
def test_passages_with_all_words_are_those_live_ones_that_lack_none(
    texts: list[str], asked: str, cuts: int, data: st.DataObject
) -> None:
    live = np.array(sorted(data.draw(st.sets(st.integers(0, len(texts) - 1)))), np.int64)
    wanted = set(tokens(asked))
    expected = [number for number in live.tolist() if wanted and wanted <= set(tokens(texts[number]))]
    with TemporaryDirectory() as folder:
        index = opened(Path(folder), np.array_split(np.arange(len(texts)), cuts), texts, live)
        assert index.with_all(asked).tolist() == expected


@settings(max_examples=40, deadline=None)
@given(st.lists(text, min_size=1, max_size=12), text, st.integers(1, 3), st.data())
def test_coverage_is_the_largest_share_of_the_words_that_one_live_passage_has(
    texts: list[str], question: str, cuts: int, data: st.DataObject
) -> None:
    live = np.array(sorted(data.draw(st.sets(st.integers(0, len(texts) - 1)))), np.int64)
    said = [set(tokens(texts[number])) for number in live]
    rarity = {
        term: math.log(1 + (len(said) - (df := sum(term in words for words in said)) + 0.5) / (df + 0.5))
        for term in set(tokens(question))
    }
    shares = [sum(rarity[term] for term in rarity if term in words) / sum(rarity.values()) for words in said if rarity]
    with TemporaryDirectory() as folder:
        index = opened(Path(folder), np.array_split(np.arange(len(texts)), cuts), texts, live)
        assert index.coverage(question) == pytest.approx(max(shares, default=0.0))
