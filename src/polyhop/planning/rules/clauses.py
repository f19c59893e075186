"""Turning the description inside a noun phrase into a question of its own, and telling where a description ends."""

from __future__ import annotations

from typing import Final

from polyhop.english.answer_type import DATES
from polyhop.english.dates import DATE_NAMES
from polyhop.english.question import OWNS, Words, plain
from polyhop.english.verbs import base_form, is_base, is_finite, is_participle, is_past, third_of_base
from polyhop.english.words import (
    ARTICLES,
    AUXILIARIES,
    BE,
    DO,
    FUNCTION_WORDS,
    HAVE,
    ORGANISATIONS,
    PEOPLE,
    PLACES,
    PREPOSITIONS,
    ROLES,
    THINGS,
    TITLE_NOUNS,
    WH_WORDS,
    WORKS,
    word_set,
)

NOUNS: Final = PLACES | ORGANISATIONS | ROLES | PEOPLE | WORKS | THINGS
RELATIVISERS: Final = word_set("who whom that which where whose when")
ADVERBS: Final = word_set(
    "also ever first last originally once later formerly currently now widely then just best well most really"
)
ANYBODY: Final = word_set("person man woman people one someone individual guy")
_TIMES: Final = DATES | word_set("week moment age hour night evening morning")
_SUBJECT_PRONOUNS: Final = word_set("who that")
_BEHIND_VERBS: Final = _SUBJECT_PRONOUNS | word_set("which whom whose")
_ASKING: Final = word_set(  # what may have a question as its object: "did she decide who goes"
    "agree announce ask choose decide determine discover explain find forget guess know learn remember reveal say see "
    "show teach tell understand vote wonder"
)
_PLAYING: Final = word_set("play plays star stars host hosts head heads")
_STRANDING: Final = word_set("member part citizen native")
_LINKS: Final = PREPOSITIONS | ARTICLES | word_set("to and or")


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
    if low in NOUNS or low.removesuffix("s") in NOUNS:
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


def noun_phrase_start(words: Words, end: int) -> int:
    """Where the noun phrase that ends here begins: at its article if it has one, otherwise at its adjectives."""
    for start in range(end - 1, max(end - 8, -1), -1):
        word = words[start]
        if word.low in ARTICLES:
            return start
        if word.kind in ("mark", "step") or word.low in FUNCTION_WORDS:
            break
    start = end
    while start > 0:
        word = words[start - 1]
        if word.kind != "word" or word.low in FUNCTION_WORDS or (start < end and finite_at(words, start - 1)):
            break
        start -= 1
    return start


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
    if low == "with":
        return which + plain("has") + clause[1:]
    if low.endswith("ing") and low not in ("during", "king"):
        return which + plain(third_of_base(base_form(low))) + clause[1:]
    return which + plain("was") + clause


def names_event(words: Words, at: int) -> bool:
    """Whether a form in "-ing" is a noun: "the population ranking of", "the board meeting in May 2031"."""
    low, after = words[at].low, words[at + 1].low
    if not low.endswith("ing"):
        return False
    day = words[at + 2] if at + 2 < len(words) and after in ("in", "on") else None
    dated = day is not None and (day.low in DATE_NAMES or day.text.isdigit())
    return dated or (after == "of" and low != "consisting")


def awaited(prefix: Words) -> str:
    """What form of verb the words before a noun phrase still wait for after it: base, participle, finite, or none ("").

    "When did the team ..." waits for an infinitive, "Where was the father of ..." for a participle, "the song that ..."
    for a finite verb; "Who is the wife of ..." for nothing.
    """
    if len(prefix) > 2 and prefix[-1].low == "that" and finite_at(prefix, len(prefix) - 2):
        return "finite"
    inner = max((i for i in range(1, len(prefix)) if opens_clause(prefix, i)), default=None)
    if inner is not None:
        if first_finite(prefix, inner + 1) is None:
            return "finite"
        return awaited(prefix[:inner])
    comma = max((i for i, word in enumerate(prefix) if word.low == ","), default=-1)
    frame = prefix[comma + 1 :]
    helper = next((i for i, word in enumerate(frame) if word.low in AUXILIARIES), None)
    if helper is None:
        who = len(frame) == 2 and frame[0].low == "who" and frame[1].kind == "word"  # a verb follows
        ended = len(frame) > 3 and frame[-1].low in PREPOSITIONS - {"of"}
        complete = who or ended or first_finite(frame, 0) is not None
        return "" if complete else "finite"
    if first_finite(frame, helper + 1) is not None:
        return ""
    low = frame[helper].low
    if low in BE:
        bare = helper == 1 and frame[0].low in ("who", "what", "which")
        return "" if bare else "participle"
    if low in HAVE:
        fronted = frame[0].low in PREPOSITIONS or frame[0].low in ("when", "where", "how", "why")
        return "participle" if helper + 1 < len(frame) or fronted else ""
    return "base" if low in DO or low in AUXILIARIES else ""


