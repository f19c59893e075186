"""What a tuned translator is written as: the whole graph, or the additions to the installed one, with its card."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from polyhop.models.graph_weights import write_tuned
from polyhop.models.tuned import ADDITIONS, GRAPH, write_additions
from polyhop.models.weights import write_manifest
from polyhop.training.card import Card, Figures, Origin
from polyhop.training.checkpoint import Position
from polyhop.training.clue_figures import UNIT
from polyhop.training.export import CARD, TOKENIZER
from polyhop.training.llama import LORA_SCALE, Llama

BASE: Final = (
    "SmolLM2-135M-Instruct (Apache-2.0, Hugging Face), the 8-bit weights of its converted graph as numbers again"
)


def export_tuned(network: Llama, installed: Path, folder: Path, *, card: str) -> None:
    """Write ``additions.npz`` where only these were learnt, else ``model.onnx`` and ``tokenizer.json``.

    With ``card.md`` and ``manifest.json``; all of them, or none. What lay in the folder before is replaced.
    Raises OSError.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".export-") as made:
        ready = Path(made) / folder.name
        ready.mkdir()
        if network.rank is None:
            write_tuned(installed / GRAPH, network.learnt(), ready / GRAPH)
            shutil.copyfile(installed / TOKENIZER, ready / TOKENIZER)
        else:
            write_additions(ready / ADDITIONS, network.additions(), LORA_SCALE)
        (ready / CARD).write_text(card, encoding="utf-8")
        write_manifest(ready)
        shutil.rmtree(folder, ignore_errors=True)
        ready.replace(folder)


@dataclass(frozen=True, kw_only=True)
class TunedCard:
    """What the card of a tuned translator tells."""

    hashes: Mapping[str, str]
    sources: Mapping[tuple[str, str], int]  # clues of each source and licence
    spans: str
    rank: int | None
    seed: int
    position: Position
    device: str
    as_trained: Figures
    as_exported: Figures

    def markdown(self) -> str:
        """The card."""
        learnt = "all of its weights" if self.rank is None else f"additions of rank {self.rank} to each of its matrices"
        return Card(
            name="translator",
            purpose=f"{PURPOSE} Learnt were {learnt}, on spans as `--spans {self.spans}` cuts them.",
            data=self.hashes,
            sources=[
                Origin(name=name, licence=licence, windows=count) for (name, licence), count in self.sources.items()
            ],
            seed=self.seed,
            rows=self.position.seen,
            hours=self.position.seconds / 3600,
            device=self.device,
            as_trained=self.as_trained,
            as_exported=self.as_exported,
            limits=LIMITS,
            unit=UNIT,
            columns=(UNIT, "likelihood", "found"),
            explained=EXPLAINED,
            base=BASE,
        ).markdown()


PURPOSE: Final = """\
Reads a question alone and says a clue: an entity, and words that stand next to it in the corpus. What it may say is \
decided by the corpus; which of it leads to the answer, it has learnt."""
EXPLAINED: Final = (
    "On clues of passages that were kept aside, one in twenty. Likelihood is the probability of a clue's token given "
    "those before it, as a geometric mean, in per cent, where nothing constrains it. Found is how often, of the first "
    "questions kept aside, the passage is among the five that clues lead to, by constrained decoding over all "
    "passages kept aside, in one hop."
)
LIMITS: Final = (
    "English only, and questions as data sets of encyclopaedias ask them.",
    "A question of several hops is better asked step by step: one clue leads to one passage.",
    "It knows little of the world: where a question describes a thing instead of naming it, the name is a guess.",
)
