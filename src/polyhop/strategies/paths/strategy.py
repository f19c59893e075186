"""Paths: passages that a link joins, judged together (our own; needs no language model).

One passage of a two-hop answer often looks nothing like the question. Read together with the passage that leads to it,
it does: so starts are found by similarity, followed along links, and each path is judged as one piece of evidence.
Where the question is taken apart, the links that its steps find are favoured.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from typing import ClassVar

from polyhop.indexes.by_turns import each_once, round_robin
from polyhop.layers.view import View
from polyhop.plans import Plan
from polyhop.strategies.paths.link import Link, links_from, nearest_links, shared_names
from polyhop.strategies.paths.walk import Walk, walks
from polyhop.strategies.shared.excerpt import excerpt, path_text
from polyhop.strategies.shared.fuse import fused, naming_versions
from polyhop.strategies.shared.in_time import in_time
from polyhop.strategies.shared.judge import best_first, judged_in_time
from polyhop.strategies.shared.support import overlapping_span, supporting_span
from polyhop.types import Budget, Evidence, Hop

SHARED_COST = 1.0  # logits taken from a path for each link by a shared name: two about the same are easily alike
SINGLE = 900  # characters of a passage judged alone: what is nearest to the question, the rest misleads
EXCERPT = 800  # characters of each passage that are judged within a path
WORTH_A_HOP = 3.0  # logits by which one passage alone must beat every path to be the whole answer


@dataclass(frozen=True, slots=True)
class PassagePath:
    """Passages that links join, and the cross-encoder's logit for them together (plus what the plan adds)."""

    passages: tuple[int, ...]
    links: tuple[Link, ...]
    score: float


