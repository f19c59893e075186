"""Blocks of constraints as evidence: passages by turns, a hop a block, and a trace like the paper's Figure 5."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from polyhop.indexes.by_turns import Scored, by_turns
from polyhop.layers.view import View
from polyhop.plans import Plan
from polyhop.reading.citations import within_tokens
from polyhop.strategies.c2rag.aligned_context import aligned_context
from polyhop.strategies.c2rag.bind import alike_values
from polyhop.strategies.c2rag.block import ConstraintBlock
from polyhop.strategies.c2rag.pattern import Pattern
from polyhop.strategies.c2rag.sufficiency import FactCandidate
from polyhop.strategies.shared.excerpt import excerpt
from polyhop.strategies.shared.fuse import fused
from polyhop.strategies.shared.judge import best_first, may_tell
from polyhop.strategies.shared.shown import shown
from polyhop.strategies.shared.support import overlapping_span
from polyhop.types import Budget, Cost, Evidence, Hop, Span, Triple

LONGEST = 400  # characters of a passage that are judged for the whole question
DEPTH = 50  # passages nearest to the question that are looked at
SHOWN = 3  # anchors and facts that a line of the trace names


def evidence_of(
    question: str,
    plan: Plan,
    blocks: Sequence[ConstraintBlock],
    over: View,
    budget: Budget,
    *,
    cost: Cost,
    similar: int,
    in_time: bool = True,
    among: Sequence[int] | None = None,
    own_first: bool = False,
) -> Evidence:
    """The evidence of all blocks in the order of the plan, and what else of it and of similar passages fits best.

    ``similar``: how many of those compete with the blocks' own, and others fill what the budget leaves; 0: none does.
    ``own_first``: what a constraint needs comes before what is only near the question, whichever fits that better.
    """
    leading = [block.passages for block in blocks if not block.pattern.compares]
    turns = by_turns([one.passages for one in blocks], by_turns(leading))
    near: list[int] = []
    if similar:
        near = [number for number, _ in fused(question, over, DEPTH) if among is None or number in among]
    leaders = list(turns)[: sum(map(bool, leading))]
    if own_first:
        leaders = list(by_turns(_needed(block, over) for block in blocks))
    ranking = _ranked(question, turns, leaders, near[:similar], over) if similar and in_time else turns
    lowest = min(ranking.values(), default=0.0)
    ranking |= {number: lowest for number in near[: budget.passages] if number not in ranking}
    passages = over.ranked(list(ranking), list(ranking.values()), budget.passages)
    hops = tuple(hop_of(block, step, over) for block, step in zip(blocks, plan.step_of_constraint, strict=True))
    return Evidence(
        question=question,
        strategy="c2rag",
        passages=passages,
        hops=hops,
        plan=plan,
        trail=(
            f"plan by {plan.source}",
            *([] if in_time else ["the time allowed was over: the nearest passages were not judged"]),
            *(line for block in blocks for line in _trace(block, over)),
        ),
        cost=cost,
        synthesis=aligned_context(blocks, hops, within_tokens(passages, budget.tokens)),
    )


def _needed(block: ConstraintBlock, over: View) -> Scored:
    """The passages that the reader cannot do without, of a constraint by itself.

    They are those quoted, the first one for each value that facts give alike and, where nothing is established, all
    that may tell. What is to be compared has been found elsewhere.
    """
    if block.pattern.compares or block.pattern.loose:
        return ()
    needed = set(block.quoted)
    if block.grounded is not None and block.status == "resolved":
        alike = alike_values(block.grounded, over.facts)
        first = {one.value: one for one in reversed(block.grounded.candidates) if one.value in alike}
        needed |= {over.facts.place(one.fact)[0] for one in first.values()}
    elif not needed or not block.established:
        needed |= set(may_tell(dict(block.passages)))
    return [(number, score) for number, score in block.passages if number in needed]


def _ranked(
    question: str, turns: Mapping[int, float], leaders: Sequence[int], near: Sequence[int], over: View
) -> dict[int, float]:
    """The leading passages; then the blocks' others and the nearest ones, as they fit the whole question."""
    pool = [number for number in dict.fromkeys([*turns, *near]) if number not in leaders]
    texts = [excerpt(passage, question, LONGEST) for passage in over.passages(pool)]
    scores = over.models.reranker.score(question, texts).tolist() if texts else []
    return {number: turns[number] for number in leaders} | dict(best_first(pool, scores))


