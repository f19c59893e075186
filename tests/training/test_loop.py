"""Laws of a run: killed and resumed equals undisturbed, the rate rises, stays and falls, and it ends when it should."""

from __future__ import annotations

import dataclasses
import errno
import itertools
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyhop.errors import ModelError, StorageFull, UsageError
from polyhop.ports import Floats
from polyhop.reports import Progress

torch = pytest.importorskip("torch", reason="training needs the extra 'train' (torch, 200 MB)")

from polyhop.training.checkpoint import Checkpoint, Position  # noqa: E402
from polyhop.training.encoder import weights_of  # noqa: E402
from polyhop.training.loop import Course, Loop, batches, in_words  # noqa: E402

torch.set_num_threads(1)  # tests of other files run at the same time
COURSE = Course(
    rows=240, cooldown=60, warm_up=4, tokens=60, pool=20, measured_every=50, saved_every=30, rate=0.01, patience=99
)


@dataclasses.dataclass(frozen=True)
class Sum:
    """A row of numbers, whose sum is to be learnt."""

    ids: tuple[int, ...]


EXAMPLES = [Sum(tuple(range(number % 7 + 1))) for number in range(50)]


class Adder:
    """A network with dropout, so that chance has to be resumed, too."""

    def __init__(self, scores: Sequence[float] = ()) -> None:
        torch.manual_seed(7)
        self.network = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Dropout(0.2), torch.nn.Linear(8, 1))
        self.scores = list(scores)

    def groups(self) -> list[dict[str, Any]]:
        """All parameters alike."""
        return [{"params": list(self.network.parameters())}]

    def losses(self, batch: Sequence[Sum]) -> dict[str, Any]:
        """The square of what is missed."""
        given = torch.tensor([[len(one.ids), max(one.ids)] for one in batch], dtype=torch.float32)
        wanted = torch.tensor([[sum(one.ids)] for one in batch], dtype=torch.float32)
        return {"square": ((self.network(given) - wanted) ** 2).mean()}

    def score(self) -> float:
        """What the test has in mind, else always better."""
        return self.scores.pop(0) if self.scores else 0.0


def loop(folder: Path, trainee: Adder | None = None, course: Course = COURSE, **settings: Any) -> Loop[Sum]:
    checkpoint = Checkpoint(folder / "checkpoint.npz", {"task": "adding", **course.lasting})
    return Loop(trainee=trainee or Adder(), examples=EXAMPLES, course=course, checkpoint=checkpoint, **settings)


def after(steps: int) -> Callable[[], bool]:
    """Ctrl-C behind so many steps."""
    left = iter(range(steps - 1))
    return lambda: next(left, None) is None


def trained(folder: Path, *breaks: int) -> tuple[dict[str, Floats], Position]:
    """Weights and position of a run that was stopped after so many steps, again and again, and then left alone."""
    for steps in breaks:
        assert not loop(folder, stopped=after(steps)).run().finished
    last = Adder()
    position = loop(folder, last).run()
    return weights_of(last.network), position


@pytest.mark.parametrize("breaks", [(1,), (3,), (2, 5, 1), (20,), (26, 1)])
def test_stopped_and_resumed_equals_undisturbed(tmp_path: Path, breaks: tuple[int, ...]) -> None:
    """Also within an epoch, at its end and in the cooldown: the same weights, to the last bit."""
    whole, undisturbed = trained(tmp_path / "whole")
    parts, resumed = trained(tmp_path / "parts", *breaks)
    assert whole.keys() == parts.keys()
    assert all(np.array_equal(whole[name], parts[name]) for name in whole)
    assert dataclasses.replace(resumed, seconds=0.0, saved_at=0) == dataclasses.replace(
        undisturbed, seconds=0.0, saved_at=0
    )


def test_a_kill_costs_what_was_not_yet_saved(tmp_path: Path) -> None:
    """The last checkpoint is gone on from; the weights are those of an undisturbed run."""

    def killed(step: Progress) -> None:
        if step.done > 100:
            raise MemoryError

    with pytest.raises(MemoryError):
        loop(tmp_path / "parts", listener=killed).run()
    seen: list[int] = []
    last = Adder()
    loop(tmp_path / "parts", last, listener=lambda step: seen.append(step.done)).run()
    assert 60 < seen[0] <= 130
    whole, _ = trained(tmp_path / "whole")
    assert all(np.array_equal(whole[name], value) for name, value in weights_of(last.network).items())


def test_what_a_kill_left_half_written_is_removed(tmp_path: Path) -> None:
    """Each would take as much of the disk as a checkpoint does."""
    left = tmp_path / ".checkpoint.npz-0123456789ab"
    left.write_bytes(b"half of a checkpoint")
    loop(tmp_path).run()
    assert list(tmp_path.iterdir()) == [tmp_path / "checkpoint.npz"]


def test_a_disk_without_room_is_told_before_the_first_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And not at the first checkpoint, which comes after an hour of a large network."""

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(np, "savez", full)
    seen: list[Progress] = []
    with pytest.raises(StorageFull, match="No space left"):
        loop(tmp_path, listener=seen.append).run()
    assert seen == []


def test_nothing_to_train_on_is_said_at_once(tmp_path: Path) -> None:
    """With empty files of rows, epochs without a batch would follow one another for ever."""
    with pytest.raises(UsageError, match="nothing to train on"):
        dataclasses.replace(loop(tmp_path), examples=[]).run()
    assert list(tmp_path.iterdir()) == []


def test_halves_of_a_batch_teach_what_the_whole_teaches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their sizes differ where a batch is odd: each counts for as much as it holds."""

    def without_dropout() -> Adder:
        adder = Adder()
        adder.network[1].p = 0.0
        return adder

    halved, whole = without_dropout(), without_dropout()
    loop(tmp_path / "halved", halved).run()
    monkeypatch.setattr(Loop, "_parts", lambda _, batch: [batch])
    loop(tmp_path / "whole", whole).run()
    expected = weights_of(whole.network)
    assert all(np.allclose(value, expected[name], atol=1e-3) for name, value in weights_of(halved.network).items())


