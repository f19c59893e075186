"""Finds out from a model's chat template what stands around what is said, by having it say marks of ours.

The template is a program in Jinja. It runs once, when the model is converted, in Jinja's sandbox; what asks the model
later has only tokens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from polyhop.errors import ModelError, ModelMissing
from polyhop.models.graph_parts import extra_missing
from polyhop.models.json_file import json_of
from polyhop.models.prompt_frame import PromptFrame

if TYPE_CHECKING:
    from tokenizers import Tokenizer

TEMPLATE: Final = "chat_template.jinja"
TOKENIZER_CONFIG: Final = "tokenizer_config.json"
INSTRUCTION, QUESTION, REPLY = "\ue000", "\ue001", "\ue002"  # no template has these characters of its own
REMEDY: Final = f"Mend the template, or take it out of a copy of the folder ({TEMPLATE} and {TOKENIZER_CONFIG})."


def frame_of(folder: Path, tokenizer: Tokenizer) -> PromptFrame:
    """How the model in a folder is asked: as its chat template has it, or plainly where it has none.

    Raises ModelMissing without Jinja, ModelError for a template that cannot be followed.
    """
    template, asking = _template(folder), _Asking(folder, tokenizer, _marks(folder))
    return asking.plainly() if template is None else _templated(asking, template)


@dataclass(frozen=True)
class _Asking:
    """A tokenizer that reads control tokens as such, and the marks that a template may use by name."""

    folder: Path
    tokenizer: Tokenizer
    marks: Mapping[str, str]

    def tokens(self, text: str) -> tuple[int, ...]:
        return tuple(self.tokenizer.encode(text, add_special_tokens=False).ids)

    def plainly(self) -> PromptFrame:
        """Lines: what the tokenizer puts before a text, the instruction, the question, and then the model's turn."""
        bare, whole = (self.tokenizer.encode("a", add_special_tokens=added).ids for added in (False, True))
        starts = [at for at in range(len(whole)) if whole[at : at + len(bare)] == bare]
        before = tuple(whole[: starts[0]]) if starts else ()
        return PromptFrame(before=before, between=self.tokens("\n\n"), after=self.tokens("\n"), end=self.end())

    def end(self) -> int:
        """The token that ends a text, as the folder names it. Raises ModelError."""
        for name in ("generation_config.json", "config.json"):
            named = json_of(self.folder / name).get("eos_token_id")
            first = named[0] if isinstance(named, list) and named else named
            if type(first) is int and self.tokenizer.id_to_token(first) is not None:
                return first
        found = self.tokenizer.token_to_id(self.marks.get("eos_token", ""))
        if found is None:
            remedy = "Add eos_token_id to config.json, as the model's card has it."
            raise ModelError(f"{self.folder} does not say which token ends a text.", remedy=remedy)
        return found

    def end_of_turn(self, behind: str) -> int:
        """The first control token behind what the model said; else the one that ends a text."""
        control = self.tokenizer.get_added_tokens_decoder()
        return next((token for token in self.tokens(behind) if token in control), None) or self.end()


def _templated(asking: _Asking, template: str) -> PromptFrame:
    """The conversation with the instruction as system turn, or in the user's where the template knows no other."""
    system, user, said = _turn("system", INSTRUCTION), _turn("user", QUESTION), _turn("assistant", REPLY)
    together = _turn("user", f"{INSTRUCTION}\n\n{QUESTION}")
    why = "it leaves out what is said, or says it twice"
    for opening in ([system, user], [together]):
        try:
            asked = _rendered(template, opening, asking.marks, ask=True)
            answered = _rendered(template, [*opening, said], asking.marks, ask=False)
        except ModelMissing:
            raise
        except ModelError as error:
            why = str(error)
            continue
        if all(asked.count(mark) == 1 for mark in (INSTRUCTION, QUESTION)) and answered.count(REPLY) == 1:
            before, _, rest = asked.partition(INSTRUCTION)
            between, _, after = rest.partition(QUESTION)
            end = asking.end_of_turn(answered.partition(REPLY)[2])
            parts = [asking.tokens(part) for part in (before, between, after)]
            return PromptFrame(before=parts[0], between=parts[1], after=parts[2], end=end)
    raise ModelError(f"The chat template in {asking.folder} cannot be followed: {why}.", remedy=REMEDY)


def _turn(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}


def _rendered(template: str, messages: Sequence[Mapping[str, str]], marks: Mapping[str, str], *, ask: bool) -> str:
    """What the template makes of messages. Raises ModelError for whatever goes wrong in it."""
    try:
        from jinja2.exceptions import TemplateError
        from jinja2.sandbox import ImmutableSandboxedEnvironment
    except ImportError as error:
        raise extra_missing() from error

    def refuse(message: str) -> None:
        raise TemplateError(message)

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.globals["raise_exception"] = refuse
    try:
        return environment.from_string(template).render(messages=messages, add_generation_prompt=ask, **marks)
    except (TemplateError, TypeError, ValueError, KeyError, AttributeError, ArithmeticError, RecursionError) as error:
        raise ModelError(str(error) or type(error).__name__) from error


def _template(folder: Path) -> str | None:
    """The template of a folder: in a file of its own, or among what is said of the tokenizer."""
    own = folder / TEMPLATE
    try:
        if own.is_file():
            return own.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"{own} cannot be read: {error}.", remedy=REMEDY) from error
    given = json_of(folder / TOKENIZER_CONFIG).get("chat_template")
    if isinstance(given, list):  # several, by name
        named = {one.get("name"): one.get("template") for one in given if isinstance(one, dict)}
        given = named.get("default")
    return given if isinstance(given, str) and given.strip() else None


def _marks(folder: Path) -> dict[str, str]:
    """Control tokens by the names that templates have for them."""
    marks: dict[str, str] = {}
    for name in ("special_tokens_map.json", TOKENIZER_CONFIG):
        for key, value in json_of(folder / name).items():
            text: Any = value.get("content") if isinstance(value, dict) else value
            if key in ("bos_token", "eos_token", "unk_token", "pad_token") and isinstance(text, str):
                marks[key] = text
    return marks