@dataclass(frozen=True, kw_only=True)
class Paths:
    """Judge passages together with those they lead to, along titles and entities, and along the question's plan."""

    depth: int = 20  # passages taken from each ranking as possible starts
    starts: int = 3  # passages whose links are followed
    links: int = 6  # links followed from each
    shared: int = 3  # passages near the question that are joined to each because they speak of the same rare thing
    per_entity: int = 2  # passages an entity may lead to
    named_bonus: float = 2.0  # logits added to a passage whose title the question names
    plan: bool = True  # whether the question is taken apart
    plan_bonus: float = 1.0  # logits added to a path for each link that a step of the plan finds
    longer: int = 1  # paths that are followed one hop further without a plan; 0: two hops at most
    gain: float = 0.5  # logits that a third passage must then add to a path
    kept: int = 3  # paths whose passages enter the ranking

    needs: ClassVar[tuple[str, ...]] = ("text", "parsekg")

    def __post_init__(self) -> None:
        none = (self.starts, self.links, self.shared, self.per_entity, self.longer, self.kept)
        if self.depth < 1 or min(none) < 0:
            raise ValueError("depth is at least 1; starts, links, shared, per_entity, longer and kept at least 0")

    def retrieve(self, question: str, over: View, budget: Budget) -> Evidence:
        """The leading paths, then the best single passages and the passages of other paths, alternating."""
        began = time.monotonic()
        named = self._named(question, over)
        allowed = partial(in_time, began, budget)
        singles, unjudged = self._singles(question, named, over, allowed)
        starts = [PassagePath((number,), (), score) for number, score in singles[: self.starts]]
        plan = over.plan(question) if self.plan else None
        walked = self._walks(plan, named, starts, over) if allowed() else {}
        first_links = [walk.links[0] for walk in walked.values() if walk.links]
        astray = [path for path in starts if not _complete(path, walked)]
        shared = list(self._shared(question, astray, singles, over)) if allowed() else []
        pairs = self._extended(question, starts, over, allowed, sure=first_links, last=shared) if allowed() else []
        triples = self._extended(question, pairs[: self.longer], over, allowed) if allowed() else []
        paths = self._best(pairs, triples, walked)
        leading = _leading(paths, dict(singles), named, walked)
        ranking = _merged(leading, singles, paths[: self.kept])
        numbers, scores = [number for number, _ in ranking], [score for _, score in ranking]
        described = dict.fromkeys([*leading, *paths[: self.kept]])
        hops: list[Hop] = []
        for position, hop in enumerate(_hops(question, leading, walked, over, allowed)):
            over.hops_told.settle(position, hop)
            hops.append(hop)
        return Evidence(
            question=question,
            strategy="paths",
            passages=over.ranked(numbers, scores, budget.passages),
            hops=tuple(hops),
            plan=plan,
            trail=(
                f"judged {len(singles) - unjudged} single passages, {len(pairs)} pairs and {len(triples)} triples",
                *([] if allowed() else [f"the time allowed was over: {unjudged} passages and further links were left"]),
                *(f"the plan asks: {' '.join(walk.questions)}" for walk in walked.values()),
                *(_described(path, over) for path in described),
            ),
        )

    def _named(self, question: str, over: View) -> list[int]:
        """Passages whose title the question names, and those of a version that it names."""
        titled = [number for entity in over.kg.named_in(question) for number in over.kg.passages_titled(entity)]
        return list(dict.fromkeys([*naming_versions(question, over, self.depth), *titled]))[: self.depth]

    def _singles(
        self, question: str, named: Sequence[int], over: View, allowed: Callable[[], bool]
    ) -> tuple[list[tuple[int, float]], int]:
        """Passages that are named or similar, best first, and how many of them there was no time to judge: the last."""
        similar = [number for number, _ in fused(question, over, self.depth)[: self.depth]]
        numbers = list(dict.fromkeys([*named, *similar]))
        texts = [excerpt(passage, question, SINGLE) for passage in over.passages(numbers)]
        scores = judged_in_time(question, texts, over, allowed)
        unjudged = len(numbers) - len(scores)
        scores += [min(scores, default=0.0)] * unjudged
        bonus = [self.named_bonus if number in named else 0.0 for number in numbers]
        return best_first(numbers, [score + extra for score, extra in zip(scores, bonus, strict=True)]), unjudged

    def _walks(
        self, plan: Plan | None, named: Sequence[int], starts: Sequence[PassagePath], over: View
    ) -> dict[int, Walk]:
        if plan is None:
            return {}
        begin = dict.fromkeys([*(path.passages[0] for path in starts), *named[: self.starts]])
        return walks(plan, list(begin), over, per_entity=self.per_entity)

    def _shared(
        self, question: str, starts: Sequence[PassagePath], singles: Sequence[tuple[int, float]], over: View
    ) -> Iterator[Link]:
        """From each start, links to the best of the passages near the question that share a rare name with it."""
        asked = set(over.kg.named_in(question)) if self.shared else set()
        near = [number for number, _ in singles]
        for path in starts if self.shared else ():
            source = path.passages[0]
            found = shared_names(source, over.passages([source])[0], near, over, asked=asked)
            yield from islice(found, self.shared)

    def _extended(
        self,
        question: str,
        paths: Sequence[PassagePath],
        over: View,
        allowed: Callable[[], bool],
        *,
        sure: Sequence[Link] = (),
        last: Sequence[Link] = (),
    ) -> list[PassagePath]:
        """Every path with one more passage at its end, best first; ``sure`` links are followed whatever is near.

        ``last``: links that are followed, too, where no other leads from the one passage to the other.
        """
        vector = over.vector(question)
        grown = {frozenset({link.source, link.target}): (PassagePath((link.source,), (), 0.0), link) for link in sure}
        for path in paths:
            end = over.passages([path.passages[-1]])[0]
            links = list(links_from(path.passages[-1], end, over, per_entity=self.per_entity))
            links = [link for link in links if link.target not in path.passages]
            for link in nearest_links(links, vector, over, self.links):
                grown.setdefault(frozenset({*path.passages, link.target}), (path, link))
        for link in last:
            grown.setdefault(frozenset({link.source, link.target}), (PassagePath((link.source,), (), 0.0), link))
        texts = [self._evidence(question, path, link, over) for path, link in grown.values()]
        scores = judged_in_time(question, texts, over, allowed)
        extended = [
            self._weighed(PassagePath((*path.passages, link.target), (*path.links, link), score))
            for (path, link), score in zip(grown.values(), scores, strict=False)
        ]
        return sorted(extended, key=_order)

    def _evidence(self, question: str, path: PassagePath, link: Link, over: View) -> str:
        """A path and one more passage as one text."""
        names = [over.kg.spellings(step.entity) for step in [*path.links, link]]
        return path_text(over.passages([*path.passages, link.target]), question, EXCERPT, naming=names)

    def _weighed(self, path: PassagePath) -> PassagePath:
        """What is joined by a name that both share counts for less."""
        return replace(path, score=path.score - SHARED_COST * sum(link.shared for link in path.links))

    def _best(
        self, pairs: Sequence[PassagePath], triples: Sequence[PassagePath], walked: Mapping[int, Walk]
    ) -> list[PassagePath]:
        """All paths in one order, with what the plan adds to them.

        A triple counts where its third passage adds enough, and a longer walk where its first link was worth judging.
        """
        shorter = {path.passages: path.score for path in pairs}
        worth = [path for path in triples if path.score >= shorter[path.passages[:2]] + self.gain]
        known = {path.passages for path in [*pairs, *worth]}
        further = [
            PassagePath(walk.passages, walk.links, shorter[walk.passages[:2]])
            for walk in walked.values()
            if len(walk.passages) > 2 and walk.passages[:2] in shorter and walk.passages not in known
        ]
        return sorted((self._favoured(path, walked) for path in [*pairs, *worth, *further]), key=_order)

    def _favoured(self, path: PassagePath, walked: Mapping[int, Walk]) -> PassagePath:
        walk = walked.get(path.passages[0])
        along = walk is not None and walk.passages[: len(path.passages)] == path.passages
        return PassagePath(path.passages, path.links, path.score + self.plan_bonus * len(path.links) * along)


