"""From files to an index: what is new is stored, and each layer gets what it lacks."""
