"""The encoder that all our models share, as a torch network."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from polyhop.ports import Floats
from polyhop.training.graph import EPSILON, HEAD_WIDTH
from polyhop.training.start import installed_weights

DROPOUT = 0.1
UNSEEN = -1e4  # added to the likeness of padding


@dataclass(frozen=True, kw_only=True)
class EncoderShape:
    """The sizes of an encoder; those of MiniLM-L12 where nothing else is said."""

    layers: int = 12
    width: int = 384
    inner: int = 1536
    vocabulary: int = 30_522
    places: int = 512

    @classmethod
    def of(cls, weights: Mapping[str, Floats]) -> EncoderShape:
        """The sizes of the encoder in a finished network, named as ``finished_weights`` names its weights."""
        vocabulary, width = weights["body.word.weight"].shape
        return cls(
            layers=sum(re.fullmatch(r"body\.layers\.\d+\.qkv\.weight", name) is not None for name in weights),
            width=width,
            inner=len(weights["body.layers.0.up.weight"]),
            vocabulary=vocabulary,
            places=len(weights["body.pos.weight"]),
        )

    @property
    def sizes(self) -> list[int]:
        """All of them, as a checkpoint notes them."""
        return list(astuple(self))


def attention(query: Any, key: Any, value: Any, mask: Any) -> Any:
    """What each token takes from those that it sees (Vaswani et al. 2017); all of shape (B, heads, T, width of a head).

    The mask says which are seen, of shape (B, 1, 1, T). On processors as plain products: at a few hundred tokens
    torch's own kernel, which keeps nothing for the way back and computes it again, takes half as long again for a whole
    step of training.
    """
    if query.device.type != "cpu":
        return functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    likeness = query @ key.transpose(-2, -1) * HEAD_WIDTH**-0.5
    return torch.softmax(likeness + torch.where(mask, 0.0, UNSEEN).to(likeness.dtype), dim=-1) @ value


class BertLayer(nn.Module):
    """Attention and feed-forward, each with a residual and a norm behind it."""

    def __init__(self, shape: EncoderShape) -> None:
        super().__init__()
        width = shape.width
        self.heads = width // HEAD_WIDTH
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.n1 = nn.LayerNorm(width, eps=EPSILON)
        self.up = nn.Linear(width, shape.inner)
        self.down = nn.Linear(shape.inner, width)
        self.n2 = nn.LayerNorm(width, eps=EPSILON)

    def forward(self, value: Any, mask: Any) -> Any:
        """Hidden states of shape (B, T, width) to the same shape; mask of shape (B, 1, 1, T)."""
        batch, length, width = value.shape
        packed = self.qkv(value).view(batch, length, 3, self.heads, HEAD_WIDTH).permute(2, 0, 3, 1, 4)
        attended = attention(packed[0], packed[1], packed[2], mask)
        mixed = self.out(attended.transpose(1, 2).reshape(batch, length, width))
        value = self.n1(value + functional.dropout(mixed, DROPOUT, self.training))
        return self.n2(value + functional.dropout(self.down(functional.gelu(self.up(value))), DROPOUT, self.training))


class Bert(nn.Module):
    """Token ids to hidden states (Devlin et al. 2019); words and positions stay as they are while it is trained."""

    def __init__(self, shape: EncoderShape | None = None) -> None:
        super().__init__()
        self.shape = shape or EncoderShape()
        width = self.shape.width
        self.word = nn.Embedding(self.shape.vocabulary, width)
        self.pos = nn.Embedding(self.shape.places, width)
        self.seg = nn.Embedding(2, width)
        self.norm = nn.LayerNorm(width, eps=EPSILON)
        self.layers = nn.ModuleList(BertLayer(self.shape) for _ in range(self.shape.layers))
        self.word.weight.requires_grad_(False)
        self.pos.weight.requires_grad_(False)

    def forward(self, ids: Any, mask: Any, segments: Any) -> Any:
        """Hidden states of shape (B, T, width) of ids, mask and segments of shape (B, T)."""
        value = self.norm(self.word(ids) + self.pos.weight[: ids.shape[1]] + self.seg(segments))
        seen = mask[:, None, None, :].bool()
        for layer in self.layers:
            value = layer(value, seen)
        return value

    @classmethod
    def installed(cls, layers: int = 12) -> Bert:
        """The first layers of the installed cross-encoder. Raises ModelMissing, ModelError."""
        body = cls(EncoderShape(layers=layers))
        weights = {f"body.{name}": name for name in body.state_dict()}
        given = {weights[name]: value for name, value in installed_weights().items() if name in weights}
        body.load_state_dict({name: torch.from_numpy(value) for name, value in given.items()})
        return body


def weights_of(network: Any) -> dict[str, Floats]:
    """The weights of a network as float32 arrays, for the export."""
    return {name: value.detach().float().cpu().numpy() for name, value in network.state_dict().items()}
