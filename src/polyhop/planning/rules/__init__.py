"""Taking questions apart by grammar, without a language model."""
