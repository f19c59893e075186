"""Where a question's time goes in KG-Translator, stage by stage, as in the paper's Table 9.

Each question is one query (one hop, the configured beams), retrieval only, through ``Polyhop.search``. The paper builds
the constraint on entities for each question; ours is made once for an index, and is reported apart. The index is made
first where it is missing.

    python benchmarks/translation_stages.py DATA --index DIR [--strategy NAME] [--split dev] [--limit N] [--json OUT]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path

from measuring import Figures, Stopwatch, beside_others, machine, save, show_load, show_table

from polyhop.engine import Polyhop
from polyhop.evaluation.dataset import Dataset
from polyhop.evaluation.experiment import layers_of, prepare
from polyhop.layers.parsekg.translation import TranslationIndex, open_or_build
from polyhop.strategies.translator.strategy import KGTranslator
from polyhop.strategies.translator.translate import Translator

STRATEGY = "translator(hops=1)"
PASSAGES = 5
WARM_UP = 3  # questions that do not count
WATCHED = (  # a stage, and the methods that it takes
    ("entities of the question (NER)", KGTranslator, ("_recognised",)),
    ("reading the question", Translator, ("begin",)),
    ("entity translation", Translator, ("entities",)),
    ("relation-constrained indexing", TranslationIndex, ("spans", "neighbours")),
    ("relation translation", Translator, ("relations",)),
    ("ranking", KGTranslator, ("_ranked",)),
)
WITHIN = {"relation-constrained indexing": "relation translation"}  # a stage whose time another one includes
REST = "the rest"


def own_seconds(watched: Mapping[str, float], total: float) -> dict[str, float]:
    """What each stage takes by itself, and what is left of the total."""
    own = {stage: watched.get(stage, 0.0) for stage, _, _ in WATCHED}
    for inner, outer in WITHIN.items():
        own[outer] -= own[inner]
    return {**own, REST: total - sum(own.values())}


def mean_stages(engine: Polyhop, strategy: str, questions: Sequence[str]) -> dict[str, float]:
    """Mean seconds a question, by stage."""
    watch, spent = Stopwatch(), list[dict[str, float]]()
    for question in questions[:WARM_UP]:
        engine.search(question, k=PASSAGES, strategy=strategy)
    with ExitStack() as meanwhile:
        for stage, owner, names in WATCHED:
            meanwhile.enter_context(watch.watching(stage, owner, *names))
        for question in questions:
            watch.clear()
            start = time.perf_counter()
            engine.search(question, k=PASSAGES, strategy=strategy)
            spent.append(own_seconds(watch.seconds, time.perf_counter() - start))
    return {stage: sum(one[stage] for one in spent) / len(spent) for stage in spent[0]}


def entity_index_seconds(engine: Polyhop) -> float:
    """How long the constraint on entities takes to open, or to make where it was not there yet."""
    with engine.view() as view:
        start = time.perf_counter()
        open_or_build(view.kg, view.models.translator)
        return time.perf_counter() - start


def main() -> None:
    """Ask, print the table, and write it as JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="a folder with corpus.jsonl and questions_SPLIT.jsonl")
    parser.add_argument("--index", type=Path, required=True, help="the folder of its index")
    parser.add_argument("--strategy", default=STRATEGY, help="translator, perhaps with settings (%(default)s)")
    parser.add_argument("--split", default="dev", help="which questions (%(default)s)")
    parser.add_argument("--limit", type=int, help="the first N questions only")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    options = parser.parse_args()
    data = Dataset.read(options.data, options.split)
    questions = [question.text for question in islice(data.questions, options.limit)]
    about = {**machine(), "data": data.folder.resolve().name, "split": options.split, "strategy": options.strategy}
    with Polyhop(options.index) as engine:
        about["passages"] = prepare(engine, data, layers=layers_of([options.strategy])).passages
        with beside_others(about):
            made = entity_index_seconds(engine)
            opened = entity_index_seconds(engine)
            stages = mean_stages(engine, options.strategy, questions)
    total = sum(stages.values())
    figures: Figures = {
        "questions": len(questions),
        "seconds": total,
        "stages": {stage: {"seconds": spent, "share": spent / total} for stage, spent in stages.items()},
        "entity_index": {"first_seconds": made, "opened_seconds": opened},
    }
    print(f"{about['passages']:,} passages, {len(questions)} questions, {total:.3f} s a question")
    show_table(("stage", "ms", "percent"), [[stage, 1e3 * one, 100 * one / total] for stage, one in stages.items()])
    print(f"\nThe constraint on entities, once for an index: {made:.2f} s at first, {opened:.3f} s to open again.")
    show_load(about)
    save(options.json, about, figures)


if __name__ == "__main__":
    main()
