"""Questions are gathered into segments: nothing is embedded twice, and what is damaged or cut off leaves no trace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyhop.engine import Polyhop
from polyhop.errors import ModelMismatch
from polyhop.indexes import digests, lexical_runs
from polyhop.indexes.segments import AllBut, Packed, write_packed
from polyhop.layers import covered
from polyhop.layers.questions import layer as questions_layer
from polyhop.layers.questions import segment
from polyhop.layers.questions.layer import QuestionsLayer, encode
from polyhop.layers.questions.segment import QuestionedPassage, text_of
from polyhop.models.choice import Models, load_models
from polyhop.models.endpoint import OpenAICompatible
from polyhop.settings import Settings
from polyhop.store.phrase_store import PhraseStore
from polyhop.store.record import Record
from polyhop.types import Document
from tests.worlds.noted import NotingModels
from tests.worlds.question_graphs import BUILT, TEXTS, about, answered, content_of, index_at, own_vectors, vectors


def test_gathering_again_embeds_only_what_is_new(tmp_path: Path, models: Models) -> None:
    """And nothing twice, not even for a variant; passages have their vectors from the layer text."""
    noting = NotingModels(models)
    with index_at(tmp_path / "index", noting) as index:
        index.put("Quillmouth", "Ada Brisk")
        index.build("text", "questions")
        embedded = noting.embedder.read
        before = index.open()
        texts = [text_of(before.question(node)) for node in before.nodes.tolist()]
        assert sorted(embedded[2:]) == sorted(set(texts))  # after the two passages
        index.put("Fennick")
        index.drop("Quillmouth")
        already = len(embedded)
        index.build("text", "questions")
        after = index.open()
        number = index.record.numbers()[-1]
        new = {text_of(after.question(node)) for node in after.nodes[after.of_passage(int(number))].tolist()}
        assert new
        assert set(embedded[already + 1 :]) == new - set(texts)
        after.variant("question")
        already = len(embedded)
        after.variant("question")
        assert len(embedded) == already


def test_words_of_nodes_are_gathered_with_them(tmp_path: Path, models: Models) -> None:
    with index_at(tmp_path / "index", models) as index:
        index.put("Quillmouth", "Ada Brisk")
        index.build()
        index.put("Fennick")
        index.drop("Quillmouth")
        index.build()
        graph = index.open()
        assert graph.saved_words is not None
        anew = replace(graph, saved_words=None).words
        for asked in ("Where was Ada Brisk born?", "fennick", "lighthouse"):
            assert [part.tolist() for part in graph.words.search(asked, 9)] == [
                part.tolist() for part in anew.search(asked, 9)
            ]
        assert len(graph.words.search("fennick", 9)[0])


def test_rows_of_other_rules_are_made_again(
    harbour_engine: Polyhop, harbour: Path, models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the next run, and an engine that is open sees them; what a language model wrote depends on no rules."""
    with monkeypatch.context() as patch:
        patch.setattr(questions_layer, "RULES_VERSION", "0")
        patch.setattr("polyhop.layers.questions.rules.passages.questions_of", lambda *_, **__: [])
        harbour_engine.index(harbour, layers=("questions",))
        before = QuestionsLayer().made_with(models)
        with harbour_engine.view() as view:
            assert len(view.questions) == 0
    status = {layer.name: layer for layer in harbour_engine.status().layers}
    assert status["questions"].stale == status["text"].done > 0
    forecast, done = (
        {layer.name: layer.extracted for layer in harbour_engine.index(harbour, dry_run=dry).layers}
        for dry in (True, False)
    )
    assert forecast == done == {"text": 0, "parsekg": 0, "questions": status["text"].done}
    with harbour_engine.view() as view:
        assert len(view.questions) > 0
    assert QuestionsLayer().made_with(models) != before
    with OpenAICompatible(base_url="http://localhost:1", model="sage") as one:
        asking, layer = models.with_language_model(one), QuestionsLayer(generator="language_model")
        mark = layer.made_with(asking)
        monkeypatch.setattr(questions_layer, "RULES_VERSION", "0")
        assert layer.made_with(asking) == mark


def test_similarities_are_the_same_without_the_layer_text(tmp_path: Path, models: Models) -> None:
    found = []
    for name, layers in (("with", ("text", "questions")), ("without", ("questions",))):
        with index_at(tmp_path / name, models) as index:
            index.put(*TEXTS)
            index.build(*layers)
            found.append(content_of(index.open()))
    assert found[0] == found[1]


def test_a_graph_says_with_what_it_was_embedded(tmp_path: Path, models: Models) -> None:
    with index_at(tmp_path / "index", models) as index:
        index.put("Fennick")
        index.build()
        index.models = load_models(Settings().with_models(embedder="minilm"))
        with pytest.raises(ModelMismatch, match=r"embedded with bge.*but .*MiniLM.* is configured"):
            index.open()


def segments_in(folder: Path) -> list[Path]:
    """The files of the segments of a layer, all of whose arrays are small."""
    return [file for file in folder.glob(f"*/{digests.PACKED}") if not file.parent.name.startswith(covered.NOTED)]


