"""English verb forms, as far as turning a statement into a question needs them."""

from __future__ import annotations

import re
from typing import Final

from polyhop.english.words import word_set

# The base form and the forms of the past that no rule gives.
_IRREGULAR: Final = (
    "be was were been|have had|do did done|go went gone|say said|make made|take took taken|come came|see saw seen|"
    "get got gotten|know knew known|think thought|give gave given|find found|tell told|become became|leave left|"
    "feel felt|bring brought|begin began begun|keep kept|hold held|write wrote written|stand stood|hear heard|"
    "mean meant|meet met|run ran|pay paid|sit sat|speak spoke spoken|lie lay|lead led|grow grew grown|lose lost|"
    "fall fell fallen|send sent|build built|understand understood|draw drew drawn|break broke broken|spend spent|"
    "rise rose risen|drive drove driven|buy bought|wear wore worn|choose chose chosen|win won|teach taught|"
    "eat ate eaten|drink drank drunk|sing sang sung|swim swam swum|fly flew flown|forget forgot forgotten|"
    "catch caught|fight fought|sell sold|seek sought|sleep slept|ride rode ridden|steal stole stolen|strike struck|"
    "throw threw thrown|wake woke woken|shoot shot|shake shook shaken|hide hid hidden|hang hung|freeze froze frozen|"
    "lend lent|deal dealt|dream dreamt|learn learnt|bear bore born|bind bound|blow blew blown|"
    "breed bred|feed fed|flee fled|forgive forgave forgiven|overcome overcame|undergo underwent undergone|"
    "withdraw withdrew withdrawn|undertake undertook undertaken|arise arose arisen|dig dug|light lit|slide slid|"
    "stick stuck|swing swung|tear tore torn|spring sprang sprung|sink sank sunk|ring rang rung|shrink shrank|"
    "swear swore sworn|sweep swept|weave wove woven|oversee oversaw overseen|agree agreed|free freed|"
    "rebuild rebuilt|mistake mistook mistaken|forbid forbade forbidden|foresee foresaw foreseen|bid bade bidden|"
    "forego forewent|partake partook partaken|retell retold|repay repaid|resell resold|rewrite rewrote rewritten|"
    "remake remade|rerun reran|uphold upheld|withhold withheld|withstand withstood|behold beheld|befall befell|"
    "beget begot begotten|bend bent|bite bit bitten|bleed bled|cling clung|creep crept|cleave clove|fling flung|"
    "grind ground|kneel knelt|lay laid|leap leapt|lean leant|leave left|mislead misled|outdo outdid outdone|"
    "outgrow outgrew outgrown|overhear overheard|oversleep overslept|overtake overtook overtaken|"
    "overthrow overthrew overthrown|redo redid redone|saw sawn|sew sewn|shear shorn|shine shone|shoe shod|"
    "show shown|sling slung|slink slunk|smell smelt|sow sown|spell spelt|spill spilt|spin spun|spit spat|spoil spoilt|"
    "stink stank stunk|stride strode stridden|string strung|strive strove striven|swell swollen|thrive throve|"
    "tread trod trodden|undo undid undone|unwind unwound|wind wound|wring wrung|weep wept|burn burnt|"
    "foretell foretold|misunderstand misunderstood|inlay inlaid|waylay waylaid|mow mown|prove proven|slay slew slain|"
    "forsake forsook forsaken|heave hove|awake awoke awoken|arise arose arisen|broadcast broadcast|cost cost"
)
_BASES: Final = {past: forms.split()[0] for forms in _IRREGULAR.split("|") for past in forms.split()[1:]}
_PARTICIPLES: Final = frozenset(
    form
    for forms in _IRREGULAR.split("|")
    for form in forms.split()[2:]
    if form.endswith("n") or form in ("gone", "done")
)
_UNCHANGING: Final = frozenset({"put", "set", "cut", "hit", "shut", "spread", "quit", "cast", "split", "read"})
_KNOWN: Final = frozenset(forms.split()[0] for forms in _IRREGULAR.split("|"))
_THIRD: Final = {"has": "have", "does": "do", "goes": "go", "is": "be", "dies": "die", "lies": "lie", "ties": "tie"}
_SINGULAR: Final = {"have": "has", "do": "does", "go": "goes", "be": "is", "am": "is", "are": "is", "were": "was"}
_DOUBLED: Final = re.compile(r"([bdgkmnprtv])\1$")
_ENDS_IN_E: Final = re.compile(
    r"(?:[cgsuvz]|[bcdfgkptz]l|[^aeiou][aiou][cgkmpsuvz]|[^aeiou]i[dlnt]|(?<!a)ir|ea[sv]|[^aeiou]u[dlnrt]|[^aeiou]o[dr]|yp|"
    r"[^aeo]at|[^aeiou]ot|[bhlpr]ar|[clms]ar|[dmnrsvz]id|[mnrtl]ak|^creat|plet|pet|quot|guid|typ)$"
)
_NO_E: Final = word_set(
    "monitor honor favor author sponsor tutor labor anchor mirror color honour "
    "visit limit edit benefit profit exhibit inherit happen open listen offer answer enter suffer host press pass "
    "discuss guess miss kiss focus cover deliver discover remember consider gather order cross dress process access "
    "develop gallop stop help focus bus gas explain contain gain join sign design assign enjoy appear cook look "
    "book hook work walk talk ask mark park thank link rank pack pick kick check track wreck credit audit recruit "
    "wait await treat beat heat repeat cheat seat meet greet defeat need feed read lead head spread end attend "
    "shoot boot loot root float coat boil fail sail mail hail feel heal reveal steal deal peel appeal pool cool "
    "chair repair pair premier belong prolong throng long focus bias canvas chorus "
    "fool address possess express stress obsess witness harness bless impress confess finish"
)
_VOWEL: Final = re.compile(r"[aeiouy]")
_SHORT: Final = 2  # letters of the shortest stem of a past form


