"""The translator's loss, and a whole training of a tiny one: rows in, a model that speaks under constraints out."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from polyhop.errors import DatasetError, ModelError, UsageError
from polyhop.models.choice import load_models
from polyhop.models.graph_weights import graph_weights
from polyhop.models.smollm2 import SmolLM2
from polyhop.models.tuned import ADDITIONS, GRAPH
from polyhop.models.weights import check_hashes, read_manifest
from polyhop.settings import Settings
from polyhop.strategies.translator.translate import INSTRUCTION, TRIPLES_INSTRUCTION
from tests.worlds.gguf import installed
from tests.worlds.rows import KEEPERS, PLACES, write_rows

torch = pytest.importorskip("torch", reason="training needs the extra 'train' (torch, 200 MB)")

from polyhop.training import asked_passages  # noqa: E402
from polyhop.training.clue_figures import likelihoods  # noqa: E402
from polyhop.training.clue_file import read_clues, write_alpaca  # noqa: E402
from polyhop.training.clues import TaughtClue, clue_tokens  # noqa: E402
from polyhop.training.llama import Llama  # noqa: E402
from polyhop.training.loop import Course  # noqa: E402
from polyhop.training.translator import (  # noqa: E402
    ClueWindow,
    TranslatorTrainee,
    TranslatorTrainer,
    opening,
    window,
)

torch.set_num_threads(1)  # tests of other files run at the same time
COURSE = Course(rows=24, cooldown=8, warm_up=2, tokens=900, pool=10, measured_every=12, saved_every=9, rate=1e-2)


@pytest.fixture
def model(tmp_path: Path) -> SmolLM2:
    return installed(tmp_path / "cache")


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Passages with a title, each asked about as a whole; those about Ostrand are kept aside."""
    monkeypatch.setattr(asked_passages, "is_kept_aside", lambda text: "Ostrand" in text)
    rows = [
        {
            "src": "hops",
            "license": "CC0-1.0",
            "question": f"Who painted the bridge of {place} when {keeper} was young?",
            "answer": keeper,
            "positives": [{"title": place, "text": f"The bridge of {place} was painted by {keeper} in a hurry."}],
            "negatives": [],
        }
        for place in PLACES[:4]
        for keeper in KEEPERS[:2]
    ]
    folder = write_rows(tmp_path / "rows", [], rows)
    (folder / "reading.jsonl.gz").unlink()
    return folder


def trainer(data: Path, out: Path, model: SmolLM2, *, rank: int | None = 2) -> TranslatorTrainer:
    return TranslatorTrainer(data=data, out=out, models=load_models(Settings()), model=model, course=COURSE, rank=rank)


def taught(model: SmolLM2, question: str, name: str, relation: str) -> TaughtClue:
    row = asked_passages.AskedPassage(source="lights", licence="CC0-1.0", question=question, title="", text="")
    tokens = clue_tokens(model, name, model.encode([relation])[0])
    assert tokens is not None
    return TaughtClue(row=row, name=name, relation=relation, tokens=tokens, direction="forward", nearness=1.0)


def trainee(model: SmolLM2, *aside: ClueWindow) -> TranslatorTrainee:
    network = Llama(graph_weights(model.folder / GRAPH), rank=2).eval()
    return TranslatorTrainee(network=network, opening=opening(model), aside=aside, device=torch.device("cpu"))


def test_a_clue_stands_behind_exactly_the_prompt_of_inference(model: SmolLM2) -> None:
    clue = taught(model, "Who lit the lamp?", "Velm", " lit by")
    made = window(model, clue)
    prompt = model.prompt(INSTRUCTION, "Who lit the lamp?")
    assert [*opening(model), *made.ids] == [*prompt, *clue.tokens]
    assert made.asked == len(prompt) - len(opening(model))
    assert model.decode(clue.tokens) == "Velm@@ lit by"


def test_triples_have_a_prompt_of_their_own(model: SmolLM2, tmp_path: Path) -> None:
    """The same in training, in inference and in what is taken elsewhere (appendix M, prompt 4)."""
    clue = replace(taught(model, "Who lit the lamp?", "Velm", " lit by"), tail="Ostrand")
    prompt = model.prompt(TRIPLES_INSTRUCTION, "Who lit the lamp?")
    assert [*opening(model, triples=True), *window(model, clue).ids] == [*prompt, *clue.tokens]
    write_alpaca(tmp_path / "rows.json", [clue])
    (row,) = json.loads((tmp_path / "rows.json").read_text(encoding="utf-8"))
    assert (row["system"], row["output"]) == (TRIPLES_INSTRUCTION, "Velm@@ lit by@@Ostrand")


