"""What every language model that decodes under a grammar does with its tokenizer and its decoder."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from polyhop.models.byte_tokens import cuts_at_spaces
from polyhop.models.decoder import Decoder, PrefixTree
from polyhop.models.once import once
from polyhop.models.pieces import token_ids, token_spans
from polyhop.ports import Beams, Ints

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MOST_THREADS = 4  # more gain nothing on matrices this small


class Decoding(ABC):
    """Encodes texts, and reads prefixes that share what they begin with."""

    @property
    @abstractmethod
    def _tokenizer(self) -> Tokenizer: ...

    @property
    @abstractmethod
    def _decoder(self) -> Decoder: ...

    @abstractmethod
    def _opening(self, prompt: Sequence[int]) -> int:
        """How many tokens of a prompt other prompts have, too; 0 where that cannot be told."""

    @property
    def cuts_at_spaces(self) -> bool:
        """Whether a text may be cut before each space between two words, and its tokens are those of the pieces."""
        return cuts_at_spaces(self._tokenizer)

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of each text; a text never becomes a control token, even where it spells one."""
        return [self._encoded(text) for text in texts]

    def encode_spans(self, texts: Sequence[str]) -> list[tuple[list[int], list[tuple[int, int]]]]:
        """Token ids of each text, with the characters that each stands for: all of one of which it is a part."""
        return [token_spans(self._tokenizer, text) for text in texts]

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of token ids, without control tokens."""
        return str(self._tokenizer.decode(list(tokens)))

    def begin(self, prompt: Sequence[int]) -> PrefixTree:
        """Read a prompt: one row. An opening that was read before (the instruction) costs nothing."""
        if not prompt:
            raise ValueError("a prompt has at least one token")
        opening = self._opening(prompt)
        read = self._decoder.read_prefix(prompt[:opening]) if opening else self._decoder.root()
        return self._decoder.read(read, np.zeros(1, np.int64), [prompt[opening:]])

    def extend(self, beams: Beams, parents: Ints, tokens: Ints) -> PrefixTree:
        """New rows: row i continues row ``parents[i]`` with ``tokens[i]``, int64 of shape (rows, steps), steps >= 1."""
        return self.branch(beams, parents, tokens.tolist())

    def branch(self, beams: Beams, parents: Ints, branches: Sequence[Sequence[int]]) -> PrefixTree:
        """Like ``extend``, but every row may continue with another number of tokens, at least one each."""
        return self._decoder.read(_tree(beams), np.asarray(parents, np.int64), branches)

    def select(self, beams: Beams, parents: Ints) -> PrefixTree:
        """The beams with these rows, in this order; reads nothing."""
        return _tree(beams).select(parents)

    def _encoded(self, text: str, most: int | None = None) -> list[int]:
        return token_ids(self._tokenizer, text, most)


def _tree(beams: Beams) -> PrefixTree:
    if not isinstance(beams, PrefixTree):
        raise TypeError("beams belong to the model that began them")
    return beams


@once
def tokenizer_of(folder: Path) -> Tokenizer:
    """The tokenizer of a model's folder; what a document says is never an order to the model."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.encode_special_tokens = True
    return tokenizer
