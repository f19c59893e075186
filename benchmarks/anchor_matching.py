"""How long it takes to match a surface form with entity names by token coverage, beside a scan of every name.

Synthetic names of zipfian tokens, so that some tokens ("the", "of") are in very many names; both sides are checked to
find the same names on every form that is timed naively. The naive side has its names cut into token sets beforehand.

    python benchmarks/anchor_matching.py [--names N] [--json OUT]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from measuring import (
    Figures,
    beside_others,
    machine,
    percentile,
    save,
    show_load,
    show_table,
    show_verdicts,
    timed,
    times_row,
    verdict,
)

from polyhop.indexes.coverage import TokenCoverage
from polyhop.indexes.names import words

TOKENS = 60_000
ANCHORS = 3
TIES = 16  # as FactGraph.anchors asks for
NAIVE_FORMS = 5
LIMIT_MS = 2.0


def zipf_names(count: int, seed: int) -> list[str]:
    """Names of one to five made-up words, a few of which are in very many of them."""
    random = np.random.default_rng(seed)
    share = 1 / np.arange(1, TOKENS + 1)
    lengths = random.integers(1, 6, count)
    said = random.choice(TOKENS, int(lengths.sum()), p=share / share.sum())
    return [" ".join(f"w{word}" for word in row) for row in np.split(said, np.cumsum(lengths)[:-1])]


def forms(names: Sequence[str], seed: int) -> dict[str, list[str]]:
    """Surface forms of several kinds: what is easy, and what is in many names."""
    random = np.random.default_rng(seed)
    drawn = [names[i] for i in random.choice(len(names), 300)]
    return {
        "a name that there is": drawn,
        "a name and two words that it lacks": [f"{name} w{i} unheard" for i, name in enumerate(drawn)],
        "the commonest token": ["w0"] * 100,
        "the three commonest tokens": ["w2 w0 w1"] * 100,
        "the eight commonest tokens": [" ".join(f"w{i}" for i in range(8))] * 100,
        "a rare token beside the two commonest": [f"w0 w{20_000 + i} w1" for i in range(100)],
        "tokens of no name": ["unheard of"] * 100,
    }


def naive_best(cut: Sequence[set[str]], surface: str, k: int) -> list[int]:
    """Score every name, and sort."""
    said = set(words(surface))
    ranked = sorted((-len(said & name), len(name - said), i) for i, name in enumerate(cut) if said & name)
    return [i for _, _, i in ranked[:k]]


def row(what: str, clock: list[float], processor: list[float], naive: Sequence[float] = ()) -> Figures:
    """One row of the table."""
    return {**times_row(what, clock, naive, unit="ms"), "processor_p95_ms": percentile(processor, 95) * 1e3}


def figures(count: int, folder: Path) -> Iterator[Figures]:
    """One row for each kind of surface form."""
    names = zipf_names(count, 1)
    built, spent, processor = timed(lambda: TokenCoverage.build(names, np.arange(count)))
    yield row(f"build from {count:,} names", [spent], [processor])
    built.save(folder / "coverage")
    index, spent, processor = timed(lambda: TokenCoverage.open(folder / "coverage"))
    yield row("open", [spent], [processor])
    cut = [set(words(name)) for name in names]
    for kind, surfaces in forms(names, 2).items():
        naive = []
        for surface in surfaces[:NAIVE_FORMS]:
            expected, spent, _ = timed(lambda surface=surface: naive_best(cut, surface, ANCHORS))  # type: ignore[misc]
            naive.append(spent)
            assert [one.value for one in index.best(surface, ANCHORS)] == expected
        ours = [
            timed(lambda surface=surface: index.best(surface, ANCHORS, ties=TIES))  # type: ignore[misc]
            for surface in surfaces
        ]
        yield row(kind, [one[1] for one in ours], [one[2] for one in ours], naive)


def main() -> None:
    """Print the table with what must be reached, and write it as JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--names", type=int, default=130_000, help="entity names to choose from")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    options = parser.parse_args()
    about: Figures = {**machine(), "names": options.names, "anchors": ANCHORS}
    with TemporaryDirectory() as folder, beside_others(about):
        table = list(figures(options.names, Path(folder)))
    columns = ("what", "p50_ms", "p95_ms", "processor_p95_ms", "naive_ms", "ratio")
    headings = ["", "p50 ms", "p95 ms", "p95 ms processor", "naive ms", "ratio"]
    show_table(headings, [[row[name] for name in columns] for row in table])
    matching = [row for row in table if row["naive_ms"] is not None]
    kinds = {"p50_ms": "median", "p95_ms": "p95", "processor_p95_ms": "p95 of processor time"}
    verdicts = [
        verdict(f"slowest kind of form, {kind}", max(row[name] for row in matching), LIMIT_MS, "ms")
        for name, kind in kinds.items()
    ]
    show_verdicts(verdicts)
    show_load(about)
    save(options.json, about, {"table": table, "verdicts": verdicts})


if __name__ == "__main__":
    main()
