"""Who or what a clause or a noun speaks of: the way from a word to the head of a fact."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from polyhop.layers.grammar.clauses import SUBJECTS
from polyhop.layers.grammar.lexicon import BE, EMPTY, KIN, MADE, NUMBERS, PERSONAL, PLACES, RELATIVE, RELEASED, THEY
from polyhop.layers.grammar.phrases import End, NounPhrases
from polyhop.layers.grammar.topic import TITLE

_STEPS = 6  # from a word to what it refers to: further, the parse is not to be trusted
_SHARING = frozenset({"conj", "xcomp", "advcl", "prep", "pcomp", "acomp"})  # their subject is that of what governs them
_MOST = 12  # subjects of one clause
_WHOSE = "whose"


class Subject(NamedTuple):
    """The head of a fact, with the words that the relation begins with: (Anna, "father", ...)."""

    end: End
    prefix: str = ""
    confidence: float = 1.0


class Subjects:
    """The heads of the facts of one sentence."""

    __slots__ = ("_clauses", "_depth", "alias", "life", "phrases", "topic", "tree")

    def __init__(self, phrases: NounPhrases, *, life: bool) -> None:
        self.phrases = phrases
        self.tree = phrases.tree
        self.topic = phrases.topic
        self.life = life  # whether the sentence begins with a name and the dates of a life
        self.alias: End | None = None  # another name that the sentence introduces the title by
        self._depth = 0  # of clauses that wait for the subject of another
        self._clauses: dict[int, list[Subject]] = {}

    def of_clause(self, verb: int) -> list[Subject]:
        """Who the clause of a verb speaks of."""
        if verb not in self._clauses:
            if self._depth >= _STEPS:
                return []
            self._depth += 1
            self._clauses[verb] = []  # whatever refers back to itself refers to nothing
            found = [subject for i in self._words(verb)[:_MOST] for subject in self.of_noun(i)]
            self._clauses[verb] = found[:_MOST] or self._unsaid(verb)
            self._depth -= 1
        return self._clauses[verb]

    def learn(self) -> None:
        """Tell the topic what its sentence says it is: ``the film``, where it is *a film about* ..."""
        for clause in self.phrases.clauses:
            subjects = self.of_clause(clause.verb)  # also where nothing is told: who is meant depends on the order
            for kid in self.tree.kids_of(clause.verb, "attr") if speaks_of_title(subjects) else ():
                for word, _, _ in self.phrases.described(kid):
                    if self.phrases.common(word):
                        self.topic.learn(self.tree.lower[word])

    def of_noun(self, i: int, steps: int = _STEPS) -> list[Subject]:
        """What a noun or pronoun refers to: the title, a name, what it is said of, or what it belongs to."""
        tree, phrases = self.tree, self.phrases
        if steps <= 0:
            return []
        lower = tree.lower[i]
        if lower in PERSONAL:
            return self.pronoun(i)
        if lower in RELATIVE or lower == _WHOSE:
            antecedent = self.antecedent(i)
            return [] if antecedent is None else self.of_noun(antecedent, steps - 1)
        if self._introduces(i):
            return [Subject(phrases.title())]
        if tree.label(i) in NUMBERS or (lower in EMPTY and not phrases.proper(i)):
            return []
        if not phrases.common(i):
            return self._named(i)
        said = self._said_of(i, steps)
        if said:
            return said
        named = phrases.name(i)
        return self._belongs(i, steps) if named is None else self._named(named)

    def pronoun(self, i: int) -> list[Subject]:
        """What a personal pronoun stands for: the title, or else the last person named before it."""
        lower = self.tree.lower[i]
        if self.topic.exists and lower in self.topic.pronouns:
            return [Subject(self.phrases.title(), confidence=0.6 if lower in THEY else 1.0)]
        if lower in ("it", "its", "itself"):
            return []
        for before in range(i - 1, -1, -1):
            if self.tree.label(before) == "PERSON":
                end = self.phrases.end(before)
                return [Subject(end, confidence=0.7)] if end else []
        return []

    def antecedent(self, i: int) -> int | None:
        """The noun that the relative clause of a word belongs to."""
        for above in self.tree.upwards(i):
            if self.tree.deps[above] == "relcl":
                return self.tree.heads[above]
        return None

    def possessor(self, i: int) -> list[Subject]:
        """Who a possessive word stands for."""
        return self.of_noun(i, 2)

    def of_verb_above(self, i: int) -> list[Subject]:
        """Who the nearest clause around a word speaks of."""
        for above in self.tree.upwards(i):
            if above != i and (found := self.of_clause(above)):
                return found
        return []

    def _words(self, verb: int) -> list[int]:
        """The words that are the subjects of a verb, its own or shared ones."""
        tree, at = self.tree, verb
        for _ in range(_STEPS):
            own = [i for i in tree.kids_of(at, *SUBJECTS) if i not in tree.bracketed or at in tree.bracketed]
            if own:
                return [i for word in own for i in tree.conjoined(word)]
            misread = [kid for kid in tree.kids[at] if kid < at and tree.label(kid) == TITLE]
            if misread:
                return misread[:1]
            dependency, head = tree.deps[at], tree.heads[at]
            if dependency in ("relcl", "acl"):
                return self._modified(at)
            if head == at or dependency not in _SHARING:
                return []
            if dependency == "xcomp" and (objects := tree.kids_of(head, "dobj")):
                return objects
            at = head
        return []

    def _modified(self, verb: int) -> list[int]:
        """The noun that a participle or a relative clause belongs to; people are not written or directed."""
        tree, head = self.tree, self.tree.heads[verb]
        if tree.lower[verb] not in MADE:
            return [head]
        for above in tree.upwards(head):
            if tree.deps[above] == "attr" and tree.lower[above] in RELEASED:
                return [above]
        return [] if tree.label(head) == "PERSON" else [head]

    def _unsaid(self, verb: int) -> list[Subject]:
        """The title, where a clause of the first sentence lacks its subject and says what something is."""
        tree, topic = self.tree, self.topic
        if not verb or not topic.exists or not self.phrases.first or tree.lower[verb] not in BE:
            return []
        opening = tree.slice(0, verb - 1)
        return [Subject(self.phrases.title(), confidence=0.9)] if self.life or topic.resembles(opening) else []

    def _named(self, i: int) -> list[Subject]:
        """A name: the title where it is a part of it, or where the first sentence introduces it by another form."""
        end = self.phrases.end(i)
        if end is None:
            return []
        if end.label == TITLE or self.topic.is_short(end.text):
            return [Subject(self.phrases.title())]
        return [Subject(end)]

    def _introduces(self, i: int) -> bool:
        """Whether a word is the subject of the first sentence, which says what the title is, by whatever name."""
        tree, verb = self.tree, self.tree.heads[i]
        if (
            not self.phrases.first
            or not self.topic.exists
            or tree.deps[i] not in SUBJECTS
            or tree.lower[verb] not in BE
        ):
            return False
        if tree.label(i) == TITLE or (end := self.phrases.end(i)) is None:
            return False
        titled = any(tree.label(between) == TITLE for between in range(i, verb))
        if not titled and not (self.phrases.proper(i) and (self.life or self.topic.resembles(end.text))):
            return False
        if not self.topic.is_short(end.text):
            self.alias = end
        return True

    def _said_of(self, i: int, steps: int) -> list[Subject]:
        """A noun that says what something is refers to that thing: *film* in ``X is a film directed by Y``."""
        tree, head, dependency = self.tree, self.tree.heads[i], self.tree.deps[i]
        if dependency in ("attr", "oprd") and tree.lower[head] in BE:
            return self.of_clause(head)
        if dependency != "appos" or head == i:
            return []
        beside = self.beside(i)
        if tree.lower[i] in KIN and self._is_no_person(beside):
            return self.of_verb_above(i)
        return self.of_noun(beside, steps - 1)

    def _is_no_person(self, i: int) -> bool:
        """Whether a noun cannot be someone's child: places, and what follows ``of`` (Queen of Ost, daughter of ...)."""
        tree, label = self.tree, self.tree.label(i)
        return label in PLACES or (tree.deps[i] == "pobj" and tree.lower[tree.heads[i]] == "of")

    def beside(self, i: int) -> int:
        """The noun that an apposition stands beside: the last of several that are conjoined."""
        tree = self.tree
        before = [word for word in tree.conjoined(tree.heads[i]) if word < i]
        return max(before, default=tree.heads[i])

    def _belongs(self, i: int, steps: int) -> list[Subject]:
        """A common noun as a part of its owner, of what follows ``of``, or of the title."""
        tree, topic = self.tree, self.topic
        determiners = [tree.lower[kid] for kid in tree.kids_of(i, "det")]
        definite = "the" in determiners or "this" in determiners
        if definite and topic.is_meant_by(tree.lower[i]) and not tree.kids_of(i, "prep", "relcl"):
            return [Subject(self.phrases.title(), confidence=0.9)]
        role = self.phrases.role(i)
        for kid in tree.kids_of(i, "poss"):
            return [_part(owner, role, 0.9) for owner in self.possessor(kid)]
        for kid in tree.kids_of(i, "prep"):
            if tree.lower[kid] == "of":
                owners = [found for word in tree.kids_of(kid, "pobj") for found in self.of_noun(word, steps - 1)]
                return [_part(owner, role, 0.8) for owner in owners]
        begins = i == 0 and not tree.forms[0].endswith("s")  # "Filming took place in ..."
        main = tree.deps[i] in SUBJECTS and tree.deps[tree.heads[i]] in ("ROOT", "conj")
        if topic.exists and main and (definite or begins) and not tree.kids_of(i, "relcl", "acl", "nummod"):
            return [Subject(self.phrases.title(), role, 0.5)]
        return []


def _part(owner: Subject, role: str, certainty: float) -> Subject:
    return Subject(owner.end, f"{owner.prefix} {role}".strip(), owner.confidence * certainty)


def speaks_of_title(subjects: Iterable[Subject]) -> bool:
    """Whether a clause with these subjects says something of the title itself."""
    return any(subject.end.label == TITLE and not subject.prefix for subject in subjects)
