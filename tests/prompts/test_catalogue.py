"""Every prompt is shown as it is sent, and no word of one changes without its version."""

from __future__ import annotations

import hashlib
import importlib
import json
import pkgutil
from collections.abc import Mapping
from types import ModuleType

import pytest

from polyhop import prompts
from polyhop.models.accounting import Request
from polyhop.prompts import catalogue, extract_facts, summarise, write_questions
from polyhop.prompts.blocks import DATA_RULE
from polyhop.prompts.catalogue import EXAMPLES, name_of, sent, version_of, versions
from polyhop.prompts.question_forms import FORMS

TASKS = tuple(EXAMPLES)
LONG = 40  # characters: what is longer is no name of a thing


def texts_of(module: ModuleType) -> list[str]:
    """The names of the texts that a module sends."""
    return [name for name, value in vars(module).items() if name.isupper() and isinstance(value, str)]


def test_every_task_is_in_the_catalogue() -> None:
    """A task is a module that has a system prompt."""
    modules = [importlib.import_module(f"polyhop.prompts.{one.name}") for one in pkgutil.iter_modules(prompts.__path__)]
    assert {name_of(one) for one in modules if hasattr(one, "_SYSTEM")} == {name_of(one) for one in TASKS}


@pytest.mark.parametrize("task", TASKS, ids=name_of)
def test_an_example_is_what_is_really_sent(task: ModuleType) -> None:
    """A system prompt that says what is data, the material in fences, and a schema."""
    for ask in EXAMPLES[task].values():
        request = sent(ask)
        assert [turn.role for turn in request.messages] == ["system", "user"]
        assert DATA_RULE in request.messages[0].content
        assert "<<<END OF " in request.messages[1].content
        assert isinstance(request.schema, Mapping)
        assert not any(line.startswith("```") for turn in request.messages for line in turn.content.splitlines())


@pytest.mark.parametrize("task", TASKS, ids=name_of)
def test_no_text_changes_without_its_version(task: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a prompt, nor what is said when a model has to repair its answer, nor a schema."""
    before = version_of(task)
    assert before == version_of(task) == versions()[name_of(task)]
    texts = [name for name in texts_of(task) if len(getattr(task, name)) > LONG]
    assert "_SYSTEM" in texts
    for name in texts:
        with monkeypatch.context() as patch:
            patch.setattr(task, name, f"{getattr(task, name)} Please.")
            assert version_of(task) != before, name
    if hasattr(task, "SCHEMA"):
        with monkeypatch.context() as patch:
            patch.setattr(catalogue, "sent", lambda ask: retitled(sent(ask)))
            assert version_of(task) != before


def retitled(request: Request) -> Request:
    """The same request with a schema that says more."""
    return Request(
        messages=request.messages, max_tokens=request.max_tokens, schema={**(request.schema or {}), "title": "answer"}
    )


def test_a_repair_is_part_of_every_version(monkeypatch: pytest.MonkeyPatch) -> None:
    before = {task: version_of(task) for task in TASKS}
    monkeypatch.setattr("polyhop.models.structured._REPAIR", "Again: {fault} {schema}")
    assert not [name_of(task) for task in TASKS if version_of(task) == before[task]]


@pytest.mark.parametrize(
    ("version", "texts", "schema"),
    [
        (extract_facts.PROMPT_VERSION, (extract_facts._SYSTEM,), extract_facts.SCHEMA),
        (summarise.PROMPT_VERSION, (summarise._SYSTEM,), summarise.SCHEMA),
        (
            write_questions.PROMPT_VERSION,
            (
                *(write_questions._SYSTEM, write_questions._ANSWERS, FORMS),
                *(write_questions._MORE, write_questions._OTHERS, write_questions._IN_OTHER_FORMS),
            ),
            write_questions.SCHEMA,
        ),
    ],
)
def test_what_indexing_keeps_goes_by_the_words_of_its_prompt(
    version: str, texts: tuple[object, ...], schema: Mapping[str, object]
) -> None:
    """So that what was made with other words is made anew: no number has to be raised by hand."""
    said = "\n".join(map(str, (*texts, json.dumps(schema))))
    assert version == hashlib.sha256(said.encode()).hexdigest()[:12]


def test_an_example_that_asks_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="asks a language model nothing"):
        sent(lambda _: None)
