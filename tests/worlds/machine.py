"""What a machine may offer: signals, and disks of a size."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

posix = pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")

may_mount = pytest.mark.skipif(
    not sys.platform.startswith("linux") or os.geteuid() != 0, reason="mounting needs Linux and root"
)


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
