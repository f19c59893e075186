"""Hyphenated words, which a parser takes apart, each as the one word it is: ``co-operative``, ``Aix-en-Provence``."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from polyhop.english.words import PREPOSITIONS
from polyhop.layers.grammar.lexicon import NUMBERS, TIMES
from polyhop.ports import ParsedEntity, ParsedWord

_HYPHENS = frozenset("-\u2010\u2011")
_DESCRIBING = NUMBERS | {"NORP"}  # labels of what tells of a noun, and names nothing by itself
_MODIFIERS = frozenset({"compound", "amod", "nmod"})
_NOUNS = frozenset({"nsubj", "nsubjpass", "dobj", "pobj", "attr", "appos", "conj", "dative", "poss", "oprd"})


class WholeWords(NamedTuple):
    """The words and the entities of a sentence, none of which begins or ends within a word."""

    words: Sequence[ParsedWord]
    entities: Sequence[ParsedEntity]
    compounds: Sequence[ParsedWord]  # those of the words that were put together


def joined(text: str, words: Sequence[ParsedWord], entities: Sequence[ParsedEntity]) -> WholeWords:
    """A parse with the parts of each hyphenated word put together, and the names that end at one of them made longer.

    What is only beside a hyphen stays apart: ranges of numbers and times (``Monday-Friday``), two names
    (``London-Paris``), and a number or a name that only begins a describing word (``five-star``, ``London-based``).
    """
    groups = [group for group in _hyphenated(text, words) if _is_one(text, words, group, entities)]
    if not groups:
        return WholeWords(words, entities, ())
    whole = _together(words, groups)
    begun = {words[group.start].start for group in groups}
    compounds = [word for word in whole if word.start in begun]
    longer = [name for entity in entities if (name := _longer(entity, compounds)) is not None]
    return WholeWords(whole, _tied(longer, whole, compounds), compounds)


def ends_in_name(word: str) -> bool:
    """Whether a word has a capital behind its last hyphen, as names do wherever they stand: ``Rock-a-Doodle``."""
    beginning, _, end = word.rpartition("-")
    return bool(beginning) and end[:1].isupper()


def main_part(word: str) -> str:
    """The part that says what a hyphenated word is: ``aunt`` of ``great-aunt``, ``editor`` of ``editor-in-chief``."""
    parts = word.split("-")
    behind = next((at for at, part in enumerate(parts) if at and part in PREPOSITIONS), len(parts))
    return parts[behind - 1]


def _hyphenated(text: str, words: Sequence[ParsedWord]) -> list[range]:
    """The stretches of words that have a hyphen between each two, with a letter behind it and no space."""
    found: list[range] = []
    for hyphen in range(1, len(words) - 1):
        if not _is_within_word(text, *words[hyphen - 1 : hyphen + 2]):
            continue
        if found and found[-1].stop == hyphen:
            found[-1] = range(found[-1].start, hyphen + 2)
        else:
            found.append(range(hyphen - 1, hyphen + 2))
    return found


def _is_within_word(text: str, before: ParsedWord, mark: ParsedWord, after: ParsedWord) -> bool:
    return (
        text[mark.start : mark.end] in _HYPHENS
        and before.end == mark.start
        and mark.end == after.start
        and text[before.end - 1].isalnum()
        and text[after.start].isalpha()
    )


def _is_one(text: str, words: Sequence[ParsedWord], group: range, entities: Sequence[ParsedEntity]) -> bool:
    """Whether a hyphenated word tells no time, and its ends cut no name but one that goes on to them."""
    start, end = words[group.start].start, words[group[-1]].end
    touched = [entity for entity in entities if entity.start < end and entity.end > start]
    if any(entity.label in TIMES for entity in touched):
        return False
    cut = [entity for entity in touched if entity.start > start or entity.end < end]
    if not cut:
        return True
    if len(touched) > 1 or cut[0].label in NUMBERS or not text[start].isupper():
        return False
    noun = words[_head(words, group)].dependency in _NOUNS and cut[0].label not in _DESCRIBING
    return text[words[group[-1]].start].isupper() or noun


def _head(words: Sequence[ParsedWord], group: range) -> int:
    """The part that the rest of the sentence governs; the last one, as in English, where the parser says several."""
    return _governed(words, group)[-1]


def _governed(words: Sequence[ParsedWord], group: range) -> Sequence[int]:
    return [i for i in group if words[i].head == i or words[i].head not in group] or group


def _together(words: Sequence[ParsedWord], groups: Sequence[range]) -> list[ParsedWord]:
    """The words with each group as one, which governs what its parts did."""
    parsed = _beyond(words, groups)
    begun = {group.start: group for group in groups}
    within = set(chain.from_iterable(group[1:] for group in groups))
    kept = [i for i in range(len(words)) if i not in within]
    places = {i: place for place, i in enumerate(kept)}
    places |= {i: places[group.start] for group in groups for i in group}
    found = []
    for place, i in enumerate(kept):
        group = begun.get(i)
        head, last = (parsed[i], i) if group is None else (parsed[_head(parsed, group)], group[-1])
        found.append(ParsedWord(words[i].start, words[last].end, places.get(head.head, place), head.dependency))
    return found


def _beyond(words: Sequence[ParsedWord], groups: Sequence[range]) -> Sequence[ParsedWord]:
    """The words; a noun that governs the end of a group, and hangs on its beginning, takes the beginning's place.

    In "the Burnham-on-Sea Council" the parser takes "Sea Council" for what Burnham is on.
    """
    found = list(words)
    for group in groups:
        governed = _governed(words, group)
        first, noun = words[governed[0]], words[governed[-1]].head
        if 0 <= noun < len(words) and noun not in group and words[noun].head in group:
            found[noun] = ParsedWord(words[noun].start, words[noun].end, first.head, first.dependency)
    return found


def _longer(entity: ParsedEntity, compounds: Sequence[ParsedWord]) -> ParsedEntity | None:
    """A name with all of a word that it is a part of; nothing where a part of one word was taken for a person."""
    for word in compounds:
        if word.start < entity.end and word.end > entity.start:
            start, end = min(word.start, entity.start), max(word.end, entity.end)
            if entity.label == "PERSON" and (start, end) == (word.start, word.end) != (entity.start, entity.end):
                return None  # "Stratford" of "Stratford-upon-Avon"
            entity = ParsedEntity(start, end, entity.label, entity.dependency)
    return entity


def _tied(
    entities: Sequence[ParsedEntity], words: Sequence[ParsedWord], compounds: Sequence[ParsedWord]
) -> list[ParsedEntity]:
    """The names, of which two are one where the first ends with a hyphenated word that a word of the second governs.

    So it is with "Harbour Co-operative" and "Bank".
    """
    ends = {word.end: words[word.head] for word in compounds if word.dependency in _MODIFIERS}
    found: list[ParsedEntity] = []
    for entity in entities:
        before = found[-1] if found else None
        noun = ends.get(before.end) if before and _DESCRIBING.isdisjoint((before.label, entity.label)) else None
        if before and noun and entity.start == before.end + 1 and entity.start <= noun.start < entity.end:
            found[-1] = ParsedEntity(before.start, entity.end, entity.label, entity.dependency)
        else:
            found.append(entity)
    return found
