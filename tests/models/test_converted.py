"""A converted model: there wholly or not at all, checked when it is loaded, and asked in its own tokens."""

from __future__ import annotations

import errno
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from filelock import FileLock
from hypothesis import given
from hypothesis import strategies as st

from polyhop.errors import ModelError, ModelMissing, StorageFull, UsageError
from polyhop.models import conversion
from polyhop.models.conversion import convert_folder
from polyhop.models.converted import ConvertedModel
from polyhop.models.whole_folder import MAKING
from tests.worlds.hub_models import LLAMA_MARKS, QWEN_MARKS, HubModel, llama, qwen2
from tests.worlds.machine import may_mount, posix, small_disk

FILES = ["manifest.json", "model.onnx", "prompt.json", "tokenizer.json"]


def converted(model: HubModel, folder: Path, name: str = "out") -> ConvertedModel:
    source = model.written(folder / f"{name}-source")
    convert_folder(source, folder / name)
    return ConvertedModel(folder=str(folder / name), threads=1)


@pytest.fixture(scope="module", params=[llama, qwen2])
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ConvertedModel:
    return converted(request.param(), tmp_path_factory.mktemp("converted"))


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_encoding_loses_nothing(model: ConvertedModel, text: str) -> None:
    """Nor does it compose accents, as the tokenizer of Qwen2 would."""
    assert model.decode(model.encode([text])[0]) == text


def test_a_text_never_becomes_a_control_token(model: ConvertedModel) -> None:
    """Not even those that its tokenizer does not call special."""
    text = "".join([*LLAMA_MARKS, *QWEN_MARKS])
    (tokens,) = model.encode([text])
    assert model.decode(tokens) == text
    assert model.end not in tokens


def test_the_tokenizer_puts_nothing_before_a_text(model: ConvertedModel) -> None:
    first, second = model.encode(["the", " the"])
    assert len(first) == len(second) == 1
    assert model.encode_spans([" the cafe\u0301"])[0][1][:2] == [(0, 4), (4, 5)]


def test_a_long_question_is_cut(model: ConvertedModel) -> None:
    prompts = [replace(model, longest_question=most).prompt("Name it.", "word " * 500) for most in (5, 50)]
    assert len(prompts[1]) - len(prompts[0]) == 45


def test_the_instruction_is_read_once(model: ConvertedModel) -> None:
    prompt = model.prompt("Name it.", "Who?")
    opening = model._opening(prompt)
    assert 0 < opening < len(prompt)
    assert model._decoder.read_prefix(prompt[:opening]) is model._decoder.read_prefix(prompt[:opening])
    begun = model.begin(prompt)
    assert begun.logprobs.shape == (1, model.vocabulary)
    plain = model._decoder.read(model._decoder.root(), np.zeros(1, np.int64), [prompt])
    assert np.abs(np.exp(begun.logprobs) - np.exp(plain.logprobs)).max() < 0.05


def test_names_tell_weights_and_tokenizers_apart(tmp_path: Path) -> None:
    one, two = converted(llama(), tmp_path, "a"), converted(llama(head_dim=32), tmp_path, "b")
    other = converted(qwen2(), tmp_path, "c")
    assert len({one.name, two.name, other.name}) == 3
    assert one.tokenizer == two.tokenizer != other.tokenizer


@pytest.mark.parametrize("file", FILES)
def test_a_changed_file_is_refused_when_it_is_loaded(tmp_path: Path, file: str) -> None:
    model = converted(llama(), tmp_path)
    content = bytearray((tmp_path / "out" / file).read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / "out" / file).write_bytes(content)
    for use in (lambda: model.begin([1, 2]), lambda: model.encode(["the"]), model.verify):
        with pytest.raises(ModelError) as error:
            use()
        assert error.value.remedy == "Convert the model anew with: polyhop models convert"


def test_a_folder_without_a_model_says_how_to_make_one(tmp_path: Path) -> None:
    model = ConvertedModel(folder=str(tmp_path))
    for use in (lambda: model.name, lambda: model.encode(["the"]), lambda: model.end):
        with pytest.raises(ModelMissing, match="There is no converted model in") as error:
            use()
        assert "polyhop models convert" in error.value.remedy


def test_a_model_travels_to_another_process(model: ConvertedModel) -> None:
    assert pickle.loads(pickle.dumps(model)) == model  # noqa: S301 (our own bytes)


def test_what_is_there_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with pytest.raises(UsageError, match="is there already"):
        converted(llama(), tmp_path)
    assert not list((tmp_path / "out").iterdir())


KILLED = """
import os, signal, sys
from pathlib import Path
from polyhop.models import conversion
conversion.write_manifest = lambda folder: os.kill(os.getpid(), signal.SIGKILL)
conversion.convert_folder(Path(sys.argv[1]), Path(sys.argv[2]))
"""


@posix
def test_a_killed_conversion_leaves_no_half_folder(tmp_path: Path) -> None:
    """And the next takes away what it left beside."""
    source = llama().written(tmp_path / "source")
    done = subprocess.run([sys.executable, "-c", KILLED, source, tmp_path / "out"], check=False)
    assert done.returncode == -9
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"{MAKING}out", "source"]
    convert_folder(source, tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "source"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == FILES


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ModelError("too hot"), OSError(errno.EIO, "worn out")])
def test_an_interrupted_conversion_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def fail(folder: Path) -> None:
        raise error

    monkeypatch.setattr(conversion, "write_manifest", fail)
    with pytest.raises((KeyboardInterrupt, ModelError)):
        converted(llama(), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["out-source"]


def test_two_at_a_time_do_not_disturb_each_other(tmp_path: Path) -> None:
    (tmp_path / f"{MAKING}out").mkdir()
    with FileLock(tmp_path / f"{MAKING}out" / "lock"), pytest.raises(UsageError, match="another process"):
        converted(llama(), tmp_path)
    converted(llama(), tmp_path)


def test_a_disk_that_is_full_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(conversion, "write_graph", full)
    with pytest.raises(StorageFull, match=r"cannot be stored in .*: No space left"):
        converted(llama(), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["out-source"]


@may_mount
def test_a_small_disk_is_told(tmp_path: Path) -> None:
    source = llama().written(tmp_path / "source")
    with small_disk(tmp_path / "disk", kibibytes=200) as disk:
        with pytest.raises(StorageFull, match="No space left"):
            convert_folder(source, disk / "out", precision="float32")
        assert not list(disk.iterdir())


def test_without_the_extra_it_says_which(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = llama().written(tmp_path / "source")
    for module in ("onnx", "jinja2.sandbox"):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, module, None)
            with pytest.raises(ModelMissing, match="requires extra 'convert'"):
                convert_folder(source, tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["source"]
