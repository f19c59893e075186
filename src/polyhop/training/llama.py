"""A converted language model as a torch network, to be tuned whole or by low-rank additions (LoRA, Hu et al. 2022).

It reads what the runtime reads, in the same way: a prefix that all examples share, once, and behind it each example,
which sees the prefix and itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from polyhop.models.graph_weights import EMBEDDING, DecoderShape, GraphWeights
from polyhop.ports import Floats

LORA_SCALE: Final = 2.0  # what a low-rank addition is multiplied by


class Matrix(nn.Module):
    """A linear layer without bias; with a rank, its weights stay and two thin matrices are learnt beside them."""

    weight: Any

    def __init__(self, weight: Any, rank: int | None) -> None:
        super().__init__()
        if rank is None:
            self.weight = nn.Parameter(weight)
            return
        outputs, inputs = weight.shape
        self.register_buffer("weight", weight, persistent=False)  # a checkpoint need not hold what stays
        self.down = nn.Parameter(torch.randn(rank, inputs) / math.sqrt(inputs))
        self.up = nn.Parameter(torch.zeros(outputs, rank))

    @property
    def low_rank(self) -> bool:
        """Whether only an addition is learnt."""
        return hasattr(self, "down")

    def forward(self, value: Any) -> Any:
        """From (..., inputs) to (..., outputs)."""
        out = functional.linear(value, self.weight)
        if self.low_rank:
            out = out + LORA_SCALE * functional.linear(functional.linear(value, self.down), self.up)
        return out


class Norm(nn.Module):
    """Division by the root of the mean square."""

    weight: Any

    def __init__(self, weight: Any, epsilon: float, rank: int | None) -> None:
        super().__init__()
        self.epsilon = epsilon
        if rank is None:
            self.weight = nn.Parameter(weight)
        else:
            self.register_buffer("weight", weight, persistent=False)

    def forward(self, value: Any) -> Any:
        """Of the same shape."""
        return functional.rms_norm(value.float(), self.weight.shape, self.weight, self.epsilon)


class LlamaLayer(nn.Module):
    """Attention and gated feed-forward, each behind a norm and with a residual around both."""

    def __init__(self, given: Mapping[str, Any], layer: int, shape: DecoderShape, rank: int | None) -> None:
        super().__init__()
        self.shape = shape
        self.before = Norm(given[f"{layer}.before"], shape.epsilon, rank)
        self.middle = Norm(given[f"{layer}.middle"], shape.epsilon, rank)
        self.qkv, self.mixed, self.gate, self.up, self.down = (
            Matrix(given[f"{layer}.{name}"], rank) for name in ("qkv", "mixed", "gate", "up", "down")
        )

    def forward(self, value: Any, turns: tuple[Any, Any], rows: int, prefix: int, mask: Any) -> Any:
        """Hidden states of all tokens, (prefix + rows * length, width), to the same shape."""
        value = value + self.mixed(self._attended(self.qkv(self.before(value)), turns, rows, prefix, mask))
        normed = self.middle(value)
        return value + self.down(functional.silu(self.gate(normed)) * self.up(normed))

    def _attended(self, packed: Any, turns: tuple[Any, Any], rows: int, prefix: int, mask: Any) -> Any:
        shape = self.shape
        split = packed.view(len(packed), -1, shape.head_width)
        query = _turned(split[:, : shape.heads], turns)
        key = _turned(split[:, shape.heads : shape.heads + shape.cached_heads], turns)
        parts = query, key, split[:, shape.heads + shape.cached_heads :]
        shared = [part[:prefix].transpose(0, 1)[None] for part in parts]  # (1, heads, prefix, width)
        own = [part[prefix:].view(rows, -1, *part.shape[1:]).transpose(1, 2) for part in parts]
        behind = [
            torch.cat([one.expand(rows, -1, -1, -1), other], dim=2) for one, other in zip(shared, own, strict=True)
        ]
        first = functional.scaled_dot_product_attention(
            shared[0], shared[1], shared[2], is_causal=True, enable_gqa=True
        )
        second = functional.scaled_dot_product_attention(own[0], behind[1], behind[2], attn_mask=mask, enable_gqa=True)
        flat = [part.transpose(1, 2).reshape(-1, shape.width) for part in (first, second)]
        return torch.cat(flat)


class Llama(nn.Module):
    """A llama-like network with the weights of a converted one; ``rank`` None: all of them are learnt."""

    cosines: Any
    sines: Any
    embedding: Any

    def __init__(self, given: GraphWeights, *, rank: int | None = None) -> None:
        super().__init__()
        self.shape, self.rank = given.shape, rank
        weights = {name: torch.from_numpy(np.array(value, np.float32)) for name, value in given.weights.items()}
        self.layers = nn.ModuleList(
            LlamaLayer(weights, layer, given.shape, rank) for layer in range(given.shape.layers)
        )
        self.norm = Norm(weights["norm"], given.shape.epsilon, rank)
        if rank is None:
            self.embedding = nn.Parameter(weights[EMBEDDING])
        else:
            self.register_buffer("embedding", weights[EMBEDDING], persistent=False)
        self.register_buffer("cosines", torch.from_numpy(given.cosines), persistent=False)
        self.register_buffer("sines", torch.from_numpy(given.sines), persistent=False)

    def forward(self, prefix: Any, ids: Any) -> Any:
        """Hidden states of ids, (B, T, width), each row read behind the same prefix, (P,), at least one token.

        What a row is padded with stands behind it, where none of its tokens looks.
        """
        rows, length = ids.shape
        shared = len(prefix)
        places = torch.cat([torch.arange(shared), shared + torch.arange(length).repeat(rows)]).to(ids.device)
        turns = self.cosines[places, None], self.sines[places, None]
        causal = torch.ones(length, length, dtype=torch.bool, device=ids.device).tril()
        mask = torch.cat([torch.ones(length, shared, dtype=torch.bool, device=ids.device), causal], dim=1)
        value = functional.embedding(torch.cat([prefix, ids.reshape(-1)]), self.embedding)
        for layer in self.layers:
            value = layer(value, turns, rows, shared, mask)
        return self.norm(value[shared:]).view(rows, length, -1)

    def logits(self, hidden: Any) -> Any:
        """Of the next token: (..., width) to (..., vocabulary)."""
        return functional.linear(hidden, self.embedding)

    def learnt(self) -> dict[str, Floats]:
        """The weights that training may have changed, where all are learnt, named as in ``GraphWeights``."""
        modules = [(name.removeprefix("layers."), module) for name, module in self.named_modules()]
        found = {name: module.weight for name, module in modules if isinstance(module, Matrix | Norm)}
        found[EMBEDDING] = self.embedding
        return {name: value.detach().float().cpu().numpy() for name, value in found.items()}

    def additions(self) -> dict[str, Floats]:
        """The low-rank matrices, ``N.qkv.down`` and the like; none where all weights are learnt."""
        if self.rank is None:
            return {}
        found = {name.removeprefix("layers."): value for name, value in self.named_parameters()}
        return {name: value.detach().float().cpu().numpy() for name, value in found.items()}


def _turned(value: Any, turns: tuple[Any, Any]) -> Any:
    """Pairs of numbers side by side, turned by the angles of their positions: (tokens, heads, width)."""
    cosines, sines = turns
    even, odd = value[..., 0::2].float(), value[..., 1::2].float()
    turned = torch.stack([even * cosines - odd * sines, even * sines + odd * cosines], dim=-1)
    return turned.flatten(-2).to(value.dtype)
