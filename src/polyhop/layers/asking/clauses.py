"""Questions that a clause answers: one of its parts is asked for, the rest of it stays as it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from polyhop.layers.asking.asked import Asked
from polyhop.layers.asking.parts import Clause, Hole
from polyhop.layers.asking.verbs import base_of, is_participle, is_past, is_third, is_unchanging, third_of
from polyhop.layers.asking.wh_words import Wh, wh_of
from polyhop.layers.asking.wording import FINITE, SPELT, Wording, settled
from polyhop.layers.asking.words import word_set
from polyhop.layers.syntax.lexicon import BE, EMPTY, HAVE, NUMBERS, PERSONAL, RELATIVE, TIMES

SUBJECTS: Final = ("nsubj", "nsubjpass", "csubj", "expl")
_AUXILIARY: Final = ("aux", "auxpass", "neg")
_VERBAL: Final = frozenset({"ROOT", "relcl", "acl", "xcomp", "ccomp", "advcl", "pcomp", "conj"})
_NEVER: Final = frozenset({"cc", "mark", "intj", "conj", "parataxis", "preconj", "dep", *_AUXILIARY, *SUBJECTS})
_OBJECTS: Final = frozenset({"dobj", "attr", "dative", "oprd"})
_TALKS: Final = word_set("say says said think thinks thought feel feels felt believe believes believed dream wonder")
_SENSES: Final = word_set("look sound feel taste smell seem remain become go turn get be stay")
_CLAUSES: Final = frozenset({"xcomp", "ccomp"})
_WHY: Final = frozenset({"because", "since", "so"})
_LONGEST_CLAUSE: Final = 30  # words of a question: what is longer loses its subordinate clauses
_LONGEST: Final = 45  # words of an answer, and of a question that keeps all its parts
_LOOSE: Final = ("advcl", "relcl", "acl", "appos")
_VAGUE: Final = 0.5
_WORDY: Final = 18  # words of a question: from here on the parse is less and less to be trusted
_SHORTENED: Final = frozenset({"'m", "’m", "'re", "’re", "’s"})  # forms of be
_SURE, _LIKELY, _UNSURE = 1.0, 0.8, 0.6


class Clauses:
    """The questions that the clauses of one sentence answer."""

    __slots__ = ("tree", "wording")

    def __init__(self, wording: Wording) -> None:
        self.wording = wording
        self.tree = wording.tree

    def read(self) -> Iterator[Asked]:
        """The questions, clause by clause."""
        tree = self.tree
        for verb, dependency in enumerate(tree.deps):
            if dependency in _VERBAL and tree.kids[verb] and verb not in tree.bracketed:
                clause = self._clause(verb)
                if clause is not None:
                    yield from self._questions(clause)

    def words_below(self, i: int, *, without: Sequence[str] = ()) -> list[int]:
        """A word and all that hang below it, in order; not those that hang by some dependencies."""
        found, waiting, tree = [], [i], self.tree
        while waiting:
            word = waiting.pop()
            found.append(word)
            waiting += [kid for kid in tree.kids[word] if tree.deps[kid] not in without]
        return sorted(found)

    def _questions(self, clause: Clause) -> Iterator[Asked]:
        if not clause.borrowed and (of_subject := self._of_subject(clause)) is not None:
            yield of_subject
        head = clause.head
        if self.tree.deps[head] == "expl":
            return  # "there are": nothing that could be asked for
        unknown = self.tree.lower[head] in EMPTY and self.wording.meant(head) is None and not self.tree.label(head)
        for hole in self._holes(clause):
            asked = self._asked(self._inverted(clause, hole), hole)
            if asked is not None:  # what "it" and "this" stand for, the question does not say
                yield asked._replace(certainty=asked.certainty * _VAGUE) if unknown else asked

    # The clause

    def _clause(self, verb: int) -> Clause | None:
        """The parts of a clause, or nothing where no one knows who it speaks of."""
        tree = self.tree
        own = tree.kids_of(verb, *SUBJECTS)
        auxiliaries = [i for i in tree.kids_of(verb, "aux", "auxpass") if i < verb or self._is_be(verb)]
        borrowed = not own
        head = own[-1] if own else self._borrowed(verb)
        if head is None or (tree.lower[head] in RELATIVE and (head := self._antecedent(verb, head)) is None):
            return None
        if any(tree.lower[i] in ("let", "lets") for i in (verb, *tree.upwards(verb))):
            return None  # "let me know", "let's go": what one is asked to do
        if any(tree.lower[i] == "to" for i in auxiliaries) or (borrowed and tree.deps[verb] == "acl"):
            return None
        if not auxiliaries and (tree.lower[verb].endswith("ing") or is_participle(tree.lower[verb])):
            return None
        if own and not auxiliaries and self._is_called(head, verb):
            return None
        words = self._belonging(verb)
        subject = self.words_below(head, without=("relcl", "acl", "appos") if len(words) > 8 or borrowed else ())
        if not own or head not in own:
            subject = [i for i in subject if i != verb and i not in words]
        subject = [i for i in subject if i == head or not (i in tree.bracketed or tree.forms[i] in "()")]
        taken = {*subject, *auxiliaries, verb}
        before = own[0] if own else verb
        others = [i for i in words if i not in taken and not (tree.deps[i] == "neg" and tree.heads[i] == verb)]
        others = [i for i in others if tree.lower[i] not in RELATIVE or tree.deps[i] not in ("dobj", "pobj")]
        others = self._without_name(subject, others)
        return Clause(
            verb=verb,
            subject=subject,
            head=head,
            auxiliaries=auxiliaries,
            negated=bool(tree.kids_of(verb, "neg")),
            fronted=[i for i in others if i < before],
            middle=[i for i in others if before < i < verb],
            rest=[i for i in others if i > verb],
            borrowed=borrowed,
            words=frozenset(words),
        )

    def _is_called(self, head: int, verb: int) -> bool:
        """Whether a speaker's name is no subject but called before a command or a wish: *Ada, hope you are well*."""
        tree = self.tree
        if tree.lower[head] not in self.wording.names or self.wording.meant(head) is not None:
            return False
        form = tree.forms[verb]
        return not (is_past(form) or is_third(form) or is_unchanging(form) or self._is_be(verb))

    def _without_name(self, subject: list[int], others: Sequence[int]) -> list[int]:
        """What is beside the subject; a name that the parser cut in two goes to the subject, its first part too."""
        forms, rest = self.tree.forms, list(others)
        while subject and (before := subject[0] - 1) in rest and self.tree.deps[before] != "pobj":
            if not (forms[before][:1].isupper() and forms[before + 1][:1].isupper()):
                break
            subject.insert(0, before)
            rest.remove(before)
        return rest

    def _borrowed(self, verb: int) -> int | None:
        """The subject of the verb that one is conjoined to."""
        tree = self.tree
        if tree.deps[verb] != "conj" or verb == tree.heads[verb]:
            return None
        above = tree.heads[verb]
        for _ in range(3):
            found = tree.kids_of(above, "nsubj", "nsubjpass")
            if found:
                aux = tree.kids_of(above, "aux")
                return None if any(tree.lower[i] not in HAVE | BE for i in aux) else found[-1]
            if tree.deps[above] != "conj":
                return None
            above = tree.heads[above]
        return None

    def _antecedent(self, verb: int, relative: int) -> int | None:
        """The noun that a relative clause speaks of."""
        tree = self.tree
        return tree.heads[verb] if tree.deps[verb] == "relcl" and tree.heads[verb] < relative else None

    def _belonging(self, verb: int) -> list[int]:
        """The words of a clause, without what is said beside it; a long one loses what is loosely attached."""
        tree = self.tree
        found: list[int] = [verb]
        parts = [i for i in tree.kids[verb] if tree.deps[i] not in _NEVER and i not in tree.bracketed]
        brackets = {i for i, form in enumerate(tree.forms) if form in "()[]"}
        for part in parts:
            if tree.deps[part] == "punct" or (tree.deps[part] == "advcl" and part < verb):
                continue
            found += self.words_below(part)
        if len(found) > _LONGEST_CLAUSE:
            found = [verb]
            for part in parts:
                if tree.deps[part] not in (*_LOOSE, "punct"):
                    found += self.words_below(part, without=_LOOSE)
        return sorted(i for i in set(found) if i not in tree.bracketed and i not in brackets)

    # The questions

    def _of_subject(self, clause: Clause) -> Asked | None:
        """Who does what the clause says: ``Who founded the mill in 1901?``."""
        tree, wording = self.tree, self.wording
        head, meant = clause.head, wording.meant(clause.head)
        if tree.deps[head] == "expl" or (meant is None and tree.lower[head] in EMPTY):
            return None
        wh = wh_of(tree, head, "", meant.label if meant else "")
        turned = self._turned(clause)
        verb = [self._agreeing(i, turned=turned) for i in [*clause.auxiliaries, clause.verb][:1]]
        if clause.auxiliaries:
            if clause.negated:
                verb.append("not")
            verb += [wording.say([*clause.auxiliaries[1:], *clause.middle, clause.verb])]
        else:
            verb = [wording.say(clause.middle), *verb, "not" if clause.negated else ""]
        question = _joined(wh.words, *verb, wording.say(clause.rest), wording.say(clause.fronted))
        hole = Hole(clause.subject, frozenset(), wh.words, _LIKELY)
        if meant is not None:
            return _asked(tree.text, question, meant.start, meant.end, _LIKELY) if meant.end else None
        return self._asked(question, hole)

    def _inverted(self, clause: Clause, hole: Hole) -> str:
        """A question whose operator goes before the subject: ``When did Ada Brisk found the mill?``."""
        wording = self.wording
        turned = self._turned(clause)
        auxiliaries, verb = list(clause.auxiliaries), wording.form(clause.verb)
        if auxiliaries:
            operator = self._agreeing(auxiliaries.pop(0), turned=turned)
        elif self._is_be(clause.verb):
            operator, verb = self._agreeing(clause.verb, turned=turned), ""
        elif is_past(verb) or (is_unchanging(verb) and not turned):
            operator, verb = "did", base_of(verb)
        else:
            operator = "does" if turned or is_third(verb) else "do"
            verb = base_of(verb)
        kept = [i for i in clause.rest if i not in hole.without]
        fronted = [i for i in clause.fronted if i not in hole.without]
        middle = [i for i in clause.middle if i not in hole.without]
        return _joined(
            hole.wh,
            operator,
            wording.say(i for i in clause.subject if i not in hole.without),
            "not" if clause.negated else "",
            wording.say(auxiliaries),
            wording.say(middle),
            verb,
            wording.say(kept),
            hole.about,
            wording.say(fronted),
        )

    def _topic(self, verb: int) -> str:
        """``about the sails``, of what someone thinks or says: what the clause below is said of."""
        tree = self.tree
        subjects = tree.kids_of(verb, "nsubj", "nsubjpass")
        if not subjects or tree.lower[tree.heads[verb]] not in _TALKS:
            return ""
        head = subjects[-1]
        if tree.lower[head] in EMPTY or self.wording.meant(head) is not None:
            return ""
        return f"about {self.wording.say(self.words_below(head, without=_LOOSE))}"

    def _is_be(self, i: int) -> bool:
        low = self.tree.lower[i]
        return low in BE or low in _SHORTENED

    def _turned(self, clause: Clause) -> bool:
        meant = self.wording.meant(clause.head)
        return meant is not None and meant.turned

    def _agreeing(self, i: int, *, turned: bool) -> str:
        """A finite verb as a question writes it, in the third person where the text has the first or second."""
        low = self.tree.lower[i].replace("’", "'")
        if low == "'s":
            return "has" if is_past(self.tree.lower[self.tree.heads[i]]) and self.tree.deps[i] == "aux" else "is"
        if low == "'d":
            return "had" if is_past(self.tree.lower[self.tree.heads[i]]) else "would"
        form = SPELT.get(low, low if low in BE else self.wording.form(i))
        modal = self.tree.deps[i] == "aux" and form not in FINITE
        return third_of(form) if turned and not modal else form

    # What is asked for

    def _holes(self, clause: Clause) -> Iterator[Hole]:
        for i in (*clause.rest, *clause.fronted, *clause.middle):
            if i in self.tree.bracketed:
                continue
            dependency = self.tree.deps[i]
            if dependency in _OBJECTS:
                yield from self._noun(i, -1, _SURE)
            elif dependency == "pobj":
                yield from self._object_of_preposition(clause, i)
            elif dependency in _CLAUSES and self.tree.heads[i] == clause.verb:
                yield from self._complement(i)
            elif dependency == "acomp" and self.tree.heads[i] == clause.verb and self._tells_how(clause.verb, i):
                yield Hole(self.words_below(i), frozenset(self.words_below(i)), "How", _UNSURE)
            elif dependency == "npadvmod" and self.tree.label(i) in TIMES and self.tree.heads[i] == clause.verb:
                yield self._whole(i, "When")
            elif dependency == "pcomp" and i > clause.verb:
                yield self._whole(i, "What")
            elif dependency == "advcl" and self.tree.heads[i] == clause.verb:
                yield from self._reason(i)
        for i in (*clause.subject, *clause.rest):
            if self.tree.deps[i] in ("nummod", "poss"):
                yield from self._of_noun(clause, i)

    def _tells_how(self, verb: int, i: int) -> bool:
        """Whether an adjective says how something is: not *glad to hear it*, nor *makes sure*."""
        clauses = self.tree.kids_of(i, "xcomp", "ccomp", "advcl")
        return not clauses and (self._is_be(verb) or base_of(self.tree.forms[verb]) in _SENSES)

    def _whole(self, i: int, wh: str, certainty: float = _LIKELY) -> Hole:
        words = self.words_below(i)
        return Hole(words, frozenset(words), wh, certainty)

    def _noun(self, i: int, preposition: int, certainty: float) -> Iterator[Hole]:
        """A noun phrase that an object or a preposition leads to."""
        tree = self.tree
        if tree.lower[i] in EMPTY and not tree.label(i):
            meant = self.wording.meant(i)
            if meant is None or not meant.end:
                return
        word = tree.lower[preposition] if preposition >= 0 else ""
        meant = self.wording.meant(i)
        wh: Wh = wh_of(tree, i, word, meant.label if meant else "")
        words = self.words_below(i)
        without = {*words, preposition} if wh.drops_preposition else {*words}
        yield Hole(words, frozenset(without), wh.words, certainty)

    def _object_of_preposition(self, clause: Clause, i: int) -> Iterator[Hole]:
        """What a preposition of the clause leads to; below nouns only what has a name."""
        tree = self.tree
        preposition = tree.heads[i]
        above = tree.heads[preposition]
        within = tree.entity_of[i] >= 0 and tree.entity_of[i] == tree.entity_of[preposition]  # the Hall of Ost
        if preposition == i or preposition not in clause.words or within:
            return
        if above == clause.verb:
            yield from self._noun(i, preposition, _SURE)
        elif tree.label(i):
            for hole in self._noun(i, preposition, _LIKELY):
                if preposition in hole.without:
                    yield hole  # a place or a time, which might as well be the verb's
                elif self._is_near(clause, above):
                    after = {word for word in clause.rest if word > preposition}
                    wh = "Which place" if hole.wh == "Where" else hole.wh
                    yield hole._replace(wh=wh, without=frozenset(after))  # the question ends with the preposition

    def _is_near(self, clause: Clause, noun: int) -> bool:
        """Whether a noun without a name is an object of the verb, or of its preposition."""
        tree = self.tree
        over = tree.heads[noun]
        if noun < clause.verb or tree.label(noun) or tree.deps[noun] not in ("dobj", "attr", "pobj"):
            return False
        return over == clause.verb or (tree.deps[over] in ("prep", "agent") and tree.heads[over] == clause.verb)

    def _complement(self, i: int) -> Iterator[Hole]:
        """What is planned or said: ``What does Ada plan to do?``, ``What did Ada say?``."""
        tree = self.tree
        words = self.words_below(i)
        if tree.deps[i] == "ccomp":
            marks = tree.kids_of(i, "mark")
            if i < tree.heads[i]:  # "..., said Ada"
                return
            yield Hole([word for word in words if word not in marks], frozenset(words), "What", _SURE, self._topic(i))
        elif to := [kid for kid in tree.kids_of(i, "aux") if tree.lower[kid] == "to"]:
            if tree.kids_of(i, *SUBJECTS):
                return
            answer = [word for word in words if word > to[0]]
            yield Hole(answer, frozenset(word for word in words if word >= to[0]), "What", _SURE, "to do")

    def _reason(self, i: int) -> Iterator[Hole]:
        tree = self.tree
        marks = [tree.lower[kid] for kid in tree.kids_of(i, "mark")]
        if any(mark in _WHY for mark in marks) or any(tree.lower[kid] == "to" for kid in tree.kids_of(i, "aux")):
            yield self._whole(i, "Why")

    def _of_noun(self, clause: Clause, i: int) -> Iterator[Hole]:
        """What stands before a noun: ``How many sails does the mill have?``, ``Whose mill did Ada buy?``."""
        tree = self.tree
        noun = tree.heads[i]
        if noun not in clause.rest or tree.deps[noun] not in ("dobj", "attr", "pobj"):
            return
        phrase = self.words_below(noun)
        if tree.deps[i] == "nummod" and tree.label(i) == "CARDINAL" and tree.deps[noun] == "dobj":
            others = [word for word in phrase if word > i]
            wh = f"How many {self.wording.say(others)}"
            yield Hole([i], frozenset(phrase), wh, _LIKELY)
        elif tree.deps[i] == "poss" and tree.label(i) not in NUMBERS and tree.deps[noun] == "dobj":
            meant = self.wording.meant(i)
            if tree.lower[i] in PERSONAL and meant is None:
                return
            owner = self.words_below(i, without=("case",))
            others = [word for word in phrase if word > owner[-1] and tree.deps[word] != "case"]
            yield Hole(owner, frozenset(phrase), f"Whose {self.wording.say(others)}", _UNSURE)

    def _asked(self, question: str, hole: Hole) -> Asked | None:
        """A question with the stretch of text that answers it, unless that is nothing, or too long."""
        tree = self.tree
        answer = list(hole.answer)
        while answer and self._is_loose(answer[-1]):
            del answer[-1]
        if not answer or len(answer) > _LONGEST:
            return None
        certainty = hole.certainty * min(1.0, _WORDY / (question.count(" ") + 1))
        meant = self.wording.meant(answer[0]) if len(answer) == 1 else None
        if meant is not None:
            return _asked(tree.text, question, meant.start, meant.end, certainty) if meant.end else None
        return _asked(tree.text, question, tree.starts[answer[0]], tree.ends[answer[-1]], certainty)

    def _is_loose(self, i: int) -> bool:
        """Whether an answer cannot end with a word: a mark, or what leads on to something else."""
        form = self.tree.forms[i]
        return (not form[:1].isalnum() and form not in "()") or form in ("who", "which", "whose", "that", "and", "or")


def _asked(text: str, question: str, start: int, end: int, certainty: float) -> Asked | None:
    return Asked.of(text, question, start, end, certainty)


def _joined(*parts: str) -> str:
    said = settled(" ".join(part for part in parts if part))
    return f"{said[:1].upper()}{said[1:]}?"
