"""Chains of hops: the innermost description in a question is asked for first, and its answer takes its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from polyhop.english.question import OWNS, Word, Words, plain
from polyhop.english.verbs import base_form, is_base, is_finite, is_participle
from polyhop.english.words import (
    ARTICLES,
    AUXILIARIES,
    BE,
    DO,
    FUNCTION_WORDS,
    HAVE,
    KIN,
    NOT_A_HOP,
    ORGANISATIONS,
    PEOPLE,
    PLACES,
    PREPOSITIONS,
    RELATIONAL,
    ROLES,
    THINGS,
    TITLE_NOUNS,
    UNNAMED,
    WH_WORDS,
    is_agent,
    is_attribute,
    is_demonym,
    word_set,
)
from polyhop.planning.rules.clauses import (
    ADVERBS,
    NOUNS,
    asks,
    clause_at_its_noun,
    clause_end,
    finite_at,
    first_finite,
    names_event,
    noun_phrase_start,
    opens_clause,
    participle_question,
    relative_question,
)
from polyhop.planning.rules.draft import PlanDraft, hides_hops

MOST_HOPS: Final = 8
_DETERMINERS: Final = word_set("which what whose")
_AFTER_PARTICIPLE: Final = PREPOSITIONS | ARTICLES
_PLACE_RELATIONS: Final = word_set(
    "country capital capitol birthplace hometown headquarters location place venue mouth source seat campus"
)
_AT_ONE_TIME: Final = frozenset({"when", "while"})
_CIRCUMSTANCES: Final = word_set("where when why how")
_STATES: Final = word_set("contain include have own border hold belong comprise surround")  # no progressive
_DEICTIC: Final = ARTICLES - {"the", "a", "an"}
_SUPERLATIVES: Final = word_set("first second third largest smallest biggest most capital capitol highest oldest")


@dataclass(frozen=True, slots=True)
class _Description:
    """A stretch of a question that describes a thing: by a question of its own, or by its relation to another thing."""

    start: int
    end: int
    question: Words = ()
    relation: Words = ()
    of: Words = ()


def answer_chain(words: Words, draft: PlanDraft, target: str = "") -> Word:
    """Add the steps that answer a question, innermost first, and return the reference to its answer."""
    words = settle(words, draft)
    asked = _asked_relation(words)
    if asked is not None and hides_hops(asked[0]):
        return draft.relation(*asked)
    called = words[3:] in ((), plain("called"), plain("named"))
    if len(words) > 2 and words[0].low in WH_WORDS and words[1].low in BE and words[2].kind == "step" and called:
        return words[2]  # "Who is #1?", "What is #1 called?" ask nothing new
    return draft.ask(words, target or _target(words))


def settle(words: Words, draft: PlanDraft) -> Words:
    """The words with each description in them replaced by a reference to its answer."""
    words = clause_at_its_noun(words)
    for _ in range(MOST_HOPS):
        found = _relative(words) or _participial(words) or _possessive(words) or _of_phrase(words)
        if found is None:
            break
        if found.question and _is_whole(words, found.start, found.end) and found.start > 0:
            words = found.question
            continue
        if found.question:
            reference = answer_chain(found.question, draft, _head_noun(found))
        else:
            reference = draft.relation(found.relation, found.of)
        words = (*words[: found.start], reference, *words[found.end :])
    return words


def _head_noun(found: _Description) -> str:
    noun = [word for word in found.question[:4] if word.kind == "word" and word.low in NOUNS]
    return noun[0].low if noun else ""


def _target(words: Words) -> str:
    """What a question asks for: the noun after its wh-word, or the relation that it names."""
    for at, word in enumerate(words):
        if word.low in ("what", "which"):
            end = first_finite(words, at + 1) or len(words)
            noun = words[at + 1 : end]
            if noun and all(part.kind == "word" and part.low not in FUNCTION_WORDS for part in noun):
                return " ".join(part.low for part in noun)
    asked = _asked_relation(words)
    return " ".join(word.low for word in asked[0] if word.low not in ARTICLES) if asked else ""


def _is_whole(words: Words, start: int, end: int) -> bool:
    """Whether the description is all that the question asks for, so that it is the question and not a hop."""
    after = words[end:]
    comma = max((i for i in range(start) if words[i].low == ","), default=-1)
    before = [word.low for word in words[comma + 1 : start]]
    modified = len(after) > 1 and after[0].low in PREPOSITIONS | _AT_ONE_TIME and before[:1] in (["who"], ["what"])
    if not modified and any(word.kind != "mark" for word in after):
        return False
    if before[-3:] == ["the", "name", "of"]:
        before = before[:-3]
    return not before or (
        before[0] in ("who", "whom", "what", "where", "when", "which") and len(before) == 2 and before[1] in BE
    )


def _asked_relation(words: Words) -> tuple[Words, Words] | None:
    """The relation and what it is of, if the question is "Who is the R of X" or "Who is X's R"."""
    if len(words) < 4 or words[0].low not in ("who", "what", "where", "when") or words[1].low not in BE:
        return None
    of = next((i for i, word in enumerate(words) if word.low == "of"), None)
    if of is not None and of > 2:
        argument = words[of + 1 :]
        simple = all(word.kind == "word" and word.low not in FUNCTION_WORDS for word in words[3:of])
        named = argument and argument[-1].atomic and all(word.low in TITLE_NOUNS | ARTICLES for word in argument[:-1])
        if words[2].low == "the" and simple and named and of > 3:
            return words[2:of], argument
        return None
    owns = next((i for i, word in enumerate(words) if word == OWNS), None)
    if owns is not None and owns > 2 and words[owns - 1].atomic and owns + 1 < len(words):
        relation = words[owns + 1 :]
        if all(word.kind == "word" and word.low not in FUNCTION_WORDS for word in relation):
            return relation, words[2:owns]
    return None


def _relative(words: Words) -> _Description | None:
    """The last noun with a relative clause: being last, it holds no other one."""
    for at in range(len(words) - 2, 0, -1):
        found = _relative_at(words, at) if words[at].kind == "word" else None
        if found is not None:
            return found
    return None


def _relative_at(words: Words, at: int) -> _Description | None:
    low = words[at].low
    if not opens_clause(words, at):
        return None
    stop = at - 1 if words[at - 1].low == "," else at
    preposition = words[stop - 1 : stop] if words[stop - 1].low in PREPOSITIONS else ()
    noun_end = stop - len(preposition)
    start = noun_phrase_start(words, noun_end)
    if start == noun_end or (start > 0 and words[start - 1].low in _DETERMINERS) or words[noun_end - 1].low in UNNAMED:
        return None
    if start == 0 and words[0].low not in ARTICLES:
        return None
    end = clause_end(words, start, at + 1)
    clause = words[at + 1 : end]
    if end is None or not _says_something(words, at + 1, end) or words[noun_end - 1].text.isdigit():
        return None
    if low == "that" and not preposition and _reports(words, noun_end):
        return None
    return _Description(start, end, question=relative_question(words[start:noun_end], low, preposition, clause))


def _says_something(words: Words, start: int, end: int) -> bool:
    """Whether a clause has a verb and more than that."""
    complete = end - start > 1 and words[end - 1].low not in BE | HAVE | ARTICLES
    if any(asks(words, i) for i in range(start, end)):
        return False  # it holds the question itself: "the singer who was born in what year"
    return complete and first_finite(words, start, end) is not None


def _reports(words: Words, end: int) -> bool:
    return words[end - 1].low in ("claim", "fact", "belief", "idea", "theory", "evidence", "statement")


def _participial(words: Words) -> _Description | None:
    """The last noun described by a participle ("the film directed by X") or by a bare clause ("the man X shot")."""
    for at in range(len(words) - 2, 1, -1):
        noun = words[at - 1]
        if noun.kind != "word" or noun.low in FUNCTION_WORDS:
            continue
        if (is_participle(words[at].low) and words[at].kind == "word") or words[at].low == "with":
            found = _participial_at(words, at)
        elif (words[at].atomic or words[at].low == "the") and noun.low in NOUNS - TITLE_NOUNS:
            found = _bare_clause_at(words, at)
        else:
            found = None
        if found is not None:
            return found
    return None


def _participial_at(words: Words, at: int) -> _Description | None:
    low, after = words[at].low, words[at + 1]
    noun_end = at
    while noun_end > 1 and (
        words[noun_end - 1].low in ADVERBS or words[noun_end - 1].low.endswith(("ously", "tely", "ally"))
    ):
        noun_end -= 1
    if words[noun_end - 1].low.endswith("est") or (
        low == "with" and words[noun_end - 1].low not in PLACES | ORGANISATIONS
    ):
        return None
    if not (after.atomic or after.low in _AFTER_PARTICIPLE) or (
        finite_at(words, at - 1) and words[at - 1].low not in NOUNS
    ):
        return None
    if low in ("called", "named", "titled", "entitled") and after.low not in ("after", "for", "by"):
        return None
    if names_event(words, at) or low in ("being", "getting"):
        return None
    start = noun_phrase_start(words, noun_end)
    if (
        words[start].low not in ARTICLES
        or start + 1 >= noun_end
        or words[noun_end - 1].low in UNNAMED
        or (start > 0 and words[start - 1].low in _DETERMINERS)
    ):
        return None
    end = clause_end(words, start, at)
    if end is None or (end == len(words) and _only_verb(words, start)):
        return None
    if any(asks(words, i) for i in range(at, end)) or (end - at < 3 and words[end - 1].low in PREPOSITIONS):
        return None
    if low.endswith("ing") and base_form(low) not in _STATES and _is_progressive(words, start, end):
        return None
    return _Description(start, end, question=participle_question(words[start:noun_end], words[at:end]))


def _is_progressive(words: Words, start: int, end: int) -> bool:
    """Whether a form in "-ing" is the question's own verb: "where is the train coming from", "when is it going to"."""
    if start < 1 or words[start - 1].low not in BE or words[0].low not in _CIRCUMSTANCES:
        return False
    return end == len(words) or words[end].low in PREPOSITIONS or words[end - 1].low in AUXILIARIES


