"""What stands around what is said is found from a model's own template, and no token of another model's is assumed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer

from polyhop.errors import ModelError
from polyhop.models.chat_template import TEMPLATE, frame_of
from polyhop.models.prompt_frame import PromptFrame
from tests.worlds.hub_models import HubModel, llama, qwen2

NO_SYSTEM = """\
{%- for message in messages %}
    {%- if message.role == 'system' %}{{ raise_exception('no system role') }}{% endif %}
    {{- '<|im_start|>' + message.role + ':' + message.content + '<|im_end|>' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant:' }}{% endif %}
"""


def asked(model: HubModel, folder: Path) -> tuple[str, int, Any]:
    """The prompt of a model as text, with its tokenizer's own reading of it, and the token that ends a turn."""
    source = model.written(folder)
    tokenizer: Any = Tokenizer.from_file(str(source / "tokenizer.json"))
    frame = frame_of(source, tokenizer)
    said = [tokenizer.encode(text, add_special_tokens=False).ids for text in ("Name it.", "Who?")]
    prompt = frame.prompt(*said)
    shared = prompt[: frame.opening(prompt)]
    assert shared == [*frame.before, *said[0], *frame.between]
    return tokenizer.decode(prompt, skip_special_tokens=False), frame.end, tokenizer


def templated(template: Any, model: HubModel | None = None) -> HubModel:
    model = model or qwen2()
    return replace(model, tokenizer_config={**model.tokenizer_config, "chat_template": template})


def test_llama_is_asked_as_its_template_has_it(tmp_path: Path) -> None:
    prompt, end, tokenizer = asked(llama(), tmp_path)
    assert prompt == (
        "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nName it.<|eot_id|>"
        "<|start_header_id|>user<|end_header_id|>\n\nWho?<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n"
    )
    assert tokenizer.id_to_token(end) == "<|eot_id|>", "and not what ends a text"


def test_qwen_is_asked_as_its_template_has_it(tmp_path: Path) -> None:
    prompt, end, tokenizer = asked(qwen2(), tmp_path)
    assert prompt == (
        "<|im_start|>system\nName it.<|im_end|>\n<|im_start|>user\nWho?<|im_end|>\n<|im_start|>assistant\n"
    )
    assert tokenizer.id_to_token(end) == "<|im_end|>"


def test_a_template_without_system_turns_has_the_instruction_in_the_users(tmp_path: Path) -> None:
    prompt, _, _ = asked(templated(NO_SYSTEM), tmp_path)
    assert prompt == "<|im_start|>user:Name it.\n\nWho?<|im_end|><|im_start|>assistant:"


def test_a_model_without_a_template_reads_lines(tmp_path: Path) -> None:
    """Behind what its tokenizer puts before a text; what ends a text ends its turn."""
    prompt, end, tokenizer = asked(templated(None, llama()), tmp_path / "llama")
    assert prompt == "<|begin_of_text|>Name it.\n\nWho?\n"
    assert tokenizer.id_to_token(end) == "<|end_of_text|>"
    assert asked(templated(None), tmp_path / "qwen2")[0] == "Name it.\n\nWho?\n"


def test_a_file_of_its_own_comes_before_the_config_and_one_of_several_is_the_default(tmp_path: Path) -> None:
    several = [{"name": "tools", "template": "{{ 1 }}"}, {"name": "default", "template": NO_SYSTEM}]
    expected = "<|im_start|>user:Name it.\n\nWho?<|im_end|><|im_start|>assistant:"
    assert asked(templated(several), tmp_path / "several")[0] == expected
    own = replace(templated("{{ 1 }}"), beside={TEMPLATE: NO_SYSTEM})
    assert asked(own, tmp_path / "own")[0] == expected


@pytest.mark.parametrize(
    ("named", "ends"),
    [
        ({"generation_config.json": {"eos_token_id": [271, 270]}}, 271),
        ({"generation_config.json": {"eos_token_id": 272}}, 272),
        ({"generation_config.json": {"eos_token_id": 99_999}}, None),  # no token: what config.json says
        ({}, None),
    ],
)
def test_what_ends_a_text_is_looked_up_where_folders_say_it(
    tmp_path: Path, named: Mapping[str, Any], ends: int | None
) -> None:
    model = replace(templated(None), beside={name: json.dumps(content) for name, content in named.items()})
    assert asked(model, tmp_path)[1] == (ends or model.config["eos_token_id"])


def test_a_model_that_ends_nowhere_is_refused(tmp_path: Path) -> None:
    model = replace(qwen2().saying(eos_token_id=None), tokenizer_config={})
    with pytest.raises(ModelError, match="which token ends a text") as error:
        asked(model, tmp_path)
    assert "eos_token_id" in error.value.remedy


@pytest.mark.parametrize(
    ("template", "why"),
    [
        ("{% for %}", "Expected"),
        ("{{ messages[0].content }}", "leaves out what is said"),
        ("{{ raise_exception('not today') }}", "not today"),
        ("{{ messages.__class__.__mro__ }}", "unsafe"),
        ("{{ 1 / 0 }}", "division"),
        ("{{ range(10**9) | list }}", "too big"),
    ],
)
def test_a_template_that_cannot_be_followed_is_refused(tmp_path: Path, template: str, why: str) -> None:
    """Also one that reaches for what the sandbox keeps from it."""
    with pytest.raises(ModelError, match=f"cannot be followed: .*{why}") as error:
        asked(templated(template), tmp_path)
    assert "take it out of a copy" in error.value.remedy


def test_a_frame_is_kept_and_read_again(tmp_path: Path) -> None:
    frame = PromptFrame(before=(1, 2), between=(3,), after=(), end=4)
    frame.write(tmp_path)
    assert PromptFrame.read(tmp_path) == frame
    (tmp_path / "prompt.json").write_text("{}")
    with pytest.raises(ModelError, match="cannot be read"):
        PromptFrame.read(tmp_path)


def test_a_prompt_without_marks_shares_nothing() -> None:
    frame = PromptFrame(before=(1,), between=(3, 4), after=(5,), end=0)
    assert frame.opening([1, 9, 3, 4, 7, 5]) == 4
    assert frame.opening([1, 9, 3]) == 0
    assert frame.opening([]) == 0
    assert PromptFrame(before=(), between=(), after=(), end=0).opening([1, 2]) == 0
