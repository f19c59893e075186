"""How well a translator does on clues that were kept aside: how likely it finds them, and what it finds by itself."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

import numpy as np

from polyhop.engine import Polyhop
from polyhop.models.smollm2 import SmolLM2
from polyhop.settings import Settings
from polyhop.training.clues import TaughtClue
from polyhop.types import Document

UNIT: Final = "clues"
DECODED: Final = 150  # clues kept aside whose questions are asked
PASSAGES: Final = 5
STRATEGY: Final = "translator(hops=1)"
TRIPLES: Final = "translator(hops=1,triples=true)"

Figures = dict[str, dict[str, float]]


def likelihoods(model: SmolLM2, clues: Sequence[TaughtClue]) -> list[float]:
    """Minus the mean log-likelihood of the tokens of each clue, as the runtime's graph has it."""
    found = []
    for clue in clues:
        begun = model.begin(clue.prompt(model))
        said = clue.tokens
        branches = [said[:length] for length in range(1, len(said))]
        behind = model.branch(begun, np.zeros(len(branches), np.int64), branches).logprobs
        each = [begun.logprobs[0][said[0]], *behind[np.arange(len(branches)), list(said[1:])]]
        found.append(-float(np.mean(each)))
    return found


@contextmanager
def collection(clues: Sequence[TaughtClue]) -> Iterator[Callable[[SmolLM2], list[bool]]]:
    """An index of all passages of these clues, and a way to ask it: whether each clue's passage is among five.

    Only the first questions are asked, by constrained decoding in one hop, for triples where the clues are some.
    """
    strategy = TRIPLES if any(clue.tail for clue in clues) else STRATEGY
    texts = list(dict.fromkeys((clue.row.title, clue.row.text) for clue in clues))
    documents = [Document(id=str(place), title=title, text=text) for place, (title, text) in enumerate(texts)]
    homes = {text: document.id for text, document in zip(texts, documents, strict=True)}
    with tempfile.TemporaryDirectory() as folder:
        with Polyhop(folder) as engine:
            engine.add_documents(documents, layers=("text", "parsekg"))

        def found(model: SmolLM2) -> list[bool]:
            own = {"tuned": model.tuned, "cache": model.cache}
            components = {"translator": {name: value for name, value in own.items() if value is not None}}
            settings = Settings(components=components).with_models(translator="smollm2")
            with Polyhop(folder, settings=settings) as engine:
                return [
                    homes[clue.row.title, clue.row.text] in _documents(engine, clue.row.question, strategy)
                    for clue in clues[:DECODED]
                ]

        yield found


def _documents(engine: Polyhop, question: str, strategy: str) -> set[str]:
    evidence = engine.search(question, k=PASSAGES, strategy=strategy)
    return {passage.document_id for passage in evidence.passages}


def table(clues: Sequence[TaughtClue], surprises: Sequence[float], found: Sequence[bool] = ()) -> Figures:
    """For each kind of source and for all: clues, the probability of a clue's token, and how often it is found."""
    groups: dict[str, list[int]] = defaultdict(list)
    for place, clue in enumerate(clues):
        groups[clue.row.source.split("/")[0]].append(place)
    groups = {**dict(sorted(groups.items())), "all": list(range(len(clues)))}
    return {name: _figures(places, surprises, found) for name, places in groups.items() if places}


def _figures(places: Sequence[int], surprises: Sequence[float], found: Sequence[bool]) -> dict[str, float]:
    figures = {
        UNIT: float(len(places)),
        "likelihood": 100 * float(np.exp(-np.mean([surprises[place] for place in places]))),
    }
    asked = [found[place] for place in places if place < len(found)]
    return {**figures, "found": 100 * sum(asked) / len(asked)} if asked else figures


def beside(figures: Mapping[str, Mapping[str, float]], added: str) -> Figures:
    """The same figures under longer names."""
    return {f"{name}{added}": dict(values) for name, values in figures.items()}
