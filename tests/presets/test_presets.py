"""Presets: settings of published experiments that fit, that the user's own lie above, and that run from end to end."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop import registry
from polyhop.engine import Polyhop
from polyhop.errors import LayerMissing, ModelMismatch, UnknownComponent
from polyhop.layers.layer import layer_of
from polyhop.presets import shipped
from polyhop.presets.laying_over import laid_over
from polyhop.settings import ModelChoice, Settings
from polyhop.strategies.strategy import layers_read, strategy_of
from tests.worlds.commands import Run
from tests.worlds.documents import BRIDGE, EXAMPLES
from tests.worlds.endpoint import EndpointServer, serving
from tests.worlds.machine import needs
from tests.worlds.sage import DOCUMENTS, sage

NAMES = shipped.names()
SECTIONS = {"planner": "planners", "reader": "readers"}
HERE = "models.reranker=minilm-l12"  # instead of one that would have to be fetched
# What the papers vary between their data sets, and nothing else.
VARIED = {
    "kg-translator": {"strategies.translator.beta", "strategies.translator.hops"},
    "qcg": {"strategies.qcg.k", "strategies.qcg.n", "strategies.qcg.gamma"},
}


def leaves(tree: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """Every setting, as a path and a value."""
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from leaves(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", repr(value)


@pytest.mark.parametrize("name", NAMES)
def test_every_setting_of_a_preset_fits(name: str) -> None:
    """Each component that a preset has a section for is built from it; its strategy reads no layer that it lacks."""
    settings = Settings.from_mapping({"preset": name})
    strategy, _ = settings.choice("strategy")
    assert set(layers_read(strategy_of(strategy, settings))) <= set(settings.index.layers)
    for section, content in shipped.content(name).items():
        if section == "layers":
            assert [layer_of(layer, settings).name for layer in content] == list(content)
        elif section == "strategies":
            assert list(content) == [strategy]
        elif section in SECTIONS:
            component, own = settings.choice(section)
            registry.build(cast("registry.Kind", SECTIONS[section]), component, own)
    assert settings.replaced == ()
    assert Settings.from_mapping(settings.to_mapping()) == settings


@pytest.mark.parametrize("name", NAMES)
def test_a_preset_says_what_it_departs_in(name: str, run: Run) -> None:
    """``presets show`` prints the file as it stands; what departs from the paper comes first, and is listed."""
    text = run("presets", "show", name).out
    assert tomllib.loads(text) == shipped.content(name)
    head = text.partition("\n[")[0]
    assert all(line.startswith("#") for line in head.splitlines() if line)
    assert re.search(r"What departs from.* In\n?#? ?short:\n# - ", head)
    assert f"docs/strategies/{Settings.from_mapping({'preset': name}).choice('strategy')[0]}.md" in head


def test_presets_of_a_paper_differ_only_in_what_the_paper_varies() -> None:
    for family, varied in VARIED.items():
        ours = [dict(leaves(shipped.content(name))) for name in NAMES if name.startswith(f"{family}/")]
        assert len(ours) > 1
        assert {key for one in ours for key in one if len({other.get(key) for other in ours}) > 1} == varied


def test_presets_are_listed_and_a_name_that_is_none_is_refused(run: Run) -> None:
    assert [line.split()[0] for line in run("presets").out.splitlines()] == list(NAMES)
    assert [row["name"] for row in run("presets", "--json").json()] == list(NAMES)
    outcome = run("ask", BRIDGE, "--preset", "c2rga")
    assert (outcome.code, "Did you mean 'c2rag'?" in outcome.err) == (2, True)
    with pytest.raises(UnknownComponent, match="no preset named 'qcg'"):
        Settings.from_mapping({"preset": "qcg"})


@pytest.mark.parametrize("command", [("search", "Gull"), ("serve",), ("mcp",)])
def test_every_command_with_settings_takes_a_preset(command: tuple[str, ...], run: Run, tmp_path: Path) -> None:
    said = run(*command, "--preset", "c2rog", "--index", tmp_path / "an.index")
    assert said.code == 2
    assert "There is no preset named 'c2rog'." in said.err


def test_a_preset_lies_below_the_file_the_environment_and_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file may name it; what replaces it is told as ``--set`` would say it."""
    file = tmp_path / "polyhop.toml"
    file.write_text('preset = "c2rag"\n[strategies.c2rag]\ngrounding.anchors = 5\ngamma = 2.0\n', encoding="utf-8")
    monkeypatch.setenv("POLYHOP_MODEL", "sage")
    settings = Settings.read(file, ["strategies.c2rag.gamma=2.5", "strategy.grounding.kept=1", "budget.passages=5"])
    assert registry.dotted(settings.of("strategies.c2rag"))["grounding.anchors"] == 5
    assert settings.of("strategies.c2rag")["gamma"] == "2.5"
    assert settings.of("strategies.c2rag")["check"] == "paper"
    assert (settings.budget.passages, settings.budget.tokens) == (5, 12000)
    assert set(settings.replaced) == {
        "language_model.model=sage instead of gpt-4o-mini",
        "strategies.c2rag.grounding.anchors=5 instead of 3",
        "strategies.c2rag.gamma=2.5 instead of 1.5",
        "strategies.c2rag.grounding.kept=1 instead of 3",
        "budget.passages=5 instead of 24",
    }
    assert Settings.read(file, ["preset=qcg/lihua"]).choice("strategy")[0] == "qcg"


