"""Whether a question asks for a whole conversation: "What did we talk about on 4 May?"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from polyhop.documents.conversations.stamps import DATE, is_dated
from polyhop.indexes.folding import tokens

_DATED: Final = re.compile(DATE)
_CLOCK: Final = re.compile(r"\b(?:at|around|from)?\s*\d{1,2}(?:[:.]\d{2})?\s*(?:[ap]\.?m\b\.?|o'clock)?", re.IGNORECASE)
_WHOLE: Final = frozenset(
    tokens(
        "what which was were is are did do does have has had been the a an of in on at about between and with to for "
        "we they them us i he she there tell me main topic topics subject theme gist conversation conversations chat "
        "chats group discussion call meeting talk talked talking discuss discussed speak spoke said happen happened "
        "going summarise summarize summary"
    )
)
"""Words with which a whole conversation is asked for, and nothing that is said in it."""


def asks_of_all(question: str, names: Sequence[str]) -> bool:
    """Whether a question asks what a conversation of a day is about, rather than for something that is said in it.

    ``names``: of those who speak in it.
    """
    if not is_dated(question):
        return False
    said = set(tokens(_CLOCK.sub(" ", _DATED.sub(" ", question))))
    return said <= _WHOLE.union(*(tokens(f"{name} {name.replace(' ', '')}") for name in names))
