"""The parse of a sentence, read safely: what facts and questions by grammar have in common."""
