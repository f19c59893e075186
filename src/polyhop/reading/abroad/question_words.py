"""The words with which questions in other languages ask, as tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from polyhop.english.answer_type import AnswerType

PERSON, PLACE, DATE, NUMBER, ORGANISATION, WORK, YES_NO, THING = (
    AnswerType.PERSON, AnswerType.PLACE, AnswerType.DATE, AnswerType.NUMBER, AnswerType.ORGANISATION, AnswerType.WORK,
    AnswerType.YES_NO, AnswerType.THING,
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Wording:
    """How a language asks. Words are written with ``|`` between them and may be patterns."""

    asks: Mapping[AnswerType, str]  # words that ask for one kind of thing by themselves
    which: str  # words that ask for what the noun behind them says
    nouns: Mapping[AnswerType, str]  # beginnings of nouns, for each kind of thing
    small: str  # its commonest words, which say nothing of what is asked for
    alike: str  # groups of beginnings of words that say the same, with a space between groups
    verbs: str  # a question that begins with one of them asks whether something is so
    denies: str  # words that make the opposite of a sentence
    yes: str
    numerals: str = ""  # words for small numbers
    where: str = ""  # what stands before the name of a place
    by: str = ""  # and before that of whoever did something
    determines: str = ""  # and before a noun that is no name, where nouns are written with capitals


UNKNOWN: Final = ""
"""A language that no table has."""

SPECIFIC: Final = (
    "fluss", "insel", "berg", "see", "meer", "straße", "rivière", "fleuve", "île", "rue", "mer", "montagne", "río",
    "isla", "calle", "mar", "monte", "fiume", "isola", "via", "rio", "ilha", "rua", "rivier", "eiland", "zee", "straat",
    "rzek", "wysp", "рек", "остров", "улиц", "мор", "гор", "річ", "نهر", "جزيرة", "شارع", "بحر", "جبل",
)  # fmt: skip
"""Beginnings of nouns for places of which a text rather says what they are than of towns and countries."""

NOTHING: Final = Wording(asks={}, which="", nouns={}, small="", alike="", verbs="", denies="", yes="")
"""How it asks."""

# The order of the languages decides where words of several of them fit a question equally well.
LANGUAGES: Final[Mapping[str, Wording]] = MappingProxyType({
    "de": Wording(
        asks={
            NUMBER: "wie ?viele?|wie (?:oft|lange?|hoch|tief|breit|weit|schwer|groß|alt|teuer|schnell)|wieviel",
            DATE: "wann|seit wann|bis wann|in welchem jahr|(?:an|von) welchem (?:tag|datum)",
            PLACE: "wo|woher|wohin",
            PERSON: "wer|wen|wem|wessen|von wem",
            THING: "was|wie|warum|weshalb|wieso|wofür|womit|wodurch|woran|worauf|worüber|wovon|wozu|worin|woraus",
        },
        which="welche[rsnm]?|was für eine?[nrms]?|wie (?:heißt|hieß|lautet|lautete) (?:der|die|das)",
        nouns={
            DATE: "jahr|tag|monat|datum|jahrhundert|jahrzehnt",
            PLACE: "stadt|städte|ort|land|dorf|fluss|insel|region|hafen|straße|provinz|gegend|berg|see",
            PERSON: "person|mensch|mann|frau|maler|autor|dichter|kapitän|architekt|komponist|regisseur|schauspiel",
            ORGANISATION: "firma|unternehmen|verein|verlag|schule|universität|partei|gesellschaft|orchester|museum",
            WORK: "buch|bücher|roman|film|oper|lied|gedicht|gemälde|werk|album|theaterstück|bild",
            NUMBER: "höhe|länge|zahl|anzahl|preis|tiefe|breite|alter",
        },
        small=(
            "der die das den dem des ein eine einen einem einer eines und oder in im an am auf aus bei mit nach von "
            "vom vor zu zum zur über unter für durch um sich ist war sind waren wurde wurden wird werden hat hatte "
            "haben es er sie sein seine ihr ihre heißt hieß als dort"
        ),
        alike=(
            "gebor|gebur|stamm|gebür starb|gesto|verst|tod|tot grün|gegrü|errich "
            "schri|gesch|verfa|autor bau|gebau vater|mutter|tochter|sohn|eltern"
        ),
        verbs="ist|war|sind|waren|hat|hatte|haben|hatten|wurde|wurden|wird|kann|konnte|gibt|gab|liegt|lag|lebt|lebte",
        denies="nicht|keine?[nrms]?|nie|niemals|weder",
        yes="Ja",
        numerals="zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig hundert tausend",
        where="in aus nach bei",
        by="von durch",
        determines=(
            "der die das den dem des ein eine einen einem einer eines im am vom zum zur beim ins ans kein "
            "keine sein seine seinen seinem seiner ihr ihre ihren ihrem ihrer"
        ),
    ),
    "fr": Wording(
        asks={
            NUMBER: "combien|à quelle (?:hauteur|distance|vitesse)|quel âge",
            DATE: "quand|en quelle année|depuis quand|à quelle date",
            PLACE: "où|d'où",
            PERSON: "qui|à qui|de qui|par qui",
            THING: "que|qu'est-ce qu[ei']|quoi|pourquoi|comment|à quoi|de quoi",
        },
        which="quel|quelle|quels|quelles|lequel|laquelle|comment s'appell(?:e|ait)",
        nouns={
            DATE: "année|jour|mois|date|siècle|époque",
            PLACE: "ville|village|pays|lieu|rivière|fleuve|île|région|port|endroit|province|rue|mer|montagne",
            PERSON: "personne|homme|femme|peintre|auteur|écrivain|poète|capitaine|architecte|compositeur|acteur",
            ORGANISATION: "entreprise|société|école|université|compagnie|éditeur|parti|orchestre|musée|association",
            WORK: "livre|roman|film|opéra|chanson|poème|tableau|œuvre|oeuvre|album|pièce",
            NUMBER: "hauteur|longueur|nombre|prix|profondeur|largeur|taille|âge",
        },
        small=(
            "le la les un une des du de à au aux et ou en dans sur sous par pour avec chez est sont était étaient fut "
            "a ont avait se ce cette ces son sa ses il elle y que qui dont été être s'est n'est"
        ),
        alike=(
            "naqui|naiss|né|née|natal|natif mouru|mort|décéd|meurt fond|créa|créé écri|auteu "
            "constr|bâti|bati père|mère|fille|fils|parents"
        ),
        verbs="est-ce|est-il|est-elle|était-ce|a-t-il|a-t-elle|y a-t-il|sont-ils|sont-elles|fut-il|fut-elle",
        denies="pas|jamais|aucun|aucune|ni",
        yes="Oui",
        numerals="deux trois quatre cinq six sept huit neuf dix onze douze vingt cent mille",
        where="à dans près vers",
        by="par",
    ),
    "es": Wording(
        asks={
            NUMBER: "cu[aá]nt[oa]s?|qu[eé] edad|qu[eé] tan",
            DATE: "cu[aá]ndo|desde cu[aá]ndo|en qu[eé] año",
            PLACE: "d[oó]nde|ad[oó]nde|de d[oó]nde",
            PERSON: "qui[eé]n|qui[eé]nes",
            THING: "c[oó]mo|por qué|para qué|qué",
        },
        which="qué|en que|cuál|cuáles",
        nouns={
            DATE: "año|día|mes|fecha|siglo|época",
            PLACE: "ciudad|pueblo|país|lugar|río|isla|región|puerto|aldea|provincia|calle|mar|monte|montaña",
            PERSON: "persona|hombre|mujer|pintor|autor|escritor|poeta|capitán|arquitect|composit|actor|actriz",
            ORGANISATION: "empresa|compañía|escuela|universidad|editorial|partido|orquesta|museo|asociación|sociedad",
            WORK: "libro|novela|película|ópera|canción|poema|cuadro|obra|álbum",
            NUMBER: "altura|longitud|número|precio|profundidad|edad|distancia",
        },
        small=(
            "el la los las un una unos unas de del al a y o u en con por para su sus que se es son era eran fue fueron "
            "está están ha han había lo le les este esta como más allí ser"
        ),
        alike=(
            "naci|nace|natal|nativ|natur muri|muer|falle fund|crea|creó escri|autor "
            "constru|edific|levan mide|miden padre|madre|hij[oa]"
        ),
        verbs="es|son|era|eran|fue|fueron|está|están|tiene|tenía|tuvo|hay|había|hubo|existe|puede|ha",
        denies="no|nunca|jamás|ningún|ninguna|tampoco",
        yes="Sí",
        numerals="dos tres cuatro cinco seis siete ocho nueve diez once doce veinte cien mil",
        where="en hacia desde",
        by="por",
    ),
    "it": Wording(
        asks={
            NUMBER: "quant[oaie]|quant'è",
            DATE: "quando|in che anno|da quando",
            PLACE: "dove|dov'è|dov'era|da dove",
            PERSON: "chi|di chi|da chi",
            THING: "che cosa|cosa|cos'è|perché|come",
        },
        which="quale|quali|qual|che|come si chiama(?:va)?",
        nouns={
            DATE: "anno|giorno|mese|data|secolo",
            PLACE: "città|paese|luogo|fiume|isola|regione|porto|villaggio|provincia|via|mare|monte",
            PERSON: "persona|uomo|donna|pittor|autor|scrittor|poeta|capitano|architett|composit|attor|attrice",
            ORGANISATION: "azienda|società|scuola|università|casa editrice|partito|orchestra|museo|associazione|ditta",
            WORK: "libro|romanzo|film|opera|canzone|poesia|quadro|album",
            NUMBER: "altezza|lunghezza|numero|prezzo|profondità|età",
        },
        small=(
            "il lo la gli le i un una uno di del della dello dei degli delle da dal dalla a al alla in nel nella su "
            "sul con per e o è sono era erano fu furono ha hanno aveva si che suo sua non"
        ),
        alike=(
            "nacqu|nato|nata|natal|nasci morì|mori|morto|morta|muore fond|crea|creò scri|autor "
            "costru|edific padre|madre|figli"
        ),
        verbs="è|sono|era|erano|fu|furono|ha|hanno|aveva|esiste|c'è",
        denies="non|mai|nessun|nessuna",
        yes="Sì",
        numerals="due tre quattro cinque sei sette otto nove dieci undici dodici venti cento mille",
        where="a in presso",
        by="da dal dalla",
    ),
    "pt": Wording(
        asks={
            NUMBER: "quant[oa]s?|que idade",
            DATE: "quando|em que ano|desde quando",
            PLACE: "onde|de onde|aonde",
            PERSON: "quem|de quem|por quem",
            THING: "o que|o quê|por que|por quê|como|quê",
        },
        which="qual|quais|que|como se chama(?:va)?",
        nouns={
            DATE: "ano|dia|mês|data|século",
            PLACE: "cidade|vila|país|lugar|rio|ilha|região|porto|aldeia|província|rua|mar|serra",
            PERSON: "pessoa|homem|mulher|pintor|autor|escritor|poeta|capitão|arquitet|composit|ator|atriz",
            ORGANISATION: "empresa|companhia|escola|universidade|editora|partido|orquestra|museu|associação",
            WORK: "livro|romance|filme|ópera|canção|poema|quadro|obra|álbum",
            NUMBER: "altura|comprimento|número|preço|profundidade|idade",
        },
        small=(
            "o a os as um uma de do da dos das em no na nos nas por pelo pela para com e ou é são era eram foi foram "
            "está tem tinha se que seu sua ao à não"
        ),
        alike=(
            "nasce|nasci|natal|natur morre|morte|falec fund|criou|criad escre|autor constr|ergui "
            "pai|mãe|filh"
        ),
        verbs="é|são|era|eram|foi|foram|está|estão|tem|tinha|há|havia|existe",
        denies="não|nunca|jamais|nenhum|nenhuma",
        yes="Sim",
        numerals="dois duas três quatro cinco seis sete oito nove dez onze doze vinte cem mil",
        where="em no na",
        by="por pelo pela",
    ),
    "nl": Wording(
        asks={
            NUMBER: "hoeveel|hoe (?:vaak|lang|hoog|diep|breed|ver|zwaar|groot|oud)",
            DATE: "wanneer|sinds wanneer|in welk jaar",
            PLACE: "waar|waarheen|waarvandaan",
            PERSON: "wie|van wie|door wie",
            THING: "wat|hoe|waarom|waarvoor|waarmee|waarop|waarvan",
        },
        which="welke?|hoe heet|hoe heette",
        nouns={
            DATE: "jaar|dag|maand|datum|eeuw",
            PLACE: "stad|dorp|land|plaats|rivier|eiland|streek|haven|provincie|straat|zee|berg",
            PERSON: "persoon|man|vrouw|schilder|schrijver|dichter|kapitein|architect|componist|acteur",
            ORGANISATION: "bedrijf|school|universiteit|uitgever|partij|orkest|museum|vereniging|firma",
            WORK: "boek|roman|film|opera|lied|gedicht|schilderij|werk|album",
            NUMBER: "hoogte|lengte|aantal|prijs|diepte|leeftijd",
        },
        small=(
            "de het een en of in op aan bij met naar van voor uit door over is was zijn waren werd werden wordt heeft "
            "had hebben er hij zij ze haar zijn die dat te om"
        ),
        alike=(
            "gebor|geboo stier|gesto|overl|dood sticht|gestic|opger schre|gesch|auteu bouw|gebou "
            "vader|moeder|dochter|zoon"
        ),
        verbs="is|was|zijn|waren|heeft|had|werd|wordt|kan|kon|bestaat|ligt|lag",
        denies="niet|geen|nooit",
        yes="Ja",
        numerals="twee drie vier vijf zes zeven acht negen tien elf twaalf twintig honderd duizend",
        where="in uit naar bij te",
        by="door van",
    ),
    "pl": Wording(
        asks={
            NUMBER: "ile|ilu", DATE: "kiedy|w którym roku", PLACE: "gdzie|skąd|dokąd",
            PERSON: "kto|kogo|komu|przez kogo", THING: "co|czego|czym|jak|dlaczego|po co",
        },
        which="który|która|które|którym|której|którego|jaki|jaka|jakie|jak nazywa się",
        nouns={DATE: "rok|dzie|miesi|dat|wiek", PLACE: "miast|kraj|miejsc|rzek|wysp|wsi|wieś|region|port",
               PERSON: "osob|człowiek|malarz|autor|pisarz", WORK: "książ|powieś|film|oper|pieśń|wiersz|obraz",
               ORGANISATION: "firm|szko|uniwersyt|wydawn|orkiestr"},
        small="w we na z ze do od po przez dla i a o u się jest był była było były to ten ta te jego jej nie został",
        alike="urodz zmar|śmier założ|ufund napis|autor zbudo|wybud ojciec|ojca|matk|córk|syn",
        verbs="czy", denies="nie|nigdy|żaden", yes="Tak",
        numerals="dwa dwie trzy cztery pięć sześć siedem osiem dziewięć dziesięć dwanaście sto",
        where="w we z do",
        by="przez",
    ),
    "ru": Wording(
        asks={
            NUMBER: "сколько|как (?:часто|долго)|какой (?:высоты|длины|глубины|ширины)",
            DATE: "когда|с каких пор|в каком году",
            PLACE: "где|откуда|куда",
            PERSON: "кто|кого|кому|кем|у кого|чей|чья|чьё",
            THING: "что|чем|чего|чему|почему|зачем|как",
        },
        which="как(?:ой|ая|ое|ие|ого|ому|им|ом|ую|их|ими)|как (?:зовут|звали|называется|называлась|назывался)",
        nouns={
            DATE: "год|дне|день|месяц|дат|век|числ",
            PLACE: "город|стран|мест|рек|остров|сел|деревн|област|порт|улиц|мор|гор",
            PERSON: "человек|художник|автор|писател|поэт|капитан|архитектор|композитор|актёр|актер|женщин|мужчин",
            ORGANISATION: "компани|фирм|школ|университет|издательств|парти|оркестр|музе|обществ",
            WORK: "книг|роман|фильм|опер|песн|стих|картин|альбом|произведени",
            NUMBER: "высот|длин|числ|цен|глубин|возраст",
        },
        small=(
            "в во на с со к ко о об от из у за до по для при и или а не был была было были есть его её ее их он она "
            "оно они это этот эта который которая которое которые которого которой котором которым ли"
        ),
        alike=(
            "роди|рожд|родом|родно умер|сконч|смерт|погиб основ|созда|учред напис|автор|сочин "
            "постр|возве|строи отец|отц|мать|матер|доч|сын"
        ),
        verbs="правда ли|верно ли|есть ли|был ли|была ли|было ли|были ли|является ли|разве|[^\\W\\d_]+ ли",
        denies="не|нет|никогда|ни",
        yes="Да",
        numerals="два две три четыре пять шесть семь восемь девять десять двенадцать двадцать сто",
        where="в во из под около",
    ),
    "uk": Wording(
        asks={
            NUMBER: "скільки", DATE: "коли|в якому році|у якому році", PLACE: "де|звідки|куди",
            PERSON: "хто|кого|кому|ким", THING: "що|чим|чого|чому|як",
        },
        which="який|яка|яке|які|якому|якій|якого|якої|яку",
        nouns={DATE: "рік|році|день|місяц|дат|столітт", PLACE: "міст|країн|місц|річ|острів|острові|сел",
               WORK: "книг|роман|фільм|опер|пісн", PERSON: "людин|художник|автор|письменник"},
        small="в у на з із зі до від за по для при і й та або не був була було були є його її їх він вона вони це що",
        alike="народ помер|смерт засну|створ напис|автор збуду|побуд батьк|мати|матер|донь|доч|син",
        verbs="чи", denies="не|ні|ніколи", yes="Так",
        numerals="два дві три чотири п'ять шість сім вісім дев'ять десять дванадцять сто",
        where="в у з із до",
    ),
    "zh": Wording(
        asks={
            NUMBER: "多少|几(?=[个人条只本座次岁位米名家件张艘间块匹头])|多[长高大深宽远重久]|幾(?=[個人條隻本座次])",
            DATE: "什么时候|何时|哪一?年|哪[一]?[天月日]|几[月年号]|什麼時候|何時|什么年代|哪个世纪",
            PLACE: "哪里|哪儿|何处|何地|什么地方|哪裡|哪裏|什麼地方",
            PERSON: "谁|何人|誰",
            THING: "什么|什麼|为什么|为何|怎么|怎样|如何|何",
        },
        which="哪[一几]?[个位座家条部本颗所种幅首间艘只]?|什么|什麼|何|哪些",
        nouns={
            DATE: "年|月|日期|世纪",
            PLACE: "城市|城|国家|国|地方|河|岛|省|县|镇|村|港|街|山|湖",
            PERSON: "人|画家|作家|作者|诗人|船长|建筑师|演员|导演",
            ORGANISATION: "公司|学校|大学|出版社|乐团|组织|机构|博物馆|企业|政党",
            WORK: "书|小说|电影|歌剧|歌曲|歌|诗|画|作品|专辑|剧",
            NUMBER: "高度|长度|数量|价格|年龄",
        },
        small="的 了 在 是 由 于 和 与 及 或 之 其 被 把 从 到 位 着 过 曾",
        alike=(
            "出生|生于|诞生|来自|家乡|故乡 去世|逝世|死于|病逝 创立|创办|建立|成立|创建 撰写|写|著 "
            "建造|建于|修建 父亲|母亲|女儿|儿子"
        ),
        verbs="是不是|是否|有没有|难道",
        denies="不|没|沒|未|非|无",
        yes="是",
    ),
    "ja": Wording(
        asks={
            NUMBER: "いくつ|いくら|何[人個本匹冊枚台回歳才頭隻軒杯度階羽メキ]|どのくらい|どれくらい",
            DATE: "いつ|何年|何月|何日|何世紀|どの年",
            PLACE: "どこ|何処|どちら",
            PERSON: "誰|だれ|どなた|何者",
            THING: "何|なに|なん|なぜ|どう|どうして",
        },
        which="どの|どんな|何という|なんという|何の|どういう",
        nouns={
            DATE: "年|月|日|時代|世紀",
            PLACE: "町|街|村|市|国|川|島|県|港|場所|山|湖|地方",
            PERSON: "人|画家|作家|著者|詩人|船長|建築家|俳優|監督",
            ORGANISATION: "会社|学校|大学|出版社|楽団|団体|博物館|企業",
            WORK: "本|小説|映画|歌劇|オペラ|歌|曲|詩|絵|作品|アルバム",
            NUMBER: "高さ|長さ|数|値段|深さ|年齢",
        },
        small="",
        alike=(
            "生まれ|誕生|出身|故郷|生家 亡くな|死去|死ん|没 創設|設立|創立|創業 書[いき]|執筆|著 "
            "建て|建設|建造 父|母|娘|息子"
        ),
        verbs="",
        denies="ない|なかっ|ません|ず",
        yes="はい",
    ),
    "ko": Wording(
        asks={
            NUMBER: "몇|얼마나|얼마", DATE: "언제|몇 ?년|어느 해", PLACE: "어디",
            PERSON: "누구|누가", THING: "무엇|뭐|무슨|왜|어떻게",
        },
        which="어느|어떤|무슨",
        nouns={DATE: "해|날|달|연도|세기", PLACE: "도시|나라|곳|강|섬|마을|지역|항구", PERSON: "사람|화가|작가",
               WORK: "책|소설|영화|오페라|노래|시", ORGANISATION: "회사|학교|대학|단체"},
        small="",
        alike="태어|출생|출신|고향 죽|사망|별세 설립|창립|세운|세웠 지은|지었|쓴|썼 아버지|어머니|딸|아들",
        verbs="",
        denies="않|없|아니|못", yes="네",
    ),
    "ar": Wording(
        asks={
            NUMBER: "كم|بكم",
            DATE: "متى|منذ متى|في أي (?:عام|سنة|يوم|تاريخ)",
            PLACE: "أين|اين|من أين|إلى أين",
            PERSON: "من(?= (?:هو|هي|هم|كان|كانت|ال)?)|لمن|مَن",
            THING: "ما|ماذا|لماذا|كيف|بماذا|بم|لم",
        },
        which="أي|أية|ما(?: هو| هي)?|ما اسم",
        nouns={
            DATE: "عام|سنة|يوم|شهر|تاريخ|قرن",
            PLACE: "مدينة|بلد|بلدة|مكان|نهر|جزيرة|قرية|دولة|ميناء|شارع|بحر|جبل",
            PERSON: "شخص|رجل|امرأة|رسام|مؤلف|كاتب|شاعر|قبطان|مهندس",
            ORGANISATION: "شركة|مدرسة|جامعة|دار|حزب|متحف|جمعية",
            WORK: "كتاب|رواية|فيلم|أوبرا|أغنية|قصيدة|لوحة",
            NUMBER: "ارتفاع|طول|عدد|سعر|عمق|عمر",
        },
        small="في من على إلى عن مع التي الذي كان كانت هو هي هم أن إن قد ثم أو بعد قبل عند تقع يقع اسم",
        alike="ولد|وُلد|مولد توفي|توفى|مات|وفاة أسس|تأسس|مؤسس كتب|مؤلف|ألف بنى|بني|بُني|شيد والد|ابن",
        verbs="هل|أليس",
        denies="لا|لم|ليس|ليست|لن|غير",
        yes="نعم",
        numerals="ثلاثة ثلاث أربعة أربع خمسة خمس ستة ست سبعة سبع ثمانية ثمان تسعة تسع عشرة عشر",
        where="في إلى ببلدة بلدة قرية مدينة جزيرة نهر",
    ),
})  # fmt: skip
