"""Clauses: where their verb is, what question one answers, and which noun one at the end describes."""

from __future__ import annotations

from typing import Final

from polyhop.english.question import OWNS, Words, plain
from polyhop.english.verbs import base_form, is_base, is_finite, is_participle, is_past, third_of_base
from polyhop.english.words import (
    ARTICLES,
    AUXILIARIES,
    DO,
    FUNCTION_WORDS,
    HAVE,
    ORGANISATIONS,
    PEOPLE,
    PLACES,
    PREPOSITIONS,
    ROLES,
    THINGS,
    WH_WORDS,
    WORKS,
    word_set,
)

_NOUNS: Final = PLACES | ORGANISATIONS | ROLES | PEOPLE | WORKS | THINGS
RELATIVISERS: Final = word_set("who whom that which where whose when")
ADVERBS: Final = word_set(
    "also ever first last originally once later formerly currently now widely then just best well most really"
)
ANYBODY: Final = word_set("person man woman people one someone individual guy")
_SUBJECT_PRONOUNS: Final = word_set("who that")
_BEHIND_VERBS: Final = _SUBJECT_PRONOUNS | word_set("which whom whose")
_ASKING: Final = word_set(  # what may have a question as its object: "did she decide who goes"
    "agree announce ask choose decide determine discover explain find forget guess know learn remember reveal say see "
    "show teach tell understand vote wonder"
)
_PLAYING: Final = word_set("play plays star stars host hosts head heads")


def finite_at(words: Words, at: int) -> bool:
    """Whether a clause's verb stands here, rather than a noun that looks like one."""
    low = words[at].low
    if words[at].kind != "word":
        return False
    before = words[at - 1].low if at else ""
    if before in _SUBJECT_PRONOUNS and low not in FUNCTION_WORDS | ADVERBS and at > 1:
        return not _names_subject(words, at)
    if not is_finite(low):
        return False
    if low in AUXILIARIES:
        return True
    if before in ARTICLES or before == "to" or words[at - 1] == OWNS:
        return False
    if low in _NOUNS or low.removesuffix("s") in _NOUNS:
        # "the film stars X" has a verb, "the pop star of" does not
        if before == "not" or (at and words[at - 1].atomic and low in _PLAYING):
            return True
        after = words[at + 1] if at + 1 < len(words) else None
        return low.endswith("s") and after is not None and (after.atomic or after.low in ARTICLES | {"which", "what"})
    return True


def _names_subject(words: Words, at: int) -> bool:
    """Whether what stands behind "that" is no verb but has one behind it: "that 3.1 fixed", "that unzip suggests"."""
    after = words[at + 1].low if at + 1 < len(words) else ""
    return (
        not _is_verbal(words[at].low) and after.endswith(("s", "ed")) and is_finite(after) and after not in AUXILIARIES
    )


def first_finite(words: Words, start: int, end: int | None = None) -> int | None:
    """The index of the first clause verb in the range."""
    return next((i for i in range(start, len(words) if end is None else end) if finite_at(words, i)), None)


def inverted(clause: Words) -> Words:
    """A clause with its subject first, as it stands after a question word: "X recorded" becomes "did X record"."""
    verb = first_finite(clause, 1)
    if verb is None:
        return clause
    low = clause[verb].low
    if low in AUXILIARIES and not (low in HAVE and not _helps(clause, verb)):
        return (clause[verb], *clause[:verb], *clause[verb + 1 :])
    present = low.endswith("s") and not low.endswith("ss")
    helper = "does" if (is_base(low) and not is_past(low)) or present else "did"
    return (*plain(helper), *clause[:verb], *plain(base_form(low)), *clause[verb + 1 :])


def _helps(clause: Words, verb: int) -> bool:
    return verb + 1 < len(clause) and (is_participle(clause[verb + 1].low) or clause[verb + 1].low == "been")


def _bare(noun: Words) -> Words:
    return tuple(
        word for i, word in enumerate(noun) if word.low not in ("same", "only") and (i or word.low not in ARTICLES)
    )


def relative_question(noun: Words, relativiser: str, preposition: Words, clause: Words) -> Words:
    """The question that a relative clause answers: "the city where X died" becomes "in which city did X die"."""
    noun = _bare(noun)
    which = plain("which") + noun
    if noun and len(noun) == 1 and noun[0].low in ANYBODY and relativiser != "whose":
        which = plain("who")
    if relativiser == "whose":
        subject = _subject_behind(clause)
        return (*which, OWNS, *clause[:subject], *inverted(clause[subject:])) if subject else (*which, OWNS, *clause)
    if relativiser == "when":
        return plain("when") + inverted(clause)
    if relativiser == "where" and not preposition:
        return plain("in") + which + inverted(clause) if noun else plain("where") + inverted(clause)
    if preposition:
        return preposition + which + inverted(clause)
    lead = next((i for i, word in enumerate(clause) if word.low not in ADVERBS), 0)
    return which + (
        clause if finite_at((*which, *plain(relativiser), *clause), len(which) + 1 + lead) else inverted(clause)
    )


