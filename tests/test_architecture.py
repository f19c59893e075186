"""The shape of the code: imports run one way, rooms stay small enough to know, heavy libraries wait until used."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Self

import pytest

import polyhop

ROOT = Path(polyhop.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
MODULES = {
    ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__"): path for path in FILES
}

# What may import what: a module imports only from its own level or from levels before it.
LEVELS = (
    ("types", "errors", "plans", "serialisable"),
    ("ports", "registry", "settings", "presets", "reports", "extras"),
    ("english",),
    ("documents", "models", "indexes", "store"),
    ("prompts", "planning"),
    ("layers",),
    ("conversation", "whereabouts"),
    ("reading",),
    ("strategies",),
    ("indexing",),
    ("answering",),
    ("engine",),
    ("asynchronous", "evaluation", "training", "serve", "integrations", "exports"),
    ("cli",),
    ("__main__",),
)
REACHED = 98  # files, by imports, from "paths" and the default reader
LEVEL = {name: level for level, names in enumerate(LEVELS) for name in names}


def part_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


@dataclass(frozen=True)
class Shape:
    """What is asked of a file, which is parsed once for all questions."""

    lines: int
    imports: tuple[str, ...]
    functions: tuple[tuple[str, int, int], ...]  # name, first line, how many lines
    classes: tuple[str, ...]

    @classmethod
    @cache
    def of(cls, path: Path) -> Self:
        """The shape of a file."""
        source = path.read_text(encoding="utf-8")
        tree = ast.parse(source)
        return cls(
            lines=source.count("\n"),
            imports=tuple(_imports(tree)),
            functions=tuple(
                (node.name, node.lineno, (node.end_lineno or node.lineno) - node.lineno + 1)
                for node in ast.walk(tree)
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            ),
            classes=tuple(node.name for node in tree.body if isinstance(node, ast.ClassDef)),
        )


def _imports(tree: ast.Module) -> Iterator[str]:
    """The modules of Polyhop that a file imports, also within functions; not what only type checkers see."""
    hidden = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or id(node) in hidden or not node.module:
            continue
        if node.module.split(".")[0] == "polyhop":
            for alias in node.names:  # a module, or a name within one
                module = f"{node.module}.{alias.name}"
                yield module if module in MODULES else node.module


def reached_from(*modules: str) -> set[str]:
    """Modules that importing some loads at once or later, with the packages that they lie in."""
    reached: set[str] = set()
    ahead = list(modules)
    while ahead:
        module = ahead.pop()
        if module not in reached:
            reached.add(module)
            ahead += [module.rpartition(".")[0]] if "." in module else []
            ahead += Shape.of(MODULES[module]).imports
    return reached


def test_imports_run_one_way() -> None:
    """Types, then ports, then the parts, then what combines them."""
    upward = [
        f"{path} imports from a later level: {module}"
        for path in FILES
        if (part := part_of(path)) != "__init__"
        for module in Shape.of(path).imports
        if module != "polyhop" and LEVEL[module.split(".")[1]] > LEVEL[part]
    ]
    assert upward == []


def test_no_metric_imports_what_it_judges() -> None:
    """A metric that read numbers and dates as the readers do would forgive them their own mistakes."""
    metrics = sorted((ROOT / "evaluation/metrics").glob("*.py"))
    assert metrics
    judged = ("polyhop.english", "polyhop.reading")
    assert [(path, module) for path in metrics for module in Shape.of(path).imports if module.startswith(judged)] == []


def test_every_part_has_a_level() -> None:
    """A new package is placed before it is used."""
    assert {part_of(path) for path in FILES} - {"__init__"} <= set(LEVEL)


def test_a_question_reaches_few_files() -> None:
    """The strategy to begin with and the default reader can be read whole: layers and models are behind ports."""
    reached = reached_from("polyhop.strategies.paths.strategy", "polyhop.reading.trained")
    assert len(reached) <= REACHED, sorted(reached)


def test_files_and_functions_stay_small() -> None:
    """At most 400 lines a file, 60 a function."""
    assert [f"{path} has {lines} lines" for path in FILES if (lines := Shape.of(path).lines) > 400] == []
    functions = [(path, *function) for path in FILES for function in Shape.of(path).functions]
    assert [f"{path}:{line} {name} has {length} lines" for path, name, line, length in functions if length > 60] == []


def test_the_environment_is_read_in_settings_only() -> None:
    """Settings are the one place where the environment is read."""
    others = {path: path.read_text(encoding="utf-8") for path in FILES if path.name != "settings.py"}
    assert [path for path, source in others.items() if "os.environ" in source or "getenv" in source] == []


def test_no_pattern_holds_on_to_a_group() -> None:
    """Python before 3.11.5 matches possessive groups, "(?:-x)*+", wrongly (gh-106052); Debian 12 has 3.11.2."""
    possessive = re.compile(r"\)(?:[*+?]|\{+[^{}]*(?:\{[^{}]*\})?[^{}]*\}+)\+")
    assert [path for path in FILES if possessive.search(path.read_text(encoding="utf-8"))] == []


def test_importing_polyhop_loads_nothing_heavy() -> None:
    """Numpy and larger libraries load when they are used; names of the public interface are found all the same."""
    program = (
        "import sys, polyhop; "
        "heavy = {'numpy', 'apsw', 'httpx', 'onnxruntime', 'spacy', 'tokenizers', 'rich'} & set(sys.modules); "
        "assert not heavy, heavy; "
        "polyhop.Settings; polyhop.Span; assert 'numpy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_help_loads_nothing_heavy() -> None:
    """``polyhop --help`` is instant."""
    program = (
        "import sys; from polyhop.cli.main import polyhop; polyhop.main(['--help'], standalone_mode=False); "
        "heavy = {'numpy', 'apsw', 'httpx', 'onnxruntime', 'spacy', 'rich'} & set(sys.modules); assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)


def test_every_public_name_can_be_imported() -> None:
    """What ``__all__`` lists exists, and nothing else is offered."""
    for name in polyhop.__all__:
        assert getattr(polyhop, name).__name__ == name
    with pytest.raises(AttributeError):
        polyhop.__getattr__("Nonsense")


def test_no_test_imports_another() -> None:
    """What several tests share lies in ``tests/worlds``."""
    for path in Path(__file__).parent.rglob("*.py"):
        for line in path.read_text(encoding="utf-8").splitlines():
            shared = line.split()[1] if line.startswith(("from tests", "import tests")) else "tests.worlds"
            assert shared.startswith("tests.worlds"), f"{path}: {line}"


def test_a_class_name_stands_for_one_thing() -> None:
    """Whoever looks for a class finds one; only private ones may share a name."""
    places: dict[str, list[Path]] = {}
    for path in FILES:
        for name in Shape.of(path).classes:
            if not name.startswith("_"):
                places.setdefault(name, []).append(path)
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}
