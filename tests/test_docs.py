"""The documentation says what is true: examples run, pages are current, links and named code lead somewhere."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import click
import pytest
from mypy import api as mypy

import polyhop
from polyhop import registry
from polyhop.cli.main import polyhop as commands

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *DOCS.rglob("*.md"),
        *(ROOT / folder / "README.md" for folder in ("examples", "benchmarks", "benchmarks/office")),
    ]
)
WRITTEN = [*PAGES, ROOT / "NOTICE", *DOCS.rglob("*.svg"), *DOCS.glob("*.py")]

# What examples may take to be there: documents in ``documents/``, and whatever an earlier example on the page made.
EXAMPLES = ("harrowmere_lighthouse.txt", "edda_marrish.md", "pellingrove.html", "museum_objects.csv")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!`)\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
CODE_REFERENCE = re.compile(r"`([\w/]+\.py)`(?:: ((?:`\w+`(?:, )?)+))?")
COMMANDS = {"polyhop", "make", "pip", "export", ".venv/bin/python", ".venv/bin/ruff", ".venv/bin/mypy"}


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path, language: str) -> list[str]:
    """The blocks of code in a language, in order."""
    return [code for found, code in BLOCK.findall(page.read_text(encoding="utf-8")) if found == language]


def scripts(page: Path) -> list[str]:
    """The examples in Python that are to be run where they stand, not saved as a file."""
    return [code for code in blocks(page, "python") if not code.startswith("# file: ")]


def run(code: str, name: str, names: dict[str, Any]) -> None:
    """Run an example of our own pages, as a script would."""
    exec(compile(code, name, "exec", dont_inherit=True), names)  # noqa: S102


def command_lines() -> Iterator[tuple[Path, list[str]]]:
    """Every command of the examples in bash, with its page."""
    for page in PAGES:
        for line in "".join(blocks(page, "bash")).splitlines():
            for command in line.split(" && "):
                if words := shlex.split(command, comments=True):
                    yield page, words


def load_reference() -> Any:
    """The script that makes pages, as a module."""
    spec = importlib.util.spec_from_file_location("make_reference", DOCS / "make_reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(DOCS))  # scripts find their neighbours there
        spec.loader.exec_module(module)
    return module


def anchors(page: Path) -> set[str]:
    """The places in a page that a link may name, as GitHub names them."""
    titles = HEADING.findall(BLOCK.sub("", page.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with some documents."""
    (tmp_path / "documents").mkdir()
    for name in EXAMPLES:
        shutil.copy(ROOT / "examples" / "corpus" / name, tmp_path / "documents")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", [page for page in PAGES if scripts(page)], ids=name_of)
def test_python_examples_run(page: Path, folder: Path) -> None:
    """One after the other, as a reader would type them."""
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        for position, code in enumerate(scripts(page)):
            run(code, f"{name_of(page)}, example {position + 1}", names)


def test_the_readme_finds_what_it_promises(folder: Path) -> None:
    """Its question is answered from the two documents that it takes, with quotations that stand in them."""
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        run(scripts(ROOT / "README.md")[0], "README.md", names)
    answer: polyhop.Answer = names["answer"]
    assert answer.text == "Pellingrove"
    titles = {passage.title for passage in answer.evidence.passages}
    assert titles >= {"Harrowmere Lighthouse", "Edda Marrish"}
    assert all(citation.quote in printed.getvalue() for citation in answer.citations)


