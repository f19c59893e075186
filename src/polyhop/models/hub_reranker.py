"""Cross-encoders from the Hugging Face hub, or from a local folder with the same layout."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from polyhop.errors import ModelError
from polyhop.models.encoder import side_by_side
from polyhop.models.hub import GRAPHS, WEIGHTS, file_in, folder_of, graph_in, known_as, loaded
from polyhop.ports import Floats

NEEDED = ("config.json", "tokenizer.json", *GRAPHS, *WEIGHTS)


@dataclass(frozen=True, kw_only=True)
class HubReranker:
    """Reads question and text together with a cross-encoder that has an ONNX export, from the hub or a local folder.

    A pair longer than ``max_tokens`` loses the end of its text; a question keeps at least half of the room. Of a model
    with two classes the logit of the second against the first is its score.
    """

    repo: str  # owner/name on the hub, or the path of a folder; hub:REPO as the model's name says it, too
    revision: str = "main"  # a commit makes scores reproducible
    graph: str | None = None  # the file of the graph, such as onnx/model_int8.onnx; none: onnx/model.onnx or model.onnx
    max_tokens: int = 512  # of question and text together; at least 16, at most what the model was trained on
    threads: int | None = None  # none: one for each core
    endpoint: str | None = None  # another hub than huggingface.co
    cache: str | None = None  # a folder; none: the hub's own cache

    def __post_init__(self) -> None:
        if self.max_tokens < 16:
            raise ValueError("max_tokens must be at least 16")

    @property
    def name(self) -> str:
        """Repository, the commit or the graph's sha256, and the settings that change scores."""
        return f"{self.repo}@{known_as(self._folder, self._graph)}-{self.max_tokens}"

    def score(self, question: str, texts: Sequence[str]) -> Floats:
        """Logits of shape (len(texts),); each pair is read alone. Raises ModelMissing, ModelError."""
        if not texts:
            return np.zeros(0, np.float32)
        model = loaded(self._graph, file_in(self._folder, "tokenizer.json"))
        asked = model.tokens(question, self.max_tokens)

        def logit(text: str) -> float:
            return _logit(model.paired(asked, text, self.max_tokens), self.repo)

        return np.array(side_by_side(logit, texts, self.threads), np.float32)

    def verify(self) -> None:
        """Load the model. Raises ModelMissing, ModelError."""
        self.score("verify", ["verify"])

    @property
    def _folder(self) -> Path:
        needed = NEEDED if self.graph is None else (*NEEDED, self.graph)
        return folder_of(self.repo, self.revision, self.endpoint, self.cache, needed)

    @property
    def _graph(self) -> Path:
        return graph_in(self._folder) if self.graph is None else file_in(self._folder, self.graph)


def _logit(output: Floats, repo: str) -> float:
    """The one number that a pair's output comes to. Raises ModelError for what is no output of a cross-encoder."""
    if output.shape not in ((1,), (2,)):
        shape = "x".join(map(str, output.shape))
        raise ModelError(
            f"The model {repo} gives {shape} numbers for a pair: it is no cross-encoder with one score or two classes.",
            remedy="Choose a model for reranking, exported with its head (task text-classification).",
        )
    score = float(output[-1] - output[0]) if len(output) == 2 else float(output[0])
    if not np.isfinite(score):
        raise ModelError(f"The model {repo} gives a score that is no number.", remedy="Choose another export of it.")
    return score
