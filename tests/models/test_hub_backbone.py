"""What is converted from safetensors says what its network is defined as, in numpy and in transformers."""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.models import graph_parts
from polyhop.models.conversion import convert_folder
from polyhop.models.converted import ConvertedModel
from polyhop.models.decoder import Decoder, PrefixTree
from polyhop.models.decoder_graph import write_graph
from polyhop.models.eight_bits import BLOCK, quantised
from polyhop.models.gguf_file import Gguf
from polyhop.models.gguf_to_onnx import convert
from polyhop.models.hub_backbone import HubBackbone, side_by_side
from polyhop.ports import Floats, Ints
from tests.worlds import gguf
from tests.worlds.hub_models import LLAMA3_ROPE, SHAPES, VOCABULARY, HubModel, llama, qwen2

INSTRUCTION, QUESTION = "Name the thing.", "Who was the architect of the café?"


@pytest.fixture(scope="module", params=SHAPES)
def shape(request: pytest.FixtureRequest) -> HubModel:
    return SHAPES[request.param]


@pytest.fixture(scope="module")
def folder(shape: HubModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shape.written(tmp_path_factory.mktemp("hub") / "tiny")


@pytest.fixture(scope="module")
def exact(folder: Path) -> Decoder:
    """The converted model, in float32."""
    convert_folder(folder, folder.with_name("exact"), precision="float32")
    return Decoder(folder.with_name("exact") / "model.onnx", threads=1)


@pytest.fixture(scope="module")
def eight(folder: Path) -> Decoder:
    """The converted model in eight bits, its activations as exact as they are."""
    write_graph(HubBackbone(folder), folder.with_name("eight.onnx"), exact=True)
    return Decoder(folder.with_name("eight.onnx"), threads=1)


def ints(*values: int) -> Ints:
    return np.array(values, np.int64)


def read(decoder: Decoder, tokens: Sequence[int]) -> PrefixTree:
    return decoder.read(decoder.root(), ints(0), [tokens])


def after_each(decoder: Decoder, tokens: Sequence[int]) -> Floats:
    """What may come next after each of the tokens, read as branches behind the first."""
    first = read(decoder, tokens[:1])
    branches = [tokens[1 : end + 1] for end in range(1, len(tokens))]
    behind = decoder.read(first, np.zeros(len(branches), np.int64), branches)
    return np.concatenate([first.logprobs, behind.logprobs])


def in_eight_bits(model: HubModel) -> HubModel:
    """The model with its matrices as 8 bits keep them."""

    def kept(matrix: Floats) -> Floats:
        levels, scales = quantised(matrix)
        restored: Floats = (levels.astype(np.float32) - 128) * scales[..., None]
        return restored.reshape(matrix.shape)

    return replace(
        model, tensors={name: kept(value) if value.ndim == 2 else value for name, value in model.tensors.items()}
    )


some_tokens = st.lists(st.integers(0, VOCABULARY - 1), min_size=1, max_size=40)


@settings(max_examples=25)
@given(tokens=some_tokens)
def test_log_probabilities_are_those_of_the_network(exact: Decoder, shape: HubModel, tokens: list[int]) -> None:
    assert np.abs(after_each(exact, tokens) - shape.logprobs(tokens)).max() < 1e-4


@settings(max_examples=10)
@given(tokens=some_tokens)
def test_in_eight_bits_they_are_those_of_the_rounded_network(
    eight: Decoder, shape: HubModel, tokens: list[int]
) -> None:
    assert np.abs(after_each(eight, tokens) - in_eight_bits(shape).logprobs(tokens)).max() < 1e-3


def test_they_are_so_far_behind_what_was_read_first(exact: Decoder, shape: HubModel) -> None:
    """Where slow rotations have gone a way: a few hundred tokens in."""
    tokens = [(7 * place) % VOCABULARY for place in range(700)]
    assert np.abs(read(exact, tokens).logprobs[0] - shape.logprobs(tokens)[-1]).max() < 1e-3


def test_transformers_has_the_same_log_probabilities(folder: Path, exact: Decoder) -> None:
    if importlib.util.find_spec("transformers") is None:
        pytest.skip("transformers is not installed")
    tokens = np.random.default_rng(5).integers(0, VOCABULARY, 200).tolist()
    expected = in_transformers(folder, tokens)
    assert np.abs(after_each(exact, tokens[:60]) - expected[:60]).max() < 1e-4
    assert np.abs(read(exact, tokens).logprobs[0] - expected[-1]).max() < 1e-4


def test_transformers_asks_in_the_same_words(folder: Path) -> None:
    if importlib.util.find_spec("transformers") is None:
        pytest.skip("transformers is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import transformers

        tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder)
    messages = [{"role": "system", "content": INSTRUCTION}, {"role": "user", "content": QUESTION}]
    expected = tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=True, return_dict=False)
    convert_folder(folder, folder.with_name("asked"))
    assert ConvertedModel(folder=str(folder.with_name("asked"))).prompt(INSTRUCTION, QUESTION) == expected


