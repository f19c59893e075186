"""Everything that a run needs to go on as if nothing had happened, in one file of plain arrays."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from polyhop.errors import ModelError, UsageError
from polyhop.store.whole_file import drafts_of
from polyhop.training.extra import kept_in

VERSION = 1


@dataclass(kw_only=True)
class Position:
    """How far a run has come, in its data and in its schedule."""

    step: int = 0
    seen: int = 0  # windows
    epoch: int = 0
    batch: int = 0  # of the epoch, the next one
    seconds: float = 0.0  # of training, over all sessions
    cooling_from: int | None = None  # windows seen when the rate began to fall
    cooling_for: int = 0  # windows until it is nothing
    measured_at: int = 0  # windows seen when the part kept aside was read last
    best: float = -1.0  # its best score so far
    stale: int = 0  # measurements since then
    saved_at: int = 0
    losses: dict[str, float] = field(default_factory=dict)  # running means
    finished: bool = False


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint file of one run; ``run`` says which one: another run's is refused."""

    path: Path
    run: Mapping[str, Any]

    def save(self, position: Position, network: Any, optimiser: Any) -> None:
        """Replace the file in one step; it is on the disk when this returns. Raises StorageFull."""
        arrays: dict[str, NDArray[Any]] = {"random/cpu": torch.get_rng_state().numpy()}
        if torch.cuda.is_available():
            arrays["random/cuda"] = torch.cuda.get_rng_state().numpy()
        for name, value in network.state_dict().items():
            arrays[f"network/{name}"] = value.detach().cpu().numpy()
        for number, moments in optimiser.state_dict()["state"].items():
            for name, value in moments.items():
                arrays[f"optimiser/{number}/{name}"] = value.detach().cpu().numpy()
        head = {"version": VERSION, "run": dict(self.run), "position": asdict(position)}
        arrays["head"] = np.array(json.dumps(head))
        with kept_in(self.path, "The checkpoint") as stream:
            np.savez(stream, allow_pickle=False, **arrays)

    def load(self, network: Any, optimiser: Any) -> Position:
        """Put network, optimiser and chance as they were; from the start where there is no file.

        What a run that was killed while it saved has left half written, hundreds of MB each time, is removed.
        Raises UsageError where the file is another run's, ModelError where it is damaged.
        """
        for draft in drafts_of(self.path):
            draft.unlink(missing_ok=True)
        if not self.path.is_file():
            return Position()
        try:
            with self.path.open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
                arrays = {name: stored[name] for name in stored.files}
            head = json.loads(str(arrays["head"]))
            self._check(head)
            position = Position(**{one.name: head["position"][one.name] for one in fields(Position)})
            _restore(arrays, network, optimiser)
        except (OSError, ValueError, KeyError, TypeError, RuntimeError, EOFError, zipfile.BadZipFile) as error:
            remedy = "Delete it to train from the start."
            raise ModelError(f"The checkpoint {self.path} is damaged: {error}.", remedy=remedy) from error
        return position

    def _check(self, head: Mapping[str, Any]) -> None:
        made = dict(head["run"]) if head["version"] == VERSION else {}
        other = sorted(name for name in {*made, *self.run} if made.get(name) != self.run.get(name))
        if other:
            raise UsageError(
                f"{self.path.parent} holds a run that differs from this one in: {', '.join(other)}.",
                remedy=f"Choose another --out, repeat that run's options, or delete {self.path}.",
            )


def _restore(arrays: Mapping[str, NDArray[Any]], network: Any, optimiser: Any) -> None:
    def under(prefix: str) -> dict[str, Any]:
        return {
            name.removeprefix(prefix): torch.from_numpy(value)
            for name, value in arrays.items()
            if name.startswith(prefix)
        }

    network.load_state_dict(under("network/"))
    moments: dict[int, dict[str, Any]] = {}
    for name, value in under("optimiser/").items():
        number, _, moment = name.partition("/")
        moments.setdefault(int(number), {})[moment] = value
    optimiser.load_state_dict({"state": moments, "param_groups": optimiser.state_dict()["param_groups"]})
    torch.set_rng_state(torch.from_numpy(arrays["random/cpu"]))
    if torch.cuda.is_available() and "random/cuda" in arrays:
        torch.cuda.set_rng_state(torch.from_numpy(arrays["random/cuda"]))