def test_settings_for_a_component_that_was_replaced_are_left_out() -> None:
    """They would not fit the other one."""
    settings = Settings.read(None, ["preset=c2rag", "planner.name=rules", "reader.name=trained"])
    assert settings.choice("planner") == ("rules", {})
    assert settings.choice("reader") == ("trained", {})
    other = Settings.read(None, ["preset=qcg/lihua", "models.language_model=smollm2"])
    assert other.of("language_model") == {}


TREES = st.dictionaries(st.sampled_from("abc"), st.dictionaries(st.sampled_from("xyz"), st.integers(0, 3)))


@given(TREES, TREES)
def test_whatever_the_user_says_stands(preset: dict[str, Any], own: dict[str, Any]) -> None:
    """And what is left open is the preset's; laying the same over again changes nothing."""
    laid = laid_over(preset, own)
    assert dict(leaves(laid)) == dict(leaves(preset)) | dict(leaves(own))
    assert laid_over(preset, laid) == laid


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[EndpointServer]:
    """An endpoint without a model's name: that is the preset's."""
    with serving(sage) as server:
        monkeypatch.setenv("POLYHOP_BASE_URL", server.url)
        yield server


@pytest.fixture(scope="session")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three of the examples."""
    folder = tmp_path_factory.mktemp("presets") / "documents"
    folder.mkdir()
    for name in DOCUMENTS:
        shutil.copy(EXAMPLES / name, folder)
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_a_preset_answers_from_end_to_end(
    name: str, documents: Path, server: EndpointServer, tmp_path: Path, run: Run
) -> None:
    """Indexed, asked and searched as the paper says, with a played endpoint that is asked for the paper's model."""
    needs("minilm", *(("smollm2", "spacy-md") if name.startswith("kg-translator") else ()))
    index = tmp_path / "polyhop.index"
    settings = Settings.from_mapping({"preset": name})
    replaced = ("--set", HERE) if settings.models.reranker != ModelChoice().reranker else ()
    outcome = run("index", documents, "--preset", name, "--index", index)
    assert outcome.code == 0, outcome.err
    outcome = run("ask", BRIDGE, "--preset", name, "--index", index, "--json", *replaced)
    assert outcome.code == 0, outcome.err
    answer = outcome.json()
    assert (answer["text"], answer["reader"]) == ("Pellingrove", "grounded")
    assert answer["evidence"]["strategy"] == settings.choice("strategy")[0]
    told = f"; {HERE} instead of {settings.models.reranker}" if replaced else ""
    assert answer["evidence"]["trail"][0] == f"preset {name}{told}"
    assert name in answer["manifest"]["settings"]
    assert {request["model"] for request in server.requests} == {settings.of("language_model")["model"]}
    assert {request["temperature"] for request in server.requests} == {
        settings.of("language_model").get("temperature", 0.0)
    }
    found = run("search", BRIDGE, "--preset", name, "--index", index, "--k", "2", "--json", *replaced).json()
    assert "Edda Marrish" in [passage["title"] for passage in found["passages"]]


