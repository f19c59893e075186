"""Models that somebody trained are asked by the name of their folder; what lies in it is looked at first."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from polyhop.errors import ModelError, ModelMissing
from polyhop.models.span_reader import PolyhopReader
from polyhop.models.trained_reranker import PolyhopReranker
from polyhop.models.trained_translator import PolyhopTranslator
from polyhop.models.weights import own_folder, trained_folder
from polyhop.planning.trained import TrainedPlanner
from polyhop.ports import TextPart

QUESTION = "Who built the lamp of Quillmouth?"
LAMP = (TextPart("Ada Brisk built the lamp of Quillmouth in 1841."),)


def read(folder: Path) -> Any:
    return PolyhopReader(folder=str(folder)).read(QUESTION, [LAMP])


def plan(folder: Path) -> Any:
    return TrainedPlanner(folder=str(folder)).plan(QUESTION, (), None)


def score(folder: Path) -> Any:
    return PolyhopReranker(folder=str(folder)).score(QUESTION, [LAMP[0].text])


def test_a_reader_of_ones_own_is_read_from_its_folder(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(own_folder("reader"), tmp_path / "trained" / "reader"))
    assert read(folder) == PolyhopReader().read(QUESTION, [LAMP])
    PolyhopReader(folder=str(folder)).verify()


def test_a_reader_of_ones_own_has_a_name_that_tells_its_weights() -> None:
    """Answers, and what is kept of a run of polyhop eval, say so which reader gave them."""
    own = PolyhopReader(folder=str(own_folder("reader")))
    assert own.name.startswith("polyhop-reader-")
    assert own.name != PolyhopReader().name


def test_a_planner_of_ones_own_is_read_from_its_folder(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(own_folder("planner"), tmp_path / "trained" / "planner"))
    assert plan(folder) == TrainedPlanner().plan(QUESTION, (), None)


@pytest.mark.parametrize(("asked", "other"), [(read, "planner"), (plan, "reader"), (score, "reader")])
def test_a_model_of_another_kind_is_refused(asked: Callable[[Path], Any], other: str) -> None:
    with pytest.raises(ModelError, match="of another kind: it gives") as caught:
        asked(own_folder(other))
    assert caught.value.remedy == "Name the folder of a model that was trained for this."


@pytest.mark.parametrize(("asked", "name"), [(read, "reader"), (plan, "planner"), (score, "reranker")])
def test_a_folder_without_a_model_is_named_with_what_belongs_there(
    asked: Callable[[Path], Any], name: str, tmp_path: Path
) -> None:
    with pytest.raises(ModelMissing, match=f"holds no {name}: there is no manifest") as caught:
        asked(tmp_path)
    assert f"polyhop train {name} wrote" in caught.value.remedy


def test_a_translator_that_is_not_there_is_missed_by_its_folder(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="holds no translator"):
        _ = PolyhopTranslator(tuned=str(tmp_path)).name


def test_a_model_that_is_not_shipped_is_said_to_be_none_of_ours() -> None:
    with pytest.raises(ModelMissing, match="polyhop-weights brings no weathervane"):
        trained_folder(None, "weathervane")
