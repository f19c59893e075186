"""The shape of the code: imports run one way, rooms stay small enough to know, heavy libraries wait until used."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import polyhop

ROOT = Path(polyhop.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))

# What may import what: a module imports only from its own level or from levels before it.
LEVELS = (
    ("types", "errors", "plans"),
    ("ports", "registry", "settings", "reports"),
    ("english",),
    ("documents", "models", "indexes", "store"),
    ("prompts",),
    ("planning",),
    ("layers",),
    ("reading",),
    ("strategies",),
    ("indexing",),
    ("engine",),
    ("evaluation", "training", "serve"),
    ("cli",),
)
LEVEL = {name: level for level, names in enumerate(LEVELS) for name in names}


def part_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imports_of(path: Path) -> Iterator[str]:
    """The parts of Polyhop that a file imports, also within functions; not what only type checkers see."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    hidden = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and id(node) not in hidden:
            parts = node.module.split(".")
            if parts[0] == "polyhop":
                yield from [parts[1]] if len(parts) > 1 else [alias.name for alias in node.names]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_run_one_way(path: Path) -> None:
    """Types, then ports, then the parts, then what combines them."""
    part = part_of(path)
    if part == "__init__":
        return
    upward = {name for name in imports_of(path) if name in LEVEL and LEVEL[name] > LEVEL[part]}
    assert not upward, f"{path} imports from a later level: {upward}"


def test_every_part_has_a_level() -> None:
    """A new package is placed before it is used."""
    assert {part_of(path) for path in FILES} - {"__init__"} <= set(LEVEL)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_and_functions_stay_small(path: Path) -> None:
    """At most 400 lines a file, about 50 a function."""
    source = path.read_text(encoding="utf-8")
    assert source.count("\n") <= 400
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            assert length <= 60, f"{path}:{node.lineno} {node.name} has {length} lines"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_environment_is_read_in_settings_only(path: Path) -> None:
    """Settings are the one place where the environment is read."""
    if path.name == "settings.py":
        return
    source = path.read_text(encoding="utf-8")
    assert "os.environ" not in source
    assert "getenv" not in source


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
