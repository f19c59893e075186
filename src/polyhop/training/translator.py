"""The translator: a small language model that learns which clue leads from a question to its passage (Eq. 7)."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch.nn import functional

from polyhop.errors import DatasetError
from polyhop.models.choice import Models
from polyhop.models.graph_weights import graph_weights, write_tuned
from polyhop.models.smollm2 import TURN, SmolLM2
from polyhop.models.tuned import ADDITIONS, GRAPH, write_additions
from polyhop.models.weights import sha256_of
from polyhop.ports import ConstrainedModel
from polyhop.reports import Progress, ProgressListener
from polyhop.training.asked_passages import asked_passages
from polyhop.training.card import Card, origins
from polyhop.training.checkpoint import Checkpoint, Position
from polyhop.training.clue_figures import UNIT, Figures, beside, collection, likelihoods, table
from polyhop.training.clue_file import MADE, read_clues, write_clues
from polyhop.training.clues import ClueMaker, Spans, TaughtClue, prompt_of
from polyhop.training.export import TOKENIZER, replacing
from polyhop.training.extra import CHECKPOINT
from polyhop.training.llama import LORA_SCALE, Llama
from polyhop.training.loop import DECAY, Course, Loop, best_device, half_precision, padded, parameter_groups
from polyhop.training.rows import MULTI_HOP, READING
from polyhop.training.taught_plans import STEPS
from polyhop.training.triples import TRIPLES

FILES: Final = (STEPS, MULTI_HOP, READING, TRIPLES)
NAME: Final = "translator"
LORA_RATE: Final = 5e-4
FULL_RATE: Final = 3e-5
COURSE: Final = Course(
    rows=24_000,
    rate=LORA_RATE,
    warm_up=30,
    cooldown=6_000,
    tokens=1_300,
    pool=400,
    measured_every=2_000,
    patience=2,
)
MEASURED: Final = 200  # clues kept aside that are read while it is trained
READ_AT_ONCE: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class ClueWindow:
    """What is read behind the instruction, which all share: the question's turn and, as its last tokens, the clue."""

    ids: tuple[int, ...]
    said: int  # tokens of the clue

    @property
    def asked(self) -> int:
        """Tokens before the clue."""
        return len(self.ids) - self.said


def opening(model: ConstrainedModel, *, triples: bool = False) -> list[int]:
    """The tokens with which every prompt begins: the instruction's turn."""
    return _split(prompt_of(model, "", triples=triples))[0]


def window(model: ConstrainedModel, clue: TaughtClue) -> ClueWindow:
    """A clue behind exactly the prompt of inference."""
    _, asked = _split(clue.prompt(model))
    return ClueWindow(ids=(*asked, *clue.tokens), said=len(clue.tokens))


def _split(prompt: Sequence[int]) -> tuple[list[int], list[int]]:
    cut = next((place for place, token in enumerate(prompt) if token == TURN and place), 0)
    return list(prompt[:cut]), list(prompt[cut:])


@dataclass(frozen=True, kw_only=True)
class TranslatorTrainee:
    """The network with its loss, and the clues kept aside."""

    network: Llama
    opening: Sequence[int]
    aside: Sequence[ClueWindow]
    device: Any

    def groups(self) -> list[dict[str, Any]]:
        """All that is learnt; only matrices of the network itself decay."""
        return parameter_groups(self.network, decay=DECAY if self.network.rank is None else 0.0)

    def losses(self, batch: Sequence[ClueWindow]) -> dict[str, Any]:
        """Minus the mean log-likelihood of a clue's tokens, unconstrained, given what is before each (Eq. 7)."""
        return {"clue": self.surprise(batch).mean()}

    def surprise(self, batch: Sequence[ClueWindow]) -> Any:
        """Minus the log-likelihood of each token of each clue, one after the other."""
        read = [one.ids for one in batch]
        ids = torch.from_numpy(padded(read, max(map(len, read)), np.int64))
        rows = torch.tensor([row for row, one in enumerate(batch) for _ in range(one.said)])
        places = torch.tensor([place for one in batch for place in range(one.asked - 1, len(one.ids) - 1)])
        ids, rows, places = (value.to(self.device) for value in (ids, rows, places))
        prefix = torch.tensor(list(self.opening), device=self.device)
        with half_precision(self.device):
            logits = self.network.logits(self.network(prefix, ids)[rows, places])
        return functional.cross_entropy(logits.float(), ids[rows, places + 1], reduction="none")

    def score(self) -> float:
        """The probability of a clue's token, 0 to 100: the geometric mean over the clues kept aside."""
        return 100 * float(np.exp(-np.mean(self.surprises())))

    def surprises(self) -> list[float]:
        """Minus the mean log-likelihood of the tokens of each clue kept aside."""
        found: list[float] = []
        for start in range(0, len(self.aside), READ_AT_ONCE):
            batch = self.aside[start : start + READ_AT_ONCE]
            each = self.surprise(batch).split([one.said for one in batch])
            found += [float(tokens.mean()) for tokens in each]
        return found


