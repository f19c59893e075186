"""Steps that several strategies take."""
