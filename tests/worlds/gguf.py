"""A tiny network of the llama architecture with random weights, as a GGUF file, and others that differ from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from gguf import GGUFWriter
from tokenizers.pre_tokenizers import ByteLevel

from polyhop.models.gguf_to_onnx import convert
from polyhop.models.install import archive
from polyhop.models.smollm2 import SmolLM2
from polyhop.models.weights import write_manifest

LAYERS, WIDTH, HEADS, CACHED_HEADS, HIDDEN, CONTEXT = 2, 64, 4, 2, 128, 600
HEAD_WIDTH = WIDTH // HEADS
ROPE_BASE, EPSILON = 10_000.0, 1e-5
SPEAKING = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", *sorted(ByteLevel.alphabet()), "ab", "abc"]
TOKENS = ["<end>", "<turn>", *"abcdefghijklmnopqrstuvwxyz", "ab", "abc"]

Value = str | int | float | bool


def written(
    path: Path,
    *,
    architecture: str = "llama",
    without: str = "",
    tensors: Mapping[str, tuple[int, ...]] | None = None,
    keys: Mapping[str, Value] | None = None,
    tokens: Sequence[str] = TOKENS,
    control: int = 2,
) -> Path:
    """The file, with some tensors and keys more, or without one tensor; of its tokens the first are no text."""
    writer = GGUFWriter(path, architecture)
    writer.add_block_count(LAYERS)
    writer.add_embedding_length(WIDTH)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(CACHED_HEADS)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_context_length(CONTEXT)
    writer.add_vocab_size(len(tokens))
    writer.add_rope_freq_base(ROPE_BASE)
    writer.add_layer_norm_rms_eps(EPSILON)
    writer.add_token_list(list(tokens))
    writer.add_token_types([3] * control + [1] * (len(tokens) - control))
    writer.add_token_merges(["a b", "ab c"])
    for key, value in (keys or {}).items():
        _add(writer, key, value)
    draw = np.random.default_rng(7).standard_normal
    for name, shape in {**_tensors(len(tokens)), **(tensors or {})}.items():
        values = 1 + draw(shape) / 5 if len(shape) == 1 else draw(shape) / 4
        if name != without:
            writer.add_tensor(name, values.astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def installed(cache: Path) -> SmolLM2:
    """A tiny model that speaks in bytes, installed where SmolLM2 would be, with activations in float32."""
    folder = cache / archive("smollm2").folder
    folder.mkdir(parents=True)
    convert(written(cache / "tiny.gguf", tokens=SPEAKING, control=3), folder, exact=True)
    write_manifest(folder)
    return SmolLM2(threads=1, cache=str(cache))


def _add(writer: GGUFWriter, key: str, value: Value) -> None:
    if isinstance(value, bool):
        writer.add_bool(key, value)
    elif isinstance(value, int):
        writer.add_uint32(key, value)
    elif isinstance(value, float):
        writer.add_float32(key, value)
    else:
        writer.add_string(key, value)


def _tensors(vocabulary: int) -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {"token_embd": (vocabulary, WIDTH), "output_norm": (WIDTH,)}
    for layer in range(LAYERS):
        at = f"blk.{layer}."
        shapes |= {f"{at}{name}": (WIDTH,) for name in ("attn_norm", "ffn_norm")}
        shapes |= {f"{at}{name}": (WIDTH, WIDTH) for name in ("attn_q", "attn_output")}
        shapes |= {f"{at}{name}": (CACHED_HEADS * HEAD_WIDTH, WIDTH) for name in ("attn_k", "attn_v")}
        shapes |= {f"{at}{name}": (HIDDEN, WIDTH) for name in ("ffn_gate", "ffn_up")}
        shapes[f"{at}ffn_down"] = (WIDTH, HIDDEN)
    return {f"{name}.weight": shape for name, shape in shapes.items()}
