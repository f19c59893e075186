"""Whether a text is in English, which is all that our grammar reads: by its script and its commonest words."""

from __future__ import annotations

import re
from typing import Final, NamedTuple, Self


def _words(text: str) -> frozenset[str]:
    """The words of a text, as a table."""
    return frozenset(text.split())


# Words without which English is hardly written, and which other languages hardly write.
ENGLISH_WORDS: Final = _words(
    "the and of to that is was were are be been being it its this these those which who whose when where what why how "
    "with from by for at as on in his her their our your my he she they we you i not but had has have would could "
    "should will can about after before into over under than then there here if because while during also only very "
    "or an do did does just it's i'm i'll don't that's can't didn't let's me him them us so all some any more most"
)
# The commonest words of languages that share our letters, as far as English does not write them.
_OTHER: Final = _words(
    "der das und ist nicht ein eine einen einem einer eines dem den des mit von zu zur zum auf für im am sich auch "
    "wurde wird werden sie er es ihr ihre sein seine sind bei nach aus wie oder aber ich wir du mir mich noch nur vor "
    "le les une est et dans qui que pour sur au aux avec son sa ses par il elle était ne pas plus ce cette fut "
    "du nous vous je tu mais où été sont leur leurs ont "
    "el los las una es y en con por para su sus del fue era como más pero lo se nació muy yo está ser ha "
    "il lo gli una è di che per non con della del dei nel alla sono era fu suo sua più anche ma gli nella "
    "um uma os as é em na não com para foi era seu sua mais dos das ao pelo pela "
    "het een en niet zijn voor met aan ook door naar werd maar wordt haar hij ik je "
    "och är som att på av ett det den inte med till var han hon och ikke af og er blev "
    "nie się jest na do z że jako przez był była oraz jej ale w i "
    "je se na že za od byl byla jako není jsem ve bir ve bu için ile olarak çok daha olan "
    "yang dan di dengan untuk dari ini itu dalam adalah tidak pada "
    "ja on ei se että oli hän ovat mutta și este din cu pe nu la sau este az egy és hogy nem volt "
    "và của là có trong được không những một các cho với người"
) - ENGLISH_WORDS.union(_words("as a i la on do se di per con den dan en is"))
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_LATIN: Final = re.compile(r"[a-zà-öø-ɏḀ-ỿ]+(?:['’][a-zà-öø-ɏḀ-ỿ]+)?")
_ENOUGH: Final = 12  # small words without an English one among them that are no English
_SHARE: Final = 1 / 16  # of the small words: with fewer English ones it is no English, where there are enough
_TELLING: Final = 2  # words of another language that tell
_LOOKED_AT: Final = 4000  # characters


def is_english(text: str) -> bool:
    """Whether rules for English may read a text: it is not clearly in another language. Short names may be."""
    counted = _Counted.of(text)
    if 2 * counted.strange > counted.letters:
        return False
    if counted.other >= _TELLING and counted.other > counted.english:
        return False
    return counted.small < _ENOUGH or counted.english >= _SHARE * counted.small


def is_in_our_script(text: str) -> bool:
    """Whether most letters of a text belong to Latin words, or it has none: what English models can read at all."""
    if text.isascii():
        return True
    counted = _Counted.of(text)
    return 2 * counted.strange <= counted.letters


def is_surely_english(text: str) -> bool:
    """Whether words tell that a text is in English, wherever it stands."""
    counted = _Counted.of(text)
    return counted.english >= _TELLING and counted.english > counted.other and is_english(text)


class _Counted(NamedTuple):
    """What the beginning of a text has."""

    letters: int
    strange: int  # letters of words that are not written in ours
    small: int  # words in our letters that begin with a small one: no names
    english: int  # of all small words
    other: int  # words that tell another language, in any case

    @classmethod
    def of(cls, text: str) -> Self:
        words = _WORD.findall(text[:_LOOKED_AT])
        small = [word for word in words if word[:1].islower()]
        return cls(
            letters=sum(map(len, words)),
            strange=sum(len(word) for word in words if _LATIN.match(word.lower()) is None),
            small=sum(_LATIN.match(word) is not None for word in small),
            english=sum(word.lower().replace("’", "'") in ENGLISH_WORDS for word in small),
            other=sum(word.lower() in _OTHER for word in words),
        )