@pytest.mark.parametrize("name", ["c2rag", "qcg/multihop-rag"])
def test_a_preset_is_measured(name: str, server: EndpointServer, tmp_path: Path, run: Run) -> None:
    """``polyhop eval`` takes its strategy from the preset, and the report says which settings were used."""
    needs("minilm")
    rows = [{"id": file, "title": "", "text": (EXAMPLES / file).read_text(encoding="utf-8")} for file in DOCUMENTS[:2]]
    asked = {"id": "q", "question": BRIDGE, "answer": "Pellingrove", "supporting": [DOCUMENTS[0], DOCUMENTS[1]]}
    (tmp_path / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (tmp_path / "questions.jsonl").write_text(json.dumps(asked), encoding="utf-8")
    outcome = run("eval", tmp_path, "--preset", name, "--json", tmp_path / "out.json", "--set", HERE)
    assert outcome.code == 0, outcome.err
    report = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    strategy = Settings.from_mapping({"preset": name}).choice("strategy")[0]
    assert report["strategies"][strategy]["em"] == 1.0
    assert report["manifest"]["settings"]["preset"] == name
    assert len(server.requests) > 2


def test_what_is_missing_is_named_at_once_with_what_to_do(documents: Path, tmp_path: Path, run: Run) -> None:
    """Models that are not installed and an endpoint that is not configured, before anything is read."""
    index = tmp_path / "polyhop.index"
    empty = f"models.cache={tmp_path / 'empty'}"
    outcome = run("index", documents, "--preset", "c2rag", "--index", index, "--set", empty)
    assert outcome.code == 8
    assert "The preset c2rag cannot be used as it is" in outcome.err
    remedies = [line.strip() for line in outcome.err.splitlines()]
    assert "Install it with: polyhop models install minilm" in remedies
    assert "Or replace it: --set models.embedder=bge-small" in remedies
    assert "No endpoint is configured for gpt-4o-mini" in outcome.err
    assert "POLYHOP_BASE_URL" in outcome.err
    assert not index.exists()


def test_what_was_replaced_is_said(documents: Path, tmp_path: Path, run: Run) -> None:
    """Without an endpoint each part that needs one is replaced by name; then the preset runs offline, and says so."""
    needs("minilm")
    index = tmp_path / "polyhop.index"
    offline = (
        HERE,
        "models.language_model=none",
        "layers.facts.extractor=syntax",
        "planner.name=rules",
        "reader.name=trained",
    )
    changes = [word for change in offline for word in ("--set", change)]
    outcome = run("index", documents, "--preset", "c2rag", "--index", index, *changes)
    assert outcome.code == 0, outcome.err
    assert "; models.language_model=none instead of auto; " in outcome.err
    outcome = run("ask", BRIDGE, "--preset", "c2rag", "--index", index, *changes, "--json")
    assert outcome.json()["text"] == "Pellingrove"
    assert "; reader.name=trained instead of grounded" in outcome.json()["evidence"]["trail"][0]


def test_a_layer_that_the_index_lacks_is_named(server: EndpointServer, tmp_path: Path) -> None:
    """With the command that makes it, and everything else that is not as the preset says."""
    del server
    path = tmp_path / "text.index"
    with Polyhop(path) as engine:
        engine.add_text("Edda Marrish designed Harrowmere Lighthouse.", "one.txt", layers=["text"])
    settings = Settings.read(None, ["preset=qcg/lihua", "models.embedder=bge-small"])
    with (
        Polyhop(path, settings=settings) as engine,
        pytest.raises(LayerMissing, match=r"lacks the layer questions\. .*chunking\.tokens=512, not 1200") as caught,
    ):
        engine.ask(BRIDGE)
    assert "polyhop index PATH... --preset qcg/lihua" in caught.value.remedy


def test_an_index_that_was_made_otherwise_is_told(server: EndpointServer, tmp_path: Path) -> None:
    """Its chunks, and the extractor of its facts; the remedy says how to ask it as it is."""
    del server
    path = tmp_path / "other.index"
    with Polyhop(path) as engine:
        engine.add_text("Edda Marrish designed Harrowmere Lighthouse.", "one.txt", layers=["text", "parsekg", "facts"])
    for changes, made in (
        (["preset=c2rag", "models.embedder=bge-small", HERE], "layers.facts.extractor=syntax"),
        (["preset=stepchain"], "chunking.tokens=512"),
    ):
        with (
            Polyhop(path, settings=Settings.read(None, changes)) as engine,
            pytest.raises(ModelMismatch, match=f"This index was made with {re.escape(made)}, not ") as caught,
        ):
            engine.ask(BRIDGE)
        assert f"--set {made}" in caught.value.remedy
