"""Where workspaces are: an index each, with the queue and the uploaded files beside it, that cannot see one another."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from polyhop.errors import UsageError, WorkspaceMissing
from polyhop.settings import Settings
from polyhop.store.faults import translated
from polyhop.store.place import place_of

DEFAULT = "default"  # the workspace of whoever names none
INDEX = "polyhop.index"  # a workspace's index, in its folder
MAKING = 'POST /v1/workspaces {"name": "default"}'
BESIDE = "server"  # in the folder of an index that is served alone: what its server keeps

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")  # in lower case: some file systems do not tell case apart
_DEVICES = re.compile(r"con|prn|aux|nul|com\d|lpt\d")  # Windows opens these wherever they are named


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspacePlace:
    """Where one workspace has its index, and where its server keeps what belongs to it."""

    name: str
    index: Path
    folder: Path

    @property
    def queue(self) -> Path:
        """The file of its jobs."""
        return self.folder / "jobs.sqlite"

    @property
    def files(self) -> Path:
        """The folder of its uploaded files, as they came."""
        return self.folder / "files"


class Places:
    """The workspaces of a server: the folders within one folder, or a single index."""

    def __init__(self, index: Path | None = None, *, workspaces: Path | None = None) -> None:
        if (index is None) == (workspaces is None):
            raise ValueError("either an index or a folder of workspaces")
        self._index = None if index is None else index.expanduser().absolute()
        self._root = None if workspaces is None else workspaces.expanduser().absolute()

    @property
    def is_single(self) -> bool:
        """Whether a single index is served, and no folder of workspaces."""
        return self._root is None

    @property
    def keys(self) -> Path:
        """The file of the server's keys."""
        return (self._root or self._of_index().folder) / "keys.sqlite"

    def names(self) -> list[str]:
        """What the workspaces are called, sorted."""
        if self._root is None:
            return [DEFAULT]
        if not self._root.is_dir():
            return []
        return sorted(each.name for each in self._root.iterdir() if _is_name(each.name) and each.is_dir())

    def place(self, name: str | None = None) -> WorkspacePlace:
        """The workspace of that name; without one the only one, or the one called default.

        Raises WorkspaceMissing, also for a name that no workspace can have: a name never leads out of the folder.
        """
        names = self.names()
        if not names:
            raise WorkspaceMissing("There is no workspace yet.", remedy=f"Make one with: {MAKING}")
        chosen = name or (names[0] if len(names) == 1 else DEFAULT)
        if chosen not in names:
            raise WorkspaceMissing("There is no such workspace.", remedy="GET /v1/workspaces lists those there are.")
        return self._at(chosen)

    def make(self, name: str, settings: Settings | None = None) -> WorkspacePlace:
        """The workspace of that name, made where there is none.

        ``settings``: those of the server, which may name a database. Raises UsageError for a name that cannot be one.
        """
        if not _is_name(name):
            raise UsageError(
                f"{name[:100]!r} cannot be the name of a workspace.",
                remedy="Use up to 63 of a-z, 0-9, - and _, beginning with a letter or digit.",
            )
        if self._root is None and name != DEFAULT:
            raise UsageError(
                f"This server has a single index, so there is no workspace but {DEFAULT!r}.",
                remedy="Serve a folder of workspaces.",
            )
        place = self._at(name)
        if settings is not None and settings.index.store is not None:
            place_of(place.index, self.within(settings, place).index.store)
        with translated(place.queue):
            place.files.mkdir(parents=True, exist_ok=True)
        return place

    def within(self, settings: Settings, place: WorkspacePlace) -> Settings:
        """The settings of a workspace: where records are in a database, each has a name of its own there."""
        store = settings.index.store
        if store is None or self._root is None:
            return settings
        own = f"{store}{'-' if '#' in store else '#'}{place.name}"
        return replace(settings, index=replace(settings.index, store=own))

    def _at(self, name: str) -> WorkspacePlace:
        if self._root is None:
            return self._of_index()
        return WorkspacePlace(name=name, index=self._root / name / INDEX, folder=self._root / name)

    def _of_index(self) -> WorkspacePlace:
        assert self._index is not None  # noqa: S101  # one of the two was given
        return WorkspacePlace(name=DEFAULT, index=self._index, folder=self._index / BESIDE)


def _is_name(name: str) -> bool:
    return _NAME.fullmatch(name) is not None and _DEVICES.fullmatch(name) is None