def _complete(path: PassagePath, walked: Mapping[int, Walk]) -> bool:
    """Whether the plan has led from a path's first passage to its end."""
    walk = walked.get(path.passages[0])
    return walk is not None and walk.complete


def _order(path: PassagePath) -> tuple[float, tuple[int, ...]]:
    return -path.score, path.passages


def _leading(
    paths: Sequence[PassagePath], singles: Mapping[int, float], named: Sequence[int], walked: Mapping[int, Walk]
) -> list[PassagePath]:
    """The paths that show the way: the best from each passage that the question names, or else the best of all.

    A passage that a comparison asks directly stands alone.
    """
    alone = [
        PassagePath((start,), (), singles[start])
        for start, walk in walked.items()
        if walk.complete and len(walk.passages) == 1 and start in singles
    ]
    if len(alone) > 1:
        return sorted(alone, key=_order)
    best: dict[int, PassagePath] = {}
    for path in paths:
        best.setdefault(path.passages[0], path)
    leading = [path for start, path in best.items() if start in named] or list(paths[:1])
    first = max(singles.items(), key=lambda item: (item[1], -item[0]), default=None)
    if first is not None and (not leading or leading[0].score < first[1] - WORTH_A_HOP):
        return [PassagePath((first[0],), (), first[1])]
    return leading


def _merged(
    leading: Sequence[PassagePath], singles: Sequence[tuple[int, float]], paths: Sequence[PassagePath]
) -> list[tuple[int, float]]:
    """The passages of the leading paths, then single passages and those of other paths by turns, each once."""
    first, others = (
        each_once((number, path.score) for path in each for number in path.passages) for each in (leading, paths)
    )
    return list(each_once(chain(first.items(), round_robin([singles, others.items()]))).items())


def _described(path: PassagePath, over: View) -> str:
    titles = [passage.title or passage.id for passage in over.passages(path.passages)]
    names = [over.kg.entity(link.entity).name for link in path.links]
    steps = [f" -({name})-> {title}" for name, title in zip(names, titles[1:], strict=True)]
    return f"{path.score:+.2f} {titles[0]}{''.join(steps)}"


def _hops(
    question: str, leading: Sequence[PassagePath], walked: Mapping[int, Walk], over: View, allowed: Callable[[], bool]
) -> Iterator[Hop]:
    """Each passage of the leading paths, with the sentence that leads on or, the last, the one that answers."""
    for path in leading:
        names = [over.kg.entity(link.entity).name for link in path.links]
        walk = walked.get(path.passages[0])
        asked: Sequence[tuple[str, int | None]] = [(question, None)] * len(path.passages)
        if walk is not None and walk.passages == path.passages:
            asked = list(zip(walk.questions, walk.steps, strict=True))
        passages = over.passages(path.passages)
        for (asks, step), name, passage in zip(asked, [*names, None], passages, strict=True):
            overlapping = overlapping_span(asks, passage, must_name=name) if not allowed() else None
            yield Hop(
                question=asks,
                status="resolved" if path.score > 0 else "unresolved",
                found=name,
                passages=(passage,),
                sentences=(overlapping or supporting_span(asks, passage, over, must_name=name),),
                step=step,
                score=path.score,
            )
