"""The scripts of ``benchmarks/``, as modules that tests can look into."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def benchmark(name: str) -> Any:
    """A script as a module; neither it nor the neighbours that it imports can be imported by anyone else afterwards."""
    spec = importlib.util.spec_from_file_location(name, BENCHMARKS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))  # scripts find their neighbours there
        patch.setitem(sys.modules, name, module)  # where dataclasses look for their types
        spec.loader.exec_module(module)
        for script in BENCHMARKS.glob("*.py"):
            if script.stem != name:
                sys.modules.pop(script.stem, None)
    return module
