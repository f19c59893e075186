"""The weights that come with Polyhop are whole, small enough for a package, and say where they come from."""

from __future__ import annotations

import tomllib
import zlib
from pathlib import Path

import pytest

from polyhop.models.weights import MANIFEST, check_hashes, read_manifest

PACKAGE = Path(__file__).parent.parent / "weights" / "src" / "polyhop_weights"
MODELS = sorted(path.parent for path in PACKAGE.rglob(MANIFEST))
MOST_BYTES = 60_000_000


def test_the_package_is_small_enough() -> None:
    """As the wheel has them, which is compressed."""
    files = [path.read_bytes() for path in PACKAGE.rglob("*") if path.is_file()]
    assert sum(len(zlib.compress(one, 1)) for one in files) < MOST_BYTES


def test_the_package_holds_models_and_no_code() -> None:
    assert [path.name for path in PACKAGE.rglob("*.py")] == ["__init__.py"]
    project = tomllib.loads((PACKAGE.parent.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["name"] == "polyhop-weights"
    assert "dependencies" not in project


@pytest.mark.parametrize("folder", MODELS, ids=lambda folder: folder.name)
def test_every_model_is_whole_and_has_its_card(folder: Path) -> None:
    files = read_manifest(folder)
    check_hashes(folder, files)
    assert {file.name for file in files} == {path.name for path in folder.iterdir()} - {MANIFEST}
    card = (folder / "card.md").read_text(encoding="utf-8")
    assert all(f"## {part}" in card for part in ("Data and attribution", "Limits"))
