"""How long the grammars of constrained decoding take for a step, beside the naive way to answer the same.

Synthetic names and sentences of zipfian tokens; both sides are checked to agree on every step that is timed naively.

    python benchmarks/constrained_decoding.py [--names N] [--rows N] [--json OUT]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from measuring import Figures, beside_others, machine, save, show_load, show_table, timed, times_row

from polyhop.indexes.names import Names
from polyhop.indexes.substrings import Matches, SubstringGrammar, TokenStrings
from polyhop.indexes.trie import TokenTrie
from polyhop.ports import Ints

VOCABULARY = 49_152
NAIVE_STEPS = 12
line = partial(times_row, unit="us")


def zipf_rows(count: int, shortest: int, longest: int, seed: int) -> list[list[int]]:
    """Rows of tokens, a few of which are very common."""
    random = np.random.default_rng(seed)
    share = 1 / np.arange(1, VOCABULARY + 1)
    lengths = random.integers(shortest, longest + 1, count)
    said = random.permutation(VOCABULARY)[random.choice(VOCABULARY, int(lengths.sum()), p=share / share.sum())]
    return [row.tolist() for row in np.split(said, np.cumsum(lengths)[:-1])]


def trie_lines(count: int, folder: Path) -> Iterator[Figures]:
    """The entity stage: which tokens may follow in a trie of names."""
    names = zipf_rows(count, 1, 7, seed=1)
    trie, built, _ = timed(lambda: TokenTrie.build(names))
    yield line(f"trie: build from {count:,} names", [built])
    trie.save(folder / "trie")
    trie, opened, _ = timed(lambda: TokenTrie.open(folder / "trie"))
    yield line("trie: open", [opened])
    root: list[float] = []
    inner: list[float] = []
    steps: list[float] = []
    naive_root: list[float] = []
    naive_inner: list[float] = []
    for walk, i in enumerate(np.random.default_rng(2).integers(0, count, 2000).tolist()):
        node = trie.root()
        for depth, token in enumerate(names[i]):
            allowed, spent, _ = timed(lambda node=node: trie.allowed(node))  # type: ignore[misc]
            (inner if depth else root).append(spent)
            if walk < NAIVE_STEPS and depth < 2:
                prefix = names[i][:depth]
                expected, spent, _ = timed(
                    lambda prefix=prefix, depth=depth: sorted(  # type: ignore[misc]
                        {name[depth] for name in names if len(name) > depth and name[:depth] == prefix}
                    )
                )
                assert allowed.tolist() == expected
                (naive_inner if depth else naive_root).append(spent)
            node, spent, _ = timed(lambda node=node, token=token: trie.advance(node, token))  # type: ignore[misc]
            steps.append(spent)
        assert i in trie.rows(node)
    yield line("trie: allowed tokens at the root", root, naive_root)
    yield line("trie: allowed tokens further down", inner, naive_inner)
    yield line("trie: advance", steps)


def naive_following(sentences: list[list[int]], subset: Ints, said: list[int]) -> list[int]:
    """What follows a span in some rows, by looking everywhere."""
    n = len(said)
    rows = [sentences[i] for i in subset.tolist()]
    return sorted({row[i + n] for row in rows for i in range(len(row) - n) if row[i : i + n] == said})


def substring_lines(count: int, folder: Path) -> Iterator[Figures]:
    """The relation stage: which tokens may follow in the substrings of a subset of rows."""
    sentences = zipf_rows(count, 12, 38, seed=3)
    strings, built, _ = timed(lambda: TokenStrings.build(sentences))
    yield line(f"substrings: build from {count:,} rows", [built])
    strings.save(folder / "strings")
    strings, opened, _ = timed(lambda: TokenStrings.open(folder / "strings"))
    yield line("substrings: open", [opened])
    random = np.random.default_rng(4)
    for size in (100, 1000, 5000, count):
        rounds = 100 if size <= 5000 else 5
        first: list[float] = []
        later: dict[str, list[float]] = {"first narrowing": [], "later steps": []}
        naive: list[float] = []
        for i in range(rounds):
            subset = random.choice(count, min(size, count), replace=False)
            grammar = strings.grammar(subset)
            _, spent, _ = timed(lambda grammar=grammar: grammar.allowed(grammar.root()))  # type: ignore[misc]
            first.append(spent)
            said = sentences[int(subset[0])][:8]
            walk(grammar, said, later)
            if i < 2 and size <= 5000:
                expected, spent, _ = timed(
                    lambda subset=subset, said=said: naive_following(sentences, subset, said[:2])  # type: ignore[misc]
                )
                state = grammar.advance(grammar.advance(grammar.root(), said[0]), said[1])
                assert grammar.allowed(state).tolist() == expected
                naive.append(spent)
        yield line(f"substrings of {size:,} rows: all first tokens", first)
        yield line(f"substrings of {size:,} rows: first narrowing", later["first narrowing"])
        yield line(f"substrings of {size:,} rows: a later step", later["later steps"], naive)


def walk(grammar: SubstringGrammar, said: list[int], spent: dict[str, list[float]]) -> None:
    """Say a span token by token; a step is advancing and asking what may follow."""
    state = grammar.root()

    def step(state: Matches, token: int) -> Matches:
        after = grammar.advance(state, token)
        grammar.allowed(after)
        return after

    for depth, token in enumerate(said):
        state, took, _ = timed(lambda state=state, token=token: step(state, token))  # type: ignore[misc]
        spent["later steps" if depth else "first narrowing"].append(took)


def name_lines(count: int, folder: Path) -> Iterator[Figures]:
    """Linking passages: all names a passage of 100 words mentions."""
    keys = sorted({" ".join(f"w{token}" for token in row) for row in zipf_rows(count, 1, 4, seed=5)})
    names, built, _ = timed(lambda: Names.build(keys, np.arange(len(keys))))
    yield line(f"names: build from {len(keys):,} keys", [built])
    names.save(folder / "names")
    names = Names.open(folder / "names")
    known = {tuple(key.split()): row for row, key in enumerate(keys)}
    ours, naive = [], []
    for row in zipf_rows(300, 100, 100, seed=6):
        text = [f"w{token}" for token in row]
        found, spent, _ = timed(lambda text=text: names.scan(text))  # type: ignore[misc]
        ours.append(spent)
        expected, spent, _ = timed(
            lambda text=text: [  # type: ignore[misc]
                (first, n, known[window])
                for first in range(len(text))
                for n in range(min(8, len(text) - first), 0, -1)
                if (window := tuple(text[first : first + n])) in known
            ]
        )
        naive.append(spent)
        assert found == expected
    yield line("names: scan a passage of 100 words (naive: a dictionary in memory)", ours, naive)
    many = [timed(lambda i=i: names.find_many(keys[i : i + 1000]))[1] / 1000 for i in range(0, len(keys), 5000)]  # type: ignore[misc]
    yield line("names: find_many, a key of 1,000", many)
    yield line("names: find", [timed(lambda key=key: names.find(key))[1] for key in keys[::200]])  # type: ignore[misc]


def main() -> None:
    """Print the table, and write it as JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--names", type=int, default=60_000, help="names in the trie")
    parser.add_argument("--rows", type=int, default=130_000, help="sentences, and keys in the table of names")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    options = parser.parse_args()
    about: Figures = {**machine(), "names": options.names, "rows": options.rows}
    with TemporaryDirectory() as folder, beside_others(about):
        place = Path(folder)
        table = [
            *trie_lines(options.names, place),
            *substring_lines(options.rows, place),
            *name_lines(options.rows, place),
        ]
    show_table(["", "p50 us", "p95 us", "naive us", "ratio"], [list(row.values()) for row in table])
    show_load(about)
    save(options.json, about, table)


if __name__ == "__main__":
    main()
