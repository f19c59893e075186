"""Sentences without a parser, in any script: for quotations, not for grammar.

What is no prose has no end marks: a row of a table, an item of a list, a turn of a chat and a line of code are a
sentence each.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise, takewhile
from typing import Final

from polyhop.documents.labelled_lines import FIELD, indent, is_head, records_in
from polyhop.english.words import ARTICLES, AUXILIARIES, CONJUNCTIONS, PREPOSITIONS

# An end mark with what closes after it and the marks of notes ("[3]"), then white space and something that can begin a
# sentence; ideographic end marks need no space, and what they close goes on where a particle or a comma follows. A
# blank line ends a sentence too.
_END = re.compile(
    r"(?<=[.!?؟۔।॥։።။។…])[\"'”’“»›«)\]]*(?:\[[^\[\]\n]{1,20}\])*\s+(?=[^\s\da-z])"
    r"|(?<=[。！？｡．])(?<!．(?=\d))[。！？｡]*+(?:[」』”’）》〉】]++(?![、，。とっ])|(?![」』”’）》〉】]))"
    r"|\n\s*\n"
)
# Single initials ("J. Smith"), titles, what points at something behind it, a town in Russian ("г. Псков": a year is
# "1887 г."), and German ordinals.
_ABBREVIATION = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Messrs|Dr|St|Jr|Sr|Prof|Rev|Hon|Gen|Col|Maj|Capt|Lt|Sgt|Cpl|Pte|Adm|Cdr|Supt|Insp|Cllr|Sen|Rep|Gov"
    r"|Brig|Lieut|Cmdr|Pvt|Msgr|Bros|No|Vol|Figs?|Sec|Eq|e\.g|i\.e|viz|vs|ca|cf|approx|Mt|Ft"
    r"|Nr|Hr|Bd|bzw|Mme|Mlle|Dra|Sra|Srta|núm|pág|проф|акад|ул|им|гл|стр|рис)"
    r"|(?<!\d)(?<!\d[\s\xa0])\bг|\b(?:[Dd](?:er|ie|as|em|en|es)|[Vv]om|[Zz]um|[Bb]eim)\s\d{1,2})\.$"
)
_MONTH = re.compile(
    r"(?:Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|Jahrhundert|Jh)\b"
)
_ORDINAL = re.compile(r"\b\d{1,2}\.$")
_SHORT = re.compile(r"\b[a-z]\.$")  # "z. B.", "d. h.": a short form of several words
_SHORT_TOO = re.compile(r"[^\W\d_]\.")
_MARKER = re.compile(r"\s*\(?(?:\d{1,3}|[a-z]|[ivxl]{1,5})\.")  # of an item
_LOOK_BACK = 12  # characters that tell a short form
_SHORT_TEXT: Final = 8_000  # characters; sentences of longer texts are not remembered

NARROWEST: Final = 45  # characters; what is narrower is a list, an address or verse
WIDEST: Final = 140  # wider lines are paragraphs
_FEWEST: Final = 2  # lines as wide as the text
_RAGGED: Final = 16  # characters by which wrapped lines may be shorter than the widest
_SHARE: Final = 0.5  # of the characters in lines that others follow: as many are in wide ones where text is wrapped
_ITEM: Final = re.compile(
    r"[-*+–—o]\s|[•·‣▪]|\(?(?:\d{1,3}|[A-Za-z]|[ivxl]{1,5})[.)]\s|\d+(?:\.\d+)+\.?\s|[#>|:]|\.\.\s|`{3}|\[\d+\]"
)
_ALWAYS_ITEM: Final = re.compile(r"[•·‣▪#>|:]|\.\.\s|`{3}")  # no sentence goes on with these
_COUNTED: Final = re.compile(r"[(\[]?(?:(\d+(?:\.\d+)*)|([A-Za-z]|[ivxl]{1,5})(?![^\W_]))")  # of the mark of an item
LABEL: Final = re.compile(r"[^\W\d_][\w ]{0,30}:(?:\s|$)")  # "Present: six members"
_CELL: Final = r"[^\W\d_][^\n:;]{0,60}: (?:[^\n:;]|:(?! ))+"  # of a row: "Opens: 10:30"
_ROW: Final = re.compile(rf"^[ \t]*{_CELL}(?:; {_CELL})+$", re.MULTILINE)
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*([^`\n]*)$")  # around code, perhaps with its language
_TABULAR: Final = re.compile(r"\S(?: {3,}|\t)\s*\S|\|.*\|")
_RULE: Final = re.compile(r"[\W_]+")
_WAITING: Final = ARTICLES | AUXILIARIES | CONJUNCTIONS | PREPOSITIONS  # words behind which a sentence hardly ends
_CUT: Final = re.compile(r"\w[-\u2010][ \t]*\Z")
_ENDED: Final = (*".!?:;\u2026\u3002\uff01\uff1f\u061f\u06d4\u0964", '."', ".'", ".)", ".\u201d", "!\u201d", "?\u201d")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of each sentence, without the white space around it."""
    return list(_remembered(text) if len(text) <= _SHORT_TEXT else _spans(text))


