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
from polyhop.models.decoding import MOST_THREADS, Decoding, tokenizer_of
from polyhop.models.install import installed_folder
from polyhop.models.once import once
from polyhop.models.session import available_cores
from polyhop.models.structured import Fault, parse_json
from polyhop.models.tuned import GRAPH, graph_of, mark_of
from polyhop.models.weights import check_hashes, check_sizes, trained_folder
from polyhop.ports import Completion, Message
from polyhop.types import Cost

if TYPE_CHECKING:
    from tokenizers import Tokenizer

INSTALLED = "SmolLM2-135M-Instruct-q8"
VOCABULARY = 49_152
END, TURN, TURN_END = 0, 1, 2  # <|endoftext|>, <|im_start|>, <|im_end|>
SCHEMA_WISH = "Answer with one JSON value that obeys this JSON Schema, and nothing else:\n"


@dataclass(frozen=True, kw_only=True)
class SmolLM2(Decoding):
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

    def prompt(self, instruction: str, question: str) -> list[int]:
        """Token ids of an instruction as system turn, a question as user turn, and the head of the model's turn."""
        asked = self._encoded(question, self.longest_question)
        turns = [*self._turn("system", self._encoded(instruction)), *self._turn("user", asked)]
        return [*turns, TURN, *self._encoded("assistant\n")]

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
        check_hashes(folder)
        if self._tuned is not None:
            kept = graph_of(self._tuned, folder, folder.parent).parent
            check_hashes(kept, remedy=f"Remove {kept}: it is made anew when it is needed.")

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

    def _opening(self, prompt: Sequence[int]) -> int:
        return next((at for at, token in enumerate(prompt) if token == TURN and at > 0), 0)

    @cached_property
    def folder(self) -> Path:
        """Where it is installed. Raises ModelMissing."""
        return installed_folder("smollm2", self.cache)

    @cached_property
    def _tuned(self) -> Path | None:
        return None if self.tuned is None else trained_folder(self.tuned, "translator")

    @property
    def _tokenizer(self) -> Tokenizer:
        return tokenizer_of(self.folder)

    @property
    def _decoder(self) -> Decoder:
        return _opened(self.folder, self._tuned, self.threads or min(available_cores(), MOST_THREADS))


@once
def _opened(folder: Path, tuned: Path | None, threads: int) -> Decoder:
    check_sizes(folder)
    return Decoder(folder / GRAPH if tuned is None else graph_of(tuned, folder, folder.parent), threads)
