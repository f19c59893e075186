"""What an answer costs: the first one of a fresh ``polyhop ask``, and one of an engine that has its models loaded.

Cold: every question of ``examples/demo_questions.txt`` in a process of its own, over a copy of an index of the
examples, so that no question profits from the facts that another one had extracted. Warm: questions about DATA by
``auto``, apart by whether one passage sufficed, in the processor time of all threads.

    python benchmarks/asking.py [DATA --index DIR] [--split dev] [--limit N] [--rounds N] [--json OUT]
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from measuring import (
    Figures,
    beside_others,
    machine,
    median,
    percentile,
    save,
    show_load,
    show_table,
    show_verdicts,
    verdict,
)

from polyhop.engine import Polyhop
from polyhop.evaluation.dataset import Dataset
from polyhop.evaluation.experiment import prepare
from polyhop.strategies.auto import SUFFICES

EXAMPLES = Path(__file__).parent.parent / "examples"
COLD_WALL, COLD_PROCESSOR = 2.5, 4.0  # seconds of a fresh process until it has answered and ended
LIMITS = {"one passage": 0.6, "several": 2.0}  # processor seconds of a warm question, by what it takes
WARM_UP = 5  # questions that do not count
ANSWERED = (0, 3)  # exit codes: with an answer, and without one


def examples(folder: Path) -> Path:
    """An index of the examples."""
    index = folder / "examples"
    with Polyhop(index) as engine:
        engine.index(EXAMPLES / "corpus")
    return index


def fresh(question: str, index: Path, folder: Path) -> tuple[float, float]:
    """Seconds on the clock and of the processor that a new process takes for a question."""
    copy = folder / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(index, copy)
    command = [sys.executable, "-m", "polyhop.cli.main", "ask", question, "--index", str(copy)]
    before, start = os.times(), time.perf_counter()
    code = subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode
    wall, after = time.perf_counter() - start, os.times()
    if code not in ANSWERED:
        raise SystemExit(f"{' '.join(command)} ended with {code}")
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return wall, spent


def cold(rounds: int) -> Iterator[Figures]:
    """A row for each of the questions about the examples; what was not cached by the system is read before."""
    questions = (EXAMPLES / "demo_questions.txt").read_text(encoding="utf-8").split("\n")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        index = examples(folder)
        fresh(questions[0], index, folder)
        for question in filter(None, questions):
            times = [fresh(question, index, folder) for _ in range(rounds)]
            yield {
                "what": question,
                "wall_p50_s": median([wall for wall, _ in times]),
                "processor_p50_s": median([spent for _, spent in times]),
            }


def warm(index: Path, questions: Sequence[str]) -> Iterator[Figures]:
    """A row for the questions that one passage sufficed for, and one for the others."""
    spent: dict[str, list[float]] = {name: [] for name in LIMITS}
    with Polyhop(index) as engine:
        for question in questions[:WARM_UP]:
            engine.ask(question, strategy="auto")
        for question in questions[WARM_UP:]:
            start = time.process_time()
            answer = engine.ask(question, strategy="auto")
            took = time.process_time() - start
            one = any(line.startswith(SUFFICES) for line in answer.evidence.trail)
            spent["one passage" if one else "several"].append(took)
    for name, times in spent.items():
        if times:
            yield {
                "what": name,
                "questions": len(times),
                "processor_p50_s": median(times),
                "processor_p95_s": percentile(times, 95),
            }


def main() -> None:
    """Print the tables, and write them as JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?", help="a data set to ask warm questions of")
    parser.add_argument("--index", type=Path, help="its index; made where it is missing")
    parser.add_argument("--split", default="dev")
    parser.add_argument("--limit", type=int, default=60, help="questions asked, without those that do not count")
    parser.add_argument("--rounds", type=int, default=3, help="fresh processes for each question")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    options = parser.parse_args()
    if (options.data is None) != (options.index is None):
        parser.error("DATA and --index belong together")
    about: Figures = {**machine(), "rounds": options.rounds}
    first: list[Figures] = []
    later: list[Figures] = []
    if options.data is not None:
        dataset = Dataset.read(options.data, options.split)
        about |= {"data": options.data.name, "split": options.split}
        questions = [one.text for one in islice(dataset.questions, options.limit + WARM_UP)]
        with Polyhop(options.index) as engine:
            prepare(engine, dataset)
    with beside_others(about):
        first += cold(options.rounds)
        if options.data is not None:
            later += warm(options.index, questions)
    show_table(["cold", "wall s", "processor s"], [list(row.values()) for row in first])
    if later:
        show_table(["warm", "questions", "processor p50 s", "p95 s"], [list(row.values()) for row in later])
    verdicts = [
        verdict("cold answer, wall", max(row["wall_p50_s"] for row in first), COLD_WALL, "s"),
        verdict("cold answer, processor", max(row["processor_p50_s"] for row in first), COLD_PROCESSOR, "s"),
        *(verdict(f"warm, {row['what']}", row["processor_p50_s"], LIMITS[row["what"]], "s") for row in later),
    ]
    show_verdicts(verdicts)
    show_load(about)
    save(options.json, about, {"cold": first, "warm": later, "verdicts": verdicts})


if __name__ == "__main__":
    main()
