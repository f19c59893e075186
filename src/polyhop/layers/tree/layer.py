"""The tree layer: summaries of passages that are alike, summaries of those, and so on.

P. Sarthi et al., RAPTOR: Recursive Abstractive Processing for Tree-Organized Retrieval, 2024.
"""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np

from polyhop.errors import IndexCorrupt, ModelMissing
from polyhop.indexes import segments
from polyhop.layers.generations import may_stay, name_of, newest
from polyhop.layers.layer import USUAL_MEMORY
from polyhop.layers.layer import fingerprint as mark_of
from polyhop.layers.summaries.central_sentences import NAME as CENTRAL
from polyhop.layers.summaries.summariser import Summariser
from polyhop.layers.tree import index as tree_index
from polyhop.layers.tree.growing import Leaves, grown, leaves_of
from polyhop.layers.tree.index import TreeIndex
from polyhop.layers.tree.levels import TreeShape
from polyhop.layers.tree.node_summaries import FILE, NodeSummaries
from polyhop.models.accounting import Prices
from polyhop.models.choice import Models
from polyhop.ports import Below, LanguageModel, Rows
from polyhop.prompts.summarise import PROMPT_VERSION
from polyhop.store.phrase_store import PhraseStore
from polyhop.store.port import Generation
from polyhop.store.record import Record
from polyhop.store.spending import Billed
from polyhop.store.summary_store import SummaryStore
from polyhop.types import Cost, Passage

logger = logging.getLogger(__name__)

CODE_VERSION = "1"  # raise it when the same settings and passages would give another tree
ROW = b"\x01"  # a passage is in the tree: its vector is in the layer text, and all else depends on other passages
PASSAGES_A_SUMMARY = 5.0  # for forecasts: how many there are for each summary on any level, on average
CHUNK = 500  # rows committed at once where a language model will be asked: they cost nothing to make


