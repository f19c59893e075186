"""What stands around an instruction and a question when a language model is asked, in its tokens."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from polyhop.errors import ModelError
from polyhop.models.json_file import json_of

FRAME: Final = "prompt.json"


@dataclass(frozen=True, kw_only=True)
class PromptFrame:
    """Token ids before an instruction, between it and a question, and after that, where the model's turn begins."""

    before: tuple[int, ...]
    between: tuple[int, ...]
    after: tuple[int, ...]
    end: int  # the token that ends the model's turn

    def prompt(self, instruction: Sequence[int], question: Sequence[int]) -> list[int]:
        """All of it in order."""
        return [*self.before, *instruction, *self.between, *question, *self.after]

    def opening(self, prompt: Sequence[int]) -> int:
        """How many tokens of a prompt all questions share: those up to the question, as far as that can be told."""
        marks = list(self.between)
        starts = range(len(self.before), len(prompt) - len(marks)) if marks else ()
        return next((at + len(marks) for at in starts if list(prompt[at : at + len(marks)]) == marks), 0)

    def write(self, folder: Path) -> None:
        """Keep it in a folder. Raises OSError."""
        (folder / FRAME).write_text(json.dumps(asdict(self)), encoding="utf-8")

    @classmethod
    def read(cls, folder: Path) -> PromptFrame:
        """What ``write`` kept. Raises ModelMissing, ModelError."""
        content = json_of(folder / FRAME, "Convert the model anew with: polyhop models convert")
        try:
            parts = {name: tuple(map(int, content[name])) for name in ("before", "between", "after")}
            return cls(**parts, end=int(content["end"]))
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"{folder / FRAME} cannot be read: {error!r}.") from error
