"""The tree of summaries, and the two ways to search it; summaries of a language model are paid for once."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyhop.engine import Polyhop
from polyhop.errors import LayerMissing, ModelMismatch, SettingError, StorageFull
from polyhop.layers.layer import layer_of
from polyhop.layers.summaries.central_sentences import sentences_of, word_vectors
from polyhop.layers.tree import growing
from polyhop.layers.tree import index as tree_index
from polyhop.layers.tree.index import TreeIndex
from polyhop.layers.tree.layer import TreeLayer
from polyhop.layers.tree.levels import TreeShape, clusters_of
from polyhop.models.choice import load_models
from polyhop.settings import Settings
from polyhop.store.record import Record
from polyhop.strategies.strategy import strategy_of
from polyhop.types import Budget
from tests.worlds.endpoint import EndpointServer, Played, Script, refuses, says, serving

CALL = {"prompt_tokens": 900, "completion_tokens": 60}
CRAFTS = ("glass", "clocks", "ropes", "maps")
TOWNS = ("Fennick", "Tarn Bay", "Grebe Marsh", "Oar Falls", "Low Ness", "Asper Point", "Quillmouth")


def works(rows: int) -> list[dict[str, str]]:
    """Rows of a file about makers of four crafts: a passage each."""
    made = []
    for number in range(rows):
        craft, town = CRAFTS[number % 4], TOWNS[number % 7]
        text = (
            f"Maker {number} sold {craft} in {town} from {1700 + number} on. "
            f"The guild of {craft} had {number + 3} members. Nobody made better {craft} than maker {number}."
        )
        made.append({"id": f"m{number}", "title": f"Maker {number} of {craft}", "text": text})
    return made


def write(path: Path, rows: list[dict[str, str]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def tree_in(folder: Path) -> TreeIndex:
    """What is searchable there."""
    with Record.open(folder) as record:
        current = record.generation("tree")
        assert current is not None
        return TreeIndex.open(folder / "generations" / "tree" / current.name, record.numbers())


def description_of(folder: Path) -> Mapping[str, Any]:
    with Record.open(folder) as record:
        current = record.generation("tree")
        assert current is not None
        return current.description


@pytest.fixture(scope="module")
def guild(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of forty makers, with its tree; not to be changed."""
    folder = tmp_path_factory.mktemp("guild")
    with Polyhop(folder / "an.index") as engine:
        engine.index(write(folder / "makers.jsonl", works(40)), layers=("text", "tree"))
    return folder / "an.index"


# --- the tree ---------------------------------------------------------------------------------------------------------


def test_every_passage_is_below_a_summary_and_summaries_quote_what_is_below_them(guild: Path) -> None:
    tree = tree_in(guild)
    with Record.open(guild) as record:
        numbers = record.numbers()
        below = [tree.passages_below(node) for node in tree.nodes.tolist()]
        assert set(np.concatenate(below).tolist()) == set(numbers.tolist())
        for node, covered in zip(tree.nodes.tolist(), below, strict=True):
            said = " ".join(" ".join(f"{p.title}\n{p.text}".split()) for p in record.passages(covered.tolist()))
            assert all(sentence in said for sentence in sentences_of([tree.texts[node]]))


def test_a_summary_is_above_what_it_sums_up(guild: Path) -> None:
    tree = tree_in(guild)
    for node in tree.nodes.tolist():
        passages, nodes = tree.below(node)
        assert len(passages) + len(nodes) >= 2
        assert all(tree.levels[child] < tree.levels[node] for child in nodes.tolist())


def test_what_is_at_the_top_has_all_passages_below_it(guild: Path) -> None:
    tree = tree_in(guild)
    passages, nodes = tree.top()
    below = [passages, *(tree.passages_below(node) for node in nodes.tolist())]
    assert set(np.concatenate(below).tolist()) == set(tree.numbers.tolist())


def test_a_summary_of_a_passage_that_was_removed_is_hidden(guild: Path) -> None:
    """Also before the tree is gathered again: it might quote that passage."""
    whole = tree_in(guild)
    gone = int(whole.numbers[0])
    with Record.open(guild) as record:
        current = record.generation("tree")
        assert current is not None
        live = whole.numbers[whole.numbers != gone]
        left = TreeIndex.open(guild / "generations" / "tree" / current.name, np.sort(live))
    hidden = set(whole.nodes.tolist()) - set(left.nodes.tolist())
    assert hidden == {node for node in whole.nodes.tolist() if gone in whole.passages_below(node).tolist()} != set()
    passages, nodes = left.top()
    below = [passages, *(left.passages_below(node) for node in nodes.tolist())]
    assert set(np.concatenate(below).tolist()) == set(live.tolist())


