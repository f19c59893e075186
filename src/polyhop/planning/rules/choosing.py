"""Which of several options is it? What has to be asked of each: when it was, how much it has, whether it is so."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from polyhop.english.degrees import degree_in
from polyhop.english.question import OWNS, Word, Words, plain, read_words
from polyhop.english.verbs import base_form, is_participle
from polyhop.english.words import (
    ARTICLES,
    AUXILIARIES,
    BE,
    HAVE,
    OWNERS,
    PREPOSITIONS,
    PRONOUNS,
    ROLES,
    TIMES,
    TITLE_NOUNS,
    WH_WORDS,
    word_set,
)
from polyhop.planning.rules.clauses import ADVERBS, first_finite
from polyhop.planning.rules.draft import PlanDraft
from polyhop.planning.rules.measure import Measure
from polyhop.planning.wording import ask_about
from polyhop.plans import Combination, Comparator, Plan, Step

BORN: Final = word_set("born birth older oldest younger youngest elder eldest birthday")
_DIED: Final = word_set("died die dies death dead deceased")


def choice(frame: Words, options: Sequence[Word], known: Sequence[Step]) -> Plan | None:
    """Which of several options is it? Asks the measure of each, or of the director ... of each."""
    if _differ(options):
        return None
    draft = PlanDraft([*known])
    names = tuple(option.text for option in options)
    frame = _without_kind(frame)
    lows = [word.low for word in frame]
    role = _bridge_role(frame)
    noun = _option_noun(frame)
    things: list[Words] = [(*noun, option) for option in options]
    if role:
        things = [(draft.relation(plain(role), thing),) for thing in things]
    else:
        first, *others = options
        things = [_described(first), *(_owned(other, first, draft) or _described(other) for other in others)]
    if ("lived" in lows or "life" in lows or "lifespan" in lows) and ("longer" in lows or "longest" in lows):
        operands = tuple(
            operand
            for thing in things
            for operand in (
                Measure(plain("when", "was"), plain("born"), "longer", "date of birth").ask(thing, draft),
                Measure(plain("when", "did"), plain("die"), "longer", "date of death").ask(thing, draft),
            )
        )
        return draft.plan("comparison", Combination(comparator="longer", operands=operands, options=names))
    measure = _date_measure(frame) or _amount_measure(frame) or _truth_measure(frame)
    if measure is None:
        return None
    if measure.target == "date of birth" and not role and any(word.low in HAVE for word in frame):
        return None  # "has the oldest school": of what it has
    if measure.target == "date of birth" and not role and frame[0].low in ("which", "what") and "born" not in lows:
        measure = Measure(plain("how", "old", "is"), (), measure.comparator, "age")  # a bridge was not born
    operands = tuple(measure.ask(thing, draft) for thing in things)
    return draft.plan("comparison", Combination(comparator=measure.comparator, operands=operands, options=names))


def _differ(options: Sequence[Word]) -> bool:
    """Whether some cannot be options beside the others: "in 2018, the lamp or the lantern", "Ada or me"."""
    placed = {option.text.lower().split()[0] in PREPOSITIONS for option in options}
    return (len(options) > 2 and len(placed) > 1) or any(option.text.lower() in PRONOUNS for option in options)


def _without_kind(frame: Words) -> Words:
    """The frame of "which of the two ships, A or B, sailed first?" without "of the two ships"."""
    verb = first_finite(frame, 2) if frame[1:2] and frame[1].low in ("of", "among") else None
    return frame if verb is None else (frame[0], *frame[verb:])


def _described(thing: Word) -> Words:
    """A thing, word by word where it is described, "the aunt of Ada Lund": a kinship word in it may hide hops."""
    return read_words(thing.text) if thing.text.startswith("the ") and " of " in thing.text else (thing,)


def _owned(thing: Word, other: Word, draft: PlanDraft) -> Words:
    """The answer to who a thing is whose pronoun means the other one: "Ada or her sister", "or the son of her aunt".

    Empty where there is no such pronoun. "Its" means no person: of "the head of the museum or its founder" the latter
    is the museum's.
    """
    texts = thing.text.split()
    owners = {at for at, text in enumerate(texts) if text in OWNERS and texts[max(at - 1, 0)] in (text, "of")}
    if not owners or len(texts) == 1 or texts[-1][:1].isupper() or "own" in texts:
        return ()
    owner = Word(other.text.rpartition(" of ")[2], "name") if "its" in texts else other
    words = (word for at, text in enumerate(texts) for word in ((owner, OWNS) if at in owners else plain(text)))
    found = ask_about(tuple(words), draft)
    return (found,) if found else ()


def _bridge_role(frame: Words) -> str:
    """The role whose holder is compared instead of the option itself: "which film has the director who ..."."""
    for at, word in enumerate(frame):
        if word.low in ROLES | {"father", "mother"} and at > 2 and not any(w.low in TIMES for w in frame[: at - 1]):
            start = at - 1 if frame[at - 1].low in TIMES else at  # "the older director"
            before = frame[start - 1].low
            if before == "whose" or (before in ARTICLES and frame[start - 2].low in HAVE | {"with"}):
                return word.low
    return ""


def _option_noun(frame: Words) -> Words:
    """What the options are, where the question says so and it helps to say it again: "film"."""
    noun = frame[1].low if len(frame) > 1 and frame[0].low in ("which", "what") else ""
    return plain(noun) if noun in TITLE_NOUNS else ()


def _date_measure(frame: Words) -> Measure | None:
    lows = {word.low for word in frame}
    order = next((TIMES[word.low] for word in reversed(frame) if word.low in TIMES), None)
    if order is None or lows & {"fewer", "fewest", "less"}:
        return None
    comparator: Comparator = "earlier" if order == "earlier" else "later"
    if lows & _DIED:
        return Measure(plain("when", "did"), plain("die"), comparator, "date of death")
    if lows & BORN and not lows & {"released", "founded", "established"}:
        return Measure(plain("when", "was"), plain("born"), comparator, "date of birth")
    if "came" in lows or "come" in lows:
        return Measure(plain("when", "did"), plain("come", "out"), comparator, "release date")
    verb = first_finite(frame, 1)
    if verb is None:
        return None
    ordering = {*TIMES, "more", "most"}
    rest = tuple(
        word
        for word, after in zip(frame[verb + 1 :], (*frame[verb + 2 :], Word("")), strict=True)
        if word.low not in ordering | {","} and not (word.low == "the" and after.low in ordering | {""})
    )
    if [word.low for word in rest[-3:]] in (["at", "a", "date"], ["at", "an", "date"]):
        rest = rest[:-3]
    if frame[verb].low in BE and rest and is_participle(rest[0].low):
        return Measure(plain("when", "was"), rest, comparator, "date")
    if frame[verb].low not in AUXILIARIES and len(rest) < 6:
        return Measure(plain("when", "did"), (*plain(base_form(frame[verb].low)), *rest), comparator, "date")
    return None


def _amount_measure(frame: Words) -> Measure | None:
    degree = degree_in(frame, most=False)
    if degree is None:
        return None
    before, _, after = degree.asked.rstrip("?").partition("{}")
    target = " ".join(takewhile(lambda word: word not in AUXILIARIES, before.split()[1:]))
    target = target or " ".join(before.split()[3:-1])  # "What is the population of"
    if target in ("old", "late", "soon"):
        return None  # when things were tells that
    order: Comparator = "larger" if degree.more else "smaller"
    name = target.removeprefix("many ").removeprefix("much ")
    return Measure(plain(*before.split()), plain(*after.split()), order, name)


def _truth_measure(frame: Words) -> Measure | None:
    """A predicate that holds for one of the options: each is asked whether it does."""
    if frame and frame[0].low in AUXILIARIES:
        return None
    verb = first_finite(frame, 1)
    if verb is None or frame[0].low not in WH_WORDS:
        return None
    rest = frame[verb + 1 :]
    if frame[verb].low in AUXILIARIES - BE - HAVE and rest and (rest[0].atomic or rest[0].low in ARTICLES | PRONOUNS):
        return Measure((frame[verb], *rest[: (at := _object_at(rest))]), rest[at:], "either", "")
    if frame[verb].low in AUXILIARIES:
        return Measure(frame[verb : verb + 1], rest, "either", "")
    does = "does" if frame[verb].low.endswith("s") else "did"
    return Measure(plain(does), (*plain(base_form(frame[verb].low)), *rest), "either", "")


def _object_at(words: Words) -> int:
    """Where the object belongs behind a subject and its verb: "does Ada use X for tar", "does Ada wait for X now"."""
    end = len(words)
    while end > 2 and words[end - 1].low in ADVERBS and words[end - 2].low != "at":
        end -= 1
    at = next((at for at in range(2, end) if words[at].low in PREPOSITIONS - {"of"}), end)
    return at + 1 if at + 1 == end or (at < end and words[at + 1].low in PREPOSITIONS) else at
