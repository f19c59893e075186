"""What trainers of encoders with heads share: the run that they go on with, and what is written at its end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import torch

from polyhop.errors import UsageError
from polyhop.models.weights import sha256_of, trained_folder
from polyhop.reports import ProgressListener
from polyhop.training import card, export
from polyhop.training.checkpoint import Checkpoint, Position
from polyhop.training.encoder import weights_of
from polyhop.training.extra import CHECKPOINT
from polyhop.training.graph import Head
from polyhop.training.loop import Course, Loop, Trainee, tell_stage
from polyhop.training.start import blend_with, go_on_from, mean_with, weights_like


@dataclass(frozen=True, kw_only=True)
class Trainer:
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

    def hashes(self, names: Iterable[str]) -> dict[str, str]:
        """Of the files of the data folder that there are."""
        return {name: sha256_of(self.data / name) for name in names if (self.data / name).exists()}

    def started(self, network: Any) -> Any:
        """A network with the weights of the finished model, if it is to go on from one.

        Raises ModelMissing and ModelError, of the others too: hours later would be too late.
        """
        for folder in self.others:
            weights_like(network, folder)
        if self.start is not None:
            go_on_from(self.start, network, self.name)
        return network

    def trained(
        self, trainee: Trainee[Any], examples: Sequence[Any], hashes: Mapping[str, str], **choice: Any
    ) -> Position:
        """Train from where the run in ``out`` is; ``choice``: what besides may not change when it is resumed."""
        run = {"task": self.name, "data": hashes, "start": trainee.network.body.shape.sizes, **choice}
        if self.start is not None:
            run["from"] = sha256_of(self.start / export.MODEL)
        return Loop(
            trainee=trainee,
            examples=examples,
            course=self.course,
            checkpoint=Checkpoint(self.out / CHECKPOINT, {**run, **self.course.lasting}),
            listener=self.listener,
            stopped=self.stopped,
        ).run()

    def write(
        self,
        network: Any,
        position: Position,
        hashes: Mapping[str, str],
        as_trained: Callable[[], card.Figures],
        as_exported: Callable[[Path], card.Figures],
        **told: Any,
    ) -> None:
        """Export what was learnt, with a card that says how well network and folder do; ``told``: what else it says."""
        tell_stage(self.listener, "exporting")
        if self.start is not None and self.blend < 1:
            blend_with(self.start, network, self.blend)
        if self.others:
            mean_with(self.others, network)
        network.eval()
        with torch.no_grad():
            trained = as_trained()
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
            data=hashes,
            seed=self.course.seed,
            rows=position.seen,
            hours=position.seconds / 3600,
            device=next(network.parameters()).device.type,
            as_trained=trained,
            as_exported=as_exported(folder),
            **told,
        )
        export.export(weights, self.heads, folder, card=described.markdown(), tokenizer=tokenizer)
