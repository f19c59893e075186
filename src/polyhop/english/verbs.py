"""English verbs and their forms: of any verb by rule, and of those that questions are often asked with by heart."""

from __future__ import annotations

import re
from typing import Final

from polyhop.english.tables import table
from polyhop.english.words import AUXILIARIES, word_set

_IRREGULAR: Final = [forms.split() for forms in table("verbs")["irregular"].split("|")]
_BASES: Final[dict[str, str]] = {past: base for base, *pasts in _IRREGULAR for past in pasts}
_PARTICIPLES: Final = frozenset(
    form for forms in _IRREGULAR for form in forms[2:] if form.endswith("n") or form in ("gone", "done")
)
_PASTS: Final[dict[str, str]] = {base: pasts[0] for base, *pasts in _IRREGULAR} | {"beat": "beat", "let": "let"}
_DOUBLING: Final = word_set("occur permit plan refer star stop")
_UNCHANGING: Final = frozenset({"put", "set", "cut", "hit", "shut", "spread", "quit", "cast", "split", "read"})
_KNOWN: Final = frozenset(base for base, *_ in _IRREGULAR)
_THIRD: Final = {"has": "have", "does": "do", "goes": "go", "is": "be", "dies": "die", "lies": "lie", "ties": "tie"}
_SINGULAR: Final = {"have": "has", "do": "does", "go": "goes", "be": "is", "am": "is", "are": "is", "were": "was"}
_DOUBLED: Final = re.compile(r"([bdgkmnprtv])\1$")
_ENDS_IN_E: Final = re.compile(
    r"(?:[cgsuvz]|[bcdfgkptz]l|[^aeiou][aiou][cgkmpsuvz]|[^aeiou]i[dlnt]|(?<!a)ir|ea[sv]|[^aeiou]u[dlnrt]|[^aeiou]o[dr]|yp|"
    r"[^aeo]at|[^aeiou]ot|[bhlpr]ar|[clms]ar|[dmnrsvz]id|[mnrtl]ak|^creat|plet|pet|quot|guid|typ)$"
)
_NO_E: Final = word_set(table("verbs")["without_e"])
_VOWEL: Final = re.compile(r"[aeiouy]")
_SHORT: Final = 2  # letters of the shortest stem of a past form
_SPARED: Final = 6  # letters of a stem whose doubled l is no part of it: *travelled*, but *spelled*

_ASKED: Final = word_set(table("verbs")["known"])
"""The verbs that questions are often asked with."""

_FORMS: Final = {
    form: base for form, base in _BASES.items() if form != base and (base in _ASKED or base in ("be", "do", "go"))
} | {
    "is": "be", "are": "be", "has": "have", "does": "do", "goes": "go", "dying": "die", "beaten": "beat",
    "co-wrote": "co-write", "co-written": "co-write",
}  # fmt: skip
"""Irregular forms of these, and of the verbs that help."""

_DESCRIBING: Final = word_set(
    "fallen broken born written built sung made held given known seen shown led won founded located based taken "
    "spoken drawn beaten chosen thrown shot driven told sold bought taught fought found brought cast set run used "
    "paid meant worn"
)
_NEVER_FINITE: Final = word_set(
    "known written given shown seen taken spoken born sung drawn driven flown overseen risen beaten broken fallen "
    "gone done been begun chosen thrown co-written gotten"
)
_NO_VERBS: Final = word_set(
    "united red hundred speed seed bed need indeed shed breed greed creed feed weed wed sacred kindred wicked"
)


def is_base(word: str) -> bool:
    """Whether a word is a verb as it stands after "did", of those that questions are often asked with."""
    return word in _ASKED or word == "go"


def base_form(word: str) -> str:
    """The infinitive of what may be a verb in a question; a word that looks like an infinitive stays one: *found*."""
    if is_base(word):
        return word
    if word in _FORMS:
        return _FORMS[word]
    if not word.endswith("ing"):
        return base_of(word)
    stem = word.removesuffix("ing")
    undoubled = stem[:-1] if stem[-2:-1] == stem[-1:] else stem
    return next((one for one in (stem, f"{stem}e", undoubled) if is_base(one)), _without_ed(f"{stem}ed"))


def is_participle(word: str) -> bool:
    """Whether a word can follow a noun as "directed" or "containing" does."""
    if word in _DESCRIBING:
        return True
    if word in _NO_VERBS or len(word) < len("aided"):
        return False
    return word.endswith("ed") or (word.endswith("ing") and is_base(base_form(word)))


def is_finite(word: str) -> bool:
    """Whether a word can be the verb of a clause: an auxiliary, a past form or a known verb's third person."""
    if word in AUXILIARIES:
        return True
    if word in _FORMS:
        return word not in _NEVER_FINITE
    if word in _NO_VERBS:
        return False
    past = word.endswith("ed") and len(word) > len("bed")
    return past or is_base(word) or (word.endswith("s") and is_base(base_form(word)))


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


def is_only_participle(form: str) -> bool:
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
    return third_of_base(form)


def third_of_base(base: str) -> str:
    """The third person of an infinitive: *have* gives *has*, *carry* gives *carries*."""
    if base in _SINGULAR:
        return _SINGULAR[base]
    if base.lower().endswith(("s", "x", "z", "ch", "sh")):
        return base + "es"
    return base[:-1] + "ies" if _ends_in_y(base) else base + "s"


def past_of(base: str) -> str:
    """The simple past of an infinitive: *write* gives *wrote*, *stop* gives *stopped*."""
    if base in _PASTS or base in _UNCHANGING:
        return _PASTS.get(base, base)
    if base.endswith("e"):
        return base + "d"
    doubled = base[-1] if base in _DOUBLING else ""
    return base[:-1] + "ied" if _ends_in_y(base) else base + doubled + "ed"


def _ends_in_y(base: str) -> bool:
    low = base.lower()
    return low.endswith("y") and low[-2:-1] not in "aeiou"


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
