"""The network that is trained says what the runtime says, whole and with additions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from polyhop.models.smollm2 import SmolLM2
from polyhop.models.tuned import GRAPH
from polyhop.ports import Floats
from tests.worlds.gguf import installed

torch = pytest.importorskip("torch", reason="training needs the extra 'train' (torch, 200 MB)")

from polyhop.models.graph_weights import graph_weights  # noqa: E402
from polyhop.training.llama import Llama  # noqa: E402
from polyhop.training.translator import export_tuned  # noqa: E402

torch.set_num_threads(1)  # tests of other files run at the same time
OPENING, ONE, OTHER = [1, 40, 41, 42, 43, 2], [50, 51, 60], [52, 53, 54, 55, 70, 71]
ROUNDING = 0.02  # nats of divergence that 8 bits may cost a network as wild as this one


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> SmolLM2:
    return installed(tmp_path_factory.mktemp("cache"))


def network(model: SmolLM2, rank: int | None) -> Llama:
    torch.manual_seed(5)
    return Llama(graph_weights(model.folder / GRAPH), rank=rank)


def said(llama: Llama) -> Floats:
    """What may follow either of two rows that are read as one batch behind the same opening."""
    ids = torch.tensor([[*ONE, 0, 0, 0], OTHER])
    with torch.no_grad():
        hidden = llama(torch.tensor(OPENING), ids)
        last = hidden[[0, 1], [len(ONE) - 1, len(OTHER) - 1]]
        found: Floats = torch.log_softmax(llama.logits(last), -1).numpy()
    return found


def runtime(model: SmolLM2) -> Floats:
    return np.concatenate([model.begin([*OPENING, *row]).logprobs for row in (ONE, OTHER)])


def divergence(expected: Floats, given: Floats) -> float:
    """The larger Kullback-Leibler divergence of two rows of log-probabilities, in nats."""
    return float((np.exp(expected) * (expected - given)).sum(axis=1).max())


def shaken(llama: Llama) -> Llama:
    """The network with all that is learnt changed a little."""
    with torch.no_grad():
        for parameter in llama.parameters():
            parameter += 0.05 * torch.randn(parameter.shape)
    return llama


@pytest.mark.parametrize("rank", [None, 4])
def test_log_probabilities_are_those_of_the_runtime(model: SmolLM2, rank: int | None) -> None:
    """The runtime reads the same 8-bit weights with activations in float32 here, so that only sums differ."""
    assert np.abs(said(network(model, rank)) - runtime(model)).max() < 2e-3


@pytest.mark.parametrize("rank", [None, 4])
def test_what_was_learnt_is_what_the_written_model_says(model: SmolLM2, tmp_path: Path, rank: int | None) -> None:
    llama = shaken(network(model, rank))
    export_tuned(llama, model.folder, tmp_path / "translator", card="A card.")
    tuned = SmolLM2(threads=1, cache=model.cache, tuned=str(tmp_path / "translator"))
    assert divergence(said(llama), runtime(model)) > 0.2, "it has learnt something"
    assert divergence(said(llama), runtime(tuned)) < ROUNDING


def test_additions_alone_are_learnt_and_kept(model: SmolLM2) -> None:
    llama = network(model, rank=2)
    named = dict(llama.named_parameters())
    assert {name.rpartition(".")[2] for name in named} == {"up", "down"}
    assert llama.state_dict().keys() == named.keys(), "a checkpoint is as small as what is learnt"
    assert len(llama.additions()) == len(named)
    assert not network(model, rank=None).additions()
