"""Settings: three places they come from, one shape, and an error that helps for everything that does not fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.engine import Polyhop
from polyhop.errors import SettingError
from polyhop.settings import Chunking, Endpoint, ModelChoice, Settings, address_without_model, cache_folder
from polyhop.types import Budget


def test_without_a_file_the_defaults_hold() -> None:
    assert Settings.read() == Settings()
    assert Settings().budget == Budget(passages=5, tokens=6000, llm_calls=12, seconds=None)
    assert Settings().models.language_model == "auto"


def test_a_file_changes_what_it_names_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "polyhop.toml"
    file.write_text('[models]\nembedder = "minilm"\n[strategies.paths]\ndepth = 7\n[reader]\nthreshold = 0.25\n')
    settings = Settings.read(file)
    assert settings.models == ModelChoice(embedder="minilm")
    assert settings.chunking == Chunking()
    assert settings.of("strategies.paths") == {"depth": 7}
    assert settings.of("reader") == {"threshold": 0.25}


def test_a_change_on_the_command_line_wins_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "polyhop.toml"
    file.write_text("[chunking]\ntokens = 256\noverlap = 32\n")
    settings = Settings.read(file, ["chunking.tokens=128", "budget.seconds = 2.5", "strategies.paths.depth=3"])
    assert settings.chunking == Chunking(tokens=128, overlap=32)
    assert settings.budget.seconds == 2.5
    assert settings.of("strategies.paths") == {"depth": "3"}  # checked when the strategy is built, against its fields


def test_a_value_may_contain_an_equals_sign() -> None:
    assert Settings.read(None, ["reader.prompt=a=b"]).of("reader") == {"prompt": "a=b"}


def test_later_sections_lie_on_top() -> None:
    settings = Settings.read(None, ["strategies.paths.depth=3", "strategies.paths.links=4", "strategy.depth=5"])
    assert settings.of("strategies.paths", "strategy") == {"depth": "5", "links": "4"}


@pytest.mark.parametrize(
    ("change", "message", "remedy"),
    [
        ("modles.embedder=minilm", "There is no section 'modles'", "Did you mean 'models'?"),
        ("models.embeder=minilm", "models has no setting 'embeder'", "Did you mean 'embedder'?"),
        ("chunking.tokens=many", "chunking.tokens takes a value of type int, not 'many'", ""),
        ("chunking.tokens=12.5", "chunking.tokens takes a value of type int", ""),
        ("chunking.tokens=4", "tokens must be at least 16", ""),
        ("chunking.overlap=-1", "overlap must be at least 0", ""),
        ("budget.seconds=soon", "budget.seconds cannot be 'soon'", ""),
        ("budget.passages=0", "budget: passages is at least 1, not 0", ""),
        ("budget.tokens=-1", "budget: tokens is at least 0, or none for no cap, not -1", ""),
        ("budget.money=-0.5", "budget: money is at least 0", ""),
        ("nonsense", "'nonsense' is not a setting", "section.key=value"),
        ("models=minilm", "'models=minilm' is not a setting", "section.key=value"),
        ("=1", "is not a setting", "section.key=value"),
        ("models.=1", "is not a setting", "section.key=value"),
        ("strategies.paths=3", "'strategies.paths' must be a section", ""),
    ],
)
def test_what_does_not_fit_is_refused_with_advice(change: str, message: str, remedy: str) -> None:
    with pytest.raises(SettingError) as caught:
        Settings.read(None, [change])
    assert message in str(caught.value)
    assert remedy in caught.value.remedy


@pytest.mark.parametrize(
    ("change", "message", "remedy"),
    [
        ("layers.fact.extractor=syntax", "nothing that the settings 'layers.fact' are for", "'facts'"),
        ("strategies.pats.depth=5", "nothing that the settings 'strategies.pats' are for", "'paths'"),
        ("strategies.paths.links=-1", "strategies.paths: .* links, .* at least 0", ""),
        ("strategies.hybrid.depth=0", "strategies.hybrid: depth is at least 1", ""),
        ("strategies.paths.depht=5", "strategies.paths has no setting 'depht'", "'depth'"),
        ("layers.facts.extracter=syntax", "layers.facts has no setting 'extracter'", "'extractor'"),
        ("parser.bach=8", r"parsers\.spacy-sm has no setting 'bach'", "'batch'"),
        ("translator.threads=many", r"polyhop-translator\.threads cannot be .many.", ""),
        ("language_model.timout=30", r"language_models\.openai has no setting 'timout'", "'timeout'"),
        ("planner.likely=0.6", r"No planner is named that reads \[planner\]", "planner.name"),
    ],
)
def test_settings_of_what_there_is_not_are_refused_by_the_library_too(change: str, message: str, remedy: str) -> None:
    with pytest.raises(SettingError, match=message) as caught:
        Polyhop("an.index", settings=Settings.read(None, [change]))
    assert remedy in caught.value.remedy


def test_settings_wait_for_the_component_that_is_to_have_them() -> None:
    """Those of any strategy, and of the reader that suits; what the environment tells of an endpoint is not missed."""
    for change in ("strategy.depth=9", "reader.brief=true", "language_model.timeout=30"):
        Settings.read(None, [change]).checked()
    Settings.read(None, ["planner.name=trained", "planner.likely=0.6"]).checked()


def test_a_setting_cannot_be_a_section_too(tmp_path: Path) -> None:
    file = tmp_path / "polyhop.toml"
    file.write_text('[models]\nembedder = "minilm"\n')
    with pytest.raises(SettingError, match=r"models\.embedder"):
        Settings.read(file, ["models.embedder.depth=3"])


@pytest.mark.parametrize(
    "content",
    [
        *(b"[models\n", b"\xff\xfe\x00", b"models = 3\n", b"[strategies]\npaths = 3\n", b"[chunking]\ntokens = true\n"),
        b"[budget]\npassages = " + b"9" * 5000,  # more digits than Python reads
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "polyhop.toml"
    file.write_bytes(content)
    with pytest.raises(SettingError) as caught:
        Settings.read(file)
    assert str(caught.value)


def test_a_file_may_begin_with_the_mark_that_editors_on_windows_write(tmp_path: Path) -> None:
    file = tmp_path / "polyhop.toml"
    file.write_text("[chunking]\ntokens = 1024\n", encoding="utf-8-sig")
    assert Settings.read(file).chunking.tokens == 1024


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="nowhere"):
        Settings.read(tmp_path / "nowhere.toml")


@given(
    st.builds(
        Settings,
        models=st.builds(
            ModelChoice, embedder=st.sampled_from(["bge-small", "minilm"]), cache=st.none() | st.just("x")
        ),
        chunking=st.builds(Chunking, tokens=st.integers(16, 2000), overlap=st.integers(0, 7)),
        budget=st.builds(Budget, passages=st.integers(1, 50), seconds=st.none() | st.floats(0, 100)),
        components=st.dictionaries(
            st.sampled_from(["strategy", "reader", "strategies.paths", "strategies.dense", "layers.parsekg"]),
            st.dictionaries(st.sampled_from(["depth", "links"]), st.integers() | st.text() | st.booleans()),
        ),
    )
)
def test_settings_survive_the_way_through_nested_mappings(settings: Settings) -> None:
    """How settings reach worker processes, and how a manifest replays a run."""
    assert Settings.from_mapping(settings.to_mapping()) == settings


def test_what_is_published_holds_no_secret() -> None:
    """Neither keys, nor who logs in at an address, nor where the record and the generations are."""
    sections: dict[str, Any] = {
        "language_model": {"api_key": "sesame", "base_url": "https://me:sesame@model.example/v1", "model": "sage"},
        "reranker": {"name": "endpoint", "api_key": "sesame", "base_url": "http://judge.example"},
        "layers": {"nobody-has-it": {"api_key": "sesame", "size": "3"}},
        "index": {"store": "postgresql://me:sesame@db.example/db", "objects": "s3://sesame/x"},
    }
    published = Settings.from_mapping(sections).published()
    assert "sesame" not in str(published)
    assert published["language_model"] == {"base_url": "https://model.example/v1", "model": "sage"}
    assert published["layers"] == {"nobody-has-it": {"size": "3"}}


def test_models_are_changed_where_one_is_given() -> None:
    settings = Settings().with_models(embedder="minilm", reranker=None)
    assert settings.models == ModelChoice(embedder="minilm")


@pytest.mark.parametrize(
    "written", ["localhost:8000", "notaurl", "http://[bad", "ftp://host/v1", "http://", "http://h?k=1"]
)
@pytest.mark.parametrize("name", ["POLYHOP_BASE_URL", "OPENAI_BASE_URL"])
def test_an_address_that_is_none_is_told_by_the_variable_that_has_it(
    name: str, written: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, written)
    with pytest.raises(SettingError, match=f"environment's {name} is no address") as refused:
        Endpoint.from_environment(otherwise="sage")
    assert "http://localhost:11434/v1" in refused.value.remedy


def test_an_address_without_a_model_is_told_apart_from_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not address_without_model()
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:11434/v1")
    assert address_without_model() == "OPENAI_BASE_URL"
    monkeypatch.setenv("POLYHOP_MODEL", "sage")
    assert not address_without_model()


def test_the_endpoint_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Endpoint.from_environment() is None
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    assert Endpoint.from_environment() is None, "a key alone does not say which model to pay for"
    monkeypatch.setenv("OPENAI_MODEL", "large")
    endpoint = Endpoint.from_environment()
    assert endpoint == Endpoint(base_url="https://api.openai.com/v1", model="large", api_key="sk-secret")
    assert "sk-secret" not in repr(endpoint)
    monkeypatch.setenv("POLYHOP_BASE_URL", "http://127.0.0.1:1234/v1")
    monkeypatch.setenv("POLYHOP_MODEL", "small")
    found = Endpoint.from_environment()
    assert found is not None
    assert (found.base_url, found.model) == ("http://127.0.0.1:1234/v1", "small")


def test_converted_weights_live_where_the_user_says(tmp_path: Path) -> None:
    assert cache_folder(ModelChoice(cache=str(tmp_path))) == tmp_path
    assert cache_folder(ModelChoice(cache="~/x")) == Path.home() / "x"
    assert "polyhop" in cache_folder(ModelChoice()).parts[-1].casefold() or "polyhop" in str(
        cache_folder(ModelChoice())
    )


def test_the_time_for_reading_a_file_is_not_endless() -> None:
    with pytest.raises(SettingError, match="file_seconds must be finite"):
        Settings.from_mapping({"server": {"file_seconds": float("inf")}})


def test_a_farewell_is_not_endless() -> None:
    with pytest.raises(SettingError, match="farewell must be finite"):
        Settings.from_mapping({"server": {"farewell": float("inf")}})
