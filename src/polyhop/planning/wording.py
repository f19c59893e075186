"""A description that a question holds, put as a question of its own: "the city where X died", "X's wife"."""

from __future__ import annotations

from polyhop.english.question import OWNS, Word, Words, plain
from polyhop.english.verbs import is_participle
from polyhop.english.words import (
    ARTICLES,
    AUXILIARIES,
    FUNCTION_WORDS,
    PREPOSITIONS,
    TITLE_NOUNS,
    WH_WORDS,
    names_person,
)
from polyhop.planning.rules.clauses import (
    ADVERBS,
    ANYBODY,
    RELATIVISERS,
    finite_at,
    first_finite,
    inverted,
    participle_question,
    relative_question,
)
from polyhop.planning.rules.draft import PlanDraft


def ask_about(words: Words, draft: PlanDraft) -> Word | None:
    """Add the step that asks for what is described, and return the reference to its answer.

    None where the words describe nothing: a name alone, or an earlier answer.
    """
    words = _trimmed(words)
    if len(words) > 1 and words[0].kind == "step" and words[1].low in PREPOSITIONS:
        return None  # "#1 in 1978" says when, and of no other thing
    described = [word for word in words if word.kind == "word" and word.low not in FUNCTION_WORDS | TITLE_NOUNS]
    if not described:
        return None
    related = _related(words)
    if related is not None:
        return draft.relation(*related)
    return draft.ask(_question(words))


def _trimmed(words: Words) -> Words:
    while words and words[-1].kind == "mark" and words[-1] != OWNS:
        words = words[:-1]
    return words


def _related(words: Words) -> tuple[Words, Words] | None:
    """R and X of "X's R" and of "the R of X", X being a name or an earlier answer."""
    owns = next((at for at, word in enumerate(words) if word == OWNS), None)
    if owns is not None and owns + 1 < len(words):
        of, relation = words[:owns], words[owns + 1 :]
    elif (at := next((at for at, word in enumerate(words) if word.low == "of"), None)) is not None:
        relation, of = words[:at], words[at + 1 :]
    else:
        return None
    named = bool(of) and of[-1].atomic and all(word.low in TITLE_NOUNS | ARTICLES for word in of[:-1])
    kept = tuple(word for word in relation if word.low not in ARTICLES)
    simple = all(
        word.kind in ("word", "name") and word.low not in FUNCTION_WORDS and not is_participle(word.low)
        for word in kept
    )
    return (kept, of) if named and kept and simple else None


def _question(words: Words) -> Words:
    if words[0].low in WH_WORDS:
        return (*words[:1], *(inverted(words[1:]) if words[0].low in ("where", "when", "what") else words[1:]))
    return _of_clause(words) or _of_participle(words) or _of_statement(words) or _of_noun(words)


def _of_clause(words: Words) -> Words | None:
    """What a noun with a relative clause asks."""
    at = next((at for at in range(1, len(words) - 1) if words[at].low in RELATIVISERS), None)
    if at is None or first_finite(words, at + 1) is None:
        return None
    stop = at - 1 if words[at - 1].low == "," else at
    preposition = words[stop - 1 : stop] if words[stop - 1].low in PREPOSITIONS else ()
    noun = words[: stop - len(preposition)]
    if not noun or first_finite(noun, 1) is not None:
        return None
    return relative_question(noun, words[at].low, preposition, words[at + 1 :])


def _of_participle(words: Words) -> Words | None:
    """What a noun with a participle asks, "the film directed by X"."""
    for at in range(2, len(words) - 1):
        if words[at].low in PREPOSITIONS | RELATIVISERS or words[at] == OWNS:
            return None
        if words[at - 1].low in ("most", "first", "last") or words[at - 1].low.endswith("est"):
            return None  # "the longest reigning British monarch" is one, and nothing reigns it
        behind = words[at + 1]
        if is_participle(words[at].low) and (behind.atomic or behind.low in PREPOSITIONS | ARTICLES):
            end = at - (words[at - 1].low in ADVERBS)
            return participle_question(words[:end], words[at:])
    return None


def _of_statement(words: Words) -> Words | None:
    """What a statement leaves open, its last noun with an indefinite article: "X came to prominence in a band"."""
    verb = first_finite(words, 1)
    article = max((at for at, word in enumerate(words) if word.low in ("a", "an")), default=0)
    if verb is None or article <= verb:
        return None
    return (*words[:article], *plain("which"), *words[article + 1 :])


def _of_noun(words: Words) -> Words:
    """Who or what something is."""
    end = next(
        (
            at
            for at in range(1, len(words))
            if words[at].low in PREPOSITIONS | RELATIVISERS | AUXILIARIES or finite_at(words, at)
        ),
        len(words),
    )
    head = next((word.low for word in reversed(words[:end]) if word.kind == "word"), "")
    person = head in ANYBODY or names_person(head)
    return (*plain("who" if person else "what", "is"), *words)
