"""Every prompt as it is really sent: an invented example of each task, and the version of what is asked.

Nothing that answers questions needs this; manifests name the versions, and docs/prompts.md shows the examples.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType, ModuleType
from typing import Any, Final

from polyhop.models import structured
from polyhop.models.accounting import Request
from polyhop.ports import Completion, LanguageModel, Message
from polyhop.prompts import (
    answer_by_heart,
    answer_step,
    combine_answers,
    decompose,
    draft_answer,
    edit_fact,
    extract_facts,
    judge_answer,
    judge_clue,
    judge_plan,
    merge_answers,
    next_query,
    next_thought,
    plan,
    read_answer,
    standalone_question,
    summarise,
    write_questions,
)
from polyhop.prompts.batches import Batches
from polyhop.prompts.earlier_steps import EarlierStep
from polyhop.prompts.merge_answers import Answered
from polyhop.types import Fact, Passage

Ask = Callable[[LanguageModel], object]

_QUESTION: Final = "Where was the architect of Harrowmere Lighthouse born?"
_FIRST: Final = "Who was the architect of Harrowmere Lighthouse?"
_SECOND: Final = "Where was Edda Marrish born?"
_DESIGNED: Final = "Harrowmere Lighthouse was designed by the architect Edda Marrish."
_BORN: Final = "Edda Marrish was born in Pellingrove in 1271, the daughter of a miller."
_CHAIN: Final = "Harrowmere Lighthouse -(was designed by)-> Edda Marrish [1]"
_FACT: Final = Fact(
    head="Harrowmere Lighthouse", relation="was designed by", tail="Edda Marrish", start=0, end=len(_DESIGNED)
)


def _passage(number: int, title: str, text: str) -> Passage:
    return Passage(id=f"p{number}", document_id=f"d{number}", ordinal=0, start=0, end=len(text), title=title, text=text)


_PASSAGES: Final = (_passage(1, "Harrowmere Lighthouse", _DESIGNED), _passage(2, "Edda Marrish", _BORN))
_KNOWN: Final = EarlierStep(_FIRST, "Edda Marrish", (_DESIGNED,))
_ANSWERED: Final = (
    Answered(_FIRST, "Edda Marrish", True, (_CHAIN,), (_DESIGNED,)),
    Answered(_SECOND, "Pellingrove", False, (), ()),
)


def _of(task: Batches[Any]) -> Ask:
    """A task that is asked of passages, several a call."""

    def ask(model: LanguageModel) -> object:
        request = task.request(_PASSAGES)
        return model.complete(request.messages, max_tokens=request.max_tokens, schema=request.schema)

    return ask


# By module, an example of each form that its task takes; the first is the usual one.
EXAMPLES: Final[Mapping[ModuleType, Mapping[str, Ask]]] = MappingProxyType(
    {
        read_answer: {
            "": lambda model: read_answer.read_answer(model, _QUESTION, _PASSAGES),
            "where what it lacks is looked up, and something was": lambda model: read_answer.read_answer(
                model, _QUESTION, _PASSAGES, supplied=[_SECOND]
            ),
            "with findings, in few words, the likeliest answer where none is borne out": lambda model: (
                read_answer.read_answer(
                    model, _QUESTION, _PASSAGES, findings="It was Edda Marrish's.", brief=True, best=True
                )
            ),
        },
        standalone_question: {
            "": lambda model: standalone_question.standalone_question(
                model, "And where was she born?", [(_FIRST, "Edda Marrish")]
            )
        },
        decompose: {
            "": lambda model: decompose.decompose(model, _QUESTION),
            "again, where a step was not answered": lambda model: decompose.decompose(
                model, _QUESTION, known=[_KNOWN, EarlierStep(_SECOND, "", established=False)]
            ),
        },
        plan: {"": lambda model: plan.plan(model, _QUESTION)},
        answer_step: {
            "": lambda model: answer_step.answer_step(
                model, _SECOND, [_CHAIN], _PASSAGES, known=[_KNOWN], larger=_QUESTION
            ),
            "of passages alone": lambda model: answer_step.answer_step(model, _FIRST, [], _PASSAGES[:1]),
            "again, with what was held for likely": lambda model: answer_step.answer_step(
                model, _SECOND, [], _PASSAGES, guess=EarlierStep(_SECOND, "Pellingrove", (_BORN,), established=False)
            ),
            "several that need nothing of each other": lambda model: answer_step.answer_together(
                model, [_FIRST, _SECOND], [_CHAIN], _PASSAGES, larger=_QUESTION
            ),
        },
        combine_answers: {
            "": lambda model: combine_answers.combine_answers(
                model,
                "Which is older, Heron Bridge (1402) or the Long Bridge (1377)?",
                [EarlierStep("When was Heron Bridge built?", "1402"), EarlierStep("... the Long Bridge?", "1377")],
            )
        },
        merge_answers: {"": lambda model: merge_answers.merge_answers(model, _QUESTION, _ANSWERED)},
        next_query: {"": lambda model: next_query.next_query(model, _QUESTION, [(_QUESTION, _PASSAGES[:1])])},
        draft_answer: {"": lambda model: draft_answer.draft_answer(model, _QUESTION, _PASSAGES[:1])},
        next_thought: {
            "": lambda model: next_thought.next_thought(model, _QUESTION, _PASSAGES[:1], ["Edda Marrish designed it."])
        },
        answer_by_heart: {
            "": lambda model: answer_by_heart.answer_by_heart(model, _QUESTION),
            "in few words, the likeliest answer where it is not known": lambda model: answer_by_heart.answer_by_heart(
                model, _QUESTION, brief=True, best=True
            ),
        },
        extract_facts: {"": _of(extract_facts.batches())},
        write_questions: {
            "": _of(write_questions.batches()),
            "with answers that stand there word for word": _of(write_questions.batches(grounding="strict")),
        },
        summarise: {"": lambda model: summarise.summarise(model, [_DESIGNED, _BORN], about="Edda Marrish")},
        judge_answer: {
            "": lambda model: judge_answer.judge_answer(model, _QUESTION, "in Pellingrove", ["Pellingrove"])
        },
        judge_clue: {
            "": lambda model: judge_clue.judge_clues(
                model, _FIRST, [("Harrowmere Lighthouse", "was designed by the architect ##")], _DESIGNED
            )
        },
        judge_plan: {
            "": lambda model: judge_plan.judge_plan(
                model,
                _QUESTION,
                [_FIRST, "Where was #1 born?"],
                ["Harrowmere Lighthouse >> architect", "#1 >> place of birth"],
            )
        },
        edit_fact: {
            "": lambda model: edit_fact.edit_fact(model, "mis_bound", _FACT, _DESIGNED, ["Abel Wintern", "Harrowmere"])
        },
    }
)


class _Sent(Exception):
    """Carries a request out of whatever made it."""

    def __init__(self, request: Request) -> None:
        super().__init__("sent")
        self.request = request


class _Letterbox:
    """A model that answers nothing, and hands over what it is asked."""

    name = "letterbox"

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int = 512, schema: Mapping[str, Any] | None = None
    ) -> Completion:
        raise _Sent(Request(messages=tuple(messages), max_tokens=max_tokens, schema=schema))


def sent(ask: Ask) -> Request:
    """The first request of a task, as it is really sent."""
    try:
        ask(_Letterbox())
    except _Sent as letter:
        return letter.request
    raise ValueError("The example asks a language model nothing.")


def name_of(module: ModuleType) -> str:
    """What a task is called: its file in ``prompts/``, without the ending."""
    return module.__name__.rpartition(".")[2]


def version_of(module: ModuleType) -> str:
    """Twelve hexadecimal digits that change with any text of a task: its prompts, examples, repairs, forms, schema."""
    requests = [sent(ask) for ask in EXAMPLES[module].values()]
    examples = [[[turn.role, turn.content] for turn in one.messages] for one in requests]
    content = [examples, [one.schema for one in requests], sorted(_texts(module)), sorted(_texts(structured))]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:12]


@cache
def versions() -> Mapping[str, str]:
    """By task, the version of its prompts."""
    return MappingProxyType({name_of(module): version_of(module) for module in EXAMPLES})


def digest() -> str:
    """The versions of all tasks in one."""
    return hashlib.sha256(json.dumps(dict(versions())).encode()).hexdigest()[:12]


def _texts(module: ModuleType) -> Iterator[tuple[str, str]]:
    """The texts that a module keeps under names in capitals, and those within its tables."""
    for name, value in vars(module).items():
        if name.isupper() and isinstance(value, str):
            yield name, value
        elif name.isupper() and isinstance(value, Mapping) and all(isinstance(part, str) for part in value.values()):
            yield from ((f"{name}.{key}", part) for key, part in value.items())
