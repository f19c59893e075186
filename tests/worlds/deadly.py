"""A layer that some passages are too much for."""

from __future__ import annotations

from pathlib import Path

DEADLY = '''
"""A layer that some passages are too much for."""

import os
import time
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, kw_only=True)
class Deadly:
    """Says the length of each passage."""

    name: ClassVar[str] = "deadly"
    runs: ClassVar[str] = "processes"
    reads: ClassVar[tuple[str, ...]] = ()

    def made_with(self, models):
        return "nothing"

    def extract(self, passages, models, below):
        for passage in passages:
            if "poison" in passage.text:
                os._exit(9)
            if "endless" in passage.text:
                os.write(2, b"at work %d\\n" % os.getpid())  # at once: another worker writes there too
                while True:
                    if "asleep" in passage.text:
                        time.sleep(60)
        return [str(len(passage.text)).encode() for passage in passages]

    def gather(self, record, folder, fingerprint, models, memory=0):
        pass

    def open(self, record, folder, models):
        pass
'''


def with_deadly_layer(site: Path) -> Path:
    """A folder in which the layer is installed."""
    (site / "deadly.py").write_text(DEADLY)
    about = site / "deadly-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: deadly\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[polyhop.layers]\ndeadly = deadly:Deadly\n")
    return site