@pytest.mark.parametrize("array", ["nodes.spans", "vectors.vectors", "words.documents"])
def test_a_damaged_graph_is_written_again(tmp_path: Path, models: Models, array: str) -> None:
    """Also where it would have been gone on from."""
    with index_at(tmp_path / "index", models) as index:
        index.put(*TEXTS)
        index.build()
        before = content_of(index.open())
        for document in ((), ("Fennick",)):
            (damaged,) = segments_in(index.folder / "questions")
            there = Packed.open(damaged)
            arrays = {name: there.array(name) for name in there.table}
            damaged.unlink()
            write_packed(damaged, {**arrays, array: np.full((3, 3), 99, np.int64)})
            index.drop(*document)
            index.build()
            if not document:
                assert content_of(index.open()) == before
        index.put("Fennick")
        index.build()
        assert len(index.open()) == len(before[-1])  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["questions", "parsekg"])
def test_a_layer_of_an_earlier_version_is_left_out_until_documents_are_indexed_again(
    harbour_engine: Polyhop, harbour: Path, name: str
) -> None:
    """Questions that can do without it are answered meanwhile, and nothing is extracted again."""
    layers = ("text", "parsekg", "questions")
    harbour_engine.index(harbour, layers=layers)
    with Record.create_or_open(harbour_engine.path) as record:
        current = record.generation(name)
        assert current is not None
        told = {key: value for key, value in current.description.items() if key not in ("segments", covered.NOTED)}
        record.set_generation(name, current.name, told)
    assert harbour_engine.search("Who built the lighthouse?", strategy="hybrid").passages
    with harbour_engine.view() as view:
        assert view.layers.keys() == {*layers} - {name}
    reports = harbour_engine.index(harbour, layers=layers).layers
    assert [report.extracted for report in reports] == [0, 0, 0]
    with harbour_engine.view() as view:
        assert view.layers.keys() == {*layers}


def test_few_passages_are_held_at_once_where_each_may_have_very_many_pairs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their vectors take the memory."""
    held, write = list[int](), segment.write

    def watched(folder: Path, asked: Callable[[], Iterator[Sequence[QuestionedPassage]]], *rest: Any) -> None:
        held.extend(len(some) for some in asked())
        write(folder, asked, *rest)

    monkeypatch.setattr(segment, "write", watched)
    documents = [Document(id=title, title=title, text=text) for title, text in TEXTS.items()]
    for per_passage in (20, 5_000):
        settings = Settings.read(None, [f"layers.questions.per_passage={per_passage}"])
        with Polyhop(tmp_path / f"{per_passage}.index", settings=settings) as engine:
            engine.add_documents(documents, layers=["questions"], workers=1)
    assert held == [6, 2, 2, 2]


class PowerCut(Exception):
    """What ends a run in the middle."""


@pytest.mark.parametrize("moment", ["embedding", "writing", "naming"])
def test_a_gathering_that_was_cut_off_leaves_no_trace(
    tmp_path: Path, models: Models, moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether vectors, files or only the name of the generation were missing; readers see the older one meanwhile."""
    places = {"embedding": (PhraseStore, "vectors"), "writing": (lexical_runs, "write")}

    def cut_off(*_: object, **__: object) -> None:
        raise PowerCut

    with index_at(tmp_path / "index", models) as index, index_at(tmp_path / "other", models) as other:
        index.put("Quillmouth", "Ada Brisk")
        index.build()
        index.put("Fennick", "Tarn School")
        index.drop("Quillmouth")
        before = content_of(index.open())
        with monkeypatch.context() as patch:
            patch.setattr(*places.get(moment, (Record, "set_generation")), cut_off)
            with pytest.raises(PowerCut):
                index.build()
        assert content_of(index.open()) == before
        index.build()
        assert len(segments_in(index.folder / "questions")) == 1
        other.put("Ada Brisk", "Fennick", "Tarn School")
        other.build()
        assert content_of(index.open())[2:] == content_of(other.open())[2:]  # all but the numbers of passages


def test_what_was_rejected_is_told_by_the_generation(tmp_path: Path, models: Models) -> None:
    with index_at(tmp_path / "index", models) as index:
        index.put("Fennick")
        index.build()
        row = encode([answered("Where is Fennick?", "River Oar", TEXTS["Fennick"])], {"duplicate": 2})
        current = index.record.generation("questions")
        assert current is not None
        mark = current.description["fingerprint"]
        index.put("Ada Brisk")
        index.record.record_rows("questions", mark, [(int(index.record.numbers()[-1]), row)])
        index.layer.gather(index.record, index.folder / "questions", mark, models)
        current = index.record.generation("questions")
        assert current is not None
        assert current.description["rejected"] == {"duplicate": 2}


def test_what_was_rejected_of_passages_that_are_gone_does_not_count(tmp_path: Path) -> None:
    """Whatever the reasons, several of a passage."""
    faults = {3: {"answer": 2, "span": 1}, 5: {}, 8: {"answer": 4, "duplicate": 1, "span": 3}}
    asked = [QuestionedPassage(number, about(number), BUILT[number], told) for number, told in faults.items()]
    segment.write(tmp_path / "a", lambda: iter([asked]), own_vectors, vectors, 1 << 20)
    opened = segment.QuestionSegment.open(tmp_path / "a")
    for gone in ([], [3], [8], [3, 5, 8]):
        told = sum((Counter(each) for number, each in faults.items() if number not in gone), Counter[str]())
        assert opened.rejected_of(AllBut(np.array(gone, np.int64))) == told
