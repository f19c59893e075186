"""The files of a workspace as they came: those that a job is to index, and those whose documents are in the index."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from polyhop.documents.reading import files_of
from polyhop.serve.jobs.job import Job, LeftOut
from polyhop.serve.server_file import ServerFile
from polyhop.serve.uploads import Received

ABANDONED = 3600.0  # seconds after which a file that nobody knows counts as left behind by a killed server
NO_ROOM = "was given up for the room that later uploads took: upload it again"
NEWER = "was uploaded again since, and indexed"


class KeptFiles:
    """Knows where each uploaded file lies. The file on the disk is there before it is noted, and gone after."""

    def __init__(self, file: ServerFile, folder: Path) -> None:
        self._file = file
        self._folder = folder

    def expect(self, job: Job, received: Iterable[Received]) -> None:
        """Note the files that a job is to index."""
        with self._file.transaction():
            for each in received:
                self._file.change(
                    "INSERT INTO uploads VALUES (?, ?, ?, ?, ?)",
                    *(job.number, each.name, each.stored, each.bytes, each.sha256),
                )

    def expected(self, job: Job) -> list[Received]:
        """The files that a job is to index, by name."""
        query = "SELECT name, stored, bytes, sha256 FROM uploads WHERE job = ? ORDER BY name"
        return [_received(row) for row in self._file.rows(query, job.number)]

    def keep(self, job: Job, names: Collection[str]) -> None:
        """Keep the files of a job whose documents are in the index now, and let go of its others.

        Earlier files of those names go, also those that an earlier job is still to index, or would be if it were tried
        again: what is older must not take the place of what is newer.
        """
        files = self.expected(job)
        gone = [each.stored for each in files if each.name not in names]
        with self._file.transaction():
            for each in files:
                if each.name in names:
                    gone += self._stored(each.name)
                    query = "SELECT job, name, stored FROM uploads WHERE name = ? AND job < ?"
                    gone += self._give_up(self._file.rows(query, each.name, job.number), NEWER)
                    self._file.change(
                        "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?)",
                        *(each.name, each.stored, each.bytes, each.sha256, time.time()),
                    )
            self._file.change("DELETE FROM uploads WHERE job = ?", job.number)
        self.erase(gone)

    def remove(self, names: Iterable[str]) -> None:
        """Let go of files whose documents are gone."""
        gone: list[str] = []
        with self._file.transaction():
            for name in names:
                gone += self._stored(name)
                self._file.change("DELETE FROM files WHERE name = ?", name)
        self.erase(gone)

    def names(self) -> set[str]:
        """The names of the files whose documents are in the index."""
        return {row[0] for row in self._file.rows("SELECT name FROM files")}

    def path_of(self, uri: str) -> Path | None:
        """Where the file lies that a document came from, or is a row of; None where it was not uploaded."""
        name = owner(uri, lambda candidate: bool(self._stored(candidate)))
        return None if name is None else self._folder / self._stored(name)[0]

    def path(self, file: Received) -> Path:
        """Where a file lies."""
        return self._folder / file.stored

    def bytes(self) -> int:
        """How many bytes the files have that are needed: those of jobs that have ended go where room is wanted."""
        query = (
            "SELECT coalesce(sum(bytes), 0) FROM (SELECT bytes FROM files UNION ALL"
            " SELECT bytes FROM uploads JOIN jobs ON number = job WHERE state IN ('queued', 'running'))"
        )
        row = self._file.row(query)
        return 0 if row is None else int(row[0])

    def make_room(self, most: int) -> list[str]:
        """Give up files of jobs that have ended, the oldest first, until all files have ``most`` bytes at most.

        Where they lie: they are to be erased once that is stored.
        """
        query = (
            "SELECT job, name, stored, bytes FROM uploads JOIN jobs ON number = job"
            " WHERE state NOT IN ('queued', 'running') ORDER BY job, name"
        )
        spare = self._file.rows(query)
        over = self.bytes() + sum(row[3] for row in spare) - most
        given_up = []
        for *upload, size in spare:
            if over <= 0:
                break
            given_up.append(upload)
            over -= size
        return self._give_up(given_up, NO_ROOM)

    def erase(self, stored: Iterable[str]) -> None:
        """Remove files from the disk that are not noted any more, by where they lie."""
        for each in stored:
            with suppress(OSError):  # in use on a system that keeps it then; it is swept later
                (self._folder / each).unlink(missing_ok=True)

    def sweep(self) -> None:
        """Remove files that nobody knows: a killed server has left them behind."""
        known = {row[0] for row in self._file.rows("SELECT stored FROM files UNION SELECT stored FROM uploads")}
        before = time.time() - ABANDONED
        with suppress(FileNotFoundError):
            for path in self._folder.iterdir():
                with suppress(OSError):
                    if path.name not in known and path.lstat().st_mtime < before:
                        path.unlink()

    def _give_up(self, uploads: Iterable[Sequence[Any]], reason: str) -> list[str]:
        """Note that files (job, name, where they lie) are not to be indexed any more, and why; where they lie."""
        gone = []
        for number, name, stored in uploads:
            left_out = json.dumps(asdict(LeftOut(file=name, reason=reason)))
            self._file.change("DELETE FROM uploads WHERE job = ? AND name = ?", number, name)
            self._file.change(
                "UPDATE jobs SET skipped = json_insert(skipped, '$[#]', json(?)) WHERE number = ?", left_out, number
            )
            gone.append(stored)
        return gone

    def _stored(self, name: str) -> list[str]:
        return [row[0] for row in self._file.rows("SELECT stored FROM files WHERE name = ?", name)]


def owner(uri: str, is_file: Callable[[str], bool]) -> str | None:
    """The file that a document is, or is a row of: the longest name that it may be and that is one."""
    return next((name for name in sorted(files_of(uri), key=len, reverse=True) if is_file(name)), None)


def _received(row: Sequence[Any]) -> Received:
    name, stored, size, sha256 = row
    return Received(name=name, stored=stored, bytes=size, sha256=sha256)
