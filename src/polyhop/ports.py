"""What Polyhop asks of the outside: one small protocol for each kind of model, parser, store and executor.

Anything with these attributes serves; nothing has to be inherited. ``name`` always identifies what a component would
produce (model, revision, settings that change the output): it enters fingerprints, so that two components that
disagree never share a name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from polyhop.types import Cost, Passage

if TYPE_CHECKING:
    from polyhop.settings import Settings

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Embed = Callable[[Sequence[str]], Floats]  # unit vectors, float32 of shape (len(texts), d)


class Embedder(Protocol):
    """Maps texts to unit vectors: a dot product is a cosine. The vector of a text never depends on its batch."""

    @property
    def name(self) -> str:
        """Identifies the vector space."""

    @property
    def dimensions(self) -> int:
        """Length of a vector."""

    def embed_passages(self, texts: Sequence[str]) -> Floats:
        """Unit vectors, one row a text, float32 of shape (len(texts), dimensions)."""

    def embed_questions(self, texts: Sequence[str]) -> Floats:
        """Like ``embed_passages``, with what the model wants before a question."""


class Reranker(Protocol):
    """Judges how well a text answers a question, reading both together."""

    @property
    def name(self) -> str:
        """Identifies the scores."""

    def score(self, question: str, texts: Sequence[str]) -> Floats:
        """Raw logits, one a text, float32 of shape (len(texts),); higher is better, about -11 to 11."""


@dataclass(frozen=True, slots=True)
class TextPart:
    """A stretch of what a span model reads; ``answers`` is False for what only tells what the rest is about."""

    text: str
    answers: bool = True


@dataclass(frozen=True, slots=True, order=True)
class PointedSpan:
    """Characters of a part that a span model points at; part -1 is the question itself."""

    score: float  # the natural logarithm of its probability: comparable between texts read for one question
    part: int
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanReading:
    """What a span model makes of a question and a text: the four probabilities sum to 1."""

    none: float  # that the text does not answer the question
    span: float  # that a stretch of it does
    yes: float
    no: float
    spans: tuple[PointedSpan, ...]  # best first, none inside a better one's place
    evidence: tuple[tuple[int, int, int, float], ...]  # part, start, end and probability of each token

    def support(self, part: int, start: int, end: int) -> float:
        """How likely the answer rests on a stretch, 0 to 1: the mean over its tokens; 0 where none is read."""
        read = [chance for at, first, last, chance in self.evidence if at == part and first < end and start < last]
        return sum(read) / len(read) if read else 0.0


class SpanModel(Protocol):
    """Points at the answer to a question in a text."""

    @property
    def name(self) -> str:
        """Identifies the weights."""

    def read(self, question: str, texts: Sequence[Sequence[TextPart]]) -> list[SpanReading]:
        """A reading of each text, which consists of parts."""


@dataclass(frozen=True, slots=True)
class ParsedEntity:
    """A named entity with the dependency label of its head token; offsets into the text parsed."""

    start: int
    end: int
    label: str
    dependency: str


@dataclass(frozen=True, slots=True)
class ParsedWord:
    """A word with the one that governs it: an index into the words of its sentence, its own for the root."""

    start: int
    end: int
    head: int
    dependency: str


@dataclass(frozen=True, slots=True)
class ParsedSentence:
    """A sentence with its entities and, where the parser gives them, its words; offsets into the text parsed."""

    start: int
    end: int
    entities: tuple[ParsedEntity, ...]
    words: tuple[ParsedWord, ...] = ()


class SyntacticParser(Protocol):
    """Splits texts into sentences with entities and dependency labels. Picklable, so that workers can have it."""

    @property
    def name(self) -> str:
        """Identifies the parses."""

    def parse(self, texts: Iterable[str]) -> Iterator[tuple[ParsedSentence, ...]]:
        """The sentences of each text, in order."""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation with a language model."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Completion:
    """What a language model answered, and what it cost (nothing where it came from the cache)."""

    text: str
    cost: Cost


class LanguageModel(Protocol):
    """Continues a conversation with text, or with JSON that obeys a schema."""

    @property
    def name(self) -> str:
        """Identifies model and endpoint."""

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int = 512, schema: Mapping[str, Any] | None = None
    ) -> Completion:
        """One completion at temperature 0. With ``schema`` (JSON Schema) the text is JSON that obeys it.

        Raises EndpointError, OutputInvalid, BudgetExceeded.
        """


class Beams(Protocol):
    """The state of a batch of prefixes under a constrained model: what each would say next."""

    @property
    def logprobs(self) -> Floats:
        """Natural log-probabilities of the next token, float32 of shape (rows, vocabulary)."""


class ConstrainedModel(Protocol):
    """Scores the next token of each of a batch of prefixes that share a prompt, keeping what it has already read."""

    @property
    def name(self) -> str:
        """Identifies the tokenizer and the weights."""

    @property
    def tokenizer(self) -> str:
        """Identifies the tokenizer alone: what was made of its tokens serves every model that has it."""

    @property
    def vocabulary(self) -> int:
        """Number of tokens."""

    @property
    def end(self) -> int:
        """The token that ends the model's turn."""

    @property
    def cuts_at_spaces(self) -> bool:
        """Whether a text may be cut before each space between two words, and its tokens are those of the pieces."""

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of each text, without special tokens added."""

    def encode_spans(self, texts: Sequence[str]) -> list[tuple[list[int], list[tuple[int, int]]]]:
        """Token ids of each text, with the characters (from, to) that each stands for.

        A token that is only part of a character stands for all of it.
        """

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of token ids."""

    def prompt(self, instruction: str, question: str) -> list[int]:
        """Token ids of a conversation that ends where the model's turn begins."""

    def begin(self, prompt: Sequence[int]) -> Beams:
        """Read a prompt: one row."""

    def extend(self, beams: Beams, parents: Ints, tokens: Ints) -> Beams:
        """New rows: row i continues row ``parents[i]`` with ``tokens[i]``, int64 of shape (rows, steps), steps >= 1."""

    def branch(self, beams: Beams, parents: Ints, branches: Sequence[Sequence[int]]) -> Beams:
        """Like ``extend``, but every row may continue with another number of tokens, at least one each."""


class Grammar(Protocol):
    """Says which token may come next; an empty answer ends the beam, it never frees the vocabulary."""

    def root(self) -> Any:
        """The state before the first token."""

    def allowed(self, state: Any) -> Ints:
        """The tokens that may follow, sorted, without repetition."""

    def advance(self, state: Any, token: int) -> Any:
        """The state after an allowed token."""

    def complete(self, state: Any) -> bool:
        """Whether what was said so far may end here."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a passage has no rows in a layer."""

    error: str


Rows = bytes | Failure  # what extraction made of one passage, in the layer's own encoding
Below = Mapping[str, Sequence[bytes | None]]  # by layer, its rows of each passage; None where it has none


@dataclass(frozen=True, slots=True)
class Chunk:
    """Passages to extract in one go, with the rows of the layers below."""

    passages: Sequence[Passage]
    below: Below = field(default_factory=dict)


class Executor(Protocol):
    """Runs the extraction of a layer over chunks of passages: in this process, in worker processes, on a cluster."""

    def extract(self, layer: str, settings: Settings, chunks: Iterable[Chunk]) -> Iterator[Sequence[Rows]]:
        """The rows of each chunk's passages, in the order of the chunks; a bounded number of chunks is in flight."""

    def __enter__(self) -> Self:
        """Start the workers."""

    def __exit__(self, *error: object) -> None:
        """Stop the workers; work that has not begun is dropped."""
