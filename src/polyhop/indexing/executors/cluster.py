"""Extraction on a cluster of Ray's, one actor a core: Ray starts what died again, and repeats what was lost with it."""

from __future__ import annotations

import logging
import socket
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any, Final, Self

from polyhop.errors import PolyhopError
from polyhop.extras import check_installed
from polyhop.indexing.executors.processes import one_by_one
from polyhop.indexing.executors.worker import JobWorker, decode_rows, encode_job
from polyhop.ports import Chunk, Failure, Rows
from polyhop.settings import Settings, without_reports

REMEDY: Final = "Check --address; for a cluster that wants a token, set RAY_AUTH_MODE=token."
IN_FLIGHT: Final = 3  # chunks an actor: one that it works on, and others to go on with, or behind one that is slow
SECONDS_TO_CONNECT: Final = 10.0
PATIENCE: Final = 300.0  # seconds to wait for workers to start
REPEATS: Final = 2  # of a chunk whose worker died, before its passages are tried one by one


class ClusterWorker(JobWorker):
    """A worker on some machine, with the version of Polyhop that is installed there."""

    def version(self) -> str:
        """That version."""
        return version("polyhop")


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """Runs a layer's extraction on a Ray cluster; without an address, on one that lasts as long as this does."""

    address: str | None = None
    workers: int | None = None  # None: one a core of the cluster
    _actors: list[Any] = field(default_factory=list, repr=False)

    def extract(self, layer: str, settings: Settings, chunks: Iterable[Chunk]) -> Iterator[Sequence[Rows]]:
        """The rows of each chunk, in order; a few chunks an actor are in flight."""
        waiting: deque[tuple[Chunk, Any, Any]] = deque()
        for chunk in chunks:
            waiting.append((chunk, *self._sent(layer, settings, chunk, [actor for _, actor, _ in waiting])))
            if len(waiting) >= IN_FLIGHT * len(self._actors):
                yield self._rows(layer, settings, *waiting.popleft())
        while waiting:
            yield self._rows(layer, settings, *waiting.popleft())

    def _sent(self, layer: str, settings: Settings, chunk: Chunk, busy: Sequence[Any]) -> tuple[Any, Any]:
        """The actor that has least to do, and what it will give for a chunk."""
        actor = min(self._actors, key=busy.count)
        return actor, actor.do.remote(encode_job(layer, settings, chunk))

    def _rows(self, layer: str, settings: Settings, chunk: Chunk, actor: Any, promised: Any) -> Sequence[Rows]:
        import ray

        try:
            return decode_rows(ray.get(promised))
        except ray.exceptions.RayActorError:  # it died of this again and again
            if len(chunk.passages) == 1:
                return [Failure("The worker died on this passage (out of memory?).")]
        # One after the other: what waits behind a passage that kills would count as lost with it, again and again.
        sent = ((single, *self._sent(layer, settings, single, ())) for single in one_by_one(chunk))
        return [rows for single in sent for rows in self._rows(layer, settings, *single)]

    def __enter__(self) -> Self:
        """Start the workers. Raises UsageError without the extra, PolyhopError where there is no cluster."""
        check_installed("ray", ("ray",), doing="An index that is made on a cluster")
        without_reports()
        import ray

        where = self.address or "this machine"
        here: dict[str, Any] = {} if self.address else {"num_cpus": self.workers, "include_dashboard": False}
        try:
            _require_reachable(where)
            ray.init(address=self.address or "local", log_to_driver=False, logging_level=logging.ERROR, **here)
        except (OSError, ValueError, RuntimeError) as error:
            raise PolyhopError(f"Ray cannot be used at {where}: {error}.", remedy=REMEDY) from error
        try:
            cores = int(ray.cluster_resources().get("CPU", 1))
            worker = ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=REPEATS)(ClusterWorker)
            self._actors.extend(worker.remote() for _ in range(min(self.workers or cores, cores) or 1))
            self._require_same_version()
        except BaseException:  # nobody else lets go of the cluster, and the next try could not join it then
            self.__exit__()
            raise
        return self

    def _require_same_version(self) -> None:
        """Rows say which version made them, so that they must come from this one. Raises PolyhopError."""
        import ray

        own = version("polyhop")
        try:
            others = set(ray.get([actor.version.remote() for actor in self._actors], timeout=PATIENCE)) - {own}
        except ray.exceptions.GetTimeoutError as error:
            raise PolyhopError("The cluster starts no worker.", remedy="See what else it does: ray status") from error
        if others:
            raise PolyhopError(
                f"The cluster has Polyhop {', '.join(sorted(others))}, and this machine has {own}.",
                remedy="Install the same version everywhere.",
            )

    def __exit__(self, *error: object) -> None:
        """Stop the workers; they hold nothing that could be lost."""
        import ray

        self._actors.clear()
        ray.shutdown()


def _require_reachable(where: str) -> None:
    """Raise OSError where nobody listens: Ray itself tries for minutes."""
    host, _, port = where.rpartition(":")
    if host and port.isdigit() and "/" not in host:
        socket.create_connection((host.strip("[]"), int(port)), timeout=SECONDS_TO_CONNECT).close()
