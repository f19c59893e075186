"""Clauses without a parser: who does something, in which words, and the same as a statement in the past."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from polyhop.english.verbs import is_past
from polyhop.english.words import FUNCTION_WORDS, MONTHS, NAME_LINKS, is_base, is_finite, word_set

Form = Literal["finite", "gerund", "base"]

SPEECH: Final = word_set(
    "accept acknowledge admit advise agree announce answer apologise apologize approve arrange ask book cancel "
    "celebrate chat comment complain compliment confirm congratulate decide decline describe discuss encourage "
    "explain express finish give greet inform introduce invite join mention message notify offer order organise "
    "organize plan post praise promise propose question receive recommend refuse remind reply report request "
    "respond say schedule send share suggest talk tell text thank update urge visit volunteer warn wish"
)
"""What people do with words and appointments, as it stands after "did"."""

PERSONAL: Final = word_set("he she they it we i you")
DETERMINERS: Final = word_set("the a an his her their its both all some one two several another each every my our your")
_OF_A_NOUN: Final = word_set("the a an this that his her their its our my")
_ADVERBS: Final = word_set("first also already then again later once just never even finally ever still")
_CAPITAL: Final = re.compile(r"[^\W\d_a-z]")
_POSSESSIVE: Final = re.compile(r"(?:['’]s|s['’])$")
_TOWARDS: Final = word_set("to with from by for at")
_LONGEST_SUBJECT: Final = 6  # words
_NOT_LY: Final = word_set("reply apply supply rely fly comply multiply family")
_NOT_ING: Final = word_set("thing things something anything nothing everything during morning evening king spring ring")
EVENT_NOUNS: Final = word_set(
    "discussion discussions conversation conversations talk chat debate exchange announcement request invitation "
    "complaint reminder message question proposal suggestion recommendation offer promise apology report reply "
    "answer meeting party visit trip match delivery installation order booking reservation repair purchase "
    "arrival departure news notice call decision agreement argument concert exam wedding appointment interview "
    "renovation opening closing launch release inspection update feedback advice warning celebration election "
    "birth death founding construction completion"
)
COMPLEMENTED: Final = word_set("of about on between with for from to at by in that over regarding concerning")
_TIMES: Final = word_set(
    "time end beginning start middle day week month year weekend morning evening afternoon night past"
)
WHEN: Final = re.compile(r"^(?:when|that|the (?:time|day|moment|date)(?: (?:when|that|on which))?)\s+", re.IGNORECASE)
_IRREGULAR: Final = (
    "tell told|say said|send sent|give gave|get got|make made|take took|buy bought|bring brought|write wrote|"
    "go went|come came|see saw|meet met|find found|know knew|leave left|pay paid|sell sold|speak spoke|"
    "begin began|win won|lose lost|break broke|choose chose|forget forgot|read read|put put|set set|hold held|"
    "hear heard|think thought|feel felt|eat ate|have had|do did|be was|build built|lend lent|run ran|"
    "become became|teach taught|plan planned|stop stopped|chat chatted|drop dropped|shop shopped|"
    "admit admitted|keep kept|let let"
)
_PASTS: Final = {forms[0]: forms[1] for forms in (pair.split() for pair in _IRREGULAR.split("|"))}
_GERUNDS: Final = {
    stem + "ing": past for base, past in _PASTS.items() for stem in (base, base.removesuffix("e"), base + base[-1])
} | {"being": "was"}


@dataclass(frozen=True, slots=True)
class Doing:
    """Where a clause's words are: its subject, its verb and what form that has, and to whom something is done."""

    words: tuple[str, ...]
    subject: str  # nothing where the clause begins with its verb
    verb: int  # index of a word
    form: Form

    @property
    def other(self) -> str:
        """The name right after the verb, or the first after a preposition such as "to"; nothing without one."""
        at = self.verb + 1
        name = named_at(self.words, at)
        while not name and at + 1 < len(self.words):
            at += 1
            name = named_at(self.words, at) if self.words[at - 1].lower() in _TOWARDS else ""
        return _POSSESSIVE.sub("", name)


