"""How much memory gathering may take where the settings leave it open."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from polyhop.layers.layer import USUAL_MEMORY
from polyhop.settings import Indexing

SHARE = 4  # one part in so many is ours
LEAST = 64 << 20
_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


def allowed(indexing: Indexing) -> int:
    """Bytes that gathering a layer may take: what is set, or a quarter of what this process can have."""
    if indexing.memory is not None:
        return indexing.memory << 20
    return max(LEAST, _available() // SHARE)


def _available() -> int:
    """Bytes of memory of the machine, or of the container where that has less; a usual size where nobody tells."""
    found = []
    with suppress(ValueError, OSError, AttributeError):  # not every system tells
        found.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    for limit in _LIMITS:
        with suppress(ValueError, OSError):  # no container, or one without a limit ("max")
            found.append(int(limit.read_text(encoding="ascii")))
    return min((size for size in found if size > 0), default=SHARE * USUAL_MEMORY)
