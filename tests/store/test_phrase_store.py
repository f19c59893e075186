"""The phrase store gives every phrase its vector, makes each once, and what it holds never shows in a result."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.models.choice import Models
from polyhop.ports import Floats
from polyhop.store import phrase_store as module
from polyhop.store.phrase_store import PhraseStore

FEW = 3  # phrases a block


@dataclass
class Letters:
    """An embedder whose vectors depend on the letters alone, with a list of what it was asked."""

    name: str = "letters"
    dimensions: int = 8
    asked: list[str] = field(default_factory=list)
    fails_after: int | None = None  # calls

    def embed_passages(self, texts: Sequence[str]) -> Floats:
        """Unit vectors; those of a batch do not depend on each other."""
        if self.fails_after is not None:
            self.fails_after -= 1
            if self.fails_after < 0:
                raise KeyboardInterrupt
        self.asked += texts
        return exact(texts, self.dimensions)

    def embed_questions(self, texts: Sequence[str]) -> Floats:
        """The same."""
        return self.embed_passages(texts)


def exact(texts: Sequence[str], dimensions: int = 8) -> Floats:
    """What the embedder makes of texts."""
    rows = np.ones((len(texts), dimensions), np.float32)
    for row, text in zip(rows, texts, strict=True):
        for place, letter in enumerate(text):
            row[(place + ord(letter)) % dimensions] += ord(letter) / (place + 1)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def halved(texts: Sequence[str]) -> Floats:
    """What a store gives for texts."""
    return exact(texts).astype(np.float16).astype(np.float32)


def segments_of(index: Path) -> list[Path]:
    return sorted(path.parent for path in index.glob("phrases/*/[!.]*/digests.npy"))


def cut_short(segment: Path) -> None:
    """As if the end had never reached the disk."""
    (segment / "vectors.npy").write_bytes((segment / "vectors.npy").read_bytes()[:-10])


def incomplete(segment: Path) -> None:
    """Without its vectors."""
    (segment / "vectors.npy").unlink()


def mismatched(segment: Path) -> None:
    """With a vector too many."""
    np.save(segment / "vectors.npy", np.ones((FEW + 1, 8), np.float16))


@pytest.fixture
def blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of a few phrases, and a few segments."""
    monkeypatch.setattr(module, "BLOCK", FEW)
    monkeypatch.setattr(module, "MOST_SEGMENTS", 4)


PHRASES = [f"phrase {place}" for place in range(20)]
some_phrases = st.lists(st.lists(st.text(max_size=3) | st.sampled_from(PHRASES), max_size=12), max_size=8)


@settings(deadline=None, max_examples=60)
@given(some_phrases, st.booleans(), st.data())
def test_every_phrase_has_its_vector_whatever_is_stored(
    asked: list[list[str]], in_memory: bool, data: st.DataObject
) -> None:
    """Any phrases in any order, twice or never, in one store, in stores opened anew or side by side."""
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK", FEW)
        patch.setattr(module, "MOST_SEGMENTS", 3)
        place = None if in_memory else Path(folder)
        embedders = [Letters() for _ in asked]
        stores = [PhraseStore.open(place, embedder) for embedder in embedders]
        for phrases in asked:
            fresh = PhraseStore.open(place, Letters())
            vectors = data.draw(st.sampled_from([fresh, *stores])).vectors(phrases)
            assert vectors.dtype == np.float32
            np.testing.assert_array_equal(vectors, halved(phrases).reshape(-1, 8))
        for embedder in embedders:
            assert len(set(embedder.asked)) == len(embedder.asked)


@pytest.mark.usefixtures("blocks")
def test_a_phrase_is_embedded_once_for_an_index(tmp_path: Path) -> None:
    first, second = Letters(), Letters()
    PhraseStore.open(tmp_path, first).vectors(["b", "a", "b", "", "c", "d"])
    assert first.asked == ["b", "a", "", "c", "d"]
    store = PhraseStore.open(tmp_path, second)
    np.testing.assert_array_equal(store.vectors(["d", "e", "a", "d"]), halved(["d", "e", "a", "d"]))
    assert second.asked == ["e"]
    assert len(store) == 6