def test_the_same_passages_give_the_same_tree_in_whatever_order_they_came(guild: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(guild.parent, tmp_path / "copy"))
    file = guild.parent / "makers.jsonl"
    with Polyhop(folder / "other.index") as engine:
        before = file.read_text(encoding="utf-8")
        try:
            engine.index(write(file, works(44)[::-1]), layers=("text", "tree"))
            engine.index(write(file, works(40)[::-1]), layers=("text", "tree"))
        finally:
            file.write_text(before, encoding="utf-8")
    first, second = tree_in(guild), tree_in(folder / "other.index")
    assert [first.texts[node] for node in first.nodes] == [second.texts[node] for node in second.nodes]
    assert first.vectors.tobytes() == second.vectors.tobytes()


def test_a_tree_is_the_same_however_few_texts_are_held(
    guild: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(shutil.copytree(guild, tmp_path / "copy"))
    shutil.rmtree(folder / "generations" / "tree")
    monkeypatch.setattr(growing, "SUMMED_UP_AT_ONCE", 1)
    with Polyhop(folder) as engine:
        engine.index(guild.parent / "makers.jsonl", layers=("text", "tree"))
    first, second = tree_in(guild), tree_in(folder)
    assert first.texts.all() == second.texts.all()
    np.testing.assert_allclose(first.vectors, second.vectors, atol=1e-6)


def test_clusters_fit_a_summariser_and_leave_no_row_behind() -> None:
    draw = np.random.default_rng(3)
    rows = draw.standard_normal((500, 32)) + 2 * draw.standard_normal((9, 32))[draw.integers(9, size=500)]
    vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    tokens = draw.integers(50, 400, 500)
    clusters = clusters_of(vectors, tokens, TreeShape(threshold=0.1, context=2000))
    assert {row for cluster in clusters for row in cluster} == set(range(500))
    assert len(set(clusters)) == len(clusters)
    for cluster in clusters:
        assert len(cluster) == 2 or tokens[list(cluster)].sum() <= 2000 + 2 * 400  # a row that was alone may join


def test_rows_that_are_all_alike_are_clustered_all_the_same() -> None:
    vectors = np.tile(np.eye(1, 8, dtype=np.float32), (300, 1))
    clusters = clusters_of(vectors, np.full(300, 100), TreeShape(threshold=0.1, context=1000))
    assert {row for cluster in clusters for row in cluster} == set(range(300))
    assert max(map(len, clusters)) <= 10


def test_sentences_are_near_by_words_that_few_of_them_have() -> None:
    vectors = word_vectors(["The bell of Fennick rang.", "In Fennick a bell fell.", "The tide was low.", "..."])
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] > 0
    assert np.linalg.norm(vectors[:3], axis=1) == pytest.approx(1.0, abs=1e-6)
    assert not vectors[3].any()


def test_settings_that_make_no_sense_are_refused() -> None:
    with pytest.raises(SettingError, match="threshold"):
        layer_of("tree", Settings.read(None, ["layers.tree.threshold=2"]))
    with pytest.raises(SettingError, match="at least 1"):
        strategy_of("raptor(width=0)", Settings())


def test_summaries_of_another_embedder_are_refused_and_pruned_not_made_anew(guild: Path, tmp_path: Path) -> None:
    """Who removes a document while another embedder is configured gets a tree without it, and no new summaries."""
    folder = Path(shutil.copytree(guild, tmp_path / "an.index"))
    other = Settings().with_models(embedder="minilm")
    with Record.open(folder) as record:
        uri = next(record.documents()).uri
        with pytest.raises(ModelMismatch, match="Summaries were embedded with bge"):
            TreeLayer().open(record, folder / "generations" / "tree", load_models(other))
    with Polyhop(folder, settings=other) as engine:
        assert engine.remove(uri).passages == 1
    before, after = tree_in(guild), tree_in(folder)
    assert len(after.numbers) == len(before.numbers) - 1
    assert after.standing.all()
    assert 0 < len(after) < len(before)


