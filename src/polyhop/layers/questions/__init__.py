"""The questions layer: what passages can be asked, with the answers."""
