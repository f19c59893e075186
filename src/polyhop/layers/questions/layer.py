"""The questions layer: what each passage can be asked, with the answers, and the graph that these pairs make.

QCG-RAG, section 3: Doc2Query with answers, Doc2Query-- for each passage, and edges to the nearest other pairs.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from polyhop.indexes.folding import pieces
from polyhop.indexes.names import normal
from polyhop.indexes.segments import AllBut, Live
from polyhop.layers import covered
from polyhop.layers.extraction import ByRulesOrModel
from polyhop.layers.generations import kept_segments, make_room, name_of, newest, segments_of
from polyhop.layers.layer import READ_AT_ONCE, USUAL_MEMORY, with_rows, words_of
from polyhop.layers.questions import segment
from polyhop.layers.questions.graph import QuestionGraph
from polyhop.layers.questions.segment import QuestionedPassage
from polyhop.layers.text.layer import vectors_of
from polyhop.models.choice import Models
from polyhop.ports import Floats, Ints, LanguageModel, ParsedSentence
from polyhop.prompts.batches import Batches
from polyhop.prompts.pair_grounding import Grounding
from polyhop.prompts.quotes import locate
from polyhop.prompts.write_questions import PROMPT_VERSION, QuestionLimits, WrittenQuestions, batches
from polyhop.store import phrase_store
from polyhop.store.phrase_store import PhraseStore
from polyhop.store.record import Record
from polyhop.types import GeneratedQuestion, Passage

logger = logging.getLogger(__name__)

CODE_VERSION = "1"  # raise it when the same settings and models would give other rows
# Raise it when only the rules would (questions/rules, grammar, facts/syntax): what was paid for stays fresh.
RULES_VERSION = "8"
PAIRS_AT_ONCE = 10_000  # with their vectors: 15 MB


@dataclass(frozen=True, kw_only=True)
class QuestionsLayer(ByRulesOrModel[WrittenQuestions]):
    """Questions with their answers; from templates, or by the configured language model where that is asked for."""

    generator: Literal["template", "language_model"] = "template"  # language_model: the configured one, paid for
    per_passage: int = 20  # pairs, at most (M in the paper)
    passages_a_call: int = 3  # that the language model reads at once, at most
    tokens_a_call: int = 3000  # of their text, about
    max_tokens: int | None = None  # of one answer, at most; none: 100, and 70 for each pair that it is asked for
    grounding: Grounding = "near"  # of what the language model writes: the passage's words, about these, or any

    name: ClassVar[str] = "questions"
    dated: ClassVar[bool] = True  # a language model is told the day of a conversation that only its document tells

    def __post_init__(self) -> None:
        limits = (self.per_passage, self.passages_a_call, self.tokens_a_call, self.max_tokens)
        if min(limit for limit in limits if limit is not None) < 1:
            raise ValueError("per_passage, passages_a_call, tokens_a_call and max_tokens must be at least 1")
        if self.per_passage > segment.MOST_OF_A_PASSAGE:  # of more, some would be known as those of the next passage
            raise ValueError(f"per_passage must be at most {segment.MOST_OF_A_PASSAGE}")

    def made_with(self, models: Models) -> str:
        """The generator with its model, and how many pairs it may make. Raises ModelMissing."""
        model = self.asks(models)
        if model is None:
            return f"{CODE_VERSION}.{RULES_VERSION}:template:{models.parser.name}:{self.per_passage}"
        packing = f"{self.passages_a_call}:{self.tokens_a_call}"
        return (
            f"{CODE_VERSION}:language_model:{model.name}:{PROMPT_VERSION}:{self.per_passage}:{packing}:{self.grounding}"
        )

    def asks(self, models: Models) -> LanguageModel | None:
        """The model that generates, None for templates. Raises ModelMissing."""
        if self.generator == "template":
            return None
        return models.language_model_for("write questions", otherwise="set layers.questions.generator to template")

    def _batches(self) -> Batches[WrittenQuestions]:
        limits = QuestionLimits(
            passages=self.passages_a_call, text_tokens=self.tokens_a_call, max_tokens=self.max_tokens
        )
        return batches(self.per_passage, limits, self.grounding)

    def _by_rules(self, passage: Passage, parse: Sequence[ParsedSentence]) -> bytes:
        from polyhop.layers.questions.rules.passages import questions_of  # rules that no question needs

        return self._checked(questions_of(passage, parse, most=self.per_passage), passage)

    def _by_model(self, passage: Passage, said: WrittenQuestions) -> bytes:
        return self._checked(said.questions, passage, self.grounding, said.rejected)

    def _checked(
        self,
        pairs: Sequence[GeneratedQuestion],
        passage: Passage,
        grounding: Grounding = "strict",
        rejected: Mapping[str, int] | None = None,
    ) -> bytes:
        """The row of a passage, without the pairs that are not to be stored, whoever generated them."""
        faults = Counter(rejected or {})
        sound: dict[str, GeneratedQuestion] = {}
        for pair in pairs:
            key = normal(pair.question)
            fault = "duplicate" if key in sound else fault_of(pair, passage, grounding)
            if fault is None and len(sound) == self.per_passage:
                fault = "surplus"
            if fault is None:
                sound[key] = pair
            else:
                faults[fault] += 1
        return encode(list(sound.values()), faults)

    def gather(
        self, record: Record, folder: Path, fingerprint: str, models: Models, memory: int = USUAL_MEMORY
    ) -> None:
        """Add a segment for what is new; those that it outgrows, or that are too dead, become one with it."""
        embedder = models.embedder.name
        content = json.dumps([fingerprint, segment.FORMAT_VERSION, phrase_store.FORMAT_VERSION, embedder])
        kept = kept_segments(record, self.name, folder, content, _opened)
        now = covered.look(
            record, self.name, fingerprint, folder, kept, [segment.covered(folder / name) for name in kept]
        )
        names = kept[: now.plan.keep]
        if len(now.plan.new):
            names.append(self._write_segment(record, folder, now.plan.new, content, models, memory))
        generation = name_of(json.dumps([content, names, now.digest()]), now.plan.new[:0])
        graph = self._opened(record, models, [folder / name for name in names], now.live())
        rejected = sum((part.rejected_of(now.live()) for part in graph.segments), Counter[str]())
        described = {"fingerprint": fingerprint, "embedder": embedder, "content": content, "segments": names}
        told = {**graph.counts, "of": len(graph.numbers), "rejected": dict(sorted(rejected.items()))}
        now.settle(record, self.name, folder, generation, {**described, **told})

    def _write_segment(
        self, record: Record, folder: Path, numbers: Ints, content: str, models: Models, memory: int
    ) -> str:
        name = name_of(content, numbers)
        make_room(folder / name)

        def vectors_of_passages(some: Sequence[QuestionedPassage]) -> Floats:
            texts = [words_of(one.passage) for one in some]
            return vectors_of(record, [one.number for one in some], texts, models)

        embed = PhraseStore.open(record.folder, models.embedder).vectors
        segment.write(folder / name, partial(self._asked, record, numbers), vectors_of_passages, embed, memory)
        logger.info("questions: wrote segment %s of %d passages", name, len(numbers))
        return name

    def _asked(self, record: Record, numbers: Ints) -> Iterator[list[QuestionedPassage]]:
        """What passages can be asked, some at a time."""
        at_once = min(READ_AT_ONCE, max(1, PAIRS_AT_ONCE // self.per_passage))
        for some in with_rows(record, self.name, numbers, at_once):
            yield [QuestionedPassage(number, passage, *decode(row)) for number, passage, row in some]

    def open(self, record: Record, folder: Path, models: Models) -> QuestionGraph:
        """The newest generation. Raises LayerMissing, ModelMismatch, IndexCorrupt."""
        current = newest(record, self.name, models, below="text,parsekg", embedded="Questions")
        folders = [folder / name for name in segments_of(current, self.name)]
        return self._opened(record, models, folders, covered.live_in(record, current, folder))

    @staticmethod
    def _opened(record: Record, models: Models, folders: Sequence[Path], live: Live) -> QuestionGraph:
        phrases = PhraseStore.open(record.folder, models.embedder)
        return QuestionGraph.open(folders, live, phrases.vectors, record.present)


def _opened(folder: Path) -> None:
    as_written = AllBut(np.empty(0, np.int64))  # to leave nodes out would take the time
    QuestionGraph.open([folder], as_written, lambda _: np.empty((0, 0), np.float32), lambda _: {})


def fault_of(pair: GeneratedQuestion, passage: Passage, grounding: Grounding = "strict") -> str | None:
    """Why a pair must not be stored, in one word, or None where it is sound.

    ``question``: it has no words. ``span``: it is empty or not of this text. ``answer``: it has no words or, where
    grounding is strict, neither stands in the span nor has only words of the passage and its title.
    """
    if not normal(pair.question):
        return "question"
    if not 0 <= pair.start < pair.end <= len(passage.text):
        return "span"
    said = set(pieces(pair.answer))
    if not said:
        return "answer"
    if grounding != "strict" or locate(pair.answer, passage.text[pair.start : pair.end]) is not None:
        return None
    return None if said <= set(pieces(words_of(passage))) else "answer"


def encode(pairs: Sequence[GeneratedQuestion], rejected: Mapping[str, int]) -> bytes:
    """What a passage can be asked as its stored bytes: JSON with "questions" (lists of four) and "rejected"."""
    rows = [[pair.question, pair.answer, pair.start, pair.end] for pair in pairs]
    return json.dumps({"questions": rows, "rejected": dict(sorted(rejected.items()))}, separators=(",", ":")).encode()


def decode(payload: bytes) -> tuple[list[GeneratedQuestion], dict[str, int]]:
    """The pairs that a passage's stored bytes hold, and how many were rejected, by reason."""
    content: dict[str, Any] = json.loads(payload)
    pairs = [
        GeneratedQuestion(question=question, answer=answer, start=start, end=end)
        for question, answer, start, end in content["questions"]
    ]
    return pairs, content["rejected"]
