"""The reader's losses, and a whole training of a tiny one: rows in, a graph that reads out."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from polyhop.errors import ModelError, ModelMissing, UsageError
from polyhop.models.weights import check_hashes, sha256_of
from tests.worlds.rows import multi_hop, reading, write_rows

torch = pytest.importorskip("torch", reason="training needs the extra 'train' (torch, 200 MB)")

from polyhop.training import mixture  # noqa: E402
from polyhop.training.encoder import Bert, EncoderShape, weights_of  # noqa: E402
from polyhop.training.graph import write_graph  # noqa: E402
from polyhop.training.loop import Course  # noqa: E402
from polyhop.training.reader import HEADS, Batch, ReaderNetwork, ReaderTrainer, losses, readings_of  # noqa: E402
from polyhop.training.rows import KINDS  # noqa: E402
from polyhop.training.start import finished_weights  # noqa: E402
from polyhop.training.windows import Window  # noqa: E402

torch.set_num_threads(1)  # tests of other files run at the same time
CPU = torch.device("cpu")
TINY = EncoderShape(layers=1, width=32, inner=64)
COURSE = Course(rows=120, cooldown=40, warm_up=4, tokens=600, pool=40, measured_every=60, saved_every=50)


def window(kind: str, *spans: tuple[int, int]) -> Window:
    allowed = (False, False, False, True, True, True, False)
    return Window(
        ids=(101, 7, 102, 20, 21, 22, 102),
        asked=3,
        allowed=allowed,
        spans=spans,
        evidence=(False, False, False, bool(spans), bool(spans), False, False),
        kind=KINDS.index(kind),
        told=kind in ("none", "span"),
        source="lights",
    )


def of(*windows: Window) -> dict[str, float]:
    """The losses of logits that know nothing."""
    batch = Batch.of(windows, CPU)
    found = losses(torch.zeros(*batch.ids.shape, 3), torch.zeros(len(windows), 4), batch)
    return {name: float(value) for name, value in found.items()}


def test_losses_of_a_reader_that_knows_nothing() -> None:
    """One of three tokens begins and one of three ends the answer; one of four kinds; evidence or not."""
    found = of(window("span", (3, 4)))
    assert found["span"] == pytest.approx(2 * math.log(3), abs=1e-3)
    assert found["kind"] == pytest.approx(math.log(4))
    assert found["evidence"] == pytest.approx(math.log(2))


def test_two_occurrences_are_as_good_as_twice_the_chance() -> None:
    assert of(window("span", (3, 3), (5, 5)))["span"] == pytest.approx(2 * math.log(3) - math.log(2), abs=1e-3)


def test_windows_without_a_span_teach_no_span_and_yes_no_evidence() -> None:
    assert of(window("none"))["span"] == 0
    assert of(window("yes"))["evidence"] == 0
    assert of(window("none"))["evidence"] > 0
    assert of(window("span", (3, 4)), window("none"))["span"] == pytest.approx(math.log(3), abs=1e-3)


def test_padding_changes_no_loss() -> None:
    torch.manual_seed(3)
    network = ReaderNetwork(Bert(TINY)).eval()
    long = Window(
        ids=(101, 7, 8, 9, 102, 20, 21, 22, 23, 102),
        asked=5,
        allowed=(False,) * 5 + (True,) * 4 + (False,),
        spans=((6, 7),),
        evidence=(False,) * 5 + (True,) * 4 + (False,),
        kind=1,
        told=True,
        source="lights",
    )
    short = window("span", (3, 4))

    def span_loss(*windows: Window) -> float:
        batch = Batch.of(windows, CPU)
        tokens, kind = network(batch.ids, batch.mask, batch.segments)
        return float(losses(tokens, kind, batch)["span"].detach())

    assert span_loss(short, long) == pytest.approx((span_loss(short) + span_loss(long)) / 2, rel=1e-4)


def test_the_graph_reads_as_the_network_does(tmp_path: Path) -> None:
    torch.manual_seed(4)
    network = ReaderNetwork(Bert(TINY)).eval()
    write_graph(weights_of(network), HEADS, tmp_path / "model.onnx", exact=True)
    from polyhop.models.session import open_session

    ids = np.array([[101, 7, 102, 20, 21, 102]])
    segments = np.array([[0, 0, 0, 1, 1, 1]])
    with torch.no_grad():
        expected = network(*(torch.from_numpy(value) for value in (ids, np.ones_like(ids), segments)))
    feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": segments}
    found = open_session(tmp_path / "model.onnx", threads=1).run(["tokens", "kind"], feed)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other.numpy(), atol=1e-5)


def test_a_finished_reader_is_gone_on_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixture, "is_kept_aside", lambda text: "Ostrand" in text)
    data = write_rows(tmp_path / "rows", reading(), multi_hop())

    def trainer(name: str, start: Path | None) -> ReaderTrainer:
        return ReaderTrainer(data=data, out=tmp_path / name, course=COURSE, body=lambda: Bert(TINY), start=start)

    assert trainer("first", None).run().finished
    first = tmp_path / "first" / "reader"
    weights = finished_weights(first)
    write_graph(weights, HEADS, tmp_path / "again.onnx")
    assert (tmp_path / "again.onnx").read_bytes() == (first / "model.onnx").read_bytes()
    assert trainer("second", first).run().finished
    card = (tmp_path / "second" / "reader" / "card.md").read_text(encoding="utf-8")
    assert "What it went on from" in card
    with pytest.raises(UsageError):
        trainer("second", None).run()


def test_half_of_what_was_learnt_is_the_mean_of_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixture, "is_kept_aside", lambda text: "Ostrand" in text)
    data = write_rows(tmp_path / "rows", reading(), multi_hop())

    def trained(name: str, start: Path | None, blend: float = 1.0) -> Path:
        out = tmp_path / name
        ReaderTrainer(data=data, out=out, course=COURSE, body=lambda: Bert(TINY), start=start, blend=blend).run()
        return out / "reader"

    first = trained("first", None)
    whole, half = trained("whole", first), trained("half", first, 0.5)
    before, learnt, mean = (finished_weights(one) for one in (first, whole, half))
    for name in ("tokens.weight", "kind.bias", "body.norm.weight"):  # these are exported as they are
        np.testing.assert_allclose(mean[name], (before[name] + learnt[name]) / 2, atol=1e-6)
    assert "Of what was learnt, 50% was added" in (half / "card.md").read_text(encoding="utf-8")
    with pytest.raises(UsageError, match="there is none"):
        trained("alone", None, 0.5)


def test_the_mean_of_several_readers_is_exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixture, "is_kept_aside", lambda text: "Ostrand" in text)
    data = write_rows(tmp_path / "rows", reading(), multi_hop())

    def trained(name: str, seed: int, others: tuple[Path, ...] = (), shape: EncoderShape = TINY) -> Path:
        out, course = tmp_path / name, replace(COURSE, seed=seed)
        ReaderTrainer(data=data, out=out, course=course, body=lambda: Bert(shape), others=others).run()
        return out / "reader"

    first, second, third = (trained(f"alone {seed}", seed) for seed in (1, 2, 3))
    mean = trained("mean", 3, (first, second))
    alone = [finished_weights(one) for one in (first, second, third)]
    for name in ("tokens.weight", "kind.bias", "body.norm.weight"):  # these are exported as they are
        expected = sum(one[name] for one in alone) / 3
        np.testing.assert_allclose(finished_weights(mean)[name], expected, atol=1e-6)
    card = (mean / "card.md").read_text(encoding="utf-8")
    assert all(sha256_of(one / "model.onnx") in card for one in (first, second))
    with pytest.raises(ModelError, match="of this shape"):
        trained("wider", 3, (first,), replace(TINY, inner=2 * TINY.inner))
    assert not (tmp_path / "wider").exists()  # told before anything is learnt


def test_prepared_windows_need_no_rows_and_no_installed_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine that was only lent for its GPU: the same windows give the same weights."""
    monkeypatch.setattr(mixture, "is_kept_aside", lambda text: "Ostrand" in text)
    data = write_rows(tmp_path / "rows", reading(), multi_hop())
    first = ReaderTrainer(data=data, out=tmp_path / "first", course=COURSE, body=lambda: Bert(TINY))
    assert first.run().finished
    start = tmp_path / "first" / "reader"
    beside = ReaderTrainer(data=data, out=tmp_path / "beside", course=COURSE, start=start)
    assert beside.run().finished
    windows = beside.prepare()
    monkeypatch.setattr("polyhop.models.cross_encoder.package_folder", missing)
    alone = ReaderTrainer(data=tmp_path / "none", windows=windows, out=tmp_path / "alone", course=COURSE, start=start)
    assert alone.run().finished
    for name in ("model.onnx", "tokenizer.json"):
        assert (tmp_path / "alone/reader" / name).read_bytes() == (tmp_path / "beside/reader" / name).read_bytes()
    card = (tmp_path / "alone/reader/card.md").read_text(encoding="utf-8")
    assert "reading.jsonl.gz" in card


