"""How long after the first hop is settled somebody who streams an answer from a server has it, and the first byte.

The engine is asked in this process, and a server of its own on the same index; questions take turns, so that both find
the machine alike. What counts is the difference, question by question: what the server, the network of this machine and
the events add to the library.

    python benchmarks/first_hop.py DATA --index DIR [--strategy stepchain] [--limit 40] [--json OUT]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import httpx
from load import served
from measuring import Figures, beside_others, machine, percentile, save, show_load, show_table, show_verdicts, verdict

from polyhop.engine import Polyhop
from polyhop.evaluation.dataset import Dataset
from polyhop.evaluation.experiment import layers_of, prepare
from polyhop.types import Hop

ADDED = 150.0  # ms: what may lie between a hop that is settled and its event
WARM_UP = 3  # questions that do not count


def settled(engine: Polyhop, question: str, strategy: str) -> float | None:
    """Seconds until the library has told the first hop; None where an answer has none."""
    began, first = time.perf_counter(), None

    def told(_: int, __: Hop) -> None:
        nonlocal first
        first = first or time.perf_counter() - began

    engine.ask(question, strategy=strategy, told=told)
    return first


def streamed(client: httpx.Client, question: str, strategy: str) -> tuple[float, float | None]:
    """Seconds until the first byte, and until the first hop, of a streamed answer; all of it is read."""
    began, byte, hop = time.perf_counter(), None, None
    body = {"question": question, "strategy": strategy, "stream": True}
    with client.stream("POST", "/v1/ask", json=body) as response:
        response.raise_for_status()
        for line in response.iter_lines():
            byte = byte or time.perf_counter() - began
            if hop is None and line == "event: hop":
                hop = time.perf_counter() - began
    assert byte is not None
    return byte, hop


def measured(engine: Polyhop, client: httpx.Client, questions: Sequence[str], strategy: str) -> list[tuple[float, ...]]:
    """For each question with a hop, in ms: the library's first hop, the server's, its first byte."""
    found: list[tuple[float, ...]] = []
    for number, question in enumerate(questions):
        alone = settled(engine, question, strategy)
        byte, hop = streamed(client, question, strategy)
        if number >= WARM_UP and alone is not None and hop is not None:
            found.append((1000 * alone, 1000 * hop, 1000 * byte))
    return found


def main() -> None:
    """Measure, print, and write JSON if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--split", default="dev")
    parser.add_argument("--strategy", default="stepchain")
    parser.add_argument("--limit", type=int, default=40)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    data = Dataset.read(options.data, options.split)
    questions = [question.text for question in data.questions][: options.limit + WARM_UP]
    with Polyhop(options.index) as engine:
        report = prepare(engine, data, layers=layers_of((options.strategy,)))
    about: Figures = {**machine(), "data": options.data.resolve().name, "passages": report.passages}
    about["strategy"] = options.strategy
    with (
        beside_others(about),
        served(options.index, ()) as (address, _),
        Polyhop(options.index) as engine,
        httpx.Client(base_url=address, timeout=120) as client,
    ):
        found = measured(engine, client, questions, options.strategy)
    if not found:
        parser.error(f"none of the questions has hops with {options.strategy}")
    alone, hop, byte = zip(*found, strict=True)
    added = [theirs - ours for ours, theirs in zip(alone, hop, strict=True)]
    series = {"first hop, library": alone, "first hop, server": hop, "first byte, server": byte, "added": added}
    show_table(
        ["ms", "p50", "p95"], [[name, percentile(each, 50), percentile(each, 95)] for name, each in series.items()]
    )
    reached = [verdict("first hop over the library's, median", percentile(added, 50), ADDED, "ms")]
    show_verdicts(reached)
    show_load(about)
    figures = {name: {"p50_ms": percentile(each, 50), "p95_ms": percentile(each, 95)} for name, each in series.items()}
    save(options.json, about, {"questions": len(found), **figures, "verdicts": reached})


if __name__ == "__main__":
    main()
