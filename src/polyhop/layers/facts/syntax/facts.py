"""The facts of a passage, from its stored parse."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from polyhop.documents.languages import is_english, is_surely_english
from polyhop.indexes.names import normal
from polyhop.layers.facts.syntax.clauses import ClauseFacts
from polyhop.layers.facts.syntax.nouns import Nouns
from polyhop.layers.facts.syntax.openings import lives
from polyhop.layers.grammar.lexicon import EMPTY
from polyhop.layers.grammar.phrases import End, NounPhrases
from polyhop.layers.grammar.sentences import Sentences
from polyhop.layers.grammar.subjects import Subjects
from polyhop.layers.grammar.topic import TITLE
from polyhop.ports import ParsedSentence
from polyhop.types import Fact, Passage

_LONGEST_END = 120  # characters
_LONGEST_SENTENCE = 300  # words: what is longer is a table or a list
_LONGEST_RELATION = 80
_BEYOND = 120  # characters that a bracket may go on after its sentence
_INTRODUCES = 120  # characters before the bracket of the first sentence


def facts_of(passage: Passage, sentences: Sequence[ParsedSentence]) -> list[Fact]:
    """What the sentences of a passage state, in their order, each fact once.

    Every head and tail is the passage's title or a literal stretch of its text. Sentences without words, and parses
    that are no trees, give fewer facts and never an error. In a passage that is in another language only the sentences
    that surely are English state any.
    """
    return facts_in(Sentences(passage, sentences))


def facts_in(sentences: Sentences) -> list[Fact]:
    """Like ``facts_of``, of sentences that are read for something else, too."""
    gathered = _Gathered()
    text, title = sentences.passage.text, sentences.passage.title
    english = is_english(text.replace(title, " ") if title else text)  # a foreign title tells nothing of its text
    for _, phrases in sentences.read(sentences.topic(), _LONGEST_SENTENCE):
        gathered.start, gathered.end = phrases.tree.start, phrases.tree.end
        if not english and not is_surely_english(text[gathered.start : gathered.end]):
            continue  # the parser finds nouns and verbs in any language, and means none of them
        lived = list(_lives(phrases))
        subjects = Subjects(phrases, life=phrases.first and any(head.label == TITLE for head, _, _ in lived))
        clauses = ClauseFacts(phrases, subjects, gathered.add)
        for head, relation, tail in lived:
            gathered.add(head, relation, tail, 1.0)
        clauses.read()
        if subjects.alias is not None:
            gathered.add(phrases.title(), "also known as", subjects.alias, 0.8)
        Nouns(phrases, subjects, clauses, gathered.add).read()
    return list(gathered.facts.values())


class _Gathered:
    """The facts so far, by their normalised triples."""

    def __init__(self) -> None:
        self.facts: dict[tuple[str, str, str], Fact] = {}
        self.start, self.end = 0, 0  # of the sentence that is read
        self._keys: dict[str, str] = {}

    def add(self, head: End, relation: str, tail: End, confidence: float) -> None:
        """Take a fact in, unless an end is empty, both are the same, or it is known with more confidence."""
        head_key, tail_key = self._key(head.text), self._key(tail.text)
        if not head_key or not tail_key or head_key == tail_key or len(relation) > _LONGEST_RELATION:
            return
        if not relation or relation in (head.text.lower(), tail.text.lower()):
            return
        if max(len(head.text), len(tail.text)) > _LONGEST_END or head_key in EMPTY or tail_key in EMPTY:
            return
        key = (head_key, relation, tail_key)
        known = self.facts.get(key)
        if known is None or known.confidence < confidence:
            self.facts[key] = Fact(
                head=head.text,
                relation=relation,
                tail=tail.text,
                start=self.start,
                end=self.end,
                head_label=head.label,
                tail_label=tail.label,
                confidence=round(confidence, 3),
            )

    def _key(self, name: str) -> str:
        if name not in self._keys:
            self._keys[name] = normal(name)
        return self._keys[name]


def _lives(phrases: NounPhrases) -> Iterator[tuple[End, str, End]]:
    """The dates in brackets after a name: of the title in the first sentence, of the person before it elsewhere."""
    tree, topic = phrases.tree, phrases.topic
    if "(" not in tree.text[tree.start : tree.end]:
        return
    introduced = phrases.first and topic.exists
    until = tree.end + (_BEYOND if introduced else 0)  # the parser may have cut the sentence within the bracket
    for life in lives(tree.text, tree.start, until, person=not topic.thing):
        if life.start >= tree.end:
            break
        before = [i for i in range(len(tree)) if tree.ends[i] <= life.start][-1:]
        if introduced and life.start - tree.start <= _INTRODUCES:
            yield phrases.title(), life.relation, life.tail
        elif before and tree.label(before[0]) in ("PERSON", TITLE) and (end := phrases.end(before[0])) is not None:
            yield end, life.relation, life.tail
