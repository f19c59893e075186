"""The reranker's losses, its start, and a whole training of a tiny one: rows in, a graph that scores out."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from polyhop.models.trained_reranker import PolyhopReranker
from polyhop.models.weights import check_hashes
from polyhop.training.slates import Slate, SlateKind
from tests.worlds.rows import multi_hop, reading, write_rows

torch = pytest.importorskip("torch", reason="training needs the extra 'train' (torch, 200 MB)")

from polyhop.training import rivals  # noqa: E402
from polyhop.training.encoder import Bert, EncoderShape, weights_of  # noqa: E402
from polyhop.training.export import export  # noqa: E402
from polyhop.training.loop import Course  # noqa: E402
from polyhop.training.reranker import (  # noqa: E402
    HEADS,
    SURE,
    RerankerNetwork,
    RerankerTrainee,
    RerankerTrainer,
    SlateBatch,
    losses,
    readings_of,
)

torch.set_num_threads(1)  # tests of other files run at the same time
CPU = torch.device("cpu")
TINY = EncoderShape(layers=2, width=32, inner=64)
COURSE = Course(rows=24, cooldown=8, warm_up=2, tokens=600, pool=20, measured_every=12, saved_every=10)


def network(seed: int = 0) -> RerankerNetwork:
    torch.manual_seed(seed)
    return RerankerNetwork(Bert(TINY))


def slate(*grades: int, kind: SlateKind = "paths", words: int = 5) -> Slate:
    pairs = tuple((101, 7, 102, *range(9 + place, 9 + place + words), 102) for place in range(len(grades)))
    return Slate(source="hops", licence="CC0-1.0", kind=kind, pairs=pairs, asked=3, grades=grades)


def of(logits: list[float], *slates: Slate) -> dict[str, float]:
    found = losses(torch.tensor(logits), SlateBatch.of(slates, CPU))
    return {name: float(value) for name, value in found.items()}


def test_each_right_text_is_weighed_against_all_that_hold_less() -> None:
    """The whole path against its beginning and the wrong one, its beginning against the wrong one alone."""
    assert of([0, 0, 0], slate(3, 2, 0))["order"] == pytest.approx((math.log(3) + math.log(2)) / 2)
    assert of([9, 0, -9], slate(3, 2, 0))["order"] < 0.001
    assert of([0, 9, -9], slate(3, 2, 0))["order"] == pytest.approx(4.5, abs=0.01)


def test_texts_of_other_slates_do_not_compete() -> None:
    one, both = of([1, 0], slate(1, 0)), of([1, 0, 5, 4], slate(1, 0), slate(1, 0))
    assert one["order"] == pytest.approx(both["order"])


def test_scores_stay_chances() -> None:
    assert of([0, 0], slate(1, 0))["sure"] == pytest.approx(SURE * math.log(2))
    assert of([6, -6], slate(1, 0))["sure"] < 0.01


def test_ordinary_rows_keep_the_scores_they_had() -> None:
    before, now = network().eval(), network().eval()
    trainee = RerankerTrainee(network=now, before=before, aside=(), device=CPU)

    def kept(kind: SlateKind) -> float:
        return float(trainee.losses([slate(1, 0, kind=kind)])["kept"].detach())

    assert kept("ordinary") == pytest.approx(0, abs=1e-6)
    with torch.no_grad():
        now.relevance.bias += 2
    assert kept("ordinary") == pytest.approx(0.05 * 4, rel=0.05)
    assert kept("paths") == 0


def test_padding_changes_no_logit() -> None:
    net = network().eval()
    short, long = slate(1, 0), slate(1, 0, words=9)

    def logits(*slates: Slate) -> list[float]:
        batch = SlateBatch.of(slates, CPU)
        return [float(one) for one in net(batch.ids, batch.mask, batch.segments).detach()]

    assert logits(short, long)[:2] == pytest.approx(logits(short), abs=1e-4)


def test_the_exported_graph_scores_as_the_network_does(tmp_path: Path) -> None:
    net = network().eval()
    with torch.no_grad():
        net.relevance.weight *= 40
    export(weights_of(net), HEADS, tmp_path / "reranker", card="")
    one = slate(1, 0, 0)
    batch = SlateBatch.of([one], CPU)
    exact = net(batch.ids, batch.mask, batch.segments).detach().numpy()
    (read,) = readings_of(tmp_path / "reranker" / "model.onnx", [one])
    assert read.right == pytest.approx(float(exact[0]), abs=0.1)
    assert read.wrong == pytest.approx(float(exact[1:].mean()), abs=0.1)


def test_a_reranker_is_trained_stopped_resumed_and_exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rivals, "is_kept_aside", lambda text: "Ostrand" in text)
    data = write_rows(tmp_path / "rows", reading(), multi_hop())
    exported = []
    for name, stops in (("whole", ()), ("parts", (2, 1))):
        for steps in (*stops, None):
            left = iter(range(10**6 if steps is None else steps - 1))
            trainer = RerankerTrainer(
                data=data,
                out=tmp_path / name,
                course=COURSE,
                network=network,
                frozen=1,
                stopped=lambda left=left: next(left, None) is None,  # type: ignore[misc]
            )
            assert trainer.run().finished == (steps is None)
        exported.append((tmp_path / name / "reranker" / "model.onnx").read_bytes())
    assert exported[0] == exported[1]
    folder = tmp_path / "whole" / "reranker"
    check_hashes(folder)
    card = (folder / "card.md").read_text(encoding="utf-8")
    assert "CC0-1.0" in card
    assert "| source | slates | first |" in card
    assert json.loads((folder / "manifest.json").read_text(encoding="utf-8"))[0]["name"] == "card.md"
    model = PolyhopReranker(folder=str(folder))
    model.verify()
    scores = model.score("Where was the keeper of Ostrand born?", ["Edda Marrish was born in Lund.", "Soup."])
    assert np.isfinite(scores).all()
    assert model.name.startswith("polyhop-reranker-")


def test_frozen_layers_stay_as_they_were(tmp_path: Path) -> None:
    net = network()
    net.freeze(1)
    learning = {name for name, parameter in net.named_parameters() if parameter.requires_grad}
    assert not any(name.startswith(("body.layers.0.", "body.norm", "body.seg", "body.word")) for name in learning)
    assert "relevance.pooler.weight" in learning
    assert any(name.startswith("body.layers.1.") for name in learning)
