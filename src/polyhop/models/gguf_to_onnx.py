"""Turns a GGUF file of the llama architecture into what the decoder reads: a graph and a tokenizer.

Needs the ``convert`` extra (gguf, onnx), no torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

from polyhop.models.decoder_graph import write_graph
from polyhop.models.gguf_file import Gguf

CONTROL_TOKEN = 3  # token type of GGUF: <|im_start|> and the like


def convert(source: Path, folder: Path, *, exact: bool = False) -> None:
    """Write ``model.onnx`` and ``tokenizer.json`` into a folder.

    With ``exact`` activations stay float32, which is several times slower: for comparisons.
    Raises ModelMissing, ModelError for a network that this would not be the same as, OSError.
    """
    gguf = Gguf(source)
    gguf.check()
    write_tokenizer(gguf, folder / "tokenizer.json")
    write_graph(gguf, folder / "model.onnx", exact=exact)


def write_tokenizer(gguf: Gguf, target: Path) -> None:
    """Rebuild the byte-level BPE tokenizer from the header: digits apart, then bytes, then merges."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    tokens = cast(Sequence[str], gguf.value("tokenizer.ggml.tokens"))
    kinds = cast(Sequence[int], gguf.value("tokenizer.ggml.token_type"))
    merges = [tuple(line.split(" ", 1)) for line in gguf.value("tokenizer.ggml.merges")]
    tokenizer = Tokenizer(
        models.BPE(vocab={token: i for i, token in enumerate(tokens)}, merges=cast("list[tuple[str, str]]", merges))
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    control = [token for token, kind in zip(tokens, kinds, strict=True) if kind == CONTROL_TOKEN]
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in control])
    tokenizer.save(str(target))
