"""What replays an answer: versions, models, settings, and the generations of the layers that it came from."""

from __future__ import annotations

import hashlib

from polyhop import __version__
from polyhop.indexing.remembered import in_force
from polyhop.layers.view import View
from polyhop.prompts import catalogue
from polyhop.settings import Settings


def manifest_of(view: View, settings: Settings, *, strategy: str, reader: str) -> dict[str, str]:
    """The manifest of an answer that a strategy and a reader gave over a view."""
    model = view.models.language_model
    generations = [f"{name}={view.record.generation(name)}" for name in view.record.layers()]
    configured = in_force(view.record, settings).published()
    del configured["server"], configured["models"]["cache"]  # where an answer is served, where models are kept,
    configured["index"] = {"layers": settings.index.layers}  # and how an index is made changes nothing in it
    return {
        "polyhop": __version__,
        "strategy": strategy,
        "reader": reader,
        "embedder": settings.models.embedder,
        "reranker": settings.models.reranker,
        "language_model": getattr(model, "name", "none"),
        "prompts": "none" if model is None else catalogue.digest(),
        "index": hashlib.sha256("\n".join(generations).encode()).hexdigest()[:16],
        "settings": str(configured),
    }