def hop_of(block: ConstraintBlock, step: int, over: View) -> Hop:
    """What became of a constraint, as the hop of a step of the plan."""
    passages = tuple(over.passages([number for number, _ in block.passages]))
    passages += tuple(dict.fromkeys(quote.passage for quote in block.quotes if quote.passage not in passages))
    facts = tuple(shown(candidate.fact, candidate.score, over) for candidate in _behind(block))
    return Hop(
        question=block.pattern.asked,
        status="unresolved" if block.pattern.rests_on else block.status,
        found=block.found,
        passages=passages,
        sentences=tuple(_sentences(block, facts, over)),
        facts=facts,
        step=step,
        placeholder=None if block.pattern.open is None else block.pattern.open.name,
        score=block.passages[0][1] if block.passages else None,
        chance=block.chance,
        note=_note(block),
    )


def _behind(block: ConstraintBlock) -> Sequence[FactCandidate]:
    """The facts behind a resolved constraint; those that did not suffice are for the trace alone."""
    return block.grounded.candidates if block.grounded is not None and block.status == "resolved" else ()


def _sentences(block: ConstraintBlock, facts: Sequence[Triple], over: View) -> Iterator[Span]:
    if facts:
        yield from dict.fromkeys(fact.span for fact in facts)
    elif block.quotes:
        yield from (quote.span for quote in block.quotes)
    elif block.passages:
        yield overlapping_span(block.pattern.line, over.passages([block.passages[0][0]])[0])


def _note(block: ConstraintBlock) -> str:
    if block.pattern.rests_on:
        return f"rests on a guess: {'; '.join(block.pattern.rests_on)}"
    if block.guessed:
        return "a guess: the passages do not establish it"
    if block.grounded is None:
        return block.note
    return block.note or block.grounded.verdict.told


def _trace(block: ConstraintBlock, over: View) -> Iterator[str]:
    yield f"{block.status}: {block.pattern.line}"
    yield f"  anchors: {_anchors(block.pattern, over) or 'none'}"
    if block.grounded is not None:
        if len(block.grounded.aligned) > len(block.grounded.candidates):
            yield f"  nearest by relation: {'; '.join(_arrow(one, over) for one in block.grounded.aligned)}"
        for candidate, share in zip(block.grounded.candidates, block.grounded.verdict.shares, strict=False):
            yield (
                f"  {share:.2f}  {_arrow(candidate, over)}"
                f"   relation {candidate.relevance:.2f}, score {candidate.score:+.2f}"
            )
        verdict = block.grounded.verdict
        yield f"  {verdict.told}{'' if verdict.resolved else ': the graph does not suffice'}"
    if block.status != "resolved":
        titles = [passage.title or passage.id for passage in over.passages([number for number, _ in block.passages])]
        scores = [score for _, score in block.passages]
        read = ", ".join(f"{title} ({score:+.2f})" for title, score in zip(titles, scores, strict=True))
        yield f"  recovered from: {read or 'nothing'}"
    if block.pattern.open is not None and block.found:
        yield f"  {block.pattern.open.name} = {block.found}"
    if block.guessed or block.pattern.rests_on:
        yield f"  {_note(block)}"
    elif block.note:
        yield f"  {block.note}"


def _arrow(candidate: FactCandidate, over: View) -> str:
    fact = over.facts.fact(candidate.fact)
    return f"{fact.head} -({fact.relation})-> {fact.tail}"


def _anchors(pattern: Pattern, over: View) -> str:
    ranked = sorted(pattern.anchors.items(), key=lambda item: (-item[1].coverage, -item[1].likeness))[:SHOWN]
    return ", ".join(f"{over.facts.entity(entity).name} ({anchor.coverage:.2f})" for entity, anchor in ranked)
