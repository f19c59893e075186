"""Whether what is said denies what is asked: by the negations in the clause that speaks of it.

An exception turns what a rule says, and what has ended is so no longer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final

from polyhop.documents.sentences import sentence_spans
from polyhop.reading.reader import Quote, headings_over, text_of
from polyhop.reading.rows import word_families

_BREAK: Final = re.compile(
    r"[,;.!?…()]\s+|\s(?=(?:and|but|because|so|since|though|although|while|unless|except|whereas)\s)", re.IGNORECASE
)
_NEGATION: Final = re.compile(
    r"\b(?:not(?! only| just| later| more| less| fewer)|no(?! more| later| less| fewer| sooner|\.)|never|neither|nor"
    r"|none|nobody|nothing|nowhere|without|cannot|\w+n['’]t|forbidden|prohibited|banned|excluded|refused)\b",
    re.IGNORECASE,
)
_FROM_THEN_ON: Final = re.compile(r"\b(?:before|till|until)\b", re.IGNORECASE)
_SAID: Final = re.compile(  # a reply, unlike "No dogs are allowed.", "No. 5 is listed." and the row "No: 5; Town: Harl"
    r"\W*(?P<verdict>yes|no)\b"
    r"(?:[\"'”’]?\s*(?:[,;!?…–—(\n]|-\s|[.:](?!\s*\d))|\s+(?:i|you|he|she|it|we|they|there|that|this)\b)",
    re.IGNORECASE,
)
_EXCEPT: Final = re.compile(
    r"\b(?:except(?: for| that| to)?|other than|unless|save(?: for)? (?=(?:an?|the|where|when|that)\b)|apart from"
    r"|with the exception of)\b",
    re.IGNORECASE,
)
_EXEMPT: Final = re.compile(
    r"\b(?:(?P<behind>(?:do|does|shall|will) not apply (?:to|where|when|if|in))"
    r"|(?:is|are|shall be) (?:exempt(?:ed)?|excepted))\b",
    re.IGNORECASE,
)
_OF_RULES: Final = re.compile(r"\b(?:appl(?:y|ies)|exempt\w*|except\w*|unless)\b", re.IGNORECASE)
_ITEMS: Final = re.compile(r"[,;()]|\b(?:and|or)\b")
_NOW: Final = re.compile(r"\W*(?:is|are|am|does|do|can|may)\b", re.IGNORECASE)
_END: Final = (
    r"(?:removed|dropped|discontinued|abolished|withdrawn|cancel+ed|revoked|repealed|retired|decommissioned|disabled"
    r"|ended|(?:switched|turned) off|(?:shut|closed) down|phased out)"
)
_ENDED: Final = re.compile(
    rf"\b(?:was|were|been) (?:\w+ly )?{_END}\b|\bhas expired\b"
    r"|\b(?:drop(?:s|ped)?|end(?:s|ed)?|remove[sd]|discontinue[sd]|withdr[ae]ws?) (?:all )?support\b"
    r"|\bsupport (?:\S+ ){0,6}ended\b",
    re.IGNORECASE,
)
_HEADS_ENDED: Final = re.compile(rf"\W*(?:{_END}|removals?)(?: \w+)?\W*", re.IGNORECASE)
_ENDS: Final = re.compile(
    r"\b(?:remov|drop|discontinu|abolish|withdr|cancel|revok|repeal|retir|disabl|end|off\b)", re.IGNORECASE
)
_STILL: Final = re.compile(r"\bstill\b", re.IGNORECASE)
_BEING: Final = word_families(  # words for something's being so, which what has ended was
    "support supports supported available use used usable offer offered exist exists allowed valid open active enabled"
    " work works working run runs running there still"
)


def turned(quote: Quote, question: str) -> bool | None:
    """Whether the answer is yes where an exception or an end turns what a sentence seems to say; None where none does.

    "No dogs, except guide dogs." forbids dogs, not guide dogs. An exception may stand behind its rule by itself. What
    is asked is excepted, where most of what the rule does not say of it is said by the exception, and the other way
    round.
    """
    asked = word_families(question)
    for rule, excepted in () if _OF_RULES.search(question) else _rules(quote):
        more = unsaid(asked, word_families(rule))
        for item in (excepted, *_ITEMS.split(excepted)):
            named = word_families(item)
            known, meant = len(more) - len(unsaid(more, named)), len(named) - len(unsaid(named, asked))
            if more < asked and known * 2 >= len(more) > 0 and meant * 2 > len(named) and not negated(item):
                return denies(rule, question)
    return False if _has_ended(quote, question) else None


def _rules(quote: Quote) -> Iterator[tuple[str, str]]:
    """What a sentence, or it with the one before or behind it, rules, and what is excepted from that."""
    said = text_of(quote)
    marker = _EXCEPT.search(said)
    if marker is not None:
        rule, excepted = said[: marker.start()], said[marker.end() :]
        if not rule.strip():  # "Except for guide dogs, no dogs are allowed."
            excepted, _, rule = excepted.partition(", ")
        yield rule, excepted
    spans = sentence_spans(quote.passage.text)
    for rule_span, span in pairwise(spans):
        if (quote.start, quote.end) in (rule_span, span):
            said = quote.passage.text[slice(*span)]
            exempt = _EXEMPT.search(said)
            if exempt is not None:
                excepted = said[exempt.end() :] if exempt["behind"] else said[: exempt.start()]
                yield quote.passage.text[slice(*rule_span)], excepted


def unsaid(words: frozenset[str], said: frozenset[str]) -> frozenset[str]:
    """Those of some words that are not said, in whichever of their forms: "dropped" by "drop"."""
    return frozenset(
        word
        for word in words - said
        if len(word) < 3 or not any(len(each) > 2 and (word.startswith(each) or each.startswith(word)) for each in said)
    )


def _has_ended(quote: Quote, question: str) -> bool:
    """Whether a question is whether something is so now, and a sentence or the heading over it says that it ended."""
    if not _NOW.match(question) or _ENDS.search(question) or negated(question):
        return False
    asked = word_families(question)
    said = max(_clauses(text_of(quote)), key=lambda one: len(asked & word_families(one)))
    heading = "".join(headings_over(quote)[-1:])
    if _ENDED.search(said) is None and _HEADS_ENDED.fullmatch(heading) is None:
        return False
    above = word_families(f"{said} {quote.passage.title} {heading}")
    left = unsaid(asked - _BEING, above)
    return not left or (len(left) == 1 and _STILL.search(question) is not None and "".join(left).isalpha())


def denies(sentence: str, question: str) -> bool:
    """Whether a sentence denies what a question asks for a yes or no about; it may begin with either."""
    said = _SAID.match(sentence)
    if said is not None:
        return said["verdict"].lower() == "no"
    asked = word_families(question)
    behind = reversed(list(_clauses(sentence)))  # of clauses that have as much, the later one: it says what is so
    clause = max(behind, key=lambda one: len(asked & word_families(one)))
    return negated(clause) != negated(question)


def spoken_of(sentence: str, question: str) -> float:
    """The share of a question's words that a clause of a sentence has, 0 to 1."""
    asked = word_families(question)
    return max(len(asked & word_families(clause)) for clause in _clauses(sentence)) / max(len(asked), 1)


def negated(text: str) -> bool:
    """Whether a text has an odd number of negations."""
    return len(_NEGATION.findall(text)) % 2 == 1


@lru_cache(maxsize=16384)
def negated_relation(relation: str) -> bool:
    """Whether the relation of a fact says that something is not so; "not open until" says when it is."""
    return negated(relation) and _FROM_THEN_ON.search(relation) is None


def _clauses(text: str) -> Iterator[str]:
    start = 0
    for match in _BREAK.finditer(text):
        yield text[start : match.start()]
        start = match.end()
    yield text[start:]
