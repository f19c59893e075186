"""A language model that ``polyhop models convert`` made, as the one that the translator decodes with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from polyhop.errors import ModelMissing
from polyhop.models.byte_tokens import TOKENIZER
from polyhop.models.decoder import Decoder
from polyhop.models.decoding import MOST_THREADS, Decoding, tokenizer_of
from polyhop.models.once import once
from polyhop.models.prompt_frame import PromptFrame
from polyhop.models.session import available_cores
from polyhop.models.tuned import GRAPH
from polyhop.models.weights import MANIFEST, check_hashes, read_manifest, sha256_of

if TYPE_CHECKING:
    from tokenizers import Tokenizer

SHOWN: Final = 12  # characters of a sha256 in a name
REMEDY: Final = "Convert the model anew with: polyhop models convert"


@dataclass(frozen=True, kw_only=True)
class ConvertedModel(Decoding):
    """Decodes with a language model that polyhop models convert made, asked as its own chat template has it."""

    folder: str  # that polyhop models convert wrote
    threads: int | None = None  # none: one for each core, at most 4
    longest_question: int = 512  # tokens of a question that are read; its end is cut

    @property
    def name(self) -> str:
        """Identifies the tokenizer, the frame of a prompt and the weights. Raises ModelMissing."""
        return f"{self._path.name}-{sha256_of(self._path / MANIFEST)[:SHOWN]}"

    @property
    def tokenizer(self) -> str:
        """Identifies the tokenizer, whatever else the folder has. Raises ModelMissing, ModelError."""
        known = next((file.sha256 for file in read_manifest(self._path, REMEDY) if file.name == TOKENIZER), "none")
        return f"tokenizer-{known[:SHOWN]}"

    @property
    def vocabulary(self) -> int:
        """Number of tokens."""
        return self._decoder.vocabulary

    @property
    def end(self) -> int:
        """The token that ends the model's turn."""
        return _frame(self._path).end

    def prompt(self, instruction: str, question: str) -> list[int]:
        """Token ids of an instruction, a question and all that the model's template has around them."""
        asked = self._encoded(question, self.longest_question)
        return _frame(self._path).prompt(self._encoded(instruction), asked)

    def verify(self) -> None:
        """Read the weights and compare their sha256. Raises ModelMissing, ModelError."""
        check_hashes(self._path, remedy=REMEDY)

    @property
    def _path(self) -> Path:
        path = Path(self.folder).expanduser().absolute()
        if not (path / MANIFEST).is_file():
            remedy = "Make one with polyhop models convert, and name it in translator.folder."
            raise ModelMissing(f"There is no converted model in {path}.", remedy=remedy)
        return path

    @property
    def _tokenizer(self) -> Tokenizer:
        return tokenizer_of(_checked(self._path))

    @property
    def _decoder(self) -> Decoder:
        return _opened(self._path, self.threads or min(available_cores(), MOST_THREADS))

    def _opening(self, prompt: Sequence[int]) -> int:
        return _frame(self._path).opening(prompt)


@once
def _checked(folder: Path) -> Path:
    """The folder, each file of it compared with its sha256."""
    check_hashes(folder, remedy=REMEDY)
    return folder


@once
def _frame(folder: Path) -> PromptFrame:
    return PromptFrame.read(_checked(folder))


@once
def _opened(folder: Path, threads: int) -> Decoder:
    return Decoder(_checked(folder) / GRAPH, threads)