@pytest.mark.usefixtures("blocks")
def test_a_store_finds_what_another_has_made_meanwhile(tmp_path: Path) -> None:
    one, other = Letters(), Letters()
    stores = [PhraseStore.open(tmp_path, one), PhraseStore.open(tmp_path, other)]
    for store in stores * 2:
        store.vectors(PHRASES)
    assert (len(one.asked), len(other.asked)) == (len(PHRASES), 0)


@pytest.mark.usefixtures("blocks")
def test_what_was_made_before_an_interruption_is_kept(tmp_path: Path) -> None:
    """At most one block is made again; nothing half done is left to be seen."""
    killed = Letters(fails_after=2)
    with pytest.raises(KeyboardInterrupt):
        PhraseStore.open(tmp_path, killed).vectors(PHRASES)
    assert len(segments_of(tmp_path)) == 2
    resumed = Letters()
    np.testing.assert_array_equal(PhraseStore.open(tmp_path, resumed).vectors(PHRASES), halved(PHRASES))
    assert resumed.asked == PHRASES[2 * FEW :]


@pytest.mark.usefixtures("blocks")
def test_many_segments_become_few(tmp_path: Path) -> None:
    store = PhraseStore.open(tmp_path, Letters())
    many = [f"{place:03}" for place in range(300)]
    for start in range(0, 300, 50):
        store.vectors(many[start : start + 50])
        assert len(segments_of(tmp_path)) <= module.MOST_SEGMENTS
    assert len(store) == 300
    np.testing.assert_array_equal(store.vectors(many), halved(many))
    assert not list(tmp_path.glob("phrases/*/.*"))


@pytest.mark.usefixtures("blocks")
def test_a_vector_is_seldom_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Merging all each time would copy 300 blocks about 50 times each."""
    copied = 0
    kept = PhraseStore._kept

    def counting(store: PhraseStore, *arrays: np.ndarray[tuple[int, ...], np.dtype[np.float16]]) -> module._Segment:
        nonlocal copied
        copied += len(arrays[0])
        return kept(store, *arrays)

    monkeypatch.setattr(PhraseStore, "_kept", counting)
    PhraseStore.open(None, Letters()).vectors([str(place) for place in range(300 * FEW)])
    assert copied < 10 * 300 * FEW


@pytest.mark.usefixtures("blocks")
def test_several_writers_at_a_time_do_no_harm(tmp_path: Path) -> None:
    """Each with its own store, as processes have; what they make twice is one when it is merged."""
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: PhraseStore.open(tmp_path, Letters()).vectors(PHRASES * 3), range(8)))
    for vectors in made:
        np.testing.assert_array_equal(vectors, halved(PHRASES * 3))
    embedder = Letters()
    np.testing.assert_array_equal(PhraseStore.open(tmp_path, embedder).vectors(PHRASES), halved(PHRASES))
    assert embedder.asked == []


def test_threads_that_share_a_store_embed_a_phrase_once(tmp_path: Path) -> None:
    embedder = Letters()
    store = PhraseStore.open(tmp_path, embedder)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(store.vectors, [PHRASES] * 8))
    assert embedder.asked == PHRASES


@pytest.mark.usefixtures("blocks")
def test_a_store_is_read_on_while_another_merges(tmp_path: Path) -> None:
    embedder = Letters()
    reader = PhraseStore.open(tmp_path, embedder)
    reader.vectors(PHRASES[:6])
    before = segments_of(tmp_path)
    PhraseStore.open(tmp_path, Letters()).vectors(PHRASES)
    assert not set(before) & set(segments_of(tmp_path))
    np.testing.assert_array_equal(reader.vectors(PHRASES), halved(PHRASES))
    assert embedder.asked == PHRASES[:6]


@pytest.mark.usefixtures("blocks")
def test_a_damaged_segment_is_made_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    PhraseStore.open(tmp_path, Letters()).vectors(PHRASES[: 3 * FEW])
    for at, spoil in enumerate((cut_short, incomplete, mismatched)):
        spoil(segments_of(tmp_path)[0])
        embedder = Letters()
        store = PhraseStore.open(tmp_path, embedder)
        assert len(caplog.records) == at + 1
        np.testing.assert_array_equal(store.vectors(PHRASES[:9]), halved(PHRASES[:9]))
        assert len(embedder.asked) == FEW
        assert len(segments_of(tmp_path)) == 3


def test_an_index_that_cannot_be_written_is_answered_from_memory(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what is stored already is still used."""
    monkeypatch.setattr(module, "BLOCK", FEW)
    (tmp_path / "phrases").write_text("a file where the folder should be")
    embedder = Letters()
    store = PhraseStore.open(tmp_path, embedder)
    for _ in range(2):
        np.testing.assert_array_equal(store.vectors(PHRASES), halved(PHRASES))
    assert embedder.asked == PHRASES
    assert [record.levelno for record in caplog.records].count(logging.WARNING) == 1
    assert "kept in memory" in caplog.text