def test_the_rate_rises_stays_and_falls(tmp_path: Path) -> None:
    running = loop(tmp_path)
    position = Position()
    factors = []
    while not position.finished:
        factors.append(running._factor(position))
        position.step, position.seen = position.step + 1, position.seen + 10
    assert factors[:5] == [0.25, 0.5, 0.75, 1.0, 1.0]
    assert position.cooling_from == 180
    assert factors[18:] == pytest.approx([1, 5 / 6, 4 / 6, 3 / 6, 2 / 6, 1 / 6, 0])


def test_a_score_that_no_longer_rises_ends_the_run_sooner(tmp_path: Path) -> None:
    falling = loop(
        tmp_path / "falling", Adder(scores=[3, 2, 1]), dataclasses.replace(COURSE, rows=2000, patience=2)
    ).run()
    assert falling.finished
    assert falling.seen < 260
    assert falling.best == 3
    rising = loop(tmp_path / "rising", Adder(scores=range(1, 99)), dataclasses.replace(COURSE, rows=600)).run()
    assert rising.seen >= 600


def test_a_limit_of_minutes_lets_the_rate_fall_in_time(tmp_path: Path) -> None:
    """With a clock that says six seconds a step."""
    ticks = iter(range(0, 10**6, 6))
    course = dataclasses.replace(COURSE, rows=10**6, minutes=10)
    position = loop(tmp_path, Adder(scores=range(1, 999)), course, clock=lambda: float(next(ticks))).run()
    assert position.finished
    assert position.cooling_from is not None
    assert position.seconds == pytest.approx(600, rel=0.15)


def test_a_slow_beginning_does_not_bring_the_end_forward(tmp_path: Path) -> None:
    """The first steps take a minute each, all others a second."""
    ticks = itertools.accumulate(itertools.chain(itertools.repeat(60, 6), itertools.repeat(1)))
    course = dataclasses.replace(COURSE, rows=10**6, cooldown=10**5, minutes=30)
    position = loop(tmp_path, Adder(scores=range(1, 999)), course, clock=lambda: float(next(ticks))).run()
    assert position.finished
    assert position.cooling_from is not None
    assert position.cooling_from >= 0.6 * position.seen, "the rate falls over a third of the run at most"


def test_larger_batches_are_measured_and_cooled_as_many_steps_apart() -> None:
    course = dataclasses.replace(COURSE, tokens=500, cooldown=90, measured_every=120, saved_every=20)
    wider = course.in_batches_of(2_000)
    assert (wider.tokens, wider.cooldown, wider.measured_every, wider.saved_every) == (2_000, 360, 480, 80)
    assert course.in_batches_of(500) == course


def test_more_rows_may_be_asked_for_later(tmp_path: Path) -> None:
    assert not loop(tmp_path, stopped=after(5)).run().finished
    assert loop(tmp_path, course=dataclasses.replace(COURSE, rows=400)).run().seen >= 400


def test_another_run_is_refused(tmp_path: Path) -> None:
    loop(tmp_path, stopped=after(2)).run()
    with pytest.raises(UsageError, match="differs from this one in: rate, seed") as raised:
        loop(tmp_path, course=dataclasses.replace(COURSE, seed=1, rate=0.5)).run()
    assert "another --out" in raised.value.remedy


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04nonsense", b"nonsense"])
def test_a_damaged_checkpoint_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "checkpoint.npz").write_bytes(content)
    with pytest.raises(ModelError, match=r"checkpoint\.npz is damaged"):
        loop(tmp_path).run()


def test_a_finished_run_is_not_trained_further(tmp_path: Path) -> None:
    whole, position = trained(tmp_path)
    again = Adder()
    assert loop(tmp_path, again).run() == position
    assert all(np.array_equal(whole[name], value) for name, value in weights_of(again.network).items())


def test_batches_hold_every_example_once_and_few_tokens() -> None:
    for epoch in range(3):
        cut = batches(EXAMPLES, COURSE, epoch)
        assert sorted(len(one.ids) for batch in cut for one in batch) == sorted(len(one.ids) for one in EXAMPLES)
        assert all(len(batch) * max(len(one.ids) for one in batch) <= COURSE.tokens for batch in cut)
    assert batches(EXAMPLES, COURSE, 0) == batches(EXAMPLES, COURSE, 0) != batches(EXAMPLES, COURSE, 1)


def test_progress_says_loss_pace_and_time_left(tmp_path: Path) -> None:
    said: list[Progress] = []
    loop(tmp_path, listener=said.append).run()
    assert said[-1].done >= 240
    assert said[0].total == 240
    assert "loss: square" in said[0].note
    assert "rows an hour" in said[0].note
    assert said[0].note.endswith("left")


@pytest.mark.parametrize(("seconds", "words"), [(40, "40 s"), (600, "10 min"), (7500, "2 h 5 min")])
def test_durations_are_said_in_words(seconds: float, words: str) -> None:
    assert in_words(seconds) == words
