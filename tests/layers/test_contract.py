"""The contract of every layer: pure extraction, and what is searchable depends on the documents there are, not on how.

Whether passages came all at once, in portions, with an interruption, or beside others that have been removed since: an
index of the same documents answers the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from polyhop import registry
from polyhop.errors import LayerMissing, ModelMismatch
from polyhop.indexing import build
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.layer import fingerprint, layer_of
from polyhop.layers.parsekg.graph import ParseKG
from polyhop.layers.questions.graph import QuestionGraph
from polyhop.layers.text.layer import TextIndex
from polyhop.layers.tree.index import TreeIndex
from polyhop.models.choice import Models, load_models
from polyhop.ports import Rows
from polyhop.reports import Progress
from polyhop.settings import Settings
from tests.worlds.machine import needs
from tests.worlds.one_layer import (
    QUESTIONS,
    TEXTS,
    Index,
    index_at,
    opened_text,
    passages,
    searchable,
    titles_of,
    vector_of,
)

LAYERS = registry.names("layers")


@pytest.fixture(params=LAYERS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def index(tmp_path: Path, name: str, models: Models) -> Iterator[Index]:
    with index_at(tmp_path / "one", name, models) as made:
        yield made


@pytest.fixture
def other(tmp_path: Path, name: str, models: Models) -> Iterator[Index]:
    with index_at(tmp_path / "other", name, models) as made:
        yield made


def test_extraction_gives_the_same_bytes_every_time(name: str, models: Models) -> None:
    layer = layer_of(name, Settings())
    first = list(layer.extract(passages(), models, {}))
    assert all(isinstance(rows, bytes) for rows in first)
    assert list(layer.extract(passages(), models, {})) == first


def test_a_passage_does_not_feel_its_batch_mates(name: str, models: Models) -> None:
    layer = layer_of(name, Settings())
    together = list(layer.extract(passages(), models, {}))
    alone: list[Rows] = [layer.extract([passage], models, {})[0] for passage in passages()]
    assert alone == together
    assert list(layer.extract(passages()[::-1], models, {}))[::-1] == together


def test_inserting_and_deleting_leaves_no_trace(index: Index, other: Index) -> None:
    index.put("Quillmouth", "Ada Brisk", "Fennick", "Tarn School", "雨の町")
    index.build()
    index.put("Piet Rook", "River Oar")
    index.build()
    index.drop("Piet Rook", "River Oar", "Fennick")
    index.build()
    other.put("Quillmouth", "Ada Brisk", "Tarn School", "雨の町")
    other.build()
    assert searchable(index) == searchable(other)


def test_what_is_deleted_is_gone_even_before_the_layer_is_gathered_again(index: Index) -> None:
    """Between the removal of a document and the end of indexing, readers do not find it."""
    index.put(*TEXTS)
    index.build()
    index.drop("Piet Rook", "雨の町")
    opened = index.open()
    if isinstance(opened, ParseKG):
        rook = opened.find("Piet Rook")
        assert rook is not None
        assert titles_of(opened.passages_mentioning(rook), index) == ["Tarn School"]
        assert "雨の町" not in {opened.entity(entity).name for entity in opened.entities()}
        assert titles_of(opened.passages_titled(rook), index) == []
    elif isinstance(opened, FactGraph):
        for title in ("Piet Rook", "雨の町"):
            place = opened.find(title)
            left = [] if place is None else titles_of(opened.passages_of(opened.touching([place])), index)
            assert title not in left
    elif isinstance(opened, TreeIndex):
        said = " ".join(opened.texts[node] for node in opened.nodes.tolist())
        assert "Rook" not in said.replace("under Piet Rook", "").replace("by Piet Rook", "")
        assert "雨の町" not in said
        assert {"Piet Rook", "雨の町"}.isdisjoint(titles_of(opened.top()[0].tolist(), index))
    elif isinstance(opened, QuestionGraph):
        found = [int(node) for question in QUESTIONS for node in opened.search(vector_of(question, index), 99)[0]]
        found += [node for near in opened.around(found, 10) for node, _ in near]
        places = {opened.place(node)[0] for node in found}
        assert places
        assert places <= set(index.record.numbers().tolist())
    else:
        for ranked in opened_text(opened, index).values():
            assert not {"Piet Rook", "雨の町"} & set(dict(ranked))


def test_growing_step_by_step_equals_building_at_once(index: Index, other: Index) -> None:
    for title in TEXTS:
        index.put(title)
        index.build()
    index.put(Fennick="Fennick was a village.")
    index.build()
    index.put("Fennick")
    index.build()
    other.put(*TEXTS)
    other.build()
    assert searchable(index) == searchable(other)


class PowerCut(Exception):
    """What ends a run in the middle."""


@pytest.mark.parametrize("after", [0, 1, 2, 3, 4])
def test_interrupted_and_resumed_equals_never_interrupted(
    index: Index, other: Index, after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what was committed before the interruption is not done again."""
    monkeypatch.setattr(build, "CHUNK", 3)
    steps: list[Progress] = []  # none done, 3, 6, 8, gathering

    def interrupt(step: Progress) -> None:
        steps.append(step)
        if len(steps) > after:
            raise PowerCut

    index.put(*TEXTS)
    with pytest.raises(PowerCut):
        index.build(interrupt)
    committed = max(step.done for step in steps)
    report = index.build()
    assert (report.extracted, report.reused) == (len(TEXTS) - committed, committed)
    other.put(*TEXTS)
    other.build()
    assert searchable(index) == searchable(other)


