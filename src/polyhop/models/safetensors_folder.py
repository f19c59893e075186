"""The weights in a folder as model hubs have them: one safetensors file, or several and an index of them.

Pickles are never opened: to load one is to run it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from polyhop.errors import ModelError, ModelMissing
from polyhop.models.backbone import Shape
from polyhop.models.json_file import json_of
from polyhop.models.safetensors_file import SafetensorsFile
from polyhop.ports import Floats

SINGLE: Final = "model.safetensors"
INDEX: Final = "model.safetensors.index.json"
PICKLES: Final = ("*.bin", "*.pt", "*.pth", "*.ckpt")


class SafetensorsFolder:
    """All tensors of a folder. Raises ModelMissing where there are none, ModelError where a file is damaged."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._homes: dict[str, SafetensorsFile] = {}
        for path in self._files():
            file = SafetensorsFile(path)
            if twice := sorted(self._homes.keys() & file.tensors.keys()):
                raise ModelError(
                    f"{folder} has the tensor {twice[0]} twice.", remedy=f"Leave only the files that {INDEX} names."
                )
            self._homes |= dict.fromkeys(file.tensors, file)

    @property
    def shapes(self) -> Mapping[str, Shape]:
        """The shape of each tensor."""
        return {name: file.tensors[name].shape for name, file in self._homes.items()}

    def weight(self, name: str) -> Floats:
        """A tensor, as float32. Raises ModelError for numbers of a kind that is not read."""
        return self._homes[name].weight(name)

    def _files(self) -> list[Path]:
        index = self._folder / INDEX
        if index.is_file():
            return self._indexed(index)
        if (self._folder / SINGLE).is_file():
            return [self._folder / SINGLE]
        found = sorted(self._folder.glob("*.safetensors"))
        if len(found) == 1:
            return found
        if found:
            remedy = f"Add {INDEX}, which says which tensor is in which file, or leave one file."
            raise ModelMissing(f"{self._folder} has several safetensors files, and no {INDEX}.", remedy=remedy)
        pickles = sorted(path.name for pattern in PICKLES for path in self._folder.glob(pattern))
        if pickles:
            message = (
                f"{self._folder} has its weights as a pickle ({pickles[0]}), which can run code: it is not opened."
            )
        else:
            message = f"{self._folder} has no weights: no {SINGLE} and no {INDEX}."
        raise ModelMissing(message, remedy="Take a folder of the model that has its weights as safetensors.")

    def _indexed(self, index: Path) -> list[Path]:
        named = json_of(index).get("weight_map")
        if not isinstance(named, dict) or not named or not all(isinstance(name, str) for name in named.values()):
            raise ModelError(f"{index} names no files.", remedy="Copy or download it again.")
        files = [self._folder / name for name in sorted(set(named.values()))]
        for path in files:
            if path.parent != self._folder:
                raise ModelError(f"{index} names a file outside its folder: {path}.", remedy="Put all files beside it.")
            if not path.is_file():
                raise ModelMissing(f"{path} is missing, which {INDEX} names.", remedy="Copy or download it, too.")
        return files
