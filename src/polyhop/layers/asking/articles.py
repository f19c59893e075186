"""Questions about what a passage with a title tells: pronouns and short names stand for the title."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from polyhop.layers.asking.asked import Asked
from polyhop.layers.asking.clauses import Clauses
from polyhop.layers.asking.wording import Meant, Wording
from polyhop.layers.syntax.clauses import Clauses as StatedClauses
from polyhop.layers.syntax.facts import facts_of
from polyhop.layers.syntax.lexicon import EMPTY, PERSONAL, RELATIVE
from polyhop.layers.syntax.phrases import End, Phrases
from polyhop.layers.syntax.subjects import SUBJECTS, Subjects
from polyhop.layers.syntax.topic import TITLE, Topic
from polyhop.layers.syntax.tree import Tree, is_sound
from polyhop.ports import ParsedSentence
from polyhop.types import Fact, Passage

_LONGEST_SENTENCE: Final = 150  # words: what is longer is a list
_LIFE: Final = re.compile(r"(?:born|died|began|ended) (?:on|in)$")
_ROLE: Final = re.compile(r"(?!.*\b(?:is|was|were|had|has|been|be)\b)[a-z][a-z-]{2,30}(?<!ed)(?<!ing) of$")
_CERTAIN: Final = 0.55  # of a fact: below, the rules guess
_HELD = ("himself", "herself", "itself", "themselves")
_UNSURE: Final = 0.7


def asked_of_article(passage: Passage, sentences: Sequence[ParsedSentence]) -> Iterator[Asked]:
    """The questions that the sentences of a passage answer, sentence by sentence; never an error."""
    topic = Topic(passage, sentences)
    facts = _by_sentence(facts_of(passage, sentences))
    for part, sentence in enumerate(sentences):
        if not 0 < len(sentence.words) <= _LONGEST_SENTENCE or not is_sound(sentence, len(passage.text)):
            continue
        tree = Tree(passage.text, sentence, topic.places)
        phrases = Phrases(tree, topic, first=part == 0 and passage.ordinal == 0)
        subjects = Subjects(phrases, life=False)
        StatedClauses(phrases, subjects, _ignore).read()  # tells the topic what kind of thing the title is
        wording = Wording(tree, lowered=True)
        _resolve(wording, phrases, subjects)
        for asked in Clauses(wording).read():
            yield _anchored(asked, passage.text, topic)._replace(part=part)
        for asked in _stated(passage.text, topic, facts.get(sentence.start, ())):
            yield asked._replace(part=part)


def _ignore(head: End, relation: str, tail: End, confidence: float) -> None:
    """Facts are not wanted here."""


def _resolve(wording: Wording, phrases: Phrases, subjects: Subjects) -> None:
    """Have pronouns, short names and ``the film`` say what they stand for."""
    tree = wording.tree
    for i, low in enumerate(tree.lower):
        if low in PERSONAL:
            found = subjects.pronoun(i) if low not in _HELD else []
            if found:
                wording.mean(i, _meant(phrases, found[0].end, i))
        elif (
            low not in RELATIVE
            and tree.deps[i] in (*SUBJECTS, "poss")
            and tree.label(i) != TITLE
            and not tree.kids_of(i, "relcl", "conj")
        ):
            found = subjects.of_noun(i)
            if (
                len(found) == 1
                and found[0].end.label == TITLE
                and not found[0].prefix
                and found[0].confidence > _UNSURE
            ):
                _rename(wording, phrases, i)


def _rename(wording: Wording, phrases: Phrases, i: int) -> None:
    """Have a phrase say the title: ``Bell`` is ``Ada Bell``, ``the film`` its name."""
    tree = wording.tree
    first, last = phrases.span(i)
    determiners = tree.kids_of(i, "det")
    if phrases.first and phrases.proper(i):
        return  # the first sentence says the full name as it is
    around = {*determiners, *range(first, last + 1)} - {i}
    wording.mean(i, _meant(phrases, phrases.title(), i), around)


def _meant(phrases: Phrases, end: End, i: int) -> Meant:
    """What a word stands for, with where the text names it."""
    tree, topic = phrases.tree, phrases.topic
    if end.label == TITLE:
        label = "PERSON" if topic.person else TITLE
        start, until = (topic.places[0].start, topic.places[0].end) if topic.places else (0, 0)
        return Meant(topic.title, start, until, label)
    at = tree.text.rfind(end.text, 0, tree.starts[i])
    return Meant(end.text, at, at + len(end.text), end.label) if at >= 0 else Meant(end.text, label=end.label)


def _anchored(asked: Asked, text: str, topic: Topic) -> Asked:
    """With the title before a question that does not name it; less sure where the answer is the title itself."""
    if not topic.exists or topic.main.lower() in asked.question.lower():
        return asked
    answer = text[asked.start : asked.end].lower()
    if topic.main.lower() in answer:
        return asked
    words = set(asked.question.lower().split())
    if words & set(topic.words):
        return asked
    question = f"{asked.question[:1].lower()}{asked.question[1:]}"
    return asked._replace(question=f"As for {topic.title}, {question}", certainty=asked.certainty * 0.8)


def _by_sentence(facts: Sequence[Fact]) -> dict[int, list[Fact]]:
    found: dict[int, list[Fact]] = {}
    for fact in facts:
        found.setdefault(fact.start, []).append(fact)
    return found


def _stated(text: str, topic: Topic, facts: Sequence[Fact]) -> Iterator[Asked]:
    """Questions from facts that no clause states: the dates of a life, and what stands beside a name."""
    for fact in facts:
        if fact.confidence < _CERTAIN:
            continue
        start = text.find(fact.tail, fact.start)
        if start < 0:
            continue
        question = _question_of(fact, topic)
        asked = Asked.of(text, question, start, start + len(fact.tail), fact.confidence) if question else None
        if asked is not None:
            yield asked


def _question_of(fact: Fact, topic: Topic) -> str:
    """``When was Ada Bell born?``, ``What is Ada Bell the daughter of?``, or nothing."""
    head = fact.head
    if _LIFE.match(fact.relation):
        verb = fact.relation.rsplit(" ", 1)[0]
        wh = "Where" if fact.tail_label in ("GPE", "LOC", "FAC") else "When"
        if verb == "born":
            return f"{wh} was {head} born?"
        base = {"died": "die", "began": "begin", "ended": "end"}[verb]
        return f"{wh} did {head} {base}?"
    if fact.relation == "is":
        person = fact.head_label == "PERSON" or (fact.head_label == TITLE and topic.person)
        return f"{'Who' if person else 'What'} is {head}?"
    if _ROLE.match(fact.relation) and fact.tail.lower() not in EMPTY:
        role, _, preposition = fact.relation.rpartition(" ")
        wh = "Whose" if preposition == "of" and fact.tail_label == "PERSON" else "What"
        return f"{wh} {role} is {head}?" if wh == "Whose" else f"What is {head} {role} {preposition}?"
    return ""
