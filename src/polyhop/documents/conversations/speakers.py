"""Names before what is said, told from the labels that stand in the same place: ``Note: ...``, ``Ingredients: ...``."""

from __future__ import annotations

import re
from typing import Final


def _words(text: str) -> frozenset[str]:
    """The words of a text, as a table."""
    return frozenset(text.split())


LONGEST_NAME: Final = 40  # characters
_MOST_WORDS: Final = 5
_LONGEST_ACRONYM: Final = 4
_INSIDE: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NUMBERED: Final = re.compile(r"[\dIVXivx]+[a-z]?\.?|[A-Z]|one|two|three|four|five|six", re.IGNORECASE)
_LINKS: Final = _words("al bin da de del della den der di dos du el ibn la le of the van von y zu ben bint ter")
_LEVELS: Final = _words("debug error errors fatal critical info notice trace warn warning verbose alert")
_MACHINES: Final = _words(
    "server worker kernel main thread system database scheduler daemon service process task job queue"
)
_LABELS: Final = _words(
    "note notes nb warning caution danger important tip tips hint hints remark remarks comment comments attention "
    "todo fixme ps pps update edit disclaimer spoiler summary abstract overview introduction background conclusion "
    "conclusions result results method methods materials discussion references source sources bibliography appendix "
    "keywords purpose goal goals objective objectives scope aim task tasks requirement requirements prerequisites "
    "step steps stage phase part section chapter act scene verse chorus intro outro bridge page figure table "
    "exhibit annex lesson unit module exercise problem solution solutions proof theorem lemma definition corollary "
    "example examples case option options choice answers questions hypothesis observation observations "
    "ingredients ingredient directions instructions instruction method preparation prep serves servings yield makes "
    "equipment calories nutrition topping dressing filling garnish "
    "name names title author authors editor editors publisher translator isbn doi year edition volume pages language "
    "type kind category class status state priority version release id code number price cost total amount quantity "
    "colour color size weight height width length age gender born died birth death nationality occupation genre "
    "address phone telephone tel fax mobile email e-mail mail website web url link contact "
    "from to cc bcc subject re fwd fw sent received reply-to sender recipient recipients attachments attachment "
    "date time when where who what why how then given day days month place location venue country city region "
    "address distance duration deadline start end begin opening hours due starts ends present apologies absent "
    "agenda minutes participants attendees members cast characters setting "
    "pros cons pro con advantages disadvantages strengths weaknesses before after input output inputs outputs "
    "returns return args arguments parameters params raises usage default defaults description features feature "
    "added changed fixed removed deprecated security bug bugs fix public private protected true false yes no "
    "monday tuesday wednesday thursday friday saturday sunday january february march july "
    "september october november december spring autumn fall winter morning noon afternoon evening night "
    "english french german spanish italian latin greek russian chinese japanese arabic portuguese dutch polish "
    "breakfast lunch dinner supper snack break concert theatre theater lecture workshop ceremony party keynote "
    "synonym synonyms antonym antonyms etymology noun verb adjective plural meaning meanings pronunciation see also "
    "http https ftp file files mailto home away score winner loser format license licence copyright package maintainer "
    "homepage architecture depends build weather mood balance payment deposit withdrawal strophe refrain "
    "mon tue tues wed thu thur thurs fri sat sun train flight bus ferry gate platform room session track "
    "hinweis achtung zutaten zubereitung beispiel remarque attention ingrédients exemple nota ingredientes ejemplo "
    "注意 备注 时间 地点 材料 做法 例 例如 注 说明 作者 来源 примечание внимание пример ингредиенты"
)
_LAST: Final = _words("note notes tip tips warning time times temperature size date fact facts level address")


def spoken(name: str) -> str:
    """A name as people say it: ``AdaBrisk`` and ``ADA BRISK`` are Ada Brisk, and ``ada`` is Ada."""
    said = _INSIDE.sub(" ", name).strip()
    if said.isupper() and len(said) > _LONGEST_ACRONYM:
        return said.title()
    return said.capitalize() if said.isalpha() and said.islower() else said


def is_label(name: str) -> bool:
    """Whether what stands before a colon says what kind of thing follows, and not who speaks."""
    words = name.lower().strip(".").split()
    if not words:
        return True
    return (
        not _LABELS.isdisjoint((name.lower(), *(words[0].split("-") if len(words) == 1 else ())))
        or words[-1] in _LAST
        or (words[0] in _LABELS and all(_NUMBERED.fullmatch(word) for word in words[1:]))
    )


def is_named(name: str) -> bool:
    """Whether it is written as a name: no word of it begins with a small letter but such as ``van`` and ``de``."""
    words = name.split()
    return bool(words) and not any(word[0].islower() and word not in _LINKS for word in words)


def may_speak(name: str) -> bool:
    """Whether a name that a program wrote beside a time may be that of somebody: no level of a log, no machine."""
    words = re.split(r"[\s.]+", name.lower())
    return (
        len(name.split()) <= _MOST_WORDS
        and not _LEVELS.intersection(words)
        and name.lower() not in _MACHINES
        and not is_label(name)
    )
