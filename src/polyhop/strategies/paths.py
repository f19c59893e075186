"""Paths: passages that a link joins, judged together (our own; needs no language model).

One passage of a two-hop answer often looks nothing like the question. Read together with the passage that leads to it,
it does: so starts are found by similarity, followed along links, and each path is judged as one piece of evidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import ClassVar

from polyhop.indexes.names import normal, words
from polyhop.layers.view import View
from polyhop.strategies.moves.bridge import Bridges, bridges
from polyhop.strategies.moves.fuse import fused
from polyhop.strategies.moves.judge import best_first, judge
from polyhop.strategies.moves.link import Link, joined, links_from, nearest_links
from polyhop.strategies.moves.support import supporting_span
from polyhop.types import Budget, Evidence, Hop


@dataclass(frozen=True, slots=True)
class Path:
    """Passages that links join, and the cross-encoder's logit for them together."""

    passages: tuple[int, ...]
    links: tuple[Link, ...]
    score: float


@dataclass(frozen=True, kw_only=True)
class Paths:
    """Judge passages together with those they lead to, along titles and entities, up to three hops."""

    depth: int = 20  # passages taken from each ranking as possible starts
    starts: int = 4  # passages whose links are followed
    links: int = 10  # links followed from each
    per_entity: int = 2  # passages an entity may lead to
    named_bonus: float = 2.0  # logits added to a passage whose title the question names
    bridge_bonus: float = 1.0  # logits added to a path along the link that the plan's step finds
    longer: int = 2  # paths that are followed one hop further; 0: two hops at most
    gain: float = 0.5  # logits that a third passage must add to a path
    kept: int = 3  # paths whose passages enter the ranking

    needs: ClassVar[tuple[str, ...]] = ("text", "parsekg")

    def retrieve(self, question: str, over: View, budget: Budget) -> Evidence:
        """The best single passages and the passages of the best paths, alternating."""
        named = self._named(question, over)
        singles = self._singles(question, named, over)
        starts = [Path((number,), (), score) for number, score in singles[: self.starts]]
        plan = bridges(question, [start.passages[0] for start in starts], over)
        pairs = self._hinted(self._extended(question, starts, over), plan.found, over)
        triples = self._extended(question, pairs[: self.longer], over)
        paths = self._best(pairs, triples)
        leading = _leading(paths, named)
        ranking = _merged(leading, singles, paths[: self.kept])
        trail = (
            f"judged {len(singles)} single passages, {len(pairs)} pairs and {len(triples)} triples",
            *(_described(path, over) for path in dict.fromkeys([*leading, *paths[: self.kept]])),
        )
        numbers, scores = [number for number, _ in ranking], [score for _, score in ranking]
        return Evidence(
            question=question,
            strategy="paths",
            passages=over.ranked(numbers, scores, budget.passages),
            hops=tuple(_hops(plan, leading, singles, over)),
            trail=trail,
        )

    def _named(self, question: str, over: View) -> list[int]:
        """Passages whose title the question names."""
        numbers = [number for entity in over.kg.named_in(question) for number in over.kg.passages_titled(entity)]
        return numbers[: self.depth]

    def _singles(self, question: str, named: Sequence[int], over: View) -> list[tuple[int, float]]:
        similar = [number for number, _ in fused(question, over, self.depth)[: self.depth]]
        numbers = list(dict.fromkeys([*named, *similar]))
        scores = judge(question, numbers, over)
        bonus = [self.named_bonus if number in named else 0.0 for number in numbers]
        return best_first(numbers, [score + extra for score, extra in zip(scores, bonus, strict=True)])

    def _extended(self, question: str, paths: Sequence[Path], over: View) -> list[Path]:
        """Every path with one more passage at its end, best first."""
        vector = over.vector(question)
        grown: dict[frozenset[int], tuple[Path, Link]] = {}
        for path in paths:
            last = over.passages([path.passages[-1]])[0]
            links = list(links_from(path.passages[-1], last, over, per_entity=self.per_entity))
            links = [link for link in links if link.target not in path.passages]
            for link in nearest_links(links, vector, over, self.links):
                grown.setdefault(frozenset({*path.passages, link.target}), (path, link))
        texts = [joined(over.passages([*path.passages, link.target])) for path, link in grown.values()]
        scores = over.models.reranker.score(question, texts).tolist() if texts else []
        extended = [
            Path((*path.passages, link.target), (*path.links, link), score)
            for (path, link), score in zip(grown.values(), scores, strict=True)
        ]
        return sorted(extended, key=lambda path: (-path.score, path.passages))

    def _hinted(self, pairs: Sequence[Path], hints: Mapping[int, str], over: View) -> list[Path]:
        """The pairs with a bonus for those whose link is what the plan's step found, best first."""
        hinted = [
            replace(path, score=path.score + self.bridge_bonus) if _is_hint(path, hints, over) else path
            for path in pairs
        ]
        return sorted(hinted, key=lambda path: (-path.score, path.passages))

    def _best(self, pairs: list[Path], triples: list[Path]) -> list[Path]:
        """Pairs and triples in one order; a triple counts only where its third passage adds enough."""
        shorter = {path.passages: path.score for path in pairs}
        worth = [path for path in triples if path.score >= shorter[path.passages[:2]] + self.gain]
        return sorted([*pairs, *worth], key=lambda path: (-path.score, path.passages))