@lru_cache(maxsize=512)
def _remembered(text: str) -> tuple[tuple[int, int], ...]:
    """The same of a passage, which one question asks for again and again."""
    return tuple(_spans(text))


def _spans(text: str) -> list[tuple[int, int]]:
    rows = [row.span() for row in _ROW.finditer(text)]
    ends = [end for end in _marked_ends(text) if not _is_within(end, rows)]
    if "\n" in text:
        ends = sorted({*ends, *line_ends(text)})
    spans = [_stripped(text, begin, end) for begin, end in pairwise([0, *ends, len(text)])]
    return [(begin, end) for begin, end in spans if begin < end]


def _is_within(place: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether a place lies within one of some spans, which are in order and apart."""
    at = bisect_left(spans, (place,)) - 1
    return at >= 0 and place < spans[at][1]


def _marked_ends(text: str) -> Iterator[int]:
    """Where sentences end by their marks or before a blank line."""
    start = 0
    for match in _END.finditer(text):
        if not _goes_on(text, start, match):
            start = match.end()
            yield start


def _goes_on(text: str, start: int, end: re.Match[str]) -> bool:
    """Whether what looks like the end of a sentence is none: a short form, or a small letter of any script behind."""
    before, after = text[max(start, end.start() - _LOOK_BACK) : end.start()], end.end()
    if not before.endswith("."):
        return False
    inline = end[0][-1:].isspace() and end[0].count("\n") < 2
    return (
        _MARKER.fullmatch(text, max(start, text.rfind("\n", start, end.start())), end.start()) is not None
        or (inline and text[after].islower())
        or _is_initial(before)
        or _ABBREVIATION.search(before) is not None
        or (_SHORT.search(before) is not None and _SHORT_TOO.match(text, after) is not None)
        or (_ORDINAL.search(before) is not None and _MONTH.match(text, after) is not None)
    )


def _is_initial(before: str) -> bool:
    """Whether a full stop stands behind a single capital, in any script that has capitals."""
    return before[-1:] == "." and before[-2:-1].isupper() and not before[-3:-2].isalnum()


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())


# -- lines


def line_ends(text: str) -> Iterator[int]:
    """Where a line of a text ends that the width of a page did not part: a row, an item, a turn, a title, a verse.

    Lines that follow one another and each begin with a label of their own are one record (``labelled_lines.py``),
    and end with it, unless they are the head of mail or of minutes.
    """
    lines = text.split("\n")
    code = _code_lines(lines)
    prose = ["" if number in code else line for number, line in enumerate(lines)]
    width = wrapped_width([one for one, following in pairwise(prose) if one.strip() and following.strip()])
    block: list[str] = []
    at = 0  # where the block begins
    for number, line in enumerate([*lines, ""]):
        if line.strip() and number not in code:
            block.append(line)
            continue
        yield from (at + end for end in _line_ends(block, 0 if keeps_lines(block) else width))
        at += sum(map(len, block)) + len(block)
        if number in code:
            yield from (at, at + len(line))
        at += len(line) + 1
        block.clear()


def _code_lines(lines: Sequence[str]) -> set[int]:
    """The numbers of the lines between fences, and of these; a text may begin or end within code."""
    code: set[int] = set()
    opened: tuple[int, re.Match[str]] | None = None
    for number, line in enumerate(lines):
        fence = _FENCE.match(line)
        if fence is None:
            continue
        if opened is None or fence[2]:
            opened = (number, fence)
        elif fence[1].startswith(opened[1][1]):
            code.update(range(opened[0], number + 1))
            opened = None
    if opened is not None and opened[1][2]:
        code.update(range(opened[0], len(lines)))
    return code


def _line_ends(block: Sequence[str], width: int) -> Iterator[int]:
    """The same within lines between which none is blank."""
    head = is_head({label[0].strip(" \t\n:").lower() for line in block if (label := FIELD.match(line.lstrip()))})
    records = [-1] * len(block) if head else records_in(block)
    entries = entry_lines(block)
    end = -1
    for number, (before, line) in enumerate(pairwise(block), start=1):
        end += len(before) + 1
        one, other = records[number - 1], records[number]
        if -1 not in (one, other):
            if one != other:
                yield end
            continue
        folded = head and FIELD.match(before.lstrip()) and not FIELD.match(line.lstrip()) and line[:1].isspace()
        if not folded and (number in entries or not _is_parted(before, line, width)):
            yield end


def _is_parted(before: str, line: str, width: int) -> bool:
    """Whether only the width of a page parts two lines; where that is not known, a small letter tells."""
    if LABEL.match(line.lstrip()):
        return False
    if width:
        return line_goes_on(before, line, width)
    return line.lstrip()[:1].islower() and not has_ended(before.rstrip())


def wrapped_width(lines: Sequence[str]) -> int:
    """The width at which most of these lines were wrapped, or 0 where they were not."""
    lengths = Counter(len(line.rstrip()) for line in lines if not _TABULAR.search(line.strip()))
    if not lengths:
        return 0

    def near(width: int) -> int:
        return sum(lengths[length] for length in range(width - _RAGGED, width + 1))

    width = max(lengths, key=lambda length: (near(length), -length))
    width = max(length for length in lengths if width - _RAGGED <= length <= width)
    wide = sum(length * lengths[length] for length in range(width - _RAGGED, width + 1))
    all_of_them = sum(length * count for length, count in lengths.items())
    is_wrapped = near(width) >= _FEWEST and wide >= _SHARE * all_of_them
    return width if is_wrapped and NARROWEST <= width <= WIDEST else 0


def keeps_lines(block: Sequence[str]) -> bool:
    """Whether a block is a table, sentences of which each has its lines, or verse.

    Verse has lines that all begin with a capital, where not every letter is one. Of a paragraph that was wrapped hardly
    all lines end with a sentence.
    """
    if sum(_TABULAR.search(line.strip()) is not None for line in block) * 2 > len(block):
        return True
    if len(block) > 2 and all(has_ended(line.rstrip()) for line in block[:-1]):
        return True
    is_verse = len(block) > 2 and all(line.lstrip()[:1].isupper() for line in block)
    return is_verse and not all(line.isupper() for line in block)


def line_goes_on(before: str, line: str, width: int) -> bool:
    """Whether a line goes on with the one before: that was full, or is no short one and has not ended.

    A small letter tells that, or a comma, or a word such as "from" that waits for another one.
    """
    before, line = before.rstrip(), line.strip()
    if _RULE.fullmatch(before) or _RULE.fullmatch(line):
        return False
    full = is_cut(before) or len(before) + 1 + len(line.split(maxsplit=1)[0]) > width
    if full or 2 * len(before) <= width or has_ended(before):
        return full
    return line[:1].islower() or before.endswith(",") or before.split()[-1].lower() in _WAITING


def begins_item(line: str) -> bool:
    """Whether a line begins an item of a list, by its mark or its number."""
    return _ITEM.match(line) is not None


def entry_lines(block: Sequence[str]) -> set[int]:
    """The numbers of those lines of a block that begin an item of a list, or an entry of a diary.

    Where several lines begin with a number behind a sentence, a day or a time perhaps, each begins an entry.
    """
    entries = {
        number
        for number, line in enumerate(block)
        if line.lstrip()[:1].isdigit() and (not number or has_ended(block[number - 1].rstrip()))
    }
    return item_lines(block) | entries if len(entries) > 1 else item_lines(block)


def item_lines(lines: Sequence[str]) -> set[int]:
    """The numbers of those lines that begin an item of a list.

    What looks like the mark of an item may as well be wrapped, as "31.4 mm" is: behind a line that has not ended, and
    at the same margin, a mark needs another one that goes with it.
    """
    said = [line.strip() for line in lines]
    marked = [number for number, line in enumerate(said) if begins_item(line)]
    in_company = {
        number for pair in pairwise(marked) if _go_together(*(said[number] for number in pair)) for number in pair
    }
    return {
        number
        for number in marked
        if number in in_company or _ALWAYS_ITEM.match(said[number]) or not _may_go_on(lines, number)
    }


def _may_go_on(lines: Sequence[str], number: int) -> bool:
    """Whether a line stands at the margin of the one before, which has not ended."""
    if not number:
        return False
    before = lines[number - 1]
    return not has_ended(before.rstrip()) and indent(before) == indent(lines[number])


def _go_together(one: str, other: str) -> bool:
    """Whether two lines have the same mark, or the second one's counts on from the first one's."""
    first, second = _COUNTED.match(one), _COUNTED.match(other)
    if first is None or second is None or one[1].isspace():
        return one[0] == other[0]
    if first[2] and second[2]:
        return (
            len(first[2] + second[2]) > 2 or ord(second[2]) - ord(first[2]) == 1
        )  # "(i)" and "(ii)", or "a)" and "b)"
    return bool(first[1] and second[1]) and _counts_on(first[1].split("."), second[1].split("."))


def _counts_on(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether one number is the next one behind another, as 1.2, 1.1.1 and 2 are behind 1.1."""
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))
    ahead = second[same:]
    begins = int(first[same]) + 1 if same < len(first) else 1
    return list(map(int, ahead)) == [begins, *[1] * (len(ahead) - 1)]


def has_ended(line: str) -> bool:
    """Whether a sentence ends with a line."""
    return line.endswith(_ENDED)


def is_cut(line: str) -> bool:
    """Whether a line ends within a word, or behind the hyphen of one."""
    return _CUT.search(line) is not None
