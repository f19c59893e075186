"""Files and folders of safetensors: read as they are, refused by what is wrong with them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.errors import ModelError, ModelMissing
from polyhop.models.safetensors_file import SafetensorsFile
from polyhop.models.safetensors_folder import INDEX, SafetensorsFolder
from tests.worlds.hub_models import llama, write_safetensors

TENSORS = {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.array([0.5, -2.0], np.float32)}


def made(path: Path, header: Any, numbers: bytes = b"") -> Path:
    """A file with any header."""
    said = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(len(said).to_bytes(8, "little") + said + numbers)
    return path


def entry(start: int, end: int, *shape: int, kind: str = "F32") -> Mapping[str, Any]:
    return {"dtype": kind, "shape": list(shape), "data_offsets": [start, end]}


@pytest.mark.parametrize("kind", ["F32", "F16", "BF16"])
def test_numbers_come_back(tmp_path: Path, kind: str) -> None:
    write_safetensors(tmp_path / "some.safetensors", TENSORS, kind)
    file = SafetensorsFile(tmp_path / "some.safetensors")
    assert {name: tensor.shape for name, tensor in file.tensors.items()} == {"a": (2, 3), "b": (2,)}
    for name, expected in TENSORS.items():
        assert np.array_equal(file.weight(name), expected)
        assert file.weight(name).dtype == np.float32


@pytest.mark.parametrize(
    ("header", "numbers", "complaint"),
    [
        (b"no JSON", b"", "header cannot be read"),
        (b"[1, 2]", b"", "header cannot be read"),
        ({"a": {"dtype": "F32"}}, b"", "header cannot be read"),
        ({"a": entry(0, 4, -1)}, b"1234", "no whole number"),
        (b'{"a": {"dtype":"F32","shape":[],"data_offsets":[0,4]}, "a": {}}', b"1234", "stands there twice"),
        ({"a": entry(4, 8, 1)}, b"12345678", "does not lie behind"),
        ({"a": entry(0, 4, 1), "b": entry(0, 4, 1)}, b"1234", "does not lie behind"),
        ({"a": entry(0, 8, 3)}, b"12345678", "size that its shape says"),
        ({"a": entry(0, 8, 2)}, b"1234", "take 8 bytes, and it has 4"),
        ({"a": entry(0, 4, 1)}, b"12345", "take 4 bytes, and it has 5"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, header: Any, numbers: bytes, complaint: str) -> None:
    with pytest.raises(ModelError, match=complaint) as error:
        SafetensorsFile(made(tmp_path / "damaged.safetensors", header, numbers))
    assert "download it again" in error.value.remedy


@given(st.binary(max_size=40))
def test_any_bytes_are_a_file_or_refused(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.mktemp("any") / "any.safetensors"
    path.write_bytes(content)
    with pytest.raises(ModelError, match="cannot be read"):
        SafetensorsFile(path)


@given(st.integers(0, 200))
def test_a_file_that_was_cut_off_is_refused(tmp_path_factory: pytest.TempPathFactory, kept: int) -> None:
    path = tmp_path_factory.mktemp("cut") / "cut.safetensors"
    write_safetensors(path, TENSORS)
    content = path.read_bytes()
    path.write_bytes(content[: min(kept, len(content) - 1)])
    with pytest.raises(ModelError, match="cannot be read"):
        SafetensorsFile(path)


@pytest.mark.parametrize("kind", ["F8_E4M3", "I8", "U8", "I32", "F64"])
def test_numbers_of_other_kinds_are_refused(tmp_path: Path, kind: str) -> None:
    """Quantised weights among them."""
    file = SafetensorsFile(made(tmp_path / "other.safetensors", {"a": entry(0, 4, 1, kind=kind)}, b"1234"))
    with pytest.raises(ModelError, match=f"a tensor a of type {kind}; only F32, F16, BF16 are read") as error:
        file.weight("a")
    assert "not quantised" in error.value.remedy


def test_values_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    write_safetensors(tmp_path / "some.safetensors", {"a": np.array([1, np.nan], np.float32)})
    with pytest.raises(ModelError, match="values that are no numbers"):
        SafetensorsFile(tmp_path / "some.safetensors").weight("a")


def test_a_folder_of_pickles_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "pytorch_model.bin").write_bytes(b"code")
    with pytest.raises(ModelMissing, match=r"pytorch_model\.bin\), which can run code: it is not opened") as error:
        SafetensorsFolder(tmp_path)
    assert error.value.remedy == "Take a folder of the model that has its weights as safetensors."


def test_an_empty_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match=r"no model\.safetensors and no"):
        SafetensorsFolder(tmp_path)


def test_one_file_of_any_name_serves_and_several_need_an_index(tmp_path: Path) -> None:
    write_safetensors(tmp_path / "one.safetensors", TENSORS)
    assert SafetensorsFolder(tmp_path).shapes.keys() == TENSORS.keys()
    write_safetensors(tmp_path / "two.safetensors", TENSORS)
    with pytest.raises(ModelMissing, match=f"several safetensors files, and no {INDEX}"):
        SafetensorsFolder(tmp_path)


def test_a_tensor_in_two_files_is_refused(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_safetensors(tmp_path / f"{name}.safetensors", TENSORS)
    (tmp_path / INDEX).write_text(json.dumps({"weight_map": {"a": "one.safetensors", "b": "two.safetensors"}}))
    with pytest.raises(ModelError, match="has the tensor a twice"):
        SafetensorsFolder(tmp_path)


@pytest.mark.parametrize(
    ("named", "complaint"),
    [
        ({"a": "gone.safetensors"}, "is missing, which"),
        ({"a": "../outside.safetensors"}, "a file outside its folder"),
        ({"a": "/outside.safetensors"}, "a file outside its folder"),
        ({"a": 3}, "names no files"),
        ({}, "names no files"),
        (None, "names no files"),
    ],
)
def test_an_index_that_leads_nowhere_is_refused(tmp_path: Path, named: Any, complaint: str) -> None:
    write_safetensors(tmp_path.parent / "outside.safetensors", TENSORS)
    (tmp_path / INDEX).write_text(json.dumps({"weight_map": named}))
    with pytest.raises(ModelError, match=complaint):
        SafetensorsFolder(tmp_path)


def test_a_shard_that_is_gone_is_named(tmp_path: Path) -> None:
    llama().written(tmp_path, shards=3)
    (tmp_path / "model-00002-of-00003.safetensors").unlink()
    with pytest.raises(ModelMissing, match="model-00002-of-00003"):
        SafetensorsFolder(tmp_path)
