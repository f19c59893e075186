"""A language model that knows who designed Harrowmere Lighthouse and where she was born, whatever it is asked."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tests.worlds.endpoint import Played, says, streamed

DOCUMENTS = ("harrowmere_lighthouse.txt", "edda_marrish.md", "pellingrove.html")
DESIGNED = "Harrowmere Lighthouse was designed by the architect Edda Marrish"
BORN = "Edda Marrish was born in Pellingrove in 1271"
STATED = (  # a sentence's beginning, the fact and the question that it answers
    (DESIGNED, ("Harrowmere Lighthouse", "was designed by", "Edda Marrish"), "Who designed Harrowmere Lighthouse?"),
    (BORN, ("Edda Marrish", "was born in", "Pellingrove"), "Where was Edda Marrish born?"),
)
CONSTRAINTS = [
    {
        "head": "Harrowmere Lighthouse",
        "relations": ["was designed by", "architect", "designer"],
        "tail": "?architect",
        "question": "Who designed Harrowmere Lighthouse?",
    },
    {
        "head": "?architect",
        "relations": ["was born in", "birthplace", "native of"],
        "tail": "?birth_place",
        "question": "Where was ?architect born?",
    },
]


def sage(request: Mapping[str, Any]) -> Played:
    """What it says, by the form that it is asked for, as a stream where it is to be one; only what passages say."""
    asked = frozenset(request["response_format"]["json_schema"]["schema"]["properties"])
    prompt: str = request["messages"][1]["content"]
    said = next(answer for form, answer in ANSWERS.items() if form in asked)
    whole = says(json.dumps(said(prompt, asked)))
    return streamed(whole) if request["stream"] else whole


def _shown(prompt: str) -> Iterator[tuple[int, str, tuple[str, str, str], str]]:
    """Number of passage, beginning of sentence, fact and question, for each that a prompt shows."""
    for number, text in re.findall(r"<<<PASSAGE (\d+) [0-9a-f]+>>>\n(.*?)<<<END", prompt, re.DOTALL):
        for sentence, fact, question in STATED:
            if sentence in text:
                yield int(number), sentence, fact, question


def _facts(prompt: str, _: frozenset[str]) -> object:
    facts = [
        {"passage": number, "head": head, "relation": relation, "tail": tail, "evidence": sentence}
        for number, sentence, (head, relation, tail), _ in _shown(prompt)
    ]
    return {"entities": [], "facts": facts}


def _pairs(prompt: str, _: frozenset[str]) -> object:
    return {
        "pairs": [
            {"passage": number, "question": question, "answer": fact[2]} for number, _, fact, question in _shown(prompt)
        ]
    }


def _step(prompt: str, _: frozenset[str]) -> object:
    """The answer to a step, or to the whole question: where she was born, unless only who designed it is asked."""
    question = re.search(r"<<<QUESTION [0-9a-f]+>>>\n(.*)", prompt)
    who = question is not None and "designed" in question[1]
    found = [(number, sentence) for number, sentence, fact, _ in _shown(prompt) if (fact[2] == "Edda Marrish") == who]
    return _quoted(found, "Edda Marrish" if who else "Pellingrove") | {"sufficient": bool(found)}


def _answer(prompt: str, asked: frozenset[str]) -> object:
    found = [(number, sentence) for number, sentence, *_ in _shown(prompt)]
    quoted = _quoted(found, "Pellingrove") | {"found": bool(found)}
    if "shape" not in asked:
        return quoted
    parts = [{"text": "Pellingrove", "support": list(range(1, len(found) + 1))}]
    return quoted | {"shape": "short", "answer": parts}


def _quoted(found: list[tuple[int, str]], answer: str) -> dict[str, object]:
    support = [{"passage": number, "quote": sentence} for number, sentence in found]
    return {"support": support, "answer": answer if found else ""}


def _query(prompt: str, _: frozenset[str]) -> object:
    wanted = [question for sentence, _, question in STATED if sentence not in prompt]
    return {"reasoning": "One link after the other.", "next_query": wanted[0] if wanted else None}


ANSWERS: Mapping[str, Callable[[str, frozenset[str]], object]] = {  # by a property that only this form has
    "facts": _facts,
    "pairs": _pairs,
    "constraints": lambda *_: {"constraints": CONSTRAINTS},
    "steps": lambda *_: {"steps": ["Who designed Harrowmere Lighthouse?", "Where was #1 born?"]},
    "sufficient": _step,
    "found": _answer,
    "next_query": _query,
    "findings": lambda *_: {"conflicts": [], "findings": "Edda Marrish designed it, and was born in Pellingrove."},
    "follows": lambda *_: {"reason": "It does not follow.", "follows": False, "answer": ""},
    "reasoning": lambda *_: {"reasoning": "Edda Marrish designed it.", "answer": "Pellingrove"},
    "correct": lambda *_: {"reason": "It is the same place.", "correct": True},
}
