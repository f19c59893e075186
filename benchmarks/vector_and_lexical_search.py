"""How long exact vector search and BM25 take, beside the naive way to answer the same.

Synthetic unit vectors and passages of zipfian words; both sides are checked to find the same passages.

    python benchmarks/vector_and_lexical_search.py [--passages N] [--json OUT]
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from measuring import Figures, beside_others, machine, save, show_load, show_table, timed, times_row

from polyhop.indexes import lexical, vectors
from polyhop.indexes.folding import tokens
from polyhop.indexes.segments import write_arrays
from polyhop.ports import Floats, Ints

DIMENSIONS = 384
WORDS = 60_000
line = partial(times_row, unit="ms")


def unit_rows(count: int, seed: int) -> Floats:
    """Random directions."""
    rows = np.random.default_rng(seed).normal(size=(count, DIMENSIONS)).astype(np.float32)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def naive_nearest(rows: list[list[float]], query: list[float], k: int) -> list[int]:
    """Score every row in Python, and sort."""
    scores = [sum(map(float.__mul__, row, query)) for row in rows]
    return sorted(range(len(rows)), key=lambda i: -scores[i])[:k]


def naive_vectors(index: vectors.Vectors, rows: Floats, queries: Floats) -> list[float]:
    """How long the loop takes for each query, having found the same as the index."""
    plain, naive = rows.tolist(), []
    for query in queries:
        expected, spent, _ = timed(lambda query=query: naive_nearest(plain, query.tolist(), 10))  # type: ignore[misc]
        naive.append(spent)
        assert index.search(query, 10)[0].tolist() == expected
    return naive


def vector_lines(count: int, folder: Path) -> Iterator[Figures]:
    """Dense retrieval."""
    rows, queries = unit_rows(count, 1), unit_rows(200, 2)
    everything = np.arange(count)
    for number, part in enumerate(np.array_split(everything, 8)):
        write_arrays(folder / f"vectors-{number}", vectors.build(part, rows[part]))
    _, written, _ = timed(lambda: write_arrays(folder / "vectors", vectors.build(everything, rows)))
    yield line(f"vectors: write {count:,} x {DIMENSIONS}", [written])
    index, opened, _ = timed(lambda: vectors.Vectors.open([folder / "vectors"], everything))
    yield line("vectors: open", [opened])
    index.search(queries[0], 10)
    naive = naive_vectors(index, rows, queries[:2])
    for k in (10, 100):
        ours = [timed(lambda query=query, k=k: index.search(query, k))[1] for query in queries]  # type: ignore[misc]
        yield line(f"vectors: search, k = {k} (naive: a loop in Python)", ours, naive if k == 10 else ())
    sorting = [
        timed(lambda query=query: np.argsort(-(rows @ query), kind="stable")[:10])[1]  # type: ignore[misc]
        for query in queries
    ]
    ours = [timed(lambda query=query: index.search(query, 10))[1] for query in queries]  # type: ignore[misc]
    yield line("vectors: search, k = 10 (naive: numpy, everything sorted)", ours, sorting)
    pieces = vectors.Vectors.open([folder / f"vectors-{number}" for number in range(8)], everything[::2])
    ours = [timed(lambda query=query: pieces.search(query, 10))[1] for query in queries]  # type: ignore[misc]
    yield line("vectors: search, k = 10, 8 segments, half of the rows dead", ours)
    random = np.random.default_rng(3)
    for size in (30, 1000):
        among = [np.sort(random.choice(count, size, replace=False)) for _ in queries]
        ours = [
            timed(lambda query=query, few=few: index.search(query, 10, few))[1]  # type: ignore[misc]
            for query, few in zip(queries, among, strict=True)
        ]
        yield line(f"vectors: search among {size:,} candidates", ours)
    by_signs = replace(index, exact=0, candidates=max(10, count // 100))
    by_signs.search(queries[0], 10)
    ours = [timed(lambda query=query: by_signs.search(query, 10))[1] for query in queries]  # type: ignore[misc]
    yield line("vectors: search by signs, 1 % are candidates", ours)


def naive_bm25(said: list[Counter[str]], lengths: list[int], question: list[str], k: int) -> list[int]:
    """The formula, one passage and one term after the other; document frequencies are counted beforehand."""
    average = sum(lengths) / len(lengths)
    held = {term: sum(1 for counts in said if term in counts) for term in set(question)}
    rarity = {term: math.log(1 + (len(said) - n + 0.5) / (n + 0.5)) for term, n in held.items()}
    scores = [0.0] * len(said)
    for i, counts in enumerate(said):
        norm = 1.2 * (0.25 + 0.75 * lengths[i] / average)
        scores[i] = sum(
            rarity[term] * 2.2 * counts[term] / (counts[term] + norm) for term in question if term in counts
        )
    return sorted(range(len(said)), key=lambda i: -scores[i])[:k]


def zipf_texts(count: int, length: int, seed: int) -> list[str]:
    """Texts of made-up words, a few of which are in nearly all of them."""
    random = np.random.default_rng(seed)
    share = 1 / np.arange(1, WORDS + 1)
    lengths = random.poisson(length, count)
    said = random.choice(WORDS, int(lengths.sum()), p=share / share.sum())
    return [" ".join(f"w{word}" for word in row) for row in np.split(said, np.cumsum(lengths)[:-1])]


def lexical_lines(count: int, folder: Path) -> Iterator[Figures]:
    """BM25 retrieval."""
    texts, questions = zipf_texts(count, 95, 4), zipf_texts(300, 30, 5)
    everything: Ints = np.arange(count)
    arrays, built, _ = timed(lambda: lexical.build(everything, texts))
    yield line(f"lexical: build from {count:,} passages of 95 words", [built])
    _, written, _ = timed(lambda: write_arrays(folder / "lexical", arrays))
    yield line("lexical: write", [written])
    index, opened, _ = timed(lambda: lexical.Lexical.open([folder / "lexical"], everything))
    yield line("lexical: open", [opened])
    said = [Counter(tokens(text)) for text in texts]
    lengths = [counts.total() for counts in said]
    naive = []
    for question in questions[:5]:
        terms = tokens(question)
        expected, spent, _ = timed(lambda terms=terms: naive_bm25(said, lengths, terms, 10))  # type: ignore[misc]
        naive.append(spent)
        assert index.search(question, 10)[0].tolist() == expected
    ours = [timed(lambda question=question: index.search(question, 10))[1] for question in questions]  # type: ignore[misc]
    yield line("lexical: search, 30 words (naive: a loop in Python)", ours, naive)
    common = " ".join(f"w{word}" for word in range(30))
    yield line(
        "lexical: search, the 30 commonest words", [timed(lambda: index.search(common, 10))[1] for _ in range(50)]
    )
    for number, part in enumerate(np.array_split(everything, 8)):
        write_arrays(folder / f"lexical-{number}", lexical.build(part, [texts[i] for i in part.tolist()]))
    pieces = lexical.Lexical.open([folder / f"lexical-{number}" for number in range(8)], everything[::2])
    ours = [timed(lambda question=question: pieces.search(question, 10))[1] for question in questions]  # type: ignore[misc]
    yield line("lexical: search, 30 words, 8 segments, half of the rows dead", ours)


def main() -> None:
    """Print the table, and write it as JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, default=15_664, help="vectors, and passages of text")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    options = parser.parse_args()
    about: Figures = {**machine(), "passages": options.passages}
    with TemporaryDirectory() as folder, beside_others(about):
        table = [*vector_lines(options.passages, Path(folder)), *lexical_lines(options.passages, Path(folder))]
    show_table(["", "p50 ms", "p95 ms", "naive ms", "ratio"], [list(row.values()) for row in table])
    show_load(about)
    save(options.json, about, table)


if __name__ == "__main__":
    main()