@dataclass(frozen=True, kw_only=True)
class TranslatorTrainer:
    """Tunes a translator on a folder of rows, and writes what Polyhop loads.

    ``out`` gets ``clues.jsonl``, ``checkpoint.npz``, from which the same run goes on, and at the end ``translator/``.
    """

    data: Path
    out: Path
    models: Models  # the parser that makes graphs, and the embedder that tells how near a window is
    model: SmolLM2 = field(default_factory=SmolLM2)  # the installed one, which is tuned
    course: Course = COURSE
    spans: Spans = "grammar"
    triples: bool = False  # clues end in what answers (Eq. 13)
    rank: int | None = 16  # of what is added to each matrix; none: all weights are learnt
    whole: bool = True  # questions of several hops, too, with each of their passages
    most: int = 12_000  # questions with a passage that clues are made of
    listener: ProgressListener | None = None
    stopped: Callable[[], bool] = lambda: False

    def run(self) -> Position:
        """Train from where a run in ``out`` is, and export where it is finished.

        Raises DatasetError for a bad row and for too few, UsageError where ``out`` holds another run, ModelMissing,
        ModelError and StorageFull.
        """
        clues, hashes = self._enough(self.clues()), self._hashes
        device = best_device()
        torch.manual_seed(self.course.seed)
        network = Llama(graph_weights(self.model.folder / GRAPH), rank=self.rank).to(device)
        run = {"task": NAME, **self._made_from(), "rank": self.rank, "sizes": network.shape.sizes}
        loop = Loop(
            trainee=self._trainee(network, clues),
            examples=[window(self.model, clue) for clue in clues if not clue.row.aside],
            course=self.course,
            checkpoint=Checkpoint(self.out / CHECKPOINT, {**run, **self.course.lasting}),
            listener=self.listener,
            stopped=self.stopped,
        )
        position = loop.run()
        if position.finished:
            self._export(network, clues, position, hashes)
        return position

    def _enough(self, clues: list[TaughtClue]) -> list[TaughtClue]:
        """The clues, where there are some to learn from and some to measure with."""
        if len({clue.row.aside for clue in clues}) == 2:
            return clues
        raise DatasetError(
            f"The rows in {self.data} give too few clues to learn from and to keep some aside: {len(clues)}.",
            remedy=f"Add rows: any of {', '.join(FILES)}.",
        )

    def clues(self) -> list[TaughtClue]:
        """The clues of the data folder, made once: parsing and embedding take as long as much of the training."""
        made_from = self._made_from()
        kept = read_clues(self.out / MADE, made_from)
        if kept is not None:
            return kept
        self._tell("reading rows")
        rows = asked_passages(self.data, seed=self.course.seed, whole=self.whole)[: self.most]
        made: list[TaughtClue] = []
        maker = ClueMaker(models=self.models, model=self.model, spans=self.spans, triples=self.triples)
        for done, chunk in maker.by_chunks(rows):
            if self.stopped():
                raise KeyboardInterrupt
            made += chunk
            self._tell("making clues", done, len(rows))
        write_clues(self.out / MADE, made_from, made)
        return made

    @cached_property
    def _hashes(self) -> dict[str, str]:
        return {name: sha256_of(self.data / name) for name in FILES if (self.data / name).exists()}

    def _made_from(self) -> dict[str, Any]:
        models = {"parser": self.models.parser.name, "embedder": self.models.embedder.name}
        choice = {"spans": self.spans, "whole": self.whole, "most": self.most, "seed": self.course.seed}
        choice |= {"triples": True} if self.triples else {}  # runs that were begun before there were any go on
        return {"data": self._hashes, **models, **choice}

    def _trainee(self, network: Llama, clues: Sequence[TaughtClue], most: int = MEASURED) -> TranslatorTrainee:
        aside = [clue for clue in clues if clue.row.aside][:most]
        return TranslatorTrainee(
            network=network,
            opening=opening(self.model, triples=self.triples),
            aside=[window(self.model, clue) for clue in aside],
            device=network.cosines.device,
        )

    def _export(
        self, network: Llama, clues: Sequence[TaughtClue], position: Position, hashes: Mapping[str, str]
    ) -> None:
        self._tell("exporting")
        network.eval()
        aside = [clue for clue in clues if clue.row.aside]
        with torch.no_grad():
            surprises = self._trainee(network, clues, len(aside)).surprises()
        folder = self.out / NAME
        export_tuned(network, self.model.folder, folder, card="")
        self._tell("measuring")
        learnt = "all of its weights" if self.rank is None else f"additions of rank {self.rank} to each of its matrices"
        described = Card(
            name=NAME,
            purpose=f"{PURPOSE} Learnt were {learnt}, on spans as `--spans {self.spans}` cuts them.",
            data=hashes,
            sources=origins((clue.row.source, clue.row.licence) for clue in clues if not clue.row.aside),
            seed=self.course.seed,
            rows=position.seen,
            hours=position.seconds / 3600,
            device=network.cosines.device.type,
            as_trained=table(aside, surprises),
            as_exported=self._as_exported(aside),
            limits=LIMITS,
            unit=UNIT,
            columns=(UNIT, "likelihood", "found"),
            explained=EXPLAINED,
            base=BASE,
        )
        export_tuned(network, self.model.folder, folder, card=described.markdown())

    def _as_exported(self, aside: Sequence[TaughtClue]) -> Figures:
        """The figures of the folder that was written and, beside them, of the model that was tuned."""
        models = {"": replace(self.model, tuned=str(self.out / NAME)), ", untuned": self.model}
        figures: Figures = {}
        with collection(aside) as found:
            for added, model in models.items():
                figures |= beside(table(aside, likelihoods(model, aside), found(model)), added)
        return figures

    def _tell(self, stage: str, done: int = 0, total: int | None = None) -> None:
        if self.listener is not None:
            self.listener(Progress(stage=stage, done=done, total=total, unit=UNIT if total is None else "rows"))