def doing(text: str, *, base: bool = False) -> Doing | None:
    """The parts of a clause that begins with its subject, or with a gerund; None where it is no clause.

    ``base``: its verb is an infinitive, because it stood after "did".
    """
    words = tuple(text.split())
    if not words:
        return None
    low = words[0].lower()
    if low in PERSONAL:
        ends = [1]
    elif name := named_at(words, 0):
        ends = [len(name.split())]
    elif low in DETERMINERS:
        ends = list(range(2, min(len(words), _LONGEST_SUBJECT + 1)))
    else:
        return Doing(words, "", 0, "gerund") if _is_gerund(low) and len(words) > 1 else None
    for end in ends:
        if end > 1 and words[end - 1].lower() in FUNCTION_WORDS and not words[end - 1][0].isupper():
            return None
        form, verb = _verb(words, end, base=base and not (low in DETERMINERS and end < 2), known=low in DETERMINERS)
        if form is not None:
            return Doing(words, _POSSESSIVE.sub("", " ".join(words[:end])), verb, form)
    return None


def named_at(words: tuple[str, ...], at: int) -> str:
    """The name that begins with a word, or the names joined by "and"; nothing where none does."""
    end = at
    while end < len(words):
        word = words[end]
        if _CAPITAL.match(word) and word.lower().strip(",.") not in MONTHS and word != "I":
            end += 1
            if _POSSESSIVE.search(word):
                break
            if word[-1] in ",.;:" and not (end < len(words) and words[end] == "and"):
                break
        elif end > at and word.lower() in {*NAME_LINKS, "and", "&"} and _follows(words, end + 1):
            end += 1
        else:
            break
    return " ".join(words[at:end]).rstrip(",;:")


def _follows(words: tuple[str, ...], at: int) -> bool:
    return at < len(words) and _CAPITAL.match(words[at]) is not None


def _verb(words: tuple[str, ...], at: int, *, base: bool, known: bool) -> tuple[Form | None, int]:
    while at < len(words) and (words[at].lower() in _ADVERBS or _is_adverb(words[at].lower())):
        at += 1
    if at >= len(words) or _CAPITAL.match(words[at]):
        return None, at
    low = words[at].lower().strip(",.")
    if base and (low in SPEECH or is_base(low) or not (known or low in FUNCTION_WORDS or is_past(low))):
        return "base", at
    if _is_gerund(low):
        return "gerund", at
    return ("finite", at) if is_finite(low) or is_past(low) else (None, at)


def _is_adverb(low: str) -> bool:
    return low.endswith("ly") and low not in _NOT_LY


def _is_gerund(low: str) -> bool:
    return low.endswith("ing") and len(low) > 4 and low not in _NOT_ING


def is_noun_event(text: str, *, any_noun: bool = False) -> bool:
    """Whether a text is a noun that names an event, with what it was about: "the discussion about the boats"."""
    words = text.split()
    if not words:
        return False
    owner = named_at(tuple(words), 0)
    owned = owner.endswith(("'s", "’s", "s'", "s’"))
    if not owned and words[0].lower() not in _OF_A_NOUN:
        return False
    start = len(owner.split()) if owned else 1
    head = next((at for at in range(start, len(words)) if words[at].lower() in COMPLEMENTED), len(words))
    nouns = {word.lower().strip(",'’") for word in words[start:head]}
    if not nouns or nouns & _TIMES or nouns & MONTHS:
        return False
    if any_noun:
        return True
    told = not nouns.isdisjoint(EVENT_NOUNS) and (owned or head < len(words))
    return told or (owned and words[start].endswith("ing"))


def stated(text: str, *, base: bool = False, auxiliary: str = "") -> str:
    """A clause with its verb in the past: ``A ask B`` (after "did") and ``A asking B`` both become ``A asked B``."""
    text = WHEN.sub("", text.strip(" ,"))
    told = doing(text, base=base)
    if told is None or not told.subject:
        return text
    owned = told.form == "gerund" and _POSSESSIVE.search(told.words[told.verb - 1]) is not None
    if is_noun_event(text) and not owned:
        return text
    words, low = list(told.words), told.words[told.verb].lower()
    if told.form == "finite":
        if auxiliary in ("was", "were") and low not in ("was", "were"):
            words.insert(told.verb, auxiliary)
        return " ".join(words)
    words[told.verb - 1] = _POSSESSIVE.sub("", words[told.verb - 1]) if owned else words[told.verb - 1]
    words[told.verb] = _past(low) if told.form == "base" else _past_of_gerund(low)
    return " ".join(words)


def _past(base: str) -> str:
    if base in _PASTS:
        return _PASTS[base]
    if base.endswith("y") and base[-2:-1] not in ("a", "e", "o", "u"):
        return base[:-1] + "ied"
    return base + ("d" if base.endswith("e") else "ed")


def _past_of_gerund(gerund: str) -> str:
    return _GERUNDS.get(gerund) or _past(gerund.removesuffix("ing"))
