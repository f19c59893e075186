"""Generations in an object store: whoever indexes pushes them, and readers on other machines pull what they lack.

A file is an object named after its digest, so that what two generations share is stored once, and no object ever
changes. A *list* says of which files a generation is made, and the record says which list is the current one, once all
of it is there. So a push or a pull that is killed leaves a few objects or files too many, and never half a generation.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from polyhop.errors import IndexCorrupt
from polyhop.indexes import digests, segments
from polyhop.store.object_store import Listed, ObjectMissing, ObjectStore
from polyhop.store.port import Generation
from polyhop.store.record import Record

logger = logging.getLogger(__name__)

LIST: Final = "list"  # in the description of a generation that was pushed: the name of its list
FORMAT: Final = 2  # since small arrays are one file; before, it was 1
AT_ONCE: Final = 8  # objects under way: most are small, and each takes a round trip
SAFE: Final = re.compile(
    r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*){1,4}"
)  # of a path in a list: nothing above, or hidden

Files = dict[str, tuple[int, str]]  # by path below the layer's folder: size and digest


@dataclass(frozen=True, kw_only=True)
class SharedGenerations:
    """The generations of one index in an object store."""

    objects: ObjectStore
    record: Record
    folder: Path  # of all layers
    grace: timedelta  # that readers have to pull a generation after another took its place

    def push(self, layer: str) -> bool:
        """Store what a layer serves here, unless all of it is there; False for a layer that is not made of segments.

        Raises StoreUnreachable, StorageFull, and IndexCorrupt where a file here is damaged.
        """
        current = self.record.generation(layer)
        if current is None or "segments" not in current.description:
            return False
        there = {each.key: each for each in self.objects.listed(self._of(layer))}
        files = self._files(layer, current)
        lacking = {digest: path for path, (_, digest) in files.items() if self._file(layer, digest) not in there}
        content = json.dumps({"format": FORMAT, "layer": layer, "files": files}, sort_keys=True).encode()
        name = hashlib.sha256(content).hexdigest()
        described = {**current.description, LIST: name}
        pushed = self.record.pushed(layer)
        if pushed == Generation(current.name, described) and not lacking and self._list(layer, name) in there:
            return True
        _side_by_side(lambda path: self._put(layer, path, *files[path]), lacking.values())
        self.objects.put(self._list(layer, name), content)
        with self.record.transaction():  # whoever writes now has the lock
            left = self._left(layer, pushed, name)
            self.record.set_pushed(layer, current.name, described)
            self.record.set_meta(f"left:{layer}", json.dumps({key: at.isoformat() for key, at in left.items()}))
        logger.info("%s: generation %s is in the object store, %d files new", layer, current.name, len(lacking))
        self._sweep(layer, there.values(), {name, *left})
        return True

    def pull(self, layer: str) -> bool:
        """Take over the generation that was pushed last; False where none was.

        Nothing is fetched that is here already, nor what was fetched by somebody who was killed. Raises
        StoreUnreachable, StorageFull, and IndexCorrupt where what came is not what was pushed.
        """
        pushed = self.record.pushed(layer)
        if pushed is None:
            return False
        files = self._listed(layer, pushed.description[LIST])
        home = self.folder / layer
        names = sorted({path.partition("/")[0] for path in files})
        with segments.storing(home):
            for name in names:
                self._fetch(layer, name, {path: told for path, told in files.items() if path.startswith(f"{name}/")})
        described = {key: value for key, value in pushed.description.items() if key != LIST}
        self.record.set_generation(layer, pushed.name, described)
        segments.sweep(home, names)
        logger.info("%s: took over generation %s from the object store", layer, pushed.name)
        return True

    def _files(self, layer: str, current: Generation) -> Files:
        """All files of a generation, by what was noted when they were written. Raises IndexCorrupt."""
        home, found = self.folder / layer, dict[str, tuple[int, str]]()
        beside = current.description.get("covered", {}).get("folder", "")
        for name in filter(None, [*current.description["segments"], beside, current.name]):
            for folder in segments.array_folders(home / name):
                place = folder.relative_to(home).as_posix()
                found |= {f"{place}/{file}": told for file, told in digests.written(folder).items()}
        return found

    def _put(self, layer: str, path: str, size: int, digest: str) -> None:
        file = self.folder / layer / path
        if not digests.is_whole(file, size, digest):  # nobody shall pull what is damaged here
            raise IndexCorrupt(f"{file} is damaged: it is not as it was written.", remedy=segments.REBUILD)
        self.objects.put(self._file(layer, digest), file)

    def _fetch(self, layer: str, name: str, files: Files) -> None:
        """Fetch a folder that is not here, or not whole; it takes its place when all of it is there."""
        home = self.folder / layer
        if _is_here(home, files):
            return
        partial = home / f".pulling-{name}"

        def fetch(path: str) -> None:
            size, digest = files[path]
            place = partial / Path(path).relative_to(name)
            if digests.is_whole(place, size, digest):
                return
            place.parent.mkdir(parents=True, exist_ok=True)
            draft = place.with_name(f".{place.name}")
            found, what = self.objects.fetch(self._file(layer, digest), draft)
            if (found, what[: len(digest)]) != (size, digest):
                draft.unlink()
                raise self._wrong(self._file(layer, digest), "what came is not what was stored")
            draft.replace(place)

        _side_by_side(fetch, files)
        for folder in segments.array_folders(partial):
            digests.found_whole(folder)
        segments.put_in_place(partial, home / name)

    def _listed(self, layer: str, name: str) -> Files:
        """The files of a list. Raises IndexCorrupt, StoreUnreachable."""
        key = self._list(layer, name)
        content = self.objects.read(key)
        if hashlib.sha256(content).hexdigest() != name:
            raise self._wrong(key, "what came is not what was stored")
        told = json.loads(content)
        if told["format"] not in (1, FORMAT) or not all(SAFE.fullmatch(path) for path in told["files"]):
            raise self._wrong(key, "another version of Polyhop wrote it")
        return {path: (int(size), str(digest)) for path, (size, digest) in told["files"].items()}

    def _wrong(self, key: str, why: str) -> IndexCorrupt:
        return IndexCorrupt(
            f"{key} in {self.objects.address} is damaged: {why}.",
            remedy="Delete it there; the next polyhop index on the machine that stored it does so again.",
        )

    def _left(self, layer: str, before: Generation | None, current: str) -> Mapping[str, datetime]:
        """The lists that readers may still be pulling, with when others took their place."""
        now = datetime.now(UTC)
        told: dict[str, Any] = json.loads(self.record.meta(f"left:{layer}") or "{}")
        left = {name: datetime.fromisoformat(at) for name, at in told.items()}
        if before is not None:
            left[before.description[LIST]] = now
        return {name: at for name, at in left.items() if name != current and now - at < self.grace}

    def _sweep(self, layer: str, there: Iterable[Listed], lists: Iterable[str]) -> None:
        """Delete what no reader can still ask for: what is on none of these lists, and older than the grace time."""
        keep = {self._list(layer, name) for name in lists}
        try:
            for name in lists:
                keep |= {self._file(layer, digest) for _, digest in self._listed(layer, name).values()}
        except (IndexCorrupt, ObjectMissing) as error:  # then nobody knows what it has, and a reader says so, too
            logger.warning("%s: nothing is deleted from the object store: %s", layer, error)
            return
        now = datetime.now(UTC)
        with self.record.transaction():  # which holds only while nobody else may push
            self.objects.delete(
                each.key for each in there if each.key not in keep and now - each.modified >= self.grace
            )

    def _of(self, layer: str) -> str:
        return f"{self.record.identity}/{layer}"

    def _file(self, layer: str, digest: str) -> str:
        return f"{self._of(layer)}/files/{digest}"

    def _list(self, layer: str, name: str) -> str:
        return f"{self._of(layer)}/lists/{name}"


def _is_here(home: Path, files: Files) -> bool:
    """Whether files are those that were written here; read in full are only those that somebody wrote to since."""
    folders = {path.rpartition("/")[0] for path in files}
    try:
        here = {f"{folder}/{name}": told for folder in folders for name, told in digests.written(home / folder).items()}
        return here == files and not any(fault for folder in folders for fault in digests.new_faults(home / folder))
    except (IndexCorrupt, OSError):
        return False


def _side_by_side(do: Callable[[str], None], items: Iterable[str]) -> None:
    """Do something for several items at a time; the first error ends it."""
    with ThreadPoolExecutor(AT_ONCE) as threads:
        futures = [threads.submit(do, item) for item in items]
        try:
            for future in futures:
                future.result()
        except BaseException:
            for future in futures:
                future.cancel()
            raise
