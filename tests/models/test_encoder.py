"""Embedders: what a vector means, and that it depends on its text alone."""

from __future__ import annotations

import math
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.errors import ModelError, ModelMissing
from polyhop.models.bge import BGE_FILES, BgeSmall, bge_folder
from polyhop.models.encoder import Encoder, side_by_side, windows
from polyhop.models.install import installed_folder
from polyhop.models.minilm import MiniLM
from polyhop.models.pieces import PIECE, encodable, pieces
from polyhop.models.weights import WeightFile, check_hashes, check_sizes, package_folder
from polyhop.ports import Embedder
from tests.worlds.machine import needs

WORLD = (
    "The lighthouse of Varn was built by Ilse Brandt in 1820.",
    "Orlan Vex directed three silent films about the salt trade.",
    "Goats.",
    "The council of Merrow meets in the old granary, which the dukes gave to the town after the flood of 1731.",
)


@pytest.fixture(scope="module", params=["bge-small", "minilm"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    if request.param == "bge-small":
        return BgeSmall()
    needs("minilm")
    return MiniLM()


def test_vectors_are_unit_vectors_of_the_stated_size(embedder: Embedder) -> None:
    vectors = embedder.embed_passages(WORLD)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(WORLD), embedder.dimensions)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_no_texts_give_no_vectors(embedder: Embedder) -> None:
    assert embedder.embed_passages([]).shape == (0, embedder.dimensions)


def test_the_vector_of_a_text_is_the_same_alone_and_among_others(embedder: Embedder) -> None:
    together = embedder.embed_passages(WORLD)
    alone = np.concatenate([embedder.embed_passages([text]) for text in WORLD])
    assert np.array_equal(together, alone)
    assert np.array_equal(embedder.embed_passages(WORLD[::-1]), together[::-1])


def test_a_question_is_nearest_to_the_passage_that_answers_it(embedder: Embedder) -> None:
    questions = embedder.embed_questions(["Who built the lighthouse?", "Where does the town council meet?"])
    assert (questions @ embedder.embed_passages(WORLD).T).argmax(axis=1).tolist() == [0, 3]


def test_the_end_of_a_long_text_is_not_cut(embedder: Embedder) -> None:
    """A text of several windows is the mean of them, so that its last sentence still counts."""
    beginning = WORLD[1] * 80
    plain, ended, topic = embedder.embed_passages([beginning, beginning + WORLD[0] * 40, WORLD[0]])
    assert ended @ topic > plain @ topic + 0.1


@pytest.mark.parametrize("text", ["", " \n\t", "\x00\x01\x02", "?!…", "مرحبا بالعالم", "灯塔", "a" * 3000, "\udcff"])
def test_odd_texts_have_vectors_too(embedder: Embedder, text: str) -> None:
    assert math.isclose(np.linalg.norm(embedder.embed_passages([text])), 1, rel_tol=1e-5)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.text(max_size=60), min_size=1, max_size=5), st.integers(1, 3))
def test_vectors_do_not_depend_on_batch_or_threads(texts: list[str], threads: int) -> None:
    one_by_one = np.concatenate([BgeSmall(threads=1).embed_passages([text]) for text in texts])
    assert np.array_equal(BgeSmall(threads=threads).embed_passages(texts), one_by_one)


def test_questions_get_the_prefix_of_bge() -> None:
    model = BgeSmall()
    assert not np.array_equal(model.embed_questions(WORLD[:1]), model.embed_passages(WORLD[:1]))


def test_an_embedder_travels_to_another_process(embedder: Embedder) -> None:
    embedder.embed_passages(WORLD[:1])  # what it has loaded stays behind
    assert len(pickle.dumps(embedder)) < 1000
    assert pickle.loads(pickle.dumps(embedder)) == embedder  # noqa: S301 (our own bytes)


@given(st.integers(0, 2000), st.integers(2, 512))
def test_windows_cover_every_token_in_order(length: int, size: int) -> None:
    cut = windows(range(length), size)
    assert len(cut) >= 1
    assert all(len(window) <= size for window in cut)
    assert sorted({token for window in cut for token in window}) == list(range(length))
    assert sum(map(len, cut)) <= max(2 * length, 0) + size


@given(st.text(max_size=50))
def test_pieces_put_together_are_the_text(text: str) -> None:
    long = text * (2 * PIECE // max(len(text), 1) + 1)
    assert "".join(pieces(long)) == encodable(long)
    assert all(len(piece) <= PIECE for piece in pieces(long))


def test_a_long_text_has_the_tokens_of_the_whole() -> None:
    """Cutting a text into pieces for the tokenizer's memory changes no token."""
    model = Encoder(bge_folder() / "model.onnx", bge_folder() / "tokenizer.json")
    text = " ".join(WORLD) + " "
    assert model.tokens(text * 1000) == model.tokens(text) * 1000


def test_work_side_by_side_keeps_its_order() -> None:
    assert side_by_side(str, range(100), 4) == [str(number) for number in range(100)]


def test_the_installed_weights_are_the_ones_we_know() -> None:
    BgeSmall().verify()
    check_sizes(bge_folder(), BGE_FILES)


def test_damaged_weights_are_told(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"abc")
    with pytest.raises(ModelMissing, match="missing"):
        check_sizes(tmp_path, [WeightFile("other.onnx", 3, "0")])
    with pytest.raises(ModelError, match="size"):
        check_sizes(tmp_path, [WeightFile("model.onnx", 4, "0")])
    with pytest.raises(ModelError, match="sha256"):
        check_hashes(tmp_path, [WeightFile("model.onnx", 3, "0")])
    with pytest.raises(ModelError, match="cannot be loaded"):
        Encoder(tmp_path / "model.onnx", bge_folder() / "tokenizer.json")


def test_missing_models_say_how_to_get_them(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing) as missing:
        MiniLM(cache=str(tmp_path)).embed_passages(["text"])
    assert missing.value.remedy == "Install it with: polyhop models install minilm"
    with pytest.raises(ModelMissing, match="not installed"):
        package_folder("no_such_package_of_weights")


def test_minilm_agrees_with_its_published_similarities() -> None:
    """The similarities that the model's card shows in fp32, within what 8-bit weights cost."""
    needs("minilm")
    MiniLM().verify()
    assert installed_folder("minilm").is_dir()
    sentences = ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
    vectors = MiniLM().embed_passages(sentences)
    expected = [[1.0, 0.6660, 0.1046], [0.6660, 1.0, 0.1411], [0.1046, 0.1411, 1.0]]
    assert np.allclose(vectors @ vectors.T, expected, atol=0.03)