@pytest.mark.usefixtures("blocks")
def test_a_disk_that_fills_up_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    PhraseStore.open(tmp_path, Letters()).vectors(PHRASES[:7])
    before = segments_of(tmp_path)
    embedder = Letters()
    store = PhraseStore.open(tmp_path, embedder)

    def full(file: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    many = [*PHRASES, *map(str, range(60))]
    np.testing.assert_array_equal(store.vectors(many), halved(many))
    assert segments_of(tmp_path) == before
    assert embedder.asked == many[7:]
    assert store.vectors(many).shape == (80, 8)
    assert embedder.asked == many[7:]


def test_each_embedder_has_its_own_vectors(tmp_path: Path) -> None:
    PhraseStore.open(tmp_path, Letters()).vectors(["a"])
    for other in (Letters(name="other"), Letters(dimensions=4)):
        assert PhraseStore.open(tmp_path, other).vectors(["a"]).shape == (1, other.dimensions)
        assert other.asked == ["a"]


def test_what_a_killed_writer_left_is_removed_when_it_is_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK", 1)
    PhraseStore.open(tmp_path, Letters()).vectors(["a"])
    folder = segments_of(tmp_path)[0].parent
    old, young = folder / ".old-1", folder / ".young-1"
    for left in (old, young):
        left.mkdir()
    os.utime(old, (0, 0))
    PhraseStore.open(tmp_path, Letters()).vectors(PHRASES)
    assert (old.exists(), young.exists()) == (False, True)


def test_progress_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK", 8)
    with caplog.at_level(logging.INFO):
        PhraseStore.open(tmp_path, Letters()).vectors(PHRASES)
    said = [record.getMessage() for record in caplog.records]
    assert said == [f"embedded {done} of 20 phrases" for done in (8, 16, 20)]


def test_no_phrase_is_readable_in_the_store(tmp_path: Path) -> None:
    """What is removed from an index leaves no text behind."""
    PhraseStore.open(tmp_path, Letters()).vectors(["Ada Brisk was born in Fennick"])
    assert all(b"Brisk" not in file.read_bytes() for file in tmp_path.rglob("*.npy"))


def test_strange_phrases_are_phrases(tmp_path: Path) -> None:
    """Empty, with a half of a character, with zeros, in any script: each is itself."""
    strange = ["", "\0", "a\0", "a", "\ud800", "?", "雨の町", "雨の町 ", "é", "é"]
    PhraseStore.open(tmp_path, Letters()).vectors(strange)
    embedder = Letters()
    np.testing.assert_array_equal(PhraseStore.open(tmp_path, embedder).vectors(strange[::-1]), halved(strange[::-1]))
    assert embedder.asked == []


def test_the_default_embedder_is_rounded_but_little(models: Models) -> None:
    phrases = ["was born in", "Ada Brisk was born in Fennick"]
    store = PhraseStore.open(None, models.embedder)
    np.testing.assert_allclose(store.vectors(phrases), models.embedder.embed_passages(phrases), atol=1e-3)
    assert store.vectors([]).shape == (0, models.embedder.dimensions)
