"""What one question has looked up so far, so that nothing is embedded, searched for or read twice for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from polyhop.indexes.ranking import Ranked
from polyhop.indexes.vectors import Vectors
from polyhop.ports import Floats
from polyhop.types import Passage

MOST_READ = 1000  # passages that are kept


@dataclass(eq=False)
class LookedUp:
    """Vectors of texts, what lies nearest to vectors, and passages, as long as a question takes.

    What is asked for together is looked up together: whoever knows what will be searched for later asks for it sooner,
    so that several searches share a pass over the vectors.
    """

    vectors: dict[str, Floats] = field(default_factory=dict)
    ranked: dict[bytes, tuple[int, Ranked]] = field(default_factory=dict)  # by vector, with how many were wanted
    read: dict[int, Passage] = field(default_factory=dict)

    def embedded(self, texts: Sequence[str], embed: Callable[[Sequence[str]], Floats]) -> Floats:
        """The vectors of texts, one row a text; ``embed`` makes those that are not known."""
        fresh = [text for text in dict.fromkeys(texts) if text not in self.vectors]
        if fresh:
            self.vectors.update(zip(fresh, embed(fresh), strict=True))
        return np.stack([self.vectors[text] for text in texts])

    def nearest(self, queries: Floats, k: int, vectors: Vectors) -> list[Ranked]:
        """What ``Vectors.search_each`` finds: the best of more than were wanted are the best."""
        keys = [query.tobytes() for query in queries]
        fresh = {key: query for key, query in zip(keys, queries, strict=True) if self.ranked.get(key, (0,))[0] < k}
        if fresh:
            found = vectors.search_each(np.stack(list(fresh.values())), k)
            self.ranked.update((key, (k, ranked)) for key, ranked in zip(fresh, found, strict=True))
        return [(numbers[:k], scores[:k]) for numbers, scores in (self.ranked[key][1] for key in keys)]

    def passages(self, numbers: Sequence[int], read: Callable[[Sequence[int]], list[Passage]]) -> list[Passage]:
        """The passages of these numbers, in this order; ``read`` gets those that are not known."""
        fresh = [number for number in dict.fromkeys(numbers) if number not in self.read]
        found = dict(zip(fresh, read(fresh), strict=True)) if fresh else {}
        passages = [found[number] if number in found else self.read[number] for number in numbers]
        if len(self.read) < MOST_READ:
            self.read |= found
        return passages