def test_only_new_and_changed_passages_are_extracted(index: Index) -> None:
    index.put(*TEXTS)
    first = index.build()
    assert (first.extracted, first.reused, first.failed) == (len(TEXTS), 0, 0)
    again = index.build()
    assert (again.extracted, again.reused) == (0, len(TEXTS))
    index.put(Fennick="Fennick was a village.")
    assert index.build().extracted == 1


def test_gathering_again_changes_nothing_on_disk(index: Index) -> None:
    index.put(*TEXTS)
    index.build()
    before = {path: path.stat().st_mtime_ns for path in index.folder.rglob("*.npy")}
    generation = index.record.generation(index.name)
    index.build()
    assert {path: path.stat().st_mtime_ns for path in index.folder.rglob("*.npy")} == before
    assert index.record.generation(index.name) == generation


def test_lost_files_are_made_again_from_the_record(index: Index) -> None:
    """Generations are derived: whoever deletes them loses time, not data."""
    import shutil

    index.put(*TEXTS)
    index.build()
    before = searchable(index)
    shutil.rmtree(index.folder)
    assert index.build().extracted == 0
    assert searchable(index) == before


def test_nothing_is_left_of_older_generations(index: Index) -> None:
    for title in TEXTS:
        index.put(title)
        index.build()
    index.drop("Fennick")
    index.build()
    current = index.record.generation(index.name)
    assert current is not None
    beside = current.description.get("covered", {}).get("folder")
    named = {*current.description.get("segments", [current.name]), *([beside] if beside else [])}
    assert {path.name for path in (index.folder / index.name).iterdir()} == named


def test_an_index_without_documents_can_be_gathered_and_opened(index: Index) -> None:
    index.build()
    opened = index.open()
    if isinstance(opened, TextIndex):
        assert len(opened.vectors.search(vector_of("x", index), 5)[0]) == 0
        assert len(opened.lexical.search("x", 5)[0]) == 0
    elif isinstance(opened, FactGraph):
        assert len(opened) == 0
        assert opened.anchors("Ada Brisk", 3) == []
    elif isinstance(opened, TreeIndex):
        assert len(opened) == 0
        assert [part.tolist() for part in opened.top()] == [[], []]
    elif isinstance(opened, QuestionGraph):
        assert len(opened) == 0
        assert len(opened.search(vector_of("x", index), 5)[0]) == 0
    else:
        assert list(opened.entities()) == []
        assert opened.named_in("Ada Brisk") == []


def test_what_was_never_gathered_is_missing(index: Index) -> None:
    index.put("Fennick")
    with pytest.raises(LayerMissing) as caught:
        index.open()
    assert "polyhop index" in caught.value.remedy


def test_the_fingerprint_follows_the_model(name: str, models: Models) -> None:
    needs("minilm", "spacy-md")
    layer = layer_of(name, Settings())
    others = load_models(Settings().with_models(embedder="minilm", parser="spacy-md"))
    assert fingerprint(layer, models) == fingerprint(layer, load_models(Settings()))
    assert fingerprint(layer, models) != fingerprint(layer, others)


def test_vectors_of_two_embedders_are_never_mixed(tmp_path: Path, models: Models) -> None:
    """Not even where the layer is gathered, for another reason, while another embedder is configured."""
    minilm = load_models(Settings().with_models(embedder="minilm"))
    with index_at(tmp_path / "index", "text", models) as index:
        index.put("Fennick", "Ada Brisk")
        index.build()
        index.drop("Fennick")
        current = index.record.generation("text")
        assert current is not None
        index.layer.gather(index.record, index.folder / "text", current.description["fingerprint"], minilm)
        assert len(index.open().vectors) == 1
        with pytest.raises(ModelMismatch, match=r"embedded with bge.*but .*MiniLM.* is configured") as caught:
            index.layer.open(index.record, index.folder / "text", minilm)
        assert "polyhop index" in caught.value.remedy


def test_vectors_have_length_one_and_are_half_as_wide(models: Models) -> None:
    (row,) = layer_of("text", Settings()).extract(passages()[:1], models, {})
    assert isinstance(row, bytes)
    vector = np.frombuffer(row, np.float16).astype(np.float32)
    assert vector.shape == (models.embedder.dimensions,)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=2e-3)
