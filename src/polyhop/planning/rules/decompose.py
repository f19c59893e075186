"""Taking a question apart into hops by rules alone, so that multi-hop retrieval works without a language model.

The question is read as words in which names are atomic, then tried against shapes: a comparison of two things, a
statement whose last noun hides a hop, and else a chain of descriptions that is resolved from the inside out. A question
of no such shape is its own only step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from polyhop.english.answer_type import outright
from polyhop.english.question import LONGEST_QUESTION, OWNS, Words, has_sentences, plain, read_words
from polyhop.english.verbs import base_form, is_participle, third_of_base
from polyhop.english.words import (
    ARTICLES,
    AUXILIARIES,
    OWNERS,
    PLACES,
    PREPOSITIONS,
    PRONOUNS,
    WH_WORDS,
    without_preface,
)
from polyhop.planning.rules.chains import answer_chain, settle
from polyhop.planning.rules.clauses import RELATIVISERS, asks, first_finite, inverted, noun_phrase_start
from polyhop.planning.rules.comparisons import compare
from polyhop.planning.rules.draft import SOURCE, PlanDraft
from polyhop.planning.stands_alone import asks_something
from polyhop.plans import REFERENCE, Plan, Step

_LONGEST_TEXT: Final = 4000  # characters


def decompose(question: str, entities: Sequence[str] = ()) -> Plan:
    """The plan to answer a question in hops; ``entities`` are names in it that must not be taken apart.

    Never raises. A blank question has no steps; one that already contains ``#1`` or is longer than 200 words has one.
    """
    text = question.strip()
    if not text:
        return Plan(shape="single", steps=(), source=SOURCE)
    whole = Plan(shape="single", steps=(Step(question=text),), source=SOURCE)
    if len(text) > _LONGEST_TEXT or len(text.split()) > LONGEST_QUESTION or REFERENCE.search(text):
        return whole
    words = asked_outright(text, entities)
    if len(words) < 4 or has_sentences(text):
        return whole
    plan = compare(_that_of_spelled_out(words))
    if plan is None:
        words = _same_as_spelled_out(words)
        plan = _statement(words)
        if plan is not None and not all(asks_something(step.question) for step in plan.steps):
            return whole
    if plan is not None:
        return plan
    draft = PlanDraft()
    answer_chain(words, draft)
    apart = len(draft.steps) > 1 and all(asks_something(step.question) for step in draft.steps)
    if words[0].low in AUXILIARIES:
        return draft.plan("verification") if apart else replace(whole, shape="verification")
    return draft.plan("chain") if apart else replace(whole, steps=(_kept(text, draft),))


def asked_outright(text: str, names: Sequence[str]) -> Words:
    """The words of a question without those that only ask: "tell me where the mill stood" asks "where did it stand"."""
    asked = without_preface(text)
    words = outright(read_words(asked, names))
    return words if asked == text else _inverted(words)


def _inverted(words: Words) -> Words:
    """The words of "where the mill stood" as those of "where did the mill stand"; others as they are."""
    begins = words[1:2] and (words[1].atomic or words[1].low in ARTICLES | OWNERS | PRONOUNS)
    verb = first_finite(words, 2)
    if not begins or words[0].low not in WH_WORDS or verb is None or first_finite(words, verb + 1) is not None:
        return words
    return (*words[:1], *inverted(words[1:]))


def _kept(text: str, draft: PlanDraft) -> Step:
    return Step(question=text, target=draft.steps[-1].target)


def _that_of_spelled_out(words: Words) -> Words:
    """The words with the noun that "that of" stands for: "the age of X or that of Y" is "or the age of Y"."""
    lows = [word.low for word in words]
    at = next((at for at in range(3, len(words) - 2) if lows[at : at + 2] == ["that", "of"]), None)
    if at is None or lows[at - 1] not in ("than", "or", "and", "before", "after"):
        return words
    end = next((end for end in range(2, at) if lows[end] == "of" or words[end] == OWNS), None)
    if end is None:
        return words
    noun = words[end + 1 : end + 2] if words[end] == OWNS else words[noun_phrase_start(words, end) : end]
    noun = tuple(word for word in noun if word.low not in ARTICLES)
    return (*words[:at], *plain("the"), *noun, *words[at + 1 :]) if noun else words


def _same_as_spelled_out(words: Words) -> Words:
    """The words with what "the same ... as X" leaves out: the county where X is located, the saint X is named after."""
    if words[0].low in AUXILIARIES:
        return words
    for at in range(1, len(words) - 3):
        if [words[at - 1].low, words[at].low, words[at + 2].low] != ["the", "same", "as"]:
            continue
        noun, thing = words[at + 1], words[at + 3 :]
        end = next((i + 1 for i, word in enumerate(thing) if word.atomic), 0)
        named = end > 0 and all(word.kind == "word" and word.low not in PREPOSITIONS for word in thing[: end - 1])
        if noun.low in ("nationality", "citizenship"):
            return (*words[:at], noun, *plain("of"), *thing)
        if named and noun.low in PLACES:
            return (*words[:at], noun, *plain("where"), thing[end - 1], *plain("is", "located"), *thing[end:])
        if named and at > 3 and is_participle(words[at - 3].low) and words[at - 2].low in PREPOSITIONS:
            verb = words[at - 3 : at - 1]
            return (*words[:at], noun, *plain("that"), *thing[:end], *plain("was"), *verb, *thing[end:])
    return words


def _statement(words: Words) -> Plan | None:
    """A statement that ends in its question, "X plays for the team from what city?": its last noun comes first."""
    if words[0].low in WH_WORDS | AUXILIARIES or (words[0].low in PREPOSITIONS and words[1].low in WH_WORDS):
        return None
    asked = max((i for i, word in enumerate(words) if word.low in WH_WORDS and asks(words, i)), default=0)
    articles = [i for i in range(1, asked) if words[i].low in ("a", "an", "the")]
    for place, article in enumerate(reversed(articles)):
        plan = _stated_with(words, article, asked, described=place > 0)
        if plan is not None:
            return plan
    return None


def _stated_with(words: Words, article: int, asked: int, *, described: bool) -> Plan | None:
    """The plan of a statement whose first step asks for the noun after an article.

    A noun before the last one counts only where a clause describes it: "a mountain that has an elevation of what".
    """
    if not any(word.atomic for word in words[:article]):
        return None
    noun_end = next((i for i in range(article + 1, asked) if _leaves_noun(words, i)), None)
    verb = first_finite(words, 1, article)
    if noun_end is None or noun_end == article + 1 or verb is None:
        return None
    if described and words[noun_end].low not in ("that", "which", "with"):
        return None
    if any(words[i].low in RELATIVISERS for i in range(1, article)):
        return None  # the subject is itself described: that comes first
    link = words[noun_end:asked]
    if len(link) == 1 and link[0].low in ("of", "for") and words[asked + 1 : asked + 2] != plain("nationality"):
        return None
    draft = PlanDraft()
    subject = settle(words[:verb], draft)
    first = subject + words[verb:article] + plain("which") + words[article + 1 : noun_end]
    found = draft.ask(first, words[noun_end - 1].low)
    answer_chain((found, *_linked(link), *words[asked:]), draft)
    return draft.plan("chain" if len(draft.steps) > 1 else "single")


def _leaves_noun(words: Words, at: int) -> bool:
    low = words[at].low
    if low == ",":
        return True
    if words[at].kind != "word" or words[at - 1].low in ARTICLES:
        return False
    after = words[at + 1].low if at + 1 < len(words) else ""
    participle = is_participle(low) and (after in PREPOSITIONS or after in WH_WORDS or words[at + 1].atomic)
    return low in PREPOSITIONS or low in RELATIVISERS or participle


def _linked(link: Words) -> Words:
    """The words between the noun and the wh-word, as a predicate of the noun's answer."""
    opening = max((i for i, word in enumerate(link) if word.low in RELATIVISERS), default=0)
    link = link[opening:] if link[0].low == "," else link
    kept = tuple(word for i, word in enumerate(link) if i or (word.low != "," and word.low not in RELATIVISERS))
    if not kept or len(kept) < len(link):
        return kept
    low = kept[0].low
    if low == "with":
        return plain("has") + kept[1:]
    if low.endswith("ing") and is_participle(low):
        return plain(third_of_base(base_form(low))) + kept[1:]
    return plain("was" if is_participle(low) else "is") + kept
