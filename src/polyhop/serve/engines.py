"""The engines of a server: one a workspace, opened when it is first asked for, and kept."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass
from pathlib import Path

from polyhop.engine import Polyhop
from polyhop.errors import WorkspaceMissing, nearest
from polyhop.settings import Settings

DEFAULT = "default"  # the workspace of whoever names none
INDEX = "polyhop.index"  # a workspace's index, in its folder
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")  # of a workspace: it is the name of a folder


@dataclass(frozen=True)
class Workspace:
    """An index with a name, as one request uses it."""

    name: str
    engine: Polyhop
    folder: Path | None = None  # where else the workspace keeps things; None: of a single index


class Engines:
    """The workspaces of a server. Threads may share it; engines may be asked from several threads at once.

    Each is a folder with an index in it. A server of a single index has one workspace, named ``default``.
    """

    def __init__(self, index: Path | None = None, *, workspaces: Path | None = None, settings: Settings) -> None:
        if (index is None) == (workspaces is None):
            raise ValueError("either an index or a folder of workspaces")
        self.index = index
        self.workspaces = workspaces
        self.settings = settings
        self._open: dict[str, Polyhop] = {}
        self._lock = threading.Lock()

    def names(self) -> tuple[str, ...]:
        """The workspaces there are, sorted."""
        if self.workspaces is None:
            return (DEFAULT,)
        if not self.workspaces.is_dir():
            return ()
        return tuple(sorted(one.name for one in self.workspaces.iterdir() if one.is_dir() and NAME.fullmatch(one.name)))

    def workspace(self, name: str | None = None) -> Workspace:
        """The workspace of a name; without one the only workspace, or that named ``default``.

        Raises WorkspaceMissing. Nothing is opened yet.
        """
        known = self.names()
        chosen = name or (known[0] if len(known) == 1 else DEFAULT)
        if chosen not in known:
            raise WorkspaceMissing(f"There is no workspace {chosen!r}.", remedy=nearest(chosen, known))
        folder = None if self.workspaces is None else self.workspaces / chosen
        with self._lock:
            if chosen not in self._open:
                index = self.index if folder is None else folder / INDEX
                assert index is not None  # noqa: S101  # one of the two was given
                self._open[chosen] = Polyhop(index, settings=self.settings)
            return Workspace(name=chosen, engine=self._open[chosen], folder=folder)

    def let_go(self, name: str) -> None:
        """Close the engine of a workspace, so that its folder can be removed; a later request opens it again."""
        with self._lock:
            engine = self._open.pop(name, None)
        if engine is not None:
            engine.close()

    def close(self) -> None:
        """Close all engines."""
        for name in list(self._open):
            self.let_go(name)
