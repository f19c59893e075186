"""Questions about what a passage with a title tells: pronouns and short names stand for the title."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from polyhop.english.words import names_person, word_set
from polyhop.layers.facts.syntax.facts import facts_in
from polyhop.layers.grammar.clauses import SUBJECTS
from polyhop.layers.grammar.lexicon import EMPTY, NUMBERS, PERSONAL, RELATIVE
from polyhop.layers.grammar.phrases import End, NounPhrases
from polyhop.layers.grammar.sentences import Sentences
from polyhop.layers.grammar.subjects import Subjects
from polyhop.layers.grammar.topic import TITLE, Topic
from polyhop.layers.questions.rules.clause_questions import questions_of_clause
from polyhop.layers.questions.rules.question_candidate import QuestionCandidate
from polyhop.layers.questions.rules.realisation import Realiser, Referent, has_markup
from polyhop.ports import ParsedSentence
from polyhop.types import Fact, Passage

_LONGEST_SENTENCE: Final = 150  # words: what is longer is a list
_LIFE: Final = re.compile(r"(?:born|died|began|ended) (?:on|in)$")
_ROLE: Final = re.compile(r"(?!.*\b(?:is|was|were|had|has|been|be)\b)[a-z][a-z-]{2,30}(?<!ed)(?<!ing) of$")
_CERTAIN: Final = 0.55  # of a fact: below, the rules guess
_UNSURE: Final = 0.7  # of what a noun refers to
_OURS: Final = word_set("I me my mine we us our ours you your yours i myself yourself ourselves")


def questions_of_article(passage: Passage, sentences: Sequence[ParsedSentence]) -> Iterator[QuestionCandidate]:
    """The questions that the sentences of a passage answer, sentence by sentence; never an error."""
    read = Sentences(passage, sentences)
    topic = read.topic()
    called = _labels_of(topic.main, passage.text, sentences)
    facts: dict[int, list[Fact]] = {}
    for fact in facts_in(read):
        facts.setdefault(fact.start, []).append(fact)
    for part, phrases in read.read(topic, _LONGEST_SENTENCE):
        subjects = Subjects(phrases, life=False)
        subjects.learn()  # what kind of thing the title is
        tree = phrases.tree
        if "|" in tree.forms:
            continue  # the row of a table
        realiser = _realiser(phrases, subjects, _type_of_title(topic, called))
        for clause in phrases.clauses:
            for asked in questions_of_clause(clause, realiser):
                if '"' in asked.question or _OURS.isdisjoint(asked.question.rstrip("?").split()):
                    yield _anchored(asked, passage.text, topic)._replace(part=part)
        for fact in facts.get(tree.start, ()):
            if (stated := _of_fact(fact, passage.text, topic)) is not None:
                yield stated._replace(part=part)


def _realiser(phrases: NounPhrases, subjects: Subjects, title: str) -> Realiser:
    """What says the words of a sentence: its pronouns, short names and ``the film`` as what they stand for."""
    tree = phrases.tree
    realiser = Realiser(tree, names=phrases.topic.names)
    for i, low in enumerate(tree.lower):
        if low in PERSONAL:
            if (found := subjects.pronoun(i)) and not low.endswith(("self", "selves")):
                realiser.referents[i] = _referent(phrases, found[0].end, i, title)
        elif low not in RELATIVE and tree.deps[i] in (*SUBJECTS, "poss") and not tree.kids_of(i, "relcl", "conj"):
            found = subjects.of_noun(i) if tree.label(i) != TITLE else []
            sure = len(found) == 1 and found[0].end.label == TITLE and found[0].confidence > _UNSURE
            if sure and not found[0].prefix and not (phrases.first and phrases.proper(i)):
                realiser.referents[i] = _referent(phrases, phrases.title(), i, title)
                first, last = phrases.span(i)
                realiser.silent |= {*tree.kids_of(i, "det"), *range(first, last + 1)} - {i}
    return realiser


def _labels_of(name: str, text: str, sentences: Sequence[ParsedSentence]) -> list[str]:
    """What the sentences of a passage take a name for, each time that they have it."""
    spans = ((entity.label, text[entity.start : entity.end]) for one in sentences for entity in one.entities)
    return [label for label, spelled in spans if _key(spelled) == _key(name)]


def _key(name: str) -> str:
    return name.lower().removeprefix("the ").removesuffix("'s").removesuffix("’s")


def _type_of_title(topic: Topic, called: Sequence[str]) -> str:
    """PERSON where a passage speaks of its title as of someone; TITLE otherwise."""
    person = topic.person or any(map(names_person, topic.nouns)) or called.count("PERSON") * 2 > len(called)
    return "PERSON" if person and not topic.thing else TITLE


def _referent(phrases: NounPhrases, end: End, i: int, title: str) -> Referent:
    """What a word stands for, with where the text names it."""
    tree, places = phrases.tree, phrases.topic.places
    if end.label == TITLE:
        return Referent(end.text, *(places[0][:2] if places else (0, 0)), label=title)
    at = tree.text.rfind(end.text, 0, tree.starts[i])
    return Referent(end.text, at, at + len(end.text), end.label) if at >= 0 else Referent(end.text, label=end.label)


def _anchored(asked: QuestionCandidate, text: str, topic: Topic) -> QuestionCandidate:
    """With the title before a question that does not name it, unless the answer does."""
    pair = f"{asked.question} {text[asked.start : asked.end]}".lower()
    if not topic.exists or topic.main.lower() in pair or not set(topic.words).isdisjoint(pair.split()):
        return asked
    question = f"As for {topic.title}, {asked.question[:1].lower()}{asked.question[1:]}"
    return asked._replace(question=question, certainty=asked.certainty * 0.8)


def _of_fact(fact: Fact, text: str, topic: Topic) -> QuestionCandidate | None:
    """A question about what no clause states: the dates of a life, and what stands beside a name."""
    start = text.find(fact.tail, fact.start)
    question = _question_of(fact, topic) if start >= 0 and fact.confidence >= _CERTAIN else ""
    if not question or has_markup(question) or has_markup(fact.tail):
        return None
    return QuestionCandidate.of(text, question, start, start + len(fact.tail), fact.confidence)


def _question_of(fact: Fact, topic: Topic) -> str:
    """``When was Ada Bell born?``, ``What is Ada Bell the daughter of?``, or nothing."""
    head, tail = fact.head, fact.tail
    if _LIFE.match(fact.relation):
        wh = "Where" if fact.tail_label in ("GPE", "LOC", "FAC") else "When"
        base = {"died": "die", "began": "begin", "ended": "end"}.get(fact.relation.split()[0])
        return f"{wh} did {head} {base}?" if base else f"{wh} was {head} born?"
    if fact.relation == "is" and (fact.head_label == TITLE or " " in tail):
        titled = fact.head_label == TITLE and topic.person
        person = titled or fact.head_label == "PERSON" or names_person(tail.lower().split()[-1])
        return f"{'Who' if person else 'What'} is {head}?"
    numeral = fact.tail_label in NUMBERS or tail.isdigit() or tail.lower() in EMPTY
    if not _ROLE.match(fact.relation) or numeral:
        return ""
    role = fact.relation.rpartition(" ")[0]
    return f"Whose {role} is {head}?" if fact.tail_label == "PERSON" else f"What is {head} {role} of?"
