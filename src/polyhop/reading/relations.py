"""Relations that questions often ask for: how questions word them, and what stands around their values in texts.

A relation that is missing here loses no question, only precision: the cross-encoder then has to judge alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from polyhop.reading.answer_type import AnswerType
from polyhop.reading.lexicon import FUNCTION_WORDS, TITLE_NOUNS, WH_WORDS, word_set

Kind = AnswerType | Literal["role"]  # a role is what somebody is said to be, as in "is a Danish painter"

# A few words that are no name, then the value: "married the Icelandic artist" Nína.
_DEMONYM: Final = r"[A-Z]\w*(?:ian|ean|ish|ese|can|ch|eek|ss)(?:-born)?"
_STYLE: Final = r"Sir|Lord|Lady|Dame|King|Queen|Count|Countess|Duke|Emperor|Professor|Dr"
_GAP: Final = rf"(?:[\W_]+(?:[a-z0-9][\w'’-]*|{_DEMONYM}|{_STYLE})){{0,6}}?\W*$"
_NEAR: Final = r"(?:\W+(?:the|a|an|his|her|their|was|is|were|are|to|named|called))*\W*$"
_ARTICLE: Final = r"(?: (?:the|his|her|an?)\b(?: \w+ (?:of|in|at))?)"
_DASH: Final = r"[–—-]"


@dataclass(frozen=True, slots=True)
class Relation:
    """What a question may ask of a thing.

    ``cues`` stand right before the value where a text is about the thing, the surest first; ``reverse`` right before
    the thing where a text is about the value. ``leads_on`` where the value is a thing that can be asked about in turn.
    """

    name: str
    kind: Kind
    plain: str  # the question in plain words, {} being the thing
    asked: re.Pattern[str]
    cues: tuple[re.Pattern[str], ...]
    reverse: tuple[re.Pattern[str], ...]
    leads_on: bool

    def question(self, thing: str) -> str:
        """The plain question of a thing."""
        return self.plain.format(thing)

    def cue(self, before: str) -> float:
        """How surely the value comes after these words, 0 to 1."""
        for rank, cue in enumerate(self.cues):
            if found := cue.search(before):
                return max(0.1, 1.0 - 0.08 * rank - 0.004 * (found.end() - found.start()))
        return 0.0

    def reversed(self, before: str) -> bool:
        """Whether, in a text about the value, the thing comes after these words."""
        return any(cue.search(before) for cue in self.reverse)


def _after(words: str, gap: str = _GAP) -> str:
    return rf"\b(?i:{words}){gap}"


def _by(words: str) -> str:
    return rf"\b(?i:{words})(?:,? (?:and )?\w+){{0,4}}? by{_GAP}"


def _in(words: str) -> str:
    return rf"\b(?i:{words})\b[^;]{{0,70}}?\b(?:in|at|near|to|from|of|for|by){_ARTICLE}?\W*$"


def _soon(words: str) -> str:
    return rf"\b(?i:{words})\b[^().;]{{0,60}}$"


def _relation(
    name: str,
    kind: Kind,
    plain: str,
    asked: str,
    cues: Iterable[str],
    reverse: Iterable[str] = (),
    *,
    leads_on: bool = False,
) -> Relation:
    compiled = [tuple(re.compile(pattern) for pattern in patterns) for patterns in (cues, reverse)]
    pattern = re.compile(rf"\b(?:{asked})\b", re.IGNORECASE)
    return Relation(name, kind, plain, pattern, compiled[0], compiled[1], leads_on)


def _kin(name: str, asked: str, cues: Iterable[str], reverse: Iterable[str]) -> Relation:
    plain = f"Who is the {name} of {{}}?"
    return _relation(name, AnswerType.PERSON, plain, asked, cues, reverse, leads_on=True)


def _maker(name: str, verbs: str, works: str) -> Relation:
    """Somebody by what they made: "directed by", "film by", "director"."""
    asked, plain = rf"{name}s?|{verbs}", f"Who is the {name} of {{}}?"
    cues = (_by(verbs), _after(name, _NEAR), rf"\b(?:{works})s?(?: \w+){{0,3}}? by{_GAP}")
    return _relation(name, AnswerType.PERSON, plain, asked, cues, (_after(verbs), _after(f"{name} of")), leads_on=True)


_OFFSPRING: Final = r"(?:son|daughter|child|children|heir|heiress)"
_PARENTS: Final = rf"(?:{_OFFSPRING}s? (?:of|to)|born to|parents (?:were|are|was)|marriage of|between)"
_SPOUSES: Final = (
    r"married(?: to)?|marries|marry|wed(?:ded)?(?: to)?|(?:wife|husband|spouse|widow|widower|consort)(?: of)?"
)
_SPOUSES_ALL: Final = rf"{_SPOUSES}|marriage (?:to|with)"
_SIBLINGS: Final = r"(?:brother|sister|sibling|twin)s?(?: of| to)?"
_PLACES: Final = r"(?:city|town|country|place|state|village|county)"
_BEGUN: Final = "founded|founding|established|formed|started|opened|created|built|completed|launched|begun|began"
_YEAR: Final = r"(?:year|month|day|date)"
_IS_A: Final = r"\b(?:is|was|are|were|became) (?:an?|the|one of the)\b"

_KIN_RELATIONS: Final = (
    _kin(
        "father",
        "father|dad",
        (
            rf"(?<!, ){_after(rf'{_OFFSPRING}s? of')}",
            _after("father", _NEAR),
            _after("born to|parents (?:were|are|was)|fathered by"),
            _after(_PARENTS),
        ),
        (_after("father of"), _after(rf"(?:his|eldest|elder|younger|only|second|first) (?:\w+ )?{_OFFSPRING}", _NEAR)),
    ),
    _kin(
        "mother",
        "mother|mum|mom",
        (
            rf"(?<!, )\b(?i:{_PARENTS}) .{{3,90}}?\b(?:and|by|with)\b{_GAP}",
            _after("mother", _NEAR),
            rf"\b(?:by|and) her{_NEAR}",
        ),
        (_after("mother of"), _after(rf"her (?:\w+ )?{_OFFSPRING}", _NEAR)),
    ),
    _kin(
        "spouse",
        r"spouse|wife|husband|partner|marr(?:y|ied)(?: to)?|widow|widower",
        (_after(_SPOUSES_ALL),),
        (_after(_SPOUSES_ALL),),
    ),
    _kin(
        "child",
        "child|son|daughter|children",
        (_after(rf"(?:his|her|their) (?:\w+ )?{_OFFSPRING}s?", _NEAR), _after("(?:father|mother|parent) of")),
        (_after(rf"{_OFFSPRING}s? of"),),
    ),
    _kin("sibling", "sibling|brother|sister", (_after(_SIBLINGS),), (_after(_SIBLINGS),)),
)
_MAKERS: Final = (
    _maker("director", "directed", "film|drama|comedy|direction|documentary|western|thriller"),
    _maker("composer", "composed|music|score|scored|soundtrack|songs", "music|score|opera"),
    _maker("performer", "performed|recorded|sung|sang|released|singer", "song|single|album|track|hit"),
    _maker("author", "wrote|written|writer|authored", "novel|book|story|play|poem|memoir"),
    _maker("screenwriter", "screenplay|script|scriptwriter", "written"),
    _maker("producer", "produced", "production"),
    _maker("founder", "who founded|founded by|co-founded|established by|started by", "founded|established"),
    _maker(
        "creator", "created by|who created|designed|designer|invented|inventor|developed by", "design|sculpture|series"
    ),
)
_BIRTH: Final = (
    _relation(
        "date of birth",
        AnswerType.DATE,
        "When was {} born?",
        rf"date of birth|birth ?date|birthday|when (?:was|were|is) .*\bborn|what {_YEAR} (?:was|were) .* born",
        (r"\(\s*(?:(?:née|nee|born|b\.)[^()\d]*)?[^()\d]{0,30}$", r"\b[Bb]orn\b[^()\d;]{0,60}$"),
    ),
    _relation(
        "date of death",
        AnswerType.DATE,
        "When did {} die?",
        rf"date of death|when did .*\bdie|when was .* (?:death|killed)|what {_YEAR} did .* die",
        (
            rf"\([^()]*\d{{3,4}}[^()]*?(?:{_DASH}|to)[^()\d]*$",
            r"\b(?:[Dd]ied|[Dd]eath|killed|executed)[^()\d]{0,40}$",
            r"[†(]\s*d\.\s*$",
        ),
    ),
    _relation(
        "place of birth",
        AnswerType.PLACE,
        "Where was {} born?",
        rf"(?:place|city|town|country) of birth|birth ?place|(?:where|(?:what|which) {_PLACES}) .*\bborn|hometown",
        (
            r"\b[Bb]orn\b[^;]{0,70}?\b(?:in|at|near)(?: the \w+ of)?\W*$",
            r"\([^()–—]*\d{4},? ?(?:in |at )?$",
            r"\(\s*(?:born )?(?:in |at )?$",
            r"\b[Bb]orn\b[^();]{0,40}\d{4}, ?$",
            _after(r"(?:raised|grew up) (?:in|near)|native of|hails from|from"),
        ),
    ),
    _relation(
        "place of death",
        AnswerType.PLACE,
        "Where did {} die?",
        rf"place of death|death ?place|where (?:did|was) .*\b(?:die|killed)|(?:what|which) {_PLACES} did .*\bdie",
        (
            rf"\([^()]*\d{{3,4}}[^()]*{_DASH}[^()]*\d{{3,4}},? ?(?:in |at )?$",
            rf"\([^()]*\d[^()]*\s{_DASH}\s*(?:[A-Z][\w ]+, )?$",
            _in("died|death|killed|executed|assassinated|murdered"),
        ),
    ),
    _relation(
        "place of burial",
        AnswerType.PLACE,
        "Where is {} buried?",
        "place of burial|burial place|buried|resting place|interred",
        (_in("buried|interred|entombed|burial|tomb|grave|remains"),),
    ),
)
_ATTRIBUTES: Final = (
    _relation(
        "nationality",
        AnswerType.NATIONALITY,
        "What is the nationality of {}?",
        r"nationality|citizenship|(?:what|which) country .*\bfrom|citizen of",
        (rf"{_IS_A}\W*(?:\w+ ){{0,2}}$", r"\bborn\b.{0,60}\bin\b.{0,40}$"),
    ),
    _relation(
        "occupation",
        "role",
        "What is the occupation of {}?",
        "occupation|profession|do for a living",
        (rf"{_IS_A}.{{0,60}}$",),
    ),
    _relation(
        "alma mater",
        AnswerType.ORGANISATION,
        "Where did {} study?",
        r"graduated?(?: from)?|alma mater|educated|stud(?:y|ied)(?: at)?|(?:university|college|school) .*\battend",
        (
            _in(r"educated|graduat(?:ed|e|ing)|attended|stud(?:ied|ies|ying|ent)|alumn\w+|degree|enrolled|entered"),
            _after("attended|entered"),
        ),
    ),
    _relation(
        "workplace",
        AnswerType.ORGANISATION,
        "Where does {} work?",
        "work(?:s|ed)? (?:at|for)|employer|employed",
        (
            _in(r"professor|work(?:s|ed|ing)?|taught|teach(?:es|er|ing)?|employed|lecturer|fellow|faculty"),
            _after("joined"),
        ),
    ),
    _relation(
        "award",
        AnswerType.THING,
        "Which award did {} win?",
        r"(?:which|what) (?:\w+ )?(?:awards?|prize|honou?r)",
        (_after("won|received|awarded|recipient of|winner of|earned"),),
    ),
    _relation(
        "cause of death",
        AnswerType.THING,
        "What did {} die of?",
        "cause of .*death|(?:why|how) did .* die|die (?:of|from)",
        (_in("died|death|succumbed"),),
    ),
    _relation(
        "release date",
        AnswerType.DATE,
        "When was {} released?",
        r"(?:when|what year|date) .*\b(?:released?|publi\w+|premiered?|aired?|come out)",
        (_soon("released?|premiered?|published|aired|broadcast"), rf"{_IS_A}\W*(?:\w+ ){{0,3}}$", r"\(\s*$"),
    ),
    _relation(
        "founding date",
        AnswerType.DATE,
        "When was {} founded?",
        rf"(?:when|what year|date) .*\b(?:{_BEGUN})",
        (
            _soon(rf"{_BEGUN}|since|dates (?:back )?to"),
            r"\(\s*(?:est\. )?$",
        ),
    ),
)

RELATIONS: Final = (*_KIN_RELATIONS, *_MAKERS, *_BIRTH, *_ATTRIBUTES)
BY_NAME: Final = {relation.name: relation for relation in RELATIONS}

_FAMILY: Final = {
    "grandfather": ("parent", "father"),
    "grandmother": ("parent", "mother"),
    "father-in-law": ("spouse", "father"),
    "mother-in-law": ("spouse", "mother"),
    "brother-in-law": ("spouse", "sibling"),
    "sister-in-law": ("spouse", "sibling"),
    "sibling-in-law": ("spouse", "sibling"),
    "child-in-law": ("child", "spouse"),
    "son-in-law": ("child", "spouse"),
    "daughter-in-law": ("child", "spouse"),
    "uncle": ("parent", "sibling"),
    "aunt": ("parent", "sibling"),
    "nephew": ("sibling", "child"),
    "niece": ("sibling", "child"),
    "grandchild": ("child", "child"),
    "grandson": ("child", "child"),
    "granddaughter": ("child", "child"),
    "stepmother": ("father", "spouse"),
    "stepfather": ("mother", "spouse"),
}
_SIDES: Final = {"maternal": "mother", "paternal": "father"}
_RELATIVES: Final = re.compile(
    rf"\b(?:(?P<side>maternal|paternal)\s+)?(?P<kin>{'|'.join(sorted(_FAMILY, key=len, reverse=True))})\b",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_IDLE: Final = FUNCTION_WORDS | TITLE_NOUNS | WH_WORDS | word_set("place date name year city country town person")


@dataclass(frozen=True, slots=True)
class Path:
    """What a question starts from, and the relations that lead from there to its answer, in order."""

    start: str
    relations: tuple[Relation, ...]


def path_of(question: str, names: Sequence[tuple[int, int]]) -> Path | None:
    """A question as relations that lead from one of its names to the answer; None if it says more than that.

    ``names``: where names stand in the question. Words in them are no relations.
    """
    if not names:
        return None
    begin, end = max(names, key=lambda place: (place[1] - place[0], -place[0]))
    hidden = _without(question, names)
    final = asked_relation(question, names)
    steps: list[tuple[int, tuple[Relation, ...]]] = []
    for match in _RELATIVES.finditer(hidden):
        steps.append((_distance(match, begin, end), _family(match)))
        hidden = _without(hidden, [match.span()])
    for relation in RELATIONS:
        named = relation.asked.search(hidden) if relation.leads_on else None
        if named:
            steps.append((_distance(named, begin, end), (relation,)))
            hidden = _without(hidden, [named.span()])
    if final is not None:
        hidden = final.asked.sub(" ", hidden)
    steps.sort(key=lambda step: step[0])
    relations = [relation for _, path in steps for relation in path] + ([final] if final else [])
    rest = [word for word in _WORD.findall(hidden.replace("\0", " ")) if word.lower() not in _IDLE and len(word) > 2]
    return Path(question[begin:end], tuple(relations)) if relations and len(rest) < 2 else None


def asked_relation(question: str, names: Sequence[tuple[int, int]]) -> Relation | None:
    """The relation that a question ends in, such as the place of birth, whatever else it says."""
    hidden = _without(question, names)
    return next((relation for relation in RELATIONS if not relation.leads_on and relation.asked.search(hidden)), None)


def _without(text: str, places: Iterable[tuple[int, int]]) -> str:
    for start, end in places:
        text = text[:start] + "\0" * (end - start) + text[end:]
    return text


def _distance(match: re.Match[str], begin: int, end: int) -> int:
    return begin - match.end() if match.end() <= begin else match.start() - end


def _family(match: re.Match[str]) -> tuple[Relation, Relation]:
    first, second = _FAMILY[match["kin"].lower()]
    side = _SIDES.get((match["side"] or "").lower(), "father")
    return BY_NAME[side if first == "parent" else first], BY_NAME[second]