def _only_verb(words: Words, start: int) -> bool:
    """Whether the participle is the predicate that the question itself needs: "When was the film released in X"."""
    before = [word.low for word in words[:start]]
    if not before or before[-1] not in BE:
        return False
    bare = before[0] in ("who", "what") and len(before) == 2
    return len(before) == 1 or (before[0] in WH_WORDS and not bare)


def _bare_clause_at(words: Words, at: int) -> _Description | None:
    start = noun_phrase_start(words, at)
    if start == at or words[start].low not in ARTICLES or (start > 0 and words[start - 1].low in _DETERMINERS):
        return None
    end = clause_end(words, start, at)
    clause = words[at:end]
    verb = first_finite(clause, 1)
    if end is None or verb is None or start == 0 or not _says_something(words, at, end):
        return None
    return _Description(start, end, question=relative_question(words[start:at], "that", (), clause))


def _possessive(words: Words) -> _Description | None:
    """The first possessive that is not the question itself: "X's wife" in "Where was X's wife born"."""
    for at in range(1, len(words) - 1):
        if words[at] != OWNS or not words[at - 1].atomic:
            continue
        end = at + 1
        while end < len(words) and _possessed(words, at, end):
            end += 1
        owned = words[at + 1 : end]
        start = at - 1
        if start > 0 and words[start - 1].low in TITLE_NOUNS:
            start -= 1
        if start > 0 and words[start - 1].low == "the":
            start -= 1
        continued = end < len(words) and (words[end].atomic or words[end].low in ("of", "that"))
        if not owned or not _is_owned(owned[-1]) or continued or _is_whole(words, start, end):
            continue
        of = tuple(word for word in words[start:at] if word.low != "the")
        return _Description(start, end, relation=owned, of=of)
    return None