# --- the strategy -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["collapsed", "traversal"])
def test_passages_of_what_was_asked_for_come_first(guild: Path, mode: str) -> None:
    with Polyhop(guild) as engine:
        evidence = engine.search("Who sold ropes in Low Ness?", k=3, strategy=f"raptor(mode={mode})")
    assert any("ropes" in passage.text for passage in evidence.passages)
    assert re.match(r"\d+ nodes: \d+ passages, \d+ summaries", evidence.trail[0])
    (hop,) = evidence.hops
    assert hop.status == "resolved"
    assert hop.found is None
    assert len(hop.sentences) == len(hop.passages)


def test_where_no_summary_is_found_the_collapsed_tree_is_dense_retrieval(guild: Path) -> None:
    """Passages that were found themselves stand in the order of their cosines, before those below summaries."""
    with Polyhop(guild) as engine:
        dense = engine.search("Who sold ropes in Low Ness?", k=5, strategy="dense")
        raptor = engine.search("Who sold ropes in Low Ness?", k=5, strategy="raptor")
        own = {passage.id for passage in raptor.hops[0].passages}
    ids = [passage.id for passage in raptor.passages]
    assert ids[: len(own)] == [passage.id for passage in dense.passages][: len(own)]


def test_passages_below_a_summary_follow_the_nearest_first(guild: Path) -> None:
    """With room for one node only, and that a summary, all evidence lies below it."""
    tree = tree_in(guild)
    node = int(tree.nodes[-1])
    with Polyhop(guild) as engine:
        evidence = engine.search(tree.texts[node], k=4, strategy="raptor(k=1)")
    if "1 summary" in evidence.trail[0]:
        with Record.open(guild) as record:
            ids = {passage.id for passage in record.passages(tree.passages_below(node).tolist())}
        assert {passage.id for passage in evidence.passages} <= ids
        scores = [passage.score for passage in evidence.passages]
        assert scores == sorted(scores, reverse=True)
        assert "level" in evidence.trail[1]


def test_nodes_are_found_while_there_is_room(guild: Path) -> None:
    with Polyhop(guild) as engine:
        trails = [engine.search("Who sold maps?", k=1, strategy=f"raptor(tokens={n})").trail[0] for n in (1, 200, 9999)]
    counts = [int(trail.split()[0]) for trail in trails]
    assert counts[0] == 1
    assert counts == sorted(counts)
    assert counts[2] == 20


def test_the_cross_encoder_may_order_what_was_found(guild: Path) -> None:
    with Polyhop(guild) as engine:
        evidence = engine.search("Who sold ropes in Low Ness?", k=2, strategy="raptor(rerank=true,k=5)")
    assert "cross-encoder" in evidence.trail[-1]
    assert evidence.passages[0].score >= evidence.passages[1].score


def test_without_a_tree_it_is_said_how_to_make_one(tmp_path: Path) -> None:
    with Polyhop(tmp_path / "an.index") as engine:
        engine.index(write(tmp_path / "makers.jsonl", works(2)), layers=("text",))
        with pytest.raises(LayerMissing, match="no tree layer") as caught:
            engine.search("Who sold ropes?", strategy="raptor")
    assert "--layers" in caught.value.remedy


# --- summaries of a language model ------------------------------------------------------------------------------------


def summing_up(request: Mapping[str, Any]) -> Played:
    """A summary that only this model gives."""
    first = re.search(r"Maker \d+", request["messages"][1]["content"])
    return says(json.dumps({"summary": f"The guild keeps {first[0] if first else 'order'}."}), usage=CALL)


def failing_from(call: int, trouble: Played) -> Script:
    calls = iter(range(1, 10_000))
    return lambda request: summing_up(request) if next(calls) < call else trouble


@dataclass
class Place:
    """Documents, an index of them, and an endpoint that sums up."""

    folder: Path
    server: EndpointServer

    @property
    def path(self) -> Path:
        """The index."""
        return self.folder / "an.index"

    def index(self, rows: int = 30, **more: object) -> Any:
        """One run; what it reports of the tree."""
        named = {"base_url": self.server.url, "model": "sage", "concurrency": 1, "cache": "none", **more}
        changes = [f"language_model.{key}={value}" for key, value in named.items()]
        settings = Settings.read(
            None, [*changes, "models.language_model=openai", "layers.tree.summariser=language_model"]
        )
        with Polyhop(self.path, settings=settings) as engine:
            report = engine.index(write(self.folder / "makers.jsonl", works(rows)), layers=("text", "tree"))
        return next(layer for layer in report.layers if layer.name == "tree")

    def texts(self) -> list[str]:
        """All summaries."""
        tree = tree_in(self.path)
        return [tree.texts[node] for node in tree.nodes.tolist()]

    def paid(self) -> int:
        """How many of them are the model's."""
        return sum(text.startswith("The guild keeps") for text in self.texts())


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with serving(summing_up) as server:
        yield Place(tmp_path, server)


