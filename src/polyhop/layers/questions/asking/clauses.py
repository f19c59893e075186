"""Questions that a clause answers: one of its parts is asked for, the rest of it stays as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from typing import Final

from polyhop.english.verbs import base_of, is_participle, is_past, is_third, is_unchanging, third_of
from polyhop.layers.grammar.lexicon import BE, EMPTY, HAVE, HE, IT, PLACES, RELATIVE, SHE, THEY
from polyhop.layers.grammar.topic import TITLE
from polyhop.layers.questions.asking.asked import Asked
from polyhop.layers.questions.asking.holes import SUBJECTS, Holes
from polyhop.layers.questions.asking.parts import Clause, Hole
from polyhop.layers.questions.asking.soundness import LINKS, Joints, has_markup, is_sound, tidied
from polyhop.layers.questions.asking.wh_words import wh_of, who_acts
from polyhop.layers.questions.asking.wording import FINITE, SPELT, Wording, settled

_AUXILIARY: Final = ("aux", "auxpass", "neg")
_VERBAL: Final = frozenset({"ROOT", "relcl", "acl", "xcomp", "ccomp", "advcl", "pcomp", "conj"})
_NEVER: Final = frozenset({"cc", "mark", "intj", "conj", "parataxis", "preconj", "dep", *_AUXILIARY, *SUBJECTS})
_LONGEST_CLAUSE: Final = 30  # words of a question: what is longer loses its subordinate clauses
_LONGEST: Final = 45  # words of an answer, and of a question that keeps all its parts
_LOOSE: Final = ("advcl", "relcl", "acl", "appos")
_VAGUE: Final = 0.5
_WORDY: Final = 18  # words of a question: from here on the parse is less and less to be trusted
_LIKELY: Final = 0.8
_STRESSED: Final = frozenset({"do", "does", "did"})
_HEADED: Final = re.compile(r"\S+(?: \S+)?\n[A-Z]")  # a heading that runs into its text
_STOPS: Final = frozenset({";", ":"})
_SINGULAR: Final = PLACES | {"PERSON", "ORG", "WORK_OF_ART", TITLE}
_SINGLE: Final = HE | SHE | IT


class Clauses:
    """The questions that the clauses of one sentence answer."""

    __slots__ = ("_brackets", "_joints", "_lets", "_stops", "guesses", "holes", "tree", "wording")

    def __init__(self, wording: Wording, *, guesses: bool = True) -> None:
        self.wording = wording
        self.guesses = guesses  # whether there are questions about an "it" that stands for no one knows what
        self.tree = wording.tree
        self.holes = Holes(wording)
        self._joints = Joints(self.tree)
        self._stops = [i for i, form in enumerate(self.tree.forms) if form in _STOPS]
        self._brackets = frozenset(i for i, form in enumerate(self.tree.forms) if form in "()[]")
        self._lets = frozenset(i for i, low in enumerate(self.tree.lower) if low in ("let", "lets"))

    def read(self) -> Iterator[Asked]:
        """The questions, clause by clause."""
        tree = self.tree
        for verb, dependency in enumerate(tree.deps):
            if dependency in _VERBAL and tree.kids[verb] and verb not in tree.bracketed:
                clause = self._clause(verb)
                if clause is not None:
                    yield from self._questions(clause)

    def _questions(self, clause: Clause) -> Iterator[Asked]:
        if not clause.borrowed and (of_subject := self._of_subject(clause)) is not None:
            yield of_subject
        head = clause.head
        if self.tree.deps[head] == "expl":
            return  # "there are": nothing that could be asked for
        unknown = self.tree.lower[head] in EMPTY and self.wording.meant(head) is None and not self.tree.label(head)
        if unknown and not self.guesses:
            return
        for hole in self.holes.of(clause):
            asked = self._asked(self._inverted(clause, hole), hole) if self._holds(clause, hole) else None
            if asked is not None:  # what "it" and "this" stand for, the question does not say
                yield asked._replace(certainty=asked.certainty * _VAGUE) if unknown else asked

    def _holds(self, clause: Clause, hole: Hole) -> bool:
        """Whether what a question keeps of a clause is one, and its answer too."""
        if not self._joints.any:
            return True
        kept = {clause.verb, *clause.subject, *clause.middle, *clause.rest, *clause.fronted} - hole.without
        return self._joints.hold(kept, clause.verb)

    # The clause

    def _clause(self, verb: int) -> Clause | None:
        """The parts of a clause, or nothing where no one knows who it speaks of."""
        tree = self.tree
        own = tree.kids_of(verb, *SUBJECTS)
        auxiliaries = [i for i in tree.kids_of(verb, "aux", "auxpass") if i < verb or self.holes.is_be(verb)]
        borrowed = not own
        head = own[-1] if own else self._borrowed(verb)
        if head is None or (tree.lower[head] in RELATIVE and (head := self._antecedent(verb, head)) is None):
            return None
        if self._lets and not self._lets.isdisjoint(tree.upwards(verb)):
            return None  # "let me know", "let's go": what one is asked to do
        if any(tree.lower[i] == "to" for i in auxiliaries) or (borrowed and tree.deps[verb] == "acl"):
            return None
        if tree.lower[auxiliaries[0] if auxiliaries else verb] == "be":
            return None  # "that a tower be built": what is wished
        if not auxiliaries and (tree.lower[verb].endswith("ing") or is_participle(tree.lower[verb])):
            return None
        if own and not auxiliaries and self._is_called(head, verb):
            return None
        words = self._belonging(verb)
        loose = len(words) > 8 or borrowed or head not in own
        subject = self.holes.words_below(head, without=("relcl", "acl", "appos") if loose else ())
        if not own or head not in own:
            below = set(self.holes.words_below(verb)) - {head}
            subject = [i for i in subject if i not in below]
            subject = [i for i in subject if i != verb and i not in words]
        subject = [i for i in subject if i == head or not (i in tree.bracketed or tree.forms[i] in "()")]
        taken = {*subject, *auxiliaries, verb}
        before = own[0] if own else verb
        others = [i for i in words if i not in taken and not (tree.deps[i] == "neg" and tree.heads[i] == verb)]
        others = self._without_name(subject, self._without_opening(verb, before, others))
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

    def _without_opening(self, verb: int, before: int, others: Sequence[int]) -> list[int]:
        """What is beside the subject, without what makes a clause a part of another: *when*, *in which*."""
        tree = self.tree
        opening: set[int] = set()
        for kid in tree.kids[verb]:
            if kid >= before and not (kid < verb and tree.lower[kid] in LINKS):
                continue
            words = self.holes.words_below(kid)
            if any(tree.lower[i] in LINKS or (i == kid and tree.lower[i] in RELATIVE) for i in words):
                opening.update(words)
        return [i for i in others if i not in opening] if opening else list(others)

    def _is_called(self, head: int, verb: int) -> bool:
        """Whether a speaker's name is no subject but called before a command or a wish: *Ada, hope you are well*."""
        tree = self.tree
        if tree.lower[head] not in self.wording.names or self.wording.meant(head) is not None:
            return False
        form = tree.forms[verb]
        return not (is_past(form) or is_third(form) or is_unchanging(form) or self.holes.is_be(verb))

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
        for part in parts:
            if tree.deps[part] == "punct" or (tree.deps[part] in ("advcl", "ccomp") and part < verb):
                continue
            if self._stops and tree.deps[part] != "ccomp" and self._is_stopped(verb, part):
                continue  # "the mill closed; ..."
            found += self.holes.words_below(part)
        if len(found) > _LONGEST_CLAUSE:
            found = [verb]
            for part in parts:
                if tree.deps[part] not in (*_LOOSE, "punct"):
                    found += self.holes.words_below(part, without=_LOOSE)
        return sorted(set(found) - tree.bracketed - self._brackets)

    def _is_stopped(self, verb: int, part: int) -> bool:
        first, last = min(verb, part), max(verb, part)
        return any(first < stop < last for stop in self._stops)

    # The questions

    def _of_subject(self, clause: Clause) -> Asked | None:
        """Who does what the clause says: ``Who founded the mill in 1901?``."""
        tree, wording = self.tree, self.wording
        head, meant = clause.head, wording.meant(clause.head)
        if tree.deps[head] == "expl" or (meant is None and tree.lower[head] in EMPTY):
            return None
        if clause.auxiliaries and not clause.negated and tree.lower[clause.auxiliaries[0]] in _STRESSED:
            return None
        kept = {clause.verb, *clause.middle, *clause.rest, *clause.fronted}
        if not self._joints.hold(kept, clause.verb) or not self._says_more(clause, kept):
            return None
        acts = not clause.auxiliaries or tree.deps[clause.auxiliaries[-1]] != "auxpass"
        wh = wh_of(tree, head, "", meant.label if meant else wording.label(head))
        if acts and wh.words in ("What", "Which place") and self._is_done_by_people(clause):
            wh = wh._replace(words="Who")
        if wh.words == "How much":
            wh = wh._replace(words="What")  # "the last thirty miles are slow"
        turned = self._turned(clause) or self._is_plural_present(clause)
        verb = [self._agreeing(i, turned=turned) for i in [*clause.auxiliaries, clause.verb][:1]]
        if clause.auxiliaries:
            if clause.negated:
                verb.append("not")
            verb += [wording.say([*clause.auxiliaries[1:], *clause.middle, clause.verb])]
        else:
            verb = [wording.say(clause.middle), *verb, "not" if clause.negated else ""]
        known = meant.name if meant else wording.title if wording.is_title(head) else ""
        question = _joined(wh.words, *verb, wording.say(clause.rest), wording.say(clause.fronted), known=known)
        hole = Hole(clause.subject, frozenset(), wh.words, _LIKELY)
        if meant is not None:
            sound = meant.end and is_sound(question)
            return Asked.of(tree.text, question, meant.start, meant.end, _LIKELY) if sound else None
        return self._asked(question, hole)

    def _is_plural_present(self, clause: Clause) -> bool:
        """Whether a verb has to change for *who* and *what*, which are singular: ``Who sells loaves?``, the bakers."""
        first = (*clause.auxiliaries, clause.verb)[0]
        low, head = self.tree.lower[first], clause.head
        if self.holes.is_be(first) or is_past(low) or is_unchanging(low) or self.tree.label(head) == "PERSON":
            return False
        return self.tree.lower[head].endswith("s") or bool(self.tree.kids_of(head, "conj"))

    def _is_done_by_people(self, clause: Clause) -> bool:
        """Whether a clause tells what only people do: a name without an article does not die or walk otherwise."""
        tree, head = self.tree, clause.head
        label = self.wording.label(head)
        named = tree.forms[head][:1].isupper() and head > 0 and tree.forms[head - 1][:1].isupper()
        named = named and label not in PLACES and not tree.kids_of(head, "det")
        return label != TITLE and who_acts(self.wording.form(clause.verb), named=named)

    def _says_more(self, clause: Clause, kept: Set[int]) -> bool:
        """Whether a clause says more than that someone did something: not *Ada wished*."""
        tree = self.tree
        return any(
            i != clause.verb and tree.lower[i] not in EMPTY and tree.deps[i] != "prt" and len(tree.forms[i]) > 1
            for i in kept
        )

    def _inverted(self, clause: Clause, hole: Hole) -> str:
        """A question whose operator goes before the subject: ``When did Ada Brisk found the mill?``."""
        wording = self.wording
        turned = self._turned(clause)
        auxiliaries, verb = list(clause.auxiliaries), wording.form(clause.verb)
        if auxiliaries:
            operator = self._agreeing(auxiliaries.pop(0), turned=turned)
        elif self.holes.is_be(clause.verb):
            operator, verb = self._agreeing(clause.verb, turned=turned), ""
        elif is_past(verb) or (is_unchanging(verb) and not turned) or self._is_odd_past(clause, verb):
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
            known=wording.title if wording.is_title(clause.head) else "",
        )

    def _is_odd_past(self, clause: Clause, verb: str) -> bool:
        """Whether a form that is not known must be the past: with one subject, the present has an s."""
        head = clause.head
        if is_third(verb) or self._turned(clause) or self.tree.kids_of(head, "conj"):
            return False
        meant = self.wording.meant(head)
        if meant is not None:
            return self.tree.lower[head] not in THEY and meant.label in _SINGULAR
        return self.tree.lower[head] in _SINGLE or self.tree.label(head) == "PERSON"

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

    def _asked(self, question: str, hole: Hole) -> Asked | None:
        """A question with the stretch of text that answers it, unless that is nothing, or too long."""
        tree = self.tree
        answer = list(hole.answer)
        while answer and self._is_loose(answer[-1]):
            del answer[-1]
        if not answer or len(answer) > _LONGEST:
            return None
        if has_markup(tree.text[tree.starts[answer[0]] : tree.ends[answer[-1]]]) or not is_sound(question):
            return None
        certainty = hole.certainty * min(1.0, _WORDY / (question.count(" ") + 1))
        meant = self.wording.meant(answer[0]) if len(answer) == 1 else None
        if meant is not None:
            return Asked.of(tree.text, question, meant.start, meant.end, certainty) if meant.end else None
        start, end = tree.starts[answer[0]], tree.ends[answer[-1]]
        if _HEADED.match(tree.text, start, end):
            return None
        asked = Asked.of(tree.text, question, start, end, certainty)
        halved = asked is not None and tree.text.count('"', asked.start, asked.end) % 2
        return None if halved else asked

    def _is_loose(self, i: int) -> bool:
        """Whether an answer cannot end with a word: a mark, or what leads on to something else."""
        form = self.tree.forms[i]
        return (not form[:1].isalnum() and form not in "()") or form in ("who", "which", "whose", "that", "and", "or")


def _joined(*parts: str, known: str = "") -> str:
    said = tidied(settled(" ".join(part for part in parts if part), known))
    return f"{said[:1].upper()}{said[1:]}?"
