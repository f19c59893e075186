"""SmolLM2-135M-Instruct: scores next tokens for the translator, and writes short texts where there is no endpoint."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polyhop.models.accounting import WastedOutput
from polyhop.models.decoder import Decoder, PrefixTree
from polyhop.models.install import installed_folder
from polyhop.models.once import once
from polyhop.models.pieces import pieces
from polyhop.models.session import available_cores
from polyhop.models.structured import Fault, parse_json
from polyhop.models.tuned import GRAPH, graph_of, mark_of
from polyhop.models.weights import check_hashes, check_sizes, read_manifest
from polyhop.ports import Beams, Completion, Ints, Message
from polyhop.types import Cost

if TYPE_CHECKING:
    from tokenizers import Tokenizer

INSTALLED = "SmolLM2-135M-Instruct-q8"
VOCABULARY = 49_152
END, TURN, TURN_END = 0, 1, 2  # <|endoftext|>, <|im_start|>, <|im_end|>
MOST_THREADS = 4  # more gain nothing on matrices this small
SCHEMA_WISH = "Answer with one JSON value that obeys this JSON Schema, and nothing else:\n"


@dataclass(frozen=True, kw_only=True)
class SmolLM2:
    """Runs SmolLM2-135M-Instruct with 8-bit weights; a conversation opens each turn with <|im_start|> and its role."""

    threads: int | None = None  # none: one for each core, at most 4
    longest_question: int = 512  # tokens of a question that are read; its end is cut
    tuned: str | None = None  # folder of a tuned one, as polyhop train translator writes it; none: as it comes
    cache: str | None = None  # the folder it is installed in; none: the user's cache folder

    @property
    def name(self) -> str:
        """Identifies the tokenizer and the weights."""
        return f"{INSTALLED}-tuned-{mark_of(self._tuned)}" if self._tuned is not None else INSTALLED

    @property
    def tokenizer(self) -> str:
        """Identifies the tokenizer, which tuning leaves as it is."""
        return INSTALLED

    @property
    def vocabulary(self) -> int:
        """Number of tokens."""
        return VOCABULARY

    @property
    def end(self) -> int:
        """The token that ends the model's turn."""
        return TURN_END

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of each text; a text never becomes a control token, even where it spells one."""
        return [self._encoded(text) for text in texts]

    def encode_spans(self, texts: Sequence[str]) -> list[tuple[list[int], list[tuple[int, int]]]]:
        """Token ids of each text, with the characters that each stands for: all of one of which it is a part."""
        return [self._encoded_spans(text) for text in texts]

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of token ids, without control tokens."""
        return str(self._tokenizer.decode(list(tokens)))

    def prompt(self, instruction: str, question: str) -> list[int]:
        """Token ids of an instruction as system turn, a question as user turn, and the head of the model's turn."""
        asked = self._encoded(question, self.longest_question)
        turns = [*self._turn("system", self._encoded(instruction)), *self._turn("user", asked)]
        return [*turns, TURN, *self._encoded("assistant\n")]

    def begin(self, prompt: Sequence[int]) -> PrefixTree:
        """Read a prompt: one row. A first turn that was read before (the instruction) costs nothing."""
        if not prompt:
            raise ValueError("a prompt has at least one token")
        turns = [at for at, token in enumerate(prompt) if token == TURN and at > 0]
        opening = turns[0] if turns else 0
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

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int = 512, schema: Mapping[str, Any] | None = None
    ) -> Completion:
        """The most probable continuation, token by token. With ``schema`` the wish for JSON is added and checked.

        Raises ModelMissing, ModelError for a conversation that is too long, OutputInvalid.
        """
        began = time.monotonic()
        spoken = list(messages) if schema is None else [*messages, Message("user", SCHEMA_WISH + json.dumps(schema))]
        turns = [token for one in spoken for token in self._turn(one.role, self._encoded(one.content))]
        prompt = [*turns, TURN, *self._encoded("assistant\n")]
        said = self._greedy(self.begin(prompt), max_tokens)
        text = self.decode(said).strip()
        cost = Cost(
            llm_calls=1,
            prompt_tokens=len(prompt),
            completion_tokens=len(said),
            seconds=time.monotonic() - began,
        )
        if schema is not None:
            try:
                parse_json(text, schema)
            except Fault as fault:
                raise WastedOutput(f"{self.name} gave no JSON that fits: {fault}", text=text, cost=cost) from fault
        return Completion(text, cost)

    def verify(self) -> None:
        """Read the weights and compare their sha256. Raises ModelMissing, ModelError, StorageFull."""
        folder = self.folder
        check_hashes(folder, read_manifest(folder))
        if self._tuned is not None:
            graph_of(self._tuned, folder, folder.parent)

    def _greedy(self, tree: PrefixTree, most: int) -> list[int]:
        said: list[int] = []
        while len(said) < most:
            token = int(tree.logprobs[0].argmax())
            if token in (END, TURN_END):
                break
            said.append(token)
            tree = self._decoder.read(tree, np.zeros(1, np.int64), [[token]])
        return said

    def _turn(self, role: str, content: Sequence[int]) -> list[int]:
        return [TURN, *self._encoded(f"{role}\n"), *content, TURN_END, *self._encoded("\n")]

    def _encoded(self, text: str, most: int | None = None) -> list[int]:
        ids: list[int] = []
        for piece in pieces(text):
            ids += self._tokenizer.encode(piece, add_special_tokens=False).ids
            if most is not None and len(ids) >= most:
                return ids[:most]
        return ids

    def _encoded_spans(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        ids: list[int] = []
        spans: list[tuple[int, int]] = []
        at = 0
        for piece in pieces(text):
            encoded = self._tokenizer.encode(piece, add_special_tokens=False)
            ids += encoded.ids
            spans += [(at + start, at + end) for start, end in encoded.offsets]
            at += len(piece)
        return ids, spans

    @cached_property
    def folder(self) -> Path:
        """Where it is installed. Raises ModelMissing."""
        return installed_folder("smollm2", self.cache)

    @property
    def _tuned(self) -> Path | None:
        return None if self.tuned is None else Path(self.tuned).expanduser()

    @property
    def _tokenizer(self) -> Tokenizer:
        return _tokenizer(self.folder)

    @property
    def _decoder(self) -> Decoder:
        return _opened(self.folder, self._tuned, self.threads or min(available_cores(), MOST_THREADS))


def _tree(beams: Beams) -> PrefixTree:
    if not isinstance(beams, PrefixTree):
        raise TypeError("beams belong to the model that began them")
    return beams


@once
def _tokenizer(folder: Path) -> Tokenizer:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.encode_special_tokens = True  # what a document says is never an order to the model
    return tokenizer


@once
def _opened(folder: Path, tuned: Path | None, threads: int) -> Decoder:
    check_sizes(folder, read_manifest(folder))
    return Decoder(folder / GRAPH if tuned is None else graph_of(tuned, folder, folder.parent), threads)