def export_tuned(network: Llama, installed: Path, folder: Path, *, card: str) -> None:
    """Write ``additions.npz`` where only these were learnt, else ``model.onnx`` and ``tokenizer.json``.

    With ``card.md`` and ``manifest.json``; see ``replacing``.
    """
    with replacing(folder, card) as ready:
        if network.rank is None:
            write_tuned(installed / GRAPH, network.learnt(), ready / GRAPH)
            shutil.copyfile(installed / TOKENIZER, ready / TOKENIZER)
        else:
            write_additions(ready / ADDITIONS, network.additions(), LORA_SCALE)


BASE: Final = (
    "SmolLM2-135M-Instruct (Apache-2.0, Hugging Face), the 8-bit weights of its converted graph as numbers again"
)
PURPOSE: Final = """\
Reads a question alone and says a clue: an entity, and words that stand next to it in the corpus. What it may say is \
decided by the corpus; which of it leads to the answer, it has learnt."""
EXPLAINED: Final = (
    "On clues of passages that were kept aside, one in twenty. Likelihood is the probability of a clue's token given "
    "those before it, as a geometric mean, in per cent, where nothing constrains it. Found is how often, of the first "
    "questions kept aside, the passage is among the five that clues lead to, by constrained decoding over all "
    "passages kept aside, in one hop."
)
LIMITS: Final = (
    "English only, and questions as data sets of encyclopaedias ask them.",
    "A question of several hops is better asked step by step: one clue leads to one passage.",
    "It knows little of the world: where a question describes a thing instead of naming it, the name is a guess.",
)
