"""Questions about two events: which came first, whether one came before the other, how long it was between them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final, Literal

from polyhop.english.dates import MONTHS, Date
from polyhop.english.people import with_names
from polyhop.english.statements import COMPLEMENTED, EVENT_NOUNS, WHEN, doing, is_noun_event, stated
from polyhop.english.words import word_set
from polyhop.reading.comparison import NUMBERS

Kind = Literal["order", "first", "interval"]
Relation = Literal["before", "after", "either"]
Comparison = Literal["", "more", "less", "at least", "at most"]

UNITS: Final = {
    "minute": 1 / 1440,
    "hour": 1 / 24,
    "day": 1.0,
    "week": 7.0,
    "fortnight": 14.0,
    "month": 30.44,
    "year": 365.25,
}
"""Days of each unit of time."""

_AUXILIARY: Final = re.compile(r"(did|do|does|was|were|is|are|has|have|had)\s+(?=\S)", re.IGNORECASE)
_LABEL: Final = re.compile(r"^(?:question|q)\s*\d*\s*[:.]\s*", re.IGNORECASE)
_MONTH: Final = rf"(?:{'|'.join(MONTHS)})"
_DATED: Final = (
    r"(?:the month of\s+)?(?:(?P<day>\d{1,2})(?:st|nd|rd|th)?(?: of)?\s+)?"
    rf"(?:(?P<month>{_MONTH})\s*(?:of\s+)?)?(?P<year>\d{{4}})?"
)
_ASIDE: Final = re.compile(
    rf"\(\s*(?:[a-z ,]*?\b)?(?:within|in|to|during|on|from|for)\s+{_DATED}\s*(?:only)?\s*\)", re.IGNORECASE
)
_AHEAD: Final = re.compile(rf"^(?:in|during|within|on)\s+{_DATED}\s*,\s*", re.IGNORECASE)
_CONNECTIVE: Final = re.compile(
    r",?\s+(?P<word>(?:some time |sometime |any time |shortly |long |right )?(?:before|after)|prior to|earlier than"
    r"|later than|sooner than|precede|follow|preceding|following|when|by the time)\s+",
    re.IGNORECASE,
)
_EARLY: Final = ("before", "prior to", "earlier than", "sooner than", "precede", "preceding", "when", "by the time")
_EITHER: Final = re.compile(r"\b(?:before or (?:was it )?after|after or (?:was it )?before)\b", re.IGNORECASE)
_OCCURS: Final = re.compile(
    r"\s+(?:first\s+)?(?:occur|happen|take place|come|come about|start|begin|go on|be held|held|take|made|sent)"
    r"(?:red|ed)?\s*$",
    re.IGNORECASE,
)
_NESTED: Final = re.compile(r"\b(?:that|whether|if|how|what|why|because|who|which|where|when)\b", re.IGNORECASE)
_MODAL: Final = word_set("can could will would may might must shall should is was are were does did has had")
_COUNT: Final = rf"(?P<count>\d+(?:\.\d+)?|an?|half an?|a couple of|a few|one and a half|{'|'.join(NUMBERS[1:])})"
_AMOUNT: Final = re.compile(
    r"\s*\b(?:by\s+)?(?P<how>not? (?:more|less|fewer) than|(?:more|less|fewer|greater|longer|shorter|larger) than"
    r"|at least|at most|over|under|within|exceed(?:ing|s)?)\s+"
    rf"{_COUNT}\s+(?:full\s+|whole\s+)?(?P<unit>minute|hour|day|week|fortnight|month|year)s?\b(?:['’]\s+time)?",
    re.IGNORECASE,
)
_COUNTS: Final = {word: float(count) for count, word in enumerate(NUMBERS)} | {
    "a": 1.0, "an": 1.0, "half a": 0.5, "half an": 0.5, "one and a half": 1.5, "a couple of": 2.0, "a few": 3.0,
}  # fmt: skip
_HOWS: Final[tuple[tuple[str, Comparison], ...]] = (
    ("no more", "at most"), ("not more", "at most"), ("no less", "at least"), ("not less", "at least"),
    ("no fewer", "at least"), ("not fewer", "at least"), ("at least", "at least"), ("at most", "at most"),
    ("within", "at most"), ("more", "more"), ("greater", "more"), ("longer", "more"), ("larger", "more"),
    ("over", "more"), ("exceed", "more"), ("", "less"),
)  # fmt: skip
_HOW_LONG: Final = re.compile(
    r"\bhow (?:many (?P<unit>minute|hour|day|week|month|year)s|much time|long)\b(?P<rest>.*)", re.IGNORECASE | re.DOTALL
)
_BETWEEN: Final = re.compile(r"\bbetween\s+(?=\S)", re.IGNORECASE)
_FROM: Final = re.compile(r"\bfrom\s+(?=\S)", re.IGNORECASE)
_AND: Final = re.compile(r",?\s+and\s+(?:then\s+)?", re.IGNORECASE)
_TO: Final = re.compile(r",?\s+(?:to|until|till)\s+", re.IGNORECASE)
_FIRST: Final = re.compile(
    r"^(?:which|what)\b(?P<of>(?:\s+(?!(?:came|happened|occurred|took|was|is|did)\b)[\w'’]+){0,6}?)\s+"
    r"(?:came|happened|occurred|took place|was|is|did\s+(?P<who>.+?)\s+do)\s+(?:the\s+)?"
    r"(?P<when>first|earlier|earliest|sooner|later|last|latest|second)\b(?:\s+(?:event|one))?\s*[,:;]?\s+"
    r"(?P<options>.+)$",
    re.IGNORECASE,
)
_DID_FIRST: Final = re.compile(
    r"^(?:did|was)\s+(?P<options>.+?)\s+(?:come|happen|occur|take place)\s+(?P<when>first|last)$", re.IGNORECASE
)
_OR: Final = re.compile(r",?\s+or\s+(?:was it\s+|did\s+)?", re.IGNORECASE)
_OBLIQUE: Final = re.compile(r"(him|his|her|them|their)(?=\s+\w+ing\s+\w)", re.IGNORECASE)
_EARLIEST: Final = ("first", "earlier", "earliest", "sooner")


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedEvents:
    """Two events that a question asks to compare, each as a statement of its own, and what it asks about them."""

    kind: Kind
    first: str  # as the question names them, in this order
    second: str
    relation: Relation = "before"  # of the first to the second; of kind first, before where the earlier is asked for
    comparison: Comparison = ""  # of an interval with the limit; nothing where its length is asked
    limit: float = 0.0  # in days
    unit: str = "day"  # in which a length is asked
    within: Date = (0, 0, 0)  # year, month and day to which the question restricts both, 0 where it does not
    names: tuple[str, str] = ("", "")  # the events as the question writes them
    otherwise: str = ""  # the second with its pronouns the other way round, where it cannot be told


def asked_events(question: str) -> AskedEvents | None:
    """The two events whose order or distance in time a question asks for; None for any other question."""
    text = _LABEL.sub("", " ".join(question.split())).rstrip(" ?.!")
    text, within = _restricted(text)
    text = text.rstrip(" ?.!,")
    asked = _first(text) or _interval(text) or _order(text)
    return replace(asked, within=within) if asked is not None else None


def _restricted(text: str) -> tuple[str, Date]:
    """The question without "(restrict your search within August)", and the date to which that restricts it."""
    match = _ASIDE.search(text) or _AHEAD.search(text)
    parts = {key: value for key, value in match.groupdict().items() if value} if match else {}
    if match is None or not parts or set(parts) == {"day"}:
        return text, (0, 0, 0)
    month = [name.lower() for name in MONTHS].index(parts["month"].lower()) + 1 if "month" in parts else 0
    date = (int(parts.get("year", 0)), month, int(parts.get("day", 0)))
    return " ".join((text[: match.start()] + " " + text[match.end() :]).split()), date


def _order(text: str) -> AskedEvents | None:
    """``Did A ask B for X before she told him Y``; before, after, or which of the two."""
    opening = _AUXILIARY.match(text)
    if opening is None:
        return None
    if opening[1].lower() in ("was", "is") and (turned := re.match(r"(?:it )", text[opening.end() :])):
        return _turned(text[opening.end() + turned.end() :])
    body = text[opening.end() :]
    either = _EITHER.search(body)
    if either is not None:
        body = body[: either.start()] + "before" + body[either.end() :]
    found = _split(body, opening[1])
    if found is None:
        return None
    left, word, right = found
    relation: Relation = "either" if either else "before" if word.endswith(_EARLY) else "after"
    return _two("order", left, right, relation=relation, auxiliary=opening[1].lower())


def _turned(text: str) -> AskedEvents | None:
    """``Was it before or after A asked B for X that she told him Y``."""
    either = _EITHER.match(text)
    word = either or re.match(r"(?:before|after)\b", text, re.IGNORECASE)
    clauses = re.split(r",?\s+that\s+", text[word.end() :].strip()) if word else []
    for at in range(len(clauses) - 1, 0, -1):
        earlier, later = " that ".join(clauses[:at]), " that ".join(clauses[at:])
        if word and _worth(earlier) == 0 and _worth(later) == 0:
            relation: Relation = "either" if either else "before" if word[0].lower() == "before" else "after"
            return _two("order", later, earlier, relation=relation)
    return None


def _split(body: str, auxiliary: str) -> tuple[str, str, str] | None:
    """What stands before and after the word that orders two events: the most clause-like of those after it decides."""
    best: tuple[tuple[int, bool, int], tuple[str, str, str]] | None = None
    for match in _CONNECTIVE.finditer(body):
        left, right, word = body[: match.start()], body[match.end() :], match["word"].lower()
        occurs = _OCCURS.search(left)
        noun = is_noun_event(left[: occurs.start()] if occurs else left, any_noun=occurs is not None)
        if word in ("when", "by the time") and not (auxiliary.lower() == "had" and " already " in f" {left} "):
            continue
        if word in ("precede", "follow", "preceding", "following") and not noun:
            continue
        worth = _worth(_spelled(right, left), any_noun=noun)
        if worth is None or (not noun and doing(left, base=True) is None):
            continue
        nested = _NESTED.search(left) is not None
        key = (worth, nested, -match.start() if nested else match.start())
        if best is None or key < best[0]:
            best = key, (left, word, right)
    return best[1] if best else None


def _worth(text: str, *, any_noun: bool = False) -> int | None:
    """How surely a text tells an event: 0 a clause, 1 a noun such as discussion, 2 a gerund; None if it tells none."""
    text = WHEN.sub("", text)
    told = doing(text)
    if told is not None and told.subject and (told.form == "finite" or told.verb < len(told.words) - 1):
        return 0
    if is_noun_event(text, any_noun=any_noun):
        return 1
    if told is None or told.form != "gerund" or len(told.words) < 3:
        return None
    return None if any(word.lower() in _MODAL for word in told.words[1:4]) else 2


def _interval(text: str) -> AskedEvents | None:
    """``Is the time between A asking X and B telling Y more than 3 days``; ``How many days passed between ...``."""
    amount = _AMOUNT.search(text)
    if amount is not None and _AUXILIARY.match(text):
        rest = f"{text[: amount.start()]} {text[amount.end() :].strip()}"
        pair = _ends(rest) or _apart(text, amount)
        if pair is None:
            return None
        how = next(value for key, value in _HOWS if amount["how"].lower().startswith(key))
        limit = _number(amount["count"]) * UNITS[amount["unit"].lower()]
        return _two("interval", *pair, comparison=how, limit=limit, unit=amount["unit"].lower())
    asked = _HOW_LONG.match(text)
    if asked is None:
        return None
    pair = _ends(asked["rest"]) or _after(asked["rest"])
    return _two("interval", *pair, unit=(asked["unit"] or "day").lower()) if pair else None


def _number(text: str) -> float:
    low = text.lower()
    return _COUNTS[low] if low in _COUNTS else float(low)


def _ends(text: str) -> tuple[str, str] | None:
    """The events of "between X and Y" and "from X to Y": parted where both sides tell an event most surely."""
    for opening, joint in ((_BETWEEN, _AND), (_FROM, _TO)):
        for start in opening.finditer(text):
            rest = text[start.end() :]
            parted = []
            for match in joint.finditer(rest):
                sides = _subjective(rest[: match.start()]), _spelled(rest[match.end() :], rest[: match.start()])
                sides = sides[0], _subjective(sides[1])
                worths = [_worth(side, any_noun=True) for side in sides]
                if worths[0] is not None and worths[1] is not None:
                    parted.append((worths[0] + worths[1], match.start(), sides))
            if parted:
                return min(parted)[2]
    return None


def _apart(text: str, amount: re.Match[str]) -> tuple[str, str] | None:
    """The events of "Did A tell B Y more than 3 days after she asked him X"; the earlier is the first."""
    opening = _AUXILIARY.match(text)
    left = text[opening.end() if opening else 0 : amount.start()].strip()
    parted = re.match(r"(?:of|after|before)\s+", text[amount.end() :].strip(), re.IGNORECASE)
    right = _subjective(text[amount.end() :].strip()[parted.end() :]) if parted else ""
    left = _OCCURS.sub("", left)
    if (
        not parted
        or _worth(right, any_noun=True) is None
        or (doing(left, base=True) is None and not is_noun_event(left))
    ):
        return None
    left = stated(left, base=True)
    sides = left, _resolved(left, right)[0]
    return sides if parted[0].lower().startswith("before") else (sides[1], sides[0])


def _after(rest: str) -> tuple[str, str] | None:
    """The events of "How many days after A asked X did B tell Y"."""
    match = re.match(r"\s*(?P<word>after|before)\s+(?P<one>.+)\s(?:did|was|were)\s(?P<two>.+)$", rest, re.IGNORECASE)
    if match is None or _worth(match["one"], any_noun=True) is None or doing(match["two"], base=True) is None:
        return None
    other = _resolved(stated(match["one"]), stated(match["two"], base=True))[0]
    return (match["one"], other) if match["word"].lower() == "after" else (other, match["one"])


def _first(text: str) -> AskedEvents | None:
    """``Which came first, X or Y``, where X and Y are events: other things are compared by what they are."""
    match = _FIRST.match(text) or _DID_FIRST.match(text)
    if match is None:
        return None
    groups = match.groupdict()
    who = groups.get("who") or ""
    for joint in _OR.finditer(match["options"]):
        names = match["options"][: joint.start()], match["options"][joint.end() :]
        noun = next((word for word in (groups.get("of") or "").split() if word.lower() in EVENT_NOUNS), "")
        sides = [
            f"{who} {name}" if who else _spelled(name, f"the {noun} about" if noun else names[0]) for name in names
        ]
        told = [doing(side, base=True) is not None if who else _worth(side) is not None for side in sides]
        if all(told):
            relation: Relation = "before" if match["when"].lower() in _EARLIEST else "after"
            asked = _two("first", *sides, relation=relation, auxiliary="did" if who else "", bare=bool(who))
            return replace(asked, names=(names[0].strip(" ,"), names[1].strip(" ,")))
    return None


def _subjective(text: str) -> str:
    """A text in which "him asking" is "he asking": the pronoun stands for who does it."""
    match = _OBLIQUE.match(text)
    return {"hi": "he", "he": "she", "th": "they"}[match[1].lower()[:2]] + text[match.end() :] if match else text


def _spelled(text: str, other: str) -> str:
    """A text in which "the one about" and "that about" are called what the other event is."""
    match = re.match(r"(?:the one|that)\s+(?=\w+)", text, re.IGNORECASE)
    words = other.split()
    head = next((at for at, word in enumerate(words) if word.lower() in COMPLEMENTED), 0)
    return f"{' '.join(words[:head])} {text[match.end() :]}" if match and head and is_noun_event(other) else text


def _two(kind: Kind, left: str, right: str, *, auxiliary: str = "", bare: bool = False, **asked: object) -> AskedEvents:
    """Both events as statements, each with the names of the people whom the other names; ``bare``: both after "did"."""
    left = _OCCURS.sub("", left) if is_noun_event(_OCCURS.sub("", left), any_noun=True) else left
    first = stated(left, base=auxiliary in ("did", "do", "does"), auxiliary=auxiliary)
    first = first.replace(" already ", " ")
    second, otherwise = _resolved(first, _spelled(right, left), base=bare)
    if doing(first) is not None and first.split()[0].lower() in ("he", "she", "they"):
        first, _ = _resolved(second, first)
    return AskedEvents(
        kind=kind,
        first=first,
        second=second,
        otherwise=otherwise,
        names=(left.strip(), right.strip()),
        **asked,  # type: ignore[arg-type]
    )


def _resolved(named: str, text: str, *, base: bool = False) -> tuple[str, str]:
    """A clause as a statement, with the names of another in place of its pronouns; and the other way round."""
    clause, otherwise = with_names(WHEN.sub("", text.strip(" ,")), named)
    return stated(clause, base=base), stated(otherwise, base=base)
