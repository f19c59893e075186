"""What trainers of encoders with heads share: the run that they go on with, and what is written at its end."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import torch

from polyhop.errors import ModelError, UsageError
from polyhop.models.weights import sha256_of, trained_folder
from polyhop.ports import Floats
from polyhop.reports import ProgressListener
from polyhop.training import card, export
from polyhop.training.checkpoint import Checkpoint, Position
from polyhop.training.encoder import weights_of
from polyhop.training.extra import CHECKPOINT
from polyhop.training.graph import Head
from polyhop.training.loop import Course, Loop, Trainee, best_device, tell_stage
from polyhop.training.start import finished_weights


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """What a run trains on what, and how well network and exported folder do at its end."""

    trainee: Trainee[Any]
    examples: Sequence[Any]
    hashes: Mapping[str, str]  # of the files that the examples were made of, by name
    choice: Mapping[str, Any] = field(default_factory=dict)  # what besides may not change when the run is resumed
    as_trained: Callable[[], card.Figures]
    as_exported: Callable[[Path], card.Figures]
    told: Mapping[str, Any]  # what else the card says


@dataclass(frozen=True, kw_only=True)
class Trainer(ABC):
    """Trains on a folder of rows, and writes what Polyhop loads.

    ``out`` gets ``checkpoint.npz``, from which the same run goes on, and at the end a folder with the model's name:
    graph, tokenizer, model card and manifest.
    """

    name: ClassVar[str]
    heads: ClassVar[Sequence[Head]]

    data: Path
    out: Path
    course: Course = Course()
    start: Path | None = None  # the folder of a finished model of this name, whose weights are taken instead
    blend: float = 1.0  # of what was learnt since then, the share that is exported; half: the mean of both
    others: Sequence[Path] = ()  # finished models of this name; the mean of all and of this one is exported
    listener: ProgressListener | None = None
    stopped: Callable[[], bool] = lambda: False

    def __post_init__(self) -> None:
        if self.blend < 1 and self.start is None:
            raise UsageError(
                "A part of what was learnt is mixed with the model that a run goes on from, and there is none.",
                remedy="Name one with --start, or leave --blend out.",
            )
        for folder in (*([] if self.start is None else [self.start]), *self.others):
            trained_folder(str(folder), self.name)  # missed now, and not when all rows are read

    @abstractmethod
    def lesson(self, device: Any) -> Lesson:
        """What each trainer makes of its rows, with a network on a device."""

    def run(self) -> Position:
        """Train from where a run in ``out`` is, and export where it is finished.

        Raises DatasetError for a bad row, UsageError where ``out`` holds another run, ModelMissing, ModelError and
        StorageFull.
        """
        torch.manual_seed(self.course.seed)
        lesson = self.lesson(best_device())
        position = self._trained(lesson)
        if position.finished:
            self._write(lesson, position)
        return position

    def hashes(self, names: Iterable[str], files: Iterable[Path] = ()) -> dict[str, str]:
        """By name, of those files of the data folder that there are, and of other files.

        Raises UsageError where two of one name differ: neither the run nor its card could tell them apart.
        """
        found: dict[str, str] = {}
        ours = [path for path in (self.data / name for name in names) if path.exists()]
        for path in (*ours, *files):
            digest = sha256_of(path)
            if found.setdefault(path.name, digest) != digest:
                remedy = "Rename one: the model card names files without their folders."
                raise UsageError(f"Two different files to train on are called {path.name}.", remedy=remedy)
        return found

    def started(self, network: Any) -> Any:
        """A network with the weights of the finished model, if it is to go on from one.

        Raises ModelMissing and ModelError, of the others too: hours later would be too late.
        """
        for folder in self.others:
            self._finished(folder, network)
        if self.start is not None:
            self._mix(network, [self.start], 0.0)
        return network

    def _trained(self, lesson: Lesson) -> Position:
        run = {
            "task": self.name,
            "data": lesson.hashes,
            "start": lesson.trainee.network.body.shape.sizes,
            **lesson.choice,
        }
        if self.start is not None:
            run["from"] = sha256_of(self.start / export.MODEL)
        return Loop(
            trainee=lesson.trainee,
            examples=lesson.examples,
            course=self.course,
            checkpoint=Checkpoint(self.out / CHECKPOINT, {**run, **self.course.lasting}),
            listener=self.listener,
            stopped=self.stopped,
        ).run()

    def _write(self, lesson: Lesson, position: Position) -> None:
        """Export what was learnt, with a card that says how well network and folder do."""
        tell_stage(self.listener, "exporting")
        network = lesson.trainee.network
        if self.start is not None and self.blend < 1:
            self._mix(network, [self.start], self.blend)
        if self.others:
            self._mix(network, self.others, 1 / (len(self.others) + 1))
        network.eval()
        with torch.no_grad():
            trained = lesson.as_trained()
        weights, folder = weights_of(network), self.out / self.name
        before = card.earlier_in(self.start / export.CARD) if self.start else None  # told before it may be replaced
        others = [sha256_of(other / export.MODEL) for other in self.others]
        tokenizer = None if self.start is None else self.start / export.TOKENIZER
        export.export(weights, self.heads, folder, card="", tokenizer=tokenizer)
        described = card.Card(
            name=self.name,
            before=before,
            blend=self.blend,
            others=others,
            data=lesson.hashes,
            seed=self.course.seed,
            rows=position.seen,
            hours=position.seconds / 3600,
            device=next(network.parameters()).device.type,
            as_trained=trained,
            as_exported=lesson.as_exported(folder),
            **lesson.told,
        )
        export.export(weights, self.heads, folder, card=described.markdown(), tokenizer=tokenizer)

    def _mix(self, network: Any, folders: Sequence[Path], share: float) -> None:
        """Leave a network a share (0 to 1) of its weights; the rest is of finished models of its shape, in equal parts.

        A model beside the one that it went on from often reads what the one had learnt and what the other has (Wortsman
        et al. 2022, "Robust fine-tuning of zero-shot models"); models that went on from the same one, each by a course
        of its own, read better together than the best of them alone ("Model soups"). Raises ModelMissing, ModelError.
        """
        mixed = {name: share * value.detach().cpu().numpy() for name, value in network.state_dict().items()}
        for folder in folders:
            stored = self._finished(folder, network)
            mixed = {name: value + (1 - share) / len(folders) * stored[name] for name, value in mixed.items()}
        network.load_state_dict({name: torch.from_numpy(value) for name, value in mixed.items()})

    def _finished(self, folder: Path, network: Any) -> dict[str, Floats]:
        """The weights of a finished model of the same shape as a network. Raises ModelMissing, ModelError."""
        stored = finished_weights(folder)
        if {name: value.shape for name, value in stored.items()} != {
            name: tuple(value.shape) for name, value in network.state_dict().items()
        }:
            remedy = "Name the folder of a finished model of the same kind and size."
            raise ModelError(f"{folder} holds no {self.name} of this shape.", remedy=remedy)
        return stored