def _is_owned(noun: Word) -> bool:
    """Whether what somebody has is a thing that has a name, so that it can be asked for: no "flat", no "reply"."""
    return noun.low not in NOT_A_HOP and (
        noun.low in RELATIONAL | NOUNS or is_attribute(noun.low) or is_agent(noun.low)
    )


def _possessed(words: Words, owns: int, at: int) -> bool:
    word = words[at]
    if word.kind != "word" or word.low in FUNCTION_WORDS:
        return False
    waits = is_base(word.low) and any(one.low in DO for one in words[:owns])  # the verb behind "did"
    if at > owns + 1 and (waits or word.low in ADVERBS):
        return False
    if at == owns + 1:
        after = words[at + 1] if at + 1 < len(words) else None
        return not (is_base(word.low) and after is not None and (after.atomic or after.low in ARTICLES))
    previous = words[at - 1].low
    if previous in KIN or " of " in previous or (previous in ROLES and not (word.low in NOUNS or is_agent(word.low))):
        return False
    return word.low in NOUNS or word.low in RELATIONAL or not (finite_at(words, at) or is_participle(word.low))


def _of_phrase(words: Words) -> _Description | None:
    """The last "the R of X" that is not the question itself, R being a word that leads from X to something else."""
    for at in range(len(words) - 2, 0, -1):
        if words[at].low not in ("of", "in") or words[at].kind != "word":
            continue
        end = _argument_end(words, at + 1)
        start = noun_phrase_start(words, at)
        if end is None or start == at or not _leads_on(words, start, at) or _is_whole(words, start, end):
            continue
        if (start > 0 and words[start - 1].low in _DETERMINERS) or words[start].low in _DEICTIC:
            continue
        return _Description(start, end, relation=words[start:at], of=words[at + 1 : end])
    return None