def opens_clause(words: Words, at: int) -> bool:
    """Whether a relative pronoun stands here (not a question word, and not a "that" that reports speech)."""
    word, before = words[at], words[at - 1]
    if at == 0 or word.kind != "word" or word.low not in RELATIVISERS:
        return False
    after = words[at + 1] if at + 1 < len(words) else None
    if after is not None and after.low in DO and word.low != "that":
        return False
    if word.low == "when" and before.low not in _TIMES:
        return False  # "who pays when it burns" asks for nobody's day
    if before.low == ",":
        asked_before = any(word.low in WH_WORDS or word.low in AUXILIARIES for word in words[: at - 1])
        return asked_before and not any(word.low in WH_WORDS for word in words[at + 1 :])
    if before.low in PREPOSITIONS:
        subject = after is None or after.atomic or after.low in ARTICLES
        return word.low in ("which", "whom") and at > 1 and subject
    if before.kind != "word" or before.low in FUNCTION_WORDS:
        return before.kind == "name" and word.low in ("who", "where") and at > 1
    return not finite_at(words, at - 1) or before.low in NOUNS


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


def parted_clause(words: Words) -> tuple[int, int, int] | None:
    """Where a noun stands that the clause at the end describes, where the verb behind it does, and where the clause.

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
        return (start, verb, at) if described and clause and not _is_of_asked(words, helper, at, opens) else None
    return None


def clause_at_its_noun(words: Words) -> Words:
    """The words with the clause at their end behind the noun that it describes: "the man who built the mill born"."""
    parted = parted_clause(words)
    if parted is None:
        return words
    _, verb, at = parted
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


def clause_end(words: Words, start: int, body: int) -> int | None:
    """Where a description ends that begins at ``start`` and whose clause begins at ``body``.

    None if the words before the description wait for a verb that never comes: then it was no description.
    """
    wait = awaited(words[:start])
    verb = body if is_participle(words[body].low) else first_finite(words, body)
    verb = body if verb is None else verb
    after = verb + 1
    while after < len(words) and words[after - 1].low in AUXILIARIES and _continues_verb(words, after):
        after += 1
    comma = next((i for i in range(after, len(words)) if words[i].low == "," and _comma_ends(words, i, body)), None)
    limit = len(words) if comma is None else comma
    if not wait:
        return limit
    found = _awaited_verb(words, after, limit, wait)
    if found is None and wait == "base":
        found = _awaited_verb(words, after, limit, "finite")
    if found is not None:
        return found
    return comma if comma is not None else (limit if wait == "participle" and _copular(words, start) else None)


def _copular(words: Words, start: int) -> bool:
    """Whether "where is ..." and its like are already complete without a participle."""
    return words[start - 1].low in BE | PREPOSITIONS


def _continues_verb(words: Words, at: int) -> bool:
    low = words[at].low
    return low in AUXILIARIES or low in ADVERBS or is_participle(low) or low == "not"


def _comma_ends(words: Words, comma: int, body: int) -> bool:
    if comma + 1 >= len(words):
        return True
    if body >= 2 and words[body - 2].low == ",":
        return True
    return finite_at(words, comma + 1) or words[comma + 1].low in WH_WORDS | {"also"}


def _stranded(words: Words, at: int, following: str) -> bool:
    """Whether a preposition stands without its noun: "the team that X played for"."""
    if words[at].low not in PREPOSITIONS - {"to"}:
        return False
    active = (
        (is_base(following) or following.endswith("ed")) and at + 2 < len(words) and words[at + 2].low in ("a", "the")
    )
    return active or finite_at(words, at - 1) or words[at - 1].low in _STRANDING


def _awaited_verb(words: Words, after: int, limit: int, wait: str) -> int | None:
    """Where the verb is that the main clause waits for: the first infinitive or finite verb, the last participle."""
    places = range(after, limit)
    if wait == "participle":
        places = range(limit - 1, after - 1, -1)
    for at in places:
        low, before = words[at].low, words[at - 1].low
        if (
            words[at].kind != "word"
            or (before in _LINKS and not _stranded(words, at - 1, low))
            or words[at - 1] == OWNS
            or (wait == "base" and before in AUXILIARIES)
        ):
            continue
        if low in TITLE_NOUNS and at + 1 < limit and words[at + 1].atomic and not words[at - 1].atomic:
            continue  # "the comedy film X" has no verb
        if wait == "base" and is_base(low):
            return at - 1 if before in ADVERBS and at - 1 > after else at
        if wait == "finite" and finite_at(words, at) and before not in WH_WORDS:
            return at - 1 if before in ADVERBS and at - 1 > after else at
        if wait == "participle" and (is_participle(low) or (low == "from" and at == limit - 1)):
            return at
    return None