def in_transformers(folder: Path, tokens: Sequence[int]) -> Floats:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import torch
        import transformers

        network: Any = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
        with torch.no_grad():
            logits = network.eval()(torch.tensor([tokens])).logits[0]
        result: Floats = torch.log_softmax(logits, dim=-1).numpy()
    return result


@pytest.mark.parametrize("kind", ["F16", "BF16"])
def test_halves_are_widened(tmp_path: Path, kind: str) -> None:
    convert_folder(llama().written(tmp_path / "half", kind=kind), tmp_path / "out", precision="float32")
    tokens = [1, 2, 3, 40, 50]
    expected = llama().rounded(kind).logprobs(tokens)
    assert np.abs(after_each(Decoder(tmp_path / "out/model.onnx", 1), tokens) - expected).max() < 1e-4
    assert np.abs(expected - llama().logprobs(tokens)).max() > 1e-4, "the numbers are others"


@pytest.mark.parametrize("keys", [{"rope_parameters": {**LLAMA3_ROPE, "rope_theta": 5e5}}, {"rope_theta": 5e5}])
def test_old_and_new_configs_say_the_same(tmp_path: Path, keys: dict[str, Any]) -> None:
    model = llama(rope_scaling=LLAMA3_ROPE, rope_theta=5e5)
    plain = {key: value for key, value in model.config.items() if not key.startswith("rope")}
    older = {**LLAMA3_ROPE, "type": LLAMA3_ROPE["rope_type"]}
    other = replace(model, config={**plain, **keys, **({} if "rope_parameters" in keys else {"rope_scaling": older})})
    shapes = [HubBackbone(one.written(tmp_path / name)).shape for name, one in (("a", model), ("b", other))]
    assert shapes[0] == shapes[1]


def test_several_files_and_one_give_the_same(tmp_path: Path) -> None:
    for name, shards in (("one", 1), ("three", 3)):
        convert_folder(qwen2().written(tmp_path / name, shards=shards), tmp_path / f"{name}-out")
    assert content(tmp_path / "one-out") == content(tmp_path / "three-out")


@pytest.mark.parametrize("inline", [0, 10**9])
def test_two_conversions_are_equal_byte_for_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shape: HubModel, inline: int
) -> None:
    monkeypatch.setattr(graph_parts, "MOST_INLINE", inline)
    source = shape.written(tmp_path / "tiny")
    for name in ("a", "b"):
        convert_folder(source, tmp_path / name)
    assert content(tmp_path / "a") == content(tmp_path / "b")
    assert ("model.onnx_data" in content(tmp_path / "a")) == (inline == 0)