def missing(package: str) -> Path:
    raise ModelMissing(f"The package {package} is not installed.")


def test_a_reader_is_trained_stopped_resumed_and_exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixture, "is_kept_aside", lambda text: "Ostrand" in text)
    data = write_rows(tmp_path / "rows", reading(), multi_hop())
    exported = []
    for name, stops in (("whole", ()), ("parts", (3, 4))):
        for steps in stops:
            left = iter(range(steps - 1))
            trainer = ReaderTrainer(
                data=data,
                out=tmp_path / name,
                course=COURSE,
                body=lambda: Bert(TINY),
                stopped=lambda left=left: next(left, None) is None,  # type: ignore[misc]
            )
            assert not trainer.run().finished
            assert not (tmp_path / name / "reader").exists()
        trainer = ReaderTrainer(data=data, out=tmp_path / name, course=COURSE, body=lambda: Bert(TINY))
        assert trainer.run().finished
        exported.append((tmp_path / name / "reader" / "model.onnx").read_bytes())
    assert exported[0] == exported[1]
    folder = tmp_path / "whole" / "reader"
    check_hashes(folder)
    card = (folder / "card.md").read_text(encoding="utf-8")
    assert "CC0-1.0" in card
    assert "| all | 21 |" in card
    assert json.loads((folder / "manifest.json").read_text(encoding="utf-8"))[0]["name"] == "card.md"
    assert len(readings_of(folder / "model.onnx", [window("none"), window("span", (3, 4))])) == 2
