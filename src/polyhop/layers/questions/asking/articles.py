"""Questions about what a passage with a title tells: pronouns and short names stand for the title."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from polyhop.english.words import word_set
from polyhop.layers.facts.syntax.clauses import Clauses as StatedClauses
from polyhop.layers.facts.syntax.facts import facts_in
from polyhop.layers.grammar.lexicon import ARTICLES, EMPTY, HE, NUMBERS, PERSONAL, RELATIVE, SHE, THINGS, WORKS
from polyhop.layers.grammar.phrases import End, Phrases
from polyhop.layers.grammar.sentences import Sentences
from polyhop.layers.grammar.subjects import SUBJECTS, Subjects
from polyhop.layers.grammar.topic import TITLE, Topic
from polyhop.layers.grammar.tree import Tree
from polyhop.layers.questions.asking.asked import Asked
from polyhop.layers.questions.asking.clauses import Clauses
from polyhop.layers.questions.asking.kinds import Kinds, is_person
from polyhop.layers.questions.asking.soundness import has_markup, is_sound, tidied
from polyhop.layers.questions.asking.wording import Meant, Wording
from polyhop.ports import ParsedSentence
from polyhop.types import Fact, Passage

_LONGEST_SENTENCE: Final = 150  # words: what is longer is a list
_LIFE: Final = re.compile(r"(?:born|died|began|ended) (?:on|in)$")
_ROLE: Final = re.compile(r"(?!.*\b(?:is|was|were|had|has|been|be)\b)[a-z][a-z-]{2,30}(?<!ed)(?<!ing) of$")
_CERTAIN: Final = 0.55  # of a fact: below, the rules guess
_HELD = ("himself", "herself", "itself", "themselves")
_UNSURE: Final = 0.7
_NO_ONE: Final = WORKS | THINGS | {"films", "song", "songs", "movie"}
_NUMERAL: Final = re.compile(r"[A-Z]\w+ I\b")  # a king's
_HEADING: Final = re.compile(r"\S{1,25}(?: \S{1,25}){0,3}(?<![.,;:!?])(?=\n[A-Z])")
_SEVERAL: Final = ("s", "people", "men", "children")
_OWNED: Final = frozenset({"it", "its", "their"})
_OURS: Final = word_set("I me my mine we us our ours you your yours i i'm you're we're myself yourself ourselves")


def asked_of_article(passage: Passage, sentences: Sequence[ParsedSentence]) -> Iterator[Asked]:
    """The questions that the sentences of a passage answer, sentence by sentence; never an error."""
    read = Sentences(passage, sentences)
    topic = read.topic()
    kinds, title = Kinds(passage.text, sentences), topic.title
    if kinds.of_title(topic) == TITLE and not topic.person:
        title = _title(passage.text, topic)
    facts = _by_sentence(facts_in(read))
    for part, phrases in read.read(topic, _LONGEST_SENTENCE):
        subjects = Subjects(phrases, life=False)
        StatedClauses(phrases, subjects, _ignore).learn()  # tells the topic what kind of thing the title is
        if "|" in phrases.tree.forms:
            continue  # the row of a table
        wording = Wording(
            phrases.tree,
            lowered=True,
            names=topic.names,
            title=title,
            title_label=kinds.of_title(topic),
            kinds=kinds,
        )
        wording.hush(_heading(phrases.tree))
        _resolve(wording, phrases, subjects)
        for asked in Clauses(wording, guesses=False).read():
            if _is_ours(asked.question):
                continue
            yield Asked(*_anchored(asked, passage.text, topic, title)[:-1], part)
        for asked in _stated(passage.text, topic, facts.get(phrases.tree.start, ())):
            yield Asked(*asked[:-1], part)


def _ignore(head: End, relation: str, tail: End, confidence: float) -> None:
    """Facts are not wanted here."""


def _resolve(wording: Wording, phrases: Phrases, subjects: Subjects) -> None:
    """Have pronouns, short names and ``the film`` say what they stand for."""
    tree = wording.tree
    for i, low in enumerate(tree.lower):
        if low in PERSONAL:
            found = subjects.pronoun(i) if low not in _HELD else []
            other = found and found[0].end.label == TITLE and _is_no_one(wording, phrases.topic, low)
            if found and not other and not (low in _OWNED and _has_owner(wording, i)):
                wording.mean(i, _meant(wording, phrases, found[0].end, i))
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
        wording.same.add(i)
        return  # the first sentence says the full name as it is
    around = {*determiners, *range(first, last + 1)} - {i}
    wording.mean(i, _meant(wording, phrases, phrases.title(), i), around)


def _meant(wording: Wording, phrases: Phrases, end: End, i: int) -> Meant:
    """What a word stands for, with where the text names it."""
    tree, topic = phrases.tree, phrases.topic
    if end.label == TITLE:
        start, until = (topic.places[0].start, topic.places[0].end) if topic.places else (0, 0)
        return Meant(wording.title, start, until, wording.title_label)
    at = tree.text.rfind(end.text, 0, tree.starts[i])
    return Meant(end.text, at, at + len(end.text), end.label) if at >= 0 else Meant(end.text, label=end.label)


def _heading(tree: Tree) -> Sequence[int]:
    """The words of a heading that stands on a line of its own before a sentence, as if it belonged to it."""
    if not len(tree):
        return ()
    start = tree.starts[0]
    found = _HEADING.match(tree.text, start) if not start or tree.text[start - 1] == "\n" else None
    return [i for i, end in enumerate(tree.ends) if end <= found.end()] if found is not None else ()


def _is_no_one(wording: Wording, topic: Topic, pronoun: str) -> bool:
    """Whether a pronoun cannot be the title: not several, not someone (the letter of Ost, the model of the mill)."""
    if pronoun in ("they", "them", "themselves"):
        return not topic.words[-1].endswith("s")
    named = " of the " in topic.main or " from " in topic.main
    return named and wording.title_label != "PERSON" and pronoun in HE | SHE


def _has_owner(wording: Wording, i: int) -> bool:
    """Whether the subject of a clause is what *its* or *their* speaks of: ``The smiths sold their forge``."""
    tree = wording.tree
    for above in tree.upwards(i):
        for subject in tree.kids_of(above, *SUBJECTS):
            if subject < i:
                if wording.is_title(subject) or wording.meant(subject) or tree.lower[subject] in EMPTY:
                    return False
                several = tree.lower[subject].endswith(_SEVERAL) or bool(tree.kids_of(subject, "conj"))
                return several == (tree.lower[i] == "their") and tree.label(subject) != "PERSON"
    return False


def _title(text: str, topic: Topic) -> str:
    """The title as a question says it: with the article that the text has before it."""
    if not topic.places or topic.words[0] in ARTICLES:
        return topic.title
    definite = sum(text[max(place.start - 4, 0) : place.start].lower() == "the " for place in topic.places)
    return f"the {topic.title}" if definite * 2 > len(topic.places) else topic.title


def _is_ours(question: str) -> bool:
    """Whether a question speaks of me or you, whom no one knows."""
    words = _OURS.intersection(question.rstrip("?").split())
    return bool(words) and '"' not in question and not (words == {"I"} and _NUMERAL.search(question))


def _anchored(asked: Asked, text: str, topic: Topic, title: str) -> Asked:
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
    return asked._replace(question=f"As for {title}, {question}", certainty=asked.certainty * 0.8)


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
        question = tidied(_question_of(fact, topic))
        sound = question and is_sound(question) and not has_markup(fact.tail)
        asked = Asked.of(text, question, start, start + len(fact.tail), fact.confidence) if sound else None
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
        if fact.head_label != TITLE and " " not in fact.tail:
            return ""
        person = fact.head_label == "PERSON" or (fact.head_label == TITLE and topic.person)
        person = person or any(map(is_person, fact.tail.lower().split()))
        person = person and _NO_ONE.isdisjoint(fact.tail.lower().split())
        return f"{'Who' if person else 'What'} is {head}?"
    if _ROLE.match(fact.relation) and fact.tail.lower() not in EMPTY:
        if fact.tail_label in NUMBERS or fact.tail.isdigit():
            return ""
        role, _, preposition = fact.relation.rpartition(" ")
        wh = "Whose" if preposition == "of" and fact.tail_label == "PERSON" else "What"
        return f"{wh} {role} is {head}?" if wh == "Whose" else f"What is {head} {role} {preposition}?"
    return ""
