"""What ``config.json`` says of a network, as a shape; whatever would make another network of it is refused.

A key that is not known may be anything, a factor on every layer or a name. So it is refused, too, until it is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from polyhop.errors import ModelError
from polyhop.models.backbone import BackboneShape, Biased, Llama3Scaling
from polyhop.models.json_file import json_of

CONFIG: Final = "config.json"
ARCHITECTURES: Final = {"llama": "LlamaForCausalLM", "qwen2": "Qwen2ForCausalLM"}
CONTEXT: Final = {"llama": 2048, "qwen2": 32_768}  # where nothing is said
ROPE_BASE: Final = 10_000.0  # where nothing is said
READ: Final = frozenset(
    {
        *("architectures", "model_type", "num_hidden_layers", "hidden_size", "intermediate_size", "vocab_size"),
        *("num_attention_heads", "num_key_value_heads", "head_dim", "max_position_embeddings", "rms_norm_eps"),
        *("rope_theta", "rope_scaling", "rope_parameters", "tie_word_embeddings", "attention_bias"),
        *("use_sliding_window", "sliding_window", "max_window_layers", "layer_types", "quantization_config"),
    }
)
DESCRIPTIVE: Final = frozenset(  # keys that tell of making, training and using it
    {
        *("_name_or_path", "transformers_version", "torch_dtype", "dtype", "use_cache", "initializer_range"),
        *("bos_token_id", "eos_token_id", "pad_token_id", "attention_dropout", "pretraining_tp", "is_llama_config"),
        *("transformers.js_config", "unsloth_fixed", "unsloth_version", "_attn_implementation_autoset"),
    }
)
AS_BUILT: Final = {"hidden_act": "silu", "mlp_bias": False, "rope_interleaved": False, "partial_rotary_factor": 1.0}
SCALING: Final = ("factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings")


def shape_of(folder: Path) -> BackboneShape:
    """The shape of the network in a folder. Raises ModelMissing without its config, ModelError for another network."""
    content = json_of(folder / CONFIG, "Take a folder as model hubs have them, with all of its files.")
    return _Config(folder, content).shape()


@dataclass(frozen=True)
class _Config:
    folder: Path
    content: Mapping[str, Any]

    def shape(self) -> BackboneShape:
        kind = self._kind()
        self._check_keys()
        width, heads = self.whole("hidden_size"), self.whole("num_attention_heads")
        base, scaling = self._rope()
        shape = BackboneShape(
            layers=self.whole("num_hidden_layers"),
            width=width,
            inner=self.whole("intermediate_size"),
            heads=heads,
            cached_heads=self.whole("num_key_value_heads", heads),
            head_width=self.whole("head_dim", width // heads),
            vocabulary=self.whole("vocab_size"),
            context=self.whole("max_position_embeddings", CONTEXT[kind]),
            epsilon=self.positive("rms_norm_eps", 1e-6),
            rope_base=base,
            rope_scaling=scaling,
            tied=self.either("tie_word_embeddings", False),
            biased=self._biased(kind),
        )
        if shape.heads % shape.cached_heads or shape.head_width % 8:
            raise self.refused(
                f"{shape.heads} heads of {shape.head_width} numbers that share {shape.cached_heads} keys do not fit"
            )
        self._check_windows(shape)
        return shape

    def whole(self, key: str, otherwise: int | None = None) -> int:
        """A number of things, at least one."""
        value = self._given(key, otherwise)
        if type(value) is not int or value < 1:
            raise self.refused(f"{key} is {value!r}, and should be a whole number from 1")
        return value

    def positive(self, key: str, otherwise: float | None = None, within: Mapping[str, Any] | None = None) -> float:
        """A number above 0."""
        value = self._given(key, otherwise, within)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
            raise self.refused(f"{key} is {value!r}, and should be a number above 0")
        return float(value)

    def either(self, key: str, otherwise: bool) -> bool:
        """Yes or no."""
        value = self._given(key, otherwise)
        if not isinstance(value, bool):
            raise self.refused(f"{key} is {value!r}, and should be true or false")
        return value

    def refused(self, why: str, remedy: str | None = None) -> ModelError:
        """What to raise where something is not as it must be."""
        named = " and ".join(ARCHITECTURES.values())
        otherwise = f"Take a model that is built as {named} are, without that."
        return ModelError(f"{self.folder} cannot be converted: {CONFIG} says {why}.", remedy=remedy or otherwise)

    def _given(self, key: str, otherwise: Any, within: Mapping[str, Any] | None = None) -> Any:
        value = (self.content if within is None else within).get(key)
        if value is None and otherwise is None:
            raise self.refused(f"nothing about {key}", f"Add {key} to {CONFIG}, as the model's card has it.")
        return otherwise if value is None else value

    def _kind(self) -> str:
        kind, named = self.content.get("model_type"), self.content.get("architectures")
        if kind not in ARCHITECTURES:
            raise self.refused(f"model_type {kind!r}, and only {', '.join(ARCHITECTURES)} are known")
        if named not in (None, [], [ARCHITECTURES[kind]]):
            raise self.refused(f"architectures {named!r}, and only {ARCHITECTURES[kind]} is known")
        return str(kind)

    def _check_keys(self) -> None:
        if self.content.get("quantization_config") is not None:
            raise self.refused(
                "that its weights are quantised (quantization_config)",
                "Take the folder of the model that is not quantised: 8 bits are made of it here.",
            )
        for key, value in self.content.items():
            if key in AS_BUILT and value is not None and value != AS_BUILT[key]:
                raise self.refused(f"{key} is {value!r}, and only {AS_BUILT[key]!r} is known")
            if key not in READ | DESCRIPTIVE | AS_BUILT.keys():
                raise self.refused(
                    f"{key}, which is not read",
                    f"If it changes nothing that the network computes, take it out of a copy of {CONFIG}.",
                )

    def _biased(self, kind: str) -> tuple[Biased, ...]:
        if kind == "qwen2":
            if "attention_bias" in self.content:
                raise self.refused("attention_bias, and Qwen2 has its biases without that")
            return "query", "key", "value"
        return ("query", "key", "value", "mixed") if self.either("attention_bias", False) else ()

    def _rope(self) -> tuple[float, Llama3Scaling | None]:
        """The base of the rotations, and how they are scaled: two places may say it, by the age of the file."""
        given = {**(self._rope_section("rope_parameters")), **(self._rope_section("rope_scaling"))}
        base = self.positive("rope_theta", self.positive("rope_theta", ROPE_BASE), given)
        kind = given.get("rope_type", given.get("type", "default"))
        known = {"rope_type", "type", "rope_theta", "partial_rotary_factor", *(SCALING if kind == "llama3" else ())}
        if kind not in ("default", "llama3"):
            remedy = f"Without rope_scaling in a copy of {CONFIG} it reads as much as it was first trained on."
            raise self.refused(f"that its rotations are scaled by {kind!r}, and only 'llama3' is known", remedy)
        if unread := sorted(given.keys() - known):
            raise self.refused(f"{unread[0]} of its rotations, which is not read")
        if given.get("partial_rotary_factor", 1.0) != 1.0:
            raise self.refused(f"partial_rotary_factor is {given['partial_rotary_factor']!r}, and only 1.0 is known")
        if kind == "default":
            return base, None
        factor, low, high, context = (self.positive(key, None, given) for key in SCALING)
        if high <= low:
            raise self.refused(f"high_freq_factor is {high:g}, and should be above low_freq_factor, {low:g}")
        return base, Llama3Scaling(factor=factor, low=low, high=high, context=int(context))

    def _rope_section(self, key: str) -> Mapping[str, Any]:
        section = self.content.get(key) or {}
        if not isinstance(section, dict):
            raise self.refused(f"{key} is {section!r}, and should be an object")
        return section

    def _check_windows(self, shape: BackboneShape) -> None:
        """Whether some layer sees only the nearest tokens, fewer than the model may read."""
        kinds = self.content.get("layer_types")
        windowed = kinds is not None and any(kind != "full_attention" for kind in kinds)
        if kinds is None and self.either("use_sliding_window", False):
            unwindowed = self._given("max_window_layers", 28)  # the first layers
            windowed = type(unwindowed) is not int or unwindowed < shape.layers
        window = self.content.get("sliding_window")
        if windowed and (not isinstance(window, int) or window < shape.context):
            raise self.refused(
                f"that some layers see {window} tokens at most, of {shape.context}",
                f"With max_position_embeddings of at most {window} in a copy of {CONFIG} that makes no difference.",
            )