def test_the_loss_is_that_of_the_clue_alone_as_the_runtime_has_it(model: SmolLM2) -> None:
    """The longer of two clues in a batch, and the padded one: both as the graph reads them one by one."""
    clues = [taught(model, "Who?", "Velm", " lit"), taught(model, "Who lit the lamp?", "Harrowmere", " was lit by")]
    ours = trainee(model, *(window(model, clue) for clue in clues))
    with torch.no_grad():
        assert ours.surprises() == pytest.approx(likelihoods(model, clues), rel=1e-2)
        tokens = sum(len(clue.tokens) for clue in clues)
        assert ours.surprise(ours.aside).shape == (tokens,)


def test_a_translator_is_tuned_stopped_resumed_and_exported(data: Path, tmp_path: Path, model: SmolLM2) -> None:
    written = []
    for name, stops in (("whole", ()), ("parts", (2, 1))):
        for steps in stops:
            left = iter(range(steps - 1))
            stopped = replace(
                trainer(data, tmp_path / name, model),
                stopped=lambda left=left: next(left, None) is None,  # type: ignore[misc]
            )
            assert not stopped.run().finished
            assert not (tmp_path / name / "translator").exists()
        assert trainer(data, tmp_path / name, model).run().finished
        written.append((tmp_path / name / "translator" / ADDITIONS).read_bytes())
    assert written[0] == written[1]
    folder = tmp_path / "whole" / "translator"
    check_hashes(folder)
    card = (folder / "card.md").read_text(encoding="utf-8")
    assert "additions of rank 2" in card
    assert "| all, untuned |" in card
    tuned = replace(model, tuned=str(folder))
    clue = taught(
        model, f"Who painted the bridge of {PLACES[0]} when {KEEPERS[0]} was young?", PLACES[0], " painted by"
    )
    assert likelihoods(tuned, [clue])[0] < likelihoods(model, [clue])[0], "it has learnt something"


def test_all_weights_are_learnt_and_another_run_is_not_gone_on_from(data: Path, tmp_path: Path, model: SmolLM2) -> None:
    assert trainer(data, tmp_path / "out", model, rank=None).run().finished
    folder = tmp_path / "out" / "translator"
    assert {file.name for file in read_manifest(folder)} == {"model.onnx", "tokenizer.json", "card.md"}
    replace(model, tuned=str(folder)).verify()
    with pytest.raises(UsageError, match="differs from this one in: rank"):
        trainer(data, tmp_path / "out", model, rank=2).run()


def test_clues_are_made_once_and_can_be_taken_elsewhere(data: Path, tmp_path: Path, model: SmolLM2) -> None:
    ours = trainer(data, tmp_path / "out", model)
    made = ours.clues()
    assert made
    assert replace(ours, models=load_models(Settings())).clues() == made
    head = json.loads((tmp_path / "out" / "clues.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert read_clues(tmp_path / "out" / "clues.jsonl", head["made_from"]) == made
    assert read_clues(tmp_path / "out" / "clues.jsonl", {}) is None
    count = write_alpaca(tmp_path / "rows.json", made)
    rows = json.loads((tmp_path / "rows.json").read_text(encoding="utf-8"))
    assert len(rows) == count == sum(not clue.row.aside for clue in made)
    assert rows[0].keys() == {"system", "instruction", "input", "output"}
    assert rows[0]["system"] == INSTRUCTION
    assert all("@@" in row["output"] and "Ostrand" not in row["instruction"] for row in rows)


def test_too_few_rows_are_refused(tmp_path: Path, model: SmolLM2) -> None:
    with pytest.raises(DatasetError, match="too few clues"):
        trainer(write_rows(tmp_path / "none", [], []), tmp_path / "out", model).run()


def test_clues_that_were_damaged_are_refused(data: Path, tmp_path: Path, model: SmolLM2) -> None:
    ours = trainer(data, tmp_path / "out", model)
    ours.clues()
    file = tmp_path / "out" / "clues.jsonl"
    file.write_text(file.read_text(encoding="utf-8").replace('"tokens"', '"pieces"'), encoding="utf-8")
    with pytest.raises(ModelError, match="damaged"):
        ours.clues()
