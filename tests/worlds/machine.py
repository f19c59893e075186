"""What a machine may offer: signals, disks of a size, and models that are installed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from polyhop.errors import ModelMissing
from polyhop.models.install import installed_folder

posix = pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")

may_mount = pytest.mark.skipif(
    not sys.platform.startswith("linux") or os.geteuid() != 0, reason="mounting needs Linux and root"
)

root_user = getattr(os, "geteuid", lambda: 1)() == 0
closable = pytest.mark.skipif(root_user or sys.platform == "win32", reason="root may read everything")


@contextmanager
def small_disk(place: Path, *, kibibytes: int) -> Iterator[Path]:
    """A file system of that size."""
    place.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={kibibytes}k", "none", str(place)], check=False, capture_output=True
    )
    if made.returncode:
        pytest.skip("mounting is not permitted here")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)  # this process may still have arrays mapped


def needs(*models: str) -> None:
    """Skip the test where a model is not installed: ``make test`` installs all that tests need."""
    try:
        for model in models:
            installed_folder(model)
    except ModelMissing as error:
        pytest.skip(f"{error} {error.remedy}")
