"""The engines of a server: one a workspace, opened when it is first asked for, and kept."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path

from polyhop.engine import Polyhop
from polyhop.serve.keys import LOCAL, Key
from polyhop.serve.places import Places, WorkspacePlace
from polyhop.settings import Settings


@dataclass(frozen=True)
class Workspace:
    """An index with a name, as one request uses it."""

    name: str
    engine: Polyhop
    place: WorkspacePlace
    key: Key = LOCAL  # of whoever asks


class Engines:
    """The workspaces of a server. Threads may share it; engines may be asked from several threads at once.

    Each is a folder with an index in it. A server of a single index has one workspace, named ``default``.
    """

    def __init__(self, index: Path | None = None, *, workspaces: Path | None = None, settings: Settings) -> None:
        self.places = Places(index, workspaces=workspaces)
        self.settings = settings
        self._open: dict[str, Polyhop] = {}
        self._lock = threading.Lock()

    def names(self) -> tuple[str, ...]:
        """The workspaces there are, sorted."""
        return tuple(self.places.names())

    def workspace(self, name: str | None = None, key: Key = LOCAL) -> Workspace:
        """The workspace of a name; without one the only workspace, or that named ``default``.

        Raises WorkspaceMissing. Nothing is opened yet.
        """
        place = self.places.place(name)
        with self._lock:
            if place.name not in self._open:
                settings = self.places.within(self.settings, place)
                self._open[place.name] = Polyhop(place.index, settings=settings, beside=True)
            return Workspace(name=place.name, engine=self._open[place.name], place=place, key=key)

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
