"""A tuned model in a folder of its own: added up once, checked, and told apart from the one it was."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from polyhop.errors import ModelError
from polyhop.models.graph_weights import graph_weights
from polyhop.models.smollm2 import SmolLM2
from polyhop.models.tuned import ADDITIONS, DOWN, GRAPH, UP, write_additions
from polyhop.models.weights import write_manifest
from polyhop.ports import Floats
from tests.worlds.gguf import WIDTH, installed

PROMPT = "Name it."


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> SmolLM2:
    return installed(tmp_path_factory.mktemp("cache"))


def tuned(folder: Path, size: float, name: str = "0.up") -> Path:
    """A folder with additions of rank 1 to one matrix."""
    folder.mkdir()
    rng = np.random.default_rng(3)
    down, up = rng.normal(size=(1, WIDTH)), size * rng.normal(size=(128, 1))
    additions = {f"{name}{DOWN}": down.astype(np.float32), f"{name}{UP}": up.astype(np.float32)}
    write_additions(folder / ADDITIONS, additions, scale=2.0)
    write_manifest(folder)
    return folder


def following(model: SmolLM2) -> Floats:
    return model.begin(model.prompt(PROMPT, "Where?")).logprobs


def test_additions_of_nothing_leave_a_model_as_it_is(model: SmolLM2, tmp_path: Path) -> None:
    same = replace(model, tuned=str(tuned(tmp_path / "same", 0.0)))
    assert np.allclose(following(same), following(model), atol=1e-4)


def test_additions_are_added_to_the_installed_graph_once(model: SmolLM2, tmp_path: Path) -> None:
    folder = tuned(tmp_path / "other", 0.2)
    other = replace(model, tuned=str(folder))
    assert not np.allclose(following(other), following(model), atol=1e-2)
    (graph,) = [path for path in Path(str(model.cache)).rglob(GRAPH) if other.name[-12:] in str(path)]
    with np.load(folder / ADDITIONS) as stored:
        product = 2.0 * stored[f"0.up{UP}"].astype(np.float32) @ stored[f"0.up{DOWN}"].astype(np.float32)
    before = graph_weights(model.folder / GRAPH).weights["0.up"]
    assert np.abs(graph_weights(graph).weights["0.up"] - before - product).max() < 0.02
    written = graph.stat().st_mtime_ns
    replace(other, threads=2).verify()
    assert graph.stat().st_mtime_ns == written


def test_a_damaged_sum_is_added_up_again_or_told(model: SmolLM2, tmp_path: Path) -> None:
    """One that is cut short is noticed whenever it is loaded, and a byte of it that changed by whoever verifies it."""
    other = replace(model, tuned=str(tuned(tmp_path / "cut", 0.4)))
    other.verify()
    (graph,) = [path for path in Path(str(model.cache)).rglob(GRAPH) if other.name[-12:] in str(path)]
    whole = graph.read_bytes()
    graph.write_bytes(whole[:-1000])
    assert not np.allclose(following(other), following(model), atol=1e-2)
    assert graph.read_bytes() == whole
    graph.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(ModelError, match="sha256 is wrong") as caught:
        other.verify()
    assert caught.value.remedy.startswith(f"Remove {graph.parent}")


def test_a_tuned_model_has_a_name_of_its_own_and_the_same_tokens(model: SmolLM2, tmp_path: Path) -> None:
    one, two = (replace(model, tuned=str(tuned(tmp_path / name, size))) for name, size in (("a", 0.1), ("b", 0.3)))
    assert len({model.name, one.name, two.name}) == 3
    assert model.tokenizer == one.tokenizer == two.tokenizer


def test_a_damaged_folder_is_refused(model: SmolLM2, tmp_path: Path) -> None:
    folder = tuned(tmp_path / "damaged", 0.1)
    content = bytearray((folder / ADDITIONS).read_bytes())
    content[-1] ^= 1
    (folder / ADDITIONS).write_bytes(content)
    with pytest.raises(ModelError, match="sha256 is wrong"):
        following(replace(model, tuned=str(folder)))


def test_additions_to_another_model_are_refused(model: SmolLM2, tmp_path: Path) -> None:
    folder = tuned(tmp_path / "larger", 0.1, name="7.up")
    with pytest.raises(ModelError, match="does not fit the installed model"):
        following(replace(model, tuned=str(folder)))


@pytest.mark.parametrize(
    ("files", "complaint"), [((), "holds no translator: there is no manifest"), (("card.md",), "no tuned model")]
)
def test_a_folder_without_a_model_is_refused(
    model: SmolLM2, tmp_path: Path, files: tuple[str, ...], complaint: str
) -> None:
    for name in files:
        (tmp_path / name).write_text("nothing", encoding="utf-8")
        write_manifest(tmp_path)
    with pytest.raises(ModelError, match=complaint):
        following(replace(model, tuned=str(tmp_path)))
