"""Questions that a passage answers, from its parse: wh-questions by grammar, without a language model."""