def _is_hint(path: Path, hints: Mapping[int, str], over: View) -> bool:
    found = words(hints.get(path.passages[0], ""))
    title = words(normal(over.passages(path.passages[1:2])[0].title))
    linked = words(over.kg.names.keys[path.links[0].entity])
    return bool(found) and (set(found) <= set(title) or set(title) <= set(found) or found == linked)


def _leading(paths: Sequence[Path], named: Sequence[int]) -> list[Path]:
    """The best path from each passage that the question names (two, in a comparison), or else the best path of all."""
    best: dict[int, Path] = {}
    for path in paths:
        best.setdefault(path.passages[0], path)
    return [path for start, path in best.items() if start in named] or list(paths[:1])


def _merged(
    leading: Sequence[Path], singles: Sequence[tuple[int, float]], paths: Sequence[Path]
) -> list[tuple[int, float]]:
    """The best single passage and the leading paths; then single passages and those of other paths by turns."""
    merged = dict(singles[:1])
    for path in leading:
        for number in path.passages:
            merged.setdefault(number, path.score)
    others = {number: path.score for path in reversed(paths) for number in path.passages}
    for turn in zip_longest(singles, others.items()):
        for item in turn:
            if item is not None:
                merged.setdefault(*item)
    return list(merged.items())


def _described(path: Path, over: View) -> str:
    titles = [passage.title or passage.id for passage in over.passages(path.passages)]
    names = [over.kg.entity(link.entity).name for link in path.links]
    steps = [f" -({name})-> {title}" for name, title in zip(names, titles[1:], strict=True)]
    return f"{path.score:+.2f} {titles[0]}{''.join(steps)}"


def _hops(plan: Bridges, leading: Sequence[Path], singles: Sequence[tuple[int, float]], over: View) -> Iterator[Hop]:
    """Each passage of the leading paths, with the sentence that leads on or, the last, the one that answers."""
    alone = [Path((number,), (), score) for number, score in singles[:1]]
    weaker = not leading or (alone and leading[0].score < alone[0].score - 1.0)
    for path in alone if weaker else leading:
        names = [over.kg.entity(link.entity).name for link in path.links]
        questions = plan.questions(path.passages[0], names)
        for question, name, passage in zip(questions, [*names, None], over.passages(path.passages), strict=True):
            yield Hop(
                question=question,
                status="resolved" if path.score > 0 else "unresolved",
                found=name,
                passages=(passage,),
                sentences=(supporting_span(question, passage, over, must_name=name),),
                score=path.score,
            )