def test_the_readme_example_is_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it calls, and the names it gives to the results, satisfy the strictest type checker.

    It is set as for the sources, so that it knows them where it has just checked them.
    """
    example = tmp_path / "example.py"
    example.write_text(scripts(ROOT / "README.md")[0], encoding="utf-8")
    monkeypatch.chdir(ROOT)
    report, faults, status = mypy.run(["--strict", str(example)])
    assert status == 0, report + faults


def test_the_components_in_the_docs_work_as_a_package(folder: Path) -> None:
    """The files and entry points of the worked examples, installed beside Polyhop: found, used and measured."""
    site = folder / "site"
    groups: dict[str, dict[str, str]] = {}
    page = DOCS / "extending.md"
    for code in blocks(page, "python"):
        head, _, rest = code.partition("\n")
        write(site / head.removeprefix("# file: "), rest)
    for toml in blocks(page, "toml"):
        groups |= tomllib.loads(toml)["project"]["entry-points"]
    install(site, groups)
    write(
        folder / "documents" / "harbour_office.rst",
        "Harbour Office\n==============\n\nIt keeps the key of Harrowmere Lighthouse.\n",
    )
    environment = {**os.environ, "PYTHONPATH": str(site)}
    done = subprocess.run(
        [sys.executable, "-c", PLUGIN_USE], env=environment, check=True, capture_output=True, text=True
    )
    assert json.loads(done.stdout) == {"first": "Harrowmere Lighthouse", "found": True, "metric": 0.5}


def install(site: Path, groups: Mapping[str, Mapping[str, str]]) -> None:
    """What pip leaves of a package, so that its entry points by group are found."""
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in points.items())
        for group, points in groups.items()
    ]
    write(site / "plugin-1.0.dist-info" / "METADATA", "Metadata-Version: 2.1\nName: plugin\nVersion: 1.0\n")
    write(site / "plugin-1.0.dist-info" / "entry_points.txt", "\n".join(lines))


@pytest.mark.slow
def test_a_strategy_is_one_file_beside_polyhop(folder: Path) -> None:
    """The first example of the page, alone: it is listed, asked, set and measured by the commands that stand there."""
    page = DOCS / "extending.md"
    head, _, code = blocks(page, "python")[0].partition("\n")
    write(folder / "site" / head.removeprefix("# file: "), code)
    install(folder / "site", tomllib.loads(blocks(page, "toml")[0])["project"]["entry-points"])
    rows = [{"id": path.stem, "text": path.read_text(encoding="utf-8")} for path in folder.glob("documents/*.[mt]*")]
    asked = {
        "id": 1,
        "question": "Where was Edda Marrish born?",
        "answer": "Pellingrove",
        "supporting": [rows[0]["id"]],
    }
    write(folder / "my-questions" / "corpus.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    write(folder / "my-questions" / "questions.jsonl", json.dumps(asked) + "\n")
    lines = ["polyhop index documents", *blocks(page, "bash")[0].splitlines()]
    _, listed, traced, changed, measured = typed([shlex.split(line)[1:] for line in lines], folder / "site")
    assert "nearest = 5" in listed
    assert "5 are nearest" in traced
    assert "Pellingrove" in changed
    assert all(re.search(rf"^\W*{name}\b", measured, re.MULTILINE) for name in ("paths", "named"))


def typed(commands: list[list[str]], site: Path) -> list[str]:
    """What commands print, one after the other in a process that finds what is installed there."""
    command, environment = [sys.executable, "-c", TYPED, json.dumps(commands)], {**os.environ, "PYTHONPATH": str(site)}
    done = subprocess.run(command, env=environment, check=True, capture_output=True, encoding="utf-8")
    said: list[str] = json.loads(done.stdout)
    return said


TYPED = """
import contextlib, io, json, sys
from polyhop.cli.main import main

said = []
for words in json.loads(sys.argv[1]):
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        try:
            main(words)
        except SystemExit as left:
            if left.code:
                raise
    said.append(printed.getvalue())
print(json.dumps(said))
"""

PLUGIN_USE = """
import json
from polyhop import Polyhop, Settings
from polyhop.evaluation.dataset import Question
from polyhop.evaluation.metrics.metric import metric_named
from polyhop.evaluation.outcome import Outcome

settings = Settings.from_mapping({"models": {"embedder": "hashed"}, "strategies": {"named": {"nearest": 6}}})
with Polyhop("plugin.index", settings=settings) as engine:
    engine.index("documents")
    found = engine.search("Who built Harrowmere Lighthouse?", k=20, strategy="named")
