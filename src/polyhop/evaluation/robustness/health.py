"""The health of a fact graph: what looks wrong with it, and how questions fare on it, hop by hop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from polyhop.errors import UsageError
from polyhop.evaluation.dataset import Dataset
from polyhop.evaluation.experiment import Asks, Experiment
from polyhop.evaluation.robustness.probes import DIGITS, ask_chains, sample_chains
from polyhop.evaluation.robustness.symptoms import symptoms
from polyhop.evaluation.unsupported import unsupported
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.view import View
from polyhop.reports import ProgressListener
from polyhop.strategies.c2rag.strategy import C2RAG
from polyhop.types import Budget

CHAINS: Final = 20
# The paper's four settings for questions (Figure 3c), as strategies.
QUESTION_SETTINGS: Final[Mapping[str, str]] = {
    "c2rag": "all hops checked",
    "c2rag(unchecked=1)": "hop 1 unchecked",
    "c2rag(unchecked=2)": "hops 1 and 2 unchecked",
    "c2rag(unchecked=-1)": "no hop checked",
}


def health(
    over: View,
    *,
    chains: int = CHAINS,
    seed: int = 0,
    strategy: C2RAG | None = None,
    budget: Budget | None = None,
    undamaged: FactGraph | None = None,
) -> dict[str, Any]:
    """The report as JSON values: sizes, symptoms, rejected facts by reason, and the behaviour of sampled chains.

    ``undamaged``: the graph that chains are drawn from and judged by, where ``over`` has an overlay on it. Raises
    LayerMissing where the index has no facts.
    """
    graph = over.facts
    current = over.record.generation("facts")
    description = {} if current is None else current.description
    found = sample_chains(graph if undamaged is None else undamaged, chains, seed)
    return {
        "index": {
            **graph.counts,
            "passages": over.record.count_passages(),
            "generation": None if current is None else current.name,
        },
        "symptoms": [asdict(symptom) for symptom in symptoms(over)],
        "rejected": dict(description.get("rejected", {})),
        "chains": [str(chain) for chain in found],
        "behaviour": [asdict(each) for each in ask_chains(over, found, strategy or C2RAG(), budget or Budget())],
    }


def question_health(
    engine: Asks,
    over: View,
    dataset: Dataset,
    *,
    limit: int | None = None,
    min_hops: int | None = None,
    progress: ProgressListener | None = None,
) -> dict[str, Any]:
    """By setting, the share of each hop's evidence that is not gold (Figure 3c), as JSON values.

    Raises UsageError where questions name no supporting passages, or the index has none of them. What an interruption
    (Ctrl-C) leaves says nothing: it is raised on.
    """
    supporting = [passage for question in dataset.questions for passage in question.supporting]
    if not supporting:
        raise UsageError(
            f"The questions in {dataset.folder} name no supporting passages, by which the evidence of hops is judged.",
            remedy="Use a data set with corpus.jsonl whose questions have the field 'supporting'.",
        )
    if not over.record.numbers_by_id(supporting):
        raise UsageError(
            f"This index has none of the supporting passages that {dataset.folder} names.",
            remedy=f"Name the index of that data set, as in: --index {dataset.folder / 'polyhop.index'}",
        )
    experiment = Experiment(strategies=tuple(QUESTION_SETTINGS), limit=limit, min_hops=min_hops, retrieval_only=True)
    run = experiment.run(engine, dataset, progress=progress)
    if run.interrupted:
        raise KeyboardInterrupt
    return {
        name: {
            "label": QUESTION_SETTINGS[name],
            "questions": len(records),
            **({"stopped": run.stopped[name]} if name in run.stopped else {}),
            "unsupported": [{**asdict(hop), "share": round(hop.share, DIGITS)} for hop in unsupported(records)],
        }
        for name, records in run.records.items()
    }
