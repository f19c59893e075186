"""What looking things up costs over several segments of the same passages, beside one: the parts of a question in turn.

The rows of an index, such as one that ``gathering.py`` has grown, are gathered into as many segments of one size as
asked, beside the index and not in it. Then each part of a question that reads these segments is done for questions of a
data set, by turns over the numbers of segments, so that all see the same machine. No model is run, and vectors of
questions are random.

    python benchmarks/segments.py DATA --index DIR [--segments 1,4,8] [--questions N] [--json OUT]
"""

from __future__ import annotations

import argparse
import json
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from measuring import Figures, beside_others, machine, save, show_load, show_table

from polyhop.indexes.lexical import Lexical
from polyhop.indexes.segments import AllBut
from polyhop.indexes.titles import Titles
from polyhop.indexes.vectors import Vectors
from polyhop.layers.layer import fingerprint
from polyhop.layers.parsekg.graph import ParseKG
from polyhop.layers.parsekg.layer import ParseKGLayer
from polyhop.layers.text.layer import TextLayer
from polyhop.models.choice import Models
from polyhop.settings import Settings
from polyhop.store.record import Record

DIMENSION = 384
DEPTH = 50  # passages that are looked for
ROUNDS = 3
MEMORY = 256 << 20


def gathered(index: Path, folder: Path, count: int) -> tuple[list[Path], list[Path]]:
    """The passages of an index in so many segments of ``text`` and of ``parsekg``."""
    models = Models(Settings())
    text, graph = TextLayer(), ParseKGLayer()
    with Record.open(index) as record:
        marks = [fingerprint(layer, models) for layer in (text, graph)]
        texts, graphs = list[str](), list[str]()
        for part in np.array_split(record.numbers(), count):
            texts.append(text._write_segment(record, folder / "text", part, marks[0], MEMORY))
            graphs.append(graph._write_segment(record, folder / "parsekg", graphs, marks[1], part, MEMORY))
    return [folder / "text" / name for name in texts], [folder / "parsekg" / name for name in graphs]


def parts_of(texts: Sequence[Path], graphs: Sequence[Path]) -> Mapping[str, Callable[[str, np.ndarray], object]]:
    """What is done for a question, by name."""
    all_ = AllBut(np.empty(0, np.int64))
    vectors = Vectors.open([folder / "vectors" for folder in texts], all_)
    lexical = Lexical.open([folder / "lexical" for folder in texts], all_)
    titles = Titles.open([folder / "titles" for folder in texts], all_)
    graph = ParseKG.open(graphs[0].parent, graphs, all_)

    def entities(question: str, _: np.ndarray) -> object:
        found = graph.named_in(question)
        return [(graph.entity(one), graph.passages_mentioning(one), graph.passages_led_by(one)) for one in found]

    def sentences(question: str, _: np.ndarray) -> object:
        led = [graph.out.of(one)[:DEPTH] for one in graph.named_in(question)]
        return [(graph.place(one), graph.tails.of(one)) for part in led for one in part.tolist()]

    return {
        "vectors": lambda _, vector: vectors.search(vector, DEPTH),
        "words": lambda question, _: lexical.search(question, DEPTH),
        "titles named": lambda question, _: titles.named_in(question),
        "entities named, and their passages": entities,
        "sentences that they lead": sentences,
    }


def measured(index: Path, questions: Sequence[str], counts: Sequence[int], folder: Path) -> Figures:
    """For each part of a question and each number of segments the median and the 95th percentile, in ms."""
    made = {count: parts_of(*gathered(index, folder / str(count), count)) for count in counts}
    chance = np.random.default_rng(0)
    asked = [(question, unit(chance.standard_normal(DIMENSION))) for question in questions]
    told: Figures = {}
    for name in made[counts[0]]:
        spent: dict[int, list[float]] = {count: [] for count in counts}
        for turn in range(ROUNDS + 1):
            for question, vector in asked:
                for count in counts:
                    began = time.thread_time()
                    made[count][name](question, vector)
                    if turn:  # the first round reads what is not in memory yet
                        spent[count].append((time.thread_time() - began) * 1e3)
        told[name] = {
            str(count): {"median": float(np.median(each)), "p95": float(np.percentile(each, 95))}
            for count, each in spent.items()
        }
    return told


def unit(vector: np.ndarray) -> np.ndarray:
    """The vector at length 1."""
    unit_vector: np.ndarray = (vector / np.linalg.norm(vector)).astype(np.float32)
    return unit_vector


def rows(told: Figures, counts: Sequence[int]) -> Iterator[list[object]]:
    """A row for each part of a question."""
    for name, each in told.items():
        yield [name, *(each[str(count)][kind] for kind in ("median", "p95") for count in counts)]


def main() -> None:
    """Gather, look things up, print the table, and write the figures as JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="a folder with questions_dev.jsonl")
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--segments", type=lambda given: [int(one) for one in given.split(",")], default=[1, 4, 8])
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--folder", type=Path, help="where segments lie meanwhile; by default a temporary one")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    options = parser.parse_args()
    with (options.data / "questions_dev.jsonl").open(encoding="utf-8") as lines:
        questions = [json.loads(line)["question"] for line in lines][: options.questions]
    with Record.open(options.index) as record:
        passages = record.count_passages()
    about = {**machine(), "data": options.data.resolve().name, "passages": passages, "questions": len(questions)}
    with TemporaryDirectory(dir=options.folder) as folder, beside_others(about):
        told = measured(options.index, questions, options.segments, Path(folder))
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{passages:,} passages, {len(questions)} questions, {ROUNDS} rounds; milliseconds of processor time.")
    headings = [f"{kind}, {count} segments" for kind in ("median", "p95") for count in options.segments]
    show_table(("", *headings), list(rows(told, options.segments)))
    show_load(about)
    save(options.json, about, told)


if __name__ == "__main__":
    main()
