"""The words with which questions in other languages ask: one file a language, read when a question may be in it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

from polyhop.english.answer_type import AnswerType

LANGUAGES: Final = ("de", "fr", "es", "it", "pt", "nl", "pl", "ru", "uk", "zh", "ja", "ko", "ar")
"""In this order: it decides where words of several of them fit a question equally well."""

SPECIFIC: Final = (
    "fluss", "insel", "berg", "see", "meer", "straße", "rivière", "fleuve", "île", "rue", "mer", "montagne", "río",
    "isla", "calle", "mar", "monte", "fiume", "isola", "via", "rio", "ilha", "rua", "rivier", "eiland", "zee", "straat",
    "rzek", "wysp", "рек", "остров", "улиц", "мор", "гор", "річ", "نهر", "جزيرة", "شارع", "بحر", "جبل",
)  # fmt: skip
"""Beginnings of nouns for places of which a text rather says what they are than of towns and countries."""


@dataclass(frozen=True, kw_only=True)
class QuestionWords:
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
"""A language that no file has."""

NOTHING: Final = QuestionWords(asks={}, which="", nouns={}, small="", alike="", verbs="", denies="", yes="")
"""How it asks."""


@cache
def question_words(language: str) -> QuestionWords:
    """How a language asks; ``NOTHING`` for one that no file has."""
    if language not in LANGUAGES:
        return NOTHING
    file = files(__package__) / "languages" / f"{language}.toml"
    table: dict[str, Any] = {"small": "", "verbs": "", **tomllib.loads(file.read_text(encoding="utf-8"))}
    kinds = {name: {AnswerType(kind): words for kind, words in table.pop(name).items()} for name in ("asks", "nouns")}
    return QuestionWords(asks=kinds["asks"], nouns=kinds["nouns"], **table)
