"""The tree of summaries: every passage is below one, and the same passages give the same tree."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from polyhop.engine import Polyhop
from polyhop.errors import ModelMismatch, SettingError
from polyhop.layers.layer import layer_of
from polyhop.layers.summaries.central_sentences import sentences_of, word_vectors
from polyhop.layers.tree import growing
from polyhop.layers.tree.index import TreeIndex
from polyhop.layers.tree.layer import TreeLayer
from polyhop.layers.tree.levels import TreeShape, clusters_of
from polyhop.models.choice import load_models
from polyhop.settings import Settings
from polyhop.store.record import Record
from tests.worlds.guild import guild_in, tree_in, works, write


@pytest.fixture(scope="module")
def guild(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of forty makers, with its tree; not to be changed."""
    return guild_in(tmp_path_factory.mktemp("guild"))


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


def test_a_share_of_clusters_has_to_make_sense() -> None:
    with pytest.raises(SettingError, match="threshold"):
        layer_of("tree", Settings.read(None, ["layers.tree.threshold=2"]))


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
