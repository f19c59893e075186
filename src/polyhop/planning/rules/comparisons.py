"""Questions about two things: which one is older, are both the same, what have they in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Final

from polyhop.english.degrees import FORMS, degree_in
from polyhop.english.options import split_options
from polyhop.english.question import OWNS, Word, Words, plain, read_words, render
from polyhop.english.verbs import base_form, is_participle, third_of_base
from polyhop.english.words import (
    ARTICLES,
    AUXILIARIES,
    BE,
    DO,
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
from polyhop.planning.rules.agreement import agreement
from polyhop.planning.rules.clauses import ADVERBS, finite_at, first_finite
from polyhop.planning.rules.draft import PlanDraft
from polyhop.planning.rules.event_times import before_or_after, time_between, timed
from polyhop.planning.rules.measure import Measure, as_singular
from polyhop.planning.wording import ask_about
from polyhop.plans import Combination, Comparator, Plan, Step

_BORN: Final = word_set("born birth older oldest younger youngest elder eldest birthday")
_STRENGTH: Final = word_set("much far even still any")  # before a comparative
_DIED: Final = word_set("died die dies death dead deceased")


def compare(words: Words, known: Sequence[Step] = ()) -> Plan | None:
    """The plan of a comparison, or None if the question compares nothing that we recognise.

    ``known``: the steps before it, whose answers the words may name.
    """
    if len(words) < 5:
        return timed(words, known)  # "Did Ada Lund outlive Oskar Vale?"
    ordered = before_or_after(words, known)
    if ordered is not None:
        return ordered
    options = split_options(words)
    if options is not None:
        return _choice(options.frame, options.options, known) if len(options.options) == 2 else None
    if words[0].low in BE | DO | HAVE:
        return _order(words, known) or timed(words, known) or agreement(words, known)
    planned = _common(words, known)
    words = _how_much_said_first(words)
    if planned is None and words[0].low == "how":
        words = (words[0], *plain(*words[1].text.split()), *words[2:])  # "many years" is taken for a name
        planned = time_between(words, known) or _difference(words, known)
    return planned


def _choice(frame: Words, options: Sequence[Word], known: Sequence[Step]) -> Plan | None:
    """Which of two options is it? Asks the measure of each, or of the director ... of each."""
    draft = PlanDraft([*known])
    left, right = options
    names = (left.text, right.text)
    lows = [word.low for word in frame]
    role = _bridge_role(frame)
    noun = _option_noun(frame)
    things: list[Words] = [(*noun, left), (*noun, right)]
    if role:
        things = [(draft.relation(plain(role), thing),) for thing in things]
    else:
        things = [_described(left), _owned(right, left, draft) or _described(right)]
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
    if measure.target == "date of birth" and not role and frame[0].low in ("which", "what") and "born" not in lows:
        measure = Measure(plain("how", "old", "is"), (), measure.comparator, "age")  # a bridge was not born
    operands = tuple(measure.ask(thing, draft) for thing in things)
    return draft.plan("comparison", Combination(comparator=measure.comparator, operands=operands, options=names))


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
    if lows & _BORN and not lows & {"released", "founded", "established"}:
        return Measure(plain("when", "was"), plain("born"), comparator, "date of birth")
    if "came" in lows or "come" in lows:
        return Measure(plain("when", "did"), plain("come", "out"), comparator, "release date")
    verb = first_finite(frame, 1)
    if verb is None:
        return None
    rest = tuple(w for w in frame[verb + 1 :] if w.low not in TIMES and w.low not in ("more", "most", "the", ","))
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


def _order(words: Words, known: Sequence[Step]) -> Plan | None:
    """Is the one more than the other? "Was X completed before Y?", "Is X longer than Y?": asks the measure of each."""
    names = [at for at, word in enumerate(words) if word.atomic]
    middle = next((at for at, word in enumerate(words) if word.low in ("than", "before", "after")), None)
    if middle is not None and words[middle].low == "than" and _is_measured(words[middle - 1].low):
        return _more_than(words, middle, known)
    if middle is None or len(names) != 2 or not names[0] < middle < names[1]:
        return None
    left, right = (words[at] for at in names)
    between = words[names[0] + 1 : middle]
    if any(word.low not in ARTICLES for word in (*words[1 : names[0]], *words[middle + 1 : names[1]])):
        return None
    if any(word.low not in AUXILIARIES for word in words[names[1] + 1 :]):
        return None  # "before Y was"
    helper = () if words[0].low in DO else words[:1]
    order = plain({"before": "earlier", "after": "later"}[words[middle].low]) if words[middle].low != "than" else ()
    planned = _choice((*plain("which"), *helper, *between, *order), (left, right), known)
    if planned is None or planned.final is None:
        return None
    return replace(planned, final=replace(planned.final, whether=True))


def _is_measured(comparative: str) -> bool:
    """Whether a comparative is of a thing itself, and not of how often, when or how much it does something."""
    adjective, _ = FORMS.get(comparative, ("", False))
    return comparative in _BORN or (adjective not in ("", "much", "many", "far", "late") and comparative not in TIMES)


def _more_than(words: Words, than: int, known: Sequence[Step]) -> Plan | None:
    """What is before a comparative beside what is behind "than": "Is the author of X older than his sister?"."""
    end = next((at for at in range(than - 1, 1, -1) if words[at - 1].low not in _STRENGTH), 1)
    left, right = render(words[1:end]), render(words[than + 1 :])
    lows = {word.low for word in words[1:]}
    stop = len(words) - (words[-1].kind == "word" and words[-1] in words[:than])  # "the Pro plan" ends in no verb
    clause = words[0].low not in ("is", "was") or any(finite_at(words, at) for at in range(than + 1, stop))
    if not left or not right or clause or lows & (WH_WORDS | PRONOUNS | {"one", ","}):
        return None
    things = [Word(text, "name") for text in (left, right)]
    planned = _choice((*plain("which"), words[0], words[than - 1]), things, known)
    if planned is None or planned.final is None:
        return None
    return replace(planned, final=replace(planned.final, whether=True))


def _how_much_said_first(words: Words) -> Words:
    """The words of "by how many metres is X longer than Y?" as those of "how many metres longer is X than Y?"."""
    lows = [word.low for word in words]
    than = lows.index("than") if "than" in lows else 0
    verb = next((at for at in range(3, than) if lows[at] in BE), 0)
    if lows[:2] != ["by", "how"] or not 0 < verb < than - 1:
        return words
    return (*words[1:verb], words[than - 1], *words[verb : than - 1], *words[than:])


def _difference(words: Words, known: Sequence[Step]) -> Plan | None:
    """By how much is one more than another? "How much longer is X than Y?", "How many more pages has X than Y?"."""
    lows = [word.low for word in words]
    than = lows.index("than") if "than" in lows else 0
    verb = next((at for at in range(3, than) if lows[at] in BE | DO | HAVE), 0)
    if lows[:2] not in (["how", "much"], ["how", "many"]) or lows[2] == "times" or not 0 < verb < than - 1:
        return None  # "how many times" asks for no difference
    asked = words[2:verb] if lows[2] in FORMS else words[3:verb]  # "how many metres longer"
    left, does = words[verb + 1 : than], lows[verb] in DO
    if does:
        left, said = left[:-1], plain(third_of_base(left[-1].low))
    frame = (*plain("which"), *(said if does else words[verb : verb + 1]), *asked)
    things = [Word(render(thing), "name") for thing in (left, words[than + 1 :])]
    planned = _choice(frame, things, known) if all(thing.text for thing in things) else None
    if planned is None or planned.final is None or planned.final.comparator == "either":
        return None
    final, way = planned.final, -1 if planned.final.comparator in ("larger", "later") else 1  # the lesser first
    final = replace(final, comparator="apart", operands=final.operands[::way], options=final.options[::way])
    steps = (replace(step, question=step.question.replace(" does ", f" {lows[verb]} ")) for step in planned.steps)
    return replace(planned, steps=tuple(steps) if does else planned.steps, final=final)


def _common(words: Words, known: Sequence[Step]) -> Plan | None:
    """What do two things share: "What language do X and Y have in common?", "Where are X and Y?"."""
    lows = [word.low for word in words]
    middle = next((i for i in range(1, len(words) - 1) if lows[i] == "and" and words[i - 1].atomic), None)
    if middle is None:
        return None
    right = next((i for i in range(middle + 1, min(middle + 4, len(words))) if words[i].atomic), None)
    both = lows.index("both") if "both" in lows else 0
    if lows[-1] in ("connected", "related", "linked"):
        return None  # to one another
    if right is None or sum(word.atomic for word in words) != 2 or (both and lows[both - 1] in PREPOSITIONS):
        return None  # "starred in both X and Y" constrains what is asked for
    before = tuple(word for word in words[: middle - 1] if word.low not in ("both", "the"))
    after = tuple(word for word in words[right + 1 :] if word.low != "both")
    options = (words[middle - 1], words[right])
    if lows[-2:] == ["in", "common"] and len(before) > 1 and before[-1].low in DO:
        before, after = before[:-1] + plain("is"), ()
    elif (
        "both" not in lows
        and not (before and before[-1].low in BE)
        and not (not before and after and after[0].low in ("are", "were"))
    ) or (words[0].low not in WH_WORDS | PREPOSITIONS and before):
        return None
    draft = PlanDraft([*known])
    before, after = as_singular(before), as_singular(after[:1]) + after[1:]
    measure = Measure(before, after, "common", " ".join(word.low for word in before[1:-1]))
    operands = tuple(measure.ask((option,), draft) for option in options)
    return draft.plan(
        "comparison", Combination(comparator="common", operands=operands, options=tuple(o.text for o in options))
    )