_SPARED: Final = 6  # letters of a stem whose doubled l is no part of it: *travelled*, but *spelled*


def base_of(form: str) -> str:
    """The base form of a verb as it is written: *went* gives *go*, *baked* gives *bake*; best effort, never fails."""
    low = form.lower()
    if low in _KNOWN:
        return low
    if low in _BASES:
        return _BASES[low]
    if low in _THIRD:
        return _THIRD[low]
    if is_past(low):
        return _without_ed(low)
    if low.endswith("s") and not low.endswith(("ss", "us", "is")) and len(low) > _SHORT:
        return _without_s(low)
    return low


def is_past(form: str) -> bool:
    """Whether a verb stands in the past, or is a past participle."""
    low = form.lower()
    if low in _BASES:
        return True
    ends = low.endswith("ed") and len(low) > _SHORT + 1 and not low.endswith("eed")
    return ends and _VOWEL.search(low[:-2]) is not None


def is_participle(form: str) -> bool:
    """Whether a verb can be nothing but a past participle: *known*, *written*."""
    return form.lower() in _PARTICIPLES


def is_unchanging(form: str) -> bool:
    """Whether a verb has the same form in the past as in the present: *put*."""
    return form.lower() in _UNCHANGING


def is_third(form: str) -> bool:
    """Whether a verb is in the third person singular of the present."""
    low = form.lower()
    return low in _THIRD or (low.endswith("s") and not low.endswith(("ss", "us", "is")) and not is_past(low))


def third_of(form: str) -> str:
    """The third person of a verb that is said of me or you: *love* gives *loves*; the past stays as it is."""
    low = form.lower()
    if low in _SINGULAR:
        return _SINGULAR[low]
    if is_past(low) or is_third(low) or low.endswith("ing"):
        return form
    if low.endswith(("s", "x", "z", "ch", "sh")):
        return form + "es"
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return form[:-1] + "ies"
    return form + "s"


def _without_s(low: str) -> str:
    if low.endswith("es") and low[:-2] in _NO_E:
        return low[:-2]
    if low.endswith("ies"):
        return low[:-3] + "y"
    if low.endswith(("sses", "xes", "ches", "shes", "zzes")):
        return low[:-2]
    return low[:-1]


def _without_ed(low: str) -> str:
    stem = low[:-2]
    if stem in _NO_E:
        return stem
    if stem in ("controll", "patroll"):
        return stem[:-1]
    if stem.endswith("i"):
        return stem[:-1] + "y" if len(stem) > _SHORT else stem + "e"
    doubled = _DOUBLED.search(stem)
    if doubled is not None:
        return stem[:-1] if stem not in ("add", "err") else stem
    if stem.endswith("ell") and len(stem) >= _SPARED:
        return stem[:-1]
    return stem + "e" if _ENDS_IN_E.search(stem) else stem
