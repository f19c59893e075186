"""Relations that questions often ask for: how questions word them, and what stands around their values in texts.

A relation that is missing here loses no question, only precision: the cross-encoder then has to judge alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from polyhop.english.answer_type import AnswerType
from polyhop.english.words import FUNCTION_WORDS, OFFICES, TITLE_NOUNS, is_agent, word_set

Kind = AnswerType | Literal["role"]  # a role is what somebody is said to be, as in "is a Danish painter"

# A few words that are no name, then the value: "married the Icelandic artist" Nína.
_DEMONYM: Final = r"[A-Z]\w*(?:ian|ean|ish|ese|can|ch|eek|ss)(?:-born)?"
_STYLE: Final = rf"Sir|Lord|Lady|Dame|King|Queen|Count|Countess|Duke|Emperor|{'|'.join(OFFICES)}"
_GAP: Final = rf"(?:[\W_]+(?:[a-z0-9][\w'’-]*|{_DEMONYM}|{_STYLE})){{0,6}}?\W*$"
_LINKED: Final = r"(?:\W+(?:the|a|an|his|her|their|was|is|were|are|to|named|called))*"
_NEAR: Final = rf"{_LINKED}(?:\s+(?:the|an?)(?:\s+[a-z-]+){{1,3}})?\W*$"  # "was", "was the ropemaker"
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


def _of(noun: str) -> str:
    return rf"\b(?i:{noun})s? (?:of|at|for|to) [^.;]{{1,60}}?(?:,| (?:was|is|were|are)){_NEAR}"


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
    cues = (_by(verbs), _after(name, _NEAR), _of(name), rf"\b(?:{works})s?(?: \w+){{0,3}}? by{_GAP}")
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
    _maker("founder", "founded|co-founded|established|started|set up", "established"),
    _maker("creator", "created|designed|designer|invented|inventor|developed|devised", "design|sculpture|series"),
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


_AGENT: Final = re.compile(r"(?:er|or|r|ist|ian|e)$")
_IRREGULAR: Final = {
    "builder": "buil", "maker": "ma[dk]", "teacher": "teach|taught", "singer": "s[aiu]ng", "leader": "le(?:a)?d",
    "writer": "writ|wrote", "holder": "h[eo]ld",
}  # fmt: skip
_STEM: Final = 4  # letters by which the wordings of one relation are told
_WORD: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_IDLE: Final = FUNCTION_WORDS | TITLE_NOUNS | word_set("place date name year city country town person")


@cache
def relation_of(noun: str) -> Relation | None:
    """The relation that a noun names: one of the table, or somebody by a role, such as "captain" or "discoverer"."""
    known = next((relation for relation in RELATIONS if relation.leads_on and relation.asked.fullmatch(noun)), None)
    if known is not None or not is_agent(noun):
        return known
    verb = rf"(?:{_IRREGULAR.get(noun, re.escape(_AGENT.sub('', noun)))})\w*"
    cues = (_after(f"{noun}s?", _NEAR), _by(verb), _of(noun), _after(f"{noun}s?"))
    reverse = (_after(f"{noun} (?:of|at|for|to)"), _after(verb))
    return _relation(noun, AnswerType.PERSON, f"Who is the {noun} of {{}}?", noun, cues, reverse, leads_on=True)


def without(text: str, places: Iterable[tuple[int, int]]) -> str:
    """A text in which some places are blanked with NUL, so that words in them count as nothing."""
    for start, end in places:
        text = text[:start] + "\0" * (end - start) + text[end:]
    return text


def asked_relation(question: str, names: Sequence[tuple[int, int]]) -> Relation | None:
    """The relation that a question ends in, such as the place of birth, whatever else it says."""
    hidden = without(question, names)
    return next((relation for relation in RELATIONS if not relation.leads_on and relation.asked.search(hidden)), None)


def sole_relation(question: str, names: Sequence[tuple[int, int]]) -> tuple[Relation, str] | None:
    """The relation and the thing, where a question asks for a relation of a thing that it names and says no more."""
    if not names:
        return None
    start, end = max(names, key=lambda place: (place[1] - place[0], -place[0]))
    hidden = without(question, names)
    relation = asked_relation(question, names)
    if relation is None:
        relation = next((one for one in map(relation_of, _WORD.findall(hidden.lower())) if one is not None), None)
    if relation is None:
        return None
    wording = {stem[:_STEM] for stem in re.findall(r"[a-z]{3,}", relation.asked.pattern.replace(r"\b", " "))}
    words = [word.lower() for word in _WORD.findall(hidden.replace("\0", " ")) if len(word) > 2]
    idle = all(word in _IDLE or word[:_STEM] in wording for word in words)
    return (relation, question[start:end]) if idle else None
