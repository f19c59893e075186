"""Texts in a form that tokenizers can take."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PIECE = 50_000  # characters given to a tokenizer at once: it needs a hundred times that in memory


def pieces(text: str) -> Iterator[str]:
    """A text in pieces of bounded length, cut at a space where there is one, without what UTF-8 cannot hold."""
    start = 0
    while len(text) - start > PIECE:
        cut = text.rfind(" ", start + PIECE // 2, start + PIECE)
        end = cut if cut > 0 else start + PIECE
        yield encodable(text[start:end])
        start = end
    yield encodable(text[start:])


def token_ids(tokenizer: Tokenizer, text: str, most: int | None = None) -> list[int]:
    """Token ids of a text without special tokens, at most ``most`` where given."""
    ids: list[int] = []
    for piece in pieces(text):
        ids += tokenizer.encode(piece, add_special_tokens=False).ids
        if most is not None and len(ids) >= most:
            return ids[:most]
    return ids


def token_spans(tokenizer: Tokenizer, text: str) -> tuple[list[int], list[tuple[int, int]]]:
    """Token ids of a text, with the characters that each stands for: all of one of which it is a part."""
    ids: list[int] = []
    spans: list[tuple[int, int]] = []
    at = 0
    for piece in pieces(text):
        encoded = tokenizer.encode(piece, add_special_tokens=False)
        ids += encoded.ids
        spans += [(at + start, at + end) for start, end in encoded.offsets]
        at += len(piece)
    return ids, spans


def whole_tokenizer(file: Path) -> Tokenizer:
    """The tokenizer in a file, which neither cuts nor pads."""
    from tokenizers import Tokenizer  # imported when used: start-up time

    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def encodable(text: str) -> str:
    """The text, with a question mark for each lone surrogate (undecodable bytes of a command line); lengths stay."""
    return text.encode("utf-8", "replace").decode("utf-8")
