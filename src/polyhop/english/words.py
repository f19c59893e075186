"""Closed classes of English words that questions are built from, and the little morphology to take them apart."""

from __future__ import annotations

from typing import Final


def word_set(text: str) -> frozenset[str]:
    """The words of a text, as a table."""
    return frozenset(text.split())


OFFICES: Final = (
    "Captain", "Colonel", "General", "Admiral", "Lieutenant", "Major", "Sergeant", "Professor", "Doctor", "Dr", "Mr",
    "Mrs", "Ms", "Miss", "President", "Senator", "Governor", "Judge", "Reverend", "Father", "Sister",
)  # fmt: skip
"""What stands before a name and is no part of it."""

WH_WORDS: Final = word_set("who whom whose what which where when why how")
BE: Final = word_set("is are was were be been being")
DO: Final = word_set("do does did")
HAVE: Final = word_set("has have had")
AUXILIARIES: Final = BE | DO | HAVE | word_set("will would can could should shall may might must")
ARTICLES: Final = word_set("the a an this that these those its his her their")
PREPOSITIONS: Final = word_set(
    "of in on at by for from to with into onto over under after before during about against between among through "
    "without within near since until as like than around across behind along toward towards upon out off up down "
    "via"
)
CONJUNCTIONS: Final = word_set("and or but nor if while because so though although also besides")
PRONOUNS: Final = word_set("he she it they him them we us i you me himself herself itself there")
FUNCTION_WORDS: Final = (
    WH_WORDS | AUXILIARIES | ARTICLES | PREPOSITIONS | CONJUNCTIONS | PRONOUNS | word_set("not both")
)
FRONTED: Final = word_set("along name list give tell please identify besides other following according both some one")
"""Words that only stand capitalised because a request begins with them."""

NAME_LINKS: Final = word_set(
    "of the de da di du do dos das del della der den des van von zu la le el al bin ibn y e und"
)
"""Lower-case words that hold a name together when a capitalised word follows them."""

TITLE_LINKS: Final = NAME_LINKS | word_set("a an and at be for in on to")
"""What may stand between the words of a title: more than in other names, because a title is announced."""

WORK_LINKS: Final = NAME_LINKS | word_set("and for to")
"""What may stand between the words of a name after "the author of" and its like."""

TITLE_NOUNS: Final = word_set(
    "film films movie movies song songs single album albums book books novel novels play series show opera "
    "painting poem magazine documentary sitcom musical documentaries"
)
RANKS: Final = word_set(
    "duke duchess count countess earl baron baroness baronet viscount viscountess prince princess king queen lord "
    "lady margrave landgrave burgrave dogaressa palatine son daughter wife marquess marquis emperor empress "
    "elector jr sr jr. sr. iii dowager infanta"
)
"""What follows the comma in a name such as a first earl's."""

