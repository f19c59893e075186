"""What tests index and how deep they look."""

from __future__ import annotations

from polyhop.settings import Settings

LAYERS = ("text", "parsekg", "facts", "questions", "tree")  # all that strategies need

# The same algorithms with less to read: what a contract says does not depend on how deep a strategy looks.
QUICK = Settings.from_mapping(
    {
        "strategies": {
            "c2rag": {"grounding": {"relations": 4}, "recovery": {"retrieved": 3}},
            "hybrid": {"depth": 6},
            "iterative": {"rounds": 1, "depth": 6, "sentences": 4},
            "paths": {"depth": 4, "starts": 2, "links": 3, "longer": 1},
            "raptor": {"k": 8, "width": 4},
            "stepchain": {"retrieved": 4, "walk": {"chains": 6}, "values": 2, "links": 3},
            "translator": {"alpha": 2, "beta": 2, "longest": 8, "hops": 2},
        }
    }
)
