"""Language models that take questions apart, answer steps, merge and read as a test has them know."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from polyhop.engine import Polyhop
from tests.worlds.endpoint import EndpointServer, Played, refuses, says, serving
from tests.worlds.extraction import titles_in
from tests.worlds.ferries import STATED
from tests.worlds.prompts import inside
from tests.worlds.settings import QUICK
from tests.worlds.stepchain import Open

ASKED = ("Who built the Gull?", "Where was #1 born?")


@dataclass
class Sage:
    """A language model that plans, answers, merges and reads as it is told here, whatever the order."""

    plans: list[Sequence[str]] = field(default_factory=lambda: [ASKED])
    knows: dict[str, tuple[str, str]] = field(
        default_factory=lambda: {
            "Who built the Gull?": ("Ada Brook", "It was built by Ada Brook in 1801."),
            "Where was Ada Brook born?": ("Velm", "She was born in Velm."),
        }
    )
    follows: dict[str, str] = field(default_factory=dict)  # what earlier answers settle
    answer: tuple[str, ...] = ("Velm", "She was born in Velm.")  # and what is quoted for it
    broken: str = ""  # the task in which the endpoint fails
    tasks: list[str] = field(default_factory=list)  # what was asked, in order
    prompts: dict[str, list[str]] = field(default_factory=dict)

    def __call__(self, request: Mapping[str, Any]) -> Played:
        """One answer to one request."""
        system, prompt = (message["content"] for message in request["messages"][:2])
        [task] = [task for words, task in TASKS.items() if words in system]
        self.tasks.append(task)
        self.prompts.setdefault(task, []).append(prompt)
        if task == self.broken:
            return refuses(500, "out of order")
        return says(json.dumps(getattr(self, task)(prompt)))

    def decompose(self, prompt: str) -> object:
        """The next of the plans; the last one for ever."""
        return {"steps": self.plans.pop(0) if len(self.plans) > 1 else self.plans[0]}

    def step(self, prompt: str) -> object:
        """What it knows, with the passages that say so."""
        answer, quote = self.knows.get(inside(prompt, "QUESTION"), ("a guess", ""))
        shown = [number for number, text in passages_in(prompt) if quote and quote in text]
        support = [{"passage": number, "quote": quote} for number in shown]
        return {"support": support, "answer": answer, "sufficient": bool(support)}

    def together(self, prompt: str) -> object:
        """The same for several steps."""
        asked = re.findall(r"<<<QUESTION \d+ ([0-9a-f]+)>>>\n(.*)\n", prompt)
        steps = [self.step(f"{prompt}\n<<<QUESTION {tag}>>>\n{one}\n<<<END OF QUESTION {tag}>>>") for tag, one in asked]
        return {"answers": [{"question": number, **step} for number, step in enumerate(steps, 1)]}  # type: ignore[dict-item]

    def combine(self, prompt: str) -> object:
        """What it knows of such a question; what it does not know does not follow."""
        answer = self.follows.get(inside(prompt, "QUESTION"), "")
        return {"reason": "It is so.", "follows": bool(answer), "answer": answer}

    def merge(self, prompt: str) -> object:
        """Always the same."""
        return {"conflicts": [], "findings": "The builder of the Gull was born in Velm."}

    def read(self, prompt: str) -> object:
        """The answer, if passages say so."""
        answer, *quotes = self.answer
        shown = passages_in(prompt)
        support = [{"passage": at, "quote": quote} for quote in quotes for at, text in shown if quote in text]
        return {"support": support, "found": bool(support), "answer": answer}

    def extract(self, prompt: str) -> Any:
        """What the ferries' graph says."""
        titles = titles_in({"messages": [None, {"content": prompt}]})
        stated = [(number, one) for number, title in enumerate(titles, 1) for one in STATED.get(title, ())]
        return {
            "facts": [
                {"passage": number, "head": head, "relation": relation, "tail": tail, "evidence": sentence}
                for number, (head, relation, tail, sentence) in stated
            ]
        }

    def summarise(self, prompt: str) -> object:
        """Always the same."""
        return {"summary": "Ferries were built there."}


@dataclass
class Doubting(Sage):
    """Quotes what it knows, and holds some of it for a guess, unless passages also say what makes it sure."""

    doubts: dict[str, str] = field(default_factory=dict)  # by question, the words that would make it sure

    def step(self, prompt: str) -> object:
        """As ever, but not sure of everything."""
        said: Any = super().step(prompt)
        sure = self.doubts.get(inside(prompt, "QUESTION"))
        missing = sure is not None and not any(sure in text for _, text in passages_in(prompt))
        return {**said, "sufficient": said["sufficient"] and not missing}


TASKS = {
    "You plan how to answer": "decompose",
    "You answer one step": "step",
    "You answer steps of a plan": "together",
    "Earlier steps looked things up": "combine",
    "Put together what they found": "merge",
    "You answer a question from numbered passages": "read",
    "You write down the facts": "extract",
    "You summarise texts": "summarise",
}


def passages_in(prompt: str) -> list[tuple[int, str]]:
    """The passages that a prompt shows, by number."""
    return [
        (int(number), text)
        for number, text in re.findall(r"<<<PASSAGE (\d+) [0-9a-f]+>>>\n(.*?)\n<<<END", prompt, re.DOTALL)
    ]


@contextmanager
def sagely(opened: Open, sage: Sage, **layers: object) -> Iterator[tuple[Polyhop, EndpointServer]]:
    """A fresh index with this model behind an endpoint."""
    with serving(sage) as server:
        model = {"base_url": server.url, "model": "sage", "attempts": 1, "cache": "none"}
        models = {**QUICK.to_mapping().get("models", {}), "language_model": "openai"}
        changes: dict[str, Any] = {"models": models, "language_model": model}
        yield opened({**changes, **({"layers": {"facts": layers}} if layers else {})}), server


FIRST = "Which ferry was built first, the Gull or the Pike?"
COMPARED = ("When was the Gull built?", "When was the Pike built?", "Which was first, the Gull (#1) or the Pike (#2)?")
YEARS = {
    COMPARED[0]: ("1801", "It was built by Ada Brook in 1801."),
    COMPARED[1]: ("1810", "It was built by Otto Reed in 1810."),
}