KIN: Final = word_set(
    "father mother parent parents son daughter child children husband wife spouse brother sister sibling siblings "
    "widow widower partner fiancé fiancée grandfather grandmother grandparent grandson granddaughter grandchild "
    "uncle aunt nephew niece cousin stepfather stepmother half-brother half-sister father-in-law mother-in-law "
    "son-in-law daughter-in-law brother-in-law sister-in-law sibling-in-law child-in-law parent-in-law family"
)
ROLES: Final = word_set(
    "director composer performer author writer creator founder producer screenwriter singer actor actress star "
    "narrator painter sculptor architect designer inventor discoverer publisher manufacturer developer owner "
    "operator distributor editor cinematographer songwriter lyricist librettist illustrator choreographer "
    "conductor drummer guitarist keyboardist bassist frontman vocalist host presenter leader head chairman "
    "chairwoman president ceo captain coach manager trainer commander governor mayor minister king queen emperor "
    "ruler monarch successor predecessor employer winner champion runner-up translator protagonist namesake "
    "patron teacher student architects directors founders creators writers authors cast husband's spokesperson "
    "purchaser maker builder arguer holder victor victors victims member members co-founder co-creator co-writer "
    "player opponent rival broadcaster mascot sponsor affiliate"
)
PLACES: Final = word_set(
    "country city town state county province region district village continent island river capital capitol "
    "birthplace hometown headquarters location place municipality territory nation neighborhood suburb area "
    "kingdom republic parish borough prefecture township venue stadium campus site seat mouth source department"
)
ORGANISATIONS: Final = word_set(
    "company organization organisation university college school institution band group team club party label "
    "league network station studio agency bank airline church denomination army navy government employer "
    "corporation foundation association committee council court division franchise conference orchestra publisher "
    "manufacturer developer broadcaster firm brand union academy institute society religion"
)
WORKS: Final = word_set(
    "film movie song album book novel play series show opera painting poem documentary sitcom musical episode "
    "soundtrack anthem track hit ballet sculpture comic game franchise"
)
PEOPLE: Final = word_set(
    "person man woman people artist scientist physicist chemist mathematician philosopher scholar politician "
    "lawyer musician rapper model athlete footballer boxer wrestler racer rider comedian filmmaker entrepreneur "
    "businessman poet novelist playwright historian general lieutenant officer soldier admiral saint pope bishop "
    "priest girl boy soprano pianist violinist golfer swimmer skater driver cyclist astronaut engineer doctor "
    "physician professor chef journalist commentator activist attorney senator chancellor prince princess duke "
    "someone individual dancer stuntman youtuber dramatist economist explorer botanist astronomer biologist king "
    "queen"
)
THINGS: Final = word_set(
    "date birthday birthdate nationality citizenship occupation language name nickname award population religion "
    "war battle conflict election event tournament competition term genre instrument currency anthem flag sibling "
    "alma origin surname title cause species genus building bridge castle museum airport road railway ship "
    "aircraft law treaty honor honour book treatise theory disease virus animal object"
)
RELATIONAL: Final = (
    KIN
    | ROLES
    | PLACES
    | word_set(
        "nationality citizenship birthday birthdate religion language currency anthem employer label team band group "
        "party company organization screenplay soundtrack college university school genre population occupation "
        "ethnicity profession cause deathplace killer assassin character characters villain composers performers "
        "lyrics music murderer killers"
    )
    | {"record label", "alma mater"}
)
"""Nouns that ask for something else when an "of" or a possessive hangs on them."""

AGENTLIKE_NOT: Final = word_set(
    "number member members river order winter summer power letter color chapter water border paper former other "
    "another character whether error factor sector tower corner center theater chamber quarter matter manner "
    "flower disaster monster master minister cluster register alter after never ever either neither major minor "
    "senior junior prior interior exterior list twist gist mist"
)
NOT_A_HOP: Final = word_set(
    "career life death name history reign territory government rule birth lifetime army troops forces inhabitants "
    "home games"
)
"""Possessions that are no entity of their own: to look them up first leads nowhere."""

KINSHIP_PATHS: Final[dict[str, tuple[str, ...]]] = {
    "maternal grandfather": ("mother", "father"),
    "maternal grandmother": ("mother", "mother"),
    "paternal grandfather": ("father", "father"),
    "paternal grandmother": ("father", "mother"),
    "maternal uncle": ("mother", "brother"),
    "maternal aunt": ("mother", "sister"),
    "paternal uncle": ("father", "brother"),
    "paternal aunt": ("father", "sister"),
    "grandfather": ("parent", "father"),
    "grandmother": ("parent", "mother"),
    "grandparent": ("parent", "parent"),
    "grandchild": ("child", "child"),
    "grandson": ("child", "son"),
    "granddaughter": ("child", "daughter"),
    "great-grandfather": ("parent", "parent", "father"),
    "great-grandmother": ("parent", "parent", "mother"),
    "uncle": ("father", "brother"),
    "aunt": ("father", "sister"),
    "nephew": ("sibling", "son"),
    "niece": ("sibling", "daughter"),
    "cousin": ("parent", "sibling", "child"),
    "father-in-law": ("spouse", "father"),
    "mother-in-law": ("spouse", "mother"),
    "parent-in-law": ("spouse", "parent"),
    "brother-in-law": ("spouse", "brother"),
    "sister-in-law": ("spouse", "sister"),
    "sibling-in-law": ("spouse", "sibling"),
    "son-in-law": ("daughter", "husband"),
    "daughter-in-law": ("son", "wife"),
    "child-in-law": ("child", "spouse"),
    "stepmother": ("father", "wife"),
    "stepfather": ("mother", "husband"),
    "co-mother-in-law": ("child", "spouse", "mother"),
}
"""Kinship words that hide a hop, and the simple relations that they abbreviate, first hop first."""

