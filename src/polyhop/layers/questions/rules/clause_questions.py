"""Questions that a clause answers: one of its parts is asked for, the rest of it stays as it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from polyhop.english.verbs import base_of, is_only_participle, is_past, is_third, is_unchanging
from polyhop.english.words import word_set
from polyhop.layers.grammar.clauses import Clause
from polyhop.layers.grammar.lexicon import BE, EMPTY, RELATIVE, THEY
from polyhop.layers.questions.rules.gaps import AnswerGap, gaps_of, words_below
from polyhop.layers.questions.rules.question_candidate import QuestionCandidate
from polyhop.layers.questions.rules.realisation import Realiser, has_markup
from polyhop.layers.questions.rules.wh_words import wh_of

_APART: Final = frozenset(
    {"nsubj", "nsubjpass", "csubj", "expl", "aux", "auxpass", "neg", "cc", "mark", "intj", "conj", "parataxis", "dep"}
)
_LOOSE: Final = ("advcl", "relcl", "acl", "appos")
_LONGEST_CLAUSE: Final = 30  # words of a question: what is longer loses its subordinate clauses
_LONGEST_ANSWER: Final = 45  # words
_WORDY: Final = 18  # words of a question: from here on the parse is less and less to be trusted
_LIKELY: Final = 0.8
_BE: Final = BE | {"'m", "’m", "'re", "’re", "’s"}
# What no question ends with: a word that leads on to another.
_LEADS_ON: Final = word_set(
    "when where while because although if than and or but that who whom which whose the a an as until since"
)


@dataclass(frozen=True, slots=True)
class Predication:
    """A clause as a question says it, in places of words: the operator will go before the subject."""

    clause: Clause
    subject: Sequence[int]
    head: int  # the word of the subject that the others hang on
    borrowed: bool  # whether the subject belongs to another clause
    fronted: Sequence[int]  # what stands before the subject
    middle: Sequence[int]  # between the subject and the verb
    rest: Sequence[int]  # behind the verb


def questions_of_clause(clause: Clause, realiser: Realiser) -> Iterator[QuestionCandidate]:
    """The questions about a clause: who or what does it, and each part of it that can be asked for."""
    predication = _predication(clause)
    if predication is None or clause.mood == "command":
        return
    unknown = _is_unknown(predication.head, realiser)
    if not predication.borrowed and not unknown and (asked := _of_subject(predication, realiser)) is not None:
        yield asked
    for gap in () if unknown else gaps_of(clause, realiser):
        if (asked := _answered(_inverted(predication, gap, realiser), gap, realiser)) is not None:
            yield asked


def _is_unknown(head: int, realiser: Realiser) -> bool:
    """Whether no one knows what the subject of a clause stands for: *it*, *this*, the *there* of "there are"."""
    tree = realiser.tree
    return tree.deps[head] == "expl" or (tree.lower[head] in EMPTY and not realiser.label(head))


def _predication(clause: Clause) -> Predication | None:
    """The parts of a clause, or nothing where no one knows who it speaks of, or it states nothing by itself."""
    tree, verb = clause.tree, clause.verb
    own = [*clause.subjects, *tree.kids_of(verb, "expl")]
    head = own[-1] if own else _borrowed(clause)
    if head is not None and tree.lower[head] in RELATIVE:
        head = tree.heads[verb] if clause.dependency == "relcl" and tree.heads[verb] < head else None
    first = tree.lower[clause.auxiliaries[0] if clause.auxiliaries else verb]
    bare = not clause.auxiliaries and (first.endswith("ing") or is_only_participle(first))
    if head is None or verb in tree.bracketed or first in ("to", "be") or bare:
        return None
    words = _words(clause)
    subject = words_below(tree, head, ("relcl", "acl", "appos"))
    subject = [i for i in subject if i not in words and i != verb and (i == head or i not in tree.bracketed)]
    begins = min(own[0] if own else verb, verb)
    others = [i for i in words if i not in {*subject, *clause.auxiliaries, verb}]
    return Predication(
        clause=clause,
        subject=subject,
        head=head,
        borrowed=not own,
        fronted=[i for i in others if i < begins],
        middle=[i for i in others if begins < i < verb],
        rest=[i for i in others if i > verb],
    )


def _borrowed(clause: Clause) -> int | None:
    """The subject of the verb that one is conjoined to: ``Ada bought the mill and sold it``."""
    tree, above = clause.tree, clause.verb
    while tree.deps[above] == "conj" and tree.heads[above] != above:
        above = tree.heads[above]
        if found := tree.kids_of(above, "nsubj", "nsubjpass"):
            return None if tree.kids_of(above, "aux") else found[-1]
    return None


def _words(clause: Clause) -> list[int]:
    """The words of a clause, without what is said beside it; a long one loses what is loosely attached."""
    tree, verb = clause.tree, clause.verb
    parts = [i for i in tree.kids[verb] if tree.deps[i] not in _APART and i not in tree.bracketed]
    parts = [i for i in parts if tree.deps[i] != "punct" and not (tree.deps[i] in ("advcl", "ccomp") and i < verb)]
    parts = [i for i in parts if (tree.lower[i] not in RELATIVE and tree.deps[i] != "advmod") or i > verb]
    for loose in ((), _LOOSE):
        kept = [i for i in parts if tree.deps[i] not in loose]
        found = sorted({verb, *(word for i in kept for word in words_below(tree, i, loose))} - tree.bracketed)
        if len(found) <= _LONGEST_CLAUSE:
            break
    return [i for i in found if tree.forms[i] not in "()[]"]


def _of_subject(predication: Predication, realiser: Realiser) -> QuestionCandidate | None:
    """Who does what the clause says: ``Who founded the mill in 1901?``."""
    tree, clause, head = realiser.tree, predication.clause, predication.head
    referent = realiser.referents.get(head)
    said = [i for i in (*predication.rest, *predication.fronted) if tree.lower[i] not in EMPTY]
    if not said or (referent is not None and not referent.end):
        return None  # "Ada wished": it says nothing that a question could be about
    wh = wh_of(tree, head, "", realiser.label(head)).words
    first, *more = [*clause.auxiliaries, clause.verb]
    question = realiser.question(
        "What" if wh == "How much" else wh,
        *([] if more else [predication.middle]),
        realiser.finite(first, speaks=_turned(predication, realiser)),
        "not" if clause.negations else "",
        [*more[:-1], *predication.middle, *more[-1:]] if more else [],
        predication.rest,
        predication.fronted,
        known=referent.name if referent else "",
    )
    return _answered(question, AnswerGap(predication.subject, frozenset(), wh, _LIKELY), realiser)


def _inverted(predication: Predication, gap: AnswerGap, realiser: Realiser) -> str:
    """A question whose operator goes before the subject: ``When did Ada Brisk found the mill?``."""
    tree, clause = realiser.tree, predication.clause
    speaks = _turned(predication, realiser)
    auxiliaries, verb = list(clause.auxiliaries), realiser.form(clause.verb)
    if auxiliaries:
        operator = realiser.finite(auxiliaries.pop(0), speaks=speaks)
    elif tree.lower[clause.verb] in _BE:
        operator, verb = realiser.finite(clause.verb, speaks=speaks), ""
    else:
        present = is_third(verb) or speaks
        several = tree.lower[predication.head] in THEY or tree.lower[predication.head].endswith("s")
        past = is_past(verb) or (is_unchanging(verb) and not speaks) or not (present or several)
        operator, verb = "did" if past else "does" if present else "do", base_of(verb)
    return realiser.question(
        gap.wh,
        operator,
        [i for i in predication.subject if i not in gap.without],
        "not" if clause.negations else "",
        auxiliaries,
        [i for i in predication.middle if i not in gap.without],
        verb,
        gap.then,
        [i for i in predication.rest if i not in gap.without],
        [i for i in predication.fronted if i not in gap.without],
    )


def _turned(predication: Predication, realiser: Realiser) -> bool:
    referent = realiser.referents.get(predication.head)
    return referent is not None and referent.speaks


def _answered(question: str, gap: AnswerGap, realiser: Realiser) -> QuestionCandidate | None:
    """A question with the stretch of text that answers it, unless that is nothing, or too long."""
    tree, answer = realiser.tree, list(gap.answer)
    while answer and not tree.forms[answer[-1]][:1].isalnum():
        del answer[-1]
    words = question.rstrip("?").split()
    if not answer or len(answer) > _LONGEST_ANSWER or words[-1].lower() in _LEADS_ON:
        return None
    start, end = tree.starts[answer[0]], tree.ends[answer[-1]]
    if has_markup(question) or has_markup(tree.text[start:end]):
        return None
    referent = realiser.referents.get(answer[0]) if len(answer) == 1 else None
    if referent is not None:
        start, end = referent.start, referent.end
    return QuestionCandidate.of(tree.text, question, start, end, gap.certainty * min(1.0, _WORDY / len(words)))