def _leads_on(words: Words, start: int, at: int) -> bool:
    noun = words[at - 1]
    if noun.kind != "word":
        return False
    if words[at].low == "in":
        return noun.low in PLACES and any(word.low in _SUPERLATIVES for word in words[start:at])
    if words[at + 1].kind == "name" and at - start == 2 and noun.low in PLACES - _PLACE_RELATIONS:
        return False  # "the state of Florida" is Florida
    if noun.low in NOT_A_HOP:
        return False
    is_known = noun.low in RELATIONAL or is_attribute(noun.low)
    return is_known or (is_agent(noun.low) and noun.low not in PEOPLE | THINGS)


def _names_on(words: Words, at: int) -> bool:
    """Whether a word belongs to the name behind an article, as in "the Morwick dam": it is not the verb of it.

    The verb stands behind it, or nowhere: "when did the designer of the Morwick canal die?"
    """
    low = words[at].low if at < len(words) else ""
    if not low or words[at].kind != "word" or low in FUNCTION_WORDS | ROLES or is_finite(low) or is_participle(low):
        return False
    if at + 1 == len(words):  # "when did the captain of the Gull sail?" waits for a verb
        return not any(word.low in AUXILIARIES - BE for word in words[:at])
    after = words[at + 1]
    return after == OWNS or (after.kind == "word" and (is_base(after.low) or is_participle(after.low)))


def _argument_end(words: Words, at: int) -> int | None:
    """The end of "the film X" or plain X after an "of"; None if something else stands there."""
    for end in range(at, min(at + 4, len(words))):
        word = words[end]
        if word.atomic:
            end += 1
            if is_demonym(word.text) and end < len(words) and words[end].low not in FUNCTION_WORDS | {"", "'s"}:
                return None  # "a Danish painter" is no name
            while end < len(words) and words[end].low in NOUNS - ROLES and not is_base(words[end].low):
                end += 1
            if words[at].low in ARTICLES and end == at + 2 and _names_on(words, end):
                end += 1
            return _owned_end(words, end) if words[end : end + 1] == (OWNS,) else end
        if word.low not in TITLE_NOUNS | ARTICLES | NOUNS:
            return None
    return None


def _owned_end(words: Words, owns: int) -> int | None:
    """The end of what has no name of its own and is left with its owner: "the illustrator of Ada's cover"."""
    end = owns + 1
    while end < len(words) and _possessed(words, owns, end):
        end += 1
    thing = words[end - 1]
    has_name = thing == OWNS or words[end : end + 1] == (OWNS,) or _is_owned(thing)
    return None if has_name or thing.low.endswith("est") else end