ATTRIBUTE_HEADS: Final = word_set("place date country cause year day city manner month time state town location")
ATTRIBUTE_TAILS: Final = word_set(
    "birth death burial origin citizenship residence marriage release establishment formation"
)
TIMES: Final = {
    "first": "earlier",
    "earlier": "earlier",
    "earliest": "earlier",
    "before": "earlier",
    "older": "earlier",
    "oldest": "earlier",
    "sooner": "earlier",
    "later": "later",
    "latest": "later",
    "last": "later",
    "after": "later",
    "younger": "later",
    "youngest": "later",
    "recently": "later",
    "recent": "later",
    "newer": "later",
}
AMOUNTS: Final = {"more": "larger", "most": "larger", "fewer": "smaller", "less": "smaller", "fewest": "smaller"}
DEGREES: Final = {
    "tall": "taller tallest",
    "long": "longer longest",
    "large": "larger largest bigger biggest",
    "high": "higher highest",
    "wide": "wider widest",
    "deep": "deeper deepest",
    "fast": "faster fastest",
    "heavy": "heavier heaviest",
    "populous": "populous",
}
SMALL_DEGREES: Final = {"tall": "shorter shortest", "large": "smaller smallest", "high": "lower lowest"}

_VERBS: Final = word_set(
    "accept acquire act address adopt agree allow announce appear appoint argue arrest arrive ask assassinate "
    "attack attend award bear beat become begin belong border break bring build burn buy call capture carry cast "
    "cause celebrate change claim close come command compete complete compose conduct connect conquer consider "
    "contain contribute control cover create cross crown declare defeat describe design destroy detain determine "
    "develop die direct discover discuss dissolve divorce draft drain draw drive earn edit educate pay spin "
    "specialize specialise separate aid compare elect emerge employ enable end enter establish execute exist "
    "explain fall feature fight film find finish fit flow fly follow force form found fulfill gain get give "
    "govern graduate grow guide happen have head hire hit hold honor honour host illustrate import include "
    "influence inspire intervene introduce invade invent issue join kill know land last launch lead leave let "
    "like live locate lose make manage manufacture marry mean measure meet merge move murder name narrate "
    "negotiate nominate occur offer open operate order organize originate oversee own paint pass patent perform "
    "permit plan play portray practice practise preach premiere present produce promote propose provide publish "
    "purchase put rank reach receive record refer reform reinstate reign release represent request retire return "
    "reveal rise rule run say score see sell send serve share shoot sign sing sink sit speak split sponsor stand "
    "star start state stay stop study succeed suggest surpass surround take teach think train translate travel "
    "trigger try unify unite use visit voice vote win work write sack adhere base headquarter surrender secede "
    "co-found co-write orbit depict broadcast house handle resign"
)
_IRREGULAR: Final = {
    past: base
    for base, pasts in {
        "be": "is are was were been",
        "bear": "born bore",
        "beat": "beaten",
        "become": "became",
        "begin": "began begun",
        "break": "broke broken",
        "bring": "brought",
        "build": "built",
        "buy": "bought",
        "come": "came",
        "co-write": "co-wrote co-written",
        "draw": "drew drawn",
        "drive": "drove driven",
        "fall": "fell fallen",
        "fight": "fought",
        "find": "found",
        "fly": "flew flown",
        "get": "got gotten",
        "give": "gave given",
        "grow": "grew grown",
        "hold": "held",
        "know": "knew known",
        "lead": "led",
        "leave": "left",
        "lose": "lost",
        "make": "made",
        "mean": "meant",
        "meet": "met",
        "oversee": "oversaw overseen",
        "rise": "rose risen",
        "run": "ran",
        "say": "said",
        "see": "saw seen",
        "sell": "sold",
        "send": "sent",
        "shoot": "shot",
        "sing": "sang sung",
        "sink": "sank sunk",
        "sit": "sat",
        "speak": "spoke spoken",
        "stand": "stood",
        "take": "took taken",
        "teach": "taught",
        "think": "thought",
        "win": "won",
        "write": "wrote written",
        "die": "died dying",
        "have": "has had",
        "do": "does did done",
        "go": "went gone goes",
    }.items()
    for past in pasts.split()
}
PARTICIPLES: Final = word_set(
    "fallen broken born written built sung made held given known seen shown led won founded located based taken "
    "spoken drawn beaten chosen thrown shot driven told sold bought taught fought found brought cast set run"
)
_NEVER_FINITE: Final = word_set(
    "known written given shown seen taken spoken born sung drawn driven flown overseen risen beaten broken fallen "
    "gone done been begun chosen thrown co-written gotten"
)
_NOT_PARTICIPLES: Final = word_set(
    "united red hundred speed seed bed need indeed shed breed greed creed feed weed wed sacred kindred wicked named"
) - {"named"}
_KEEP_E: Final = ("v", "c", "z", "u", "at", "ir", "as", "os", "rg", "dg", "ng")


