"""Cross-encoders from the hub or a folder: the same scores as the model gives, and what is wrong is told."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from polyhop.errors import ModelError, ModelMissing, SettingError
from polyhop.models.choice import load_models
from polyhop.models.cross_encoder import MiniLML12, reranker_folder
from polyhop.models.hub_reranker import HubReranker
from polyhop.ports import Floats
from polyhop.settings import Settings

QUESTION = "Who built the lighthouse of Varn?"
TEXTS = ("The lighthouse of Varn was built by Ilse Brandt.", "Goats.", "")
WORDS = ("<s>", "</s>", "<unk>", "who", "built", "varn", "goats", "ilse")
WIDTH = 8


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """The default cross-encoder, laid out like a repository with an ONNX export."""
    (tmp_path / "onnx").mkdir()
    shutil.copy(reranker_folder() / "model.onnx", tmp_path / "onnx")
    shutil.copy(reranker_folder() / "tokenizer.json", tmp_path)
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    return tmp_path


def tiny(folder: Path, *, classes: int = 1, outside: bool = False) -> tuple[Path, Floats, Floats]:
    """A repository with random weights in the manner of XLM-RoBERTa, and these: a vector a token, and a head.

    Two separators stand between question and text, and no segments are told. A pair's logits are the head's of the mean
    of its tokens. ``outside``: the weights lie in a file of their own, as those of large models do.
    """
    rng = np.random.default_rng(5)
    words, head = (rng.normal(size=shape).astype(np.float32) for shape in ((len(WORDS), WIDTH), (WIDTH, classes)))
    nodes = [
        helper.make_node("Gather", ["words", "input_ids"], ["tokens"]),
        helper.make_node("ReduceMean", ["tokens"], ["mean"], axes=[1], keepdims=0),
        helper.make_node("MatMul", ["mean", "head"], ["logits"]),
    ]
    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "length"])
    logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", classes])
    weights = [numpy_helper.from_array(words, "words"), numpy_helper.from_array(head, "head")]
    graph = helper.make_graph(nodes, "tiny", [ids], [logits], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(model, folder / "model.onnx", save_as_external_data=outside, location="model.onnx.data", size_threshold=0)
    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 1)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text(json.dumps({"num_labels": classes}), encoding="utf-8")
    return folder, words, head


def test_a_folder_loads_like_the_model_that_comes_with_polyhop(repository: Path) -> None:
    model, reference = HubReranker(repo=str(repository)), MiniLML12()
    model.verify()
    assert np.array_equal(model.score(QUESTION, TEXTS), reference.score(QUESTION, TEXTS))
    assert model.score(QUESTION, []).shape == (0,)
    long = ["The harbour is quiet. " * 200 + TEXTS[0]]
    short = HubReranker(repo=str(repository), max_tokens=64)
    assert np.array_equal(short.score(QUESTION, long), MiniLML12(max_tokens=64).score(QUESTION, long))


@pytest.mark.parametrize("outside", [False, True])
def test_a_pair_is_put_together_as_the_tokenizer_says(tmp_path: Path, outside: bool) -> None:
    """With both separators; large models have their weights in a file beside the graph."""
    folder, words, head = tiny(tmp_path, outside=outside)
    assert (folder / "model.onnx.data").is_file() == outside
    found = HubReranker(repo=str(folder)).score("who built varn", ["ilse built varn", "goats"])
    read = [[0, 3, 4, 5, 1, 1, 7, 4, 5, 1], [0, 3, 4, 5, 1, 1, 6, 1]]
    assert np.allclose(found, [(words[ids].mean(axis=0) @ head)[0] for ids in read], atol=1e-5)


def test_of_two_classes_the_second_counts_against_the_first(tmp_path: Path) -> None:
    folder, words, head = tiny(tmp_path, classes=2)
    (found,) = HubReranker(repo=str(folder)).score("who", ["ilse"])
    first, second = words[[0, 3, 1, 1, 7, 1]].mean(axis=0) @ head
    assert np.isclose(found, second - first, atol=1e-5)


def test_what_is_no_cross_encoder_is_told(tmp_path: Path) -> None:
    folder, *_ = tiny(tmp_path, classes=3)
    with pytest.raises(ModelError, match="3 numbers for a pair") as caught:
        HubReranker(repo=str(folder)).verify()
    assert "text-classification" in caught.value.remedy


def test_a_file_that_is_missing_is_named(repository: Path) -> None:
    with pytest.raises(ModelMissing, match=r"model_int8\.onnx"):
        HubReranker(repo=str(repository), graph="onnx/model_int8.onnx").verify()
    (repository / "tokenizer.json").unlink()
    with pytest.raises(ModelMissing, match=r"tokenizer\.json"):
        HubReranker(repo=str(repository)).verify()


def test_the_name_tells_scores_apart(repository: Path, tmp_path: Path) -> None:
    folder, *_ = tiny(tmp_path / "tiny")
    names = {HubReranker(repo=str(place), max_tokens=most).name for place in (repository, folder) for most in (64, 512)}
    assert len(names) == 4


def test_a_repository_is_named_behind_a_colon(repository: Path) -> None:
    """The same for embedders; a model that takes no repository refuses one."""
    settings = Settings.read(None, [f"models.reranker=hub:{repository}", "reranker.max_tokens=64"])
    reranker = load_models(settings).reranker
    assert reranker.name == HubReranker(repo=str(repository), max_tokens=64).name
    with pytest.raises(SettingError, match=r"rerankers\.minilm-l12 has no setting 'repo'"):
        assert load_models(Settings.read(None, ["models.reranker=minilm-l12:owner/name"])).reranker


def test_a_senseless_length_is_refused() -> None:
    with pytest.raises(ValueError, match="max_tokens"):
        HubReranker(repo="owner/name", max_tokens=8)
