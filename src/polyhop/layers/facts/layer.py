"""The facts layer: triples that passages state, each with its evidence, and the graph that they make.

C2RAG, section 3: the graph that constraints are checked against.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Literal

from polyhop.layers.covered import live_in
from polyhop.layers.extraction import ByRulesOrModel
from polyhop.layers.facts import graph as facts_index
from polyhop.layers.facts import overlay
from polyhop.layers.facts.gathered import Decoded, check_kept
from polyhop.layers.facts.gathering import SEGMENTS, FactGathering
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.facts.merges import apart_of
from polyhop.layers.facts.merging import Similarity
from polyhop.layers.facts.overlay import overlaid
from polyhop.layers.facts.patch import open_graph
from polyhop.layers.facts.syntax.facts import facts_of
from polyhop.layers.generations import newest
from polyhop.layers.layer import USUAL_MEMORY, with_rows
from polyhop.models.choice import Models
from polyhop.ports import Ints, LanguageModel, ParsedSentence
from polyhop.prompts.batches import Batches
from polyhop.prompts.extract_facts import PROMPT_VERSION, Extracted, FactLimits, batches
from polyhop.prompts.grounding import fault_of
from polyhop.store import phrase_store
from polyhop.store.phrase_store import PhraseStore
from polyhop.store.record import Record
from polyhop.types import Fact, Passage

logger = logging.getLogger(__name__)

CODE_VERSION = "1"  # raise it when the same settings and models would give other rows
RULES_VERSION = "4"  # raise it when only the rules would (facts/syntax, grammar): what was paid for stays fresh
FIELDS = ("head", "relation", "tail", "start", "end", "head_label", "tail_label", "confidence")  # of a stored fact


@dataclass(frozen=True, kw_only=True)
class FactsLayer(ByRulesOrModel[Extracted]):
    """Triples with their evidence; by syntax alone, or by the configured language model where that is asked for."""

    extractor: Literal["syntax", "language_model"] = "syntax"  # language_model: the configured one, which is paid for
    passages_a_call: int = 4  # that the language model reads at once, at most
    tokens_a_call: int = 1500  # of their text, about
    max_tokens: int = 6000  # of one answer, at most; what it cuts off fails, and is tried again with a higher one
    merge_similar: float | None = None  # cosine from which two names are one entity; none: similarity joins nothing
    overlay: str | None = None  # edits to lie over the facts, by name; the facts themselves stay as they are

    name: ClassVar[str] = "facts"

    def __post_init__(self) -> None:
        if min(self.passages_a_call, self.tokens_a_call, self.max_tokens) < 1:
            raise ValueError("passages_a_call, tokens_a_call and max_tokens must be at least 1")
        if self.merge_similar is not None and not 0 < self.merge_similar <= 1:
            raise ValueError("merge_similar must be above 0 and at most 1")

    def made_with(self, models: Models) -> str:
        """The extractor with its model. Raises ModelMissing."""
        model = self.asks(models)
        if model is None:
            return f"{CODE_VERSION}.{RULES_VERSION}:syntax:{models.parser.name}"
        packing = f"{self.passages_a_call}:{self.tokens_a_call}"
        return f"{CODE_VERSION}:language_model:{model.name}:{PROMPT_VERSION}:{packing}"

    def asks(self, models: Models) -> LanguageModel | None:
        """The model that extracts, None for syntax. Raises ModelMissing."""
        if self.extractor == "syntax":
            return None
        return models.language_model_for("extract facts", otherwise="set layers.facts.extractor to syntax")

    def _batches(self) -> Batches[Extracted]:
        limits = FactLimits(passages=self.passages_a_call, text_tokens=self.tokens_a_call, max_tokens=self.max_tokens)
        return batches(limits)

    def _by_rules(self, passage: Passage, parse: Sequence[ParsedSentence]) -> bytes:
        stated = facts_of(passage, parse)
        faults = [fault_of(fact, passage) for fact in stated]
        sound = [fact for fact, fault in zip(stated, faults, strict=True) if fault is None]
        return encode(sound, Counter(fault for fault in faults if fault is not None))

    def _by_model(self, passage: Passage, said: Extracted) -> bytes:
        return encode(said.facts, said.rejected)

    def gather(
        self, record: Record, folder: Path, fingerprint: str, models: Models, memory: int = USUAL_MEMORY
    ) -> None:
        """Bring the graph of all facts up to date; what a change leaves alone stays as it is."""
        self._gathering(record, folder, fingerprint, models).run(
            {"fingerprint": fingerprint, "embedder": models.embedder.name}
        )

    def merge(self, record: Record, folder: Path, fingerprint: str, models: Models, begun: Callable[[], None]) -> bool:
        """Write the graph whole where what changes laid over it is outgrown."""
        return self._gathering(record, folder, fingerprint, models).merge(begun)

    def _gathering(self, record: Record, folder: Path, fingerprint: str, models: Models) -> FactGathering:
        apart, embedder = apart_of(record), models.embedder.name
        phrases = PhraseStore.open(record.folder, models.embedder)
        formats = [facts_index.FORMAT_VERSION, phrase_store.FORMAT_VERSION]
        return FactGathering(
            record=record,
            folder=folder,
            layer=self.name,
            fingerprint=fingerprint,
            content=json.dumps([fingerprint, self.merge_similar, formats, embedder, apart]),
            apart=apart,
            similarity=None if self.merge_similar is None else Similarity(self.merge_similar, phrases.vectors),
            embed=phrases.vectors,
            decoded=partial(self._decoded, record),
        )

    def _decoded(self, record: Record, numbers: Ints) -> Iterator[Decoded]:
        for number, passage, row in chain.from_iterable(with_rows(record, self.name, numbers)):
            yield number, passage, *decode(row)

    def open(self, record: Record, folder: Path, models: Models) -> FactGraph:
        """The newest generation, below the overlay. Raises LayerMissing, ModelMismatch, IndexCorrupt, OverlayStale."""
        current = newest(record, self.name, models, below="text,parsekg", embedded="Relations")
        check_kept(folder / current.description.get(SEGMENTS, [current.name])[0])
        graph = open_graph(folder / current.name, live_in(record, current, folder))
        if self.overlay is None:
            return graph
        phrases = PhraseStore.open(record.folder, models.embedder)
        return overlaid(graph, overlay.read(record.folder, self.overlay), phrases.vectors)


def encode(facts: Sequence[Fact], rejected: Mapping[str, int]) -> bytes:
    """What a passage states as its stored bytes: JSON with "facts" (lists of eight) and "rejected" (reason: count)."""
    rows = [[*(getattr(fact, name) for name in FIELDS[:-1]), round(fact.confidence, 4)] for fact in facts]
    return json.dumps({"facts": rows, "rejected": dict(sorted(rejected.items()))}, separators=(",", ":")).encode()


def decode(payload: bytes) -> tuple[list[Fact], dict[str, int]]:
    """The facts that a passage's stored bytes hold, and how many were rejected, by reason."""
    content: dict[str, Any] = json.loads(payload)
    return [Fact(**dict(zip(FIELDS, row, strict=True))) for row in content["facts"]], content["rejected"]