@dataclass(frozen=True, kw_only=True)
class TreeLayer:
    """A tree of summaries; of central sentences, or by the configured language model where that is asked for."""

    summariser: Literal["central", "language_model"] = "central"  # language_model: the configured one, paid for
    levels: int = 3  # of summaries above the passages, at most
    threshold: float = 0.1  # probability above which a passage belongs to a cluster; it may belong to several
    context: int = 3500  # tokens of the texts that are summed up together, about, at most
    sentences: int = 4  # of a summary of central sentences, at most
    max_tokens: int = 300  # of a summary

    name: ClassVar[str] = "tree"
    runs: ClassVar[Literal["threads", "processes"]] = "threads"
    reads: ClassVar[tuple[str, ...]] = ("text",)  # its vectors, when the tree is gathered
    pays_to_gather: ClassVar[bool] = True  # where a language model sums up: no question has it do so

    def __post_init__(self) -> None:
        if min(self.levels, self.context, self.sentences, self.max_tokens) < 1 or not 0 < self.threshold < 1:
            raise ValueError("levels, context, sentences and max_tokens are at least 1, threshold between 0 and 1")

    def made_with(self, models: Models) -> str:
        """The embedder and who sums up. Raises ModelMissing."""
        return f"{CODE_VERSION}:{models.embedder.name}:{self._maker(self.asks(models))}"

    def extract(self, passages: Sequence[Passage], models: Models, below: Below) -> Sequence[Rows]:
        """A mark for each passage: that it is in the tree. All work is done when the layer is gathered."""
        return [ROW for _ in passages]

    def asks(self, models: Models) -> LanguageModel | None:
        """The model that sums up, None for central sentences. Raises ModelMissing."""
        if self.summariser == "central":
            return None
        return models.language_model_for("sum up passages", otherwise="set layers.tree.summariser to central")

    def at_once(self, models: Models) -> int:
        """Passages to mark in one go."""
        return CHUNK

    def forecast(self, passages: Sequence[Passage], new: Sequence[int], models: Models) -> Cost:
        """About what summaries of these passages, and of new ones of so many tokens, would cost; not an upper bound.

        How many clusters there will be, and how many of the old ones change, is known only once they are made.
        """
        model = self.asks(models)
        if model is None:
            return Cost()
        prices: Prices = getattr(model, "prices", None) or Prices()
        calls = -(-int(len(passages) + len(new)) // int(PASSAGES_A_SUMMARY))
        return prices.of(calls * self.context, calls * self.max_tokens, calls=calls)

    def gather(
        self, record: Record, folder: Path, fingerprint: str, models: Models, memory: int = USUAL_MEMORY
    ) -> None:
        """Build the tree of all passages anew, unless nothing has changed; what was paid for is not paid for again."""
        numbers = record.done(self.name, fingerprint)
        current = record.generation(self.name)
        own = self._is_own(fingerprint, models)
        if not own and current is not None and current.description["embedder"] != models.embedder.name:
            self._prune(record, folder, current)  # there is no telling what new summaries would be near to
            return
        content = name_of(self._content(fingerprint, models), numbers)
        model = self.asks(models) if own else None
        if current is not None and self._is_current(current, content, folder, may_pay=model is not None):
            segments.sweep(folder, [current.name])
            return
        maker = self._maker(model) if own or current is None else current.description["maker"]
        kept = SummaryStore(record.folder / FILE, required=True) if maker != CENTRAL else None
        billed = None if model is None else Billed(model, record, self.name)
        summariser = None if kept is None else Summariser(kept, billed, self.max_tokens)
        nodes = NodeSummaries(sentences=self.sentences, max_tokens=self.max_tokens, maker=maker, summariser=summariser)
        leaves = leaves_of(record, numbers, models)
        again = current.name if current is not None and current.description["lacking"] else ""
        name, sizes = self._write(record, folder, content, leaves, nodes, models, again)
        if kept is not None:
            kept.forget_all_but(leaves.marks)
        description = {"fingerprint": fingerprint, "embedder": models.embedder.name, "content": content, "maker": maker}
        lacking = {"lacking": nodes.lacking, "stopped": summariser.why if summariser else ""}
        record.set_generation(self.name, name, {**description, **lacking, **sizes})
        segments.sweep(folder, [name])

    def _write(
        self,
        record: Record,
        folder: Path,
        content: str,
        leaves: Leaves,
        summed_up: NodeSummaries,
        models: Models,
        again: str,
    ) -> tuple[str, dict[str, object]]:
        """Grow the tree and write it, unless it is the one made again; its name and sizes."""
        shape = TreeShape(threshold=self.threshold, context=self.context)
        phrases = PhraseStore.open(record.folder, models.embedder)
        nodes, vectors = grown(record, leaves, shape, self.levels, summed_up.of, phrases.vectors)
        texts = json.dumps([node.text for node in nodes]).encode()
        name = hashlib.sha256(content.encode() + texts).hexdigest()[:16]
        if name != again or not _may_stay(folder / name):
            shutil.rmtree(folder / name, ignore_errors=True)  # what a killed writer left half done
            tree_index.write(folder / name, leaves.numbers, nodes, vectors)
        summaries = [sum(node.level == level for node in nodes) for level in range(1, self.levels + 1)]
        logger.info("tree: %d passages, summaries by level %s", len(leaves.numbers), summaries)
        return name, {"passages": len(leaves.numbers), "summaries": summaries}

    def _prune(self, record: Record, folder: Path, current: Generation) -> None:
        """Take what was removed out of a tree, with the summaries above it; the rest stays until it is made anew."""
        live = record.numbers()
        try:
            tree = TreeIndex.open(folder / current.name, live)
        except IndexCorrupt as error:
            logger.warning("%s It is made anew once its embedder is configured again.", error)
            return
        if tree.standing.all():
            return
        name = name_of(current.name, live)
        numbers, nodes, vectors = tree.remains()
        shutil.rmtree(folder / name, ignore_errors=True)
        tree_index.write(folder / name, numbers, nodes, vectors)
        record.set_generation(self.name, name, {**current.description, "content": "pruned"})
        segments.sweep(folder, [name])

    def _content(self, fingerprint: str, models: Models) -> str:
        versions = [CODE_VERSION, CENTRAL, tree_index.FORMAT_VERSION]
        return json.dumps([fingerprint, asdict(self), versions, models.embedder.name])

    def _maker(self, model: LanguageModel | None) -> str:
        return CENTRAL if model is None else f"{model.name} {PROMPT_VERSION} {self.max_tokens}"

    def _is_own(self, fingerprint: str, models: Models) -> bool:
        """Whether the layer is up to date with the models that are configured now, and so may be added to."""
        try:
            return fingerprint == mark_of(self, models)
        except ModelMissing:
            return False

    @staticmethod
    def _is_current(current: Generation, content: str, folder: Path, *, may_pay: bool) -> bool:
        """Whether a generation is what would be made, and can be opened."""
        if current.description["content"] != content or (may_pay and current.description["lacking"]):
            return False
        return _may_stay(folder / current.name)

    def open(self, record: Record, folder: Path, models: Models) -> TreeIndex:
        """The newest generation. Raises LayerMissing, ModelMismatch, IndexCorrupt."""
        current = newest(record, self.name, models, below="text", embedded="Summaries")
        return TreeIndex.open(folder / current.name, record.numbers())


def _may_stay(generation: Path) -> bool:
    return may_stay(generation, lambda target: TreeIndex.open(target, np.empty(0, np.int64)))
