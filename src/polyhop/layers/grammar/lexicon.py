"""The closed classes of English words that the rules know; everything else they take from the parse."""

from __future__ import annotations

from typing import Final

from polyhop.english.words import word_set

HE: Final = frozenset({"he", "him", "his", "himself"})
SHE: Final = frozenset({"she", "her", "hers", "herself"})
IT: Final = frozenset({"it", "its", "itself"})
THEY: Final = frozenset({"they", "them", "their", "theirs", "themselves"})
PERSONAL: Final = HE | SHE | IT | THEY
RELATIVE: Final = frozenset({"who", "whom", "which", "that"})
ARTICLES: Final = frozenset({"the", "a", "an"})
DEMONSTRATIVES: Final = frozenset({"this", "that", "these", "those"})
# Words that stand for something said elsewhere: never an end.
EMPTY: Final = (
    PERSONAL
    | RELATIVE
    | ARTICLES
    | DEMONSTRATIVES
    | word_set(
        "whose what where when how why there here i me my mine we us our ours you your yours one ones other others "
        "another each both either neither all some any many most much more few several none nothing something anything "
        "everything someone anyone everyone everybody nobody such same former latter first second third last next so "
        "as and or of in on at to by for with no not"
    )
)
BE: Final = frozenset({"is", "was", "are", "were", "be", "been", "being", "'s", "am"})
HAVE: Final = frozenset({"have", "has", "had", "having"})
NAMED: Final = frozenset({"named", "called", "titled", "entitled", "nicknamed"})
KEPT_ADVERBS: Final = word_set(
    "never best better formerly originally previously currently no longer posthumously jointly not n't"
)
# Prepositions that compare, exclude or give examples: what follows them is no part of the fact.
LOOSE: Final = word_set(
    "because despite like unlike including such than although though whereas regarding concerning besides except "
    "according due rather instead versus while though until unless"
)
KIN: Final = word_set(
    "father mother son daughter brother sister wife husband spouse child children sons daughters brothers sisters "
    "parents parent grandson granddaughter grandfather grandmother uncle aunt nephew niece cousin widow widower "
    "stepson stepdaughter stepfather stepmother half-brother half-sister brother-in-law sister-in-law father-in-law "
    "mother-in-law son-in-law daughter-in-law fiance fiancee partner heir successor predecessor siblings twin "
    "consort mistress lover descendant ancestor great-grandson great-grandfather"
)
NOBLE: Final = word_set(
    "Earl Duke Count Countess Duchess Baron Baroness Marquess Marquis Marquise Margrave Margravine Landgrave Prince "
    "Princess Elector Electress Viscount Viscountess Lord Lady King Queen Emperor Empress Heiress Dauphin Palatine"
)
HONORIFICS: Final = word_set(
    "lord lady sir dame king queen prince princess duke duchess earl count countess baron baroness emperor empress "
    "pope saint st dr mr mrs ms miss president general captain colonel bishop archbishop cardinal father professor "
    "senator judge"
)
# What a full name is as well known without.
RANKS: Final = word_set(
    "King Queen Sir Dame Duke Count Earl President General Colonel Captain Lieutenant Major Dr Dr. Mr Mr. Mrs Mrs. "
    "Professor Senator"
)
# What is done to works and not to people: "a film directed by X, written by Y".
MADE: Final = word_set(
    "written directed produced composed scripted edited starring starred released published distributed adapted "
    "co-written co-produced co-directed shot filmed"
)
GENERATIONS: Final = word_set("jr sr senior junior i ii iii iv v vi elder younger")
WORKS: Final = word_set(
    "film movie picture drama comedy documentary musical western thriller melodrama short romance feature"
)
# What "the film" and the like mean where no sentence has said what the title is.
THINGS: Final = word_set(
    "film movie song album single book novel series show episode band group company city town village school "
    "university college river lake island mountain team club station county district building museum magazine "
    "newspaper journal organization organisation league festival species genus language church game award event "
    "program programme airport bridge castle ship opera play battle war label municipality tournament"
)
# Kinds of places: "the city of Ost" is Ost.
DISTRICTS: Final = word_set(
    "state city town village province region county district island municipality department commune kingdom republic "
    "parish borough suburb port principality territory prefecture governorate duchy canton hamlet"
)
RELEASED: Final = WORKS | word_set("album song single novel book game series soundtrack EP opera play")
TIMES: Final = frozenset({"DATE", "TIME"})
PLACES: Final = frozenset({"GPE", "LOC", "FAC"})
NUMBERS: Final = frozenset({"CARDINAL", "ORDINAL", "PERCENT", "MONEY", "QUANTITY", "DATE", "TIME"})
