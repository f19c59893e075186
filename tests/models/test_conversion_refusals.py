"""A model that would not come out as it is in its folder is refused, by what is different and what to do."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from polyhop.errors import ModelError, ModelMissing
from polyhop.models.backbone_config import shape_of
from polyhop.models.conversion import convert_folder
from tests.worlds.hub_models import CONTEXT, LLAMA3_ROPE, VOCABULARY, HubModel, llama, qwen2


def refused(model: HubModel, folder: Path, complaint: str) -> ModelError:
    """The refusal of a model, of which nothing is left."""
    source = model.written(folder / "source")
    with pytest.raises(ModelError, match=complaint) as error:
        convert_folder(source, folder / "out")
    assert [path.name for path in folder.iterdir()] == ["source"]
    assert error.value.remedy
    return error.value


@pytest.mark.parametrize(
    ("model", "name", "shape"),
    [
        (llama(tie_word_embeddings=True), "lm_head.weight", (VOCABULARY, 64)),  # other than the table of tokens
        (llama(), "model.layers.0.self_attn.q_proj.bias", (64,)),
        (llama(), "model.layers.0.self_attn.rotary_emb.inv_freq", (8,)),
        (qwen2(), "model.layers.1.self_attn.o_proj.bias", (64,)),
        (qwen2(), "model.layers.0.self_attn.q_norm.weight", (16,)),
        (llama(), "model.layers.2.input_layernorm.weight", (64,)),  # a layer that the config does not count
        (llama(), "model.layers.0.mlp.experts.0.gate_proj.weight", (128, 64)),
        (llama(), "score.weight", (2, 64)),
    ],
)
def test_a_tensor_that_is_not_read_is_refused(
    tmp_path: Path, model: HubModel, name: str, shape: tuple[int, ...]
) -> None:
    refused(model.having(name, *shape), tmp_path, f"a tensor {name}, which is not read")


@pytest.mark.parametrize("name", ["model.norm.weight", "lm_head.weight", "model.layers.1.mlp.down_proj.weight"])
def test_a_tensor_that_is_missing_is_named(tmp_path: Path, name: str) -> None:
    refused(llama().without(name), tmp_path, f"no tensor {name}")


def test_a_bias_that_is_missing_is_named(tmp_path: Path) -> None:
    name = "model.layers.0.self_attn.k_proj.bias"
    refused(qwen2().without(name), tmp_path, f"no tensor {name}")


@pytest.mark.parametrize(
    ("name", "shape", "complaint"),
    [
        ("model.layers.0.self_attn.k_proj.weight", (64, 64), "k_proj.weight is 64 x 64 weights, and should be 32 x 64"),
        ("model.norm.weight", (32,), "should be 64"),
        ("model.norm.weight", (), "is one weights|should be 64"),
        ("model.layers.0.mlp.down_proj.weight", (64, 96), "96 weights long, and no multiple of 64"),
    ],
)
def test_a_shape_that_does_not_fit_is_refused(
    tmp_path: Path, name: str, shape: tuple[int, ...], complaint: str
) -> None:
    refused(llama().having(name, *shape), tmp_path, complaint)


def test_a_table_that_stands_there_twice_is_no_hindrance(tmp_path: Path) -> None:
    """Some folders have the tied output layer as a tensor of its own, too."""
    model = llama(tie_word_embeddings=True)
    twice = replace(model, tensors={**model.tensors, "lm_head.weight": model.tensors["model.embed_tokens.weight"]})
    for name, one in (("once", model), ("twice", twice)):
        convert_folder(one.written(tmp_path / name), tmp_path / f"{name}-out")
    graphs = [(tmp_path / f"{name}-out" / "model.onnx").read_bytes() for name in ("once", "twice")]
    assert graphs[0] == graphs[1]


@pytest.mark.parametrize(
    ("keys", "complaint"),
    [
        ({"model_type": "mamba"}, "model_type 'mamba', and only llama, qwen2 are known"),
        ({"model_type": "mistral"}, "model_type 'mistral'"),
        ({"architectures": ["LlamaForSequenceClassification"]}, "architectures"),
        ({"quantization_config": {"quant_method": "gptq"}}, "quantised"),
        ({"hidden_act": "gelu"}, "hidden_act is 'gelu', and only 'silu' is known"),
        ({"mlp_bias": True}, "mlp_bias is True"),
        ({"logit_scale": 0.5}, "logit_scale, which is not read"),
        ({"num_hidden_layers": None}, "nothing about num_hidden_layers"),
        ({"num_hidden_layers": "2"}, "num_hidden_layers is '2'"),
        ({"num_key_value_heads": 3}, "do not fit"),
        ({"head_dim": 12}, "do not fit"),
        ({"rms_norm_eps": -1.0}, "rms_norm_eps is -1.0"),
        ({"tie_word_embeddings": "yes"}, "tie_word_embeddings is 'yes'"),
        ({"rope_scaling": {"rope_type": "yarn", "factor": 4.0}}, "scaled by 'yarn', and only 'llama3' is known"),
        ({"rope_scaling": {"type": "linear", "factor": 2.0}}, "scaled by 'linear'"),
        ({"rope_scaling": {**LLAMA3_ROPE, "beta_fast": 1}}, "beta_fast of its rotations"),
        ({"rope_scaling": {**LLAMA3_ROPE, "factor": None}}, "nothing about factor"),
        ({"rope_scaling": {**LLAMA3_ROPE, "high_freq_factor": 1.0}}, "should be above low_freq_factor"),
        ({"rope_scaling": "llama3"}, "should be an object"),
        ({"rope_parameters": {"rope_type": "default", "partial_rotary_factor": 0.5}}, "partial_rotary_factor is 0.5"),
        ({"rope_parameters": {"full_attention": {"rope_type": "default"}}}, "full_attention of its rotations"),
    ],
)
def test_a_config_that_says_something_else_is_refused(tmp_path: Path, keys: Mapping[str, Any], complaint: str) -> None:
    refused(llama().saying(**keys), tmp_path, complaint)


@pytest.mark.parametrize(
    "keys",
    [
        {"use_sliding_window": True, "max_window_layers": 1},
        {"layer_types": ["full_attention", "sliding_attention"]},
        {"layer_types": ["linear_attention", "full_attention"], "sliding_window": None},
        {"attention_bias": False},
    ],
)
def test_qwen2_with_windows_that_matter_is_refused(tmp_path: Path, keys: Mapping[str, Any]) -> None:
    refused(qwen2().saying(**keys), tmp_path, "some layers see|attention_bias")


@pytest.mark.parametrize(
    "keys",
    [
        {"use_sliding_window": True, "max_window_layers": 1, "sliding_window": CONTEXT},  # as much as it reads
        {"use_sliding_window": True, "max_window_layers": 2},  # for layers that it does not have
        {"layer_types": ["full_attention", "full_attention"], "use_sliding_window": False},
        {"max_position_embeddings": 64, "use_sliding_window": True, "max_window_layers": 0},
    ],
)
def test_windows_that_do_not_matter_are_no_hindrance(tmp_path: Path, keys: Mapping[str, Any]) -> None:
    shape_of(qwen2().saying(**keys).written(tmp_path))


def changed(base: HubModel, **parts: Any) -> HubModel:
    return replace(base, tokenizer={**base.tokenizer, **parts})


def bpe(**keys: Any) -> HubModel:
    return changed(llama(), model={**llama().tokenizer["model"], **keys})


BYTEWISE = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}


@pytest.mark.parametrize(
    ("model", "complaint"),
    [
        (bpe(type="Unigram"), "its model is Unigram, not BPE"),
        (bpe(byte_fallback=True), "byte_fallback"),
        (bpe(end_of_word_suffix="</w>"), "end_of_word_suffix"),
        (changed(llama(), normalizer={"type": "Lowercase"}), r"changes texts before it reads them \(Lowercase\)"),
        (changed(llama(), pre_tokenizer=None), "its tokens are not bytes"),
        (changed(llama(), pre_tokenizer={"type": "Metaspace"}), "its tokens are not bytes"),
        (changed(llama(), pre_tokenizer={**BYTEWISE, "add_prefix_space": True}), "puts a space before each text"),
        (
            changed(
                llama(), pre_tokenizer={"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, BYTEWISE]}
            ),
            "a step that is not known",
        ),
        (changed(llama(), decoder={"type": "Metaspace"}), "its decoder is not ByteLevel"),
        (bpe(vocab={**llama().tokenizer["model"]["vocab"], "more": VOCABULARY}), f"a token {VOCABULARY}"),
        (bpe(vocab=[]), "cannot be read"),
        (bpe(merges=["no such"]), "cannot be read"),
        (changed(llama(), model=None), "cannot be read"),
    ],
)
def test_a_tokenizer_whose_tokens_are_not_bytes_is_refused(tmp_path: Path, model: HubModel, complaint: str) -> None:
    refused(model, tmp_path, complaint)


@pytest.mark.parametrize(
    ("name", "complaint"), [("config.json", r"has no config\.json"), ("tokenizer.json", r"has no tokenizer\.json")]
)
def test_a_file_that_is_missing_is_named(tmp_path: Path, name: str, complaint: str) -> None:
    (llama().written(tmp_path / "source") / name).unlink()
    with pytest.raises(ModelMissing, match=complaint) as error:
        convert_folder(tmp_path / "source", tmp_path / "out")
    assert "Take a folder" in error.value.remedy


@pytest.mark.parametrize("content", ["no JSON", json.dumps([1]), "\udcff".encode("utf-8", "surrogateescape")])
def test_a_file_that_is_no_json_is_refused(tmp_path: Path, content: str | bytes) -> None:
    (llama().written(tmp_path / "source") / "config.json").write_bytes(
        content if isinstance(content, bytes) else content.encode()
    )
    with pytest.raises(ModelError, match=r"config\.json (cannot be read|is no object)"):
        convert_folder(tmp_path / "source", tmp_path / "out")