def base_form(verb: str) -> str:
    """The infinitive of an inflected English verb; a guess by its ending for a verb outside the tables."""
    if verb in _VERBS:
        return verb
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    for ending, stems in (
        ("ied", ("y",)),
        ("ies", ("y",)),
        ("ed", ("", "e")),
        ("ing", ("", "e")),
        ("es", ("", "e")),
        ("s", ("",)),
    ):
        if not verb.endswith(ending) or len(verb) < len(ending) + 2:
            continue
        stem = verb.removesuffix(ending)
        candidates = [stem + added for added in stems]
        if len(stem) > 2 and stem[-1] == stem[-2]:
            candidates.append(stem[:-1])
        known = [candidate for candidate in candidates if candidate in _VERBS]
        if known:
            return known[0]
        return stem + "e" if ending in ("ed", "ing") and stem.endswith(_KEEP_E) else candidates[0]
    return verb


def is_base(word: str) -> bool:
    """Whether the word is a verb's infinitive, as it stands after "did"."""
    return word in _VERBS or word == "go"


def is_participle(word: str) -> bool:
    """Whether the word can follow a noun as "directed" or "containing" does."""
    if word in PARTICIPLES:
        return True
    if word in _NOT_PARTICIPLES or len(word) < 5:
        return False
    return word.endswith("ed") or (word.endswith("ing") and base_form(word) in _VERBS)


def is_finite(word: str) -> bool:
    """Whether the word can be the verb of a clause: an auxiliary, a past form or a known verb's third person."""
    if word in AUXILIARIES:
        return True
    if word in _IRREGULAR:
        return word not in _NEVER_FINITE
    if word in _NOT_PARTICIPLES:
        return False
    if word.endswith("ed") and len(word) > 3:
        return True
    return is_base(word) or (word.endswith("s") and base_form(word) in _VERBS)


def is_agent(noun: str) -> bool:
    """Whether the noun names somebody by what they did: "discoverer", "keyboardist"."""
    if noun in ROLES or noun in KIN or noun in PEOPLE:
        return True
    return len(noun) > 5 and noun.endswith(("er", "or", "ist")) and noun not in AGENTLIKE_NOT


def names_person(noun: str) -> bool:
    """Whether "who" asks for the noun."""
    return (
        is_agent(noun)
        and " " not in noun
        and noun not in word_set("manufacturer publisher developer broadcaster employer distributor family label")
    )


def is_demonym(word: str) -> bool:
    """Whether a capitalised word looks like an adjective of a country: "Danish", "Peruvian"."""
    return word.endswith(
        ("ish", "ian", "ean", "ese", "ican", "tch", "ench", "reek", "Iraqi", "Israeli", "Thai", "Swiss")
    )
