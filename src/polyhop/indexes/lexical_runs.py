"""A segment of postings made in bounded memory: of as many texts at a time as the memory asks for, and then merged.

A run is a segment as ``lexical.build`` makes it, of passages that follow one another. All of them merged are, byte for
byte, the segment of all texts. What stays in memory grows with the vocabulary, by a few numbers a term.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhop.indexes.csr import offsets
from polyhop.indexes.folding import Stem
from polyhop.indexes.lexical import ARRAYS, build
from polyhop.indexes.run_merging import (
    AT_ONCE,
    ListsOfRun,
    NamesOfRuns,
    starts_of,
    write_in_pieces,
    write_lists,
)
from polyhop.indexes.segments import write_arrays
from polyhop.indexes.streamed import ArrayReader, FolderWriter, TextsWriter, texts_of
from polyhop.indexes.strings import hashed
from polyhop.ports import Ints

TERMS = 1 << 16  # of all runs together that are read at once
WRITTEN = 1 << 13  # terms that are written together
_A_CHARACTER, _A_TEXT = 14, 400  # bytes that they take while a run is built, about: measured, and rounded up
_Run = dict[str, ArrayReader]  # a segment, and how many letters each term has and how many passages hold it


def write(writer: FolderWriter, texts: Iterable[tuple[int, str]], *, memory: int, stem: Stem = "none") -> None:
    """Write a segment of texts with their passages' numbers, ascending. ``memory``: bytes that it may take, about.

    Raises OSError, StorageFull.
    """
    beside = writer.folder / ".runs"
    runs: list[_Run] = []
    for numbers, said in _batches(texts, memory):
        place = beside / str(len(runs))
        made = build(numbers, said, stem=stem)
        each = {name: np.diff(made[starts]) for name, starts in (("letters", "bounds"), ("holding", "starts"))}
        write_arrays(place, made | each)
        runs.append({name: ArrayReader.open(place / f"{name}.npy") for name in (*ARRAYS, *each)})
    if runs:
        _merge(runs, writer)
    else:
        writer.put(build(np.empty(0, np.int64), [], stem=stem))
    shutil.rmtree(beside, ignore_errors=True)


def _batches(texts: Iterable[tuple[int, str]], memory: int) -> Iterator[tuple[Ints, list[str]]]:
    """As many texts at a time as the memory is enough for, and at least one."""
    numbers: list[int] = []
    said: list[str] = []
    held = 0
    for number, text in texts:
        numbers.append(number)
        said.append(text)
        held += _A_TEXT + _A_CHARACTER * len(text)
        if held >= memory:
            yield np.array(numbers, np.int64), said
            numbers, said, held = [], [], 0
    if said:
        yield np.array(numbers, np.int64), said


def _merge(runs: list[_Run], writer: FolderWriter) -> None:
    for name in ("numbers", "lengths"):
        written = writer.array(name)
        for run in runs:
            for piece in run[name].pieces(AT_ONCE):
                written.add(piece)
    at_once = max(1, TERMS // len(runs))
    terms = NamesOfRuns([texts_of(run["blob"], run["letters"], at_once) for run in runs])
    hashes = _write_terms(terms, writer.texts())
    order = np.argsort(hashes, kind="stable")
    write_in_pieces(writer.array("order"), order)
    write_in_pieces(writer.array("hashes", np.uint64), hashes, order)
    before = offsets([len(run["numbers"]) for run in runs]).tolist()
    parts = list(zip(runs, terms.places(), before[:-1], strict=True))
    documents = [ListsOfRun(places, run["holding"], run["documents"], base) for run, places, base in parts]
    starts = starts_of(documents, terms.count)
    write_in_pieces(writer.array("starts"), starts)
    write_lists(documents, starts, writer.array("documents", np.int32))
    frequencies = [ListsOfRun(places, run["holding"], run["frequencies"], 0) for run, places, _ in parts]
    write_lists(frequencies, starts, writer.array("frequencies", np.int32))
    stem: NDArray[Any] = runs[0]["stem"].read()
    writer.array("stem", stem.dtype).add(stem)


def _write_terms(terms: Iterable[bytes], texts: TextsWriter) -> NDArray[np.uint64]:
    """Write the vocabulary; the hashes of its terms."""
    hashes: list[NDArray[np.uint64]] = [np.empty(0, np.uint64)]
    waiting: list[bytes] = []
    for term in terms:
        waiting.append(term)
        if len(waiting) == WRITTEN:
            hashes.append(_written(waiting, texts))
    hashes.append(_written(waiting, texts))
    return np.concatenate(hashes)


def _written(waiting: list[bytes], texts: TextsWriter) -> NDArray[np.uint64]:
    texts.add(waiting)
    found = hashed(term.decode("utf-8", "surrogatepass") for term in waiting)
    waiting.clear()
    return found
