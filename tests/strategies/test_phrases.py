"""Vectors of phrases are made once, and shared by threads."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from polyhop.models.choice import Models
from polyhop.strategies.shared import phrases as phrases_module
from polyhop.strategies.shared.phrases import PhraseVectors
from tests.worlds.noted import NotingEmbedder


def test_phrases_are_embedded_once(models: Models, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until others have taken their place; the vectors are those of the embedder, in the order asked for."""
    monkeypatch.setattr(phrases_module, "_KEPT", 2)
    embedder = NotingEmbedder(models.embedder)
    phrases = PhraseVectors(embedder)
    found = phrases.vectors(["mother", "father", "mother"])
    assert len(embedder.read) == 2
    expected = models.embedder.embed_passages(["mother", "father"])
    np.testing.assert_allclose(found, expected[[0, 1, 0]], atol=1e-5)
    phrases.vectors(["father", "mother"])
    assert len(embedder.read) == 2
    phrases.vectors(["uncle"])
    phrases.vectors(["mother", "uncle"])
    assert len(embedder.read) == 3
    phrases.vectors(["father"])
    assert len(embedder.read) == 4


def test_phrases_may_be_shared_by_threads(models: Models) -> None:
    phrases, found = PhraseVectors(models.embedder), []
    words = ["mother", "father", "uncle", "aunt"]

    def ask(turn: int) -> None:
        turned = [*words[turn:], *words[:turn]]
        found.append(np.roll(phrases.vectors(turned), turn, axis=0))

    threads = [threading.Thread(target=ask, args=(turn,)) for turn in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    for one in found:
        np.testing.assert_allclose(one, found[0], atol=1e-5)