@pytest.mark.parametrize("precision", ["8-bit", "float32"])
def test_weights_in_a_file_beside_the_graph_are_the_same_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shape: HubModel, precision: Any
) -> None:
    """As those are that are too large for one file."""
    source = shape.written(tmp_path / "tiny")
    convert_folder(source, tmp_path / "one", precision=precision)
    monkeypatch.setattr(graph_parts, "MOST_INLINE", 0)
    convert_folder(source, tmp_path / "two", precision=precision)
    assert (tmp_path / "two/model.onnx").stat().st_size < (tmp_path / "two/model.onnx_data").stat().st_size / 5
    one, two = (after_each(Decoder(tmp_path / name / "model.onnx", 1), [5, 6, 7]) for name in ("one", "two"))
    assert np.array_equal(one, two)
    ConvertedModel(folder=str(tmp_path / "two")).verify()


def test_gguf_and_safetensors_give_the_same_graph(tmp_path: Path) -> None:
    """Of the same weights, which GGUF has in another order and under other names."""
    source = gguf.written(tmp_path / "tiny.gguf")
    convert(source, tmp_path)
    write_graph(HubBackbone(as_hub_model(source).written(tmp_path / "hub")), tmp_path / "other.onnx")
    assert (tmp_path / "other.onnx").read_bytes() == (tmp_path / "model.onnx").read_bytes()


def as_hub_model(source: Path) -> HubModel:
    """A GGUF file of the tiny network as a hub would have it."""
    file = Gguf(source)
    names = {"token_embd": "model.embed_tokens", "output_norm": "model.norm"}
    inner = {
        **{f"attn_{name[0]}": f"self_attn.{name[0]}_proj" for name in ("q", "k", "v")},
        **{f"ffn_{name}": f"mlp.{name}_proj" for name in ("gate", "up", "down")},
        "attn_output": "self_attn.o_proj",
        "attn_norm": "input_layernorm",
        "ffn_norm": "post_attention_layernorm",
    }
    for layer in range(gguf.LAYERS):
        names |= {f"blk.{layer}.{name}": f"model.layers.{layer}.{other}" for name, other in inner.items()}
    tensors = {f"{other}.weight": file.tensor(f"{name}.weight") for name, other in names.items()}
    for name in [name for name in tensors if ".q_proj" in name or ".k_proj" in name]:
        pairs = tensors[name].reshape(-1, gguf.HEAD_WIDTH // 2, 2, gguf.WIDTH)
        tensors[name] = pairs.swapaxes(1, 2).reshape(-1, gguf.WIDTH)
    shape = file.shape
    keys = {
        "vocab_size": shape.vocabulary,
        "rope_theta": gguf.ROPE_BASE,
        "rms_norm_eps": gguf.EPSILON,
        "max_position_embeddings": gguf.CONTEXT,
    }
    return replace(llama(tie_word_embeddings=True), tensors=tensors).saying(**keys)


@given(st.integers(1, 5), st.sampled_from([2, 8, 16]), st.booleans())
def test_rows_that_are_turned_together_come_to_lie_side_by_side(heads: int, width: int, matrix: bool) -> None:
    rows = np.arange(heads * width, dtype=np.float32)
    ordered = side_by_side(rows[:, None] if matrix else rows, width).ravel()
    assert sorted(ordered) == rows.tolist()
    assert np.array_equal(ordered[1::2] - ordered[::2], np.full(heads * width // 2, width // 2))


@settings(max_examples=20)
@given(st.integers(1, 9), st.integers(1, 3), st.integers(1, 400))
def test_matrices_quantised_some_rows_at_a_time_are_the_same(rows: int, blocks: int, at_once: int) -> None:
    from polyhop.models import eight_bits

    matrix = np.random.default_rng(rows).standard_normal((rows, blocks * BLOCK)).astype(np.float32)
    whole = quantised(matrix)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(eight_bits, "AT_ONCE", at_once)
        parts = quantised(matrix)
    assert np.array_equal(whole[0], parts[0])
    assert np.array_equal(whole[1], parts[1])


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}
