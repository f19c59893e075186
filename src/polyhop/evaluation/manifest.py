"""What it takes to repeat an experiment: the data, the settings, the models, the versions."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Any, Final

from polyhop.errors import PolyhopError
from polyhop.evaluation.dataset import Dataset
from polyhop.evaluation.experiment import Experiment
from polyhop.models.choice import Models
from polyhop.prompts.catalogue import versions as versions_of_prompts
from polyhop.settings import Settings

FORMAT = 1
OURS: Final = ("polyhop", "polyhop-weights")
ROLES: Final = ("embedder", "reranker", "span_model", "parser", "translator", "language_model")


def manifest(
    experiment: Experiment,
    dataset: Dataset,
    *,
    settings: Settings | None = None,
    models: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Everything that replays an experiment, as JSON values; ``models``: see ``names_of``."""
    return {
        "format": FORMAT,
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "experiment": asdict(experiment),
        "dataset": {
            "name": dataset.folder.resolve().name,
            "split": dataset.split,
            "questions": len(dataset.questions),
            "passages": None if dataset.passages is None else len(dataset.passages),
            "sha256": dataset.sha256,
            "files": dict(dataset.hashes),
        },
        "settings": (settings or Settings()).published(),
        "models": dict(models or {}),
        "prompts": dict(versions_of_prompts()),
        "versions": versions(),
        "platform": {
            "python": platform.python_version(),
            "implementation": platform.python_implementation(),
            "system": platform.platform(),
            "machine": platform.machine(),
            "cpus": os.cpu_count(),
        },
    }


def names_of(models: Models) -> dict[str, str]:
    """Each model as it names itself, with its host or weights: a setting may be "auto". What is not there is left out.

    A language model is "none" where none is chosen.
    """
    names = {}
    for role in ROLES:
        with suppress(PolyhopError):
            names[role] = str(getattr(getattr(models, role), "name", "none"))
    return names


def versions() -> dict[str, str]:
    """The installed versions of Polyhop, of the package with our own models, and of what Polyhop requires."""
    try:
        required = requires("polyhop") or []
    except PackageNotFoundError:  # run from a source tree that is not installed
        required = []
    plain = (name.group() for line in required if "extra ==" not in line and (name := re.match(r"[\w.-]+", line)))
    return {name: found for name in (*OURS, *sorted(plain)) if (found := _version(name)) is not None}


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
