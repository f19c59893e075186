"""What runs models reports nothing to its makers: it makes up no id of the machine to report under."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

RUNS = {
    "a graph": "from polyhop.models.session import open_session\n"
    "from polyhop.models.cross_encoder import MiniLML12\n"
    "MiniLML12().score('who?', ['nobody'])",
    "the trial product": "from polyhop.models.saturation import products_saturate; products_saturate()",
}


@pytest.mark.parametrize("run", RUNS)
def test_running_a_model_leaves_nothing_in_the_home_folder(run: str, tmp_path: Path) -> None:
    """The id that onnxruntime reports under is kept there, and what it could not send yet."""
    places = {name: str(tmp_path) for name in ("HOME", "XDG_CACHE_HOME", "LOCALAPPDATA", "USERPROFILE")}
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"} | places
    subprocess.run([sys.executable, "-c", RUNS[run]], env=environment, check=True)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
