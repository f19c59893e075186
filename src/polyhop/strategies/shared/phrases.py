"""Vectors of short phrases that questions use again and again: relation variants and linearised constraints."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from polyhop.layers.view import View
from polyhop.ports import Embedder, Floats

_KEPT = 4096  # phrases; the one that was not used for longest goes first


@dataclass(eq=False)
class PhraseVectors:
    """Embeds phrases, remembering the latest. Threads may share it."""

    embedder: Embedder
    _vectors: OrderedDict[str, Floats] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def vectors(self, phrases: Sequence[str]) -> Floats:
        """Unit vectors, one row a phrase."""
        with self._lock:
            known = {phrase: self._vectors[phrase] for phrase in phrases if phrase in self._vectors}
        missing = [phrase for phrase in dict.fromkeys(phrases) if phrase not in known]
        if missing:
            known.update(zip(missing, self.embedder.embed_passages(missing), strict=True))
        with self._lock:
            for phrase in phrases:
                self._vectors[phrase] = known[phrase]
                self._vectors.move_to_end(phrase)
            while len(self._vectors) > _KEPT:
                self._vectors.popitem(last=False)
        return np.stack([known[phrase] for phrase in phrases])


def phrase_vectors(phrases: Sequence[str], over: View) -> Floats:
    """Unit vectors of phrases in the space of the index, float32 of shape (len(phrases), dimensions)."""
    kept: PhraseVectors = over.once("phrases", lambda: PhraseVectors(over.models.embedder))
    return kept.vectors(phrases)
