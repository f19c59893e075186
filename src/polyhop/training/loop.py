"""The loop that all trainers share: batches of about so many tokens, a rate that rises, stays and falls, checkpoints.

The rate is constant between a short warm-up and a cooldown, so that a run may be ended early, by a limit of time or
because the part kept aside is read no better any more: the cooldown then begins sooner, and nothing is lost.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from polyhop.errors import UsageError
from polyhop.reports import Progress, ProgressListener
from polyhop.training.checkpoint import Checkpoint, Position

HEAD_SCALE = 5  # heads begin with random weights, and learn so many times as fast
DECAY = 0.01
SMOOTHING = 0.98  # of the losses that are shown
LENGTHS_ON_GPU = 32  # batches are padded to a multiple of it, so that its kernels and its memory are used again
COOLING = 1 / 3  # of a run, at most, the rate falls: how fast windows pass is not known at its beginning


class HasIds(Protocol):
    """A training example: a sequence of token ids, with whatever labels."""

    @property
    def ids(self) -> Sequence[int]:
        """Its tokens."""
        ...


Example = TypeVar("Example", bound=HasIds)
Taught = TypeVar("Taught", bound=HasIds, contravariant=True)


class Trainee(Protocol[Taught]):
    """What is trained: a network, its losses on a batch, and how well it does on what is kept aside."""

    @property
    def network(self) -> Any:
        """The torch module, on the device that it is to be trained on."""
        ...

    def groups(self) -> Sequence[Mapping[str, Any]]:
        """Its parameters, as AdamW takes them; ``scale`` multiplies the rate of a group."""
        ...

    def losses(self, batch: Sequence[Taught]) -> Mapping[str, Any]:
        """The losses whose sum is to fall, as scalar tensors by name."""
        ...

    def score(self) -> float:
        """How well the part kept aside is read: the more the better."""
        ...


def parameter_groups(body: Any, heads: Sequence[Any] = (), *, decay: float = DECAY) -> list[dict[str, Any]]:
    """The parameters of a network and of heads on it: matrices of the network decay; the heads learn faster."""
    learning = [parameter for parameter in body.parameters() if parameter.requires_grad]
    on_top = [one for head in heads for one in head.parameters()]
    return [
        {"params": [one for one in learning if one.ndim > 1], "weight_decay": decay},
        {"params": [one for one in learning if one.ndim == 1], "weight_decay": 0.0},
        *([{"params": on_top, "weight_decay": 0.0, "scale": HEAD_SCALE}] if on_top else []),
    ]


@dataclass(frozen=True, kw_only=True)
class Course:
    """The settings of a run. ``rows`` and ``minutes`` may change when it is resumed, the rest may not."""

    rows: int = 100_000  # windows in all, cooldown included
    minutes: float | None = None  # of training, if that ends it sooner
    seed: int = 0
    rate: float = 1.2e-4
    warm_up: int = 120  # steps
    cooldown: int = 9_000  # windows, at most a third of all, or of the minutes
    tokens: int = 5_000  # of a batch, padding included
    pool: int = 800  # windows of an epoch that are sorted by length together
    clip: float = 1.0  # norm of the gradient
    measured_every: int = 12_000  # windows
    patience: int = 2  # measurements without a better score before the rate begins to fall
    saved_every: int = 2_000  # windows

    def in_batches_of(self, tokens: int) -> Course:
        """The same course with batches of another size: what counts windows, but for ``rows``, counts as many more."""
        counted = ("cooldown", "measured_every", "saved_every")
        return replace(self, tokens=tokens, **{name: getattr(self, name) * tokens // self.tokens for name in counted})

    @property
    def lasting(self) -> dict[str, Any]:
        """What may not change when a run is resumed."""
        names = ("seed", "rate", "warm_up", "cooldown", "tokens", "pool", "clip", "measured_every", "patience")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, kw_only=True)
class Loop(Generic[Example]):
    """Trains on examples by a course, from where the checkpoint is."""

    trainee: Trainee[Example]
    examples: Sequence[Example]
    course: Course
    checkpoint: Checkpoint
    listener: ProgressListener | None = None
    stopped: Callable[[], bool] = lambda: False  # asked after each step
    clock: Callable[[], float] = time.monotonic

    def run(self) -> Position:
        """Train to the end, or until stopped; what was reached is saved either way.

        Raises UsageError without examples; ModelError, UsageError and StorageFull, as the checkpoint does.
        """
        if not self.examples:
            raise UsageError(
                "The rows leave nothing to train on.",
                remedy="See which files and fields are read in docs/training.md; one context in twenty is kept aside.",
            )
        network = self.trainee.network
        optimiser = torch.optim.AdamW([dict(group) for group in self.trainee.groups()], lr=self.course.rate, fused=True)
        torch.manual_seed(self.course.seed)
        position = self.checkpoint.load(network, optimiser)
        if not position.step:
            self._save(position, optimiser)  # a disk that takes no checkpoint is told of now, not after the first hour
        network.train()
        began = self.clock() - position.seconds
        for batch in self._batches(position):
            factor = self._factor(position)
            if position.finished:
                break
            self._step(batch, factor, optimiser, position)
            position.seconds = self.clock() - began
            self._tell(position)
            self._measure(position)
            if self.stopped():
                break
            if position.seen - position.saved_at >= self.course.saved_every:
                self._save(position, optimiser)
        self._save(position, optimiser)
        return position

    def _batches(self, position: Position) -> Iterator[Sequence[Example]]:
        """Batches from where the run is, epoch after epoch; the position is moved on before each is handed out."""
        while not position.finished:
            ordered = batches(self.examples, self.course, position.epoch)
            for batch in ordered[position.batch :]:
                position.batch += 1
                yield batch
            position.epoch, position.batch = position.epoch + 1, 0

    def _factor(self, position: Position) -> float:
        """What the rate is multiplied by; begins the cooldown where it is time, and ends the run behind it."""
        if position.cooling_from is None:
            length = self._cooldown(position)
            if length is None:
                return min(1.0, (position.step + 1) / self.course.warm_up)
            position.cooling_from, position.cooling_for = position.seen, length
        left = 1 - (position.seen - position.cooling_from) / position.cooling_for
        position.finished = left <= 0
        return left

    def _cooldown(self, position: Position) -> int | None:
        """How many windows the cooldown is to take, where it is to begin now."""
        course = self.course
        length = max(1, min(course.cooldown, int(course.rows * COOLING)))
        if position.seen >= course.rows - length or position.stale >= course.patience:
            return length
        if course.minutes is not None and position.seconds >= course.minutes * 60 * (1 - COOLING):
            left = (course.minutes * 60 - position.seconds) * position.seen / max(position.seconds, 1e-9)
            if left <= length:
                return max(1, int(left))
        return None

    def _step(self, batch: Sequence[Example], factor: float, optimiser: Any, position: Position) -> None:
        for group in optimiser.param_groups:
            group["lr"] = self.course.rate * factor * group.get("scale", 1.0)
        network = self.trainee.network
        losses: dict[str, Any] = {}
        for part in self._parts(batch):
            share = len(part) / len(batch)
            ours = {name: value * share for name, value in self.trainee.losses(part).items()}
            torch.stack(tuple(ours.values())).sum().backward()
            losses = {name: losses.get(name, 0.0) + value.detach() for name, value in ours.items()}
        together = torch.stack(tuple(losses.values()))
        torch.nn.utils.clip_grad_norm_(network.parameters(), self.course.clip)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        position.step += 1
        position.seen += len(batch)
        for name, now in zip(losses, together.tolist(), strict=True):  # one wait for the device, not one for each loss
            position.losses[name] = SMOOTHING * position.losses.get(name, now) + (1 - SMOOTHING) * now

    def _parts(self, batch: Sequence[Example]) -> Iterator[Sequence[Example]]:
        """A batch in halves on a processor, whose caches then hold what is on the way; their gradients are added."""
        on_processor = next(self.trainee.network.parameters()).device.type == "cpu"
        most = -(-len(batch) // 2) if on_processor else len(batch)
        for start in range(0, len(batch), most):
            yield batch[start : start + most]

    def _measure(self, position: Position) -> None:
        if position.cooling_from is not None or position.seen - position.measured_at < self.course.measured_every:
            return
        position.measured_at = position.seen
        network = self.trainee.network
        network.eval()
        with torch.no_grad():
            score = self.trainee.score()
        network.train()
        better = score > position.best
        position.best, position.stale = max(score, position.best), 0 if better else position.stale + 1

    def _save(self, position: Position, optimiser: Any) -> None:
        position.saved_at = position.seen
        self.checkpoint.save(position, self.trainee.network, optimiser)

    def _tell(self, position: Position) -> None:
        if self.listener is None:
            return
        pace = position.seen / max(position.seconds, 1e-9)
        total = self._total(position, pace)
        losses = ", ".join(f"{name} {value:.3f}" for name, value in position.losses.items())
        aside = f", kept aside {position.best:.1f}" if position.best >= 0 else ""
        left = (total - position.seen) / max(pace, 1e-9)
        note = f"loss: {losses}{aside}; {3600 * pace:,.0f} rows an hour, {in_words(left)} left"
        self.listener(Progress(stage="training", done=position.seen, total=total, unit="rows", note=note))

    def _total(self, position: Position, pace: float) -> int:
        """How many windows it will be in all, as things stand."""
        if position.cooling_from is not None:
            total = position.cooling_from + position.cooling_for
        elif self.course.minutes is None:
            total = self.course.rows
        else:
            total = min(self.course.rows, int(self.course.minutes * 60 * pace))
        return max(total, position.seen)


def batches(examples: Sequence[Example], course: Course, epoch: int) -> list[list[Example]]:
    """All examples in an order that seed and epoch decide, those of like length together, none cut in two."""
    rng = random.Random(f"{course.seed} {epoch}")  # noqa: S311
    order = list(examples)
    rng.shuffle(order)
    cut: list[list[Example]] = []
    for start in range(0, len(order), course.pool):
        pool: list[list[Example]] = [[]]
        for example in sorted(order[start : start + course.pool], key=lambda one: len(one.ids)):
            if pool[-1] and (len(pool[-1]) + 1) * len(example.ids) > course.tokens:
                pool.append([])
            pool[-1].append(example)
        rng.shuffle(pool)
        cut += pool
    return cut


def by_length(examples: Iterable[Example], most: int) -> Iterator[list[Example]]:
    """All examples, from the shortest to the longest, so many at a time."""
    ordered = sorted(examples, key=lambda one: len(one.ids))
    for start in range(0, len(ordered), most):
        yield ordered[start : start + most]


def padded(rows: Sequence[Sequence[int]], length: int, dtype: Any) -> NDArray[Any]:
    """Rows of at most so many numbers as one array, (B, T), with zeros behind the shorter ones."""
    filled = np.zeros((len(rows), length), dtype)
    for place, row in enumerate(rows):
        filled[place, : len(row)] = row
    return filled


def sent(values: NDArray[Any], device: Any) -> Any:
    """An array as a tensor on a device; to a GPU from pinned memory, so that nothing waits for it."""
    tensor = torch.from_numpy(values)
    return tensor.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else tensor.to(device)


def tokens_sent(rows: Sequence[Sequence[int]], asked: Sequence[int], device: Any) -> tuple[Any, Any, Any]:
    """Sequences of token ids, padded, with their mask and segments: (B, T) each; so many tokens are of the first."""
    lengths = np.array([len(row) for row in rows])[:, None]
    steps = LENGTHS_ON_GPU if device.type == "cuda" else 1
    length = -(-int(lengths.max()) // steps) * steps
    places = np.arange(length)[None]
    seen = places < lengths
    second = seen & (places >= np.array(asked)[:, None])
    arrays = (padded(rows, length, np.int64), seen.astype(np.int64), second.astype(np.int64))
    ids, mask, segments = (sent(values, device) for values in arrays)
    return ids, mask, segments


def tell_stage(listener: ProgressListener | None, stage: str) -> None:
    """Tell whoever listens what a trainer does now, beside learning."""
    if listener is not None:
        listener(Progress(stage=stage, done=0, total=None, unit="rows"))


def best_device() -> Any:
    """A GPU where torch has one, else the processor."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def half_precision(device: Any) -> AbstractContextManager[Any]:
    """Activations as bfloat16 where the device computes with them; weights and losses stay float32."""
    if device.type == "cuda":
        able = torch.cuda.is_bf16_supported()
    else:
        able = any(
            getattr(torch.cpu, name, lambda: False)()
            for name in ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
        )
    context: AbstractContextManager[Any] = torch.autocast(device.type, torch.bfloat16, enabled=able)
    return context


def in_words(seconds: float) -> str:
    """A duration, as in "2 h 5 min" or "40 s"."""
    minutes = round(seconds / 60)
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"
