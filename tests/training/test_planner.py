"""The planner's losses, and a whole training of a tiny one: rows in, a graph that finds descriptions out."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path

import numpy as np
import pytest

from polyhop.english.described import placed_words
from polyhop.errors import UsageError
from polyhop.models.question_pieces import QuestionPieces
from polyhop.models.question_spans import CHAIN, COMBINED, OFFSET, PlannerGraph
from polyhop.models.weights import check_hashes
from tests.worlds.rows import decompositions, multi_hop, reading, skeletons, write_plans, write_rows

torch = pytest.importorskip("torch", reason="training needs the extra 'train' (torch, 200 MB)")

from polyhop.training import self_taught, taught_plans  # noqa: E402
from polyhop.training.encoder import Bert, EncoderShape, weights_of  # noqa: E402
from polyhop.training.export import export  # noqa: E402
from polyhop.training.graph import write_graph  # noqa: E402
from polyhop.training.loop import Course  # noqa: E402
from polyhop.training.plan_windows import PlanWindow  # noqa: E402
from polyhop.training.planner import (  # noqa: E402
    EDGE,
    HEADS,
    MARKED,
    PlanBatch,
    PlannerNetwork,
    PlannerTrainer,
    figures,
    judged,
    losses,
    readings_of,
)
from polyhop.training.start import finished_weights  # noqa: E402

torch.set_num_threads(1)  # tests of other files run at the same time
CPU = torch.device("cpu")
TINY = EncoderShape(layers=1, width=32, inner=64)
COURSE = Course(rows=120, cooldown=40, warm_up=4, tokens=400, pool=40, measured_every=60, saved_every=50)


def window(*stretches: tuple[int, int], shape: int = CHAIN, more: str = "") -> PlanWindow:
    words = placed_words(f"Who met the keeper{more}")
    places = tuple(range(1, len(words) + 1))
    pieces = QuestionPieces(ids=(101, *places, 102), words=words, firsts=places, lasts=places)
    return PlanWindow(
        source="lights", licence="CC0-1.0", pieces=pieces, stretches=stretches, shape=shape, told=shape != COMBINED
    )


def of(*windows: PlanWindow) -> dict[str, float]:
    """The losses of a planner that knows nothing."""
    batch = PlanBatch.of(windows, CPU)
    found = losses(torch.zeros(*batch.ids.shape, 2 * EDGE), torch.zeros(len(windows), 3), batch)
    return {name: float(value) for name, value in found.items()}


def test_losses_of_a_planner_that_knows_nothing() -> None:
    """Ten pairs of four words frame a stretch or do not, and one of three shapes."""
    nothing, something = math.log(1 + math.exp(-OFFSET)), math.log(1 + math.exp(OFFSET))
    assert of(window())["stretches"] == pytest.approx(10 * nothing, rel=1e-4)
    assert of(window((2, 4)))["stretches"] == pytest.approx(9 * nothing + something, rel=1e-4)
    assert of(window())["shape"] == pytest.approx(math.log(3), rel=1e-4)


def test_what_is_compared_teaches_no_stretches() -> None:
    assert of(window(shape=COMBINED))["stretches"] == 0


def test_padding_changes_no_loss() -> None:
    torch.manual_seed(3)
    network = PlannerNetwork(Bert(TINY)).eval()
    short, long = window((2, 4)), window((0, 3), more=" of the light at Velm")

    def loss(*windows: PlanWindow) -> float:
        batch = PlanBatch.of(windows, CPU)
        edges, shape = network(batch.ids, batch.mask)
        return float(losses(edges, shape, batch)["stretches"].detach())

    assert loss(short, long) == pytest.approx((loss(short) + loss(long)) / 2, rel=1e-4)


def test_a_plan_is_right_where_its_stretches_are() -> None:
    scores = np.full((4, 4), -9.0, np.float32)
    scores[2, 3] = 5
    shape = np.array([0, 1, 0], np.float32)
    read = [judged(window(*gold), scores, shape) for gold in ([(2, 4)], [(1, 4)], [])]
    assert [one.exact for one in read] == [True, False, False]
    table = figures([*read, judged(window(shape=COMBINED), scores, shape)])["all"]
    assert table["exact"] == pytest.approx(100 / 3)
    assert [table[name] for name in ("questions", "comparisons", "score")] == [4, 75, 25]
    assert table["F1"] == pytest.approx(40)


def test_a_planner_is_trained_stopped_resumed_and_exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(taught_plans, "is_kept_aside", lambda text: "ostrand" in text)
    monkeypatch.setattr(taught_plans, "SINGLE_SOURCES", {"lights": 9})
    data = write_plans(write_rows(tmp_path / "rows", reading(), multi_hop()), decompositions(), skeletons())
    exported = []
    for name, stops in (("whole", ()), ("parts", (3, 4))):
        for steps in stops:
            left = iter(range(steps - 1))
            trainer = PlannerTrainer(
                data=data,
                out=tmp_path / name,
                course=COURSE,
                body=lambda: Bert(TINY),
                stopped=lambda left=left: next(left, None) is None,  # type: ignore[misc]
            )
            assert not trainer.run().finished
            assert not (tmp_path / name / "planner").exists()
        trainer = PlannerTrainer(data=data, out=tmp_path / name, course=COURSE, body=lambda: Bert(TINY))
        assert trainer.run().finished
        exported.append((tmp_path / name / "planner" / "model.onnx").read_bytes())
    assert exported[0] == exported[1]
    folder = tmp_path / "whole" / "planner"
    check_hashes(folder)
    card = (folder / "card.md").read_text(encoding="utf-8")
    assert "CC0-1.0" in card
    assert "| source | questions | exact |" in card
    assert json.loads((folder / "manifest.json").read_text(encoding="utf-8"))[0]["name"] == "card.md"
    read = PlannerGraph(folder).read("Who met the keeper of the Ostrand light?")
    assert read is not None
    assert read.stretches.shape == (9, 9)
    assert read.shape.sum() == pytest.approx(1)
    assert len(readings_of(folder, [window(), window((2, 4))])) == 2


def test_questions_that_somebody_has_marked_come_more_often_than_weak_labels(tmp_path: Path) -> None:
    data = write_plans(write_rows(tmp_path / "rows", reading(), multi_hop()), decompositions(), skeletons())
    known = decompositions()[0]["question"]
    marked = tmp_path / "marked.jsonl"
    asked = {"licence": "CC0-1.0", "kind": "chain", "question": "Who met [the keeper of the Orsa light]?"}
    again = {"licence": "CC0-1.0", "kind": "one", "question": known}
    marked.write_text("\n".join(map(json.dumps, (asked, again))), encoding="utf-8")
    trainer = PlannerTrainer(data=data, out=tmp_path / "out", course=COURSE, body=lambda: Bert(TINY), marked=[marked])
    assert trainer.run().finished
    card = (tmp_path / "out" / "planner" / "card.md").read_text(encoding="utf-8")
    assert f"| CC0-1.0 | {2 * MARKED} |" in card
    assert "`marked.jsonl`, sha256" in card


def test_two_files_of_one_name_are_refused_because_a_card_could_name_only_one(tmp_path: Path) -> None:
    data = write_plans(write_rows(tmp_path / "rows", reading(), multi_hop()), decompositions(), skeletons())
    files = [tmp_path / writer / "marked.jsonl" for writer in ("ada", "ivo")]
    for file in files:
        file.parent.mkdir()
        asked = {"licence": "CC0-1.0", "kind": "chain", "question": f"Who met [the keeper of {file.parent.name}]?"}
        file.write_text(json.dumps(asked), encoding="utf-8")
    trainer = PlannerTrainer(data=data, out=tmp_path / "out", course=COURSE, body=lambda: Bert(TINY), marked=files)
    with pytest.raises(UsageError, match=r"Two different files to train on are called marked\.jsonl"):
        trainer.run()


def test_a_text_is_no_question(tmp_path: Path) -> None:
    network = PlannerNetwork(Bert(TINY))
    export(weights_of(network), HEADS, tmp_path / "planner", card="")
    graph = PlannerGraph(tmp_path / "planner")
    assert graph.read("the light " * 200) is None
    assert graph.read(" ") is None
    assert graph.read("Zażółć \ud800 gęślą 光?") is not None


def test_a_finished_planner_is_gone_on_from_and_teaches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = write_plans(write_rows(tmp_path / "rows", reading(), multi_hop()), decompositions(), skeletons())
    questions = [f"Where was the keeper of the {name} light born?" for name in ("Orsa", "Velm", "Lund")]
    rows = [{"src": "riddles", "licence": "CC-BY-4.0", "question": one, "answer": ["here"]} for one in questions]
    with gzip.open(data / "questions_unlabelled.jsonl.gz", "wt", encoding="utf-8") as stream:
        stream.writelines(json.dumps(row) + "\n" for row in rows)

    def trainer(name: str, start: Path | None) -> PlannerTrainer:
        return PlannerTrainer(data=data, out=tmp_path / name, course=COURSE, body=lambda: Bert(TINY), start=start)

    assert trainer("first", None).run().finished
    first = tmp_path / "first" / "planner"
    network = PlannerNetwork(Bert(TINY))
    network.load_state_dict({name: torch.from_numpy(value) for name, value in finished_weights(first).items()})
    write_graph(weights_of(network), HEADS, tmp_path / "again.onnx")
    assert (tmp_path / "again.onnx").read_bytes() == (first / "model.onnx").read_bytes()
    monkeypatch.setattr(self_taught, "LEAST", 0.0001)
    assert trainer("second", first).run().finished
    card = (tmp_path / "second" / "planner" / "card.md").read_text(encoding="utf-8")
    assert "What it went on from" in card
    assert "| riddles | CC-BY-4.0 | 3 |" in card
    with pytest.raises(UsageError):
        trainer("second", None).run()
