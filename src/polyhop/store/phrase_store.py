"""Vectors of phrases (relations, names, facts as a line), each made once for an index, whatever becomes of the graph.

A phrase is known by 128 bits of its blake2b hash and its text is not kept: at 10^9 phrases the odds that any two share
a hash are below 10^-20, nobody can craft two that do (with 64 bits anybody could, so that texts would have to be kept
and compared), and of a document that was removed no text stays behind.

The store is a folder of immutable segments with unique names, each whole or absent, so that any number of processes
may write: at worst they embed, and for a while store, the same phrase twice.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
import shutil
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from polyhop.errors import IndexCorrupt, StorageFull
from polyhop.indexes import segments
from polyhop.ports import Embedder, Floats, Ints

logger = logging.getLogger(__name__)

FORMAT_VERSION = 1  # raise it when the same embedder would give other vectors
FOLDER = "phrases"  # in that of the index
BLOCK = 2000  # phrases embedded and written at once: what a kill can cost
MOST_SEGMENTS = 16
LOOKS = 5  # at a folder that other processes change meanwhile
ABANDONED = 86_400.0  # seconds after which what a killed writer left half done is removed

Digests = NDArray[Any]  # dtype S16: the bytes of hashes


@dataclass(frozen=True, eq=False)
class _Segment:
    """Some phrases, in the order of their hashes, with their vectors."""

    folder: Path | None  # None: in memory only
    digests: Digests
    vectors: NDArray[np.float16]

    @classmethod
    def read(cls, folder: Path, dimensions: int) -> Self:
        """A segment of a folder, memory-mapped. Raises IndexCorrupt."""
        arrays = segments.read_arrays(folder, ("digests", "vectors"))
        segment = cls(folder, arrays["digests"], arrays["vectors"])
        kinds = (segment.digests.dtype, segment.vectors.dtype)
        shapes = (segment.digests.shape, segment.vectors.shape)
        fit = ((np.dtype("S16"), np.dtype(np.float16)), ((len(segment),), (len(segment), dimensions)))
        segments.check_fit(folder, (kinds, shapes) == fit)
        return segment

    def __len__(self) -> int:
        return len(self.digests)

    def find(self, digests: Digests) -> Ints:
        """The row of each phrase, -1 for one that is not here."""
        if not len(self):
            return np.full(len(digests), -1, np.int64)
        rows = np.minimum(np.searchsorted(self.digests, digests), len(self) - 1)
        return np.where(self.digests[rows] == digests, rows, -1)


class PhraseStore:
    """The vectors of all phrases that an embedder has seen for an index; threads and processes may share it."""

    def __init__(self, folder: Path | None, embedder: Embedder) -> None:
        self.embedder = embedder
        self._folder = folder  # of the segments
        self._durable = folder is not None
        self._segments: list[_Segment] = []
        self._lock = threading.Lock()

    @classmethod
    def open(cls, folder: Path | None, embedder: Embedder) -> Self:
        """The store of the index in a folder, which need not be writable; None: one in memory."""
        if folder is None:
            return cls(None, embedder)
        mark = hashlib.sha256(repr((FORMAT_VERSION, embedder.name, embedder.dimensions)).encode()).hexdigest()[:16]
        store = cls(folder / FOLDER / mark, embedder)
        store._refresh()
        return store

    def __len__(self) -> int:
        """How many vectors are stored; more than there are phrases where several processes made the same."""
        return sum(map(len, self._segments))

    def vectors(self, phrases: Sequence[str]) -> Floats:
        """Unit vectors as half floats give them back, float32 of shape (len(phrases), dimensions).

        Only those of new phrases are made. A vector is the same whether it was just made or read.
        """
        digests = _digests(phrases)
        result = np.empty((len(phrases), self.embedder.dimensions), np.float32)
        with self._lock:
            lacking = self._fill(result, digests, np.arange(len(phrases)))
            if len(lacking):
                self._refresh()  # another process may have made them
                lacking = self._fill(result, digests, lacking)
            if len(lacking):
                new = lacking[np.sort(np.unique(digests[lacking], return_index=True)[1])]
                self._embed([phrases[place] for place in new.tolist()], digests[new])
                self._fill(result, digests, lacking)
        return result

    def _fill(self, result: Floats, digests: Digests, places: Ints) -> Ints:
        """Write the vectors that are known to these rows of the result; the places of the others."""
        for segment in self._segments:
            rows = segment.find(digests[places])
            found = rows >= 0
            result[places[found]] = segment.vectors[rows[found]]
            places = places[~found]
        return places

    def _embed(self, phrases: Sequence[str], digests: Digests) -> None:
        """Make and keep the vectors of phrases, block by block."""
        for start in range(0, len(phrases), BLOCK):
            block = slice(start, start + BLOCK)
            vectors = self.embedder.embed_passages(phrases[block]).astype(np.float16)
            order = np.argsort(digests[block])
            self._segments.append(self._kept(digests[block][order], vectors[order]))
            logger.info("embedded %d of %d phrases", min(start + BLOCK, len(phrases)), len(phrases))
            if len(self._segments) > MOST_SEGMENTS:
                self._merge()

    def _kept(self, digests: Digests, vectors: NDArray[np.float16]) -> _Segment:
        """A new segment, on disk where that is possible."""
        if self._folder is not None and self._durable:
            folder = self._folder / secrets.token_hex(8)
            try:
                segments.write_arrays(folder, {"digests": digests, "vectors": vectors})
                return _Segment.read(folder, self.embedder.dimensions)
            except (StorageFull, IndexCorrupt) as error:  # a read-only index still answers, only slower
                logger.warning("Vectors of phrases cannot be stored (%s); they are kept in memory.", error)
                self._durable = False
        return _Segment(None, digests, vectors)

    def _merge(self) -> None:
        """Make one of the smallest segments, as long as the next is no larger than what is merged already.

        So a vector is copied a number of times that grows with the logarithm of how many there are.
        """
        durable = self._durable
        small = self._smallest([each for each in self._segments if (each.folder is not None) == durable])
        if len(small) < 2:
            return
        digests, first = np.unique(np.concatenate([each.digests for each in small]), return_index=True)
        merged = self._kept(digests, np.concatenate([each.vectors for each in small])[first])
        if durable and not self._durable:
            return  # what is on disk stays as it is
        folders = [each.folder for each in small]
        self._segments = [*(each for each in self._segments if each not in small), merged]
        small.clear()  # Windows removes nothing that is mapped
        for folder in folders:
            _discard(folder)
        self._sweep()

    def _smallest(self, among: Sequence[_Segment]) -> list[_Segment]:
        ordered = sorted(among, key=len)
        total = count = 0
        while count < len(ordered) and (count < 2 or len(ordered[count]) <= total):
            total += len(ordered[count])
            count += 1
        return ordered[:count]

    def _refresh(self) -> None:
        """Look again which segments there are; one that is damaged is removed, and its phrases are made again."""
        if self._folder is None:
            return
        known = {each.folder: each for each in self._segments if each.folder is not None}
        for _ in range(LOOKS):
            faults: dict[Path, IndexCorrupt] = {}
            there = self._listed()
            for folder in there - known.keys():
                try:
                    known[folder] = _Segment.read(folder, self.embedder.dimensions)
                except IndexCorrupt as error:
                    faults[folder] = error
            if self._listed() == there:
                break  # otherwise another process has merged some while they were read
        for folder in there & faults.keys():
            logger.warning("%s Its phrases are embedded again.", faults[folder])
            if _is_damage(faults[folder]):
                _discard(folder)
        in_memory = [each for each in self._segments if each.folder is None]
        self._segments = [*(known[folder] for folder in sorted(there & known.keys())), *in_memory]

    def _listed(self) -> set[Path]:
        if self._folder is None:
            return set()
        try:
            return {entry for entry in self._folder.iterdir() if not entry.name.startswith(".")}
        except OSError:  # nothing is stored yet, or nothing can be read
            return set()

    def _sweep(self) -> None:
        """Remove what killed writers left half done; what is young may be being written."""
        if self._folder is None:
            return
        for entry in self._folder.glob(".*"):
            try:
                if entry.stat().st_mtime < time.time() - ABANDONED:
                    shutil.rmtree(entry, ignore_errors=True)
            except OSError:  # another process was faster
                continue


def _digests(phrases: Sequence[str]) -> Digests:
    hashes = (hashlib.blake2b(phrase.encode("utf-8", "surrogatepass"), digest_size=16).digest() for phrase in phrases)
    return np.frombuffer(b"".join(hashes), "S16")


def _is_damage(error: IndexCorrupt) -> bool:
    """Whether the files are at fault, not the moment (too many open files, no permission)."""
    return not isinstance(error.__cause__, OSError) or isinstance(error.__cause__, FileNotFoundError)


def _discard(folder: Path | None) -> None:
    """Remove a segment, at once or, where it is being read and the system forbids it, not at all."""
    if folder is None:
        return
    try:
        shutil.rmtree(folder.rename(folder.with_name(f".{folder.name}-{secrets.token_hex(6)}")), ignore_errors=True)
    except OSError:
        logger.debug("%s cannot be removed now", folder)