def test_a_language_model_sums_up_every_cluster_once(place: Place) -> None:
    place.index()
    calls = len(place.server.requests)
    assert calls == place.paid() == len(place.texts()) > 3
    place.index()
    shutil.rmtree(place.path / "generations" / "tree")
    place.index()
    assert len(place.server.requests) == calls
    assert description_of(place.path)["lacking"] == 0


def test_what_it_cost_is_noted(place: Place) -> None:
    place.index()
    with Record.open(place.path) as record:
        noted = json.loads(record.meta("cost:tree") or "{}")
    assert noted["llm_calls"] == len(place.server.requests)
    assert noted["prompt_tokens"] == 900 * noted["llm_calls"]


def test_a_cap_leaves_central_sentences_and_the_next_run_asks_for_the_rest_only(place: Place) -> None:
    place.index(call_cap=2)
    assert len(place.server.requests) == 2 == place.paid()
    lacking = description_of(place.path)["lacking"]
    assert lacking == len(place.texts()) - 2 > 0
    assert "calls" in description_of(place.path)["stopped"]
    place.index()
    assert description_of(place.path)["lacking"] == 0
    assert place.paid() == len(place.texts())


def test_an_endpoint_that_fails_in_the_middle_costs_nothing_that_was_paid_for(place: Place) -> None:
    place.server.script = failing_from(3, refuses(400, "no more"))
    place.index()
    assert place.paid() == 2
    assert description_of(place.path)["lacking"] > 0
    place.server.script = summing_up
    before = len(place.server.requests)
    place.index()
    assert place.paid() == len(place.texts()) == len(place.server.requests) - before + 2


def test_summaries_go_with_the_passages_that_they_were_made_from(place: Place) -> None:
    place.index(30)
    kept = place.path / "summaries" / "tree.jsonl"
    before = len(kept.read_text(encoding="utf-8").splitlines())
    place.index(29)
    with Record.open(place.path) as record:
        assert record.count_passages() == 29
    lines = [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()]
    gone = len(place.server.requests) - len(lines)
    assert before > gone > 0


def test_one_cluster_that_is_refused_does_not_stop_the_others(place: Place) -> None:
    """It has central sentences, and is asked for again by the next run."""
    place.server.script = lambda request: (
        refuses(413, "too much") if "Maker 7 " in str(request) else summing_up(request)
    )
    place.index()
    lacking = description_of(place.path)["lacking"]
    assert 0 < lacking < len(place.texts())
    assert place.paid() == len(place.texts()) - lacking
    assert description_of(place.path)["stopped"] == ""
    before = len(place.server.requests)
    place.server.script = summing_up
    place.index()
    assert place.paid() == len(place.texts())
    assert len(place.server.requests) - before >= lacking


def test_a_tree_that_comes_out_the_same_is_not_written_again(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is asked for in vain a second time leaves the tree that is served."""
    place.server.script = lambda _: refuses(413, "too much")
    place.index()
    before, calls = description_of(place.path), len(place.server.requests)

    def full(*_: object) -> None:
        raise StorageFull("No space is left.")

    monkeypatch.setattr(tree_index, "write", full)
    place.index()
    assert len(place.server.requests) > calls
    assert description_of(place.path) == before
    assert place.paid() == 0 < len(place.texts())


def test_summaries_that_older_versions_stored_are_not_paid_for_again(place: Place) -> None:
    """Their lines name the passages in another field."""
    place.index()
    kept, calls = place.path / "summaries" / "tree.jsonl", len(place.server.requests)
    lines = [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()]
    old = [json.dumps({"key": line["key"], "of": line["passages"], "text": line["text"]}) for line in lines]
    kept.write_text("".join(f"{line}\n" for line in old), encoding="utf-8")
    shutil.rmtree(place.path / "generations" / "tree")
    place.index()
    assert len(place.server.requests) == calls
    assert place.paid() == len(place.texts())


def test_evidence_stays_within_the_budget(guild: Path) -> None:
    with Polyhop(guild) as engine:
        answer = engine.ask("Who sold ropes in Low Ness?", strategy="raptor", budget=Budget(passages=2))
    assert len(answer.evidence.passages) <= 2
