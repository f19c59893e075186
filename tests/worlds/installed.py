"""Packages that come and go while tests run, as they do in no process of anybody's."""

from __future__ import annotations

import threading

from polyhop import registry


def look_again() -> None:
    """Forget which components were found: the next to be asked for is looked for among what is installed then.

    Models that a command of another test still loads are waited for: what their threads have looked up would be kept
    behind what is forgotten.
    """
    for thread in threading.enumerate():
        if thread.name.startswith("load "):
            thread.join()
    for kept in (registry._installed, registry._found, registry._warn_once):
        kept.cache_clear()
