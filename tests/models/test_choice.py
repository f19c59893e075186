"""The models that settings choose: by name, built when first used, with their own settings."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from polyhop.errors import SettingError, UnknownComponent
from polyhop.models.bge import BgeSmall
from polyhop.models.choice import load_models
from polyhop.models.cross_encoder import MiniLML12
from polyhop.models.endpoint import OpenAICompatible
from polyhop.models.minilm import MiniLM
from polyhop.models.smollm2 import SmolLM2
from polyhop.models.spacy_parser import SpacyParser
from polyhop.models.trained_translator import PolyhopTranslator
from polyhop.settings import Settings

VARIABLES = ("BASE_URL", "MODEL", "API_KEY")


@pytest.fixture(autouse=True)
def no_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in VARIABLES:
        monkeypatch.delenv(f"POLYHOP_{variable}", raising=False)
        monkeypatch.delenv(f"OPENAI_{variable}", raising=False)


def test_the_default_models_need_no_key_and_no_hub() -> None:
    models = load_models(Settings())
    assert isinstance(models.embedder, BgeSmall)
    assert isinstance(models.reranker, MiniLML12)
    assert isinstance(models.parser, SpacyParser)
    assert isinstance(models.translator, SmolLM2)
    assert models.language_model is None


def test_a_model_is_built_once_even_among_threads() -> None:
    models = load_models(Settings())
    with ThreadPoolExecutor(4) as pool:
        built = list(pool.map(lambda _: models.embedder, range(16)))
    assert all(one is built[0] for one in built)


def test_models_get_their_settings_and_the_cache_folder(tmp_path: Path) -> None:
    tree = {
        "models": {"embedder": "minilm", "cache": str(tmp_path)},
        "embedder": {"threads": 1},
        "reranker": {"max_tokens": "384"},
    }
    models = load_models(Settings.from_mapping(tree))
    assert models.embedder == MiniLM(threads=1, cache=str(tmp_path))
    assert models.reranker == MiniLML12(max_tokens=384)
    assert models.translator == PolyhopTranslator(cache=str(tmp_path))


def test_an_endpoint_in_the_environment_is_the_language_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYHOP_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("POLYHOP_MODEL", "toy")
    tree = {"models": {"cache": str(tmp_path)}, "language_model": {"attempts": 2}}
    model = load_models(Settings.from_mapping(tree)).language_model
    assert isinstance(model, OpenAICompatible)
    assert (model.model, model.attempts, model.cache) == ("toy", 2, str(tmp_path))
    off = Settings.from_mapping({"models": {"language_model": "none"}})
    assert load_models(off).language_model is None


def test_a_local_language_model_can_be_chosen_by_name() -> None:
    settings = Settings.from_mapping({"models": {"language_model": "smollm2"}})
    assert isinstance(load_models(settings).language_model, SmolLM2)


def test_a_wrong_name_or_setting_is_told_when_the_model_is_needed() -> None:
    models = load_models(Settings.from_mapping({"models": {"embedder": "bge-smal"}, "reranker": {"max_token": 3}}))
    with pytest.raises(UnknownComponent) as unknown:
        assert models.embedder
    assert "bge-small" in unknown.value.remedy
    with pytest.raises(SettingError, match="max_token"):
        assert models.reranker


def test_loading_ahead_loads_what_can_be_loaded_and_leaves_errors_to_whoever_asks() -> None:
    models = load_models(Settings.read(changes=["models.reranker=nobodys"]))
    models.load_ahead()
    for thread in [one for one in threading.enumerate() if one.name.startswith("load ")]:
        thread.join()
    assert models.embedder.embed_questions(["Who?"]).shape == (1, models.embedder.dimensions)
    with pytest.raises(UnknownComponent):
        _ = models.reranker
