"""A network that would not come out as it is in its file is refused, by the name of what is different."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyhop.errors import ModelError
from polyhop.models.gguf_file import Gguf
from polyhop.models.gguf_to_onnx import convert
from tests.worlds.gguf import CACHED_HEADS, HEAD_WIDTH, HIDDEN, LAYERS, TOKENS, WIDTH, Value, written


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("output.weight", (len(TOKENS), WIDTH)),  # the output layer is not the table of tokens
        ("rope_freqs.weight", (HEAD_WIDTH // 2,)),  # factors for long contexts
        ("blk.0.attn_q.bias", (WIDTH,)),
        ("blk.1.attn_k.bias", (CACHED_HEADS * HEAD_WIDTH,)),
        ("blk.0.attn_q_norm.weight", (HEAD_WIDTH,)),
        (f"blk.{LAYERS}.attn_norm.weight", (WIDTH,)),  # a layer that the header does not count
        ("blk.0.ffn_gate_exps.weight", (2, HIDDEN, WIDTH)),  # a mixture of experts
    ],
)
def test_a_tensor_that_is_not_read_is_refused(tmp_path: Path, name: str, shape: tuple[int, ...]) -> None:
    source = written(tmp_path / "other.gguf", tensors={name: shape})
    with pytest.raises(ModelError, match=f"a tensor {name}, which is not read"):
        convert(source, tmp_path)
    assert sorted(tmp_path.iterdir()) == [source], "nothing is written of what is refused"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("llama.rope.scaling.type", "linear"),
        ("llama.rope.scaling.factor", 4.0),
        ("llama.rope.scaling.original_context_length", 256),
        ("llama.rope.dimension_count", HEAD_WIDTH // 2),
        ("llama.attention.key_length", 2 * HEAD_WIDTH),
        ("llama.attention.sliding_window", 128),
        ("llama.expert_count", 8),
        ("llama.logit_scale", 0.5),
        ("tokenizer.ggml.model", "llama"),
        ("tokenizer.ggml.pre", "qwen2"),
        ("tokenizer.ggml.add_bos_token", True),
        ("split.count", 2),
    ],
)
def test_a_key_that_is_not_read_is_refused_unless_it_says_what_is_built(tmp_path: Path, key: str, value: Value) -> None:
    source = written(tmp_path / "other.gguf", keys={key: value})
    with pytest.raises(ModelError, match=key):
        convert(source, tmp_path)


def test_keys_that_say_what_is_built_and_that_describe_the_file_are_no_hindrance(tmp_path: Path) -> None:
    keys: dict[str, Value] = {
        "llama.rope.dimension_count": HEAD_WIDTH,
        "llama.rope.scaling.type": "none",
        "llama.attention.key_length": HEAD_WIDTH,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "smollm",
        "tokenizer.ggml.add_bos_token": False,
        "tokenizer.ggml.eos_token_id": 1,
        "tokenizer.chat_template": "{{ messages }}",
        "general.name": "Tiny",
    }
    Gguf(written(tmp_path / "tiny.gguf", keys=keys)).check()


@pytest.mark.parametrize("name", ["output_norm.weight", "blk.1.ffn_down.weight"])
def test_a_tensor_that_is_missing_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(ModelError, match=f"no tensor {name}"):
        convert(written(tmp_path / "other.gguf", without=name), tmp_path)


def test_rows_that_cannot_be_cut_into_blocks_are_refused(tmp_path: Path) -> None:
    source = written(tmp_path / "other.gguf", tensors={"blk.0.ffn_down.weight": (WIDTH, HIDDEN + 32)})
    with pytest.raises(ModelError, match=r"rows of blk\.0\.ffn_down\.weight are 160 weights long"):
        convert(source, tmp_path)


def test_another_architecture_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="another architecture"):
        convert(written(tmp_path / "other.gguf", architecture="mamba"), tmp_path)
