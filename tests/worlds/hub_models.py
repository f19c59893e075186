"""Tiny language models with random weights in folders as model hubs have them, of every shape that is converted."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers.pre_tokenizers import ByteLevel

from polyhop.ports import Floats
from tests.worlds.plain_network import PlainNetwork

LAYERS, CONTEXT, VOCABULARY = 2, 2000, 300
BYTES = sorted(ByteLevel.alphabet())
MERGES = ["# #", "Ġ ##", "t h", "th e", "Ġ the", "a n", "an d", "a s", "w as", "Ġ w", "Ġ o", "Ġo f", "@ @", "Ã ©"]
LLAMA_MARKS = ["<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"]
QWEN_MARKS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<tool_call>"]
CUT = r"(?i:'s|'t)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
LLAMA_TEMPLATE = """\
{{- bos_token }}
{%- for message in messages %}
    {{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\n\n' + message['content'] | trim + '<|eot_id|>' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start_header_id|>assistant<|end_header_id|>\n\n' }}
{%- endif %}
"""
QWEN_TEMPLATE = """\
{%- if messages[0]['role'] != 'system' %}
    {{- '<|im_start|>system\\nYou help.<|im_end|>\\n' }}
{%- endif %}
{%- for message in messages %}
    {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
{%- endif %}
"""
LLAMA3_ROPE = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}


@dataclass(frozen=True, kw_only=True)
class HubModel:
    """A model before it is written: what its config says, its tensors, and the files beside them."""

    config: Mapping[str, Any]
    tensors: Mapping[str, Floats]
    tokenizer: Mapping[str, Any]
    tokenizer_config: Mapping[str, Any]
    beside: Mapping[str, str] = field(default_factory=dict)  # other files, by name

    def without(self, name: str) -> HubModel:
        """Without one tensor."""
        return replace(self, tensors={key: value for key, value in self.tensors.items() if key != name})

    def having(self, name: str, *shape: int) -> HubModel:
        """With a tensor more, or one of another shape."""
        return replace(self, tensors={**self.tensors, name: np.ones(shape, np.float32)})

    def saying(self, **keys: Any) -> HubModel:
        """With other keys in its config."""
        return replace(self, config={**self.config, **keys})

    def written(self, folder: Path, *, kind: str = "F32", shards: int = 1) -> Path:
        """The folder with all files, tensors as numbers of a kind in one or several files."""
        folder.mkdir(parents=True, exist_ok=True)
        names = list(self.tensors)
        if shards == 1:
            write_safetensors(folder / "model.safetensors", self.tensors, kind)
        else:
            homes = {name: f"model-{at % shards + 1:05}-of-{shards:05}.safetensors" for at, name in enumerate(names)}
            for file in set(homes.values()):
                write_safetensors(
                    folder / file, {name: self.tensors[name] for name in names if homes[name] == file}, kind
                )
            index = {"metadata": {"total_size": 0}, "weight_map": homes}
            (folder / "model.safetensors.index.json").write_text(json.dumps(index), encoding="utf-8")
        for name, content in (
            ("config.json", self.config),
            ("tokenizer.json", self.tokenizer),
            ("tokenizer_config.json", self.tokenizer_config),
        ):
            (folder / name).write_text(json.dumps(content), encoding="utf-8")
        for name, text in self.beside.items():
            (folder / name).write_text(text, encoding="utf-8")
        return folder

    def rounded(self, kind: str) -> HubModel:
        """With the numbers that files of a kind hold."""
        return replace(
            self, tensors={name: _widened(_stored(value, kind), kind) for name, value in self.tensors.items()}
        )

    def logprobs(self, tokens: Sequence[int]) -> NDArray[np.float64]:
        """What may come next after each of the tokens, of shape (tokens, vocabulary)."""
        return PlainNetwork(self.config, self.tensors).logprobs(tokens)


def llama(**keys: Any) -> HubModel:
    """A model of Llama's kind; ``keys`` are those of its config that are to be others."""
    config = {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        **_sizes(),
        "rope_theta": 10_000.0,
        "rms_norm_eps": 1e-5,
        "tie_word_embeddings": False,
        **keys,
    }
    bos = 256 + len(MERGES)
    return HubModel(
        config=config | {"bos_token_id": bos, "eos_token_id": bos + 1},
        tensors=_random_tensors(config),
        tokenizer=_tokenizer(LLAMA_MARKS, begin=LLAMA_MARKS[0], special=len(LLAMA_MARKS)),
        tokenizer_config={
            "bos_token": LLAMA_MARKS[0],
            "eos_token": LLAMA_MARKS[4],
            "chat_template": LLAMA_TEMPLATE,
            "tokenizer_class": "PreTrainedTokenizerFast",
        },
    )


def qwen2(**keys: Any) -> HubModel:
    """A model of Qwen2's kind, with its biases and its tied output layer."""
    config = {
        "architectures": ["Qwen2ForCausalLM"],
        "model_type": "qwen2",
        **_sizes(),
        "rope_theta": 1_000_000.0,
        "rms_norm_eps": 1e-6,
        "tie_word_embeddings": True,
        "use_sliding_window": False,
        "sliding_window": 64,
        "max_window_layers": LAYERS,
        **keys,
    }
    return HubModel(
        config=config | {"eos_token_id": 256 + len(MERGES)},
        tensors=_random_tensors(config),
        tokenizer=_tokenizer(QWEN_MARKS, special=3),
        tokenizer_config={
            "eos_token": {"content": QWEN_MARKS[2], "special": True, "__type": "AddedToken"},
            "chat_template": QWEN_TEMPLATE,
            "tokenizer_class": "PreTrainedTokenizerFast",
        },
    )


def write_safetensors(path: Path, tensors: Mapping[str, Floats], kind: str = "F32") -> None:
    """The format as its page defines it: the length of the header, the header, the numbers."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    blocks = [_stored(value, kind).tobytes() for value in tensors.values()]
    at = 0
    for (name, value), block in zip(tensors.items(), blocks, strict=True):
        header[name] = {"dtype": kind, "shape": list(value.shape), "data_offsets": [at, at + len(block)]}
        at += len(block)
    said = json.dumps(header).encode()
    said += b" " * (-len(said) % 8)
    path.write_bytes(len(said).to_bytes(8, "little") + said + b"".join(blocks))


def _stored(value: Floats, kind: str) -> NDArray[Any]:
    if kind == "BF16":
        return (np.ascontiguousarray(value, np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return value.astype({"F32": np.float32, "F16": np.float16}[kind])


def _widened(stored: NDArray[Any], kind: str) -> Floats:
    if kind == "BF16":
        return (stored.astype(np.uint32) << 16).view(np.float32)
    return stored.astype(np.float32)


def _sizes() -> dict[str, Any]:
    return {
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "vocab_size": VOCABULARY,
        "max_position_embeddings": CONTEXT,
        "hidden_act": "silu",
        "torch_dtype": "float32",
        "transformers_version": "4.45.0",
    }


def _random_tensors(config: Mapping[str, Any]) -> dict[str, Floats]:
    draw = np.random.default_rng(11).standard_normal
    width, inner = config["hidden_size"], config["intermediate_size"]
    head = config.get("head_dim") or width // config["num_attention_heads"]
    asked, cached = head * config["num_attention_heads"], head * config["num_key_value_heads"]
    shapes: dict[str, tuple[int, ...]] = {
        "model.embed_tokens.weight": (VOCABULARY, width),
        "model.norm.weight": (width,),
    }
    if not config["tie_word_embeddings"]:
        shapes["lm_head.weight"] = (VOCABULARY, width)
    for layer in range(config["num_hidden_layers"]):
        at = f"model.layers.{layer}."
        shapes |= {f"{at}{name}_layernorm.weight": (width,) for name in ("input", "post_attention")}
        rows = {"q": (asked, width), "k": (cached, width), "v": (cached, width), "o": (width, asked)}
        shapes |= {f"{at}self_attn.{name}_proj.weight": shape for name, shape in rows.items()}
        biased = "qkv" if config["model_type"] == "qwen2" else "qkvo" if config.get("attention_bias") else ""
        shapes |= {f"{at}self_attn.{name}_proj.bias": rows[name][:1] for name in biased}
        shapes |= {f"{at}mlp.{name}_proj.weight": (inner, width) for name in ("gate", "up")}
        shapes[f"{at}mlp.down_proj.weight"] = (width, inner)
    return {
        name: (
            draw(shape) / 4 if len(shape) == 2 else draw(shape) / 2 if name.endswith("bias") else 1 + draw(shape) / 5
        ).astype(np.float32)
        for name, shape in shapes.items()
    }


def _tokenizer(marks: Sequence[str], *, special: int, begin: str | None = None) -> dict[str, Any]:
    """Bytes, a few merges and marks, of which the first are special; Llama's puts one before each text."""
    vocabulary = {token: at for at, token in enumerate([*BYTES, *(merge.replace(" ", "") for merge in MERGES)])}
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    added = [
        {"id": len(vocabulary) + at, "content": mark, **flags, "special": at < special} for at, mark in enumerate(marks)
    ]
    bytewise = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    cut = {"type": "Split", "pattern": {"Regex": CUT}, "behavior": "Isolated", "invert": False}
    around: list[dict[str, Any]] = [{**bytewise, "trim_offsets": begin is not None}]
    if begin is not None:
        around.append(
            {
                "type": "TemplateProcessing",
                "single": [{"SpecialToken": {"id": begin, "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
                "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
                "special_tokens": {begin: {"id": begin, "ids": [added[0]["id"]], "tokens": [begin]}},
            }
        )
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": None if begin is not None else {"type": "NFC"},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [cut, bytewise]},
        "post_processor": {"type": "Sequence", "processors": around},
        "decoder": {**bytewise, "use_regex": True},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": begin is not None,
            "vocab": vocabulary,
            "merges": MERGES,
        },
    }


SHAPES: Mapping[str, HubModel] = {
    "llama: output layer of its own, scaled rotations": llama(rope_scaling=LLAMA3_ROPE, rope_theta=500_000.0),
    "llama: wide heads": llama(head_dim=32),
    "llama: one key for all heads, tied": llama(num_key_value_heads=1, tie_word_embeddings=True),
    "llama: biases": llama(attention_bias=True),
    "qwen2: biases, tied": qwen2(),
    "qwen2: output layer of its own": qwen2(tie_word_embeddings=False, num_key_value_heads=4),
}