def _subject_behind(clause: Words) -> int:
    """Where a subject stands behind what is owned, "whose notebooks Ada kept"; 0 where that is the subject itself."""
    verb = first_finite(clause, 1) or 0
    at = next((at for at in range(1, verb) if clause[at].atomic or clause[at].low in ARTICLES), 0)
    owned = clause[at - 1].low
    begins = (clause[at].low in ARTICLES or at + 1 == verb) and owned not in PREPOSITIONS and not is_participle(owned)
    return at if begins else 0


def participle_question(noun: Words, clause: Words) -> Words:
    """The question that a participle answers: "the film directed by X" becomes "which film was directed by X"."""
    noun = _bare(noun)
    low = clause[0].low
    which = plain("who") if len(noun) == 1 and noun[0].low in ANYBODY else plain("which") + noun
    if low.endswith("ing") and low not in ("during", "king"):
        return which + plain(third_of_base(base_form(low))) + clause[1:]
    return which + plain("was") + clause


def asks(words: Words, at: int) -> bool:
    """Whether a wh-word stands for the answer itself: "founded in what year", "married to whom"."""
    if words[at].low not in WH_WORDS:
        return False
    if at == len(words) - 1:
        return True
    after = words[at + 1]
    if words[at].low == "what" and after.low in PREPOSITIONS:
        return at > 1
    if words[at].low in ("what", "which"):
        if after.atomic:
            noun = words[at + 2] if at + 2 < len(words) else None
            stands = noun is not None and noun.kind == "word" and noun.low not in FUNCTION_WORDS
            return stands and (after.kind == "name" or not finite_at(words, at + 2))
        return after.low not in FUNCTION_WORDS and not finite_at(words, at + 1)
    return words[at].low == "how" and after.low in ("many", "much", "long", "old", "far")


def _parted(words: Words) -> tuple[int, int] | None:
    """Where the verb stands between a noun and the clause at the end that describes it, and where that clause does.

    "Where was the man born who built the mill?" A clause behind "how many reports did the body have" is about the body
    only where its verb says so: "that selects", not "that selected".
    """
    helper = next((at for at, word in enumerate(words) if at and word.low in AUXILIARIES), 0)
    start = helper + 1
    fits = is_base if words[helper].low in DO else is_participle
    if not helper or start >= len(words) or words[start].low not in ARTICLES or words[0].low in ("who", "whom"):
        return None
    for at in range(start + 3, len(words) - 1):
        verb = at - 2 if words[at - 1].low in PREPOSITIONS else at - 1
        if words[at].low not in _BEHIND_VERBS or not fits(words[verb].low):
            continue
        opens = next((i for i in range(at + 1, len(words)) if words[i].low not in ADVERBS), at + 1)
        noun = words[start:verb]
        described = len(noun) > 1 and noun[-1].kind == "word" and not any(one.low in FUNCTION_WORDS for one in noun[1:])
        clause = _is_clause_behind(words, at, opens) and base_form(words[verb].low) not in _ASKING
        return (verb, at) if described and clause and not _is_of_asked(words, helper, at, opens) else None
    return None


def clause_at_its_noun(words: Words) -> Words:
    """The words with the clause at their end behind the noun that it describes: "the man who built the mill born"."""
    parted = _parted(words)
    if parted is None:
        return words
    verb, at = parted
    end = len(words) - (words[-1].kind == "mark")
    led = at - 1 if words[at].low in ("which", "whom", "whose") and words[at - 1].low in PREPOSITIONS else at
    return (*words[:verb], *words[led:end], *words[verb:led], *words[end:])


def _is_clause_behind(words: Words, at: int, opens: int) -> bool:
    """Whether "who built it", "that Ada built", "whose brother built it" or "at which Ada studied" stands there."""
    if opens >= len(words):
        return False
    subject = (words[opens].atomic or words[opens].low in ARTICLES) and first_finite(words, opens + 1) is not None
    if words[at].low == "whose":
        return first_finite(words, opens + 1) is not None
    if words[at].low in _SUBJECT_PRONOUNS and _is_verbal(words[opens].low):
        return True
    return subject


def _is_verbal(low: str) -> bool:
    """Whether a word behind "that" can be its verb, by its form alone."""
    return low[:1].isalpha() and (is_finite(low) or is_past(low) or low.endswith(("s", "n't")))


def _is_of_asked(words: Words, helper: int, at: int, verb: int) -> bool:
    """Whether a clause at the end may be about what is asked for, and not about the noun behind the helping verb."""
    if words[0].low in ("where", "when", "why"):
        return False
    several = words[helper - 1].low.endswith("s")
    if not several and (words[0].low in PREPOSITIONS or words[at - 1].low in PREPOSITIONS):
        return False  # "in which town was the man buried who ...", "which toy was the mill named after that ..."
    low = words[verb].low
    single = low in ("is", "was", "has", "does") or (low.endswith("s") and low not in AUXILIARIES)
    return not (single and several)
