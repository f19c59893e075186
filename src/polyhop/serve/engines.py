"""The engines of a server: one a workspace, opened when it is first asked for, and kept."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path

from polyhop.engine import Polyhop
from polyhop.serve.keys import LOCAL, Key
from polyhop.serve.places import Places, WorkspacePlace
from polyhop.serve.server_file import identity_of
from polyhop.settings import Settings


@dataclass(frozen=True)
class Workspace:
    """An index with a name, as one request uses it."""

    name: str
    engine: Polyhop
    place: WorkspacePlace
    key: Key = LOCAL  # of whoever asks


class _Opened:
    """An engine, and which folder its index was in when that was first seen."""

    def __init__(self, engine: Polyhop, index: Path) -> None:
        self.engine = engine
        self._index = index
        self._folder = _identity(index)

    def is_replaced(self) -> bool:
        """Whether another folder lies where its index was: an engine does not go over to one by itself."""
        now = _identity(self._index)
        before, self._folder = self._folder, self._folder or now
        return None not in (before, now) and before != now


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        return identity_of(folder)
    except FileNotFoundError:
        return None


class Engines:
    """The workspaces of a server. Threads may share it; engines may be asked from several threads at once.

    Each is a folder with an index in it. A server of a single index has one workspace, named ``default``.
    """

    def __init__(self, index: Path | None = None, *, workspaces: Path | None = None, settings: Settings) -> None:
        self.places = Places(index, workspaces=workspaces)
        self.settings = settings
        self._open: dict[str, _Opened] = {}
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
            opened = self._open.get(place.name)
            if opened is None or opened.is_replaced():  # then those who still ask the one before let go of it
                settings = self.places.within(self.settings, place)
                opened = _Opened(Polyhop(place.index, settings=settings, beside=True), place.index)
                self._open[place.name] = opened
            return Workspace(name=place.name, engine=opened.engine, place=place, key=key)

    def let_go(self, name: str) -> None:
        """Close the engine of a workspace, so that its folder can be removed; a later request opens it again."""
        with self._lock:
            opened = self._open.pop(name, None)
        if opened is not None:
            opened.engine.close()

    def close(self) -> None:
        """Close all engines."""
        for name in list(self._open):
            self.let_go(name)