titles = [passage.title for passage in found.passages]
question = Question(id="q", text="?", answer="a", supporting=("p2",))
metric = metric_named("first")(question, Outcome(ranking=("p1", "p2")))
print(json.dumps({"first": titles[0], "found": "Harbour Office" in titles, "metric": metric}))
"""


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("page", "words"), list(command_lines()), ids=lambda value: " ".join(value) if isinstance(value, list) else ""
)
def test_bash_examples_can_be_typed(page: Path, words: list[str]) -> None:
    """Programs, commands, options, make targets and scripts exist."""
    program, *rest = words
    assert program in COMMANDS, f"{name_of(page)}: {words}"
    if program == "polyhop":
        parse(commands, rest)
    elif program == "make":
        targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
        assert set(rest) <= set(targets)
    for word in rest:
        if word.endswith(".py"):
            assert (ROOT / word).is_file()


def parse(command: click.Command, words: list[str], within: click.Context | None = None) -> None:
    """Raise what click would say about a command line, without running it."""
    if isinstance(command, click.Group) and words and not words[0].startswith("-"):
        inner = command.commands.get(words[0])
        assert inner is not None, f"there is no command {words[0]}"
        parse(inner, words[1:], command.make_context(command.name, [], within, resilient_parsing=True))
    else:
        command.make_context(command.name, [*words], within, resilient_parsing=isinstance(command, click.Group))


def test_pages_made_from_the_code_are_current() -> None:
    """Otherwise run: python docs/make_reference.py."""
    reference = load_reference()
    assert [name_of(page) for page in reference.stale(reference.pages())] == []


def test_the_chart_of_growth_draws_every_curve_that_it_tells_of() -> None:
    chart = (DOCS / "images" / "growth.svg").read_text(encoding="utf-8")
    assert chart.count("<polyline ") == chart.count(" grows with the power ")


def test_every_command_and_option_is_documented() -> None:
    """The reference page names them all, with what they mean and what may be chosen."""
    page = (DOCS / "cli.md").read_text(encoding="utf-8")

    def check(command: click.Command, path: str) -> None:
        assert f"# {path}\n" in page or path == "polyhop"
        section = page.partition(f"## {path}\n")[2].partition("\n## ")[0] if path != "polyhop" else page
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert all(option in section for option in parameter.opts), f"{path} {parameter.opts}"
                assert parameter.help, f"{path} {parameter.opts}"
                choices = parameter.type.choices if isinstance(parameter.type, click.Choice) else ()
                assert all(str(choice) in section for choice in choices), f"{path} {parameter.opts}"
        if isinstance(command, click.Group):
            for name, inner in command.commands.items():
                check(inner, f"{path} {name}")

    check(commands, "polyhop")


def test_every_setting_says_what_it_means() -> None:
    """By the comment beside it in the code."""
    rows = (DOCS / "settings.md").read_text(encoding="utf-8").splitlines()
    assert [row for row in rows if row.startswith("| `") and row.endswith("|  |")] == []


def test_every_strategy_has_a_page() -> None:
    """And there is no page about a strategy that does not exist."""
    ours = {
        name
        for name in registry.names("strategies")
        if registry.load("strategies", name).__module__.startswith("polyhop.")
    }
    assert {page.stem for page in (DOCS / "strategies").glob("*.md")} == ours
    for name in ours:
        text = (DOCS / "strategies" / f"{name}.md").read_text(encoding="utf-8")
        assert text.startswith(f"# {name}\n")
        assert "## Settings" in text
        assert "## Measured" in text
        assert not re.search(r"^\| ---.*\n(?!\|)", text, re.MULTILINE), f"{name} has a table without rows"


def test_every_decision_is_listed() -> None:
    """Decisions are numbered without gaps, and their titles carry their numbers."""
    pages = sorted((DOCS / "decisions").glob("0*.md"))
    listed = (DOCS / "decisions" / "README.md").read_text(encoding="utf-8")
    for number, page in enumerate(pages, start=1):
        text = page.read_text(encoding="utf-8")
        assert page.name.startswith(f"{number:04}-")
        assert text.startswith(f"# {number:04}. ")
        assert all(f"\n## {part}\n" in text for part in ("Context", "Decision", "Consequences"))
        assert page.name in listed


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    """Files that are linked exist, and so do the headings in them."""
    for target in LINK.findall(BLOCK.sub("", page.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        linked = page.parent / unquote(path) if path else page
        assert linked.exists(), f"{name_of(page)} links to {target}"
        if anchor:
            assert anchor in anchors(linked), f"{name_of(page)} links to {target}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_code_that_is_named_exists(page: Path) -> None:
    """`file.py`: `name` names a file of the package or of the repository, and something that it defines."""
    for file, names in CODE_REFERENCE.findall(page.read_text(encoding="utf-8")):
        found = [path for path in (ROOT / "src" / "polyhop" / file, ROOT / file, page.parent / file) if path.is_file()]
        assert found, f"{name_of(page)} names {file}"
        source = found[0].read_text(encoding="utf-8")
        for name in re.findall(r"\w+", names):
            assert re.search(rf"^\s*(?:def|class) {name}\b|^{name}\b.*=", source, re.MULTILINE), (
                f"{name_of(page)}: {file} has no {name}"
            )


@pytest.mark.parametrize("page", WRITTEN, ids=name_of)
def test_nothing_tells_where_it_was_written(page: Path) -> None:
    """No paths of somebody's machine."""
    text = page.read_text(encoding="utf-8")
    assert not re.findall(r"(?<![\w.])/(?:home|root|Users|tmp|work|mnt|var)/\w+|[A-Z]:\\\\", text)


def test_the_licence_is_complete() -> None:
    """The text of Apache-2.0, and a notice that names every installable model."""
    from polyhop.models.install import ARCHIVES

    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in licence
    assert "END OF TERMS AND CONDITIONS" in licence
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    assert all(archive.requirement.partition("==")[0] in notice for archive in ARCHIVES)


def test_the_changelog_knows_this_version() -> None:
    """The version of the package is released there, or named as the next one."""
    assert polyhop.__version__ in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
