"""A question that asks several things is a conversation in one breath: "Who built it, and when did it open?"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from polyhop.conversation.frames import WITH_NOUN, is_bare, without_link
from polyhop.english.question import DOUBTING
from polyhop.english.verbs import is_finite
from polyhop.english.words import AUXILIARIES, PREPOSITIONS, PRONOUNS, WH_WORDS, word_set

MOST: Final = 6  # things that one question asks: what seems to ask for more is read as a whole
_SENTENCE_END: Final = re.compile(r"(?<=\?)\s+")
_JOINT: Final = re.compile(r"(?:,\s*|\s+)and\s+(?:also\s+|if so,?\s+)?|,\s+")
_RELATIVE: Final = word_set("who whom whose which what that")  # may begin clauses that are no questions
_ENUMERATED: Final = word_set("what when why how")  # behind a comma the others describe what is before it
_ENDS: Final = "?!.,; "
_PHRASE: Final = 6  # words from a wh-word to its verb, at most: "how many of the old windows were"


def asked_apart(question: str) -> tuple[str, ...]:
    """What a question asks, each thing as a question of its own; the question alone where it is one.

    Each but the first may point back as in a conversation, or be nothing but "by whom". Clauses that describe are no
    questions: "the city where he lived and where she died".
    """
    sentences = map(without_link, _SENTENCE_END.split(question.strip()))
    found = [part.rstrip(_ENDS) for sentence in sentences for part in _parts(sentence)]
    if not 1 < len(found) <= MOST or not all(_asks(part.lower().split()) for part in found):
        return (question,)
    return tuple(f"{part[:1].upper()}{part[1:]}?" for part in _with_the_noun(found))


def _parts(sentence: str) -> list[str]:
    """A sentence cut before whatever asks something else."""
    parts, behind = [""], 0
    joints = list(_JOINT.finditer(sentence))
    last = max((at for at, joint in enumerate(joints) if "and" in joint.group()), default=-1)
    for at, joint in enumerate(joints):
        end = joints[at + 1].start() if at + 1 < len(joints) else len(sentence)
        before = parts[-1] + sentence[behind : joint.start()]
        rest, piece = sentence[joint.end() :], sentence[joint.end() : end]
        joined = "and" in joint.group() or (at < last and rest.split(maxsplit=1)[0] in _ENUMERATED)
        if joined and _asks_anew(rest, piece, before):
            parts[-1] = before
            parts.append("")
            behind = joint.end()
    parts[-1] += sentence[behind:]
    return _framed(parts)


def _framed(parts: Sequence[str]) -> list[str]:
    """The parts, of which a first bare "When" asks what the next one does: "When and where was it built?"."""
    first = parts[0].lower().split()
    if len(parts) < 2 or not is_bare(first):
        return list(parts)
    words = parts[1].split()
    verb = _verb([word.lower() for word in words])
    return [f"{parts[0]} {' '.join(words[verb:])}", *parts[1:]] if verb else [" ".join(parts)]


def _with_the_noun(parts: Sequence[str]) -> list[str]:
    """The parts, where "which" without a noun has that of the first: "Which gate is red, and which is green?"."""
    words = parts[0].lower().split()
    noun = parts[0].split()[1 : _verb(words)] if words[0] == "which" else []
    others = []
    for part in parts[1:]:
        which, *rest = part.split(maxsplit=1)
        lacks = bool(noun) and which.lower() == "which" and _verb(part.lower().split()) == 1
        others.append(" ".join([which, *noun, *rest]) if lacks else part)
    return [parts[0], *others]


def _asks_anew(rest: str, piece: str, before: str) -> bool:
    """Whether a question begins with what is left of a sentence, whose next ``piece`` ends at a comma or an "and"."""
    words, said = [word.strip(_ENDS) for word in rest.lower().split()], before.lower().split()
    if not words or not _asks(said) or rest[:1].isupper():
        return False
    if words[0] in AUXILIARIES:
        return len(words) > 2 and words[1] in PRONOUNS
    at = 1 if words[0] in PREPOSITIONS else 0
    if at >= len(words) or words[at] not in WH_WORDS:
        return False
    if is_bare(piece.lower().rstrip(_ENDS).split()):
        return True
    verb = _verb(words)
    if not verb or (verb > at + 1 and words[at] not in WITH_NOUN):
        return False
    if at == 0 and words[0] in _RELATIVE:
        return _RELATIVE.isdisjoint(said[2 if said[0] in PREPOSITIONS else 1 :])
    return words[verb] in AUXILIARIES


def _verb(words: Sequence[str]) -> int:
    """Where the verb of a question stands that begins with a wh-phrase; 0: nowhere near."""
    begin = 2 if words[0] in PREPOSITIONS else 1
    return next((at for at in range(begin, min(len(words), begin + _PHRASE)) if is_finite(words[at])), 0)


def _asks(words: Sequence[str]) -> bool:
    """Whether words begin as a question does."""
    return bool(words) and words[1 if words[0] in PREPOSITIONS and len(words) > 1 else 0] in WH_WORDS | DOUBTING
